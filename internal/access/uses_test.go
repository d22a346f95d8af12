package access_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/edge"
	"leadline/store"
)

// TestUses checks how requests are counted by account, day and surface.
func TestUses(t *testing.T) {
	c := newClock(noon)
	d := newEndpoint(t, c, `{"free": {"perMonth": 5, "perMinute": 6}}`)
	account := d.Account(t, access.Free)
	key, narrow := d.Key(t, account), d.Key(t, account, credential.UsageRead)
	mcp, failing, invalid := d, d, d
	mcp.on, mcp.need = limit.MCP, access.Need{By: access.Key, Scopes: []string{credential.MCPUse}}
	failing.status, invalid.status = http.StatusBadGateway, http.StatusBadRequest
	decisions := d
	decisions.need.Feature = "decision_api"
	for i, step := range []struct {
		on   endpoint
		key  string
		want int
	}{
		{d, key, 200},          // served
		{d, "", 200},           // not of an account
		{d, "ldl_live_x", 401}, // neither
		{invalid, key, 400},    // served: the caller's mistake
		{failing, key, 502},    // neither
		{d, narrow, 403},       // refused for its scopes
		{decisions, key, 403},  // refused for the plan
		{mcp, key, 200},        // served on the other surface
		{d, key, 200},          // served
		{d, key, 429},          // refused: the 7th of a minute
		{mcp, key, 200},        // served
		{mcp, key, 200},        // served, the last of the month
		{mcp, key, 429},        // refused for the quota
		{mcp, d.Key(t, d.Account(t, access.Free)), 200}, // another account
	} {
		w := step.on.withKey(step.key)
		if step.key == "" {
			w = step.on.send(request("192.0.2.1:1"))
		}
		if w.Code != step.want {
			t.Errorf("step %d: %d, want %d: %s", i, w.Code, step.want, w.Body)
		}
	}
	c.set(noon.AddDate(0, 0, 1))
	mcp.withKey(key) // refused
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := d.Store.UsesOf(t.Context(), account, 20261101, 20261130)
	want := []store.Use{
		{Account: account, Day: 20261120, Surface: "mcp", Served: 3, Refused: 1},
		{Account: account, Day: 20261120, Surface: "rest", Served: 3, Refused: 3},
		{Account: account, Day: 20261121, Surface: "mcp", Refused: 1},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("UsesOf() = %+v, %v, want %+v", got, err, want)
	}
}

// counting is a store whose writes of uses wait until the test releases them.
type counting struct {
	store.Store
	calls   atomic.Int64
	proceed chan struct{}
}

