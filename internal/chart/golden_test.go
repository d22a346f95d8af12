package chart

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/sky"
	"leadline/internal/stations"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden is a chart whose SVG is compared with testdata/NAME.svg, and its PNG, if a theme is
// given, with a line of testdata/png.txt.
type golden struct {
	name  string
	scene *Scene
	theme *Theme
}

// goldens returns the charts of golden tests, each for a reason: the name of the file.
func goldens(t testing.TB, d *stations.Directory) []golden {
	t.Helper()
	tide := func(id, from string, hours int) Tide { return tideAt(t, d, id, from, hours) }
	twelve := func(c Tide) Tide { c.Clock.Twelve = true; return c }
	metric := tide("9447130", "2026-11-21 10:00", 1)
	metric.Unit = "m"
	s := station(t, d, "9447130")
	fill(t, &metric, d, s, civil(t, load(t, s.Zone), "2026-11-21 10:00"), 48)
	utc := tide("1612340", "2026-11-21 10:00", 48)
	utc.Clock.Zone = time.UTC
	current := currentAt(t, d, "SFB1203", "2026-11-21 10:00", 48)
	current.Now = current.Series.at(67)
	boston := tide("8443970", "2026-11-21 10:00", 48).at(9)
	return []golden{
		{"semidiurnal", boston.Draw(TideWide), nil},
		{"mixed", tide("9414290", "2026-11-21 10:00", 48).at(20).Draw(TideWide), nil},
		{"diurnal", tide("8729840", "2026-09-21 10:00", 48).at(9).Draw(TideWide), nil},
		{"tiny-range", tide("8655151", "2026-11-21 10:00", 48).at(30).Draw(TideWide), nil},
		{"40-feet", tide("9455963", "2026-11-24 10:00", 48).at(3).Draw(Picture), DarkTheme},
		{"clocks-forward", tide("8443970", "2026-03-07 12:00", 48).at(9).Draw(TideWide), nil},
		{"clocks-back", tide("8443970", "2026-10-31 12:00", 48).at(9).Draw(TideWide), nil},
		{"polar-night", tide("9497645", "2026-12-20 10:00", 48).at(9).Draw(TideWide), nil},
		{"gap", boston.observe(9).Draw(Picture), LightTheme},
		{"flood-levels", flooding(boston).Draw(Picture), LightTheme},
		{"windows", windowed(boston).Draw(TideWide), DarkTheme},
		{"long-name", tide("8724223", "2026-11-21 10:00", 48).at(9).Draw(Picture), DarkTheme},
		{"week", twelve(tide("9447130", "2026-11-21 00:00", 168)).at(20).Draw(TideWide), nil},
		{"metric", metric.at(1).Draw(TideWide), nil},
		{"utc", utc.at(9).Draw(TideWide), nil},
		{"narrow", twelve(tide("8724580", "2026-11-21 10:00", 24)).at(9).observe(9).Draw(Narrow),
			LightTheme},
		{"current", current.Draw(CurrentWide), DarkTheme},
		{"wind", breeze(t, d, "8443970").Draw(WindWide), nil},
		{"difference", boston.observe(9).DrawDifference(Strip), nil},
		{"sky", skyAt(t, d, "8443970", "2026-11-21").Draw(SkyWide), nil},
		{"midnight-sun", skyAt(t, d, "9468756", "2026-06-21").Draw(SkyWide), nil},
		{"bars", month().Draw(BarsWide), nil},
		{"bars-narrow", month().Draw(BarsNarrow), DarkTheme},
		{"bars-few", few().Draw(BarsLow), nil},
	}
}

// TestGolden compares pictures with those that a person has looked at. After a change that is
// meant to be seen, go test ./internal/chart -update writes them; look at them in a browser.
func TestGolden(t *testing.T) {
	var hashes strings.Builder
	for _, g := range goldens(t, openDirectory(t)) {
		svg := g.scene.File()
		if len(svg) > 12_000 {
			t.Errorf("%s.svg has %d bytes, want at most 12,000", g.name, len(svg))
		}
		checkTexts(t, g.name, g.scene)
		checkSVG(t, g.name, g.scene)
		compare(t, g.name+".svg", svg)
		if g.theme != nil {
			fmt.Fprintf(&hashes, "%x %s\n", hashPNG(t, g), g.name)
		}
	}
	compare(t, "png.txt", []byte(hashes.String()))
}

// hashPNG returns the hash of the pixels of a PNG, after it has checked its size and form.
func hashPNG(t *testing.T, g golden) []byte {
	t.Helper()
	file, err := g.scene.PNG(g.theme, 1)
	if err != nil || len(file) > 25_000 {
		t.Errorf("%s.png has %d bytes, %v, want at most 25,000", g.name, len(file), err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := img.(*image.Paletted)
	if !ok || p.Rect != image.Rect(0, 0, int(g.scene.W), int(g.scene.H)) {
		t.Fatalf("%s.png is %T of %v", g.name, img, img.Bounds())
	}
	h := sha256.New()
	fmt.Fprintln(h, p.Palette)
	h.Write(p.Pix)
	return h.Sum(nil)[:12]
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from the golden file; run go test ./internal/chart -update and look",
			name)
	}
}

