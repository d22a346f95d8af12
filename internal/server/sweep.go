package server

import (
	"context"
	"time"
)

// Expired records are removed from the store every sweepEvery, at most sweepRows of each kind at
// once. The pause between lets other writes to the store proceed.
const (
	sweepEvery = time.Hour
	sweepRows  = 500
	sweepPause = 200 * time.Millisecond
)

// sweep removes expired records from the store until ctx ends.
func (s *Server) sweep(ctx context.Context) {
	for {
		more, err := s.storage.Store.Sweep(ctx, s.c.Now(), sweepRows)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("sweeping the store", "error", err)
		}
		pause := sweepEvery
		if more && err == nil {
			pause = sweepPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}
