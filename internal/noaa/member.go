package noaa

import (
	"bytes"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// scalar returns a member's text without surrounding spaces, or its number as written; empty if
// there is none.
func (r *record) scalar(names ...string) []byte {
	raw := r.raw(names...)
	switch {
	case raw == nil:
		return nil
	case raw[0] == '"':
		return bytes.TrimSpace(characters(raw))
	case raw[0] == '{', raw[0] == '[', !r.loose && (raw[0] == 't' || raw[0] == 'f'):
		r.unknown("%s is neither text nor number", names[0])
		return nil
	}
	return raw
}

// text returns a scalar as a string.
func (r *record) text(names ...string) string { return string(r.scalar(names...)) }

// requiredText returns a text; its absence is a fault.
func (r *record) requiredText(names ...string) string {
	text := r.text(names...)
	if text == "" {
		r.missing(names)
	}
	return text
}

// sharedText returns a text that is the same in most rows: equal texts of consecutive rows share
// memory.
func (r *record) sharedText(name string) string {
	if text := r.scalar(name); string(text) != r.shared {
		r.shared = string(text)
	}
	return r.shared
}

// oneOf returns a text that must be one of those allowed.
func (r *record) oneOf(name string, allowed ...string) string {
	text := r.scalar(name)
	for _, a := range allowed {
		if string(text) == a {
			return a
		}
	}
	r.unknown("%s is %.20q", name, text)
	return ""
}

// largest exceeds all measured values, and can be converted into other units without overflow.
const largest = 1e15

// number returns a member's number, or nil without one. In a row of the data service, NaN is no
// value; in documents, whose values belong together, it is a fault.
func (r *record) number(names ...string) *float64 {
	text := r.scalar(names...)
	if len(text) == 0 || !r.loose && bytes.EqualFold(bytes.TrimLeft(text, "+-"), []byte("nan")) {
		return nil
	}
	x, ok := decimal(text)
	if !ok || math.Abs(x) > largest {
		r.unknown("%s is %.20q, not a number", names[0], text)
		return nil
	}
	return r.pointer(x)
}

// pointer returns a pointer to x in a block of many numbers. Separate allocations would be 15,000
// for a month.
func (w *decoding) pointer(x float64) *float64 {
	if len(w.values) == cap(w.values) {
		w.values = make([]float64, 0, min(max(8, 2*cap(w.values)), 512))
	}
	w.values = append(w.values, x)
	return &w.values[len(w.values)-1]
}

// value returns a number whose member may be empty but not absent.
func (r *record) value(name string) *float64 {
	r.need(name)
	return r.number(name)
}

// required returns a number; its absence is a fault.
func (r *record) required(names ...string) float64 {
	if x := r.number(names...); x != nil {
		return *x
	}
	r.missing(names)
	return 0
}

// integer returns a member's integer, nil if there is none.
func (r *record) integer(names ...string) *int {
	x := r.number(names...)
	if x == nil {
		return nil
	}
	n := int(max(-1e9, min(*x, 1e9)))
	if float64(n) != *x {
		r.unknown("%s is %v, not an integer", names[0], *x)
		return nil
	}
	return &n
}

// requiredInt returns an integer; its absence is a fault.
func (r *record) requiredInt(names ...string) int {
	if n := r.integer(names...); n != nil {
		return *n
	}
	r.missing(names)
	return 0
}

// flag returns a member's boolean, nil if there is none.
func (r *record) flag(names ...string) *bool {
	text := r.text(names...)
	yes := false
	switch strings.ToLower(text) {
	case "":
		return nil
	case "true", "1", "1.0", "yes":
		yes = true
	case "false", "0", "0.0", "no":
	default:
		r.unknown("%s is %.20q, neither yes nor no", names[0], text)
		return nil
	}
	return &yes
}

// isSet reports whether a flag is true; an empty one is not.
func (r *record) isSet(names ...string) bool {
	yes := r.flag(names...)
	return yes != nil && *yes
}

// instant returns a required minute in UTC, yyyy-mm-dd hh:mm.
func (r *record) instant(name string) time.Time { return required(r, name, "time", instant) }

// date returns a required day, yyyy-mm-dd or yyyymmdd.
func (r *record) date(name string) time.Time { return required(r, name, "day", date) }

// clock returns a required time of day, hh:mm.
func (r *record) clock(name string) time.Duration { return required(r, name, "time of day", clock) }

// required parses a required member; what names the expected kind of value.
func required[T any](r *record, name, what string, read func([]byte) (T, bool)) T {
	text := r.scalar(name)
	v, ok := read(text)
	if !ok {
		r.unknown("%s is %.20q, not a %s", name, text, what)
	}
	return v
}

// moment returns a member's day and time, nil if there is none. The services do not give its zone;
// it is taken as UTC.
func (r *record) moment(names ...string) *time.Time {
	return r.parse(names, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02")
}

// day returns a member's day at 00:00 UTC, nil if there is none.
func (r *record) day(names ...string) *time.Time {
	return r.parse(names, "1/2/2006", "2006-01-02", "20060102")
}

// isoDay returns a member's day as yyyy-mm-dd, empty if there is none.
func (r *record) isoDay(names ...string) string {
	if t := r.day(names...); t != nil {
		return t.Format(time.DateOnly)
	}
	return ""
}

// requiredDay returns a member's day; its absence is a fault.
func (r *record) requiredDay(names ...string) time.Time {
	if t := r.day(names...); t != nil {
		return *t
	}
	r.missing(names)
	return time.Time{}
}

func (r *record) parse(names []string, layouts ...string) *time.Time {
	text := r.text(names...)
	if text == "" {
		return nil
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return &t
		}
	}
	r.unknown("%s is %.20q, not a day", names[0], text)
	return nil
}

// texts returns the texts of a list without empty ones.
func (r *record) texts(name string) (out []string) {
	element := &record{decoding: r.decoding}
	r.elements(name, func(dec *jsontext.Decoder, text []byte) error {
		value, err := next(dec, text)
		element.fields = append(element.fields[:0], field{[]byte(name), value})
		if t := element.text(name); err == nil && t != "" {
			out = append(out, t)
		}
		return err
	})
	return out
}

// forStation reports whether an object is about a station, or does not name one: a service that
// ignores the parameter returns the rows of all stations.
func (r *record) forStation(station string) bool {
	id := r.text("stationId", "stnId")
	return id == "" || station == "" || strings.EqualFold(id, station)
}

// factor returns the factor from the unit that a member names to ours. If the member is empty,
// the response is in the unit of the request, whose factor is asked.
func (r *record) factor(units map[string]float64, asked float64, names ...string) float64 {
	name := r.text(names...)
	if name == "" {
		return asked
	}
	f, ok := units[strings.ToLower(name)]
	if !ok {
		r.unknown("%s is %.40q, an unknown unit", names[0], name)
	}
	return f
}

// missing records the fault that a required member is empty or absent.
func (r *record) missing(names []string) {
	if r.has(names...) {
		r.unknown("%s is empty", names[0])
	} else {
		r.unknown("no %s", strings.Join(names, " nor "))
	}
}
