package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// StationRow is a station in a list.
type StationRow struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	State          string  `json:"state,omitempty"`
	Latitude       float64 `json:"latitude"`
	Longitude      float64 `json:"longitude"`
	TimeZone       string  `json:"timeZone"`
	Predicts       string  `json:"predicts"`       // tides, currents, or nothing
	PredictionKind string  `json:"predictionKind"` // harmonic, subordinate, none
}

func rowOf(st stations.Station) StationRow {
	return StationRow{st.ID, st.Name, st.State, degrees(st.Latitude), degrees(st.Longitude), st.Zone, predicts(st), predictionKind(st)}
}

func predicts(st stations.Station) string {
	if st.Kind == stations.Current {
		return "currents"
	}
	if predictionKind(st) == "none" {
		return "nothing"
	}
	return "tides"
}

// OfType is the argument that narrows a list of stations.
type OfType struct {
	Type string `json:"type,omitempty" enum:"waterlevels tidepredictions currents currentpredictions met watertemp harcon datums airgap visibility cond physocean historicwl 1minute" doc:"What the stations must have."`
}

// filter is what a type keeps, or an error where only the provider knows.
func filter(t OfType) (stations.Filter, error) {
	switch t.Type {
	case "":
		return nil, nil
	case "tidepredictions":
		return func(st stations.Station) bool { return predicts(st) == "tides" }, nil
	case "currentpredictions":
		return func(st stations.Station) bool { return st.Kind == stations.Current }, nil
	case "harcon":
		return func(st stations.Station) bool { return st.HasConstants() }, nil
	case "datums":
		return func(st stations.Station) bool { return len(st.Datums()) > 0 }, nil
	}
	return nil, unavailable(coast.COOPS, "which stations are of type "+t.Type, "Of the types, tidepredictions, currentpredictions, harcon and datums need no provider.")
}

// listProvenance is that of lists of stations.
func (m moment) listProvenance() coast.Provenance {
	return coast.Provenance{
		Sources: []coast.Source{m.directory()},
		Missing: []coast.Missing{{Input: "observes", Reason: "what a station measures is known to NOAA's metadata service, which this server does not ask; water level gauges of the Great Lakes and weather stations are not in the embedded directory"}},
		Notes:   m.ageNotes(),
	}
}

func (m moment) directory() coast.Source {
	return m.embedded("station-directory", "Station directory, embedded", coast.Calculation, "https://tidesandcurrents.noaa.gov/stations.html")
}

// SearchStationsInput asks for stations by name.
type SearchStationsInput struct {
	Query string `json:"query,omitempty" doc:"Name or id, as people write it." example:"Boston"`
	State string `json:"state,omitempty" doc:"Two letters." pattern:"^[A-Za-z]{2}$" example:"MA"`
	OfType
	Limit  int `json:"limit" default:"25" min:"1" max:"100" doc:"Stations in one answer."`
	Offset int `json:"offset" default:"0" min:"0" max:"10000" doc:"Stations to leave out, for the next page."`
}

// StationList is a page of stations, best match first.
type StationList struct {
	coast.Provenance
	Total      int          `json:"total"`
	Offset     int          `json:"offset"`
	NextOffset *int         `json:"nextOffset"` // null on the last page
	Stations   []StationRow `json:"stations"`
	cut
	asked SearchStationsInput
}

// SearchStations finds stations by name, id, state and type. With no query
// it lists them in order of id.
func (s *Set) SearchStations(_ context.Context, in SearchStationsInput) (StationList, error) {
	keep, err := filter(in.OfType)
	if err != nil {
		return StationList{}, err
	}
	found := s.Stations.Search(in.Query, func(st stations.Station) bool {
		return (in.State == "" || strings.EqualFold(st.State, in.State)) && (keep == nil || keep(st))
	})
	out := StationList{Provenance: s.moment().listProvenance(), Total: len(found), Offset: in.Offset, Stations: []StationRow{}, asked: in}
	from := min(in.Offset, len(found))
	to := min(from+in.Limit, len(found))
	for _, st := range found[from:to] {
		out.Stations = append(out.Stations, rowOf(st))
	}
	if to < len(found) {
		out.NextOffset = &to
	}
	if len(found) == 0 {
		out.Notes = append(out.Notes, "No station matches. Try fewer words, another spelling, or noaa_find_nearest_stations with coordinates.")
	}
	return out, nil
}

func (l StationList) rows() int { return len(l.Stations) }

