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

// Config is what a Client needs to know. Zero fields take the defaults that
// stand beside them.
type Config struct {
	Provider  string // coast.COOPS or coast.NWS: named in errors
	UserAgent string // who asks, and whom to write to
	Offline   bool   // never ask; what was kept is all that there is
	File      string // where the cache survives a restart, of this client alone; empty: nowhere

	Deadline    time.Duration // of one fetch with its retries; 10 s
	MaxBody     int           // bytes of one decoded body; 8 MiB
	MaxCache    int           // bytes of memory that kept answers take, about; the file takes about half; 64 MiB
	Concurrency int           // requests at a time to one host; 12
	Rate        float64       // requests a second to one host; 10, for coast.NWS 5
	Burst       int           // requests at once after a silence; 20
	Log         *slog.Logger  // failures, and a file that cannot be used; nil: nowhere

	// Now is the clock by which responses age; nil: time.Now. Pauses, pace and
	// the breaker use the clock of the machine.
	Now func() time.Time

	// Caller names the account or address that a request is made for, by the
	// request's context; "" is background work, and everything where Caller is
	// nil. At most four fetches of one caller wait for a host; another one is
	// ProviderUnavailable at once. Those of several callers are served in turn.
	Caller func(context.Context) string

	// Observe is told how every look-up and every request to the provider
	// ended, for metrics; observe.go lists the outcomes. It is called from
	// many goroutines and must be quick. nil tells nobody.
	Observe func(outcome string, took time.Duration)
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
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Caller == nil {
		c.Caller = func(context.Context) string { return "" }
	}
	if c.Observe == nil {
		c.Observe = ignore
	}
	return c
}

// Client asks one provider. It is safe for use by several goroutines.
type Client struct {
	config  Config
	http    *http.Client
	cache   *otter.Cache[key, *entry] // bounded by weight; starts no goroutine without expiry
	budget  *budget
	changes atomic.Int64 // how often kept has changed

	ctx     context.Context // of every fetch; ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // fetches under way

	mu       sync.Mutex // guards what follows, and writing to kept
	closed   bool
	flights  map[key]*flight
	backoffs map[key]*backoff
	hosts    map[string]*host
	last     attempt

	outage  outage // of the provider
	unsaved outage // of the file

	saving sync.Mutex // held by who writes the file
	saved  int64      // changes that the file has
}

// New returns a client that has what its file kept; a file that cannot be used
// is left out with a warning. It starts no goroutine.
func New(config Config) (*Client, error) {
	c := &Client{
		config:   config.withDefaults(),
		budget:   newBudget(),
		flights:  map[key]*flight{},
		backoffs: map[key]*backoff{},
		hosts:    map[string]*host{},
	}
	cache, err := otter.New(&otter.Options[key, *entry]{MaximumWeight: uint64(c.config.MaxCache), Weigher: weigh})
	if err != nil {
		return nil, fmt.Errorf("making the cache of %s: %w", c.config.Provider, err)
	}
	c.cache = cache
	c.http = &http.Client{Transport: newTransport(c.config.Concurrency), CheckRedirect: sameHost}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.load()
	return c, nil
}

// newTransport is patient with nobody: a host that cannot be reached in three
// seconds may be reached at another of its addresses.
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

// Run saves what is kept every five minutes, and when ctx ends.
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

// Close ends the fetches under way, waits for them and closes idle
// connections. Whoever waits gets ProviderUnavailable; what is kept is still
// answered. It saves nothing.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.running.Wait()
	c.http.CloseIdleConnections()
}
