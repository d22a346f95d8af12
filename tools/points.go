package tools

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/places"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// AtNamedPlace holds the arguments of operations about a point, which is given by
// coordinates, a station, or the name of a place.
type AtNamedPlace struct {
	AtPlace
	InPlace
}

// check requires exactly one of the ways to name the point.
func (p AtNamedPlace) check() error {
	if p.Place == "" {
		return p.Check(true)
	}
	if p.Given() || p.Longitude != nil {
		return facts.Invalid("place", "place", `give place, station, or latitude and longitude, not `+
			`two of them. Example: "place": "Half Moon Bay, CA".`)
	}
	return nil
}

// anyStation describes the stations of operations that need no more than a point.
const anyStation = "is listed"

// anywhere is the reach of operations that need no station: a place is its own point.
var anywhere = reach{sure: math.Inf(1), most: math.Inf(1)}

// resolve replaces the name of a place with its position. A name that only a station has is
// replaced with that station, and a position as text with its coordinates. Coordinates that are
// swapped or lack a sign are refused.
func (p *AtNamedPlace) resolve(fs facts.Set) (resolved, error) {
	text, path := p.Place, "place"
	if latitude, longitude, ok := places.Pair(text); ok {
		p.Latitude, p.Longitude, p.Place = &latitude, &longitude, ""
	} else if p.Latitude != nil {
		path = "latitude"
	}
	switch {
	case p.Latitude != nil:
		if wrong := locate.WrongPair(fs.Stations, *p.Latitude, *p.Longitude); wrong != "" {
			return resolved{}, facts.Invalid(path, "position", "%s", wrong)
		}
		return resolved{}, nil
	case text == "":
		return resolved{}, nil
	}
	p.Place = ""
	at, err := pointNamed(fs, text)
	if err != nil {
		return at, err
	}
	if at.point == nil {
		p.Station = at.id
		return at, nil
	}
	p.Latitude, p.Longitude = &at.point.Latitude, &at.point.Longitude
	return atPosition(fs, text, *at.point), nil
}

// pointNamed finds the place or the station of a name. Towns inland and abroad, for which no
// station answers, have a position all the same.
func pointNamed(fs facts.Set, text string) (resolved, error) {
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0
	}
	r := resolver{fs: fs, text: text, can: can, does: anyStation, within: anywhere}
	m := locate.Find(fs.Stations, text, can, "")
	if m.Refusal == "" || len(m.Inland) == 0 {
		return r.resolve()
	}
	at := m.Inland[0]
	others := farther(m.Inland[1:], at.Latitude, at.Longitude)
	if len(others) > 0 && others[0].Rank >= at.Rank-locate.TenTimes {
		names := strings.Split(listed(append([]places.Match{at}, others...)), "; ")
		return resolved{}, r.ambiguous(names, "state or country", "")
	}
	return resolved{point: &at}, nil
}

// atPosition returns a place as the point of a result, which has no station.
func atPosition(fs facts.Set, asked string, at places.Match) resolved {
	note := fmt.Sprintf("This is for the position of %s, %s.", at,
		position(at.Latitude, at.Longitude))
	if at.Kind == places.ZIP {
		note = fmt.Sprintf("The ZIP code %s is an area: this is for its center, %s.", at,
			position(at.Latitude, at.Longitude))
	}
	return resolved{
		place: ForPlace{&NamedPlace{Asked: coast.Clip(asked), Name: at.String(), Match: "exact"}},
		from:  coast.Provenance{Sources: []coast.Source{placeSource(fs)}, Notes: []string{note}},
	}.ofPlace(at)
}

// ofPlace returns the meaning of a name with the place itself.
func (r resolved) ofPlace(at places.Match) resolved {
	latitude, longitude := facts.Degrees(at.Latitude), facts.Degrees(at.Longitude)
	r.point = &at
	r.place.Place.Latitude, r.place.Place.Longitude = &latitude, &longitude
	return r
}

// sky returns the point for light and weather: that of the place, or of the station if the request
// names a station.
func (r resolved) sky(st stations.Station) sky.Place {
	if at := r.position(); at != nil {
		return *at
	}
	return placeOf(st)
}

// position returns the position of the place, nil if the request names a station.
func (r resolved) position() *sky.Place {
	if r.point == nil {
		return nil
	}
	return &sky.Place{Latitude: r.point.Latitude, Longitude: r.point.Longitude}
}

// itself returns a note on what a result about the water has from the place itself, or none.
func (r resolved) itself(what string) []string {
	if r.point == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s for the position of %s, %s.", what, r.point,
		position(r.point.Latitude, r.point.Longitude))}
}

// sea returns the sea point off the shore of the place, nil if it does not face the sea or if the
// request names a station.
func (r resolved) sea() *sky.Place {
	if r.point == nil {
		return nil
	}
	front, faces := waters.FrontOf(r.point.Place)
	if !faces {
		return nil
	}
	return &sky.Place{Latitude: front.Sea.Latitude, Longitude: front.Sea.Longitude}
}

// zone returns the zone that a request asks for or, if it leaves that to the place, the zone of the
// place where it is known.
func (r resolved) zone(asked InPlaceZone) InPlaceZone {
	if r.point != nil && (asked.TimeZone == "" || strings.EqualFold(asked.TimeZone, "lst_ldt")) {
		asked.TimeZone = cmp.Or(r.point.Zone, asked.TimeZone)
	}
	return asked
}

// at returns the subject of a result about a point as text: its station, its place, or its
// coordinates.
func (p ForPlace) at(station *coast.Station, latitude, longitude float64) string {
	switch {
	case station != nil:
		return stationName(station) + p.away()
	case p.Place != nil:
		return render.Escape(p.Place.Name) + " (" + position(latitude, longitude) + ")"
	}
	return position(latitude, longitude)
}
