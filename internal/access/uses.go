package access

import (
	"context"
	"log/slog"
	"time"

	"leadline/store"
)

// The times for which uses are collected. A crash loses those of this time.
const (
	touchesEvery = 10 * time.Second
	usesEvery    = 30 * time.Second
)

// mostUses limits the days of use in memory, about 20 MB. Beyond it, requests are not counted until
// the store has accepted some.
const mostUses = 100_000

// touches collects the last uses of keys by the ids of the keys.
type touches = batch[string, store.Touch]

func newTouches(s store.Keys, log *slog.Logger) *touches {
	return newBatch(batchConfig[string, store.Touch]{
		every: touchesEvery, most: mostWarm, repeatable: true, what: "the last uses of keys", log: log,
		merge: func(_, t store.Touch) store.Touch { return t },
		write: func(ctx context.Context, list []pair[string, store.Touch]) error {
			touched := make([]store.Touch, len(list))
			for i, p := range list {
				touched[i] = p.value
			}
			return s.TouchKeys(ctx, touched)
		},
	})
}

// useKey identifies a day of use.
type useKey struct {
	account string
	day     store.Day
	surface Surface
}

// useCount counts requests.
type useCount struct{ served, refused uint32 }

// uses counts requests by account, day and surface.
type uses = batch[useKey, useCount]

func newUses(s store.Uses, log *slog.Logger) *uses {
	return newBatch(batchConfig[useKey, useCount]{
		every: usesEvery, most: mostUses, what: "the days of use", log: log,
		merge: func(a, b useCount) useCount {
			return useCount{a.served + b.served, a.refused + b.refused}
		},
		write: func(ctx context.Context, list []pair[useKey, useCount]) error {
			counted := make([]store.Use, len(list))
			for i, p := range list {
				counted[i] = store.Use{
					Account: p.key.account, Day: p.key.day, Surface: p.key.surface.Name(),
					Served: p.value.served, Refused: p.value.refused,
				}
			}
			return s.AddUses(ctx, counted)
		},
	})
}

// counts reports whether the request is a use of the API by an account: it is not for a person who
// reads a page.
func (v *visit) counts() bool { return v.account != nil && !v.rate.alone && v.rate.on < documents }

// countUse counts the request as a use of its account. It is refused if a limit, a scope or the
// plan did not allow it. Requests that failed here or at a provider are not counted.
func (v *visit) countUse() {
	if !v.counts() || v.outcome == failed {
		return
	}
	key := useKey{v.account.id, store.DayOf(v.now), v.rate.on}
	one := useCount{served: 1}
	if v.outcome >= denied {
		one = useCount{refused: 1}
	}
	v.gate.uses.add(key, one)
}
