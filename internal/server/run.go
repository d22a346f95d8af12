package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"leadline/internal/accounts"
)

// Run serves until ctx ends and running requests have finished, and then closes the
// server. After SIGTERM, which is a Stopped as the cause of ctx, it keeps serving for
// the configured time while /readyz returns 503.
func (s *Server) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.warn(ctx); err != nil {
		return err
	}
	defer s.listeners.reloadOnHangup(s.log)()
	defer background(ctx, s.sweep, s.providers.coops.Run, s.providers.nws.Run, func(ctx context.Context) {
		s.set.Overlay.Run(ctx)
	})()
	if s.c.Admin != nil {
		defer s.c.Admin(s, s.c)()
	} else {
		defer s.openAdmin(ctx)()
	}
	if err := s.announce(ctx); err != nil {
		return err
	}
	return s.Serve(ctx)
}

// Serve is Run without the work beside serving: no admin socket, no requests to providers
// that no caller needs, no removal of expired records.
func (s *Server) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.ready.Drain)()
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	wait := s.storage.watch(watching, s.forget)
	defer wait()
	defer stop()
	err := s.listeners.serve(ctx, s.public, s.operator, s.c.Settings.DrainWait, s.log)
	return errors.Join(err, s.Close())
}

// warn logs what is permitted and seldom meant.
func (s *Server) warn(ctx context.Context) error {
	if c := s.c.Settings; !c.Offline && c.Contact == "" {
		s.log.Warn("--contact is not set: the weather service asks for an address in requests")
	}
	if !accounts.CanSignIn(s.base) {
		s.log.Warn("nobody can sign in, and /pro/mcp takes API keys only: --base-url is neither https "+
			"nor this computer", "base", s.base)
	}
	return s.storage.warn(ctx, s.c.Settings.Data, s.log)
}

// announce prints where the server is, prints the invitation link of the first account,
// and writes the port file.
func (s *Server) announce(ctx context.Context) error {
	fmt.Fprintf(s.c.Stderr, "leadline %s at %s: MCP at %s/mcp, by signing in at %s/pro/mcp, REST at %s/api/v1\n",
		s.c.Version, s.base, s.base, s.base, s.base)
	if s.listeners.operator != nil {
		fmt.Fprintf(s.c.Stderr, "for the operator alone: http://%s/metrics\n", s.listeners.operator.Addr())
	}
	if err := s.invite(ctx); err != nil {
		return err
	}
	return writePort(s.c.Settings.PortFile, s.listeners.public.Addr().(*net.TCPAddr).Port)
}

// writePort writes the port for programs that started the server. Without a file it
// does nothing.
func writePort(file string, port int) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(port)+"\n"), 0o644); err != nil {
		return fmt.Errorf("write the port: %w", err)
	}
	return nil
}

// sweepEvery is how often expired records are removed from the store.
const sweepEvery = time.Hour

// sweep removes expired records from the store until ctx ends.
func (s *Server) sweep(ctx context.Context) {
	ticks := time.NewTicker(sweepEvery)
	defer ticks.Stop()
	for {
		if err := s.storage.Store.Sweep(ctx, s.c.Now()); err != nil && ctx.Err() == nil {
			s.log.Warn("sweeping the store", "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}
