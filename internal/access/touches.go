package access

import (
	"context"
	"log/slog"
	"time"

	"leadline/store"
)

// touchesEvery is the time for which last uses are collected. A crash loses those of this time.
const touchesEvery = 10 * time.Second

// touches collects the last uses of keys by the ids of the keys. Requests do not wait for it.
type touches = batch[string, store.Touch]

// newTouches returns touches of the keys of a store. The caller must call close.
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
