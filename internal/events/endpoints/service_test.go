package endpoints

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// fixture is a Service on a real store, with a free account "free" and a pro account "pro".
type fixture struct {
	*Service
	t     *testing.T
	store *bolt.Store
	ids   events.IDs
	now   time.Time
}

// noon is the time at the beginning of each test.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	d := &fixture{t: t, store: engine, now: noon}
	for _, plan := range []string{"free", "pro"} {
		d.ok(engine.AddAccount(t.Context(), store.Account{
			ID: plan, Email: plan + "@example.org", Plan: plan, Created: noon,
		}))
	}
	client, err := sender.New(sender.Config{Hosts: []string{"tides.example.org"}})
	d.ok(err)
	clock := func() time.Time { return d.now }
	d.Service = New(Config{
		Store: engine, Plans: access.BuiltIn(), Now: clock,
		Sealer:   signature.NewSealer(credential.NewPepper()),
		Outbox:   events.NewOutbox(events.OutboxConfig{Store: engine, Now: clock}),
		CheckURL: client.CheckURL,
	})
	return d
}

// ok ends the test if a call failed.
func (d *fixture) ok(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatalf("got error %v, want none", err)
	}
}

// refused checks the code of an error and a part of its message or of its issues.
func (d *fixture) refused(what string, err error, code coast.Code, part string) {
	d.t.Helper()
	e, known := coast.AsError(err)
	if !known || e.Code != code {
		d.t.Errorf("%s: got error %v, want code %s", what, err, code)
		return
	}
	text := e.Message
	for _, issue := range e.Issues {
		text += " " + issue.Path + ": " + issue.Message
	}
	if !strings.Contains(text, part) {
		d.t.Errorf("%s: got message %q, want %q in it", what, text, part)
	}
}

const hook = "https://hooks.example.com/leadline"

// create registers an endpoint.
func (d *fixture) create(account string) Endpoint {
	d.t.Helper()
	e, secret, err := d.Create(d.t.Context(), account, Draft{URL: new(hook)})
	d.ok(err)
	if !strings.HasPrefix(secret.Text(), signature.SecretPrefix) {
		d.t.Fatalf("secret of an endpoint is %.6s..., want whsec_...", secret.Text())
	}
	return e
}

// accept enables an endpoint as the first accepted test does.
func (d *fixture) accept(id string) {
	d.t.Helper()
	jobs, err := d.store.Due(d.t.Context(), []string{id}, d.now, 1)
	d.ok(err)
	if len(jobs) != 1 {
		d.t.Fatalf("endpoint %s has %d deliveries due, want its test", id, len(jobs))
	}
	d.ok(d.store.Finish(d.t.Context(), []store.Result{{
		Endpoint: id, Event: jobs[0].Event.ID, State: store.DeliveryDelivered, Tries: 1, URL: hook,
		Attempt: store.Attempt{At: d.now, Status: 204}, Health: store.Health{
			Last: store.Attempt{At: d.now, Status: 204},
		},
		EndpointState: store.EndpointEnabled,
	}}))
}

