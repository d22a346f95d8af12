package overlay

import (
	"context"
	"fmt"
	"math"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// WeakCurrents names the list of current stations that NOAA does not predict. This package
// derives it from the list of the stations that NOAA knows.
const WeakCurrents = "weak and variable"

// UpdateBins requests the list of current predictions, in which each bin is a row. It
// records the bins of stations, and adds the stations that NOAA calls weak and
// variable.
func (o *Overlay) UpdateBins(ctx context.Context) error { return o.updateBins(ctx, o.water) }

func (o *Overlay) updateBins(ctx context.Context, from *noaa.Client) error {
	list, err := from.Stations(ctx, "currentpredictions")
	if err != nil {
		return fmt.Errorf("listing current predictions: %w", err)
	}
	var weak []string
	var rows []stations.Listed
	bins := map[string][]stations.DepthBin{}
	for _, row := range list.Data {
		if row.Type == "W" {
			one := listed(row)
			one.Kind = stations.Current
			weak, rows = append(weak, row.ID), append(rows, one)
		}
		if row.Bin != nil && *row.Bin > 0 {
			bins[row.ID] = withBin(bins[row.ID], row)
		}
	}
	o.directory.Join(list.ReceivedAt, rows)
	o.directory.Observe(WeakCurrents, weak, list.ReceivedAt)
	for id, of := range bins {
		// Unknown stations and impossible bins are ignored.
		o.directory.Apply(id, stations.Update{At: list.ReceivedAt, Bins: of})
	}
	return nil
}

// withBin adds a row of the list to a station's bins. The first row is the bin that NOAA predicts
// by default.
func withBin(bins []stations.DepthBin, row noaa.Station) []stations.DepthBin {
	bin := stations.DepthBin{Number: *row.Bin, Predicted: row.Type != "W", Default: len(bins) == 0}
	if row.DepthType != "B" { // height above the bottom, not depth
		bin.Depth = row.Depth
	}
	if slices.ContainsFunc(bins, func(b stations.DepthBin) bool { return b.Number == bin.Number }) {
		return bins
	}
	return append(bins, bin)
}

// AddBin requests the constants of another bin of a current station and adds it to the directory.
// It returns a coast.Error: product_unavailable or provider_unavailable.
func (o *Overlay) AddBin(
	ctx context.Context, st stations.Station, bin int,
) (stations.Station, error) {
	one := stations.Listed{
		ID: fmt.Sprintf("%s_%d", st.ID, bin), Name: st.Name, State: st.State,
		Latitude: st.Latitude, Longitude: st.Longitude, Zone: st.Zone, Kind: stations.Current,
	}
	var u stations.Update
	var err error
	if st.Subordinate() {
		u, one.Reference, err = o.subordinateBin(ctx, st, bin)
	} else {
		u, err = o.referenceBin(ctx, st, bin)
	}
	if err != nil {
		return st, err
	}
	o.directory.Join(u.At, []stations.Listed{one})
	if err := o.directory.Apply(one.ID, u); err != nil {
		return st, coast.Errorf(coast.ProviderUnavailable,
			"NOAA's constants of %s are invalid: %v. No data is invented.", one.ID, err)
	}
	added, _ := o.directory.Station(one.ID)
	return added, nil
}

// subordinateBin requests the offsets of a bin of a subordinate station and the constants to
// which they apply.
func (o *Overlay) subordinateBin(
	ctx context.Context, st stations.Station, bin int,
) (u stations.Update, reference string, err error) {
	from := o.water.Recent(maxCachedAge)
	offsets, err := from.CurrentOffsets(ctx, st.ID, bin)
	if err != nil {
		return u, "", err
	}
	u = offsetsUpdate(offsets.ReceivedAt, bin, offsets.Data)
	if reference = referenceOf(o.directory, offsets.Data); reference == "" {
		return u, "", coast.Errorf(coast.ProductUnavailable, "%s (%s) is predicted at bin %d from %s, "+
			"which is not in the directory. Leave bin out for the bin that NOAA predicts by default.", st.ID,
			st.Name, bin, u.Reference)
	}
	var received window
	received.add(offsets.ReceivedAt)
	of, _ := o.directory.Station(reference)
	base, err := currentConstants(ctx, from, of, &received)
	if err == nil {
		err = received.check()
	}
	if _, known := coast.AsError(err); err != nil && !known {
		err = coast.Errorf(coast.ProviderUnavailable, "NOAA's constants of %s, from which bin %d of "+
			"%s is predicted, are unavailable: %v. Leave bin out for the bin that NOAA predicts by default.",
			reference, bin, st.ID, err)
	}
	u.Base = &base
	return u, reference, err
}

// referenceBin requests the constants of a bin of a reference station.
func (o *Overlay) referenceBin(
	ctx context.Context, st stations.Station, bin int,
) (u stations.Update, err error) {
	h, err := o.water.CurrentHarmonics(ctx, st.ID, bin)
	if err != nil {
		return u, err
	}
	u = stations.Update{At: h.ReceivedAt, Bin: h.Data.Bin, MeanFlow: h.Data.MeanMajor}
	if u.Harmonics, err = numbered(h.Data.Constituents); err != nil {
		return u, coast.Errorf(coast.ProviderUnavailable, "NOAA's constants of bin %d of %s are of a "+
			"form that is not known: %v. No data is invented.", bin, st.ID, err)
	}
	if u.Flood, u.Ebb = meanDirections(ctx, o.water, st.ID, bin); u.Flood == nil {
		u.Flood, u.Ebb = axis(h.Data.Azimuth)
		u.Axis = true
	}
	return u, nil
}

// axis returns the directions of flood and ebb along a current's main axis.
func axis(azimuth *float64) (flood, ebb *float64) {
	if azimuth == nil {
		return nil, nil
	}
	along := math.Round(*azimuth*10) / 10
	opposite := math.Round(math.Mod(*azimuth+180, 360)*10) / 10
	return &along, &opposite
}

// referenceOf returns the id of the station that a bin's offsets refer to, "" if the
// directory does not hold it.
func referenceOf(d *stations.Directory, o noaa.CurrentOffsets) string {
	if r, ok := d.Station(fmt.Sprintf("%s_%d", o.Reference, o.ReferenceBin)); ok {
		return r.ID
	}
	r, ok := d.Station(o.Reference)
	if ok && (o.ReferenceBin == 0 || r.BinNumber() == o.ReferenceBin) {
		return r.ID
	}
	return ""
}
