package chart

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"math"
	"sync"
)

// encoders has the buffers of the PNG encoder for reuse.
type encoders struct{ pool sync.Pool }

func (e *encoders) Get() *png.EncoderBuffer {
	b, _ := e.pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *encoders) Put(b *png.EncoderBuffer) { e.pool.Put(b) }

var encoder = png.Encoder{CompressionLevel: png.DefaultCompression, BufferPool: &encoders{}}

// PNG returns the scene as a picture with a number of pixels per unit. The file contains title
// and description.
func (s *Scene) PNG(t *Theme, pixels int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(32 << 10)
	c := s.raster(t, float64(pixels))
	defer canvases.Put(c)
	if err := encoder.Encode(&b, c.img); err != nil {
		return nil, err
	}
	return s.describePNG(b.Bytes()), nil
}

// headEnd is the end of the first chunk of a PNG, its header.
const headEnd = 8 + 4 + 4 + 13 + 4

// describePNG adds text chunks after the header (PNG specification, third edition,
// 11.3.3.4: UTF-8, not compressed, without language).
func (s *Scene) describePNG(file []byte) []byte {
	out := append(make([]byte, 0, len(file)+len(s.Title)+len(s.Desc)+64), file[:headEnd]...)
	out = textChunk(out, "Title", s.Title)
	out = textChunk(out, "Description", s.Desc)
	return append(out, file[headEnd:]...)
}

func textChunk(b []byte, keyword, text string) []byte {
	data := append([]byte("iTXt"+keyword), 0, 0, 0, 0, 0)
	data = append(data, text...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)-4))
	b = append(b, data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
}

// raster draws the scene with a number of pixels per unit. The caller returns the canvas to
// canvases.
func (s *Scene) raster(t *Theme, k float64) *canvas {
	c := newCanvas(int(math.Round(s.W*k)), int(math.Round(s.H*k)), t)
	for i := range s.items {
		it := &s.items[i]
		paint := c.paint(t[it.role])
		switch it.kind {
		case rectItem:
			c.box(paint, scaled(k, it.a, it.b), it.width*k)
		case areaItem:
			c.polygon(paint, scaled(k, it.points...))
		case strokeItem:
			c.polygon(paint, ribbon(scaled(k, it.points...), it.width*k))
		case lineItem:
			c.bar(paint, it, k)
		case dotItem:
			at := point{it.a.x * k, it.a.y * k}
			if it.halo {
				c.polygon(c.paint(t[Sheet]), circle(at, (it.width+rim)*k))
			}
			c.polygon(paint, circle(at, it.width*k))
		case arrowItem:
			c.polygon(paint, arrow(it.a, it.width, k))
		case textItem:
			c.text(paint, it, k)
		}
	}
	return c
}

func scaled(k float64, p ...point) []point {
	out := make([]point, len(p))
	for i, q := range p {
		out[i] = point{q.x * k, q.y * k}
	}
	return out
}

// ribbon returns the outline of a line with a width: along one side and back along the other.
func ribbon(p []point, width float64) []point {
	n := len(p)
	out := make([]point, 2*n)
	for i := range p {
		a, b := p[max(i-1, 0)], p[min(i+1, n-1)]
		dx, dy := b.x-a.x, b.y-a.y
		length := math.Hypot(dx, dy)
		if length == 0 {
			length = 1
		}
		nx, ny := -dy/length*width/2, dx/length*width/2
		out[i] = point{p[i].x + nx, p[i].y + ny}
		out[2*n-1-i] = point{p[i].x - nx, p[i].y - ny}
	}
	return out
}

func circle(at point, radius float64) []point { return arc(nil, at, radius, 0, 24) }

// arc appends points of a circle, from one of 24 directions over a number of steps.
func arc(p []point, at point, radius float64, from, steps int) []point {
	for i := range steps {
		sin, cos := math.Sincos(2 * math.Pi * float64(from+i) / 24)
		p = append(p, point{at.x + radius*cos, at.y + radius*sin})
	}
	return p
}

// rounded returns the outline of a box with round corners.
func rounded(a, b point, r float64) []point {
	p := arc(nil, point{b.x - r, b.y - r}, r, 0, 7)
	p = arc(p, point{a.x + r, b.y - r}, r, 6, 7)
	p = arc(p, point{a.x + r, a.y + r}, r, 12, 7)
	return arc(p, point{b.x - r, a.y + r}, r, 18, 7)
}

func arrow(at point, degrees, k float64) []point {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	p := []point{{0, -7}, {4, 6}, {0, 3.5}, {-4, 6}}
	for i, q := range p {
		p[i] = point{(at.x + q.x*cos - q.y*sin) * k, (at.y + q.x*sin + q.y*cos) * k}
	}
	return p
}
