package tools

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/schema"
)

// Span is how a caller says from when to when: exactly one of date; begin and
// end; begin and range; end and range; range; begin alone (to the end of that
// day); nothing (the tool's own default).
type Span struct {
	Date  string `json:"date,omitempty" doc:"One way only." enum:"today latest recent"`
	Begin string `json:"begin_date,omitempty" doc:"2026-11-20, or with 15:04." example:"2026-11-20"`
	End   string `json:"end_date,omitempty" doc:"Inclusive." example:"2026-11-21"`
	Range int    `json:"range,omitempty" doc:"Hours, from or to a date or now." min:"1" max:"87600" example:"48"`
}

// zone is the zone in which a caller's dates are read and times written.
type zone struct {
	*time.Location
	label string // as results name it
}

// zones remembers the zones that were asked for: reading one takes as long as
// predicting a day. There are some 600 names.
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

// at returns the zone that time_zone asks for at a place: gmt, the place's
// standard time all year (lst), or its civil time (lst_ldt).
func (z *zones) at(place, timeZone string, at time.Time) (zone, error) {
	local, err := z.load(place)
	if err != nil {
		return zone{}, err
	}
	switch timeZone {
	case "gmt":
		return zone{time.UTC, "UTC"}, nil
	case "lst":
		offset := standardOffset(local, at)
		label := "UTC" + time.Unix(0, 0).In(time.FixedZone("", offset)).Format("-07:00") + " (standard time of " + place + ")"
		return zone{time.FixedZone("LST", offset), label}, nil
	}
	return zone{local, place}, nil
}

// standardOffset is the offset in seconds of a zone's standard time in the
// year of at.
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

// interval is a resolved span: both ends are included. notes tell how what a
// caller wrote was read where it could mean two things.
type interval struct {
	from, to time.Time
	notes    []string
}

// covers reports whether now lies in the span.
func (i interval) covers(now time.Time) bool { return !now.Before(i.from) && !now.After(i.to) }

// newYear is a note for spans over the turn of a UTC year.
func (i interval) newYear() []string {
	if i.from.UTC().Year() == i.to.UTC().Year() {
		return nil
	}
	return []string{"NOAA predicts each UTC calendar year by node factors of its own: at New Year the curve can step by centimetres, here as in NOAA's tables."}
}

// around is the span and, where it covers now, what is needed to find the
// events on both sides of now where the tide is not diurnal.
func (i interval) around(now time.Time) interval {
	const reach = 13 * time.Hour
	if !i.covers(now) {
		return i
	}
	if before := now.Add(-reach); before.Before(i.from) {
		i.from = before
	}
	if after := now.Add(reach); after.After(i.to) {
		i.to = after
	}
	return i
}

