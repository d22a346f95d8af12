package overlay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// newest requests everything from which the predictions of a station are computed. received
// records when each document was obtained.
func newest(ctx context.Context, d *stations.Directory, from *noaa.Client, st stations.Station,
	received *window) (u stations.Update, err error) {
	if st.Subordinate() {
		reference, ok := d.Station(st.Reference)
		if !ok {
			return u, fmt.Errorf("%s refers to %s, which is not in the directory", st.ID, st.Reference)
		}
		base, err := newest(ctx, d, from, reference, received)
		if err != nil {
			return u, fmt.Errorf("reference %s of %s: %w", reference.ID, st.ID, err)
		}
		if st.Kind == stations.Tide {
			u, err = tideOffsets(ctx, from, st, received)
		} else {
			u, err = currentOffsets(ctx, from, st, received)
		}
		u.Base = &base
		return u, err
	}
	if st.Kind == stations.Tide {
		return tideConstants(ctx, from, st, received)
	}
	return currentConstants(ctx, from, st, received)
}

// window is the time span in which documents that belong together were obtained.
type window struct{ first, last time.Time }

func (w *window) add(received time.Time) {
	w.first = older(w.first, received)
	if received.After(w.last) {
		w.last = received
	}
}

// check reports documents that were obtained so far apart that a revision may lie
// between them: one was cached while the service failed.
func (w window) check() error {
	if between := w.last.Sub(w.first); between > maxApart {
		return fmt.Errorf("documents obtained %s apart: they may be of different revisions",
			between.Round(time.Minute))
	}
	return nil
}

// older returns the earlier of two times. The first may be unknown.
func older(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// tideConstants requests the constants and datums of a reference station. If NOAA does not
// publish a station's datums, it has constants only.
func tideConstants(
	ctx context.Context, from *noaa.Client, st stations.Station, received *window,
) (u stations.Update, err error) {
	harmonics, err := from.Harmonics(ctx, st.ID)
	if err != nil {
		return u, err
	}
	received.add(harmonics.ReceivedAt)
	u.At = harmonics.ReceivedAt
	if u.Harmonics, err = numbered(harmonics.Data); err != nil {
		return u, err
	}
	datums, err := from.Datums(ctx, st.ID)
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable && len(st.Datums()) == 0 {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	received.add(datums.ReceivedAt)
	u.At = older(u.At, datums.ReceivedAt)
	setDatums(&u, datums.Data)
	return u, nil
}

// numbered returns the service's constituents by their numbers in package tide.
func numbered(list []noaa.Harmonic) ([]tide.Harmonic, error) {
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

// Datums returns the levels, the differences and the epoch that the service lists
// as datums of a station.
func Datums(d noaa.Datums, received time.Time) stations.Update {
	u := stations.Update{At: received}
	setDatums(&u, d)
	return u
}

func setDatums(u *stations.Update, d noaa.Datums) {
	u.Datums, u.Differences = []stations.Datum{}, []stations.Difference{}
	units := map[string]string{"GT": "m", "MN": "m", "DHQ": "m", "DLQ": "m", "HWI": "h", "LWI": "h"}
	for _, l := range d.Levels {
		if unit, ok := units[l.Name]; ok {
			u.Differences = append(u.Differences, stations.Difference{Name: l.Name, Value: l.Value,
				Unit: unit})
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
	fmt.Sscanf(d.Epoch, "%d-%d", &u.FirstEpoch, &u.LastEpoch) // "" leaves them 0: unknown
}

func tideOffsets(
	ctx context.Context, from *noaa.Client, st stations.Station, received *window,
) (u stations.Update, err error) {
	o, err := from.TideOffsets(ctx, st.ID)
	if err != nil {
		return u, err
	}
	received.add(o.ReceivedAt)
	d := o.Data
	return stations.Update{
		At: o.ReceivedAt, Reference: d.Reference,
		TideOffsets: &tide.Offsets{
			HighMinutes: d.HighMinutes, LowMinutes: d.LowMinutes, High: d.High, Low: d.Low, Fixed: d.Fixed,
		},
	}, nil
}

// currentConstants requests the constants of the bin of a reference station, by the
// bin's number. Without the number the service would return another bin.
func currentConstants(
	ctx context.Context, from *noaa.Client, st stations.Station, received *window,
) (u stations.Update, err error) {
	id, bin, err := binOf(st)
	if err != nil {
		return u, err
	}
	h, err := from.CurrentHarmonics(ctx, id, bin)
	if err != nil {
		return u, err
	}
	received.add(h.ReceivedAt)
	u = stations.Update{At: h.ReceivedAt, Bin: h.Data.Bin, MeanFlow: h.Data.MeanMajor}
	u.Flood, u.Ebb = meanDirections(ctx, from, id, bin) // without new ones those in force remain
	u.Harmonics, err = numbered(h.Data.Constituents)
	return u, err
}

// meanDirections requests NOAA's mean directions of flood and ebb, nil unless both
// could be obtained.
func meanDirections(
	ctx context.Context, from *noaa.Client, id string, bin int,
) (flood, ebb *float64) {
	d, err := from.CurrentDirections(ctx, id, bin)
	if err != nil || d.Data.Flood == nil || d.Data.Ebb == nil {
		return nil, nil
	}
	return d.Data.Flood, d.Data.Ebb
}

func currentOffsets(
	ctx context.Context, from *noaa.Client, st stations.Station, received *window,
) (u stations.Update, err error) {
	id, bin, err := binOf(st)
	if err != nil {
		return u, err
	}
	o, err := from.CurrentOffsets(ctx, id, bin)
	if err != nil {
		return u, err
	}
	received.add(o.ReceivedAt)
	return offsetsUpdate(o.ReceivedAt, bin, o.Data), nil
}

func binOf(st stations.Station) (id string, bin int, err error) {
	id, _ = st.Bin()
	if bin = st.BinNumber(); bin == 0 {
		err = fmt.Errorf("the number of the bin of %s is not known", st.ID)
	}
	return id, bin, err
}

func offsetsUpdate(at time.Time, bin int, o noaa.CurrentOffsets) stations.Update {
	u := stations.Update{
		At: at, Reference: o.Reference, Bin: bin, Flood: o.FloodDirection, Ebb: o.EbbDirection,
		CurrentOffsets: &tide.CurrentOffsets{
			SlackBeforeFlood: o.SlackBeforeFlood, SlackBeforeEbb: o.SlackBeforeEbb, Flood: o.Flood,
			Ebb:        o.Ebb,
			FloodRatio: o.FloodRatio, EbbRatio: o.EbbRatio,
		},
	}
	if o.ReferenceBin > 0 {
		u.Reference = fmt.Sprintf("%s_%d", o.Reference, o.ReferenceBin)
	}
	return u
}
