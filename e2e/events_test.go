package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/simulator/provider"
)

// receiver is a webhook endpoint on loopback that verifies what it gets with the official library.
type receiver struct {
	*httptest.Server
	t      *testing.T
	mu     sync.Mutex
	verify *standardwebhooks.Webhook // nil before the secret is known
	status int                       // of responses
	got    map[string][]received     // by kind
	early  []received                // before the secret was known
}

// received is a request to a receiver.
type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, status: http.StatusNoContent, got: map[string][]received{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP takes an event.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		r.t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one := received{q.Header.Clone(), body}
	if r.verify == nil {
		r.early = append(r.early, one)
	} else {
		r.take(one)
	}
	w.WriteHeader(r.status)
}

// respond sets the status of the responses.
func (r *receiver) respond(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// take verifies and stores an event.
func (r *receiver) take(one received) {
	if err := r.verify.Verify(one.body, one.header); err != nil {
		r.t.Errorf("the signature of %s is refused: %v", one.body, err)
	}
	var event struct{ Type string }
	if err := json.Unmarshal(one.body, &event); err != nil {
		r.t.Errorf("%s: %v", one.body, err)
	}
	r.got[event.Type] = append(r.got[event.Type], one)
}

// trust sets the secret of the endpoint.
func (r *receiver) trust(secret string) {
	r.t.Helper()
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify = verify
	for _, one := range r.early {
		r.take(one)
	}
	r.early = nil // another secret does not verify them
}

// of returns the events of a kind so far.
func (r *receiver) of(kind events.Kind) []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[string(kind)]
}

// bodies returns the bodies of all events so far, by their ids.
func (r *receiver) bodies() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]string{}
	for _, list := range r.got {
		for _, one := range list {
			found[one.header.Get("webhook-id")] = string(one.body)
		}
	}
	return found
}

// awaits waits until n events of a kind have arrived, and returns them.
func (r *receiver) awaits(kind events.Kind, n int) []received {
	r.t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if list := r.of(kind); len(list) >= n {
			return list
		}
	}
	r.t.Fatalf("%d events %s have arrived in a minute, want %d", len(r.of(kind)), kind, n)
	return nil
}

// accountClient calls the developer routes with a key.
type accountClient struct {
	*testing.T
	base, key string
}

// call sends a request and returns the result, which must have the status.
func (c accountClient) call(method, path, body string, status int) []byte {
	c.Helper()
	q, err := http.NewRequestWithContext(c.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+c.key)
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	if answer.StatusCode != status {
		c.Fatalf("%s %s = %d %s, want %d", method, path, answer.StatusCode, got, status)
	}
	return got
}

// register registers a receiver, waits until it is enabled and returns the endpoint's id.
func (c accountClient) register(r *receiver) (id string) {
	c.Helper()
	var made struct {
		Endpoint endpoints.Endpoint
		Secret   string
	}
	decode(c.T, string(c.call("POST", "/api/developer/webhooks",
		fmt.Sprintf(`{"url": %q}`, r.URL+"/hook"), 200)), &made)
	r.trust(made.Secret)
	r.awaits(events.WebhookTest, 1)
	c.until(made.Endpoint.ID, func(e endpoints.Endpoint) bool { return e.State == "enabled" })
	return made.Endpoint.ID
}

// until waits until a condition of an endpoint holds.
func (c accountClient) until(id string, holds func(endpoints.Endpoint) bool) {
	c.Helper()
	var now struct{ Endpoint endpoints.Endpoint }
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		decode(c.T, string(c.call("GET", "/api/developer/webhooks/"+id, "", 200)), &now)
		if holds(now.Endpoint) {
			return
		}
	}
	c.Fatalf("the endpoint is still %+v after a minute", now.Endpoint)
}

// skipped waits until an endpoint has n skipped deliveries.
func (c accountClient) skipped(id string, n int) {
	c.Helper()
	var list struct{ Deliveries []endpoints.Delivery }
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		decode(c.T, string(c.call("GET", "/api/developer/webhooks/"+id+"/deliveries?state=skipped", "",
			200)), &list)
		if len(list.Deliveries) == n {
			return
		}
	}
	c.Fatalf("%d deliveries are skipped after a minute, want %d", len(list.Deliveries), n)
}

