package chart

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/stations"
)

// TestTides checks invariants of tide charts at random stations and times.
func TestTides(t *testing.T) {
	d := openDirectory(t)
	all := slices.DeleteFunc(d.All(stations.Tide), func(s stations.Station) bool {
		_, ok := d.Tides(s, "MLLW")
		return !ok || s.Subordinate()
	})
	random := rand.New(rand.NewPCG(1, 2))
	sizes := []Size{TideWide, Picture, Narrow}
	for range 500 {
		s := all[random.IntN(len(all))]
		c := Tide{Station: s.Name, Unit: "ft", Datum: "MLLW"}
		c.Clock = Clock{Zone: load(t, s.Zone), Twelve: random.IntN(2) == 0}
		from := time.Date(2026, 1, 1, 0, 6*random.IntN(87600), 0, 0, time.UTC)
		size := sizes[random.IntN(len(sizes))]
		hours := 24 * (1 + random.IntN(7))
		if size.narrow() {
			hours = 24
		}
		fill(t, &c, d, s, from, hours)
		c = c.at(random.IntN(hours - 1))
		checkTide(t, c, c.Draw(size))
	}
}

func checkTide(t *testing.T, c Tide, s *Scene) {
	t.Helper()
	name := c.Station + " at " + c.Predicted.Start.String()
	dots := 0
	var labels boxes
	for _, i := range s.items {
		if i.kind == dotItem && i.role == Curve {
			dots++
		}
		if i.kind != textItem {
			continue
		}
		b := textBox(i)
		if b.x0 < 0 || b.x1 > s.W || b.y0 < 0 || b.y1 > s.H {
			t.Errorf("%s: %q at %v leaves the picture", name, i.text, b)
		}
		if i.halo && !labels.take(b) {
			t.Errorf("%s: %q at %v meets another label", name, i.text, b)
		}
	}
	if dots != len(c.Events) {
		t.Errorf("%s: %d dots for %d events", name, dots, len(c.Events))
	}
	for _, e := range c.Events {
		if !strings.Contains(s.Desc, " at "+string(c.Clock.appendMoment(nil, e.Time))) {
			t.Errorf("%s: the description %q lacks %v", name, s.Desc, e)
		}
	}
	checkSVG(t, name, s)
}

// textBox returns the box of a text in the font of PNG.
func textBox(i item) box {
	width := textWidth(i.text, faceKey{i.size, i.bold})
	x := i.a.x
	switch i.anchor {
	case middle:
		x -= width / 2
	case end:
		x -= width
	}
	return box{x, i.a.y - 0.72*i.size, x + width, i.a.y}
}

// checkSVG checks that a scene is well-formed XML with only numbers in its paths.
func checkSVG(t *testing.T, name string, s *Scene) {
	t.Helper()
	text := s.AppendSVG(nil, "x", "wide")
	for _, bad := range []string{"NaN", "Inf", "style="} {
		if bytes.Contains(text, []byte(bad)) {
			t.Errorf("%s: the SVG has %s", name, bad)
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%s: %v in %s", name, err, text)
		}
	}
}

// TestCurrents checks that every turn of a current is marked and described.
func TestCurrents(t *testing.T) {
	d := openDirectory(t)
	all := slices.DeleteFunc(d.All(stations.Current), func(s stations.Station) bool {
		_, ok := d.Currents(s)
		return !ok || s.Subordinate()
	})
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s := all[random.IntN(len(all))]
		c := currentAt(t, d, s.ID, "2026-11-21 10:00", 48)
		scene := c.Draw(CurrentWide)
		slacks, dots := 0, 0
		for _, turn := range c.Turns {
			if turn.Kind == Slack {
				slacks++
			}
			if !strings.Contains(scene.Desc, " at "+string(c.Clock.appendMoment(nil, turn.Time))) {
				t.Errorf("%s: the description lacks %v", s.ID, turn)
			}
		}
		for _, i := range scene.items {
			if i.kind == dotItem && i.role == Ink {
				dots++
			}
		}
		if dots != slacks {
			t.Errorf("%s: %d dots for %d slacks", s.ID, dots, slacks)
		}
		checkSVG(t, s.ID, scene)
	}
}

