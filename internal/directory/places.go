package directory

import (
	"context"
	"fmt"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// FindPlacesInput requests places by name.
type FindPlacesInput struct {
	Query string `json:"query" doc:"Town, water, ZIP code or station, with or without its state." example:"Half Moon Bay, CA"`
	Limit int    `json:"limit" default:"5" min:"1" max:"20" doc:"Most rows to return."`
}

// Validate rejects a blank query.
func (in *FindPlacesInput) Validate() error {
	if strings.TrimSpace(in.Query) == "" {
		return facts.Invalid("query", "required",
			`query is blank: name a place. Example: "query": "Half Moon Bay, CA".`)
	}
	return nil
}

// PlaceList holds the places that match a query, the most likely first.
type PlaceList struct {
	coast.Provenance `never:"quoted"`
	Total            int        `json:"total" doc:"Places found in all."`
	Places           []PlaceRow `json:"places" doc:"The places, the most likely first."`
}

// PlaceRow is a place and the stations nearest to it.
type PlaceRow struct {
	Name      string             `json:"name" doc:"Name of the place."`
	State     string             `json:"state,omitempty" doc:"Two letters; left out of ZIP codes and of stations abroad."`
	Kind      PlaceKind          `json:"kind" doc:"A town, a bay or cape, a ZIP code, or a station of that name."`
	Match     place.StationMatch `json:"match" doc:"How the query names the place; fuzzy is a similar spelling."`
	Latitude  float64            `json:"latitude" doc:"Degrees north, WGS 84."`
	Longitude float64            `json:"longitude" doc:"Degrees east; west is negative."`
	Nearest   NearestStation     `json:"nearest" doc:"Stations with predictions: that of the water of the place, and the nearest one of currents."`

	place places.Place
}

// NearestStation holds the nearest station of each kind of prediction.
type NearestStation struct {
	Tide    *StationAway `json:"tide" doc:"Nearest station with tide predictions; null if none is within 50 km."`
	Current *StationAway `json:"current" doc:"Nearest station with current predictions; null if none is within 15 km."`
}

// StationAway is a station and its distance in a straight line.
type StationAway struct {
	ID         string  `json:"id" doc:"Station id."`
	Name       string  `json:"name" doc:"Name of the station."`
	DistanceKm float64 `json:"distanceKm" doc:"Kilometers in a straight line."`
}

// FindPlaces finds towns, waters and ZIP codes by name. If no place has the name, it returns
// stations of that name, followed by places with a similar name.
func (s Operations) FindPlaces(_ context.Context, in FindPlacesInput) (PlaceList, error) {
	fs := s.facts.Set()
	out := PlaceList{Provenance: fs.From(fs.Directory()), Places: []PlaceRow{}}
	facts.Merge(&out.Provenance, fs.From(place.Source(fs)))
	m := locate.Find(fs.Stations, in.Query, nil, "")
	rows := placeRows(m)
	out.Total = len(rows)
	for _, row := range rows[:min(in.Limit, len(rows))] {
		row.Nearest = nearestTo(fs, row)
		out.Places = append(out.Places, row)
	}
	switch {
	case m.Refusal != "":
		out.Notes = append(out.Notes, m.Refusal+" Coverage: "+place.Coverage+".")
	case len(rows) == 0:
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s. Coverage: %s.",
			coast.Quote(in.Query), place.Coverage))
	case rows[0].Match == "fuzzy":
		out.Notes = append(out.Notes, fmt.Sprintf("No place is named %s: these have similar names.",
			coast.Quote(in.Query)))
	}
	if len(rows) > 0 {
		out.Notes = append(out.Notes, "Distances are straight lines.")
	}
	return out, nil
}

// placeRows returns the places that a query names. If there are none, it returns stations of
// that name, or else places with a similar name.
func placeRows(m locate.Meaning) []PlaceRow {
	var rows []PlaceRow
	add := func(p places.Place, match string) {
		rows = append(rows, PlaceRow{
			Name: p.Name, State: p.State, Kind: PlaceKind(p.Kind), Match: place.StationMatch(match),
			Latitude: facts.Degrees(p.Latitude), Longitude: facts.Degrees(p.Longitude), place: p,
		})
	}
	for _, p := range m.Places {
		add(p.Place, "exact")
	}
	if len(rows) > 0 {
		return rows
	}
	for _, f := range m.Stations {
		add(places.Place{Kind: "station", Name: f.Name, State: f.State, Latitude: f.Latitude,
			Longitude: f.Longitude}, place.MatchNames[f.Match])
	}
	if len(rows) > 0 {
		return rows
	}
	for _, p := range m.SimilarPlaces {
		add(p.Place, "fuzzy")
	}
	return rows
}

// nearestTo returns the stations nearest to a place.
func nearestTo(fs facts.Set, at PlaceRow) NearestStation {
	out := NearestStation{}
	near := fs.Stations.Nearest(at.Latitude, at.Longitude, 1, func(st stations.Station) bool {
		return facts.Predicts(st) == "currents"
	})
	if place.OfCurrents.Covers(near) {
		n := near[0]
		out.Current = &StationAway{n.Station.ID, n.Station.Name, facts.Tenths(n.Kilometers)}
	}
	c := waters.Choose(fs.Stations, at.place, func(st stations.Station) bool {
		return facts.Predicts(st) == "tides"
	}, "")
	if c.Near() {
		st := c.First.Station
		out.Tide = &StationAway{st.ID, st.Name, facts.Tenths(c.First.Kilometers)}
	}
	return out
}

// Describe writes the most likely place and its stations, then a row for each place.
func (l PlaceList) Describe(t *render.Answer) {
	if len(l.Places) == 0 {
		t.Line("No place found.")
		return
	}
	best := l.Places[0]
	t.Line("%s at %s, first of %s: %s.", best.title(),
		operation.Position(best.Latitude, best.Longitude),
		operation.Plural(l.Total, "place"), best.Nearest.text())
	t.Gap()
	for _, p := range l.Places {
		t.Line("%s; %s, match %s; %s; %s", p.title(), p.Kind, p.Match,
			operation.Position(p.Latitude, p.Longitude), p.Nearest.text())
	}
	if more := l.Total - len(l.Places); more > 0 {
		t.Line("%d more; add the state, or raise limit.", more)
	}
}

// title returns the name of a place and its state.
func (p PlaceRow) title() string { return operation.Join(", ", render.Escape(p.Name), p.State) }

// text returns the nearest station of each kind.
func (n NearestStation) text() string {
	away := func(what string, s *StationAway) string {
		if s == nil {
			return ""
		}
		return fmt.Sprintf("%s %s %s (%s km)", what, s.ID, render.Escape(s.Name),
			render.Short(s.DistanceKm, 1))
	}
	text := operation.Join(", ", away("tides", n.Tide), away("currents", n.Current))
	if text == "" {
		return fmt.Sprintf("no station within %.0f km", place.OfWater.Most)
	}
	return text
}
