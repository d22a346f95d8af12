package server

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"os"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/events"
	"leadline/internal/events/dispatch"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/sender"
	"leadline/internal/events/watches"
	"leadline/internal/metrics"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/store"
)

// statusPath is the page about the state of the service, to which events link: people read them.
const statusPath = "/status"

// webhooks holds the parts that make events and deliver them.
type webhooks struct {
	outbox     *events.Outbox
	endpoints  *endpoints.Service
	watches    *watches.Service
	dispatcher *dispatch.Dispatcher // nil with --webhooks off
	sender     *sender.Sender
}

// newWebhooks creates the parts that make events, and the dispatcher. owner is the id of this
// instance, under which it claims deliveries. down returns the name of
// a provider that does not respond, or "".
func newWebhooks(
	c Config, base string, client *sender.Sender, s *Storage, d *stations.Directory, owner string,
	down func() string, m *metrics.Metrics, log *slog.Logger,
) *webhooks {
	w := &webhooks{sender: client}
	w.outbox = events.NewOutbox(events.OutboxConfig{
		Store: s.Store, StatusURL: base + statusPath, Now: c.Now, Log: log,
		Unposted: func(kind events.Kind) { m.Unposted(string(kind)) },
	})
	off := c.Settings.Webhooks == config.WebhooksOff
	w.endpoints = endpoints.New(endpoints.Config{
		Store: s.Store, Plans: s.Plans, Sealer: s.sealer, Outbox: w.outbox, Off: off, Now: c.Now,
		CheckURL: client.CheckURL,
	})
	w.watches = watches.New(watches.Config{
		Store: s.Store, Plans: s.Plans, Outbox: w.outbox, Off: off || c.Settings.Offline, Now: c.Now,
		Down: down, Zone: zoneIn(d),
	})
	if !off {
		w.dispatcher = dispatch.New(dispatch.Config{
			Store: s.Store, Owner: owner, Seed: rand.Uint64(), Send: client.Send,
			Open: s.sealer.Open, Now: c.Now, Log: log,
			Observe: func(outcome sender.Outcome, took, lag time.Duration) {
				m.Attempt(string(outcome), took, lag)
			},
		})
	}
	return w
}

// zoneIn returns a function that finds the civil zone of a station, nil for one that is not known.
func zoneIn(d *stations.Directory) func(id string) *time.Location {
	return func(id string) *time.Location {
		st, known := d.Station(id)
		if !known {
			return nil
		}
		zone, err := time.LoadLocation(st.Zone)
		if err != nil {
			return nil
		}
		return zone
	}
}

// newSender creates the client of webhook endpoints of a server that listens on some addresses.
func newSender(
	c Config, base string, listens []netip.AddrPort, log *slog.Logger,
) (*sender.Sender, error) {
	proxy, err := sender.ParseProxy(c.Settings.WebhookProxy)
	if err != nil {
		return nil, fmt.Errorf("invalid --webhook-proxy: %w", err)
	}
	var roots []byte
	if file := c.Settings.WebhookRoots; file != "" {
		if roots, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read --webhook-roots: %w", err)
		}
	}
	client, err := sender.New(sender.Config{
		Private: c.Settings.WebhookPrivate, Hosts: ownHosts(c.Settings, base), Listens: listens,
		Proxy: proxy, Roots: roots, Version: c.Version, Now: c.Now, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("invalid --webhook-roots %q: %w", c.Settings.WebhookRoots, err)
	}
	return client, nil
}

// ownHosts returns the hosts of this server: that of its URL with its port, if it has one. Other
// addresses are left out: networks decide about them.
func ownHosts(c *config.Config, base string) (hosts []string) {
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		hosts = append(hosts, u.Host)
	}
	for _, host := range append([]string{c.ACMEDomain}, c.AllowHosts...) {
		if _, err := netip.ParseAddr(host); err != nil && host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// run delivers events until ctx ends.
func (w *webhooks) run(ctx context.Context) {
	if w.dispatcher != nil {
		w.dispatcher.Run(ctx) // returns nil after ctx has ended
	}
	w.sender.Close()
}

// close waits for events that are being posted.
func (w *webhooks) close() error {
	w.outbox.Wait()
	return nil
}

// posted starts deliveries if one of the changes added some.
func (w *webhooks) posted(changes []store.Change) {
	for _, c := range changes {
		if w.dispatcher != nil && (c.Posted || c == store.Change{}) {
			w.dispatcher.Wake()
		}
	}
}

// newScheduler creates the scheduler of watches, or nil if none are evaluated. owner is the id of
// this instance.
func newScheduler(
	c Config, w *webhooks, owner string, judge watches.Judge, gate *access.Gate, m *metrics.Metrics,
	log *slog.Logger,
) *watches.Scheduler {
	if c.Settings.Offline || c.Settings.Webhooks == config.WebhooksOff {
		return nil
	}
	return watches.NewScheduler(watches.SchedulerConfig{
		Watches: w.watches, Judge: judge, Owner: owner, Log: log, Observe: m.Evaluation,
		Charge: func(ctx context.Context, account string) (func(), error) {
			return gate.Charge(ctx, account, access.DecisionAPI)
		},
	})
}

// backlogTimeout limits how long reading metrics waits for the store.
const backlogTimeout = 2 * time.Second

// backlog returns the function that reads the gauges of deliveries and watches.
func (w *webhooks) backlog(s store.Events, now func() time.Time) func() (metrics.Webhooks, bool) {
	return func() (metrics.Webhooks, bool) {
		ctx, cancel := context.WithTimeout(context.Background(), backlogTimeout)
		defer cancel()
		b, err := s.Backlog(ctx)
		if err != nil {
			return metrics.Webhooks{}, false
		}
		out := metrics.Webhooks{
			Slots: map[string]int{"fast": 0, "slow": 0}, Endpoints: b.Endpoints, Watches: b.Watches,
			Pending: b.Pending,
		}
		if !b.Oldest.IsZero() {
			out.Oldest = max(0, now().Sub(b.Oldest))
		}
		if w.dispatcher != nil {
			out.Slots["fast"], out.Slots["slow"], _ = w.dispatcher.Slots()
			out.ClockDoubted = w.dispatcher.ClockDoubted()
		}
		return out, true
	}
}

// component returns the event of a component whose state has changed.
func (w *webhooks) component(t status.Transition) (store.Event, error) {
	return w.outbox.Component(events.ComponentData{
		Component: coast.ComponentName(t.Component), From: coast.ServiceStatus(t.From),
		To: coast.ServiceStatus(t.To), Since: t.Since,
		Recovered: t.To == status.Operational, DurationSeconds: int(t.Duration.Seconds()),
		Status: coast.ServiceStatus(t.Service), Message: t.Message,
	})
}
