package endpoints

import (
	"context"
	"time"

	"leadline/internal/access/outage"
)

// Test posts a test to an endpoint of an account and returns its first attempt, or the delivery
// without one if patience is over.
func (s *Service) Test(
	ctx context.Context, account, id string, patience time.Duration,
) (_ Delivery, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, id)
	switch {
	case err != nil:
		return Delivery{}, err
	case s.c.Off:
		return Delivery{}, errOff
	case !e.Receives():
		return Delivery{}, notEnabled(e)
	}
	if err := s.allowed(s.tests, "tests", account); err != nil {
		return Delivery{}, err
	}
	event, err := s.c.Outbox.PostTest(ctx, e)
	if err != nil {
		return Delivery{}, err
	}
	return s.await(ctx, e.ID, event, patience)
}

// await returns a delivery when it has had an attempt or patience is over.
func (s *Service) await(
	ctx context.Context, endpoint, event string, patience time.Duration,
) (Delivery, error) {
	const pause = 50 * time.Millisecond
	over := time.After(patience)
	for {
		d, err := s.c.Store.Delivery(ctx, endpoint, event)
		if err != nil || len(d.Attempts) > 0 {
			return describeDelivery(d), err
		}
		select {
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		case <-over:
			return describeDelivery(d), nil
		case <-time.After(pause):
		}
	}
}
