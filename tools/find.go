package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/overlay"
	"leadline/internal/schema"
	"leadline/internal/stations"
)

// AtStation is the argument that most operations share.
type AtStation struct {
	Station string `json:"station" doc:"As 8443970 or ACT0091." pattern:"^[A-Za-z0-9_]{4,16}$" example:"8443970"`
}

// OnDatum is the argument of operations whose heights stand above a level.
type OnDatum struct {
	Datum string `json:"datum" default:"MLLW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL IGLD LWD CRD" doc:"Zero of heights."`
}

// InUnits is the argument of operations whose quantities have units.
type InUnits struct {
	Units string `json:"units" default:"english" enum:"english metric" doc:"ft, knots, F; or m, m/s, C."`
}

// InZone is the argument of operations that write times.
type InZone struct {
	TimeZone string `json:"time_zone" default:"lst_ldt" enum:"gmt lst lst_ldt" doc:"gmt, standard or civil time."`
}

// station finds the station with the id, or says which ones come near.
func (s *Set) station(id string) (stations.Station, error) {
	if st, ok := s.Stations.Station(id); ok {
		s.Overlay.Queue(st.ID)
		return st, nil
	}
	if stations.GreatLakes(id) {
		return stations.Station{}, coast.Errorf(coast.ProductUnavailable, "%s is an id of the Great Lakes: %s", id, noLakeTides)
	}
	if err := s.unpredicted(id); err != nil {
		return stations.Station{}, err
	}
	return stations.Station{}, coast.Errorf(coast.StationNotFound,
		"No station %q in the directory.%s Search by name with noaa_search_stations, for example {\"query\": \"Boston\"}.", schema.Clip(id), s.nearMatches(id))
}

// unpredicted is why a station that the directory does not hold is not
// predicted, nil where the lists of NOAA's that are embedded do not say.
func (s *Set) unpredicted(id string) error {
	id, _, _ = strings.Cut(id, "_")
	if listed, ok := s.Stations.Weak(id); ok {
		return coast.Errorf(coast.ProductUnavailable, "The currents at %s are weak and variable: NOAA publishes no predictions for it (list of %s). That is not the same as no current.", strings.ToUpper(id), listed.Format(time.DateOnly))
	}
	r, ok := s.Stations.Retired(id)
	if !ok {
		return nil
	}
	e := coast.Errorf(coast.StationNotFound, "%s (%s) is retired: NOAA listed it on %s and predicts nothing for it now.", r.ID, r.Name, r.Listed.Format(time.DateOnly))
	near := s.Stations.Nearest(r.Latitude, r.Longitude, 1, func(o stations.Station) bool { return o.Kind == stations.Tide && predicts(o) == "tides" })
	if len(near) > 0 {
		n := near[0]
		e.Message += fmt.Sprintf(" The nearest active station is %s (%s), %.1f km away.", n.Station.ID, n.Station.Name, n.Kilometers)
	}
	return e
}

// anyStation finds a station of any kind; ID_BIN is a row of its own or its
// station.
func (s *Set) anyStation(id string) (stations.Station, error) {
	if base, _, named := strings.Cut(id, "_"); named {
		if _, ok := s.Stations.Station(id); !ok {
			id = base
		}
	}
	return s.station(id)
}

const noLakeTides = "the level there follows rain, wind and outflow, and NOAA predicts no tide. Observed levels (noaa_get_water_levels) are what it has."

// gauge finds a station that may measure something: one of the directory, or
// one that only the metadata service knows, which then joins it.
func (m moment) gauge(ctx context.Context, id string) (stations.Station, error) {
	st, err := m.anyStation(id)
	if err == nil {
		return st, nil
	}
	added, ok, asked := m.Overlay.AddStation(ctx, id)
	switch {
	case asked != nil:
		return st, unlisted(id, err, asked)
	case !ok:
		return st, err
	}
	return added, nil
}

