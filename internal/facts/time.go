package facts

import (
	"fmt"
	"leadline/internal/coast"
	"time"
)

// InvalidSpan is Invalid with the code of contradictory spans.
func InvalidSpan(path, format string, args ...any) error {
	return Invalid(path, "span", format, args...)
}

// Invalid returns an invalid_request error with one issue.
func Invalid(path, code, format string, args ...any) error {
	e := coast.Errorf(coast.InvalidRequest, format, args...)
	e.Issues = []coast.Issue{{Path: path, Code: code, Message: e.Message}}
	return e
}

// dayStart returns the first instant of the civil day of t: midnight, the first of
// two, or where the clocks skip it the change itself.
func dayStart(t time.Time) time.Time {
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
	return dayStart(time.Date(t.Year(), t.Month(), t.Day()+i, 12, 0, 0, 0, t.Location()))
}

// lastMinute returns the last minute of the day of t: nearly 23, 24 or 25 hours after its
// first.
func lastMinute(t time.Time) time.Time { return nextDay(t, 1).Add(-time.Minute) }

// point is a date or a minute as a caller wrote it: first is its beginning,
// last its end (the same for a minute), dayEnd the end of its day.
type point struct {
	first, last, dayEnd time.Time
	notes               []string // how it was read where it could mean two things
}

var (
	dayForms    = []string{"2006-01-02", "20060102"}
	minuteForms = []string{"2006-01-02 15:04", "20060102 15:04", "2006-01-02T15:04"}
)

// readTime reads a date or a minute in zone z. An RFC 3339 time, which the next page of a
// truncated result begins with, has its own offset.
func readTime(name, text string, z Zone) (point, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		t = t.In(z.Location)
		return minute(t), nil
	}
	if day, ok := readDay(text, z); ok {
		return point{first: day, last: lastMinute(day), dayEnd: lastMinute(day)}, nil
	}
	for _, form := range minuteForms {
		if wall, err := time.Parse(form, text); err == nil {
			t, repeated, err := Civil(name, wall, z)
			p := minute(t)
			if repeated {
				p.notes = []string{fmt.Sprintf("%s %s comes twice in %s that day: the first is taken, %s.", name, text, z.Label, t.Format(time.RFC3339))}
			}
			return p, err
		}
	}
	return point{}, Invalid(name, "date", `%s must be a day that the calendar has, as 2026-11-20 or 20261120, or a minute of one, as "2026-11-20 15:04", not %s.`, name, coast.Quote(text))
}

// readDay reads a date alone and returns the day's first instant in zone z.
func readDay(text string, z Zone) (time.Time, bool) {
	for _, form := range dayForms {
		if d, err := time.Parse(form, text); err == nil {
			return dayStart(time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, z.Location)), true
		}
	}
	return time.Time{}, false
}

func minute(t time.Time) point { return point{first: t, last: t, dayEnd: lastMinute(t)} }

// The node factors are made for centuries near ours; NOAA's own tables run
// from 1901.
const firstYear, lastYear = 1900, 2100

func checkYear(name string, t time.Time) error {
	if t.Year() < firstYear || t.Year() > lastYear {
		return Invalid(name, "minimum", `%s must lie in the years %d to %d, not %d. Example: %q: "2026-11-20".`, name, firstYear, lastYear, t.Year(), name)
	}
	return nil
}

// Civil returns the instant of a wall clock's reading: of one that a clock change repeats,
// the first. A reading that a change skips is an error that names the minutes on both
// sides of the gap.
func Civil(name string, wall time.Time, z Zone) (t time.Time, repeated bool, err error) {
	t = time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, z.Location)
	if t.Hour() != wall.Hour() || t.Minute() != wall.Minute() {
		start, end := t.ZoneBounds()
		change := start
		if !end.IsZero() && (start.IsZero() || end.Sub(t) < t.Sub(start)) {
			change = end
		}
		return t, false, Invalid(name, "date", "%s %s does not exist in %s: the clocks skip it. The nearest minutes that do are %s and %s.", name,
			coast.Quote(wall.Format("2006-01-02 15:04")), z.Label, change.Add(-time.Minute).Format("15:04"), change.Format("15:04"))
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

// Again returns the second time of a reading that a clock change repeats, t its first.
func Again(t time.Time) time.Time {
	if half := t.Add(30 * time.Minute); sameReading(t, half) {
		return half
	}
	return t.Add(time.Hour)
}

func sameReading(a, b time.Time) bool { return a.Hour() == b.Hour() && a.Minute() == b.Minute() }
