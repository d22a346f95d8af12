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
	width float64
	place box // empty if there is no room
}

// Sizes of labels, in units: the height of two lines and of one, and the distance from the
// curve.
const (
	twoLines  = 34
	oneLine   = 20
	fromCurve = 6
)

// dotSpace is the radius of the dot of a turn, with its ring.
const dotSpace = 4.5

// minShare is the share of labels with two lines below which a side shows only the
// highest and lowest of each day, so that a week looks even. Ours.
const minShare = 0.7

// labeler finds places for labels.
type labeler struct {
	plot   *plot
	taken  boxes
	now    time.Time // position of the line that labels should not cross; zero: no line
	curve  []trace   // that labels never cross
	others []trace   // that labels cross only if there is no other place
}

// newLabel returns a label whose second line is a value with its unit.
func (l *labeler) newLabel(a label, value float64, unit string) label {
	var b [24]byte
	a.lines[0] = l.plot.keep(l.plot.clock.appendTime(b[:0], a.time))
	a.lines[1] = l.plot.keep(appendQuantity(b[:0], value, unit))
	a.width = max(room(a.lines[0], labelSize, true), room(a.lines[1], axisSize, false)) + 6
	return a
}

// placed returns the labels for which there is room, with their places. Those from now on come
// first, then those of the past.
func (l *labeler) placed(labels []label) []label {
	slices.SortStableFunc(labels, func(a, b label) int { return a.time.Compare(b.time) })
	if i := slices.IndexFunc(labels, func(a label) bool { return !a.time.Before(l.now) }); i > 0 {
		labels = append(slices.Clone(labels[i:]), labels[:i]...)
	}
	out := make([]label, 0, len(labels))
	for _, above := range []bool{true, false} {
		begin := len(out)
		for _, a := range labels {
			if a.above == above {
				out = append(out, a)
			}
		}
		out = append(out[:begin], l.side(out[begin:])...)
	}
	return slices.DeleteFunc(out, func(a label) bool { return a.place == box{} })
}

// side places the labels above or below the curve.
func (l *labeler) side(labels []label) []label {
	taken := len(l.taken)
	if full := l.placeAll(labels); float64(full) < minShare*float64(len(labels)) {
		l.taken = l.taken[:taken]
		labels = l.extremes(labels)
		l.placeAll(labels)
	}
	return labels
}

// placeAll places labels and returns the number of those with both lines.
func (l *labeler) placeAll(labels []label) (full int) {
	for i := range labels {
		b, height := l.find(labels[i])
		labels[i].place = b
		if height == 0 {
			continue
		}
		l.taken = append(l.taken, b)
		if height == twoLines {
			full++
		}
	}
	return full
}

// rule bounds what a label may cross, and how far it may be from the curve.
type rule struct {
	height      float64
	lifted      bool
	others, now bool
}

// rules lists the rules by which a label is placed, the best first.
var rules = [...]rule{
	{height: twoLines},
	{height: twoLines, lifted: true},
	{height: twoLines, others: true},
	{height: twoLines, others: true, now: true},
	{height: oneLine},
	{height: oneLine, others: true, now: true},
}

// Distances of a label from the place at its turn: sideways as shares of its width, and away
// from the curve in units.
var (
	slides = [...]float64{0.2, -0.2}
	lifts  = [...]float64{0, 8, 16, 24, 32}
)

// find returns the best free place of a label and its height, or 0.
func (l *labeler) find(a label) (place box, height float64) {
	sides := l.sides(a)
	for _, r := range rules {
		if r.lifted && !l.fits(l.box(a, sides[0], r.height, 0), rule{others: true, now: true}) {
			continue // only an observed curve moves a label: it would seem to be of another turn
		}
		heights := lifts[:1]
		if r.lifted {
			heights = lifts[1:]
		}
		for _, lift := range heights {
			for _, x := range sides {
				if b := l.box(a, x, r.height, lift); l.fits(b, r) {
					return b, r.height
				}
			}
		}
	}
	return box{}, 0
}

