package access_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/store"
	"leadline/store/bolt"
)

// slow is a store whose methods block like those of a failed disk.
type slow struct {
	store.Store
	stuck atomic.Pointer[chan struct{}]
}

func (s *slow) stick()   { c := make(chan struct{}); s.stuck.Store(&c) }
func (s *slow) release() { close(*s.stuck.Swap(nil)) }

func (s *slow) wait(ctx context.Context) error {
	c := s.stuck.Load()
	if c == nil {
		return nil
	}
	select {
	case <-*c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slow) KeyByHash(ctx context.Context, hash [32]byte) (store.Key, store.Account, error) {
	if err := s.wait(ctx); err != nil {
		return store.Key{}, store.Account{}, err
	}
	return s.Store.KeyByHash(ctx, hash)
}

func (s *slow) Reserve(
	ctx context.Context, account string, month store.Month, n, limit uint64, notices ...store.Notice,
) (uint64, uint64, error) {
	if err := s.wait(ctx); err != nil {
		return 0, 0, err
	}
	return s.Store.Reserve(ctx, account, month, n, limit, notices...)
}

// TestStoreFails checks every failure of the store. Leased units are still served; then
// requests with a quota and keys that are not cached get 503. Callers without a credential are
// served.
func TestStoreFails(t *testing.T) {
	for name, breaks := range map[string]func(*testing.T, endpoint){
		"closed":  func(t *testing.T, d endpoint) { d.Store.Close() },
		"deleted": func(t *testing.T, d endpoint) { os.Remove(d.Path) },
		"replaced": func(t *testing.T, d endpoint) {
			if err := os.Rename(d.Path, d.Path+".old"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(d.Path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newEndpoint(t, newClock(noon), `{}`)
			account := d.Account(t, access.Free)
			warm := d.Key(t, account)
			for range 100 { // the first leases are small
				d.withKey(warm)
			}
			breaks(t, d)
			leased := 0
			w := d.withKey(warm)
			for ; w.Code == 200; w = d.withKey(warm) {
				leased++
			}
			if leased < 10 || leased > 50 {
				t.Errorf("%d served from memory, want the rest of a lease of 50", leased)
			}
			if w.Code != 503 || code(w) != coast.StoreUnavailable || w.Header().Get("Retry-After") != "5" ||
				figure(t, w, "X-Quota-Month-Limit") != 10_000 || figure(t, w, "X-Quota-Month-Remaining") != 0 ||
				w.Header().Get("X-Quota-Warning") != "none" {
				t.Errorf("then %d %v %s", w.Code, w.Header(), w.Body)
			}
			if w := d.send(request("192.0.2.1:1")); w.Code != 200 {
				t.Errorf("without a credential: %d", w.Code)
			}
			if name != "closed" {
				return
			}
			other := accesstest.On(d.Store, access.BuiltIn(), accesstest.Now) // with an empty cache of keys
			if w := (endpoint{other, limit.REST, data, 200}).withKey(warm); w.Code != 503 {
				t.Errorf("a key that is not cached: %d", w.Code)
			}
		})
	}
}

// TestStoreIsFull checks that a month that does not fit into a full store is not served, while
// a month that is already in the store continues.
func TestStoreIsFull(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/leadline.db"
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := accesstest.On(s, access.BuiltIn(), accesstest.Now)
	accounts, keys := g.Callers(t, 200, access.Free)
	s.Close()
	size, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = bolt.Open(path, bolt.Options{MaxBytes: int(size.Size())}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, length := range []int{100 << 10, 4000} {
		value := make([]byte, length)
		for i := 0; s.SwapMeta(t.Context(), fmt.Sprint(length, i), nil, value) == nil; i++ {
		}
	}
	full := 0
	for month := store.Month(190001); full < 3; month = month.Next() { // a new record each
		for i := range 20 {
			if _, _, err := s.Reserve(t.Context(), accounts[i], month, 1, 100); err != nil {
				full++
				break
			}
		}
	}
	d := endpoint{accesstest.On(s, access.BuiltIn(), accesstest.Now), limit.REST, data, http.StatusOK}
	served, refused := 0, 0
	for i, key := range keys {
		w := d.withKey(key)
		used, err := s.Usage(t.Context(), accounts[i], store.MonthOf(accesstest.Now()))
		switch {
		case err != nil:
			t.Fatal(err)
		case w.Code == 200 && used > 0:
			served++
		case w.Code == 503 && code(w) == coast.StoreUnavailable && used == 0:
			refused++
		default:
			t.Errorf("%d %s, %d units reserved", w.Code, w.Body, used)
		}
	}
	if refused == 0 {
		t.Errorf("%d accounts were served, none refused: the store was not full", served)
	}
}

// TestStoreIsSlow checks that the gate responds with 503 if the store does not respond, and that no
// units are lost.
func TestStoreIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := newClock(noon).now
		real := accesstest.New(t, access.BuiltIn(), now)
		account := real.Account(t, access.Free)
		warm, cold := real.Key(t, account), real.Key(t, account)
		s := &slow{Store: real.Store}
		gate := access.New(access.Config{
			Store: s, Keys: credential.NewKeys(s, credential.Pepper{1}, now), Plans: access.BuiltIn(),
			Now:      now,
			AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
		})
		d := endpoint{&accesstest.Gate{Gate: gate}, limit.REST, data, http.StatusOK}
		d.withKey(warm)
		s.stick()
		served := 1
		for d.withKey(warm).Code == 200 {
			served++
		}
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				for _, key := range []string{warm, cold} {
					if w := d.withKey(key); w.Code != 503 {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
		callers.Wait()
		if w := d.send(request("192.0.2.1:1")); w.Code != 200 {
			t.Errorf("without a credential: %d", w.Code)
		}
		s.release()
		for _, key := range []string{warm, cold} {
			w := d.withKey(key)
			if served++; w.Code != 200 || figure(t, w, "X-Quota-Month-Remaining") != 10_000-served {
				t.Errorf("afterwards: %d %v, want %d left", w.Code, w.Header(), 10_000-served)
			}
		}
		if err := gate.Close(); err != nil {
			t.Fatal(err)
		}
		used, err := real.Store.Usage(t.Context(), account, store.MonthOf(now()))
		if err != nil || used != uint64(served) {
			t.Errorf("%d used, %v, want %d", used, err, served)
		}
	})
}

// TestFullStoreLeavesNoAccount checks that if a key does not fit into a full store, no account
// without a key is left behind, no matter which record does not fit.
func TestFullStoreLeavesNoAccount(t *testing.T) {
	t.Parallel()
	var failed atomic.Int32
	for size := range 3 {
		s, err := bolt.Open(t.TempDir()+"/leadline.db", bolt.Options{MaxBytes: 2 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		keys := credential.NewKeys(s, credential.Pepper{1}, accesstest.Now)
		for _, length := range []int{200 << 10, 20 << 10, 2000 + 1000*size} {
			value := make([]byte, length)
			for i := 0; s.SwapMeta(t.Context(), fmt.Sprint(length, i), nil, value) == nil; i++ {
			}
		}
		var callers sync.WaitGroup
		for c := range 16 {
			callers.Go(func() {
				for i := range 100 {
					id := strconv.Itoa(100*c + i)
					a := store.Account{ID: id, Email: id + "@example.org", Plan: "free"}
					_, _, _, err := keys.CreateFor(t.Context(), a, false,
						credential.NewKey{Scopes: credential.Scopes()})
					if err != nil {
						failed.Add(1)
						return
					}
				}
			})
		}
		callers.Wait()
		accounts, err := s.Accounts(t.Context(), "", math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range accounts {
			if list, err := s.KeysOf(t.Context(), a.ID); err != nil || len(list) != 1 {
				t.Errorf("account %s has %d keys, %v, want 1", a.Email, len(list), err)
			}
		}
	}
	if failed.Load() == 0 {
		t.Error("no store was full")
	}
}
