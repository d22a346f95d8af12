package coast

import (
	"encoding/json"
	"testing"
)

// FuzzAppendJSON compares AppendJSON with encoding/json.
func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{
		"", "a\nb\tc\"\\/", "<&>\u2028\u00e9\x00\x1f\x7f\xff\xc3", "| a |\n", "°\U0001f30a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, _ := json.Marshal(s)
		if got := AppendJSON(nil, s); string(got) != string(want) {
			t.Errorf("AppendJSON(%q) = %s, want %s", s, got, want)
		}
		if got := AppendJSON(nil, []byte(s)); string(got) != string(want) {
			t.Errorf("AppendJSON(%q) of bytes = %s, want %s", s, got, want)
		}
	})
}
