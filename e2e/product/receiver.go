package product

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/server"
	"leadline/internal/trials"
	"leadline/store"
)

// NewAccount adds an account and returns its id.
func NewAccount(t *testing.T, k *server.Storage, plan access.Tier) string {
	t.Helper()
	a := store.Account{ID: edge.NewID(Noon()), Plan: string(plan), Created: Noon()}
	a.Email = a.ID + "@example.org"
	if err := k.Store.AddAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// Receiver is a webhook endpoint on loopback that verifies what it gets with the official library.
type Receiver struct {
	*httptest.Server
	t      *testing.T
	Mu     sync.Mutex
	verify *standardwebhooks.Webhook // nil before the secret is known
	Status int                       // of responses
	Got    map[string][]Received     // by kind
	early  []Received                // before the secret was known
}

// Received is a request to a receiver.
type Received struct {
	Header http.Header
	Body   []byte
}

// NewReceiver starts a receiver that responds with 204.
func NewReceiver(t *testing.T) *Receiver {
	t.Helper()
	r := &Receiver{t: t, Status: http.StatusNoContent, Got: map[string][]Received{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP takes an event.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		r.t.Error(err)
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	one := Received{q.Header.Clone(), body}
	if r.verify == nil {
		r.early = append(r.early, one)
	} else {
		r.take(one)
	}
	w.WriteHeader(r.Status)
}

// Respond sets the status of the responses.
func (r *Receiver) Respond(status int) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.Status = status
}

// take verifies and stores an event.
func (r *Receiver) take(one Received) {
	if err := Verify(r.verify, one); err != nil {
		r.t.Errorf("the signature of %s is refused: %v", one.Body, err)
	}
	var event struct{ Type string }
	if err := json.Unmarshal(one.Body, &event); err != nil {
		r.t.Errorf("%s: %v", one.Body, err)
	}
	r.Got[event.Type] = append(r.Got[event.Type], one)
}

// Verify verifies a request with the official library, which has the clock of the machine. By the
// clock Now, the time of the request must be within the same five minutes as by the other.
func Verify(verify *standardwebhooks.Webhook, one Received) error {
	if err := verify.VerifyIgnoringTimestamp(one.Body, one.Header); err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(one.Header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return err
	}
	if off := Now().Sub(time.Unix(seconds, 0)).Abs(); off > 5*time.Minute {
		return verify.Verify(one.Body, one.Header) // of the program, which has that clock too
	}
	return nil
}

// Trust sets the secret of the endpoint.
func (r *Receiver) Trust(secret string) {
	r.t.Helper()
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.verify = verify
	for _, one := range r.early {
		r.take(one)
	}
	r.early = nil // another secret does not verify them
}

// Has reports whether an event of a kind has arrived.
func (r *Receiver) Has(kind events.Kind) bool { return len(r.of(kind)) > 0 }

// of returns the events of a kind so far.
func (r *Receiver) of(kind events.Kind) []Received {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.Got[string(kind)]
}

// bodies returns the bodies of all events so far, by their ids.
func (r *Receiver) bodies() map[string]string {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	found := map[string]string{}
	for _, list := range r.Got {
		for _, one := range list {
			found[one.Header.Get("webhook-id")] = string(one.Body)
		}
	}
	return found
}

// Awaits waits until n events of a kind have arrived, and returns them.
func (r *Receiver) Awaits(kind events.Kind, n int) (list []Received) {
	r.t.Helper()
	trials.WaitFor(r.t, fmt.Sprintf("%d events %s", n, kind), func() bool {
		list = r.of(kind)
		return len(list) >= n
	})
	return list
}

// AccountClient calls the developer routes with a key.
type AccountClient struct {
	*testing.T
	Base, Key string
}

// Call sends a request and returns the result, which must have the status.
func (c AccountClient) Call(method, path, body string, status int) []byte {
	c.Helper()
	q, err := http.NewRequestWithContext(c.Context(), method, c.Base+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+c.Key)
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

// Register registers a receiver, waits until it is enabled and returns the endpoint's id.
func (c AccountClient) Register(r *Receiver) (id string) {
	c.Helper()
	var made struct {
		Endpoint endpoints.Endpoint
		Secret   string
	}
	Decode(c.T, string(c.Call("POST", "/api/developer/webhooks",
		fmt.Sprintf(`{"url": %q}`, r.URL+"/hook"), 200)), &made)
	r.Trust(made.Secret)
	r.Awaits(events.WebhookTest, 1)
	c.Until(made.Endpoint.ID, func(e endpoints.Endpoint) bool { return e.State == "enabled" })
	return made.Endpoint.ID
}

// Until waits until a condition of an endpoint holds.
func (c AccountClient) Until(id string, holds func(endpoints.Endpoint) bool) {
	c.Helper()
	trials.WaitFor(c.T, "the state of the endpoint "+id, func() bool {
		var now struct{ Endpoint endpoints.Endpoint }
		Decode(c.T, string(c.Call("GET", "/api/developer/webhooks/"+id, "", 200)), &now)
		return holds(now.Endpoint)
	})
}

// Skipped waits until an endpoint has n skipped deliveries.
func (c AccountClient) Skipped(id string, n int) {
	c.Helper()
	path := "/api/developer/webhooks/" + id + "/deliveries?state=skipped"
	trials.WaitFor(c.T, fmt.Sprintf("%d skipped deliveries", n), func() bool {
		var list struct{ Deliveries []endpoints.Delivery }
		Decode(c.T, string(c.Call("GET", path, "", 200)), &list)
		return len(list.Deliveries) == n
	})
}

// WebhookSetup returns the settings of a server that may send events to loopback. An account of the
// plan team has n units a month.
func WebhookSetup(t *testing.T, root string, n int) Setup {
	t.Helper()
	plans := filepath.Join(t.TempDir(), "plans.json")
	text := fmt.Sprintf(`{"anonymous": {"perMinute": 65535}, "team": {"perMinute": 65535,
		"perMonth": %d, "features": ["decision_api"], "endpoints": 2, "watches": 2}}`, n)
	if err := os.WriteFile(plans, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Setup{Root: root, Folder: t.TempDir(), Whole: true, With: func(c *config.Config) {
		c.Plans = plans
		c.WebhookPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}}
}

// Listed checks that what has arrived at a receiver equals the list of the account's events.
func (c AccountClient) Listed(r *Receiver) {
	c.Helper()
	bodies := func() map[string]string {
		var list struct{ Events []endpoints.Event }
		Decode(c.T, string(c.Call("GET", "/api/developer/events?limit=100", "", 200)), &list)
		found := map[string]string{}
		for _, e := range list.Events {
			found[e.ID] = string(e.Body)
		}
		return found
	}
	stored := bodies()
	var arrived map[string]string
	trials.WaitFor(c.T, "all events at the receiver", func() bool {
		arrived = r.bodies()
		missing := maps.Clone(stored)
		maps.DeleteFunc(missing, func(id, _ string) bool { return arrived[id] != "" })
		return len(missing) == 0
	})
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

// KeepAsking sends a request every 200 ms until stop is called, so that a component is in use.
func (p *Product) KeepAsking(t *testing.T, path string) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Millisecond):
				if answer, err := http.Get(p.URL + path); err == nil {
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
