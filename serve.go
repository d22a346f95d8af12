package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/edge"
	"leadline/internal/stations"
	"leadline/mcp"
	"leadline/prompts"
	"leadline/resources"
	"leadline/rest"
	"leadline/tools"
)

// newSet builds what the operations work with.
func newSet(p providers, now func() time.Time) (*tools.Set, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("opening the station directory: %w", err)
	}
	topics := resources.New(resources.Facts{Decisions: decide.Page(), Limits: access.Table(), DataBuilt: directory.Built().Format(time.DateOnly)})
	p.water.Now = now
	return &tools.Set{Stations: directory, Water: p.water, Weather: p.weather, Topics: topics, Now: now, Probes: p.probes, NewID: edge.NewID}, nil
}

// newMCP builds the MCP door.
func newMCP(c *Config, base string, set *tools.Set, log *slog.Logger) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Version: version, BaseURL: base, AllowHosts: split(c.AllowHosts), AllowOrigins: split(c.AllowOrigins),
		Tools: set.Catalog(), Topics: set.Topics, Prompts: prompts.All(),
		Complete: set.CompleteStation, Card: set.StationCard, Log: log,
	})
}

// newHandler mounts the doors by path and dresses their answers.
func newHandler(door http.Handler, set *tools.Set, base string, log *slog.Logger) http.Handler {
	api := rest.New(set, log)
	document := api.Document(base)
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/mcp":
			door.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/api/"):
			api.ServeHTTP(w, r)
		case path == "/openapi.json":
			document.ServeHTTP(w, r)
		default:
			coast.WriteError(w, coast.Errorf(coast.NotFound, "nothing is served at %s. AI clients connect to /mcp; programs ask under /api/v1, for example /api/v1/stations/8443970/predictions; /openapi.json describes it.", tools.Clip(path)))
		}
	})
	return edge.Wear(edge.Config{Log: log}, access.Identify(mux))
}

// Few megabytes live, so memory is cheap and the collector's time is not: the
// heap may grow to five times what lives, up to a size from which on it is
// collected more eagerly.
const gcPercent, gcEager = 400, 256 << 20 // bytes

// tuneCollector leaves alone what the operator has set by Go's own variables.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(gcEager)
	}
}

// serve opens the address, tells where it is, and serves until ctx ends.
func serve(ctx context.Context, c *Config, _ []string, s streams) error {
	log := newLogger(c, s.err)
	tuneCollector()
	set, up, err := newLiveSet(c, log)
	if err != nil {
		return err
	}
	if c.Offline != "true" && c.Contact == "" {
		log.Warn("-contact is not set: the weather service asks whom it may write to about the requests it gets")
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; -listen chooses another address, port 0 a free one", c.Listen, err)
	}
	defer listener.Close()
	base, err := baseURL(c.BaseURL, listener.Addr().(*net.TCPAddr), log)
	if err != nil {
		return err
	}
	door, err := newMCP(c, base, set, log)
	if err != nil {
		return err
	}
	if c.PortFile != "" {
		port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
		if err := os.WriteFile(c.PortFile, []byte(port+"\n"), 0o644); err != nil {
			return fmt.Errorf("writing the port: %w", err)
		}
	}
	fmt.Fprintf(s.err, "leadline %s at %s: MCP at %s/mcp, REST at %s/api/v1\n", version, base, base, base)
	defer up.follow(ctx, set, log)()
	return serveUntil(ctx, listener, newHandler(door, set, base, log), log)
}

// serveUntil serves until ctx ends, then lets running requests finish.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("draining: %w", err)
	}
	return nil
}

// baseURL is what clients see: as configured, else the bound address. It is
// never taken from a request.
func baseURL(configured string, bound *net.TCPAddr, log *slog.Logger) (string, error) {
	if configured == "" {
		host := bound.IP.String()
		if bound.IP.IsUnspecified() {
			host = "localhost"
			log.Warn("-base-url is not set and -listen names no host: clients elsewhere are told localhost")
		}
		return "http://" + net.JoinHostPort(host, strconv.Itoa(bound.Port)), nil
	}
	return root("base-url", configured)
}

// stdio speaks MCP over standard input and output. It opens no socket.
func stdio(ctx context.Context, c *Config, _ []string, s streams) error {
	log := newLogger(c, s.err)
	memory := *c
	memory.Data = "" // a desktop client's process keeps nothing behind
	set, up, err := newLiveSet(&memory, log)
	if err != nil {
		return err
	}
	defer up.close()
	door, err := newMCP(c, "", set, log)
	if err != nil {
		return err
	}
	return door.ServeStdio(access.With(ctx, access.Caller{Tier: access.Local}), s.in, s.out)
}
