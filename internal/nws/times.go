package nws

import (
	"slices"
	"strings"
	"time"
)

// Stretch is when a period runs, in UTC: To is not in it, and is after From.
type Stretch struct {
	From, To time.Time
	Known    bool // false: the name does not say when, so it lies between its neighbours
}

// The offices' own software parts the day so: a day runs from 06:00 to 18:00
// local time and a night from 18:00 to 06:00, in summer and in winter (DAY
// and NIGHT of the GFE text formatters in AWIPS II, whose time descriptors
// also have the mornings, the afternoons, and that late and early are three
// hours). Early and late in an evening are ours, by the same measure.
const (
	dawn     = 6
	noon     = 12
	dusk     = 18
	midnight = 24
	nextDawn = midnight + dawn
	edge     = 3 // hours that are early or late
	halfDay  = 12 * time.Hour
)

// reach is how far a text can speak: five days mostly, seven at most. A name
// that would lie beyond is not believed.
const reach = 8 * 24 * time.Hour

// leap is the longest silence between two periods that is believed. A longer
// one comes of a wrong name: MON after MON NIGHT is no day of the next week.
// Ours.
const leap = 48 * time.Hour

// Times tells when each of the periods runs, in their order. issued is when
// the bulletin was issued, zone that of the waters; without one it is UTC.
//
// The first period begins at the issue. A day of the week is the next one; a
// night may be running at the issue. Known periods do not overlap: one that
// begins within another ends it (SUN, LATE SUN). SUN is day and night where
// MON comes next, and so is the last of several such days: the formatters
// write the day alone for 24 hours (splitDay24HourLabel_flag). Other hours
// that no name covers stay uncovered.
//
// A name that is not known, or that cannot be true, runs from the end of the
// period before to the beginning of the next known one, several of them all
// that while. Where there is no next one, or no room, it is half a day: it
// overlaps rather than being left out, since its winds count.
func (s Segment) Times(issued time.Time, zone *time.Location) []Stretch {
	if zone == nil {
		zone = time.UTC
	}
	c := clock{issued.In(zone)}
	list := make([]timed, len(s.Periods))
	last := timed{} // the last that is known
	at := -1        // and its place
	for i, p := range s.Periods {
		t, ok := c.place(p.Name, last, at < 0, i-at-1)
		if !ok || !t.fit(list, at) {
			continue
		}
		if i == 0 {
			t.From = c.issued
		}
		list[i], last, at = t, t, i
	}
	wholeDays(list, c.issued.Add(reach))
	c.guess(list)
	out := make([]Stretch, len(list))
	for i, t := range list {
		out[i] = Stretch{t.From.UTC(), t.To.UTC(), t.Known}
	}
	return out
}

// timed is a period on the clock.
type timed struct {
	Stretch
	from, to time.Time // by its name alone
	day      bool      // it ends with a day that is named without a part
	days     bool      // and is several of those
	whole    bool      // it was found to have its night in it
}

// clock is the local time of issue.
type clock struct{ issued time.Time }

// place finds the time that a name means after the last known period, of
// which it is the first where there was none. unknown counts the names between.
func (c clock) place(name string, last timed, first bool, unknown int) (t timed, ok bool) {
	terms := readName(name)
	begun, over, n := last.from, last.to, -1
	if first {
		begun, over = c.issued, c.issued
		n += min(unknown, 1) // the night that runs at the issue is the first period or none
	}
	limit := over.Add(leap + time.Duration(unknown)*2*halfDay)
	t.days = len(terms) > 1
	for i, term := range terms {
		from, to, ok := c.next(term, begun, over, n)
		if !ok {
			return t, false
		}
		if i == 0 {
			t.from = from
		}
		t.to, begun, over = to, to, to
		t.day = term.wholeDay()
		t.days = t.days && t.day
	}
	ok = len(terms) > 0 && t.to.After(c.issued) && !t.from.After(limit) &&
		!t.to.After(c.issued.Add(reach)) &&
		(first || t.from.After(last.from) || t.to.After(last.to))
	t.From, t.To, t.Known = later(t.from, c.issued), t.to, true
	return t, ok
}

// next is the first time that a term can mean: one that ends after the last
// period began, so that it may be a part of it; a day without a name of its
// own ends after the last was over. It looks from the n-th day on.
func (c clock) next(t term, begun, over time.Time, n int) (from, to time.Time, ok bool) {
	if t.of == anyDay {
		begun = over
	}
	for ; n <= 9; n++ { // a week, and a day at either end
		from, to = c.hour(n, t.from), c.hour(n, t.to)
		if t.isOf(n, c.hour(n, noon)) && to.After(begun) {
			return from, to, true
		}
	}
	return from, to, false
}

// hour is an hour of a day, counted from the day of issue.
func (c clock) hour(day, hour int) time.Time {
	y, m, d := c.issued.Date()
	return time.Date(y, m, d+day, hour, 0, 0, 0, c.issued.Location())
}

// fit makes room between a period and the last known one. It reports false
// where there is none.
func (t *timed) fit(list []timed, last int) bool {
	if last < 0 {
		return true
	}
	before := &list[last]
	switch {
	case t.From.After(before.From):
		if t.From.Before(before.To) {
			before.To = t.From
		}
	default:
		t.From = before.To
	}
	return t.From.Before(t.To)
}

// wholeDays adds the nights to days that have them in them.
func wholeDays(list []timed, limit time.Time) {
	for i := range list {
		t := &list[i]
		if !t.Known || !t.day || !t.To.Equal(t.to) {
			continue
		}
		y, m, d := t.to.Date()
		morning := time.Date(y, m, d+1, dawn, 0, 0, 0, t.to.Location())
		if i+1 < len(list) {
			t.whole = list[i+1].Known && list[i+1].From.Equal(morning)
		} else {
			t.whole = t.days || i > 0 && list[i-1].whole
		}
		if t.whole && !morning.After(limit) {
			t.To = morning
		}
	}
}

