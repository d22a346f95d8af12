package chart

import (
	"cmp"
	"slices"
	"strings"
)

// Size is the size of a scene, in units.
type Size struct {
	W, H   float64
	Framed bool // with title and source in the picture
}

// narrow reports whether a scene is for a phone.
func (s Size) narrow() bool { return s.W < 480 }

// The sizes of charts. Narrow ones are for phones and show half the span of wide ones, so that
// letters of 12 units can be read there.
var (
	TideWide    = Size{W: 880, H: 340}
	CurrentWide = Size{W: 880, H: 300}
	WindWide    = Size{W: 880, H: 220}
	Strip       = Size{W: 880, H: 110} // of differences
	SkyWide     = Size{W: 880, H: 76}
	BarsWide    = Size{W: 880, H: 200}
	BarsLow     = Size{W: 880, H: 120}

	Narrow      = Size{W: 320, H: 290} // of tide, current or wind
	StripNarrow = Size{W: 320, H: 110}
	SkyNarrow   = Size{W: 320, H: 76}
	BarsNarrow  = Size{W: 320, H: 200}

	BarsLowNarrow = Size{W: 320, H: 120}

	Picture = Size{W: 800, H: 400, Framed: true}
)

// margins are the distances of a plot from the edges of its scene.
type margins struct{ left, right, top, bottom float64 }

// margins returns the margins of a plot with the given ones above and below, which a frame
// makes larger.
func (s Size) margins(top, bottom float64) margins {
	m := margins{left: 40, right: 12, top: top, bottom: bottom}
	if s.narrow() {
		m.left, m.right = 36, 8
	}
	if s.Framed {
		m.top, m.bottom = m.top+32, m.bottom+18
	}
	return m
}

// point is a position in a scene: x to the right, y down.
type point struct{ x, y float64 }

// trace is a curve from left to right: samples at equal steps, between its ends.
type trace []point

// samples returns the samples.
func (t trace) samples() []point { return t[1 : len(t)-1] }

// Scene is a chart that is laid out and ready to be written.
type Scene struct {
	W, H  float64
	Title string
	Desc  string // the content of the picture in words, for people who cannot see it
	Data  []Datum
	items []item

	letters strings.Builder // of texts; one buffer for all
	spare   []point         // of paths; one buffer for most
}

// Datum is a fact that a script of a page reads from the picture.
type Datum struct{ Name, Value string }

type kind uint8

const (
	rectItem kind = iota
	areaItem
	strokeItem
	lineItem // horizontal or vertical
	dotItem
	arrowItem
	textItem
)

type anchor uint8

const (
	start anchor = iota
	middle
	end
)

// item is a shape or a text of a scene.
type item struct {
	kind   kind
	role   Role
	a, b   point // corners of a rect, ends of a line, center or place of the rest
	points []point
	width  float64 // of a stroke; the radius of a dot or of corners; degrees of an arrow
	dashed bool
	read   bool // a curve that a script reads values from

	// tolerance is above 0 for a trace: what is written may be so far from its samples.
	tolerance float64

	words
}

// words is a text with its format.
type words struct {
	text   string
	size   float64
	bold   bool
	anchor anchor
	halo   bool // around letters on a ground of several colors, or around a dot
}

func (s *Scene) add(i item) {
	if s.items == nil {
		s.items = make([]item, 0, 64) // two days of tide have about 110
	}
	s.items = append(s.items, i)
}

func (s *Scene) rect(r Role, b box, radius float64) {
	s.add(item{kind: rectItem, role: r, a: point{b.x0, b.y0}, b: point{b.x1, b.y1}, width: radius})
}

func (s *Scene) area(r Role, p []point) {
	if len(p) > 2 {
		s.add(item{kind: areaItem, role: r, points: p})
	}
}

func (s *Scene) stroke(r Role, width float64, p []point) {
	if len(p) > 1 {
		s.add(item{kind: strokeItem, role: r, width: width, points: p})
	}
}

// curve draws a line along a trace.
func (s *Scene) curve(r Role, width float64, t trace, tolerance float64) {
	s.add(item{kind: strokeItem, role: r, width: width, points: t, tolerance: tolerance})
}

// read draws a line along a trace, from which a script reads values.
func (s *Scene) read(r Role, width float64, t trace, tolerance float64) {
	s.curve(r, width, t, tolerance)
	s.items[len(s.items)-1].read = true
}

// under draws the area between a trace and a horizontal line.
func (s *Scene) under(r Role, t trace, y, tolerance float64) {
	outline := append(s.space(len(t)), t...)
	outline[0].y, outline[len(t)-1].y = y, y
	s.add(item{kind: areaItem, role: r, points: outline, tolerance: tolerance})
}

func (s *Scene) line(r Role, width float64, a, b point) {
	s.add(item{kind: lineItem, role: r, width: width, a: a, b: b})
}

func (s *Scene) dot(r Role, at point, radius float64) {
	s.add(item{kind: dotItem, role: r, a: at, width: radius})
}

// rim is the width of the ring around a dot, in units.
const rim = 1.5

// ringed draws a dot with a ring in the color of the sheet.
func (s *Scene) ringed(r Role, at point, radius float64) {
	s.add(item{kind: dotItem, role: r, a: at, width: radius, words: words{halo: true}})
}

// arrow draws an arrow that points toward degrees, clockwise from up.
func (s *Scene) arrow(r Role, at point, degrees float64) {
	s.add(item{kind: arrowItem, role: r, a: at, width: degrees})
}

func (s *Scene) text(r Role, at point, w words) {
	s.add(item{kind: textItem, role: r, a: at, words: w})
}

