package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
	"leadline/store/storetest"
)

// recorder records the calls of Observe.
type recorder struct {
	mu     sync.Mutex
	groups []int
	errs   []error
}

func (r *recorder) observe(writes int, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups, r.errs = append(r.groups, writes), append(r.errs, err)
	if took < 0 {
		r.errs[len(r.errs)-1] = fmt.Errorf("observed a duration of %v", took)
	}
}

// take returns the calls since it was last called.
func (r *recorder) take() ([]int, []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	groups, errs := r.groups, r.errs
	r.groups, r.errs = nil, nil
	return groups, errs
}

// openRecorded opens a filled store whose Observe calls are recorded.
func openRecorded(t *testing.T) (*Store, *recorder) {
	t.Helper()
	var r recorder
	s, err := Open(filepath.Join(t.TempDir(), "leadline.db"), Options{Observe: r.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	storetest.Fill(t, s)
	r.take()
	return s, &r
}

// TestGroup checks that each write of a group gets its own result, and that a later write sees the
// changes of an earlier one.
func TestGroup(t *testing.T) {
	s, r := openRecorded(t)
	ctx := t.Context()
	next := anAccount(50)
	twin := anAccount(50)
	twin.Email = "twin@example.org"
	fails := func(tx *bbolt.Tx) error {
		return tx.Bucket(facts).Put(make([]byte, bbolt.MaxKeySize+1), nil)
	}
	var granted [2]uint64
	reserve := func(granted *uint64) func() error {
		return func() (err error) {
			*granted, _, err = s.Reserve(ctx, next.ID, 202611, 60, 100)
			return err
		}
	}
	errs := queued(t, s, []func() error{
		func() error { return s.AddAccount(ctx, next) },
		func() error { return s.AddAccount(ctx, twin) },
		func() error { return s.do(ctx, fails) },
		reserve(&granted[0]),
		func() error { return s.SetPlan(ctx, accountID(999), "pro") },
		reserve(&granted[1]),
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
	groups, observed := r.take()
	if !slices.Equal(groups, []int{1, 7, 6}) || observed[1] == nil || observed[2] != nil {
		t.Errorf("observed groups of %v with errors %v, want 1, 7 (failed) and 6", groups, observed)
	}
	if got, err := s.AccountByEmail(ctx, next.Email); err != nil || got != next {
		t.Errorf("AccountByEmail() = %+v, %v, want %+v", got, err, next)
	}
	if got, err := s.AccountByEmail(ctx, twin.Email); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the refused account: got %+v, %v, want %v", got, err, store.ErrNotFound)
	}
}

// TestGroupFails checks that every write of a group that was not committed fails: even a refusal
// may depend on changes that were not committed.
func TestGroupFails(t *testing.T) {
	s, r := openRecorded(t)
	before := storetest.Dump(t, s)
	move(t, s.path, s.path+".away")
	ctx := t.Context()
	add := func() error { return s.AddAccount(ctx, anAccount(50)) }
	for i, err := range queued(t, s, []func() error{add, add, add}, func() {}) {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("write %d: got error %v, want %v", i, err, store.ErrUnavailable)
		}
	}
	_, errs := r.take()
	if len(errs) != 2 || !errors.Is(errs[1], store.ErrUnavailable) {
		t.Errorf("observed %v, want %v for the group", errs, store.ErrUnavailable)
	}
	move(t, s.path+".away", s.path)
	recovered(t, s, before)
}

// TestObserve checks that every write is counted once, that refusals are not failures, and that
// failures are reported.
func TestObserve(t *testing.T) {
	s, r := openRecorded(t)
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
	groups, errs := r.take()
	sum := 0
	for i, n := range groups {
		sum += n
		if errs[i] != nil {
			t.Errorf("a group of %d: %v", n, errs[i])
		}
	}
	if sum != 101 {
		t.Errorf("observed %d writes, want 101", sum)
	}
	if err := s.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(accounts).Put([]byte("bad"), []byte("{"))
	}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Account(t.Context(), "bad")
	if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Account() of a damaged record = %v, want %v and %v",
			err, store.ErrUnavailable, store.ErrDamaged)
	}
	groups, errs = r.take()
	if len(groups) != 1 || groups[0] != 0 || !errors.Is(errs[0], store.ErrDamaged) {
		t.Errorf("observed %v, %v, want a failed read", groups, errs)
	}
}

// TestInvalidNames checks that names that JSON or the indexes would not preserve are refused.
func TestInvalidNames(t *testing.T) {
	s := filled(t)
	before := storetest.Dump(t, s)
	for _, name := range []string{"", "a\x00b", "a\xffb", strings.Repeat("x", 1025)} {
		id, email, key, incident := anAccount(50), anAccount(50), aKey(0), store.Incident{ID: name}
		id.ID, email.Email, key.ID = name, name, name
		code := store.Code{Grant: store.Grant{ID: name, Account: accountID(0)}}
		issuer := store.Identity{Issuer: name, Subject: "s", Account: accountID(0)}
		subject := store.Identity{Issuer: "i", Subject: name, Account: accountID(0)}
		joining := store.Joining{Account: anAccount(50), Identity: &subject}
		ctx := t.Context()
		for what, err := range map[string]error{
			"id of AddAccount":       s.AddAccount(ctx, id),
			"email of AddAccount":    s.AddAccount(ctx, email),
			"id of AddKey":           s.AddKey(ctx, key),
			"id of ReplaceKey":       s.ReplaceKey(ctx, "key0000", noon, key),
			"id of PutIncident":      s.PutIncident(ctx, incident),
			"id of AddClient":        s.AddClient(ctx, store.Client{ID: name}, 100),
			"grant of AddCode":       s.AddCode(ctx, code),
			"issuer of AddIdentity":  s.AddIdentity(ctx, issuer),
			"subject of AddIdentity": s.AddIdentity(ctx, subject),
			"id of Join":             s.Join(ctx, store.Joining{Account: id}),
			"email of Join":          s.Join(ctx, store.Joining{Account: email}),
			"subject of Join":        s.Join(ctx, joining),
			"name of SwapMeta":       s.SwapMeta(ctx, name, nil, nil),
			"surface of AddUses":     s.AddUses(ctx, []store.Use{{Account: accountID(0), Surface: name}}),
			"name of MarkMinute":     s.MarkMinute(ctx, noon, map[string]string{name: store.ComponentOK}),
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
		t.Errorf("the store has changed to\n%s\nfrom\n%s", now, before)
	}
}
