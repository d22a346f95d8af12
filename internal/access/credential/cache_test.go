package credential

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// entry is a cache entry of a key of an account.
type entry struct{ key, account string }

func (e entry) names() [2]name { return [2]name{{byKeyID, e.key}, {byAccountID, e.account}} }

func sumOfKey(n int) [32]byte { return sumOf(fmt.Sprint("key ", n)) }

// newFilled returns a cache with the entries 0 to n-1. Two of them belong to an account.
func newFilled(n int) *cache[entry] {
	c := newCache[entry](n)
	for i := range n {
		c.put(sumOfKey(i), entry{fmt.Sprint("k", i), fmt.Sprint("a", i/2)}, 0)
	}
	return c
}

func (c *cache[T]) present(n int) (list []int) {
	for i := range n {
		if _, _, ok := c.get(sumOfKey(i)); ok {
			list = append(list, i)
		}
	}
	return list
}

// TestCacheInvalidate checks which entries remain after a change, and that an entry that was being
// read at that time is added unless it depends on the change.
func TestCacheInvalidate(t *testing.T) {
	for _, test := range []struct {
		change store.Change
		remain []int
		read   bool // entry 5 of account 2, read before the change, is added
	}{
		{store.Change{Key: "k1"}, []int{0, 2, 3}, true},
		{store.Change{Account: "a1"}, []int{0, 1}, true},
		{store.Change{Key: "k5"}, []int{0, 1, 2, 3}, false},
		{store.Change{Account: "a2"}, []int{0, 1, 2, 3}, false},
		{store.Change{Grant: "k1"}, []int{0, 1, 2, 3}, true},
		{store.Change{Key: "a1"}, []int{0, 1, 2, 3}, true},
		{store.Change{Fact: "k1"}, []int{0, 1, 2, 3}, true},
		{store.Change{Posted: true}, []int{0, 1, 2, 3}, true},
		{store.Change{}, nil, false},
	} {
		c := newFilled(4)
		c.most = 10
		_, age, _ := c.get(sumOfKey(5))
		c.invalidate([]store.Change{test.change})
		if got := c.present(4); !slices.Equal(got, test.remain) {
			t.Errorf("%+v leaves %v, want %v", test.change, got, test.remain)
		}
		c.put(sumOfKey(5), entry{"k5", "a2"}, age)
		if _, age, ok := c.get(sumOfKey(5)); ok != test.read {
			t.Errorf("%+v: an entry that was being read is added: %v, want %v", test.change, ok, test.read)
		} else if c.put(sumOfKey(5), entry{"k5", "a2"}, age); len(c.present(6)) <= len(test.remain) {
			t.Errorf("%+v: an entry that is read afterwards is not added", test.change)
		}
	}
}

// TestCacheForgets checks that an entry is not added if more names were invalidated while it was
// being read than the cache remembers.
func TestCacheForgets(t *testing.T) {
	for _, n := range []int{mostRecent, mostRecent + 1} {
		c := newCache[entry](10)
		_, age, _ := c.get(sumOfKey(1))
		for i := range n {
			c.invalidate([]store.Change{{Key: fmt.Sprint("other ", i)}})
		}
		c.put(sumOfKey(1), entry{"k1", "a1"}, age)
		if got, want := len(c.present(2)) == 1, n <= mostRecent; got != want {
			t.Errorf("after %d changes of others the entry is added: %v, want %v", n, got, want)
		}
	}
}

// TestCacheSurvives checks that a full cache keeps the entries that changes do not concern, and
// that its index has no entries beyond those of the cache.
func TestCacheSurvives(t *testing.T) {
	const most, changed = 10_000, 1_000
	c := newFilled(most)
	for i := range changed {
		c.invalidate([]store.Change{{Key: fmt.Sprint("k", 10*i)}})
		c.invalidate([]store.Change{{Key: fmt.Sprint("not cached ", i)}})
	}
	if got, want := len(c.present(most)), most-changed; got != want {
		t.Errorf("%d entries remain, want %d", got, want)
	}
	for i := range 2 * most { // replaces the entries by others
		_, age, _ := c.get(sumOfKey(most + i))
		c.put(sumOfKey(most+i), entry{fmt.Sprint("k", most+i), "one"}, age)
	}
	if len(c.found) != most {
		t.Errorf("%d entries, want %d", len(c.found), most)
	}
	c.invalidate([]store.Change{{Account: "one"}})
	for i := range most {
		c.remove(sumOfKey(i))
	}
	if len(c.found) != 0 || len(c.byName) != 0 {
		t.Errorf("%d entries and %d names remain, want none", len(c.found), len(c.byName))
	}
}

// pausing is a store that calls read after each key that it has read.
type pausing struct {
	store.Store
	read func()
}

