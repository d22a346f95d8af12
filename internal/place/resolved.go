package place

import (
	"cmp"
	"fmt"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/places"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// Resolved is the station that represents a place.
type Resolved struct {
	ID    string
	Point *places.Match // the place itself; nil if the name is that of a station alone
	Place ForPlace
	From  coast.Provenance // the source of the place, and a note
}

// Explain adds how a place was resolved to the provenance of a result, its note first.
func (r Resolved) Explain(p *coast.Provenance) {
	p.Sources = append(p.Sources, r.From.Sources...)
	p.Notes = append(append([]string{}, r.From.Notes...), p.Notes...)
}

// has reports whether a name was read as a place of that name.
func (r Resolved) has(name string) bool {
	return r.Place.Place != nil && strings.EqualFold(head(name), head(r.Place.Place.Name))
}

// ofPlace returns the meaning of a name with the place itself.
func (r Resolved) ofPlace(at places.Match) Resolved {
	latitude, longitude := facts.Degrees(at.Latitude), facts.Degrees(at.Longitude)
	r.Point = &at
	r.Place.Place.Latitude, r.Place.Place.Longitude = &latitude, &longitude
	return r
}

// Sky returns the point for light and weather: that of the place, or of the station if the request
// names a station.
func (r Resolved) Sky(st stations.Station) sky.Place {
	if at := r.Position(); at != nil {
		return *at
	}
	return PositionOf(st)
}

// Position returns the position of the place, nil if the request names a station.
func (r Resolved) Position() *sky.Place {
	if r.Point == nil {
		return nil
	}
	return &sky.Place{Latitude: r.Point.Latitude, Longitude: r.Point.Longitude}
}

// ItselfNote returns a note on what a result about the water has from the place itself, or none.
func (r Resolved) ItselfNote(what string) []string {
	if r.Point == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s for the position of %s, %s.", what, r.Point,
		operation.Position(r.Point.Latitude, r.Point.Longitude))}
}

// Sea returns the sea point off the shore of the place, nil if it does not face the sea or if the
// request names a station.
func (r Resolved) Sea() *sky.Place {
	if r.Point == nil {
		return nil
	}
	front, faces := waters.FrontOf(r.Point.Place)
	if !faces {
		return nil
	}
	return &sky.Place{Latitude: front.Sea.Latitude, Longitude: front.Sea.Longitude}
}

// Zone returns the zone that a request asks for or, if it leaves that to the place, the zone of the
// place where it is known.
func (r Resolved) Zone(asked operation.InPlaceZone) operation.InPlaceZone {
	if r.Point != nil && (asked.TimeZone == "" || strings.EqualFold(asked.TimeZone, "lst_ldt")) {
		asked.TimeZone = cmp.Or(r.Point.Zone, asked.TimeZone)
	}
	return asked
}

// PositionOf returns the position of a station.
func PositionOf(st stations.Station) sky.Place {
	return sky.Place{Latitude: facts.Degrees(st.Latitude), Longitude: facts.Degrees(st.Longitude)}
}
