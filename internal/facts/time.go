package facts

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
)

// Zone is the zone in which a caller's dates are read and times are written.
type Zone struct {
	*time.Location
	Label string // as results name it
}

// zoneName matches names of zones; other files of a machine's zone database, such as
// localtime, are not the same everywhere.
var zoneName = coast.Pattern(`^(UTC|[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*)+)$`)

// zones caches time zones: loading one takes as long as predicting a day. There are about 600
// names.
type zones struct{ known sync.Map }

func (z *zones) load(name string) (*time.Location, error) {
	if l, ok := z.known.Load(name); ok {
		return l.(*time.Location), nil
	}
	if !zoneName().MatchString(name) {
		return nil, fmt.Errorf("%q is not the name of a time zone", name)
	}
	l, err := time.LoadLocation(name)
	if err == nil {
		z.known.Store(name, l)
	}
	return l, err
}

// named returns the zone that a caller names, or the civil zone of the place. tables is the zone of
// NOAA's tables if it is another one, else empty. Words match in any case.
func (z *zones) named(asked, place, tables string, at time.Time) (Zone, error) {
	word := strings.ToLower(asked)
	if !slices.Contains([]string{"", "lst_ldt", "lst", "gmt", "utc", "z"}, word) {
		named, err := z.load(asked)
		if err != nil {
			return Zone{}, Invalid("time_zone", "zone", `time_zone must be lst_ldt (the place's civil `+
				`time), lst (the standard time of NOAA's tables), gmt or an IANA name, not %s. `+
				`Example: "time_zone": "America/New_York".`, coast.Quote(asked))
		}
		return Zone{named, asked}, nil
	}
	local, err := z.load(place)
	switch {
	case err != nil:
		return Zone{}, err
	case word == "" || word == "lst_ldt":
		return Zone{local, place}, nil
	case word != "lst":
		return Zone{time.UTC, "UTC"}, nil
	case tables == "":
		return standard(local, "of "+place, at), nil
	}
	local, err = z.load(tables)
	return standard(local, "of NOAA's tables", at), err
}

// standard returns the standard time of a zone.
func standard(local *time.Location, of string, at time.Time) Zone {
	zone := time.FixedZone("LST", standardOffset(local, at))
	return Zone{zone, time.Unix(0, 0).In(zone).Format("UTC-07:00") + " (standard time " + of + ")"}
}

// standardOffset returns the offset in seconds of a zone's standard time in the year of
// at.
func standardOffset(local *time.Location, at time.Time) int {
	for month := time.January; month <= time.December; month++ {
		t := time.Date(at.Year(), month, 1, 12, 0, 0, 0, local)
		if !t.IsDST() {
			_, offset := t.Zone()
			return offset
		}
	}
	_, offset := at.In(local).Zone()
	return offset
}

// InvalidSpan is like Invalid, with the code for contradictory spans.
func InvalidSpan(path, format string, args ...any) error {
	return Invalid(path, "span", format, args...)
}

// Invalid returns an invalid_request error with one issue.
func Invalid(path, code, format string, args ...any) error {
	e := coast.Errorf(coast.InvalidRequest, format, args...)
	e.Issues = []coast.Issue{{Path: path, Code: code, Message: e.Message}}
	return e
}

// DayStart returns the first instant of the civil day of t. This is midnight, the first midnight
// if there are two, or the clock change if it skips midnight.
func DayStart(t time.Time) time.Time {
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
	if day.Day() != t.Day() || day.Hour() != 0 {
		change, _ := time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, t.Location()).ZoneBounds()
		return change
	}
	if earlier := day.Add(-time.Hour); sameReading(day, earlier) && earlier.Day() == day.Day() {
		return earlier
	}
	return day
}

// nextDay returns the first instant of the day i days after that of t.
func nextDay(t time.Time, i int) time.Time {
	return DayStart(time.Date(t.Year(), t.Month(), t.Day()+i, 12, 0, 0, 0, t.Location()))
}

// NextDay returns the first instant of the day after that of t.
func NextDay(t time.Time) time.Time { return nextDay(t, 1) }

