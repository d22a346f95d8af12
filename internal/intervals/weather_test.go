package intervals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// now is within an hour of the forecasts of these tests.
var now = time.Date(2026, 11, 20, 17, 20, 0, 0, time.UTC)

// suited returns the parts of windows that suit, in the forecasts of f, and what the result says.
func suited(w InWeather, f *decide.Facts, found []Interval) ([]Interval, string, coast.Provenance) {
	var p coast.Provenance
	w.SetForecasts(func(
		_ context.Context, fs facts.Set, _ stations.Station, _ *sky.Place, b decide.Bounds,
	) decide.BoundedHours {
		return decide.EvaluateBounds(b, fs.Minute(), f)
	})
	fs := facts.Set{Sources: facts.Sources{Clock: facts.Clock{Now: now}}}
	list, why := w.Suited(context.Background(), fs, stations.Station{}, nil, coast.English, found,
		time.UTC, &p)
	return list, why, p
}

// sample is a random forecast with windows.
type sample struct {
	*rand.Rand
	bounds InWeather
	facts  *decide.Facts
	found  []Interval
}

func newSample(n int) *sample {
	s := &sample{Rand: rand.New(rand.NewPCG(20261120, uint64(n)))}
	s.bounds = InWeather{MaxWind: s.limit(20), MaxGust: s.limit(30), MaxSeas: s.limit(6),
		Dry: s.IntN(2) == 0}
	if !s.bounds.Bounded() {
		s.bounds.Dry = true
	}
	s.facts = s.forecast()
	for at := now.Add(-time.Duration(s.IntN(20)) * time.Hour); len(s.found) < 30; {
		from := at.Add(time.Duration(s.IntN(600)) * time.Minute)
		to := from.Add(time.Duration(1+s.IntN(600)) * time.Minute)
		s.found = append(s.found, Interval{from, to, BecauseLevel, BecauseLevel})
		at = to
	}
	return s
}

func (s *sample) limit(most float64) *float64 {
	if s.IntN(2) == 0 {
		return nil
	}
	limit := s.Float64() * most
	return &limit
}

func (s *sample) value(most float64) *float64 {
	if s.IntN(25) == 0 {
		return nil
	}
	return s.number(most)
}

func (s *sample) number(most float64) *float64 {
	v := s.Float64() * most
	return &v
}

// forecast returns facts with holes.
func (s *sample) forecast() *decide.Facts {
	f := &decide.Facts{Zone: time.UTC, Grid: decide.Grid{Waves: s.IntN(3) > 0}}
	f.Grid.Source = coast.Source{ID: decide.WindForecast, Kind: coast.Forecast,
		Freshness: coast.Fresh}
	f.Text.Source = f.Grid.Source
	f.Text.Source.ID = decide.MarineText
	start := now.Truncate(time.Hour)
	for i := range 24 + s.IntN(150) {
		at := start.Add(time.Duration(i-5) * time.Hour)
		if s.IntN(40) == 0 {
			continue
		}
		wet := 0.0
		if s.IntN(5) == 0 {
			wet = 20
		}
		h := decide.Hour{From: at, To: at.Add(time.Hour), Wind: s.value(15), Gust: s.value(20), Wet: &wet}
		if f.Grid.Waves {
			h.Height = s.value(5)
		}
		f.Grid.Hours = append(f.Grid.Hours, h)
	}
	if s.IntN(5) == 0 {
		f.Text.Waived = "no zone is near"
		return f
	}
	for i := range 3 + s.IntN(10) {
		at := start.Add(time.Duration(i-1) * 12 * time.Hour)
		p := decide.Period{From: at, To: at.Add(12 * time.Hour), Wind: s.number(15),
			Seas: s.number(5), Unmeasured: s.IntN(12) == 0}
		if s.IntN(2) == 0 {
			p.Gust = s.number(20)
		}
		if s.IntN(12) > 0 {
			f.Text.Periods = append(f.Text.Periods, p)
		}
	}
	return f
}

