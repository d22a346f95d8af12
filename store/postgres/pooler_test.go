package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"leadline/store"
	"leadline/store/postgres/postgrestest"
	"leadline/store/storetest"
)

// TestPooler checks that every method works through PgBouncer in transaction mode, and that the
// changes of another instance arrive without notifications, by polling.
func TestPooler(t *testing.T) {
	t.Parallel()
	c := postgrestest.Shared(t)
	postgrestest.Exec(t, c.URL(), "create database pooled")
	t.Cleanup(func() { postgrestest.Exec(t, c.URL(), "drop database pooled with (force)") })
	direct := strings.Replace(c.URL(), "/postgres?", "/pooled?", 1)
	pooled := postgrestest.Pooler(t, c, "pooled")
	if _, err := Open(t.Context(), slow(pooled)); err == nil ||
		!strings.Contains(err.Error(), "default_query_exec_mode=cache_describe") {
		t.Errorf("Open() through a pooler as through none = %v, want the setting", err)
	}
	pooled = postgrestest.With(t, pooled, "default_query_exec_mode", "cache_describe")
	s := openStore(t, pooled)
	storetest.Fill(t, s)
	for range 3 { // on connections of several servers
		for _, m := range storetest.Methods() {
			if m.Writes {
				continue
			}
			if err := m.Call(t.Context(), s); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
	for _, m := range storetest.Methods() {
		if err := m.Call(t.Context(), s); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	if s.feed.target.listen != nil {
		t.Error("the store listens through the pooler, which forwards nothing")
	}
	arrives(t, openStore(t, direct), s)

	listening := slow(pooled)
	listening.Listen = direct
	other, err := Open(t.Context(), listening)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	arrives(t, s, other)
}

// arrives checks that a change of one store is reported by another.
func arrives(t *testing.T, from, to *Store) {
	t.Helper()
	const someone = 900_000
	if err := from.AddAccount(t.Context(), anAccount(someone)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := from.RemoveAccount(t.Context(), accountID(someone)); err != nil {
			t.Error(err)
		}
	}()
	want := store.Change{Account: accountID(someone)}
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	begun, found := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	find := sync.OnceFunc(func() { close(found) })
	listening.Go(func() {
		_ = to.Changes(ctx, func(list []store.Change) {
			begin()
			if slices.Contains(list, want) {
				find()
			}
		})
	})
	<-begun
	if err := from.SetPlan(t.Context(), accountID(someone), "pro"); err != nil {
		t.Fatal(err)
	}
	<-found
}
