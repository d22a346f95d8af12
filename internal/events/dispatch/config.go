package dispatch

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/store"
)

// Store is the part of the store that a Dispatcher uses.
type Store interface {
	store.Endpoints
	store.Events
	// Ready writes something and returns nil if that succeeded.
	Ready(ctx context.Context) error
}

// Config configures a Dispatcher. The comment of a field gives the default for its zero
// value, if it may have it.
type Config struct {
	Store Store
	Owner string // names this process among those that share the store
	Seed  uint64 // of the jitter of the schedule

	// Send makes an attempt, as Sender.Send does.
	Send func(context.Context, sender.Request) sender.Report
	// Open opens the sealed secret of an endpoint.
	Open func(endpoint string, sealed []byte) (signature.Secret, error)

	Now  func() time.Time // the wall clock; time.Now
	Poll time.Duration    // how often to look for deliveries without Wake; 1 s
	Log  *slog.Logger     // never has a path, a query or a secret; none

	// Observe receives each attempt, for metrics: its outcome, how long it took, and how late it
	// began. It must not block. It may be nil.
	Observe func(outcome sender.Outcome, took, lag time.Duration)
}

func (c Config) withDefaults() Config {
	c.Poll = cmp.Or(c.Poll, time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Observe == nil {
		c.Observe = func(sender.Outcome, time.Duration, time.Duration) {}
	}
	return c
}
