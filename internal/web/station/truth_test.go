package station

import (
	"testing"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/levels"
	"leadline/internal/weather"
	"leadline/internal/web/predicted"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// newBuilder returns a builder of a page at noon, whose providers are asked.
func newBuilder() *builder {
	return &builder{
		site:    site.New(site.Settings{Now: func() time.Time { return noon }}),
		Station: &predicted.Station{Prefs: &view.Prefs{Now: noon, Location: time.UTC, Clock: "24"}},
		v:       &Page{Gauge: &gaugeView{}}, live: true, complete: true,
	}
}

// observedLevel returns an observed level of two hours before noon.
func observedLevel() levels.WaterLevels {
	height := 2.5
	return levels.WaterLevels{
		HeightUnit: "ft", Newest: &levels.NewestLevel{Time: noon.Add(-2 * time.Hour), Height: height},
		Observed: levels.LevelSeries{
			Start: noon.Add(-2 * time.Hour), StepMinutes: 6, Count: 1, Heights: []*float64{&height},
		},
	}
}

// TestUncomparedLevels checks that observed level that are not compared with the prediction,
// because their datum is of another epoch, do not share its chart.
func TestUncomparedLevels(t *testing.T) {
	for _, compared := range []bool{true, false} {
		level := observedLevel()
		if compared {
			level.Predicted = &level.Newest.Height
		}
		b, c, v := newBuilder(), chart.Tide{}, &tideView{}
		b.observe(&c, v, site.Outcome[levels.WaterLevels]{Result: level,
			Availability: site.Availability{State: site.Here}}, noon.Add(time.Hour))
		if got := len(c.Observed.Values) > 0; got != compared || v.Observed != compared {
			t.Errorf("compared %v: the chart has observed level: %v, %v", compared, got, v.Observed)
		}
		if b.v.Gauge.Level == nil || b.v.Gauge.Level.Height != "2.5" {
			t.Errorf("compared %v: the present level is %+v", compared, b.v.Gauge.Level)
		}
	}
}

// TestLevelsOfThePast checks that the level of a past chart are not shown as the present level.
func TestLevelsOfThePast(t *testing.T) {
	b := newBuilder()
	b.observe(&chart.Tide{}, &tideView{}, site.Outcome[levels.WaterLevels]{Result: observedLevel(),
		Availability: site.Availability{State: site.Here}}, noon.Add(-time.Hour))
	if b.v.Gauge.Level != nil {
		t.Errorf("the present level is %+v, want none", b.v.Gauge.Level)
	}
}

// TestFailedReadings checks that readings whose requests failed are not reported as a station
// without readings.
func TestFailedReadings(t *testing.T) {
	b := newBuilder()
	conditions := weather.Conditions{HeightUnit: "ft"}
	conditions.Missing = []coast.Missing{coast.Unobtained("wind",
		coast.Errorf(coast.ProviderUnavailable, "NOAA CO-OPS returned 500. Try again."))}
	b.layReadings(site.Outcome[weather.Conditions]{Result: conditions,
		Availability: site.Availability{State: site.Here}})
	if got := b.v.Gauge.Observed; !got.Care() || got.Why != "returned 500" || !b.v.Waiting {
		t.Errorf("the readings are %+v, waiting %v, want late", got, b.v.Waiting)
	}
}

// TestStaleReadings checks that a reading is stale by the measure of its product.
func TestStaleReadings(t *testing.T) {
	p := coast.Provenance{Sources: []coast.Source{
		{ID: "observed-wind", Freshness: coast.Stale},
		{ID: "observed-air-temperature", Freshness: coast.Aging},
	}}
	for quantity, want := range map[string]bool{
		"wind": true, "wind_speed": true, "wind_gust": true, "air_temperature": false,
		"water_temperature": false,
	} {
		if got := isStale(p, quantity); got != want {
			t.Errorf("isStale(%s) = %v, want %v", quantity, got, want)
		}
	}
}

// TestTurnsSpan checks that the turns of a current are requested for the whole chart, which may
// end after the table, and for the table.
func TestTurnsSpan(t *testing.T) {
	for _, c := range []struct {
		days        int
		table       bool
		first, last string // in November
	}{
		{2, false, "20 01:00", "22 15:00"},
		{7, false, "20 01:00", "27 15:00"},
		{2, true, "20 00:00", "27 00:00"},
		{7, true, "20 00:00", "27 15:00"},
	} {
		b := newBuilder()
		b.Prefs.Days = c.days
		first, last := b.TurnsSpan(c.table)
		const form = "02 15:04"
		if first.Format(form) != c.first || last.Format(form) != c.last {
			t.Errorf("%d days, table %v: %v to %v, want %s to %s", c.days, c.table, first, last, c.first,
				c.last)
		}
	}
}
