package chart

import (
	"math"
	"strings"
	"time"
)

// The numbers of terminal rows of charts in braille dots and in ASCII.
const (
	textRows  = 7
	asciiRows = 15
)

// Text is a series as lines for a terminal.
type Text struct {
	Series Series
	Unit   string
	Clock  Clock
}

// Lines returns the series in braille dots or in ASCII, with a width in columns and the
// numbers at the left. Without a value to draw it is empty.
func (t Text) Lines(columns int, ascii bool) string {
	p := t.Series
	if !p.drawable() {
		return ""
	}
	low, high := Tide{Predicted: p, Unit: t.Unit}.heights()
	width := max(columns-8, 10)
	g := newDots(width, textRows, 2, 4)
	if ascii {
		g = newDots(width, asciiRows, 1, 1)
	}
	g.curve(p.Values, low, high)
	var b strings.Builder
	for i := range g.rows {
		label := strings.Repeat(" ", 6)
		switch i {
		case 0:
			label = pad(Number(high, Decimals(t.Unit)))
		case g.rows - 1:
			label = pad(Number(low, Decimals(t.Unit)))
		}
		tick := "┤"
		if ascii {
			tick, label = "|", strings.Replace(label, "\u2212", "-", 1)
		}
		b.WriteString(label + tick + g.row(i, ascii) + "\n")
	}
	b.WriteString(strings.Repeat(" ", 7) + strings.TrimRight(t.hours(width), " ") + "\n")
	return b.String()
}

func pad(s string) string {
	return strings.Repeat(" ", max(0, 5-len([]rune(s)))) + s + " "
}

// hours returns the line of hours and days below a chart.
func (t Text) hours(width int) string {
	line := []rune(strings.Repeat(" ", width))
	from, to := t.Series.Start, t.Series.end()
	step := 6
	for step < 24 && float64(width)*float64(step)/to.Sub(from).Hours() < 7 {
		step *= 2
	}
	next := 0
	for _, at := range civilHours(from, to, step, t.Clock.Zone) {
		word := t.hour(at)
		x := int(float64(at.Sub(from)) / float64(to.Sub(from)) * float64(width-1))
		if x >= next && x+len(word) <= width {
			copy(line[x:], word)
			next = x + len(word) + 1
		}
	}
	return string(line)
}

func (t Text) hour(at time.Time) []rune {
	local := at.In(t.Clock.Zone)
	switch {
	case local.Hour() == 0:
		return []rune(local.Format("Mon 2"))
	case t.Clock.Twelve:
		return []rune(local.Format("3PM"))
	}
	return []rune(local.Format("15h"))
}

// dots is a picture of cells, each of several dots.
type dots struct {
	columns, rows int
	perX, perY    int // dots in a cell
	cells         []rune
}

func newDots(columns, rows, perX, perY int) *dots {
	return &dots{columns, rows, perX, perY, make([]rune, columns*rows)}
}

// braille has the bits of the dots of a braille cell (Unicode 16, Braille Patterns).
var braille = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (d *dots) set(x, y int) {
	d.cells[y/d.perY*d.columns+x/d.perX] |= braille[y%d.perY][x%d.perX]
}

// curve draws values from left to right, without gaps between consecutive dots. A missing
// value leaves a gap.
func (d *dots) curve(values []float64, low, high float64) {
	across, down := d.columns*d.perX, d.rows*d.perY
	before := -1
	for x := range across {
		v := values[x*(len(values)-1)/(across-1)]
		if !finite(v) {
			before = -1
			continue
		}
		y := int(math.Round((high - v) / (high - low) * float64(down-1)))
		from, to := y, y
		switch {
		case before >= 0 && before < y-1:
			from = before + 1
		case before > y+1:
			to = before - 1
		}
		for ; from <= to; from++ {
			d.set(x, from)
		}
		before = y
	}
}

func (d *dots) row(i int, ascii bool) string {
	var b strings.Builder
	for _, cell := range d.cells[i*d.columns : (i+1)*d.columns] {
		switch {
		case !ascii:
			b.WriteRune(0x2800 + cell)
		case cell != 0:
			b.WriteByte('*')
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}

var blocks = []rune("▁▂▃▄▅▆▇█")

// Sparkline returns a series in one line with a number of characters; a missing value is a
// space.
func Sparkline(s Series, columns int) string {
	if !s.drawable() || columns < 2 {
		return ""
	}
	low, high := Tide{Predicted: s}.heights()
	var b strings.Builder
	for x := range columns {
		v := s.Values[x*(len(s.Values)-1)/(columns-1)]
		if !finite(v) {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(blocks[min(int((v-low)/(high-low)*float64(len(blocks))), len(blocks)-1)])
	}
	return b.String()
}
