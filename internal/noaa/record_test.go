package noaa

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// texts lists JSON texts and almost valid ones.
var texts = []string{
	`{}`, `[]`, `{"a":1}`, ` { "a" : [ 1 , 2.5 , -3e10 , 0.1E-2, 0, -0 ] } `, `"x"`, `""`, `null`,
	`true`, `false`, `0`, `-1`,
	`{"a":{"b":{"c":[[[]]]}}}`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\u20AC"`, `"\ud83d\ude00"`, `"\ud83d"`,
	`"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`,
	`"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"é€😀"`, `{"a":1,"a":2}`, `{"\u0061":1}`,
	"\"\u2028\"", "\"\x7f\"",
	``, ` `, `{`, `}`, `[`, `]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `[1 2]`,
	`{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `01`, `1.`, `.5`, `+1`, `-`,
	`1e`, `1e+`, `0x1`, `NaN`, `nul`, `nulll`, `tru`, `truee`, `"a`, `"\`, `"\x"`, `"\u12"`,
	`"\u12g4"`, `"\ud83d\u12"`, "\"\n\"", "\"\\\n\"", "\"\\u0041\x01\"", `{} {}`, `1 2`, "\ufeff{}",
	"\x00",
	strings.Repeat("[", 10000) + strings.Repeat("]", 10000), strings.Repeat("[", 10001) +
		strings.Repeat("]", 10001),
}

func TestRecord(t *testing.T) {
	for _, s := range texts {
		checkRecord(t, []byte(s))
		checkRecord(t, []byte(`{"v":`+s+`}`))
	}
}

// checkRecord compares records with encoding/json: both accept or reject a body, and the members
// have the same keys and texts.
func checkRecord(t *testing.T, body []byte) {
	t.Helper()
	r := openRecord(body)
	want, ok := oracle(body).(map[string]any)
	if (r.err == nil) != ok {
		t.Fatalf("%.80q: %v, want an object: %v", body, r.err, ok)
	}
	keys := map[string]bool{}
	for _, f := range r.fields {
		keys[string(f.key)] = true
	}
	if len(keys) != len(want) {
		t.Fatalf("%.80q: %d keys, want %d", body, len(keys), len(want))
	}
	for key, value := range want {
		if !keys[key] {
			t.Fatalf("%.80q: no key %q", body, key)
		}
		if text, ok := value.(string); ok && r.text(key) != strings.TrimSpace(text) {
			t.Fatalf("%.80q: %q is %q, want %q", body, key, r.text(key), text)
		}
	}
}

// oracle reads JSON with encoding/json and sanitizes strings and keys with coast.Clean; nil if it
// is invalid.
func oracle(body []byte) any {
	body = utf8Body(body)
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if !json.Valid(body) {
		return nil
	}
	return oracleValue(d)
}

func oracleValue(d *json.Decoder) any {
	switch token, _ := d.Token(); token { // the text is valid
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			key, _ := d.Token()
			object[coast.Clean(key.(string))] = oracleValue(d)
		}
		d.Token()
		return object
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, oracleValue(d))
		}
		d.Token()
		return list
	default:
		if text, ok := token.(string); ok {
			return coast.Clean(text)
		}
		return token
	}
}

// TestHidden checks that texts and keys have no hidden characters and line breaks, with all
// escapes.
func TestHidden(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`two\r\nlines\tand`, "two  lines and"},
		{`\u202eturned\u001b\u0007\u200b\u000a`, "turned"},
		{"\u202eturned\u200b", "turned"},
		{`\udb40\udc41\uDB40\uDC7Ftags`, "tags"},
		{`\ud83c\udf0a wave`, "\U0001f30a wave"},
		{"\\udb40\u200b\\udc41 halves", "\ufffd\ufffd halves"},
		{`\\u202e \"\u202e\" \/`, `\u202e "" /`},
		{"1\u200b.5", "1.5"},
	} {
		r := openRecord([]byte(`{"k\u200bey":"` + test.in + `"}`))
		if got := r.text("key"); r.err != nil || got != test.want {
			t.Errorf("%q is read as %q, %v, want %q", test.in, got, r.err, test.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for in, want := range map[string]float64{"0.6": 0.6, "1.335": 1.335, "-0.040": -0.04, "74": 74,
		"+1": 1, "1e-3": 0.001, ".5": 0.5, "5.": 5,
		"0.1000000000000000055511151231257827": 0.1, "9007199254740993": 9007199254740992,
		"4.9e-324": math.SmallestNonzeroFloat64} {
		if got, ok := decimal([]byte(in)); !ok || got != want {
			t.Errorf("decimal(%q) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", ".", "e5", "NaN", "nan", "Inf", "-inf", "0x1p4", "1_000",
		"1e400", "1 2", "1,2", "١", "--1", "1.2.3"} {
		if got, ok := decimal([]byte(in)); ok {
			t.Errorf("decimal(%q) = %v, want none", in, got)
		}
	}
}

// TestInstant parses all minutes of some days and all days of 60 years.
func TestInstant(t *testing.T) {
	const format = "2006-01-02 15:04"
	start := time.Date(1999, 12, 30, 0, 0, 0, 0, time.UTC)
	for want := start; want.Before(start.AddDate(0, 0, 4)); want = want.Add(time.Minute) {
		if got, ok := instant([]byte(want.Format(format))); !ok || !got.Equal(want) ||
			got.Location() != time.UTC {
			t.Fatalf("instant(%s) = %v, %v", want.Format(format), got, ok)
		}
	}
	for want := start.AddDate(-30, 0, 0); want.Before(start.AddDate(30, 0, 0)); want = want.AddDate(
		0, 0, 1) {
		for _, format := range []string{"2006-01-02", "20060102"} {
			if got, ok := date([]byte(want.Format(format))); !ok || got != want {
				t.Fatalf("date(%s) = %v, %v", want.Format(format), got, ok)
			}
		}
	}
	for _, in := range []string{"", "2021-01-01", "2021-01-01 0:00", "2021-01-01T00:00",
		"2021-1-01 00:00", "2021-01-01 00:0", "2021/01/01 00:00", "2021-02-30 00:00",
		"1900-02-29 00:00", "2021-00-01 00:00", "2021-01-00 00:00", "2021-01-32 00:00",
		"-021-01-01 00:00", "2021-01-01 -1:00", "2021-01-01 25:00", "2021-01-01 00:99",
		"2021-01-01 00;00"} {
		if got, ok := instant([]byte(in)); ok {
			t.Errorf("instant(%q) = %v, want none", in, got)
		}
	}
}

// month returns the body of a month of six-minute levels, as the provider writes it.
func month() []byte {
	var b strings.Builder
	b.WriteString(`{"metadata":{"id":"9000001","name":"Alder Point","lat":"41.1000","lon":"-71.2000"}, "data": [`)
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 31 * 240 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"t":"%s", "v":"%.3f", "s":"%.3f", "f":"0,0,0,0", "q":"v"}`,
			start.Add(time.Duration(i)*6*time.Minute).Format("2006-01-02 15:04"), 2*math.Sin(float64(i)/20),
			0.02+0.01*math.Cos(float64(i)))
	}
	b.WriteString("]}\n")
	return []byte(b.String())
}

// BenchmarkLevels reads a month of six-minute levels: 7,440 rows.
func BenchmarkLevels(b *testing.B) {
	body := responseOf(200, string(month()))
	b.SetBytes(int64(len(body.Body)))
	b.ReportAllocs()
	for b.Loop() {
		p, err := levelFormat.read(body)
		if err != nil || len(p.rows) != 7440 {
			b.Fatal(len(p.rows), err)
		}
	}
}
