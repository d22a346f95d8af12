package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"leadline/internal/config"
	"leadline/internal/edge"
)

// mostConnections is how many connections may be open. Each takes some 10 kB.
const mostConnections = 8192

// doors are the addresses that the server listens on.
type doors struct {
	public *edge.Listener
	admin  net.Listener // nil where the operator has none
	tls    *tls.Config  // of the public one, nil for plain http
	reload func() error // reads the certificate again
}

// openDoors opens the addresses.
func openDoors(c *config.Config) (d *doors, err error) {
	d = &doors{}
	if d.tls, d.reload, err = newTLS(c.TLSCert, c.TLSKey, c.ACMEDomain, filepath.Join(c.Data, "acme")); err != nil {
		return nil, err
	}
	limits := connectionLimits(c)
	public, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; -listen chooses another address, port 0 a free one", c.Listen, err)
	}
	d.public = edge.NewListener(public, limits)
	if c.AdminListen == "" {
		return d, nil
	}
	if d.admin, err = net.Listen("tcp", c.AdminListen); err != nil {
		d.close()
		return nil, fmt.Errorf("listening on %s: %w; -admin-listen chooses another address", c.AdminListen, err)
	}
	return d, nil
}

// connectionLimits are the limits of the public address.
func connectionLimits(c *config.Config) edge.ListenerConfig {
	return edge.ListenerConfig{
		Most: mostConnections, Exempt: c.TrustedProxies,
		PerAddress: cmp.Or(c.MaxConnectionsPerAddress, edge.DefaultPerAddress),
	}
}

// close closes what is still open.
func (d *doors) close() {
	d.public.Close()
	if d.admin != nil {
		d.admin.Close()
	}
}

// scheme is that of the public address.
func (d *doors) scheme() string {
	if d.tls != nil {
		return "https"
	}
	return "http"
}

// follow reads the certificate again on each SIGHUP, until stop is called.
func (d *doors) follow(log *slog.Logger) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := d.reload(); err != nil {
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

// drainWithin is how long running requests may take to end: a little longer
// than an answer may be under way.
const drainWithin = 25 * time.Second

// serve serves the public and the operator's handler until ctx ends; goes on
// for wait where a machine ends it; then lets running requests finish.
func (d *doors) serve(ctx context.Context, public, admin http.Handler, wait time.Duration, log *slog.Logger) error {
	server := bounded(public, log)
	server.ConnState = d.public.State
	done := make(chan error, 2)
	go func() { done <- server.Serve(guarded(d.public, d.tls)) }()
	if d.admin != nil {
		operator := &http.Server{Handler: admin, ErrorLog: server.ErrorLog, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 32 << 10}
		defer operator.Close()
		go func() { done <- operator.Serve(d.admin) }()
	}
	defer server.Close() // on whoever has not ended by then
	if err := until(ctx, wait, done); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	drain, cancel := context.WithTimeout(context.Background(), drainWithin)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		log.Warn("not every request has ended in time", "error", err)
	}
	return nil
}

// bounded is a server of a handler that waits for nobody for long: clients that
// send or read a byte now and then would hold all its connections.
func bounded(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 24 * time.Second,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10,
		// What a client sends ahead of its handlers is held in memory: with the
		// default 1 MiB a connection, connections alone would take gigabytes.
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          128,
			MaxReceiveBufferPerConnection: 64 << 10, MaxReceiveBufferPerStream: 64 << 10,
		},
		DisableGeneralOptionsHandler: true, // OPTIONS * is answered as all else
	}
}

// until waits for the end of ctx and of the time after it, or for a fault.
func until(ctx context.Context, wait time.Duration, done <-chan error) error {
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

// linger is how long the server goes on while it says that it is not ready:
// as long as was set where a machine ends it, so that a balancer looks away
// first, and not at all for a person.
func linger(cause error, wait time.Duration) time.Duration {
	var by stopped
	if errors.As(cause, &by) && by.by == syscall.SIGTERM {
		return wait
	}
	return 0
}
