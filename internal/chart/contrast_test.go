package chart

import (
	"image/color"
	"math"
	"testing"
)

// TestContrast computes the contrast of each text and line of all golden charts with the
// grounds that it has there, in both themes: at least 4.5 for words and 3 for lines and marks
// (WCAG 2.2, 1.4.3 and 1.4.11). Areas and boxes that were painted before are the ground. Grids,
// and the lines of midnight where they cross water, are decoration: the axis has the times.
func TestContrast(t *testing.T) {
	for _, g := range goldens(t, openDirectory(t)) {
		for name, theme := range map[string]*Theme{"light": LightTheme, "dark": DarkTheme} {
			c := contrasts{t, g.name + ", " + name, theme, newCanvas(int(g.scene.W), int(g.scene.H), theme)}
			for i := range g.scene.items {
				c.check(&g.scene.items[i])
			}
			canvases.Put(c.canvas)
		}
	}
}

// contrasts compares the items of a scene with their grounds.
type contrasts struct {
	*testing.T
	name   string
	theme  *Theme
	canvas *canvas
}

func (c contrasts) check(i *item) {
	switch i.kind {
	case rectItem:
		if i.b.y-i.a.y < 4 { // a mark, not a ground
			c.compare(i, point{i.a.x, i.a.y - 1}, 3)
			return
		}
		c.canvas.box(c.canvas.paint(c.theme[i.role]), []point{i.a, i.b}, i.width)
	case areaItem:
		c.canvas.polygon(c.canvas.paint(c.theme[i.role]), i.points)
	case textItem:
		b := textBox(*i)
		for x := b.x0 + 1; x < b.x1; x += 2 {
			c.compare(i, point{x, (b.y0 + b.y1) / 2}, 4.5)
		}
	case strokeItem:
		for _, p := range i.points {
			c.compare(i, point{p.x, p.y - i.width - 1}, 3)
			c.compare(i, point{p.x, p.y + i.width + 1}, 3)
		}
	case lineItem:
		if i.role != Grid && i.role != Axis {
			c.compare(i, i.a, 3)
			c.compare(i, i.b, 3)
		}
	case arrowItem:
		c.compare(i, i.a, 3)
	}
}

// compare checks the contrast of an item with the ground at a point.
func (c contrasts) compare(i *item, at point, least float64) {
	x, y := int(at.x), int(at.y)
	if x < 0 || y < 0 || x >= c.canvas.img.Rect.Dx() || y >= c.canvas.img.Rect.Dy() {
		return
	}
	ground := c.canvas.img.Palette[c.canvas.img.ColorIndexAt(x, y)].(color.NRGBA)
	if got := contrast(c.theme[i.role], ground); got < least {
		c.Errorf("%s: %s %q on %v at %d %d has contrast %.2f, want %.1f",
			c.name, shades[i.role].name, i.text, ground, x, y, got, least)
	}
}

// TestContrastOfTheme computes the contrast of pairs that charts of other stations have.
func TestContrastOfTheme(t *testing.T) {
	for name, theme := range map[string]*Theme{"light": LightTheme, "dark": DarkTheme} {
		for _, c := range []struct {
			roles, grounds []Role
			least          float64
		}{
			{[]Role{Ink, Soft, Minor, Moderate, Major, Flood, Ebb}, []Role{Sheet, Dusk, Night}, 4.5},
			{[]Role{Curve, Observed, Wind, Axis, Now}, []Role{Sheet, Dusk, Night}, 3},
			{[]Role{OnNow}, []Role{Now}, 4.5},
			{[]Role{BarA, BarB}, []Role{Sheet}, 3},
		} {
			for _, ground := range c.grounds {
				for _, r := range c.roles {
					if got := contrast(theme[r], theme[ground]); got < c.least {
						t.Errorf("%s: %s on %s has contrast %.2f, want %.1f",
							name, shades[r].name, shades[ground].name, got, c.least)
					}
				}
			}
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.2 of opaque colors.
func contrast(a, b color.NRGBA) float64 {
	low, high := luminance(a), luminance(b)
	if low > high {
		low, high = high, low
	}
	return (high + 0.05) / (low + 0.05)
}

func luminance(c color.NRGBA) float64 {
	channel := func(v uint8) float64 {
		c := float64(v) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(c.R) + 0.7152*channel(c.G) + 0.0722*channel(c.B)
}
