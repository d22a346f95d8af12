package directory

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/overlay"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/tide"
	"leadline/internal/waters"
)

// StationRow is a station as a row of a list.
type StationRow struct {
	ID             string         `json:"id" doc:"Station id."`
	Name           string         `json:"name" doc:"Name of the station."`
	State          string         `json:"state,omitempty" doc:"Two letters; left out outside the states and territories."`
	Latitude       float64        `json:"latitude" doc:"Degrees north, WGS 84."`
	Longitude      float64        `json:"longitude" doc:"Degrees east; west is negative."`
	TimeZone       string         `json:"timeZone" doc:"IANA name of the civil time zone of the place."`
	NOAATimeZone   string         `json:"noaaTimeZone,omitempty" doc:"IANA name of the zone of NOAA's tables of the station; left out if it is that of the place."`
	Predicts       Predicts       `json:"predicts" doc:"What NOAA predicts at the station."`
	Water          coast.Water    `json:"water,omitempty" doc:"Water of a tide station: ocean, inlet, bay, lagoon, waterway, river or lake; left out if it is not known."`
	PredictionKind PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), from those of a reference station (subordinate), or not at all."`
	// Observes is omitted until NOAA's lists have been fetched.
	Observes []Observed `json:"observes,omitzero" doc:"What the station measures: water levels, weather, currents; left out until NOAA's lists were received."`
}

func rowOf(st stations.Station) StationRow {
	return StationRow{
		st.ID, st.Name, st.State, facts.Degrees(st.Latitude), facts.Degrees(st.Longitude), st.Zone,
		st.NOAAZone(),
		Predicts(facts.Predicts(st)), waterOf(st), KindOf(st), observes(st),
	}
}

func waterOf(st stations.Station) coast.Water {
	class, _ := waters.Of(st.ID)
	return class.Water
}

// name returns the name of a station for sentences.
func (r StationRow) name() string {
	return operation.StationName(&coast.Station{ID: r.ID, Name: r.Name, State: r.State})
}

// text returns the station as the text of a row.
func (r StationRow) text() string {
	predicts := r.Predicts
	if r.PredictionKind == "subordinate" {
		predicts += " (subordinate)"
	}
	seen := ""
	if len(r.Observes) > 0 {
		seen = "observes " + strings.Join(coast.Strings(r.Observes...), ", ")
	}
	if r.Predicts == "nothing" {
		predicts = "no predictions"
	}
	return operation.Join("; ", operation.NameOf(r.ID, r.Name, r.State), string(r.Water),
		string(predicts), seen,
		operation.Position(r.Latitude, r.Longitude))
}

// observes returns what a station measures, or nil until NOAA's lists have been fetched.
func observes(st stations.Station) []Observed {
	kinds, known := overlay.Observes(st)
	if !known {
		return nil
	}
	names := map[string]Observed{
		"waterlevels": ObservedLevels, "met": ObservedWeather, "currents": ObservedCurrents,
	}
	list := []Observed{}
	for _, kind := range kinds {
		if name := names[kind]; name != "" {
			list = append(list, name)
		}
	}
	return list
}

// NearStation is a station with its distance and bearing from a point.
type NearStation struct {
	StationRow
	DistanceKm float64 `json:"distanceKm" doc:"Kilometers from the point in a straight line."`
	DistanceMi float64 `json:"distanceMi" doc:"The same distance in statute miles."`
	Bearing    float64 `json:"bearing" doc:"Direction from the point to the station, in degrees true."`
}

const kilometersPerMile = 1.609344

func nearStation(n stations.Near) NearStation {
	return NearStation{
		rowOf(n.Station), facts.Tenths(n.Kilometers), facts.Tenths(n.Kilometers / kilometersPerMile),
		math.Round(n.Bearing),
	}
}

