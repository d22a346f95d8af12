package render

import (
	"fmt"
	"strings"
	"time"
)

// Text builds the text of a result for people and models: a sentence, rows under the days to
// which they belong, and lines about them. The zero Text is empty.
type Text struct{ b []byte }

// Bytes returns the text.
func (t *Text) Bytes() []byte { return t.b }

// Line appends a line. Values that come from a provider are passed through Escape.
func (t *Text) Line(format string, args ...any) {
	t.b = append(fmt.Appendf(t.b, format, args...), '\n')
}

// Gap appends an empty line, unless the text is empty or ends with one.
func (t *Text) Gap() {
	if n := len(t.b); n > 1 && t.b[n-2] != '\n' {
		t.b = append(t.b, '\n')
	}
}

// Days appends n rows, which begin with their time of day. A line with the date and the
// abbreviation of the zone precedes the rows of each day, and those after a change of the clock.
func (t *Text) Days(n int, row func(i int) (at time.Time, cells string)) {
	var header string
	for i := range n {
		at, cells := row(i)
		if day := Day(at); day != header {
			header = day
			t.Gap()
			t.Line("%s", day)
		}
		t.Line("%s %s", at.Format("15:04"), cells)
	}
}

// Day returns the date of a time and the abbreviation of its zone: Sun 2026-11-22 EST.
func Day(at time.Time) string { return at.Format("Mon 2006-01-02 MST") }

// Clock returns the time of day for a sentence, with the abbreviation of its zone, and the date
// unless it is that of now: 8:36 AM EST, 9:22 AM EST on Mon 23 Nov.
func Clock(at, now time.Time) string {
	clock := at.Format("3:04 PM MST")
	if day := now.In(at.Location()); at.YearDay() == day.YearDay() && at.Year() == day.Year() {
		return clock
	}
	return clock + " on " + at.Format("Mon 2 Jan")
}

// Number returns a number with at most the given number of decimals.
func Number(v float64, decimals int) string {
	s := fmt.Sprintf("%.*f", decimals, v)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-") // minus zero
	}
	return s
}

// Escape returns a provider's text so that it is nothing but text on one line.
func Escape(s string) string { return string(appendText(nil, s)) }

// Body appends v, a struct of the layout's type, without the fields named: a line for each
// field that has a value, then a table for each list of rows.
func (t *Text) Body(l *Layout, v any, except ...string) {
	t.b = l.appendBody(t.b, v, except)
}
