package chart

import (
	"cmp"
	"slices"
)

// Size is the size of a scene, in units.
type Size struct {
	W, H   float64
	Framed bool // with title and source in the picture
}

// narrow reports whether a scene is for a phone.
func (s Size) narrow() bool { return s.W < 480 }

// The sizes of charts. Narrow ones show half the span of wide ones, so that letters of 12
// units can be read on a phone.
var (
	TideWide    = Size{W: 880, H: 340}
	CurrentWide = Size{W: 880, H: 300}
	WindWide    = Size{W: 880, H: 220}
	Strip       = Size{W: 880, H: 110}
	SkyWide     = Size{W: 880, H: 76}
	BarsWide    = Size{W: 880, H: 200}
	Narrow      = Size{W: 320, H: 290}
	Picture     = Size{W: 800, H: 400, Framed: true}
)

// point is a position in a scene: x to the right, y down.
type point struct{ x, y float64 }

// Scene is a chart that is laid out and ready to be written.
type Scene struct {
	W, H  float64
	Title string
	Desc  string // the content of the picture in words, for people who cannot see it
	Data  []Datum
	items []item
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
	words
}

// words is a text with its format.
type words struct {
	text   string
	size   float64
	bold   bool
	anchor anchor
	halo   bool // on a ground of several colors
}

func (s *Scene) add(i item) {
	if s.items == nil {
		s.items = make([]item, 0, 128) // two days of tide have about 100
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

func (s *Scene) line(r Role, width float64, a, b point) {
	s.add(item{kind: lineItem, role: r, width: width, a: a, b: b})
}

func (s *Scene) dot(r Role, at point, radius float64) {
	s.add(item{kind: dotItem, role: r, a: at, width: radius})
}

// ringed draws a dot with a rim in the color of the sheet.
func (s *Scene) ringed(r Role, at point, radius float64) {
	s.dot(Sheet, at, radius*1.4)
	s.dot(r, at, radius)
}

// arrow draws an arrow that points toward degrees, clockwise from up.
func (s *Scene) arrow(r Role, at point, degrees float64) {
	s.add(item{kind: arrowItem, role: r, a: at, width: degrees})
}

func (s *Scene) text(r Role, at point, w words) {
	s.add(item{kind: textItem, role: r, a: at, words: w})
}

// dashed draws a horizontal line with gaps at the boxes that it would cross.
func (s *Scene) dashed(r Role, y, x0, x1 float64, taken boxes) {
	const apart, least = 2, 4 // units next to a box; the shortest piece
	var gaps []box
	for _, b := range taken {
		if b.y0-1 < y && y < b.y1+1 {
			gaps = append(gaps, b)
		}
	}
	slices.SortFunc(gaps, func(a, b box) int { return cmp.Compare(a.x0, b.x0) })
	piece := func(from, to float64) {
		if to > from+least {
			s.add(item{
				kind: lineItem, role: r, width: 1.5, a: point{from, y}, b: point{to, y}, dashed: true,
			})
		}
	}
	at := x0
	for _, g := range gaps {
		piece(at, g.x0-apart)
		at = max(at, g.x1+apart)
	}
	piece(at, x1)
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

// tolerance is the greatest distance, in units, of a simplified curve from its points: less
// than a screen can show. Ours.
const tolerance = 0.12

// thin removes points that are within tolerance of the chord between those that remain. It
// works in place.
func thin(p []point) []point {
	if len(p) < 3 {
		return p
	}
	out, before := p[:1], 0 // before is the index in p of the last point that remains
	last := p[0]
	for i := 2; i < len(p); i++ {
		if !straight(last, p[before+1:i], p[i]) {
			before = i - 1
			last = p[before]
			out = append(out, last)
		}
	}
	return append(out, p[len(p)-1])
}

// straight reports whether all points between two points are within tolerance of the line
// that connects the two.
func straight(a point, between []point, b point) bool {
	slope := (b.y - a.y) / (b.x - a.x)
	for _, q := range between {
		if d := a.y + slope*(q.x-a.x) - q.y; d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// frame writes the title over a picture and its source under it.
func (s *Scene) frame(title, subject, source string) {
	s.text(Ink, point{14, 26}, words{text: title, size: 17, bold: true})
	s.text(Soft, point{s.W - 12, 26}, words{text: subject, size: axisSize, anchor: end})
	s.text(Soft, point{14, s.H - 9}, words{text: source, size: 11})
}

// empty replaces the scene by one that gives the reason why nothing is drawn.
func (s *Scene) empty(why string) *Scene {
	s.Desc = why
	s.text(Soft, point{s.W / 2, s.H / 2}, words{text: why, size: labelSize, anchor: middle})
	return s
}

// closed returns the outline of the area between a curve and a horizontal line.
func closed(curve []point, y float64) []point {
	if len(curve) == 0 {
		return nil
	}
	area := append(make([]point, 0, len(curve)+2), point{curve[0].x, y})
	return append(append(area, curve...), point{curve[len(curve)-1].x, y})
}
