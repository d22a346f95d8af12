package operation

import (
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/render"
)

// TestThinned checks that a long span has at most 96 values at equal steps of hours, and the newest
// one that NOAA does not flag; that a short one is whole; and that steps of a day may not suffice.
func TestThinned(t *testing.T) {
	one := 1.0
	for _, test := range []struct{ minutes, count, unknown, flagged, want, step int }{
		{6, 96, 0, 0, 0, 0}, {6, 97, 0, 0, 10, 10}, {6, 480, 0, 0, 48, 10}, {6, 480, 3, 0, 48, 10},
		{6, 480, 3, 4, 48, 10}, {6, 7440, 0, 0, 62, 120}, {60, 744, 5, 0, 62, 12}, {60, 8784, 0, 0, 0, 0},
		{1, 1440, 0, 0, 24, 60},
	} {
		values, flags := make([]*float64, test.count), make([][]string, test.count)
		for i := range test.count - test.unknown {
			values[i] = &one
		}
		for i := range test.flagged {
			flags[test.count-test.unknown-1-i] = []string{"limit"}
		}
		shown := Grid{StepMinutes: test.minutes, Count: test.count}.Thinned(values, flags)
		if len(shown) != test.want {
			t.Errorf("%+v: %d values are shown, want %d", test, len(shown), test.want)
		}
		newest, has := test.count-test.unknown-test.flagged-1, false
		for i, at := range shown {
			has = has || at == newest
			if i > 0 && at-shown[i-1] != test.step {
				t.Errorf("%+v: value %d follows %d", test, at, shown[i-1])
			}
		}
		if !has && shown != nil {
			t.Errorf("%+v: the newest value, %d, is not among %v", test, newest, shown)
		}
	}
}

// TestExtent checks that missing and flagged values count neither in the extent nor in the mean.
func TestExtent(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	g := Grid{Start: now.Add(-4 * time.Hour), StepMinutes: 60, Count: 5}
	a, b, c, wrong := 1.0, 4.0, 2.5, 99.0
	values := []*float64{&a, nil, &wrong, &b, &c}
	flags := [][]string{nil, nil, {"limit"}, nil, nil}
	const want = "highest 4.00 at 11:00 AM UTC, lowest 1.00 at 8:00 AM UTC, mean 2.50 of 3 values"
	if got := g.Extent(values, flags, render.Number, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := g.Extent([]*float64{nil, nil, nil, nil, &c}, nil, render.Number, now); got != "" {
		t.Errorf("the extent of one value is %q", got)
	}
}

// TestFreshness checks that the word for a result is that of its worst source, and that unknown is
// never fresh, but for calculations without a time next to others.
func TestFreshness(t *testing.T) {
	source := func(kind coast.Kind, f coast.Freshness) coast.Source {
		return coast.Source{Kind: kind, Freshness: f, Available: true}
	}
	fresh, stale := source(coast.Prediction, coast.Fresh), source(coast.Observation, coast.Stale)
	unknown := source(coast.Observation, coast.Unknown)
	names, gone := source(coast.Calculation, coast.Unknown), stale
	gone.Available = false
	for _, test := range []struct {
		sources []coast.Source
		want    coast.Freshness
	}{
		{nil, ""}, {[]coast.Source{fresh}, coast.Fresh}, {[]coast.Source{fresh, stale}, coast.Stale},
		{[]coast.Source{fresh, unknown}, coast.Unknown}, {[]coast.Source{unknown, stale}, coast.Stale},
		{[]coast.Source{names, fresh}, coast.Fresh}, {[]coast.Source{names}, coast.Unknown},
		{[]coast.Source{fresh, gone}, coast.Fresh},
	} {
		if got := freshness(test.sources); got != test.want {
			t.Errorf("freshness(%+v) = %q, want %q", test.sources, got, test.want)
		}
	}
}
