package manual

import (
	"cmp"
	"fmt"
	"strings"
)

// kind returns the type of a schema with its bounds, as Markdown. named returns what is written
// for a schema with a name, or "" to write what it is.
func (d *document) kind(v value, named func(name string) string) string {
	if name := nameOf(v); name != "" {
		if text := named(name); text != "" {
			return text
		}
		return d.kind(d.resolve(v), named)
	}
	var parts []string
	for _, word := range []string{"oneOf", "anyOf"} {
		for _, item := range v.at(word).items {
			parts = append(parts, d.kind(item, named))
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " or ")
	}
	if list := v.at("enum").items; len(list) > 0 {
		return "one of " + values(list)
	}
	if one := v.at("const"); one.exists() {
		return "`" + one.shown() + "`"
	}
	text, null := typeOf(v)
	if text == "array" {
		text = "list of " + d.kind(v.at("items"), named)
	} else if extra := v.at("additionalProperties"); text == "object" && extra.kind == '{' {
		text = "object of " + d.kind(extra, named)
	}
	text += bounds(v)
	if null {
		text += ", or null"
	}
	return text
}

// typeOf returns the type of a schema, and whether it may be null.
func typeOf(v value) (text string, null bool) {
	t := v.at("type")
	text = t.text
	for _, item := range t.items {
		if item.text == "null" {
			null = true
		} else {
			text = item.text
		}
	}
	switch format := v.at("format").text; format {
	case "":
	case "date-time":
		text = "time"
	default:
		text = format
	}
	return cmp.Or(text, "any value"), null
}

// bounds returns the bounds of a schema, to be appended to its type.
func bounds(v value) string {
	text := ""
	for _, pair := range []struct{ low, high, of string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"},
		{"minItems", "maxItems", " items"},
	} {
		low, high := v.at(pair.low), v.at(pair.high)
		switch {
		case low.exists() && high.exists():
			text += fmt.Sprintf(", %s to %s%s", low.text, high.text, pair.of)
		case low.exists():
			text += fmt.Sprintf(", at least %s%s", low.text, pair.of)
		case high.exists():
			text += fmt.Sprintf(", at most %s%s", high.text, pair.of)
		}
	}
	if pattern := v.at("pattern"); pattern.exists() {
		text += ", `" + pattern.text + "`"
	}
	return text
}

// values lists values as Markdown.
func values(list []value) string {
	var names []string
	for _, v := range list {
		names = append(names, "`"+v.shown()+"`")
	}
	return strings.Join(names, ", ")
}

// named returns the name of a schema with fields, and "" for others, which are written in place.
func (d *document) named(name string) string {
	if !d.isObject(name) {
		return ""
	}
	return "`" + name + "`"
}

// outline returns the objects of a schema as Markdown: a table of fields for each, and links
// from the types of fields to the tables. Each object of the document is described once.
func (d *document) outline(v value, level, prefix string) string {
	var b strings.Builder
	queue, seen := []string{}, map[string]bool{}
	link := func(name string) string {
		if !d.isObject(name) {
			return ""
		}
		if !seen[name] {
			seen[name] = true
			queue = append(queue, name)
		}
		return "[" + name + "](#" + slug(prefix+name) + ")"
	}
	first := nameOf(v)
	seen[first] = true
	for queue = append(queue, first); len(queue) > 0; queue = queue[1:] {
		s := d.root.at("components", "schemas", queue[0])
		fmt.Fprintf(&b, "%s %s%s\n\n", level, prefix, queue[0])
		if about := s.at("description").text; about != "" {
			b.WriteString(about + "\n\n")
		}
		if !s.at("properties").exists() {
			b.WriteString("Is " + d.kind(s, link) + ".\n\n")
			continue
		}
		b.WriteString("| field | type | description |\n|---|---|---|\n")
		for _, p := range s.at("properties").members {
			optional := ""
			if !s.requires(p.name) {
				optional = " (optional)"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", p.name, optional, cell(d.kind(p.value, link)),
				cell(p.value.at("description").text))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// isObject reports whether a schema has fields, or is one of several that have.
func (d *document) isObject(name string) bool {
	s := d.root.at("components", "schemas", name)
	return s.at("properties").exists() || s.at("oneOf").exists()
}

// requires reports whether a schema lists a property as required.
func (v value) requires(name string) bool {
	for _, item := range v.at("required").items {
		if item.text == name {
			return true
		}
	}
	return false
}
