package store

import (
	"fmt"
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

// Earlier returns the earlier of two times; the zero time means never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
