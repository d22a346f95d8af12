package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/tools"
)

// refreshAtOnce is how many stations are asked for together; the providers'
// own limits of pace hold all the same.
const refreshAtOnce = 8

// stationsCommand is leadline stations refresh [STATION...].
func stationsCommand(ctx context.Context, c *Config, args []string, s streams) error {
	if len(args) == 0 || args[0] != "refresh" {
		return errors.New("stations takes one word: leadline stations refresh [STATION...]")
	}
	fs := flag.NewFlagSet("stations refresh", flag.ContinueOnError)
	fs.SetOutput(s.err)
	c.flags(fs)
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	set, up, err := newLiveSet(c, access.BuiltIn(), newLogger(c, s.err), nil)
	if err != nil {
		return err
	}
	defer up.close()
	if err := set.JoinLists(ctx); err != nil {
		return fmt.Errorf("asking which stations there are: %w", err)
	}
	err = refresh(ctx, set, fs.Args(), s.out)
	return errors.Join(err, up.coops.Save())
}

// refresh asks the metadata service for the newest facts of the stations, of
// all where none is named. What cannot be had is counted, and no fault; that
// nothing could be had is one.
func refresh(ctx context.Context, set *tools.Set, ids []string, out io.Writer) error {
	start := time.Now()
	if len(ids) == 0 {
		for _, st := range set.Stations.All("") {
			ids = append(ids, st.ID)
		}
	}
	ids = withReferences(set, ids)
	queue := make(chan string)
	var working sync.WaitGroup
	var mu sync.Mutex
	var renewed int
	var failed []error
	for range refreshAtOnce {
		working.Go(func() {
			for id := range queue {
				err := set.Look(ctx, id)
				mu.Lock()
				if err == nil {
					renewed++
				} else if len(failed) == 0 || len(ids) < 100 {
					failed = append(failed, fmt.Errorf("%s: %w", id, err))
				}
				mu.Unlock()
			}
		})
	}
	for _, id := range ids {
		select {
		case queue <- id:
		case <-ctx.Done():
		}
	}
	close(queue)
	working.Wait()
	fmt.Fprintf(out, "%d of %d stations asked for and up to date, in %s\n", renewed, len(ids), time.Since(start).Round(time.Second))
	if renewed == 0 {
		return fmt.Errorf("no station could be renewed; the first: %w", errors.Join(failed[:min(1, len(failed))]...))
	}
	for _, err := range failed {
		e, known := coast.AsError(err)
		if !known {
			e.Message = err.Error()
		}
		fmt.Fprintf(out, "not renewed: %s\n", e.Message)
	}
	return nil
}

// withReferences adds the stations that the named ones are predicted from.
func withReferences(set *tools.Set, ids []string) []string {
	all := slices.Clone(ids)
	for _, id := range ids {
		st, _ := set.Stations.Station(id)
		if st.Subordinate() && !slices.Contains(all, st.Reference) {
			all = append(all, st.Reference)
		}
	}
	return all
}
