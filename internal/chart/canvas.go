package chart

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sync"

	"golang.org/x/image/vector"
)

// coverages is the number of coverage steps of a pixel. Eight are enough for the eye, and few
// enough that all mixed colors fit into one palette.
const coverages = 8

// canvas draws in the colors of a palette that grows as colors mix. The colors need no second
// pass over the picture, and the file is small.
type canvas struct {
	img    *image.Paletted
	index  map[color.NRGBA]uint8
	paints map[color.NRGBA]*paint
	shape  *vector.Rasterizer
	mask   []uint8
}

// maxPaints bounds the paints that a canvas keeps: 5 kB each. The themes have 60.
const maxPaints = 100

// paint is a color, and its mixtures with the colors that it covers.
type paint struct {
	color color.NRGBA
	mixed [256][coverages + 1]int16 // index into the palette plus one, 0 if not known yet
}

// canvases keeps canvases for reuse.
var canvases = sync.Pool{New: func() any {
	return &canvas{
		img:    &image.Paletted{Palette: make(color.Palette, 0, 256)},
		index:  map[color.NRGBA]uint8{},
		paints: map[color.NRGBA]*paint{},
		shape:  vector.NewRasterizer(0, 0),
	}
}}

// newCanvas returns a canvas in the color of the sheet. The caller returns it to canvases.
func newCanvas(w, h int, t *Theme) *canvas {
	c := canvases.Get().(*canvas)
	if cap(c.mask) < w*h {
		c.img.Pix, c.mask = make([]uint8, w*h), make([]uint8, w*h)
	}
	c.img.Pix, c.img.Stride, c.img.Rect = c.img.Pix[:w*h], w, image.Rect(0, 0, w, h)
	c.img.Palette = c.img.Palette[:0]
	clear(c.img.Pix)
	clear(c.index)
	if len(c.paints) > maxPaints {
		clear(c.paints)
	}
	for _, p := range c.paints {
		clear(p.mixed[:])
	}
	c.indexOf(t[Sheet]) // index 0, the ground
	for _, v := range t {
		if v.A == 255 {
			c.indexOf(v)
		}
	}
	return c
}

// indexOf returns the index of a color in the palette. When the palette has 256 colors, it
// returns that of the nearest color.
func (c *canvas) indexOf(v color.NRGBA) uint8 {
	if i, ok := c.index[v]; ok {
		return i
	}
	i := len(c.img.Palette)
	if i < 256 {
		c.img.Palette = append(c.img.Palette, v)
	} else {
		i = c.img.Palette.Index(v)
	}
	c.index[v] = uint8(i)
	return uint8(i)
}

func (c *canvas) paint(v color.NRGBA) *paint {
	p, ok := c.paints[v]
	if !ok {
		p = &paint{color: v}
		c.paints[v] = p
	}
	return p
}

// put covers a pixel with a paint; cover is in 255ths.
func (c *canvas) put(p *paint, at int, cover uint8) {
	level := (int(cover)*coverages + 127) / 255
	if level == 0 {
		return
	}
	under := c.img.Pix[at]
	if p.mixed[under][level] == 0 {
		p.mixed[under][level] = 1 + int16(c.indexOf(c.mix(under, p.color, level)))
	}
	c.img.Pix[at] = uint8(p.mixed[under][level] - 1)
}

// mix returns the mixture of a color and one of the palette. Colors of edges are rounded to
// keep them few.
func (c *canvas) mix(under uint8, over color.NRGBA, level int) color.NRGBA {
	u := c.img.Palette[under].(color.NRGBA)
	alpha := uint32(level) * uint32(over.A) / coverages
	channel := func(under, over uint8) uint8 {
		v := (uint32(under)*(255-alpha) + uint32(over)*alpha + 127) / 255
		if level < coverages {
			v = min((v+3)/6*6, 255)
		}
		return uint8(v)
	}
	return color.NRGBA{channel(u.R, over.R), channel(u.G, over.G), channel(u.B, over.B), 255}
}

// polygon fills the outline p.
func (c *canvas) polygon(p *paint, points []point) {
	r := bounds(points).Intersect(c.img.Rect)
	if r.Empty() {
		return
	}
	c.shape.Reset(r.Dx(), r.Dy())
	at := func(q point) (x, y float32) {
		return float32(q.x) - float32(r.Min.X),
			float32(q.y) - float32(r.Min.Y)
	}
	c.shape.MoveTo(at(points[0]))
	for _, q := range points[1:] {
		c.shape.LineTo(at(q))
	}
	c.shape.ClosePath()
	m := &image.Alpha{
		Pix: c.mask[:r.Dx()*r.Dy()], Stride: r.Dx(), Rect: image.Rect(0, 0, r.Dx(), r.Dy()),
	}
	c.shape.DrawOp = draw.Src
	c.shape.Draw(m, m.Rect, image.Opaque, image.Point{})
	c.cover(p, m, r.Min)
}

