package render

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// appendBody appends a line for each field that has a value, then a table for each list of rows.
func (l *Layout) appendBody(b []byte, value any, except []string) []byte {
	v := reflect.ValueOf(value)
	for _, c := range l.columns {
		f := v.FieldByIndex(c.index)
		if c.isTable(f) || c.omit(f) || empty(f) || slices.Contains(except, c.name) {
			continue
		}
		b = append(append(append(b, "- "...), c.name...), ": "...)
		b = append(c.appendInline(b, f), '\n')
	}
	for _, c := range l.columns {
		if f := v.FieldByIndex(c.index); c.isTable(f) && !slices.Contains(except, c.name) {
			b = append(append(append(b, "\n**"...), c.name...), "**\n\n"...)
			b = c.rows.appendTable(b, f)
		}
	}
	return b
}

// isTable reports whether a field is written as a table. One row is easier to read,
// and shorter, as a line.
func (c column) isTable(f reflect.Value) bool { return c.rows != nil && f.Len() > 1 }

func (l *Layout) appendTable(b []byte, rows reflect.Value) []byte {
	used := l.used(rows)
	for _, c := range used {
		b = append(append(b, "| "...), c.name...)
		b = append(b, ' ')
	}
	b = append(b, "|\n"...)
	for range used {
		b = append(b, "|---"...)
	}
	b = append(b, "|\n"...)
	for i := range rows.Len() {
		for _, c := range used {
			b = append(b, "| "...)
			if f := rows.Index(i).FieldByIndex(c.index); !c.omit(f) {
				b = c.appendInline(b, f)
			}
			b = append(b, ' ')
		}
		b = append(b, "|\n"...)
	}
	return b
}

// used returns the columns that some row fills.
func (l *Layout) used(rows reflect.Value) []column {
	var used []column
	for _, c := range l.columns {
		filled := false
		for i := 0; i < rows.Len() && !filled; i++ {
			filled = !c.omit(rows.Index(i).FieldByIndex(c.index))
		}
		if filled {
			used = append(used, c)
		}
	}
	return used
}

func (c column) appendInline(b []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return append(b, "null"...)
		}
		v = v.Elem()
	}
	switch {
	case c.parts != nil:
		return c.parts.appendLine(b, v)
	case v.Kind() == reflect.Slice && v.Len() == 0:
		return append(b, "none"...)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if i > 0 {
				b = append(b, separator(c.rows != nil, b)...)
			}
			if c.rows != nil {
				b = c.rows.appendLine(b, v.Index(i))
			} else {
				b = c.appendScalar(b, v.Index(i))
			}
		}
		return b
	}
	return c.appendScalar(b, v)
}

// appendScalar writes a value; a provider's words are between quotation
// marks of their own.
func (c column) appendScalar(b []byte, v reflect.Value) []byte {
	if !c.quoted || v.Kind() != reflect.String || v.Len() == 0 {
		return appendScalar(b, v)
	}
	words := strings.NewReplacer("“", `"`, "”", `"`).Replace(v.String())
	return append(appendText(append(b, "“"...), words), "”"...)
}

// separator returns what separates the elements of a list; a sentence has its full
// stop.
func separator(structs bool, before []byte) string {
	switch {
	case structs:
		return " / "
	case before[len(before)-1] == '.':
		return " "
	}
	return ", "
}

// appendLine writes a struct as "name value; name value".
func (l *Layout) appendLine(b []byte, v reflect.Value) []byte {
	first := true
	for _, c := range l.columns {
		f := v.FieldByIndex(c.index)
		if c.omit(f) {
			continue
		}
		if !first {
			b = append(b, "; "...)
		}
		first = false
		b = append(append(b, c.name...), ' ')
		if c.parts != nil && !f.IsZero() {
			b = append(c.appendInline(append(b, '('), f), ')')
		} else {
			b = c.appendInline(b, f)
		}
	}
	return b
}

func appendScalar(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return appendScalar(b, v.Elem())
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Int:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Float64:
		return appendNumber(b, v.Float())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Struct:
		return v.Interface().(time.Time).AppendFormat(b, time.RFC3339)
	}
	text, _ := json.Marshal(v.Interface()) // maps of plain values: cannot fail
	return append(b, text...)
}

// appendNumber writes a number as encoding/json does.
func appendNumber(b []byte, v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		b = strconv.AppendFloat(b, v, 'e', -1, 64)
		if n := len(b); b[n-2] == '0' { // e-09 is e-9 there
			b = append(b[:n-2], b[n-1])
		}
		return b
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// active are the characters that make Markdown of a text within a line.
const active = "|`*[]<>\\"

// appendText escapes text so that it cannot break a line or a table, nor be anything
// but text: no code, emphasis, link, image or tag.
func appendText(b []byte, text string) []byte {
	if !strings.ContainsAny(text, active+"\n") {
		return append(b, text...)
	}
	for i := range len(text) {
		c := text[i]
		if c == '\n' {
			c = ' '
		} else if strings.IndexByte(active, c) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b
}
