package chart

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image/color"
	"strings"
	"sync"
)

// common are the rules of shapes and texts that are the same for all roles. Each role sets the
// color, from which shapes take their fill and lines (s) their stroke. Texts have a middle (m) or
// an end (e) at their place, bold letters (b) or a halo (h); dots may have a ring (r).
const common = ".chart{display:block;max-width:100%;height:auto;" +
	"font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif;" +
	"font-variant-numeric:tabular-nums}\n" +
	".chart *{fill:currentColor}.chart .s{fill:none;stroke:currentColor;stroke-linejoin:round}" +
	".chart .m{text-anchor:middle}.chart .e{text-anchor:end}.chart .b{font-weight:600}" +
	".chart .h,.chart .r{paint-order:stroke;stroke-width:3;stroke-linejoin:round}" +
	".chart .h{stroke-opacity:.75}\n"

// Style returns the style sheet of charts in a page. The colors are custom properties of the
// document, so that a legend outside of a chart can use them: --c-curve, --c-observed. With
// the forced colors of a contrast theme, grounds and words have the colors of the system.
func Style() string { return pageStyle() }

var pageStyle = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString(":root{")
	properties(&b, LightTheme)
	b.WriteString("}\n@media(prefers-color-scheme:dark){:root{")
	properties(&b, DarkTheme)
	b.WriteString("}}\n@media(forced-colors:active){:root{")
	for r, s := range shades[1:] {
		if forced := forcedColor(Role(r + 1)); forced != "" {
			fmt.Fprintf(&b, "--c-%s:%s;", s.name, forced)
		}
	}
	b.WriteString("}.chart{forced-color-adjust:none}}\n" + common)
	b.WriteString(".chart{width:100%}.chart .h,.chart .r{stroke:var(--c-sheet)}\n")
	for _, s := range shades[1:] {
		fmt.Fprintf(&b, ".chart .%s{color:var(--c-%s)}", s.name, s.name)
	}
	return b.String() + "\n"
})

// fileStyle returns the style sheet of an SVG file. It has literal colors, which programs
// without custom properties understand too.
var fileStyle = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString(common)
	for _, scheme := range []struct {
		theme      *Theme
		begin, end string
	}{{LightTheme, "", ""}, {DarkTheme, "@media(prefers-color-scheme:dark){", "}"}} {
		b.WriteString(scheme.begin)
		fmt.Fprintf(&b, ".chart .h,.chart .r{stroke:%s}", css(scheme.theme[Sheet]))
		for r, s := range shades[1:] {
			if scheme.theme == LightTheme || s.light != s.dark {
				fmt.Fprintf(&b, ".%s{color:%s}", s.name, css(scheme.theme[r+1]))
			}
		}
		b.WriteString(scheme.end + "\n")
	}
	return b.String()
})

// FileStyleHash returns the hash of the style of File as a source of style-src in a
// Content-Security-Policy (CSP Level 3, 2.3.1): 'sha256-...'. It is the same for all scenes.
func FileStyleHash() string { return fileStyleHash() }

var fileStyleHash = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(fileStyle()))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
})

func properties(b *strings.Builder, t *Theme) {
	for r, s := range shades[1:] {
		if t == LightTheme || s.light != s.dark {
			fmt.Fprintf(b, "--c-%s:%s;", s.name, css(t[r+1]))
		}
	}
}

func css(c color.NRGBA) string {
	if c.A == 255 {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("rgb(%d %d %d/%d%%)", c.R, c.G, c.B, (int(c.A)*100+127)/255)
}

// forcedColor returns the system color of a role in a contrast theme, or "" for colors of the
// sky and of the moon, which are a picture.
func forcedColor(r Role) string {
	switch r {
	case Sheet, Dusk, Night, OnNow:
		return "Canvas"
	case Grid:
		return "GrayText"
	case Water, FloodFill, EbbFill, GustFill:
		return "transparent"
	case Observed, BarB:
		return "LinkText"
	case Sky0, Sky1, Sky2, Sky3, Sky4, MoonLit:
		return ""
	}
	return "CanvasText"
}
