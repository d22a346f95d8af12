package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/accounts"
	"leadline/internal/admin"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/decide"
	"leadline/internal/edge"
	"leadline/internal/events"
	"leadline/internal/fleet"
	"leadline/internal/metrics"
	"leadline/internal/overlay"
	"leadline/internal/page"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/internal/web"
	"leadline/internal/web/account"
	"leadline/mcp"
	"leadline/prompts"
	"leadline/resources"
	"leadline/rest"
	"leadline/store"
	"leadline/tools"
)

// Build opens the data folder and the addresses and wires all parts. Errors name the invalid
// setting. It does not start a goroutine or serve anything yet.
func Build(ctx context.Context, c Config) (*Server, error) {
	c = c.withDefaults()
	log := NewLogger(c.Settings, c.Stderr)
	b := &builder{
		Config: c, log: log, meters: newMeters(c.Settings), writes: status.NewWrites(c.Now, log),
	}
	s, err := b.build(ctx)
	if err != nil {
		return nil, errors.Join(err, b.opened.close())
	}
	return s, nil
}

// builder holds what the parts share while they are built.
type builder struct {
	Config
	log    *slog.Logger
	meters *metrics.Metrics // nil without an operator address
	writes *status.Writes   // to the store
	opened closers
}

func (b *builder) onClose(f func() error) { b.opened = append(b.opened, f) }

// build opens the files and addresses that another process may use, and wires the rest.
func (b *builder) build(ctx context.Context) (*Server, error) {
	c := b.Settings
	storage, err := openStorage(ctx, b.Config, observers{b.observeCommit, b.meters.Posted}, b.log)
	if err != nil {
		return nil, err
	}
	b.onClose(storage.Close)
	member, err := join(ctx, b.Config, storage, b.log)
	if err != nil {
		return nil, err
	}
	b.onClose(member.Leave)
	up, err := newProviders(b.Config, b.log, b.meters, providerShare(c, member))
	if err != nil {
		return nil, err
	}
	b.onClose(up.close)
	listeners, err := listen(c, noteRefused(b.log, b.meters))
	if err != nil {
		return nil, err
	}
	b.onClose(listeners.close)
	base := baseURL(c.BaseURL, listeners.scheme(), listeners.public.Addr().(*net.TCPAddr), b.log)
	return b.wire(ctx, base, storage, member, up, listeners)
}

// observeCommit counts a commit of the store and records its failure. A commit without writes
// is a failed read.
func (b *builder) observeCommit(writes int, took time.Duration, err error) {
	b.meters.Commit(writes, took, err)
	if writes > 0 && err != nil {
		b.writes.Failed(err)
	}
}