// webhookSetup returns the settings of a server that may send events to loopback. An account of the
// plan team has n units a month.
func webhookSetup(t *testing.T, root string, n int) setup {
	t.Helper()
	plans := filepath.Join(t.TempDir(), "plans.json")
	text := fmt.Sprintf(`{"anonymous": {"perMinute": 65535}, "team": {"perMinute": 65535,
		"perMonth": %d, "features": ["decision_api"], "endpoints": 2, "watches": 2}}`, n)
	if err := os.WriteFile(plans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return setup{root: root, folder: t.TempDir(), whole: true, with: func(c *config.Config) {
		c.Plans = plans
		c.WebhookPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}}
}

// TestEveryKindArrives causes an event of each of the eight kinds through the front ends, and
// checks each that arrives with the official library and with the schema of its kind.
func TestEveryKindArrives(t *testing.T) {
	t.Parallel()
	simulator, root := simulate(t, nil)
	const units = 40
	s := webhookSetup(t, root, units)
	s.monitor = 500 * time.Millisecond
	p := s.start(t)
	r := newReceiver(t)
	c := accountClient{t, p.url, newKey(t, p.Storage(), "team", access.Scopes()...)}
	id := c.register(r)
	c.call("POST", "/api/developer/webhooks/"+id+"/test", "", 200)

	at(t, s.folder, "incidents", "create", "--title", "Slow", "--message", "NOAA answers late.")
	var incidents []struct{ ID string }
	decode(t, at(t, s.folder, "incidents", "list", "--json"), &incidents)
	at(t, s.folder, "incidents", "update", incidents[0].ID, "--status", "resolved", "--message",
		"Over.")
	at(t, s.folder, "maintenance", "schedule", "--title", "Cable", "--message", "A new one.",
		"--from", "2099-01-01 10:00", "--until", "2099-01-01 11:00")

	tomorrow := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	c.call("POST", "/api/v1/decisions/material-change", fmt.Sprintf(`{"stationId": "8443970",
		"activity": "boating", "localDate": %q, "localTime": "09:00",
		"baseline": {"state": "unknown", "reasons": [], "missingInputs": []}}`, tomorrow), 200)

	simulator.Fail(provider.Weather, provider.Fault{Kind: provider.Broken})
	stop := p.keepAsking(t, "/api/v1/stations/8443970/forecast")
	defer stop()

	for range units { // until the quota is used up
		if status := dataWith(t, p.url, c.key); status == http.StatusTooManyRequests {
			break
		}
	}
	schemas := webhookSchemas(t, p.url)
	for kind, n := range map[events.Kind]int{
		events.WebhookTest: 2, events.MaterialChange: 1, events.QuotaWarning: 2,
		events.QuotaExceeded: 1, events.APIDegraded: 1, events.IncidentCreated: 1,
		events.IncidentUpdated: 1, events.MaintenanceScheduled: 1,
	} {
		for _, one := range r.awaits(kind, n) {
			checkEvent(t, schemas[string(kind)], one)
		}
	}
	if len(schemas) != 8 {
		t.Errorf("the document describes %d kinds, want 8", len(schemas))
	}
	c.listed(r)
}

// listed checks that what has arrived at a receiver equals the list of the account's events.
func (c accountClient) listed(r *receiver) {
	c.Helper()
	bodies := func() map[string]string {
		var list struct{ Events []endpoints.Event }
		decode(c.T, string(c.call("GET", "/api/developer/events?limit=100", "", 200)), &list)
		found := map[string]string{}
		for _, e := range list.Events {
			found[e.ID] = string(e.Body)
		}
		return found
	}
	stored := bodies()
	var arrived map[string]string
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		arrived = r.bodies()
		missing := maps.Clone(stored)
		maps.DeleteFunc(missing, func(id, _ string) bool { return arrived[id] != "" })
		if len(missing) == 0 {
			break
		}
	}
	for id, body := range stored {
		if arrived[id] != body {
			c.Errorf("event %s has arrived as %q, want %s", id, arrived[id], body)
		}
	}
	stored = bodies() // with those of the meantime
	for id, body := range arrived {
		if stored[id] != body {
			c.Errorf("what has arrived as %s\nis listed as %q", body, stored[id])
		}
	}
}

