// Simulator serves both providers, NOAA CO-OPS and NWS, on one port, for tests and for trying the
// product without network access.
//
//	go run ./internal/simulator
//	leadline --coops-url http://127.0.0.1:9090 --nws-url http://127.0.0.1:9090
//
// Paths under /-/ cause faults and set weather, water and alerts. Leadline caches responses for
// minutes and forecasts for half an hour: set conditions before its first request.
//
//	curl -d '{"path": "data", "kind": "hang", "for": "2s", "every": "6s"}' http://127.0.0.1:9090/-/fail
//	curl -X POST http://127.0.0.1:9090/-/heal
//	curl -d '{"place": "42.3548,-71.0534", "hour": {"wind": 22, "gust": 30, "from": 270, "seas": 5}}' http://127.0.0.1:9090/-/weather
//	curl -d '{"zone": "ANZ230", "passage": {"wind": [15, 22], "gust": 30, "seas": [4, 5]}}' http://127.0.0.1:9090/-/text
//	curl -d '{"station": "8443970", "residual": 0.37, "temperature": 12.8}' http://127.0.0.1:9090/-/water
//	curl -d '{"zone": "ANZ230", "alerts": [{"event": "Gale Warning", "code": "GL.W"}]}' http://127.0.0.1:9090/-/alert
//	curl -d '{"station": "8443970", "first": 2002, "last": 2020, "raise": 0.06}' http://127.0.0.1:9090/-/epoch
//	curl -X POST http://127.0.0.1:9090/-/restore
//
// Lengths are in meters, temperatures in degrees Celsius, winds and seas in knots
// and feet.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	_ "time/tzdata" // zones for machines without them

	"leadline/internal/simulator/provider"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	listen   string
	portFile string
	now      func() time.Time // nil for the real clock
}

// parse parses the flags.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9090", "address; port 0 selects a free port")
	flags.StringVar(&s.portFile, "port-file", "", "file to write the port to once it is open")
	const now = "fixed time of the providers' clock, such as 2026-11-20T17:00:00Z"
	flags.Func("now", now, func(text string) error {
		now, err := time.Parse(time.RFC3339, text)
		s.now = func() time.Time { return now }
		return err
	})
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	}
	return s, nil
}

// run serves until ctx ends. Responses that are incomplete then are aborted.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	p, err := provider.New(provider.Config{Now: s.now})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", s.listen, err)
	}
	defer listener.Close()
	if err := announce(listener.Addr().(*net.TCPAddr), s.portFile, stderr); err != nil {
		return err
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// announce prints the address for people and writes the port to a file for scripts.
func announce(at *net.TCPAddr, portFile string, stderr io.Writer) error {
	if portFile != "" {
		if err := os.WriteFile(portFile, []byte(strconv.Itoa(at.Port)+"\n"), 0o644); err != nil {
			return fmt.Errorf("writing the port file: %w", err)
		}
	}
	url := "http://" + at.String()
	const line = "simulator at %s; use it with: leadline --coops-url %s --nws-url %s\n"
	_, err := fmt.Fprintf(stderr, line, url, url, url)
	return err
}
