package dispatch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/bolt"
)

// setup is a dispatcher with a real store and a real sender, which sends to receivers on the
// loopback interface. Each endpoint has an account of its own.
type setup struct {
	t          testing.TB
	store      *bolt.Store
	sealer     *signature.Sealer
	sender     *sender.Sender
	dispatcher *Dispatcher
	ids        events.IDs
	receiver   *receiver
	now        func() time.Time
	stop       func()
}

// running returns a clock that starts at a time and runs.
func running(from time.Time) func() time.Time {
	watch := trials.Start()
	return func() time.Time { return from.Add(watch.Elapsed()) }
}

// receiver is a receiver that measures delays.
type receiver struct {
	mu     sync.Mutex
	caused map[string]trials.Stopwatch // since an event was posted, by id, until it is received
	delays []time.Duration             // from the cause to the receiver
}

// loopback is the private network of senders in tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func newReceiver() *receiver { return &receiver{caused: map[string]trials.Stopwatch{}} }

// newSetup returns a setup with n endpoints, whose dispatcher runs until the test ends. roots are
// trusted by its sender.
func newSetup(t testing.TB, in *receiver, n int, roots []byte, url func(n int) string) *setup {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &setup{
		t: t, store: s, sealer: signature.NewSealer(credential.NewPepper()), receiver: in,
		now: running(noon),
	}
	w.sender, err = sender.New(sender.Config{
		Private: loopback, Roots: roots, Version: "1.2.3", Now: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	addEndpoints(t, s, w.sealer, n, url)
	w.dispatcher = New(Config{
		Store: s, Owner: "here", Seed: 1, Open: w.sealer.Open, Send: w.sender.Send, Now: w.now,
	})
	w.stop = func() { s.Close() }
	t.Cleanup(func() { w.stop() })
	return w
}

// run starts the dispatcher.
func (w *setup) run() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- w.dispatcher.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("Run() = %v", err)
		}
		w.sender.Close()
		w.store.Close()
	})
}

// numbered returns the id of an account.
func numbered(n int) string { return fmt.Sprintf("0195c0de-0000-7000-8000-%012d", n) }

// addEndpoints adds enabled endpoints, each with an account.
func addEndpoints(
	t testing.TB, s *bolt.Store, sealer *signature.Sealer, n int, url func(n int) string,
) {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, 256) // their writes share transactions
	for g := range errs {
		all.Go(func() {
			for i := g; i < n && errs[g] == nil; i += len(errs) {
				a := store.Account{
					ID: numbered(i), Email: fmt.Sprintf("%d@example.com", i), Plan: "pro", Created: noon,
				}
				e := store.Endpoint{
					ID: fmt.Sprintf("we_%014d", i), Account: a.ID, URL: url(i), Kinds: []string{"*"},
					State: store.EndpointEnabled, Created: noon,
				}
				e.Secret = sealer.Seal(e.ID, signature.NewSecret())
				errs[g] = s.AddAccount(context.Background(), a)
				if errs[g] == nil {
					errs[g] = s.AddEndpoint(context.Background(), e, 5)
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// event returns an event for the account n, with a body of about 900 bytes that follows from its
// id.
func event(id string, n int, at time.Time) store.Event {
	return store.Event{
		ID: id, Type: string(events.WebhookTest), Account: numbered(n), Body: bodyOf(id), Created: at,
		Expires: at.Add(time.Hour),
	}
}

func bodyOf(id string) []byte {
	return append([]byte(id), bytes.Repeat([]byte("."), 864)...)
}

// cause posts an event for the account n.
func (w *setup) cause(n int) error {
	now := w.now()
	id := w.ids.New(now)
	w.receiver.expect(id)
	_, err := w.store.Post(context.Background(), event(id, n, now))
	w.dispatcher.Wake()
	return err
}

// expect adds an event that is being posted.
func (in *receiver) expect(id string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.caused[id] = trials.Start()
}

// ServeHTTP receives an event.
func (in *receiver) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("webhook-id")
	in.mu.Lock()
	if since, ok := in.caused[id]; ok {
		delete(in.caused, id)
		in.delays = append(in.delays, since.Elapsed())
	}
	in.mu.Unlock()
	io.Copy(io.Discard, r.Body)
	rw.WriteHeader(http.StatusNoContent)
}

// take waits for n events, and returns their delays, sorted.
func (in *receiver) take(t testing.TB, n int) []time.Duration {
	t.Helper()
	var delays []time.Duration
	trials.WaitFor(t, fmt.Sprintf("%d events received", n), func() bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		if len(in.delays) < n {
			return false
		}
		delays, in.delays = in.delays, nil
		return true
	})
	slices.Sort(delays)
	return delays
}

// load causes n events, one every interval, for the account that to returns. healthy reports
// whether an account receives events. load returns the delays of those that do, sorted.
func (w *setup) load(
	n int, every time.Duration, to func(i int) (account int, healthy bool),
) []time.Duration {
	w.t.Helper()
	var all sync.WaitGroup
	want := 0
	errs := make([]error, n)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		account, healthy := to(i)
		if healthy {
			want++
		}
		all.Go(func() { errs[i] = w.cause(account) })
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		w.t.Fatal(err)
	}
	return w.receiver.take(w.t, want)
}

// quantile returns a quantile of sorted durations.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// silent returns the log of servers whose clients disconnect.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// listen starts a receiver and returns its URL.
func listen(t testing.TB, h http.Handler) string {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = silent()
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
