package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// FindPlacesInput asks for places by name.
type FindPlacesInput struct {
	Query string `json:"query" doc:"Town, water, ZIP code or station, with or without its state." example:"Half Moon Bay, CA"`
	Limit int    `json:"limit" default:"5" min:"1" max:"20" doc:"Most rows to return."`
}

// Validate refuses a blank query.
func (in *FindPlacesInput) Validate() error {
	if strings.TrimSpace(in.Query) == "" {
		return facts.Invalid("query", "required",
			`query is blank: name a place. Example: "query": "Half Moon Bay, CA".`)
	}
	return nil
}

// PlaceList holds the places that a query names, the most likely first.
type PlaceList struct {
	coast.Provenance
	Total  int        `json:"total" doc:"Places found in all."`
	Places []PlaceRow `json:"places"`
}

// PlaceRow is a place and the stations nearest to it.
type PlaceRow struct {
	Name      string         `json:"name"`
	State     string         `json:"state,omitempty" doc:"Two letters; left out of ZIP codes and of stations abroad."`
	Kind      string         `json:"kind" enum:"place water zip station" doc:"A town, a bay or cape, a ZIP code, or a station of that name."`
	Match     string         `json:"match" enum:"id exact alias fuzzy" doc:"How the query names it; fuzzy is a similar spelling."`
	Latitude  float64        `json:"latitude" doc:"Degrees north, WGS 84."`
	Longitude float64        `json:"longitude" doc:"Degrees east; west is negative."`
	Nearest   NearestStation `json:"nearest" doc:"Null where no such station is within 150 km."`
}

// NearestStation holds the nearest station of each kind of prediction.
type NearestStation struct {
	Tide    *StationAway `json:"tide"`
	Current *StationAway `json:"current"`
}

// StationAway is a station and its distance over a straight line.
type StationAway struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	DistanceKm float64 `json:"distanceKm"`
}

// FindPlaces finds towns, waters and ZIP codes by name. If no place has the name, it
// returns the stations that have it, and then the places with a similar name.
func (s stationTools) FindPlaces(_ context.Context, in FindPlacesInput) (PlaceList, error) {
	fs := s.facts.Set()
	out := PlaceList{Provenance: fs.From(fs.Directory()), Places: []PlaceRow{}}
	facts.Merge(&out.Provenance, fs.From(placeSource(fs)))
	rows := placeRows(fs, in.Query)
	out.Total = len(rows)
	for _, row := range rows[:min(in.Limit, len(rows))] {
		row.Nearest = nearestTo(fs, row)
		out.Places = append(out.Places, row)
	}
	switch {
	case len(rows) == 0:
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s. Coverage: %s.",
			coast.Quote(in.Query), coverage))
	case rows[0].Match == "fuzzy":
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s: these have similar names.",
			coast.Quote(in.Query)))
	}
	if len(rows) > 0 {
		out.Notes = append(out.Notes, "Distances are straight lines: the nearest station may lie on "+
			"another body of water.")
	}
	return out, nil
}

// placeRows returns the places that a query names, else the stations, else the places with
// a similar name.
func placeRows(fs facts.Set, query string) []PlaceRow {
	named := placesNamed(query, "")
	if len(named) == 0 || named[0].Fuzzy {
		if rows := stationRows(fs, query); len(rows) > 0 {
			return rows
		}
	}
	var rows []PlaceRow
	for _, m := range named {
		match := "exact"
		if m.Fuzzy {
			match = "fuzzy"
		}
		rows = append(rows, PlaceRow{
			Name: m.Name, State: m.State, Kind: string(m.Kind), Match: match,
			Latitude: m.Latitude, Longitude: m.Longitude,
		})
	}
	return rows
}

// stationRows returns the stations that a query names.
func stationRows(fs facts.Set, query string) []PlaceRow {
	var rows []PlaceRow
	for _, f := range fs.Stations.Find(query, nil) {
		if f.Match == stations.Fuzzy {
			continue
		}
		rows = append(rows, PlaceRow{
			Name: f.Name, State: f.State, Kind: "station", Match: matchNames[f.Match],
			Latitude: facts.Degrees(f.Latitude), Longitude: facts.Degrees(f.Longitude),
		})
	}
	return rows
}

// nearestTo returns the stations nearest to a place.
func nearestTo(fs facts.Set, at PlaceRow) NearestStation {
	station := func(predicts string) *StationAway {
		near := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, func(st stations.Station) bool {
			return facts.Predicts(st) == predicts
		})
		if !covered(near) {
			return nil
		}
		n := near[0]
		return &StationAway{n.Station.ID, n.Station.Name, facts.Tenths(n.Kilometers)}
	}
	return NearestStation{Tide: station("tides"), Current: station("currents")}
}

// reach limits the distance, in kilometers, of a station that represents a place (ours).
const reach = 150

