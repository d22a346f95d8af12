// Package server builds and runs the service. What comes in are the settings; what
// goes out is one finished Server, which serves MCP, REST and the sign-in pages on the
// public address, metrics and profiles on the operator's address, and administrative
// commands on the admin socket, until its context ends. It is the only package that
// wires the parts together and that names a storage engine. It decides nothing about
// the coast: operations are in package tools.
//
//	commands.go   Serve and ServeStdio, and what other commands need without a server
//	build.go      Build: the parts in the order in which they need each other
//	server.go     Server: serving, background work
//	routes.go     the table of routes and the middleware around it
//	discovery.go  descriptions of the server for directories
//	signin.go     sign-in and the authorization server
//	providers.go  clients of the providers; components.go the parts that the status describes
//	verify.go     the monthly comparison with NOAA's predictions
//	webhooks.go   events, their delivery and watches
//	storage.go    store, keys and plans; engine.go the engine, pepper.go the pepper, restore.go
//	instance.go   this process among the instances of a store
//	listen.go     addresses, connection limits and draining; tls.go certificates
//	operator.go   the handler of the operator's address
//	admin.go      functions of the administrative API
//	first_run.go  the link of the first account in a browser
//	notify.go     states for the service manager
//	sweep.go      removal of what has expired
//	config.go     Config; log.go the logger, memory.go the garbage collector
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"

	"leadline/internal/accounts"
	"leadline/internal/admin"
	"leadline/internal/events/watches"
	"leadline/internal/fleet"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/store"
	"leadline/tools"
)

// Server is the whole service, ready to run. Run or Close releases its resources.
type Server struct {
	c         Config
	log       *slog.Logger
	base      string
	listeners *listeners
	public    http.Handler
	operator  http.Handler // nil without an operator address
	admin     http.Handler // handler of the admin socket
	storage   *Storage
	member    *fleet.Member // this process among those that use the store
	accounts  *accounts.Service
	changed   func([]store.Change) // drops cached credentials and starts deliveries
	providers providers
	set       *tools.Set
	ready     *status.Readiness
	hooks     *webhooks
	scheduler *watches.Scheduler // nil without watches
	verifier  *verify.Job        // nil unless the operator has switched it on
	uptime    *status.Uptime
	monitor   *status.Monitor
	close     func() error
}

// URL returns the scheme and host that clients see.
func (s *Server) URL() string { return s.base }

// Addr returns the public address.
func (s *Server) Addr() net.Addr { return s.listeners.public.Addr() }

// Handler returns the handler of the public address.
func (s *Server) Handler() http.Handler { return s.public }

// Operator returns the handler of the operator's address, or nil if there is none.
func (s *Server) Operator() http.Handler { return s.operator }

// Storage returns the store with its keys and plans.
func (s *Server) Storage() *Storage { return s.storage }

// Tools returns the operations that are served.
func (s *Server) Tools() *tools.Set { return s.set }

// Close releases the addresses, the providers and the store, in this order. Run does it
// too; later calls return the result of the first.
func (s *Server) Close() error { return s.close() }

// closers lists the functions that release what was built, in build order.
type closers []func() error

// close calls the functions in reverse order.
func (c closers) close() error {
	var errs []error
	for _, f := range slices.Backward(c) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Run serves until ctx ends and running requests have finished, and then closes the server.
// After SIGTERM, when the cause of ctx is a Stopped, it keeps serving for the configured time
// while /readyz returns 503.
func (s *Server) Run(ctx context.Context) (err error) {
	defer func() {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = nil // it was stopped while it started
		}
		err = errors.Join(err, s.Close())
	}()
	if err := s.warn(ctx); err != nil {
		return err
	}
	if s.c.Settings.Shared() {
		defer background(context.WithoutCancel(ctx), s.member.Run)() // also while requests finish
	}
	defer s.listeners.reloadOnHangup(s.log)()
	defer background(
		ctx, s.measureStore, s.watchInstances, s.providers.coops.Run, s.providers.nws.Run,
		s.updateStations, s.hooks.run, s.watchPlans, s.verify,
		s.job("sweep", s.sweep), s.job("uptime", s.uptime.Run), s.job("monitor", s.watchComponents),
	)()
	stop, err := s.openAdmin(ctx)
	if err != nil {
		return err
	}
	defer stop()
	link, err := s.announce(ctx)
	if err != nil {
		return err
	}
	defer s.openLink(ctx, link)()
	defer context.AfterFunc(ctx, func() { s.notify("STOPPING=1") })()
	s.notify("READY=1\nSTATUS=serving " + s.base)
	return s.serve(ctx)
}

// Serve is Run without the background work: no admin socket, no provider requests except on
// behalf of callers, no removal of expired records.
func (s *Server) Serve(ctx context.Context) error {
	return errors.Join(s.serve(ctx), s.Close())
}

// serve serves until ctx ends and running requests have finished.
func (s *Server) serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.ready.Drain)()
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	wait := s.storage.watch(watching, s.changed)
	defer wait()
	defer stop()
	return s.listeners.serve(ctx, s.public, s.operator, s.c.Settings.DrainWait, s.log)
}

