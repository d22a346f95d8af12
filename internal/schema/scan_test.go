package schema

import (
	"encoding/json"
	"testing"
)

// FuzzValid checks that Valid agrees with encoding/json, except about text that nests deeper
// than any input may.
func FuzzValid(f *testing.F) {
	for _, text := range []string{
		"", " ", "{}", " [1, 2.5e-3, -0, true, null] ", `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `"\x"`,
		"01", "-", "1.", "1e", ".5", "+1", "[1,]", `{"a":}`, `{"a" 1}`, "[", "{]", "nul", "NaN",
		"\"\x01\"", "\ufeff{}", "1 2", `{"a":1}x`, "\x0b1", `'a'`, "// {}", `"\u12g4"`, `"\uDC00\uD800"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := Valid(text), json.Valid(text); got != want && Depth(text) <= maxDepth {
			t.Errorf("Valid(%q) = %v, want %v", text, got, want)
		}
	})
}