func (s *pausing) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	k, a, err := s.Store.KeyByHash(ctx, hash)
	s.read()
	return k, a, err
}

var today = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newPausing returns keys of a new store with an account "me".
func newPausing(t *testing.T, read func()) (*Keys, store.Store) {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	me := store.Account{ID: "me", Email: "me@example.org", Plan: "free"}
	if err := s.AddAccount(t.Context(), me); err != nil {
		t.Fatal(err)
	}
	return NewKeys(&pausing{s, read}, Pepper{1}, func() time.Time { return today }), s
}

func newKeyOf(t *testing.T, k *Keys) (secret, id string) {
	t.Helper()
	secret, made, err := k.Create(t.Context(), NewKey{Account: "me", Scopes: []string{RawRead}})
	if err != nil {
		t.Fatal(err)
	}
	return secret, made.ID
}

// findNow finds a key, with all the time that the store needs.
func findNow(t *testing.T, keys *Keys, secret string) (*KeyEntry, error) {
	t.Helper()
	return keys.Find(t.Context(), secret, today, true, time.Minute)
}

// TestRevokedWhileRead checks that a key that is revoked between its reading from the store and its
// addition to the cache is not accepted afterwards.
func TestRevokedWhileRead(t *testing.T) {
	read, revoked := make(chan bool), make(chan bool)
	keys, _ := newPausing(t, func() {
		read <- true
		<-revoked
	})
	secret, id := newKeyOf(t, keys)
	found := make(chan error)
	go func() {
		_, err := findNow(t, keys, secret)
		found <- err
	}()
	<-read
	if err := keys.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	revoked <- true
	if err := <-found; err != nil {
		t.Errorf("the request that began before the revocation: %v", err)
	}
	if _, ok := keys.cached.found[sumOf(secret)]; ok {
		t.Error("the revoked key is cached as an active one")
	}
}

// TestOthersAreNotReadAgain checks that changes of one key and one account, as the store reports
// them, do not make the cache read other keys again.
func TestOthersAreNotReadAgain(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	keys, s := newPausing(t, func() { reads.Add(1) })
	other := store.Account{ID: "other", Email: "other@example.org", Plan: "free"}
	if err := s.AddAccount(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	defer feed(t, s, keys)()
	var secrets []string
	for range 40 {
		secret, _ := newKeyOf(t, keys)
		secrets = append(secrets, secret)
	}
	find := func() {
		t.Helper()
		for _, secret := range secrets {
			if _, err := findNow(t, keys, secret); err != nil {
				t.Error(err)
			}
		}
	}
	find()
	_, old := newKeyOf(t, keys)
	for i := range 100 {
		_, next, err := keys.Reroll(t.Context(), old, 0)
		if err == nil {
			err = s.SetPlan(t.Context(), other.ID, fmt.Sprint("plan ", i))
		}
		if err != nil {
			t.Fatal(err)
		}
		old = next.ID
		find()
	}
	if got, want := reads.Load(), int64(len(secrets)); got != want {
		t.Errorf("%d keys were read from the store, want %d", got, want)
	}
}

// feed makes keys follow the changes of their store until stop is called.
func feed(t *testing.T, s store.Store, keys *Keys) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	listening := make(chan struct{})
	begin := sync.OnceFunc(func() { close(listening) })
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = s.(store.ChangeFeed).Changes(ctx, func(list []store.Change) {
			keys.Invalidate(list)
			begin()
		})
	})
	<-listening
	return func() {
		cancel()
		watching.Wait()
	}
}

// TestRevokedTogether checks the same for many keys, readers and changes at once: a key that is
// revoked, or whose account has another plan, is never found as it was before.
func TestRevokedTogether(t *testing.T) {
	t.Parallel()
	keys, s := newPausing(t, runtime.Gosched)
	defer feed(t, s, keys)()
	for round := range trials.Cases() / 10 {
		secret, id := newKeyOf(t, keys)
		plan := fmt.Sprint("plan ", round)
		ended := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
						_, _ = findNow(t, keys, secret)
					}
				}
			})
		}
		err := s.SetPlan(t.Context(), "me", plan)
		h, findErr := findNow(t, keys, secret)
		if err != nil || findErr != nil || h.Owner.Plan != plan {
			t.Errorf("after SetPlan: %v, %v, %+v, want %s", err, findErr, h, plan)
		}
		err = s.RevokeKey(t.Context(), id, today)
		if _, findErr := findNow(t, keys, secret); err != nil || !errors.Is(findErr, ErrUnknown) {
			t.Errorf("after RevokeKey: %v, %v, want %v", err, findErr, ErrUnknown)
		}
		close(ended)
		readers.Wait()
		if _, err := findNow(t, keys, secret); !errors.Is(err, ErrUnknown) {
			t.Errorf("after all: %v, want %v", err, ErrUnknown)
		}
	}
}
