package facts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// Finder finds stations. Its errors are coast.Errors that name alternatives: station_not_found,
// product_unavailable or provider_unavailable.
type Finder struct {
	Stations *stations.Directory
	Overlay  *overlay.Overlay
}

// AnyStation returns a station of any kind. ID_BIN returns the row with that id or, if there is
// none, the station of the bin.
func (f Finder) AnyStation(id string) (stations.Station, error) {
	if base, _, named := strings.Cut(id, "_"); named {
		if _, ok := f.Stations.Station(id); !ok {
			id = base
		}
	}
	return f.station(id)
}

// station returns the station with the id, or an error that names similar ones. The
// station is queued for an update of its constants.
func (f Finder) station(id string) (stations.Station, error) {
	if st, ok := f.Stations.Station(id); ok {
		f.Overlay.Queue(st.ID)
		return st, nil
	}
	if stations.GreatLakes(id) {
		return stations.Station{}, coast.Errorf(coast.ProductUnavailable,
			"%s is an id of the Great Lakes: %s", id, noLakeTides).With(lakeLevels(id))
	}
	if err := f.Unpredicted(id); err != nil {
		return stations.Station{}, err
	}
	return stations.Station{}, coast.Errorf(coast.StationNotFound, "No station %q in the directory.%s",
		coast.Clip(id), f.nearMatches(id)).With(coast.SearchStations.Hint("Search by name", "Boston"))
}

// Unpredicted returns why a station that the directory does not hold is not predicted,
// nil if NOAA's embedded lists do not name it.
func (f Finder) Unpredicted(id string) error {
	id, _, _ = strings.Cut(id, "_")
	if listed, ok := f.Stations.Weak(id); ok {
		return coast.Errorf(coast.ProductUnavailable, "The currents at %s are weak and variable: NOAA "+
			"publishes no predictions for it (list of %s). That is not the same as no current.",
			strings.ToUpper(id), listed.Format(time.DateOnly))
	}
	r, ok := f.Stations.Retired(id)
	if !ok {
		return nil
	}
	e := coast.Errorf(coast.StationNotFound, "%s (%s) is retired: NOAA listed it on %s and "+
		"predicts nothing for it now.", r.ID, r.Name, r.Listed.Format(time.DateOnly))
	e.Message += f.nearest(r.Latitude, r.Longitude, " The nearest active station", predictsTides)
	return e
}

const noLakeTides = "the level there follows rain, wind and outflow, and NOAA predicts no tide. " +
	"It has observed levels."

// lakeLevels returns the hint at the observed levels of a station of the Great Lakes.
func lakeLevels(id string) coast.Hint { return coast.GetWaterLevels.Hint("Get them", id) }

// Gauge returns a station that may have observations. A station that only the metadata service
// knows is added to the directory.
func (f Finder) Gauge(ctx context.Context, id string) (stations.Station, error) {
	st, err := f.AnyStation(id)
	if err == nil {
		return st, nil
	}
	added, ok, asked := f.Overlay.AddStation(ctx, id)
	switch {
	case asked != nil:
		return st, unlisted(id, err, asked)
	case !ok:
		return st, err
	}
	return added, nil
}

// Listed is like Gauge, for results that come mostly from the directory. While NOAA does not
// respond, stations that are not in the directory are not found. Stations of the Great Lakes are
// an exception, because none of them is embedded.
func (f Finder) Listed(ctx context.Context, id string) (stations.Station, error) {
	st, err := f.Gauge(ctx, id)
	if e, _ := coast.AsError(err); err == nil || e.Code != coast.ProviderUnavailable ||
		stations.GreatLakes(id) {
		return st, err
	}
	var here *coast.Error
	if _, err := f.AnyStation(id); errors.As(err, &here) && here.Code == coast.StationNotFound {
		here.Message += " NOAA's metadata service, which has more stations, could not be queried."
		return st, here
	}
	return f.AnyStation(id)
}

