package verify

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/internal/fleet"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/store"
	"leadline/store/bolt"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func openStore(t *testing.T, file string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runner runs the steps of a job with a clock that the waits move.
type runner struct {
	clock    time.Time
	compared []string // ids, in order
}

func (r *runner) now() time.Time { return r.clock }

// job returns a job on a store, which compares the stations that b compares.
func (r *runner) job(s store.Meta, b bench, list []stations.Station) *Job {
	return NewJob(JobConfig{
		Store: s, Stations: func() []stations.Station { return list }, Now: r.now, Log: quiet,
		Compare: func(ctx context.Context, st stations.Station) Result {
			r.compared = append(r.compared, st.ID)
			return b.Compare(ctx, st)
		},
	})
}

// run takes steps until so is true.
func (r *runner) run(t *testing.T, j *Job, what string, so func() bool) {
	t.Helper()
	for range 10_000 {
		if so() {
			return
		}
		r.clock = r.clock.Add(j.Step(t.Context()))
	}
	t.Fatalf("after many steps there is still not %s", what)
}

func snapshot(t *testing.T, s store.Meta, now time.Time) Snapshot {
	t.Helper()
	out, err := Read(t.Context(), s, true, now)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestJob checks a whole check, that the next one begins 30 days after it began, and since when a
// station differs.
func TestJob(t *testing.T) {
	r := &runner{clock: noon}
	b := newBench(t, r.now)
	list := b.named(t, "8443970", "8518750", "9414290", "EPT0003_11", "PUG1725")
	s := openStore(t, filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	if got := snapshot(t, s, noon); got.Condition != Waiting || got.Summary().CheckedAt != nil {
		t.Errorf("without a result: %+v", got)
	}
	err := b.simulator.SetEpoch("8518750", provider.Epoch{First: 2002, Last: 2020, Raise: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	j := r.job(s, b, list)
	ended := func() bool { return snapshot(t, s, r.clock).Newest != nil }
	r.run(t, j, "a result", ended)
	got := snapshot(t, s, r.clock)
	n := got.Newest
	if got.Condition != Current || n.Compared != 5 || n.Stations != 5 || n.Differing != 1 ||
		len(n.Listed) != 1 || n.Listed[0].ID != "8518750" || n.Height.ID != "8518750" ||
		n.Speed == nil || n.Speed.Value > 0.0011 || !n.Began.Equal(noon) ||
		r.clock.Sub(noon) < 5*pause || !n.Listed[0].Since.Equal(noon) {
		t.Errorf("after the first check: %+v", n)
	}
	if v := got.Summary(); v.State != Current || v.Differing != 1 ||
		v.LargestHeightMeters == nil || *v.LargestHeightMeters < 0.098 ||
		*v.LargestHeightMeters > 0.102 {
		t.Errorf("summary %+v", v)
	}
	r.run(t, j, "a second check", func() bool { return len(r.compared) > 5 })
	if began := r.clock.Sub(noon); began < Every || began > Every+time.Hour {
		t.Errorf("the second check began after %v", began)
	}
	r.run(t, j, "a second result", func() bool {
		return snapshot(t, s, r.clock).Newest.Began.After(noon)
	})
	if n := snapshot(t, s, r.clock).Newest; len(n.Listed) != 1 || !n.Listed[0].Since.Equal(noon) {
		t.Errorf("a station that still differs: %+v", n.Listed)
	}
	if got := snapshot(t, s, r.clock.Add(MostAge+time.Hour)); got.Condition != Outdated {
		t.Errorf("after %v the result is %s", MostAge, got.Condition)
	}
}

// TestRestart kills a check again and again, and checks that each station is in the report once,
// and that at most the last ones are compared again.
func TestRestart(t *testing.T) {
	const kills, between = 3, saveEvery + saveEvery/2
	r := &runner{clock: noon}
	b := newBench(t, r.now)
	list := b.References()[:90]
	file := filepath.Join(t.TempDir(), "store")
	for k := range kills {
		s := openStore(t, file)
		j, before := r.job(s, b, list), len(r.compared)
		r.run(t, j, "some results", func() bool { return len(r.compared) == before+between })
		if err := s.Close(); err != nil { // the job has no chance to save
			t.Fatal(err)
		}
		r.clock = r.clock.Add(time.Hour)
		if k == 0 {
			continue
		}
		if again := between*(k+1) - len(unique(r.compared)); again > saveEvery*k {
			t.Errorf("after %d kills %d stations were compared again", k, again)
		}
	}
	s := openStore(t, file)
	defer s.Close()
	r.run(t, r.job(s, b, list), "a result", func() bool {
		return snapshot(t, s, r.clock).Newest != nil
	})
	n := snapshot(t, s, r.clock).Newest
	if n.Compared+len(n.NotCompared) < len(list) || n.Compared > len(list) || !n.Began.Equal(noon) {
		t.Errorf("%+v, want %d stations", n, len(list))
	}
	if got, again := len(unique(r.compared)), len(r.compared)-len(list); got != len(list) ||
		again == 0 || again > kills*saveEvery {
		t.Errorf("%d stations, %d of them again", got, again)
	}
}

func unique(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestOutage checks that a check pauses while NOAA does not respond and goes on afterwards, and
// that a station that never gets a response is counted.
func TestOutage(t *testing.T) {
	r := &runner{clock: noon}
	b := newBench(t, r.now)
	list := b.named(t, "8443970", "8454000", "8518750", "9414290")
	s := openStore(t, filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	down := true
	j := NewJob(JobConfig{
		Store: s, Stations: func() []stations.Station { return list }, Now: r.now, Log: quiet,
		Compare: func(ctx context.Context, st stations.Station) Result {
			r.compared = append(r.compared, st.ID)
			if down || st.ID == "9414290" {
				return Result{ID: st.ID, Err: coast.Errorf(coast.ProviderUnavailable, "down")}
			}
			return b.Compare(ctx, st)
		},
	})
	r.run(t, j, "two failures", func() bool { return len(r.compared) == 2 })
	if wait := r.clock.Sub(noon); wait != firstOutage+2*firstOutage {
		t.Errorf("two failures took %v", wait)
	}
	down = false
	r.run(t, j, "a result", func() bool { return snapshot(t, s, r.clock).Newest != nil })
	want := "8443970 8454000 8518750 9414290 8443970 8454000 9414290"
	if got := strings.Join(r.compared, " "); got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
	got := snapshot(t, s, r.clock)
	if n := got.Newest; got.Condition != Incomplete || n.Compared != 3 ||
		n.NotCompared["NOAA did not respond"] != 1 || len(n.NotCompared) != 1 {
		t.Errorf("%s: %+v", got.Condition, n)
	}
}

// TestTooLong checks that a check that has not ended after a week has failed, and that the next one
// begins at its beginning.
func TestTooLong(t *testing.T) {
	r := &runner{clock: noon}
	b := newBench(t, r.now)
	s := openStore(t, filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	list := b.named(t, "8443970", "8454000")
	j := r.job(s, b, list)
	r.run(t, j, "a result", func() bool { return len(r.compared) == 1 })
	r.clock = r.clock.Add(mostTime)
	r.run(t, j, "a new check", func() bool {
		return snapshot(t, s, r.clock).Condition == Failed
	})
	r.run(t, j, "a result", func() bool { return snapshot(t, s, r.clock).Newest != nil })
	if got := strings.Join(r.compared, " "); got != "8443970 8443970 8454000" {
		t.Errorf("compared %s", got)
	}
	if got := snapshot(t, s, r.clock); got.Condition != Current {
		t.Errorf("after a full check the result is %s", got.Condition)
	}
}

// TestOneInstance runs the job on two instances of a store: each station is compared once.
func TestOneInstance(t *testing.T) {
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	list := directory.All(stations.Tide)[:30]
	file := filepath.Join(t.TempDir(), "store")
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, file)
		defer s.Close()
		var mu sync.Mutex
		compared := map[string]int{}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for i := range 2 {
			m, err := fleet.Join(ctx, fleet.Config{
				Store: s, Name: fmt.Sprint(i), Version: "1", Now: time.Now, Log: quiet,
				NewID: func() string { return fmt.Sprint("instance ", i) },
			})
			if err != nil {
				t.Fatal(err)
			}
			j := NewJob(JobConfig{
				Store: s, Stations: func() []stations.Station { return list }, Now: time.Now, Log: quiet,
				Compare: func(_ context.Context, st stations.Station) Result {
					mu.Lock()
					defer mu.Unlock()
					compared[st.ID]++
					return Result{ID: st.ID, Kind: st.Kind, Events: 12}
				},
			})
			running.Go(func() { m.Run(ctx) })
			running.Go(func() { m.Job("verify", j.Run)(ctx) })
		}
		time.Sleep(time.Hour)
		cancel()
		running.Wait()
		n := snapshot(t, s, time.Now()).Newest
		if n == nil || n.Compared != len(list) || len(compared) != len(list) {
			t.Errorf("%d stations, report %+v", len(compared), n)
		}
		for id, times := range compared {
			if times != 1 {
				t.Errorf("%s was compared %d times", id, times)
			}
		}
	})
}

// TestConflict checks that a job whose progress another one has replaced goes on from that.
func TestConflict(t *testing.T) {
	r := &runner{clock: noon}
	b := newBench(t, r.now)
	s := openStore(t, filepath.Join(t.TempDir(), "store"))
	defer s.Close()
	list := b.named(t, "8443970", "8454000", "8518750")
	slow, other := r.job(s, b, list), r.job(s, b, list)
	r.run(t, slow, "a result", func() bool { return len(r.compared) == 1 })
	r.run(t, other, "a result", func() bool { return snapshot(t, s, r.clock).Newest != nil })
	before := snapshot(t, s, r.clock).Newest
	r.run(t, slow, "the state of the other", func() bool {
		return slow.state.Current == nil && slow.loaded
	})
	for range 5 {
		slow.Step(t.Context())
	}
	if after := snapshot(t, s, r.clock).Newest; !after.Ended.Equal(before.Ended) {
		t.Errorf("the result %+v was replaced by %+v", before, after)
	}
}
