package chart

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendSVG appends the scene as an SVG element for an HTML page that has Style. The id
// makes its ids unique in the page; class is added to its classes.
func (s *Scene) AppendSVG(b []byte, id, class string) []byte {
	b = append(b, `<svg class="chart`...)
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
	for items := s.items; len(items) > 0; {
		n := 1
		for n < len(items) && items[n].joins(&items[0]) {
			n++
		}
		b = appendItems(b, items[:n])
		items = items[n:]
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

// joins reports whether the item can share an element with an earlier one: they differ in their
// places alone.
func (i *item) joins(o *item) bool {
	switch {
	case i.kind != o.kind || i.role != o.role || i.rounded():
		return false
	case i.kind == arrowItem:
		return true
	}
	return i.width == o.width && i.dashed == o.dashed && i.read == o.read && i.size == o.size &&
		i.bold == o.bold && i.anchor == o.anchor && i.halo == o.halo
}

// rounded reports whether the item is a rectangle with round corners.
func (i *item) rounded() bool { return i.kind == rectItem && i.width > 0 }

// appendItems appends items that share an element: a group of dots, arrows or texts, or a path.
func appendItems(b []byte, items []item) []byte {
	first, group := &items[0], len(items) > 1
	if first.kind != dotItem && first.kind != textItem && first.kind != arrowItem {
		return appendPath(b, items)
	}
	if group {
		b = append(first.appendFormat(append(b, "<g"...)), '>')
	}
	for i := range items {
		b = items[i].appendPlaced(b, group)
	}
	if group {
		b = append(b, "</g>"...)
	}
	return b
}

// elements are the elements of items that have one of their own.
var elements = [...]string{dotItem: "<circle", arrowItem: "<path", textItem: "<text"}

// appendPlaced appends a dot, an arrow or a text, without its format if that is in its group.
func (i *item) appendPlaced(b []byte, group bool) []byte {
	b = append(b, elements[i.kind]...)
	if !group {
		b = i.appendFormat(b)
	}
	switch i.kind {
	case dotItem:
		b = place(place(b, "cx", i.a.x), "cy", i.a.y)
		return append(attribute(b, "r", i.width), "/>"...)
	case arrowItem:
		b = append(tenths(append(b, ` transform="translate(`...), i.a.x), ' ')
		b = append(tenths(b, i.a.y), `)rotate(`...)
		return append(tenths(b, i.width), `)" d="M0-7 4 6 0 3.5-4 6z"/>`...)
	}
	b = append(place(place(b, "x", i.a.x), "y", i.a.y), '>')
	return append(appendEscaped(b, i.text), "</text>"...)
}

// appendFormat appends classes, and the size of letters.
func (i *item) appendFormat(b []byte) []byte {
	b = i.appendClass(b)
	if i.kind == textItem && i.size != axisSize {
		b = attribute(b, "font-size", i.size)
	}
	return b
}

// anchorClasses are the classes of texts that do not begin at their place.
var anchorClasses = [...]string{start: "", middle: "m ", end: "e "}

// appendClass appends the classes of an item.
func (i *item) appendClass(b []byte) []byte {
	b = append(append(b, ` class="`...), anchorClasses[i.anchor]...)
	for _, c := range [...]struct {
		has  bool
		name string
	}{
		{i.kind == strokeItem || i.kind == lineItem, "s "}, {i.read, "l "}, {i.bold, "b "},
		{i.halo && i.kind == textItem, "h "}, {i.halo && i.kind == dotItem, "r "},
	} {
		if c.has {
			b = append(b, c.name...)
		}
	}
	return append(append(b, shades[i.role].name...), '"')
}

// appendPath appends shapes as one path, or as the one rectangle with round corners.
func appendPath(b []byte, items []item) []byte {
	first := &items[0]
	if first.rounded() {
		b = first.appendClass(append(b, "<rect"...))
		b = place(place(b, "x", first.a.x), "y", first.a.y)
		b = place(place(b, "width", first.b.x-first.a.x), "height", first.b.y-first.a.y)
		return append(attribute(b, "rx", first.width), "/>"...)
	}
	b = first.appendClass(append(b, "<path"...))
	if first.kind == strokeItem || first.kind == lineItem && first.width != 1 {
		b = attribute(b, "stroke-width", first.width)
	}
	if first.dashed {
		b = append(b, ` stroke-dasharray="6 4"`...)
	}
	d := pathData{text: append(b, ` d="`...)}
	for i := range items {
		items[i].draw(&d)
	}
	return append(d.text, `"/>`...)
}

// draw appends the outline or the line of a shape to a path.
func (i *item) draw(d *pathData) {
	switch i.kind {
	case rectItem:
		d.move(i.a)
		d.lines(point{i.b.x, i.a.y}, i.b, point{i.a.x, i.b.y})
		d.close()
	case areaItem:
		d.trace(i.points, i.tolerance)
		d.close()
	case strokeItem:
		d.trace(i.points, i.tolerance)
	case lineItem:
		d.move(i.a)
		d.line(i.b)
	}
}

// place appends an attribute in tenths of a unit, as exact as paths are.
func place(b []byte, name string, v float64) []byte {
	b = append(append(append(b, ' '), name...), `="`...)
	return append(tenths(b, v), '"')
}

func attribute(b []byte, name string, v float64) []byte {
	b = append(append(append(b, ' '), name...), `="`...)
	return append(hundredths(b, v), '"')
}

func tenths(b []byte, v float64) []byte { return appendTenths(b, inTenths(v)) }

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
