package tools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// AtStation is the argument that most operations share.
type AtStation struct {
	Station string `json:"station" doc:"As 8443970, ACT0091, EPT0003_11." pattern:"^[A-Za-z0-9_]{4,16}$" example:"8443970"`
}

// OnDatum is the argument of operations whose heights stand above a level.
type OnDatum struct {
	Datum string `json:"datum" default:"MLLW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL IGLD LWD CRD" doc:"Zero of heights."`
}

// InUnits is the argument of operations whose quantities have units.
type InUnits struct {
	Units string `json:"units" default:"english" enum:"english metric" doc:"ft, knots, F; or m, cm/s, m/s, C."`
}

// InZone is the argument of operations that write times.
type InZone struct {
	TimeZone string `json:"time_zone" default:"lst_ldt" enum:"gmt lst lst_ldt" doc:"gmt, local standard or local civil time."`
}

// station finds the station with the id, or says which ones come near.
func (s *Set) station(id string) (stations.Station, error) {
	if st, ok := s.Stations.Station(id); ok {
		return st, nil
	}
	if stations.GreatLakes(id) {
		return stations.Station{}, coast.Errorf(coast.ProductUnavailable,
			"%s is an id of the Great Lakes: the level there follows rain, wind and outflow, and NOAA predicts no tide there. Observed levels (noaa_get_water_levels) are all that it has.", id)
	}
	return stations.Station{}, coast.Errorf(coast.StationNotFound,
		"No station %q in the directory.%s Search by name with noaa_search_stations, for example {\"query\": \"Boston\"}.", Clip(id), s.nearMatches(id))
}

// nearMatches names the stations whose ids are most like id, or whose names
// match it: people give names where ids are asked.
func (s *Set) nearMatches(id string) string {
	const most = 3
	var near []string
	for limit := 1; limit <= 2 && len(near) < most; limit++ {
		for _, st := range s.Stations.All("") {
			if len(near) < most && len(st.ID) <= len(id)+limit && len(id) <= len(st.ID)+limit && edits(strings.ToUpper(id), strings.ToUpper(st.ID)) == limit {
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

// tideStation finds a station that predicts heights.
func (s *Set) tideStation(id string) (stations.Station, error) {
	st, err := s.station(id)
	if err == nil && st.Kind != stations.Tide {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a current station: it has flood, ebb and slack (noaa_get_current_predictions) but no heights.%s", st.ID, st.Name, s.instead(st, stations.Tide))
	}
	return st, err
}

// currentStation finds a station that predicts currents.
func (s *Set) currentStation(id string) (stations.Station, error) {
	st, err := s.station(id)
	var e *coast.Error
	if errors.As(err, &e) && e.Code == coast.StationNotFound {
		// The embedded data leaves out the stations that NOAA lists without
		// predictions, so that which ids those are is not known here.
		e.Message += " The id may be that of a station whose currents NOAA calls weak and variable and does not predict, which is not the same as no current."
	}
	if err == nil && st.Kind != stations.Current {
		err = coast.Errorf(coast.ProductUnavailable, "%s (%s) is a tide station: it has heights (noaa_get_tide_predictions); flood, ebb and slack never follow from heights.%s", st.ID, st.Name, s.instead(st, stations.Current))
	}
	return st, err
}

// instead names the nearest station of the kind that was needed.
func (s *Set) instead(st stations.Station, kind stations.Kind) string {
	near := s.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool { return o.Kind == kind })
	if len(near) == 0 {
		return ""
	}
	n := near[0]
	return fmt.Sprintf(" The nearest %s station is %s (%s), %.1f km away.", kind, n.Station.ID, n.Station.Name, n.Kilometers)
}

// currentBin finds the current station whose constants are those of the bin:
// the one that NOAA predicts by default, or one of the few others that are
// embedded because subordinate stations refer to them (ID_BIN).
func (s *Set) currentBin(id string, bin *int) (stations.Station, error) {
	base, suffix, named := strings.Cut(id, "_")
	if named {
		n, err := strconv.Atoi(suffix)
		if err != nil || bin != nil && *bin != n {
			return stations.Station{}, fault("station", "bin", `station %q names a bin after the underscore, which must be a whole number and the same as bin. Example: "station": "EPT0003_11".`, id)
		}
		bin = &n
	}
	st, err := s.currentStation(base)
	if err != nil || bin == nil {
		return st, err
	}
	if other, ok := s.Stations.Station(fmt.Sprintf("%s_%d", base, *bin)); ok {
		return other, nil
	}
	e := coast.Errorf(coast.ProviderUnavailable, "Whether %s (%s) is predicted at bin %d is known to NOAA's metadata service only, and this server cannot ask it. Leave bin out for the bin that NOAA predicts by default.", st.ID, st.Name, *bin)
	return st, e
}

// binOf is the bin that an embedded row says it stands for, or nil.
func binOf(st stations.Station) *int {
	if _, bin := st.Bin(); bin != 0 {
		return &bin
	}
	return nil
}
