package chart

import (
	"math"
	"strconv"
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
	s := &Scene{W: size.W, H: size.H, Title: "Tidal current at " + c.Station}
	if !c.Series.drawable() {
		return s.empty("There are no predictions to draw.")
	}
	d := c.layout(s, size)
	d.ground(c.Daylight)
	d.grid(d.scale, 34, func(v float64, decimals int) string { return number(math.Abs(v), decimals) })
	d.hours()
	d.water()
	d.timeWords()
	d.words()
	d.turns()
	if size.Framed {
		s.frame(c.Station, "Predicted current", c.Source)
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
	m := margins{left: 40, right: 12, top: 26, bottom: 44}
	if size.Framed {
		m.top, m.bottom = 60, 62
	}
	if size.narrow() {
		m.left, m.right = 30, 8
	}
	d := &currentPlot{Current: c}
	d.plot = newPlot(s, m, c.Clock, c.Series.Start, c.Series.end())
	flood, ebb := leastSpeed, leastSpeed
	for _, v := range c.Series.Values {
		if finite(v) {
			flood, ebb = max(flood, v), max(ebb, -v)
		}
	}
	d.perUnit = (d.y1 - d.y0 - 2*curveRoom) / (flood + ebb)
	d.zero = d.y0 + curveRoom + flood*d.perUnit
	if !d.contains(c.Now) {
		d.Now = time.Time{}
	}
	d.labeler.plot = d.plot
	return d
}

// water draws the curve and the two areas between it and the line of no current.
func (d *currentPlot) water() {
	flood := func(v float64) float64 { return d.y(max(v, 0)) }
	ebb := func(v float64) float64 { return d.y(min(v, 0)) }
	for first, last := range runsOf(d.Series) {
		d.area(FloodFill, closed(thin(d.points(d.Series, first, last, flood)), d.zero))
		d.area(EbbFill, closed(thin(d.points(d.Series, first, last, ebb)), d.zero))
	}
	d.line(Axis, 1, point{d.x0, crisp(d.zero)}, point{d.x1, crisp(d.zero)})
	for _, w := range d.Weak {
		b := box{max(d.x(w.From), d.x0), d.zero - 1.5, min(d.x(w.To), d.x1), d.zero + 1.5}
		if b.x0 < b.x1 {
			d.rect(Soft, b, 1.5)
		}
	}
	for first, last := range runsOf(d.Series) {
		d.stroke(Ink, 1.5, thin(d.points(d.Series, first, last, d.y)))
	}
}

// words labels the axis, the two directions and the line of now.
func (d *currentPlot) words() {
	d.text(Soft, point{2, d.y0 - 9}, words{text: d.Unit, size: axisSize})
	for _, side := range []struct {
		role Role
		name string
		at   box
	}{
		{Flood, "flood", box{d.x0, d.y0, d.x0 + 56, d.y0 + 22}},
		{Ebb, "ebb", box{d.x0, d.y1 - 22, d.x0 + 56, d.y1}},
	} {
		d.text(side.role, point{side.at.x0 + 8, side.at.y1 - 6},
			words{text: side.name, size: daySize, bold: true, halo: true})
		d.labeler.taken = append(d.labeler.taken, side.at)
	}
	if d.Now.IsZero() {
		return
	}
	x := d.x(d.Now)
	d.line(Now, 1.5, point{x, d.y0 - 4}, point{x, d.y1})
	half := room("now", daySize, true) / 2
	d.text(Ink, point{min(max(x, half+room(d.Unit, axisSize, false)+10), d.W-half), d.y0 - 9},
		words{text: "now", size: daySize, bold: true, anchor: middle})
	d.labeler.now = d.Now
	d.labeler.taken = append(d.labeler.taken, box{x - 3, d.y0, x + 3, d.y1})
}

// turns marks slacks on the line of no current, and labels the greatest speeds.
func (d *currentPlot) turns() {
	var labels []label
	for _, t := range d.Turns {
		if !d.contains(t.Time) || !finite(t.Speed) {
			continue
		}
		x := d.x(t.Time)
		if t.Kind == Slack {
			d.ringed(Ink, point{x, d.zero}, 2.75)
			continue
		}
		a := label{time: t.Time, above: true, value: t.Speed, role: Flood}
		a.at = point{x, d.y(t.Speed)}
		if t.Kind == MaxEbb {
			a.above, a.value, a.role = false, -t.Speed, Ebb
			a.at.y = d.y(-t.Speed)
		}
		a.lines = [2]string{d.clock.time(t.Time), quantity(t.Speed, d.Unit)}
		labels = append(labels, a)
	}
	d.labeler.put(labels)
}

func (d *currentPlot) data() []Datum {
	unix := func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
	return []Datum{
		{"from", unix(d.from)}, {"to", unix(d.to)},
		{"x0", strconv.FormatFloat(d.x0, 'f', 1, 64)}, {"x1", strconv.FormatFloat(d.x1, 'f', 1, 64)},
		{"unit", d.Unit}, {"zone", d.clock.Zone.String()},
	}
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
