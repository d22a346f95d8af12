package chart

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendSVG appends the scene as an SVG element for a page that has Style. The id
// makes its ids unique in the page; class is added to its classes.
func (s *Scene) AppendSVG(b []byte, id, class string) []byte {
	b = append(b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart`...)
	if class != "" {
		b = append(append(b, ' '), class...)
	}
	return append(s.appendBody(append(b, '"'), id, ""), "</svg>"...)
}

// File returns the scene as an SVG file with its own style for light and dark.
func (s *Scene) File() []byte {
	b := append(make([]byte, 0, 16<<10), `<svg xmlns="http://www.w3.org/2000/svg" class="chart"`...)
	b = attribute(attribute(b, "width", s.W), "height", s.H)
	return append(s.appendBody(b, "chart", fileStyle()), "</svg>\n"...)
}

// appendBody appends the rest of the first tag, title, description and shapes.
func (s *Scene) appendBody(b []byte, id, style string) []byte {
	b = append(b, ` role="img" viewBox="0 0 `...)
	b = append(tenths(b, s.W), ' ')
	b = append(tenths(b, s.H), `" aria-labelledby="`...)
	b = append(append(append(append(b, id...), `-t `...), id...), `-d"`...)
	for _, d := range s.Data {
		b = append(append(append(b, ` data-`...), d.Name...), `="`...)
		b = append(appendEscaped(b, d.Value), '"')
	}
	b = append(append(append(b, `><title id="`...), id...), `-t">`...)
	b = append(appendEscaped(b, s.Title), `</title><desc id="`...)
	b = append(append(b, id...), `-d">`...)
	b = append(appendEscaped(b, s.Desc), `</desc>`...)
	if style != "" {
		b = append(append(append(b, `<style>`...), style...), `</style>`...)
		b = append(b, `<rect class="sheet" width="100%" height="100%"/>`...)
	}
	for i := range s.items {
		b = s.items[i].appendSVG(b)
	}
	return b
}

// appendEscaped appends a text for use between tags and in attributes. It leaves out
// characters that XML does not allow (XML 1.0, 2.2), such as control characters.
func appendEscaped(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '"':
			b = append(b, "&#34;"...)
		case r == '\'':
			b = append(b, "&#39;"...)
		case r < ' ' || r == utf8.RuneError || r == 0xfffe || r == 0xffff:
		case r < utf8.RuneSelf:
			b = append(b, byte(r))
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func (i *item) appendSVG(b []byte) []byte {
	switch i.kind {
	case rectItem:
		b = class(append(b, "<rect"...), "", i.role)
		b = attribute(attribute(b, "x", i.a.x), "y", i.a.y)
		b = attribute(attribute(b, "width", i.b.x-i.a.x), "height", i.b.y-i.a.y)
		if i.width > 0 {
			b = attribute(b, "rx", i.width)
		}
	case areaItem:
		b = class(append(b, "<path"...), "", i.role)
		b = append(path(append(b, ` d="`...), i.points), `z"`...)
	case strokeItem:
		more := "s "
		if i.read {
			more = "s l "
		}
		b = class(append(b, "<path"...), more, i.role)
		b = append(path(append(attribute(b, "stroke-width", i.width), ` d="`...), i.points), '"')
	case lineItem:
		b = i.appendLine(b)
	case dotItem:
		more := ""
		if i.halo {
			more = "r "
		}
		b = class(append(b, "<circle"...), more, i.role)
		b = attribute(attribute(attribute(b, "cx", i.a.x), "cy", i.a.y), "r", i.width)
	case arrowItem:
		b = class(append(b, "<path"...), "", i.role)
		b = append(tenths(append(b, ` transform="translate(`...), i.a.x), ' ')
		b = append(tenths(b, i.a.y), `)rotate(`...)
		b = append(tenths(b, i.width), `)" d="M0-7 4 6 0 3.5-4 6z"`...)
	case textItem:
		return i.appendText(b)
	}
	return append(b, "/>"...)
}

func (i *item) appendLine(b []byte) []byte {
	b = class(append(b, "<path"...), "s ", i.role)
	if i.width != 1 {
		b = attribute(b, "stroke-width", i.width)
	}
	if i.dashed {
		b = append(b, ` stroke-dasharray="6 4"`...)
	}
	b = append(tenths(append(b, ` d="M`...), i.a.x), ' ')
	b = tenths(b, i.a.y)
	if i.a.y == i.b.y {
		b = tenths(append(b, 'H'), i.b.x)
	} else {
		b = tenths(append(b, 'V'), i.b.y)
	}
	return append(b, '"')
}

// anchorClasses are the classes of texts that do not begin at their place.
var anchorClasses = [...]string{start: "", middle: "m ", end: "e "}

func (i *item) appendText(b []byte) []byte {
	b = append(append(b, `<text class="`...), anchorClasses[i.anchor]...)
	if i.bold {
		b = append(b, "b "...)
	}
	if i.halo {
		b = append(b, "h "...)
	}
	b = append(append(b, shades[i.role].name...), '"')
	b = attribute(attribute(b, "x", i.a.x), "y", i.a.y)
	if i.size != axisSize {
		b = attribute(b, "font-size", i.size)
	}
	return append(appendEscaped(append(b, '>'), i.text), "</text>"...)
}

func class(b []byte, more string, r Role) []byte {
	b = append(append(b, ` class="`...), more...)
	return append(append(b, shades[r].name...), '"')
}

func attribute(b []byte, name string, v float64) []byte {
	b = append(append(append(b, ' '), name...), `="`...)
	return append(hundredths(b, v), '"')
}

// path appends the points of a path, each relative to the one before.
func path(b []byte, points []point) []byte {
	x, y := inTenths(points[0].x), inTenths(points[0].y)
	b = append(appendTenths(append(b, 'M'), x), ' ')
	b = append(appendTenths(b, y), 'l')
	for i, p := range points[1:] {
		toX, toY := inTenths(p.x), inTenths(p.y)
		if i > 0 && toX >= x { // a minus sign separates too
			b = append(b, ' ')
		}
		b = appendTenths(b, toX-x)
		if toY >= y {
			b = append(b, ' ')
		}
		b = appendTenths(b, toY-y)
		x, y = toX, toY
	}
	return b
}

func inTenths(v float64) int { return int(math.Round(v * 10)) }

func tenths(b []byte, v float64) []byte { return appendTenths(b, inTenths(v)) }

// appendTenths appends a number of tenths without a leading zero.
func appendTenths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 10 || n == 0 {
		b = strconv.AppendInt(b, int64(n/10), 10)
	}
	if n%10 != 0 {
		b = append(b, '.', byte('0'+n%10))
	}
	return b
}

// hundredths appends a number with at most two decimals and without a leading zero: widths of
// strokes need them.
func hundredths(b []byte, v float64) []byte {
	n := int(math.Round(v * 100))
	if n%10 == 0 {
		return appendTenths(b, n/10)
	}
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 100 {
		b = strconv.AppendInt(b, int64(n/100), 10)
	}
	return append(b, '.', byte('0'+n/10%10), byte('0'+n%10))
}