// unlisted returns why a station that is not in the directory cannot be used: the metadata
// service does not know it either, or did not respond.
func unlisted(id string, here, asked error) error {
	e, _ := coast.AsError(asked)
	if e.Code != coast.ProviderUnavailable {
		return here
	}
	if e, _ := coast.AsError(here); strings.Contains(e.Message, "weak and variable") ||
		strings.Contains(e.Message, "is retired") {
		return here
	}
	out := *e
	out.Message = fmt.Sprintf("No station %q in the embedded directory, and NOAA's "+
		"metadata service could not be queried: %s", coast.Clip(id), e.Message)
	if stations.GreatLakes(id) {
		out.Message = fmt.Sprintf("%s is an id of the Great Lakes, whose stations only NOAA's "+
			"metadata service knows: %s", id, e.Message)
	}
	return &out
}

// nearMatches names the stations with ids similar to id or with names that match it: callers may
// give names instead of ids.
func (f Finder) nearMatches(id string) string {
	const most = 3
	var near []string
	for limit := 1; limit <= 2 && len(near) < most; limit++ {
		for _, st := range f.Stations.All("") {
			if len(near) < most && len(st.ID) <= len(id)+limit && len(id) <= len(st.ID)+limit &&
				coast.Distance(strings.ToUpper(id), strings.ToUpper(st.ID)) == limit {
				near = append(near, fmt.Sprintf("%s (%s)", st.ID, st.Name))
			}
		}
	}
	if near == nil {
		for _, st := range f.Stations.Search(id, nil) {
			if len(near) < most {
				near = append(near, fmt.Sprintf("%s (%s)", st.ID, st.Name))
			}
		}
	}
	if near == nil {
		return ""
	}
	return " Near: " + strings.Join(near, "; ") + "."
}

// TideStation returns a station that predicts heights. It is a snapshot, so that everything in a
// result is of one epoch.
func (f Finder) TideStation(id string) (stations.Station, error) {
	st, err := f.station(id)
	if err == nil && st.Kind == stations.Gauge {
		return st, f.noPredictions(st)
	}
	if err == nil && st.Kind != stations.Tide {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a current station: it has flood, ebb "+
			"and slack but no heights.%s", st.ID, st.Name, f.nearestOfKind(st, stations.Tide)).
			With(coast.GetCurrentPredictions.Hint("Get flood, ebb and slack at "+st.ID, st.ID))
	}
	return st.Snapshot(), err
}

// CurrentStation returns a station that predicts currents.
func (f Finder) CurrentStation(id string) (stations.Station, error) {
	st, err := f.station(id)
	if err == nil && f.Weak(st) {
		return st, coast.Errorf(coast.ProductUnavailable, "The currents at %s (%s) are weak and "+
			"variable: NOAA publishes no predictions for it. That is not the same as no current.%s", st.ID,
			st.Name, f.nearestOfKind(st, stations.Current))
	}
	if err == nil && st.Kind == stations.Gauge {
		return st, f.noPredictions(st)
	}
	if err == nil && st.Kind != stations.Current {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a tide station: it has heights; flood, "+
			"ebb and slack never follow from heights.%s", st.ID, st.Name,
			f.nearestOfKind(st, stations.Current)).
			With(coast.GetPredictions.Hint("Get the heights at "+st.ID, st.ID))
	}
	return st, err
}

// Weak reports whether NOAA is known not to predict the currents of a station, by the
// service's list or, until that has been obtained, by the embedded one.
func (f Finder) Weak(st stations.Station) bool {
	if has, _, known := f.Stations.Observing(overlay.WeakCurrents); known {
		return has(st.ID)
	}
	_, ok := f.Stations.Weak(st.ID)
	return ok
}

// noPredictions returns the error for a prediction at a station that only observes.
func (f Finder) noPredictions(st stations.Station) error {
	if stations.GreatLakes(st.ID) {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) is a station of the Great Lakes: %s",
			st.ID, st.Name, noLakeTides).With(lakeLevels(st.ID))
	}
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) has observations but no predictions.%s",
		st.ID, st.Name, f.nearestOfKind(st, stations.Tide)).With(
		coast.GetWaterLevels.Hint("Ask for observed levels at "+st.ID, st.ID),
		coast.GetConditions.Hint("Ask for observed weather at "+st.ID, st.ID))
}

