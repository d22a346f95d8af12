package access

import (
	"context"
	"errors"
	"sync"
	"time"

	"leadline/store"
)

// month is the quota of an account in one month: a lease of units that are reserved in the
// store and spent from memory. A lease expires with its month. A crash loses the unspent
// units, at most one lease: a refill requests no more than what is missing to a full lease.
type month struct {
	of       store.Month
	limit    uint64
	reserved uint64 // units reserved in all, as of the last response of the store
	known    bool   // whether the store has returned the usage of this month
	inHand   uint64 // leased units that are not spent
	used     bool   // the store has no units left
	down     bool   // the last request to the store failed
	filling  *fill  // the running refill, or nil
}

// fill is a running refill.
type fill struct {
	done chan struct{}
	err  error // valid after done is closed
}

// The sizes of a lease, in units: 1/200 of the monthly quota, within bounds. It is small
// enough to lose and large enough to make requests to the store rare.
const (
	leasePart  = 200
	leaseLeast = 16
	leaseMost  = 256
)

// full returns the size of a full lease.
func (m *month) full() uint64 { return min(max(m.limit/leasePart, leaseLeast), leaseMost) }

// lease returns the number of units to lease. It shrinks near the end of the quota, so that
// other instances can use the last units, too.
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

// take spends a leased unit, if there is one.
func (m *month) take() bool {
	if m.inHand == 0 {
		return false
	}
	m.inHand--
	return true
}

// left returns the remaining units of the month: never too many, and exact if this is the only
// instance. While the store is down, it is the number of leased units.
func (m *month) left() uint64 {
	if m.down || !m.known {
		return m.inHand
	}
	return m.rest()
}

// rest returns the remaining units according to the last response of the store and the leased
// units.
func (m *month) rest() uint64 {
	if m.reserved >= m.limit+m.inHand {
		return 0
	}
	return m.limit + m.inHand - m.reserved
}

// Warning describes how much of a monthly quota is used.
type Warning string

// The warnings. The thresholds are ours.
const (
	None        Warning = "none"
	Approaching Warning = "approaching" // from 80 % on
	Critical    Warning = "critical"    // from 95 % on
	Exhausted   Warning = "exhausted"   // nothing is left
)

// warning returns the warning by the last response of the store, also while it is down.
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

// surplus returns the number of leased units to return: those beyond a lowered limit, and
// those beyond a full lease after many refunds.
func (m *month) surplus() (n uint64) {
	if m.reserved > m.limit {
		n = min(m.reserved-m.limit, m.inHand)
	}
	if rest := m.inHand - n; rest > m.full() {
		n += rest - m.full()
	}
	return n
}

// account returns the counters of an account.
type account struct {
	id string

	mu      sync.Mutex
	minutes [surfaces]window
	month   month
	waiting uint64 // requests that wait for a refill
}

// holding is the identity of a caller and the limits that apply to it.
type holding struct {
	who     Caller // without the address
	plan    *Plan
	account *account // nil without a credential
	crowd   *crowd   // counters of the group of a caller without a credential, or nil
}

// ledger has the accounts that have sent requests.
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

// errSpent reports a used-up monthly quota, errStore an unavailable store.
var (
	errSpent = errors.New("monthly quota used up")
	errStore = errors.New("store unavailable")
)

// spend takes a unit of the account's monthly quota. It returns the month in which the unit
// counts: that of now, or a later one that has begun meanwhile. The errors are errSpent and
// those of the store.
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

// wait adds n to the number of requests that wait for a refill.
func (a *account) wait(n uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting += n
}

// trySpend takes a leased unit, or returns the refill to wait for. When a quarter of the lease
// is left, it starts a refill with as many units as requests wait for.
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

// turn begins the month now, unless a later one has begun: late requests count there. It
// returns unspent units of the month before. The caller must hold the account's lock.
func (l *ledger) turn(a *account, now store.Month) {
	m := &a.month
	if now <= m.of {
		return
	}
	l.giveUpSoon(a.id, m.of, m.inHand)
	*m = month{of: now, limit: m.limit, down: m.down, filling: m.filling}
}

// refillWithin limits the time of a refill. Requests do not wait that long, but the units are
// leased when they arrive.
const refillWithin = 10 * time.Second

// refill starts to request n units from the store in the background. The caller must hold the
// account's lock.
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

// receive adds the units of a refill to the lease. The limit may have changed since the
// request.
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

// trim returns surplus leased units to the store. The caller must hold the account's lock.
func (l *ledger) trim(a *account) {
	m := &a.month
	if n := m.surplus(); n > 0 {
		m.inHand -= n
		m.reserved -= n
		m.used = false
		l.giveUpSoon(a.id, m.of, n)
	}
}

// open prepares the quota of an account on a plan for a request, and reads the usage so far if
// it is unknown. It ignores an unavailable store: spend reports it.
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

// adapt applies a month and a plan, and reports whether the usage of the month is known.
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

// empty reports whether the quota of a month is certainly used up.
func (a *account) empty(of store.Month) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.month.of == of && a.month.used && a.month.inHand == 0
}

// giveBack returns a spent unit to the lease.
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

// served returns the spent units of a month, if it is the current month of a known account.
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

// giveUpSoon calls giveUp in the background.
func (l *ledger) giveUpSoon(id string, of store.Month, n uint64) {
	if n > 0 {
		l.asking.Go(func() { l.giveUp(id, of, n) })
	}
}

// giveUp returns n units of a month to the store. If that fails, they are lost, as in a crash.
func (l *ledger) giveUp(id string, of store.Month, n uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), refillWithin)
	defer cancel()
	return l.store.Return(ctx, id, of, n)
}

// close returns all leased units to the store.
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
