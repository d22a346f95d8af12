// Package ical encodes events as calendars that clients can subscribe to (RFC 5545). It
// does not read the clock.
package ical

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Calendar is a calendar that clients request repeatedly.
type Calendar struct {
	Name        string
	Description string
	Product     string        // name of the program, for PRODID
	Refresh     time.Duration // interval after which clients should request it again
	Made        time.Time     // DTSTAMP of its events
	Events      []Event
}

// Event is an entry of a calendar. It does not mark anybody as busy.
type Event struct {
	UID         string // constant for an event
	Start       time.Time
	End         time.Time // zero for an event without duration
	AllDay      bool      // Start is a date
	Summary     string
	Description string
	Location    string
	URL         string
}

// Bytes returns the calendar as a file of type text/calendar.
func (c Calendar) Bytes() []byte {
	w := &writer{out: make([]byte, 0, 512+len(c.Events)*320)}
	w.line("BEGIN", "VCALENDAR")
	w.line("VERSION", "2.0")
	w.text("PRODID", "-//"+c.Product+"//EN")
	w.line("CALSCALE", "GREGORIAN")
	w.line("METHOD", "PUBLISH")
	w.text("X-WR-CALNAME", c.Name)
	w.text("X-WR-CALDESC", c.Description)
	if c.Refresh > 0 {
		w.line("REFRESH-INTERVAL;VALUE=DURATION", duration(c.Refresh)) // RFC 7986, 5.7
		w.line("X-PUBLISHED-TTL", duration(c.Refresh))
	}
	for _, e := range c.Events {
		w.event(e, c.Made)
	}
	w.line("END", "VCALENDAR")
	return w.out
}

// writer collects lines of content.
type writer struct{ out []byte }

func (w *writer) event(e Event, made time.Time) {
	w.line("BEGIN", "VEVENT")
	w.text("UID", e.UID)
	w.line("DTSTAMP", instant(made))
	if e.AllDay {
		w.line("DTSTART;VALUE=DATE", e.Start.Format("20060102"))
	} else {
		w.line("DTSTART", instant(e.Start))
	}
	if !e.End.IsZero() {
		w.line("DTEND", instant(e.End))
	}
	w.line("TRANSP", "TRANSPARENT")
	w.text("SUMMARY", e.Summary)
	w.text("DESCRIPTION", e.Description)
	w.text("LOCATION", e.Location)
	w.line("URL", e.URL)
	w.line("END", "VEVENT")
}

// text writes a property whose value is a text, unless it is empty (RFC 5545, 3.3.11).
func (w *writer) text(name, value string) { w.line(name, escapes.Replace(value)) }

var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// printable removes control characters, which values must not contain.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// foldAt is the maximum number of octets of a line (RFC 5545, 3.1).
const foldAt = 75

// line writes a property, unless its value is empty, in lines of at most 75 octets
// that do not split a character.
func (w *writer) line(name, value string) {
	if value == "" {
		return
	}
	rest, room := name+":"+printable(value), foldAt
	for len(rest) > room {
		cut := room
		for cut > 1 && !utf8.RuneStart(rest[cut]) {
			cut--
		}
		w.out = append(append(w.out, rest[:cut]...), "\r\n "...)
		rest, room = rest[cut:], foldAt-1 // the space counts
	}
	w.out = append(append(w.out, rest...), "\r\n"...)
}

// instant writes a time in UTC.
func instant(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// duration writes whole hours or minutes (RFC 5545, 3.3.6).
func duration(d time.Duration) string {
	text := strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
	if text = strings.TrimSuffix(text, "h0m"); !strings.ContainsAny(text, "hm") {
		text += "h"
	}
	return "PT" + strings.ToUpper(text)
}
