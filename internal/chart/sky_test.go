package chart

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestSkyStates checks the bands of days on which the sun does not rise, does not set, or sets
// after midnight, and of a day of 25 hours. The times come from package sky, whose own tests
// compare them with published ones.
func TestSkyStates(t *testing.T) {
	d := openDirectory(t)
	for _, c := range []struct {
		id, day string
		spans   int // of the sun
		want    string
	}{
		{"9497645", "2026-12-21", 0, " The sun does not rise."},
		{"9497645", "2026-06-21", 1, " The sun does not set."},
		{"9468756", "2026-06-21", 2, " Sunset 01:47. Sunrise 04:"},
		{"8443970", "2026-11-01", 1, " Sunrise 06:17. Sunset 16:37."},
	} {
		day := skyAt(t, d, c.id, c.day)
		scene := day.Draw(SkyWide)
		if got := len(day.Bands[3]); got != c.spans {
			t.Errorf("%s on %s: the sun is up in %d spans, want %d", c.id, c.day, got, c.spans)
		}
		if !strings.Contains(scene.Desc, c.want) {
			t.Errorf("%s on %s: the description is %q, want %q in it", c.id, c.day, scene.Desc, c.want)
		}
		drawn := 0
		for _, i := range scene.items {
			if i.role == Sky4 {
				drawn++
			}
		}
		if drawn != c.spans {
			t.Errorf("%s on %s: %d spans of day are drawn, want %d", c.id, c.day, drawn, c.spans)
		}
	}
}

// TestSkyTexts checks that no texts of a band meet, on every day of a year in four places.
func TestSkyTexts(t *testing.T) {
	d := openDirectory(t)
	for _, id := range []string{"8443970", "9455920", "9468756", "1612340"} {
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 73 {
			at := day.AddDate(0, 0, 5*i)
			s := skyAt(t, d, id, at.Format("2006-01-02"))
			s.Clock.Twelve = i%2 == 0
			checkTexts(t, id+" on "+at.Format("2 January"), s.Draw(SkyWide))
			checkTexts(t, id+" on "+at.Format("2 January"), s.Draw(SkyNarrow))
		}
	}
}

// TestFace checks the area of the lit part of the moon against the fraction that is lit, and
// its side.
func TestFace(t *testing.T) {
	for _, c := range []struct {
		lit           float64
		waxing, south bool
		right         bool
	}{
		{0.25, true, false, true},
		{0.25, false, false, false},
		{0.25, true, true, false},
		{0.8, true, false, true},
	} {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		scene := SkyDay{
			Start: start, End: start.AddDate(0, 0, 1), Clock: Clock{Zone: time.UTC},
			Illumination: c.lit, Waxing: c.waxing, South: c.south,
		}.Draw(SkyWide)
		for _, i := range scene.items {
			if i.kind != areaItem {
				continue
			}
			area, center := polygonArea(i.points)
			if got := area / (math.Pi * moonRadius * moonRadius); got < c.lit-0.01 || got > c.lit+0.01 {
				t.Errorf("%v: %.3f of the disc is lit", c, got)
			}
			if got := center > moonX; got != c.right {
				t.Errorf("%v: the right side is lit: %v, want %v", c, got, c.right)
			}
		}
	}
}

// polygonArea returns the area of a polygon and the mean x of its corners.
func polygonArea(p []point) (area, x float64) {
	for i, a := range p {
		b := p[(i+1)%len(p)]
		area += (a.x*b.y - b.x*a.y) / 2
		x += a.x / float64(len(p))
	}
	return max(area, -area), x
}
