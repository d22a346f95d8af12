package chart

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"strings"
	"testing"
)

// boston returns the chart of two days that budgets and benchmarks measure.
func boston(t testing.TB) Tide {
	return tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
}

// TestAllocations checks that a chart as SVG takes at most 60 allocations.
func TestAllocations(t *testing.T) {
	c := boston(t)
	buffer := make([]byte, 0, 16<<10)
	got := math.Inf(1) // of several runs the least, because the runtime allocates at any time
	for range 5 {
		got = min(got, testing.AllocsPerRun(4, func() {
			buffer = c.Draw(TideWide).AppendSVG(buffer[:0], "t", "")
		}))
	}
	if got > 60 {
		t.Errorf("drawing takes %.0f allocations, want at most 60", got)
	}
}

// TestDescription checks that a PNG has title and description.
func TestDescription(t *testing.T) {
	file, err := boston(t).Draw(Picture).PNG(LightTheme, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"iTXtTitle\x00\x00\x00\x00\x00Predicted tide at Boston, MA (8443970)",
		"iTXtDescription", "high 9.3" + nbsp + "ft", " Observed ",
	} {
		if !bytes.Contains(file, []byte(want)) {
			t.Errorf("the PNG lacks %q", want)
		}
	}
}

// TestFileStyleHash checks that the hash is that of the style in every file, and that pages
// have a color for each role.
func TestFileStyleHash(t *testing.T) {
	for _, s := range []*Scene{boston(t).Draw(Picture), month().Draw(BarsWide)} {
		_, rest, _ := strings.Cut(string(s.File()), "<style>")
		style, _, _ := strings.Cut(rest, "</style>")
		sum := sha256.Sum256([]byte(style))
		want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if got := FileStyleHash(); got != want {
			t.Errorf("FileStyleHash() = %s, want %s", got, want)
		}
	}
	for _, s := range shades[1:] {
		if !strings.Contains(Style(), "--c-"+s.name+":"+css(s.light)+";") {
			t.Errorf("the style of pages lacks the color of %s", s.name)
		}
	}
	if n := len(Style()); n > 4200 {
		t.Errorf("the style of pages has %d bytes, want at most 4200", n)
	}
}

func BenchmarkDraw(b *testing.B) {
	c := boston(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Draw(TideWide)
	}
}

func BenchmarkSVG(b *testing.B) {
	c := boston(b)
	b.ReportAllocs()
	var buffer []byte
	for b.Loop() {
		buffer = c.Draw(TideWide).AppendSVG(buffer[:0], "t", "wide")
	}
	b.ReportMetric(float64(len(buffer)), "bytes")
}

func BenchmarkPNG(b *testing.B) {
	c := boston(b)
	b.ReportAllocs()
	var file []byte
	for b.Loop() {
		var err error
		if file, err = c.Draw(Picture).PNG(LightTheme, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(file)), "bytes")
}
