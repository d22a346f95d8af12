package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/decide"
	"leadline/internal/edge"
	"leadline/internal/metrics"
	"leadline/internal/overlay"
	"leadline/internal/page"
	"leadline/internal/schema"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/mcp"
	"leadline/oauth"
	"leadline/prompts"
	"leadline/resources"
	"leadline/rest"
	"leadline/store"
	"leadline/tools"
)

// newSet builds what the operations work with.
func newSet(p providers, plans access.Plans, now func() time.Time) (*tools.Set, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("opening the station directory: %w", err)
	}
	topics := resources.New(resources.Facts{Decisions: decide.Page(), Limits: plans.Table(), DataBuilt: directory.Built().Format(time.DateOnly)})
	newer := overlay.New(overlay.Config{Stations: directory, Water: p.water, Now: now, Log: p.log})
	return tools.New(tools.Config{
		Stations: directory, Water: p.water, Weather: p.weather, Overlay: newer, Topics: topics, Now: now, NewID: edge.NewID, Probes: p.probes,
	}), nil
}

// newMCP builds the MCP door; gate is nil where nothing is counted.
func newMCP(c *config.Config, base string, set *tools.Set, gate *access.Gate, log *slog.Logger, m *metrics.Metrics) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Version: version, BaseURL: base, AllowHosts: c.AllowHosts, AllowOrigins: c.AllowOrigins,
		Tools: set.Catalog(), Topics: set.Topics, Prompts: prompts.All(),
		Complete: set.CompleteStation, Card: set.StationCard, Gate: gate, Log: log, Observe: m.Call,
	})
}

// Where AI clients connect: anybody, and those who sign in.
const (
	mcpPath = "/mcp"
	proPath = oauth.Path
)

// signIn is how people sign in; nothing of it where nobody can.
type signIn struct {
	token    func(ctx context.Context, token string) (access.Token, error)
	metadata string       // URL of the metadata of proPath, of the server's own base
	pages    http.Handler // of the authorization server
}

// service is what answers requests, at whichever address.
type service struct {
	base  string
	mcp   *mcp.Server
	in    signIn
	api   *rest.API
	gate  *access.Gate
	load  *edge.Load
	ready *status.Readiness
	log   *slog.Logger
	m     *metrics.Metrics // nil where nobody looks
}

// newService builds the doors and the gate before them.
func newService(c *config.Config, base string, set *tools.Set, k *keep, log *slog.Logger, m *metrics.Metrics, in signIn) (*service, error) {
	groups, err := readGroups(c.SharedClients)
	if err != nil {
		return nil, err
	}
	inFlight := cmp.Or(c.MaxInFlight, edge.DefaultInFlight)
	ready := status.NewReadiness(status.ReadinessConfig{Write: k.store.Ready, Stations: len(set.Stations.All("")), Now: set.Now, Log: log})
	k.gate = access.New(access.Config{
		Store: k.store, Keys: k.keys, Plans: k.plans, Groups: groups, Proxies: c.TrustedProxies, Secure: strings.HasPrefix(base, "https:"), Token: in.token,
		Now: set.Now, AppendID: edge.AppendID, Log: log,
		Refilled: func(units uint64, err error) {
			m.Refill(units, err)
			if !errors.Is(err, store.ErrNotFound) { // of an account that was removed: the store is well
				ready.Reserved(err)
			}
		},
	})
	all, providers := set.Config, set.Probes
	all.Keys, all.Months = k.keys, k.gate.Months
	all.Probes = func(ctx context.Context) []status.Component { return append(providers(ctx), ready.Component()) }
	all.Notices = (&desk{keep: k, now: set.Now}).shownNotices
	set = tools.New(all)
	door, err := newMCP(c, base, set, k.gate, log, m)
	if err != nil {
		return nil, err
	}
	return &service{base, door, in, rest.New(set, k.gate, log), k.gate, edge.NewLoad(inFlight, edge.BodyBudget, time.Now), ready, log, m}, nil
}

// handler mounts the doors by path and dresses their answers.
func (s *service) handler() http.Handler {
	document, developer := s.api.Document(s.base), s.api.DeveloperDocument(s.base)
	toMCP, toPro := s.dress(access.MCP, s.mcp), s.dress(access.MCP, s.mcp.SignedIn(s.in.metadata))
	toProbes, toNowhere := s.wear(access.REST, s.ready), s.dress(access.REST, http.HandlerFunc(s.nowhere))
	toPages := s.wear(access.REST, s.load.Limit(s.document(http.HandlerFunc(s.signIn)))) // not compressed: their length would tell of the secrets in them (BREACH)
	toDocuments := s.dress(access.REST, s.document(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/openapi.json":
			if !edge.Public(w, r, http.MethodGet, http.MethodHead) {
				document.ServeHTTP(w, r)
			}
		case "/api/developer/openapi.json":
			developer.ServeHTTP(w, r)
		default:
			s.api.ServeHTTP(w, r)
		}
	})))
	toREST := s.dress(access.REST, s.api)
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case edge.EncodedSlash(r.URL):
			toNowhere.ServeHTTP(w, r)
		case path == "/livez" || path == "/readyz":
			toProbes.ServeHTTP(w, r)
		case path == mcpPath:
			toMCP.ServeHTTP(w, r)
		case path == proPath:
			toPro.ServeHTTP(w, r)
		case toSignIn(path):
			toPages.ServeHTTP(w, r)
		case path == "/openapi.json" || path == "/api/developer/openapi.json" || path == "/api/developer/status":
			toDocuments.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/api/"):
			toREST.ServeHTTP(w, r)
		default:
			toNowhere.ServeHTTP(w, r)
		}
	})
	return edge.Linger(edge.Secure(strings.HasPrefix(s.base, "https:"), mux))
}

