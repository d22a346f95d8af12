package render

import (
	"testing"
	"time"
)

var newYork = zone("America/New_York")

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // cannot fail: the zones are embedded in the binary
	}
	return z
}

// TestClock checks the format of times of day in sentences.
func TestClock(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC) // 18:30 in New York
	for _, test := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2026, 11, 20, 8, 36, 0, 0, newYork), "8:36 AM EST"},
		{time.Date(2026, 11, 20, 23, 59, 40, 0, newYork), "12:00 AM EST on Sat 21 Nov"},
		{time.Date(2026, 11, 21, 9, 22, 0, 0, newYork), "9:22 AM EST on Sat 21 Nov"},
		{time.Date(2027, 7, 4, 21, 0, 0, 0, newYork), "9:00 PM EDT on Sun 4 Jul 2027"},
		{time.Date(2026, 11, 21, 0, 5, 0, 0, zone("Etc/GMT-1")), "12:05 AM UTC+01"},
	} {
		if got := Clock(test.at, now); got != test.want {
			t.Errorf("Clock(%v) = %q, want %q", test.at, got, test.want)
		}
	}
}

func TestAge(t *testing.T) {
	for minutes, want := range map[int]string{
		1: "1 minute old", 45: "45 minutes old", 89: "89 minutes old", 90: "2 hours old",
		186: "3 hours old", 35 * 60: "35 hours old", 36 * 60: "2 days old",
		20 * 24 * 60: "20 days old",
	} {
		if got := Age(minutes); got != want {
			t.Errorf("Age(%d) = %q, want %q", minutes, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	v := 1.25
	for _, test := range []struct{ got, want string }{
		{Number(9, 2), "9.00"}, {Number(-0.001, 2), "0.00"}, {Number(-1.344, 2), "-1.34"},
		{Short(9, 2), "9"}, {Short(9.504, 2), "9.5"}, {Short(-0.001, 2), "0"}, {Short(266.4, 0), "266"},
		{Known(&v, 1), "1.3"}, {Known(nil, 1), "-"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// TestQuote checks that a provider's words can neither close their quotation nor end a line.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"SEAS 3 FT":            "“SEAS 3 FT”",
		"”out“ | `x`\n# head":  "“\"out\" \\| \\`x\\` # head”",
		"[a](b) <c> *d* \\ e":  "“\\[a\\](b) \\<c\\> \\*d\\* \\\\ e”",
		"Kāneʻohe, 21° 26′ N.": "“Kāneʻohe, 21° 26′ N.”",
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %q, want %q", in, got, want)
		}
	}
}