// lastMinute returns the last minute of the day of t, which is almost 23, 24 or 25 hours after
// the first.
func lastMinute(t time.Time) time.Time { return nextDay(t, 1).Add(-time.Minute) }

// The node factors are valid for centuries near ours; NOAA's own tables begin in 1901.
const firstYear, lastYear = 1900, 2100

func checkYear(name string, t time.Time) error {
	if t.Year() < firstYear || t.Year() > lastYear {
		return Invalid(name, "minimum", `%s must lie in the years %d to %d, not %d. Example: %q: `+
			`"2026-11-20".`, name, firstYear, lastYear, t.Year(), name)
	}
	return nil
}

// Civil returns the instant of a wall-clock time. If a clock change repeats the time, it returns
// the first instant. If a change skips the time, it returns an error that names the minutes on
// both sides of the gap.
func Civil(name string, wall time.Time, z Zone) (t time.Time, repeated bool, err error) {
	t = time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, z.Location)
	if t.Hour() != wall.Hour() || t.Minute() != wall.Minute() {
		start, end := t.ZoneBounds()
		change := start
		if !end.IsZero() && (start.IsZero() || end.Sub(t) < t.Sub(start)) {
			change = end
		}
		return t, false, Invalid(name, "date", "%s %s does not exist in %s: the clocks skip it. The "+
			"nearest minutes that do are %s and %s.", name,
			coast.Quote(wall.Format("2006-01-02 15:04")), z.Label, change.Add(-time.Minute).Format("15:04"),
			change.Format("15:04"))
	}
	for _, shift := range []time.Duration{time.Hour, 30 * time.Minute} {
		if sameReading(t, t.Add(-shift)) {
			return t.Add(-shift), true, nil
		}
		if sameReading(t, t.Add(shift)) {
			return t, true, nil
		}
	}
	return t, false, nil
}

// Again returns the second instant of a wall-clock time that a clock change repeats. t is the
// first.
func Again(t time.Time) time.Time {
	if half := t.Add(30 * time.Minute); sameReading(t, half) {
		return half
	}
	return t.Add(time.Hour)
}

func sameReading(a, b time.Time) bool { return a.Hour() == b.Hour() && a.Minute() == b.Minute() }

// Interval is a resolved span: both ends are included. Notes state how an ambiguous
// argument was read.
type Interval struct {
	From, To time.Time
	Notes    []string
}

// Covers reports whether now lies in the span.
func (i Interval) Covers(now time.Time) bool { return !now.Before(i.From) && !now.After(i.To) }

// newest reports whether the newest value is wanted, or values up to now.
func (i Interval) newest(now time.Time) bool { return i.From.Equal(i.To) || i.Covers(now) }

// NewYear returns a note on spans over the turn of a UTC year.
func (i Interval) NewYear() []string {
	if i.From.UTC().Year() == i.To.UTC().Year() {
		return nil
	}
	return []string{"NOAA predicts each UTC calendar year by node factors of its own: at New Year " +
		"the curve can step by centimeters, here as in NOAA's tables."}
}

// Around returns the span. If the span covers now, it is extended enough to contain the events on
// both sides of now, unless the tide is diurnal.
func (i Interval) Around(now time.Time) Interval {
	const reach = 13 * time.Hour
	if !i.Covers(now) {
		return i
	}
	if before := now.Add(-reach); before.Before(i.From) {
		i.From = before
	}
	if after := now.Add(reach); after.After(i.To) {
		i.To = after
	}
	return i
}

// Period returns the period to request from the provider. For an instant it requests the newest
// value.
func (i Interval) Period() noaa.Period {
	if i.From.Equal(i.To) {
		return noaa.Period{}
	}
	return noaa.Period{From: i.From.UTC(), To: i.To.UTC()}
}

// Days returns the period of whole days or months to request from the provider, by their dates in
// the caller's zone.
func (i Interval) Days() noaa.Period {
	name := func(t time.Time) time.Time {
		y, month, d := t.Date()
		return time.Date(y, month, d, 0, 0, 0, 0, time.UTC)
	}
	return noaa.Period{From: name(i.From), To: name(i.To)}
}
