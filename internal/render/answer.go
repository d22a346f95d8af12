package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Answer collects what a result says, and writes it in two forms: as text for people and models,
// and as JSON for models that are shown no text. Both have the same sentence, rows and lines, since
// each is collected once. The zero Answer is empty.
type Answer struct {
	text    []byte
	summary string   // the first line
	lines   []string // all others, but what members have
	tables  []table
	members []member
}

// table is a list of rows of the JSON form.
type table struct {
	title string // the line that introduces it, if that ends with a colon
	rows  [][]Cell
	// columns names the cells of each row with their units.
	columns []string
	times   []string // of rows that begin with their time of day; nil for other rows
	days    []day    // of these
}

// day is a run of rows on one date in one zone.
type day struct {
	date, zone string
	rows       int
}

type member struct {
	name string
	json []byte
}

// Text returns the answer as text.
func (a *Answer) Text() []byte { return a.text }

// Line appends a line. Callers must pass provider values through Escape.
func (a *Answer) Line(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	a.Write(line)
	switch {
	case a.summary == "":
		a.summary = line
	case line != "":
		a.lines = append(a.lines, line)
	}
}

// Write appends a line to the text alone. A member has the same for JSON.
func (a *Answer) Write(line string) {
	if a.text == nil {
		a.text = make([]byte, 0, 1024) // enough for two days of high and low water
	}
	a.text = append(append(a.text, line...), '\n')
}

// Member adds a member to the JSON form alone. The text has the same in a line.
func (a *Answer) Member(name string, value any) {
	if text, ok := value.(string); ok {
		a.members = append(a.members, member{name, coast.AppendJSON(nil, text)})
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("render: member %s: %v", name, err)) // plain values
	}
	a.members = append(a.members, member{name, text})
}

// Gap appends an empty line to the text, unless it is empty or ends with one.
func (a *Answer) Gap() {
	if n := len(a.text); n > 1 && a.text[n-2] != '\n' {
		a.text = append(a.text, '\n')
	}
}

// Days appends n rows, each of which begins with its time of day. A line with the date and the
// abbreviation of the zone precedes the rows of each day, and those after a change of the clock.
// Columns name the cells of a row, without the time, and their units.
func (a *Answer) Days(columns []string, n int, row func(i int) (at time.Time, cells []Cell)) {
	t := a.newTable(columns)
	t.rows, t.times = make([][]Cell, 0, n), make([]string, 0, n)
	of, in := -1, ""
	for i := range n {
		at, cells := row(i)
		zone, _ := at.Zone()
		if date := 1000*at.Year() + at.YearDay(); date != of || zone != in {
			of, in = date, zone
			t.days = append(t.days, day{date: at.Format("Mon 2006-01-02"), zone: Zone(at)})
			a.Gap()
			a.Write(Day(at))
		}
		t.days[len(t.days)-1].rows++
		begin := len(a.text)
		a.text = at.AppendFormat(a.text, "15:04")
		t.times = append(t.times, string(a.text[begin:]))
		a.row(&t, cells)
	}
	a.tables = append(a.tables, t)
}

// Rows appends n rows. Columns name their cells and the units.
func (a *Answer) Rows(columns []string, n int, row func(i int) []Cell) {
	t := a.newTable(columns)
	for i := range n {
		begin := len(a.text)
		a.row(&t, row(i))
		a.text = append(a.text[:begin], bytes.TrimLeft(a.text[begin:], " ")...)
	}
	a.tables = append(a.tables, t)
}

// newTable returns a table whose title is the line before it, if that introduces it.
func (a *Answer) newTable(columns []string) table {
	t := table{columns: columns}
	if last := len(a.lines) - 1; last >= 0 && strings.HasSuffix(a.lines[last], ":") {
		t.title, a.lines = a.lines[last], a.lines[:last]
	}
	return t
}

func (a *Answer) row(t *table, cells []Cell) {
	t.rows = append(t.rows, cells)
	for _, c := range cells {
		a.text = c.appendText(a.text)
	}
	a.text = append(a.text, '\n')
}

// Cell is a value of a row. In the text it follows a space, unless As says otherwise. The zero Cell
// is a value that is not known or does not apply: the text does not have it.
type Cell struct {
	text          string // of the value, or in its place
	kind          kind
	before, after string // in the text, if as
	as            bool
}

// kind says how a cell is written in JSON.
type kind uint8

