package limit

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"leadline/internal/access/outage"
	"leadline/store"
)

// The rate limit of an account applies to all instances of a store together. No request asks the
// store for that: an instance holds a share of the limit and counts its requests against it.
//
// The store has a row for each account and surface with the shares of all instances. Their sum
// never exceeds the limit, because the row is locked while one of them changes. An instance admits
// a request while its window, which has the requests of the last 60 seconds, holds fewer than its
// share. So at any moment the windows of all instances together hold at most the limit. That must
// remain true while shares change:
//
//   - A share that rises does so in the store first and in memory then, a share that falls in
//     memory first. In between, the store has more than memory, never less.
//   - A share falls only to what the window holds, so no window is ever above its share. Others can
//     take the difference only afterwards: 60 seconds that end before obey the old shares, those
//     that end later the new ones.
//   - A share counts in memory for shareFor from the time when its statement was sent, and in the
//     store for store.ShareLife from when it ran. The last request that is admitted under a share
//     has left the window before another instance can have it.
//   - Statements say how large the share is to be, not by how much it changes, and an instance runs
//     one at a time. After an error a statement may still run, even after later ones, and then
//     leaves in the store what it asked for. So the share in memory does not rise above that, until
//     a later statement was sent when the failed one could not run any more.
//
// A share that is used up grows by a step. Every second an instance gives back what its window did
// not use, except a small reserve, so one client gets about the whole limit from whichever instance
// it reaches. If the store fails, shares count until they end. After an outage of shareOutage an
// instance without a share admits its part of the limit, limit / live instances. Then all instances
// together admit at most twice the limit: shares, and those parts.
const (
	shareFor     = 60 * time.Second
	shareRenew   = 20 * time.Second // after this, a share that does not change is written again
	shareRefused = 250 * time.Millisecond
	shareOutage  = 10 * time.Second
	// shareLate limits how long after an error a statement can still run. Connections give up
	// after 5 seconds without a response, statements after StoreTimeout, which is at most 5 s.
	shareLate = 10 * time.Second
	// shareWithin limits the time of a statement. Requests do not wait that long.
	shareWithin = 5 * time.Second

	// The sizes of a step, in requests: a tenth of the limit, within bounds.
	stepPart  = 10
	stepLeast = 4
	stepMost  = 256

	reservePart = 10 // of the limit, divided by the live instances

	// surplusPart of the limit is the smallest surplus that is worth a statement.
	surplusPart = 50

	mostShares = 256 // of one statement
	// shareBackoff times the number of failures in a row, within longestBackoff, is the time
	// between statements while the store fails. The second one is sent at once.
	shareBackoff   = 250 * time.Millisecond
	longestBackoff = time.Second

	// othersReset is the Retry-After if all of the limit is in the shares of other instances. How
	// soon they give some back is unknown.
	othersReset = 10 * time.Second
)

// share is the share of this instance of the rate limit of an account on a surface. The lock of the
// account's counter guards it.
type share struct {
	counter *Counter
	surface Surface
	subject [32]byte // its name in the store

	limit int           // as of the last request
	held  int           // how many requests the window may hold, before until
	until time.Duration // by the monotonic clock
	sent  time.Duration // when the last statement was sent
	free  int           // what no instance held after it; at first the limit

	asked   *asked        // requests wait for the next statement, or nil
	sending *asked        // requests wait for the statement that is running, or nil
	active  bool          // whether maintain looks at it
	queued  bool          // to be written, though no request waits for it
	refused time.Duration // until then, no instance has anything to give
	doubt   int           // what is held does not rise above this by statements sent before doubted
	doubted time.Duration
}

// asked represents a statement that makes a share larger, for which requests of callers wait.
type asked struct{ done chan struct{} }

// holds returns the number of requests that the window may hold at now.
func (h *share) holds(now time.Duration) int {
	if now >= h.until {
		return 0
	}
	return h.held
}

// window returns the requests that the share is for, as of now.
func (h *share) window(now time.Duration) *window {
	w := &h.counter.windows[h.surface]
	w.turn(second(now))
	return w
}

