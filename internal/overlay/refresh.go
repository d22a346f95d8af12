package overlay

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// maxFailures is the number of stations from which on only the first failure is reported.
const maxFailures = 100

// Report counts the stations of a RefreshAll.
type Report struct {
	Stations int // that were requested
	Renewed  int
	Failed   []error // each names its station; for many stations only the first
}

// RefreshAll requests the lists of stations, and then the newest constants of the named stations
// and their reference stations, or of all stations if none is named. It limits the number of
// concurrent updates. Failures are counted; it returns an error if no station could be updated.
func (o *Overlay) RefreshAll(ctx context.Context, ids []string, atOnce int) (Report, error) {
	if err := o.UpdateLists(ctx); err != nil {
		return Report{}, fmt.Errorf("request the lists of stations: %w", err)
	}
	renew := o.Refresh
	if len(ids) == 0 {
		renew = o.Update // all subordinate stations share one request of their reference
		for _, st := range o.directory.All("") {
			ids = append(ids, st.ID)
		}
	}
	ids = o.withReferences(ids)
	r := Report{Stations: len(ids)}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			err := renew(ctx, id)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				r.Renewed++
			} else if len(r.Failed) == 0 || len(ids) < maxFailures {
				r.Failed = append(r.Failed, fmt.Errorf("%s: %w", id, err))
			}
			return nil
		})
	}
	group.Wait() // returns nil
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case r.Renewed == 0 && len(r.Failed) > 0:
		return r, fmt.Errorf("no station could be updated; the first error: %w", r.Failed[0])
	}
	return r, nil
}

// withReferences adds the reference stations of the named stations.
func (o *Overlay) withReferences(ids []string) []string {
	all := slices.Clone(ids)
	for _, id := range ids {
		st, _ := o.directory.Station(id)
		if st.Subordinate() && !slices.Contains(all, st.Reference) {
			all = append(all, st.Reference)
		}
	}
	return all
}
