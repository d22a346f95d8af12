package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"leadline/internal/access"
	"leadline/internal/admin"
	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/rest"
	"leadline/tools"
)

// DocumentNames returns the names of the OpenAPI documents.
func DocumentNames() []string { return rest.DocumentNames() }

// OpenAPI returns the OpenAPI document of a name as indented JSON, without a server.
func OpenAPI(name string) ([]byte, error) { return rest.OpenAPI(name) }

// Serve tunes the process for a server, builds it and runs it until ctx ends.
func Serve(ctx context.Context, c Config) error {
	TuneCollector(ctx)
	s, err := Build(ctx, c)
	if err != nil {
		return err
	}
	return s.Run(ctx)
}

// ServeStdio serves MCP on in and out until in ends. It stores nothing on disk, listens on
// no address, and neither limits nor counts requests.
func ServeStdio(ctx context.Context, c Config, in io.Reader, out io.Writer) error {
	c = c.withDefaults()
	settings := *c.Settings
	settings.Data, settings.Plans = "", "" // nothing is stored, and there are no plans
	c.Settings = &settings
	log := NewLogger(c.Settings, c.Stderr)
	live, err := OpenLive(c)
	if err != nil {
		return err
	}
	defer live.Close()
	endpoint, err := newMCP(c, "", live.Set, nil, log, nil)
	if err != nil {
		return err
	}
	return endpoint.ServeStdio(access.With(ctx, access.Caller{Tier: access.Local}), in, out)
}

// Offline returns the operations without providers, for commands that need only embedded data.
func Offline(now func() time.Time) (*tools.Set, error) {
	c := Config{Settings: &config.Config{Offline: true}, Now: now}.withDefaults()
	live, err := openLive(c, access.BuiltIn(), slog.New(slog.DiscardHandler))
	return live.Set, err
}

// Live is the operations with their providers, without a server.
type Live struct {
	Set       *tools.Set
	providers providers
}

// OpenLive creates the operations for a command that calls providers. Their cache is in the
// data folder if the settings name one.
func OpenLive(c Config) (Live, error) {
	c = c.withDefaults()
	plans, err := readPlans(c.Settings.Plans)
	if err != nil {
		return Live{}, err
	}
	return openLive(c, plans, NewLogger(c.Settings, c.Stderr))
}

func openLive(c Config, plans access.Plans, log *slog.Logger) (Live, error) {
	up, err := newProviders(c, log, nil, nil)
	if err != nil {
		return Live{}, err
	}
	directory, err := openDirectory()
	if err != nil {
		return Live{}, err
	}
	set := newTools(c, log, directory, up, plans, tools.Config{Probes: up.components})
	return Live{set, up}, nil
}

// Close ends requests to the providers and waits for them.
func (l Live) Close() { l.providers.close() }

// likelyURL returns the scheme and host that clients would see if a server were started with
// the settings.
func likelyURL(c *config.Config) (string, error) {
	scheme := "http"
	if c.TLSCert+c.ACMEDomain != "" {
		scheme = "https"
	}
	at, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return "", fmt.Errorf("invalid --listen %q: %w", c.Listen, err)
	}
	if at.Port == 0 && c.BaseURL == "" {
		return "", fmt.Errorf("invalid --listen %q for a link: the port is not known before the server "+
			"runs; set --base-url, or run the command while the server runs", c.Listen)
	}
	if at.IP == nil { // :8080
		at.IP = net.IPv4zero
	}
	return baseURL(c.BaseURL, scheme, at, slog.New(slog.DiscardHandler)), nil
}

// OpenAdmin opens the data folder for a command and returns the administrative API, which
// works on the store without a server, and a function that closes the store. It creates the
// folder and the store if there are none. If another process has the store open, the error
// wraps store.ErrInUse.
func OpenAdmin(ctx context.Context, c Config) (http.Handler, func() error, error) {
	c = c.withDefaults()
	storage, err := openStorage(ctx, c, observers{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	hooks, err := idleWebhooks(c, storage)
	if err != nil {
		return nil, nil, errors.Join(err, storage.Close())
	}
	return admin.New(admin.Config{
		Accounts: storage.accounts(c, storage.Store.Months, func() (string, error) {
			return likelyURL(c.Settings)
		}),
		Notices: &status.Notices{
			Store: storage.Store, Now: c.Now, Announce: hooks.outbox.Announce,
		},
		Webhooks: hooks.endpoints, Watches: hooks.watches,
		Store: storage.Store, Now: c.Now, Log: slog.New(slog.DiscardHandler),
		Health: func(context.Context) admin.Health {
			return admin.Health{
				Version: c.Version, Status: status.Operational, WebhooksOff: hooks.dispatcher == nil,
			}
		},
		Refresh: func(ctx context.Context, ids []string) (overlay.Report, error) {
			live, err := OpenLive(c)
			if err != nil {
				return overlay.Report{}, err
			}
			defer live.Close()
			return refresh(live.Set.Overlay, live.providers, refreshAlone)(ctx, ids)
		},
	}), storage.Close, nil
}

// idleWebhooks returns the parts that make events, for a command without a server. They deliver
// nothing: a server does that when it runs next.
func idleWebhooks(c Config, s *Storage) (*webhooks, error) {
	base, err := likelyURL(c.Settings)
	if err != nil {
		base = "" // unknown: events link to the status page by its path
	}
	directory, err := openDirectory()
	if err != nil {
		return nil, err
	}
	client, err := newSender(c, base, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	running := func() string { return "" }
	return newWebhooks(c, base, client, s, directory, edge.NewID(c.Now()), running, nil,
		slog.New(slog.DiscardHandler)), nil
}
