package chart

import (
	"image"
	"image/draw"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// faceKey identifies a font at a size in pixels.
type faceKey struct {
	size float64
	bold bool
}

// glyphKey identifies a glyph at one of four positions within a pixel.
type glyphKey struct {
	faceKey
	r       rune
	quarter uint8
}

// glyph is the mask of a character and the position of its corner relative to the pen.
type glyph struct {
	mask    *image.Alpha // nil for a space
	solid   *image.Alpha // the same without half-covered pixels
	corner  image.Point
	advance float64
}

// fonts are Go Regular and Go Medium, which have figures of one width and all signs
// of charts. Glyphs stay in memory: charts use few characters at few sizes.
var fonts = struct {
	sync.Mutex
	faces  map[faceKey]font.Face
	glyphs map[glyphKey]*glyph
	widths map[glyphKey]float64
}{
	faces:  map[faceKey]font.Face{},
	glyphs: map[glyphKey]*glyph{},
	widths: map[glyphKey]float64{},
}

var (
	regular = sync.OnceValue(func() *opentype.Font { return parse(goregular.TTF) })
	medium  = sync.OnceValue(func() *opentype.Font { return parse(gomedium.TTF) })
)

func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(err) // the font is part of the program
	}
	return f
}

// face returns a font at a size. The caller must hold fonts.
func face(k faceKey) font.Face {
	if f, ok := fonts.faces[k]; ok {
		return f
	}
	source := regular()
	if k.bold {
		source = medium()
	}
	options := &opentype.FaceOptions{Size: k.size, DPI: 72, Hinting: font.HintingNone}
	f, err := opentype.NewFace(source, options)
	if err != nil {
		panic(err) // sizes are constants of this package
	}
	fonts.faces[k] = f
	return f
}

// textWidth returns the width of a text in pixels.
func textWidth(s string, k faceKey) float64 {
	fonts.Lock()
	defer fonts.Unlock()
	sum := 0.0
	for _, r := range s {
		key := glyphKey{k, r, 0}
		w, ok := fonts.widths[key]
		if !ok {
			advance, _ := face(k).GlyphAdvance(r)
			w = float64(advance) / 64
			fonts.widths[key] = w
		}
		sum += w
	}
	return sum
}

// The factors by which a browser's font may be wider than ours: those of digits in DejaVu
// Sans, the widest font in common use.
const (
	wider     = 1.15
	widerBold = 1.26
)

// larger is the factor by which texts of a PNG are larger than in a layout, which has room for
// wider fonts: small letters on a screen without hinting look thin.
const larger = 1.12

// room returns the width to reserve for a text in a layout.
func room(s string, size float64, bold bool) float64 {
	factor := wider
	if bold {
		factor = widerBold
	}
	return factor * textWidth(s, faceKey{size, bold})
}

// glyphAt returns a character at a position of the pen, the pixel of its corner, and the
// next position. The caller must hold fonts.
func glyphAt(key faceKey, r rune, pen float64, y int) (g *glyph, corner image.Point, next float64) {
	left := math.Floor(pen)
	g = glyphOf(glyphKey{key, r, uint8((pen - left) * 4)})
	return g, image.Pt(int(left), y).Add(g.corner), pen + g.advance
}

// glyphOf returns a character of a font. The caller must hold fonts.
func glyphOf(k glyphKey) *glyph {
	if g, ok := fonts.glyphs[k]; ok {
		return g
	}
	pen := fixed.Point26_6{X: fixed.Int26_6(k.quarter) * 16}
	bounds, mask, at, advance, ok := face(k.faceKey).Glyph(pen, k.r)
	g := &glyph{advance: float64(advance) / 64}
	if ok && !bounds.Empty() {
		g.mask = image.NewAlpha(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
		draw.Draw(g.mask, g.mask.Rect, mask, at, draw.Src)
		g.solid, g.corner = solid(g.mask), bounds.Min
	}
	fonts.glyphs[k] = g
	return g
}

// solid returns a mask in which pixels are covered fully or not at all.
func solid(mask *image.Alpha) *image.Alpha {
	out := image.NewAlpha(mask.Rect)
	for i, cover := range mask.Pix {
		if cover >= 90 {
			out.Pix[i] = 255
		}
	}
	return out
}
