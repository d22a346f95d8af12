package chart

import (
	"math"
	"strconv"
	"time"
)

// Sizes of letters, in units. Axes and second lines have the size that the style sheet sets
// for all text.
const (
	axisSize  = 12
	daySize   = 12.5
	labelSize = 13

	sourceSize = 11 // the line of sources under a picture
)

// toAxis is the distance of the numbers of an axis from the plot, in units.
const toAxis = 6

// plot is the part of a scene with a chart over time.
type plot struct {
	*Scene
	box
	clock    Clock
	from, to time.Time
	step     int         // hours between marks
	hourly   []time.Time // the civil hours that are marked
}

func newPlot(s *Scene, m margins, c Clock, from, to time.Time) *plot {
	p := &plot{Scene: s, clock: c, from: from, to: to}
	p.box = box{m.left, m.top, s.W - m.right, s.H - m.bottom}
	p.step = 24
	for _, h := range hourSteps {
		if p.perHour()*float64(h) >= leastHour {
			p.step = h
			break
		}
	}
	p.hourly = civilHours(from, to, p.step, c.Zone)
	return p
}

// perHour returns the width of an hour.
func (p *plot) perHour() float64 { return (p.x1 - p.x0) / p.to.Sub(p.from).Hours() }

// x returns the horizontal position of a time.
func (p *plot) x(t time.Time) float64 {
	return p.x0 + (p.x1-p.x0)*t.Sub(p.from).Seconds()/p.to.Sub(p.from).Seconds()
}

func (p *plot) contains(t time.Time) bool { return !t.Before(p.from) && !t.After(p.to) }

// points returns the positions of the values from first to last of a series.
func (p *plot) points(s Series, first, last int, y func(float64) float64) []point {
	points := p.space(last - first + 1)
	for i := first; i <= last; i++ {
		if at := s.at(i); p.contains(at) {
			points = append(points, point{p.x(at), y(s.Values[i])})
		}
	}
	return points
}