// given says which of a span's parameters were given.
func (s Span) given() string {
	var names []string
	for _, p := range []struct {
		name string
		ok   bool
	}{{"date", s.Date != ""}, {"begin_date", s.Begin != ""}, {"end_date", s.End != ""}, {"range", s.Range != 0}} {
		if p.ok {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, " ")
}

// resolve finds the span in time, which must lie in the years that can be
// predicted. Where it depends on now it runs forward from now (what is to
// come), or back from it (what was).
func (s Span) resolve(now time.Time, z zone, forward bool, usual time.Duration) (interval, error) {
	i, err := s.read(now, z, forward, usual)
	if err == nil {
		err = checkYear("begin_date", i.from)
	}
	if err == nil {
		err = checkYear("end_date", i.to)
	}
	return i, err
}

func (s Span) read(now time.Time, z zone, forward bool, usual time.Duration) (interval, error) {
	hours := time.Duration(s.Range) * time.Hour
	now = now.In(z.Location)
	switch s.given() {
	case "":
		return aroundNow(now, usual, forward), nil
	case "range":
		return aroundNow(now, hours, forward), nil
	case "date":
		return s.named(now), nil
	}
	var begin, end point
	var err error
	if s.Begin != "" {
		if begin, err = readTime("begin_date", s.Begin, z); err != nil {
			return interval{}, err
		}
	}
	if s.End != "" {
		if end, err = readTime("end_date", s.End, z); err != nil {
			return interval{}, err
		}
	}
	notes := append(begin.notes, end.notes...)
	switch s.given() {
	case "begin_date":
		return interval{begin.first, begin.dayEnd, notes}, nil
	case "begin_date end_date":
		if end.last.Before(begin.first) {
			return interval{}, contradiction("begin_date", "begin_date %s is after end_date %s. Give the earlier one as begin_date.", schema.Quote(s.Begin), schema.Quote(s.End))
		}
		return interval{begin.first, end.last, notes}, nil
	case "begin_date range":
		return interval{begin.first, begin.first.Add(hours), notes}, nil
	case "end_date range":
		return interval{end.last.Add(-hours), end.last, notes}, nil
	case "end_date":
		return interval{}, contradiction("end_date", `end_date needs begin_date or range beside it. Example: "begin_date": "2026-11-20", "end_date": "2026-11-21".`)
	}
	return interval{}, contradiction(strings.Fields(s.given())[0],
		`%s together say the span twice. Give one of: date; begin_date and end_date; begin_date and range; end_date and range; range; begin_date. Example: "begin_date": "2026-11-20", "range": 48.`,
		strings.Join(strings.Fields(s.given()), ", "))
}

func contradiction(path, format string, args ...any) error {
	return fault(path, "span", format, args...)
}

// fault is an InvalidRequest with one issue.
func fault(path, code, format string, args ...any) error {
	e := coast.Errorf(coast.InvalidRequest, format, args...)
	e.Issues = []coast.Issue{{Path: path, Code: code, Message: e.Message}}
	return e
}

func aroundNow(now time.Time, length time.Duration, forward bool) interval {
	if forward {
		return interval{from: now, to: now.Add(length)}
	}
	return interval{from: now.Add(-length), to: now}
}

// named resolves the words of date. Today is the whole civil day.
func (s Span) named(now time.Time) interval {
	switch s.Date {
	case "today":
		return interval{from: dayStart(now), to: lastMinute(now)}
	case "recent":
		return interval{from: now.Add(-72 * time.Hour), to: now}
	}
	return interval{from: now, to: now}
}

// dayStart is the first instant of the civil day of t: midnight, the first of
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

// nextDay is the first instant of the day i days after that of t.
func nextDay(t time.Time, i int) time.Time {
	return dayStart(time.Date(t.Year(), t.Month(), t.Day()+i, 12, 0, 0, 0, t.Location()))
}

// lastMinute is the last minute of the day of t: 22, 23 or 24 hours after its
// first, as the clock has it.
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

// readTime reads a date or a minute in zone z; an RFC 3339 time, which the
// next part of a cut result asks for, carries its own offset.
func readTime(name, text string, z zone) (point, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		t = t.In(z.Location)
		return minute(t), nil
	}
	if day, ok := readDay(text, z); ok {
		return point{first: day, last: lastMinute(day), dayEnd: lastMinute(day)}, nil
	}
	for _, form := range minuteForms {
		if wall, err := time.Parse(form, text); err == nil {
			t, repeated, err := civil(name, wall, z)
			p := minute(t)
			if repeated {
				p.notes = []string{fmt.Sprintf("%s %s comes twice in %s that day: the first is taken, %s.", name, text, z.label, t.Format(time.RFC3339))}
			}
			return p, err
		}
	}
	return point{}, fault(name, "date", `%s must be a day that the calendar has, as 2026-11-20 or 20261120, or a minute of one, as "2026-11-20 15:04", not %s.`, name, schema.Quote(text))
}

// readDay reads a date alone; the day's first instant in zone z.
func readDay(text string, z zone) (time.Time, bool) {
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
		return fault(name, "minimum", `%s must lie in the years %d to %d, not %d. Example: %q: "2026-11-20".`, name, firstYear, lastYear, t.Year(), name)
	}
	return nil
}

// civil finds the instant of a wall clock's reading. A reading that a clock
// change repeats is its first; one that a change skips is a fault that names
// the minutes on both sides of the gap.
func civil(name string, wall time.Time, z zone) (t time.Time, repeated bool, err error) {
	t = time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), 0, 0, z.Location)
	if t.Hour() != wall.Hour() || t.Minute() != wall.Minute() {
		start, end := t.ZoneBounds()
		change := start
		if !end.IsZero() && (start.IsZero() || end.Sub(t) < t.Sub(start)) {
			change = end
		}
		return t, false, fault(name, "date", "%s %s does not exist in %s: the clocks skip it. The nearest minutes that do are %s and %s.", name,
			schema.Quote(wall.Format("2006-01-02 15:04")), z.label, change.Add(-time.Minute).Format("15:04"), change.Format("15:04"))
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

// again is the second time of a reading that a clock change repeats, t its
// first.
func again(t time.Time) time.Time {
	if half := t.Add(30 * time.Minute); sameReading(t, half) {
		return half
	}
	return t.Add(time.Hour)
}

func sameReading(a, b time.Time) bool { return a.Hour() == b.Hour() && a.Minute() == b.Minute() }
