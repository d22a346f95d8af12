// Leadline answers questions about the coast to AI clients over MCP and to
// programs over REST: tides, tidal currents, sun and moon, computed here, and
// what NOAA and the weather service observe and forecast, asked of them. One
// binary, no set-up. It is a planning aid, no clearance for navigation.
//
// This package reads the configuration, builds the parts from the ground up,
// mounts the doors by path, serves, and drains. What they answer is in tools.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // zones on machines that have none, such as empty containers

	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/rest"
	"leadline/tools"
)

// version is the release.
const version = "0.1.0"

func main() {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		end(server.Stopped{Signal: <-signals})
		signal.Stop(signals) // a second one ends the program at once
	}()
	err := run(ctx, os.Args[1:], os.Getenv, streams{os.Stdin, os.Stdout, os.Stderr})
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "leadline:", coast.Redact(err.Error())) // it quotes what was typed
		os.Exit(1)
	}
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one word of the command line.
type command struct {
	name, about string
	ownFlags    bool // flags after the word are its own, not the server's
	run         func(ctx context.Context, c *config.Config, args []string, s streams) error
}

func commands() []command {
	return []command{
		{"serve", "serve MCP and REST over HTTP; what leadline does without a command", false, serve},
		{"stdio", "speak MCP over standard input and output, for desktop clients", false, stdio},
		{"predict", "print predictions: leadline predict 8443970; its flags: leadline predict -h", true, predict},
		{"keys", "API keys: leadline keys create, list, revoke or reroll; each has its own -h, as all below", true, atDesk("keys")},
		{"accounts", "whose keys they are: leadline accounts add, list, plan, invite, reset or remove", true, atDesk("accounts")},
		{"incidents", "what the status page tells of faults: leadline incidents create, update or list", true, atDesk("incidents")},
		{"maintenance", "what it tells of maintenance: leadline maintenance schedule, update or list", true, atDesk("maintenance")},
		{"backup", "leadline backup FILE: write the store into a new file, also while the server runs", true, atDesk("backup")},
		{"restore", "leadline restore FILE: put a backup in the place of the store", true, atDesk("restore")},
		{"check", "look through the whole store and tell what it holds", true, atDesk("check")},
		{"stations", "leadline stations refresh [STATION...]: ask NOAA for the newest constants of all stations, or of these, and keep them", true, atDesk("stations")},
		{"verify", "compare own predictions with NOAA's live ones and print the differences: leadline verify -stations 20", true, verifyCommand},
		{"config", "print the settings in force and where each comes from", false, printConfig},
		{"version", "print version, date of the station data and epochs of its datums", false, printVersion},
	}
}

func find(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// run is the whole program but for the exit.
func run(ctx context.Context, args []string, getenv func(string) string, s streams) error {
	c, rest, err := configure(args, getenv, s.out)
	if err != nil {
		return err
	}
	name := "serve"
	if len(rest) > 0 {
		name, rest = rest[0], rest[1:]
	}
	command, ok := find(name)
	if !ok {
		return fmt.Errorf("no command %q; leadline -h lists them", name)
	}
	if len(rest) > 0 && !command.ownFlags {
		return fmt.Errorf("%s takes no argument %q", name, rest[0])
	}
	return command.run(ctx, c, rest, s)
}

// usage writes the whole command line.
func usage(w io.Writer) {
	fmt.Fprintf(w, "leadline %s: questions about the coast, answered over MCP and REST.\nA planning aid, no clearance for navigation.\n\nUsage: leadline [flags] [command]\n\nCommands:\n", version)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.about)
	}
	fmt.Fprintf(w, "\nFlags, each also an environment variable (-port-file: LEADLINE_PORT_FILE) and a key of the -config file:\n")
	c := config.New()
	for _, s := range c.Settings() {
		about := s.Usage
		if s.Default != "" {
			about += " (default " + s.Default + ")"
		}
		fmt.Fprintf(w, "  -%-24s %s\n", s.Name, about)
	}
	fmt.Fprintf(w, "  -%-24s %s\n", "config", "JSON file with these settings, {\"listen\": \"127.0.0.1:8080\"}")
}

func printConfig(_ context.Context, c *config.Config, _ []string, s streams) error {
	c.Print(s.out)
	return nil
}

func printVersion(_ context.Context, _ *config.Config, _ []string, s streams) error {
	set, err := server.Offline(time.Now)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "leadline %s, REST contract %s, station data of %s, %s %s/%s\n", version, rest.Contract,
		set.Stations.Built().Format(time.DateOnly), strings.TrimPrefix(runtime.Version(), "devel "), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(s.out, "Epochs of embedded tidal datums: %s\n", strings.Join(tools.EmbeddedEpochs(set.Stations), ", "))
	return nil
}
