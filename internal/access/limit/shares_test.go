package limit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access/outage"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// shareTrial simulates instances that share the limit of one account. It runs in a bubble, so that
// minutes pass at once.
type shareTrial struct {
	*testing.T
	*rand.Rand
	store      *bolt.Store
	limit      int
	elapsed    func() time.Duration // since the start
	faults     faults
	down       atomic.Bool // the store does not respond
	failed     bool        // it did not for long
	instances  []*shareInstance
	served     []time.Duration // times of the requests that were admitted
	started    int             // number of instances so far
	running    atomic.Int64
	statements atomic.Int64 // of all instances
	live       func() int   // what instances count as live
}

// faults are the chances of a fault of one statement.
type faults struct {
	slow float64 // it takes up to a second, and its caller may have given up
	lost float64 // its response is lost
	late float64 // it runs up to 5 seconds later
}

// shareInstance is an instance with its own counters of the account.
type shareInstance struct {
	id      string
	trial   *shareTrial
	sharer  *sharer
	counter *Counter
	dead    atomic.Bool
	cut     atomic.Bool // it does not reach the store
}

// inShareBubble calls f in a bubble with a clock that starts with it.
func inShareBubble(t *testing.T, f func(t *testing.T, elapsed func() time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f(t, func() time.Duration { return time.Since(start) })
	})
}

func newShareTrial(
	t *testing.T, elapsed func() time.Duration, r *rand.Rand, limit, instances int,
) *shareTrial {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &shareTrial{T: t, Rand: r, store: s, limit: limit, elapsed: elapsed}
	w.live = func() int { return int(w.running.Load()) }
	for range instances {
		w.instances = append(w.instances, w.enroll())
	}
	return w
}

// end stops all instances.
func (w *shareTrial) end() {
	for _, i := range w.instances {
		w.stop(i)
	}
	time.Sleep(10 * time.Second) // for statements that run late
	if err := w.store.Close(); err != nil {
		w.Error(err)
	}
}

func (w *shareTrial) enroll() *shareInstance {
	w.started++
	i := &shareInstance{id: fmt.Sprint("instance ", w.started), counter: &Counter{id: "account"}}
	_, err := w.store.Enroll(w.Context(), store.Instance{ID: i.id})
	if err != nil {
		w.Fatal(err)
	}
	w.running.Add(1)
	i.trial = w
	i.sharer = newSharer(i, outage.Timeout, w.elapsed)
	return i
}

// stop ends an instance, as SIGTERM does.
func (w *shareTrial) stop(i *shareInstance) {
	i.sharer.close()
	if err := w.store.Leave(w.Context(), i.id); err != nil {
		w.Error(err)
	}
	w.running.Add(-1)
}

// kill ends an instance without a trace in the store.
func (w *shareTrial) kill(i *shareInstance) {
	i.dead.Store(true)
	i.sharer.close()
	w.running.Add(-1)
}

// lockedSource is a source of random numbers for several goroutines.
type lockedSource struct {
	mu     sync.Mutex
	source rand.Source
}

func newRand(seed, stream uint64) *rand.Rand {
	return rand.New(&lockedSource{source: rand.NewPCG(seed, stream)})
}

func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}

var errFault = errors.New("fault")

// Live returns the number of live instances.
func (i *shareInstance) Live() int { return i.trial.live() }

// Silent returns for how long the store has not responded: not at all, or for long.
func (i *shareInstance) Silent() time.Duration {
	if i.trial.down.Load() || i.cut.Load() {
		return shareOutage
	}
	return 0
}

// Shares runs a statement, with faults.
func (i *shareInstance) Shares(
	ctx context.Context, list []store.ShareRequest,
) ([]store.Share, error) {
	w := i.trial
	run := func() ([]store.Share, error) {
		return w.store.Shares(context.WithoutCancel(ctx), i.id, list)
	}
	w.statements.Add(1)
	latency := 1 + w.N(5*time.Millisecond)
	if w.Float64() < w.faults.slow {
		latency = 1 + w.N(time.Second)
	}
	result := make(chan []store.Share, 1)
	switch chance := w.Float64(); {
	case w.down.Load() || i.dead.Load() || i.cut.Load():
		latency = time.Hour
	case chance < w.faults.late:
		time.AfterFunc(w.N(5*time.Second), func() { run() })
		latency = time.Hour
	case chance < w.faults.late+w.faults.lost:
		if _, err := run(); err != nil {
			return nil, err
		}
		latency = time.Hour
	default:
		arrives := w.N(latency)
		time.AfterFunc(arrives, func() {
			if shares, err := run(); err == nil {
				time.AfterFunc(latency-arrives, func() { result <- shares })
			}
		})
	}
	select {
	case shares := <-result:
		return shares, nil
	case <-ctx.Done():
		return nil, errFault
	}
}

