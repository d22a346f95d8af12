// Package render writes the results of operations as Markdown for people and models,
// and the JSON Schema of their top level. A Layout, made from the json tags of a
// result type, writes the fields that encoding/json writes, so that both forms have
// the same facts. Results are structs of strings, numbers, booleans, times, maps,
// structs and slices of these.
package render

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Layout writes the results of one type. It is safe for concurrent use.
type Layout struct {
	of      reflect.Type
	columns []column
	quotes  []column // with a provider's own words in them
}

// column is one field, in the order of the struct.
type column struct {
	name  string
	key   string // "name": as JSON has it
	index []int
	omit  func(reflect.Value) bool // left out of every form
	rows  *Layout                  // of the elements, if the field is a list of structs
	parts *Layout                  // of the field, if it is a struct

	quoted bool // a provider's own words: the tag quoted
}

var timeType = reflect.TypeFor[time.Time]()

// Of returns the layout of t, a struct type.
func Of(t reflect.Type) *Layout {
	l := &Layout{of: t}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		c := columnOf(f)
		l.columns = append(l.columns, c)
		if c.quoted || c.rows.hasQuotes() || c.parts.hasQuotes() {
			l.quotes = append(l.quotes, c)
		}
	}
	return l
}

func columnOf(f reflect.StructField) column {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	omit := map[string]func(reflect.Value) bool{
		"":          never,
		"omitempty": empty,
		"omitzero":  reflect.Value.IsZero,
	}
	c := column{name: name, key: strconv.Quote(name) + ":", index: f.Index, omit: omit[option]}
	_, c.quoted = f.Tag.Lookup("quoted")
	inner := f.Type
	if inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	switch {
	case inner.Kind() != reflect.Struct || inner == timeType:
	case f.Type.Kind() == reflect.Slice:
		c.rows = Of(inner)
	default:
		c.parts = Of(inner)
	}
	return c
}

func never(reflect.Value) bool { return false }

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

// Schema returns the JSON Schema of the top level: every field with its type, and
// which are required. A datum and its epoch, for which every coast.Frame has fields,
// are listed only where there is a height unit.
func (l *Layout) Schema() json.RawMessage {
	_, heights := l.of.FieldByName("HeightUnit")
	var properties, required []string
	for _, c := range l.columns {
		if !heights && (c.name == "datum" || c.name == "datumEpoch") {
			continue
		}
		if c.name == quotedName {
			continue // optional, and the catalogue has to stay short
		}
		f := l.of.FieldByIndex(c.index)
		optional := strings.Contains(f.Tag.Get("json"), ",omit")
		properties = append(properties, c.key+`{"type":`+jsonType(f.Type, optional)+`}`)
		if !optional {
			required = append(required, strconv.Quote(c.name))
		}
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + strings.Join(required, ",") + `]}`)
}

// jsonType returns the type of a field. An optional field is never null: nil is left
// out.
func jsonType(t reflect.Type, optional bool) string {
	switch {
	case t.Kind() == reflect.Pointer && optional:
		return jsonType(t.Elem(), true)
	case t.Kind() == reflect.Pointer:
		return `[` + jsonType(t.Elem(), true) + `,"null"]`
	case t == timeType || t.Kind() == reflect.String:
		return `"string"`
	case t.Kind() == reflect.Slice:
		return `"array"`
	case t.Kind() == reflect.Int:
		return `"integer"`
	case t.Kind() == reflect.Float64:
		return `"number"`
	case t.Kind() == reflect.Bool:
		return `"boolean"`
	}
	return `"object"`
}
