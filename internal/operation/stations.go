package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
	"leadline/internal/words"
)

// mostStations limits the stations of one call. Ours: the rows of six fit on a screen.
const mostStations = 6

// Row is the result of a station among those of others.
type Row struct {
	ID, Name string        // the name with its state
	What     string        // what the cells are: predicted next high and low water
	Columns  []string      // names of the cells with their units, the same in all rows
	Cells    []render.Cell // without station and name
	Missing  string        // why there are no cells
}

// RowOf returns the row of a station.
func RowOf(s *coast.Station, what string) Row {
	return Row{ID: s.ID, Name: words.WithState(coast.Clip(s.Name), s.State), What: what}
}

// Add appends a cell.
func (r *Row) Add(column string, c render.Cell) {
	r.Columns, r.Cells = append(r.Columns, column), append(r.Cells, c)
}

// AddDay appends a day of events, which are texts that end with their times.
func (r *Row) AddDay(column string, span coast.Span, events []string) error {
	if span.To.Sub(span.From) > longestDay {
		e := coast.Errorf(coast.RangeTooLong, `With stations, a span has at most one day. Example: `+
			`"date": "tomorrow".`)
		e.Issues = []coast.Issue{{Path: "stations", Code: "range_too_long", Message: e.Message}}
		return e
	}
	r.Add("from", render.Word(render.Day(span.From)).As(", %s"))
	r.Add(column, render.Word(strings.Join(events, "; ")).As(": %s"))
	return nil
}

// longestDay is a day on which the clocks go back.
const longestDay = 25 * time.Hour

// EventTime returns the time of an event in a span, with the weekday if it is after the first day.
func EventTime(at time.Time, span coast.Span) string {
	text := at.Format("15:04 ") + render.Zone(at)
	if at.YearDay() != span.From.YearDay() {
		text += at.Format(" Mon")
	}
	return text
}

// rowed is a result that can be a row. An error refuses the whole call, since it is about arguments
// that all stations have.
type rowed interface {
	framed
	Row() (Row, error)
}

// ofStations is the argument of a call about several stations.
type ofStations struct {
	Stations []string `json:"stations,omitempty" doc:"Up to six ids."`
}

// listingInput is the input of a tool whose schema has stations.
type listingInput[In any] struct {
	pictureInput[In]
	ofStations
}

// SeveralListed is Several, and names the argument in the schema of a tool with pictures.
func SeveralListed[In any](t Tool) Tool {
	t.Input = inputOf[listingInput[In]]().json
	return Several(t)
}

// Several returns t as a tool that takes several stations, too: stations in place of station. Its
// results, which are rowed, are then one row each, from the call of the station alone. A station
// that fails is missing; if all fail, the error is that of the first.
func Several(t Tool) Tool {
	one := t.call
	t.call = func(ctx context.Context, args []byte) (Result, error) {
		ids, args, err := withoutStations(args)
		if err != nil {
			return Result{}, err
		}
		if len(ids) == 0 {
			return one(ctx, args)
		}
		all := make([]ofStation, len(ids))
		calls := make([]func(), len(ids))
		for i, id := range ids {
			calls[i] = func() { all[i] = callFor(ctx, one, args, id) }
		}
		if t.Live {
			facts.Concurrently(calls...)
		} else {
			for _, call := range calls {
				call()
			}
		}
		return several(all)
	}
	return t
}

// shared lists the arguments that calls about several stations may have.
var shared = []string{"begin_date", "date", "datum", "end_date", "hours", "range",
	"response_format", "time_zone", "units", "view"}

// withoutStations takes the argument stations out of the arguments of a tool.
func withoutStations(args []byte) (ids []string, rest []byte, err error) {
	var all map[string]json.RawMessage
	if !bytes.Contains(args, []byte(`"stations"`)) || json.Unmarshal(args, &all) != nil {
		return nil, args, nil
	}
	list, given := all["stations"]
	if !given {
		return nil, args, nil
	}
	delete(all, "stations")
	var in ofStations
	err = inputOf[ofStations]().Decode(fmt.Appendf(nil, `{"stations":%s}`, list), &in)
	for _, id := range in.Stations {
		same := func(other string) bool { return strings.EqualFold(id, other) }
		if !slices.ContainsFunc(ids, same) {
			ids = append(ids, id)
		}
	}
	if err == nil && len(ids) > 0 {
		err = checkShared(ids, all)
	}
	rest, _ = json.Marshal(all) // cannot fail
	return ids, rest, err
}

// checkShared refuses too many stations, and arguments that do not go with several.
func checkShared(ids []string, args map[string]json.RawMessage) error {
	if len(ids) > mostStations {
		return facts.Invalid("stations", "maxItems",
			`stations takes at most %d stations, not %d. Call again for the others. Example: `+
				`"stations": ["8443970", "8447930"].`, mostStations, len(ids))
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		switch {
		case string(args[name]) == "null":
			delete(args, name)
		case slices.Contains(shared, name):
		case name == "station" || name == "place":
			return facts.Invalid("stations", "place", `give stations, station or place, not two of them. `+
				`Example: "stations": ["8443970", "8447930"].`)
		default:
			return facts.Invalid(coast.Clip(name), "stations", `%s does not go with stations, which have `+
				`one row each and take %s. Leave it out, or name one station. Example: `+
				`"station": "8443970".`, coast.Quote(name), strings.Join(shared, ", "))
		}
	}
	return nil
}

// ofStation is the result of one of several stations: a row, or the error for which it is missing.
type ofStation struct {
	Row
	frame  coast.Frame
	result Result
	err    error
}

