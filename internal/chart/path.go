package chart

import (
	"math"
	"strconv"
)

// pathData is the text of a path in SVG: commands with numbers in tenths of a unit. Points are
// relative to the rounded one before, so that the errors of rounding do not add up.
type pathData struct {
	text     []byte
	command  byte
	fraction bool // the last number has a decimal point
	x, y     int  // the end of the path, in tenths
}

func inTenths(v float64) int { return int(math.Round(v * 10)) }

// move begins a part of the path.
func (p *pathData) move(to point) {
	p.end(to)
	p.command = 0 // a second pair of numbers would be a line
	p.write('M', p.x, p.y)
}

// line appends a straight line.
func (p *pathData) line(to point) {
	switch dx, dy := p.to(to); {
	case dx == 0 && dy == 0:
		return
	case dy == 0:
		p.write('h', dx)
	case dx == 0:
		p.write('v', dy)
	default:
		p.write('l', dx, dy)
	}
	p.end(to)
}

// lines appends straight lines through points.
func (p *pathData) lines(through ...point) {
	for _, to := range through {
		p.line(to)
	}
}

// trace appends lines through points or, with a tolerance, a trace: a spline or, where that is
// longer, lines that are so far from its samples at most.
func (p *pathData) trace(t trace, tolerance float64) {
	p.move(t[0])
	if tolerance == 0 {
		p.lines(t[1:]...)
		return
	}
	p.line(t[1])
	samples := t.samples()
	if s, ok := splineOf(samples, tolerance); ok {
		s.appendTo(p)
	} else {
		for at := 0; at < len(samples)-1; {
			at = reach(samples, at, tolerance)
			p.line(samples[at])
		}
	}
	p.line(t[len(t)-1])
}

// cubic appends a cubic with two control points.
func (p *pathData) cubic(after, before, to point) {
	x1, y1 := p.to(after)
	x2, y2 := p.to(before)
	x, y := p.to(to)
	p.write('c', x1, y1, x2, y2, x, y)
	p.end(to)
}

// smooth appends a cubic that continues the one before it: its first control point mirrors the
// last one.
func (p *pathData) smooth(before, to point) {
	x2, y2 := p.to(before)
	x, y := p.to(to)
	p.write('s', x2, y2, x, y)
	p.end(to)
}

// close appends a line to the beginning of the part.
func (p *pathData) close() { p.write('z') }

// to returns the distance of a point from the end of the path.
func (p *pathData) to(q point) (dx, dy int) { return inTenths(q.x) - p.x, inTenths(q.y) - p.y }

func (p *pathData) end(q point) { p.x, p.y = inTenths(q.x), inTenths(q.y) }

// write appends a command. Commands of a kind that follow each other share a letter. A
// letter, a sign or a second decimal point separates numbers; otherwise a blank does.
func (p *pathData) write(command byte, numbers ...int) {
	if command != p.command {
		p.text = append(p.text, command)
		p.command, p.fraction = command, false
	}
	for _, n := range numbers {
		last := p.text[len(p.text)-1]
		point := n > 0 && n < 10 && p.fraction
		if n >= 0 && !point && last >= '0' && last <= '9' {
			p.text = append(p.text, ' ')
		}
		p.text = appendTenths(p.text, n)
		p.fraction = n%10 != 0
	}
}

// appendTenths appends a number of tenths without a leading zero.
func appendTenths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 10 || n == 0 {
		b = strconv.AppendInt(b, int64(n/10), 10)
	}
	if n%10 != 0 {
		b = append(b, '.', byte('0'+n%10))
	}
	return b
}
