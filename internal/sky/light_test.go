package sky

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"leadline/internal/trials"
)

var lights = []Light{Daylight, Civil, Dark, Moonlit}

// somewhen returns a random place, and a span of up to 20 days within two centuries.
func somewhen(random *rand.Rand) (p Place, from, to time.Time) {
	p = Place{somewhere(random, 90), somewhere(random, 180)}
	from = time.Unix(random.Int64N(200*365*86400)-70*365*86400, random.Int64N(1e9)).UTC()
	return p, from, from.Add(time.Duration(random.Int64N(20 * 86400e9)))
}

// TestWhenHolds checks random instants against the positions, which use the series and not
// the fits, except close to the thresholds.
func TestWhenHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 1))
	checked := map[Light]int{}
	for range trials.Cases() {
		p, from, to := somewhen(random)
		for _, light := range lights {
			list := When(p, from, to, light)
			for range 3 {
				at := from.Add(time.Duration(random.Float64() * float64(to.Sub(from))))
				want, sure := lit(p, at, light)
				if got := in(list, at); sure && got != want {
					t.Errorf("%s at %v, %v: %v, want %v", light, p, at, got, want)
				}
				if sure && want {
					checked[light]++
				}
			}
		}
	}
	for _, light := range lights {
		if want := trials.Cases() / 2; checked[light] < want {
			t.Errorf("%s was true %d times, want at least %d", light, checked[light], want)
		}
	}
}

// lit reports the light by the positions; sure is false close to a threshold.
func lit(p Place, at time.Time, light Light) (is, sure bool) {
	sun, moon := SunPosition(p, at), MoonPosition(p, at)
	above := func(altitude, h float64) bool {
		sure = sure && (altitude < h-1e-3 || altitude > h+1e-3)
		return altitude > h
	}
	sure = true
	switch light {
	case Daylight:
		is = above(limb(sun, sunRadius), -34.0/60)
	case Civil:
		is = above(sun.Altitude, -6)
	case Dark:
		is = !above(sun.Altitude, -12)
	case Moonlit:
		night, up := !above(sun.Altitude, -6), above(limb(moon, moonRadius), -34.0/60)
		is = above(Moon(at).Illumination, 0.5) && night && up
	}
	return is, sure
}

func in(list []Interval, at time.Time) bool {
	return slices.ContainsFunc(list, func(i Interval) bool {
		return !at.Before(i.From) && at.Before(i.To)
	})
}

// TestWhenEnds checks that intervals are in order, inside the span and not empty, and that
// daylight and civil light begin and end with the events of Sun.
func TestWhenEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 1))
	for range trials.Cases() {
		p, from, to := somewhen(random)
		day := Sun(p, from, to)
		for _, light := range lights {
			what := fmt.Sprintf("%s at %v from %v to %v", light, p, from, to)
			var rises, sets []time.Time
			end := from
			for n, i := range When(p, from, to, light) {
				if i.From.Before(end) || n > 0 && !i.From.After(end) || !i.To.After(i.From) || i.To.After(to) {
					t.Errorf("%s: %v after %v", what, i, end)
				}
				end = i.To
				if !i.From.Equal(from) {
					rises = append(rises, i.From)
				}
				if !i.To.Equal(to) {
					sets = append(sets, i.To)
				}
			}
			want := map[Light]Crossing{
				Daylight: day.Sun, Civil: day.Civil,
				Dark: {Rise: day.Nautical.Set, Set: day.Nautical.Rise},
			}[light]
			if light != Moonlit && !(slices.Equal(rises, want.Rise) && slices.Equal(sets, want.Set)) {
				t.Errorf("%s: begins at %v, ends at %v, want %v and %v", what, rises, sets, want.Rise, want.Set)
			}
			if light == Daylight {
				sum := time.Duration(0)
				for _, i := range When(p, from, to, light) {
					sum += i.To.Sub(i.From)
				}
				if sum != day.DayLength {
					t.Errorf("%s: %v in all, want %v", what, sum, day.DayLength)
				}
			}
		}
	}
}

// TestWhenIsLocal checks that the intervals of a part of a span are the intervals of
// the whole, clipped to that part.
func TestWhenIsLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 1))
	for range trials.Cases() {
		p, from, to := somewhen(random)
		a := from.Add(time.Duration(random.Float64() * float64(to.Sub(from))))
		b := a.Add(time.Duration(random.Float64() * float64(to.Sub(a))))
		for _, light := range lights {
			want := common(When(p, from, to, light), span(a, b))
			if got := When(p, a, b, light); !slices.Equal(got, want) {
				t.Errorf("%s at %v from %v to %v: %v, want %v", light, p, a, b, got, want)
			}
		}
	}
}

// TestWhenEmpty checks that an empty span has no light.
func TestWhenEmpty(t *testing.T) {
	noon := time.Date(2026, 6, 21, 17, 0, 0, 0, time.UTC)
	for _, to := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(-9000 * time.Hour)} {
		for _, light := range lights {
			if got := When(Place{40.7, -74}, noon, to, light); got == nil || len(got) > 0 {
				t.Errorf("%s until %v: %v, want an empty list", light, to, got)
			}
		}
	}
}

// TestHalfLit checks the ends of a lunation's bright half against the illumination.
func TestHalfLit(t *testing.T) {
	from := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	list := halfLit(span(from, from.AddDate(200, 0, 0)))
	if len(list) < 200*12 || len(list) > 200*12.5 {
		t.Errorf("%d lunations in 200 years", len(list))
	}
	for _, i := range list[1 : len(list)-1] {
		near(t, fmt.Sprint("light at ", i.From), Moon(i.From).Illumination, 0.5, 1e-6)
		near(t, fmt.Sprint("light at ", i.To), Moon(i.To).Illumination, 0.5, 1e-6)
		middle := i.From.Add(i.To.Sub(i.From) / 2)
		near(t, fmt.Sprint("light at ", middle), Moon(middle).Illumination, 1, 0.03)
	}
}
