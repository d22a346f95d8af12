package facts

import (
	"fmt"
	"strings"
	"time"

	"leadline/internal/coast"
)

// reader reads dates in a zone. Words such as today depend on now.
type reader struct {
	zone Zone
	now  time.Time
}

func (s Set) reader(z Zone) reader { return reader{z, s.Now} }

// point is a date or a minute as a caller wrote it: first is its beginning,
// last its end (the same for a minute).
type point struct {
	first, last time.Time
	day         bool     // whole days, or a part of a day that a phrase names
	notes       []string // how an ambiguous value was read
}

func minute(t time.Time) point { return point{first: t, last: t} }

// Days, minutes in a zone, and instants with an offset, in the forms in which callers
// write them. Minutes may have seconds, which are ignored.
var (
	dayForms    = []string{"2006-01-02", "20060102"}
	minuteForms = []string{"2006-01-02 15:04", "20060102 15:04", "2006-01-02T15:04",
		"2006-01-02 15:04:05", "2006-01-02T15:04:05"}
	instantForms = []string{time.RFC3339, "2006-01-02T15:04Z07:00"}
)

// read reads the value of a date argument: a day, a phrase such as weekend or tonight, a minute of
// the zone's clock, or an instant with its own offset. The next page of a truncated result begins
// with such an instant.
func (r reader) read(name, text string) (point, error) {
	if p, ok := r.phrase(text); ok {
		return p, nil
	}
	if strings.EqualFold(text, "now") {
		return minute(r.now.In(r.zone.Location)), nil
	}
	for _, form := range instantForms {
		if t, err := time.Parse(form, text); err == nil {
			return minute(t.In(r.zone.Location)), nil
		}
	}
	for _, form := range minuteForms {
		if wall, err := time.Parse(form, text); err == nil {
			return r.minute(name, text, wall)
		}
	}
	return point{}, Invalid(name, "date", `%s must be a valid calendar day, such as `+
		`2026-11-20, today, saturday or weekend, or a minute of one, such as 2026-11-20T15:04, not %s.%s`,
		name, coast.Quote(text), rightForm(text))
}

// minute reads a minute of the zone's clock.
func (r reader) minute(name, text string, wall time.Time) (point, error) {
	t, repeated, err := Civil(name, wall, r.zone)
	p := minute(t)
	if repeated {
		p.notes = []string{fmt.Sprintf("%s %s comes twice in %s that day: the first is taken, %s.",
			name, text, r.zone.Label, t.Format(time.RFC3339))}
	}
	return p, err
}

// rightForm returns a sentence on how to write a date that is in the American form, with the
// month first. Leadline does not guess which number is the month.
func rightForm(text string) string {
	for _, form := range []string{"1/2/2006", "1-2-2006", "1/2/06", "2006/1/2"} {
		if d, err := time.Parse(form, text); err == nil {
			return " Write " + d.Format(time.DateOnly) + ", if that is the day."
		}
	}
	return ""
}

// Day reads an argument that names a day, or a minute of one. It returns the day's first
// instant.
func (s Set) Day(name, text string, z Zone) (time.Time, error) {
	p, err := s.reader(z).read(name, text)
	if err != nil {
		return p.first, err
	}
	return DayStart(p.first), checkYear(name, p.first)
}

// Days returns the civil days of a zone from date on, today if that is empty. Of one day they are
// all days that a phrase such as weekend names.
func (s Set) Days(name, date string, count int, z Zone) ([]Interval, error) {
	span, err := s.When(name, date, z)
	if err != nil {
		return nil, err
	}
	list := []Interval{}
	for day := DayStart(span.From); len(list) < count || count == 1 && day.Before(span.To); {
		next := NextDay(day)
		list = append(list, Interval{From: day, To: next})
		day = next
	}
	list[0].Notes = span.Notes
	return list, nil
}

// When returns the span, which is half-open, that a date names: a day, today if it is empty, or a
// phrase such as weekend, tonight or saturday morning. Of a minute it is the day.
func (s Set) When(name, date string, z Zone) (Interval, error) {
	if date == "" {
		date = "today"
	}
	p, err := s.reader(z).read(name, date)
	if err != nil {
		return Interval{}, err
	}
	if !p.day {
		p.first = DayStart(p.first)
		p.last = lastMinute(p.first)
	}
	return Interval{p.first, p.last.Add(time.Minute), p.notes}, checkYear(name, p.first)
}

// Instant reads the time argument, now if it is empty.
func (s Set) Instant(text string, z Zone) (at time.Time, notes []string, err error) {
	if text == "" {
		text = "now"
	}
	p, err := s.reader(z).read("time", text)
	if err == nil && p.day {
		return at, nil, Invalid("time", "date",
			`time must be a minute, such as "2026-11-20T15:04" or now, not the whole day %s.`,
			coast.Quote(text))
	}
	if err == nil {
		err = checkYear("time", p.first)
	}
	return p.first, p.notes, err
}
