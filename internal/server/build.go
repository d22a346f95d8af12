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

// builder holds what the parts share while they are built: first what other processes may use, then
// who may call, and then what answers.
type builder struct {
	Config
	log    *slog.Logger
	meters *metrics.Metrics // nil without an operator address
	writes *status.Writes   // to the store
	opened closers

	storage   *Storage
	member    *fleet.Member
	up        providers
	listeners *listeners
	base      string
	directory *stations.Directory
	site      page.Site

	signIn  signIn
	hooks   *webhooks
	gate    *access.Gate
	people  *accounts.Service
	ready   *status.Readiness
	parts   components
	notices *status.Notices
	set     *tools.Set
}

func (b *builder) onClose(f func() error) { b.opened = append(b.opened, f) }

// build opens what other processes may use, and wires the parts.
func (b *builder) build(ctx context.Context) (*Server, error) {
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	if err := b.wireCallers(ctx); err != nil {
		return nil, err
	}
	b.wireOperations()
	routes, err := b.wireRoutes()
	if err != nil {
		return nil, err
	}
	return b.server(routes), nil
}

// open opens files and addresses.
func (b *builder) open(ctx context.Context) (err error) {
	c := b.Settings
	b.storage, err = openStorage(ctx, b.Config, observers{b.observeCommit, b.meters.Posted}, b.log)
	if err != nil {
		return err
	}
	b.onClose(b.storage.Close)
	if b.member, err = join(ctx, b.Config, b.storage, b.log); err != nil {
		return err
	}
	b.onClose(b.member.Leave)
	b.up, err = newProviders(b.Config, b.log, b.meters, providerShare(c, b.member))
	if err != nil {
		return err
	}
	b.onClose(b.up.close)
	if b.listeners, err = listen(c, noteRefused(b.log, b.meters)); err != nil {
		return err
	}
	b.onClose(b.listeners.close)
	b.base = baseURL(c.BaseURL, b.listeners.scheme(), b.listeners.public.Addr().(*net.TCPAddr), b.log)
	if b.directory, err = openDirectory(); err != nil {
		return err
	}
	b.site = page.Site{
		Version: b.Version, DataBuilt: b.directory.Built().Format(time.DateOnly),
		Accounts: accounts.CanSignIn(b.base),
	}
	return nil
}

// observeCommit counts a commit of the store and records its failure. A commit without writes
// is a failed read.
func (b *builder) observeCommit(writes int, took time.Duration, err error) {
	b.meters.Commit(writes, took, err)
	if writes > 0 && err != nil {
		b.writes.Failed(err)
	}
}

// wireCallers creates what knows and limits callers, and what they are sent.
func (b *builder) wireCallers(ctx context.Context) error {
	groups, err := readGroups(b.Settings.SharedClients)
	if err != nil {
		return err
	}
	seen := credential.NewSeen(b.storage.Store, b.log)
	b.onClose(seen.Close)
	b.signIn, err = newSignIn(ctx, b.Config, b.base, b.site, b.storage, seen, b.log)
	if err != nil {
		return err
	}
	client, err := newSender(b.Config, b.base, b.listeners.addresses(), b.log)
	if err != nil {
		return err
	}
	b.hooks = newWebhooks(b.Config, b.base, client, b.storage, b.directory, b.member.ID(), b.up.down,
		b.meters, b.log)
	b.gate = b.newGate(groups, seen)
	b.onClose(b.hooks.close)
	b.onClose(b.gate.Close)
	b.people = b.storage.accounts(b.Config, b.gate.Months,
		func() (string, error) { return b.base, nil })
	return nil
}

// wireOperations creates the operations, and what reports the state of the service.
func (b *builder) wireOperations() {
	b.ready = status.NewReadiness(status.ReadinessConfig{
		Write: writable(b.Settings, b.storage, b.member), Shared: b.Settings.Shared(),
		Live: b.member.Live, Writes: b.writes, Stations: len(b.directory.All("")), Now: b.Now,
	})
	b.parts = newComponents(b.up, b.ready, b.Now)
	b.notices = &status.Notices{
		Store: b.storage.Store, Now: b.Now, Announce: b.hooks.outbox.Announce,
	}
	b.set = newTools(b.Config, b.log, b.directory, b.up, b.storage.Plans, tools.Config{
		Accounts: b.people, Notices: publicNotices(b.notices), Webhooks: b.hooks.endpoints,
		Outbox: b.hooks.outbox, Watches: b.hooks.watches, Probes: b.parts.health,
		Verified: verified(b.Config, b.storage),
	})
}

// wireRoutes creates the front ends of the public address.
func (b *builder) wireRoutes() (*routes, error) {
	endpoint, err := newMCP(b.Config, b.base, b.set, b.gate, b.log, b.meters.Call)
	if err != nil {
		return nil, err
	}
	pages, err := b.newWeb()
	if err != nil {
		return nil, err
	}
	return &routes{
		base: b.base, version: b.Version, challenge: b.Settings.OpenAIChallenge,
		mcp: endpoint, signIn: b.signIn, pages: b.signIn.pages(b.people),
		api: rest.New(b.set, b.gate, b.log), gate: b.gate, web: pages,
		account: account.New(account.Config{
			Set: b.set, Sessions: b.signIn.sessions, Gate: b.gate, Site: b.site, Base: b.base,
			Public: web.IsPublic(b.base), Now: b.Now, Log: b.log,
			Delivers:  b.hooks.dispatcher != nil,
			Watches:   b.hooks.dispatcher != nil && !b.Settings.Offline,
			PerMinute: perMinute(b.storage.Plans),
		}),
		load: b.newLoad(), ready: b.ready, parts: b.parts, log: b.log, meters: b.meters,
	}, nil
}

