package nws

import (
	"slices"
	"strings"
	"time"
)

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
		"MORNING": {dawn, noon}, "AFTERNOON": {noon, dusk}, "EVENING": {dusk, midnight}, "NIGHT": {dusk, nextDawn}, "TONIGHT": {dusk, nextDawn},
		"OVERNIGHT": {midnight, nextDawn},
	}
	weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

	// holidays stand for the day of the week: those of the formatters'
	// Holidays.py, and others of the law or of habit. DAY is cut off. A name
	// stands before those that it holds.
	holidays = []string{
		"NEW YEARS EVE", "NEW YEARS", "MARTIN LUTHER KING JR", "MARTIN LUTHER KING", "M L KING", "WASHINGTONS BIRTHDAY", "PRESIDENTS",
		"MEMORIAL", "JUNETEENTH", "INDEPENDENCE", "LABOR", "COLUMBUS", "VETERANS", "THANKSGIVING", "CHRISTMAS EVE", "CHRISTMAS",
	}

	nameMarks = strings.NewReplacer("'", "", "’", "", ".", " ", ",", " ", "/", " AND ", "-", " THROUGH ")
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
