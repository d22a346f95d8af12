package server

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"leadline/store"
)

// sweeping is a store that has rows to remove.
type sweeping struct {
	store.Store
	rows  []int         // of each kind, at the beginning of each hour
	fails time.Duration // the first call from then on fails; 0 for none
	calls []time.Duration

	elapsed func() time.Duration // since the beginning
}

func (s *sweeping) Sweep(_ context.Context, _ time.Time, n int) (more bool, err error) {
	at := s.elapsed()
	s.calls = append(s.calls, at)
	if s.fails > 0 && at >= s.fails {
		s.fails = 0
		return true, errors.New("the store is unavailable")
	}
	left := &s.rows[int(at.Hours())]
	*left -= min(n, *left)
	return *left > 0, nil
}

// TestSweep checks that the sweeper repeats its call, with a pause, while there is more, and begins
// again an hour later, also after a failure.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := &sweeping{
			rows: []int{2*sweepRows + 1, 0, 0, 0}, fails: 90 * time.Minute,
			elapsed: func() time.Duration { return time.Since(began) },
		}
		server := &Server{
			c: Config{Now: time.Now}, storage: &Storage{Store: s}, log: slog.New(slog.DiscardHandler),
		}
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Hour)
		defer stop()
		server.sweep(ctx)
		want := []time.Duration{
			0, sweepPause, 2 * sweepPause, 2*sweepPause + sweepEvery, 2*sweepPause + 2*sweepEvery,
		}
		if !slices.Equal(s.calls, want) {
			t.Errorf("Sweep was called after %v, want %v", s.calls, want)
		}
	})
}
