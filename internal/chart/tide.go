package chart

import (
	"math"
	"strconv"
	"time"
)

// Event is a high or low water.
type Event struct {
	Time   time.Time
	High   bool
	Height float64
}

// Level is a named height, such as the height at which flooding begins.
type Level struct {
	Name  string // minor flooding
	Value float64
	Role  Role // Minor, Moderate or Major
}

// Trend is the direction in which the water moves.
type Trend int8

// The trends.
const (
	Falling Trend = iota - 1
	Standing
	Rising
)

// String returns the trend in a word.
func (t Trend) String() string { return [...]string{"falling", "standing", "rising"}[t+1] }

// Moment is the predicted height at the present time.
type Moment struct {
	Time   time.Time
	Height float64
	Trend  Trend
}

// Tide has the data of a tide chart: predicted heights over a span, the high and low waters in
// it, and optional parts. Heights are in one unit above one datum.
type Tide struct {
	Station   string // name, state and id
	Unit      string // ft or m
	Datum     string
	Epoch     string // of the datum, 1983-2001; may be empty
	Clock     Clock
	Predicted Series
	Events    []Event
	Observed  Series // empty if there is none
	Levels    []Level
	Daylight  Daylight
	Now       *Moment // nil outside the span
	Source    string  // a line of text in framed charts
}

// Room above and below the curve: two lines of a label always fit.
const (
	curveRoom = 40
	levelRoom = 18 // above the highest level that is drawn
)

// levelReach is the greatest height of a level above the highest water that is drawn, as a
// fraction of the range. A higher level would flatten the curve. Ours.
const levelReach = 0.35

// leastRange is the least range of heights of a chart, so that a small tide looks small. Ours.
func leastRange(unit string) float64 {
	if unit == "m" {
		return 0.6
	}
	return 2
}

// Draw lays out the chart. A series without values gives a scene with the reason.
func (t Tide) Draw(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: "Tide at " + t.Station}
	if !t.Predicted.drawable() {
		return s.empty("There are no predictions to draw.")
	}
	d := t.layout(s, size)
	d.ground(t.Daylight)
	d.grid(d.scale, 38, number)
	d.hours()
	var curves [][]point
	for first, last := range runsOf(t.Predicted) {
		curve := thin(d.points(t.Predicted, first, last, d.y))
		curves = append(curves, curve)
		d.area(Water, closed(curve, d.y1))
	}
	marked := len(s.items) // levels go between the water and the curve
	for _, curve := range curves {
		d.stroke(Curve, 2.25, curve)
	}
	d.observed()
	d.timeWords()
	d.axisWords()
	d.labels()
	d.levels(marked)
	if size.Framed {
		s.frame(t.Station, "Predicted tide", t.Source)
	}
	s.Desc = t.describe()
	s.Data = d.data()
	return s
}

// tidePlot is a tide chart while it is drawn.
type tidePlot struct {
	*plot
	scale
	Tide
	labeler labeler
}

// layout fits the heights into the plot.
func (t Tide) layout(s *Scene, size Size) *tidePlot {
	m := margins{left: 40, right: 12, top: 34, bottom: 44}
	if size.Framed {
		m.top, m.bottom = 66, 62
	}
	if size.narrow() {
		m.left, m.right = 30, 8
	}
	d := &tidePlot{Tide: t}
	d.plot = newPlot(s, m, t.Clock, t.Predicted.Start, t.Predicted.end())
	if t.Now != nil && !d.contains(t.Now.Time) {
		d.Now = nil
	}
	low, high := t.heights()
	d.Levels = nil
	top := high
	for _, l := range t.Levels {
		if finite(l.Value) && l.Value <= high+levelReach*(high-low) && l.Value > low {
			d.Levels = append(d.Levels, l)
			top = max(top, l.Value)
		}
	}
	height := d.y1 - d.y0 - curveRoom
	d.perUnit = min((height-curveRoom)/(high-low), (height-levelRoom)/(top-low))
	d.zero = d.y1 - curveRoom + low*d.perUnit
	return d
}