// sides returns the possible centers of a label, the best first: at its turn, on the near and
// on the far side of the line of now if the label would cross it there and its turn remains
// close, and next to its turn.
func (l *labeler) sides(a label) []float64 {
	const most = 14 // units between a turn and the edge of its label
	half := a.width / 2
	inside := func(x float64) float64 { return min(max(x, l.plot.x0+half), l.plot.x1-half) }
	out := append(make([]float64, 0, 8), inside(a.at.x))
	if !l.now.IsZero() {
		now, side := l.plot.x(l.now), half+fromNow
		if a.at.x < now {
			side = -side
		}
		for _, x := range [...]float64{now + side, now - side} {
			if math.Abs(out[0]-now) < half+fromNow && math.Abs(x-a.at.x) <= half+most && x == inside(x) {
				out = append(out, x)
			}
		}
	}
	for _, slide := range slides {
		out = append(out, inside(a.at.x+slide*a.width))
	}
	return out
}

// fits reports whether a label may be at a place.
func (l *labeler) fits(b box, r rule) bool {
	if !l.taken.free(b) || b.y0 < l.plot.y0-1 || b.y1 > l.plot.y1+1 || !r.now && l.crossesNow(b) {
		return false
	}
	// The letters of most fonts are narrower than their room.
	letters := box{b.x0 + 5, b.y0 + 3, b.x1 - 5, b.y1 - 2}
	crosses := func(t trace) bool { return meets(t, letters) }
	return !slices.ContainsFunc(l.curve, crosses) &&
		(r.others || !slices.ContainsFunc(l.others, crosses))
}

// fromNow is the least distance of a label from the line of now: the radius of its dot, and
// one.
const fromNow = 7

func (l *labeler) crossesNow(b box) bool {
	if l.now.IsZero() {
		return false
	}
	x := l.plot.x(l.now)
	const rounding = 1e-6
	return b.x0 < x+fromNow-rounding && x-fromNow+rounding < b.x1
}

// box returns the position of a label around x, at a distance from its turn.
func (l *labeler) box(a label, x, height, lift float64) box {
	half, apart := a.width/2, fromCurve+lift
	if a.above {
		return box{x - half, a.at.y - apart - height, x + half, a.at.y - apart}
	}
	return box{x - half, a.at.y + apart, x + half, a.at.y + apart + height}
}

// extremes returns each day's highest labels above, lowest below.
func (l *labeler) extremes(labels []label) []label {
	days := labels[:0:0]
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

// write writes labels: a line to a turn that an observed curve is before, the values, the times.
func (l *labeler) write(labels []label) {
	for _, a := range labels {
		l.lead(a)
	}
	for _, a := range labels {
		if !a.single() {
			l.text(a, a.role, a.place.y0+28, words{text: a.lines[1], size: axisSize})
		}
	}
	for _, a := range labels {
		y := a.place.y0 + 13
		if a.single() {
			y++
		}
		l.text(a, Ink, y, words{text: a.lines[0], size: labelSize, bold: true})
	}
}

// lead draws a line from a label to its turn if an observed curve is between them.
func (l *labeler) lead(a label) {
	b := a.place
	edge, begin := b.y1, a.at.y-dotSpace
	if !a.above {
		edge, begin = b.y0, a.at.y+dotSpace
	}
	if x := crisp(a.at.x); math.Abs(edge-a.at.y) > fromCurve+1 && b.x0 < x && x < b.x1 {
		l.plot.line(Soft, 1, point{x, begin}, point{x, edge})
	}
}

// single reports whether there is room for one line alone.
func (a label) single() bool { return a.place.y1-a.place.y0 < (oneLine+twoLines)/2 }

// text writes a line of a label, in the middle of its place.
func (l *labeler) text(a label, r Role, y float64, w words) {
	w.anchor, w.halo = middle, true
	l.plot.text(r, point{(a.place.x0 + a.place.x1) / 2, y}, w)
}
