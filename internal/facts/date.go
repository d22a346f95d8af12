package facts

import (
	"fmt"
	"strconv"
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
	day         bool     // a whole day
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

// dayWords are the words for days, with their distance from today.
var dayWords = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// daysAhead reads a word for a day: one of dayWords, a weekday such as saturday or sat, which is
// the next one, today included, or the number of days from today, such as +3. It returns the
// distance of the day from that of now.
func daysAhead(text string, now time.Time) (days int, ok bool) {
	word := strings.ToLower(text)
	if days, ok = dayWords[word]; ok {
		return days, true
	}
	for ahead := range 7 {
		name := strings.ToLower(now.AddDate(0, 0, ahead).Weekday().String())
		if word == name || word == name[:3] {
			return ahead, true
		}
	}
	number, signed := strings.CutPrefix(word, "+")
	n, err := strconv.ParseUint(number, 10, 16)
	return int(n), signed && err == nil
}

// read reads the value of a date argument: a day, a minute of the zone's clock, or an
// instant with its own offset. The next page of a truncated result begins with such an
// instant.
func (r reader) read(name, text string) (point, error) {
	if day, ok := r.day(text); ok {
		return point{first: day, last: lastMinute(day), day: true}, nil
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
		`2026-11-20, today or tomorrow, or a minute of one, such as 2026-11-20T15:04, not %s.%s`, name,
		coast.Quote(text), rightForm(text))
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

// day reads a date alone, or a word for a day, and returns the day's first instant.
func (r reader) day(text string) (time.Time, bool) {
	now := r.now.In(r.zone.Location)
	if days, ok := daysAhead(text, now); ok {
		return nextDay(now, days), true
	}
	for _, form := range dayForms {
		if d, err := time.Parse(form, text); err == nil {
			return DayStart(time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, r.zone.Location)), true
		}
	}
	return time.Time{}, false
}

// rightForm returns a sentence on how to write a date that is in the American form, with the
// month first. Leadline does not guess which number is the month.
func rightForm(text string) string {
	for _, form := range []string{"1/2/2006", "1-2-2006", "1/2/06", "Jan 2, 2006", "January 2, 2006",
		"2 January 2006", "2 Jan 2006", "2006/1/2"} {
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

// Days returns the civil days of a zone from date on, today if that is empty.
func (s Set) Days(name, date string, count int, z Zone) ([]Interval, error) {
	if date == "" {
		date = "today"
	}
	first, err := s.Day(name, date, z)
	if err != nil {
		return nil, err
	}
	list := make([]Interval, count)
	for i := range list {
		list[i].From, list[i].To = nextDay(first, i), nextDay(first, i+1)
	}
	return list, nil
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
