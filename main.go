// Leadline answers questions about the coast to AI clients over MCP, to programs over REST
// and to people on the command line. See README.md, and package cli for the commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for machines without zones, such as empty containers

	"leadline/internal/cli"
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(cli.Stopped(<-signals))
		signal.Stop(signals) // a second one ends the program at once
	}()
	streams := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(cli.Run(ctx, os.Args[1:], os.Getenv, os.Environ(), streams))
}
