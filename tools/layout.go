package tools

import (
	"reflect"
	"strconv"
	"strings"
	"time"
)

// layout is how one type of output is written: its columns, in the order of
// the struct. It is made once, from the json tags, and writes both forms, so
// that neither can carry a fact that the other lacks.
type layout struct {
	columns []column
	quotes  []column // where a provider's own words can be, below any of the columns
}

type column struct {
	name  string
	key   string // "name": as JSON has it
	index []int
	omit  func(reflect.Value) bool // left out of either form
	rows  *layout                  // of the elements, if the field is a list of structs
	parts *layout                  // of the field itself, if it is a struct

	quoted bool // a provider's own words: the tag quoted
}

var timeType = reflect.TypeFor[time.Time]()

func layoutOf(t reflect.Type) *layout {
	l := &layout{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			c := columnOf(f)
			l.columns = append(l.columns, c)
			if c.quoted || c.rows != nil && len(c.rows.quotes) > 0 || c.parts != nil && len(c.parts.quotes) > 0 {
				l.quotes = append(l.quotes, c)
			}
		}
	}
	return l
}

func columnOf(f reflect.StructField) column {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	c := column{name: name, key: strconv.Quote(name) + ":", index: f.Index, omit: map[string]func(reflect.Value) bool{
		"": never, "omitempty": empty, "omitzero": reflect.Value.IsZero,
	}[option]}
	_, c.quoted = f.Tag.Lookup("quoted")
	inner := f.Type
	if inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	switch {
	case inner.Kind() != reflect.Struct || inner == timeType:
	case f.Type.Kind() == reflect.Slice:
		c.rows = layoutOf(inner)
	default:
		c.parts = layoutOf(inner)
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
