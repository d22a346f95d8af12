package coast

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestClean lists what is removed and what stays. The code points are those of
// the Unicode character database.
func TestClean(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"Woods Hole", "Woods Hole"},
		{"Kāneʻohe, O‘ahu 21° 26′ N", "Kāneʻohe, O‘ahu 21° 26′ N"},
		{"San Juan, Bahía; Île; Ærø; naïve", "San Juan, Bahía; Île; Ærø; naïve"},
		{"e\u0301 combines, 東京湾, Ελλάς", "e\u0301 combines, 東京湾, Ελλάς"},
		{"🌊 waves", "🌊 waves"},
		{"a\x1b[31mred\x07", "a[31mred"},
		{"a\x00b\x7fc\u0085d\u009be", "abc de"},
		{"left\u202eright\u202c \u2066x\u2069 \u200e\u200f\u061c", "leftright x "},
		{"zero\u200b\u200c\u200d\u2060\ufeff width", "zero width"},
		{"soft\u00adhyphen \u034fjoiner", "softhyphen joiner"},
		{"tags\U000e0001\U000e0041\U000e007f", "tags"},
		{"selected\ufe0f\U000e0100", "selected"},
		{"two\nlines\r\nand\ttab\u2028more\u2029", "two lines  and tab more "},
		{"\u2062invisible\u2064 \ufff9notes\ufffb", "invisible notes"},
		{"cut \xe2\x80\u200b\x8b", "cut \xe2\x80\ufffd"},
	} {
		if got := Clean(test.in); got != test.want {
			t.Errorf("Clean(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestCleanJSON(t *testing.T) {
	for _, test := range []struct{ in, one, lines string }{
		{`{"name":"Woods Hole","v":[1.5,null]}`, `{"name":"Woods Hole","v":[1.5,null]}`, `{"name":"Woods Hole","v":[1.5,null]}`},
		{"{\r\n\t\"a\" : \"b\"\r\n}\n", "{\r\n\t\"a\" : \"b\"\r\n}\n", "{\r\n\t\"a\" : \"b\"\r\n}\n"},
		{`"two\r\nlines\tand"`, `"two  lines and"`, `"two\nlines and"`},
		{`"\u202eturned\u001b\u0007\u200b\u000a"`, `"turned "`, `"turned\u000a"`},
		{"\"\u202eturned\u200b\"", `"turned"`, `"turned"`},
		{`"\udb40\udc41\uDB40\uDC7Ftags"`, `"tags"`, `"tags"`},
		{`"\ud83c\udf0a wave"`, `"\ud83c\udf0a wave"`, `"\ud83c\udf0a wave"`},
		{"\"\\udb40\u200b\\udc41 halves\"", `"` + "\ufffd\ufffd halves" + `"`, `"` + "\ufffd\ufffd halves" + `"`},
		{"\"\xe2\x80\u200b\x8b\"", "\"\ufffd\ufffd\ufffd\"", "\"\ufffd\ufffd\ufffd\""},
		{`"\\u202e \"\u202e\" \/"`, `"\\u202e \"\" \/"`, `"\\u202e \"\" \/"`},
		{`{"k\u200bey":"v"}`, `{"key":"v"}`, `{"key":"v"}`},
		{"\"\\\u200bu202e\"", "\"\\\u200bu202e\"", "\"\\\u200bu202e\""}, // no escape of JSON's
		{"\"\\u20\u200b2e\"", "\"\\u20\u200b2e\"", "\"\\u20\u200b2e\""},
		{`"\u20`, `"\u20`, `"\u20`},
		{`"\`, `"\`, `"\`},
		{"\"a\x01b\"", "\"a\x01b\"", "\"a\x01b\""}, // not JSON, and left to the decoder
	} {
		if got := string(CleanJSON([]byte(test.in))); got != test.one {
			t.Errorf("CleanJSON(%q) = %q, want %q", test.in, got, test.one)
		}
		if got := string(CleanJSONLines([]byte(test.in))); got != test.lines {
			t.Errorf("CleanJSONLines(%q) = %q, want %q", test.in, got, test.lines)
		}
	}
}

// visible reports whether a string has none of the characters that are to be
// removed. It asks the tables of package unicode, not the code under test.
func visible(text string, lines bool) bool {
	for _, r := range text {
		if unicode.Is(unicode.Cc, r) && !(lines && r == '\n') || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) {
			return false
		}
	}
	return true
}

// strings collects the strings of a JSON value, keys included.
func collect(v any, add func(string)) {
	switch v := v.(type) {
	case string:
		add(v)
	case []any:
		for _, e := range v {
			collect(e, add)
		}
	case map[string]any:
		for k, e := range v {
			add(k)
			collect(e, add)
		}
	}
}

func FuzzCleanJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b\u202e\n","c":["\udb40\udc41"]}`, "\"\xe2\x80\u200b\x8b\"", `"\\\"\u001b"`, "{\n\"a\":1}", `"\ud83c` + "\u200b" + `\udf0a"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		for _, lines := range []bool{false, true} {
			out := cleanJSON(in, lines)
			if !bytes.Equal(in, before) {
				t.Fatal("the input has changed")
			}
			if !bytes.Equal(cleanJSON(out, lines), out) {
				t.Errorf("%q cleaned twice is %q", out, cleanJSON(out, lines))
			}
			if json.Valid(in) != json.Valid(out) {
				t.Errorf("%q was JSON: %v, and %q is: %v", in, json.Valid(in), out, json.Valid(out))
			}
			var v any
			if json.Unmarshal(out, &v) != nil {
				continue
			}
			collect(v, func(text string) {
				if !visible(text, lines) || !utf8.ValidString(text) {
					t.Errorf("%q has %q", out, text)
				}
			})
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("Kāneʻohe\u202e\x1b")
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		if !visible(out, false) || Clean(out) != out {
			t.Errorf("Clean(%q) = %q", in, out)
		}
	})
}

// TestCleanAllocates holds that text with nothing to remove costs no memory.
func TestCleanAllocates(t *testing.T) {
	body := clean()
	if n := testing.AllocsPerRun(10, func() { CleanJSON(body); CleanJSONLines(body) }); n != 0 {
		t.Errorf("CleanJSON allocates %v times, want 0", n)
	}
	text := string(body)
	text = strings.Map(func(r rune) rune {
		if r == '\n' {
			return -1
		}
		return r
	}, text)
	if n := testing.AllocsPerRun(10, func() { Clean(text) }); n != 0 {
		t.Errorf("Clean allocates %v times, want 0", n)
	}
}

// clean is a response of some 90 kB.
func clean() []byte {
	row := `{"t":"2026-11-21 23:54", "v":"1.335", "s":"0.013", "f":"0,0,0,0", "q":"v", "n":"K\u0101neʻohe \"Bay\""},` + "\n"
	return []byte(`{"data":[` + strings.Repeat(row, 800) + "{}]}\n")
}

func BenchmarkCleanJSON(b *testing.B) {
	body := clean()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		CleanJSON(body)
	}
}
