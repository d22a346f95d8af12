package access

import (
	"context"
	"errors"
	"sync"
	"time"

	"leadline/store"
)

// month is what an account has of its month: a lease of units that were
// reserved in the store and are handed out here. A lease dies with its month.
//
// A crash loses the units in hand, at most one lease: a refill asks for no
// more than what is missing to a whole one.
type month struct {
	of       store.Month
	limit    uint64
	reserved uint64 // units, by the store's last word
	known    bool   // whether the store has said a word of this month
	inHand   uint64 // units of those that are not served yet
	used     bool   // the store has said that nothing is left
	down     bool   // the store did not answer when it was last asked
	filling  *fill  // the refill under way, nil where there is none
}

// fill is a refill under way.
type fill struct {
	done chan struct{}
	err  error // to be read when done is closed
}

// The sizes of a lease, in units: a two-hundredth of the month within bounds,
// small enough to lose, large enough that the store is rarely asked.
const (
	leasePart  = 200
	leaseLeast = 16
	leaseMost  = 256
)

// full is a whole lease.
func (m *month) full() uint64 { return min(max(m.limit/leasePart, leaseLeast), leaseMost) }

// lease is how many units are best in hand. Near the end of the month's
// allowance it shrinks: other instances want the last units too.
func (m *month) lease() uint64 {
	full, left := m.full(), uint64(0)
	if m.reserved < m.limit {
		left = m.limit - m.reserved
	}
	switch {
	case left >= 4*full:
		return full
	case left >= full/4:
		return full / 4
	}
	return 1
}

// take hands out a unit that is in hand.
func (m *month) take() bool {
	if m.inHand == 0 {
		return false
	}
	m.inHand--
	return true
}

// left is what is left of the month: never too high, and exact where this is
// the only instance. While the store does not answer it is what is in hand.
func (m *month) left() uint64 {
	if m.down || !m.known {
		return m.inHand
	}
	return m.rest()
}

// rest is what the store's last word and the units in hand come to.
func (m *month) rest() uint64 {
	if m.reserved >= m.limit+m.inHand {
		return 0
	}
	return m.limit + m.inHand - m.reserved
}

// Warning says how much of a month is used.
type Warning string

// The warnings. The shares are ours.
const (
	None        Warning = "none"
	Approaching Warning = "approaching" // from 80 % on
	Critical    Warning = "critical"    // from 95 % on
	Exhausted   Warning = "exhausted"   // nothing is left
)

// warning is by the store's last word, also while it does not answer.
func (m *month) warning() Warning {
	used := m.limit - min(m.rest(), m.limit)
	switch {
	case !m.known:
		return None
	case used >= m.limit:
		return Exhausted
	case used*100 >= m.limit*95:
		return Critical
	case used*100 >= m.limit*80:
		return Approaching
	}
	return None
}

// surplus is how many of the units in hand are too many: those beyond the
// limit, where it was lowered, and those beyond a lease, where many requests
// have ended in refunds.
func (m *month) surplus() (n uint64) {
	if m.reserved > m.limit {
		n = min(m.reserved-m.limit, m.inHand)
	}
	if rest := m.inHand - n; rest > m.full() {
		n += rest - m.full()
	}
	return n
}

// account is what is counted of an account: its minutes and its month.
type account struct {
	id string

	mu      sync.Mutex
	minutes [surfaces]window
	month   month
	waiting uint64 // requests that wait for a refill
}

// holding is who a credential names, and what the limits come from.
type holding struct {
	who     Caller // but for the address
	plan    *Plan
	account *account // nil of a caller without a credential
	crowd   *crowd   // that a caller without a credential is counted in, nil for its address
}

// ledger are the accounts that were seen.
type ledger struct {
	store    store.Quota
	patience time.Duration // how long a request waits for the store
	observe  func(granted uint64, err error)

	mu       sync.Mutex
	accounts map[string]*account
	asking   sync.WaitGroup
}

// account returns what is counted of an account.
func (l *ledger) account(id string) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[id]
	if a == nil {
		a = &account{id: id}
		l.accounts[id] = a
	}
	return a
}

// errSpent: nothing of the month is left. errStore: the store has not answered.
var (
	errSpent = errors.New("the month is used up")
	errStore = errors.New("the store did not answer")
)

// spend takes a unit of the account's month and returns which month that is:
// the one of now, or a later one that has begun meanwhile. Else it returns
// errSpent, or why the store has not answered.
func (l *ledger) spend(ctx context.Context, a *account, now store.Month) (store.Month, error) {
	of, waits, err := l.trySpend(a, now)
	if waits == nil {
		return of, err
	}
	a.wait(1)
	defer a.wait(^uint64(0)) // one fewer
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	for waits != nil {
		select {
		case <-waits.done:
			if waits.err != nil {
				return of, waits.err
			}
		case <-ctx.Done():
			return of, ctx.Err()
		}
		of, waits, err = l.trySpend(a, now)
	}
	return of, err
}

// wait counts n more requests that wait for a refill.
func (a *account) wait(n uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting += n
}

