package noaa

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
)

// The metadata and derived-product services write small documents whose forms
// differ more than their contents: a number is a number here and a string
// there, nothing is null, "" or "null", and one key has several spellings.
// A record reads all of them alike, and nothing else: a value that is neither
// of the kind asked for nor nothing is a fault.

// wire is a body being read. It keeps the first fault: a form that is not
// known.
type wire struct{ err error }

func (w *wire) unknown(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("unknown form: "+format, args...)
	}
}

// record is one object of a body.
type record struct {
	*wire
	fields []field
	null   bool // null stands in the object's place: there is nothing
}

// field is one member of an object: its key and its value as it is written.
type field struct{ key, raw []byte }

// openRecord reads a body, which is one object or null.
func openRecord(body []byte) *record {
	r := &record{wire: new(wire)}
	s := &scanner{text: body}
	if s.space() == 'n' {
		s.scalar()
		r.null = true
	} else {
		r.read(s)
	}
	if err := s.end(); err != nil {
		r.unknown("%w", err)
		r.fields = nil // the last one may be half a value
	}
	return r
}

// read takes the next object of a text in place of the fields at hand.
func (r *record) read(s *scanner) {
	r.fields = r.fields[:0]
	s.object(func(key []byte) {
		s.space()
		start := s.at
		s.scalar()
		r.fields = append(r.fields, field{key, s.text[start:s.at]})
	})
}

// raw is the first of some members that holds anything, nil where none does.
func (r *record) raw(names ...string) []byte {
	for _, name := range names {
		// From the back: of equal keys the last counts.
		for i := len(r.fields) - 1; i >= 0; i-- {
			if f := r.fields[i]; sameKey(f.key, name) {
				if !empty(f.raw) {
					return f.raw
				}
				break
			}
		}
	}
	return nil
}

// has says whether there is such a member at all, be it empty.
func (r *record) has(names ...string) bool {
	for _, f := range r.fields {
		for _, name := range names {
			if sameKey(f.key, name) {
				return true
			}
		}
	}
	return false
}

// need notes a fault if there is no such member: an object in another form
// than the one that is known would read as one without values.
func (r *record) need(names ...string) {
	if !r.null && !r.has(names...) {
		r.unknown("no %s", strings.Join(names, " nor "))
	}
}

// of says whether an object is about a station: services that overlook the
// parameter answer with the rows of all. One that names none is.
func (r *record) of(station string) bool {
	id := r.text("stationId", "stnId")
	return id == "" || station == "" || strings.EqualFold(id, station)
}

