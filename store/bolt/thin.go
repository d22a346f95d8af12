package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// thinSize limits the deliveries or events that one transaction removes. One that removes all of
// an endpoint or an account would block other writes for up to half a second.
const thinSize = 1000

// thinEndpoint removes deliveries of an endpoint that will be removed, the oldest first, until at
// most thinSize are left. Each transaction leaves a consistent store.
func (s *Store) thinEndpoint(ctx context.Context, id string) error {
	return s.repeat(ctx, func(tx *bbolt.Tx) bool {
		return len(eventsTo(tx, id, thinSize+1)) > thinSize
	}, func(tx *bbolt.Tx) error {
		e, err := endpointKind.get(tx, []byte(id))
		if err == store.ErrNotFound {
			return nil // another call has removed it
		}
		if err != nil {
			return err
		}
		added := 0
		for _, event := range eventsTo(tx, id, thinSize) {
			n, err := removeDelivery(tx, id, event)
			if err != nil {
				return err
			}
			added += n
		}
		return requeue(tx, e, added)
	})
}

// thinAccount removes deliveries and events of an account that will be removed, until at most
// thinSize of each endpoint and of the account are left.
func (s *Store) thinAccount(ctx context.Context, account string) error {
	list, err := s.EndpointsOf(ctx, account)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := s.thinEndpoint(ctx, e.ID); err != nil {
			return err
		}
	}
	return s.repeat(ctx, func(tx *bbolt.Tx) bool {
		return len(eventsIn(tx, account, thinSize+1)) > thinSize
	}, func(tx *bbolt.Tx) error {
		for _, id := range eventsIn(tx, account, thinSize) {
			if _, err := removeEvent(tx, id, thinSize); err != nil {
				return err
			}
		}
		return nil
	})
}

// repeat makes changes, each in a transaction of its own, while there is something to do.
func (s *Store) repeat(
	ctx context.Context, more func(*bbolt.Tx) bool, apply func(*bbolt.Tx) error,
) error {
	for {
		again, err := read(ctx, s, func(tx *bbolt.Tx) (bool, error) { return more(tx), nil })
		if err != nil || !again {
			return err
		}
		if err := s.do(ctx, apply); err != nil {
			return err
		}
	}
}