// trySpend takes a unit that is in hand, or returns the refill to wait for.
// When a quarter of a lease is left the next units are asked for already, as
// many as are waited for.
func (l *ledger) trySpend(a *account, now store.Month) (store.Month, *fill, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l.turn(a, now)
	m := &a.month
	taken := m.take()
	if m.filling == nil && !m.used && m.inHand <= m.lease()/4 {
		l.refill(a, max(m.lease(), min(a.waiting, m.full()))-m.inHand)
	}
	switch {
	case taken:
		return m.of, nil, nil
	case m.filling != nil:
		return m.of, m.filling, nil
	}
	return m.of, nil, errSpent
}

// turn begins the month that now lies in, unless a later one has begun: what
// comes late is counted there. What is in hand of the month before goes back.
// The caller holds the account's lock.
func (l *ledger) turn(a *account, now store.Month) {
	m := &a.month
	if now <= m.of {
		return
	}
	l.giveUpSoon(a.id, m.of, m.inHand)
	*m = month{of: now, limit: m.limit, down: m.down, filling: m.filling}
}

// refillWithin is how long the store may take over a refill. Requests wait
// far less; the units come to hand all the same.
const refillWithin = 10 * time.Second

// refill asks the store for n units, beside the requests. The caller holds
// the account's lock.
func (l *ledger) refill(a *account, n uint64) {
	f, of, limit := &fill{done: make(chan struct{})}, a.month.of, a.month.limit
	a.month.filling = f
	l.asking.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), refillWithin)
		defer cancel()
		granted, reserved, err := l.store.Reserve(ctx, a.id, of, n, limit)
		l.receive(a, f, of, limit, granted, reserved, err)
		l.observe(granted, err)
	})
}

// receive takes into hand what a refill has brought. It was asked for under a
// limit, which may be another by now.
func (l *ledger) receive(
	a *account, f *fill, of store.Month, limit, granted, reserved uint64, err error,
) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer close(f.done)
	m := &a.month
	m.filling, m.down, f.err = nil, err != nil, err
	switch {
	case err != nil:
	case m.of != of:
		l.giveUpSoon(a.id, of, granted)
	default:
		m.inHand += granted
		m.reserved, m.known = reserved, true
		m.used = granted == 0 && m.limit == limit
		l.trim(a)
	}
}

// trim gives up what is in hand and too much. The caller holds the account's
// lock.
func (l *ledger) trim(a *account) {
	m := &a.month
	if n := m.surplus(); n > 0 {
		m.inHand -= n
		m.reserved -= n
		m.used = false
		l.giveUpSoon(a.id, m.of, n)
	}
}

// open makes a month ready for a request of an account that is on a plan, and
// asks the store what it has used so far, where nothing is known. That the
// store does not answer is no fault here: whoever spends finds out.
func (l *ledger) open(ctx context.Context, a *account, p *Plan, now store.Month) {
	if l.adapt(a, p, now) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	reserved, err := l.store.Usage(ctx, a.id, now)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if m := &a.month; m.of == now && !m.known {
		m.reserved, m.known = reserved, true
	}
}

// adapt turns to a month and a plan, and reports whether anything is known of
// the month.
func (l *ledger) adapt(a *account, p *Plan, now store.Month) (known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l.turn(a, now)
	if m := &a.month; m.limit != uint64(p.PerMonth) {
		m.limit, m.used = uint64(p.PerMonth), false
		l.trim(a)
	}
	return a.month.known
}

// empty reports whether nothing is left of a month for certain.
func (a *account) empty(of store.Month) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.month.of == of && a.month.used && a.month.inHand == 0
}

// giveBack takes into hand a unit that was spent on an answer that is worth
// none.
func (l *ledger) giveBack(a *account, of store.Month) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.month.of != of {
		l.giveUpSoon(a.id, of, 1)
		return
	}
	a.month.inHand++
	l.trim(a)
}

// served is how many units of a month were served, where it is the running
// one of an account that was seen.
func (l *ledger) served(id string, of store.Month) (units uint64, ok bool) {
	l.mu.Lock()
	a := l.accounts[id]
	l.mu.Unlock()
	if a == nil {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m := &a.month
	return m.reserved - min(m.reserved, m.inHand), m.of == of && m.known
}

// giveUpSoon is giveUp beside the requests.
func (l *ledger) giveUpSoon(id string, of store.Month, n uint64) {
	if n > 0 {
		l.asking.Go(func() { l.giveUp(id, of, n) })
	}
}

// giveUp returns n units of a month to the store. Where that fails they are
// lost, as in a crash.
func (l *ledger) giveUp(id string, of store.Month, n uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), refillWithin)
	defer cancel()
	return l.store.Return(ctx, id, of, n)
}

// close returns what is in hand to the store.
func (l *ledger) close() error {
	l.asking.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []error
	for _, a := range l.accounts {
		a.mu.Lock()
		if n := a.month.inHand; n > 0 {
			all = append(all, l.giveUp(a.id, a.month.of, n))
			a.month.inHand = 0
		}
		a.mu.Unlock()
	}
	return errors.Join(all...)
}
