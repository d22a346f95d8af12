package main

import (
	"context"
	"os"

	"leadline/internal/access"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/store"
)

// serverConfig returns the configuration of a server that logs to a command's streams.
func serverConfig(c *config.Config, s streams) server.Config {
	return server.Config{Settings: c, Version: version, Stderr: s.err}
}

// serve runs a server until ctx ends.
func serve(ctx context.Context, c *config.Config, _ []string, s streams) error {
	all := serverConfig(c, s)
	all.Admin = openCounter
	return server.Serve(ctx, all)
}

// openCounter takes orders for a server.
func openCounter(s *server.Server, c server.Config) (stop func()) {
	k := newKeep(s.Storage())
	k.months = s.Months
	orders := &counter{&desk{
		keep: k, config: c.Settings, now: c.Now, base: s.URL(), set: s.Tools(), save: s.SaveProviders,
	}, verbs(), server.NewLogger(c.Settings, c.Stderr)}
	return orders.open(c.Settings.Data)
}

// stdio serves MCP over standard input and output.
func stdio(ctx context.Context, c *config.Config, _ []string, s streams) error {
	return server.ServeStdio(ctx, serverConfig(c, s), s.in, s.out)
}

// keep is the store with its keys and plans.
type keep struct {
	storage *server.Storage
	store   store.Store
	keys    *access.Keys
	plans   access.Plans
	months  func(context.Context, string) ([]access.Used, error) // nil where nothing is served
}

func newKeep(s *server.Storage) *keep {
	return &keep{storage: s, store: s.Store, keys: s.Keys, plans: s.Plans}
}

func (k *keep) close() error { return k.storage.Close() }

// openKeep opens the store in the data folder.
func openKeep(ctx context.Context, c *config.Config) (*keep, error) {
	s, err := server.OpenStorage(ctx, server.Config{Settings: c})
	if err != nil {
		return nil, err
	}
	return newKeep(s), nil
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
