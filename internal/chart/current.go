package chart

import (
	"math"
	"slices"
	"time"
)

// Turn is an event of a tidal current.
type Turn struct {
	Time  time.Time
	Kind  TurnKind
	Speed float64 // without sign; 0 at slack
}

// TurnKind is the kind of a Turn.
type TurnKind string

// The kinds of turns.
const (
	MaxFlood TurnKind = "flood"
	MaxEbb   TurnKind = "ebb"
	Slack    TurnKind = "slack"
)

// Current has the data of a chart of a predicted current.
type Current struct {
	Station  string
	Unit     string
	Clock    Clock
	Series   Series // along the channel, flood positive
	Turns    []Turn
	Weak     []Span // slack windows: the speed is below a limit
	Daylight Daylight
	Now      time.Time // zero outside the span
	Source   string
}

// leastSpeed is the least range of speeds on either side of a chart, so that a weak current
// looks weak. Ours.
const leastSpeed = 0.3

// Draw lays out the chart: flood above the line of no current, ebb below it.
func (c Current) Draw(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: "Predicted tidal current at " + c.Station}
	if !c.Series.drawable() {
		return s.empty("There are no predictions to draw.")
	}
	d := c.layout(s, size)
	labels := d.labels()
	sides := d.sides()
	d.ground(c.Daylight)
	d.grid(d.scale, 34, math.Inf(-1), func(b []byte, v float64, decimals int) []byte {
		return appendNumber(b, math.Abs(v), decimals)
	})
	d.hours(d.labeler.taken)
	d.water()
	d.timeWords()
	d.axisWords()
	d.slacks()
	for _, side := range sides {
		d.add(side)
	}
	d.labeler.write(labels)
	if size.Framed {
		s.frame(c.Station, c.Source, d.clock.zones(d.from, d.to), s.subject("predicted current"))
	}
	s.Desc = c.describe()
	s.Data = d.data()
	return s
}

// currentPlot is a chart of a current while it is drawn.
type currentPlot struct {
	*plot
	scale
	Current
	labeler labeler
}

func (c Current) layout(s *Scene, size Size) *currentPlot {
	d := &currentPlot{Current: c}
	d.plot = newPlot(s, size.margins(26, 44), c.Clock, c.Series.Start, c.Series.end())
	flood, ebb := leastSpeed, leastSpeed
	for _, v := range c.Series.Values {
		if finite(v) {
			flood, ebb = max(flood, v), max(ebb, -v)
		}
	}
	for _, t := range c.Turns {
		switch {
		case !finite(t.Speed):
		case t.Kind == MaxFlood:
			flood = max(flood, t.Speed)
		case t.Kind == MaxEbb:
			ebb = max(ebb, t.Speed)
		}
	}
	d.perUnit = (d.y1 - d.y0 - 2*curveRoom) / (flood + ebb)
	d.zero = d.y0 + curveRoom + flood*d.perUnit
	if !d.contains(c.Now) {
		d.Now = time.Time{}
	}
	if d.perUnit*speedStep > visibleStep {
		d.Series = d.Series.smooth()
	}
	d.labeler.plot, d.labeler.now = d.plot, d.Now
	d.labeler.curve = d.traces(d.Series, d.y)
	return d
}

// Speeds are rounded to speedStep, so a curve may be a quarter of it from its samples. Where a step
// is taller than visibleStep, in units, a weak current would be drawn as a staircase. Ours.
const (
	speedStep   = 0.01
	visibleStep = 0.5
)

// smooth returns the series with the mean of nine neighbors, of as many as there are on both
// sides, in place of each value. At steps of 6 minutes it takes 1 % from the peak of a tide of
// 12 hours: for currents that need it, less than the rounding of their speeds.
func (s Series) smooth() Series {
	const side = 4
	values := make([]float64, len(s.Values))
	for i := range values {
		reach := min(side, i, len(values)-1-i)
		sum := 0.0
		for _, v := range s.Values[i-reach : i+reach+1] {
			sum += v // a missing value makes its neighbors missing
		}
		values[i] = sum / float64(2*reach+1)
	}
	s.Values = values
	return s
}

// water draws the curve and the two areas between it and the line of no current.
func (d *currentPlot) water() {
	var lobes []trace
	for _, curve := range d.labeler.curve {
		lobes = d.appendLobes(lobes, curve)
	}
	tolerance := max(lineTolerance, d.perUnit*speedStep/4)
	for _, side := range [...]Role{FloodFill, EbbFill} {
		for _, lobe := range lobes {
			if d.floods(lobe[1]) == (side == FloodFill) {
				d.under(side, lobe, d.zero, tolerance)
			}
		}
	}
	d.line(Axis, 1, point{d.x0, crisp(d.zero)}, point{d.x1, crisp(d.zero)})
	for _, w := range d.Weak {
		b := box{max(d.x(w.From), d.x0), d.zero - 1.5, min(d.x(w.To), d.x1), d.zero + 1.5}
		if b.x0+2 < b.x1 {
			d.rect(Soft, b, 1.5)
		}
	}
	for _, lobe := range lobes {
		d.read(Ink, 1.5, lobe, tolerance)
	}
}