// document limits how often an address requests documents and pages, which
// spend nothing of the allowance of the API.
func (s *service) document(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.gate.CountDocument(r.Context())
		switch e, _ := coast.AsError(err); {
		case err == nil:
			next.ServeHTTP(w, r)
		case strings.Contains(r.Header.Get("Accept"), "text/html"):
			e.SetHeaders(w.Header())
			page.Error(w, e.Status(), "Too many requests", e.Message)
		default:
			edge.Refuse(w, e)
		}
	})
}

// toSignIn reports whether a path belongs to the authorization server. Clients
// ask for its metadata where they guess it, and send along whatever they have
// in the Authorization header: they are told what there is, and never that the
// credential is bad.
func toSignIn(path string) bool {
	return strings.HasPrefix(path, "/oauth/") || path == "/account" || strings.HasPrefix(path, "/account/") || strings.HasPrefix(path, "/.well-known/") ||
		path == proPath+"/.well-known/openid-configuration"
}

// signIn answers for the authorization server. No credential of the doors
// counts there, and nothing is spent.
func (s *service) signIn(w http.ResponseWriter, r *http.Request) {
	if s.in.pages == nil {
		coast.WriteError(w, nothingAt(r))
		return
	}
	s.in.pages.ServeHTTP(w, r)
}

// nowhere answers where nothing is served. It costs a request of the address's
// minute: nobody may ask it without end. No credential is judged: a client
// whose key was refused at /mcp goes on to /register, /authorize and /token,
// key in hand, and must learn that there is nothing to sign in to, which a 401
// would deny.
func (s *service) nowhere(w http.ResponseWriter, r *http.Request) {
	err := s.gate.Count(r.Context())
	if err == nil {
		err = nothingAt(r)
	}
	coast.WriteError(w, err)
}

func nothingAt(r *http.Request) error {
	return coast.Errorf(coast.NotFound, "nothing is served at %s. AI clients connect to /mcp, or to /pro/mcp by signing in; programs ask under /api/v1, for example /api/v1/stations/8443970/predictions; /openapi.json describes it.", schema.Clip(r.URL.EscapedPath()))
}

// dress puts on a door what all answers wear, within the limits of the load.
func (s *service) dress(surface access.Surface, door http.Handler) http.Handler {
	return s.wear(surface, s.load.Limit(edge.Compress(door)))
}

// wear is dress without compression and without the limits of the load.
func (s *service) wear(surface access.Surface, door http.Handler) http.Handler {
	return s.gate.Wear(surface, edge.Wear(edge.Config{Log: s.log, ID: access.RequestID, Who: who, Observe: s.observe(surface)}, door))
}

// who is what the access line says of a caller: the tier, and the public id of
// the key or the id of the grant, or the client's address where there is none.
func who(ctx context.Context) []slog.Attr {
	caller, _ := access.CallerFrom(ctx)
	by := slog.String("address", caller.Address.String())
	switch {
	case caller.Key != "":
		by = slog.String("key", caller.Key)
	case caller.Grant != "":
		by = slog.String("grant", caller.Grant)
	}
	return []slog.Attr{slog.String("tier", string(caller.Tier)), by}
}

// newMeter counts what the program does, where the operator has an address to
// read it at; nil counts nothing.
func newMeter(c *config.Config) *metrics.Metrics {
	if c.AdminListen == "" {
		return nil
	}
	var names []string
	for _, t := range new(tools.Set).Catalog() {
		names = append(names, t.Name)
	}
	return metrics.New(append(rest.Routes(), mcpPath, proPath), names)
}

// observe tells the meter of the answers of a surface.
func (s *service) observe(surface access.Surface) func(*http.Request, int, time.Duration) {
	if s.m == nil {
		return nil
	}
	return func(r *http.Request, status int, took time.Duration) {
		caller, _ := access.CallerFrom(r.Context())
		route := r.URL.Path
		if surface == access.REST {
			route = s.api.Route(r.URL.Path)
		}
		s.m.Request(route, surface.Name(), string(caller.Tier), status, took)
		if caller.Group != "" {
			s.m.Shared(caller.Group, surface.Name(), status)
		}
	}
}
