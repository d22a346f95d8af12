package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// The operations of this file keep the directory up with NOAA's metadata
// service: newer constants, datums and offsets of the stations that are asked
// for, and the stations that the embedded data does not hold. What was kept
// from an earlier run is laid over it at start without asking anybody.

// waiting are the stations that were asked for and that Follow has yet to look
// at. Its zero value is ready.
type waiting struct {
	mu    sync.Mutex
	ids   []string
	taken map[string]time.Time // when a station was last taken in
}

// The bounds are ours: NOAA revises constants a few times a year, and who asks
// for a thousand stations a second is no reason to ask NOAA for them.
const (
	lookEvery  = day
	mostWaits  = 1000
	listsEvery = day
	listsRetry = time.Minute
	lookPause  = time.Second // between two stations
	// Documents that belong together are obtained at most this far apart: a
	// revision between them would mix two sets of constants.
	apart  = 30 * time.Minute
	recent = 10 * time.Minute // how old one of them may be that is at hand
)

// add takes a station in, unless that was done lately.
func (w *waiting) add(id string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.taken[id]) < lookEvery || len(w.ids) == mostWaits {
		return
	}
	if w.taken == nil {
		w.taken = map[string]time.Time{}
	}
	w.taken[id] = now
	w.ids = append(w.ids, id)
}

// next is the station that waits longest.
func (w *waiting) next() (id string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ids) == 0 {
		return "", false
	}
	id, w.ids = w.ids[0], w.ids[1:]
	return id, true
}

