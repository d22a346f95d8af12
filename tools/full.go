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

// whole selects all rows.
func (f *inFull) whole() { f.all = true }

// ofCalendar selects all rows, in the span of calendars unless the request has a span.
func (f *inFull) ofCalendar() { f.all, f.horizon = true, true }

// withoutProviders leaves out facts that a provider must be asked for.
func (f *inFull) withoutProviders() { f.computed = true }

// isComputed reports whether facts that a provider must be asked for are left out.
func (f inFull) isComputed() bool { return f.computed }

// overHorizon reports whether a request with a span is for the span of calendars.
func (f inFull) overHorizon(given Span) bool { return f.horizon && given.Given() == "" }

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
	if f.overHorizon(given) {
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