// floods reports whether a point of the curve is a flood, or slack.
func (d *currentPlot) floods(p point) bool { return p.y <= d.zero }

// appendLobes appends the parts of a curve on each side of the line of no current, which end on
// that line. The curve of a subordinate station has a bend there.
func (d *currentPlot) appendLobes(lobes []trace, curve trace) []trace {
	samples := curve.samples()
	end := curve[0]
	for len(samples) > 0 {
		n := 1
		for n < len(samples) && d.floods(samples[n]) == d.floods(samples[0]) {
			n++
		}
		lobe := append(append(d.space(n+2), end), samples[:n]...)
		end = curve[len(curve)-1]
		if n < len(samples) {
			a, b := samples[n-1], samples[n]
			end = point{a.x + (b.x-a.x)*(d.zero-a.y)/(b.y-a.y), d.zero}
		}
		lobes = append(lobes, append(lobe, end))
		samples = samples[n:]
	}
	return lobes
}

// axisWords labels the axis and the line of now, which leaves out labels.
func (d *currentPlot) axisWords() {
	d.text(Soft, point{2, d.y0 - 9}, words{text: d.Unit, size: axisSize})
	if d.Now.IsZero() {
		return
	}
	x := d.x(d.Now)
	d.broken(item{kind: lineItem, role: Now, width: 1.5, a: point{x, d.y0 - 4}, b: point{x, d.y1}},
		d.labeler.taken)
	half := room("now", daySize, true) / 2
	left := half + room(d.Unit, axisSize, false) + 10
	d.text(Ink, point{min(max(x, left), d.W-2-half), d.y0 - 9},
		words{text: "now", size: daySize, bold: true, anchor: middle})
}

// sides names the two directions at the edges of the plot, as far to the left as there is
// room.
func (d *currentPlot) sides() (names []item) {
	for _, side := range []struct {
		role Role
		name string
		y    float64
	}{{Flood, "flood", d.y0 + 2}, {Ebb, "ebb", d.y1 - 22}} {
		width := room(side.name, daySize, true) + 8
		for x := d.x0 + 4; x+width < d.x1; x += 8 {
			at := box{x, side.y, x + width, side.y + 20}
			crosses := func(t trace) bool { return meets(t, at) }
			if !d.labeler.taken.free(at) || d.labeler.crossesNow(at) ||
				slices.ContainsFunc(d.labeler.curve, crosses) {
				continue
			}
			d.labeler.taken = append(d.labeler.taken, at)
			names = append(names, item{
				kind: textItem, role: side.role, a: point{at.x0 + 4, at.y1 - 5},
				words: words{text: side.name, size: daySize, bold: true, halo: true},
			})
			break
		}
	}
	return names
}

// labels finds the places of the labels of the greatest speeds.
func (d *currentPlot) labels() []label {
	labels := make([]label, 0, len(d.Turns))
	for _, t := range d.Turns {
		if !d.contains(t.Time) || !finite(t.Speed) || t.Kind == Slack {
			continue
		}
		a := label{time: t.Time, above: true, value: t.Speed, role: Flood}
		if t.Kind == MaxEbb {
			a.above, a.value, a.role = false, -t.Speed, Ebb
		}
		a.at = point{d.x(t.Time), d.y(a.value)}
		labels = append(labels, d.labeler.newLabel(a, t.Speed, d.Unit))
	}
	return d.labeler.placed(labels)
}

// slacks marks slacks on the line of no current.
func (d *currentPlot) slacks() {
	for _, t := range d.Turns {
		if t.Kind == Slack && d.contains(t.Time) && finite(t.Speed) {
			d.ringed(Ink, point{d.x(t.Time), d.zero}, 2.75)
		}
	}
}

// data adds the values with which a script computes time and speed from a position; flood is
// positive.
func (d *currentPlot) data() []Datum {
	return append(d.plot.data(d.scale), Datum{"unit", d.Unit}, Datum{"kind", "current"})
}

// describe describes the chart in words, with every turn.
func (c Current) describe() string {
	b := make([]byte, 0, 256+40*len(c.Turns))
	b = append(append(append(b, "Predicted tidal current in "...), c.Unit...), ", "...)
	b = append(c.Clock.appendSpan(b, c.Series), '.')
	from, to := c.Series.Start, c.Series.end()
	separator := " "
	for _, t := range c.Turns {
		if t.Time.Before(from) || t.Time.After(to) || !finite(t.Speed) {
			continue
		}
		b = append(append(b, separator...), t.Kind...)
		if t.Kind != Slack {
			b = appendQuantity(append(b, ' '), t.Speed, c.Unit)
		}
		b = c.Clock.appendMoment(append(b, " at "...), t.Time)
		separator = "; "
	}
	if separator != " " {
		b = append(b, '.')
	}
	return string(b)
}
