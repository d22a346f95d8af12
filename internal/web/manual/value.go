package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// value is a JSON value. Objects keep the order of their members.
type value struct {
	kind    byte   // one of {, [, " (string), 0 (number), w (word); the byte 0 if there is no value
	text    string // of a string, a number or a word
	members []member
	items   []value
}

type member struct {
	name  string
	value value
}

// parse reads one JSON value.
func parse(text []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := read(d)
	if err != nil {
		return value{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return value{}, fmt.Errorf("text after the JSON value: %v", err)
	}
	return v, nil
}

func read(d *json.Decoder) (value, error) {
	token, err := d.Token()
	if err != nil {
		return value{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		return readItems(d, byte(t))
	case string:
		return value{kind: '"', text: t}, nil
	case json.Number:
		return value{kind: '0', text: t.String()}, nil
	}
	if token == nil {
		token = "null"
	}
	return value{kind: 'w', text: fmt.Sprint(token)}, nil
}

// readItems reads an object or an array to its end.
func readItems(d *json.Decoder, kind byte) (value, error) {
	v := value{kind: kind}
	for d.More() {
		var name string
		if kind == '{' {
			key, err := d.Token()
			if err != nil {
				return v, err
			}
			name = key.(string) // keys of objects are strings
		}
		item, err := read(d)
		if err != nil {
			return v, err
		}
		if kind == '{' {
			v.members = append(v.members, member{name, item})
		} else {
			v.items = append(v.items, item)
		}
	}
	_, err := d.Token()
	return v, err
}

// at returns the value below the names of members, or none.
func (v value) at(names ...string) value {
	for _, name := range names {
		var next value
		for _, m := range v.members {
			if m.name == name {
				next = m.value
				break
			}
		}
		v = next
	}
	return v
}

// exists reports whether there is a value.
func (v value) exists() bool { return v.kind != 0 }

// isScalar reports whether the value is neither an object nor an array.
func (v value) isScalar() bool { return v.kind != '{' && v.kind != '[' }

// compact returns the value as JSON in one line.
func (v value) compact() string {
	var parts []string
	switch v.kind {
	case '{':
		for _, m := range v.members {
			parts = append(parts, quote(m.name)+": "+m.value.compact())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		for _, item := range v.items {
			parts = append(parts, item.compact())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		return quote(v.text)
	}
	return v.text
}

// shown returns a scalar as text, without quotation marks.
func (v value) shown() string {
	if v.isScalar() {
		return v.text
	}
	return v.compact()
}

// quote returns a string as JSON.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string does not fail
	return strings.TrimSuffix(b.String(), "\n")
}