// callFor calls a tool for one of several stations.
func callFor(
	ctx context.Context, one func(context.Context, []byte) (Result, error), args []byte, id string,
) (s ofStation) {
	in, _ := json.Marshal(map[string]string{"station": id}) // cannot fail
	if len(args) > len("{}") {
		in = append(append(in[:len(in)-1], ','), args[1:]...)
	}
	s.ID = id
	if s.result, s.err = one(ctx, in); s.err != nil {
		e, _ := coast.AsError(s.err)
		s.Missing = e.Message
	}
	return s
}

// stationRows is the result of several stations.
type stationRows []ofStation

// several returns the rows of stations as a result.
func several(all stationRows) (Result, error) {
	out := Result{Value: all, terse: true}
	failed := 0
	for i := range all {
		s := &all[i]
		if _, known := coast.AsError(s.err); s.err != nil && !known {
			return out, s.err
		}
		if s.err != nil {
			failed++
			continue
		}
		out.JSON, out.Full = s.result.JSON, s.result.Full
		value := s.result.Value.(rowed)
		row, err := value.Row()
		if err != nil {
			return out, err
		}
		s.Row, s.frame = row, value.Context()
		if row.Missing != "" {
			s.frame.Missing = append(slices.Clone(s.frame.Missing),
				coast.Missing{Input: "values", Reason: row.Missing})
		}
	}
	if failed == len(all) {
		return out, all[0].err
	}
	return out, nil
}

// MarshalJSON returns the whole result of each station as that of a call for it alone, or its
// error.
func (s stationRows) MarshalJSON() ([]byte, error) {
	whole := make([]json.RawMessage, len(s))
	for i, o := range s {
		var err error
		if o.err != nil {
			e, _ := coast.AsError(o.err)
			station := map[string]string{"id": o.ID}
			whole[i], err = json.Marshal(map[string]any{"station": station, "error": e})
		} else {
			whole[i], err = o.result.Structured()
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]any{"stations": whole})
}

// differing lists the facts of a frame that rows have where stations differ in them.
var differing = []struct {
	column string
	of     func(coast.Frame) string
}{
	{"datum", func(f coast.Frame) string { return string(f.Datum) }},
	{"datum epoch", func(f coast.Frame) string { return f.DatumEpoch }},
	{"time zone", func(f coast.Frame) string { return f.TimeZone }},
	{"freshness", func(f coast.Frame) string { return string(freshness(f.Sources)) }},
}

// same returns a fact of the frames if all have the same, otherwise "".
func (s stationRows) same(of func(coast.Frame) string) string {
	first := slices.IndexFunc(s, func(o ofStation) bool { return o.err == nil })
	value := of(s[first].frame)
	if slices.ContainsFunc(s, func(o ofStation) bool { return o.err == nil && of(o.frame) != value }) {
		return ""
	}
	return value
}

// Describe writes a row for each station.
func (s stationRows) Describe(t *render.Answer) {
	var first Row // with cells, if there is one
	rows := 0
	for _, o := range s {
		if o.Missing == "" {
			if rows++; rows == 1 {
				first = o.Row
			}
		}
		first.What = cmp.Or(first.What, o.What)
	}
	of := Plural(len(s), "station")
	if rows < len(s) {
		of = fmt.Sprintf("%d of %s; the rest are missing", rows, of)
	}
	t.Line("%s: %s.", strings.ToUpper(first.What[:1])+first.What[1:], of)
	t.Gap()
	columns := append([]string{"station", "name"}, first.Columns...)
	for _, d := range differing {
		columns = append(columns, d.column)
	}
	columns = append(columns, "missing")
	t.Rows(columns, len(s), func(i int) []render.Cell {
		o := s[i]
		cells := make([]render.Cell, len(columns))
		cells[0], cells[1] = render.Word(render.Escape(o.ID)), render.Word(render.Escape(o.Name))
		copy(cells[2:], o.Cells)
		for k, d := range differing {
			if s.same(d.of) == "" {
				cells[2+len(first.Columns)+k] = render.Word(d.of(o.frame)).As(", %s")
			}
		}
		if o.Missing != "" {
			reason := LocalTimes(render.Escape(o.Missing))
			cells[len(cells)-1] = render.Word(reason).As("; missing: %s")
		}
		return cells
	})
}

// Context returns what all rows have in common, and all that is missing.
func (s stationRows) Context() coast.Frame {
	var f coast.Frame
	for _, o := range s {
		if o.err != nil {
			f.Missing = append(f.Missing, coast.Missing{Input: o.ID, Reason: o.Missing})
			continue
		}
		f.Units = o.frame.Units
		for _, source := range o.frame.Sources {
			named := func(other coast.Source) bool {
				return other.Provider == source.Provider &&
					sourceName(other, nil) == sourceName(source, nil)
			}
			if !slices.ContainsFunc(f.Sources, named) {
				f.Sources = append(f.Sources, source)
			}
		}
		for _, m := range o.frame.Missing {
			f.Missing = append(f.Missing, coast.Missing{Input: o.ID + " " + m.Input, Reason: m.Reason})
		}
		for _, note := range o.frame.Notes {
			if note = s.noteOf(o, note); !slices.Contains(f.Notes, note) {
				f.Notes = append(f.Notes, note)
			}
		}
	}
	f.Datum, f.DatumEpoch = coast.Datum(s.same(differing[0].of)), s.same(differing[1].of)
	f.TimeZone = s.same(differing[2].of)
	return f
}

// noteOf returns a note of a station, which it names unless all stations have the note.
func (s stationRows) noteOf(o ofStation, note string) string {
	lacks := func(other ofStation) bool {
		return other.err == nil && !slices.Contains(other.frame.Notes, note)
	}
	if coast.Standing(note) || strings.Contains(note, o.ID) || !slices.ContainsFunc(s, lacks) {
		return note
	}
	return o.ID + ": " + note
}
