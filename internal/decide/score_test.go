package decide

import (
	"math"
	"testing"
	"time"
)

// weights lists the weights of the document.
var weights = map[Activity]map[string]string{
	Fishing:       {"moving_water": "40", "twilight": "30", "calm_wind": "30"},
	Boating:       {"calm_wind": "40", "seas": "25", "current": "15", "daylight": "20"},
	SurfPaddle:    {"calm_wind": "40", "seas": "20", "current": "20", "daylight": "20"},
	Beachcombing:  {"lowness": "40", "time_to_low": "30", "daylight": "20", "calm_wind": "10"},
	Photography:   {"sun": "60", "calm_wind": "20", "turn": "20"},
	CoastalLiving: {"flood_margin": "70", "calm_wind": "30"},
}

// partOf returns a part of the score of a time.
func partOf(t *testing.T, a Activity, f *Facts, name string) ScorePart {
	t.Helper()
	for _, p := range Weigh(asked(a), f).Parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("%s has no part %s", a, name)
	return ScorePart{}
}

// set returns the facts of the quiet day with one number changed.
type set func(f *Facts, v float64)

func blow(f *Facts, v float64)    { f.during().Wind = &v }
func heave(f *Facts, v float64)   { f.during().Height = &v }
func flowing(f *Facts, v float64) { f.Current.Velocities = steady(v) }
func shine(f *Facts, v float64)   { f.Sun.Altitudes = steady(v) }

// fallTo lets the level fall to a value at noon; mid-tide is at 3 ft.
func fallTo(f *Facts, v float64) { f.Tide.Heights.atNoon(v) }

// lowAt puts low water a number of hours after noon, with no other nearby.
func lowAt(f *Facts, hours float64) { f.Tide.Turns = turns(false, hours) }

// highAt puts high water a number of hours after noon, with no other nearby.
func highAt(f *Facts, hours float64) { f.Tide.Turns = turns(true, hours) }

func turns(high bool, hours float64) []Turn {
	return []Turn{{noon.Add(time.Duration(hours * float64(time.Hour))), high, 3}}
}

// sunset puts sunset a number of hours after noon; the span of fishing ends at 16:00. sunrise
// puts sunrise a number of hours before noon.
func sunset(f *Facts, hours float64)  { f.Sun.Rise, f.Sun.Set = nil, hoursAfter(hours) }
func sunrise(f *Facts, hours float64) { f.Sun.Rise, f.Sun.Set = hoursAfter(-hours), nil }

func hoursAfter(hours float64) []time.Time {
	return []time.Time{noon.Add(time.Duration(hours * float64(time.Hour)))}
}

// leave puts the highest predicted level a given distance below the flood level.
func leave(f *Facts, v float64) { f.Flood.Level = pointer(3 + v) }

