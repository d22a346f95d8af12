package dispatch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"leadline/internal/events/sender"
	"leadline/store"
)

const (
	claimSize  = 256 // endpoints per call
	claimFor   = 60 * time.Second
	renewEvery = 20 * time.Second

	// mostInLine stops claiming. Endpoints of the slow lane and those that wait for their host
	// do not count: they must not keep out others.
	mostInLine = 16_384

	mostJobs   = 8    // deliveries that are read for an endpoint at once
	mostLoaded = 4096 // deliveries that are read for all endpoints in line, about

	// freshFor limits the use of deliveries and their endpoint after they were read: the
	// owner may have changed them since.
	freshFor = 5 * time.Second

	// Looking for endpoints reads past those that are claimed. So the time between two calls is
	// claimPause times the duration of the last one, within mostClaimPause.
	claimPause     = 4
	mostClaimPause = 100 * time.Millisecond
)

// claim is an endpoint that this process has claimed, with deliveries to send.
type claim struct {
	store.Endpoint
	host string
	jobs []store.Job
	more bool      // whether the store may have more than jobs
	read time.Time // when jobs and endpoint were read

	running  int  // attempts in progress
	unstored int  // results that are not stored yet
	slow     bool // whether the last attempt took longer than fastFor
	hanging  int  // attempts in progress that have given up their fast slot
	lined    bool // whether it is in a line
	waiting  bool // whether it waits for its host
	lost     bool // whether the claim has expired

	open time.Time // end of its last pause, or when it recovered
}

// fresh reports whether what was read may still be used.
func (c *claim) fresh() bool { return time.Since(c.read) < freshFor }

// drop makes the endpoint send nothing more until it is claimed again.
func (c *claim) drop() { c.jobs, c.more = nil, false }

// wait makes the endpoint wait for its host. Many may wait, so those that may wait for long do not
// keep what was read.
func (c *claim) wait() {
	c.waiting = true
	if !c.trusted() {
		c.jobs, c.more = nil, true
	}
}

// concurrency returns how many attempts at the endpoint may run.
func (c *claim) concurrency() int {
	if c.Health.Succeeded() && c.State == store.EndpointEnabled {
		return 2
	}
	return 1
}

// quiet reports whether nothing is in progress. Only then may deliveries be read: the store
// returns those in progress again.
func (c *claim) quiet() bool { return c.running == 0 && c.unstored == 0 }

// ready reports whether an attempt may start, perhaps after reading deliveries.
func (c *claim) ready() bool {
	if c.waiting || c.running >= c.concurrency() {
		return false
	}
	if len(c.jobs) > 0 && c.fresh() {
		return true
	}
	return (c.more || len(c.jobs) > 0) && c.quiet()
}

// laneOf returns the lane of an endpoint.
func (r *run) laneOf(c *claim) *lane {
	if c.slow || c.hanging > 0 || c.Health.Failing() {
		return r.late
	}
	return r.quick
}

// settle puts an endpoint into line if it is ready, and releases it if it has nothing to do.
func (r *run) settle(c *claim) {
	switch {
	case c.lined:
	case r.stopped.IsZero() && c.ready():
		c.lined = true
		r.laneOf(c).line.push(c)
	case c.quiet() && !c.waiting && r.claims[c.ID] == c:
		delete(r.claims, c.ID)
		if !c.lost {
			r.unused[c.ID] = true
		}
	}
}

// claimDue claims endpoints that have deliveries due.
func (r *run) claimDue(now time.Time) {
	if !r.mayLook() || now.Before(r.lookNext) {
		return
	}
	ctx, cancel := context.WithTimeout(r.calls, storeCall)
	defer cancel()
	wall := r.c.Now()
	list, err := r.c.Store.ClaimEndpoints(ctx, r.c.Owner, wall, wall.Add(claimFor), claimSize)
	r.reads.Record(r.c.Log, err)
	if err != nil {
		return
	}
	took := time.Since(now)
	r.lookNext = now.Add(took + min(claimPause*took, mostClaimPause))
	r.look = len(list) == claimSize
	for _, e := range list {
		r.admitClaim(e)
	}
}

// mayLook reports whether to claim more endpoints, at lookNext.
func (r *run) mayLook() bool {
	return r.look && r.mayRead() && r.quick.line.len() < mostInLine
}