// server returns the server with its jobs, none of which runs yet.
func (b *builder) server(public *routes) *Server {
	return &Server{
		c: b.Config, log: b.log, base: b.base, listeners: b.listeners, public: public.handler(),
		operator: b.operatorHandler(),
		admin: admin.New(admin.Config{
			Accounts: b.people, Notices: b.notices, Store: b.storage.Store, Now: b.Now, Log: b.log,
			Health:   health(b.Version, b.base, b.hooks.dispatcher == nil, b.set, b.member, b.ready),
			Refresh:  refresh(b.set.Overlay, b.up, refreshServing),
			Webhooks: b.hooks.endpoints, Watches: b.hooks.watches,
		}),
		storage: b.storage, member: b.member, accounts: b.people, changed: b.changed,
		providers: b.up, set: b.set, ready: b.ready, hooks: b.hooks,
		scheduler: newScheduler(b.Config, b.hooks, b.member.ID(), b.set.Decisions.Judge, b.gate,
			b.meters, b.log),
		verifier: newVerifier(b.Config, b.set, b.storage, b.log),
		uptime: status.NewUptime(status.UptimeConfig{
			Store: b.storage.Store, Now: b.Now, Log: b.log, Components: b.parts.known,
		}),
		monitor: status.NewMonitor(status.MonitorConfig{
			Store: b.storage.Store, Components: b.parts.health, Event: b.hooks.component, Now: b.Now,
			Log: b.log, Every: b.Monitor,
		}),
		close: sync.OnceValue(b.opened.close),
	}
}

// changed drops what other instances have changed from memory.
func (b *builder) changed(list []store.Change) {
	b.storage.Keys.Invalidate(list)
	b.gate.Invalidate(list)
	b.signIn.invalidate(list)
	b.hooks.posted(list)
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
func (b *builder) newGate(groups limit.Groups, seen *credential.Seen) *access.Gate {
	return access.New(access.Config{
		Store: b.storage.Store, StoreTimeout: b.Settings.StoreTimeout, Keys: b.storage.Keys,
		Plans: b.storage.Plans, Groups: groups, Proxies: b.Settings.TrustedProxies,
		Secure: isSecure(b.base), Token: b.signIn.token, Seen: seen, Now: b.Now,
		AppendID: edge.AppendID, Log: b.log, Fleet: sharedLimits(b.Settings, b.member),
		Behind: b.storage.behind(),
		Refilled: func(units uint64, err error) {
			b.meters.Refill(units, err)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // the account was removed
				b.writes.Failed(err)
			}
		},
		Notices: b.hooks.outbox.QuotaNotices, Exceeded: b.hooks.outbox.QuotaExceeded,
	})
}

// operatorHandler returns the handler of the operator's address, or nil if there is none.
func (b *builder) operatorHandler() http.Handler {
	if b.meters == nil {
		return nil
	}
	b.meters.Build(b.Version, b.site.DataBuilt)
	b.meters.Breaker(coast.COOPS, func() string { return b.up.coops.Health().Breaker })
	b.meters.Breaker(coast.NWS, func() string { return b.up.nws.Health().Breaker })
	b.meters.Leased(b.gate.Leased)
	b.meters.Instances(b.member.Live, b.member.Difference, b.storage.behind())
	b.meters.Webhooks(b.hooks.backlog(b.storage.Store, b.Now))
	return newOperator(b.meters.Handler(), backupHandler(b.storage.Store, b.log))
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
		Complete:  set.Directory.CompleteStation, CompletePlace: set.Directory.CompletePlace,
		Card: set.Directory.StationCard,
		Gate: gate, Log: log, Observe: observe,
	})
}

// newWeb creates the pages.
func (b *builder) newWeb() (*web.Server, error) {
	var texts web.Texts
	if folder := b.Settings.Pages; folder != "" {
		var err error
		if texts, err = web.ReadTexts(folder); err != nil {
			return nil, fmt.Errorf("invalid --pages %q: %w", folder, err)
		}
	}
	return web.New(web.Config{
		Settings: web.Settings{
			Set: b.set, Base: b.base, Site: b.site, Offline: b.Settings.Offline, Now: b.Now,
			Log: b.log, Patience: b.Patience,
		},
		Count: b.gate.Count, SignUp: b.site.Accounts && b.Settings.Signup == config.SignupOpen,
		PerMinute: perMinute(b.storage.Plans), Documents: openAPI,
		Past: func(ctx context.Context) (status.Past, error) {
			return b.notices.Past(ctx, b.storage.Store)
		},
		Contact: b.Settings.Contact, Texts: texts, Verified: b.set.Verified,
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