// TestParts tries each part at both ends of its range, beyond them and between them.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		activity    Activity
		part        string
		set         set
		value, want float64
	}{
		{Fishing, "calm_wind", blow, 5, 0.75},
		{Fishing, "calm_wind", blow, 10, 0.5},
		{Fishing, "calm_wind", blow, 20, 0},
		{Fishing, "calm_wind", blow, 40, 0},
		{Boating, "calm_wind", blow, 15, 0.25},
		{SurfPaddle, "calm_wind", blow, 8, 0.5},
		{SurfPaddle, "calm_wind", blow, 16, 0},
		{Beachcombing, "calm_wind", blow, 13.5, 0.5},
		{Photography, "calm_wind", blow, 27, 0},
		{CoastalLiving, "calm_wind", blow, 13.5, 0.5},
		{Boating, "seas", heave, 2.5, 0.5},
		{Boating, "seas", heave, 5, 0},
		{Boating, "seas", heave, 9, 0},
		{SurfPaddle, "seas", heave, 3, 0.5},
		{SurfPaddle, "seas", heave, 6, 0},
		{Boating, "current", flowing, 0, 1},
		{Boating, "current", flowing, 2, 0.5},
		{Boating, "current", flowing, -2, 0.5},
		{Boating, "current", flowing, 4, 0},
		{SurfPaddle, "current", flowing, 6, 0},
		{Boating, "daylight", shine, -6, 1},
		{Boating, "daylight", shine, -6.01, 0},
		{SurfPaddle, "daylight", shine, 40, 1},
		{Beachcombing, "daylight", shine, -90, 0},
		{Fishing, "twilight", sunset, 4, 1},
		{Fishing, "twilight", sunset, 2, 1},
		{Fishing, "twilight", sunset, 5, 1},
		{Fishing, "twilight", sunset, 5.5, 0.5},
		{Fishing, "twilight", sunset, 6, 0},
		{Fishing, "twilight", sunset, 9, 0},
		{Fishing, "twilight", sunrise, 0, 1},
		{Fishing, "twilight", sunrise, 1, 1},
		{Fishing, "twilight", sunrise, 1.5, 0.5},
		{Fishing, "twilight", sunrise, 2, 0},
		{Beachcombing, "lowness", fallTo, 3, 0},
		{Beachcombing, "lowness", fallTo, 1, 0.5},
		{Beachcombing, "lowness", fallTo, -1, 1},
		{Beachcombing, "lowness", fallTo, -2, 1},
		{Beachcombing, "time_to_low", lowAt, 0, 1},
		{Beachcombing, "time_to_low", lowAt, 1, 1},
		{Beachcombing, "time_to_low", lowAt, 2, 1},
		{Beachcombing, "time_to_low", lowAt, 4, 0},
		{Beachcombing, "time_to_low", lowAt, -0.5, 0.5},
		{Beachcombing, "time_to_low", lowAt, -1, 0},
		{Beachcombing, "time_to_low", lowAt, -5, 0},
		{Photography, "sun", shine, -6, 1},
		{Photography, "sun", shine, 0, 1},
		{Photography, "sun", shine, 6, 1},
		{Photography, "sun", shine, -9, 0.5},
		{Photography, "sun", shine, -12, 0},
		{Photography, "sun", shine, -40, 0},
		{Photography, "sun", shine, 10.5, 0.5},
		{Photography, "sun", shine, 15, 0},
		{Photography, "sun", shine, 70, 0},
		{Photography, "turn", lowAt, 2, 1},
		{Photography, "turn", lowAt, 2.1, 0},
		{Photography, "turn", highAt, -1, 1},
		{Photography, "turn", highAt, -1.1, 0},
		{Photography, "turn", highAt, 0.5, 1},
		{CoastalLiving, "flood_margin", leave, 0, 0},
		{CoastalLiving, "flood_margin", leave, -1, 0},
		{CoastalLiving, "flood_margin", leave, 1.5, 0.5},
		{CoastalLiving, "flood_margin", leave, 3, 1},
		{CoastalLiving, "flood_margin", leave, 9, 1},
	} {
		f := quiet()
		c.set(f, c.value)
		if p := partOf(t, c.activity, f, c.part); p.Score == nil || *p.Score != c.want || !p.Applies {
			t.Errorf("%s, %s at %v: %s, want %v", c.activity, c.part, c.value, encode(p), c.want)
		}
	}
}

// TestMovingWater checks the current relative to the greatest of its run and, without a
// current station, the change of level relative to the greatest of its tide.
func TestMovingWater(t *testing.T) {
	course := func(high float64) Series {
		s, w := steady(0), wave{0, 2, 12, high}
		for i := range s.Values {
			s.Values[i] = w.at(float64(i-96) / 4)
		}
		return s
	}
	// Means of |cos| over 4 h around its greatest, and around a zero.
	for _, c := range []struct{ high, want float64 }{{2, 0.827}, {5, 0.477}, {-1, 0.477}} {
		f := quiet()
		f.Current.Velocities = course(c.high)
		if got := partOf(t, Fishing, f, "moving_water"); math.Abs(*got.Score-c.want) > 0.03 {
			t.Errorf("greatest current %v h after noon: %s, want %v", c.high, encode(got), c.want)
		}
		f.Current = Current{Fact: Fact{Source: f.Current.Source, Waived: "none is near"}}
		f.Tide.Heights = course(c.high + 3) // it rises fastest a quarter period before its high
		if got := partOf(t, Fishing, f, "level_change"); math.Abs(*got.Score-c.want) > 0.03 {
			t.Errorf("greatest rate %v h after noon: %s, want %v", c.high, encode(got), c.want)
		}
	}
}

