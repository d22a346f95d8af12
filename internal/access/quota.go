package access

import (
	"context"
	"errors"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// quota is the quota of an account in one month: a lease of units that are reserved in the
// store and spent from memory. A lease expires with its month. A crash loses the unspent units,
// which are at most one lease, because a refill requests only the units missing from a full
// lease.
type quota struct {
	of       store.Month
	plan     string // name of the plan that has the limit
	limit    uint64
	reserved uint64 // units reserved in all, as of the last response of the store
	known    bool   // whether the store has returned the usage of this month
	leased   uint64 // leased units that are not spent
	empty    bool   // the store has no units left
	down     bool   // the last request to the store failed
	filling  *fill  // the running request to the store, or nil
	reading  *fill  // the running read of reserved, or nil
	refills  int    // refills since the start of the process that brought units
}

// fill is a running refill, the return of surplus units, or a read. An account has one refill or
// return at a time: the store may do two at once in either order, and only one order gives the
// units that are reserved. All requests wait for the same one.
type fill struct {
	done chan struct{}
	err  error // valid after done is closed
}

// The sizes of a lease, in units: 1/200 of the monthly quota, within bounds. It is small enough
// to lose and large enough to make requests to the store rare.
const (
	leasePart  = 200
	leaseLeast = 16
	leaseMost  = 256
)

// full returns the size of a full lease.
func (q *quota) full() uint64 { return min(max(q.limit/leasePart, leaseLeast), leaseMost) }

// slowRefills is the number of refills until leases have their full size. The first lease of an
// account after the start of the process is an eighth of it, and each refill doubles it: a process
// that crashes again and again does not use up the month of an account with few requests.
const slowRefills = 3

// begun returns the size of a lease as far as the account's refills allow it.
func (q *quota) begun() uint64 { return max(1, q.full()>>(slowRefills-q.refills)) }

// lease returns the number of units to lease. It shrinks near the end of the quota, so that
// other instances can use the last units, too.
func (q *quota) lease() uint64 {
	full, left := q.full(), uint64(0)
	if q.reserved < q.limit {
		left = q.limit - q.reserved
	}
	switch {
	case left >= 4*full:
		return q.begun()
	case left >= full/4:
		return min(full/4, q.begun())
	}
	return 1
}

// take spends a leased unit, if there is one.
func (q *quota) take() bool {
	if q.leased == 0 {
		return false
	}
	q.leased--
	return true
}

// used returns the number of spent units.
func (q *quota) used() uint64 { return q.reserved - min(q.reserved, q.leased) }

// left returns the remaining units of the month. It never returns too many, and is exact if
// this is the only instance. While the store is down, it is the number of leased units.
func (q *quota) left() uint64 {
	if q.down || !q.known {
		return q.leased
	}
	return q.rest()
}

// rest returns the remaining units, computed from the last response of the store and the leased
// units.
func (q *quota) rest() uint64 {
	if q.reserved >= q.limit+q.leased {
		return 0
	}
	return q.limit + q.leased - q.reserved
}

// Warning describes how much of a monthly quota is used.
type Warning string

// The warnings. The thresholds are ours.
const (
	None        Warning = "none"
	Approaching Warning = "approaching" // from 80 % on
	Critical    Warning = "critical"    // from 95 % on
	Exhausted   Warning = "exhausted"   // no units are left
)

// SchemaName returns the name of the warnings in OpenAPI documents.
func (Warning) SchemaName() string { return "QuotaWarning" }

// Values returns all warnings.
func (Warning) Values() []string { return coast.Strings(None, Approaching, Critical, Exhausted) }

// warning returns the warning according to the last response of the store, even while the store
// is down.
func (q *quota) warning() Warning {
	used := q.limit - min(q.rest(), q.limit)
	switch {
	case !q.known:
		return None
	case used >= q.limit:
		return Exhausted
	case used*100 >= q.limit*95:
		return Critical
	case used*100 >= q.limit*80:
		return Approaching
	}
	return None
}

// surplus returns the number of leased units to return: those beyond a lowered limit, and
// those beyond a full lease after many refunds.
func (q *quota) surplus() (n uint64) {
	if q.reserved > q.limit {
		n = min(q.reserved-q.limit, q.leased)
	}
	if rest := q.leased - n; rest > q.full() {
		n += rest - q.full()
	}
	return n
}

// account has the quota of an account.
type account struct {
	id string

	mu      sync.Mutex
	quota   quota
	waiting uint64 // requests that wait for a refill
}

// ledgerConfig has the parts of a ledger.
type ledgerConfig struct {
	store   store.Quota
	timeout time.Duration // how long requests wait for a store that does not respond

	// refilled is called after each request for a lease.
	refilled func(granted uint64, err error)
	// notices returns the events that a reservation of units in a month posts. It may be nil.
	notices func(account, plan string, of store.Month, limit uint64) []store.Notice
}

// ledger has the accounts that have sent requests. It is safe for concurrent use.
type ledger struct {
	ledgerConfig
	patience patience

	mu         sync.Mutex
	accounts   map[string]*account
	background sync.WaitGroup
}

// newLedger returns a ledger. The caller must call close.
func newLedger(c ledgerConfig) *ledger {
	return &ledger{
		ledgerConfig: c, patience: patience{short: c.timeout}, accounts: map[string]*account{},
	}
}

// account returns the quota of an account.
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

// errSpent reports a used-up monthly quota.
var errSpent = errors.New("monthly quota used up")

// spend takes a unit of the account's monthly quota. It returns the month in which the unit
// counts: the month of now, or a later one that has begun in the meantime. The error is
// errSpent or the store's.
func (l *ledger) spend(ctx context.Context, a *account, now store.Month) (store.Month, error) {
	of, waits, err := l.trySpend(a, now)
	if waits == nil {
		return of, err
	}
	a.wait(1)
	defer a.wait(^uint64(0)) // one fewer
	for waits != nil {
		if err := l.patience.wait(ctx, waits.done); err != nil {
			return of, err
		}
		if waits.err != nil {
			return of, waits.err
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
	q := &a.quota
	taken := q.take()
	if q.filling == nil && !q.empty && q.leased <= q.lease()/4 {
		l.refill(a, max(q.lease(), min(a.waiting, q.full()))-q.leased)
	}
	switch {
	case taken:
		return q.of, nil, nil
	case q.filling != nil:
		return q.of, q.filling, nil
	}
	return q.of, nil, errSpent
}

// turn begins the month of now, unless a later one has begun: late requests count in the later
// one. It returns unspent units of the previous month. The caller must hold the account's lock.
func (l *ledger) turn(a *account, now store.Month) {
	q := &a.quota
	if now <= q.of {
		return
	}
	l.releaseLater(a.id, q.of, q.leased)
	*q = quota{
		of: now, plan: q.plan, limit: q.limit, down: q.down, filling: q.filling, refills: q.refills,
	}
}

// refill starts to request n units from the store in the background. The caller must hold the
// account's lock.
func (l *ledger) refill(a *account, n uint64) {
	f, of, plan, limit := &fill{done: make(chan struct{})}, a.quota.of, a.quota.plan, a.quota.limit
	a.quota.filling = f
	l.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWithin)
		defer cancel()
		var notices []store.Notice
		if l.notices != nil {
			notices = l.notices(a.id, plan, of, limit)
		}
		granted, reserved, err := l.store.Reserve(ctx, a.id, of, n, limit, notices...)
		l.patience.record(err)
		l.receive(a, f, of, limit, granted, reserved, err)
		l.refilled(granted, err)
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
	q := &a.quota
	q.filling, q.down, f.err = nil, err != nil, err
	switch {
	case err != nil:
	case q.of != of:
		l.releaseLater(a.id, of, granted)
	default:
		q.leased += granted
		if granted > 0 {
			q.refills = min(q.refills+1, slowRefills)
		}
		q.reserved, q.known = reserved, true
		q.empty = granted == 0 && q.limit == limit
	}
	l.trim(a)
}

// trim starts to return surplus leased units to the store. While a request to the store runs, it
// does nothing: the end of that request trims. The caller must hold the account's lock.
func (l *ledger) trim(a *account) {
	q := &a.quota
	n := q.surplus()
	if n == 0 || q.filling != nil {
		return
	}
	q.leased -= n
	q.reserved -= n
	q.empty = false
	f, of := &fill{done: make(chan struct{})}, q.of
	q.filling = f
	l.background.Go(func() { l.returned(a, f, of, n, l.release(a.id, of, n)) })
}

// returned ends the return of n units of a month. If it failed, they stay reserved.
func (l *ledger) returned(a *account, f *fill, of store.Month, n uint64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer close(f.done)
	q := &a.quota
	q.filling = nil
	if err != nil && q.of == of {
		q.reserved += n
	}
	l.trim(a)
}

// open prepares the quota of an account on a plan with a monthly limit for a request, and reads the
// usage so far if it is unknown. It ignores an unavailable store: spend reports it.
func (l *ledger) open(ctx context.Context, a *account, plan string, limit uint64, now store.Month) {
	if reading := l.adapt(a, plan, limit, now); reading != nil {
		_ = l.patience.wait(ctx, reading.done)
	}
}

// adapt applies a month and a plan. It returns the read to wait for if the usage of the month is
// unknown.
func (l *ledger) adapt(a *account, plan string, limit uint64, now store.Month) (reading *fill) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l.turn(a, now)
	q := &a.quota
	q.plan = plan
	if q.limit != limit {
		q.limit, q.empty = limit, false
		l.trim(a)
	}
	if q.known {
		return nil
	}
	if q.reading == nil {
		l.read(a)
	}
	return q.reading
}

// read starts to read the usage of the month in the background. The caller must hold the account's
// lock.
func (l *ledger) read(a *account) {
	f, of := &fill{done: make(chan struct{})}, a.quota.of
	a.quota.reading = f
	l.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWithin)
		defer cancel()
		reserved, err := l.store.Usage(ctx, a.id, of)
		l.patience.record(err)
		a.mu.Lock()
		defer a.mu.Unlock()
		defer close(f.done)
		q := &a.quota
		if q.reading == f { // no later month has begun
			q.reading = nil
		}
		if err == nil && q.of == of && !q.known {
			q.reserved, q.known = reserved, true
		}
	})
}

