package bolt

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

// heard is what Observe was told.
type heard struct {
	mu     sync.Mutex
	groups []int
	errs   []error
}

func (h *heard) observe(writes int, took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.groups, h.errs = append(h.groups, writes), append(h.errs, err)
	if took < 0 {
		h.errs[len(h.errs)-1] = errors.New("it took less than no time")
	}
}

// take returns what was heard since it was last called.
func (h *heard) take() ([]int, []error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	groups, errs := h.groups, h.errs
	h.groups, h.errs = nil, nil
	return groups, errs
}

// openHeard opens a store with something in it that tells what it does.
func openHeard(t *testing.T) (*Store, *heard) {
	t.Helper()
	var h heard
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{Observe: h.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	storetest.Fill(t, s)
	h.take()
	return s, &h
}

// TestGroup holds that in one group each write is answered for itself, and that
// a later one sees what an earlier one did.
func TestGroup(t *testing.T) {
	s, h := openHeard(t)
	ctx := t.Context()
	next := anAccount(50)
	twin := anAccount(50)
	twin.Email = "twin@example.org"
	long := strings.Repeat("x", 40_000) // longer than bbolt's keys may be
	var granted [2]uint64
	errs := queued(t, s, []func() error{
		func() error { return s.AddAccount(ctx, next) },
		func() error { return s.AddAccount(ctx, twin) },
		func() error { return s.SetMeta(ctx, long, nil) },
		func() (err error) { granted[0], _, err = s.Reserve(ctx, next.ID, 202611, 60, 100); return err },
		func() error { return s.SetPlan(ctx, accountID(999), "pro") },
		func() (err error) { granted[1], _, err = s.Reserve(ctx, next.ID, 202611, 60, 100); return err },
		func() error { return s.AddKey(ctx, aKey(50)) },
	}, func() {})
	want := []error{nil, store.ErrExists, store.ErrUnavailable, nil, store.ErrNotFound, nil, nil}
	for i := range want {
		if !errors.Is(errs[i], want[i]) {
			t.Errorf("write %d: got error %v, want %v", i, errs[i], want[i])
		}
	}
	if granted != [2]uint64{60, 40} {
		t.Errorf("granted %v, want 60 and 40", granted)
	}
	if groups, heard := h.take(); len(groups) != 3 || groups[0] != 1 || groups[1] != 7 || groups[2] != 6 || heard[1] == nil || heard[2] != nil {
		t.Errorf("heard of groups of %v, with %v, want 1, 7 and, without the one that spoiled it, 6", groups, heard)
	}
	if got, err := s.AccountByEmail(ctx, next.Email); err != nil || got != next {
		t.Errorf("AccountByEmail() = %+v, %v, want %+v", got, err, next)
	}
	if got, err := s.AccountByEmail(ctx, twin.Email); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what was refused: got %+v, %v, want %v", got, err, store.ErrNotFound)
	}
}

// TestGroupFails holds that a group that did not reach the disk fails whole: a
// refusal among it could rest on what never came to be.
func TestGroupFails(t *testing.T) {
	s, h := openHeard(t)
	before := storetest.Dump(t, s)
	rename(t, s.path, s.path+".away")
	ctx := t.Context()
	add := func() error { return s.AddAccount(ctx, anAccount(50)) }
	for i, err := range queued(t, s, []func() error{add, add, add}, func() {}) {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("write %d: got error %v, want %v", i, err, store.ErrUnavailable)
		}
	}
	if _, heard := h.take(); len(heard) != 2 || !errors.Is(heard[1], store.ErrUnavailable) {
		t.Errorf("heard of %v, want %v for the group", heard, store.ErrUnavailable)
	}
	rename(t, s.path+".away", s.path)
	recovered(t, s, before)
}

// TestObserve holds that every write is counted once, refusals are no failures,
// and what fails is told.
func TestObserve(t *testing.T) {
	s, h := openHeard(t)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if err := s.Ready(t.Context()); err != nil {
				t.Errorf("Ready() = %v", err)
			}
		})
	}
	all.Wait()
	_ = s.SetPlan(t.Context(), accountID(999), "pro")
	_, _ = s.Account(t.Context(), accountID(999))
	groups, errs := h.take()
	sum := 0
	for i, n := range groups {
		sum += n
		if errs[i] != nil {
			t.Errorf("a group of %d: %v", n, errs[i])
		}
	}
	if sum != 101 {
		t.Errorf("heard of %d writes, want 101", sum)
	}
	if err := s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(accounts).Put([]byte("bad"), []byte("{")) }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Account(t.Context(), "bad"); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Account() of a damaged record = %v, want %v and %v", err, store.ErrUnavailable, store.ErrDamaged)
	}
	if groups, errs := h.take(); len(groups) != 1 || groups[0] != 0 || !errors.Is(errs[0], store.ErrDamaged) {
		t.Errorf("heard of %v, %v, want a read that failed", groups, errs)
	}
}

// TestUnfit holds that what JSON or the indexes could not give back as it came
// is not taken.
func TestUnfit(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	for _, name := range []string{"", "a\x00b", "a\xffb", strings.Repeat("x", longestName+1)} {
		id, email, key, incident := anAccount(50), anAccount(50), aKey(0), store.Incident{ID: name}
		id.ID, email.Email, key.ID = name, name, name
		code := store.Code{Grant: store.Grant{ID: name, Account: accountID(0)}}
		issuer, subject := store.Identity{Issuer: name, Subject: "s", Account: accountID(0)}, store.Identity{Issuer: "i", Subject: name, Account: accountID(0)}
		for what, err := range map[string]error{
			"an account's id": s.AddAccount(t.Context(), id), "an address": s.AddAccount(t.Context(), email),
			"a key's id": s.AddKey(t.Context(), key), "a replacement's": s.ReplaceKey(t.Context(), "key0000", noon, key),
			"an incident's": s.PutIncident(t.Context(), incident),
			"a client's":    s.AddClient(t.Context(), store.Client{ID: name}, 100), "a grant's": s.AddCode(t.Context(), code),
			"an issuer": s.AddIdentity(t.Context(), issuer), "a subject": s.AddIdentity(t.Context(), subject),
			"who joins": s.Join(t.Context(), store.Joining{Account: id}), "whose address joins": s.Join(t.Context(), store.Joining{Account: email}),
			"whose identity joins": s.Join(t.Context(), store.Joining{Account: anAccount(50), Identity: &subject}),
		} {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%q as %s: got error %v, want %v", name, what, err, store.ErrUnavailable)
			}
		}
		if _, err := s.Account(t.Context(), name); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Account(%q): got error %v, want %v", name, err, store.ErrNotFound)
		}
	}
	if now := storetest.Dump(t, s); now != before {
		t.Errorf("the store is now\n%s\nwant it as it was\n%s", now, before)
	}
}
