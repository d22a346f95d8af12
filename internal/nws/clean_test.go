package nws

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"leadline/internal/coast"
)

func TestCleanJSON(t *testing.T) {
	for _, test := range []struct{ in, one, lines string }{
		{`{"name":"Woods Hole","v":[1.5,null]}`, `{"name":"Woods Hole","v":[1.5,null]}`,
			`{"name":"Woods Hole","v":[1.5,null]}`},
		{"{\r\n\t\"a\" : \"b\"\r\n}\n", "{\r\n\t\"a\" : \"b\"\r\n}\n", "{\r\n\t\"a\" : \"b\"\r\n}\n"},
		{`"two\r\nlines\tand"`, `"two  lines and"`, `"two\nlines and"`},
		{`"\u202eturned\u001b\u0007\u200b\u000a"`, `"turned "`, `"turned\n"`},
		{"\"\u202eturned\u200b\"", `"turned"`, `"turned"`},
		{`"\udb40\udc41\uDB40\uDC7Ftags"`, `"tags"`, `"tags"`},
		{`"\ud83c\udf0a wave"`, `"\ud83c\udf0a wave"`, `"\ud83c\udf0a wave"`},
		{"\"\\udb40\u200b\\udc41 halves\"", `"` + "\ufffd\ufffd halves" + `"`,
			`"` + "\ufffd\ufffd halves" + `"`},
		{"\"\xe2\x80\u200b\x8b\"", "\"\ufffd\ufffd\ufffd\"", "\"\ufffd\ufffd\ufffd\""},
		{`"\\u202e \"\u202e\" \/"`, `"\\u202e \"\" /"`, `"\\u202e \"\" /"`},
		{`{"k\u200bey":"v"}`, `{"key":"v"}`, `{"key":"v"}`},
		{"\"\\\u200bu202e\"", "\"\\\u200bu202e\"", "\"\\\u200bu202e\""}, // not a JSON escape
		{"\"\\u20\u200b2e\"", "\"\\u20\u200b2e\"", "\"\\u20\u200b2e\""},
		{`"\u20`, `"\u20`, `"\u20`},
		{`"\`, `"\`, `"\`},
		{"\"a\x01b\"", "\"a\x01b\"", "\"a\x01b\""}, // not JSON; the decoder reports it
	} {
		if got := string(cleanJSON([]byte(test.in), coast.Clean)); got != test.one {
			t.Errorf("CleanJSON(%q) = %q, want %q", test.in, got, test.one)
		}
		if got := string(cleanJSON([]byte(test.in), coast.CleanLines)); got != test.lines {
			t.Errorf("CleanJSONLines(%q) = %q, want %q", test.in, got, test.lines)
		}
	}
}

// collect calls add with the strings of a JSON value, including keys.
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
		`{"a":"b\u202e\n","c":["\udb40\udc41"]}`, "\"\xe2\x80\u200b\x8b\"", `"\\\"\u001b"`, "{\n\"a\":1}",
		`"\ud83c` + "\u200b" + `\udf0a"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		for _, clean := range []func(string) string{coast.Clean, coast.CleanLines} {
			out := cleanJSON(in, clean)
			if !bytes.Equal(in, before) {
				t.Fatal("the input has changed")
			}
			if !bytes.Equal(cleanJSON(out, clean), out) {
				t.Errorf("%q cleaned twice is %q", out, cleanJSON(out, clean))
			}
			if json.Valid(in) != json.Valid(out) {
				t.Errorf("%q was JSON: %v, and %q is: %v", in, json.Valid(in), out, json.Valid(out))
			}
			var v any
			if json.Unmarshal(out, &v) != nil {
				continue
			}
			collect(v, func(text string) {
				if clean(text) != text || !utf8.ValidString(text) {
					t.Errorf("%q has %q", out, text)
				}
			})
		}
	})
}

// TestCleanAllocates checks that plain text does not allocate.
func TestCleanAllocates(t *testing.T) {
	body := []byte(`{"data":[` + strings.Repeat(`{"t":"2026-11-21 23:54", "v":"1.335"},`+"\n", 800) +
		"{}]}\n")
	n := math.Inf(1) // of several runs the least, because the runtime allocates at any time
	for range 5 {
		n = min(n, testing.AllocsPerRun(10, func() { cleanJSON(body, coast.Clean) }))
	}
	if n != 0 {
		t.Errorf("cleanJSON allocates %v times, want 0", n)
	}
}

// clean returns a response of about 90 kB.
func clean() []byte {
	row := `{"t":"2026-11-21 23:54", "v":"1.335", "s":"0.013", "f":"0,0,0,0", "q":"v", "n":"K\u0101neʻohe \"Bay\""},` + "\n"
	return []byte(`{"data":[` + strings.Repeat(row, 800) + "{}]}\n")
}

func BenchmarkCleanJSON(b *testing.B) {
	body := clean()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		cleanJSON(body, coast.Clean)
	}
}
