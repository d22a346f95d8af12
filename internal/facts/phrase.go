package facts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// This file has the words that people use for days: one table for every front end.

// dayWords are the words for days, with their distance from today.
var dayWords = map[string]int{
	"yesterday": -1, "today": 0, "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2,
}

// monthForms are the forms of a day with the name of its month. Without a year it is the next one.
var monthForms = []string{"Jan 2", "January 2", "2 Jan", "2 January"}

// parts are the parts of a day, with the hours at which they begin and end. Ours, but for the
// night, which the National Weather Service counts from 6 PM to 6 AM.
var parts = map[string]struct{ from, to int }{
	"morning": {6, 12}, "afternoon": {12, 18}, "evening": {18, 24}, "night": {18, 30},
}

// phrase reads the days or the part of a day that a text names: a date, or words as people use
// them, such as saturday, next weekend, tonight or tomorrow morning.
func (r reader) phrase(text string) (point, bool) {
	text = strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(text, "_", " "))), " ")
	if day, ok := r.day(text); ok {
		p := point{first: day, last: lastMinute(day), day: true}
		if strings.HasPrefix(text, "next ") {
			p.explain(text)
		}
		return p, true
	}
	p, ok := r.week(text)
	if !ok {
		p, ok = r.part(text)
	}
	if ok {
		p.explain(text)
	}
	return p, ok
}

// explain adds a note with the span that a phrase was read as.
func (p *point) explain(phrase string) {
	const form = "Mon 2006-01-02 15:04"
	p.notes = append(p.notes, phrase+": "+p.first.Format(form)+" to "+p.last.Format(form)+".")
}

// day reads a date alone or a word for a day, and returns the day's first instant.
func (r reader) day(text string) (time.Time, bool) {
	now := r.now.In(r.zone.Location)
	if days, ok := daysAhead(text, now); ok {
		return nextDay(now, days), true
	}
	for _, form := range dayForms {
		if d, err := time.Parse(form, text); err == nil {
			return r.start(d), true
		}
	}
	return r.month(text)
}

// start returns the first instant of the civil day that is written in d.
func (r reader) start(d time.Time) time.Time {
	return DayStart(time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, r.zone.Location))
}

// month reads a day with the name of its month, such as nov 28 or 28 november 2026.
func (r reader) month(text string) (time.Time, bool) {
	text = strings.ReplaceAll(text, ",", "")
	for _, form := range monthForms {
		if d, err := time.Parse(form+" 2006", text); err == nil {
			return r.start(d), true
		}
		today := DayStart(r.now.In(r.zone.Location))
		for year := today.Year(); year <= today.Year()+8; year++ { // 29 February may be 8 years away
			d, err := time.Parse(form+" 2006", fmt.Sprintf("%s %d", text, year))
			if err == nil && !r.start(d).Before(today) {
				return r.start(d), true
			}
		}
	}
	return time.Time{}, false
}

// daysAhead reads a word for a day: one of dayWords, a weekday such as saturday, sat or this
// saturday, which is the next one, today included, next saturday, which is that of the next week
// from Monday on, or the number of days from today, such as +3 or in 3 days. It returns the
// distance of the day from that of now.
func daysAhead(text string, now time.Time) (days int, ok bool) {
	if days, ok = dayWords[text]; ok {
		return days, true
	}
	from, name := 0, strings.TrimPrefix(strings.TrimPrefix(text, "this "), "on ")
	if next, found := strings.CutPrefix(text, "next "); found {
		from, name = toMonday(now), next
	}
	for ahead := from; ahead < from+7; ahead++ {
		weekday := strings.ToLower(now.AddDate(0, 0, ahead).Weekday().String())
		if name == weekday || name == weekday[:3] {
			return ahead, true
		}
	}
	number, signed := strings.CutPrefix(text, "+")
	if count, found := strings.CutPrefix(text, "in "); found {
		number, signed = strings.CutSuffix(strings.TrimSuffix(count, "s"), " day")
	}
	n, err := strconv.ParseUint(number, 10, 16)
	return int(n), signed && err == nil
}

// toMonday returns the number of days until the next week begins: 1 to 7.
func toMonday(now time.Time) int { return 7 - int(now.Weekday()+6)%7 }

// week reads phrases of several days. The weekend is Saturday and Sunday, without what is past;
// this week has seven days from today, so that it is never shorter than what is meant.
func (r reader) week(text string) (point, bool) {
	now := r.now.In(r.zone.Location)
	monday := toMonday(now)
	days := func(first, count int) (point, bool) {
		from := nextDay(now, first)
		return point{first: from, last: lastMinute(nextDay(from, count-1)), day: true}, true
	}
	switch strings.TrimPrefix(text, "the ") {
	case "weekend", "this weekend":
		if now.Weekday() == time.Sunday {
			return days(0, 1)
		}
		return days(monday-2, 2)
	case "next weekend":
		return days(monday+5, 2)
	case "week", "this week":
		return days(0, 7)
	case "next week":
		return days(monday, 7)
	}
	return point{}, false
}

// lateNight is the hour until which tonight is the night that has begun. Ours: people who ask at
// 5 AM mean the next one.
const lateNight = 4

// part reads a part of a day, such as tonight, this evening or saturday morning.
func (r reader) part(text string) (point, bool) {
	night := strings.NewReplacer("tonight", "today night", "overnight", "today night")
	words := strings.Fields(night.Replace(text))
	if len(words) == 0 {
		return point{}, false
	}
	last := len(words) - 1
	hours, ok := parts[words[last]]
	name := strings.Join(words[:last], " ")
	if name == "this" {
		name = "today"
	}
	day, known := r.day(name)
	if !ok || !known {
		return point{}, false
	}
	if r.now.In(r.zone.Location).Hour() < lateNight && text == "tonight" {
		day = nextDay(day, -1)
	}
	at := func(hour int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, day.Location())
	}
	return point{first: at(hours.from), last: at(hours.to).Add(-time.Minute), day: true}, true
}

// NamesDay reports whether a text is a day or a phrase for days, such as saturday, 28 nov or
// tomorrow morning.
func NamesDay(text string) bool {
	_, ok := reader{Zone{Location: time.UTC}, time.Unix(0, 0)}.phrase(text)
	return ok
}
