package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/render"
)

// textRows is the number of rows that the text of a result has at most: a day of values every
// 15 minutes. More are seldom read, and cost tokens; the structured form has them.
const textRows = 96

// A described result writes the body of its text itself: a sentence that answers the question,
// then rows.
type described interface{ describe(t *render.Text) }

// framed is every result: all embed a coast.Frame or a coast.Provenance.
type framed interface{ Context() coast.Frame }

// Text returns the output as text for people and models, or as JSON if the caller requested it.
// The text has a sentence, at most 96 rows, and one line of provenance; Structured has every fact.
func (r Result) Text() ([]byte, error) {
	if r.JSON {
		return r.Structured()
	}
	value := r.Value
	if p, ok := value.(paged); ok && p.rows() > textRows {
		value = p.head(textRows)
	}
	var t render.Text
	if own, ok := value.(described); ok {
		own.describe(&t)
	} else {
		r.fields(&t, value)
	}
	if p, ok := value.(interface{ writeNext(*render.Text) }); ok {
		p.writeNext(&t)
	}
	if f, ok := value.(framed); ok {
		footer(&t, f.Context())
	}
	return t.Bytes(), nil
}

// writeNext writes how to request the rest of the rows. Results that embed a page must not get
// a method describe from it: they would lose the text of their fields.
func (p page) writeNext(t *render.Text) {
	if !p.Truncated {
		return
	}
	next, _ := json.Marshal(p.Next) // maps of plain values: cannot fail
	t.Gap()
	t.Line("These are the first of %d rows. The next page: %s", p.Total, next)
}

// frameFields are the fields that the first and the last lines of a text show.
var frameFields = []string{
	"station", "datum", "datumEpoch", "units", "timeZone", "sources", "missing", "notes", "quoted",
	"truncated", "total", "next",
}

// fields writes a result that does not describe itself: its station, then all fields.
func (r Result) fields(t *render.Text, value any) {
	if f, ok := value.(framed); ok && f.Context().Station != nil {
		t.Line("%s", stationName(f.Context().Station))
	}
	layout := r.layout
	if layout == nil {
		layout = render.Of(reflect.TypeOf(value))
	}
	t.Body(layout, value, frameFields...)
}

// stationName returns the name of a station as sentences begin: Boston, MA (8443970).
func stationName(s *coast.Station) string {
	name := render.Escape(s.Name)
	if s.State != "" && !strings.HasSuffix(name, ", "+s.State) {
		name += ", " + s.State
	}
	return name + " (" + s.ID + ")"
}

// footer writes what a reader must know about the rows: what is missing, notes, and the
// provenance.
func footer(t *render.Text, f coast.Frame) {
	t.Gap()
	for _, m := range f.Missing {
		reason := strings.TrimSuffix(render.Escape(m.Reason), ".")
		t.Line("Missing: %s (%s).", render.Escape(m.Input), reason)
	}
	for _, note := range f.Notes {
		t.Line("Note: %s", render.Escape(note))
	}
	if line := provenance(f); line != "" {
		t.Line("Source: %s", line)
	}
}

// provenance returns the sources of a result, and what its numbers refer to, on one line.
func provenance(f coast.Frame) string {
	var parts []string
	for _, s := range f.Sources {
		if name := sourceName(s); s.Available && !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	if f.Datum != "" && f.DatumEpoch != "" {
		parts = append(parts, f.Datum+" epoch "+f.DatumEpoch)
	}
	if f.Units != "" {
		parts = append(parts, f.Units+" units")
	}
	if f.TimeZone != "" {
		parts = append(parts, f.TimeZone)
	}
	return strings.Join(parts, ", ")
}

// sourceName returns the provider of a source, its kind, and the time of its data: NOAA CO-OPS
// predictions (constants of 2026-09-24).
func sourceName(s coast.Source) string {
	product := strings.ReplaceAll(s.ID, "-", " ")
	var details []string
	switch {
	case s.SourceAt == nil:
	case s.Kind == coast.Prediction:
		details = append(details, "constants of "+s.SourceAt.Format("2006-01-02"))
	case s.Kind != coast.Calculation:
		details = append(details, s.SourceAt.Format("2006-01-02 15:04 MST"))
	}
	if s.Freshness == coast.Stale || s.Freshness == coast.Aging {
		details = append(details, string(s.Freshness))
	}
	name := s.Provider + " " + product
	if len(details) > 0 {
		name += " (" + strings.Join(details, ", ") + ")"
	}
	return name
}
