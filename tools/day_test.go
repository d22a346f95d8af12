package tools

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/currents"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/planning"
	"leadline/internal/stations"
	"leadline/internal/tides"
)

// TestDayParts checks on 50 stations and days that each part equals the result of its own
// operation.
func TestDayParts(t *testing.T) {
	s, ctx := newSet(t), caller(t)
	random := rand.New(rand.NewPCG(81, 1))
	all := slices.DeleteFunc(s.Stations.All(stations.Tide), func(st stations.Station) bool {
		return facts.Predicts(st) != "tides"
	})
	for range 50 {
		st := all[random.IntN(len(all))]
		date := time.Date(2026, 11, 21+random.IntN(300), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		at := place.StationOrPlace{Station: st.ID}
		out, err := s.Days.Day(ctx, planning.DayInput{StationOrPlace: at, Date: date,
			InUnits: operation.InUnits{Units: "english"}})
		if err != nil {
			t.Fatalf("%s: %v", st.ID, err)
		}
		tides, err := s.Tides.TidePredictions(ctx, tides.TidePredictionsInput{
			StationOrPlace: at, Interval: "hilo", Span: operation.Span{Date: date},
			InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil || !reflect.DeepEqual(out.Tides.Events, tides.Extremes) {
			t.Errorf("%s on %s: tides %v, want %v, %v", st.ID, date, out.Tides, tides.Extremes, err)
		}
		sun, err := s.Sky.SunTimes(ctx, almanac.SunTimesInput{
			AtNamedPlace: place.AtNamedPlace{AtPlace: operation.AtPlace{Station: st.ID}}, Date: date,
			Days: 1,
		})
		if err != nil || !reflect.DeepEqual(out.Light.Sunrise, sun.Days[0].Sunrise) ||
			!reflect.DeepEqual(out.Light.GoldenEvening, sun.Days[0].GoldenHourEvening) {
			t.Errorf("%s on %s: light %+v, want %+v, %v", st.ID, date, out.Light, sun.Days, err)
		}
		moon, err := s.Sky.MoonPhase(ctx, almanac.MoonPhaseInput{
			AtNamedPlace: place.AtNamedPlace{AtPlace: operation.AtPlace{Station: st.ID}}, Date: date,
		})
		if err != nil || out.Moon.Phase != moon.Days[0].Phase ||
			!reflect.DeepEqual(out.Moon.Rise, moon.Days[0].Moonrise) {
			t.Errorf("%s on %s: moon %+v, want %+v, %v", st.ID, date, out.Moon, moon.Days, err)
		}
		if out.Currents == nil {
			continue
		}
		currents, err := s.Currents.CurrentPredictions(ctx, currents.CurrentPredictionsInput{
			StationOrPlace: place.StationOrPlace{Station: out.Currents.Station.ID}, Interval: "max_slack",
			VelType: "default", Span: operation.Span{Date: date},
			InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil || len(currents.Events) != len(out.Currents.Events) {
			t.Fatalf("%s on %s: %d events, %v", st.ID, date, len(out.Currents.Events), err)
		}
		for i, e := range currents.Events {
			got := out.Currents.Events[i]
			if !got.Time.Equal(e.Time) || string(got.Type) != e.Type ||
				!reflect.DeepEqual(got.Speed, e.Speed) {
				t.Errorf("%s on %s: %+v, want %+v", st.ID, date, got, e)
			}
		}
	}
}

// TestDayIsShort checks that the fullest day of the simulator has at most 1,600 tokens of four
// characters, and that every part is there.
func TestDayIsShort(t *testing.T) {
	r, err := call(t, simulated(t, nil).Set, "leadline_get_day", `{"station":"8443970",`+
		`"activity":"fishing","include":["tides","light","currents","wind","alerts","water_level",`+
		`"temperature","decision"]}`)
	if err != nil {
		t.Fatal(err)
	}
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tokens", len(body)/4)
	if len(body)/4 > 1600 {
		t.Errorf("the day has %d tokens, want at most 1600:\n%s", len(body)/4, body)
	}
	d := r.Value.(planning.Day)
	if d.Tides == nil || d.Light == nil || d.Moon == nil || d.Currents == nil || d.Wind == nil ||
		d.AlertsAsOf == nil || d.Decision == nil || d.Temperature == nil || len(d.Missing) > 0 {
		t.Errorf("the day lacks a part: %s", body)
	}
}

// TestDayWithoutProviders checks that parts that are not available are missing, and that the
// summary does not read as calm.
func TestDayWithoutProviders(t *testing.T) {
	for date, inputs := range map[string][]string{
		"":           {"wind", "alerts"},
		"2026-12-24": {"wind", "alerts"},
		"2026-11-01": {"wind", "alerts"},
	} {
		out, err := newSet(t).Days.Day(caller(t), planning.DayInput{
			StationOrPlace: place.StationOrPlace{Station: "8443970"}, Date: date,
			InUnits: operation.InUnits{Units: "english"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var missing []string
		for _, m := range out.Missing {
			missing = append(missing, m.Input)
		}
		if !reflect.DeepEqual(missing, inputs) || out.Wind != nil || out.AlertsAsOf != nil {
			t.Errorf("%q: missing %v, want %v; wind %+v", date, missing, inputs, out.Wind)
		}
		if want := "Wind not known; alerts not known."; !strings.HasSuffix(out.Summary, want) {
			t.Errorf("%q: summary %q, want it to end with %q", date, out.Summary, want)
		}
	}
}

// TestPolarDays checks what a day says about a sun that does not rise, or does not set. At Barrow,
// 71.3 degrees north, the sun does not rise from late November to January, and does not set from
// May to early August.
func TestPolarDays(t *testing.T) {
	s := newSet(t)
	for date, want := range map[string][]string{
		"2026-12-21": {"The sun does not rise; waxing gibbous.",
			"Light: sun does not rise, first 11:58, last 14:52. Moon 93 %, no rise, no set."},
		"2027-06-21": {"The sun does not set; waning gibbous.",
			"Light: sun does not set. Moon 93 %, no rise, no set."},
		"2027-03-21": {"Sun 08:19 to 20:50, ", "Light: first 0", ", sunrise 08:19",
			", sunset 2", ", last 2"},
	} {
		text := textOf(t, s, "leadline_get_day", `{"station":"9494935","date":"`+date+`"}`)
		for _, want := range want {
			if !strings.Contains(text, want) || strings.Contains(text, "none") {
				t.Errorf("%s lacks %q:\n%s", date, want, text)
			}
		}
	}
}

// TestDayOfAnotherChannel checks that the warning of a distant current is the first note, and
// stands before the current in the text. The distances are from NOAA's list.
func TestDayOfAnotherChannel(t *testing.T) {
	s := newSet(t)
	for place, want := range map[string]string{
		"Honolulu, HI": "Currents: 9 km away: another channel.",
		"Montauk, NY":  "Currents: 6 km away: another channel.",
	} {
		args := fmt.Sprintf(`{"place":%q,"include":"currents"}`, place)
		if first := follow(get(t, s, "leadline_get_day", args), "notes.0"); first != want {
			t.Errorf("%s: the first note is %v, want %q", place, first, want)
		}
		if text := textOf(t, s, "leadline_get_day", args); !strings.Contains(text,
			"\nCurrents of another channel, in kn at ") {
			t.Errorf("%s: %s, want the warning before the current", place, text)
		}
	}
	near := get(t, s, "leadline_get_day", `{"place":"Boston","include":"currents"}`)
	if notes := fmt.Sprint(near["notes"]); strings.Contains(notes, "another channel") {
		t.Errorf("Boston has the notes %s", notes)
	}
}