// wire creates the parts that hold neither files nor addresses.
func (b *builder) wire(
	ctx context.Context, base string, storage *Storage, member *fleet.Member, up providers,
	listeners *listeners,
) (*Server, error) {
	groups, err := readGroups(b.Settings.SharedClients)
	if err != nil {
		return nil, err
	}
	seen := credential.NewSeen(storage.Store, b.log)
	b.onClose(seen.Close)
	directory, err := openDirectory()
	if err != nil {
		return nil, err
	}
	site := page.Site{
		Version: b.Version, DataBuilt: directory.Built().Format(time.DateOnly),
		Accounts: accounts.CanSignIn(base),
	}
	in, err := newSignIn(ctx, b.Config, base, site, storage, seen, b.log)
	if err != nil {
		return nil, err
	}
	ready := status.NewReadiness(status.ReadinessConfig{
		Write: writable(b.Settings, storage, member), Shared: b.Settings.Shared(), Live: member.Live,
		Writes: b.writes, Stations: len(directory.All("")), Now: b.Now,
	})
	parts := newComponents(up, ready, b.Now)
	client, err := newSender(b.Config, base, listeners.addresses(), b.log)
	if err != nil {
		return nil, err
	}
	hooks := newWebhooks(b.Config, base, client, storage, directory, member.ID(), up.down, b.meters,
		b.log)
	gate := b.newGate(base, storage, member, groups, in, seen, hooks.outbox)
	b.onClose(hooks.close)
	b.onClose(gate.Close)
	people := storage.accounts(b.Config, gate.Months, func() (string, error) { return base, nil })
	uptime := status.NewUptime(status.UptimeConfig{
		Store: storage.Store, Now: b.Now, Log: b.log, Components: parts.known,
	})
	monitor := status.NewMonitor(status.MonitorConfig{
		Store: storage.Store, Components: parts.health, Event: hooks.component, Now: b.Now, Log: b.log,
		Every: b.Monitor,
	})
	notices := &status.Notices{
		Store: storage.Store, Now: b.Now, Announce: hooks.outbox.Announce,
	}
	set := newTools(b.Config, b.log, directory, up, storage.Plans, tools.Config{
		Accounts: people, Notices: publicNotices(notices), Webhooks: hooks.endpoints,
		Outbox: hooks.outbox, Watches: hooks.watches, Probes: parts.health,
		Verified: verified(b.Config, storage),
	})
	endpoint, err := newMCP(b.Config, base, set, gate, b.log, b.meters.Call)
	if err != nil {
		return nil, err
	}
	pages, err := b.newWeb(base, site, set, storage, notices, gate.Count)
	if err != nil {
		return nil, err
	}
	routes := &routes{
		base: base, version: b.Version, challenge: b.Settings.OpenAIChallenge,
		mcp: endpoint, signIn: in, pages: in.pages(people),
		api: rest.New(set, gate, b.log), gate: gate,
		web: pages,
		account: account.New(account.Config{
			Set: set, Sessions: in.sessions, Gate: gate, Site: site, Base: base,
			Public: web.IsPublic(base), Now: b.Now, Log: b.log,
			Delivers:  hooks.dispatcher != nil,
			Watches:   hooks.dispatcher != nil && !b.Settings.Offline,
			PerMinute: perMinute(storage.Plans),
		}),
		load:  b.newLoad(),
		ready: ready, parts: parts, log: b.log, meters: b.meters,
	}
	changed := func(list []store.Change) {
		storage.Keys.Invalidate(list)
		gate.Invalidate(list)
		in.invalidate(list)
		hooks.posted(list)
	}
	return &Server{
		c: b.Config, log: b.log, base: base, listeners: listeners, public: routes.handler(),
		operator: b.operatorHandler(directory, up, storage, member, gate, hooks),
		admin: admin.New(admin.Config{
			Accounts: people, Notices: notices, Store: storage.Store, Now: b.Now, Log: b.log,
			Health:   health(b.Version, base, hooks.dispatcher == nil, set, member, ready),
			Refresh:  refresh(set.Overlay, up, refreshServing),
			Webhooks: hooks.endpoints, Watches: hooks.watches,
		}),
		storage: storage, member: member, accounts: people, changed: changed, providers: up, set: set,
		ready: ready, hooks: hooks,
		scheduler: newScheduler(b.Config, hooks, member.ID(), set.Decisions.Judge, gate, b.meters, b.log),
		verifier:  newVerifier(b.Config, set, storage, b.log),
		uptime:    uptime, monitor: monitor, close: sync.OnceValue(b.opened.close),
	}, nil
}

// publicNotices returns the function that lists the notices on the status page.
func publicNotices(
	n *status.Notices,
) func(context.Context, status.Kind) ([]status.Incident, error) {
	return func(ctx context.Context, kind status.Kind) ([]status.Incident, error) {
		list, err := n.List(ctx, kind, false)
		return status.Public(list), err
	}
}

// newLoad creates the limit on requests in progress.
func (b *builder) newLoad() *edge.Load {
	most := cmp.Or(b.Settings.MaxInFlight, edge.DefaultInFlight)
	return edge.NewLoad(edge.LoadConfig{
		InFlight: most, Bodies: edge.BodyBudget, Responses: edge.ResponseBudget,
	}, time.Now)
}

// newGate creates the gate for all requests.
func (b *builder) newGate(
	base string, s *Storage, m *fleet.Member, groups limit.Groups, in signIn, seen *credential.Seen,
	outbox *events.Outbox,
) *access.Gate {
	return access.New(access.Config{
		Store: s.Store, StoreTimeout: b.Settings.StoreTimeout, Keys: s.Keys, Plans: s.Plans,
		Groups: groups, Proxies: b.Settings.TrustedProxies,
		Secure: isSecure(base), Token: in.token, Seen: seen, Now: b.Now, AppendID: edge.AppendID,
		Log: b.log, Fleet: sharedLimits(b.Settings, m), Behind: s.behind(),
		Refilled: func(units uint64, err error) {
			b.meters.Refill(units, err)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // the account was removed
				b.writes.Failed(err)
			}
		},
		Notices: outbox.QuotaNotices, Exceeded: outbox.QuotaExceeded,
	})
}

