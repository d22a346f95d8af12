package quota

import (
	"context"
	"errors"
	"sync"
	"time"

	"leadline/internal/access/outage"
	"leadline/store"
)

// Account has the quota of an account. A Ledger makes it.
type Account struct {
	ID string // of the account

	mu      sync.Mutex
	quota   quota
	waiting uint64 // requests that wait for a refill
}

// Config has the parts of a ledger.
type Config struct {
	Store   store.Quota
	Timeout time.Duration // how long requests wait for a store that does not respond

	// Refilled is called after each request for a lease.
	Refilled func(granted uint64, err error)
	// Notices returns the events that a reservation of units in a month posts. It may be nil.
	Notices func(account, plan string, of store.Month, limit uint64) []store.Notice
}

// Ledger has the accounts that have sent requests. It is safe for concurrent use.
type Ledger struct {
	c        Config
	patience outage.Patience

	mu         sync.Mutex
	accounts   map[string]*Account
	background sync.WaitGroup
}

// New returns a ledger. The caller must call Close.
func New(c Config) *Ledger {
	return &Ledger{
		c: c, patience: outage.Patience{Short: c.Timeout}, accounts: map[string]*Account{},
	}
}

// Account returns the quota of an account.
func (l *Ledger) Account(id string) *Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[id]
	if a == nil {
		a = &Account{ID: id}
		l.accounts[id] = a
	}
	return a
}

// ErrSpent reports a used-up monthly quota.
var ErrSpent = errors.New("monthly quota used up")

// Spend takes a unit of the account's monthly quota. It returns the month in which the unit
// counts: the month of now, or a later one that has begun in the meantime. The error is
// ErrSpent or the store's.
func (l *Ledger) Spend(ctx context.Context, a *Account, now store.Month) (store.Month, error) {
	of, waits, err := l.trySpend(a, now)
	if waits == nil {
		return of, err
	}
	a.wait(1)
	defer a.wait(^uint64(0)) // one fewer
	for waits != nil {
		if err := l.patience.Wait(ctx, waits.done); err != nil {
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
func (a *Account) wait(n uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting += n
}

// trySpend takes a leased unit, or returns the refill to wait for. When a quarter of the lease
// is left, it starts a refill with as many units as requests wait for.
func (l *Ledger) trySpend(a *Account, now store.Month) (store.Month, *fill, error) {
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
	return q.of, nil, ErrSpent
}

// turn begins the month of now, unless a later one has begun: late requests count in the later
// one. It returns unspent units of the previous month. The caller must hold the account's lock.
func (l *Ledger) turn(a *Account, now store.Month) {
	q := &a.quota
	if now <= q.of {
		return
	}
	l.releaseLater(a.ID, q.of, q.leased)
	*q = quota{
		of: now, plan: q.plan, limit: q.limit, down: q.down, filling: q.filling, refills: q.refills,
	}
}

// refill starts to request n units from the store in the background. The caller must hold the
// account's lock.
func (l *Ledger) refill(a *Account, n uint64) {
	f, of, plan, limit := &fill{done: make(chan struct{})}, a.quota.of, a.quota.plan, a.quota.limit
	a.quota.filling = f
	l.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), outage.CallWithin)
		defer cancel()
		var notices []store.Notice
		if l.c.Notices != nil {
			notices = l.c.Notices(a.ID, plan, of, limit)
		}
		granted, reserved, err := l.c.Store.Reserve(ctx, a.ID, of, n, limit, notices...)
		l.patience.Record(err)
		l.receive(a, f, of, limit, granted, reserved, err)
		l.c.Refilled(granted, err)
	})
}

// receive adds the units of a refill to the lease. The limit may have changed since the
// request.
func (l *Ledger) receive(
	a *Account, f *fill, of store.Month, limit, granted, reserved uint64, err error,
) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer close(f.done)
	q := &a.quota
	q.filling, q.down, f.err = nil, err != nil, err
	switch {
	case err != nil:
	case q.of != of:
		l.releaseLater(a.ID, of, granted)
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
func (l *Ledger) trim(a *Account) {
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
	l.background.Go(func() { l.returned(a, f, of, n, l.release(a.ID, of, n)) })
}

// returned ends the return of n units of a month. If it failed, they stay reserved.
func (l *Ledger) returned(a *Account, f *fill, of store.Month, n uint64, err error) {
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

// Open prepares the quota of an account on a plan with a monthly limit for a request, and reads the
// usage so far if it is unknown. It ignores an unavailable store: spend reports it.
func (l *Ledger) Open(ctx context.Context, a *Account, plan string, limit uint64, now store.Month) {
	if reading := l.adapt(a, plan, limit, now); reading != nil {
		_ = l.patience.Wait(ctx, reading.done)
	}
}

// adapt applies a month and a plan. It returns the read to wait for if the usage of the month is
// unknown.
func (l *Ledger) adapt(a *Account, plan string, limit uint64, now store.Month) (reading *fill) {
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
func (l *Ledger) read(a *Account) {
	f, of := &fill{done: make(chan struct{})}, a.quota.of
	a.quota.reading = f
	l.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), outage.CallWithin)
		defer cancel()
		reserved, err := l.c.Store.Usage(ctx, a.ID, of)
		l.patience.Record(err)
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

// Balance describes the quota of an account in a month.
type Balance struct {
	Of                store.Month
	Limit, Left, Used uint64
	Warning           Warning
}

// Balance returns the quota of the newest month of the account's requests.
func (a *Account) Balance() Balance {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := &a.quota
	return Balance{q.of, q.limit, q.left(), q.used(), q.warning()}
}

// Empty reports whether the quota of a month is certainly used up.
func (a *Account) Empty(of store.Month) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.quota.of == of && a.quota.empty && a.quota.leased == 0
}

// Refund returns a spent unit to the lease.
func (l *Ledger) Refund(a *Account, of store.Month) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.quota.of != of {
		l.releaseLater(a.ID, of, 1)
		return
	}
	a.quota.leased++
	l.trim(a)
}

// Served returns the number of spent units in a month, if it is the current month of a known
// account.
func (l *Ledger) Served(id string, of store.Month) (units uint64, ok bool) {
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
func (l *Ledger) releaseLater(id string, of store.Month, n uint64) {
	if n > 0 {
		l.background.Go(func() { l.release(id, of, n) })
	}
}

// release returns n units of a month to the store. If that fails, they are lost, as in a crash.
func (l *Ledger) release(id string, of store.Month, n uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), outage.CallWithin)
	defer cancel()
	return l.c.Store.Return(ctx, id, of, n)
}

// Leased returns the number of leased units of all accounts.
func (l *Ledger) Leased() (units uint64) {
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

// Close returns all leased units to the store.
func (l *Ledger) Close() error {
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
func (l *Ledger) returnAll(a *Account) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.quota.leased
	if n == 0 {
		return nil
	}
	a.quota.leased = 0
	return l.release(a.ID, a.quota.of, n)
}