// mayRead reports whether reading deliveries makes sense.
func (r *run) mayRead() bool { return r.reads.Over() && !r.results.blocked() }

// admitClaim takes an endpoint that was claimed.
func (r *run) admitClaim(e store.Endpoint) {
	delete(r.unused, e.ID)                 // the claim to release has expired; this one is new
	if old := r.claims[e.ID]; old != nil { // its claim had expired
		old.lost = false
		return
	}
	c := &claim{Endpoint: e, more: true, read: time.Now()}
	c.host, c.open = sender.Host(e.URL), e.Health.PauseUntil
	c.slow = time.Duration(e.Health.Last.Millis)*time.Millisecond > fastFor
	r.claims[e.ID] = c
	r.settle(c)
}

// renew extends all claims, and gives up those that have expired.
func (r *run) renew(now time.Time) {
	if now.Sub(r.renewed) < renewEvery || !r.reads.Over() {
		return
	}
	r.renewed = now
	if len(r.claims) == 0 {
		return
	}
	ids := make([]string, 0, len(r.claims))
	for id := range r.claims {
		ids = append(ids, id)
	}
	ctx, cancel := context.WithTimeout(r.calls, storeCall)
	defer cancel()
	held, err := r.c.Store.RenewEndpoints(ctx, r.c.Owner, ids, r.c.Now().Add(claimFor))
	switch {
	case err != nil: // a success proves nothing: engines may keep claims in memory
		r.reads.Record(r.c.Log, err)
	case len(held) < len(ids):
		r.lose(held)
	}
}

// lose gives up all claims but those that are held.
func (r *run) lose(held []string) {
	still := make(map[string]bool, len(held))
	for _, id := range held {
		still[id] = true
	}
	for id, c := range r.claims {
		if !still[id] {
			c.lost = true
			c.drop()
			r.settle(c)
		}
	}
}

// releaseClaims releases the endpoints that have nothing to do. What has become due in the
// meantime is claimed again.
func (r *run) releaseClaims() {
	if len(r.unused) == 0 || !r.reads.Over() {
		return
	}
	ctx, cancel := context.WithTimeout(r.calls, storeCall)
	defer cancel()
	ids := slices.Collect(maps.Keys(r.unused))
	if err := r.c.Store.ReleaseEndpoints(ctx, r.c.Owner, ids); err != nil {
		r.reads.Record(r.c.Log, err)
		return
	}
	clear(r.unused)
	r.look = true
}

// load reads deliveries for those of the endpoints that need them. If the store fails it returns
// false, and all of them are in line again.
func (r *run) load(list []*claim, l *lane) bool {
	need := map[string]*claim{}
	var ids []string
	for _, c := range list {
		// Jobs that were fresh when the endpoint was taken may be sent. Reading others would
		// return those in progress again.
		if len(c.jobs) > 0 && (c.fresh() || !c.quiet()) {
			continue
		}
		if err := r.reread(c); err != nil {
			return r.unloaded(list, err)
		}
		if c.more {
			need[c.ID] = c
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return true
	}
	n := 1
	if l == r.quick {
		n = min(max(mostLoaded/(l.line.len()+len(list)), 1), mostJobs)
	}
	ctx, cancel := context.WithTimeout(r.calls, storeCall)
	defer cancel()
	jobs, err := r.c.Store.Due(ctx, ids, r.c.Now(), n)
	if err != nil {
		return r.unloaded(list, err)
	}
	for _, j := range jobs {
		c := need[j.Delivery.Endpoint]
		c.jobs = append(c.jobs, j)
	}
	for _, c := range need {
		c.more = len(c.jobs) == n
	}
	return true
}

// reread reads an endpoint again if it was read some time ago.
func (r *run) reread(c *claim) error {
	c.jobs, c.more = nil, true
	if c.fresh() {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.calls, storeCall)
	defer cancel()
	e, err := r.c.Store.Endpoint(ctx, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		c.drop()
		return nil
	}
	if err != nil {
		return err
	}
	c.Endpoint, c.host, c.read = e, sender.Host(e.URL), time.Now()
	if !e.Receives() {
		c.drop()
	}
	return nil
}

// unloaded puts endpoints back into line after the store has failed.
func (r *run) unloaded(list []*claim, err error) bool {
	r.reads.Record(r.c.Log, err)
	for _, c := range list {
		r.settle(c)
	}
	return false
}
