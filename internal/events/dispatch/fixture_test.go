package dispatch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/store"
	"leadline/store/bolt"
)

// attempt is an attempt that a fixture has seen.
type attempt struct {
	sender.Request
	at time.Time
}

// fixture is a dispatcher with a real store and a receiver that a test scripts. Its clock is that
// of a synctest bubble.
type fixture struct {
	t      *testing.T
	now    func() time.Time
	path   string // of the file of store
	store  *bolt.Store
	sealer *signature.Sealer
	ids    events.IDs
	log    bytes.Buffer
	config Config
	stops  []func() // of what start has started

	mu      sync.Mutex // guards the fields below
	seen    []attempt  // in the order in which they began
	receive func(ctx context.Context, r sender.Request) sender.Report
	date    time.Time // of responses
}

// inBubble calls f with a fixture in a synctest bubble. The test runs in parallel with others.
func inBubble(t *testing.T, f func(*testing.T, *fixture)) {
	t.Helper()
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leadline.db")
	synctest.Test(t, func(t *testing.T) {
		r := &fixture{
			t: t, now: time.Now, path: path, sealer: signature.NewSealer(credential.NewPepper()),
			receive: responding(200),
		}
		r.config = Config{
			Owner: "here", Seed: 1, Send: r.send, Open: r.sealer.Open,
			Log: slog.New(slog.NewTextHandler(&lockedWriter{w: &r.log}, nil)),
		}
		r.open(bolt.Options{})
		defer r.close()
		if err := r.store.AddAccount(t.Context(), theAccount()); err != nil {
			t.Fatal(err)
		}
		f(t, r)
	})
}

// open opens the store.
func (r *fixture) open(o bolt.Options) {
	r.t.Helper()
	s, err := bolt.Open(r.path, o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.store, r.config.Store = s, s
}

// hourly is a store of tests that take days. It spreads events at every sixtieth call, once an
// hour: each call is a write.
type hourly struct {
	*bolt.Store
	calls atomic.Int64
}

func (h *hourly) Spread(ctx context.Context, n int) (bool, error) {
	if h.calls.Add(1)%60 != 1 {
		return false, nil
	}
	return h.Store.Spread(ctx, n)
}

// close ends what start has started, and closes the store.
func (r *fixture) close() {
	for _, stop := range r.stops {
		stop()
	}
	r.stops = nil
	r.store.Close()
}

// lockedWriter makes a log safe to read after the dispatcher has ended.
type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

const accountID = "0195c0de-0000-7000-8000-000000000001"

func theAccount() store.Account {
	return store.Account{ID: accountID, Email: "a@example.com", Plan: "pro", Created: noon}
}

// send is the receiver of a fixture.
func (r *fixture) send(ctx context.Context, q sender.Request) sender.Report {
	began := r.now()
	r.mu.Lock()
	r.seen = append(r.seen, attempt{q, began})
	receive, date := r.receive, r.date
	r.mu.Unlock()
	report := receive(ctx, q)
	report.Date, report.Took = date, r.now().Sub(began)
	report.Attempt.At, report.Attempt.Millis = began, int(report.Took.Milliseconds())
	return report
}

// respond replaces the script of the receiver.
func (r *fixture) respond(receive func(context.Context, sender.Request) sender.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receive = receive
}

// attempts returns the attempts so far, of one event or of all ("").
func (r *fixture) attempts(event string) []attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []attempt
	for _, a := range r.seen {
		if event == "" || a.Event == event {
			list = append(list, a)
		}
	}
	return list
}

// responding returns a receiver that responds at once.
func responding(code int) func(context.Context, sender.Request) sender.Report {
	return slowly(code, 0)
}

// slowly returns a receiver that responds after a time, or with a timeout after 15 s.
func slowly(code int, after time.Duration) func(context.Context, sender.Request) sender.Report {
	if after >= 15*time.Second {
		code, after = 0, 15*time.Second
	}
	return func(ctx context.Context, _ sender.Request) sender.Report {
		select {
		case <-time.After(after):
			return reported(time.Time{}, code) // send adds when it began and how long it took
		case <-ctx.Done():
			return sender.Report{Outcome: sender.Interrupted}
		}
	}
}