// balance describes the quota of an account in a month.
type balance struct {
	of                store.Month
	limit, left, used uint64
	warning           Warning
}

// balance returns the quota of the newest month of the account's requests.
func (a *account) balance() balance {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := &a.quota
	return balance{q.of, q.limit, q.left(), q.used(), q.warning()}
}

// empty reports whether the quota of a month is certainly used up.
func (a *account) empty(of store.Month) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.quota.of == of && a.quota.empty && a.quota.leased == 0
}

// refund returns a spent unit to the lease.
func (l *ledger) refund(a *account, of store.Month) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.quota.of != of {
		l.releaseLater(a.id, of, 1)
		return
	}
	a.quota.leased++
	l.trim(a)
}

// served returns the number of spent units in a month, if it is the current month of a known
// account.
func (l *ledger) served(id string, of store.Month) (units uint64, ok bool) {
	l.mu.Lock()
	a := l.accounts[id]
	l.mu.Unlock()
	if a == nil {
		return 0, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q := &a.quota
	return q.used(), q.of == of && q.known
}

// releaseLater calls giveUp in the background.
func (l *ledger) releaseLater(id string, of store.Month, n uint64) {
	if n > 0 {
		l.background.Go(func() { l.release(id, of, n) })
	}
}

// release returns n units of a month to the store. If that fails, they are lost, as in a crash.
func (l *ledger) release(id string, of store.Month, n uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), callWithin)
	defer cancel()
	return l.store.Return(ctx, id, of, n)
}

// leased returns the number of leased units of all accounts.
func (l *ledger) leased() (units uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.accounts {
		a.mu.Lock()
		units += a.quota.leased
		a.mu.Unlock()
	}
	return units
}

// returnsAtOnce is the number of accounts whose units close returns at a time: a store may be far
// away. It is ours, about the connections of requests to a database.
const returnsAtOnce = 16

// close returns all leased units to the store.
func (l *ledger) close() error {
	l.background.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	errs, turns := make(chan error, len(l.accounts)), make(chan struct{}, returnsAtOnce)
	for _, a := range l.accounts {
		turns <- struct{}{}
		l.background.Go(func() {
			errs <- l.returnAll(a)
			<-turns
		})
	}
	l.background.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// returnAll returns the leased units of an account to the store.
func (l *ledger) returnAll(a *account) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.quota.leased
	if n == 0 {
		return nil
	}
	a.quota.leased = 0
	return l.release(a.id, a.quota.of, n)
}
