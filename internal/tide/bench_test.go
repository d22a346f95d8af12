package tide_test

import (
	"sync"
	"testing"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

var year2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func BenchmarkYearOfExtremes(b *testing.B) {
	t := predictor(b, "8443970", "MLLW")
	for b.Loop() {
		t.Extremes(year2026, year2026.AddDate(1, 0, 0))
	}
}

func BenchmarkYearOfHeights(b *testing.B) {
	t := predictor(b, "8443970", "MLLW")
	out := make([]float64, 365*240)
	for b.Loop() {
		t.Heights(year2026, 6*time.Minute, out)
	}
}

func BenchmarkYearOfHeightsAnchorage(b *testing.B) {
	t := predictor(b, "9455920", "MLLW")
	out := make([]float64, 365*240)
	for b.Loop() {
		t.Heights(year2026, 6*time.Minute, out)
	}
}

func BenchmarkYearOfSubordinateHeights(b *testing.B) {
	t := predictor(b, "9447265", "MLLW")
	out := make([]float64, 365*240)
	for b.Loop() {
		t.Heights(year2026, 6*time.Minute, out)
	}
}

func BenchmarkYearOfCurrentEvents(b *testing.B) {
	c := current(b, "EPT0003")
	for b.Loop() {
		c.Events(year2026, year2026.AddDate(1, 0, 0))
	}
}

func BenchmarkDayOfExtremes(b *testing.B) {
	t := predictor(b, "8443970", "MLLW")
	day := year2026.AddDate(0, 5, 0)
	for b.Loop() {
		t.Extremes(day, day.AddDate(0, 0, 1))
	}
}

// BenchmarkTwoKeptDays requests two days of a month that the almanac has stored. Its
// target is 3 µs.
func BenchmarkTwoKeptDays(b *testing.B) {
	t := predictor(b, "8443970", "MLLW")
	t.Almanac = tide.NewAlmanac()
	day := year2026.AddDate(0, 5, 0)
	b.ReportAllocs()
	for b.Loop() {
		t.Extremes(day, day.AddDate(0, 0, 2))
	}
}

func BenchmarkDayOfHeights(b *testing.B) {
	t := predictor(b, "8443970", "MLLW")
	day := year2026.AddDate(0, 5, 0)
	out := make([]float64, 240)
	for b.Loop() {
		t.Heights(day, 6*time.Minute, out)
	}
}

func BenchmarkDayOfAllStations(b *testing.B) {
	all := allTides(b)
	day := year2026.AddDate(0, 5, 0)
	for b.Loop() {
		for _, t := range all {
			t.Extremes(day, day.AddDate(0, 0, 1))
		}
	}
	b.ReportMetric(float64(len(all)), "stations")
}

// opened has the directory of all tests, because compiling the curves of all stations takes longer
// than most of them.
var opened = sync.OnceValues(stations.Open)

func directory(t testing.TB) *stations.Directory {
	t.Helper()
	d, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func predictor(t testing.TB, id, datum string) tide.Tides {
	t.Helper()
	d := directory(t)
	s, found := d.Station(id)
	p, ok := d.Tides(s, datum)
	if !found || !ok {
		t.Fatalf("no tides at %s above %s", id, datum)
	}
	p.Almanac = nil // to test the computation
	return p
}

func current(t testing.TB, id string) tide.Currents {
	t.Helper()
	d := directory(t)
	s, found := d.Station(id)
	p, ok := d.Currents(s)
	if !found || !ok {
		t.Fatalf("no currents at %s", id)
	}
	return p
}

// allTides returns the predictors of all tide stations above MLLW, or above station datum
// if the station has no MLLW. They compute each request.
func allTides(t testing.TB) []tide.Tides {
	t.Helper()
	d := directory(t)
	var all []tide.Tides
	for _, s := range d.All(stations.Tide) {
		p, ok := d.Tides(s, "MLLW")
		if !ok {
			p, ok = d.Tides(s, "STND")
		}
		if ok {
			p.Almanac = nil
			all = append(all, p)
		}
	}
	return all
}

func allCurrents(t testing.TB) []tide.Currents {
	t.Helper()
	d := directory(t)
	var all []tide.Currents
	for _, s := range d.All(stations.Current) {
		if p, ok := d.Currents(s); ok {
			all = append(all, p)
		}
	}
	return all
}

func BenchmarkYearOfSpans(b *testing.B) {
	for _, c := range []struct {
		name, station string
		level         float64
	}{
		{"SanFrancisco", "9414290", 0},
		{"SanFranciscoMetre", "9414290", 1},
		{"Boston", "8443970", 0.5},
		{"Anchorage", "9455920", 0.5},
		{"Subordinate", "9447265", 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			t := predictor(b, c.station, "MLLW")
			for b.Loop() {
				t.Below(year2026, year2026.AddDate(1, 0, 0), c.level)
			}
		})
	}
}

func BenchmarkYearOfCurrentSpans(b *testing.B) {
	for _, c := range []struct{ name, station string }{
		{"Own", "EPT0003"}, {"Subordinate", "ACT0091"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := current(b, c.station)
			for b.Loop() {
				p.AtMost(year2026, year2026.AddDate(1, 0, 0), 1)
			}
		})
	}
}
