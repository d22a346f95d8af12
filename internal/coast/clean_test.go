package coast

import (
	"math"
	"strings"
	"testing"
	"unicode"
)

// TestClean checks which characters are removed and which are kept. The code points are from
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

func TestCleanLines(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"two\r\nlines\tand\n", "two\nlines and\n"},
		{"\u202eturned\x1b\a\u200b\n", "turned\n"},
		{"one\u2028two\vthree\r", "one two three"},
	} {
		if got := CleanLines(test.in); got != test.want {
			t.Errorf("CleanLines(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestCleanPage(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"<p>\n\tKāneʻohe</p>\n", "<p>\n\tKāneʻohe</p>\n"},
		{"<p>a\u202eb\U000E0041\u200b\x1b</p>\r\n", "<p>ab</p>\n"},
	} {
		if got := CleanPage([]byte(test.in)); string(got) != test.want {
			t.Errorf("CleanPage(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// visible reports whether a string contains no character that must be removed. It
// uses the tables of package unicode, not the code under test.
func visible(text string, lines bool) bool {
	for _, r := range text {
		if unicode.Is(unicode.Cc, r) && !(lines && r == '\n') ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector) {
			return false
		}
	}
	return true
}

func FuzzClean(f *testing.F) {
	f.Add("Kāneʻohe\u202e\x1b")
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		if !visible(out, false) || Clean(out) != out {
			t.Errorf("Clean(%q) = %q", in, out)
		}
		if lines := CleanLines(in); !visible(lines, true) || CleanLines(lines) != lines {
			t.Errorf("CleanLines(%q) = %q", in, lines)
		}
	})
}

// TestCleanAllocates checks that cleaning clean text does not allocate.
func TestCleanAllocates(t *testing.T) {
	text := strings.Repeat("Kāneʻohe \"Bay\" 21° 26′ N, ", 800)
	n := math.Inf(1) // of several runs the least, because the runtime allocates at any time
	for range 5 {
		n = min(n, testing.AllocsPerRun(10, func() { Clean(text) }))
	}
	if n != 0 {
		t.Errorf("Clean allocates %v times, want 0", n)
	}
}

func BenchmarkClean(b *testing.B) {
	text := strings.Repeat("Kāneʻohe \"Bay\" 21° 26′ N, ", 800)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Clean(text)
	}
}
