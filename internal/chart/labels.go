package chart

import (
	"math"
	"slices"
	"time"
)

// label describes a turn of a curve: its time, and below it its value.
type label struct {
	time  time.Time
	at    point
	above bool
	value float64 // orders the labels of a day
	role  Role    // of the second line
	lines [2]string
}

// Sizes of labels, in units: the height of two lines and of one, and the distance from the
// curve.
const (
	twoLines  = 34
	oneLine   = 20
	fromCurve = 6
)

// minShare is the share of labels with two lines below which a side shows only the
// highest and lowest of each day, so that a week looks even. Ours.
const minShare = 0.7

// labeler finds places for labels.
type labeler struct {
	plot  *plot
	taken boxes
	now   time.Time // position of the line that labels must not cross; zero: no line
}

// put writes the labels for which there is room. Those from now on come first, then
// those of the past.
func (l *labeler) put(labels []label) {
	slices.SortStableFunc(labels, func(a, b label) int { return a.time.Compare(b.time) })
	if i := slices.IndexFunc(labels, func(a label) bool { return !a.time.Before(l.now) }); i > 0 {
		labels = append(slices.Clone(labels[i:]), labels[:i]...)
	}
	for _, above := range []bool{true, false} {
		side := slices.DeleteFunc(slices.Clone(labels), func(a label) bool { return a.above != above })
		l.side(side)
	}
}

// side writes the labels above or below the curve.
func (l *labeler) side(labels []label) {
	places, taken, full := l.place(labels)
	if float64(full) < minShare*float64(len(labels)) {
		labels = l.extremes(labels)
		places, taken, _ = l.place(labels)
	}
	l.taken = taken
	for i, b := range places {
		l.write(labels[i], b)
	}
}

// place returns a box for each label, which is empty if there is no room, all occupied boxes,
// and the number of labels with both lines.
func (l *labeler) place(labels []label) (places []box, taken boxes, full int) {
	taken = slices.Clone(l.taken)
	for _, a := range labels {
		two := l.box(a, twoLines)
		one := l.box(a, oneLine)
		switch {
		case taken.take(two):
			places = append(places, two)
			full++
		case taken.take(one):
			places = append(places, one)
		default:
			places = append(places, box{})
		}
	}
	return places, taken, full
}

// box returns the position of a label of a given height: at its turn, within the plot and
// clear of the line of now.
func (l *labeler) box(a label, height float64) box {
	width := labelWidth(a)
	x := min(max(a.at.x, l.plot.x0+width/2), l.plot.x1-width/2)
	if !l.now.IsZero() {
		x = l.clear(a.at.x, x, width)
	}
	if a.above {
		return box{x - width/2, a.at.y - fromCurve - height, x + width/2, a.at.y - fromCurve}
	}
	return box{x - width/2, a.at.y + fromCurve, x + width/2, a.at.y + fromCurve + height}
}

func labelWidth(a label) float64 {
	return max(room(a.lines[0], labelSize, true), room(a.lines[1], axisSize, false)) + 6
}

// clear moves a label that the line of now would cross to the near side of it, if its turn
// remains close.
func (l *labeler) clear(turn, x, width float64) float64 {
	const apart, close = 4, 6
	now := l.plot.x(l.now)
	if math.Abs(x-now) >= width/2+apart || math.Abs(turn-now) <= 3 {
		return x
	}
	side := now + width/2 + apart
	if turn < now {
		side = now - width/2 - apart
	}
	inside := side-width/2 >= l.plot.x0 && side+width/2 <= l.plot.x1
	if inside && math.Abs(side-turn) <= width/2+close {
		return side
	}
	return x
}

// extremes returns each day's highest labels above, lowest below.
func (l *labeler) extremes(labels []label) []label {
	var days []label
	for _, a := range labels {
		i := slices.IndexFunc(days, func(d label) bool { return l.sameDay(a.time, d.time) })
		switch {
		case i < 0:
			days = append(days, a)
		case a.above == (a.value > days[i].value):
			days[i] = a
		}
	}
	return days
}

func (l *labeler) sameDay(a, b time.Time) bool {
	y1, m1, d1 := a.In(l.plot.clock.Zone).Date()
	y2, m2, d2 := b.In(l.plot.clock.Zone).Date()
	return y1 == y2 && m1 == m2 && d1 == d2
}

func (l *labeler) write(a label, b box) {
	if b == (box{}) {
		return
	}
	x, first := (b.x0+b.x1)/2, b.y0+13
	if b.y1-b.y0 < (oneLine+twoLines)/2 {
		first = b.y0 + 14
	} else {
		l.plot.text(a.role, point{x, b.y0 + 28},
			words{text: a.lines[1], size: axisSize, anchor: middle, halo: true})
	}
	l.plot.text(Ink, point{x, first},
		words{text: a.lines[0], size: labelSize, bold: true, anchor: middle, halo: true})
}
