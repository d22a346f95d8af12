package tools

import (
	"time"

	"leadline/internal/facts"
	"leadline/internal/stations"
)

// inFull selects forms of a result that callers cannot ask for by arguments: those of calendars,
// tables and pages.
type inFull struct {
	all      bool // all rows; the limit does not apply
	horizon  bool // the span of calendars, unless the request has a span
	computed bool // without facts that a provider must be asked for
}

// These are the days of calendars before and after the present day.
const (
	CalendarDaysBack  = 30
	CalendarDaysAhead = 366
)

// All returns the request for all rows of its span.
func (in TideWindowsInput) All() TideWindowsInput {
	in.all, in.Offset = true, 0
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one.
func (in TideWindowsInput) OfCalendar() TideWindowsInput {
	in = in.All()
	in.horizon = true
	return in
}

// All returns the request for all rows of its span.
func (in CurrentWindowsInput) All() CurrentWindowsInput {
	in.all, in.Offset = true, 0
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one, without the wind, which a provider must be asked for.
func (in CurrentWindowsInput) OfCalendar() CurrentWindowsInput {
	in = in.All()
	in.horizon, in.Wind = true, false
	return in
}

// All returns the request for all rows of its span.
func (in TransitsInput) All() TransitsInput {
	in.all = true
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one.
func (in TransitsInput) OfCalendar() TransitsInput {
	in = in.All()
	in.horizon = true
	return in
}

// Computed returns the request without facts that a provider must be asked for.
func (in TideRanksInput) Computed() TideRanksInput {
	in.computed = true
	return in
}

// All returns the request for all king tides of the year, or all spring tides of the span. Other
// tides have no end: their limit applies.
func (in TideRanksInput) All() TideRanksInput {
	in.all = true
	return in
}

// OfCalendar returns the request for what All requests, in the horizon of calendars or in its own
// span if it has one, without asking a provider.
func (in TideRanksInput) OfCalendar() TideRanksInput {
	in = in.All().Computed()
	in.horizon = true
	return in
}

// rows returns the limit of rows.
func (f inFull) rows(limit int) int {
	if f.all {
		return 1 << 20
	}
	return limit
}

// forward resolves the span of windows and ranks, and its zone.
func (f inFull) forward(
	fs facts.Set, given Span, timeZone string, st stations.Station,
) (facts.Zone, facts.Interval, error) {
	if f.horizon && given.Given() == "" {
		z, err := fs.Zone(st, timeZone)
		if err != nil {
			return z, facts.Interval{}, err
		}
		return z, horizon(fs.Now, fs.Local(st), z), nil
	}
	z, span, err := fs.Forward(windowSpan(given), timeZone, st)
	if err == nil {
		err = withinYear(span)
	}
	return z, span, err
}

// horizon returns the span of calendars: whole days at the station. It begins a day early, so that
// windows that begin on the first day are complete.
func horizon(now time.Time, home *time.Location, z facts.Zone) facts.Interval {
	day := func(after int) time.Time {
		return facts.DayStart(now.In(home).AddDate(0, 0, after)).In(z.Location)
	}
	return facts.Interval{
		From: day(-CalendarDaysBack - 1), To: day(CalendarDaysAhead + 1).Add(-time.Minute),
	}
}
