package operation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/render"
	"leadline/internal/words"
)

// TextRows limits the rows in the text of a result: one day of values every 15 minutes.
// Further rows are seldom read and cost tokens; the structured form includes them.
const TextRows = 96

// framed is a result with a coast.Frame or a coast.Provenance: all results except decisions.
type framed interface{ Context() coast.Frame }

// thinned is a span of observations. Thinned returns it with fewer rows if it is long.
type thinned interface{ Thinned() any }

// Answer returns what the output says: a sentence, at most 96 rows, and its provenance with all
// notes.
func (r Result) Answer() *render.Answer { return r.answer(func(string) bool { return false }) }

// answer returns the answer without the notes for which omit returns true.
func (r Result) answer(omit func(note string) bool) *render.Answer {
	value := r.Value
	if long, ok := value.(thinned); ok {
		value = long.Thinned()
	}
	if p, ok := value.(paged); ok && p.Len() > TextRows {
		value = p.First(TextRows)
	}
	a := &render.Answer{}
	value.(described).Describe(a)
	if r.curve != "" {
		a.Gap()
		a.Line("%s", r.curve)
	}
	if p, ok := value.(interface{ WriteNext(*render.Answer) }); ok {
		p.WriteNext(a)
	}
	if f, ok := value.(framed); ok {
		frame := f.Context()
		frame.Notes = slices.DeleteFunc(slices.Clone(frame.Notes), omit)
		Footer(a, frame)
		if r.Sources {
			a.Member("sources", frame.Sources)
		}
	}
	if links := r.Links(); links != nil {
		a.Member("links", links)
	}
	return a
}

// WriteNext explains how to request the remaining rows. The type Page must not have a method
// Describe: results that embed it would lose the text of their fields.
func (p Page) WriteNext(a *render.Answer) {
	if !p.Truncated {
		return
	}
	a.Gap()
	a.Member("total", p.Total)
	a.Write(Join(" ", fmt.Sprintf("These are the first of %d rows.", p.Total), NextPage(p.Next)))
	if len(p.Next) > 0 {
		a.Member("next", p.Next)
	}
}

// WriteOffset explains how to request the rows from an offset on.
func WriteOffset(a *render.Answer, offset int) {
	next := map[string]any{"offset": offset}
	a.Gap()
	a.Write(NextPage(next))
	a.Member("next", next)
}

// NextPage returns a sentence with the arguments of the next page.
func NextPage(args map[string]any) string {
	if len(args) == 0 {
		return ""
	}
	next, _ := json.Marshal(args) // maps of plain values: cannot fail
	return "Next page: " + string(next)
}

// StationName returns the name of a station for the beginning of a sentence: Boston, MA
// (8443970).
func StationName(s *coast.Station) string { return render.Escape(StationTitle(s)) }

// StationTitle returns the same as plain text.
func StationTitle(s *coast.Station) string {
	return words.WithState(coast.Clip(s.Name), s.State) + " (" + s.ID + ")"
}

// NameOf returns the name of a station for a list: 8443970 Boston, MA.
func NameOf(id, name, state string) string {
	return render.Escape(id + " " + words.WithState(name, state))
}

// Compass names a direction by one of sixteen points.
func Compass(degrees float64) string {
	names := strings.Fields("N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW")
	return names[int(math.Round(degrees/22.5))&15]
}

// Position returns coordinates to about 10 m: 42.3539, -71.0503.
func Position(latitude, longitude float64) string {
	return render.Short(latitude, 4) + ", " + render.Short(longitude, 4)
}

// Join joins the texts that are not empty with a separator.
func Join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// Plural returns a count and its noun: 1 station, 2 stations.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Stale returns the age of an observation that is not fresh, as text that follows its time.
func Stale(f coast.Frame) string {
	for _, s := range f.Sources {
		if age := s.AgeMinutes; s.Kind == coast.Observation && s.Freshness == coast.Stale && age != nil {
			return " (stale: " + render.Age(*age) + ")"
		}
	}
	return ""
}

// Footer writes what a reader must know about the rows: missing inputs, notes and provenance.
func Footer(a *render.Answer, f coast.Frame) {
	a.Gap()
	var missing []string
	for i, m := range f.Missing {
		reasoned := func(o coast.Missing) bool { return o.Reason == m.Reason }
		if slices.ContainsFunc(f.Missing[:i], reasoned) {
			continue
		}
		var inputs []string
		for _, o := range f.Missing[i:] {
			if reasoned(o) {
				inputs = append(inputs, render.Escape(o.Input))
			}
		}
		reason := LocalTimes(strings.TrimSuffix(render.Escape(m.Reason), "."))
		missing = append(missing, fmt.Sprintf("%s (%s)", strings.Join(inputs, ", "), reason))
		a.Write("Missing: " + missing[len(missing)-1] + ".")
	}
	var notes []string
	for _, note := range f.Notes {
		notes = append(notes, LocalTimes(render.Escape(note)))
		a.Write("Note: " + notes[len(notes)-1])
	}
	if len(missing) > 0 {
		a.Member("missing", missing)
	}
	if len(notes) > 0 {
		a.Member("notes", notes)
	}
	attribute(a, f)
}

