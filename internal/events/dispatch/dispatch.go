// Package dispatch sends the deliveries that the store has: it decides which is attempted when, and
// stores the results. It does not make requests itself: package sender does.
//
//	dispatch.go   Dispatcher: its loop, and what it does from time to time
//	claims.go     which endpoints it owns, and their deliveries
//	flights.go    attempts in progress
//	slots.go      the lanes of attempts; hosts.go limits of a receiver's host
//	finish.go     results on their way to the store; results.go their queue
//	health.go     when an endpoint is paused or suspended
//	schedule.go   when a delivery is due again
//	background.go calls of the store
//	clocks.go     clocks of receivers
//	config.go     Config
package dispatch

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"leadline/store"
)

// Dispatcher sends the deliveries that are due. It claims their endpoints, so that one process
// sends to an endpoint at a time; which of them is next, and how many attempts run, is decided in
// memory. A receiver that is slow or down delays nobody else:
//
//   - An attempt needs a slot. Endpoints whose last attempt failed or took longer than a second
//     share the 64 slots of the slow lane, all others the 192 of the fast lane.
//   - After a second an attempt gives up its fast slot and continues without one.
//   - Endpoints that have deliveries take turns, each with one attempt. An endpoint may have one
//     attempt at a time, or two once an attempt has succeeded.
//   - A host has slots too, for it may have endpoints of many accounts.
//
// Results are stored in batches. An event is delivered at least once: an attempt whose result
// could not be stored is repeated.
type Dispatcher struct {
	c      Config
	wake   chan struct{}
	clocks *clockCheck

	fast, slow, running atomic.Int64 // slots in use, attempts in progress
}

// New returns a Dispatcher; Run starts it.
func New(c Config) *Dispatcher {
	c = c.withDefaults()
	return &Dispatcher{c: c, wake: make(chan struct{}, 1), clocks: newClockCheck(c.Log)}
}

// Wake makes Run look for deliveries now, and spread events for all accounts within a second. Call
// it after events were posted. It never blocks. Without it, Run looks for deliveries every second
// and for events to spread every minute.
func (d *Dispatcher) Wake() {
	select {
	case d.wake <- struct{}{}:
	default: // it is awake already
	}
}

// Slots returns the number of slots in use by lane, and of all attempts in progress.
func (d *Dispatcher) Slots() (fast, slow, attempts int) {
	return int(d.fast.Load()), int(d.slow.Load()), int(d.running.Load())
}

// ClockDoubted reports whether the clocks of five receivers in a row differ from ours by more
// than two minutes.
func (d *Dispatcher) ClockDoubted() bool { return d.clocks.doubted() }

const (
	drainFor = 10 * time.Second // for attempts in progress when Run ends
	leaveFor = 5 * time.Second  // after that, for their results

	minutely   = time.Minute // for what is done in case that something went wrong
	spreadSize = 500         // deliveries per transaction
)

// Run sends deliveries until ctx ends. Then it starts no more attempts, gives those in progress
// ten seconds, stores their results, releases its claims and returns nil. Only one Run of a
// Dispatcher may be in progress.
func (d *Dispatcher) Run(ctx context.Context) error {
	r := newRun(ctx, d)
	defer r.close()
	for !r.ended() {
		r.advance()
		r.await()
	}
	r.leave()
	return nil
}

// run is the state of a Run. One goroutine uses it.
type run struct {
	*Dispatcher
	schedule schedule
	attempts context.Context // of attempts
	abort    context.CancelFunc
	stopping <-chan struct{} // nil once it was received
	stopped  time.Time       // when it was received
	landed   chan landing    // attempts that have ended
	background
	timer *time.Timer

	quick, late *lane
	fastest     queue[*flight] // attempts that had a fast slot when they began, in that order
	inFlight    int
	hosts       hosts

	claims   map[string]*claim
	unused   map[string]bool // ids of claims to release
	look     bool            // whether to claim more endpoints
	lookNext time.Time       // not before
	renewed  time.Time
	tick     time.Time // when to look next without Wake
	clamped  time.Time
	woken    bool // whether there were posts since the last tick
	spread   bool // whether there may be events to spread
	spreadAt time.Time
	busy     busy
	results  results

	reads, upkeep store.Backoff
}

// busy names calls of the store that are in progress in other goroutines.
type busy struct{ spreading, clamping bool }

func newRun(ctx context.Context, d *Dispatcher) *run {
	r := &run{
		Dispatcher: d,
		schedule:   newSchedule(d.c.Seed),
		background: newBackground(context.WithoutCancel(ctx)),
		stopping:   ctx.Done(),
		landed:     make(chan landing, mostAttempts),
		timer:      time.NewTimer(0),
		quick:      newLane(fastSlots),
		late:       newLane(slowSlots),
		hosts:      hosts{},
		claims:     map[string]*claim{},
		unused:     map[string]bool{},
		renewed:    time.Now(),
		reads:      store.Backoff{Calls: "read deliveries"},
		upkeep:     store.Backoff{Calls: "spread events, correct due times, suspend endpoints"},
		results:    results{writes: store.Backoff{Calls: "store results of attempts"}},
	}
	r.attempts, r.abort = context.WithCancel(r.calls)
	return r
}

