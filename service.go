package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/edge"
	"leadline/internal/meter"
	"leadline/internal/stations"
	"leadline/mcp"
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
	p.water.Now = now
	return &tools.Set{Stations: directory, Water: p.water, Weather: p.weather, Topics: topics, Now: now, Probes: p.probes, NewID: edge.NewID}, nil
}

// newMCP builds the MCP door; gate is nil where nothing is counted.
func newMCP(c *Config, base string, set *tools.Set, gate *access.Gate, log *slog.Logger, m *meter.Meter) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Version: version, BaseURL: base, AllowHosts: split(c.AllowHosts), AllowOrigins: split(c.AllowOrigins),
		Tools: set.Catalog(), Topics: set.Topics, Prompts: prompts.All(),
		Complete: set.CompleteStation, Card: set.StationCard, Gate: gate, Log: log, Observe: m.Call,
	})
}

// mcpPath is where AI clients connect.
const mcpPath = "/mcp"

// service is what answers requests, at whichever address.
type service struct {
	base  string
	mcp   http.Handler
	api   *rest.API
	gate  *access.Gate
	ready *readiness
	log   *slog.Logger
	m     *meter.Meter // nil where nobody looks
}

// newService builds the doors and the gate before them.
func newService(c *Config, base string, set *tools.Set, k *keep, log *slog.Logger, m *meter.Meter) (*service, error) {
	proxies, err := access.ReadProxies(split(c.TrustedProxies))
	if err != nil {
		return nil, fmt.Errorf("-trusted-proxies: %w", err)
	}
	ready := &readiness{write: k.store.Ready, directory: set.Stations, now: set.Now, log: log}
	k.gate = access.New(access.Config{
		Store: k.store, Keys: k.keys, Plans: k.plans, Proxies: proxies, Secure: strings.HasPrefix(base, "https:"),
		Now: set.Now, AppendID: edge.AppendID, Log: log,
		Refilled: func(units uint64, err error) {
			m.Refill(units, err)
			if !errors.Is(err, store.ErrNotFound) { // of an account that was removed: the store is well
				ready.note(err)
			}
		},
	})
	set.Desk = tools.Desk{Keys: k.keys, Months: k.gate.Months}
	providers := set.Probes
	set.Probes = func(ctx context.Context) []tools.Component { return append(providers(ctx), ready.probe(ctx)) }
	door, err := newMCP(c, base, set, k.gate, log, m)
	if err != nil {
		return nil, err
	}
	return &service{base, door, rest.New(set, k.gate, log), k.gate, ready, log, m}, nil
}

// handler mounts the doors by path and dresses their answers.
func (s *service) handler() http.Handler {
	document, developer := s.api.Document(s.base), s.api.DeveloperDocument(s.base)
	toMCP := s.dress(access.MCP, s.mcp)
	toREST := s.dress(access.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/openapi.json":
			if !edge.Public(w, r, http.MethodGet, http.MethodHead) {
				document.ServeHTTP(w, r)
			}
		case path == "/api/developer/openapi.json":
			developer.ServeHTTP(w, r)
		case path == "/livez" || path == "/readyz":
			s.ready.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/api/"):
			s.api.ServeHTTP(w, r)
		default:
			s.nowhere(w, r)
		}
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mcpPath {
			toMCP.ServeHTTP(w, r)
			return
		}
		toREST.ServeHTTP(w, r)
	})
}

// nowhere answers where nothing is served. It costs a request of the minute:
// nobody may ask it without end.
func (s *service) nowhere(w http.ResponseWriter, r *http.Request) {
	err := s.gate.Admit(r, access.Need{By: access.Nobody | access.Key})
	if err == nil {
		err = coast.Errorf(coast.NotFound, "nothing is served at %s. AI clients connect to /mcp; programs ask under /api/v1, for example /api/v1/stations/8443970/predictions; /openapi.json describes it.", tools.Clip(r.URL.Path))
	}
	coast.WriteError(w, err)
}

// dress puts on a door what all answers wear.
func (s *service) dress(surface access.Surface, door http.Handler) http.Handler {
	return s.gate.Wear(surface, edge.Wear(edge.Config{Log: s.log, ID: access.RequestID, Who: who, Observe: s.observe(surface)}, edge.Compress(door)))
}

// who is what the access line says of a caller: the tier and the public id of
// the key, or the client's address where there is no key.
func who(ctx context.Context) []slog.Attr {
	caller, _ := access.CallerFrom(ctx)
	if caller.Key != "" {
		return []slog.Attr{slog.String("tier", string(caller.Tier)), slog.String("key", caller.Key)}
	}
	return []slog.Attr{slog.String("tier", string(caller.Tier)), slog.String("address", caller.Address.String())}
}

// newMeter counts what the program does, where the operator has an address to
// read it at; nil counts nothing.
func newMeter(c *Config) *meter.Meter {
	if c.AdminListen == "" {
		return nil
	}
	var names []string
	for _, t := range new(tools.Set).Catalog() {
		names = append(names, t.Name)
	}
	return meter.New(append(rest.Routes(), mcpPath), names)
}

// observe tells the meter of the answers of a surface.
func (s *service) observe(surface access.Surface) func(*http.Request, int, time.Duration) {
	if s.m == nil {
		return nil
	}
	return func(r *http.Request, status int, took time.Duration) {
		caller, _ := access.CallerFrom(r.Context())
		route := mcpPath
		if surface == access.REST {
			route = s.api.Route(r.URL.Path)
		}
		s.m.Request(route, surface.Name(), string(caller.Tier), status, took)
	}
}