// nearest returns a sentence that begins with what and names the nearest station that keep
// accepts. It is empty if there is none.
func (f Finder) nearest(latitude, longitude float64, what string, keep stations.Filter) string {
	near := f.Stations.Nearest(latitude, longitude, 1, keep)
	if len(near) == 0 {
		return ""
	}
	n := near[0]
	return fmt.Sprintf("%s is %s (%s), %.1f km away.", what, n.Station.ID, n.Station.Name,
		n.Kilometers)
}

func predictsTides(st stations.Station) bool {
	return st.Kind == stations.Tide && Predicts(st) == "tides"
}

// nearestOfKind names the nearest station of the kind that was needed.
func (f Finder) nearestOfKind(st stations.Station, kind stations.Kind) string {
	what := fmt.Sprintf(" The nearest %s station", kind)
	return f.nearest(st.Latitude, st.Longitude, what, func(o stations.Station) bool {
		return o.Kind == kind && o.ID != st.ID && Predicts(o) != "nothing" && !f.Weak(o)
	})
}

// LevelStation returns a station that can have levels of its own.
func (f Finder) LevelStation(ctx context.Context, id string) (stations.Station, error) {
	st, err := f.Listed(ctx, id)
	switch {
	case err != nil:
		return st, err
	case st.Kind == stations.Current:
		return f.TideStation(id)
	case st.Subordinate():
		return st, coast.Errorf(coast.ProductUnavailable, "%s (%s) is a subordinate station: it has "+
			"no datums of its own, and its predictions are above MLLW. Its reference station is %s.",
			st.ID, st.Name, st.Reference)
	}
	return st, nil
}

// Predicts returns what a station predicts: tides, currents or nothing.
func Predicts(st stations.Station) string {
	switch {
	case PredictionKind(st) == "none":
		return "nothing"
	case st.Kind == stations.Current:
		return "currents"
	}
	return "tides"
}

// PredictionKind returns how a station is predicted: from constants of its own
// (harmonic), from a reference station (subordinate), or not at all (none).
func PredictionKind(st stations.Station) string {
	switch {
	case st.Subordinate():
		return "subordinate"
	case st.HasConstants():
		return "harmonic"
	}
	return "none"
}

// Unobserved completes a product_unavailable error about the observations of an interval. If NOAA
// lists the station for the kind of observation, its newest value is missing only at the moment;
// otherwise the error names the nearest station that NOAA lists.
func (s Set) Unobserved(
	st stations.Station, at Interval, err error, kind, what string,
) error {
	var e *coast.Error
	has, _, known := s.Stations.Observing(kind)
	if !errors.As(err, &e) || e.Code != coast.ProductUnavailable || !known {
		return err
	}
	if has(st.ID) && noaa.IsNoData(err) && at.newest(s.Now) {
		return coast.Errorf(coast.ProductUnavailable, "NOAA has no value of the %s of %s (%s) at the "+
			"moment: ask again later, or for an earlier time.", what, st.ID, st.Name)
	}
	if has(st.ID) {
		return err
	}
	near := s.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
		_, bin := o.Bin()
		return bin == 0 && has(o.ID)
	})
	if len(near) == 0 {
		return err
	}
	n := near[0]
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no %s now. The nearest is %s (%s), "+
		"%.1f km away: its water need not be this water.", st.ID, st.Name, what, n.Station.ID,
		n.Station.Name, n.Kilometers)
}

// DatumError adds the datums that a station has to a datum_unavailable error.
func (f Finder) DatumError(st stations.Station, datum string, err error) error {
	var e *coast.Error
	if !errors.As(err, &e) || e.Code != coast.DatumUnavailable {
		return err
	}
	has := f.Stations.TideDatums(st)
	if stations.GreatLakes(st.ID) {
		has = []string{"IGLD", "LWD", "STND"}
	}
	out := *e
	if len(has) > 0 {
		out.Message = fmt.Sprintf("%s (%s) has no datum %s. It has %s. Example: \"datum\": %q.", st.ID,
			st.Name, datum, strings.Join(has, ", "), has[0])
	}
	out.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: out.Message}}
	return &out
}
