package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"leadline/internal/access/limit"
	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/fleet"
	"leadline/store"
)

// join enrolls this process as an instance of the store.
func join(ctx context.Context, c Config, s *Storage, log *slog.Logger) (*fleet.Member, error) {
	settings := fleet.Config{
		Store: s.Store, Name: instanceName(c.Settings), Version: c.Version, Log: log,
		NewID: func() string { return edge.NewID(c.Now()) },
	}
	if c.Settings.Shared() {
		settings.Now = c.Clock
	}
	return fleet.Join(ctx, settings)
}

// sharedLimits returns the instances that share the rate limits of accounts, or nil if this one
// counts alone.
func sharedLimits(c *config.Config, m *fleet.Member) limit.Fleet {
	if !c.Shared() || c.RateLimits == config.RateLimitsLocal {
		return nil
	}
	return m
}

// behind returns the function that measures how long changes of the store may not have been
// reported, or nil if all are.
func (s *Storage) behind() func() time.Duration {
	if feed, ok := s.feed.(store.RemoteFeed); ok {
		return feed.Behind
	}
	return nil
}

// providerShare returns the function that counts the instances that divide the request rates to
// the providers.
func providerShare(c *config.Config, m *fleet.Member) func() int {
	if n := c.ProviderShare; n > 0 {
		return func() int { return n }
	}
	return m.Live
}

// heartbeatFresh is the age from which on the last heartbeat says that the store cannot be written.
const heartbeatFresh = 6 * time.Second

// writable returns the function that reports whether the store can be written.
func writable(c *config.Config, s *Storage, m *fleet.Member) func(context.Context) error {
	if !c.Shared() {
		return s.Store.Ready
	}
	return func(context.Context) error {
		if silent := m.Silent(); silent >= heartbeatFresh {
			return fmt.Errorf("no heartbeat of this instance for %v", silent.Round(time.Second))
		}
		return nil
	}
}

// job returns a function that runs a job on one of the instances of the store at a time.
func (s *Server) job(name string, run func(context.Context)) func(context.Context) {
	if !s.c.Settings.Shared() {
		return run
	}
	return s.member.Job(name, run)
}

// watchInstances logs which instances are live when that changes, until ctx ends.
func (s *Server) watchInstances(ctx context.Context) {
	if !s.c.Settings.Shared() {
		return
	}
	ticker := time.NewTicker(heartbeatFresh / 3)
	defer ticker.Stop()
	for known := []string(nil); ; {
		if live := instanceNames(s.member); !slices.Equal(live, known) {
			s.log.Info("live instances of the store", "instances", live)
			known = live
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// instanceNames returns the names of the live instances.
func instanceNames(m *fleet.Member) []string {
	names := []string{}
	for _, i := range m.Instances() {
		names = append(names, i.Name)
	}
	return names
}