// listed is gauge for answers that mostly stand in the directory: where NOAA
// could not be asked, a station that is not in it counts as none, but for those
// of the Great Lakes, of which none is in it.
func (m moment) listed(ctx context.Context, id string) (stations.Station, error) {
	st, err := m.gauge(ctx, id)
	if e, _ := coast.AsError(err); err == nil || e.Code != coast.ProviderUnavailable || stations.GreatLakes(id) {
		return st, err
	}
	var here *coast.Error
	if _, err := m.anyStation(id); errors.As(err, &here) && here.Code == coast.StationNotFound {
		here.Message += " The metadata service of NOAA, which knows more stations, could not be asked."
		return st, here
	}
	return m.anyStation(id)
}

// unlisted is why a station that the directory does not hold cannot be had:
// the metadata service does not know it either, or it could not be asked.
func unlisted(id string, here, asked error) error {
	e, _ := coast.AsError(asked)
	if e.Code != coast.ProviderUnavailable {
		return here
	}
	if e, _ := coast.AsError(here); strings.Contains(e.Message, "weak and variable") || strings.Contains(e.Message, "is retired") {
		return here
	}
	out := *e
	out.Message = fmt.Sprintf("No station %q in the embedded directory, and whether NOAA has it could not be asked: %s", schema.Clip(id), e.Message)
	if stations.GreatLakes(id) {
		out.Message = fmt.Sprintf("%s is an id of the Great Lakes, whose stations only NOAA's metadata service knows: %s", id, e.Message)
	}
	return &out
}

// nearMatches names the stations whose ids are most like id, or whose names
// match it: people give names where ids are asked.
func (s *Set) nearMatches(id string) string {
	const most = 3
	var near []string
	for limit := 1; limit <= 2 && len(near) < most; limit++ {
		for _, st := range s.Stations.All("") {
			if len(near) < most && len(st.ID) <= len(id)+limit && len(id) <= len(st.ID)+limit && schema.Distance(strings.ToUpper(id), strings.ToUpper(st.ID)) == limit {
				near = append(near, fmt.Sprintf("%s (%s)", st.ID, st.Name))
			}
		}
	}
	if near == nil {
		for _, st := range s.Stations.Search(id, nil) {
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

// tideStation finds a station that predicts heights, as it is now: what a result
// holds of it is of one epoch.
func (s *Set) tideStation(id string) (stations.Station, error) {
	st, err := s.station(id)
	if err == nil && st.Kind == stations.Gauge {
		return st, s.noPredictions(st)
	}
	if err == nil && st.Kind != stations.Tide {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a current station: it has flood, ebb and slack (noaa_get_current_predictions) but no heights.%s", st.ID, st.Name, s.instead(st, stations.Tide))
	}
	return st.Snapshot(), err
}

// currentStation finds a station that predicts currents.
func (s *Set) currentStation(id string) (stations.Station, error) {
	st, err := s.station(id)
	if err == nil && s.weak(st) {
		return st, coast.Errorf(coast.ProductUnavailable, "The currents at %s (%s) are weak and variable: NOAA publishes no predictions for it. That is not the same as no current.%s", st.ID, st.Name, s.instead(st, stations.Current))
	}
	if err == nil && st.Kind == stations.Gauge {
		return st, s.noPredictions(st)
	}
	if err == nil && st.Kind != stations.Current {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a tide station: it has heights (noaa_get_tide_predictions); flood, ebb and slack never follow from heights.%s", st.ID, st.Name, s.instead(st, stations.Current))
	}
	return st, err
}

// weak reports whether NOAA is known not to predict the currents of a station:
// by the service's list, or where that has not been had by the embedded one.
func (s *Set) weak(st stations.Station) bool {
	if has, _, known := s.Stations.Observing(overlay.WeakCurrents); known {
		return has(st.ID)
	}
	_, ok := s.Stations.Weak(st.ID)
	return ok
}

// noPredictions says of a station that only observes what it can answer.
func (s *Set) noPredictions(st stations.Station) error {
	if stations.GreatLakes(st.ID) {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) is a station of the Great Lakes: %s", st.ID, st.Name, noLakeTides)
	}
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) observes and predicts nothing: ask noaa_get_water_levels or noaa_get_meteorological_data.%s", st.ID, st.Name, s.instead(st, stations.Tide))
}

// instead names the nearest station of the kind that was needed.
func (s *Set) instead(st stations.Station, kind stations.Kind) string {
	near := s.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
		return o.Kind == kind && o.ID != st.ID && predicts(o) != "nothing" && !s.weak(o)
	})
	if len(near) == 0 {
		return ""
	}
	n := near[0]
	return fmt.Sprintf(" The nearest %s station is %s (%s), %.1f km away.", kind, n.Station.ID, n.Station.Name, n.Kilometers)
}