// missing reports whether a bounded value of an instant is not known.
func (s *sample) missing(at time.Time) bool {
	var hour *decide.Hour
	for i, h := range s.facts.Grid.Hours {
		if !at.Before(h.From) && at.Before(h.To) {
			hour = &s.facts.Grid.Hours[i]
		}
	}
	var period *decide.Period
	for i, p := range s.facts.Text.Periods {
		if !at.Before(p.From) && at.Before(p.To) {
			period = &s.facts.Text.Periods[i]
		}
	}
	b := s.bounds
	return at.Before(now) || hour == nil || s.facts.Text.Waived == "" && period == nil ||
		period != nil && period.Unmeasured || b.MaxWind != nil && hour.Wind == nil ||
		b.MaxGust != nil && hour.Gust == nil || b.Dry && hour.Wet == nil ||
		b.MaxSeas != nil && hour.Height == nil &&
			(s.facts.Grid.Waves || period == nil || period.Seas == nil)
}

// reduce returns the facts without one of them.
func (s *sample) reduce() (what string, less *decide.Facts) {
	f := *s.facts
	f.Grid.Hours, f.Text.Periods = slices.Clone(f.Grid.Hours), slices.Clone(f.Text.Periods)
	i, p := s.IntN(len(f.Grid.Hours)), s.IntN(max(1, len(f.Text.Periods)))
	h := &f.Grid.Hours[i]
	values := []**float64{&h.Wind, &h.Gust, &h.Wet, &h.Height}
	switch n := s.IntN(10); {
	case n < len(values):
		*values[n] = nil
	case n == 4:
		f.Grid.Hours = slices.Delete(f.Grid.Hours, i, i+1)
	case n == 5:
		f.Grid.Hours = f.Grid.Hours[:i]
	case n == 6:
		f.Grid.Absent = "NWS did not answer"
	case f.Text.Waived != "":
		f.Grid.Source.Freshness = coast.Stale
	case n == 7:
		f.Text.Absent = "NWS did not answer"
	case len(f.Text.Periods) == 0:
	case n == 8:
		f.Text.Periods = slices.Delete(f.Text.Periods, p, p+1)
	default:
		f.Text.Periods[p].Unmeasured = true
	}
	return fmt.Sprintf("hour %d, period %d", i, p), &f
}

// inside reports whether each interval lies in one of others.
func inside(list, others []Interval) bool {
	return !slices.ContainsFunc(list, func(i Interval) bool {
		return !slices.ContainsFunc(others, func(o Interval) bool {
			return !i.From.Before(o.From) && !i.To.After(o.To)
		})
	})
}

// TestSuitedLaws checks that no window has an instant whose weather is not known, that windows lie
// in those without bounds, and that a fact less neither adds a window nor lengthens one.
func TestSuitedLaws(t *testing.T) {
	windows := 0
	for n := range trials.Cases() {
		s := newSample(n)
		list, why, _ := suited(s.bounds, s.facts, s.found)
		windows += len(list)
		if !inside(list, s.found) || len(list) > 0 && why != "" {
			t.Fatalf("case %d: %v of %v, %q", n, list, s.found, why)
		}
		for _, i := range list {
			for at := i.From; at.Before(i.To); at = at.Add(time.Minute) {
				if s.missing(at) {
					t.Fatalf("case %d: the weather of %v is not known, window %v", n, at, i)
				}
			}
		}
		for range 10 {
			what, less := s.reduce()
			if fewer, _, _ := suited(s.bounds, less, s.found); !inside(fewer, list) {
				t.Fatalf("case %d, without %s: %v, before %v", n, what, fewer, list)
			}
		}
	}
	if windows < trials.Cases() {
		t.Errorf("%d windows in all cases", windows)
	}
}

// at returns an instant of the day of now, or of a day after it.
func at(day, hour, minute int) time.Time {
	return time.Date(2026, 11, 20+day, hour, minute, 0, 0, time.UTC)
}

