// Package overlay replaces the embedded constants of stations with newer ones of NOAA's metadata
// service, and adds the stations and bins that are not embedded. It changes the station directory
// in place; documents that were cached in earlier runs are applied without a request. It makes no
// predictions.
package overlay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// Config configures an Overlay.
type Config struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Now      func() time.Time
	Log      *slog.Logger // nil logs nothing
}

// Overlay keeps a station directory up to date. It is safe for concurrent use.
type Overlay struct {
	directory *stations.Directory
	water     *noaa.Client
	now       func() time.Time
	log       *slog.Logger
	queue     queue
}

// New returns an Overlay that has not changed the directory yet.
func New(c Config) *Overlay {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Overlay{directory: c.Stations, water: c.Water, now: c.Now, log: c.Log}
}

// The bounds are ours: NOAA revises constants a few times a year, and a caller that requests a
// thousand stations a second must not cause as many requests to NOAA.
const (
	ListInterval = 24 * time.Hour // between two requests for a list of stations

	listRetry      = time.Minute
	stationPause   = time.Second // between two stations of the queue
	requestTimeout = 10 * time.Second
	// Documents that belong together must be obtained within this time: a revision between them
	// would mix two sets of constants.
	maxApart     = 30 * time.Minute
	maxCachedAge = 10 * time.Minute // of a cached document that is used with newer ones
)

// Run keeps the directory up to date until ctx ends: the lists of stations once a
// day, and at most one queued station a second. A list that fails is requested again
// in a minute, a station when it is queued on another day; predictions never wait.
func (o *Overlay) Run(ctx context.Context) error {
	o.Restore(ctx)
	tick := time.NewTicker(stationPause)
	defer tick.Stop()
	var due time.Time // of the lists
	for {
		if now := o.now(); !now.Before(due) {
			due = now.Add(ListInterval)
			if err := o.UpdateLists(ctx); err != nil {
				due = now.Add(listRetry)
				o.log.Debug("listing stations", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if id, _, err := o.UpdateNext(ctx); err != nil {
			o.log.Debug("updating constants", "station", id, "error", err)
		}
	}
}

// UpdateNext updates the station that has been queued longest. ok is false if no
// station is queued.
func (o *Overlay) UpdateNext(ctx context.Context) (id string, ok bool, err error) {
	if id, ok = o.queue.next(); ok {
		err = o.Update(ctx, id)
	}
	return id, ok, err
}

// Restore applies the documents that were cached in earlier runs to the directory. It sends no
// request.
func (o *Overlay) Restore(ctx context.Context) {
	cached := o.water.Cached()
	if err := o.updateLists(ctx, cached); err != nil {
		o.log.Debug("adding cached stations", "error", err)
	}
	for _, id := range o.water.CachedStations() {
		for _, st := range o.directory.Bins(id) { // its own row, and the rows of other bins
			if err := o.update(ctx, cached, st.ID); err != nil {
				o.log.Debug("restoring cached constants", "station", st.ID, "error", err)
			}
		}
	}
}

// Queue marks a station for an update by Run, unless it was queued within a day.
func (o *Overlay) Queue(id string) { o.queue.add(id, o.now()) }

// Update requests the newest constants of a station and replaces those in force: either
// everything from which its predictions are computed, or nothing. A subordinate station is
// updated together with its reference. Documents that were cached minutes ago are reused.
func (o *Overlay) Update(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return o.update(ctx, o.water.Recent(maxCachedAge), id)
}

// Refresh is like Update, but requests all documents again.
func (o *Overlay) Refresh(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return o.update(ctx, o.water.Recent(time.Nanosecond), id)
}

func (o *Overlay) update(ctx context.Context, from *noaa.Client, id string) error {
	st, ok := o.directory.Station(id)
	if !ok {
		return fmt.Errorf("no station %s", id)
	}
	if !st.Subordinate() && !st.HasConstants() {
		return nil
	}
	var received window
	u, err := newest(ctx, o.directory, from, st, &received)
	if err == nil {
		err = received.check()
	}
	if err != nil {
		return err
	}
	if u.Base != nil {
		if err := o.directory.Apply(st.Reference, *u.Base); err != nil {
			return err
		}
	}
	return o.directory.Apply(st.ID, u)
}

// Observes returns which of the lists name a station; known is false until all of
// them have been obtained.
func Observes(st stations.Station) (kinds []string, known bool) {
	return st.Observes(observedKinds...)
}

// ListsReceived returns when the oldest of the lists was obtained; known is false
// until all of them have been.
func (o *Overlay) ListsReceived() (oldest time.Time, known bool) {
	for _, kind := range observedKinds {
		_, at, known := o.directory.Observing(kind)
		if !known {
			return time.Time{}, false
		}
		oldest = older(oldest, at)
	}
	return oldest, true
}

// observedKinds are the lists of the service whose stations join the directory.
var observedKinds = []string{"waterlevels", "met", "currents", "watertemp"}

// UpdateLists requests the lists of stations, adds stations that are not embedded, and records
// the observations of each station and the bins of current stations.
func (o *Overlay) UpdateLists(ctx context.Context) error { return o.updateLists(ctx, o.water) }

func (o *Overlay) updateLists(ctx context.Context, from *noaa.Client) error {
	var failed []error
	for _, kind := range observedKinds {
		failed = append(failed, o.updateList(ctx, from, kind))
	}
	return errors.Join(append(failed, o.updateBins(ctx, from))...)
}

// UpdateList requests one list, adds its stations and records their observations.
func (o *Overlay) UpdateList(ctx context.Context, kind string) error {
	return o.updateList(ctx, o.water, kind)
}

func (o *Overlay) updateList(ctx context.Context, from *noaa.Client, kind string) error {
	list, err := from.Stations(ctx, kind)
	if err != nil {
		return fmt.Errorf("listing %s: %w", kind, err)
	}
	rows, ids := make([]stations.Listed, len(list.Data)), make([]string, len(list.Data))
	for i, st := range list.Data {
		rows[i], ids[i] = listed(st), st.ID
	}
	o.directory.Join(list.ReceivedAt, rows)
	o.directory.Observe(kind, ids, list.ReceivedAt)
	return nil
}

// AddStation requests a station that is not in the directory and adds it. ok is false if the
// service's station cannot be added.
func (o *Overlay) AddStation(
	ctx context.Context, id string,
) (st stations.Station, ok bool, err error) {
	found, err := o.water.Station(ctx, id)
	if err != nil {
		return st, false, err
	}
	o.directory.Join(found.ReceivedAt, []stations.Listed{listed(found.Data)})
	st, ok = o.directory.Station(found.Data.ID)
	return st, ok, nil
}

func listed(st noaa.Station) stations.Listed {
	return stations.Listed{
		ID: st.ID, Name: st.Name, State: st.State, Latitude: st.Latitude, Longitude: st.Longitude,
	}
}