const (
	null kind = iota
	word
	figure
)

// Word returns a text as a cell; "" is the zero Cell.
func Word(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{text: s, kind: word}
}

// Figure returns a number with the given number of decimals as a cell.
func Figure(v float64, decimals int) Cell { return Cell{text: Number(v, decimals), kind: figure} }

// FigureOf returns a number as Figure does, and "-" in the text if there is none.
func FigureOf(v *float64, decimals int) Cell {
	if v == nil {
		return Cell{text: "-"}
	}
	return Figure(*v, decimals)
}

// Value returns a number with at most the given number of decimals as a cell, and "-" in the text
// if there is none.
func Value(v *float64, decimals int) Cell {
	if v == nil {
		return Cell{text: "-"}
	}
	return Cell{text: Short(*v, decimals), kind: figure}
}

// Instead returns a cell without a value, with words in the text that say so.
func Instead(words string) Cell { return Cell{text: words} }

// As returns the cell with another text, whose %s is that of the value: ", then %s". The zero Cell
// remains.
func (c Cell) As(format string) Cell {
	if c.text != "" {
		c.before, c.after, _ = strings.Cut(format, "%s")
		c.as = true
	}
	return c
}

// appendText appends what the cell is in a line of text.
func (c Cell) appendText(b []byte) []byte {
	switch {
	case c.text == "":
		return b
	case c.as:
		return append(append(append(b, c.before...), c.text...), c.after...)
	}
	return append(append(b, ' '), c.text...)
}

// appendJSON appends the value.
func (c Cell) appendJSON(b []byte) []byte {
	switch c.kind {
	case word:
		return coast.AppendJSON(b, c.text)
	case figure:
		return append(b, c.text...)
	}
	return append(b, "null"...)
}

// JSON returns the answer as a JSON object. A single table has its members at the top; several are
// a list. Columns without a value are left out, and so are the values that a row does not have at
// its end.
func (a *Answer) JSON() []byte {
	b := append(make([]byte, 0, 2*len(a.text)), `{"summary":`...)
	b = coast.AppendJSON(b, a.summary)
	if len(a.lines) > 0 {
		b = append(b, `,"lines":`...)
		b = appendStrings(b, a.lines)
	}
	if len(a.tables) == 1 {
		b = a.tables[0].append(append(b, ','))
	} else if len(a.tables) > 1 {
		b = append(b, `,"tables":[`...)
		for i, t := range a.tables {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(t.append(append(b, '{')), '}')
		}
		b = append(b, ']')
	}
	for _, m := range a.members {
		b = append(append(append(append(b, `,"`...), m.name...), `":`...), m.json...)
	}
	return append(b, '}')
}

// append appends the members of a table.
func (t table) append(b []byte) []byte {
	if t.title != "" {
		b = append(coast.AppendJSON(append(b, `"title":`...), t.title), ',')
	}
	used := t.used()
	var names []string
	if t.times != nil {
		names = append(names, "time")
	}
	for i, name := range t.columns {
		if used[i] {
			names = append(names, name)
		}
	}
	b = appendStrings(append(b, `"columns":`...), names)
	if t.times == nil {
		return appendRows(append(b, `,"rows":`...), nil, t.rows, used)
	}
	b = append(b, `,"days":[`...)
	first := 0
	for i, d := range t.days {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"date":"%s","zone":"%s","rows":`, d.date, d.zone)
		next := first + d.rows
		b = append(appendRows(b, t.times[first:next], t.rows[first:next], used), '}')
		first = next
	}
	return append(b, ']')
}

// used reports which columns have a value in any row.
func (t table) used() []bool {
	used := make([]bool, len(t.columns))
	for _, row := range t.rows {
		for i, c := range row {
			used[i] = used[i] || c.kind != null
		}
	}
	return used
}

// appendRows appends rows, each with its time before it if there are times.
func appendRows(b []byte, times []string, rows [][]Cell, used []bool) []byte {
	b = append(b, '[')
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		for len(row) > 0 && row[len(row)-1].kind == null {
			row = row[:len(row)-1]
		}
		b = append(b, '[')
		first := true
		if times != nil {
			b, first = coast.AppendJSON(b, times[i]), false
		}
		for j, c := range row {
			if !used[j] {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = c.appendJSON(b)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = coast.AppendJSON(b, s)
	}
	return append(b, ']')
}
