package intervals

import (
	"time"

	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/stations"
)

// Extent selects forms of a result that callers cannot ask for by arguments: those of calendars,
// tables and pages.
type Extent struct {
	all      bool // all rows; the limit does not apply
	horizon  bool // the span of calendars, unless the request has a span
	computed bool // without facts that a provider must be asked for
}

// These are the days of calendars before and after the present day.
const (
	CalendarDaysBack  = 30
	CalendarDaysAhead = 366
)

// SetWhole selects all rows.
func (f *Extent) SetWhole() { f.all = true }

// SetCalendar selects all rows, in the span of calendars unless the request has a span.
func (f *Extent) SetCalendar() { f.all, f.horizon = true, true }

// SetComputed leaves out facts that a provider must be asked for.
func (f *Extent) SetComputed() { f.computed = true }

// IsComputed reports whether facts that a provider must be asked for are left out.
func (f Extent) IsComputed() bool { return f.computed }

// OverHorizon reports whether a request with a span is for the span of calendars.
func (f Extent) OverHorizon(given operation.Span) bool { return f.horizon && given.Given() == "" }

// Most returns the limit of rows.
func (f Extent) Most(limit int) int {
	if f.all {
		return 1 << 20
	}
	return limit
}

// Resolve resolves the span of windows and ranks, and its zone.
func (f Extent) Resolve(
	fs facts.Set, given operation.Span, timeZone string, st stations.Station,
) (facts.Zone, facts.Interval, error) {
	if f.OverHorizon(given) {
		z, err := fs.Zone(st, timeZone)
		if err != nil {
			return z, facts.Interval{}, err
		}
		return z, horizon(fs.Now, fs.Local(st), z), nil
	}
	z, span, err := fs.Forward(windowSpan(given), timeZone, st)
	if err == nil {
		err = WithinYear(span)
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
