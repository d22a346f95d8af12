package tide_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/tide"
)

// record is one set of published NOAA predictions, as the acceptance file holds it.
type record struct {
	Station  string
	Kind     string // tide or current
	Product  string // hilo, series, max_slack or velocity
	Datum    string
	Units    string // ft, m, kn or cm/s
	Zone     string `json:"tz"` // gmt or lst_ldt
	Interval int
	Values   []row
}

// row is a published value: time of day, number, and H, L, flood, ebb, slack or nothing.
type row struct {
	Time  string
	Value float64
	Mark  string
}

func (r *row) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.Time, &r.Value, &r.Mark})
}

// deviation sums up how far predictions stand from published values.
type deviation struct {
	rows, late, values      int // rows with a time; those off by a minute; rows with a number
	minutes, worst, overall float64
}

func (d *deviation) String() string {
	return fmt.Sprintf("%d times, %d off by a minute, worst %v; %d values, worst %.5f, mean %.5f",
		d.rows, d.late, d.minutes, d.values, d.worst, d.overall/max(1, float64(d.values)))
}

func (d *deviation) time(t *testing.T, name string, got, want time.Time) {
	t.Helper()
	off := math.Abs(got.Sub(want).Minutes())
	d.rows++
	if off > 0 {
		d.late++
	}
	d.minutes = max(d.minutes, off)
	if off > 1 {
		t.Errorf("%s: event at %v, want %v", name, got, want)
	}
}

func (d *deviation) value(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	off := math.Abs(got - want)
	d.values++
	d.overall += off
	d.worst = max(d.worst, off)
	if off > tolerance {
		t.Errorf("%s: %.4f, want %.4f", name, got, want)
	}
}

// TestPublishedFile compares with the file of published predictions that
// stands outside the repository, at $LEADLINE_SHARED.
func TestPublishedFile(t *testing.T) {
	var tides, series, currents, velocities deviation
	of := map[string]*deviation{"hilo": &tides, "series": &series, "max_slack": &currents, "velocity": &velocities}
	for _, r := range publishedFile(t) {
		for _, run := range r.runs(t) {
			run.compare(t, of[r.Product])
		}
	}
	t.Logf("high and low waters (m): %v", &tides)
	t.Logf("heights (m): %v", &series)
	t.Logf("current events (kn): %v", &currents)
	t.Logf("velocities (kn): %v", &velocities)
	if tides.late*50 > tides.rows {
		t.Errorf("%d of %d high and low waters are off by a minute", tides.late, tides.rows)
	}
	if currents.late*10 > currents.rows {
		t.Errorf("%d of %d current events are off by a minute", currents.late, currents.rows)
	}
}

// runs splits a record where rows are missing for more than a day: some were
// collected in pieces.
func (r record) runs(t *testing.T) []record {
	t.Helper()
	var list []record
	start := 0
	for i := range r.Values {
		if i+1 == len(r.Values) || r.time(t, r.Values[i+1]).Sub(r.time(t, r.Values[i])) > 24*time.Hour {
			run := r
			run.Values = r.Values[start : i+1]
			list, start = append(list, run), i+1
		}
	}
	return list
}

