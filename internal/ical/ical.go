// Package ical encodes events as calendars that clients can subscribe to (RFC 5545, RFC 7986).
// It does not read the clock.
package ical

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Calendar is a calendar that clients request repeatedly.
type Calendar struct {
	Name        string
	Description string
	Product     string        // name of the program, for PRODID
	Source      string        // address of the calendar
	Color       string        // a CSS color name for its events
	Refresh     time.Duration // interval after which clients should request it again
	Made        time.Time     // DTSTAMP and LAST-MODIFIED of its events
	Events      []Event
}

// Event is an entry of a calendar. It does not mark anybody as busy.
type Event struct {
	UID         string // constant for an event
	Start       time.Time
	End         time.Time // zero for an event without duration
	AllDay      bool      // Start is a date, and so is End: the day after the last
	Summary     string
	Description string
	Location    string
	Position    *Position
	URL         string
	Alarm       time.Duration // before Start; zero for none
}

// Position is a point in degrees north and east.
type Position struct{ Latitude, Longitude float64 }

// Bytes returns the calendar as a file of type text/calendar.
func (c Calendar) Bytes() []byte {
	w := &writer{out: make([]byte, 0, 512+len(c.Events)*320)}
	w.line("BEGIN", "VCALENDAR")
	w.line("VERSION", "2.0")
	w.text("PRODID", "-//"+c.Product+"//EN")
	w.line("CALSCALE", "GREGORIAN")
	w.line("METHOD", "PUBLISH")
	w.text("NAME", c.Name) // RFC 7986, 5.1
	w.text("X-WR-CALNAME", c.Name)
	w.text("DESCRIPTION", c.Description) // RFC 7986, 5.2
	w.text("X-WR-CALDESC", c.Description)
	w.line("SOURCE;VALUE=URI", c.Source) // RFC 7986, 5.8
	w.line("COLOR", c.Color)             // RFC 7986, 5.9
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
	w.line("LAST-MODIFIED", instant(made))
	w.line("SEQUENCE", "0")
	w.time("DTSTART", e.Start, e.AllDay)
	w.time("DTEND", e.End, e.AllDay)
	w.line("TRANSP", "TRANSPARENT")
	w.text("SUMMARY", e.Summary)
	w.text("DESCRIPTION", e.Description)
	w.text("LOCATION", e.Location)
	if p := e.Position; p != nil {
		w.line("GEO", degrees(p.Latitude)+";"+degrees(p.Longitude))
	}
	w.line("URL", e.URL)
	if e.Alarm > 0 {
		w.alarm(e)
	}
	w.line("END", "VEVENT")
}

// alarm writes a message that clients display before an event.
func (w *writer) alarm(e Event) {
	w.line("BEGIN", "VALARM")
	w.line("ACTION", "DISPLAY")
	w.text("DESCRIPTION", e.Summary)
	w.line("TRIGGER", "-"+duration(e.Alarm))
	w.line("END", "VALARM")
}

// time writes a date or an instant, unless it is zero.
func (w *writer) time(name string, t time.Time, date bool) {
	switch {
	case t.IsZero():
	case date:
		w.line(name+";VALUE=DATE", t.Format("20060102"))
	default:
		w.line(name, instant(t))
	}
}

// degrees writes a coordinate (RFC 5545, 3.8.1.6).
func degrees(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

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

// duration writes whole days, hours or minutes (RFC 5545, 3.3.6).
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return "P" + strconv.Itoa(int(d/day)) + "D"
	}
	text := strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
	if text = strings.TrimSuffix(text, "h0m"); !strings.ContainsAny(text, "hm") {
		text += "h"
	}
	return "PT" + strings.ToUpper(text)
}
