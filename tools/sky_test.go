package tools

import (
	"fmt"
	"math"
	"strings"
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

// TestNextEvents asks for the next event of a kind. The phases are those of the U.S. Naval
// Observatory for 2026 and 2027 (UT). The first sunrise after the polar night is that of the day
// which the days of the same place have.
func TestNextEvents(t *testing.T) {
	s := newSet(t)
	for _, c := range []struct{ tool, args, want string }{
		{"astro_get_moon_phase", `{"event":"full_moon","date":"2026-11-27","time_zone":"gmt"}`,
			"Thu 2026-12-24 01:28 UTC full moon"},
		{"astro_get_moon_phase", `{"event":"new_moon","date":"2026-12-09","time_zone":"gmt"}`,
			"Wed 2026-12-09 00:52 UTC new moon"},
		{"astro_get_moon_phase", `{"event":"first_quarter","date":"2027-01-01","time_zone":"gmt"}`,
			"Fri 2027-01-15 20:34 UTC first quarter"},
		{"astro_get_sun_times", `{"station":"8443970","event":"sunset","date":"2026-11-27"}`,
			"next sunset Fri 2026-11-27 16:14 EST"},
	} {
		if text := textOf(t, s, c.tool, c.args); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %s", c.args, text, c.want)
		}
	}
	const place = `{"latitude":71.29,"longitude":-156.79,`
	next, _ := get(t, s, "astro_get_sun_times",
		place+`"event":"sunrise","date":"2026-12-01"}`)["next"].(string)
	if next < "2027-01-15" {
		t.Fatalf("next sunrise %q, want one in January", next)
	}
	for _, date := range []string{"2026-12-20", "2027-01-10"} {
		days := list(t, get(t, s, "astro_get_sun_times", place+`"date":"`+date+`","days":20}`), "days")
		for _, day := range days {
			rise, rises := follow(day, "sunrise").(string)
			if rises && rise < next || !rises && follow(day, "date").(string) == next[:10] {
				t.Errorf("%v has sunrise %q; the next was %s", follow(day, "date"), rise, next)
			}
		}
	}
	_, err := call(t, s, "astro_get_sun_times",
		`{"latitude":60,"longitude":10,"event":"sunset","days":3}`)
	if err == nil || !strings.Contains(err.Error(), "Leave out days") {
		t.Errorf("event with days: %v", err)
	}
}

// TestTideRanges compares the ranges in the text of a day with its high and low waters, as parts of
// the mean range that NOAA publishes for Boston: 9.49 ft (datums of 8443970, epoch 1983-2001).
func TestTideRanges(t *testing.T) {
	s := newSet(t)
	const args = `{"station":"8443970","begin_date":"2026-11-20","end_date":"2026-11-21"}`
	rows := list(t, get(t, s, "noaa_get_tide_predictions", args), "extremes")
	var greatest float64
	for i := 1; i < len(rows); i++ {
		at, _ := follow(rows[i], "time").(string)
		change := follow(rows[i], "height").(float64) - follow(rows[i-1], "height").(float64)
		if strings.HasPrefix(at, "2026-11-21") {
			greatest = max(greatest, math.Abs(change))
		}
	}
	want := fmt.Sprintf("Sat 21 %.2f (%.0f %%)", greatest, 100*greatest/9.49)
	if text := textOf(t, s, "noaa_get_tide_predictions", args); !strings.Contains(text, want) {
		t.Errorf("%s\nlacks %s", text, want)
	}
	for _, without := range []string{
		`{"station":"8443970","range":500}`, `{"station":"8443970","type":"high"}`,
		`{"station":"8443970","interval":"h"}`,
	} {
		text := textOf(t, s, "noaa_get_tide_predictions", without)
		if strings.Contains(text, "Predicted range") {
			t.Errorf("%s has ranges: %s", without, text)
		}
	}
}
