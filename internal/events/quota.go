package events

import (
	"context"
	"fmt"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/quota"
	"leadline/store"
)

// The levels at which an account is warned, in percent of its monthly quota. They are those of the
// header X-Quota-Warning.
var warnings = []struct {
	percent uint64
	level   quota.Warning
}{{80, quota.Approaching}, {95, quota.Critical}}

// QuotaNotices returns the warnings that a reservation of units posts when it reaches their level.
func (o *Outbox) QuotaNotices(
	account string, plan access.Tier, month store.Month, limit uint64,
) (notices []store.Notice) {
	for _, w := range warnings {
		at := (limit*w.percent + 99) / 100
		notices = append(notices, store.Notice{At: at, Event: func() (store.Event, error) {
			return o.event(account, QuotaWarningData{
				Quota: quotaOf(account, plan, month, limit, at), Level: w.level,
			}, quotaName(account, month, w.level), month.Next().Next().Start())
		}})
	}
	return notices
}

func quotaName(account string, month store.Month, level quota.Warning) string {
	return fmt.Sprintf("quota %s %d %s", account, month, level)
}

func quotaOf(account string, plan access.Tier, month store.Month, limit, used uint64) Quota {
	return Quota{
		Account: AccountPlan{ID: account, Plan: string(plan)}, Month: month.Start().Format("2006-01"),
		Limit: int(limit), Used: int(used), Remaining: int(limit - min(used, limit)),
		ResetsAt: month.Next().Start(),
	}
}

// postTimeout limits how long an event without a causing write may take to be stored.
const postTimeout = 10 * time.Second

// QuotaExceeded posts in the background that a request of an account was refused because the
// quota of a month is used up: once in a month.
func (o *Outbox) QuotaExceeded(
	account string, plan access.Tier, month store.Month, limit uint64,
) {
	if !o.firstExceeded(account, month) {
		return
	}
	now := o.c.Now()
	data := QuotaExceededData{
		Quota:             quotaOf(account, plan, month, limit, limit),
		RetryAfterSeconds: max(1, int(month.Next().Start().Sub(now).Seconds())),
	}
	event, err := o.event(account, data, quotaName(account, month, quota.Exhausted),
		month.Next().Next().Start())
	if err != nil {
		o.c.Log.Error("make an event", "kind", QuotaExceeded, "error", err)
		return
	}
	o.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), postTimeout)
		defer cancel()
		if err := o.post(ctx, event); err != nil {
			o.c.Log.Warn("an event is not stored", "kind", QuotaExceeded, "error", err)
			o.forget(account) // the next refusal posts it
		}
	})
}

// mostExceeded bounds the memory of accounts whose quota is used up. Beyond it the store finds the
// duplicates.
const mostExceeded = 10_000

// firstExceeded reports whether an account's quota of a month was not found used up before.
func (o *Outbox) firstExceeded(account string, month store.Month) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.exceeded[account] >= month {
		return false
	}
	if len(o.exceeded) >= mostExceeded {
		clear(o.exceeded)
	}
	o.exceeded[account] = month
	return true
}

func (o *Outbox) forget(account string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.exceeded, account)
}