// coverage describes where stations are.
const coverage = "US coasts and territories, the Great Lakes, and NOAA's Pacific, Caribbean and " +
	"foreign reference stations"

// covered reports whether the nearest station is within reach.
func covered(near []stations.Near) bool { return len(near) > 0 && near[0].Kilometers <= reach }

// outside returns a sentence about a place that no station is near.
func outside(what string, near []stations.Near) string {
	text := fmt.Sprintf("%s is outside coverage, which is %s.", what, coverage)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest such station is %s (%s), %.0f km away.", n.Station.ID,
			n.Station.Name, n.Kilometers)
	}
	return text
}

// tooFar returns sentences about a place that no station is near that is wanted.
func tooFar(fs facts.Set, at places.Match, wanted string, near []stations.Near) string {
	text := fmt.Sprintf("No %s lies within %d km of %s.", wanted, reach, at)
	if len(near) > 0 {
		n := near[0]
		text += fmt.Sprintf(" The nearest is %s (%s), %.0f km away.", n.Station.ID,
			withState(n.Station), n.Kilometers)
	}
	closest := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, nil)
	switch {
	case !covered(closest): // only gauges of the Great Lakes are not embedded
		text += " The gauges of the Great Lakes are not known until NOAA's metadata service responds."
	case stations.GreatLakes(closest[0].Station.ID):
		text += " On the Great Lakes NOAA predicts no tide: observed levels are what there is."
	}
	return text
}

// placesNamed returns the places that a query names, the most likely first, in a state
// if one is given.
func placesNamed(query, state string) []places.Match {
	const most = 50 // places of one name; the data has at most 9
	return slices.DeleteFunc(places.Open().Find(query, most), func(m places.Match) bool {
		return state != "" && m.State != "" && !strings.EqualFold(m.State, state)
	})
}

// isZIP reports whether a query has the form of a ZIP code.
func isZIP(query string) bool {
	query = strings.TrimSpace(query)
	return len(query) == 5 && strings.Trim(query, "0123456789") == ""
}

// noteZIP returns sentences about the position of a ZIP code, which is that of its area: the
// sources name no post office. The caller may mean one of the places near it.
func noteZIP(at places.Match) string {
	const most = 3
	var names []string
	for _, p := range places.Open().Nearest(at.Latitude, at.Longitude, most) {
		km := stations.Kilometers(at.Latitude, at.Longitude, p.Latitude, p.Longitude)
		names = append(names, fmt.Sprintf("%s (%.1f km)", p, km))
	}
	return fmt.Sprintf("The ZIP code %s is an area: distances are from its center (%.2f, %.2f), "+
		"which may be far from its harbor. The nearest named places are %s: name the one that you mean.",
		at, at.Latitude, at.Longitude, strings.Join(names, ", "))
}

// farther returns the places beyond reach of a point.
func farther(named []places.Match, latitude, longitude float64) []places.Match {
	var far []places.Match
	for _, m := range named {
		if stations.Kilometers(latitude, longitude, m.Latitude, m.Longitude) > reach {
			far = append(far, m)
		}
	}
	return far
}

// listed returns the names of at most five places, with their states.
func listed(named []places.Match) string {
	const most = 5
	var names []string
	for _, m := range named[:min(most, len(named))] {
		names = append(names, m.String())
	}
	return strings.Join(names, "; ")
}

// placeSource is the source of the positions of places.
func placeSource(fs facts.Set) coast.Source {
	return fs.Calculated("place-names", places.Attribution, "https://www.geonames.org/")
}

// describe writes the most likely place and its stations, then a row for each place.
func (l PlaceList) describe(t *render.Text) {
	if len(l.Places) == 0 {
		t.Line("No place found.")
		return
	}
	best := l.Places[0]
	t.Line("%s at %s, first of %s: %s.", best.title(), position(best.Latitude, best.Longitude),
		plural(l.Total, "place"), best.Nearest.text())
	t.Gap()
	for _, p := range l.Places {
		t.Line("%s; %s, match %s; %s; %s", p.title(), p.Kind, p.Match,
			position(p.Latitude, p.Longitude), p.Nearest.text())
	}
	if more := l.Total - len(l.Places); more > 0 {
		t.Line("%d more; add the state, or raise limit.", more)
	}
}

// title returns the name of a place with its state.
func (p PlaceRow) title() string { return present(", ", render.Escape(p.Name), p.State) }

// text returns the nearest station of each kind.
func (n NearestStation) text() string {
	away := func(what string, s *StationAway) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf("%s %s %s (%s km)", what, s.ID, render.Escape(s.Name),
			render.Short(s.DistanceKm, 1))
	}
	text := present(", ", away("tides", n.Tide), away("currents", n.Current))
	if text == "" {
		return "no station within 150 km"
	}
	return text
}