// cover paints through a mask whose corner is at a pixel of the picture.
func (c *canvas) cover(p *paint, m *image.Alpha, corner image.Point) {
	r := m.Rect.Add(corner).Intersect(c.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m.Pix[(y-corner.Y)*m.Stride:]
		line := y * c.img.Stride
		for x := r.Min.X; x < r.Max.X; x++ {
			if cover := row[x-corner.X]; cover > 0 {
				c.put(p, line+x, cover)
			}
		}
	}
}

func bounds(p []point) image.Rectangle {
	low, high := p[0], p[0]
	for _, q := range p {
		low = point{min(low.x, q.x), min(low.y, q.y)}
		high = point{max(high.x, q.x), max(high.y, q.y)}
	}
	return image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(math.Ceil(high.x)),
		int(math.Ceil(high.y)))
}

// box fills a rectangle, with round corners if radius is above 0.
func (c *canvas) box(p *paint, corners []point, radius float64) {
	a, b := corners[0], corners[1]
	if radius > 0 {
		c.polygon(p, rounded(a, b, min(radius, (b.x-a.x)/2, (b.y-a.y)/2)))
		return
	}
	r := image.Rect(int(math.Round(a.x)), int(math.Round(a.y)), int(math.Round(b.x)),
		int(math.Round(b.y)))
	r = r.Intersect(c.img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.img.Pix[y*c.img.Stride+r.Min.X : y*c.img.Stride+r.Max.X]
		if p.color.A == 255 {
			paintRow(row, c.indexOf(p.color))
			continue
		}
		for x := range row {
			c.put(p, y*c.img.Stride+r.Min.X+x, 255)
		}
	}
}

func paintRow(row []uint8, v uint8) {
	for x := range row {
		row[x] = v
	}
}

// bar draws a horizontal or vertical line, in pieces of 6 units if it is dashed.
func (c *canvas) bar(p *paint, i *item, k float64) {
	half := i.width * k / 2
	piece := func(a, b point) {
		dx, dy := half, 0.0
		if a.y == b.y {
			dx, dy = 0, half
		}
		c.polygon(p, []point{
			{a.x - dx, a.y - dy},
			{b.x - dx, b.y - dy},
			{b.x + dx, b.y + dy},
			{a.x + dx, a.y + dy},
		})
	}
	a, b := point{i.a.x * k, i.a.y * k}, point{i.b.x * k, i.b.y * k}
	if !i.dashed {
		piece(a, b)
		return
	}
	for x := a.x; x < b.x; x += 10 * k {
		piece(point{x, a.y}, point{min(x+6*k, b.x), a.y})
	}
}

// around lists the pixels next to a glyph that its halo covers.
var around = []image.Point{{-2, 0}, {2, 0}, {0, -2}, {0, 2}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

// text writes a text, over a halo in the color of the ground if it has one. A halo covers a
// pixel fully or not at all, because mixed colors would fill the palette.
func (c *canvas) text(p *paint, i *item, k float64) {
	key := faceKey{i.size * larger * k, i.bold}
	pen, y := i.a.x*k, int(math.Round(i.a.y*k))
	switch i.anchor {
	case middle:
		pen -= textWidth(i.text, key) / 2
	case end:
		pen -= textWidth(i.text, key)
	}
	fonts.Lock()
	defer fonts.Unlock()
	if i.halo {
		c.halo(i.text, key, pen, y)
	}
	at := pen
	for _, r := range i.text {
		g, corner, next := glyphAt(key, r, at, y)
		if g.mask != nil {
			c.cover(p, g.mask, corner)
		}
		at = next
	}
}

// halo paints the ground around each character in the color of which the ground there has
// most, so that it covers lines but not the border between day and night.
func (c *canvas) halo(text string, key faceKey, pen float64, y int) {
	for _, r := range text {
		g, corner, next := glyphAt(key, r, pen, y)
		if g.mask != nil {
			ground := c.paint(c.ground(g.mask.Rect.Add(corner).Inset(-3)))
			for _, d := range around {
				c.cover(ground, g.solid, corner.Add(d))
			}
		}
		pen = next
	}
}

// ground returns the most frequent color of a rectangle.
func (c *canvas) ground(r image.Rectangle) color.NRGBA {
	r = r.Intersect(c.img.Rect)
	var count [256]int
	most := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			i := int(c.img.Pix[y*c.img.Stride+x])
			count[i]++
			if count[i] > count[most] {
				most = i
			}
		}
	}
	return c.img.Palette[most].(color.NRGBA)
}
