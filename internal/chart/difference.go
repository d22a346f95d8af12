package chart

import (
	"math"
	"time"
)

// leastDifference is the least range of differences of a chart, in feet. Ours.
const leastDifference = 0.5

// DrawDifference lays out observed minus predicted heights over the span of the tide chart, so
// that they fit below it. Positive values mean more water than predicted.
func (t Tide) DrawDifference(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: "Observed minus predicted at " + t.Station}
	difference := t.difference()
	if !t.Predicted.drawable() || !difference.drawable() {
		return s.empty("There are no observations to compare.")
	}
	p := newPlot(s, size.margins(22, 22), t.Clock, t.Predicted.Start, t.Predicted.end())
	largest, _, _, _ := difference.largest()
	most := leastDifference
	if t.Unit == "m" {
		most *= 0.3048
	}
	most = max(most, math.Abs(largest))
	y := scale{(p.y0 + p.y1) / 2, (p.y1 - p.y0) / 2 / most * 0.9}
	p.ground(t.Daylight)
	p.hours(nil)
	curves := p.traces(difference, y.y)
	for _, curve := range curves {
		p.under(EbbFill, curve, y.zero, lineTolerance)
	}
	for _, curve := range curves {
		p.curve(Observed, 1.75, curve, lineTolerance)
	}
	p.line(Axis, 1, point{p.x0, crisp(y.zero)}, point{p.x1, crisp(y.zero)})
	step := niceStep(most, 2.5) // never more than most, because steps are 1, 2 and 5
	for _, v := range []float64{-step, 0, step} {
		p.text(Soft, point{p.x0 - toAxis, y.y(v) + 4},
			words{text: Number(v, stepDecimals(step)), size: axisSize, anchor: end})
	}
	p.text(Soft, point{2, 13}, words{text: t.Unit + ", observed minus predicted", size: axisSize})
	s.Desc = "Observed minus predicted heights; the largest difference is " +
		Quantity(largest, t.Unit) + "."
	return s
}

// LargestDifference returns the observed minus predicted height that is furthest from zero, with
// its sign, in the unit of the tide. Heights at equal times are compared; from and to are the
// first and the last of these times. If there are none, ok is false.
func (t Tide) LargestDifference() (largest float64, from, to time.Time, ok bool) {
	return t.difference().largest()
}

// largest returns the value that is furthest from zero, and the times of the first and the last
// value that is not missing.
func (s Series) largest() (largest float64, from, to time.Time, ok bool) {
	for i, v := range s.Values {
		if !finite(v) {
			continue
		}
		if to = s.at(i); !ok {
			from, ok = to, true
		}
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	return largest, from, to, ok
}

// difference returns observed minus predicted heights at the times of the observations.
func (t Tide) difference() Series {
	d := Series{Start: t.Observed.Start, Step: t.Observed.Step}
	if t.Predicted.Step <= 0 {
		return d
	}
	for i, v := range t.Observed.Values {
		k := int(t.Observed.at(i).Sub(t.Predicted.Start) / t.Predicted.Step)
		difference := math.NaN()
		if k >= 0 && k < len(t.Predicted.Values) && t.Predicted.at(k).Equal(t.Observed.at(i)) {
			difference = v - t.Predicted.Values[k]
		}
		d.Values = append(d.Values, difference)
	}
	return d
}
