package verify

import (
	"errors"
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/upstream"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// bench is a Comparer with the simulated provider.
type bench struct {
	Comparer
	simulator *provider.Provider
}

func newBench(t *testing.T, now func() time.Time) bench {
	t.Helper()
	simulator, err := provider.New(provider.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(simulator)
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Config{
		Provider: coast.COOPS, Rate: 1000, Burst: 1000, Deadline: time.Minute, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return bench{Comparer{directory, noaa.New(server.URL, up, now), now}, simulator}
}

func still() time.Time { return noon }

// named returns stations by their ids.
func (b bench) named(t *testing.T, ids ...string) (list []stations.Station) {
	t.Helper()
	for _, id := range ids {
		st, ok := b.Stations.Station(id)
		if !ok {
			t.Fatalf("no station %s", id)
		}
		list = append(list, st)
	}
	return list
}

// TestCompare compares stations of both kinds. The simulated provider uses the same engine, and
// rounds as NOAA does.
func TestCompare(t *testing.T) {
	b := newBench(t, still)
	for _, st := range b.named(t, "8443970", "9414290", "8518750", "EPT0003_11", "PUG1725") {
		r := b.Compare(t.Context(), st)
		if r.Err != nil || r.Events < 6 || r.Differs || r.Missing+r.Extra+r.Minutes > 0 ||
			r.Difference > 0.0011 || r.Name != st.Name {
			t.Errorf("%+v", r)
		}
	}
}

// TestCompareFinds raises the datum of a station at NOAA by six centimeters: the events are the
// same, and each is lower.
func TestCompareFinds(t *testing.T) {
	b := newBench(t, still)
	err := b.simulator.SetEpoch("8443970", provider.Epoch{First: 2002, Last: 2020, Raise: 0.06})
	if err != nil {
		t.Fatal(err)
	}
	r := b.Compare(t.Context(), b.named(t, "8443970")[0])
	if r.Err != nil || !r.Differs || math.Abs(r.Difference-0.06) > 0.0011 || r.Missing+r.Extra > 0 {
		t.Errorf("%+v, want a difference of 0.06 m", r)
	}
}

// TestNotCompared checks the reasons why a station is not compared.
func TestNotCompared(t *testing.T) {
	b := newBench(t, still)
	b.simulator.Fail("", provider.Fault{Kind: provider.Broken})
	if r := b.Compare(t.Context(), b.named(t, "8443970")[0]); !unanswered(r.Err) || r.Differs {
		t.Errorf("with a broken provider: %+v", r)
	}
	faulty := b.Comparer
	faulty.Water = nil
	if r := faulty.Compare(t.Context(), b.named(t, "8443970")[0]); r.Err == nil ||
		ReasonOf(r.Err) != "the comparison failed" || r.ID != "8443970" {
		t.Errorf("after a panic: %+v", r)
	}
	for err, want := range map[error]string{
		errWeak: errWeak.Error(), errMLLW: errMLLW.Error(), errNoRows: errNoRows.Error(),
		coast.Errorf(coast.ProviderUnavailable, "down"): "NOAA did not respond",
		coast.Errorf(coast.StationNotFound, "gone"):     "NOAA has no predictions",
		errors.New("a fault"):                           "the comparison failed",
	} {
		if got := ReasonOf(err); got != want {
			t.Errorf("ReasonOf(%v) = %q, want %q", err, got, want)
		}
	}
}

// TestReferences checks that the stations are those with constants of their own, of both kinds.
func TestReferences(t *testing.T) {
	b := newBench(t, still)
	kinds := map[stations.Kind]int{}
	for _, st := range b.References() {
		kinds[st.Kind]++
		if st.Subordinate() || !st.HasConstants() {
			t.Errorf("%s has no constants of its own", st.ID)
		}
	}
	if kinds[stations.Tide] < 1000 || kinds[stations.Current] < 800 || len(kinds) != 2 {
		t.Errorf("stations by kind: %v", kinds)
	}
}

// TestMatch checks which differences count as more than rounding.
func TestMatch(t *testing.T) {
	from := noon.Truncate(24 * time.Hour)
	span := noaa.Period{From: from, To: from.Add(3 * 24 * time.Hour)}
	at := func(minutes int, value float64) event {
		return event{time: from.Add(time.Duration(minutes) * time.Minute), value: value}
	}
	slack := func(minutes int) event { e := at(minutes, 0); e.slack = true; return e }
	type list = []event
	for name, c := range map[string]struct {
		ours, theirs            list
		speed                   float64 // ours at their times
		missing, extra, minutes int
		differs                 bool
	}{
		"the same":             {ours: list{at(300, 1)}, theirs: list{at(300, 1)}},
		"a digit and a minute": {ours: list{at(301, 1.001)}, theirs: list{at(300, 1)}, minutes: 1},
		"two minutes": {ours: list{at(302, 1)}, theirs: list{at(300, 1)}, minutes: 2,
			differs: true},
		"two digits": {ours: list{at(300, 1.006)}, theirs: list{at(300, 1)}, differs: true},
		"missing":    {ours: nil, theirs: list{at(300, 1)}, missing: 1, differs: true},
		"extra":      {ours: list{at(300, 1)}, theirs: nil, extra: 1, differs: true},
		"eleven minutes": {ours: list{at(311, 1)}, theirs: list{at(300, 1)}, missing: 1, extra: 1,
			differs: true},
		"at the ends": {ours: list{at(1, 1)}, theirs: list{at(3*24*60-1, 1)}},
		"a slow slack": {ours: list{slack(304)}, theirs: list{slack(300)}, speed: 0.004,
			minutes: 4},
		"a fast slack": {ours: list{slack(304)}, theirs: list{slack(300)}, speed: 0.03, minutes: 4,
			differs: true},
	} {
		l := lists{c.ours, c.theirs, 0.005, func(time.Time) float64 { return c.speed }}
		var r Result
		l.match(&r, span)
		if r.Missing != c.missing || r.Extra != c.extra || r.Minutes != c.minutes ||
			r.Differs != c.differs || r.Events != len(c.theirs) {
			t.Errorf("%s: %+v, want %+v", name, r, c)
		}
	}
}
