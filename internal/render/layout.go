// Package render builds the texts of results and encodes results. A Layout is derived from
// the json tags of a result type. It writes results as JSON and lists the fields that hold a
// provider's own words. Results are structs of strings, numbers, booleans, times, maps, structs
// and slices of these.
package render

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Layout describes and encodes the results of one type. It is safe for concurrent use.
type Layout struct {
	columns []column
	quotes  []column // fields that contain a provider's own words
}

// column describes one field of the struct.
type column struct {
	name  string
	key   string // "name": as it appears in JSON
	index []int
	omit  func(reflect.Value) bool // left out of JSON
	rows  *Layout                  // layout of the elements, if the field is a list of structs
	parts *Layout                  // layout of the field, if it is a struct

	moves  bool // the struct that contains the field is not that of the previous column
	quoted bool // contains a provider's own words (tag quoted)
}

var timeType = reflect.TypeFor[time.Time]()

// Of returns the layout of t, a struct type.
func Of(t reflect.Type) *Layout {
	l := &Layout{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		c := columnOf(f)
		c.moves = len(l.columns) == 0 ||
			!slices.Equal(c.within(), l.columns[len(l.columns)-1].within())
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
		"": never, "omitempty": empty, "omitzero": reflect.Value.IsZero,
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

// within returns the index of the embedded struct that contains the field, and field the index
// of the field in it.
func (c *column) within() []int { return c.index[:len(c.index)-1] }
func (c *column) field() int    { return c.index[len(c.index)-1] }

func never(reflect.Value) bool { return false }

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}
