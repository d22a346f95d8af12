package copier_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/copier"
	"leadline/store/storetest"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// newStore returns an empty store.
func newStore(t *testing.T) *bolt.Store {
	t.Helper()
	return newStoreAt(t, filepath.Join(t.TempDir(), "leadline.db"))
}

func newStoreAt(t *testing.T, file string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// filled returns a store with rows of every kind and n more accounts, each with two keys.
func filled(t *testing.T, n int) *bolt.Store {
	t.Helper()
	return filledAt(t, filepath.Join(t.TempDir(), "leadline.db"), n)
}

func filledAt(t *testing.T, file string, n int) *bolt.Store {
	t.Helper()
	s := newStoreAt(t, file)
	storetest.Fill(t, s)
	for part := 0; part < n; part += 500 {
		var list []store.Record
		add := func(row any) {
			r, err := store.NewRecord(row)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
		for i := part; i < min(part+500, n); i++ {
			id := fmt.Sprintf("account%07d", i)
			add(store.Account{ID: id, Email: id + "@example.org", Plan: "free", Created: noon})
			for k := range 2 {
				key := fmt.Sprintf("%s-%d", id, k)
				add(store.Key{ID: key, Hash: sha256.Sum256([]byte(key)), Account: id, Created: noon})
			}
		}
		if err := s.Import(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// config returns the configuration of a copy.
func config(from, to store.Store) copier.Config {
	return copier.Config{From: from, To: to, Source: "the source", Patience: time.Millisecond}
}

// equal checks that two stores have the same records, that neither is an unfinished copy, and that
// the file of the second is intact.
func equal(t *testing.T, from, to *bolt.Store) {
	t.Helper()
	want, err := from.Tally(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := to.Tally(t.Context())
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("the copy has %v, %v\nwant %v", got, err, want)
	}
	for _, s := range []*bolt.Store{from, to} {
		if source, err := copier.Unfinished(t.Context(), s); source != "" || err != nil {
			t.Errorf("Unfinished() = %q, %v", source, err)
		}
	}
	if _, err := to.Check(t.Context()); err != nil {
		t.Errorf("Check() of the copy = %v", err)
	}
}

// TestCopy checks a copy, and a copy of it.
func TestCopy(t *testing.T) {
	from, to, again := filled(t, 1_500), newStore(t), newStore(t)
	c := config(from, to)
	var records []int
	c.Progress = func(_ string, n int) { records = append(records, n) }
	sums, err := copier.Copy(t.Context(), c)
	if err != nil || sums[store.KindKeys].Count != 3_006 {
		t.Fatalf("Copy() = %v, %v", sums, err)
	}
	equal(t, from, to)
	total := 0
	for _, s := range sums {
		total += s.Count
	}
	if last := records[len(records)-1]; last != total || len(records) < 9 {
		t.Errorf("progress was %d, want %d at the end", records, total)
	}
	if _, err := copier.Copy(t.Context(), config(to, again)); err != nil {
		t.Fatal(err)
	}
	equal(t, from, again)
}

// TestInterrupted checks that a copy which is interrupted after every transaction is resumed, and
// marked until it is complete.
func TestInterrupted(t *testing.T) {
	from, to := filled(t, 1_500), newStore(t)
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		c := config(from, to)
		c.Progress = func(string, int) { cancel() }
		sums, err := copier.Copy(ctx, c)
		cancel()
		if err == nil {
			if n < 9 || sums[store.KindAccounts].Count != 1_502 {
				t.Errorf("the copy was complete after %d interruptions: %v", n, sums)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted Copy() = %v", err)
		}
		if source, err := copier.Unfinished(t.Context(), to); source != "the source" || err != nil {
			t.Fatalf("Unfinished() = %q, %v", source, err)
		}
	}
	equal(t, from, to)
}

// TestRefused checks the stores that are not copied.
func TestRefused(t *testing.T) {
	fails := func(what, want string, c copier.Config) {
		t.Helper()
		if _, err := copier.Copy(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Copy() = %v, want %q", what, err, want)
		}
	}
	from, unfinished := filled(t, 600), newStore(t)
	fails("another store", "the target is not empty, it has accounts", config(from, filled(t, 0)))

	ctx, cancel := context.WithCancel(t.Context())
	interrupted := config(from, unfinished)
	interrupted.Progress = func(string, int) { cancel() }
	if _, err := copier.Copy(ctx, interrupted); err == nil {
		t.Fatal("the copy was not interrupted")
	}
	other := config(from, unfinished)
	other.Source = "another source"
	fails("another source", "unfinished copy of the source", other)
	fails("an unfinished source", "the source is an unfinished copy",
		config(unfinished, newStore(t)))

	// A source that was changed where the copy has been already.
	if err := from.SetPlan(t.Context(), "account0000001", "pro"); err != nil {
		t.Fatal(err)
	}
	fails("a changed source", "the stores differ in accounts", config(from, unfinished))
	if source, err := copier.Unfinished(t.Context(), unfinished); source == "" || err != nil {
		t.Errorf("after a difference Unfinished() = %q, %v", source, err)
	}

	closed := newStore(t)
	closed.Close()
	fails("a closed source", "store is closed", config(closed, newStore(t)))
	fails("a closed target", "store is closed", config(from, closed))

	invalid := newStore(t)
	if err := invalid.SwapMeta(t.Context(), store.CopyMark, nil, []byte("?")); err != nil {
		t.Fatal(err)
	}
	fails("an invalid mark", `the fact "copy"`, config(from, invalid))
}

// TestBusy checks that stores which another instance uses are copied by force only, and that a copy
// leaves no instance.
func TestBusy(t *testing.T) {
	for _, busy := range []int{0, 1} {
		stores := []*bolt.Store{filled(t, 0), newStore(t)}
		other := store.Instance{ID: "other", Name: "the other host"}
		if _, err := stores[busy].Enroll(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		c := config(stores[0], stores[1])
		_, err := copier.Copy(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "the other host") {
			t.Errorf("Copy() with store %d busy = %v", busy, err)
		}
		c.Force = true
		if _, err := copier.Copy(t.Context(), c); err != nil {
			t.Errorf("Copy() by force = %v", err)
		}
		equal(t, stores[0], stores[1])
		fleet, err := stores[busy].Heartbeat(t.Context(), other.ID)
		if err != nil || len(fleet.Live) != 1 {
			t.Errorf("live instances after the copies = %v, %v", fleet.Live, err)
		}
	}
}

// TestWaits checks that a copy waits for an instance that ends.
func TestWaits(t *testing.T) {
	from, to := filled(t, 0), newStore(t)
	if _, err := from.Enroll(t.Context(), store.Instance{ID: "other"}); err != nil {
		t.Fatal(err)
	}
	c := config(from, to)
	c.Patience = time.Hour
	copied := make(chan error, 1)
	go func() {
		_, err := copier.Copy(t.Context(), c)
		copied <- err
	}()
	trials.WaitFor(t, "a copy that waits", func() bool {
		fleet, err := from.Heartbeat(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		return len(fleet.Live) == 2
	})
	if err := from.Leave(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	if err := <-copied; err != nil {
		t.Fatalf("Copy() = %v", err)
	}
	equal(t, from, to)
}