// N returns a random duration below d.
func (w *shareTrial) N(d time.Duration) time.Duration { return time.Duration(w.Int64N(int64(d))) }

// request sends a request to an instance. What the instance reports as left must not exceed what
// all instances together may still admit.
func (w *shareTrial) request(i *shareInstance) error {
	_, err := i.sharer.count(w.Context(), i.counter, REST, w.limit)
	now := w.elapsed()
	if err == nil {
		w.served = append(w.served, now)
	}
	i.counter.mu.Lock()
	left, _ := i.sharer.left(i.counter, REST, w.limit, now)
	i.counter.mu.Unlock()
	recent := 0
	for n := len(w.served) - 1; n >= 0 && now-w.served[n] < time.Minute; n-- {
		recent++
	}
	if most := w.limit - recent; !w.failed && left > max(0, most) {
		w.Errorf("at %v %d are left, want at most %d", now, left, most)
	}
	return err
}

// most returns the largest number of requests that were admitted in any 60 seconds.
func (w *shareTrial) most() (most int) {
	first := 0
	for n, at := range w.served {
		for at-w.served[first] >= time.Minute {
			first++
		}
		most = max(most, n-first+1)
	}
	return most
}

// traffic sends requests for a time, in one of several patterns, while instances are restarted and
// killed.
func (w *shareTrial) traffic(d time.Duration) {
	pattern, rate := w.IntN(5), float64(w.limit)*(0.5+w.Float64()*4)/60
	gap := time.Duration(float64(time.Second) / rate)
	target, end := 0, w.elapsed()+d
	for n := 0; w.elapsed() < end; n++ {
		switch {
		case pattern == 0, pattern == 1 && w.IntN(w.limit) == 0:
			target = w.IntN(len(w.instances)) // every request, or a move from time to time
		case pattern >= 3:
			target = n
		}
		at := target % len(w.instances)
		if w.request(w.instances[at]) != nil && w.IntN(3) > 0 {
			time.Sleep(w.N(2 * time.Second))
		}
		if w.IntN(20*w.limit) == 0 {
			end := w.kill
			if w.IntN(2) == 0 {
				end = w.stop
			}
			end(w.instances[at])
			w.instances[at] = w.enroll()
		}
		if pattern%3 == 1 && w.IntN(w.limit) > 0 { // a burst
			continue
		}
		time.Sleep(w.N(2 * gap))
	}
}