// attribute writes the sources of a result, and what its heights and times refer to.
func attribute(a *render.Answer, f coast.Frame) {
	names := sourceNames(f)
	parts := slices.Clone(names)
	if f.Station != nil {
		a.Member("station", f.Station.ID)
		a.Member("name", words.WithState(coast.Clip(f.Station.Name), f.Station.State))
	}
	if f.Datum != "" {
		parts = append(parts, datumName(f))
		a.Member("datum", string(f.Datum))
	}
	if f.DatumEpoch != "" {
		a.Member("datumEpoch", f.DatumEpoch)
	}
	if f.TimeZone != "" {
		parts = append(parts, f.TimeZone)
		a.Member("timeZone", f.TimeZone)
	}
	if len(parts) == 0 {
		return
	}
	age := string(freshness(f.Sources))
	a.Write("Source: " + Join("; ", strings.Join(parts, ", "), age))
	a.Member("source", Join("; ", strings.Join(names, ", "), age))
}

// freshness returns the worst freshness of the available sources; "" if there are none. Unknown is
// worse than fresh, except of names and other calculations without a time next to dated sources.
func freshness(sources []coast.Source) (worst coast.Freshness) {
	order := []coast.Freshness{"", coast.Fresh, coast.Aging, coast.Unknown, coast.Stale}
	undated := coast.Freshness("")
	for _, s := range sources {
		switch {
		case !s.Available:
		case s.Freshness == coast.Unknown && s.Kind == coast.Calculation:
			undated = s.Freshness
		case slices.Index(order, s.Freshness) > slices.Index(order, worst):
			worst = s.Freshness
		}
	}
	if worst == "" {
		return undated
	}
	return worst
}

var rfc3339 = coast.Pattern(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)`)

// LocalTimes formats the times in a text for people: 2026-06-09 23:53 (UTC+01:00).
func LocalTimes(text string) string {
	if strings.Count(text, ":") < 2 { // most notes have no time: skip the regular expression
		return text
	}
	return rfc3339().ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return s
		}
		zone := at.Format("-07:00")
		if zone == "+00:00" {
			zone = ""
		}
		return at.Round(time.Minute).Format("2006-01-02 15:04") + " (UTC" + zone + ")"
	})
}

// datumName returns the unit and the datum of heights: feet above MLLW (epoch 1983-2001).
func datumName(f coast.Frame) string {
	name := "above " + string(f.Datum)
	switch {
	case f.Units.Meters():
		name = "meters " + name
	case f.Units != "":
		name = "feet " + name
	}
	if f.DatumEpoch != "" {
		name += " (epoch " + f.DatumEpoch + ")"
	}
	return name
}

// sourceNames returns the available sources. Consecutive sources of the same provider name it only
// once, and those with the same time have it after the last.
func sourceNames(f coast.Frame) []string {
	zone := zoneOf(f)
	unavailable := func(s coast.Source) bool { return !s.Available }
	sources := slices.DeleteFunc(slices.Clone(f.Sources), unavailable)
	var names []string
	var provider coast.Provider
	for i, s := range sources {
		if i+1 < len(sources) && sameTime(s, sources[i+1]) {
			s.SourceAt = nil
		}
		name := sourceName(s, zone)
		if s.Provider != provider {
			name = string(s.Provider) + " " + name
		}
		provider = s.Provider
		names = append(names, name)
	}
	return names
}

// zoneOf returns the zone of a result, nil without one or for a fixed offset that is not in the
// database.
func zoneOf(f coast.Frame) *time.Location {
	zone, err := time.LoadLocation(f.TimeZone)
	if err != nil || f.TimeZone == "" {
		return nil
	}
	return zone
}

// sameTime reports whether two sources are of one kind, provider and time.
func sameTime(a, b coast.Source) bool {
	return a.Kind == b.Kind && a.Provider == b.Provider && a.SourceAt != nil && b.SourceAt != nil &&
		a.SourceAt.Equal(*b.SourceAt)
}

// sourceName returns the subject of a source, the date of constants, the time of observations and
// forecasts, and the age of data that is not fresh: tide prediction (constants of 2026-09-24).
// Times are in the zone, which the line of sources names, or in UTC if it is nil.
func sourceName(s coast.Source, zone *time.Location) string {
	var details []string
	switch {
	case s.SourceAt == nil:
	case s.Kind == coast.Prediction:
		details = append(details, "constants of "+s.SourceAt.Format(time.DateOnly))
	case s.Kind != coast.Calculation && zone == nil:
		details = append(details, s.SourceAt.UTC().Format("2006-01-02 15:04 UTC"))
	case s.Kind != coast.Calculation:
		details = append(details, s.SourceAt.In(zone).Format("2006-01-02 15:04"))
	}
	if s.Freshness == coast.Stale || s.Freshness == coast.Aging {
		details = append(details, string(s.Freshness))
		if s.AgeMinutes != nil && s.Kind != coast.Prediction {
			details = append(details, render.Age(*s.AgeMinutes))
		}
	}
	if s.Freshness == coast.Unknown && s.Kind != coast.Calculation {
		details = append(details, "age unknown")
	}
	name := strings.ReplaceAll(s.ID, "-", " ")
	if len(details) > 0 {
		name += " (" + strings.Join(details, ", ") + ")"
	}
	return name
}
