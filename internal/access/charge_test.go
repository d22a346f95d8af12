package access_test

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/store"
	"leadline/store/bolt"
)

// chargePlans has plans of 30 units with and without the feature of watches.
const chargePlans = `{"team": {"perMinute": 1000, "perMonth": 30, "features": ["decision_api"]},
	"crew": {"perMinute": 1000, "perMonth": 30}}`

// accessCode returns the code of an error.
func accessCode(err error) coast.Code {
	var e *coast.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// charge takes units of an account and returns the number of the first that is refused.
func charge(t *testing.T, g *accesstest.Gate, account string) (n int, refusal error) {
	t.Helper()
	for n = 1; n <= 1000; n++ {
		if _, refusal = g.Charge(t.Context(), account, access.DecisionAPI); refusal != nil {
			return n, refusal
		}
	}
	t.Fatal("the quota has no end")
	return n, nil
}

// TestCharge takes every unit of a month without a request: not one more, and each once.
func TestCharge(t *testing.T) {
	c := newClock(noon)
	g := accesstest.New(t, readPlans(t, chargePlans), c.now)
	account := g.Account(t, "team")
	n, err := charge(t, g, account)
	e, _ := coast.AsError(err)
	if n != 31 || e.Code != coast.QuotaExceeded || e.RetryAfterSeconds != 10*24*3600+12*3600 {
		t.Errorf("unit %d is refused with %+v, want 31 with quota_exceeded until December", n, e)
	}
	d := endpoint{g, limit.REST, data, 200}
	if w := d.withKey(g.Key(t, account)); w.Code != 429 || code(w) != coast.QuotaExceeded {
		t.Errorf("a request after the last unit: %d %s, want quota_exceeded", w.Code, w.Body)
	}
	c.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if _, err := g.Charge(t.Context(), account, access.DecisionAPI); err != nil {
		t.Errorf("in the next month: %v", err)
	}
}

// TestChargeRefunds returns a unit, which another charge takes.
func TestChargeRefunds(t *testing.T) {
	g := accesstest.New(t, readPlans(t, chargePlans), newClock(noon).now)
	account := g.Account(t, "team")
	refund, err := g.Charge(t.Context(), account, access.DecisionAPI)
	if err != nil {
		t.Fatal(err)
	}
	refund()
	if n, _ := charge(t, g, account); n != 31 {
		t.Errorf("after a refund, unit %d is refused, want 31", n)
	}
	months, err := g.Months(t.Context(), account)
	if err != nil || len(months) != 1 || months[0].Units != 30 {
		t.Errorf("the account has used %+v, %v, want 30", months, err)
	}
}

// TestChargeErrors checks the code of each refusal.
func TestChargeErrors(t *testing.T) {
	g := accesstest.New(t, readPlans(t, chargePlans), newClock(noon).now)
	team := g.Account(t, "team")
	for _, test := range []struct {
		name, account, feature string
		want                   coast.Code
	}{
		{"a plan with the feature", team, access.DecisionAPI, ""},
		{"a plan without the feature", g.Account(t, "crew"), access.DecisionAPI, coast.PlanRequired},
		{"a plan that does not exist", g.Account(t, "gold"), access.DecisionAPI, coast.PlanRequired},
		{"an account that does not exist", "account-99", access.DecisionAPI, coast.NotFound},
	} {
		refund, err := g.Charge(t.Context(), test.account, test.feature)
		if got := accessCode(err); got != test.want || (refund == nil) != (err != nil) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	g.Store.Close()
	if _, err := g.Charge(t.Context(), team, access.DecisionAPI); accessCode(err) !=
		coast.StoreUnavailable {
		t.Errorf("without a store: %v, want store_unavailable", err)
	}
}

// calls records what a gate reports about monthly quotas.
type calls struct {
	mu       sync.Mutex
	notices  []string
	exceeded []string
}

func (c *calls) exceed(account string, plan access.Tier, of store.Month, limit uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exceeded = append(c.exceeded, fmt.Sprint(account, plan, of.Start().Format("2006-01"), limit))
}

// notice returns an event at 24 of 30 units.
func (c *calls) notice(
	account string, plan access.Tier, of store.Month, limit uint64,
) []store.Notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notices = append(c.notices, fmt.Sprint(account, plan, of.Start().Format("2006-01"), limit))
	id := "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
	event := store.Event{
		ID: id, Type: "quota.warning", Account: account, Body: []byte("{}"), Created: noon,
		Expires: noon.AddDate(0, 1, 0), Once: "warning", OnceUntil: noon.AddDate(0, 1, 0),
	}
	return []store.Notice{{
		At: limit * 80 / 100, Event: func() (store.Event, error) { return event, nil },
	}}
}

// reporting returns a gate that reports to c, and its store.
func reporting(t *testing.T, c *calls) *accesstest.Gate {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := newClock(noon).now
	keys := credential.NewKeys(s, credential.Pepper{1}, now)
	g := &accesstest.Gate{Store: s, Keys: keys, Gate: access.New(access.Config{
		Store: s, StoreTimeout: accesstest.StoreTimeout,
		Keys: keys, Plans: readPlans(t, chargePlans), Now: now, AppendID: edge.AppendID,
		Log: slog.New(slog.DiscardHandler), Refilled: func(uint64, error) {},
		Notices: c.notice, Exceeded: c.exceed,
	})}
	t.Cleanup(func() {
		g.Close()
		s.Close()
	})
	return g
}

// TestNotices checks that the reservation that reaches the level of a notice posts its event, in
// the same transaction, and that it is posted once.
func TestNotices(t *testing.T) {
	c := &calls{}
	g := reporting(t, c)
	account := g.Account(t, "team")
	err := g.Store.AddEndpoint(t.Context(), store.Endpoint{
		ID: "we_4fT9kQ2mZx7LbN", Account: account, URL: "https://hooks.example.com/leadline",
		Kinds: []string{"*"}, State: "enabled", Created: noon,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var at []int // the charges after which the event exists
	for n := 1; n <= 30; n++ {
		if _, err := g.Charge(t.Context(), account, access.DecisionAPI); err != nil {
			t.Fatal(err)
		}
		list, err := g.Store.EventsOf(t.Context(), account, "", "", 10)
		if err != nil || len(list) > 1 {
			t.Fatalf("after %d units there are the events %v, %v, want at most one", n, list, err)
		}
		if len(list) == 1 {
			at = append(at, n)
		}
	}
	// Units are reserved ahead, at most a lease of 16.
	if len(at) == 0 || at[0] > 24 || at[0] < 24-16 || at[len(at)-1] != 30 {
		t.Errorf("the warning exists after the charges %v, want from about 24 on", at)
	}
	want := fmt.Sprint(account, "team", "2026-11", 30)
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.notices, func(got string) bool { return got != want }) {
		t.Errorf("notices are asked for %q, want %q only", c.notices, want)
	}
	if len(c.exceeded) > 0 {
		t.Errorf("a quota with its last unit is reported as %q", c.exceeded)
	}
}

// TestExceeded checks that a request and a charge beyond the quota are reported, and others are
// not.
func TestExceeded(t *testing.T) {
	c := &calls{}
	g := reporting(t, c)
	account := g.Account(t, "team")
	key := g.Key(t, account)
	if _, err := charge(t, g, account); accessCode(err) != coast.QuotaExceeded {
		t.Fatalf("the quota ends with %v", err)
	}
	d := endpoint{g, limit.REST, data, 200}
	d.withKey(key)
	d.withKey("ldl_live_nonsense")
	d.withKey(g.Key(t, g.Account(t, "crew")))
	one := fmt.Sprint(account, "team", "2026-11", 30)
	c.mu.Lock()
	defer c.mu.Unlock()
	if want := []string{one, one}; !slices.Equal(c.exceeded, want) {
		t.Errorf("reported %q, want %q", c.exceeded, want)
	}
}
