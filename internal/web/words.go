package web

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

// zoneOfStation returns the time zone of a station. The directory has only zones that exist.
func zoneOfStation(st *coast.Station) *time.Location {
	zone, err := time.LoadLocation(st.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// zonesText names a zone with its offset at each of some times: "EST (UTC−5), EDT (UTC−4)".
func zonesText(zone *time.Location, at ...time.Time) string {
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

// epochText names the epoch of a datum, if it is known.
func epochText(epoch string) string {
	if epoch == "" || epoch == "unknown" {
		return ""
	}
	return " (epoch " + epoch + ")"
}

// hostOf returns the host of the server, for identifiers.
func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil {
		return u.Hostname()
	}
	return "leadline"
}

// webcal returns the address at which calendar programs subscribe to a file of this server.
func webcal(address string) template.URL {
	_, rest, _ := strings.Cut(address, ":")
	return template.URL("webcal:" + rest)
}

// levelText writes a level without rounding it to the precision of predictions.
func levelText(level float64, unit string) string {
	text := strings.Replace(fmt.Sprintf("%.6g", level), "-", "\u2212", 1)
	return text + nbsp + unit
}

// between writes a span of time on one day.
func (p prefs) between(from, to time.Time) string {
	if sameDay(from.In(p.zone), to.In(p.zone)) {
		return p.clock(from) + " to " + p.clock(to)
	}
	return p.clock(from) + " to " + p.day(to) + " " + p.clock(to)
}
