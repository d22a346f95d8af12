package tide_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/tide"

	"leadline/internal/trials"
)

// record is one set of published NOAA predictions in the format of the shared files.
type record struct {
	Station  string
	Kind     string // tide or current
	Product  string // hilo, series, max_slack or velocity
	Datum    string
	Units    string // ft, m, kn or cm/s
	Zone     string `json:"tz"` // gmt or lst_ldt
	Interval int    // minutes; series have even steps
	Bin      *int
	Role     string
	Source   string
	Complete string // which events the record has; empty for all from its first row to its last
	Values   []row
}

// fromMonth is the value of Complete in the files.
const fromMonth = "every event from the month's start to the last row"

// row is a published value: time of day, number, and H, L, flood, ebb, slack or nothing.
type row struct {
	Time  string
	Value float64
	Mark  string
}

func (r *row) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.Time, &r.Value, &r.Mark})
}

// event is a published or predicted row: an extreme, a flood, an ebb, a slack
// or a value of a series. The value is in meters or knots.
type event struct {
	at    time.Time
	mark  string
	value float64
}

func (e event) String() string {
	return fmt.Sprintf("%s %s %.3f", e.at.Format("2006-01-02 15:04"), e.mark, e.value)
}

// comparison counts the differences between predictions and published rows, in both
// directions.
type comparison struct {
	rows     int     // published
	late     int     // matched one minute off
	slow     int     // slacks among these at which our speed is at most grazes
	grazing  int     // slacks matched by that speed alone, more than a minute off
	values   int     // compared
	worst    float64 // largest difference of a value, meters or knots
	sum      float64 // of the differences
	missing  []event // published, but not predicted
	invented []event // predicted, but not published
	wrong    []event // with a value other than the published one
}

func (c *comparison) String() string {
	return fmt.Sprintf(
		"%d rows, %d off by a minute (%d of them slow slacks), %d grazing slacks off by more, "+
			"values: worst %.5f, mean %.5f; missing %d, invented %d, wrong %d",
		c.rows, c.late, c.slow, c.grazing, c.worst, c.sum/max(1, float64(c.values)),
		len(c.missing), len(c.invented), len(c.wrong))
}

func (c *comparison) add(o comparison) {
	c.rows, c.late = c.rows+o.rows, c.late+o.late
	c.slow, c.grazing = c.slow+o.slow, c.grazing+o.grazing
	c.values, c.worst, c.sum = c.values+o.values, max(c.worst, o.worst), c.sum+o.sum
	c.missing = append(c.missing, o.missing...)
	c.invented = append(c.invented, o.invented...)
	c.wrong = append(c.wrong, o.wrong...)
}

// faults returns the number of rows on which the two sides disagree.
func (c *comparison) faults() int { return len(c.missing) + len(c.invented) + len(c.wrong) }

// report fails the test for each row that is missing, invented or wrong.
func (c *comparison) report(t *testing.T, name string) {
	t.Helper()
	for _, e := range c.missing {
		t.Errorf("%s: NOAA's row %v is missing", name, e)
	}
	for _, e := range c.invented {
		t.Errorf("%s: our row %v is not NOAA's", name, e)
	}
	for _, e := range c.wrong {
		t.Errorf("%s: our row %v differs from NOAA's in its value", name, e)
	}
}

// piece is a span of a record without gaps, both ends included.
type piece struct {
	from, to time.Time
	want     []event
}

// pieces returns the spans that the record covers. A record that has every event from the
// month's start covers all of it up to its last row. The others were collected in days,
// some of which are missing: they are split where more than a day has no row.
func (r *record) pieces(t testing.TB) []piece {
	t.Helper()
	rows := r.events(t)
	first, last := rows[0].at, rows[len(rows)-1].at
	switch r.Complete {
	case fromMonth:
		return []piece{{first.AddDate(0, 0, 1-first.Day()).Truncate(24 * time.Hour), last, rows}}
	case "":
	default:
		t.Fatalf("%s: the meaning of complete %q is unknown", r.Station, r.Complete)
	}
	var list []piece
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].at.Sub(rows[n-1].at) <= 24*time.Hour {
			n++
		}
		list = append(list, piece{rows[0].at, rows[n-1].at, rows[:n:n]})
		rows = rows[n:]
	}
	return list
}

