package server

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/metrics"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/status"
	"leadline/internal/upstream"
)

// providers holds the clients of the services that Leadline requests data from.
type providers struct {
	coops, nws *upstream.Client
	water      *noaa.Client
	weather    *nws.Client
}

// newProviders creates the clients. Their caches are in the data folder, if there is one. share
// returns the number of instances that divide the request rates; nil: 1.
func newProviders(
	c Config, log *slog.Logger, m *metrics.Metrics, share func() int,
) (p providers, err error) {
	if _, err := createFolder(c.Settings.Data); err != nil {
		return p, err
	}
	if p.coops, err = newUpstream(c, log, m, share, coast.COOPS, "noaa-coops.cache"); err != nil {
		return p, err
	}
	if p.nws, err = newUpstream(c, log, m, share, coast.NWS, "nws.cache"); err != nil {
		return p, err
	}
	p.water = noaa.New(c.Settings.COOPSURL, p.coops, c.Now)
	p.weather = nws.New(c.Settings.NWSURL, p.nws)
	return p, nil
}

func newUpstream(
	c Config, log *slog.Logger, m *metrics.Metrics, share func() int, provider, file string,
) (*upstream.Client, error) {
	u := c.Upstream
	u.Provider, u.UserAgent, u.Offline, u.Log = provider, c.userAgent(), c.Settings.Offline, log
	u.Caller, u.First, u.Share = access.CallerKey, limit.IsAccount, share
	u.Observe = func(outcome string, took time.Duration) { m.Upstream(provider, outcome, took) }
	if folder := c.Settings.Data; folder != "" {
		u.File = filepath.Join(folder, file)
	}
	client, err := upstream.New(u)
	if err != nil {
		return nil, fmt.Errorf("make the client of %s: %w", provider, err)
	}
	return client, nil
}

// components returns the health of the providers for the status.
func (p providers) components(context.Context) []status.Component {
	return []status.Component{
		component(status.COOPSName, p.coops.Health()),
		component(status.NWSName, p.nws.Health()),
	}
}

func component(name string, h upstream.Health) status.Component {
	c := status.Component{
		Name: coast.ComponentName(name), Status: coast.ServiceStatus(h.Status), Message: h.Message,
	}
	if !h.CheckedAt.IsZero() {
		at, took := h.CheckedAt.UTC().Truncate(time.Second), int(h.Latency/time.Millisecond)
		c.CheckedAt, c.LatencyMs = &at, &took
	}
	return c
}

// down returns the name of a provider whose breaker is open, or "".
func (p providers) down() string {
	switch {
	case p.coops.Health().Breaker == breakerOpen:
		return coast.COOPS
	case p.nws.Health().Breaker == breakerOpen:
		return coast.NWS
	}
	return ""
}

// breakerOpen is the state of a breaker that lets no request through.
const breakerOpen = "open"

// close ends running requests and waits for them.
func (p providers) close() error {
	p.coops.Close()
	p.nws.Close()
	return nil
}
