package chart

import (
	"math"
	"testing"
	"time"
)

// FuzzTide draws tides with unusual values: missing and infinite ones, a single one, equal
// ones, and negative steps.
func FuzzTide(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, raw []byte, step int64) {
		c := Tide{Station: "x", Unit: "ft", Datum: "MLLW", Clock: Clock{Zone: time.UTC}}
		c.Predicted = unusual(raw, step)
		for i, v := range c.Predicted.Values {
			c.Events = append(c.Events, Event{c.Predicted.at(i), i%2 == 0, v})
		}
		c.Observed = c.Predicted
		c.Now = &Moment{c.Predicted.at(len(raw) / 2), 1, Rising}
		c.Levels = []Level{{"minor flooding", 50, Minor}, {"major flooding", math.NaN(), Major}}
		for _, s := range []*Scene{c.Draw(TideWide), c.Draw(Narrow), c.DrawDifference(Strip)} {
			checkSVG(t, "fuzzed", s)
		}
		if _, err := c.Draw(Picture).PNG(DarkTheme, 1); err != nil {
			t.Error(err)
		}
		Text{c.Predicted, "ft", c.Clock}.Lines(60, true)
		Sparkline(c.Predicted, 40)
	})
}

// FuzzCurrent draws currents and wind with unusual values.
func FuzzCurrent(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, raw []byte, step int64) {
		clock := Clock{Zone: time.UTC}
		s := unusual(raw, step)
		c := Current{Station: "x", Unit: "kn", Clock: clock, Series: s, Now: s.at(len(raw) / 2)}
		kinds := []TurnKind{MaxFlood, Slack, MaxEbb, Slack}
		for i, v := range s.Values {
			c.Turns = append(c.Turns, Turn{s.at(i), kinds[i%4], v})
			c.Weak = append(c.Weak, Span{s.at(i), s.at(i + 1)})
		}
		w := Breeze{Place: "x", Unit: "kn", Clock: clock, Speeds: s, Gusts: s, From: s}
		if n := len(s.Values); n > 2 {
			w.Gusts.Values = s.Values[:n/2]
		}
		for _, s := range []*Scene{c.Draw(CurrentWide), c.Draw(Narrow), w.Draw(WindWide)} {
			checkSVG(t, "fuzzed", s)
		}
	})
}

func seed(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 254, 4, 253, 0, 1}, int64(360))
	f.Add([]byte{9}, int64(360))
	f.Add([]byte{9, 8}, int64(-60))
	f.Add([]byte{7, 7, 7, 7}, int64(0))
	f.Add([]byte{7, 7, 7, 7}, int64(3600))
	f.Add([]byte{255, 255, 255}, int64(3600))
}

// unusual returns a series with a value for each byte.
func unusual(raw []byte, step int64) Series {
	s := Series{Start: time.Unix(1_800_000_000, 0), Step: time.Duration(step%86400) * time.Second}
	for _, b := range raw[:min(len(raw), 500)] {
		v := float64(b) - 50
		switch b {
		case 255:
			v = math.NaN()
		case 254:
			v = math.Inf(1)
		case 253:
			v = math.Inf(-1)
		}
		s.Values = append(s.Values, v)
	}
	return s
}