// step returns how much a share grows: the size of a step, but at most half of what is free,
// divided by the live instances.
func (h *share) step(live int) int {
	size := min(max(h.limit/stepPart, stepLeast), stepMost)
	return max(1, min(size, h.free/(2*live)))
}

// reserve returns what an instance keeps above its window.
func (h *share) reserve(live int) int { return h.limit / (reservePart * live) }

// surplus returns what the share has above the window and a reserve at now.
func (h *share) surplus(now time.Duration, reserve int) int {
	used := int(h.window(now).sum)
	if used == 0 {
		return h.holds(now)
	}
	return max(0, h.holds(now)-used-reserve)
}

// idle reports whether the share needs no more attention: nothing is held or counted.
func (h *share) idle(now time.Duration) bool {
	return h.asked == nil && h.sending == nil && h.holds(now) == 0 && h.window(now).sum == 0
}

// due reports whether the share must be written: a surplus is given back, or it would end.
func (h *share) due(now time.Duration, reserve int) bool {
	if surplus := h.surplus(now, reserve); surplus > 0 &&
		(surplus >= h.limit/surplusPart || h.window(now).sum == 0) {
		return true
	}
	return h.holds(now) > 0 && now-h.sent >= shareRenew
}

// next returns the share to request now, a larger one if requests wait for it. What it gives back
// is lowered in memory at once.
func (h *share) next(now time.Duration, live, reserve int) int {
	target := h.holds(now)
	h.sending, h.asked = h.asked, nil
	if h.sending != nil {
		target = min(max(target, int(h.window(now).sum))+h.step(live), h.limit)
	} else {
		target -= h.surplus(now, reserve)
	}
	h.held, h.sent, h.queued = min(h.held, target), now, false
	return target
}

// granted takes the response to the statement that was sent last.
func (h *share) granted(now time.Duration, s store.Share) {
	h.held, h.free, h.until = s.Held, s.Free, h.sent+shareFor
	if h.sending != nil && h.holds(now) <= int(h.window(now).sum) {
		h.refused = now + shareRefused
	}
	if h.sent < h.doubted {
		h.held = min(h.held, h.doubt)
	}
	h.answered()
}

// failed takes the failure of a statement for a share, which may still run.
func (h *share) failed(now time.Duration, target int) {
	if now >= h.doubted {
		h.doubt = target
	}
	h.doubt, h.doubted = min(h.doubt, target), now+shareLate
	h.answered()
}

// answered wakes the requests that wait.
func (h *share) answered() {
	if h.sending != nil {
		close(h.sending.done)
		h.sending = nil
	}
}

// Fleet describes this process among the instances that use its store.
type Fleet interface {
	// Shares requests shares for this instance, as store.Instances does.
	Shares(ctx context.Context, list []store.ShareRequest) ([]store.Share, error)
	// Live returns the number of live instances, as far as this one knows.
	Live() int
	// Silent returns for how long the store has not responded to this instance.
	Silent() time.Duration
}

// sharer holds the shares of this instance.
type sharer struct {
	fleet    Fleet
	patience outage.Patience
	elapsed  func() time.Duration

	mu       sync.Mutex
	asking   []*share // to be requested for callers
	due      []*share // to be requested otherwise
	active   map[*share]struct{}
	writing  bool // a goroutine runs write
	ticking  bool // a goroutine runs tick
	closed   bool
	failures int           // in a row
	retry    time.Duration // no statement before

	closing    chan struct{}
	background sync.WaitGroup
}

// newSharer returns a sharer. The caller must call Close.
func newSharer(
	fleet Fleet, storeTimeout time.Duration, elapsed func() time.Duration,
) *sharer {
	return &sharer{
		fleet: fleet, patience: outage.Patience{Short: storeTimeout}, elapsed: elapsed,
		active: map[*share]struct{}{}, closing: make(chan struct{}),
	}
}

// live returns the number of live instances.
func (s *sharer) live() int { return max(1, s.fleet.Live()) }

