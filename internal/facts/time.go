package facts

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
)

// Zone is the zone in which a caller's dates are read and times written.
type Zone struct {
	*time.Location
	Label string // as results name it
}

// zones caches time zones: loading one takes as long as predicting a day. There are some
// 600 names.
type zones struct{ known sync.Map }

func (z *zones) load(name string) (*time.Location, error) {
	if l, ok := z.known.Load(name); ok {
		return l.(*time.Location), nil
	}
	l, err := time.LoadLocation(name)
	if err == nil {
		z.known.Store(name, l)
	}
	return l, err
}

// at is Set.Zone in the year of at.
func (z *zones) at(place, timeZone string, at time.Time) (Zone, error) {
	local, err := z.load(place)
	if err != nil {
		return Zone{}, err
	}
	switch timeZone {
	case "gmt":
		return Zone{time.UTC, "UTC"}, nil
	case "lst":
		offset := standardOffset(local, at)
		label := "UTC" + time.Unix(0, 0).In(time.FixedZone("", offset)).Format("-07:00") +
			" (standard time of " + place + ")"
		return Zone{time.FixedZone("LST", offset), label}, nil
	}
	return Zone{local, place}, nil
}

// zoneName matches names of zones; other files of a machine's zone database, such as
// localtime, are not the same everywhere.
var zoneName = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*)+)$`)

// named returns the zone that a caller names, or the place's.
func (z *zones) named(asked, place string, now time.Time) (Zone, error) {
	switch asked {
	case "", "lst_ldt":
		return z.at(place, "lst_ldt", now)
	case "gmt", "lst":
		return z.at(place, asked, now)
	}
	named, err := z.at(asked, "lst_ldt", now)
	if err != nil || !zoneName.MatchString(asked) {
		return named, Invalid("time_zone", "zone", `time_zone must be an IANA name or gmt, not %s. `+
			`Example: "time_zone": "America/New_York".`, coast.Quote(asked))
	}
	return named, nil
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
				p.notes = []string{fmt.Sprintf("%s %s comes twice in %s that day: the first is taken, %s.",
					name, text, z.Label, t.Format(time.RFC3339))}
			}
			return p, err
		}
	}
	return point{}, Invalid(name, "date", `%s must be a day that the calendar has, as 2026-11-20 `+
		`or 20261120, or a minute of one, as "2026-11-20 15:04", not %s.`, name, coast.Quote(text))
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
		return Invalid(name, "minimum", `%s must lie in the years %d to %d, not %d. Example: %q: `+
			`"2026-11-20".`, name, firstYear, lastYear, t.Year(), name)
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

// Again returns the second time of a reading that a clock change repeats, t its first.
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

// NewYear returns a note on spans over the turn of a UTC year.
func (i Interval) NewYear() []string {
	if i.From.UTC().Year() == i.To.UTC().Year() {
		return nil
	}
	return []string{"NOAA predicts each UTC calendar year by node factors of its own: at New Year " +
		"the curve can step by centimetres, here as in NOAA's tables."}
}

// Around returns the span and, if it covers now, what is needed to find the events on
// both sides of now where the tide is not diurnal.
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

// Period returns the period to request from the provider: of an instant the newest value.
func (i Interval) Period() noaa.Period {
	if i.From.Equal(i.To) {
		return noaa.Period{}
	}
	return noaa.Period{From: i.From.UTC(), To: i.To.UTC()}
}

// Days returns the period of whole days or months to request from the provider, by their
// names in the caller's zone.
func (i Interval) Days() noaa.Period {
	name := func(t time.Time) time.Time {
		y, month, d := t.Date()
		return time.Date(y, month, d, 0, 0, 0, 0, time.UTC)
	}
	return noaa.Period{From: name(i.From), To: name(i.To)}
}