// start runs a dispatcher until the test ends. It returns a function that ends it earlier and
// waits.
func (r *fixture) start() (*Dispatcher, func()) {
	d := New(r.config)
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error)
	go func() { ended <- d.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Errorf("Run() = %v", err)
		}
	})
	r.stops = append(r.stops, stop)
	return d, stop
}

// endpoint adds an endpoint in a state.
func (r *fixture) endpoint(n int, state string) store.Endpoint {
	r.t.Helper()
	e := r.newEndpoint(n, state)
	if err := r.store.AddEndpoint(r.t.Context(), e, 1_000_000); err != nil {
		r.t.Fatal(err)
	}
	return e
}

// newEndpoint returns an endpoint that is to be added.
func (r *fixture) newEndpoint(n int, state string) store.Endpoint {
	e := store.Endpoint{
		ID: fmt.Sprintf("we_%014d", n), Account: accountID, Kinds: []string{"*"}, State: state,
		URL: fmt.Sprintf("https://host-%d.example/hook?token=confidential", n), Created: noon,
	}
	e.Secret = r.sealer.Seal(e.ID, signature.NewSecret())
	return e
}

// endpoints adds n enabled endpoints, which change, unless it is nil, completes.
func (r *fixture) endpoints(n int, change func(n int, e *store.Endpoint)) []store.Endpoint {
	r.t.Helper()
	list := make([]store.Endpoint, n)
	for i := range list {
		list[i] = r.newEndpoint(i, store.EndpointEnabled)
		if change != nil {
			change(i, &list[i])
		}
	}
	r.together(n, func(i int) error {
		return r.store.AddEndpoint(r.t.Context(), list[i], 1_000_000)
	})
	return list
}

// together makes n writes at once, which share transactions.
func (r *fixture) together(n int, write func(i int) error) {
	r.t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = write(i) })
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		r.t.Fatal(err)
	}
}

// post posts an event to all endpoints of the account and returns its id.
func (r *fixture) post() string { return r.postTo("") }

// postTo posts an event to one endpoint, or to all ("").
func (r *fixture) postTo(endpoint string) string {
	r.t.Helper()
	return r.postEvent(store.Event{Account: accountID, Endpoint: endpoint})
}

// postNews posts an event for all accounts and returns its id.
func (r *fixture) postNews() string {
	r.t.Helper()
	return r.postEvent(store.Event{})
}

// postEvent posts an event with recipients, and returns its id.
func (r *fixture) postEvent(e store.Event) string {
	r.t.Helper()
	e = r.newEvent(e)
	if n, err := r.store.Post(r.t.Context(), e); err != nil || n != 1 {
		r.t.Fatalf("Post() = %d, %v, want 1", n, err)
	}
	return e.ID
}

// newEvent returns an event with recipients that is to be posted.
func (r *fixture) newEvent(e store.Event) store.Event {
	now := r.now()
	e.ID, e.Type, e.Body = r.ids.New(now), string(events.WebhookTest), []byte("{}")
	e.Created, e.Expires = now, now.Add(30*24*time.Hour)
	return e
}

// posts posts n events at once, each to an endpoint that to names, or to all ("" or nil). It
// returns their ids.
func (r *fixture) posts(n int, to func(i int) string) []string {
	r.t.Helper()
	list, ids := make([]store.Event, n), make([]string, n)
	for i := range list {
		e := store.Event{Account: accountID}
		if to != nil {
			e.Endpoint = to(i)
		}
		list[i] = r.newEvent(e)
		ids[i] = list[i].ID
	}
	r.together(n, func(i int) error {
		n, err := r.store.Post(r.t.Context(), list[i])
		if err == nil && n != 1 {
			err = fmt.Errorf("Post() = %d, want 1", n)
		}
		return err
	})
	return ids
}

// delivery returns a delivery.
func (r *fixture) delivery(endpoint store.Endpoint, event string) store.Delivery {
	r.t.Helper()
	d, err := r.store.Delivery(r.t.Context(), endpoint.ID, event)
	if err != nil {
		r.t.Fatalf("Delivery(%s, %s): %v", endpoint.ID, event, err)
	}
	return d
}

// stored returns an endpoint as it is stored.
func (r *fixture) stored(e store.Endpoint) store.Endpoint {
	r.t.Helper()
	e, err := r.store.Endpoint(r.t.Context(), e.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}