// broken draws a horizontal or vertical line that leaves out the boxes that it would cross.
func (s *Scene) broken(line item, taken boxes) {
	const apart = 2 // units next to a box
	const edge = 3  // room at the sides of a text that a vertical line may cross
	least := 4.0    // the shortest piece
	if line.dashed {
		least = 12
	}
	across := line.a.y == line.b.y
	var space [16]box
	gaps := space[:0]
	for _, b := range taken {
		if !across { // compared as if the line were horizontal
			b = box{b.y0, b.x0 + edge, b.y1, b.x1 - edge}
		}
		if at := line.level(); b.y0-1 < at && at < b.y1+1 {
			gaps = append(gaps, b)
		}
	}
	slices.SortFunc(gaps, func(a, b box) int { return cmp.Compare(a.x0, b.x0) })
	at, last := line.a.x, line.b.x
	if !across {
		at, last = line.a.y, line.b.y
	}
	piece := func(from, to float64) {
		if to < from+least {
			return
		}
		p := line
		p.a.x, p.b.x = from, to
		if !across {
			p.a, p.b = point{line.a.x, from}, point{line.a.x, to}
		}
		s.add(p)
	}
	for _, g := range gaps {
		piece(at, min(g.x0-apart, last))
		at = max(at, g.x1+apart)
	}
	piece(at, last)
}

// level returns the coordinate that both ends of a line share.
func (i item) level() float64 {
	if i.a.y == i.b.y {
		return i.a.y
	}
	return i.a.x
}

// keep returns a text that the scene keeps.
func (s *Scene) keep(b []byte) string {
	if s.letters.Cap() == 0 {
		s.letters.Grow(1 << 10)
	}
	n := s.letters.Len()
	s.letters.Write(b)
	return s.letters.String()[n:]
}

// space returns an empty list with room for n points.
func (s *Scene) space(n int) []point {
	if cap(s.spare)-len(s.spare) < n {
		s.spare = make([]point, 0, max(n, 1<<10))
	}
	at := len(s.spare)
	s.spare = s.spare[:at+n]
	return s.spare[at : at : at+n]
}

// box is a rectangle, such as the place of a label.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) hits(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// boxes are occupied rectangles.
type boxes []box

// free reports whether a box overlaps no occupied one.
func (b boxes) free(o box) bool { return !slices.ContainsFunc(b, o.hits) }

// take occupies a box if it is free, and reports whether it was.
func (b *boxes) take(o box) bool {
	if !b.free(o) {
		return false
	}
	*b = append(*b, o)
	return true
}

// lineTolerance is the greatest distance, in units, of a line as it is written from its points:
// less than a screen can show. Ours.
const lineTolerance = 0.25

// thin returns the points of a line that remain of those within lineTolerance of it.
func thin(p []point) []point {
	out := p[:min(1, len(p))]
	for at := 0; at < len(p)-1; {
		at = reach(p, at, lineTolerance)
		out = append(out, p[at])
	}
	return out
}

// reach returns the index of the last point that a straight line from the point at an index can
// lead to, so that all points between the two are within tolerance of the line.
func reach(p []point, from int, tolerance float64) int {
	to := from + 1
	for to+1 < len(p) && straight(p[from], p[from+1:to+1], p[to+1], tolerance) {
		to++
	}
	return to
}

// straight reports whether all points between two points are within tolerance of the line
// that connects the two.
func straight(a point, between []point, b point, tolerance float64) bool {
	slope := (b.y - a.y) / (b.x - a.x)
	for _, q := range between {
		if d := a.y + slope*(q.x-a.x) - q.y; d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// meets reports whether a path from left to right runs through a box.
func meets(path []point, b box) bool {
	i, _ := slices.BinarySearchFunc(path, b.x0, func(p point, x float64) int {
		return cmp.Compare(p.x, x)
	})
	for i = max(i, 1); i < len(path) && path[i-1].x < b.x1; i++ {
		from, to := path[i-1], path[i]
		y := func(x float64) float64 {
			x = min(max(x, from.x), to.x)
			return from.y + (to.y-from.y)*(x-from.x)/max(to.x-from.x, 1e-9)
		}
		one, two := y(b.x0), y(b.x1)
		if min(one, two) < b.y1 && b.y0 < max(one, two) {
			return true
		}
	}
	return false
}

// frame writes the title of a picture, up to a position, its source, and the zone of its times.
func (s *Scene) frame(title, source, zones string, right float64) {
	const size = 17
	title = fitted(title, size, true, right-14-12)
	s.text(Ink, point{14, 26}, words{text: title, size: size, bold: true})
	s.text(Soft, point{s.W - 12, s.H - 9}, words{text: zones, size: sourceSize, anchor: end})
	source = fitted(source, sourceSize, false, s.W-14-12-16-room(zones, sourceSize, false))
	s.text(Soft, point{14, s.H - 9}, words{text: source, size: sourceSize})
}

// subject writes what a picture shows at its top right. It returns the position of its left
// end.
func (s *Scene) subject(text string) (left float64) {
	s.text(Soft, point{s.W - 12, 26}, words{text: text, size: axisSize, anchor: end})
	return s.W - 12 - room(text, axisSize, false)
}

// fitted returns a text that is shortened, with an ellipsis, to a width.
func fitted(text string, size float64, bold bool, width float64) string {
	if room(text, size, bold) <= width {
		return text
	}
	letters := []rune(text)
	n := len(letters)
	for n > 0 && room(string(letters[:n])+"…", size, bold) > width {
		n--
	}
	return strings.TrimRight(string(letters[:n]), " ,(") + "…"
}

// empty replaces the scene by one that gives the reason why nothing is drawn.
func (s *Scene) empty(why string) *Scene {
	s.Desc = why
	s.text(Soft, point{s.W / 2, s.H / 2}, words{text: why, size: labelSize, anchor: middle})
	return s
}
