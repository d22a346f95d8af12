package bolt

import "context"

// Changes implements store.ChangeFeed. A commit is reported before the call that made it returns.
func (s *Store) Changes(ctx context.Context, notify func()) error {
	s.mu.Lock()
	s.listeners[&notify] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.listeners, &notify)
		s.mu.Unlock()
	}()
	notify()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return errClosed
	}
}

// changed notifies the listeners of Changes.
func (s *Store) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for notify := range s.listeners {
		(*notify)()
	}
}
