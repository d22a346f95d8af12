// Package server builds and runs the service. What comes in are the settings; what
// goes out is one finished Server, which serves MCP, REST and the sign-in pages on the
// public address, metrics and profiles on the operator's address, and administrative
// commands on the admin socket, until its context ends. It is the only package that
// wires the parts together and that names a storage engine. It decides nothing about
// the coast: operations are in package tools.
//
//	build.go      Config and Build: the parts in the order in which they need each other
//	run.go        Run: serving, background work, draining
//	routes.go     the table of routes and the middleware around it
//	listen.go     addresses and connection limits; tls.go certificates
//	operator.go   what the operator's address serves
//	providers.go  clients of the providers
//	signin.go     the authorization server and the first account's invitation link
//	storage.go    the data folder: store, keys and plans; pepper.go the pepper file
//	admin.go      the administrative API, on the admin socket and in the process of a command
//	commands.go   what other commands need without a server
//	log.go        logger; memory.go garbage collector
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"

	"leadline/internal/access"
	"leadline/internal/accounts"
	"leadline/internal/status"
	"leadline/tools"
)

// Server is the whole service, built. Run or Close releases what it holds.
type Server struct {
	c         Config
	log       *slog.Logger
	base      string
	listeners *listeners
	public    http.Handler
	operator  http.Handler // nil without an operator address
	admin     http.Handler // of the admin socket
	storage   *Storage
	accounts  *accounts.Service
	forget    func() // drops remembered credentials
	gate      *access.Gate
	providers providers
	set       *tools.Set
	ready     *status.Readiness
	close     func() error
}

// URL returns the scheme and host that clients see.
func (s *Server) URL() string { return s.base }

// Addr returns the public address.
func (s *Server) Addr() net.Addr { return s.listeners.public.Addr() }

// Handler returns the handler of the public address.
func (s *Server) Handler() http.Handler { return s.public }

// Operator returns the handler of the operator's address, nil if there is none.
func (s *Server) Operator() http.Handler { return s.operator }

// Storage returns the store with its keys and plans.
func (s *Server) Storage() *Storage { return s.storage }

// Tools returns the operations that are served.
func (s *Server) Tools() *tools.Set { return s.set }

// Months returns what the months of an account have used, units included that this server
// has reserved and not yet spent.
func (s *Server) Months(ctx context.Context, account string) ([]access.Used, error) {
	return s.gate.Months(ctx, account)
}

// SaveProviders writes the cache of the tide service to the data folder.
func (s *Server) SaveProviders() error { return s.providers.coops.Save() }

// Close releases the addresses, the providers and the store, in this order. Run does it
// too; later calls return the result of the first.
func (s *Server) Close() error { return s.close() }

// closers are the functions that release what was built, in the order of building.
type closers []func() error

// close calls the functions in reverse order.
func (c closers) close() error {
	var errs []error
	for _, f := range slices.Backward(c) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// background runs jobs until stop is called, which waits for them.
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