func (l StationList) head(n int) any {
	next := l.Offset + n
	l.Stations, l.NextOffset = l.Stations[:n], &next
	l.asked.Offset = next
	l.cut = cut{Truncated: true, Next: arguments(l.asked)} // total it has of its own
	return l
}

// NearestStationsInput asks for the stations near a point.
type NearestStationsInput struct {
	Latitude  float64 `json:"latitude" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Longitude float64 `json:"longitude" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	OfType
	Limit    int      `json:"limit" default:"10" min:"1" max:"50" doc:"Stations in the answer."`
	Farthest *float64 `json:"max_distance_km,omitempty" min:"0" max:"20040" doc:"Leave out what is farther, in km." example:"50"`
}

// NearStation is a station and how to get there.
type NearStation struct {
	StationRow
	DistanceKm float64 `json:"distanceKm"`
	DistanceMi float64 `json:"distanceMi"`
	Bearing    float64 `json:"bearing"` // degrees true, from the point
}

const bearingUnit = "degrees true"

// NearestStations are the stations near a point, nearest first.
type NearestStations struct {
	coast.Provenance
	BearingUnit string        `json:"bearingUnit"` // degrees true, from the point
	Latitude    float64       `json:"latitude"`
	Longitude   float64       `json:"longitude"`
	Stations    []NearStation `json:"stations"`
}

const kilometersPerMile = 1.609344

// NearestStations finds the stations near a point.
func (s *Set) NearestStations(_ context.Context, in NearestStationsInput) (NearestStations, error) {
	keep, err := filter(in.OfType)
	if err != nil {
		return NearestStations{}, err
	}
	out := NearestStations{Provenance: s.moment().listProvenance(), BearingUnit: bearingUnit, Latitude: in.Latitude, Longitude: in.Longitude, Stations: []NearStation{}}
	for _, n := range s.Stations.Nearest(in.Latitude, in.Longitude, in.Limit, keep) {
		if in.Farthest == nil || n.Kilometers <= *in.Farthest {
			out.Stations = append(out.Stations, nearStation(n))
		}
	}
	out.Notes = append(out.Notes, "Distances are straight lines over the earth: the nearest station may lie on another body of water.")
	if len(out.Stations) == 0 {
		out.Notes = append(out.Notes, "No such station within max_distance_km.")
	}
	return out, nil
}

func nearStation(n stations.Near) NearStation {
	return NearStation{rowOf(n.Station), tenths(n.Kilometers), tenths(n.Kilometers / kilometersPerMile), math.Round(n.Bearing)}
}

func tenths(v float64) float64 { return math.Round(v*10) / 10 }

// StationInfoInput asks what a station is.
type StationInfoInput struct {
	AtStation
	Expand []string `json:"expand,omitempty" enum:"details sensors floodlevels datums products notices disclaimers benchmarks bins deployments nearby" doc:"Further parts to tell."`
	InUnits
}

// StationInfo is what a station is and what it can answer.
type StationInfo struct {
	coast.Frame
	Kind             string        `json:"kind"`           // tide, current
	PredictionKind   string        `json:"predictionKind"` // harmonic, subordinate, none
	ReferenceStation *StationRow   `json:"referenceStation"`
	DatumEpoch       string        `json:"datumEpoch,omitempty"`
	Tools            []string      `json:"tools"`  // the tools that apply to the station
	DatumNames       []string      `json:"datums"` // the datum arguments that predictions answer
	Details          *Details      `json:"details,omitempty"`
	DatumLevels      []DatumLevel  `json:"datumLevels,omitempty"`
	FloodLevels      []FloodLevel  `json:"floodLevels,omitempty"`
	HeightUnit       string        `json:"heightUnit,omitempty"`
	Bins             []CurrentBin  `json:"bins,omitempty"`
	Nearby           []NearStation `json:"nearby,omitempty"`
	BearingUnit      string        `json:"bearingUnit,omitempty"` // of nearby
}

// Details are further facts of a station.
type Details struct {
	Constituents int         `json:"constituents"`         // harmonic constants of its own
	Directions   *Directions `json:"directions,omitempty"` // of a current
	TideRegime   string      `json:"tideRegime,omitempty"` // by the form number (K1+O1)/(M2+S2)
	FormNumber   *float64    `json:"formNumber,omitempty"`
}

