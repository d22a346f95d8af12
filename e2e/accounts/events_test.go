package accounts

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/e2e/product"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
)

// TestEveryKindArrives causes an event of each of the eight kinds through the front ends, and
// checks each that arrives with the official library and with the schema of its kind.
func TestEveryKindArrives(t *testing.T) {
	t.Parallel()
	simulator, root := product.Simulate(t, nil)
	const units = 40
	s := product.WebhookSetup(t, root, units)
	s.Monitor = 500 * time.Millisecond
	p := s.Start(t)
	r := product.NewReceiver(t)
	c := product.AccountClient{T: t, Base: p.URL, Key: product.NewKey(t, p.Storage(), "team")}
	id := c.Register(r)
	c.Call("POST", "/api/developer/webhooks/"+id+"/test", "", 200)

	product.At(t, s.Folder, "incidents", "create", "--title", "Slow",
		"--message", "NOAA answers late.")
	var incidents []struct{ ID string }
	product.Decode(t, product.At(t, s.Folder, "incidents", "list", "--json"), &incidents)
	product.At(t, s.Folder, "incidents", "update", incidents[0].ID, "--status", "resolved",
		"--message", "Over.")
	product.At(t, s.Folder, "maintenance", "schedule", "--title", "Cable", "--message", "A new one.",
		"--from", "2099-01-01 10:00", "--until", "2099-01-01 11:00")

	// A response does not wait long for its event to be stored: on a busy machine it may be lost, and
	// a fact may be late. The same change is posted once a day, however often it is asked about.
	looks, found := 0, struct{ Change struct{ Material bool } }{}
	trials.WaitFor(t, "an event of a material change", func() bool {
		if looks++; looks%100 == 1 {
			answer := c.Call("POST", "/api/v1/decisions/material-change", fmt.Sprintf(`{"stationId":
				"8443970", "activity": "boating", "localDate": %q, "localTime": "09:00",
				"baseline": {"state": "unknown", "reasons": [], "missingInputs": []}}`,
				product.Days(1)), 200)
			product.Decode(t, string(answer), &found)
		}
		return found.Change.Material && r.Has(events.MaterialChange)
	})

	simulator.Fail(provider.Weather, provider.Fault{Kind: provider.Broken})
	stop := p.KeepAsking(t, "/api/v1/stations/8443970/forecast")
	defer stop()

	for range units { // until the quota is used up
		if status := dataWith(t, p.URL, c.Key); status == http.StatusTooManyRequests {
			break
		}
	}
	schemas := webhookSchemas(t, p.URL)
	for kind, n := range map[events.Kind]int{
		events.WebhookTest: 2, events.MaterialChange: 1, events.QuotaWarning: 2,
		events.QuotaExceeded: 1, events.APIDegraded: 1, events.IncidentCreated: 1,
		events.IncidentUpdated: 1, events.MaintenanceScheduled: 1,
	} {
		for _, one := range r.Awaits(kind, n) {
			checkEvent(t, schemas[string(kind)], one)
		}
	}
	if len(schemas) != 8 {
		t.Errorf("the document describes %d kinds, want 8", len(schemas))
	}
	c.Listed(r)
}

// checkEvent validates an event with the schema of its kind, and the envelope with the headers.
func checkEvent(t *testing.T, schema *jsonschema.Schema, one product.Received) {
	t.Helper()
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(one.Body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s\nis refused by its schema: %v", one.Body, err)
	}
	var event struct {
		Data struct{ EventID string }
	}
	product.Decode(t, string(one.Body), &event)
	if id := one.Header.Get("webhook-id"); event.Data.EventID != id {
		t.Errorf("eventId is %q, webhook-id %q", event.Data.EventID, id)
	}
	if one.Header.Get("leadline-attempt") != "1" || one.Header.Get("leadline-replay") != "" {
		t.Errorf("the first attempt has the headers %v", one.Header)
	}
}

// webhookSchemas returns the schemas of the bodies of events by kind, from the developer document.
func webhookSchemas(t *testing.T, base string) map[string]*jsonschema.Schema {
	t.Helper()
	c := product.ReadDocument(t, base, "/api/developer/openapi.json")
	schemas := map[string]*jsonschema.Schema{}
	for kind := range c.Document["webhooks"].(map[string]any) {
		at := product.Pointer(
			"webhooks",
			kind,
			"post",
			"requestBody",
			"content",
			"application/json",
			"schema",
		)
		var err error
		if schemas[kind], err = c.Compiler.Compile("openapi.json#" + at); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// TestBrokenReceiver breaks a receiver for a while. Every event is found again by a replay, with
// the same id and the same bytes.
func TestBrokenReceiver(t *testing.T) {
	t.Parallel()
	s := product.WebhookSetup(t, "", 1000)
	s.Offline = true
	p := s.Start(t)
	r := product.NewReceiver(t)
	c := product.AccountClient{T: t, Base: p.URL, Key: product.NewKey(t, p.Storage(), "team")}
	id := c.Register(r)
	began := product.Now().Add(-time.Second).Format(time.RFC3339)
	r.Mu.Lock()
	r.Status = http.StatusInternalServerError
	r.Mu.Unlock()
	for _, title := range []string{"One", "Two", "Three"} {
		product.At(t, s.Folder, "incidents", "create", "--title", title, "--message", "Broken.")
	}
	broken := r.Awaits(events.IncidentCreated, 3)
	c.Call("PATCH", "/api/developer/webhooks/"+id, `{"enabled": false}`, 200)
	product.At(t, s.Folder, "incidents", "create", "--title", "Four", "--message", "While disabled.")
	c.Skipped(id, 4)

	r.Mu.Lock()
	r.Status, r.Got = http.StatusOK, map[string][]product.Received{}
	r.Mu.Unlock()
	c.Call("PATCH", "/api/developer/webhooks/"+id, `{"enabled": true}`, 200)
	c.Until(id, func(e endpoints.Endpoint) bool { return e.State == "enabled" })
	var replayed struct{ Count int }
	product.Decode(t, string(c.Call("POST", "/api/developer/webhooks/"+id+"/replay",
		fmt.Sprintf(`{"since": %q}`, began), 200)), &replayed)
	if replayed.Count != 4 {
		t.Errorf("%d deliveries are replayed, want 4: 3 that were pending and 1 while it was disabled",
			replayed.Count)
	}
	again := map[string][]byte{}
	for _, one := range r.Awaits(events.IncidentCreated, 4) {
		again[one.Header.Get("webhook-id")] = one.Body
		if one.Header.Get("leadline-replay") != "true" {
			t.Errorf("a replay has the headers %v", one.Header)
		}
	}
	for _, one := range broken {
		if id := one.Header.Get("webhook-id"); !bytes.Equal(again[id], one.Body) {
			t.Errorf("the replay of %s is %s, want %s", id, again[id], one.Body)
		}
	}
	// The list has every event, whether it was delivered or not.
	var list struct{ Events []endpoints.Event }
	product.Decode(t,
		string(c.Call("GET", "/api/developer/events?type=status.incident.created", "", 200)), &list)
	if len(list.Events) != 4 || !strings.Contains(string(list.Events[0].Body), "Four") {
		t.Errorf("the list of events has %d, want 4 with the newest first", len(list.Events))
	}
}
