package tools

import (
	"leadline/internal/facts"
	"leadline/internal/stations"
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

// resolve replaces the name of a place with its station.
func (p *AtNamedPlace) resolve(fs facts.Set) (resolved, error) {
	if p.Place == "" {
		return resolved{}, nil
	}
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0
	}
	at, err := resolver{fs, p.Place, can, anyStation, ofPoints, false}.resolve()
	p.Station, p.Place = at.id, ""
	return at, err
}