// windowed adds windows below a level, one of which the end of the light cuts.
func windowed(c Tide) Tide {
	at := c.Predicted.Start
	c.Windows = &Windows{Level: 1, Spans: []Span{
		{at.Add(4 * time.Hour), at.Add(6 * time.Hour)}, {at.Add(16 * time.Hour), at.Add(19 * time.Hour)},
	}}
	return c
}

// flooding adds three levels among the labels of the highest waters.
func flooding(c Tide) Tide {
	c.Levels = []Level{
		{"minor flooding", 12.3, Minor},
		{"moderate flooding", 13.2, Moderate},
		{"major flooding", 14.5, Major},
	}
	return c
}

// breeze returns a forecast of wind with a gap in the gusts and one in the wind.
func breeze(t testing.TB, d *stations.Directory, id string) Breeze {
	t.Helper()
	s := station(t, d, id)
	zone := load(t, s.Zone)
	hourly := Series{Start: civil(t, zone, "2026-11-21 19:00"), Step: time.Hour}
	w := Breeze{Place: "Boston Harbor", Unit: "kn", Clock: Clock{Zone: zone}}
	w.Speeds, w.Gusts, w.From = hourly, hourly, hourly
	for i := range 48 {
		v, gust := math.Round(7+5*math.Sin(float64(i)/9)), math.NaN()
		if i < 2 || i > 8 {
			gust = v + 4
		}
		if i == 30 {
			v = math.NaN()
		}
		w.Speeds.Values = append(w.Speeds.Values, v)
		w.Gusts.Values = append(w.Gusts.Values, gust)
		w.From.Values = append(w.From.Values, float64(10*i))
	}
	w.Daylight = daylight(s, hourly.Start, w.Speeds.end())
	w.Now = hourly.Start.Add(90 * time.Minute)
	return w
}

// skyAt returns sun and moon of a civil day at a station.
func skyAt(t testing.TB, d *stations.Directory, id, day string) SkyDay {
	t.Helper()
	s := station(t, d, id)
	zone := load(t, s.Zone)
	from := civil(t, zone, day+" 00:00")
	to := time.Date(from.Year(), from.Month(), from.Day()+1, 0, 0, 0, 0, zone)
	place := sky.Place{Latitude: s.Latitude, Longitude: s.Longitude}
	sun, moon := sky.Sun(place, from, to), sky.Moon(from.Add(12*time.Hour))
	c := SkyDay{
		Place: s.Name, Start: from, End: to, Clock: Clock{Zone: zone}, Noon: sun.Noon[0],
		Illumination: moon.Illumination, Waxing: moon.Elongation < 180,
		Phase: strings.ReplaceAll(moon.Phase, "_", " "), Now: from.Add(19 * time.Hour),
	}
	crossings := []sky.Crossing{sun.Astronomical, sun.Nautical, sun.Civil, sun.Sun}
	for i, crossing := range crossings {
		c.Bands[i] = spans(crossing, from, to)
	}
	c.MoonUp = spans(sky.MoonTimes(place, from, to).Moon, from, to)
	return c
}

// spans returns the parts of a day in which a body is up. Rises and sets alternate.
func spans(c sky.Crossing, from, to time.Time) (up []Span) {
	if c.State == sky.AlwaysUp {
		return []Span{{from, to}}
	}
	rise, set := c.Rise, c.Set
	if len(set) > 0 && (len(rise) == 0 || set[0].Before(rise[0])) {
		rise = append([]time.Time{from}, rise...)
	}
	for i, at := range rise {
		end := to
		if i < len(set) {
			end = set[i]
		}
		up = append(up, Span{at, end})
	}
	return up
}

// month returns the requests of a month of which 21 days have passed.
func month() Bars {
	c := Bars{Title: "Requests a day in November", Labels: [2]string{"REST", "MCP"}, Share: 333}
	for i := range 30 {
		c.Days = append(c.Days, fmt.Sprint(i+1))
		if i < 21 {
			c.Lower = append(c.Lower, 200+37*i%190)
			c.Upper = append(c.Upper, 60+53*i%140)
		}
	}
	return c
}

// few returns the refused requests of a February with a leap day, on which there were most.
func few() Bars {
	c := Bars{Title: "Refused requests a day, February 2028", Labels: [2]string{"REST", "MCP"}}
	for i := range 29 {
		c.Days = append(c.Days, fmt.Sprint(i+1))
	}
	c.Lower, c.Upper = make([]int, 29), make([]int, 29)
	c.Lower[3], c.Upper[3], c.Lower[28] = 1, 2, 4
	return c
}
