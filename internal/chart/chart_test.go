package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

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

// TestZones checks how the zone of a span is named in descriptions and in pictures. 2026-11-01:
// clocks go back in America.
func TestZones(t *testing.T) {
	from := time.Date(2026, 10, 31, 16, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zone       *time.Location
		hours      int
		long, line string
	}{
		{load(t, "America/New_York"), 1, "EDT (UTC−4)", "EDT (UTC−4)"},
		{load(t, "America/New_York"), 48, "EDT (UTC−4), then EST (UTC−5)", "EDT, then EST"},
		{load(t, "Pacific/Honolulu"), 48, "HST (UTC−10)", "HST (UTC−10)"},
		{load(t, "Asia/Kathmandu"), 48, "UTC+5:45", "UTC+5:45"},
		{load(t, "Etc/GMT+2"), 48, "UTC−2", "UTC−2"},
		{time.FixedZone("LST", -5*3600), 48, "LST (UTC−5)", "LST (UTC−5)"},
		{time.FixedZone("", 3600), 48, "UTC+1", "UTC+1"},
		{time.UTC, 48, "UTC", "UTC"},
	} {
		clock, to := Clock{Zone: c.zone}, from.Add(time.Duration(c.hours)*time.Hour)
		plain := func(text string) string { return strings.ReplaceAll(text, nbsp, " ") }
		if got := plain(string(clock.appendZones(nil, from, to))); got != c.long {
			t.Errorf("%v, %d hours: %q, want %q", c.zone, c.hours, got, c.long)
		}
		if got, want := plain(clock.zones(from, to)), "times in "+c.line; got != want {
			t.Errorf("%v, %d hours: %q, want %q", c.zone, c.hours, got, want)
		}
	}
}

// TestZoneNamed checks that the description of every kind of chart names the zone of its times,
// and that a picture shows it in full, next to a long source.
func TestZoneNamed(t *testing.T) {
	d := openDirectory(t)
	tide := tideAt(t, d, "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	tide.Source = "Blue: predicted. Orange: observed. Source: NOAA CO-OPS, Leadline. " +
		"Planning aid only. Not for navigation."
	const zone = "times in EST" + nbsp + "(UTC−5)"
	for _, s := range []*Scene{
		tide.Draw(Picture), currentAt(t, d, "ACT0091", "2026-11-21 10:00", 48).Draw(Picture),
		breeze(t, d, "8443970").Draw(Picture), skyAt(t, d, "8443970", "2026-11-21").Draw(SkyWide),
	} {
		if !strings.Contains(s.Desc, zone) {
			t.Errorf("%s: the description %q lacks %q", s.Title, s.Desc, zone)
		}
		shown := slices.ContainsFunc(s.items, func(i item) bool { return i.text == zone })
		if want := s.H == Picture.H; shown != want {
			t.Errorf("%s: shows the zone: %v, want %v", s.Title, shown, want)
		}
		cut := func(i item) bool { return strings.HasSuffix(i.text, "…") }
		if slices.ContainsFunc(s.items, cut) {
			t.Errorf("%s: a text is shortened", s.Title)
		}
	}
}

// TestNowPredicted checks that the present height is called predicted next to observed levels, and
// that a narrow chart shortens it so that it does not meet the words of the axis.
func TestNowPredicted(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 24).at(9)
	high := c
	high.Now = &Moment{Time: c.Now.Time, Height: -10.61, Trend: Standing}
	high.Unit = "m"
	for _, test := range []struct {
		tide Tide
		size Size
		want string
	}{
		{c, TideWide, "now 8.3 ft, rising"},
		{c, Narrow, "now 8.3 ft, rising"},
		{c.observe(9), TideWide, "predicted 8.3 ft, rising"},
		{c.observe(9), Picture, "predicted 8.3 ft, rising"},
		{c.observe(9), Narrow, "predicted 8.3 ft, rising"},
		{high.observe(9), Narrow, "predicted −10.61 m"},
	} {
		s := test.tide.Draw(test.size)
		checkTexts(t, test.want, s)
		var got string
		for _, i := range s.items {
			if i.role == OnNow {
				got += strings.ReplaceAll(i.text, nbsp, " ")
			}
		}
		if got != test.want {
			t.Errorf("width %v: the pill says %q, want %q", test.size.W, got, test.want)
		}
		now := " Now predicted " + Quantity(test.tide.Now.Height, test.tide.Unit)
		if !strings.Contains(s.Desc, now) {
			t.Errorf("width %v: the description %q lacks %q", test.size.W, s.Desc, now)
		}
	}
}

