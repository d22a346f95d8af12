package tools

import (
	"math"
	"slices"
	"testing"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// predicted returns predictions of two days at Boston from noon on.
func predicted(t *testing.T, interval string) tides.TidePredictions {
	t.Helper()
	in := tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: "8443970"}, Interval: operation.Interval(interval),
		InUnits: operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "lst_ldt"},
	}
	p, err := newSet(t).Tides.TidePredictions(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTideChart(t *testing.T) {
	curve, events := predicted(t, "6"), predicted(t, "hilo")
	c := tides.TideChart(curve, events)
	if got, want := c.Station, "Boston, MA (8443970)"; got != want {
		t.Errorf("station = %s, want %s", got, want)
	}
	if c.Unit != "ft" || c.Datum != "MLLW" || c.Epoch != "1983-2001" {
		t.Errorf("unit %s, datum %s, epoch %s", c.Unit, c.Datum, c.Epoch)
	}
	if got, want := c.Clock.Zone.String(), "America/New_York"; got != want {
		t.Errorf("zone = %s, want %s", got, want)
	}
	if got, want := len(c.Predicted.Values), 481; got != want {
		t.Errorf("%d values, want %d: 48 hours of 6 minutes", got, want)
	}
	if len(c.Events) != len(events.Extremes) || !c.Events[1].High || c.Events[0].High {
		t.Errorf("events = %+v, want those of %+v", c.Events, events.Extremes)
	}
	if c.Now == nil || !c.Now.Time.Equal(noon) || c.Now.Trend != chart.Falling {
		t.Errorf("now = %+v, want falling at %v", c.Now, noon)
	}
}

// TestMissingLevelIsNaN checks that a chart has a gap, not a value, where NOAA has no level.
func TestMissingLevelIsNaN(t *testing.T) {
	level := 3.2
	s := levels.LevelSeries{Start: noon, StepMinutes: 6, Heights: []*float64{&level, nil, &level}}
	got := s.Chart()
	if got.Values[0] != level || !math.IsNaN(got.Values[1]) || got.Values[2] != level {
		t.Errorf("values = %v, want %v, NaN, %v", got.Values, level, level)
	}
	if got.Step != 6*time.Minute {
		t.Errorf("step = %v, want 6 minutes", got.Step)
	}
}

func TestFloodLevelsOfChart(t *testing.T) {
	f := directory.StationFloodLevels{Levels: []directory.FloodLevel{
		{Authority: "NOS", Level: "minor", Height: 12.4, Datum: "MLLW", Basis: "published"},
		{Authority: "NWS", Level: "action", Height: 11.5, Datum: "MLLW", Basis: "published"},
		{Authority: "NWS", Level: "minor", Height: 12.5, Datum: "MLLW", Basis: "published"},
		{Authority: "NOS", Level: "moderate", Height: 13.3, Datum: "MLLW", Basis: "published"},
		{Authority: "NOS", Level: "major", Height: 14.8, Datum: "MLLW", Basis: "derived"},
	}}
	want := []chart.Level{
		{Name: "minor flooding", Value: 12.5, Role: chart.Minor},
		{Name: "moderate flooding", Value: 13.3, Role: chart.Moderate},
		{Name: "major flooding (derived)", Value: 14.8, Role: chart.Major},
	}
	if got := f.Chart(); !slices.Equal(got, want) {
		t.Errorf("levels = %v, want %v", got, want)
	}
}

// currentsAt returns the predicted current of two days at a station from noon on.
func currentsAt(t *testing.T, station, interval string) currents.CurrentPredictions {
	t.Helper()
	p, err := newSet(t).Currents.CurrentPredictions(t.Context(), currents.CurrentPredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: station}, Interval: interval,
		VelType: "default", InUnits: operation.InUnits{Units: "english"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCurrentChart(t *testing.T) {
	events := currentsAt(t, "ACT0091", "max_slack")
	c := currents.CurrentChart(currentsAt(t, "ACT0091", "6"), events)
	slacks := 0
	for _, turn := range c.Turns {
		if turn.Kind == chart.Slack {
			slacks++
		}
	}
	if len(c.Turns) != len(events.Events) || slacks == 0 || len(c.Weak) != slacks {
		t.Errorf("%d turns with %d slacks and %d windows, want %d turns",
			len(c.Turns), slacks, len(c.Weak), len(events.Events))
	}
	if c.Unit != "kn" || !c.Now.Equal(noon) || len(c.Series.Values) != 481 {
		t.Errorf("unit %s, now %v, %d values", c.Unit, c.Now, len(c.Series.Values))
	}
}

// TestWeakCurrent checks that a current that is always weak has one window, not one a slack.
func TestWeakCurrent(t *testing.T) {
	curve := currentsAt(t, "ACT1206", "6")
	c := currents.CurrentChart(curve, currentsAt(t, "ACT1206", "max_slack"))
	if want := []chart.Span{{From: curve.Span.From, To: curve.Span.To}}; len(c.Turns) < 12 ||
		!slices.Equal(c.Weak, want) {
		t.Errorf("%d turns, weak in %v, want %v", len(c.Turns), c.Weak, want)
	}
}

func TestSkyChart(t *testing.T) {
	for _, c := range []struct {
		place     operation.AtPlace
		date      string
		day, dark bool // the sun is up all day, or never
	}{
		{at(42.35, -71.05), "2026-11-20", false, false},
		{at(71.29, -156.79), "2026-06-21", true, false},
		{at(71.29, -156.79), "2026-12-21", false, true},
	} {
		s := newSet(t)
		sun, err := s.Sky.SunTimes(t.Context(), almanac.SunTimesInput{
			AtNamedPlace: place.AtNamedPlace{AtPlace: c.place}, Date: c.date, Days: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		moon, err := s.Sky.MoonPhase(t.Context(), almanac.MoonPhaseInput{
			AtNamedPlace: place.AtNamedPlace{AtPlace: c.place}, Date: c.date,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := almanac.SkyChart(sun, moon)
		if length := got.End.Sub(got.Start); length != 24*time.Hour {
			t.Errorf("%v: the day has %v", c, length)
		}
		up := got.Bands[3]
		all := len(up) == 1 && up[0].From.Equal(got.Start) && up[0].To.Equal(got.End)
		if all != c.day {
			t.Errorf("%v: the sun is up %v", c, up)
		}
		if never := len(up) == 0; never != c.dark {
			t.Errorf("%v: the sun is up %v", c, up)
		}
		light := almanac.Daylight(*c.place.Latitude, *c.place.Longitude, got.Start, got.End)
		if (len(light.Days) == 0) != c.dark {
			t.Errorf("%v: days = %v", c, light.Days)
		}
	}
}

func at(latitude, longitude float64) operation.AtPlace {
	return operation.AtPlace{Latitude: &latitude, Longitude: &longitude}
}
