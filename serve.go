package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	goruntime "runtime/metrics"
	"strconv"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/metrics"
	"leadline/tools"
)

// Few megabytes live, so memory is cheap and the collector's time is not: the
// heap may grow to five times what lives. From memoryLeast bytes on it is
// collected more eagerly, so that 3,000 connections at once stay below 150 MB.
// A server whose caches are full lives on more than that: it keeps memoryRoom
// bytes above what lives, or the collector would never rest. Ours, as measured
// by scripts/load.
const (
	gcPercent   = 400
	memoryLeast = 96 << 20
	memoryRoom  = 48 << 20
)

// tuneCollector sets up the collector until ctx ends, except for what the
// operator has set by Go's own variables.
func tuneCollector(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(memoryLeast)
	go func() {
		live := []goruntime.Sample{{Name: "/gc/heap/live:bytes"}}
		for tick := time.NewTicker(10 * time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				goruntime.Read(live)
				debug.SetMemoryLimit(memoryLimit(live[0].Value.Uint64()))
			}
		}
	}()
}

// memoryLimit returns the limit from which on the collector is eager, by how
// many bytes live.
func memoryLimit(live uint64) int64 {
	return max(memoryLeast, int64(live)+memoryRoom)
}

// serve opens the store and the addresses, tells where it is, and serves until
// ctx ends.
func serve(ctx context.Context, c *config.Config, _ []string, s streams) (err error) {
	log := newLogger(c, s.err)
	tuneCollector(ctx)
	m := newMeter(c)
	k, err := openKeep(ctx, c, time.Now, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	set, up, err := newLiveSet(c, k.plans, log, m)
	if err != nil {
		return err
	}
	if err := k.warn(ctx, c.Data, log); err != nil {
		return err
	}
	if !c.Offline && c.Contact == "" {
		log.Warn("-contact is not set: the weather service asks whom it may write to about the requests it gets")
	}
	d, err := openDoors(c)
	if err != nil {
		return err
	}
	defer d.close()
	base := baseURL(c.BaseURL, d.scheme(), d.public.Addr().(*net.TCPAddr), log)
	in, err := openSignIn(ctx, c, base, k, set.Now, log)
	if err != nil {
		return err
	}
	service, err := newService(c, base, set, k, log, m, in)
	if err != nil {
		return err
	}
	defer d.follow(log)()
	defer k.follow(ctx, set.Now, log)()
	orders := &counter{&desk{keep: k, config: c, now: set.Now, base: base, set: set, up: up}, verbs(), log}
	defer up.follow(ctx, set, log)()
	defer orders.open(c.Data)()
	defer context.AfterFunc(ctx, service.ready.Drain)()
	fmt.Fprintf(s.err, "leadline %s at %s: MCP at %s/mcp, by signing in at %s/pro/mcp, REST at %s/api/v1\n", version, base, base, base, base)
	if d.admin != nil {
		fmt.Fprintf(s.err, "for the operator alone: http://%s/metrics\n", d.admin.Addr())
	}
	if err := orders.desk.welcome(ctx, log, s.err); err != nil {
		return err
	}
	if err := writePort(c.PortFile, d.public.Addr().(*net.TCPAddr).Port); err != nil {
		return err
	}
	return d.serve(ctx, service.handler(), operator(m, set, up, k, log), c.DrainWait, log)
}

// operator is what the operator's address serves; nil where there is none.
func operator(m *metrics.Metrics, set *tools.Set, up providers, k *keep, log *slog.Logger) http.Handler {
	if m == nil {
		return nil
	}
	m.Build(version, set.Stations.Built().Format(time.DateOnly))
	m.Breaker(coast.COOPS, func() string { return up.coops.Health().Breaker })
	m.Breaker(coast.NWS, func() string { return up.nws.Health().Breaker })
	return newAdmin(m.Handler(), func(w http.ResponseWriter, r *http.Request) { k.serveBackup(w, r, log) })
}

// writePort tells a machine where the server is; no file, no word.
func writePort(file string, port int) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(port)+"\n"), 0o644); err != nil {
		return fmt.Errorf("writing the port: %w", err)
	}
	return nil
}

// baseURL is what clients see: as configured, else the bound address. It is
// never taken from a request.
func baseURL(configured, scheme string, bound *net.TCPAddr, log *slog.Logger) string {
	if configured == "" {
		host := bound.IP.String()
		if bound.IP.IsUnspecified() {
			host = "localhost"
			log.Warn("-base-url is not set and -listen names no host: clients elsewhere are told localhost")
		}
		return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(bound.Port))
	}
	return configured
}

// stdio speaks MCP over standard input and output. It opens no socket.
func stdio(ctx context.Context, c *config.Config, _ []string, s streams) error {
	log := newLogger(c, s.err)
	memory := *c
	memory.Data = "" // a desktop client's process keeps nothing behind
	set, up, err := newLiveSet(&memory, access.BuiltIn(), log, nil)
	if err != nil {
		return err
	}
	defer up.close()
	door, err := newMCP(c, "", set, nil, log, nil)
	if err != nil {
		return err
	}
	return door.ServeStdio(access.With(ctx, access.Caller{Tier: access.Local}), s.in, s.out)
}