// rests lists the facts that each part uses.
var rests = map[string][]string{
	"moving_water": {CurrentPrediction},
	"twilight":     {Daylight},
	"calm_wind":    {WindForecast, MarineText},
	"seas":         {WindForecast},
	"current":      {CurrentPrediction},
	"daylight":     {Daylight},
	"lowness":      {TidePrediction},
	"time_to_low":  {TidePrediction},
	"sun":          {Daylight},
	"turn":         {TidePrediction},
	"flood_margin": {FloodThresholds, TidePrediction},
}

// TestMissingParts checks that a part whose fact is missing or stale scores 0 and keeps its
// weight.
func TestMissingParts(t *testing.T) {
	for _, a := range Activities() {
		for _, p := range Weigh(asked(a), quiet()).Parts {
			for _, id := range rests[p.Name] {
				lost := without(*quiet(), id)
				lost.Text.Periods = nil // the text does not give seas either
				stale := withAge(*quiet(), id, "stale")
				for about, f := range map[string]*Facts{"missing": lost, "stale": stale} {
					if got := partOf(t, a, f, p.Name); !got.Applies || *got.Score != 0 || got.Weight != p.Weight {
						t.Errorf("%s, %s with %s %s: %s, want 0", a, p.Name, id, about, encode(got))
					}
				}
			}
		}
	}
}

// TestOtherDatum checks that a level above another datum is not compared with MLLW.
func TestOtherDatum(t *testing.T) {
	f := quiet()
	f.Tide.Datum = "STND"
	f.Tide.Heights.atNoon(-1)
	if got := partOf(t, Beachcombing, f, "lowness"); *got.Score != 0 {
		t.Errorf("-1 ft above STND: %s, want 0", encode(got))
	}
	if got := reasonsOf(Decide(asked(Boating), f)); len(got) > 0 {
		t.Errorf("-1 ft above STND: %q, want no reason", got)
	}
}

// TestInapplicableParts checks that parts that do not apply are left out of the sum and of
// the weights.
func TestInapplicableParts(t *testing.T) {
	f := quiet()
	f.Current = Current{Fact: Fact{Source: f.Current.Source, Waived: "none is near"}}
	f.Grid.Waves, f.Text.Periods[0].Seas = false, nil
	blow(f, 10)
	got := Weigh(asked(Boating), f)
	for _, p := range got.Parts {
		if want := p.Name != "seas" && p.Name != "current"; p.Applies != want ||
			(p.Score != nil) != want {
			t.Errorf("part %s, want applies %v", encode(p), want)
		}
	}
	if want := 66.7; got.Score != want { // (40 x 0.5 + 20 x 1) / 60
		t.Errorf("score %v, want %v", got.Score, want)
	}
}

// TestTotal adds up a whole score: 40 x 0.75 + 25 x 0.5 + 15 x 0.5 + 20 x 1.
func TestTotal(t *testing.T) {
	f := quiet()
	blow(f, 5)
	heave(f, 2.5)
	flowing(f, 2)
	if got, want := Weigh(asked(Boating), f).Score, 70.0; got != want {
		t.Errorf("score %v, want %v", got, want)
	}
}

// TestSeasOfTheText checks that the worse of grid and text determines the score of the
// seas.
func TestSeasOfTheText(t *testing.T) {
	f := quiet()
	f.Text.Periods[0].Seas = pointer(4)
	if got := partOf(t, Boating, f, "seas"); *got.Score != 0.2 {
		t.Errorf("seas of 4 ft in the text, 1 ft in the grid: %s, want 0.2", encode(got))
	}
}