// share returns the share of an account. The caller must hold the lock of its counter.
func (c *Counter) share(on Surface, limit int) *share {
	if c.shares == nil {
		c.shares = &[Documents]share{}
	}
	h := &c.shares[on]
	if h.counter == nil {
		h.counter, h.surface, h.free = c, on, limit
		h.subject = sha256.Sum256([]byte(on.Name() + " " + c.id))
	}
	h.limit = limit
	return h
}

// count counts a request of an account. The error is errFull, with the time until the limit may
// admit another one, or ErrNoShare.
func (s *sharer) count(
	ctx context.Context, c *Counter, on Surface, limit int,
) (left time.Duration, err error) {
	left, waits, err := s.try(c, on, limit)
	if waits == nil {
		return left, err
	}
	for waits != nil {
		if s.patience.Wait(ctx, waits.done) != nil {
			return 0, ErrNoShare
		}
		left, waits, err = s.try(c, on, limit)
	}
	return left, err
}

// try counts a request, or returns what it must wait for. When a share is nearly used up, it is
// extended before a request has to wait.
func (s *sharer) try(
	c *Counter, on Surface, limit int,
) (left time.Duration, waits *asked, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, now := c.share(on, limit), s.elapsed()
	w := h.window(now)
	holds := min(h.holds(now), limit)
	if w.take(second(now), holds) {
		ahead := h.step(s.live()) / 4
		if holds < limit && int(w.sum)+ahead >= holds && now >= h.refused {
			s.extend(h, now)
		}
		return 0, nil, nil
	}
	if int(w.sum) >= limit || now < h.refused {
		return h.reset(now), nil, errFull
	}
	waits = s.extend(h, now)
	switch {
	case holds == 0 && s.outage():
		if w.take(second(now), limit/s.live()) {
			return 0, nil, nil
		}
	case now < h.doubted && int(w.sum) >= h.doubt:
	case waits != nil:
		return 0, waits, nil
	}
	return 0, nil, ErrNoShare
}

// reset returns the time until the limit may admit another request.
func (h *share) reset(now time.Duration) time.Duration {
	w := h.window(now)
	if w.sum == 0 {
		return othersReset
	}
	_, at := w.left(second(now), h.limit)
	return until(at, now)
}

// left returns how many requests are certainly admitted now, and the second at which the window
// has room for another one. Others may hold the rest of the limit or give it back at any time.
func (s *sharer) left(c *Counter, on Surface, limit int, now time.Duration) (n int, reset int64) {
	h := c.share(on, limit)
	w, holds := h.window(now), h.holds(now)
	if holds == 0 && s.outage() {
		holds = limit / s.live()
	}
	return w.left(second(now), min(holds, limit))
}

// extend requests a larger share, and returns what to wait for. It returns nil if the store has
// failed and no statement is sent now. The caller must hold the lock of the counter.
func (s *sharer) extend(h *share, now time.Duration) *asked {
	if h.sending != nil {
		return h.sending
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if h.asked == nil {
		h.asked = &asked{make(chan struct{})}
		s.asking = append(s.asking, h)
		s.activate(h)
		s.start()
	}
	if now < s.retry {
		return nil
	}
	return h.asked
}

// activate makes maintain look at a share. The caller must hold both locks.
func (s *sharer) activate(h *share) {
	if h.active {
		return
	}
	h.active = true
	s.active[h] = struct{}{}
	if !s.ticking {
		s.ticking = true
		s.background.Go(s.tick)
	}
}

// start begins to write what is requested. The caller must hold the lock.
func (s *sharer) start() {
	if !s.writing && len(s.asking)+len(s.due) > 0 {
		s.writing = true
		s.background.Go(s.write)
	}
}

// outage reports whether the store has not responded for long, neither to statements nor to
// heartbeats. Some failures prove nothing: the store may respond to other instances.
func (s *sharer) outage() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures > 0 && s.fleet.Silent() >= shareOutage
}

// write sends statements until there is nothing to request. Those of callers go first.
func (s *sharer) write() {
	for {
		list, wait := s.take()
		switch {
		case wait > 0:
			s.sleep(wait)
		case list == nil:
			return
		default:
			s.send(list)
		}
	}
}