// TestCivilHours checks the marks of hours over changes of the clock: 2026-03-08 and
// 2026-11-01 in America, and a zone whose midnight does not exist.
func TestCivilHours(t *testing.T) {
	for _, c := range []struct {
		zone, from string
		hours      int
		want       string
	}{
		{"America/New_York", "2026-03-07 12:00", 36, "12 15 18 21 0 3 6 9 12 15 18 21 0"},
		{"America/New_York", "2026-11-01 00:00", 25, "0 3 6 9 12 15 18 21 0"},
		{"America/Anchorage", "2026-11-01 00:00", 24, "0 3 6 9 12 15 18 21"},
		{"Atlantic/Azores", "2026-03-28 18:00", 12, "18 21 3 6"},
	} {
		z := load(t, c.zone)
		from, err := time.ParseInLocation("2006-01-02 15:04", c.from, z)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		before := time.Time{}
		for _, at := range civilHours(from, from.Add(time.Duration(c.hours)*time.Hour), 3, z) {
			if !at.After(before) {
				t.Errorf("%s: %v follows %v", c.zone, at, before)
			}
			before = at
			got = append(got, at.In(z).Format("15"))
		}
		want := strings.Fields(c.want)
		for i, h := range got {
			got[i] = strings.TrimPrefix(h, "0")
			if got[i] == "" {
				got[i] = "0"
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s from %s: got %v, want %v", c.zone, c.from, got, want)
		}
	}
}

// TestContrast computes the contrast of texts and shapes with their grounds.
func TestContrast(t *testing.T) {
	grounds := []Role{Sheet, Dusk, Night}
	for name, theme := range map[string]*Theme{"light": LightTheme, "dark": DarkTheme} {
		for _, c := range []struct {
			roles []Role
			least float64
		}{
			{[]Role{Ink, Soft, Minor, Moderate, Major, Flood, Ebb}, 4.5},
			{[]Role{Curve, Observed, Wind, Axis}, 3},
		} {
			for _, ground := range grounds {
				for _, r := range c.roles {
					if got := contrast(theme, r, ground); got < c.least {
						t.Errorf("%s: %s on %s has contrast %.2f, want %.1f",
							name, shades[r].name, shades[ground].name, got, c.least)
					}
				}
			}
		}
		if got := contrast(theme, OnNow, Now); got < 4.5 {
			t.Errorf("%s: words on the pill have contrast %.2f", name, got)
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.2 of opaque colors.
func contrast(t *Theme, a, b Role) float64 {
	luminance := func(r Role) float64 {
		channel := func(v uint8) float64 {
			c := float64(v) / 255
			if c <= 0.04045 {
				return c / 12.92
			}
			return math.Pow((c+0.055)/1.055, 2.4)
		}
		return 0.2126*channel(t[r].R) + 0.7152*channel(t[r].G) + 0.0722*channel(t[r].B)
	}
	low, high := luminance(a), luminance(b)
	if low > high {
		low, high = high, low
	}
	return (high + 0.05) / (low + 0.05)
}

// TestBudget checks the sizes of a chart of two days as SVG and PNG, and the
// description in the PNG.
func TestBudget(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	if n := len(c.Draw(TideWide).AppendSVG(nil, "x", "")); n > 12_000 {
		t.Errorf("the SVG has %d bytes, want at most 12,000", n)
	}
	file, err := c.Draw(Picture).PNG(LightTheme, 1)
	if err != nil || len(file) > 25_000 {
		t.Errorf("the PNG has %d bytes, %v, want at most 25,000", len(file), err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := img.(*image.Paletted); !ok || p.Rect != image.Rect(0, 0, 800, 400) {
		t.Errorf("the PNG is %T of %v, want a palette of 800 x 400", img, img.Bounds())
	}
	for _, want := range []string{"iTXtTitle", "iTXtDescription", "high 9.3" + nbsp + "ft"} {
		if !bytes.Contains(file, []byte(want)) {
			t.Errorf("the PNG lacks %q", want)
		}
	}
}

// TestEscape checks that texts of a station are escaped in an SVG.
func TestEscape(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 24)
	c.Station = "a</title><script>x\x00\x1b\ufffe\"'&"
	s := c.Draw(Picture)
	checkSVG(t, "hostile name", s)
	if text := string(s.File()); strings.Contains(text, "<script") || strings.Contains(text, "\x1b") {
		t.Error("a name left its place")
	}
}

// TestMissing checks that missing values are drawn as gaps.
func TestMissing(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 24)
	c.Predicted.Values[100] = math.NaN()
	strokes := 0
	for _, i := range c.Draw(TideWide).items {
		if i.kind == strokeItem && i.role == Curve {
			strokes++
		}
	}
	if strokes != 2 {
		t.Errorf("a curve with a gap has %d strokes, want 2", strokes)
	}
	c.Observed = c.Predicted
	for _, v := range c.difference().Values {
		if v != 0 && !math.IsNaN(v) {
			t.Errorf("the difference of a series from itself is %v", v)
		}
	}
	if got := (Tide{}).Draw(TideWide).Desc; got != "There are no predictions to draw." {
		t.Errorf("a tide without values is described as %q", got)
	}
}

func TestText(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 48)
	for _, ascii := range []bool{false, true} {
		lines := strings.Split(strings.TrimSuffix(Text{c.Predicted, "ft", c.Clock}.Lines(80, ascii),
			"\n"), "\n")
		rows := textRows
		if ascii {
			rows = asciiRows
		}
		if len(lines) != rows+1 || !strings.HasPrefix(lines[0], " 11.1 ") {
			t.Errorf("ascii %v: %d lines, the first %q", ascii, len(lines), lines[0])
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("a line has %d columns: %q", n, line)
			}
			if ascii && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
				t.Errorf("not ASCII: %q", line)
			}
		}
		if hours := lines[rows]; !strings.Contains(hours, "Sun 22") || !strings.Contains(hours, "12h") {
			t.Errorf("the line of hours is %q", hours)
		}
	}
	if got := Sparkline(c.Predicted, 48); len([]rune(got)) != 48 || !strings.Contains(got, "█") {
		t.Errorf("Sparkline = %q", got)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{9.33, 1, "9.3"},
		{-0.2, 1, "\u22120.2"},
		{-0.04, 1, "0.0"},
		{1234, 0, "1234"},
	} {
		if got := number(c.v, c.decimals); got != c.want {
			t.Errorf("number(%v, %d) = %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
}

// TestNiceStep checks that a step is the least of 1, 2 and 5 x 10^n that fits.
func TestNiceStep(t *testing.T) {
	for _, c := range []struct {
		span, parts float64
		want        float64
		decimals    int
	}{
		{10, 5, 2, 0},
		{10, 4, 5, 0},
		{1, 4, 0.5, 1},
		{0.3, 5, 0.1, 1},
		{0.06, 5, 0.02, 2},
		{900, 10, 100, 0},
	} {
		got := niceStep(c.span, c.parts)
		if math.Abs(got-c.want) > 1e-9 || stepDecimals(got) != c.decimals {
			t.Errorf("niceStep(%v, %v) = %v with %d decimals, want %v with %d",
				c.span, c.parts, got, stepDecimals(got), c.want, c.decimals)
		}
	}
}

// FuzzTide draws series with unusual values.
func FuzzTide(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 254, 4}, int64(360))
	f.Add([]byte{9}, int64(-60))
	f.Add([]byte{7, 7, 7}, int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, step int64) {
		c := Tide{Station: "x", Unit: "ft", Datum: "MLLW", Clock: Clock{Zone: time.UTC}}
		c.Predicted = Series{
			Start: time.Unix(1_800_000_000, 0), Step: time.Duration(step%86400) * time.Second,
		}
		for _, b := range raw[:min(len(raw), 2000)] {
			v := float64(b)
			switch b {
			case 255:
				v = math.NaN()
			case 254:
				v = math.Inf(1)
			}
			c.Predicted.Values = append(c.Predicted.Values, v)
			c.Events = append(c.Events, Event{c.Predicted.at(len(c.Events)), b%2 == 0, v})
		}
		c.Observed = c.Predicted
		for _, s := range []*Scene{c.Draw(TideWide), c.Draw(Narrow), c.DrawDifference(Strip)} {
			checkSVG(t, "fuzzed", s)
		}
		Text{c.Predicted, "ft", c.Clock}.Lines(60, true)
		Sparkline(c.Predicted, 40)
	})
}

func BenchmarkDraw(b *testing.B) {
	c := tideAt(b, openDirectory(b), "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	b.ReportAllocs()
	for b.Loop() {
		c.Draw(TideWide)
	}
}

func BenchmarkSVG(b *testing.B) {
	c := tideAt(b, openDirectory(b), "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	b.ReportAllocs()
	var buffer []byte
	for b.Loop() {
		buffer = c.Draw(TideWide).AppendSVG(buffer[:0], "t", "wide")
	}
	b.ReportMetric(float64(len(buffer)), "bytes")
}

func BenchmarkPNG(b *testing.B) {
	c := tideAt(b, openDirectory(b), "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Draw(Picture).PNG(LightTheme, 1); err != nil {
			b.Fatal(err)
		}
	}
}
