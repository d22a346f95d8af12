package accounts

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"

	"leadline/store"
)

// TestManyAccounts checks that lists have all accounts once, in order, when the store is read in
// several pages.
func TestManyAccounts(t *testing.T) {
	b := newBench(t)
	want := make([]string, 2*pageSize+1)
	errs := make([]error, len(want))
	var all sync.WaitGroup
	for i := range want { // at once, so that they share transactions
		a := store.Account{ID: fmt.Sprint(i), Email: fmt.Sprintf("p%d@example.org", i), Plan: "free"}
		k := store.Key{ID: fmt.Sprint("k", i), Hash: [32]byte{byte(i), byte(i >> 8)}}
		want[i] = a.Email
		all.Go(func() { _, errs[i] = b.store.AddAccountKey(t.Context(), a, false, k) })
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	var got []string
	list, err := b.List(t.Context())
	for _, a := range list {
		if got = append(got, a.Email); a.ActiveKeys != 1 {
			t.Errorf("account %s has %d active keys, want 1", a.Email, a.ActiveKeys)
		}
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("List() has %d accounts, %v, want %d", len(got), err, len(want))
	}
	got = nil
	keys, err := b.Keys(t.Context(), "")
	for _, k := range keys {
		got = append(got, k.Email)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Keys() has %d keys, %v, want %d", len(got), err, len(want))
	}
	if email, err := b.WithoutPassword(t.Context()); err != nil || email != want[0] {
		t.Errorf("WithoutPassword() = %q, %v, want %q", email, err, want[0])
	}
	last, err := b.store.AccountByEmail(t.Context(), want[2*pageSize])
	if err != nil {
		t.Fatal(err)
	}
	if err := b.store.SetPassword(t.Context(), last.ID, "hash", nil); err != nil {
		t.Fatal(err)
	}
	if email, err := b.WithoutPassword(t.Context()); err != nil || email != "" {
		t.Errorf("WithoutPassword() = %q, %v, want none", email, err)
	}
	b.store.Close()
	if list, err := b.List(t.Context()); err == nil {
		t.Errorf("List() of a closed store has %d accounts, want an error", len(list))
	}
}
