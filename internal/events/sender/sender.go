// Package sender sends one event to one URL: an HTTP request with the signed body goes out, a
// Report of the outcome comes back. It refuses URLs and addresses that are not on the internet, and
// limits time and size. It does not repeat attempts and does not use the store: package dispatch
// does.
//
//	sender.go     Sender: one request
//	transport.go  connections: timeouts, TLS, limits
//	proxy.go      the proxy that all requests may have to use
//	address.go    which URLs can be registered
//	networks.go   which addresses can be dialed
//	outcome.go    what follows from a response or from a failure
//	reply.go      the part of a response that is kept
package sender

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"leadline/internal/coast"
	"leadline/internal/events/signature"
	"leadline/store"
)

// Config configures a Sender.
type Config struct {
	Private []netip.Prefix   // networks that may be reached too, with http and any port
	Hosts   []string         // of this server, which get no events; names, or name:port
	Listens []netip.AddrPort // on which this server listens, which get no events either
	Proxy   Proxy            // through which all requests go, then not to Private; zero: none
	Roots   []byte           // certificates in PEM form, trusted in addition to the system's
	Version string           // of this server, for the User-Agent
	Now     func() time.Time // clock of attempts and pauses; nil: time.Now
	Log     *slog.Logger     // of panics; nil: none

	limits   limits        // zero: defaultLimits
	ports    []uint16      // nil: defaultPorts
	resolver *net.Resolver // nil: net.DefaultResolver
}

// Sender sends events to receivers, one HTTP request at a time. It is safe for concurrent use.
type Sender struct {
	destinations *destinations
	encrypted    *http.Transport
	plain        *http.Transport // reaches private networks only
	agent        string
	limits       limits
	now          func() time.Time
	log          *slog.Logger
}

// New returns a sender. It is an error if Roots contain no certificate.
func New(c Config) (*Sender, error) {
	roots, err := trustedRoots(c.Roots)
	if err != nil {
		return nil, err
	}
	c.limits = cmp.Or(c.limits, defaultLimits())
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.ports == nil {
		c.ports = defaultPorts()
	}
	d := &destinations{private: c.Private, proxied: c.Proxy.url != nil, ports: c.ports,
		listens: c.Listens}
	for _, host := range c.Hosts {
		d.own = append(d.own, ownHost(host))
	}
	n := network{c.limits, c.resolver, c.Proxy, roots, d}
	return &Sender{
		destinations: d,
		encrypted:    n.transport(true),
		plain:        n.transport(false),
		agent:        "Leadline/" + c.Version,
		limits:       c.limits,
		now:          c.Now,
		log:          cmp.Or(c.Log, slog.New(slog.DiscardHandler)),
	}, nil
}

// CheckURL returns all that is wrong with a URL for an endpoint, as issues of /url. Each says the
// rule and a valid example. The address of a name is checked when an attempt dials it.
func (s *Sender) CheckURL(text string) []coast.Issue { return s.destinations.check(text) }

// Close closes idle connections.
func (s *Sender) Close() {
	s.encrypted.CloseIdleConnections()
	s.plain.CloseIdleConnections()
}

// Request is one attempt to deliver an event to an endpoint.
type Request struct {
	Endpoint string // id of the endpoint, for the log
	URL      string
	Event    string             // id of the event
	Body     []byte             // see events.Body
	Secrets  []signature.Secret // one or two, the newest first
	Attempt  int                // 1 for the first
	Replay   bool               // the account has asked for the event again
}

// Report describes an attempt.
type Report struct {
	Attempt store.Attempt
	Outcome Outcome
	Until   time.Time     // for Paused: end of the pause; zero: the next scheduled attempt
	Date    time.Time     // the receiver's clock, if the response has a Date header
	Took    time.Duration // by a monotonic clock
}

