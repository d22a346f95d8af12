package nws

import (
	"slices"
	"strings"
	"time"
)

// Stretch is the half-open time interval of a period, in UTC. To is after From.
type Stretch struct {
	From, To time.Time
	Known    bool // false: the time is estimated from the neighbors
}

// The software of the offices divides the day as follows: a day lasts from 06:00 to 18:00 local
// time and a night from 18:00 to 06:00, in summer and in winter. Sources are DAY and NIGHT of
// the GFE text formatters in AWIPS II. Their time descriptors also define mornings, afternoons,
// and late and early as three hours. Early and late in an evening are ours, by the same rule.
const (
	dawn     = 6
	noon     = 12
	dusk     = 18
	midnight = 24
	nextDawn = midnight + dawn
	edge     = 3 // hours of early or late
	halfDay  = 12 * time.Hour
)

// maxAhead limits the time of a period after the issue: texts cover five days, at most seven. A
// name that would be later is treated as unknown.
const maxAhead = 8 * 24 * time.Hour

// maxGap limits the gap between two periods. A longer gap results from a wrong name: MON after MON
// NIGHT is not a day of the next week. Ours.
const maxGap = 48 * time.Hour

// Times returns the time of each period, in their order. issued is the time of issue, and zone
// is the time zone of the waters; nil is UTC.
//
// The first period begins at the issue. A day of the week is the next one; a night may have begun
// at the issue. Known periods do not overlap: one that begins within another ends it (SUN, LATE
// SUN). SUN is day and night if MON comes next, and so is the last of several such days: the
// formatters write only the day for 24 hours (splitDay24HourLabel_flag). Other hours without a name
// are not covered.
//
// A name that is unknown or impossible lasts from the end of the previous period to the start of
// the next known one, as do several such names. If there is no next one, or no time between, it
// is half a day: it overlaps instead of being omitted, because its winds count.
func (s Segment) Times(issued time.Time, zone *time.Location) []Stretch {
	if zone == nil {
		zone = time.UTC
	}
	c := clock{issued.In(zone)}
	list := make([]timed, len(s.Periods))
	last := timed{} // the last known one
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
	wholeDays(list, c.issued.Add(maxAhead))
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
	day      bool      // ends with a day without a part
	days     bool      // consists of several of those
	whole    bool      // includes its night
}

// clock is the local time of issue.
type clock struct{ issued time.Time }

// place returns the time of a name after the last known period; first reports that there is none
// yet. unknown counts the names in between.
func (c clock) place(name string, last timed, first bool, unknown int) (t timed, ok bool) {
	terms := readName(name)
	begun, over, n := last.from, last.to, -1
	if first {
		begun, over = c.issued, c.issued
		n += min(unknown, 1) // only the first period can be the night that has begun at the issue
	}
	limit := over.Add(maxGap + time.Duration(unknown)*2*halfDay)
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
		!t.to.After(c.issued.Add(maxAhead)) &&
		(first || t.from.After(last.from) || t.to.After(last.to))
	t.From, t.To, t.Known = later(t.from, c.issued), t.to, true
	return t, ok
}

// next returns the first time of a term from the n-th day on. It ends after the beginning of the
// last period, so that it may be a part of it; a term without a day ends after the end of the
// last period.
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

// hour returns an hour of a day, counted from the day of issue.
func (c clock) hour(day, hour int) time.Time {
	y, m, d := c.issued.Date()
	return time.Date(y, m, d+day, hour, 0, 0, 0, c.issued.Location())
}

// fit removes the overlap of a period and the last known one. It returns false if nothing
// remains.
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

// wholeDays extends days that include their nights.
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

// guess sets the times of unknown periods between their neighbors.
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
		if n < 0 && !to.Add(halfDay).After(c.issued.Add(maxAhead)) {
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

// term is a part of a name: hours of a day, counted from its midnight, so that a night lasts from
// 18 to 30. SAT NIGHT AND SUN has two terms.
type term struct {
	of       int // a time.Weekday, or one of those below
	from, to int
}

// The days that are not days of the week.
const (
	thisDay  = 7 + iota // of the issue, or the day before, whose night may not be over
	tomorrow            // the day after the issue
	anyDay              // the next one
)

// wholeDay reports whether a term names a day without a part. TODAY never includes its night.
func (t term) wholeDay() bool { return t.of != thisDay && t.from == dawn && t.to == dusk }

// isOf reports whether a term can be on the n-th day after the issue; day is a time of that day.
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

// Words in names. Those in idle have no meaning for the time.
var (
	idle  = []string{"REST", "REMAINDER", "OF", "THE", "FOR", "DURING"}
	joins = []string{"AND", "THROUGH", "THRU", "TO", "INTO"}
	parts = map[string][2]int{
		"MORNING": {dawn, noon}, "AFTERNOON": {noon, dusk}, "EVENING": {dusk, midnight},
		"NIGHT": {dusk, nextDawn}, "TONIGHT": {dusk, nextDawn},
		"OVERNIGHT": {midnight, nextDawn},
	}
	weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

	// holidays lists the names that replace a day of the week: the names in the formatters'
	// Holidays.py, and other common ones, without DAY. A name precedes those that it contains.
	holidays = []string{
		"NEW YEARS EVE", "NEW YEARS", "MARTIN LUTHER KING JR", "MARTIN LUTHER KING", "M L KING",
		"WASHINGTONS BIRTHDAY", "PRESIDENTS",
		"MEMORIAL", "JUNETEENTH", "INDEPENDENCE", "LABOR", "COLUMBUS", "VETERANS", "THANKSGIVING",
		"CHRISTMAS EVE", "CHRISTMAS",
	}

	nameMarks = strings.NewReplacer("'", "", "’", "", ".", " ", ",", " ", "/", " AND ", "-",
		" THROUGH ")
)

// readName returns the terms of a name; nil if it is unknown.
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

// readTerm reads the words of one term: a day, a part of it, early or late. A part without a day
// is on the next possible day.
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
	return t, part || day && !slices.Contains(words, "THIS") // THIS needs a part
}

// dayOf returns the day that a word names.
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

// cutHoliday removes a holiday from the words of a term.
func cutHoliday(words []string) (rest []string, found bool) {
	text := " " + strings.Join(words, " ") + " "
	for _, holiday := range holidays {
		if before, after, ok := strings.Cut(text, " "+holiday+" "); ok {
			return strings.Fields(before + " " + strings.TrimPrefix(after, "DAY ")), true
		}
	}
	return words, false
}

// narrow returns the first or the last hours. EARLY THIS MORNING is before dawn: the formatters
// write it for the rest of the night.
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