// guess gives the periods that have no time one between their neighbours.
func (c clock) guess(list []timed) {
	from := c.issued
	for i := 0; i < len(list); i++ {
		if list[i].Known {
			from = list[i].To
			continue
		}
		n := slices.IndexFunc(list[i:], func(t timed) bool { return t.Known })
		to := from.Add(halfDay)
		if n > 0 && list[i+n].From.After(from) {
			to = list[i+n].From
		}
		list[i].From, list[i].To = from, to
		if n < 0 && !to.Add(halfDay).After(c.issued.Add(reach)) {
			from = to
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// term is a part of a name: hours of some day, counted from its midnight, so
// that a night runs from 18 to 30. SAT NIGHT AND SUN has two of them.
type term struct {
	of       int // a time.Weekday, or one of those below
	from, to int
}

// The days that are not days of the week.
const (
	thisDay  = 7 + iota // of the issue, or the day before, of which the night may be running
	tomorrow            // the day after the issue
	anyDay              // whichever comes next
)

// wholeDay reports whether a term names a day and no part of it. TODAY never
// has its night in it.
func (t term) wholeDay() bool { return t.of != thisDay && t.from == dawn && t.to == dusk }

// isOf reports whether a term can be of the n-th day from the issue on, by a
// time of that day.
func (t term) isOf(n int, day time.Time) bool {
	switch t.of {
	case thisDay:
		return n <= 0
	case tomorrow:
		return n == 1
	case anyDay:
		return true
	}
	return int(day.Weekday()) == t.of
}

// Words of names. Those in idle say nothing of when.
var (
	idle  = []string{"REST", "REMAINDER", "OF", "THE", "FOR", "DURING"}
	joins = []string{"AND", "THROUGH", "THRU", "TO", "INTO"}
	parts = map[string][2]int{
		"MORNING": {dawn, noon}, "AFTERNOON": {noon, dusk}, "EVENING": {dusk, midnight},
		"NIGHT": {dusk, nextDawn}, "TONIGHT": {dusk, nextDawn},
		"OVERNIGHT": {midnight, nextDawn},
	}
	weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

	// holidays stand for the day of the week: those of the formatters'
	// Holidays.py, and others of the law or of habit. DAY is cut off. A name
	// stands before those that it holds.
	holidays = []string{
		"NEW YEARS EVE", "NEW YEARS", "MARTIN LUTHER KING JR", "MARTIN LUTHER KING", "M L KING",
		"WASHINGTONS BIRTHDAY", "PRESIDENTS",
		"MEMORIAL", "JUNETEENTH", "INDEPENDENCE", "LABOR", "COLUMBUS", "VETERANS", "THANKSGIVING",
		"CHRISTMAS EVE", "CHRISTMAS",
	}

	nameMarks = strings.NewReplacer("'", "", "’", "", ".", " ", ",", " ", "/", " AND ", "-",
		" THROUGH ")
)

// readName takes a name apart; nil where it is not known.
func readName(name string) []term {
	var terms []term
	var words []string
	for _, word := range append(strings.Fields(nameMarks.Replace(strings.ToUpper(name))), "AND") {
		switch {
		case slices.Contains(joins, word):
			t, ok := readTerm(words)
			if !ok {
				return nil
			}
			terms, words = append(terms, t), nil
		case !slices.Contains(idle, word):
			words = append(words, word)
		}
	}
	return terms
}

// readTerm reads the words of one term: a day, a part of it, early or late.
// A part alone is of whichever day it is next.
func readTerm(words []string) (t term, ok bool) {
	words, day := cutHoliday(words)
	t.of = anyDay
	hours, part, early, late := [2]int{dawn, dusk}, false, false, false
	for _, word := range words {
		of, isDay := dayOf(word)
		h, isPart := parts[word]
		switch {
		case isDay && day || isPart && part:
			return t, false // two of them
		case isDay || isPart:
		case word == "EARLY":
			early = true
		case word == "LATE" || word == "LATER":
			late = true
		default:
			return t, false
		}
		if isDay {
			t.of, day = of, true
		}
		if isPart {
			hours, part = h, true
		}
	}
	if !day && hours == parts["OVERNIGHT"] {
		t.of = thisDay
	}
	t.from, t.to = narrow(hours, early, late)
	return t, part || day && !slices.Contains(words, "THIS") // it needs a part
}

// dayOf is the day that a word names.
func dayOf(word string) (of int, ok bool) {
	switch word {
	case "THIS", "TODAY", "TONIGHT":
		return thisDay, true
	case "TOMORROW":
		return tomorrow, true
	}
	for i, day := range weekdays { // SUN, TUES, THUR, THURSDAY
		if len(word) >= 3 && strings.HasPrefix(day, word) {
			return i, true
		}
	}
	return 0, false
}

// cutHoliday cuts a holiday out of the words of a term.
func cutHoliday(words []string) (rest []string, found bool) {
	text := " " + strings.Join(words, " ") + " "
	for _, holiday := range holidays {
		if before, after, ok := strings.Cut(text, " "+holiday+" "); ok {
			return strings.Fields(before + " " + strings.TrimPrefix(after, "DAY ")), true
		}
	}
	return words, false
}

// narrow takes the first or the last hours. EARLY THIS MORNING is before
// dawn: the formatters write it for what is left of the night.
func narrow(hours [2]int, early, late bool) (from, to int) {
	switch {
	case early && hours == parts["MORNING"]:
		return 0, dawn
	case early:
		return hours[0], hours[0] + edge
	case late:
		return hours[1] - edge, hours[1]
	}
	return hours[0], hours[1]
}
