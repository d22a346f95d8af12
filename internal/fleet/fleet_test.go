package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/store"
	"leadline/store/bolt"
)

// place is a store whose instance can be cut off.
type place struct {
	store.Instances
	cut atomic.Bool
}

var errCut = errors.New("cut off")

func (p *place) Heartbeat(ctx context.Context, id string) (store.Fleet, error) {
	if p.cut.Load() {
		return store.Fleet{}, errCut
	}
	return p.Instances.Heartbeat(ctx, id)
}

func (p *place) Enroll(ctx context.Context, i store.Instance) (int, error) {
	if p.cut.Load() {
		return 0, errCut
	}
	return p.Instances.Enroll(ctx, i)
}

func (p *place) Hold(ctx context.Context, owner, job string, d time.Duration) (bool, error) {
	if p.cut.Load() {
		return false, errCut
	}
	return p.Instances.Hold(ctx, owner, job, d)
}

// inBubble calls f with a store, in a bubble where minutes pass at once.
func inBubble(t *testing.T, f func(t *testing.T, s store.Instances)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f(t, s)
	})
}

var ids atomic.Int64

// config returns the configuration of an instance of a store, which logs to a buffer.
func config(now func() time.Time, s store.Instances, name string, log *bytes.Buffer) Config {
	return Config{
		Store: s, Name: name, Version: "1", Now: now,
		NewID: func() string { return fmt.Sprint("id ", ids.Add(1)) },
		Log:   slog.New(slog.NewTextHandler(log, nil)),
	}
}

func join(t *testing.T, now func() time.Time, s store.Instances, name string) *Member {
	t.Helper()
	m, err := Join(t.Context(), config(now, s, name, new(bytes.Buffer)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run runs functions until stop is called.
func run(jobs ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, job := range jobs {
		running.Go(func() { job(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// TestMembers checks that instances know of each other, of one that has left and of one that was
// cut off, which takes a new id after a minute.
func TestMembers(t *testing.T) {
	inBubble(t, func(t *testing.T, s store.Instances) {
		cut := &place{Instances: s}
		a, b, c := join(t, time.Now, s, "a"), join(t, time.Now, cut, "b"), join(t, time.Now, s, "c")
		stopA, stopB, stopC := run(a.Run), run(b.Run), run(c.Run)
		time.Sleep(3 * time.Second)
		if a.Live() != 3 || b.Live() != 3 || a.Instances()[1].Name != "b" {
			t.Errorf("a knows of %+v, b of %+v", a.Instances(), b.Instances())
		}
		stopC()
		if err := c.Leave(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if a.Live() != 2 {
			t.Errorf("after one has left, a knows of %+v", a.Instances())
		}
		before := b.ID()
		cut.cut.Store(true)
		time.Sleep(30 * time.Second)
		if a.Live() != 1 || b.Silent() < 28*time.Second {
			t.Errorf("a knows of %+v; b was silent for %v", a.Instances(), b.Silent())
		}
		cut.cut.Store(false)
		time.Sleep(5 * time.Second)
		if a.Live() != 2 || b.ID() != before || b.Silent() > 3*time.Second {
			t.Errorf("a knows of %+v; the id of b is %s, want %s", a.Instances(), b.ID(), before)
		}
		cut.cut.Store(true)
		time.Sleep(70 * time.Second)
		cut.cut.Store(false)
		time.Sleep(5 * time.Second)
		if a.Live() != 2 || b.ID() == before {
			t.Errorf("a knows of %+v; b still has the id %s", a.Instances(), before)
		}
		stopA()
		stopB()
	})
}

// TestLostSlot checks that an instance whose id the store does not know any more takes a new one.
func TestLostSlot(t *testing.T) {
	inBubble(t, func(t *testing.T, s store.Instances) {
		m := join(t, time.Now, s, "a")
		before := m.ID()
		if err := s.Leave(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		stop := run(m.Run)
		time.Sleep(3 * time.Second)
		stop()
		if m.ID() == before || m.Live() != 1 {
			t.Errorf("the id is %s, and the live instances are %+v", m.ID(), m.Instances())
		}
	})
}

// TestClocks checks that a clock that is wrong at the start prevents it, and that one that becomes
// wrong is logged.
func TestClocks(t *testing.T) {
	inBubble(t, func(t *testing.T, s store.Instances) {
		var offset atomic.Int64
		var log bytes.Buffer
		c := config(time.Now, s, "a", &log)
		c.Now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
		for _, wrong := range []time.Duration{6 * time.Second, -6 * time.Second} {
			offset.Store(int64(wrong))
			if _, err := Join(t.Context(), c); err == nil || !strings.Contains(err.Error(), "synchronize") {
				t.Errorf("with a difference of %v: %v", wrong, err)
			}
		}
		offset.Store(int64(4 * time.Second))
		m, err := Join(t.Context(), c)
		if err != nil || m.Live() != 1 {
			t.Fatal(err, m.Instances())
		}
		stop := run(m.Run)
		time.Sleep(3 * time.Second)
		offset.Store(int64(-7 * time.Second))
		time.Sleep(10 * time.Second)
		stop()
		if d := m.Difference(); d != -7*time.Second ||
			strings.Count(log.String(), "clocks of this machine") != 1 {
			t.Errorf("the difference is %v, the log\n%s", d, &log)
		}
	})
}

// TestJobs checks that a job never runs on two instances, while they are cut off and come back, and
// that it runs again soon.
func TestJobs(t *testing.T) {
	inBubble(t, func(t *testing.T, s store.Instances) {
		var running, runs atomic.Int64
		work := func(ctx context.Context) {
			if running.Add(1) != 1 {
				t.Error("the job runs twice")
			}
			runs.Add(1)
			<-ctx.Done()
			time.Sleep(5 * time.Second) // to end what it does
			running.Add(-1)
		}
		var places []*place
		var stops []func()
		for i := range 3 {
			p := &place{Instances: s}
			m := join(t, time.Now, p, fmt.Sprint(i))
			stop := run(m.Run, m.Job("work", work))
			places = append(places, p)
			stops = append(stops, func() {
				stop()
				if err := m.Leave(); err != nil {
					t.Error(err)
				}
			})
		}
		for round := range 40 {
			for i, p := range places {
				p.cut.Store((round>>i)&1 == 1 && round%8 != 7)
			}
			time.Sleep(time.Duration(round%7) * 11 * time.Second)
			if round%8 == 0 { // all are connected
				time.Sleep(time.Minute)
				if running.Load() != 1 {
					t.Errorf("%d jobs run, want 1", running.Load())
				}
			}
		}
		if runs.Load() < 3 {
			t.Errorf("the job ran %d times, want more", runs.Load())
		}
		for _, stop := range stops {
			stop()
		}
		if running.Load() != 0 {
			t.Error("the job runs on")
		}
	})
}