// TestSharesAreExact checks that no 60 seconds have more requests of an account than its limit,
// over all instances, and that no instance reports more to be left than there is. Clients stay,
// move and burst, instances are restarted and killed, and statements are slow, get lost and run
// late.
func TestSharesAreExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(trials.Cases()) {
		inShareBubble(t, func(t *testing.T, elapsed func() time.Duration) {
			r := newRand(seed, 2)
			w := newShareTrial(t, elapsed, r, []int{1, 7, 30, 100}[r.IntN(4)], 1+r.IntN(5))
			if r.IntN(2) == 0 {
				w.faults = faults{slow: 0.2 * r.Float64(), lost: 0.05 * r.Float64(), late: 0.05 * r.Float64()}
			}
			for range 3 {
				w.traffic(w.N(2 * time.Minute))
			}
			w.end()
			if most := w.most(); most > w.limit {
				t.Errorf("seed %d: %d requests in 60 seconds, want at most %d", seed, most, w.limit)
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestSharesEnd checks that the share of an instance that does not reach the store ends before
// others can have it. So many instances are live that none of them has a part of its own.
func TestSharesEnd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(trials.Cases() / 10) {
		inShareBubble(t, func(t *testing.T, elapsed func() time.Duration) {
			w := newShareTrial(t, elapsed, newRand(seed, 3), 30, 2)
			w.live = func() int { return w.limit + 1 }
			cut, other := w.instances[0], w.instances[1]
			for w.request(cut) == nil {
			}
			for range w.IntN(60) { // so its window is not empty later
				time.Sleep(time.Second)
				w.request(cut)
			}
			cut.cut.Store(true)
			for w.elapsed() < 6*time.Minute+5*time.Second {
				w.request(w.instances[w.IntN(2)])
				time.Sleep(w.N(time.Second))
			}
			if most := w.most(); most != w.limit {
				t.Errorf("seed %d: %d requests in 60 seconds, want %d", seed, most, w.limit)
			}
			if n := countAfter(w.served, 4*time.Minute); n < w.limit*3/2 {
				t.Errorf("seed %d: %d requests in the last 125 seconds, want about %d", seed, n, 2*w.limit)
			}
			if err := w.request(cut); !errors.Is(err, ErrNoShare) {
				t.Errorf("seed %d: the instance without the store returns %v", seed, err)
			}
			other.sharer.close()
			cut.sharer.close()
			time.Sleep(time.Hour) // for statements that get no response
			w.store.Close()
		})
	}
}

// countAfter returns the number of times after one.
func countAfter(times []time.Duration, after time.Duration) (n int) {
	for _, at := range times {
		if at >= after {
			n++
		}
	}
	return n
}

// TestSharesInAnOutage checks that all instances together admit at most twice the limit while the
// store does not respond, and that each of them admits something.
func TestSharesInAnOutage(t *testing.T) {
	t.Parallel()
	for seed := range uint64(trials.Cases() / 10) {
		inShareBubble(t, func(t *testing.T, elapsed func() time.Duration) {
			r := newRand(seed, 4)
			w := newShareTrial(t, elapsed, r, 30+r.IntN(100), 1+r.IntN(5))
			send := func(d time.Duration) {
				for end := w.elapsed() + d; w.elapsed() < end; {
					w.request(w.instances[w.IntN(len(w.instances))])
					time.Sleep(w.N(60 * time.Second / time.Duration(4*w.limit)))
				}
			}
			send(w.N(2 * time.Minute))
			w.failed = true
			w.down.Store(true)
			began := w.elapsed()
			send(3*time.Minute + 5*time.Second)
			if n := countAfter(w.served, began+2*time.Minute); n < w.limit*9/10 {
				t.Errorf("seed %d: %d requests in 65 seconds of the outage, want about %d", seed, n, w.limit)
			}
			w.down.Store(false)
			send(2 * time.Minute)
			if n := countAfter(w.served, w.elapsed()-time.Minute); n > w.limit {
				t.Errorf("seed %d: %d requests in 60 seconds after the outage, want %d", seed, n, w.limit)
			}
			if most := w.most(); most > 2*w.limit {
				t.Errorf("seed %d: %d requests in 60 seconds, want at most %d", seed, most, 2*w.limit)
			}
			w.end()
		})
	}
}

// TestSharesServe checks that one client gets about the whole limit, wherever its requests arrive,
// and how many statements that takes.
func TestSharesServe(t *testing.T) {
	t.Parallel()
	minutes := time.Duration(10)
	if !trials.Thorough() {
		minutes = 4
	}
	for _, c := range []struct {
		name             string
		limit, instances int
		rate             float64 // of the client, in parts of the limit
		move             time.Duration
		part             float64 // of what an exact counter in one place would admit
		statements       float64 // for each request that is admitted
	}{
		{"one connection of 3", 300, 3, 0.95, time.Hour, 0.99, 0.5},
		{"one connection of 20", 300, 20, 0.95, time.Hour, 0.99, 1},
		{"one connection, large", 3000, 3, 0.95, time.Hour, 0.99, 0.1},
		{"moves every 20 s", 300, 3, 0.95, 20 * time.Second, 0.95, 1},
		{"all of 3, overload", 300, 3, 10, 0, 0.97, 2.5},
		{"all of 20, overload", 3000, 20, 10, 0, 0.97, 1.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			inShareBubble(t, func(t *testing.T, elapsed func() time.Duration) {
				w := newShareTrial(t, elapsed, newRand(1, 5), c.limit, c.instances)
				gap := time.Duration(float64(time.Minute) / (c.rate * float64(c.limit)))
				target, moved, sent := 0, time.Duration(0), 0
				for at := time.Duration(0); at < minutes*time.Minute; at = w.elapsed() {
					if at-moved >= c.move {
						target, moved = w.IntN(c.instances), at
					}
					w.request(w.instances[target])
					sent++
					time.Sleep(gap)
				}
				possible := min(float64(sent), float64(minutes)*float64(c.limit))
				part := float64(len(w.served)) / possible
				statements := float64(w.statements.Load()) / float64(len(w.served))
				t.Logf("%.3f of the requests, %.3f statements each", part, statements)
				if part < c.part || statements > c.statements {
					t.Errorf("%.3f of the requests, want %.3f; %.3f statements each, want at most %.3f",
						part, c.part, statements, c.statements)
				}
				w.end()
			})
		})
	}
}