// currentBin finds the current station whose constants are those of the bin:
// the one that NOAA predicts by default, one of the few others that are
// embedded because subordinate stations refer to them (ID_BIN), or one that
// the metadata service knows, which then joins the directory.
func (m moment) currentBin(ctx context.Context, id string, bin *int) (stations.Station, error) {
	base, suffix, named := strings.Cut(id, "_")
	if named {
		n, err := strconv.Atoi(suffix)
		if err != nil || bin != nil && *bin != n {
			return stations.Station{}, badBin(id)
		}
		bin = &n
	}
	st, err := m.currentStation(base)
	if err != nil || bin == nil {
		return st, err
	}
	if st.BinNumber() == *bin {
		return st, nil
	}
	other, _ := m.Stations.Station(fmt.Sprintf("%s_%d", base, *bin))
	if _, ready := m.Stations.Currents(other); ready { // one that is joining has no constants yet
		return other, nil
	}
	return m.liveBin(ctx, st, *bin)
}

func badBin(id string) error {
	return fault("station", "bin", `station %q names a bin after the underscore, which must be a whole number and the same as bin. Example: "station": "EPT0003_11".`, id)
}

// liveBin finds a bin that is not embedded. Which ones are predicted, only the
// metadata service knows.
func (m moment) liveBin(ctx context.Context, st stations.Station, bin int) (stations.Station, error) {
	bins, known := st.DepthBins()
	if !known {
		if err := m.Overlay.UpdateBins(ctx); err != nil {
			return st, noBinList(st, bin, err)
		}
		bins, _ = st.DepthBins()
	}
	for _, b := range bins {
		if b.Number == bin && st.BinNumber() == bin {
			return st, nil
		}
		if b.Number == bin {
			return m.Overlay.AddBin(ctx, st, bin)
		}
	}
	return st, noSuchBin(st, bins)
}

// noBinList is the error of a request for a bin while the service, which knows
// the bins, cannot be asked.
func noBinList(st stations.Station, bin int, err error) error {
	e, _ := coast.AsError(errors.Unwrap(err))
	out := coast.Errorf(coast.ProviderUnavailable, "Bin %d of %s (%s) is not in the embedded data, and NOAA's metadata service could not be asked for it: %s Leave bin out: then the bin that NOAA predicts by default is predicted", bin, st.ID, st.Name, e.Message)
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
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no numbered bins. Leave bin out.", st.ID, st.Name)
	}
	return fault("bin", "bin", `%s (%s) is predicted at the bins %s. Example: "bin": %s.`, st.ID, st.Name, strings.Join(has, ", "), has[0])
}

// binOf is the number of the bin that a current station's row is of, nil where
// it is not known.
func binOf(st stations.Station) *int {
	bin := st.BinNumber()
	if bin == 0 {
		return nil
	}
	return &bin
}

// depthOf is the depth in metres of that bin, nil where it is not known. The
// bins of a station are told of its own row.
func (m moment) depthOf(st stations.Station) *float64 {
	id, _ := st.Bin()
	own, _ := m.Stations.Station(id)
	bins, _ := own.DepthBins()
	for _, b := range bins {
		if bin := binOf(st); bin != nil && b.Number == *bin {
			return b.Depth
		}
	}
	return nil
}
