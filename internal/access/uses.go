package access

import (
	"context"
	"log/slog"
	"time"

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

// uses counts requests by account, day and surface. Requests do not wait for it. It is safe for
// concurrent use.
type uses struct{ days *batch[useKey, useCount] }

// newUses returns uses that are counted in a store. The caller must call close.
func newUses(s store.Uses, log *slog.Logger) *uses {
	return &uses{newBatch(batchConfig[useKey, useCount]{
		every: usesEvery, most: mostUses, what: "the days of use", log: log,
		merge: func(a, b useCount) useCount {
			return useCount{a.served + b.served, a.refused + b.refused}
		},
		write: func(ctx context.Context, list []pair[useKey, useCount]) error {
			counted := make([]store.Use, len(list))
			for i, p := range list {
				counted[i] = store.Use{
					Account: p.key.account, Day: p.key.day, Surface: p.key.surface,
					Served: p.value.served, Refused: p.value.refused,
				}
			}
			return s.AddUses(ctx, counted)
		},
	})}
}

// count counts a request, as served or as refused.
func (u *uses) count(account string, day store.Day, surface string, refused bool) {
	one := useCount{served: 1}
	if refused {
		one = useCount{refused: 1}
	}
	u.days.add(useKey{account, day, surface}, one)
}

// close writes what is not in the store yet.
func (u *uses) close() { u.days.close() }