// StationInfo tells what a station is, and what it can answer offline; parts
// that only the provider knows stand in missing.
func (s *Set) StationInfo(_ context.Context, in StationInfoInput) (StationInfo, error) {
	st, err := s.anyStation(in.Station)
	if err != nil {
		return StationInfo{}, err
	}
	m := s.moment()
	out := StationInfo{
		Frame: coast.Frame{Station: card(st), Units: in.Units, TimeZone: st.Zone, Provenance: m.of(st, m.directory())},
		Kind:  string(st.Kind), PredictionKind: predictionKind(st), DatumEpoch: epochOf(st),
		Tools: toolsOf(st), DatumNames: []string{},
	}
	if st.Kind == stations.Tide {
		out.DatumNames = s.Stations.TideDatums(st)
	}
	if predicts(st) == "tides" && !slices.Contains(out.DatumNames, "MLLW") {
		out.Notes = append(out.Notes, fmt.Sprintf("Predictions here need \"datum\": %q: the station has no MLLW.", out.DatumNames[0]))
	}
	if r, ok := s.Stations.Station(st.Reference); ok && st.Subordinate() {
		row := rowOf(r)
		out.ReferenceStation = &row
	}
	out.Missing = append(out.Missing, coast.Missing{Input: "observations", Reason: "what the station measures is known to NOAA's metadata service, which this server does not ask"})
	for _, part := range in.Expand {
		m.expand(&out, st, part, in.Units)
	}
	return out, nil
}

// anyStation finds a station of either kind; ID_BIN is a row of its own or
// its station.
func (s *Set) anyStation(id string) (stations.Station, error) {
	if base, _, named := strings.Cut(id, "_"); named {
		if _, ok := s.Stations.Station(id); !ok {
			id = base
		}
	}
	return s.station(id)
}

// expand adds one part, or says why it is missing.
func (m moment) expand(out *StationInfo, st stations.Station, part, units string) {
	var err error
	switch part {
	case "details":
		out.Details = detailsOf(st)
	case "nearby":
		out.BearingUnit = bearingUnit
		for _, n := range m.Stations.Nearest(st.Latitude, st.Longitude, 6, func(o stations.Station) bool { return o.ID != st.ID }) {
			out.Nearby = append(out.Nearby, nearStation(n))
		}
	case "products":
		// The tools that apply stand in every answer.
	case "disclaimers":
		// NOAA's remark on a station stands among the notes of every answer.
	case "datums":
		var d StationDatums
		if d, err = m.stationDatums(StationDatumsInput{AtStation: AtStation{st.ID}, Epoch: "current", InUnits: InUnits{units}}); err == nil {
			out.DatumLevels, out.HeightUnit = d.Datums, d.HeightUnit
			merge(&out.Provenance, d.Provenance)
		}
	case "floodlevels":
		var f StationFloodLevels
		if f, err = m.stationFloodLevels(StationFloodLevelsInput{AtStation: AtStation{st.ID}, OnDatum: OnDatum{"MLLW"}, InUnits: InUnits{units}}); err == nil {
			out.FloodLevels, out.HeightUnit = f.Levels, f.HeightUnit
			merge(&out.Provenance, f.Provenance)
		}
	case "bins":
		var b CurrentStationBins
		if b, err = m.currentStationBins(CurrentStationBinsInput{AtStation{st.ID}}); err == nil {
			out.Bins = b.Bins
			merge(&out.Provenance, b.Provenance)
		}
	default:
		err = unavailable(coast.COOPS, part, "")
	}
	if err != nil {
		e, _ := coast.AsError(err)
		out.Missing = append(out.Missing, coast.Missing{Input: part, Reason: e.Message})
	}
}

func epochOf(st stations.Station) string {
	first, last := st.Epoch()
	if first == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// toolsOf names the tools that answer about a station without a provider.
func toolsOf(st stations.Station) []string {
	_, great := rangeOf(st, "GT")
	tools := []string{}
	for _, t := range []struct {
		name    string
		applies bool
	}{
		{"noaa_get_tide_predictions", predicts(st) == "tides"},
		{"noaa_get_current_predictions", predicts(st) == "currents"},
		{"noaa_get_current_station_bins", st.Kind == stations.Current},
		{"noaa_get_harmonic_constituents", st.HasConstants()},
		{"noaa_get_tide_prediction_offsets", st.TideOffsets() != nil},
		{"noaa_get_station_datums", len(st.Datums()) > 0},
		{"noaa_get_station_flood_levels", great},
	} {
		if t.applies {
			tools = append(tools, t.name)
		}
	}
	return tools
}

func detailsOf(st stations.Station) *Details {
	d := &Details{Constituents: len(st.Harmonics())}
	if st.Kind == stations.Current {
		directions := directionsOf(st)
		d.Directions = &directions
	}
	if form, ok := formNumber(st); ok {
		d.FormNumber, d.TideRegime = &form, regime(form)
	}
	return d
}