// FoundStation is a station as a row of search results.
type FoundStation struct {
	StationRow
	Match      place.StationMatch `json:"match" doc:"What the query matched: the id; the name or words of it; another name of NOAA's; a place nearby; a similar spelling."`
	DistanceKm *float64           `json:"distanceKm,omitempty" doc:"Kilometers from the place that the query matched; left out if it matched none."`
}

// found is a station and the way it was found.
type found struct {
	stations.Station
	match    string
	distance *float64 // kilometers from the matched place
}

func (f found) row() FoundStation {
	row := FoundStation{StationRow: rowOf(f.Station), Match: place.StationMatch(f.match)}
	if f.distance != nil {
		km := facts.Tenths(*f.distance)
		row.DistanceKm = &km
	}
	return row
}

// Directions are the flow directions; null where NOAA publishes none.
type Directions struct {
	Flood           *float64            `json:"flood" doc:"Direction that the flood flows toward; null if NOAA does not publish it."`
	Ebb             *float64            `json:"ebb" doc:"Direction that the ebb flows toward; null if NOAA does not publish it."`
	DirectionSource DirectionSource     `json:"directionSource" doc:"Where the directions are from: NOAA's mean directions, or the axis of the harmonic analysis."`
	Unit            coast.DirectionUnit `json:"unit" doc:"Unit of the directions: degrees true, toward."`
}

// DirectionsOf returns the directions of a current station.
func DirectionsOf(st stations.Station) Directions {
	flood, ebb, mean := st.Directions()
	source := DirectionSource("axis")
	if mean {
		source = "noaa_mean"
	}
	return Directions{facts.Known(flood), facts.Known(ebb), source, coast.DegreesToward}
}

// ProductPage is a page of NOAA's site about a station.
type ProductPage struct {
	Name string `json:"name" doc:"Name of the page."`
	URL  string `json:"url" doc:"Address of the page."`
}

// epochOf returns the epoch of the datums of a frame in parentheses.
func epochOf(f coast.Frame) string {
	if f.DatumEpoch == "" {
		return ""
	}
	return " (epoch " + f.DatumEpoch + ")"
}

// text returns the directions of flood and ebb.
func (d Directions) text() string {
	axis := ""
	if d.DirectionSource == "axis" {
		axis = " (axis of the harmonic analysis)"
	}
	return fmt.Sprintf("flood toward %s°, ebb toward %s° true%s", render.Known(d.Flood, 1),
		render.Known(d.Ebb, 1), axis)
}

// describeNear writes stations with their distances and bearings.
func describeNear(t *render.Answer, list []NearStation) {
	t.Line("Distances, and bearings toward the station in degrees true:")
	for _, s := range list {
		t.Line("%s; %s km (%s mi), %s°", s.StationRow.text(), render.Short(s.DistanceKm, 1),
			render.Short(s.DistanceMi, 1), render.Short(s.Bearing, 0))
	}
}

// KindOf returns how a station is predicted.
func KindOf(st stations.Station) PredictionKind {
	return PredictionKind(facts.PredictionKind(st))
}

// Toward returns the direction of flow at a velocity, or nil if the current is too weak to
// have a direction.
func Toward(velocity float64, d Directions) *float64 {
	switch {
	case math.Abs(velocity) < tide.Weak:
		return nil
	case velocity < 0:
		return d.Ebb
	}
	return d.Flood
}

// EmbeddedEpochs lists the epochs of the embedded tidal datums, of which counts has the number of
// stations, most frequent first: "1983-2001 (1156 stations)".
func EmbeddedEpochs(counts map[stations.Years]int) []string {
	epochs := slices.SortedFunc(maps.Keys(counts), func(a, b stations.Years) int {
		return cmp.Or(counts[b]-counts[a], a.First-b.First)
	})
	list := make([]string, len(epochs))
	for i, epoch := range epochs {
		list[i] = fmt.Sprintf("%s (%d stations)", facts.EpochName(epoch), counts[epoch])
	}
	return list
}