func publishedFile(t *testing.T) []record {
	t.Helper()
	shared := os.Getenv("LEADLINE_SHARED")
	if shared == "" {
		if os.Getenv("LEADLINE_REQUIRE") == "all" {
			t.Fatal("LEADLINE_SHARED is not set, and LEADLINE_REQUIRE asks for all tests")
		}
		t.Skip("LEADLINE_SHARED is not set: the file of published predictions is not at hand")
	}
	b, err := os.ReadFile(filepath.Join(shared, "published", "noaa_predictions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	if err := json.Unmarshal(b, &records); err != nil {
		t.Fatal(err)
	}
	return records
}

func (r *record) name(w row) string { return r.Station + " " + w.Time + " " + w.Mark }

// time is a row's time in UTC.
func (r *record) time(t *testing.T, w row) time.Time {
	t.Helper()
	zone := time.UTC
	if r.Zone == "lst_ldt" {
		d := directory(t)
		s, _ := d.Station(r.Station)
		var err error
		if zone, err = time.LoadLocation(s.Zone); err != nil {
			t.Fatal(err)
		}
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", w.Time, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

// unit is a published unit in metres or knots.
func (r *record) unit() float64 {
	return map[string]float64{"ft": 0.3048, "m": 1, "cm/s": 1 / 51.4444, "kn": 1}[r.Units]
}

// height holds a height to one unit of the last digit that is published, 0.001
// of a foot or a metre, ours being rounded as published ones are.
func (r *record) height(t *testing.T, d *deviation, w row, got float64) {
	t.Helper()
	const digit = 0.001
	unit := r.unit()
	d.value(t, r.name(w), got, w.Value*unit, math.Inf(1))
	if rounded := math.Round(got/unit/digit) * digit; math.Abs(rounded-w.Value) > digit*1.01 {
		t.Errorf("%s: %.3f %s, want %.3f", r.name(w), rounded, r.Units, w.Value)
	}
}

// oneHundredth of a knot is the agreement that is asked of currents.
const oneHundredth = 0.01

func (r *record) span(t *testing.T) (from, to time.Time) {
	t.Helper()
	return r.time(t, r.Values[0]), r.time(t, r.Values[len(r.Values)-1])
}

// compare counts into d how far our predictions stand from the record's.
func (r *record) compare(t *testing.T, d *deviation) {
	t.Helper()
	switch r.Product {
	case "hilo":
		r.compareExtremes(t, d)
	case "series":
		r.compareHeights(t, d)
	case "max_slack":
		r.compareEvents(t, d)
	case "velocity":
		r.compareVelocities(t, d)
	default:
		t.Fatalf("product %q of %s is unknown", r.Product, r.Station)
	}
}

func (r *record) compareExtremes(t *testing.T, d *deviation) {
	t.Helper()
	from, to := r.span(t)
	got := predictor(t, r.Station, r.Datum).Extremes(from.Add(-2*time.Minute), to.Add(2*time.Minute))
	if len(got) != len(r.Values) {
		t.Errorf("%s: %d high and low waters, want %d", r.Station, len(got), len(r.Values))
		return
	}
	for i, w := range r.Values {
		if got[i].High != (w.Mark == "H") {
			t.Errorf("%s: high = %v", r.name(w), got[i].High)
		}
		d.time(t, r.name(w), got[i].Time, r.time(t, w))
		r.height(t, d, w, got[i].Height)
	}
}

func (r *record) compareHeights(t *testing.T, d *deviation) {
	t.Helper()
	p := predictor(t, r.Station, r.Datum)
	from, _ := r.span(t)
	out := make([]float64, len(r.Values))
	p.Heights(from, time.Duration(r.Interval)*time.Minute, out)
	for i, w := range r.Values {
		r.height(t, d, w, out[i])
	}
}

func (r *record) compareEvents(t *testing.T, d *deviation) {
	t.Helper()
	from, to := r.span(t)
	got := current(t, r.Station).Events(from.Add(-2*time.Minute), to.Add(2*time.Minute))
	if len(got) != len(r.Values) {
		t.Errorf("%s: %d events, want %d", r.Station, len(got), len(r.Values))
		return
	}
	for i, w := range r.Values {
		r.compareEvent(t, d, got[i], w)
	}
}

// compareEvent compares slacks by their speed: their sign is that of the
// second in which the minute was rounded.
func (r *record) compareEvent(t *testing.T, d *deviation, got tide.CurrentEvent, w row) {
	t.Helper()
	if string(got.Phase) != strings.ToLower(w.Mark) {
		t.Errorf("%s: got %s", r.name(w), got.Phase)
	}
	d.time(t, r.name(w), got.Time, r.time(t, w))
	v, want := got.Velocity, w.Value*r.unit()
	if got.Phase == tide.Slack {
		v, want = math.Abs(v), math.Abs(want)
	}
	d.value(t, r.name(w), v, want, oneHundredth)
}

func (r *record) compareVelocities(t *testing.T, d *deviation) {
	t.Helper()
	for _, w := range r.Values {
		var out [1]float64
		current(t, r.Station).Velocities(r.time(t, w), time.Minute, out[:])
		d.value(t, r.name(w), out[0], w.Value*r.unit(), oneHundredth)
	}
}