// heights returns the lowest and the highest water, predicted or observed, at least
// leastRange apart.
func (t Tide) heights() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range []Series{t.Predicted, t.Observed} {
		for _, v := range s.Values {
			if finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	for _, e := range t.Events {
		if finite(e.Height) {
			low, high = min(low, e.Height), max(high, e.Height)
		}
	}
	if widen := leastRange(t.Unit) - (high - low); widen > 0 {
		low, high = low-widen/2, high+widen/2
	}
	return low, high
}

// observed draws the measured heights, with a dot at the newest.
func (d *tidePlot) observed() {
	var newest []point
	for first, last := range runsOf(d.Observed) {
		if p := thin(d.points(d.Observed, first, last, d.y)); len(p) > 0 {
			d.stroke(Observed, 2, p)
			newest = p
		}
	}
	if len(newest) > 0 {
		d.dot(Observed, newest[len(newest)-1], 3.5)
	}
}

// axisWords writes the unit and the datum of the heights, and the present height in a pill
// over its line.
func (d *tidePlot) axisWords() {
	axis := d.axis()
	width := room(axis, axisSize, false)
	left, right := 2+width+12, d.x1
	at, anchored := point{2, d.y0 - 10}, start
	if d.Now != nil && d.x(d.Now.Time) < d.x0+width+70 { // the pill needs the space
		at, anchored = point{d.x1, d.y0 - 10}, end
		left, right = 2, d.x1-width-12
	}
	d.text(Soft, at, words{text: axis, size: axisSize, anchor: anchored})
	if d.Now == nil {
		return
	}
	text := "now " + quantity(d.Now.Height, d.Unit) + ", " + d.Now.Trend.String()
	x, half := d.x(d.Now.Time), room(text, daySize, true)/2+11
	middleX := min(max(x, left+half), right-half)
	d.line(Now, 1.5, point{x, d.y0 - 8}, point{x, d.y1})
	pill := box{middleX - half, d.y0 - 28, middleX + half, d.y0 - 6}
	d.rect(Now, pill, 11)
	d.text(OnNow, point{middleX, pill.y1 - 6.5},
		words{text: text, size: daySize, bold: true, anchor: middle})
	y := d.y(d.Now.Height)
	d.dot(Sheet, point{x, y}, 6)
	d.dot(Now, point{x, y}, 4.25)
	d.labeler.now = d.Now.Time
	d.labeler.taken = boxes{{x - 8, y - 8, x + 8, y + 8}}
}

// axis returns unit, datum and, if there is room, its epoch.
func (d *tidePlot) axis() string {
	axis := d.Unit + " above " + d.Datum
	if d.Epoch != "" && d.W >= TideWide.W-100 {
		axis += " (" + d.Epoch + ")"
	}
	return axis
}

// labels marks each high and low water, and labels those for which there is room.
func (d *tidePlot) labels() {
	var labels []label
	for _, e := range d.Events {
		if !d.contains(e.Time) || !finite(e.Height) {
			continue
		}
		at := point{d.x(e.Time), d.y(e.Height)}
		d.ringed(Curve, at, 3)
		labels = append(labels, label{
			time: e.Time, at: at, above: e.High, value: e.Height, role: Soft,
			lines: [2]string{d.clock.time(e.Time), quantity(e.Height, d.Unit)},
		})
	}
	d.labeler.plot = d.plot
	d.labeler.put(labels)
}

// levels draws the lines of levels under the curve, with gaps at the labels, and names each if
// there is room. A level without room is in the description.
func (d *tidePlot) levels(marked int) {
	over := append([]item{}, d.items[marked:]...)
	d.items = d.items[:marked]
	for _, l := range d.Levels {
		d.dashed(l.Role, d.y(l.Value), d.x0, d.x1, d.labeler.taken)
	}
	d.items = append(d.items, over...)
	for _, l := range d.Levels {
		text := l.Name + " " + quantity(l.Value, d.Unit)
		width, y := room(text, axisSize, false)+6, d.y(l.Value)
		free := d.x1 - d.x0 - width
		for _, share := range []float64{1 - 4/free, 6 / free, 0.5, 0.25, 0.65} {
			x := d.x0 + share*free
			if d.labeler.taken.take(box{x, y - 17, x + width, y - 1}) {
				d.text(l.Role, point{x + 3, y - 5}, words{text: text, size: axisSize, halo: true})
				break
			}
		}
	}
}

// data adds the values with which a script computes time and height from a position.
func (d *tidePlot) data() []Datum {
	unix := func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
	tenths := func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
	return []Datum{
		{"from", unix(d.from)}, {"to", unix(d.to)},
		{"x0", tenths(d.x0)}, {"x1", tenths(d.x1)}, {"y0", tenths(d.y0)}, {"y1", tenths(d.y1)},
		{"v0", strconv.FormatFloat(d.value(0), 'f', 4, 64)},
		{"dv", strconv.FormatFloat(-1/d.perUnit, 'f', 6, 64)},
		{"unit", d.Unit}, {"zone", d.clock.Zone.String()},
	}
}

// describe describes the chart in words, with every event.
func (t Tide) describe() string {
	b := make([]byte, 0, 256+48*len(t.Events))
	b = append(append(append(append(b, "Predicted tide in "...), t.Unit...), " above "...), t.Datum...)
	if t.Epoch != "" {
		b = append(append(append(b, " (epoch "...), t.Epoch...), ')')
	}
	b = append(t.Clock.appendSpan(append(b, ", "...), t.Predicted), '.')
	from, to := t.Predicted.Start, t.Predicted.end()
	if t.Now != nil && !t.Now.Time.Before(from) && !t.Now.Time.After(to) {
		b = appendQuantity(append(b, " Now "...), t.Now.Height, t.Unit)
		b = append(append(append(b, ", "...), t.Now.Trend.String()...), '.')
	}
	separator := " "
	for _, e := range t.Events {
		if e.Time.Before(from) || e.Time.After(to) || !finite(e.Height) {
			continue
		}
		kind := "low "
		if e.High {
			kind = "high "
		}
		b = appendQuantity(append(append(b, separator...), kind...), e.Height, t.Unit)
		b = t.Clock.appendMoment(append(b, " at "...), e.Time)
		separator = "; "
	}
	if separator != " " {
		b = append(b, '.')
	}
	for _, l := range t.Levels {
		b = append(append(append(b, ' '), capital(l.Name)...), " begins at "...)
		b = append(appendQuantity(b, l.Value, t.Unit), '.')
	}
	return string(b)
}
