package tide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"leadline/internal/sky"
	"leadline/internal/tide"
	"leadline/internal/trials"
)

// someYear returns the extremes of a calendar year at a random station.
func someYear(random *rand.Rand, all []tide.Tides) []tide.Extreme {
	from := time.Date(2020+random.IntN(20), 1, 1, random.IntN(12), 0, 0, 0, time.UTC)
	return all[random.IntN(len(all))].Extremes(from, from.AddDate(1, 0, 0))
}

// TestRanked checks that the ranks are the high or low waters, each once, in their order.
func TestRanked(t *testing.T) {
	all := allTides(t)
	random := rand.New(rand.NewPCG(41, 1))
	for range trials.Cases() / 20 {
		year := someYear(random, all)
		for _, high := range []bool{true, false} {
			got := tide.Lowest(year)
			if high {
				got = tide.Highest(year)
			}
			want := slices.DeleteFunc(slices.Clone(year), func(e tide.Extreme) bool {
				return e.High != high
			})
			inTime := slices.Clone(got)
			slices.SortFunc(inTime, func(a, b tide.Extreme) int { return a.Time.Compare(b.Time) })
			if len(inTime) != len(want) || len(want) < 300 {
				t.Fatalf("%d of %d events, high %v", len(inTime), len(want), high)
			}
			for i, e := range inTime {
				if !e.Time.Equal(want[i].Time) {
					t.Errorf("%v is ranked, want %v", e, want[i])
				}
			}
			for i := 1; i < len(got); i++ {
				if a, b := got[i-1], got[i]; a.Height == b.Height && b.Time.Before(a.Time) ||
					a.Height != b.Height && (a.Height > b.Height) != high {
					t.Errorf("%v before %v", a, b)
				}
			}
		}
	}
}

// TestKingTides checks the definition at random stations: the groups are disjoint, more
// than 5 days apart, and contain exactly the high waters that at most 2 % of the year's
// others exceed.
func TestKingTides(t *testing.T) {
	all := allTides(t)
	random := rand.New(rand.NewPCG(42, 1))
	for range trials.Cases() / 20 {
		year := someYear(random, all)
		kings := tide.KingTides(year)
		var in []time.Time
		ranks := map[int]bool{}
		least := math.Inf(1)
		for i, k := range kings {
			ranks[k.Rank] = true
			for j, e := range k.Highs {
				in = append(in, e.Time)
				least = min(least, e.Height)
				if e.Height > k.Highest.Height || j > 0 && e.Time.Sub(k.Highs[j-1].Time) > 120*time.Hour {
					t.Errorf("%v in %v", e, k)
				}
			}
			if i > 0 {
				before := kings[i-1].Highs
				if k.Highs[0].Time.Sub(before[len(before)-1].Time) <= 120*time.Hour {
					t.Errorf("%v after %v", k, kings[i-1])
				}
			}
			for _, o := range kings {
				if o.Rank < k.Rank && o.Highest.Height < k.Highest.Height {
					t.Errorf("rank %d of %v, %d of %v", k.Rank, k.Highest, o.Rank, o.Highest)
				}
			}
		}
		highs := 0
		var want []time.Time
		for _, e := range year {
			if e.High {
				highs++
			}
			if e.High && e.Height >= least {
				want = append(want, e.Time)
			}
		}
		share := float64(len(in)) / float64(highs)
		if !slices.EqualFunc(in, want, time.Time.Equal) || share < 0.02 || share > 0.03 {
			t.Errorf("king tides %v, want %v, of %d highs", in, want, highs)
		}
		for n := range kings {
			if !ranks[n+1] {
				t.Errorf("no king tide has rank %d: %v", n+1, kings)
			}
		}
		got := tide.Percentile(year, least)
		if want := 100 * (1 - share); math.Abs(got-want) > 1e-9 {
			t.Errorf("percentile of the least king tide = %v, want %v", got, want)
		}
	}
	if got := tide.KingTides(nil); got == nil || len(got) > 0 {
		t.Errorf("king tides of no events: %v, want an empty list", got)
	}
	if got := tide.Percentile(nil, 1); got != 0 {
		t.Errorf("percentile of no events = %v, want 0", got)
	}
}

// moonPhases returns the principal phases of some years from 2025 on.
func moonPhases(years int) (phases []tide.MoonPhase) {
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for end := at.AddDate(years, 0, 0); at.Before(end); at = phases[len(phases)-1].Time {
		for _, e := range sky.NextPhases(at) {
			spring := e.Name == "new_moon" || e.Name == "full_moon"
			phases = append(phases, tide.MoonPhase{Time: e.Time, Spring: spring})
		}
	}
	return phases
}

// TestSpringTides checks that each phase has one tide, and that no range of 25 hours within
// the days around a spring is greater, or around a neap less.
func TestSpringTides(t *testing.T) {
	phases := moonPhases(1)
	from, to := phases[0].Time.AddDate(0, 0, -3), phases[len(phases)-1].Time.AddDate(0, 0, 5)
	for _, station := range []string{"8443970", "9447130", "8658163", "1612340", "9455920"} {
		events := predictor(t, station, "MLLW").Extremes(from, to)
		tides := tide.SpringTides(events, phases)
		if len(tides) != len(phases) {
			t.Fatalf("%s: %d spring and neap tides, want %d", station, len(tides), len(phases))
		}
		for i, s := range tides {
			if s.Moon != phases[i] {
				t.Errorf("%s: %v, want the phase %v", station, s, phases[i])
			}
			for hour := -72; hour <= 120-25; hour++ {
				first := s.Moon.Time.Add(time.Duration(hour) * time.Hour)
				r := rangeOf(events, first, first.Add(25*time.Hour-1))
				if s.Moon.Spring && r > s.Range() || !s.Moon.Spring && r < s.Range() {
					t.Errorf("%s: %v, range %v, but %v from %v", station, s, s.Range(), r, first)
				}
			}
		}
	}
	if got := tide.SpringTides(nil, phases); got == nil || len(got) > 0 {
		t.Errorf("spring tides of no events: %v, want an empty list", got)
	}
}

// rangeOf returns the difference of the highest high and the lowest low water of a span,
// NaN if one kind is missing.
func rangeOf(events []tide.Extreme, from, to time.Time) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range events {
		switch {
		case e.Time.Before(from) || e.Time.After(to):
		case e.High:
			high = max(high, e.Height)
		default:
			low = min(low, e.Height)
		}
	}
	if high < low {
		return math.NaN()
	}
	return high - low
}

// TestSpringLags compares the median lag of the springs of five years with measurements by
// another method: ranges of 25 hours about every sixth hour.
func TestSpringLags(t *testing.T) {
	phases := moonPhases(5)
	from, to := phases[0].Time.AddDate(0, 0, -3), phases[len(phases)-1].Time.AddDate(0, 0, 5)
	for station, want := range map[string]float64{ // days
		"8443970": 1, "9447130": 1.5, "9455920": 1.5, "1612340": -0.5,
	} {
		var lags []float64
		for _, s := range tide.SpringTides(predictor(t, station, "MLLW").Extremes(from, to), phases) {
			if s.Moon.Spring {
				lags = append(lags, s.Lag().Hours()/24)
			}
		}
		slices.Sort(lags)
		if got := lags[len(lags)/2]; math.Abs(got-want) > 0.6 {
			t.Errorf("%s: median lag %v days, want %v", station, got, want)
		}
	}
}
