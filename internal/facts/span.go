package facts

import (
	"context"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// Span holds a caller's arguments of a span: exactly one of date; begin and end; begin and range;
// end and range; range; begin alone (that day); nothing (the operation's own default). If begin
// is a minute and alone, the span has the length of the operation's default.
type Span struct {
	Date  string `json:"date,omitempty" doc:"today, saturday, weekend, tonight, a day, latest (now) or recent (72 h)." example:"today"`
	Begin string `json:"begin_date,omitempty" doc:"Day or minute: 2026-11-20T15:04." example:"2026-11-20"`
	End   string `json:"end_date,omitempty" doc:"Last day or minute; not alone." example:"2026-11-21"`
	Range int    `json:"range,omitempty" doc:"Hours from begin_date, to end_date, or around now." min:"1" max:"87600" example:"48"`
}

// Given lists which of a span's parameters were given.
func (s Span) Given() string {
	var names []string
	for _, p := range []struct {
		name string
		ok   bool
	}{{"date", s.Date != ""}, {"begin_date", s.Begin != ""}, {"end_date", s.End != ""},
		{"range", s.Range != 0}} {
		if p.ok {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, " ")
}

// long is the length of a span from which on its calculation waits for a turn: two months take
// about 10 ms. Ours.
const long = 62 * 24 * time.Hour

// Long reports whether a span lasts over two months.
func (s Span) Long() bool {
	switch {
	case s.Range != 0:
		return time.Duration(s.Range)*time.Hour > long
	case s.Begin == "" || s.End == "":
		return false // at most the usual span of an operation
	}
	now := time.Unix(0, 0) // any: only the length counts
	i, err := s.read(now, Zone{Location: time.UTC}, true, 0)
	return err == nil && i.To.Sub(i.From) > long
}

// resolve returns the span in time, which must lie in the years that can be predicted. If it
// depends on now, it runs forward or back from now.
func (s Span) resolve(now time.Time, z Zone, forward bool, usual time.Duration) (Interval, error) {
	i, err := s.read(now, z, forward, usual)
	if err == nil {
		err = checkYear("begin_date", i.From)
	}
	if err == nil {
		err = checkYear("end_date", i.To)
	}
	return i, err
}

func (s Span) read(now time.Time, z Zone, forward bool, usual time.Duration) (Interval, error) {
	hours := time.Duration(s.Range) * time.Hour
	now = now.In(z.Location)
	switch s.Given() {
	case "":
		return aroundNow(now, usual, forward), nil
	case "range":
		return aroundNow(now, hours, forward), nil
	case "date":
		return s.named(reader{z, now}, usual)
	}
	var begin, end point
	var err error
	if s.Begin != "" {
		if begin, err = (reader{z, now}).read("begin_date", s.Begin); err != nil {
			return Interval{}, err
		}
	}
	if s.End != "" {
		if end, err = (reader{z, now}).read("end_date", s.End); err != nil {
			return Interval{}, err
		}
	}
	notes := append(begin.notes, end.notes...)
	switch s.Given() {
	case "begin_date":
		return begin.alone(usual), nil
	case "begin_date end_date":
		if end.last.Before(begin.first) {
			return Interval{}, InvalidSpan("begin_date", "begin_date %s is after end_date %s. Give the "+
				"earlier one as begin_date.", coast.Quote(s.Begin), coast.Quote(s.End))
		}
		return Interval{begin.first, end.last, notes}, nil
	case "begin_date range":
		return Interval{begin.first, begin.first.Add(hours), notes}, nil
	case "end_date range":
		return Interval{end.last.Add(-hours), end.last, notes}, nil
	case "end_date":
		return Interval{}, InvalidSpan("end_date", `end_date needs begin_date or range. `+
			`Example: "begin_date": "2026-11-20", "end_date": "2026-11-21".`)
	}
	return Interval{}, InvalidSpan(strings.Fields(s.Given())[0],
		`%s together give the span twice. Give one of: date; begin_date and end_date; begin_date and `+
			`range; end_date and range; range; begin_date. `+
			`Example: "begin_date": "2026-11-20", "range": 48.`,
		strings.Join(strings.Fields(s.Given()), ", "))
}

// aroundNow returns the span before or after now. That after now begins with the minute, so that a
// repeated request has the same result within it.
func aroundNow(now time.Time, length time.Duration, forward bool) Interval {
	if forward {
		now = Clock{now}.Minute()
		return Interval{From: now, To: now.Add(length)}
	}
	return Interval{From: now.Add(-length), To: now}
}

// alone returns the span of a day, or the default span that begins at a minute.
func (p point) alone(usual time.Duration) Interval {
	if p.day {
		return Interval{p.first, p.last, p.notes}
	}
	return Interval{p.first, p.first.Add(usual), p.notes}
}

// named resolves date: a word, a day, or a minute.
func (s Span) named(r reader, usual time.Duration) (Interval, error) {
	switch strings.ToLower(s.Date) {
	case "latest":
		return Interval{From: r.now, To: r.now}, nil
	case "recent":
		return Interval{From: r.now.Add(-72 * time.Hour), To: r.now}, nil
	}
	p, err := r.read("date", s.Date)
	if err != nil {
		return Interval{}, Invalid("date", "date", `date must be today, tomorrow, yesterday, a weekday, `+
			`latest, recent or a day such as 2026-11-20, not %s.%s For several days use begin_date and `+
			`end_date.`,
			coast.Quote(s.Date), rightForm(s.Date))
	}
	return p.alone(usual), nil
}

// Forward resolves a span at a station that runs forward from now, and its zone.
func (s Set) Forward(in Span, timeZone string, st stations.Station) (Zone, Interval, error) {
	z, err := s.Zone(st, timeZone)
	if err != nil {
		return z, Interval{}, err
	}
	span, err := in.resolve(s.Now, z, true, 48*time.Hour)
	return z, span, err
}

// Observing returns the station of an observation, its zone, and the span, which runs back
// from now if it depends on now.
func (s Set) Observing(
	ctx context.Context, id string, in Span, timeZone string, usual time.Duration,
) (st stations.Station, z Zone, span Interval, err error) {
	if st, err = s.Gauge(ctx, id); err != nil {
		return st, z, span, err
	}
	if z, err = s.Zone(st, timeZone); err != nil {
		return st, z, span, err
	}
	span, err = in.resolve(s.Now, z, false, usual)
	if err == nil && span.From.After(s.Now) {
		err = coast.Errorf(coast.ProductUnavailable, "The span begins at %s, which is in the future: "+
			"observations end now. For later times use predictions or forecasts.",
			span.From.Format(time.RFC3339))
	}
	return st, z, span, err
}
