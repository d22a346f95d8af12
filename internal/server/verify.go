package server

import (
	"context"
	"log/slog"

	"leadline/internal/verify"
	"leadline/tools"
)

// verifies reports whether the server compares its predictions with NOAA's once a month.
func (c Config) verifies() bool { return c.Settings.VerifyMonthly && !c.Settings.Offline }

// verified returns the function that reads the newest comparison.
func verified(c Config, s *Storage) func(context.Context) (verify.Snapshot, error) {
	return func(ctx context.Context) (verify.Snapshot, error) {
		return verify.Read(ctx, s.Store, c.verifies(), c.Now())
	}
}

// newVerifier creates the monthly comparison, or nil if the operator has not switched it on. Its
// requests have no caller: they take turns with those of callers, within the same rate.
func newVerifier(c Config, set *tools.Set, s *Storage, log *slog.Logger) *verify.Job {
	if !c.verifies() {
		return nil
	}
	comparer := verify.Comparer{Stations: set.Stations, Water: set.NOAA, Now: c.Now}
	return verify.NewJob(verify.JobConfig{
		Store: s.Store, Stations: comparer.References, Compare: comparer.Compare, Now: c.Now, Log: log,
	})
}

// verify compares predictions with NOAA's until ctx ends, on one of the instances that have it
// switched on.
func (s *Server) verify(ctx context.Context) {
	if s.verifier != nil {
		s.job("verify", s.verifier.Run)(ctx)
	}
}
