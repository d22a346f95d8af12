package upstream

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"leadline/internal/coast"
)

// Config configures a Client. The comment of a field gives the default for its zero value.
type Config struct {
	Provider  string // coast.COOPS or coast.NWS: named in errors
	UserAgent string // product and contact address
	Offline   bool   // send no requests; serve the cache alone
	File      string // cache file, used by this client alone; empty: none

	Deadline    time.Duration // of one fetch with its retries; 10 s
	MaxBody     int           // bytes of one decoded body; 8 MiB
	MaxCache    int           // approximate bytes of memory, twice the size of the file; 64 MiB
	Concurrency int           // concurrent requests to one host; 12
	Rate        float64       // requests a second to one host; 10, for coast.NWS 5
	Burst       int           // requests at once after an idle time; 20

	// Share returns the number of clients, in other processes too, that divide Rate and Burst. Each
	// has at least one request a second. nil: 1.
	Share func() int

	Log *slog.Logger // of failures, and of a file that cannot be used; nil: none

	// Now is the clock for the age of responses and the times of attempts; nil: time.Now. Pauses,
	// the rate and the breaker use the clock of the machine.
	Now func() time.Time

	// Caller returns the account or address that a request is made for, from the context of the
	// request; "" is background work, as is everything if Caller is nil. At most four fetches of
	// one caller wait for a host; a further one is ProviderUnavailable at once. Several callers
	// are served in turn.
	Caller func(context.Context) string
	// First reports whether a caller is served before others: four turns for one of theirs, while
	// both wait. Nil is false for all.
	First func(caller string) bool

	// Observe receives the outcome of each lookup and of each request to the provider, for
	// metrics; observe.go lists the outcomes. It is called from many goroutines and must return
	// quickly. It may be nil.
	Observe func(outcome string, took time.Duration)

	// Transport returns the transport of the requests, given the usual one, so that responses can
	// be recorded; nil: the usual one. Unread receives why a response has an unknown format, which
	// errors do not say. Both are called from many goroutines.
	Transport func(http.RoundTripper) http.RoundTripper
	Unread    func(why error)
}

func (c Config) withDefaults() Config {
	defaultRate := 10.0
	if c.Provider == coast.NWS {
		defaultRate = 5
	}
	c.Provider = cmp.Or(c.Provider, "the provider")
	c.Deadline = cmp.Or(c.Deadline, 10*time.Second)
	c.MaxBody = cmp.Or(c.MaxBody, 8<<20)
	c.MaxCache = cmp.Or(c.MaxCache, 64<<20)
	c.Concurrency = cmp.Or(c.Concurrency, 12)
	c.Rate = cmp.Or(c.Rate, defaultRate)
	c.Burst = cmp.Or(c.Burst, 20)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Share == nil {
		c.Share = func() int { return 1 }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Caller == nil {
		c.Caller = func(context.Context) string { return "" }
	}
	if c.First == nil {
		c.First = func(string) bool { return false }
	}
	if c.Observe == nil {
		c.Observe = ignore
	}
	if c.Transport == nil {
		c.Transport = func(usual http.RoundTripper) http.RoundTripper { return usual }
	}
	if c.Unread == nil {
		c.Unread = func(error) {}
	}
	return c
}

// Client fetches from one provider. It is safe for concurrent use.
type Client struct {
	config  Config
	http    *http.Client
	cache   *otter.Cache[key, *entry] // bounded by weight; starts no goroutine without expiry
	budget  *budget
	changes atomic.Int64 // number of changes of the cache

	ctx     context.Context // of every fetch; ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // fetches under way

	mu       sync.Mutex // guards the fields below, and writes to the cache
	closed   bool
	flights  map[key]*flight
	backoffs map[key]*backoff
	hosts    map[string]*host
	last     attempt

	outage  outage // of the provider
	unsaved outage // of the file

	saving sync.Mutex // held while the file is written
	saved  int64      // value of changes that the file has
}

// New returns a client with the entries of its cache file. A file that cannot be used is ignored
// with a warning. New starts no goroutine.
func New(config Config) (*Client, error) {
	c := &Client{
		config:   config.withDefaults(),
		budget:   newBudget(),
		flights:  map[key]*flight{},
		backoffs: map[key]*backoff{},
		hosts:    map[string]*host{},
	}
	cache, err := otter.New(&otter.Options[key, *entry]{
		MaximumWeight: uint64(c.config.MaxCache), Weigher: weigh,
	})
	if err != nil {
		return nil, fmt.Errorf("create the cache of %s: %w", c.config.Provider, err)
	}
	c.cache = cache
	c.http = &http.Client{
		Transport:     c.config.Transport(newTransport(c.config.Concurrency)),
		CheckRedirect: sameHost,
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.load()
	return c, nil
}

// newTransport returns a transport with short timeouts: a host that does not accept a connection
// in three seconds may do so at another of its addresses.
func newTransport(connections int) *http.Transport {
	dialer := &net.Dialer{Timeout: 3 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxIdleConnsPerHost:    connections,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// Run saves the cache every five minutes, and when ctx ends.
func (c *Client) Run(ctx context.Context) {
	every := time.NewTicker(5 * time.Minute)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			c.saveOrWarn()
		case <-ctx.Done():
			c.saveOrWarn()
			return
		}
	}
}

// Close cancels the fetches in progress, waits for them and closes idle connections. Callers that
// wait get ProviderUnavailable; cache entries are still served. Close does not save the cache.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.running.Wait()
	c.http.CloseIdleConnections()
}
