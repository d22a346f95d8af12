package chart

import "math"

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
	most, largest := leastDifference, 0.0
	if t.Unit == "m" {
		most *= 0.3048
	}
	for _, v := range difference.Values {
		if finite(v) && math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	most = max(most, math.Abs(largest))
	y := scale{(p.y0 + p.y1) / 2, (p.y1 - p.y0) / 2 / most * 0.9}
	p.ground(t.Daylight)
	p.hours(nil)
	for first, last := range runsOf(difference) {
		curve := thin(p.points(difference, first, last, y.y))
		p.area(EbbFill, p.under(curve, y.zero))
		p.stroke(Observed, 1.75, curve)
	}
	p.line(Axis, 1, point{p.x0, crisp(y.zero)}, point{p.x1, crisp(y.zero)})
	step := niceStep(2*most, 2)
	for _, v := range []float64{-step, 0, step} {
		if math.Abs(v) <= most {
			p.text(Soft, point{p.x0 - toAxis, y.y(v) + 4},
				words{text: number(v, stepDecimals(step)), size: axisSize, anchor: end})
		}
	}
	p.text(Soft, point{2, 13}, words{text: t.Unit + ", observed minus predicted", size: axisSize})
	s.Desc = "Observed minus predicted heights; the largest difference is " +
		quantity(largest, t.Unit) + "."
	return s
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
