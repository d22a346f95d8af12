package provider

import (
	"math"
	"slices"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
)

// TestSetWater checks that the level is above the prediction by the set residual, that the water
// has the set temperature, and that both end when the gauge stopped.
func TestSetWater(t *testing.T) {
	p := frozen(t)
	const station = "8443970"
	stopped := moment.Add(-72 * time.Minute)
	must(t, p.SetWater(station, Water{
		Residual: func(at time.Time) float64 {
			if at.Before(moment.Add(-3 * time.Hour)) {
				return -0.25
			}
			return 1.2 * metersPerFoot
		},
		Temperature: Steady(12.8), Newest: stopped,
		Empty: func(product string, at time.Time) bool { return product == "air_temperature" },
	}))
	water, _ := clients(t, p)
	six := noaa.Period{From: moment.Add(-6 * time.Hour), To: moment}
	levels, err := water.Levels(t.Context(), station, "MLLW", noaa.SixMinute, six)
	must(t, err)
	predicted, err := water.Predictions(t.Context(), station, "MLLW", "6", six)
	must(t, err)
	if len(levels.Rows) != 49 || !levels.Rows[48].Time.Equal(stopped) {
		t.Fatalf("%d levels up to %v, want 49 up to %v", len(levels.Rows),
			levels.Rows[len(levels.Rows)-1].Time, stopped)
	}
	for i, l := range levels.Rows {
		want := -0.25
		if !l.Time.Before(moment.Add(-3 * time.Hour)) {
			want = 0.366
		}
		if got := *l.Height - predicted.Rows[i].Height; math.Abs(got-want) > 0.0011 {
			t.Errorf("at %v the level is %v m above the prediction, want %v", l.Time, got, want)
		}
	}
	_, err = water.Levels(t.Context(), station, "MLLW", noaa.SixMinute, noaa.Period{})
	if !hasCode(err, coast.ProductUnavailable) {
		t.Errorf("the newest level of a gauge that stopped: %v", err)
	}
	warm, err := water.Readings(t.Context(), station, "water_temperature", false, six)
	must(t, err)
	if last := warm.Rows[len(warm.Rows)-1]; !last.Time.Equal(stopped) ||
		!near(last.Value, 12.8, 1e-9) {
		t.Errorf("the last temperature is %v at %v", last.Value, last.Time)
	}
	air, err := water.Readings(t.Context(), station, "air_temperature", false, six)
	must(t, err)
	if len(air.Rows) != 49 ||
		slices.ContainsFunc(air.Rows, func(r noaa.Reading) bool { return r.Value != nil }) {
		t.Errorf("an empty sensor has values, or not 49 rows: %v", air.Rows)
	}
	p.Restore()
	const query = "product=water_level&station=8443970&date=today&datum=MLLW"
	if got, want := p.data(t, query), frozen(t).data(t, query); got != want {
		t.Errorf("levels differ after Restore")
	}
}

// listsWith returns the given lists that include a station.
func listsWith(t *testing.T, p *Provider, id string) (lists []string) {
	t.Helper()
	water, _ := clients(t, p)
	for _, kind := range []string{"waterlevels", "watertemp", "met"} {
		all, err := water.Stations(t.Context(), kind)
		must(t, err)
		if slices.ContainsFunc(all.Data, func(s noaa.Station) bool { return s.ID == id }) {
			lists = append(lists, kind)
		}
	}
	return lists
}

// TestSetSensors checks that the lists include the stations with the set sensors.
func TestSetSensors(t *testing.T) {
	for _, test := range []struct {
		station string
		sensors []string
		want    []string
	}{
		{"8443970", nil, []string{"waterlevels", "watertemp", "met"}},
		{"8443970", []string{"water_level"}, []string{"waterlevels"}},
		{"8443970", []string{"wind", "water_temperature"}, []string{"watertemp", "met"}},
		{"8443970", []string{}, nil},
		{"8557863", []string{"water_temperature"}, []string{"watertemp"}}, // a subordinate station
		{"9063020", []string{"water_level"}, []string{"waterlevels"}},     // on a lake
	} {
		p := frozen(t)
		must(t, p.SetWater(test.station, Water{Sensors: test.sensors}))
		if got := listsWith(t, p, test.station); !slices.Equal(got, test.want) {
			t.Errorf("lists with %s and %q = %q, want %q", test.station, test.sensors, got, test.want)
		}
		water, _ := clients(t, p)
		for _, name := range []string{"water_level", "water_temperature"} {
			_, err := water.Readings(t.Context(), test.station, name, false, noaa.Period{})
			if name == "water_level" {
				_, err = water.Levels(t.Context(), test.station, "STND", noaa.SixMinute, noaa.Period{})
			}
			if has := test.sensors == nil || slices.Contains(test.sensors, name); has != (err == nil) {
				t.Errorf("%s with %q: %s returns %v", test.station, test.sensors, name, err)
			}
		}
		p.Restore()
		got, want := listsWith(t, p, test.station), listsWith(t, frozen(t), test.station)
		if !slices.Equal(got, want) {
			t.Errorf("lists with %s after Restore = %q, want %q", test.station, got, want)
		}
	}
}

// TestSetFloods checks that the flood levels are the set ones, to the hundredth.
func TestSetFloods(t *testing.T) {
	p := frozen(t)
	for _, test := range []Floods{
		{NWSMinor: new(4.87), NOSMinor: new(4.9), Action: new(4.5)},
		{NOSMinor: new(4.9)},
		{},
	} {
		must(t, p.SetWater("8443970", Water{Floods: &test}))
		water, _ := clients(t, p)
		got, err := water.FloodLevels(t.Context(), "8443970")
		if test == (Floods{}) {
			if !hasCode(err, coast.ProductUnavailable) {
				t.Errorf("a station without flood levels: %v, %v", got.Data, err)
			}
			continue
		}
		must(t, err)
		f := got.Data
		for i, pair := range [][2]*float64{
			{f.NWSMinor, test.NWSMinor},
			{f.NOSMinor, test.NOSMinor},
			{f.Action, test.Action},
			{f.NWSMajor, test.NWSMajor},
		} {
			if pair[1] == nil && pair[0] != nil ||
				pair[1] != nil && !near(pair[0], *pair[1], 0.01*metersPerFoot) {
				t.Errorf("flood level %d is %v, want %v", i, pair[0], pair[1])
			}
		}
	}
}

func TestWaterRefused(t *testing.T) {
	p := frozen(t)
	for _, test := range []struct {
		station string
		Water
	}{
		{"1234567", Water{}}, {"8557863", Water{}}, {"cb0102", Water{Sensors: []string{"wind"}}},
		{"8557863", Water{Sensors: []string{"water_level"}}},
		{"8443970", Water{Sensors: []string{"waterlevel"}}},
	} {
		if err := p.SetWater(test.station, test.Water); err == nil {
			t.Errorf("SetWater(%s, %v) succeeded, want an error", test.station, test.Sensors)
		}
	}
}
