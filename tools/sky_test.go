package tools

import (
	"fmt"
	"testing"
)

// TestPolarNight checks that a day on which the sun does not rise has one twilight around noon and
// no golden hour.
func TestPolarNight(t *testing.T) {
	r := simulated(t, nil)
	for _, c := range []struct {
		latitude, longitude float64
		date                string
		twilight, golden    bool
	}{
		{69.65, 18.96, "2026-12-21", true, false},
		{71.29, -156.79, "2026-12-21", true, false},
		{80, 18.96, "2026-12-21", false, false},
		{61.2, -149.9, "2026-12-21", false, true},
		{71.29, -156.79, "2026-06-21", false, true},
	} {
		day := follow(get(t, r.Set, "astro_get_sun_times", fmt.Sprintf(
			`{"latitude":%v,"longitude":%v,"date":%q}`, c.latitude, c.longitude, c.date)), "days.0")
		from, to := follow(day, "twilight.from"), follow(day, "twilight.to")
		if (from != nil) != c.twilight || from != nil && (from != follow(day, "civilDawn") ||
			to != follow(day, "civilDusk")) {
			t.Errorf("%v: twilight %v to %v of %v", c, from, to, day)
		}
		golden := follow(day, "goldenHourMorning") != nil || follow(day, "goldenHourEvening") != nil
		if golden != c.golden {
			t.Errorf("%v: golden hour %v, want %v: %v", c, golden, c.golden, day)
		}
	}
}

// TestTwoMoonrises looks at days of a year far north: both moonrises of a day are listed, and a day
// without two has no list.
func TestTwoMoonrises(t *testing.T) {
	r := simulated(t, nil)
	twice := map[string]int{}
	for month := 1; month <= 12; month++ {
		out := get(t, r.Set, "astro_get_moon_phase", fmt.Sprintf(`{"latitude":66.9,"longitude":-162.6,
			"begin_date":"2026-%02d-01","end_date":"2026-%02d-28"}`, month, month))
		for _, day := range list(t, out, "days") {
			for _, field := range []string{"moonrise", "moonset"} {
				all, _ := follow(day, field+"s").([]any)
				switch len(all) {
				case 0:
				case 2:
					twice[field]++
					if all[0] != follow(day, field) {
						t.Errorf("%v: %v, want the first one as %s", follow(day, "date"), all, field)
					}
				default:
					t.Errorf("%v: %d of %s", follow(day, "date"), len(all), field)
				}
			}
		}
	}
	if twice["moonrise"] == 0 || twice["moonset"] == 0 {
		t.Errorf("days with two: %v, want some of each", twice)
	}
}