// TestSuited has windows and notes worked by hand, from a grid of 10 kn from 17:00 to 03:00 but 18
// kn from 19:00 to 21:00 and none at 23:00, where no text is written.
func TestSuited(t *testing.T) {
	f := &decide.Facts{Zone: time.UTC}
	f.Grid.Source = coast.Source{Kind: coast.Forecast, Freshness: coast.Fresh}
	f.Text.Waived = "no zone is near"
	for i := range 10 {
		wind := map[int]float64{2: 18, 3: 18}[i]
		h := decide.Hour{From: at(0, 17+i, 0), To: at(0, 18+i, 0), Wind: &wind}
		if i == 6 {
			h.Wind = nil
		}
		f.Grid.Hours = append(f.Grid.Hours, h)
	}
	down := &decide.Facts{Zone: time.UTC, Text: f.Text}
	down.Grid.Absent = "NWS returned 503"
	bounds := InWeather{MaxWind: new(15.0)}
	const yet = "Weather not known yet after Sat 21 Nov 03:00: 1 window left out or cut."
	const cut = "Cut by the forecast: wind over 15 kn in 2 h (Fri 20 Nov 19:00 to 21:00)"
	const hole = "not known in 1 h (Fri 20 Nov 23:00 to 00:00 Sat 21 Nov)."
	for _, c := range []struct {
		name     string
		facts    *decide.Facts
		from, to time.Time
		want     string // windows
		why      string
		notes    []string
	}{
		{"within", f, at(0, 17, 20), at(0, 18, 45), "20 17:20-18:45", "", nil},
		{"cut once", f, at(0, 18, 10), at(0, 20, 30), "20 18:10-19:00 weather", "", []string{cut + "."}},
		{"cut twice", f, at(0, 18, 10), at(0, 23, 30),
			"20 18:10-19:00 weather; weather 20 21:00-23:00 weather", "", []string{cut + "; " + hole}},
		{"all too windy", f, at(0, 19, 0), at(0, 21, 0), "", "", []string{cut + "."}},
		{"past", f, at(0, 16, 0), at(0, 18, 0), "weather 20 17:20-18:00", "",
			[]string{"No forecast of the past: 1 window left out or cut."}},
		{"at the end of the forecast", f, at(1, 1, 0), at(1, 5, 0), "21 01:00-03:00 weather", "",
			[]string{yet}},
		{"beyond the forecast", f, at(5, 1, 0), at(5, 5, 0), "",
			"No windows yet: the weather of 1 window is not known yet.", []string{yet}},
		{"down", down, at(0, 18, 0), at(0, 19, 0), "",
			"Cannot tell: the weather of 1 window is not known.", nil},
	} {
		list, why, p := suited(bounds, c.facts,
			[]Interval{{c.from, c.to, BecauseLevel, BecauseLevel}})
		var got []string
		for _, i := range list {
			text := i.From.Format("2 15:04-") + i.To.Format("15:04")
			got = append(got, strings.Trim(strings.ReplaceAll(i.Begins+" "+text+" "+i.Closes, BecauseLevel,
				""), " "))
		}
		if strings.Join(got, "; ") != c.want || why != c.why || !slices.Equal(p.Notes, c.notes) ||
			(len(p.Missing) > 0) != (c.facts == down) {
			t.Errorf("%s: %q, %q, notes %q, missing %v", c.name, got, why, p.Notes, p.Missing)
		}
	}
}

// TestBoundsInUnits checks that 8 m/s is a bound that a forecast of 8 m/s keeps, which is 15.6 kn
// in its grid, and the words of bounds.
func TestBoundsInUnits(t *testing.T) {
	w := InWeather{MaxWind: new(8.0), MaxGust: new(12.5), MaxSeas: new(1.0), Dry: true}
	metric, nautical := w.bounds(coast.Metric), w.bounds(coast.Nautical)
	if *metric.Wind != 15.6 || *metric.Gust != 24.3 || *metric.Seas != 3.3 || !metric.Dry ||
		*nautical.Wind != 8 || *nautical.Seas != 3.3 || *w.bounds(coast.English).Seas != 1 {
		t.Errorf("metric %v, nautical %v", metric, nautical)
	}
	for units, want := range map[coast.Units]string{
		coast.English:  "wind up to 8 kn, gusts up to 12.5 kn, seas up to 1 ft, no rain or snow",
		coast.Nautical: "wind up to 8 kn, gusts up to 12.5 kn, seas up to 1 m, no rain or snow",
		coast.Metric:   "wind up to 8 m/s, gusts up to 12.5 m/s, seas up to 1 m, no rain or snow",
	} {
		if got := w.Words(units); got != want {
			t.Errorf("%s: %q, want %q", units, got, want)
		}
	}
	if got := (InWeather{}).Words(coast.English); got != "" {
		t.Errorf("without bounds: %q", got)
	}
}