// TestEndpoints follows an endpoint through its states.
func TestEndpoints(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	if e.State != store.EndpointPending || e.Pending != 1 {
		t.Errorf("a new endpoint is %+v, want pending, with its test", e)
	}
	if got := e.Events; len(got) != 1 || got[0] != store.AllKinds {
		t.Errorf("a new endpoint receives %v, want [*]", got)
	}
	d.accept(e.ID)
	e, err := d.Endpoint(ctx, "pro", e.ID)
	d.ok(err)
	if e.State != store.EndpointEnabled || e.EnabledAt == nil || e.Last == nil ||
		*e.Last.Status != 204 {
		t.Errorf("after an accepted test the endpoint is %+v, want enabled", e)
	}
	e, err = d.Change(ctx, "pro", e.ID, Draft{Enabled: new(false)})
	d.ok(err)
	if e.State != store.EndpointDisabled {
		t.Errorf("state of a disabled endpoint is %s", e.State)
	}
	d.isStored("a disabled endpoint", e)
	_, err = d.Test(ctx, "pro", e.ID, 0)
	d.refused("test of a disabled endpoint", err, coast.InvalidRequest, "is disabled")
	_, err = d.Replay(ctx, "pro", e.ID, "msg_00000000000000000000000000000000")
	d.refused("replay of an unknown event", err, coast.NotFound, "no delivery")
	e, err = d.Change(ctx, "pro", e.ID, Draft{Enabled: new(true)})
	d.ok(err)
	if e.State != store.EndpointPending {
		t.Errorf("state of an endpoint that is enabled again is %s, want pending", e.State)
	}
	d.isStored("an endpoint that is enabled again", e)
	disabled, err := d.Change(ctx, "pro", e.ID, Draft{Enabled: new(false)})
	d.ok(err)
	if e.Pending != 1 || disabled.Pending != 0 {
		t.Errorf("%d deliveries are pending, after disabling %d; want 1 and 0", e.Pending,
			disabled.Pending)
	}
	e, err = d.Change(ctx, "pro", e.ID, Draft{Enabled: new(true)})
	d.ok(err)
	d.accept(e.ID)
	e, err = d.Change(ctx, "pro", e.ID, Draft{URL: new(hook + "/2"), Description: new("boat")})
	d.ok(err)
	if e.State != store.EndpointPending || e.Description != "boat" {
		t.Errorf("an endpoint with a new URL is %+v, want pending", e)
	}
	_, err = d.Remove(ctx, "pro", e.ID)
	d.ok(err)
	_, err = d.Endpoint(ctx, "pro", e.ID)
	d.refused("a removed endpoint", err, coast.NotFound, "no webhook endpoint")
}

// isStored checks that an endpoint that was returned is the one that is stored.
func (d *fixture) isStored(what string, got Endpoint) {
	d.t.Helper()
	want, err := d.Endpoint(d.t.Context(), "pro", got.ID)
	d.ok(err)
	if !reflect.DeepEqual(got, want) {
		d.t.Errorf("%s is returned as %+v and stored as %+v", what, got, want)
	}
}

// TestStoredTests checks that an endpoint is stored in one step with the test that it must accept:
// without it, it would be pending for ever.
func TestStoredTests(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	closed, err := bolt.Open(filepath.Join(t.TempDir(), "closed"), bolt.Options{})
	d.ok(err)
	d.ok(closed.Close())
	c := d.c
	c.Outbox = events.NewOutbox(events.OutboxConfig{Store: closed, Now: d.c.Now}) // Post fails
	d.Service = New(c)
	e, secret, err := d.Create(ctx, "pro", Draft{URL: new(hook)})
	d.ok(err)
	d.isStored("a new endpoint", e)
	if got := d.secrets(e.ID); len(got) != 1 || got[0] != secret.Text() {
		t.Errorf("a new endpoint has %d secrets, want the returned one", len(got))
	}
	e, secret, err = d.Rotate(ctx, "pro", e.ID, 0)
	d.ok(err)
	d.isStored("an endpoint with a new secret", e)
	if got := d.secrets(e.ID); len(got) != 1 || got[0] != secret.Text() {
		t.Errorf("after a rotation there are %d secrets, want the returned one", len(got))
	}
	e, err = d.Change(ctx, "pro", e.ID, Draft{URL: new(hook + "/2")})
	d.ok(err)
	d.isStored("an endpoint with a new URL", e)
	if e.Pending != 3 {
		t.Errorf("%d deliveries are pending, want a test of each step", e.Pending)
	}
}

// TestEndpointsOfOthers checks that an account cannot see or change what another one has.
func TestEndpointsOfOthers(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	event, err := d.store.EventsOf(ctx, "pro", "", "", 1)
	d.ok(err)
	for what, err := range map[string]error{
		"Endpoint":   second2(d.Endpoint(ctx, "free", e.ID)),
		"Change":     second2(d.Change(ctx, "free", e.ID, Draft{Enabled: new(false)})),
		"Remove":     second2(d.Remove(ctx, "free", e.ID)),
		"Rotate":     third(d.Rotate(ctx, "free", e.ID, 0)),
		"Test":       second2(d.Test(ctx, "free", e.ID, 0)),
		"Deliveries": third(d.Deliveries(ctx, "free", e.ID, DeliveryFilter{}, 1)),
		"Delivery":   third(d.Delivery(ctx, "free", e.ID, event[0].ID)),
		"Replay":     second2(d.Replay(ctx, "free", e.ID, event[0].ID)),
		"ReplayAll":  third(d.ReplayAll(ctx, "free", e.ID, noon, time.Time{}, "", nil)),
		"Event":      second2(d.Event(ctx, "free", event[0].ID)),
	} {
		if e, known := coast.AsError(err); !known || e.Code != coast.NotFound {
			t.Errorf("%s on another account's endpoint: got error %v, want not_found", what, err)
		}
	}
}