// events returns the record's rows in UTC, meters and knots.
func (r *record) events(t testing.TB) []event {
	t.Helper()
	zone := time.UTC
	if r.Zone == "lst_ldt" {
		s, _ := directory(t).Station(r.Station)
		var err error
		if zone, err = time.LoadLocation(s.Zone); err != nil {
			t.Fatal(err)
		}
	}
	var list []event
	for _, w := range r.Values {
		at, err := time.ParseInLocation("2006-01-02 15:04", w.Time, zone)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, event{at.UTC(), strings.ToLower(w.Mark), w.Value * r.unit()})
	}
	return list
}

// unit returns a published unit in meters or knots.
func (r *record) unit() float64 {
	return map[string]float64{"ft": 0.3048, "m": 1, "cm/s": 1 / 51.4444, "kn": 1}[r.Units]
}

// compare compares the record with our predictions.
func (r *record) compare(t testing.TB) (all comparison) {
	t.Helper()
	for _, p := range r.pieces(t) {
		all.add(r.match(p, r.predict(t, p), r.speedAt(t)))
	}
	return all
}

func extremeEvent(e tide.Extreme) event {
	return event{e.Time, map[bool]string{true: "h", false: "l"}[e.High], e.Height}
}

// predict returns our rows for the piece, extended by a minute on both sides.
func (r *record) predict(t testing.TB, p piece) []event {
	t.Helper()
	from, to := p.from.Add(-time.Minute), p.to.Add(time.Minute)
	var list []event
	switch r.Product {
	case "hilo":
		for _, e := range predictor(t, r.Station, r.Datum).Extremes(from, to) {
			list = append(list, extremeEvent(e))
		}
	case "max_slack":
		for _, e := range current(t, r.Station).Events(from, to) {
			list = append(list, event{e.Time, string(e.Phase), e.Velocity})
		}
	case "series", "velocity":
		step := p.want[1].at.Sub(p.want[0].at)
		values := make([]float64, int(p.to.Sub(p.from)/step)+1)
		if r.Product == "series" {
			predictor(t, r.Station, r.Datum).Heights(p.from, step, values)
		} else {
			current(t, r.Station).Velocities(p.from, step, values)
		}
		for i, v := range values {
			list = append(list, event{p.from.Add(time.Duration(i) * step), "", v})
		}
	default:
		t.Fatalf("product %q of %s is unknown", r.Product, r.Station)
	}
	return list
}

// speedAt returns a function from an instant to our speed in knots.
func (r *record) speedAt(t testing.TB) func(time.Time) float64 {
	t.Helper()
	if r.Kind != "current" {
		return nil
	}
	c := current(t, r.Station)
	speeds := map[time.Time]float64{} // interpolation is slow, and mutations repeat it
	return func(at time.Time) float64 {
		speed, known := speeds[at]
		if !known {
			var out [1]float64
			c.Velocities(at, time.Minute, out[:])
			speed = math.Abs(out[0])
			speeds[at] = speed
		}
		return speed
	}
}

// grazes is a speed in knots. If our speed at NOAA's minute is below it, a slack of
// ours matches one of NOAA's even if their minutes differ. Where a current only grazes
// zero, the last digits of its constants move the slack by minutes. Ours.
const grazes = 0.005

// match pairs the published rows with our rows of the same mark, at most a minute
// apart, or half an hour if the slack grazes zero. Unmatched rows are missing or
// invented. Our rows outside the piece, where nothing is published, are not counted.
func (r *record) match(p piece, got []event, speedAt func(time.Time) float64) (c comparison) {
	c.rows = len(p.want)
	taken := make([]bool, len(got))
	for _, w := range p.want {
		i := nearest(got, taken, w, time.Minute)
		if i >= 0 && got[i].at.Equal(w.at) {
			taken[i] = true
			c.value(r, got[i], w)
			continue
		}
		weak := w.mark == "slack" && speedAt(w.at) <= grazes
		switch {
		case i >= 0:
			c.late++
			if weak {
				c.slow++
			}
		case weak:
			if i = nearest(got, taken, w, 30*time.Minute); i >= 0 {
				c.grazing++
			}
		}
		if i < 0 {
			c.missing = append(c.missing, w)
			continue
		}
		taken[i] = true
		c.value(r, got[i], w)
	}
	for i, e := range got {
		if !taken[i] && !e.at.Before(p.from) && !e.at.After(p.to) {
			c.invented = append(c.invented, e)
		}
	}
	return c
}

