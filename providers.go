package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/metrics"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/status"
	"leadline/internal/upstream"
	"leadline/tools"
)

// providers are the services that Leadline asks for what it cannot compute.
type providers struct {
	coops, nws *upstream.Client
	water      *noaa.Client
	weather    *nws.Client
	log        *slog.Logger
}

// noProviders are for commands that compute all that they say.
func noProviders(now func() time.Time) (providers, error) {
	return newProviders(&config.Config{Offline: true}, now, slog.New(slog.DiscardHandler), nil)
}

// newProviders makes the clients. What they keep between runs lies in the
// data folder, where there is one.
func newProviders(c *config.Config, now func() time.Time, log *slog.Logger, m *metrics.Metrics) (p providers, err error) {
	folder, err := dataFolder(c.Data)
	if err != nil {
		return p, err
	}
	if p.coops, err = newUpstream(c, log, m, coast.COOPS, folder, "noaa-coops.cache"); err != nil {
		return p, err
	}
	if p.nws, err = newUpstream(c, log, m, coast.NWS, folder, "nws.cache"); err != nil {
		return p, err
	}
	p.water, p.weather, p.log = noaa.New(c.COOPSURL, p.coops, now), nws.New(c.NWSURL, p.nws), log
	return p, nil
}

// newLiveSet builds what the operations work with, and the providers' clients
// that they ask.
func newLiveSet(c *config.Config, plans access.Plans, log *slog.Logger, m *metrics.Metrics) (*tools.Set, providers, error) {
	up, err := newProviders(c, time.Now, log, m)
	if err != nil {
		return nil, up, err
	}
	set, err := newSet(up, plans, time.Now)
	return set, up, err
}

// dataFolder makes the folder for what is kept; none where none is named.
func dataFolder(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return "", fmt.Errorf("making the data folder: %w; -data names another", err)
	}
	return name, nil
}

func newUpstream(c *config.Config, log *slog.Logger, m *metrics.Metrics, provider, folder, file string) (*upstream.Client, error) {
	settings := upstream.Config{Provider: provider, UserAgent: userAgent(c.Contact), Offline: c.Offline, Log: log,
		Caller:  access.CallerKey,
		Observe: func(outcome string, took time.Duration) { m.Upstream(provider, outcome, took) }}
	if folder != "" {
		settings.File = filepath.Join(folder, file)
	}
	client, err := upstream.New(settings)
	if err != nil {
		return nil, fmt.Errorf("making the client of %s: %w", provider, err)
	}
	return client, nil
}

// userAgent names the program and whom to write to, as the weather service asks.
func userAgent(contact string) string {
	if contact == "" {
		return "Leadline/" + version
	}
	return "Leadline/" + version + " (" + contact + ")"
}

// probes are the state of the providers as the status tells it.
func (p providers) probes(context.Context) []status.Component {
	return []status.Component{component("noaa-coops", p.coops.Health()), component("nws", p.nws.Health())}
}

func component(name string, h upstream.Health) status.Component {
	c := status.Component{Name: name, Status: h.Status, Message: h.Message}
	if !h.CheckedAt.IsZero() {
		at, took := h.CheckedAt.UTC().Truncate(time.Second), int(h.Latency/time.Millisecond)
		c.CheckedAt, c.LatencyMs = &at, &took
	}
	return c
}

// follow keeps what was obtained, and the directory up with the metadata
// service, until the function that it returns is called: that one waits until
// all is on disk.
func (p providers) follow(ctx context.Context, set *tools.Set, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.coops.Run(ctx) })
	running.Go(func() { p.nws.Run(ctx) })
	running.Go(func() { set.Overlay.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
		p.close()
	}
}

// close ends the requests under way and waits for them.
func (p providers) close() {
	p.coops.Close()
	p.nws.Close()
}
