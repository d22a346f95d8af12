package chart

import (
	"math"
	"os"
	"testing"
	"time"
)

func TestGallery(t *testing.T) {
	dir := os.Getenv("GALLERY")
	if dir == "" {
		t.Skip()
	}
	d := openDirectory(t)
	boston := tideAt(t, d, "8443970", "2026-11-21 10:00", 48).at(9).observe(9)
	boston.Levels = []Level{{"minor flooding", 12.5, Minor}, {"moderate", 14, Moderate}}
	sf := tideAt(t, d, "9414290", "2026-11-21 16:00", 24).at(1)
	sf.Clock.Twelve = true
	week := tideAt(t, d, "9414290", "2026-11-21 00:00", 168)
	cur := currentAt(t, d, "PUG1515", "2026-11-21 10:00", 48)
	cur.Now = cur.Series.Start.Add(9 * time.Hour)
	wind := Breeze{Place: "Boston", Unit: "kn", Clock: boston.Clock, Daylight: boston.Daylight}
	mk := func(f func(i int) float64) Series {
		s := Series{Start: boston.Predicted.Start, Step: time.Hour}
		for i := range 48 {
			s.Values = append(s.Values, f(i))
		}
		return s
	}
	wind.Speeds = mk(func(i int) float64 { return math.Round(6 + 5*math.Sin(float64(i)/7)) })
	wind.Gusts = mk(func(i int) float64 {
		if i < 5 {
			return math.NaN()
		}
		return math.Round(10 + 6*math.Sin(float64(i)/7))
	})
	wind.From = mk(func(i int) float64 { return float64(i * 9 % 360) })
	for name, s := range map[string]*Scene{
		"1boston": boston.Draw(TideWide), "2framed": boston.Draw(Picture), "3sf": sf.Draw(Narrow), "4week": week.Draw(TideWide),
		"5current": cur.Draw(CurrentWide), "6wind": wind.Draw(WindWide), "7diff": boston.DrawDifference(Strip),
		"9bars": Bars{Title: "Use", Days: []string{"1", "2", "3", "4", "5", "6", "7"}, Lower: []int{100, 2000, 300, 0, 50}, Upper: []int{10, 1200, 30, 0, 5}, Labels: [2]string{"REST", "MCP"}, Share: 1500}.Draw(BarsWide),
	} {
		for _, th := range []struct {
			n string
			t *Theme
		}{{"", LightTheme}, {"-dark", DarkTheme}} {
			b, err := s.PNG(th.t, 1)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(dir+"/"+name+th.n+".png", b, 0o644)
		}
		os.WriteFile(dir+"/"+name+".svg", s.File(), 0o644)
	}
	os.WriteFile(dir+"/text.txt", []byte(boston.Text(80, false)+sf.Text(60, true)+Sparkline(boston.Predicted, 48)), 0o644)
}
