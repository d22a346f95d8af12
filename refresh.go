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

	"leadline/internal/coast"
	"leadline/internal/server"
	"leadline/tools"
)

// How many stations are asked for together; the providers' own limits of pace
// hold all the same. A server has others waiting who ask of them.
const (
	refreshAlone   = 8
	refreshServing = 2
)

func stationVerbs() []verb {
	return []verb{
		{name: "stations refresh", takes: "[STATION...]", words: anyNumber, with: begun, bind: refreshStations,
			about: "Asks NOAA for the newest constants of all stations, or of these, and keeps them. A running server answers with them at once."},
	}
}

func refreshStations(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, ids []string, s streams) error {
		if d.set != nil {
			return d.refresh(ctx, ids, refreshServing, s)
		}
		live, err := server.OpenLive(serverConfig(d.config, s), d.plans)
		if err != nil {
			return err
		}
		defer live.Close()
		d.set, d.save = live.Set, live.Save
		return d.refresh(ctx, ids, refreshAlone, s)
	}
}

// refresh hears which stations there are, asks for them, and saves what came.
func (d *desk) refresh(ctx context.Context, ids []string, atOnce int, s streams) error {
	if err := d.set.Overlay.UpdateLists(ctx); err != nil {
		return fmt.Errorf("asking which stations there are: %w", err)
	}
	err := refresh(ctx, d.set, ids, atOnce, s.out)
	return errors.Join(err, d.save())
}

// refresh asks the metadata service for the newest facts of the stations, of
// all where none is named. What cannot be had is counted, and no fault; that
// nothing could be had is one.
func refresh(ctx context.Context, set *tools.Set, ids []string, atOnce int, out io.Writer) error {
	start := time.Now()
	renew := set.Overlay.Refresh
	if len(ids) == 0 {
		renew = set.Overlay.Update // a reference is asked for once for all its subordinate stations
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
	for range atOnce {
		working.Go(func() {
			for id := range queue {
				err := renew(ctx, id)
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
