package outage

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"leadline/store"
)

const (
	// callWithin limits the time of a call of the store that runs in the background. Requests do not
	// wait that long, but what it brings is there for later ones.
	CallWithin = 10 * time.Second

	// patientFor limits the wait of a request for a store that responds. It is ours: a database 200
	// ms away needs about six exchanges for a new connection and two for the first call on it.
	patientFor = 3 * time.Second
)

// Patience limits the waits of requests for calls of the store. While it responds they wait for
// long, because it may be far away or busy. After a request has waited in vain, or a call has
// failed, they wait for a short time until the store responds again: those that wait for a store
// that is gone would take the place of others.
type Patience struct {
	Short time.Duration
	lost  atomic.Bool // the store has not responded since
}

// limit returns how long a request waits for a call that begins now.
func (p *Patience) limit() time.Duration {
	if p.lost.Load() {
		return p.Short
	}
	return max(p.Short, patientFor)
}

// Record takes the outcome of a call. A refusal is a response.
func (p *Patience) Record(err error) {
	p.lost.Store(errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded))
}

// Wait waits until done is closed. The error is context.DeadlineExceeded if that takes too long,
// and that of ctx if it ends.
func (p *Patience) Wait(ctx context.Context, done <-chan struct{}) error {
	timer := time.NewTimer(p.limit())
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		p.lost.Store(true)
		return context.DeadlineExceeded
	}
}