// operatorHandler returns the handler of the operator's address, or nil if there is none.
func (b *builder) operatorHandler(
	d *stations.Directory, up providers, s *Storage, m *fleet.Member, gate *access.Gate,
	hooks *webhooks,
) http.Handler {
	if b.meters == nil {
		return nil
	}
	b.meters.Build(b.Version, d.Built().Format(time.DateOnly))
	b.meters.Breaker(coast.COOPS, func() string { return up.coops.Health().Breaker })
	b.meters.Breaker(coast.NWS, func() string { return up.nws.Health().Breaker })
	b.meters.Leased(gate.Leased)
	b.meters.Instances(m.Live, m.Difference, s.behind())
	b.meters.Webhooks(hooks.backlog(s.Store, b.Now))
	return newOperator(b.meters.Handler(), backupHandler(s.Store, b.log))
}

// newMeters returns the metrics, or nil if there is no operator address at which to read them.
func newMeters(c *config.Config) *metrics.Metrics {
	if c.AdminListen == "" {
		return nil
	}
	var names []string
	for _, set := range new(tools.Set).Toolsets() {
		for _, t := range set.Tools {
			names = append(names, t.Name)
		}
	}
	return metrics.New(append(rest.Routes(), mcpPath, proPath), names)
}

func openDirectory() (*stations.Directory, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("open the station directory: %w", err)
	}
	return directory, nil
}

// newTools creates the operations. t has the parts that only a server has.
func newTools(
	c Config, log *slog.Logger, d *stations.Directory, up providers, plans access.Plans,
	t tools.Config,
) *tools.Set {
	t.Stations, t.NOAA, t.NWS, t.Now, t.NewID = d, up.water, up.weather, c.Now, edge.NewID
	t.Overlay = overlay.New(overlay.Config{Stations: d, Water: up.water, Now: c.Now, Log: log})
	t.Topics = resources.New(resources.Facts{
		Decisions: decide.Page(), Limits: plans.Table(), DataBuilt: d.Built().Format(time.DateOnly),
	})
	return tools.New(t)
}

// newMCP creates the MCP endpoint. Without a gate, requests are neither limited nor counted.
func newMCP(
	c Config, base string, set *tools.Set, gate *access.Gate, log *slog.Logger,
	observe func(tool, outcome string, took time.Duration),
) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Version: c.Version, BaseURL: base,
		AllowHosts: c.Settings.AllowHosts, AllowOrigins: c.Settings.AllowOrigins,
		Toolsets: set.Toolsets(), Offer: c.Settings.Toolsets, Topics: set.Topics,
		AppDomain: c.Settings.AppDomain,
		Prompts:   prompts.All(),
		Complete:  set.Directory.CompleteStation, Card: set.Directory.StationCard,
		Gate: gate, Log: log, Observe: observe,
	})
}

// newWeb creates the pages.
func (b *builder) newWeb(
	base string, site page.Site, set *tools.Set, s *Storage, notices *status.Notices,
	count func(context.Context) error,
) (*web.Server, error) {
	var texts web.Texts
	if folder := b.Settings.Pages; folder != "" {
		var err error
		if texts, err = web.ReadTexts(folder); err != nil {
			return nil, fmt.Errorf("invalid --pages %q: %w", folder, err)
		}
	}
	return web.New(web.Config{
		Settings: web.Settings{
			Set: set, Base: base, Site: site, Offline: b.Settings.Offline, Now: b.Now, Log: b.log,
			Patience: b.Patience,
		},
		Count: count, SignUp: site.Accounts && b.Settings.Signup == config.SignupOpen,
		PerMinute: perMinute(s.Plans), Documents: openAPI,
		Past:    func(ctx context.Context) (status.Past, error) { return notices.Past(ctx, s.Store) },
		Contact: b.Settings.Contact, Texts: texts, Verified: set.Verified,
	}), nil
}

// openAPI returns the OpenAPI documents in the order of help.
func openAPI() (list [][]byte, err error) {
	for _, name := range rest.DocumentNames() {
		document, err := rest.OpenAPI(name)
		if err != nil {
			return nil, err
		}
		list = append(list, document)
	}
	return list, nil
}

// perMinute returns the rate limit of callers without a credential.
func perMinute(plans access.Plans) int {
	anonymous, _ := plans.Of(access.Anonymous) // every server has this plan
	return anonymous.PerMinute
}

func isSecure(base string) bool { return strings.HasPrefix(base, "https:") }
