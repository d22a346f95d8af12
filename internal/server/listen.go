package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/time/rate"

	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/metrics"
)

// maxConnections limits the open connections. Each takes about 10 kB.
const maxConnections = 8192

// listeners holds the listeners of the server.
type listeners struct {
	public   *edge.Listener
	operator net.Listener // nil without an operator address
	tls      *tls.Config  // for the public address, nil for plain HTTP
	reload   func() error // reads the certificate again
}

// listen opens the addresses. Refused is called for each connection that is closed at once.
func listen(c *config.Config, refused func(netip.Addr)) (*listeners, error) {
	tls, reload, err := newTLS(c.TLSCert, c.TLSKey, c.ACMEDomain, filepath.Join(c.Data, "acme"))
	if err != nil {
		return nil, err
	}
	public, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; --listen chooses another address, port 0 a free one",
			c.Listen, err)
	}
	limits := connectionLimits(c)
	limits.Refused = refused
	l := &listeners{public: edge.NewListener(public, limits), tls: tls, reload: reload}
	if c.AdminListen == "" {
		return l, nil
	}
	operator, err := net.Listen("tcp", c.AdminListen)
	if err != nil {
		public.Close()
		return nil, fmt.Errorf("listen on %s: %w; --admin-listen chooses another address",
			c.AdminListen, err)
	}
	return &listeners{public: l.public, operator: operator, tls: tls, reload: reload}, nil
}

// connectionLimits returns the limits of the public address.
func connectionLimits(c *config.Config) edge.ListenerConfig {
	return edge.ListenerConfig{
		Most: maxConnections, Exempt: c.TrustedProxies,
		PerAddress: cmp.Or(c.MaxConnectionsPerAddress, edge.DefaultPerAddress),
	}
}

// noteRefused counts the connections that are closed at once, and logs one in a minute.
func noteRefused(log *slog.Logger, meters *metrics.Metrics) func(netip.Addr) {
	sometimes := rate.Sometimes{First: 1, Interval: time.Minute}
	return func(address netip.Addr) {
		meters.Refused()
		sometimes.Do(func() {
			log.Warn("a connection was closed: its address has as many as may wait", "address", address)
		})
	}
}

// close closes the addresses. Serving may have closed them before.
func (l *listeners) close() error {
	l.public.Close()
	if l.operator != nil {
		l.operator.Close()
	}
	return nil
}

// addresses returns the addresses of the listeners.
func (l *listeners) addresses() []netip.AddrPort {
	list := []netip.AddrPort{l.public.Addr().(*net.TCPAddr).AddrPort()}
	if l.operator != nil {
		list = append(list, l.operator.Addr().(*net.TCPAddr).AddrPort())
	}
	return list
}

// scheme returns the scheme of the public address.
func (l *listeners) scheme() string {
	if l.tls != nil {
		return "https"
	}
	return "http"
}

// baseURL returns the scheme and host that clients see: the configured ones, else those of the
// bound address. They are never taken from a request.
func baseURL(configured, scheme string, bound *net.TCPAddr, log *slog.Logger) string {
	if configured != "" {
		return configured
	}
	host := bound.IP.String()
	if bound.IP.IsUnspecified() {
		host = "localhost"
		log.Warn("--base-url is not set and --listen names no host: links lead to localhost")
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(bound.Port))
}

// reloadOnHangup reads the certificate again on each SIGHUP until stop is called.
func (l *listeners) reloadOnHangup(log *slog.Logger) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := l.reload(); err != nil {
				log.Error("SIGHUP", "error", err)
				continue
			}
			log.Info("SIGHUP: certificates were read again")
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// drainTimeout limits the time for running requests to finish. It is a little longer than a
// response may take.
const drainTimeout = 25 * time.Second

// serve serves both handlers until ctx ends and continues for wait after SIGTERM. Before the server
// stops, it waits for the last requests, at most drainTimeout.
func (l *listeners) serve(
	ctx context.Context, public, operator http.Handler, wait time.Duration, log *slog.Logger,
) error {
	server := newHTTPServer(public, l.public, log)
	done := make(chan error, 2)
	go func() { done <- server.Serve(withTLS(l.public, l.tls)) }()
	if l.operator != nil {
		server := &http.Server{
			Handler: operator, ErrorLog: server.ErrorLog,
			ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 32 << 10,
		}
		defer server.Close()
		go func() { done <- server.Serve(l.operator) }()
	}
	defer server.Close() // for requests that exceed drainTimeout
	if err := waitForEnd(ctx, wait, done); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		log.Warn("not every request has ended in time", "error", err)
	}
	return nil
}

// newHTTPServer returns a server with timeouts. Without them, clients that send or read a byte
// now and then would occupy all its connections.
func newHTTPServer(h http.Handler, l *edge.Listener, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: l.Handler(h), ConnState: l.State, ConnContext: l.Context,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second,
		WriteTimeout: 24 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10,
		// Data that a client sends before its handlers run is held in memory: with the default
		// of 1 MiB per connection, connections alone would take gigabytes.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          128,
			MaxReceiveBufferPerConnection: 64 << 10, MaxReceiveBufferPerStream: 64 << 10,
		},
		DisableGeneralOptionsHandler: true, // OPTIONS * is handled like other requests
	}
}

// waitForEnd waits until ctx ends and then for the wait time, or until there is an error.
func waitForEnd(ctx context.Context, wait time.Duration, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(linger(context.Cause(ctx), wait)):
		return nil
	}
}

// Stopped is the cause of a context that was ended by a signal.
type Stopped struct{ Signal os.Signal }

func (s Stopped) Error() string { return "stopped by the signal " + s.Signal.String() }

// linger returns how long the server keeps serving while it is not ready. After SIGTERM it is
// wait, so that a load balancer stops sending requests first. After an interrupt by a person it
// is 0.
func linger(cause error, wait time.Duration) time.Duration {
	var by Stopped
	if errors.As(cause, &by) && by.Signal == syscall.SIGTERM {
		return wait
	}
	return 0
}