// TestLargestDifference checks the largest difference and the span that was compared, also if the
// observations begin before the prediction, end after it, or lie between its steps.
func TestLargestDifference(t *testing.T) {
	noon, nan := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), math.NaN()
	c := Tide{Unit: "ft", Predicted: Series{noon, 6 * time.Minute, []float64{1, 2, nan, 4, 5}}}
	for _, test := range []struct {
		name     string
		start    int // minutes after noon
		step     int
		observed []float64
		want     float64
		from, to int
		ok       bool
	}{
		{"all", 0, 6, []float64{1.5, 1.2, 9, 4.1, 5}, -0.8, 0, 24, true},
		{"gaps at the ends", 0, 6, []float64{nan, 2.25, 9, 4.5, nan}, 0.5, 6, 18, true},
		{"longer", -6, 6, []float64{9, 1, 2.5, 9, 4, 5, 9}, 0.5, 0, 24, true},
		{"coarser", -12, 12, []float64{9, 1.5, 9, 4}, -1, 0, 24, true},
		{"between the steps", 3, 6, []float64{9, 9, 9}, 0, 0, 0, false},
		{"equal", 6, 6, []float64{2}, 0, 6, 6, true},
		{"other hours", 60, 6, []float64{9, 9}, 0, 0, 0, false},
		{"before", -12, 6, []float64{9}, 0, 0, 0, false},
		{"none", 0, 6, nil, 0, 0, 0, false},
	} {
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		c.Observed = Series{at(test.start), time.Duration(test.step) * time.Minute, test.observed}
		got, from, to, ok := c.LargestDifference()
		if math.Abs(got-test.want) > 1e-9 || ok != test.ok ||
			ok && (!from.Equal(at(test.from)) || !to.Equal(at(test.to))) {
			t.Errorf("%s: %v from %v to %v, %v; want %v from %v to %v, %v", test.name, got, from, to, ok,
				test.want, at(test.from), at(test.to), test.ok)
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
		{-0.5, 0, "0"}, // rounded to even
		{-1.5, 0, "\u22122"},
		{-20, 0, "\u221220"},
		{math.Copysign(0, -1), 2, "0.00"},
		{1234, 0, "1234"},
	} {
		if got := Number(c.v, c.decimals); got != c.want {
			t.Errorf("Number(%v, %d) = %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
}

// TestQuantity checks the decimals of units.
func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{9.33, "ft", "9.3 ft"},
		{-0.04, "ft", "0.0 ft"},
		{2.846, "m", "2.85 m"},
		{-1.26, "kn", "\u22121.3 kn"},
		{51.4, "cm/s", "51 cm/s"},
		{18.6, "km/h", "19 km/h"},
		{7.6, "s", "8 s"},
		{209.7, "degrees", "210 degrees"},
	} {
		if got, want := Quantity(c.v, c.unit), strings.Replace(c.want, " ", nbsp, 1); got != want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", c.v, c.unit, got, want)
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

// TestData checks that the data of a chart give the time and the value of points of its curve,
// with the precision that a script needs: 0.15 units, which are 0.01 ft in a range of 12 ft.
func TestData(t *testing.T) {
	d := openDirectory(t)
	tide := tideAt(t, d, "8443970", "2026-11-21 10:00", 48)
	tide.Clock.Twelve = true
	current := currentAt(t, d, "SFB1203", "2026-11-21 10:00", 48)
	for _, c := range []struct {
		scene  *Scene
		series Series
		clock  string
		zone   string
	}{
		{tide.Draw(TideWide), tide.Predicted, "12", "America/New_York"},
		{current.Draw(Narrow), current.Series, "24", "America/Los_Angeles"},
	} {
		data := map[string]float64{}
		for _, fact := range c.scene.Data {
			data[fact.Name], _ = strconv.ParseFloat(fact.Value, 64)
		}
		if got := []Datum{{"zone", c.zone}, {"clock", c.clock}}; !slices.Contains(c.scene.Data, got[0]) ||
			!slices.Contains(c.scene.Data, got[1]) {
			t.Errorf("the data are %v, want %v in them", c.scene.Data, got)
		}
		for _, i := range c.scene.items {
			if !i.read {
				continue
			}
			for _, p := range trace(i.points).samples() {
				share := (p.x - data["x0"]) / (data["x1"] - data["x0"])
				second := int64(math.Round(data["from"] + share*(data["to"]-data["from"])))
				at := time.Unix(second, 0).Sub(c.series.Start).Round(c.series.Step) / c.series.Step
				got, want := data["v0"]+data["dv"]*p.y, c.series.Values[at]
				if math.Abs(got-want) > 0.15*math.Abs(data["dv"]) {
					t.Errorf("%s: at %v the value is %.3f, want %.3f", c.scene.Title, p, got, want)
				}
			}
		}
	}
}

// TestFitted checks that a long title is shortened.
func TestFitted(t *testing.T) {
	c := tideAt(t, openDirectory(t), "8443970", "2026-11-21 10:00", 24)
	c.Station = strings.Repeat("Long Name ", 20)
	c.Source = strings.Repeat("Source ", 40)
	s := c.observe(9).Draw(Picture)
	checkTexts(t, "long title", s)
	if got := fitted("Boston", 17, true, 600); got != "Boston" {
		t.Errorf("fitted(Boston) = %q", got)
	}
}
