package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// Changes implements store.ChangeFeed. A commit is reported before the call that made it returns.
func (s *Store) Changes(ctx context.Context, notify func([]store.Change)) error {
	s.mu.Lock()
	s.listeners[&notify] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, &notify)
		s.mu.Unlock()
	}()
	notify([]store.Change{{}})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	}
}

// changed adds to the changes of a transaction, which are reported when it is committed. A change
// that equals the one before it is reported once.
func (s *Store) changed(tx *bbolt.Tx, c store.Change) {
	switch n := len(s.changes); {
	case n == 0:
		tx.OnCommit(s.report)
	case s.changes[n-1] == c:
		return
	}
	s.changes = append(s.changes, c)
}

// report reports the changes of the transaction that was committed.
func (s *Store) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for notify := range s.listeners {
		(*notify)(s.changes)
	}
}