// traces returns the positions of a series, a trace for each run of values. A trace ends at its
// first and its last sample.
func (p *plot) traces(s Series, y func(float64) float64) (list []trace) {
	for first, last := range runsOf(s) {
		t := append(p.space(last-first+3), point{})
		for i := first; i <= last; i++ {
			if at := s.at(i); p.contains(at) {
				t = append(t, point{p.x(at), y(s.Values[i])})
			}
		}
		if len(t) > 1 {
			t[0] = t[1]
			list = append(list, append(t, t[len(t)-1]))
		}
	}
	return list
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

// grid draws horizontal lines at round values above the lowest, with their numbers as appended
// by write.
func (p *plot) grid(
	s scale, least, lowest float64, write func(b []byte, v float64, decimals int) []byte,
) {
	low, high := max(s.value(p.y1), lowest), s.value(p.y0)
	step := niceStep(high-low, (p.y1-p.y0)/least)
	marks := func(draw func(v, y float64)) {
		for i := math.Ceil(low / step); i*step <= high; i++ {
			if y := crisp(s.y(i * step)); y >= p.y0+4 && y <= p.y1-4 {
				draw(i*step, y)
			}
		}
	}
	marks(func(_, y float64) { p.line(Grid, 1, point{p.x0, y}, point{p.x1, y}) })
	marks(func(v, y float64) {
		var b [16]byte
		text := p.keep(write(b[:0], v, stepDecimals(step)))
		p.text(Soft, point{p.x0 - toAxis, y + 4}, words{text: text, size: axisSize, anchor: end})
	})
}

// data returns the facts with which a script computes time and value from a position in the
// scene: the times, in seconds, at the ends of the plot; its edges; the value at y = 0 and the
// change of the value per unit of y; the zone and the clock of times.
func (p *plot) data(s scale) []Datum {
	number := func(v float64, decimals int) string {
		return string(strconv.AppendFloat(nil, v, 'f', decimals, 64))
	}
	return []Datum{
		{"from", strconv.FormatInt(p.from.Unix(), 10)}, {"to", strconv.FormatInt(p.to.Unix(), 10)},
		{"x0", number(p.x0, 1)}, {"x1", number(p.x1, 1)},
		{"y0", number(p.y0, 1)}, {"y1", number(p.y1, 1)},
		{"v0", number(s.value(0), 4)}, {"dv", number(-1/s.perUnit, 6)},
		{"zone", p.clock.Zone.String()}, {"clock", p.clock.name()},
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

// leastMidnight is the least distance of midnights with their hour, in units.
const leastMidnight = 44

// hours marks civil hours, and midnights by a line through the plot that leaves out labels.
func (p *plot) hours(labels boxes) {
	for _, at := range p.hourly {
		if x := crisp(p.x(at)); !p.midnight(at) {
			p.line(Grid, 1, point{x, p.y0}, point{x, p.y1 + 5})
		}
	}
	for _, at := range p.hourly {
		if x := crisp(p.x(at)); p.midnight(at) {
			line := item{kind: lineItem, role: Axis, width: 1}
			line.a, line.b = point{x, p.y0}, point{x, p.y1 + 5}
			p.broken(line, labels)
		}
	}
}

func (p *plot) midnight(t time.Time) bool { return t.In(p.clock.Zone).Hour() == 0 }

// timeWords writes hours and days below the plot.
func (p *plot) timeWords() {
	p.line(Axis, 1, point{p.x0, crisp(p.y1)}, point{p.x1, crisp(p.y1)})
	for _, at := range p.hourly {
		if x := crisp(p.x(at)); p.midnight(at) && at.After(p.from) && at.Before(p.to) {
			// between the days, below the hour that it would cross
			p.line(Axis, 1, point{x, p.y1 + 23}, point{x, p.y1 + 37})
		}
	}
	if p.perHour()*float64(p.step) >= leastMidnight {
		p.hourWords()
	}
	p.dayWords()
}

// hourWords writes the marked hours.
func (p *plot) hourWords() {
	for _, at := range p.hourly {
		x := p.x(at)
		var b [16]byte
		text := p.keep(p.clock.appendHour(b[:0], at))
		half := room(text, axisSize, false) / 2
		if x-half >= p.x0-8 && x+half <= p.W {
			p.text(Soft, point{x, p.y1 + 17}, words{text: text, size: axisSize, anchor: middle})
		}
	}
}

// dayForms are the forms of the name of a day, the longest first.
var dayForms = [...]string{"Monday 2 January", "Mon 2 Jan", "Mon"}

// dayWords writes the name of each day in the middle of its visible part, in the longest form
// that fits. Whole days have the same form. A day on which clocks change says so if there
// is room, because its hours are not evenly spaced.
func (p *plot) dayWords() {
	edges := append(make([]time.Time, 0, 10), p.from)
	edges = append(edges, civilHours(p.from, p.to, 24, p.clock.Zone)...)
	edges = append(edges, p.to)
	whole := 0 // form of whole days
	for i, from := range edges[:len(edges)-1] {
		if i > 0 && i < len(edges)-2 {
			whole = max(whole, p.dayForm(from, edges[i+1]))
		}
	}
	for i, from := range edges[:len(edges)-1] {
		to := edges[i+1]
		form := p.dayForm(from, to)
		if i > 0 && i < len(edges)-2 {
			form = whole
		}
		if form == len(dayForms) {
			continue
		}
		middleX := (p.x(from) + p.x(to)) / 2
		text := p.day(from, to, form)
		if long := text + p.clockChange(from, to); room(long, daySize, true) <= p.x(to)-p.x(from)-12 {
			text = long
		}
		p.text(Ink, point{middleX, p.y1 + 35},
			words{text: text, size: daySize, bold: true, anchor: middle})
	}
}

// day returns the name of the day between two times.
func (p *plot) day(from, to time.Time, form int) string {
	var b [32]byte
	noon := from.Add(to.Sub(from) / 2)
	return p.keep(noon.In(p.clock.Zone).AppendFormat(b[:0], dayForms[form]))
}

// dayForm returns the first form that fits between two times, or len(dayForms).
func (p *plot) dayForm(from, to time.Time) int {
	for form, spare := range [...]float64{12, 12, 3} {
		if room(p.day(from, to, form), daySize, true) <= p.x(to)-p.x(from)-spare {
			return form
		}
	}
	return len(dayForms)
}

// clockChange describes the change of clocks between two times, or is empty.
func (p *plot) clockChange(from, to time.Time) string {
	_, before := from.In(p.clock.Zone).Zone()
	_, after := to.In(p.clock.Zone).Zone()
	switch {
	case after > before:
		return ", clocks forward"
	case after < before:
		return ", clocks back"
	}
	return ""
}

// maxDays bounds the number of days of a chart for any series.
const maxDays = 400

// civilHours returns the times in an interval at which clocks of a zone show a multiple of
// step hours, each once. It leaves out an hour that a clock change skips.
func civilHours(from, to time.Time, step int, zone *time.Location) []time.Time {
	hours := make([]time.Time, 0, 16)
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