func second2[T any](_ T, err error) error       { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// TestEndpointRefused checks the errors of invalid drafts.
func TestEndpointRefused(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	for _, test := range []struct {
		name  string
		draft Draft
		code  coast.Code
		part  string
	}{
		{"no url", Draft{}, coast.InvalidRequest, "/url: url is required. Example:"},
		{"http", Draft{URL: new("http://hooks.example.com/")}, coast.InvalidRequest, "https"},
		{"address", Draft{URL: new("https://192.0.2.1/")}, coast.InvalidRequest, "IP address"},
		{"user", Draft{URL: new("https://a:b@hooks.example.com/")}, coast.InvalidRequest, "user name"},
		{"fragment", Draft{URL: new(hook + "#x")}, coast.InvalidRequest, "fragment"},
		{"port", Draft{URL: new("https://hooks.example.com:22/")}, coast.InvalidRequest, "port"},
		{"self", Draft{URL: new("https://tides.example.org/")}, coast.InvalidRequest, "this server"},
		{"long", Draft{URL: new(hook + strings.Repeat("x", 2048))}, coast.InvalidRequest, "2048"},
		{"kind", Draft{URL: new(hook), Kinds: []string{"tide.high"}}, coast.InvalidRequest, "tide.high"},
		{"no kinds", Draft{URL: new(hook), Kinds: []string{}}, coast.InvalidRequest, "at least one"},
		{
			"lines", Draft{URL: new(hook), Description: new("a\nb")}, coast.InvalidRequest, "one line",
		},
		{
			"long text", Draft{URL: new(hook), Description: new(strings.Repeat("ü", 121))},
			coast.InvalidRequest, "120",
		},
	} {
		_, _, err := d.Create(ctx, "pro", test.draft)
		d.refused(test.name, err, test.code, test.part)
	}
	list, err := d.Endpoints(ctx, "pro")
	d.ok(err)
	if len(list) != 0 {
		t.Errorf("refused drafts left %d endpoints", len(list))
	}
}

// TestEndpointsOfPlan checks that an account has at most as many endpoints as its plan allows.
func TestEndpointsOfPlan(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	for account, most := range map[string]int{"free": 1, "pro": 5} {
		for range most {
			d.create(account)
		}
		_, _, err := d.Create(ctx, account, Draft{URL: new(hook)})
		part := map[int]string{1: "has 1 webhook endpoint, and", 5: "has 5 webhook endpoints, and"}
		d.refused("one endpoint more of "+account, err, coast.PlanRequired, part[most])
	}
}

// TestRotate checks that both secrets are stored, and that a second rotation drops the oldest.
func TestRotate(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	first := d.secrets(e.ID)[0]
	_, second, err := d.Rotate(ctx, "pro", e.ID, 24*time.Hour)
	d.ok(err)
	if got := d.secrets(e.ID); len(got) != 2 || got[0] != second.Text() || got[1] != first {
		t.Errorf("after a rotation the secrets are not the new and the old one")
	}
	shown, err := d.Endpoint(ctx, "pro", e.ID)
	d.ok(err)
	want := noon.Add(24 * time.Hour)
	if shown.OldSecretUntil == nil || !shown.OldSecretUntil.Equal(want) {
		t.Errorf("oldSecretUntil = %v, want %v", shown.OldSecretUntil, want)
	}
	_, last, err := d.Rotate(ctx, "pro", e.ID, 0)
	d.ok(err)
	if got := d.secrets(e.ID); len(got) != 1 || got[0] != last.Text() {
		t.Errorf("after a rotation without grace there are %d secrets, want the new one", len(got))
	}
}

// TestRotateLost checks that a secret of a lost pepper is not kept, even if nobody has noticed yet.
func TestRotateLost(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	d.c.Sealer = signature.NewSealer(credential.NewPepper())
	_, secret, err := d.Rotate(ctx, "pro", e.ID, 24*time.Hour)
	d.ok(err)
	if got := d.secrets(e.ID); len(got) != 1 || got[0] != secret.Text() {
		t.Errorf("after the pepper was lost a rotation leaves %d secrets, want the new one", len(got))
	}
}

// TestNewURL checks that a new URL of a pending endpoint is tested at once.
func TestNewURL(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	_, err := d.Change(ctx, "pro", e.ID, Draft{URL: new(hook + "/right")})
	d.ok(err)
	jobs, err := d.store.Due(ctx, []string{e.ID}, d.now, 5)
	d.ok(err)
	if len(jobs) != 2 {
		t.Errorf("a pending endpoint with a new URL has %d tests due, want a second one", len(jobs))
	}
}

// secrets returns the secrets of an endpoint as text, the newest first.
func (d *fixture) secrets(id string) (list []string) {
	d.t.Helper()
	e, err := d.store.Endpoint(d.t.Context(), id)
	d.ok(err)
	for _, sealed := range [][]byte{e.Secret, e.OldSecret} {
		if sealed != nil {
			secret, err := d.c.Sealer.Open(id, sealed)
			d.ok(err)
			list = append(list, secret.Text())
		}
	}
	return list
}

// TestReplayAll checks which deliveries a replay makes pending, and its limits.
func TestReplayAll(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	d.accept(e.ID)
	for n := range 3 { // the last one happens while the endpoint is disabled
		if n == 2 {
			_, err := d.Change(ctx, "pro", e.ID, Draft{Enabled: new(false)})
			d.ok(err)
		}
		d.now = d.now.Add(time.Minute)
		d.ok(d.exceed("pro"))
	}
	list, _, err := d.Deliveries(ctx, "pro", e.ID, DeliveryFilter{States: []string{"skipped"}}, 10)
	d.ok(err)
	if len(list) != 3 {
		t.Fatalf("after disabling the endpoint %d deliveries are skipped, want 3", len(list))
	}
	all, _, err := d.Events(ctx, "pro", string(events.QuotaExceeded), "", 10)
	d.ok(err)
	if len(all) != 3 || all[0].ID != list[0].Event {
		t.Errorf("%d events, want 3, with the one while the endpoint was disabled", len(all))
	}
	_, err = d.Change(ctx, "pro", e.ID, Draft{Enabled: new(true)})
	d.ok(err)
	d.accept(e.ID)
	states := []string{"failed", "skipped"}
	for _, test := range []struct {
		name         string
		since, until time.Time
		part         string
	}{
		{"a year", noon.AddDate(-1, 0, 0), time.Time{}, "30 days"},
		{"the future", noon.AddDate(0, 0, 1), time.Time{}, "future"},
		{"backwards", noon, noon.Add(-time.Hour), "later than the start"},
	} {
		_, _, err := d.ReplayAll(ctx, "pro", e.ID, test.since, test.until, "", states)
		d.refused("replay of "+test.name, err, coast.InvalidRequest, test.part)
	}
	n, next, err := d.ReplayAll(ctx, "pro", e.ID, noon.Add(90*time.Second), time.Time{}, "", states)
	d.ok(err)
	if n != 2 || next != "" {
		t.Errorf("replay since the second of three events = %d, %q; want 2 and no more", n, next)
	}
	got, err := d.store.Delivery(ctx, e.ID, list[0].Event)
	d.ok(err)
	if got.State != store.DeliveryPending || !got.Replay || got.Tries != 0 {
		t.Errorf("a replayed delivery is %+v, want pending from the first attempt", got)
	}
	many := func() error {
		_, _, err := d.ReplayAll(ctx, "pro", e.ID, noon, time.Time{}, "", []string{"delivered"})
		return err
	}
	for range bulksAnHour - 1 {
		d.ok(many())
		d.accept(e.ID)
	}
	d.refused("an eleventh replay of many", many(), coast.RateLimited, "10 replays of many")
	for range replaysAnHour {
		_, err = d.Replay(ctx, "pro", e.ID, list[2].Event)
		d.ok(err)
	}
	_, err = d.Replay(ctx, "pro", e.ID, list[2].Event)
	d.refused("a 101st replay of one", err, coast.RateLimited, "100 replays of one delivery")
}

// exceed posts an event of an account.
func (d *fixture) exceed(account string) error {
	_, err := d.store.Post(d.t.Context(), store.Event{
		ID: d.ids.New(d.now), Type: string(events.QuotaExceeded), Account: account,
		Body: []byte("{}"), Created: d.now, Expires: d.now.Add(events.Retention),
	})
	return err
}

// TestTestsAnHour checks the limit of tests of an account, over all its endpoints.
func TestTestsAnHour(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	one, other := d.create("pro"), d.create("pro")
	for i := range testsAnHour {
		_, err := d.Test(ctx, "pro", []string{one.ID, other.ID}[i%2], 0)
		d.ok(err)
	}
	_, err := d.Test(ctx, "pro", one.ID, 0)
	d.refused("an eleventh test in an hour", err, coast.RateLimited, "10 tests in an hour")
	d.now = d.now.Add(59 * time.Minute)
	_, err = d.Test(ctx, "pro", one.ID, 0)
	d.refused("an eleventh test within the hour", err, coast.RateLimited, "10 tests in an hour")
	d.now = d.now.Add(time.Minute)
	_, err = d.Test(ctx, "pro", one.ID, 0)
	d.ok(err)
}

// TestTestWaits checks that a test returns when its first attempt is stored.
func TestTestWaits(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	d.accept(e.ID)
	returned := make(chan error, 1)
	var got Delivery
	go func() {
		var err error
		got, err = d.Test(ctx, "pro", e.ID, time.Minute)
		returned <- err
	}()
	trials.WaitFor(t, "a delivery of the test", func() bool {
		jobs, err := d.store.Due(ctx, []string{e.ID}, d.now, 1)
		d.ok(err)
		if len(jobs) != 1 {
			return false
		}
		d.ok(d.store.Finish(ctx, []store.Result{{
			Endpoint: e.ID, Event: jobs[0].Event.ID, State: store.DeliveryDelivered, URL: hook,
			Attempt: store.Attempt{At: d.now, Status: 200},
		}}))
		return true
	})
	d.ok(<-returned)
	if got.State != store.DeliveryDelivered || len(got.Attempts) != 1 {
		t.Errorf("Test() = %+v, want a delivered test with its attempt", got)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := d.Test(cancelled, "pro", e.ID, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("Test() with an ended context = %v, want context.Canceled", err)
	}
}

// TestStoreFailure checks the errors of all operations while the store is down, and of one whose
// endpoint is removed meanwhile.
func TestStoreFailure(t *testing.T) {
	d, ctx := newFixture(t), t.Context()
	e := d.create("pro")
	returned := make(chan error, 1)
	go func() {
		_, err := d.Test(ctx, "pro", e.ID, time.Minute)
		returned <- err
	}()
	trials.WaitFor(t, "a second delivery, of the test", func() bool {
		got, err := d.store.Endpoint(ctx, e.ID)
		d.ok(err)
		return got.Pending > 1
	})
	d.ok(d.store.RemoveEndpoint(ctx, e.ID))
	d.refused("Test of an endpoint that is removed", <-returned, coast.NotFound, "removed")
	d.ok(d.store.Close())
	for name, call := range map[string]func() error{
		"Endpoints": func() error { return second2(d.Endpoints(ctx, "pro")) },
		"Endpoint":  func() error { return second2(d.Endpoint(ctx, "pro", e.ID)) },
		"Create":    func() error { return third(d.Create(ctx, "pro", Draft{URL: new(hook)})) },
		"Change":    func() error { return second2(d.Change(ctx, "pro", e.ID, Draft{})) },
		"Remove":    func() error { return second2(d.Remove(ctx, "pro", e.ID)) },
		"Rotate":    func() error { return third(d.Rotate(ctx, "pro", e.ID, 0)) },
		"Test":      func() error { return second2(d.Test(ctx, "pro", e.ID, 0)) },
		"Deliveries": func() error {
			return third(d.Deliveries(ctx, "pro", e.ID, DeliveryFilter{}, 1))
		},
		"Delivery": func() error { return third(d.Delivery(ctx, "pro", e.ID, "msg_1")) },
		"Replay":   func() error { return second2(d.Replay(ctx, "pro", e.ID, "msg_1")) },
		"ReplayAll": func() error {
			return third(d.ReplayAll(ctx, "pro", e.ID, noon, time.Time{}, "", nil))
		},
		"Events": func() error { return third(d.Events(ctx, "pro", "", "", 1)) },
		"Event":  func() error { return second2(d.Event(ctx, "pro", "msg_1")) },
	} {
		err := call()
		d.refused(name, err, coast.StoreUnavailable, "unavailable")
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: the error %v has lost its cause", name, err)
		}
	}
}
