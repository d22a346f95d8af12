package access

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"leadline/internal/access/limit"
	"leadline/internal/access/outage"
	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/store"
)

// principal is the identity of a caller and the limits that apply to it.
type principal struct {
	who     Caller // the caller without its address
	plan    *Plan
	account *quota.Account // nil without a credential
	counter *limit.Counter // of the account, or of the group of a caller without a credential, or nil
}

// meters count what callers do, and know when that is too much.
type meters struct {
	limits   *limit.Limits
	ledger   *quota.Ledger
	uses     *quota.Uses
	turns    *limit.Turns
	refusals *refusals
	now      func() time.Time
	exceeded func(account string, plan Tier, of store.Month, limit uint64) // or nil

	log    *slog.Logger
	logged atomic.Int64 // the Unix second of the last log line about the store
}

// open prepares the quota of a caller with an account.
func (m *meters) open(ctx context.Context, p *principal, now time.Time) {
	m.ledger.Open(ctx, p.account, string(p.plan.Tier), uint64(p.plan.PerMonth), store.MonthOf(now))
}

// exhausted returns the error for a month whose quota is used up, and reports it.
func (m *meters) exhausted(p *principal, of store.Month, now time.Time) error {
	if m.exceeded != nil {
		m.exceeded(p.account.ID, p.plan.Tier, of, uint64(p.plan.PerMonth))
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
		return outage.Down(cause)
	}
	if now, last := m.now().Unix(), m.logged.Load(); now != last &&
		m.logged.CompareAndSwap(last, now) {
		m.log.Error("store unavailable", "error", cause)
	}
	return outage.Down(cause)
}

// close gives back unspent leases and shares, and writes the uses of accounts.
func (m *meters) close() error {
	m.limits.Close()
	m.uses.Close()
	return m.ledger.Close()
}
