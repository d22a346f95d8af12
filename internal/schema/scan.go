package schema

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions of this file read JSON in place, without copies.

// Valid reports whether b is JSON, like json.Valid but in a third of the time. Names may be
// duplicates and text need not be UTF-8: messages about these are ours.
func Valid(b []byte) bool {
	return jsontext.Value(b).IsValid(
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Depth is the deepest nesting of objects and arrays in b, which need not be
// valid JSON.
func Depth(b []byte) (most int) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = closing(b, i)
		case '{', '[':
			depth++
			most = max(most, depth)
		case '}', ']':
			depth--
		}
	}
	return most
}

// closing returns the index of the quote that ends the string which begins at i, or
// the last index.
func closing(b []byte, i int) int {
	for i++; i < len(b); {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			break
		}
		escape := bytes.IndexByte(b[i:i+quote], '\\')
		if escape < 0 {
			return i + quote
		}
		i += escape + 2
	}
	return len(b) - 1
}

// Members yields the members of object, which is valid JSON, in their order:
// the key without quotes and escapes, the value unchanged.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := 1
		for {
			i = skipSpace(object, i, ",")
			if object[i] == '}' {
				return
			}
			end := closing(object, i)
			key := object[i+1 : end]
			if bytes.IndexByte(key, '\\') >= 0 {
				s, _ := Text(object[i : end+1])
				key = []byte(s)
			}
			start := skipSpace(object, end+1, ":")
			i = valueEnd(object, start)
			if !yield(key, object[start:i]) {
				return
			}
		}
	}
}

// elements yields the elements of array, which is valid JSON, in their order.
func elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		end := 1
		for i := 0; ; i++ {
			start := skipSpace(array, end, ",")
			if array[start] == ']' {
				return
			}
			end = valueEnd(array, start)
			if !yield(i, array[start:end]) {
				return
			}
		}
	}
}

// skipSpace returns the index of the first byte from i on that is neither space nor
// the separator.
func skipSpace(b []byte, i int, separator string) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' || b[i] == separator[0] {
		i++
	}
	return i
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(b []byte, i int) int {
	if b[i] == '"' {
		return closing(b, i) + 1
	}
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i = closing(b, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
}

// Text returns the string in raw, as encoding/json decodes it: bytes that are not
// UTF-8 become U+FFFD. ok is false if raw holds another type or nothing.
func Text(raw []byte) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	return s, json.Unmarshal(raw, &s) == nil
}
