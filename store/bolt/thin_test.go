package bolt

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"leadline/store"
)

// TestLargeRemovals checks that an endpoint and an account with many deliveries are removed in
// several transactions, each of which leaves a consistent store.
func TestLargeRemovals(t *testing.T) {
	var commits int
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{
		Observe: func(int, time.Duration, error) { commits++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	const n = 2*thinSize + 10
	if err := s.AddAccount(ctx, store.Account{ID: "a", Email: "a@example.org"}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := s.AddEndpoint(ctx, store.Endpoint{
			ID: fmt.Sprint("we_", i), Account: "a", Kinds: []string{store.AllKinds},
			State: store.EndpointEnabled,
		}, 2); err != nil {
			t.Fatal(err)
		}
	}
	var list []store.Event
	for i := range n {
		list = append(list, store.Event{
			ID: fmt.Sprintf("msg_%032x", i), Type: "test", Account: "a", Body: []byte("{}"),
		})
	}
	if _, err := s.Post(ctx, list...); err != nil {
		t.Fatal(err)
	}
	consistent := func(what string, deliveries, events int) {
		t.Helper()
		r, err := s.Check(ctx)
		if err != nil || r.Deliveries != deliveries || r.Events != events {
			t.Errorf("%s: %d deliveries, %d events, %v; want %d and %d", what, r.Deliveries, r.Events,
				err, deliveries, events)
		}
	}
	commits = 0
	if err := s.RemoveEndpoint(ctx, "we_0"); err != nil || commits != 3 {
		t.Errorf("RemoveEndpoint() = %v after %d commits, want 3", err, commits)
	}
	consistent("without an endpoint", n, n)
	if err := s.thinEndpoint(ctx, "we_1"); err != nil {
		t.Fatal(err)
	}
	consistent("in the middle", 10, n)
	commits = 0
	if err := s.RemoveAccount(ctx, "a"); err != nil || commits != 3 {
		t.Errorf("RemoveAccount() = %v after %d commits, want 3", err, commits)
	}
	consistent("without the account", 0, 0)
}