func (s *counting) wait(ctx context.Context) error {
	s.calls.Add(1)
	select {
	case <-s.proceed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *counting) AddUses(ctx context.Context, list []store.Use) error {
	return errors.Join(s.wait(ctx), s.Store.AddUses(ctx, list))
}

func (s *counting) TouchKeys(ctx context.Context, list []store.Touch) error {
	return errors.Join(s.wait(ctx), s.Store.TouchKeys(ctx, list))
}

// TestUsesDoNotBlock checks that requests are served while the store does not accept the uses of
// keys and accounts, and that all of them are written in one call each when the gate is closed.
func TestUsesDoNotBlock(t *testing.T) {
	real := accesstest.New(t, accesstest.Roomy(t), accesstest.Now)
	s := &counting{Store: real.Store, proceed: make(chan struct{})}
	gate := access.New(access.Config{
		Store: s, StoreTimeout: accesstest.StoreTimeout,
		Keys: credential.NewKeys(s, credential.Pepper{1}, accesstest.Now), Plans: accesstest.Roomy(t),
		Now: accesstest.Now, AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler),
		Refilled: func(uint64, error) {},
	})
	d := endpoint{&accesstest.Gate{Gate: gate}, limit.REST, data, http.StatusOK}
	const accounts, requests = 8, 25
	var ids [accounts]string
	var callers sync.WaitGroup
	for i := range ids {
		ids[i] = real.Account(t, accesstest.Bench)
		key := real.Key(t, ids[i])
		callers.Go(func() {
			for range requests {
				if w := d.withKey(key); w.Code != 200 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
	callers.Wait() // although no write has ended
	close(s.proceed)
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
	if n := s.calls.Load(); n != 2 {
		t.Errorf("%d writes, want one of keys and one of accounts", n)
	}
	day := store.DayOf(accesstest.Now())
	for _, id := range ids {
		want := []store.Use{{Account: id, Day: day, Surface: "rest", Served: requests}}
		got, err := real.Store.UsesOf(t.Context(), id, day, day)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("UsesOf() = %+v, %v, want %+v", got, err, want)
		}
		keys, err := real.Store.KeysOf(t.Context(), id)
		if err != nil || store.DayOf(keys[0].LastUsed) != day || keys[0].LastAddress != "192.0.2.0/24" {
			t.Errorf("KeysOf() = %+v, %v, want a use on %d", keys, err, day)
		}
	}
}

// meeting is a store in which two first starts read a missing fact before one of them stores it.
type meeting struct {
	store.Store
	missing sync.WaitGroup
}

func (s *meeting) Meta(ctx context.Context, name string) ([]byte, error) {
	value, err := s.Store.Meta(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		s.missing.Done()
		s.missing.Wait()
	}
	return value, err
}

// TestPepperTogether checks that of two first starts on one store both succeed with the same
// pepper, and one with different ones, whose pepper the store then knows.
func TestPepperTogether(t *testing.T) {
	for _, peppers := range [][2]credential.Pepper{{{1}, {1}}, {{1}, {2}}} {
		real := accesstest.New(t, access.BuiltIn(), accesstest.Now)
		s := &meeting{Store: real.Store}
		s.missing.Add(2)
		var errs [2]error
		var starts sync.WaitGroup
		for i, p := range peppers {
			starts.Go(func() {
				errs[i] = credential.NewKeys(s, p, accesstest.Now).Check(t.Context())
			})
		}
		starts.Wait()
		won := slices.Index(errs[:], nil)
		if same := peppers[0] == peppers[1]; won < 0 || (errs[1-won] == nil) != same {
			t.Fatalf("Check() with the peppers %v = %v", peppers, errs)
		}
		for i, p := range peppers {
			err := credential.NewKeys(real.Store, p, accesstest.Now).Check(t.Context())
			if want := p == peppers[won]; (err == nil) != want {
				t.Errorf("Check() with pepper %d at the next start = %v, want success: %v", i, err, want)
			}
		}
	}
}

// TestRerollTogether checks that concurrent callers replace a key once, and that the errors of the
// others name the new key.
func TestRerollTogether(t *testing.T) {
	d := newEndpoint(t, newClock(noon), `{}`)
	account := d.Account(t, access.Free)
	n := credential.NewKey{Account: account, Scopes: credential.Scopes()}
	_, made, err := d.Keys.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	var next [8]store.Key
	var errs [8]error
	var callers sync.WaitGroup
	for i := range next {
		callers.Go(func() { _, next[i], errs[i] = d.Keys.Reroll(t.Context(), made.ID, time.Hour) })
	}
	callers.Wait()
	won := slices.Index(errs[:], nil)
	if won < 0 {
		t.Fatalf("no caller has replaced the key: %v", errs)
	}
	want := "the key " + credential.Shown(made.ID) + " has been replaced by " +
		credential.Shown(next[won].ID) +
		" already, and expires on 2026-11-20T13:00:00Z: replace that one"
	for i, err := range errs {
		if i != won && (err == nil || err.Error() != want) {
			t.Errorf("caller %d: %v, want %s", i, err, want)
		}
	}
}

// TestSeen checks that a request with a browser session records the day of its use, and one with an
// expired session does not.
func TestSeen(t *testing.T) {
	c := newClock(noon)
	real := newEndpoint(t, c, `{}`)
	account := real.Account(t, access.Free)
	session := store.Session{
		Hash: credential.HashSecret("secret"), Account: account, Created: noon,
		Expires: noon.AddDate(0, 0, 2),
	}
	if err := real.Store.AddSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	seen := credential.NewSeen(real.Store, slog.New(slog.DiscardHandler))
	gate := access.New(access.Config{
		Store: real.Store, StoreTimeout: accesstest.StoreTimeout,
		Keys: real.Keys, Plans: access.BuiltIn(), Now: c.now, Seen: seen,
		AppendID: edge.AppendID, Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
	})
	defer gate.Close()
	need := access.Need{By: access.Session}
	d := endpoint{&accesstest.Gate{Gate: gate}, limit.REST, need, http.StatusOK}
	for _, test := range []struct {
		day    int
		status int
		want   store.Day
	}{{0, 200, 20261120}, {1, 200, 20261121}, {2, 401, 20261121}} {
		c.set(noon.AddDate(0, 0, test.day))
		w := d.send(request("192.0.2.1:1", "Cookie", "leadline=secret"))
		if err := seen.Close(); err != nil {
			t.Fatal(err)
		}
		got, _, err := real.Store.Session(t.Context(), session.Hash)
		if w.Code != test.status || err != nil || got.Seen != test.want {
			t.Errorf("day %d: %d, seen on %d, %v, want %d, %d",
				test.day, w.Code, got.Seen, err, test.status, test.want)
		}
	}
}
