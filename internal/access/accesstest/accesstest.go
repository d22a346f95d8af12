// Package accesstest creates gates with real stores for tests of handlers behind a gate.
package accesstest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/edge"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// Gate is a gate with a store in a temporary folder.
type Gate struct {
	*access.Gate
	Store *bolt.Store
	Keys  *credential.Keys
	Path  string // path of the store's file

	*Tokens
	accounts int
}

// StoreTimeout limits the time that a request waits for the store. A busy machine needs far less.
const StoreTimeout = time.Minute

// Bench is a plan of Roomy with a large monthly quota for benchmarks.
const Bench access.Tier = "bench"

// Roomy returns the built-in plans and Bench. Anonymous callers have a rate limit that tests do
// not reach.
func Roomy(t testing.TB) access.Plans {
	t.Helper()
	plans, err := access.ReadPlans(strings.NewReader(`{
		"anonymous": {"perMinute": 65535},
		"bench": {"perMinute": 65535, "perMonth": 1000000000000, "features": ["decision_api"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// New returns a gate that is closed when the test ends.
func New(t testing.TB, plans access.Plans, now func() time.Time) *Gate {
	t.Helper()
	content, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "leadline.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := On(s, plans, now)
	g.Path = path
	t.Cleanup(func() {
		g.Close()
		s.Close()
	})
	return g
}

// empty returns the content of an empty store. Making one takes several transactions, copying it
// none.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "leadline.db")
	s, err := bolt.Open(path, bolt.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// On returns a gate on a store, which the caller must close. Its limits use the clock now,
// which must not go back.
func On(s *bolt.Store, plans access.Plans, now func() time.Time) *Gate {
	start := now()
	return OnClocks(s, plans, now, func() time.Duration { return now().Sub(start) })
}

// OnClocks is like On with a separate wall clock and monotonic clock.
func OnClocks(
	s *bolt.Store, plans access.Plans, now func() time.Time, elapsed func() time.Duration,
) *Gate {
	return OnConfig(s, plans, now, func(c *access.Config) { c.Elapsed = elapsed })
}

// OnConfig is like On with a configuration that change completes. Without Elapsed, limits use the
// clock of the process.
func OnConfig(
	s *bolt.Store, plans access.Plans, now func() time.Time, change func(*access.Config),
) *Gate {
	keys, tokens := credential.NewKeys(s, credential.Pepper{1}, now), NewTokens(s, now)
	c := access.Config{
		Store: s, StoreTimeout: StoreTimeout, Keys: keys, Plans: plans, Now: now, Token: tokens.Verify,
		AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
	}
	change(&c)
	return &Gate{Gate: access.New(c), Store: s, Keys: keys, Tokens: tokens}
}

// Account creates an account on a plan and returns its id.
func (g *Gate) Account(t testing.TB, plan access.Tier) string {
	t.Helper()
	g.accounts++
	a := newAccount(g.accounts, plan)
	if err := g.Store.AddAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func newAccount(n int, plan access.Tier) store.Account {
	return store.Account{
		ID: fmt.Sprintf("account-%d", n), Email: fmt.Sprintf("person%d@example.org", n),
		Plan: string(plan), Created: time.Unix(0, 0),
	}
}

// Key creates a key of an account, with all scopes if none are given.
func (g *Gate) Key(t testing.TB, account string, scopes ...string) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = credential.Scopes()
	}
	secret, _, err := g.Keys.Create(t.Context(), credential.NewKey{Account: account, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Callers creates n accounts on a plan, each with a key, and returns them. It writes them at once,
// so that they share transactions.
func (g *Gate) Callers(t testing.TB, n int, plan access.Tier) (accounts, keys []string) {
	t.Helper()
	accounts, keys = make([]string, n), make([]string, n)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		g.accounts++
		a := newAccount(g.accounts, plan)
		accounts[i] = a.ID
		all.Go(func() {
			k := credential.NewKey{Account: a.ID, Scopes: credential.Scopes()}
			if errs[i] = g.Store.AddAccount(t.Context(), a); errs[i] == nil {
				keys[i], _, errs[i] = g.Keys.Create(t.Context(), k)
			}
		})
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		t.Fatal(err)
	}
	return accounts, keys
}

// Context returns the context of a request that a gate has admitted on a surface, with a key
// unless key is "".
func (g *Gate) Context(t testing.TB, on limit.Surface, key string) context.Context {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.RemoteAddr = "192.0.2.1:4711"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	var admitted context.Context
	g.Wrap(on, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := g.Admit(r, access.Need{By: access.Nobody | access.Key}); err != nil {
			t.Fatal(err)
		}
		admitted = r.Context()
	})).ServeHTTP(httptest.NewRecorder(), r)
	return admitted
}

// Anonymous returns the context of a request without a credential.
func Anonymous(t testing.TB, now func() time.Time) context.Context {
	t.Helper()
	gate := access.New(access.Config{Plans: access.BuiltIn(), Now: now, AppendID: edge.AppendID})
	return (&Gate{Gate: gate}).Context(t, limit.MCP, "")
}

var began = trials.Start()

// Now is a running clock for tests that need time to pass. It starts at noon in Boston on
// 2026-11-20, so that no test runs across the end of a month.
func Now() time.Time {
	return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC).Add(began.Elapsed())
}
