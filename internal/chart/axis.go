package chart

import (
	"math"
	"time"
)

// Sizes of letters, in units. Axes and second lines have the size that the style sheet sets
// for all text.
const (
	axisSize  = 12
	daySize   = 12.5
	labelSize = 13
)

// plot is the part of a scene with a chart over time.
type plot struct {
	*Scene
	box
	clock    Clock
	from, to time.Time
	hourly   []time.Time // the civil hours that are marked
}

// margins are the distances of a plot from the edges of its scene.
type margins struct{ left, right, top, bottom float64 }

func newPlot(s *Scene, m margins, c Clock, from, to time.Time) *plot {
	p := &plot{Scene: s, clock: c, from: from, to: to}
	p.box = box{m.left, m.top, s.W - m.right, s.H - m.bottom}
	return p
}

// x returns the horizontal position of a time.
func (p *plot) x(t time.Time) float64 {
	return p.x0 + (p.x1-p.x0)*t.Sub(p.from).Seconds()/p.to.Sub(p.from).Seconds()
}

func (p *plot) contains(t time.Time) bool { return !t.Before(p.from) && !t.After(p.to) }

// points returns the positions of the values from first to last of a series.
func (p *plot) points(s Series, first, last int, y func(float64) float64) []point {
	points := make([]point, 0, last-first+3) // room to close an area
	for i := first; i <= last; i++ {
		if at := s.at(i); p.contains(at) {
			points = append(points, point{p.x(at), y(s.Values[i])})
		}
	}
	return points
}

// ground paints night, twilight and day.
func (p *plot) ground(d Daylight) {
	p.rect(Night, p.box, 0)
	for _, layer := range []struct {
		role  Role
		spans []Span
	}{{Dusk, d.Twilights}, {Sheet, d.Days}} {
		for _, s := range layer.spans {
			b := box{max(p.x(s.From), p.x0), p.y0, min(p.x(s.To), p.x1), p.y1}
			if b.x0 < b.x1 {
				p.rect(layer.role, b, 0)
			}
		}
	}
}

// crisp returns the middle of the pixel at v, where a line of one unit is sharp.
func crisp(v float64) float64 { return math.Round(v) + 0.5 }

// scale maps values to positions: higher values are further up.
type scale struct{ zero, perUnit float64 }

func (s scale) y(v float64) float64 { return s.zero - v*s.perUnit }

func (s scale) value(y float64) float64 { return (s.zero - y) / s.perUnit }

// grid draws horizontal lines at round values, with their numbers as formatted by
// write.
func (p *plot) grid(s scale, least float64, write func(v float64, decimals int) string) {
	low, high := s.value(p.y1), s.value(p.y0)
	step := niceStep(high-low, (p.y1-p.y0)/least)
	for i := math.Ceil(low / step); i*step <= high; i++ {
		y := crisp(s.y(i * step))
		if y < p.y0+4 || y > p.y1-4 {
			continue
		}
		p.line(Grid, 1, point{p.x0, y}, point{p.x1, y})
		p.text(Soft, point{p.x0 - 7, y + 4},
			words{text: write(i*step, stepDecimals(step)), size: axisSize, anchor: end})
	}
}

// niceStep returns the least of 1, 2 and 5 x 10^n that divides a span into at most so many
// parts.
func niceStep(span, parts float64) float64 {
	raw := span / parts
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return m * power
		}
	}
	return 10 * power
}

// stepDecimals returns the number of decimals needed to distinguish values a step
// apart.
func stepDecimals(step float64) int {
	return max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
}

// hourSteps are the possible distances of marked hours; leastHour is the least distance of
// their marks, in units.
var hourSteps = []int{3, 6, 12, 24}

const leastHour = 58

// hours marks civil hours, and midnights by a line through the plot.
func (p *plot) hours() {
	perHour := (p.x1 - p.x0) / p.to.Sub(p.from).Hours()
	step := 24
	for _, h := range hourSteps {
		if perHour*float64(h) >= leastHour {
			step = h
			break
		}
	}
	p.hourly = civilHours(p.from, p.to, step, p.clock.Zone)
	for _, at := range p.hourly {
		x := crisp(p.x(at))
		role := Grid
		if p.midnight(at) {
			role = Axis
		}
		p.line(role, 1, point{x, p.y0}, point{x, p.y1 + 5})
	}
}

func (p *plot) midnight(t time.Time) bool { return t.In(p.clock.Zone).Hour() == 0 }

// timeWords writes hours and days below the plot.
func (p *plot) timeWords() {
	p.line(Axis, 1, point{p.x0, crisp(p.y1)}, point{p.x1, crisp(p.y1)})
	for _, at := range p.hourly {
		text := p.clock.hour(at)
		x, half := p.x(at), room(text, axisSize, false)/2
		if p.midnight(at) { // between the days, below the hour that it would cross
			p.line(Axis, 1, point{crisp(x), p.y1 + 23}, point{crisp(x), p.y1 + 37})
		}
		if x-half >= p.x0-8 && x+half <= p.W {
			p.text(Soft, point{x, p.y1 + 17}, words{text: text, size: axisSize, anchor: middle})
		}
	}
	p.dayWords()
}

// dayWords writes the name of each day in the middle of its visible part, in the longest form
// that fits.
func (p *plot) dayWords() {
	edges := append([]time.Time{p.from}, civilHours(p.from, p.to, 24, p.clock.Zone)...)
	edges = append(edges, p.to)
	for i, from := range edges[:len(edges)-1] {
		a, b := p.x(from), p.x(edges[i+1])
		noon := from.Add(edges[i+1].Sub(from) / 2)
		for _, form := range []string{"Monday 2 January", "Mon 2 Jan", "Mon"} {
			text := noon.In(p.clock.Zone).Format(form)
			if room(text, daySize, true) <= b-a-12 {
				p.text(Ink, point{(a + b) / 2, p.y1 + 35},
					words{text: text, size: daySize, bold: true, anchor: middle})
				break
			}
		}
	}
}

// maxDays bounds the number of days of a chart for any series.
const maxDays = 400

// civilHours returns the times in an interval at which clocks of a zone show a multiple of
// step hours, each once. It leaves out an hour that a clock change skips.
func civilHours(from, to time.Time, step int, zone *time.Location) []time.Time {
	var hours []time.Time
	y, m, d := from.In(zone).Date()
	for day := range maxDays {
		for h := 0; h < 24; h += step {
			t := time.Date(y, m, d+day, h, 0, 0, 0, zone)
			if t.After(to) {
				return hours
			}
			if t.Hour() == h && !t.Before(from) {
				hours = append(hours, t)
			}
		}
	}
	return hours
}
