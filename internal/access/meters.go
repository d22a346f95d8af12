package access

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// principal is the identity of a caller and the limits that apply to it.
type principal struct {
	who     Caller // the caller without its address
	plan    *Plan
	account *account // nil without a credential
	counter *counter // of the account, or of the group of a caller without a credential, or nil
}

// meters count what callers do, and know when that is too much.
type meters struct {
	limits   *limits
	ledger   *ledger
	uses     *uses
	turns    *turns
	refusals *refusals
	now      func() time.Time
	exceeded func(account string, plan Tier, of store.Month, limit uint64) // or nil

	log    *slog.Logger
	logged atomic.Int64 // the Unix second of the last log line about the store
}

// newMeters returns the meters of a gate. The caller must call close.
func newMeters(c Config) *meters {
	ledger := ledgerConfig{store: c.Store, timeout: c.StoreTimeout, refilled: c.Refilled}
	if c.Notices != nil {
		ledger.notices = func(account, plan string, of store.Month, limit uint64) []store.Notice {
			return c.Notices(account, Tier(plan), of, limit)
		}
	}
	return &meters{
		limits: newLimits(c.Fleet, c.StoreTimeout, c.Elapsed), ledger: newLedger(ledger),
		uses: newUses(c.Store, c.Log), turns: newTurns(max(1, runtime.GOMAXPROCS(0)-1)),
		refusals: newRefusals(), now: c.Now, exceeded: c.Exceeded, log: c.Log,
	}
}

// open prepares the quota of a caller with an account.
func (m *meters) open(ctx context.Context, p *principal, now time.Time) {
	m.ledger.open(ctx, p.account, string(p.plan.Tier), uint64(p.plan.PerMonth), store.MonthOf(now))
}

// exhausted returns the error for a month whose quota is used up, and reports it.
func (m *meters) exhausted(p *principal, of store.Month, now time.Time) error {
	if m.exceeded != nil {
		m.exceeded(p.account.id, p.plan.Tier, of, uint64(p.plan.PerMonth))
	}
	next := of.Next().Start()
	e := coast.Errorf(coast.QuotaExceeded,
		"The %d requests of the plan %s in %s are used up; the next month begins at %s.",
		p.plan.PerMonth, p.plan.Tier, of.Start().Format("January 2006"), next.Format(time.RFC3339))
	e.RetryAfterSeconds = int((next.Sub(now) + time.Second - 1) / time.Second)
	return e
}

// storeDown returns the error for an unavailable store. It logs the cause at most once a
// second, because every request fails while the store is down. If the client has disconnected,
// it does not log.
func (m *meters) storeDown(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return down(cause)
	}
	if now, last := m.now().Unix(), m.logged.Load(); now != last &&
		m.logged.CompareAndSwap(last, now) {
		m.log.Error("store unavailable", "error", cause)
	}
	return down(cause)
}

// close gives back unspent leases and shares, and writes the uses of accounts.
func (m *meters) close() error {
	m.limits.close()
	m.uses.close()
	return m.ledger.close()
}
