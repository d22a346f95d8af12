package manual

import (
	"fmt"
	"html/template"
	"strings"
)

// Arrays with more than mostItems items show the first fewItems of them.
const (
	mostItems = 6
	fewItems  = 3
	lineWidth = 88 // of an object or an array in one line
)

// ink writes JSON: with or without elements that color it.
type ink struct {
	b       strings.Builder
	colored bool
}

// colored returns a JSON value as HTML with the classes k for keys, s for strings, n for numbers
// and w for words.
func colored(v value) template.HTML {
	i := &ink{colored: true}
	i.value(v, "")
	return template.HTML(i.b.String())
}

// indented returns a JSON value as text in the same lines.
func indented(v value) string {
	i := &ink{}
	i.value(v, "")
	return i.b.String()
}

func (i *ink) value(v value, indent string) {
	if !v.isScalar() && len(v.members)+len(v.items) > 0 && !v.fits(indent) {
		i.lines(v, indent)
		return
	}
	switch v.kind {
	case '{':
		i.b.WriteString("{")
		for n, m := range v.members {
			if n > 0 {
				i.b.WriteString(", ")
			}
			i.mark("k", quote(m.name))
			i.b.WriteString(": ")
			i.value(m.value, indent)
		}
		i.b.WriteString("}")
	case '[':
		i.b.WriteString("[")
		for n, item := range v.items {
			if n > 0 {
				i.b.WriteString(", ")
			}
			i.value(item, indent)
		}
		i.b.WriteString("]")
	case '"':
		i.mark("s", quote(v.text))
	case '0':
		i.mark("n", v.text)
	default:
		i.mark("w", v.text)
	}
}

// fits reports whether a value of scalars is short enough for a line, and shows all its items.
func (v value) fits(indent string) bool {
	for _, m := range v.members {
		if !m.value.isScalar() && len(m.value.members)+len(m.value.items) > 0 {
			return false
		}
	}
	for _, item := range v.items {
		if !item.isScalar() {
			return false
		}
	}
	return len(v.items) <= mostItems && len(indent)+len(v.compact()) <= lineWidth
}

// lines writes each member or item in a line of its own.
func (i *ink) lines(v value, indent string) {
	inner := indent + "  "
	end := func(last bool) {
		if !last {
			i.b.WriteString(",")
		}
		i.b.WriteString("\n")
	}
	i.b.WriteByte(v.kind)
	i.b.WriteString("\n")
	for n, m := range v.members {
		i.b.WriteString(inner)
		i.mark("k", quote(m.name))
		i.b.WriteString(": ")
		i.value(m.value, inner)
		end(n == len(v.members)-1)
	}
	shown := len(v.items)
	if shown > mostItems {
		shown = fewItems
	}
	for n, item := range v.items[:shown] {
		i.b.WriteString(inner)
		i.value(item, inner)
		end(n == len(v.items)-1)
	}
	if more := len(v.items) - shown; more > 0 {
		fmt.Fprintf(&i.b, "%s… %d more\n", inner, more)
	}
	i.b.WriteString(indent)
	i.b.WriteByte(v.kind + 2) // } follows { by two in ASCII, and ] follows [
}

// mark writes a token in its color.
func (i *ink) mark(class, text string) {
	if !i.colored {
		i.b.WriteString(text)
		return
	}
	i.b.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(text) + `</span>`)
}