// Follow keeps the directory up with the metadata service until ctx ends: the
// lists of stations once a day, and one station a second at most of those that
// were asked for. A list that fails is tried again in a minute, a station when
// it is asked for on another day; predictions never wait for either.
func (s *Set) Follow(ctx context.Context, log *slog.Logger) {
	s.Rebuild(ctx, log)
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	var lists time.Time // when they are due
	for {
		if now := s.Now(); !now.Before(lists) {
			lists = now.Add(listsEvery)
			if err := s.JoinLists(ctx); err != nil {
				lists = now.Add(listsRetry)
				log.Debug("listing stations", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if id, ok := s.waiting.next(); ok {
			if err := s.Look(ctx, id); err != nil {
				log.Debug("looking for newer constants", "station", id, "error", err)
			}
		}
	}
}

// Rebuild lays over the directory what was kept from earlier runs. It asks
// nobody.
func (s *Set) Rebuild(ctx context.Context, log *slog.Logger) {
	kept := s.Water.Kept()
	if err := s.joinLists(ctx, kept); err != nil {
		log.Debug("joining the stations that were kept", "error", err)
	}
	for _, id := range s.Water.KeptStations() {
		for _, st := range s.Stations.Bins(id) { // its own row, and those of further bins
			if err := s.look(ctx, kept, st.ID); err != nil {
				log.Debug("laying what was kept over a station", "station", st.ID, "error", err)
			}
		}
	}
}

// joinedLists are the lists of the service whose stations join the directory.
var joinedLists = []string{"waterlevels", "met", "currents", "watertemp"}

// JoinLists asks the metadata service which stations there are, adds those
// that the embedded data does not hold, and learns the bins of currents.
func (s *Set) JoinLists(ctx context.Context) error { return s.joinLists(ctx, s.Water) }

// joinLists adds the stations that the embedded data does not hold, and says
// which stations observe what.
func (s *Set) joinLists(ctx context.Context, from *noaa.Client) error {
	var failed []error
	for _, kind := range joinedLists {
		failed = append(failed, s.join(ctx, from, kind))
	}
	return errors.Join(append(failed, s.joinBins(ctx, from))...)
}

// join adds the stations of one list.
func (s *Set) join(ctx context.Context, from *noaa.Client, kind string) error {
	list, err := from.Stations(ctx, kind)
	if err != nil {
		return fmt.Errorf("listing %s: %w", kind, err)
	}
	listed, ids := make([]stations.Listed, len(list.Data)), make([]string, len(list.Data))
	for i, st := range list.Data {
		listed[i], ids[i] = listedOf(st), st.ID
	}
	s.Stations.Join(list.ReceivedAt, listed)
	s.Stations.Observe(kind, ids, list.ReceivedAt)
	return nil
}

func listedOf(st noaa.Station) stations.Listed {
	return stations.Listed{ID: st.ID, Name: st.Name, State: st.State, Latitude: st.Latitude, Longitude: st.Longitude}
}

// weakCurrents is the list of current stations that NOAA does not predict,
// made here from the list of those that it knows.
const weakCurrents = "weak and variable"

// joinBins reads the list of current predictions, in which each bin is a row:
// it gives the stations their bins, and adds those that NOAA calls weak and
// variable.
func (s *Set) joinBins(ctx context.Context, from *noaa.Client) error {
	list, err := from.Stations(ctx, "currentpredictions")
	if err != nil {
		return fmt.Errorf("listing current predictions: %w", err)
	}
	var weak []string
	var listed []stations.Listed
	bins := map[string][]stations.DepthBin{}
	for _, row := range list.Data {
		if row.Type == "W" {
			one := listedOf(row)
			one.Kind = stations.Current
			weak, listed = append(weak, row.ID), append(listed, one)
		}
		if row.Bin != nil && *row.Bin > 0 {
			bins[row.ID] = withBin(bins[row.ID], row)
		}
	}
	s.Stations.Join(list.ReceivedAt, listed)
	s.Stations.Observe(weakCurrents, weak, list.ReceivedAt)
	for id, of := range bins {
		// A station that is not here, and bins that cannot be, change nothing.
		s.Stations.Apply(id, stations.Update{At: list.ReceivedAt, Bins: of})
	}
	return nil
}

// withBin adds a row of the list to a station's bins; the first is what NOAA
// predicts when none is named.
func withBin(bins []stations.DepthBin, row noaa.Station) []stations.DepthBin {
	bin := stations.DepthBin{Number: *row.Bin, Predicted: row.Type != "W", Default: len(bins) == 0}
	if row.DepthType != "B" { // above the bottom is no depth
		bin.Depth = row.Depth
	}
	if slices.ContainsFunc(bins, func(b stations.DepthBin) bool { return b.Number == bin.Number }) {
		return bins
	}
	return append(bins, bin)
}

// Look asks the metadata service for the newest facts of a station and replaces
// those in force: all that its predictions are made of or nothing. With a
// subordinate station comes its reference.
func (s *Set) Look(ctx context.Context, id string) error {
	ctx, cancel := asking(ctx)
	defer cancel()
	return s.look(ctx, s.Water.Recent(recent), id)
}

// Renew is Look with documents that are all asked for now, none of them taken
// from the cache.
func (s *Set) Renew(ctx context.Context, id string) error {
	ctx, cancel := asking(ctx)
	defer cancel()
	return s.look(ctx, s.Water.Recent(time.Nanosecond), id)
}

func (s *Set) look(ctx context.Context, from *noaa.Client, id string) error {
	st, ok := s.Stations.Station(id)
	if !ok {
		return fmt.Errorf("no station %s", id)
	}
	if predictionKind(st) == "none" {
		return nil
	}
	var c collection
	u, err := s.newest(ctx, from, st, &c)
	if err == nil {
		err = c.together()
	}
	if err != nil {
		return err
	}
	if u.Base != nil {
		if err := s.Stations.Apply(st.Reference, *u.Base); err != nil {
			return err
		}
	}
	return s.Stations.Apply(st.ID, u)
}

// newest is all that the predictions of a station are made of, as the service
// has it now. The documents are noted in c.
func (s *Set) newest(ctx context.Context, from *noaa.Client, st stations.Station, c *collection) (u stations.Update, err error) {
	if st.Subordinate() {
		reference, ok := s.Stations.Station(st.Reference)
		if !ok {
			return u, fmt.Errorf("%s refers to %s, which is not in the directory", st.ID, st.Reference)
		}
		base, err := s.newest(ctx, from, reference, c)
		if err != nil {
			return u, fmt.Errorf("reference %s of %s: %w", reference.ID, st.ID, err)
		}
		if st.Kind == stations.Tide {
			u, err = tideOffsets(ctx, from, st, c)
		} else {
			u, err = currentOffsets(ctx, from, st, c)
		}
		u.Base = &base
		return u, err
	}
	if st.Kind == stations.Tide {
		return tideConstants(ctx, from, st, c)
	}
	return currentConstants(ctx, from, st, c)
}

// collection is when documents that belong together were obtained.
type collection struct{ first, last time.Time }

func (c *collection) add(received time.Time) {
	c.first = older(c.first, received)
	if received.After(c.last) {
		c.last = received
	}
}

// together is an error where the documents were obtained so far apart that a
// revision may lie between them: one was kept while the service failed.
func (c collection) together() error {
	if between := c.last.Sub(c.first); between > apart {
		return fmt.Errorf("documents obtained %s apart: they may be of different revisions", between.Round(time.Minute))
	}
	return nil
}

// tideConstants are the newest constants and datums of a reference station. A
// station whose datums NOAA does not publish has constants alone.
func tideConstants(ctx context.Context, from *noaa.Client, st stations.Station, c *collection) (u stations.Update, err error) {
	harmonics, err := from.Harmonics(ctx, st.ID)
	if err != nil {
		return u, err
	}
	c.add(harmonics.ReceivedAt)
	u.At = harmonics.ReceivedAt
	if u.Harmonics, err = constants(harmonics.Data); err != nil {
		return u, err
	}
	datums, err := from.Datums(ctx, st.ID)
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable && len(st.Datums()) == 0 {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	c.add(datums.ReceivedAt)
	u.At = older(u.At, datums.ReceivedAt)
	datumUpdate(&u, datums.Data)
	return u, nil
}

// older is the earlier of two times of which the first may not be known.
func older(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// constants are the service's constituents by their numbers in package tide.
func constants(list []noaa.Harmonic) ([]tide.Harmonic, error) {
	numbers := map[string]int{}
	for i, c := range tide.Constituents() {
		numbers[c.Name] = i
	}
	harmonics := make([]tide.Harmonic, len(list))
	for i, h := range list {
		n, ok := numbers[strings.ToUpper(h.Name)]
		if !ok {
			return nil, fmt.Errorf("a constituent %q is not known here", h.Name)
		}
		harmonics[i] = tide.Harmonic{Constituent: n, Amplitude: h.Amplitude, Phase: h.Phase}
	}
	return harmonics, nil
}

// datumUpdate parts what the service lists among the datums.
func datumUpdate(u *stations.Update, d noaa.Datums) {
	u.Datums, u.Differences = []stations.Datum{}, []stations.Difference{}
	units := map[string]string{"GT": "m", "MN": "m", "DHQ": "m", "DLQ": "m", "HWI": "h", "LWI": "h"}
	for _, l := range d.Levels {
		if unit, ok := units[l.Name]; ok {
			u.Differences = append(u.Differences, stations.Difference{Name: l.Name, Value: l.Value, Unit: unit})
		} else {
			u.Datums = append(u.Datums, stations.Datum{Name: l.Name, Value: l.Value})
		}
	}
	for name, e := range map[string]*noaa.Extreme{"HAT": d.HAT, "LAT": d.LAT} {
		has := func(l stations.Datum) bool { return l.Name == name }
		if e != nil && !slices.ContainsFunc(u.Datums, has) {
			u.Datums = append(u.Datums, stations.Datum{Name: name, Value: e.Height})
		}
	}
	fmt.Sscanf(d.Epoch, "%d-%d", &u.FirstEpoch, &u.LastEpoch) // "" leaves them 0: none
}

func tideOffsets(ctx context.Context, from *noaa.Client, st stations.Station, c *collection) (u stations.Update, err error) {
	o, err := from.TideOffsets(ctx, st.ID)
	if err != nil {
		return u, err
	}
	c.add(o.ReceivedAt)
	d := o.Data
	return stations.Update{
		At: o.ReceivedAt, Reference: d.Reference,
		TideOffsets: &tide.Offsets{HighMinutes: d.HighMinutes, LowMinutes: d.LowMinutes, High: d.High, Low: d.Low, Fixed: d.Fixed},
	}, nil
}

// currentConstants are the newest constants of the bin that a reference row is
// of, asked for by its number. Without the number there are none: the service
// would answer with another bin.
func currentConstants(ctx context.Context, from *noaa.Client, st stations.Station, c *collection) (u stations.Update, err error) {
	id, _ := st.Bin()
	bin := st.BinNumber()
	if bin == 0 {
		return u, fmt.Errorf("the number of the bin of %s is not known", st.ID)
	}
	h, err := from.CurrentHarmonics(ctx, id, bin)
	if err != nil {
		return u, err
	}
	c.add(h.ReceivedAt)
	u = stations.Update{At: h.ReceivedAt, Bin: h.Data.Bin, MeanFlow: h.Data.MeanMajor}
	if d, err := from.CurrentDirections(ctx, id, bin); err == nil && d.Data.Flood != nil && d.Data.Ebb != nil {
		u.Flood, u.Ebb = d.Data.Flood, d.Data.Ebb // without them those in force stay
	}
	u.Harmonics, err = constants(h.Data.Constituents)
	return u, err
}

func currentOffsets(ctx context.Context, from *noaa.Client, st stations.Station, c *collection) (u stations.Update, err error) {
	id, _ := st.Bin()
	bin := st.BinNumber()
	if bin == 0 {
		return u, fmt.Errorf("the number of the bin of %s is not known", st.ID)
	}
	o, err := from.CurrentOffsets(ctx, id, bin)
	if err != nil {
		return u, err
	}
	c.add(o.ReceivedAt)
	return currentOffsetsUpdate(o.ReceivedAt, bin, o.Data), nil
}

func currentOffsetsUpdate(at time.Time, bin int, o noaa.CurrentOffsets) stations.Update {
	u := stations.Update{
		At: at, Reference: o.Reference, Bin: bin, Flood: o.FloodDirection, Ebb: o.EbbDirection,
		CurrentOffsets: &tide.CurrentOffsets{
			SlackBeforeFlood: o.SlackBeforeFlood, SlackBeforeEbb: o.SlackBeforeEbb, Flood: o.Flood, Ebb: o.Ebb,
			FloodRatio: o.FloodRatio, EbbRatio: o.EbbRatio,
		},
	}
	if o.ReferenceBin > 0 {
		u.Reference = fmt.Sprintf("%s_%d", o.Reference, o.ReferenceBin)
	}
	return u
}
