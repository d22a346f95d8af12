package store

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// longestName is far above the length of any name and far below the limits of engines.
const longestName = 1024

// CheckName returns an error if a name cannot be a key of a row: JSON must preserve it, and it must
// not contain the zero byte that separates names.
func CheckName(name string) error {
	if name == "" || len(name) > longestName || strings.ContainsRune(name, 0) ||
		!utf8.ValidString(name) {
		return fmt.Errorf("%w: invalid name %.50q: must be 1 to %d bytes of UTF-8 without NUL",
			ErrUnavailable, name, longestName)
	}
	return nil
}

// Second returns a time as engines store it: in UTC, without fractions of a second.
func Second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Stored returns a row as engines store it: its times as Second returns them. The lists in it are
// copies, because a caller whose context has ended may change its own.
func Stored[T any](row T) T {
	detach(reflect.ValueOf(&row).Elem())
	return row
}

// detach copies the lists of a row and rounds its times.
func detach(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		t := v.Addr().Interface().(*time.Time)
		*t = Second(*t)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			detach(v.Field(i))
		}
	case v.Kind() == reflect.Slice && !v.IsNil():
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Struct {
				break
			}
			detach(v.Index(i))
		}
	}
}

// Earlier returns the earlier of two times; the zero time means never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