// nearest returns the index of the nearest event to w that has the same mark, is within
// reach and is not yet matched, or −1. A value of a series must match to the minute.
func nearest(got []event, taken []bool, w event, reach time.Duration) int {
	if w.mark == "" {
		reach = 0
	}
	best := -1
	for i, e := range got {
		off := e.at.Sub(w.at).Abs()
		if !taken[i] && e.mark == w.mark && off <= reach {
			best, reach = i, off
		}
	}
	return best
}

// value compares values. Heights, rounded like the published ones, may differ by one unit
// of the last digit, 0.001 of a foot or a meter; velocities, unrounded, by 0.01 kn. The
// sign of a slack depends on the second that was rounded to its minute, so speeds without
// sign are compared where the current is that weak.
func (c *comparison) value(r *record, got, want event) {
	const digit, hundredth, even = 0.001, 0.01, 0.02
	v, w := got.value, want.value
	if want.mark == "slack" && math.Abs(w) < even {
		v, w = math.Abs(v), math.Abs(w)
	}
	off := math.Abs(v - w)
	c.values++
	c.sum += off
	c.worst = max(c.worst, off)
	wrong := off > hundredth
	if r.Kind == "tide" {
		wrong = math.Abs(math.Round(v/r.unit()/digit)-math.Round(w/r.unit()/digit)) > 1
	}
	if wrong {
		c.wrong = append(c.wrong, got)
	}
}

// mutations returns pieces that differ from p in one row. Each inner row is removed,
// doubled half an hour later, given another mark, moved by three minutes, or given
// another value. A slack is moved only if speedAt gives a current by then.
func (p piece) mutations(speedAt func(time.Time) float64) (list []piece) {
	change := func(i int, f func(*event)) {
		m := piece{p.from, p.to, slices.Clone(p.want)}
		f(&m.want[i])
		list = append(list, m)
	}
	other := map[string]string{
		"h": "l", "l": "h", "flood": "ebb", "ebb": "slack", "slack": "flood", "": "h",
	}
	for i := 1; i+1 < len(p.want); i++ {
		e := p.want[i]
		list = append(list, piece{p.from, p.to, slices.Delete(slices.Clone(p.want), i, i+1)})
		added := event{e.at.Add(30 * time.Minute), e.mark, e.value}
		list = append(list, piece{p.from, p.to, slices.Insert(slices.Clone(p.want), i+1, added)})
		change(i, func(e *event) { e.mark = other[e.mark] })
		change(i, func(e *event) { e.value += 0.05 })
		if later := e.at.Add(3 * time.Minute); e.mark != "slack" || speedAt(later) > grazes {
			change(i, func(e *event) { e.at = later })
		}
	}
	return list
}

// mustFail checks that each mutation of the record has a fault in addition to the rows
// that depend on grazing zero. A run of few cases checks every seventh.
func (r *record) mustFail(t *testing.T) {
	t.Helper()
	speedAt := r.speedAt(t)
	for _, p := range r.pieces(t) {
		got := r.predict(t, p)
		p.want = slices.DeleteFunc(p.want, func(e event) bool { return e.grazes(r.Station) })
		as := r.match(p, got, speedAt)
		usual := as.excuse(r.Station)
		for i, m := range p.mutations(speedAt) {
			if few := !trials.Thorough(); few && i%7 != 0 { // five kinds of changes follow each other
				continue
			}
			c := r.match(m, got, speedAt)
			if c.excuse(r.Station) == usual && c.faults() == 0 {
				t.Errorf("%s: a row removed, added or changed is not detected in %v",
					r.Station, m.want)
			}
		}
	}
}
