package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/stations"
	"leadline/internal/trials"
)

// charts is the number of charts that each property test draws: 500.
var charts = trials.Cases() / 2

// TestTides checks invariants of tide charts at random stations and times, with random
// observations, levels, units and clocks.
func TestTides(t *testing.T) {
	d := openDirectory(t)
	all := slices.DeleteFunc(slices.Clone(d.All(stations.Tide)), func(s stations.Station) bool {
		_, ok := d.Tides(s, "MLLW")
		return !ok
	})
	random := rand.New(rand.NewPCG(1, 2))
	for range charts {
		c, size := randomTide(t, random, d, all[random.IntN(len(all))])
		s := c.Draw(size)
		name := fmt.Sprintf("%s %v at %v", c.Station, size, c.Predicted.Start)
		checkTexts(t, name, s)
		checkSVG(t, name, s)
		checkCurves(t, name, s)
		checkNames(t, name, s, c)
		if got := dotsOf(s, Curve); got != len(c.Events) {
			t.Errorf("%s: %d dots for %d events", name, got, len(c.Events))
		}
		checkTexts(t, name, c.DrawDifference(Strip))
		checkSVG(t, name, c.DrawDifference(Strip))
		checkCurves(t, name, c.DrawDifference(Strip))
	}
}

// randomTide returns a chart of a station with everything else chosen at random.
func randomTide(
	t *testing.T, random *rand.Rand, d *stations.Directory, s stations.Station,
) (Tide, Size) {
	c := Tide{Station: s.Name + ", " + s.State, Unit: "ft", Datum: "MLLW", Epoch: "1983-2001"}
	c.Source = "Predicted by Leadline from NOAA CO-OPS constants. Planning aid only. " +
		"Not for navigation."
	if random.IntN(4) == 0 {
		c.Unit = "m"
	}
	c.Clock = Clock{Zone: load(t, s.Zone), Twelve: random.IntN(2) == 0}
	if random.IntN(8) == 0 {
		c.Clock.Zone = time.UTC
	}
	size := []Size{TideWide, Picture, Narrow}[random.IntN(3)]
	hours := 24 * (1 + random.IntN(7))
	if size == Narrow {
		hours = 24 * (1 + random.IntN(3))
	}
	from := time.Date(2026, 1, 1, 0, 6*random.IntN(87600), 0, 0, time.UTC)
	fill(t, &c, d, s, from, hours)
	now := random.IntN(hours - 1)
	c = c.at(now)
	if random.IntN(2) == 0 && now > 0 {
		c = c.observe(now)
		rise := random.NormFloat64()
		for i := range c.Observed.Values {
			c.Observed.Values[i] += rise
		}
	}
	low, high := c.heights()
	for i, r := range []Role{Minor, Moderate, Major}[:random.IntN(4)] {
		v := high + (random.Float64()*0.6-0.2)*(high-low)
		c.Levels = append(c.Levels, Level{[]string{"minor", "moderate", "major"}[i] + " flooding", v, r})
	}
	return c, size
}

// TestCurrents checks invariants of charts of currents.
func TestCurrents(t *testing.T) {
	d := openDirectory(t)
	all := slices.DeleteFunc(slices.Clone(d.All(stations.Current)), func(s stations.Station) bool {
		_, ok := d.Currents(s)
		return !ok
	})
	random := rand.New(rand.NewPCG(3, 4))
	for range charts {
		day := time.Date(2026, 1, 1+random.IntN(365), random.IntN(24), 0, 0, 0, time.UTC)
		hours := 24 * (1 + random.IntN(3))
		s := all[random.IntN(len(all))]
		c := currentAt(t, d, s.ID, day.Format("2006-01-02 15:04"), hours)
		c.Clock.Twelve = random.IntN(2) == 0
		c.Now = c.Series.at(random.IntN(10 * hours))
		scene := c.Draw([]Size{CurrentWide, Picture, Narrow}[random.IntN(3)])
		name := c.Station + " at " + c.Series.Start.String()
		checkTexts(t, name, scene)
		checkSVG(t, name, scene)
		checkCurves(t, name, scene)
		slacks := 0
		for _, turn := range c.Turns {
			if turn.Kind == Slack {
				slacks++
			}
			if !strings.Contains(scene.Desc, " at "+string(c.Clock.appendMoment(nil, turn.Time))) {
				t.Errorf("%s: the description lacks %v", name, turn)
			}
		}
		if got := dotsOf(scene, Ink); got != slacks {
			t.Errorf("%s: %d dots for %d slacks", name, got, slacks)
		}
	}
}

// dotsOf returns the number of dots of a role.
func dotsOf(s *Scene, r Role) (n int) {
	for _, i := range s.items {
		if i.kind == dotItem && i.role == r {
			n++
		}
	}
	return n
}

// checkNames checks that the description of a tide names every event, and the present.
func checkNames(t *testing.T, name string, s *Scene, c Tide) {
	t.Helper()
	for _, e := range c.Events {
		if !strings.Contains(s.Desc, " at "+string(c.Clock.appendMoment(nil, e.Time))) {
			t.Errorf("%s: the description %q lacks %v", name, s.Desc, e)
		}
	}
	if want := " Now predicted " + Quantity(c.Now.Height, c.Unit); !strings.Contains(s.Desc, want) {
		t.Errorf("%s: the description %q lacks %q", name, s.Desc, want)
	}
}

// checkTexts checks that no text leaves the picture and that no two texts meet, in the widest
// font that a browser may use.
func checkTexts(t *testing.T, name string, s *Scene) {
	t.Helper()
	var texts []box
	var words []string
	for _, i := range s.items {
		if i.kind != textItem {
			continue
		}
		b := textBox(i)
		if b.x0 < 0 || b.x1 > s.W || b.y0 < 0 || b.y1 > s.H {
			t.Errorf("%s: %q at %.1f leaves the picture", name, i.text, b)
		}
		for k, o := range texts {
			if o.hits(b) {
				t.Errorf("%s: %q at %.1f meets %q at %.1f", name, i.text, b, words[k], o)
			}
		}
		texts, words = append(texts, b), append(words, i.text)
	}
}

// textBox returns the box of a text in the widest font.
func textBox(i item) box {
	width := room(i.text, i.size, i.bold)
	x := i.a.x
	switch i.anchor {
	case middle:
		x -= width / 2
	case end:
		x -= width
	}
	return box{x, i.a.y - 0.76*i.size, x + width, i.a.y + 0.2*i.size}
}

// checkSVG checks that a scene is well-formed XML whose paths have only numbers.
func checkSVG(t *testing.T, name string, s *Scene) {
	t.Helper()
	for _, text := range [][]byte{s.AppendSVG(nil, "x", "wide"), s.File()} {
		for _, bad := range []string{"NaN", "Inf", "style="} {
			if bytes.Contains(text, []byte(bad)) {
				t.Errorf("%s: the SVG has %s", name, bad)
			}
		}
		decoder := xml.NewDecoder(bytes.NewReader(text))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in %s", name, err, text)
			}
		}
	}
	for _, i := range s.items {
		for _, p := range append([]point{i.a, i.b}, i.points...) {
			if math.IsNaN(p.x+p.y) || math.Abs(p.x) > 1e5 || math.Abs(p.y) > 1e5 {
				t.Errorf("%s: a point is %v", name, p)
			}
		}
	}
}
