package chart

import (
	"math"
	"slices"
	"strings"
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

// Windows are the spans in which the tide is on one side of a level.
type Windows struct {
	Level float64
	Spans []Span
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
	Windows   *Windows // nil for none
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
	s := &Scene{W: size.W, H: size.H, Title: "Predicted tide at " + t.Station}
	if !t.Predicted.drawable() {
		return s.empty("There are no predictions to draw.")
	}
	d := t.layout(s, size)
	labels := d.labels()
	d.nameLevels()
	d.ground(t.Daylight)
	d.grid(d.scale, 38, math.Inf(-1), appendNumber)
	d.hours(d.labeler.taken)
	for _, curve := range d.labeler.curve {
		d.under(Water, curve, d.y1, lineTolerance)
	}
	for _, l := range d.Levels {
		d.level(l)
	}
	for _, curve := range d.labeler.curve {
		d.read(Curve, 2.25, curve, lineTolerance)
	}
	d.windows()
	d.observed()
	d.timeWords()
	d.now(d.axisWords())
	d.marks()
	for _, l := range d.names {
		d.text(l.Role, l.at, words{text: l.text, size: axisSize, halo: true})
	}
	d.labeler.write(labels)
	if size.Framed {
		s.frame(t.Station, t.Source, d.clock.zones(d.from, d.to), d.legend())
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
	names   []levelName
}

// levelName is the name of a level and its position.
type levelName struct {
	Level
	text string
	at   point
}

// layout fits the heights into the plot.
func (t Tide) layout(s *Scene, size Size) *tidePlot {
	d := &tidePlot{Tide: t}
	d.plot = newPlot(s, size.margins(34, 44), t.Clock, t.Predicted.Start, t.Predicted.end())
	d.labeler.plot = d.plot
	if t.Now != nil && !(d.contains(t.Now.Time) && finite(t.Now.Height)) {
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
	d.labeler.curve = d.traces(t.Predicted, d.y)
	d.labeler.others = d.traces(t.Observed, d.y)
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

// windows draws the level of the windows, with a bar along it for each.
func (d *tidePlot) windows() {
	if d.Windows == nil || !finite(d.Windows.Level) {
		return
	}
	y := d.y(d.Windows.Level)
	if y < d.y0 || y > d.y1 {
		y = min(max(y, d.y0+4), d.y1-4) // the level is not in the chart, its windows are
	} else {
		d.broken(item{
			kind: lineItem, role: Axis, width: 1, dashed: true, a: point{d.x0, y}, b: point{d.x1, y},
		}, d.labeler.taken)
	}
	for _, w := range d.Windows.Spans {
		from, to := d.x(w.From), d.x(w.To)
		if from, to = max(from, d.x0), min(to, d.x1); from < to {
			d.line(Observed, 5, point{from, y}, point{to, y})
		}
	}
}

// observed draws the measured heights, with a dot at the newest.
func (d *tidePlot) observed() {
	runs := d.labeler.others
	for _, run := range runs {
		d.curve(Observed, 2, run, lineTolerance)
	}
	if len(runs) > 0 {
		newest := runs[len(runs)-1]
		d.dot(Observed, newest[len(newest)-1], 3.5)
	}
}

// axisWords writes the unit and the datum of the heights. It returns the ends of the
// space that remains next to them.
func (d *tidePlot) axisWords() (left, right float64) {
	axis := d.axis()
	width := room(axis, axisSize, false)
	if d.Now != nil && d.x(d.Now.Time) < d.x0+width+70 { // the pill needs the space
		d.text(Soft, point{d.x1, d.y0 - 10}, words{text: axis, size: axisSize, anchor: end})
		return 2, d.x1 - width - 12
	}
	d.text(Soft, point{2, d.y0 - 10}, words{text: axis, size: axisSize})
	return 2 + width + 12, d.W - 2
}

// now draws the line of the present time, which leaves out labels, and the present height in a
// pill over it.
func (d *tidePlot) now(left, right float64) {
	if d.Now == nil {
		return
	}
	x := d.x(d.Now.Time)
	d.broken(item{kind: lineItem, role: Now, width: 1.5, a: point{x, d.y0 - 8}, b: point{x, d.y1}},
		d.labeler.taken[1:]) // the first is the dot on the line
	text := d.nowWords(right - left - 12)
	half := room(text, daySize, true)/2 + 6
	middleX := min(max(x, left+half), right-half)
	pill := box{middleX - half, d.y0 - 28, middleX + half, d.y0 - 6}
	d.rect(Now, pill, 11)
	d.text(OnNow, point{middleX, pill.y1 - 6.5},
		words{text: text, size: daySize, bold: true, anchor: middle})
}

// nowWords returns the present height for the pill. Next to observed levels it is called
// predicted, and has its trend if that fits a width.
func (d *tidePlot) nowWords(width float64) string {
	var b [64]byte
	observed := len(d.labeler.others) > 0
	height := append(b[:0], "now "...)
	if observed {
		height = append(b[:0], "predicted "...)
	}
	height = appendQuantity(height, d.Now.Height, d.Unit)
	text := d.keep(append(append(height, ", "...), d.Now.Trend.String()...))
	if observed && room(text, daySize, true) > width {
		return text[:len(height)]
	}
	return text
}

// axis returns unit, datum and, if there is room, its epoch.
func (d *tidePlot) axis() string {
	axis := d.Unit + " above " + d.Datum
	if d.Epoch != "" && d.W >= TideWide.W-100 {
		axis += " (" + d.Epoch + ")"
	}
	return axis
}

// labels finds the places of the labels of high and low waters.
func (d *tidePlot) labels() []label {
	if d.Now != nil {
		at := point{d.x(d.Now.Time), d.y(d.Now.Height)}
		d.labeler.now = d.Now.Time
		d.labeler.taken = boxes{{at.x - 6, at.y - 6, at.x + 6, at.y + 6}}
	}
	labels := make([]label, 0, len(d.Events))
	for _, e := range d.Events {
		if d.contains(e.Time) && finite(e.Height) {
			labels = append(labels, d.labeler.newLabel(label{
				time: e.Time, at: point{d.x(e.Time), d.y(e.Height)}, above: e.High,
				value: e.Height, role: Soft,
			}, e.Height, d.Unit))
		}
	}
	return d.labeler.placed(labels)
}

// marks draws a dot at each high and low water and at the present height.
func (d *tidePlot) marks() {
	for _, e := range d.Events {
		if d.contains(e.Time) && finite(e.Height) {
			d.ringed(Curve, point{d.x(e.Time), d.y(e.Height)}, 3)
		}
	}
	if d.Now != nil {
		at := point{d.x(d.Now.Time), d.y(d.Now.Height)}
		d.ringed(Now, at, 4.25)
	}
}

// level draws the line of a level, with gaps at labels and names.
func (d *tidePlot) level(l Level) {
	y := d.y(l.Value)
	d.broken(item{
		kind: lineItem, role: l.Role, width: 1.5, dashed: true, a: point{d.x0, y}, b: point{d.x1, y},
	}, d.labeler.taken)
}

// nameLevels finds a place for the name of each level: over its line, or under it. A
// level without room is in the description.
func (d *tidePlot) nameLevels() {
	for _, l := range d.Levels {
		y := d.y(l.Value)
		value := " " + Quantity(l.Value, d.Unit)
		short := strings.TrimSuffix(l.Name, " flooding")
		for _, text := range []string{l.Name + value, short + value} {
			width := room(text, axisSize, false) + 6
			at, ok := d.nameAt(y, width)
			if ok {
				d.labeler.taken = append(d.labeler.taken, at)
				d.names = append(d.names, levelName{l, text, point{at.x0 + 3, at.y1 - 4}})
				break
			}
		}
	}
}

// nameAt returns a free place for a name at a line.
func (d *tidePlot) nameAt(y, width float64) (at box, ok bool) {
	free := d.x1 - d.x0 - width
	for _, under := range []float64{0, 16.5} {
		for _, x := range []float64{free - 4, 6, free / 2, free / 4, 0.65 * free, 0.8 * free} {
			x += d.x0
			at = box{x, y - 15 + under, x + width, y - 1 + under}
			crosses := func(t trace) bool { return meets(t, at) }
			if at.y0 >= d.y0 && d.labeler.taken.free(at) && !d.labeler.crossesNow(at) &&
				!d.meetsLevel(at) && !slices.ContainsFunc(d.labeler.curve, crosses) &&
				!slices.ContainsFunc(d.labeler.others, crosses) {
				return at, true
			}
		}
	}
	return box{}, false
}

// meetsLevel reports whether the line of a level runs through a box.
func (d *tidePlot) meetsLevel(b box) bool {
	return slices.ContainsFunc(d.Levels, func(l Level) bool {
		y := d.y(l.Value)
		return b.y0+2 < y && y < b.y1-1
	})
}

// legend names the curves of a picture, which has no caption. It returns the position of its
// left end.
func (d *tidePlot) legend() (left float64) {
	x := d.W - 12.0
	name := func(r Role, width float64, text string) {
		d.text(Soft, point{x, 26}, words{text: text, size: axisSize, anchor: end})
		x -= room(text, axisSize, false) + 4
		d.line(r, width, point{x - 18, 22}, point{x, 22})
		x -= 18 + 16
	}
	if len(d.labeler.others) > 0 {
		name(Observed, 2, "observed")
	}
	name(Curve, 2.25, "predicted tide")
	return x
}

// data adds the values with which a script computes time and height from a position.
func (d *tidePlot) data() []Datum {
	return append(d.plot.data(d.scale), Datum{"unit", d.Unit}, Datum{"kind", "tide"})
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
		b = appendQuantity(append(b, " Now predicted "...), t.Now.Height, t.Unit)
		b = append(append(append(b, ", "...), t.Now.Trend.String()...), '.')
	}
	if at, v, ok := t.Observed.Between(from, to).newest(); ok {
		b = appendQuantity(append(b, " Observed "...), v, t.Unit)
		b = append(t.Clock.appendMoment(append(b, " at "...), at), '.')
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
	if w := t.Windows; w != nil && finite(w.Level) {
		b = appendQuantity(append(b, " Windows at the level of "...), w.Level, t.Unit)
		separator = ": "
		for _, s := range w.Spans {
			if s.To.Before(from) || s.From.After(to) {
				continue
			}
			b = t.Clock.appendMoment(append(b, separator...), s.From)
			b = t.Clock.appendMoment(append(b, " to "...), s.To)
			separator = "; "
		}
		b = append(b, '.')
	}
	for _, l := range t.Levels {
		if !finite(l.Value) {
			continue
		}
		b = append(append(append(b, ' '), capital(l.Name)...), " begins at "...)
		b = append(appendQuantity(b, l.Value, t.Unit), '.')
	}
	return string(b)
}
