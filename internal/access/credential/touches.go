package credential

import (
	"context"
	"log/slog"
	"time"

	"leadline/internal/access/outage"
	"leadline/store"
)

// touchesEvery is the time for which last uses are collected. A crash loses those of this time.
const touchesEvery = 10 * time.Second

// Touches collects the last uses of keys by the ids of the keys. Requests do not wait for it.
type Touches = outage.Batch[string, store.Touch]

// NewTouches returns touches of the keys of a store. The caller must call Close.
func NewTouches(s store.Keys, log *slog.Logger) *Touches {
	return outage.NewBatch(outage.BatchConfig[string, store.Touch]{
		Every: touchesEvery, Most: mostWarm, Repeatable: true, What: "the last uses of keys", Log: log,
		Merge: func(_, t store.Touch) store.Touch { return t },
		Write: func(ctx context.Context, list []outage.Pair[string, store.Touch]) error {
			touched := make([]store.Touch, len(list))
			for i, p := range list {
				touched[i] = p.Value
			}
			return s.TouchKeys(ctx, touched)
		},
	})
}
