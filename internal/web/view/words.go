package view

import (
	"fmt"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
)

// Nbsp keeps a number and its unit on one line.
const Nbsp = "\u00a0"

// Time writes the time of day.
func (p Prefs) Time(t time.Time) string {
	if p.Clock == "24" {
		return t.In(p.Location).Format("15:04")
	}
	return t.In(p.Location).Format("3:04" + Nbsp + "PM")
}

// Day writes a day: Sat 21 Nov.
func (p Prefs) Day(t time.Time) string { return t.In(p.Location).Format("Mon 2 Jan") }

// When writes a time, with its day unless that is today.
func (p Prefs) When(t time.Time) string {
	if SameDay(t.In(p.Location), p.Now.In(p.Location)) {
		return p.Time(t)
	}
	return p.Day(t) + " " + p.Time(t)
}

// Instant returns an element with a text about a time, and the time for programs.
func Instant(t time.Time, text string) template.HTML {
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `">` +
		template.HTMLEscapeString(text) + `</time>`)
}

// SameDay reports whether two times have the same date, each in its zone.
func SameDay(a, b time.Time) bool {
	y1, m1, d1 := a.Date()
	y2, m2, d2 := b.Date()
	return y1 == y2 && m1 == m2 && d1 == d2
}

// Ago writes the age of a fact.
func Ago(minutes int) string {
	switch {
	case minutes < 1:
		return "just now"
	case minutes < 60:
		return Plural(minutes, "min") + " ago"
	case minutes < 48*60:
		return Plural(minutes/60, "h") + " ago"
	}
	return Plural(minutes/60/24, "day") + " ago"
}

// In writes the time until an event.
func In(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case minutes < 1:
		return "now"
	case minutes < 60:
		return fmt.Sprintf("in %d%smin", minutes, Nbsp)
	case minutes < 24*60:
		return fmt.Sprintf("in %d%sh %d%smin", minutes/60, Nbsp, minutes%60, Nbsp)
	}
	return "in " + Plural(minutes/60/24, "day")
}

// Plural writes a count with its noun. Abbreviated units have no plural.
func Plural(n int, noun string) string {
	if n != 1 && noun != "min" && noun != "h" {
		noun += "s"
	}
	return chart.Thousands(n) + Nbsp + noun
}

// Position writes coordinates: 42.354° N, 71.050° W.
func Position(latitude, longitude float64) string {
	side := func(v float64, positive, negative string) string {
		if v < 0 {
			return fmt.Sprintf("%.3f°%s%s", -v, Nbsp, negative)
		}
		return fmt.Sprintf("%.3f°%s%s", v, Nbsp, positive)
	}
	return side(latitude, "N", "S") + ", " + side(longitude, "E", "W")
}

// offsetOf writes the offset of a zone at a time: UTC−5.
func offsetOf(t time.Time) string {
	_, seconds := t.Zone()
	sign := "+"
	if seconds < 0 {
		sign, seconds = "\u2212", -seconds
	}
	text := "UTC" + sign + strconv.Itoa(seconds/3600)
	if minutes := seconds / 60 % 60; minutes != 0 {
		text += fmt.Sprintf(":%02d", minutes)
	}
	return text
}

// Spaced writes the name of a fact in words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Capital writes a text with its first letter in upper case.
func Capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// ZoneOfStation returns the time zone of a station. The directory has only zones that exist.
func ZoneOfStation(st *coast.Station) *time.Location {
	zone, err := time.LoadLocation(st.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// ZonesText names a zone with its offset at each of some times: "EST (UTC−5), EDT (UTC−4)".
func ZonesText(zone *time.Location, at ...time.Time) string {
	var texts []string
	for _, t := range at {
		if text := zoneText(zone, t); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// zoneText names a zone with its offset at a time.
func zoneText(zone *time.Location, at time.Time) string {
	if zone == time.UTC {
		return "UTC"
	}
	t := at.In(zone)
	name, _ := t.Zone()
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		name = strings.ReplaceAll(zone.String(), "_", " ")
	}
	return name + " (" + offsetOf(t) + ")"
}

// EpochText names the epoch of a datum, if it is known.
func EpochText(epoch string) string {
	if epoch == "" || epoch == "unknown" {
		return ""
	}
	return " (epoch " + epoch + ")"
}

// HostOf returns the host of the server, for identifiers.
func HostOf(base string) string {
	if u, err := url.Parse(base); err == nil {
		return u.Hostname()
	}
	return "leadline"
}

// Webcal returns the address at which calendar programs subscribe to a file of this server.
func Webcal(address string) template.URL {
	_, rest, _ := strings.Cut(address, ":")
	return template.URL("webcal:" + rest)
}

// LevelText writes a level without rounding it to the precision of predictions.
func LevelText(level float64, unit string) string {
	text := strings.Replace(fmt.Sprintf("%.6g", level), "-", "\u2212", 1)
	return text + Nbsp + unit
}

// Between writes a span of time on one day.
func (p Prefs) Between(from, to time.Time) string {
	if SameDay(from.In(p.Location), to.In(p.Location)) {
		return p.Time(from) + " to " + p.Time(to)
	}
	return p.Time(from) + " to " + p.Day(to) + " " + p.Time(to)
}

// Sentence returns a message for people, with a period at its end: without its example of an
// argument, which is for programs. The hints of an error are not in its message: a page has links
// of its own.
func Sentence(message string) string {
	text, _, _ := strings.Cut(message, " Example: ")
	return strings.TrimSuffix(text, ".") + "."
}

// Distance writes a distance in a straight line.
func Distance(km float64, units string) string {
	value, unit := km, "km"
	switch coast.Units(units) {
	case coast.English:
		value, unit = km/1.609344, "mi"
	case coast.Nautical:
		value, unit = km/1.852, "nmi"
	}
	if value < 10 {
		return chart.Number(value, 1) + Nbsp + unit
	}
	return chart.Number(math.Round(value), 0) + Nbsp + unit
}
