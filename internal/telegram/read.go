package telegram

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Read returns what a telegram says. A telegram does not name the year: of all years in which its
// first day exists, the one is meant that brings this day closest to near. Read accepts only what
// Write writes; an error names the first word that is wrong.
func Read(text string, near time.Time) (Message, error) {
	body, ok := strings.CutSuffix(text, " "+ending)
	words := strings.Split(body, " ")
	if !ok || len(words) < 6 {
		return Message{}, fmt.Errorf("%.20q is no tide telegram, which ends with %s", text, ending)
	}
	m := Message{Station: words[0], Unit: words[1], Datum: words[2]}
	if Decimals(m.Unit) == 0 {
		return Message{}, fmt.Errorf("%q is no unit: must be %s or %s", m.Unit, Feet, Meters)
	}
	var err error
	if m.Offset, err = readOffset(words[3]); err != nil {
		return Message{}, err
	}
	zone := time.FixedZone("", int(m.Offset/time.Second))
	if m.Days, err = readDays(words[4:], m.Unit, near.In(zone)); err != nil {
		return Message{}, err
	}
	if again, err := Write(m); err != nil || again != text {
		return Message{}, errors.New("the telegram is not as a writer makes it: " + again)
	}
	return m, nil
}

// ReadAgreeing is like Read, but chooses the closest of the years within 12 of near in which agrees
// is true: in these years, a date has every weekday. ok is false if no year agrees.
func ReadAgreeing(
	text string, near time.Time, agrees func(Message) bool,
) (m Message, ok bool, err error) {
	closest, err := Read(text, near)
	if err != nil {
		return closest, false, err
	}
	const most = 12
	distance := func(m Message) time.Duration { return m.Days[0].Date.Sub(near).Abs() }
	for years := -most; years <= most; years++ {
		other, err := Read(text, near.AddDate(years, 0, 0))
		if err == nil && agrees(other) && (!ok || distance(other) < distance(m)) {
			m, ok = other, true
		}
	}
	if !ok {
		m = closest
	}
	return m, ok, nil
}

func readOffset(word string) (time.Duration, error) {
	t, err := time.Parse("-0700", word)
	if err != nil {
		return 0, fmt.Errorf("%q is no offset such as -0500", word)
	}
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second, nil
}

// readDays reads the words between the offset and the ending.
func readDays(words []string, unit string, near time.Time) (days []Day, err error) {
	for len(words) > 0 {
		var d Day
		if d.Date, err = readDate(words[0], near); err != nil {
			return nil, err
		}
		if len(days) > 0 && !d.Date.Equal(near) {
			return nil, fmt.Errorf("%s does not follow the day before it", words[0])
		}
		words = words[1:]
		if len(words) > 1 && words[0] == clocks {
			changed, err := readOffset(words[1])
			if err != nil {
				return nil, err
			}
			d.Clocks, words = &changed, words[2:]
		}
		if words, err = d.readEvents(words, unit); err != nil {
			return nil, err
		}
		days, near = append(days, d), d.Date.AddDate(0, 0, 1)
	}
	return days, nil
}

// readDate returns the day that is closest to near.
func readDate(word string, near time.Time) (time.Time, error) {
	day, err := time.Parse("02Jan2006", word+"2000") // a leap year
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day such as 22NOV", word)
	}
	var closest time.Time
	const far = 8 // years from one 29 February to the next around 1900 and 2100
	for year := near.Year() - far; year <= near.Year()+far; year++ {
		t := time.Date(year, day.Month(), day.Day(), 0, 0, 0, 0, near.Location())
		if t.Day() == day.Day() && (closest.IsZero() || near.Sub(t).Abs() < near.Sub(closest).Abs()) {
			closest = t
		}
	}
	return closest, nil
}

// readEvents reads the events of the day and returns the words after them.
func (d *Day) readEvents(words []string, unit string) (rest []string, err error) {
	if len(words) > 0 && words[0] == "NONE" {
		return words[1:], nil
	}
	for len(words) > 0 && isEvent(words[0]) {
		if len(words) == 1 {
			return nil, fmt.Errorf("the height after %s is missing", words[0])
		}
		e, err := d.readEvent(words[0], words[1], unit)
		if err != nil {
			return nil, err
		}
		d.Events, words = append(d.Events, e), words[2:]
	}
	if len(d.Events) == 0 {
		return nil, fmt.Errorf("%s has neither events nor the word NONE", d.Date.Format("2 Jan"))
	}
	return words, nil
}

func isEvent(word string) bool { return word != "" && strings.Contains("HL", word[:1]) }

func (d *Day) readEvent(at, height, unit string) (Event, error) {
	clock, err := time.Parse("1504", at[1:])
	if err != nil {
		return Event{}, fmt.Errorf("%q is no event such as H0719", at)
	}
	h, err := strconv.ParseFloat(height, 64)
	if _, after, _ := strings.Cut(height, "."); err != nil || len(after) != Decimals(unit) ||
		math.IsInf(h, 0) || math.IsNaN(h) {
		return Event{}, fmt.Errorf("%q is no height in %s", height, unit)
	}
	t := d.Date.Add(clock.Sub(clock.Truncate(24 * time.Hour)))
	return Event{High: at[0] == 'H', Time: t, Height: h}, nil
}
