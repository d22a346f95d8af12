package quota

import (
	"context"
	"log/slog"
	"time"

	"leadline/internal/access/outage"
	"leadline/store"
)

// usesEvery is the time for which uses are collected. A crash loses those of this time.
const usesEvery = 30 * time.Second

// mostUses limits the days of use in memory, about 20 MB. Beyond it, requests are not counted until
// the store has accepted some.
const mostUses = 100_000

// useKey identifies a day of use.
type useKey struct {
	account string
	day     store.Day
	surface string
}

// useCount counts requests.
type useCount struct{ served, refused uint32 }

// Uses counts requests by account, day and surface. Requests do not wait for it. It is safe for
// concurrent use.
type Uses struct {
	days *outage.Batch[useKey, useCount]
}

// NewUses returns uses that are counted in a store. The caller must call Close.
func NewUses(s store.Uses, log *slog.Logger) *Uses {
	return &Uses{outage.NewBatch(outage.BatchConfig[useKey, useCount]{
		Every: usesEvery, Most: mostUses, What: "the days of use", Log: log,
		Merge: func(a, b useCount) useCount {
			return useCount{a.served + b.served, a.refused + b.refused}
		},
		Write: func(ctx context.Context, list []outage.Pair[useKey, useCount]) error {
			counted := make([]store.Use, len(list))
			for i, p := range list {
				counted[i] = store.Use{
					Account: p.Key.account, Day: p.Key.day, Surface: p.Key.surface,
					Served: p.Value.served, Refused: p.Value.refused,
				}
			}
			return s.AddUses(ctx, counted)
		},
	})}
}

// Count counts a request, as served or as refused.
func (u *Uses) Count(account string, day store.Day, surface string, refused bool) {
	one := useCount{served: 1}
	if refused {
		one = useCount{refused: 1}
	}
	u.days.Add(useKey{account, day, surface}, one)
}

// Close writes what is not in the store yet.
func (u *Uses) Close() { u.days.Close() }