// keepAsking sends a request every 200 ms until stop is called, so that a component is in use.
func (p *product) keepAsking(t *testing.T, path string) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Millisecond):
				if answer, err := http.Get(p.url + path); err == nil {
					answer.Body.Close()
				}
			}
		}
	})
	return func() {
		close(ended)
		asking.Wait()
	}
}

// checkEvent validates an event with the schema of its kind, and the envelope with the headers.
func checkEvent(t *testing.T, schema *jsonschema.Schema, one received) {
	t.Helper()
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(one.body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s\nis refused by its schema: %v", one.body, err)
	}
	var event struct {
		Data struct{ EventID string }
	}
	decode(t, string(one.body), &event)
	if id := one.header.Get("webhook-id"); event.Data.EventID != id {
		t.Errorf("eventId is %q, webhook-id %q", event.Data.EventID, id)
	}
	if one.header.Get("leadline-attempt") != "1" || one.header.Get("leadline-replay") != "" {
		t.Errorf("the first attempt has the headers %v", one.header)
	}
}

// webhookSchemas returns the schemas of the bodies of events by kind, from the developer document.
func webhookSchemas(t *testing.T, base string) map[string]*jsonschema.Schema {
	t.Helper()
	c := readDocument(t, base, "/api/developer/openapi.json")
	schemas := map[string]*jsonschema.Schema{}
	for kind := range c.document["webhooks"].(map[string]any) {
		at := pointer("webhooks", kind, "post", "requestBody", "content", "application/json", "schema")
		var err error
		if schemas[kind], err = c.compiler.Compile("openapi.json#" + at); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// TestBrokenReceiver breaks a receiver for a while. Every event is found again by a replay, with
// the same id and the same bytes.
func TestBrokenReceiver(t *testing.T) {
	t.Parallel()
	s := webhookSetup(t, "", 1000)
	s.offline = true
	p := s.start(t)
	r := newReceiver(t)
	c := accountClient{t, p.url, newKey(t, p.Storage(), "team", access.Scopes()...)}
	id := c.register(r)
	began := time.Now().UTC().Add(-time.Second).Format(time.RFC3339)
	r.mu.Lock()
	r.status = http.StatusInternalServerError
	r.mu.Unlock()
	for _, title := range []string{"One", "Two", "Three"} {
		at(t, s.folder, "incidents", "create", "--title", title, "--message", "Broken.")
	}
	broken := r.awaits(events.IncidentCreated, 3)
	c.call("PATCH", "/api/developer/webhooks/"+id, `{"enabled": false}`, 200)
	at(t, s.folder, "incidents", "create", "--title", "Four", "--message", "While disabled.")
	c.skipped(id, 4)

	r.mu.Lock()
	r.status, r.got = http.StatusOK, map[string][]received{}
	r.mu.Unlock()
	c.call("PATCH", "/api/developer/webhooks/"+id, `{"enabled": true}`, 200)
	c.until(id, func(e endpoints.Endpoint) bool { return e.State == "enabled" })
	var replayed struct{ Count int }
	decode(t, string(c.call("POST", "/api/developer/webhooks/"+id+"/replay",
		fmt.Sprintf(`{"since": %q}`, began), 200)), &replayed)
	if replayed.Count != 4 {
		t.Errorf("%d deliveries are replayed, want 4: 3 that were pending and 1 while it was disabled",
			replayed.Count)
	}
	again := map[string][]byte{}
	for _, one := range r.awaits(events.IncidentCreated, 4) {
		again[one.header.Get("webhook-id")] = one.body
		if one.header.Get("leadline-replay") != "true" {
			t.Errorf("a replay has the headers %v", one.header)
		}
	}
	for _, one := range broken {
		if id := one.header.Get("webhook-id"); !bytes.Equal(again[id], one.body) {
			t.Errorf("the replay of %s is %s, want %s", id, again[id], one.body)
		}
	}
	// The list has every event, whether it was delivered or not.
	var list struct{ Events []endpoints.Event }
	decode(t, string(c.call("GET", "/api/developer/events?type=status.incident.created", "", 200)),
		&list)
	if len(list.Events) != 4 || !strings.Contains(string(list.Events[0].Body), "Four") {
		t.Errorf("the list of events has %d, want 4 with the newest first", len(list.Events))
	}
}
