package render

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"leadline/internal/coast"
)

// JSON returns v, a struct of the layout's type, as encoding/json writes it, but in about a
// third of the time, or the cause of the end of ctx.
func (l *Layout) JSON(ctx context.Context, v any) ([]byte, error) {
	w := writer{ctx: ctx, b: make([]byte, 0, 2048)} // enough for two days of high and low water
	w.object(l, reflect.ValueOf(v))
	return w.b, w.err
}

// writer appends JSON.
type writer struct {
	ctx context.Context
	b   []byte
	err error // caused by the first value that JSON cannot represent, or by the end of ctx
}

// lookEvery is the number of rows that are written between two looks at the context. Ours.
const lookEvery = 1000

func (w *writer) object(l *Layout, v reflect.Value) {
	w.b = append(w.b, '{')
	first, embedded := true, v
	for i := range l.columns {
		c := &l.columns[i]
		if c.moves {
			embedded = v.FieldByIndex(c.within())
		}
		f := embedded.Field(c.field())
		if c.omit(f) {
			continue
		}
		if !first {
			w.b = append(w.b, ',')
		}
		first = false
		w.b = append(w.b, c.key...)
		w.field(c, f)
	}
	w.b = append(w.b, '}')
}

func (w *writer) field(c *column, v reflect.Value) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case c.parts != nil && v.Kind() == reflect.Struct:
		w.object(c.parts, v)
	case v.Kind() == reflect.Slice && !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8:
		w.list(c, v)
	default:
		w.scalar(v)
	}
}

func (w *writer) list(c *column, v reflect.Value) {
	w.b = append(w.b, '[')
	for i := range v.Len() {
		if i%lookEvery == lookEvery-1 {
			w.fail(context.Cause(w.ctx))
		}
		if w.err != nil {
			return
		}
		if i > 0 {
			w.b = append(w.b, ',')
		}
		if c.rows != nil {
			w.object(c.rows, v.Index(i))
		} else {
			w.scalar(v.Index(i))
		}
	}
	w.b = append(w.b, ']')
}

// scalar appends a string, a number, a boolean or a time, and uses encoding/json for other
// values.
func (w *writer) scalar(v reflect.Value) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		w.b = coast.AppendJSON(w.b, v.String())
		return
	case reflect.Int:
		w.b = strconv.AppendInt(w.b, v.Int(), 10)
		return
	case reflect.Bool:
		w.b = strconv.AppendBool(w.b, v.Bool())
		return
	case reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			w.b = appendNumber(w.b, f)
			return
		}
	case reflect.Struct:
		if at, ok := reflect.TypeAssert[time.Time](v); ok {
			w.time(at)
			return
		}
	}
	text, err := json.Marshal(v.Interface())
	w.b = append(w.b, text...)
	w.fail(err)
}

// appendNumber writes a number as encoding/json does.
func appendNumber(b []byte, v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		b = strconv.AppendFloat(b, v, 'e', -1, 64)
		if n := len(b); b[n-2] == '0' { // encoding/json writes e-09 as e-9
			b = append(b[:n-2], b[n-1])
		}
		return b
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

func (w *writer) time(at time.Time) {
	b, err := at.AppendText(append(w.b, '"'))
	w.b = append(b, '"')
	w.fail(err)
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