// close ends the attempts that are still in progress, without their results.
func (r *run) close() {
	r.abort()
	r.timer.Stop()
	close(r.closed)
	r.fast.Store(0)
	r.slow.Store(0)
	r.running.Store(0)
}

// advance does all that can be done now.
func (r *run) advance() {
	now := time.Now()
	r.releaseSlots(now)
	if r.stopped.IsZero() {
		if !now.Before(r.tick) {
			r.onTick(now)
		}
		r.renew(now)
		r.claimDue(now)
		r.fill(r.quick)
		r.fill(r.late)
		r.spreadEvents()
	} else if now.Sub(r.stopped) >= drainFor {
		r.abort()
	}
	r.finishResults(now)
	r.releaseClaims()
	r.fast.Store(int64(r.quick.used()))
	r.slow.Store(int64(r.late.used()))
	r.running.Store(int64(r.inFlight))
}

// onTick does what happens every second: due times are whole seconds.
func (r *run) onTick(now time.Time) {
	wall := r.c.Now()
	// Calls of the store that have failed are repeated now too, if their time has come.
	r.tick = now.Add(wall.Truncate(r.c.Poll).Add(r.c.Poll).Sub(wall))
	r.look = true
	r.admit(r.hosts.admit(now))
	if r.woken || now.Sub(r.spreadAt) >= minutely {
		r.woken, r.spread = false, true
	}
	if r.clamped.IsZero() || now.Sub(r.clamped) >= minutely {
		r.clampDue(now)
	}
}

// await waits for the next thing to do.
func (r *run) await() {
	r.timer.Reset(time.Until(r.next()))
	select {
	case l := <-r.landed:
		r.finished(l.flight, l.report)
		for range len(r.landed) { // what else has ended
			l := <-r.landed
			r.finished(l.flight, l.report)
		}
	case then := <-r.did:
		then()
	case <-r.wake:
		r.look, r.woken = true, true
	case <-r.stopping:
		r.stopping, r.stopped = nil, time.Now()
	case <-r.timer.C:
	}
}

// next returns when advance has something to do, if nothing happens before.
func (r *run) next() time.Time {
	next := time.Now().Add(time.Minute)
	if r.stopped.IsZero() {
		next = earlier(next, r.tick)
		if r.mayLook() {
			next = earlier(next, r.lookNext)
		}
	} else if r.attempts.Err() == nil {
		next = earlier(next, r.stopped.Add(drainFor))
	} else {
		next = earlier(next, r.stopped.Add(drainFor+leaveFor))
	}
	if r.fastest.len() > 0 {
		next = earlier(next, r.fastest.first().began.Add(fastFor))
	}
	if at := r.resultsDue(); !at.IsZero() {
		next = earlier(next, at)
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// ended reports whether Run has nothing left to do.
func (r *run) ended() bool {
	if r.stopped.IsZero() {
		return false
	}
	return r.inFlight == 0 && r.results.len() == 0 && r.busy == busy{} ||
		time.Since(r.stopped) >= drainFor+leaveFor
}

// leave releases all claims.
func (r *run) leave() {
	if n := r.results.len() + r.inFlight; n > 0 {
		r.c.Log.Warn("some attempts will be repeated: their results were not stored", "attempts", n)
	}
	ids := slices.Collect(maps.Keys(r.unused))
	for id := range r.claims {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(r.calls, leaveFor)
	defer cancel()
	if err := r.c.Store.ReleaseEndpoints(ctx, r.c.Owner, ids); err != nil {
		r.c.Log.Warn("release claims of endpoints", "error", err)
	}
}

// spreadEvents adds deliveries of events for all accounts while few endpoints are in line. So
// events of single accounts do not wait behind them.
func (r *run) spreadEvents() {
	if !r.spread || r.busy.spreading || r.quick.line.len() >= fastSlots || !r.upkeep.Over() {
		return
	}
	r.spread, r.busy.spreading, r.spreadAt = false, true, time.Now()
	var more bool
	r.inBackground(func(ctx context.Context) (err error) {
		more, err = r.c.Store.Spread(ctx, spreadSize)
		return err
	}, func(err error) {
		r.busy.spreading = false
		r.spread = r.spread || more || err != nil
		r.look = r.look || more
		r.upkeep.Record(r.c.Log, err)
	})
}

// clampDue corrects due times that a clock has written that was ahead.
func (r *run) clampDue(now time.Time) {
	if r.busy.clamping || !r.upkeep.Over() {
		return
	}
	r.busy.clamping = true
	var n int
	r.inBackground(func(ctx context.Context) (err error) {
		wall := r.c.Now()
		n, err = r.c.Store.ClampDue(ctx, wall.Add(furthest+time.Second), wall)
		return err
	}, func(err error) {
		r.busy.clamping = false
		if err == nil {
			r.clamped = now
		}
		if n > 0 {
			r.c.Log.Warn("moved due times that a wrong clock had set", "rows", n)
		}
		r.upkeep.Record(r.c.Log, err)
	})
}
