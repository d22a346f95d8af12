package chart

import (
	"math"
	"slices"
	"time"
)

// Breeze has the hourly data of a chart of a wind forecast. The series have the same start and
// step.
type Breeze struct {
	Place    string
	Unit     string
	Clock    Clock
	Speeds   Series
	Gusts    Series // NaN without gusts
	From     Series // degrees true from which the wind blows
	Daylight Daylight
	Now      time.Time // zero outside the span
	Source   string
}

// leastWind is the least range of speeds of a chart, so that light air looks light. Ours.
const leastWind = 10

// arrowEvery is the number of steps per arrow.
const arrowEvery = 3

// Draw lays out the chart: wind as a line, gusts as the area above it, and arrows in the
// direction in which the wind blows.
func (w Breeze) Draw(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: "Wind forecast for " + w.Place}
	if !w.Speeds.drawable() {
		return s.empty("There is no forecast to draw.")
	}
	p := newPlot(s, size.margins(26, 44), w.Clock, w.Speeds.Start, w.Speeds.end())
	const arrows = 26 // units below the line of no wind
	y := scale{p.y1 - arrows, (p.y1 - arrows - p.y0 - 8) / w.most()}
	p.ground(w.Daylight)
	p.grid(y, 30, 0, appendNumber)
	p.hours(nil)
	w.gusts(p, y)
	for first, last := range runsOf(w.Speeds) {
		p.stroke(Wind, 2.25, thin(p.points(w.Speeds, first, last, y.y)))
	}
	w.arrows(p)
	p.timeWords()
	w.words(p)
	if size.Framed {
		s.frame(w.Place, w.Source, p.clock.zones(p.from, p.to), s.subject("wind forecast"))
	}
	s.Desc = w.describe()
	return s
}

func (w Breeze) most() float64 {
	most := float64(leastWind)
	for _, s := range []Series{w.Speeds, w.Gusts} {
		for _, v := range s.Values {
			if finite(v) {
				most = max(most, v)
			}
		}
	}
	return most
}

// gusts draws the area between the wind and the gusts, if there are any. It has a gap
// where either is missing.
func (w Breeze) gusts(p *plot, y scale) {
	gusts := Series{Start: w.Gusts.Start, Step: w.Gusts.Step}
	for i, v := range w.Gusts.Values {
		if i >= len(w.Speeds.Values) {
			break
		}
		gusts.Values = append(gusts.Values, max(v, w.Speeds.Values[i])) // NaN if one is missing
	}
	for first, last := range runsOf(gusts) {
		wind := thin(p.points(w.Speeds, first, last, y.y))
		slices.Reverse(wind)
		p.area(GustFill, append(thin(p.points(gusts, first, last, y.y)), wind...))
	}
}

func (w Breeze) arrows(p *plot) {
	for i := 0; i < len(w.From.Values); i += arrowEvery {
		x := p.x(w.From.at(i))
		if from := w.From.Values[i]; finite(from) && x > p.x0+6 && x < p.x1-6 {
			p.arrow(Soft, point{x, p.y1 - 12}, math.Mod(from+180, 360))
		}
	}
}

// words writes the unit, the legend and the line of now.
func (w Breeze) words(p *plot) {
	y := p.y0 - 9
	p.text(Soft, point{2, y}, words{text: w.Unit, size: axisSize})
	x := p.x0
	p.text(Wind, point{x, y}, words{text: "wind", size: daySize, bold: true})
	x += room("wind", daySize, true) + 5
	legend := "and gusts; arrows point where it blows to"
	if room(legend, axisSize, false) > p.W-x {
		legend = "and gusts; arrows point downwind"
	}
	p.text(Soft, point{x, y}, words{text: legend, size: axisSize})
	if !w.Now.IsZero() && p.contains(w.Now) {
		p.line(Now, 1.5, point{p.x(w.Now), p.y0 - 4}, point{p.x(w.Now), p.y1})
	}
}

// describe describes the strength of the wind in words.
func (w Breeze) describe() string {
	strongest := 0
	for i, v := range w.Speeds.Values {
		if best := w.Speeds.Values[strongest]; !finite(best) || finite(v) && v > best {
			strongest = i
		}
	}
	b := append([]byte("Forecast of wind in "), w.Unit+", "...)
	b = append(w.Clock.appendSpan(b, w.Speeds), ". Strongest "...)
	b = appendQuantity(b, w.Speeds.Values[strongest], w.Unit)
	b = w.Clock.appendMoment(append(b, " at "...), w.Speeds.at(strongest))
	if strongest < len(w.Gusts.Values) && finite(w.Gusts.Values[strongest]) {
		b = appendQuantity(append(b, ", gusts "...), w.Gusts.Values[strongest], w.Unit)
	}
	return string(append(b, '.'))
}