// Send sends one request and returns what came of it. It takes at most 15 s; if ctx is canceled
// before, the outcome is Interrupted, unless the status of the response has arrived. A panic is
// a failed attempt with InternalError.
func (s *Sender) Send(ctx context.Context, r Request) (report Report) {
	began := time.Now()
	at := s.now().UTC()
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(r, p)
			report = Report{Outcome: Failed, Attempt: store.Attempt{Error: InternalError}}
		}
		report.Took = time.Since(began)
		report.Attempt.At = at
		report.Attempt.Millis = int(report.Took.Milliseconds())
	}()
	return s.send(ctx, r, at)
}

// logPanic logs a panic without its value, which may contain parts of the request.
func (s *Sender) logPanic(r Request, p any) {
	s.log.Error("panic in a webhook attempt", "endpoint", r.Endpoint, "event", r.Event,
		"type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
}

func (s *Sender) send(ctx context.Context, r Request, at time.Time) Report {
	within, cancel := context.WithTimeout(ctx, s.limits.total)
	defer cancel()
	var c connection
	q, err := s.request(c.observe(within), r, at)
	if err != nil || len(s.CheckURL(r.URL)) > 0 { // the settings may have changed
		return failed(BlockedAddress)
	}
	response, err := s.transport(q.URL).RoundTrip(q)
	switch {
	case err == nil:
		return s.receive(response, &c)
	case errors.Is(ctx.Err(), context.Canceled):
		return Report{Outcome: Interrupted}
	}
	return failed(wordOf(err, &c))
}

func failed(word string) Report {
	return Report{Outcome: Failed, Attempt: store.Attempt{Error: word}}
}

func (s *Sender) transport(u *url.URL) *http.Transport {
	if u.Scheme == "http" {
		return s.plain
	}
	return s.encrypted
}

// request returns the HTTP request of an attempt.
func (s *Sender) request(ctx context.Context, r Request, at time.Time) (*http.Request, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("User-Agent", s.agent)
	signature.SetHeaders(q.Header, r.Event, at, r.Body, r.Secrets)
	q.Header.Set("leadline-attempt", strconv.Itoa(r.Attempt))
	if r.Replay {
		q.Header.Set("leadline-replay", "true")
	}
	// An empty list lets the transport repeat the request on another connection if the receiver has
	// closed an idle one. The header is not sent: receivers deduplicate by webhook-id.
	q.Header["Idempotency-Key"] = []string{}
	q.GetBody = onceMore(r.Body)
	return q, nil
}

// errRepeated ends an attempt whose request was repeated and failed again.
var errRepeated = errors.New("the receiver closed two connections without a response")

// onceMore returns a function for http.Request.GetBody, which returns the body once more. By
// default, a request would be repeated on each idle connection that the receiver has closed.
func onceMore(body []byte) func() (io.ReadCloser, error) {
	repeated := false
	return func() (io.ReadCloser, error) {
		if repeated {
			return nil, errRepeated
		}
		repeated = true
		return io.NopCloser(bytes.NewReader(body)), nil
	}
}

// receive reads a response.
func (s *Sender) receive(response *http.Response, c *connection) Report {
	defer response.Body.Close()
	outcome, word := outcomeOf(response.StatusCode)
	report := Report{
		Outcome: outcome, Attempt: store.Attempt{Status: response.StatusCode, Error: word},
	}
	report.Date, _ = http.ParseTime(response.Header.Get("Date")) // zero if it is invalid
	if outcome == Paused {
		report.Until = retryAfter(response.Header.Get("Retry-After"), s.now())
	}
	if response.StatusCode < http.StatusOK { // the body of 101 is a connection without deadline
		return report
	}
	start := readReply(response.Body)
	if s.keepsReply(c) {
		report.Attempt.Reply = cleanReply(start)
	}
	return report
}

// keepsReply reports whether the response is from outside of private networks. What these contain
// is not shown to accounts.
func (s *Sender) keepsReply(c *connection) bool {
	if s.destinations.proxied {
		return true
	}
	remote := c.remote.Load()
	return remote != nil && !s.destinations.isPrivate(*remote)
}