// sameKey compares keys without regard to case and underscores.
func sameKey(key []byte, name string) bool {
	i, j := 0, 0
	for {
		for i < len(key) && key[i] == '_' {
			i++
		}
		for j < len(name) && name[j] == '_' {
			j++
		}
		if i == len(key) || j == len(name) {
			return i == len(key) && j == len(name)
		}
		if lower(key[i]) != lower(name[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// empty says whether a value is one of the ways to write that there is none.
func empty(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw) == "null"
	}
	inner := bytes.TrimSpace(raw[1 : len(raw)-1])
	return len(inner) == 0 || string(inner) == "null"
}

// text is a member's text without the spaces around it, or its number as it
// is written; empty where there is none.
func (r *record) text(names ...string) string {
	raw := r.raw(names...)
	if raw == nil {
		return ""
	}
	switch raw[0] {
	case '"':
		return string(bytes.TrimSpace((&scanner{text: raw}).quoted()))
	case '{', '[':
		r.unknown("%s is no text", names[0])
		return ""
	}
	return string(raw)
}

// certainText is a text that must be there.
func (r *record) certainText(names ...string) string {
	text := r.text(names...)
	if text == "" {
		r.unknown("no %s", names[0])
	}
	return text
}

// largest is beyond all that is measured, and small enough that a number can
// be converted into another unit.
const largest = 1e15

// number is a member's number, nil where there is none.
func (r *record) number(names ...string) *float64 {
	text := r.text(names...)
	if text == "" {
		return nil
	}
	x, ok := decimal([]byte(text))
	if !ok || math.Abs(x) > largest {
		r.unknown("%s is %.20q, no number", names[0], text)
		return nil
	}
	return &x
}

// certain is a number that must be there.
func (r *record) certain(names ...string) float64 {
	if x := r.number(names...); x != nil {
		return *x
	}
	r.unknown("no %s", names[0])
	return 0
}

// whole is a member's whole number, nil where there is none.
func (r *record) whole(names ...string) *int {
	x := r.number(names...)
	if x == nil {
		return nil
	}
	n := int(max(-1e9, min(*x, 1e9)))
	if float64(n) != *x {
		r.unknown("%s is %v, no whole number", names[0], *x)
		return nil
	}
	return &n
}

// certainWhole is a whole number that must be there.
func (r *record) certainWhole(names ...string) int {
	if n := r.whole(names...); n != nil {
		return *n
	}
	r.unknown("no %s", names[0])
	return 0
}

// flag is a member's yes or no, nil where it says neither.
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

// isSet is a flag that is no where it is not told.
func (r *record) isSet(names ...string) bool {
	yes := r.flag(names...)
	return yes != nil && *yes
}

// moment is a member's day and time, nil where there is none. Which zone it
// is in, the services do not say; it is taken as UTC.
func (r *record) moment(names ...string) *time.Time {
	return r.parse(names, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02")
}

// day is a member's day at 00:00 UTC, nil where there is none.
func (r *record) day(names ...string) *time.Time {
	return r.parse(names, "1/2/2006", "2006-01-02", "20060102")
}

// isoDay is a member's day as yyyy-mm-dd, empty where there is none.
func (r *record) isoDay(names ...string) string {
	if t := r.day(names...); t != nil {
		return t.Format(time.DateOnly)
	}
	return ""
}

// certainDay is a day that must be there.
func (r *record) certainDay(names ...string) time.Time {
	if t := r.day(names...); t != nil {
		return *t
	}
	r.unknown("no %s", names[0])
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
	r.unknown("%s is %.20q, no day", names[0], text)
	return nil
}

// each hands the objects of a list to add, one after the other in the same
// record: what add keeps of it, it copies. It says whether there is a list.
func (r *record) each(name string, add func(row *record)) bool {
	raw := r.raw(name)
	if raw == nil {
		return false
	}
	if raw[0] != '[' {
		r.unknown("%s is no list", name)
		return false
	}
	s, row := &scanner{text: raw}, &record{wire: r.wire}
	s.array(func() {
		if s.space() != '{' {
			r.unknown("%s has a row that is no object", name)
			s.scalar()
			return
		}
		if row.read(s); s.err == nil && r.err == nil {
			add(row)
		}
	})
	return true
}

// texts is a list of texts; empty ones are left out.
func (r *record) texts(name string) []string {
	raw := r.raw(name)
	if raw == nil {
		return nil
	}
	if raw[0] != '[' {
		r.unknown("%s is no list", name)
		return nil
	}
	var out []string
	s, element := &scanner{text: raw}, &record{wire: r.wire}
	s.array(func() {
		s.space()
		start := s.at
		s.scalar()
		element.fields = append(element.fields[:0], field{[]byte(name), s.text[start:s.at]})
		if t := element.text(name); t != "" {
			out = append(out, t)
		}
	})
	return out
}

// object is a member that is an object itself; nil where there is none.
func (r *record) object(name string) *record {
	raw := r.raw(name)
	if raw == nil {
		return nil
	}
	if raw[0] != '{' {
		r.unknown("%s is no object", name)
		return nil
	}
	inner := &record{wire: r.wire}
	inner.read(&scanner{text: raw})
	return inner
}

// feet is the length of the international foot in metres.
const feet = 0.3048

// lengths are the units of length that bodies name, in metres.
var lengths = map[string]float64{
	"meters": 1, "meter": 1, "m": 1, "metric": 1,
	"feet": feet, "foot": feet, "ft": feet, "english": feet,
}

// factor is what one of the unit that a member names is in ours; asked where
// it names none: the questions say in which unit they want the answer.
func (r *record) factor(units map[string]float64, asked float64, names ...string) float64 {
	name := r.text(names...)
	if name == "" {
		return asked
	}
	f, ok := units[strings.ToLower(name)]
	if !ok {
		r.unknown("%s is %.40q, a unit that is not known", names[0], name)
	}
	return f
}

// scaled multiplies what is there.
func scaled(x *float64, factor float64) *float64 {
	if x == nil {
		return nil
	}
	y := *x * factor
	return &y
}