// take returns the shares of the next statement, or the time until it may be sent.
func (s *sharer) take() (list []*share, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := s.elapsed(); {
	case s.closed && s.failures > 0:
		s.asking, s.due = nil, nil // the store does not respond, and nobody waits
	case now < s.retry:
		return nil, s.retry - now
	}
	for _, from := range []*[]*share{&s.asking, &s.due} {
		n := min(len(*from), mostShares-len(list))
		list = append(list, (*from)[:n]...)
		*from = (*from)[n:]
	}
	s.writing = len(list) > 0
	return unique(list), 0
}

// unique returns shares without repetitions: one may be requested for callers and be due as well.
func unique(list []*share) []*share {
	seen := make(map[*share]bool, len(list))
	n := 0
	for _, h := range list {
		if !seen[h] {
			seen[h] = true
			list[n] = h
			n++
		}
	}
	return list[:n]
}

// sleep waits, but not longer than until close.
func (s *sharer) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closing:
	}
}

// send requests shares in one statement.
func (s *sharer) send(list []*share) {
	requests, live, last := make([]store.ShareRequest, len(list)), s.live(), s.ending()
	for i, h := range list {
		h.counter.mu.Lock()
		reserve := h.reserve(live)
		if last {
			reserve = 0
		}
		requests[i] = store.ShareRequest{
			Subject: h.subject, Share: h.next(s.elapsed(), live, reserve), Limit: h.limit,
		}
		h.counter.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(context.Background(), shareWithin)
	defer cancel()
	granted, err := s.fleet.Shares(ctx, requests)
	s.record(err)
	for i, h := range list {
		h.counter.mu.Lock()
		if now := s.elapsed(); err == nil {
			h.granted(now, granted[i])
		} else {
			h.failed(now, requests[i].Share)
		}
		h.counter.mu.Unlock()
	}
}

// record takes the outcome of a statement.
func (s *sharer) record(err error) {
	s.patience.Record(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.failures = 0
		return
	}
	s.retry = s.elapsed() + min(time.Duration(s.failures)*shareBackoff, longestBackoff)
	s.failures++
}

// tick looks at all shares every second until there are none.
func (s *sharer) tick() {
	for again := true; again; {
		s.sleep(time.Second)
		again = s.maintain()
	}
}

// maintain requests what shares must give back and those that would end. It returns false if there
// are no shares any more.
func (s *sharer) maintain() (again bool) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	list := make([]*share, 0, len(s.active))
	for h := range s.active {
		list = append(list, h)
	}
	s.mu.Unlock()
	live := s.live()
	for _, h := range list {
		s.look(h, live)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start()
	s.ticking = len(s.active) > 0
	return s.ticking
}

// look requests a share if it is due, and drops it if it is idle.
func (s *sharer) look(h *share, live int) {
	h.counter.mu.Lock()
	defer h.counter.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.elapsed()
	switch {
	case h.idle(now):
		h.active = false
		delete(s.active, h)
	case h.asked == nil && h.sending == nil && !h.queued && h.due(now, h.reserve(live)):
		h.queued = true
		s.due = append(s.due, h)
	}
}

// ending reports whether close was called.
func (s *sharer) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// close gives back what the windows do not hold. Their requests count until they have left the
// windows: the store keeps the rest until it ends.
func (s *sharer) close() {
	s.mu.Lock()
	s.closed = true
	s.due = nil
	for h := range s.active {
		s.due = append(s.due, h)
	}
	s.start()
	s.mu.Unlock()
	close(s.closing)
	s.background.Wait()
}

// Counter counts the requests of an account or of a group of addresses.
type Counter struct {
	id string // of the account, or "" for a group: instances share limits of accounts only

	mu      sync.Mutex
	windows [surfaces]window
	shares  *[Documents]share // of the limits of the windows, or nil if they are counted here alone
}

// The reasons why a request is not admitted.
var (
	errFull    = errors.New("rate limit reached")
	ErrNoShare = errors.New("no share of the rate limit: the store does not respond")
)