// warn logs settings that are allowed but rarely intended.
func (s *Server) warn(ctx context.Context) error {
	if c := s.c.Settings; !c.Offline && c.Contact == "" {
		s.log.Warn("--contact is not set: NWS asks its clients for an e-mail address or a website")
	}
	if private := s.c.Settings.WebhookPrivate; len(private) > 0 {
		s.log.Warn("accounts may send events to private networks: --webhook-private", "networks", private)
	}
	if !accounts.CanSignIn(s.base) {
		s.log.Warn("nobody can sign in, and /pro/mcp takes API keys only: --base-url is neither https "+
			"nor this computer", "base", s.base)
	}
	return s.storage.warn(ctx, s.c.Settings, s.log)
}

// measureStore measures the round trip to the store and warns of a slow one.
func (s *Server) measureStore(ctx context.Context) {
	s.storage.warnSlow(ctx, s.c.Settings.StoreTimeout, s.log)
}

// announce prints the addresses of the endpoints, prints the invitation link of the first account,
// and writes the port file. It returns the link, "" for none.
func (s *Server) announce(ctx context.Context) (link string, err error) {
	fmt.Fprintf(s.c.Stderr, "leadline %s is ready\n\n", s.c.Version)
	fmt.Fprintf(s.c.Stderr, "  pages    %s/\n", s.base)
	fmt.Fprintf(s.c.Stderr, "  MCP      %s/mcp\n", s.base)
	if accounts.CanSignIn(s.base) {
		fmt.Fprintf(s.c.Stderr, "           %s/pro/mcp, for clients that sign in\n", s.base)
		fmt.Fprintf(s.c.Stderr, "  account  %s/account\n", s.base)
	}
	fmt.Fprintf(s.c.Stderr, "  REST     %[1]s/api/v1, described by %[1]s/openapi.json\n", s.base)
	if s.listeners.operator != nil {
		fmt.Fprintf(s.c.Stderr, "  metrics  http://%s/metrics\n", s.listeners.operator.Addr())
	}
	if s.hooks.dispatcher == nil {
		fmt.Fprintf(s.c.Stderr, "  webhooks off: events are stored and not sent\n")
	}
	fmt.Fprintln(s.c.Stderr)
	if link, err = s.invite(ctx); err != nil {
		return "", err
	}
	return link, writePort(s.c.Settings.PortFile, s.Addr().(*net.TCPAddr).Port)
}

// writePort writes the port to a file for programs that started the server. If no file is
// configured, it does nothing.
func writePort(file string, port int) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(port)+"\n"), 0o644); err != nil {
		return fmt.Errorf("write the port: %w", err)
	}
	return nil
}

// updateStations keeps the constants of stations up to date until ctx ends.
func (s *Server) updateStations(ctx context.Context) {
	s.set.Overlay.Run(ctx) // the error is that of ctx
}

// watchComponents announces when components stop and start working until ctx ends.
func (s *Server) watchComponents(ctx context.Context) {
	s.monitor.Run(ctx) // the error is that of ctx
}

// watchPlans evaluates watches until ctx ends.
func (s *Server) watchPlans(ctx context.Context) {
	if s.scheduler != nil {
		s.scheduler.Run(ctx) // the error is that of ctx
	}
}

// invite prints the single-use link that creates the first account, and returns it. If there are
// accounts and none has a password, it prints how to set one.
func (s *Server) invite(ctx context.Context) (string, error) {
	if !accounts.CanSignIn(s.base) {
		return "", nil
	}
	link, ok, err := s.accounts.OwnerLink(ctx)
	if err != nil {
		return "", err
	}
	if ok {
		fmt.Fprintf(s.c.Stderr, "No account exists yet. This single-use link creates yours within %.0f "+
			"hours:\n\n  %s\n\n", accounts.LinkLife.Hours(), link.URL)
		return link.URL, nil
	}
	if s.c.Settings.OIDCIssuer != "" {
		return "", nil
	}
	email, err := s.accounts.WithoutPassword(ctx)
	if err == nil && email != "" {
		fmt.Fprintf(s.c.Stderr, "No account can sign in yet. To set a password, run: leadline accounts "+
			"reset %s\n\n", email)
	}
	return "", err
}

// openAdmin serves the administrative API on the admin socket until stop is called. If the
// socket cannot be created, the server works without it. It returns an error if another server uses
// the data folder, which the store does not prevent if it is a database.
func (s *Server) openAdmin(ctx context.Context) (stop func(), err error) {
	folder := s.c.Settings.Data
	l, err := admin.Listen(folder)
	if errors.Is(err, admin.ErrRunning) {
		return nil, fmt.Errorf("%w %s: choose another with --data", err, folder)
	}
	if err != nil {
		s.log.Warn("while this server runs, commands that need the store cannot be used", "error", err)
		return func() {}, nil
	}
	if s.c.Settings.Shared() {
		if err := markShared(folder); err != nil {
			s.log.Warn("commands without --store may create a store in the data folder", "error", err)
		}
	}
	return background(context.WithoutCancel(ctx), func(ctx context.Context) {
		if err := admin.Serve(ctx, l, s.admin, s.log); err != nil {
			s.log.Error("serving the admin socket", "error", err)
		}
	}), nil
}

// background runs jobs until stop is called. stop waits for them to end.
func background(ctx context.Context, jobs ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, job := range jobs {
		running.Go(func() { job(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}
