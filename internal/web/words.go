package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"leadline/internal/chart"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// clock writes the time of day.
func (p prefs) clock(t time.Time) string {
	if p.Clock == "24" {
		return t.In(p.zone).Format("15:04")
	}
	return t.In(p.zone).Format("3:04" + nbsp + "PM")
}

// day writes a day: Sat 21 Nov.
func (p prefs) day(t time.Time) string { return t.In(p.zone).Format("Mon 2 Jan") }

// when writes a time, with its day unless that is today.
func (p prefs) when(t time.Time) string {
	if sameDay(t.In(p.zone), p.now.In(p.zone)) {
		return p.clock(t)
	}
	return p.day(t) + " " + p.clock(t)
}

// instant returns an element with a text about a time, and the time for programs.
func instant(t time.Time, text string) template.HTML {
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `">` +
		template.HTMLEscapeString(text) + `</time>`)
}

func sameDay(a, b time.Time) bool {
	y1, m1, d1 := a.Date()
	y2, m2, d2 := b.Date()
	return y1 == y2 && m1 == m2 && d1 == d2
}

// ago writes the age of a fact.
func ago(minutes int) string {
	switch {
	case minutes < 1:
		return "just now"
	case minutes < 60:
		return plural(minutes, "min") + " ago"
	case minutes < 48*60:
		return plural(minutes/60, "h") + " ago"
	}
	return plural(minutes/60/24, "day") + " ago"
}

// in writes the time until an event.
func in(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case minutes < 1:
		return "now"
	case minutes < 60:
		return fmt.Sprintf("in %d%smin", minutes, nbsp)
	case minutes < 24*60:
		return fmt.Sprintf("in %d%sh %d%smin", minutes/60, nbsp, minutes%60, nbsp)
	}
	return "in " + plural(minutes/60/24, "day")
}

// plural writes a count with its noun. Abbreviated units have no plural.
func plural(n int, noun string) string {
	if n != 1 && noun != "min" && noun != "h" {
		noun += "s"
	}
	return chart.Thousands(n) + nbsp + noun
}

// compass names a direction by one of sixteen points.
func compass(degrees float64) string {
	names := strings.Fields("N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW")
	return names[int(math.Round(degrees/22.5))&15]
}

// position writes coordinates: 42.354° N, 71.050° W.
func position(latitude, longitude float64) string {
	side := func(v float64, positive, negative string) string {
		if v < 0 {
			return fmt.Sprintf("%.3f°%s%s", -v, nbsp, negative)
		}
		return fmt.Sprintf("%.3f°%s%s", v, nbsp, positive)
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

// spaced writes the name of a fact in words.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// capital writes a text with its first letter in upper case.
func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
