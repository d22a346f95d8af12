package facts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// CurrentBin returns the current station with the constants of the bin. The bin is the default
// bin of NOAA's predictions, one of the few others that are embedded because subordinate stations
// refer to them (ID_BIN), or one that the metadata service knows. A bin of the last kind is added
// to the directory.
func (f Finder) CurrentBin(ctx context.Context, id string, bin *int) (stations.Station, error) {
	base, suffix, named := strings.Cut(id, "_")
	if named {
		n, err := strconv.Atoi(suffix)
		if err != nil || bin != nil && *bin != n {
			return stations.Station{}, BadBin(id)
		}
		bin = &n
	}
	st, err := f.CurrentStation(base)
	if err != nil || bin == nil {
		return st, err
	}
	if st.BinNumber() == *bin {
		return st, nil
	}
	other, _ := f.Stations.Station(fmt.Sprintf("%s_%d", base, *bin))
	if _, ready := f.Stations.Currents(other); ready { // a bin being added does not have constants yet
		return other, nil
	}
	return f.liveBin(ctx, st, *bin)
}

// BadBin returns the error for a station id with an impossible bin.
func BadBin(id string) error {
	return Invalid("station", "bin", `station %q names a bin after the underscore, which must be a `+
		`whole number and the same as bin. Example: "station": "EPT0003_11".`, id)
}

// liveBin returns a bin that is not embedded. Only the metadata service knows which ones
// are predicted.
func (f Finder) liveBin(
	ctx context.Context, st stations.Station, bin int,
) (stations.Station, error) {
	bins, known := st.DepthBins()
	if !known {
		if err := f.Overlay.UpdateBins(ctx); err != nil {
			return st, noBinList(st, bin, err)
		}
		bins, _ = st.DepthBins()
	}
	for _, b := range bins {
		if b.Number == bin && st.BinNumber() == bin {
			return st, nil
		}
		if b.Number == bin {
			return f.Overlay.AddBin(ctx, st, bin)
		}
	}
	return st, noSuchBin(st, bins)
}

// noBinList returns the error for a request for a bin while the service does not respond. Only
// the service knows the bins.
func noBinList(st stations.Station, bin int, err error) error {
	e, _ := coast.AsError(errors.Unwrap(err))
	out := coast.Errorf(coast.ProviderUnavailable, "Bin %d of %s (%s) is not in the embedded data, "+
		"and NOAA's metadata service could not be queried: %s Leave bin out for the bin that NOAA "+
		"predicts by default", bin, st.ID, st.Name, e.Message)
	out.RetryAfterSeconds = e.RetryAfterSeconds
	if own := st.BinNumber(); own > 0 {
		out.Message += fmt.Sprintf(", bin %d", own)
	}
	out.Message += "."
	return out
}

func noSuchBin(st stations.Station, bins []stations.DepthBin) error {
	var has []string
	for _, b := range bins {
		has = append(has, strconv.Itoa(b.Number))
	}
	if has == nil {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no numbered bins. Leave bin out.",
			st.ID, st.Name)
	}
	return Invalid("bin", "bin", `%s (%s) is predicted at the bins %s. Example: "bin": %s.`, st.ID,
		st.Name, strings.Join(has, ", "), has[0])
}

// BinOf returns the number of the bin that a current station's row describes, nil if it is not
// known.
func BinOf(st stations.Station) *int {
	bin := st.BinNumber()
	if bin == 0 {
		return nil
	}
	return &bin
}

// Depth returns the depth in meters of the bin that a current station's row describes, nil if it
// is not known. The bins of a station belong to its own row.
func (f Finder) Depth(st stations.Station) *float64 {
	id, _ := st.Bin()
	own, _ := f.Stations.Station(id)
	bins, _ := own.DepthBins()
	for _, b := range bins {
		if bin := BinOf(st); bin != nil && b.Number == *bin {
			return b.Depth
		}
	}
	return nil
}

// CurrentReach limits how far a current station may be to represent a place, in kilometers, and
// FarCurrentReach how far with a warning (ours): currents change from one side of a channel to
// the other.
const (
	CurrentReach    = 5
	FarCurrentReach = 15
)

// CurrentNear returns the station whose current represents a position: the nearest one within
// FarCurrentReach whose speeds NOAA predicts. The error is a coast.Error: StationNotFound if none
// is within reach or if NOAA predicts no current at the nearest one, which it calls weak and
// variable, and ProductUnavailable if NOAA gives no speeds.
func (s Set) CurrentNear(latitude, longitude float64) (stations.Near, error) {
	near := s.Stations.Nearest(latitude, longitude, 20, func(st stations.Station) bool {
		_, bin := st.Bin()
		return st.Kind == stations.Current && bin == 0 && (Predicts(st) == "currents" || s.Weak(st))
	})
	switch {
	case len(near) == 0:
		return stations.Near{}, coast.Errorf(coast.StationNotFound,
			"no station with predicted tidal currents is known")
	case near[0].Kilometers > FarCurrentReach:
		return stations.Near{}, coast.Errorf(coast.StationNotFound, "no station with predicted tidal "+
			"currents lies within %d km; the nearest, %s (%s), is %.0f km away", FarCurrentReach,
			near[0].Station.ID, near[0].Station.Name, near[0].Kilometers)
	case s.Weak(near[0].Station):
		return stations.Near{}, coast.Errorf(coast.StationNotFound, "NOAA calls the current at the "+
			"nearest station, %s, weak and variable and does not predict it; there can be a current",
			near[0].Station.ID)
	}
	for _, n := range near {
		predictor, ok := s.Stations.Currents(n.Station.Snapshot())
		if ok && !Unrated(predictor) && n.Kilometers <= FarCurrentReach {
			return n, nil
		}
	}
	return stations.Near{}, coast.Errorf(coast.ProductUnavailable,
		"NOAA gives no speeds of one phase at %s, the nearest current station", near[0].Station.ID)
}
