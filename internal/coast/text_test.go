package coast

import (
	"strings"
	"testing"
)

// TestCheckLine checks what a short text of an account may contain.
func TestCheckLine(t *testing.T) {
	key := aKey
	for _, test := range []struct{ text, line, lines string }{
		{"", "", ""},
		{"Möwe 😀", "", ""},
		{strings.Repeat("ö", 10), "", ""},
		{strings.Repeat("ö", 11), "maxLength", "maxLength"},
		{"two\nlines", "maxLength", ""},
		{"a\ttab", "maxLength", "maxLength"},
		{"\xff", "maxLength", "maxLength"},
	} {
		if got := codeOf(CheckLine("name", test.text, 10)); got != test.line {
			t.Errorf("CheckLine(%q) = %q, want %q", test.text, got, test.line)
		}
		if got := codeOf(CheckLines("name", test.text, 10)); got != test.lines {
			t.Errorf("CheckLines(%q) = %q, want %q", test.text, got, test.lines)
		}
	}
	if got := codeOf(CheckLine("name", key, 100)); got != "secret" {
		t.Errorf("CheckLine of a key = %q, want secret", got)
	}
	want := Issue{
		Path: "/name", Code: "maxLength", Message: "name must be one line of at most 3 characters.",
	}
	if got := CheckLine("name", "four", 3); len(got) != 1 || got[0] != want {
		t.Errorf("CheckLine() = %+v, want %+v", got, want)
	}
}

// codeOf returns the code of the only issue, or "".
func codeOf(issues []Issue) string {
	if len(issues) == 0 {
		return ""
	}
	return issues[0].Code
}
