package place

import (
	"fmt"
	"math"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/operation"
	"leadline/internal/places"
	"leadline/internal/stations"
)

// AtNamedPlace holds the arguments of operations about a point, which is given by
// coordinates, a station, or the name of a place.
type AtNamedPlace struct {
	operation.AtPlace
	InPlace
}

// CheckPoint requires exactly one of the ways to name the point.
func (p AtNamedPlace) CheckPoint() error {
	if p.Place == "" {
		return p.Check(true)
	}
	if p.Given() || p.Longitude != nil {
		return facts.Invalid("place", "place", `give place, station, or latitude and longitude, not `+
			`two of them. Example: "place": "Half Moon Bay, CA".`)
	}
	return nil
}

// Resolve replaces the name of a place with its position. A name that only a station has is
// replaced with that station, and a position as text with its coordinates. Coordinates that are
// swapped or lack a sign are refused.
func (p *AtNamedPlace) Resolve(fs facts.Set) (Resolved, error) {
	text, path := p.Place, "place"
	if latitude, longitude, ok := places.Pair(text); ok {
		p.Latitude, p.Longitude, p.Place = &latitude, &longitude, ""
	} else if p.Latitude != nil {
		path = "latitude"
	}
	switch {
	case p.Latitude != nil:
		if wrong := locate.WrongPair(fs.Stations, *p.Latitude, *p.Longitude); wrong != "" {
			return Resolved{}, facts.Invalid(path, "position", "%s", wrong)
		}
		return Resolved{}, nil
	case text == "":
		return Resolved{}, nil
	}
	p.Place = ""
	at, err := pointNamed(fs, text)
	if err != nil {
		return at, err
	}
	if at.Point == nil {
		p.Station = at.ID
		return at, nil
	}
	p.Latitude, p.Longitude = &at.Point.Latitude, &at.Point.Longitude
	return atPosition(fs, text, *at.Point), nil
}

// anywhere is the reach of operations that need no station: a place is its own point.
var anywhere = Reach{Sure: math.Inf(1), Most: math.Inf(1)}

// pointNamed finds the place or the station of a name. Towns inland and abroad, for which no
// station answers, have a position all the same.
func pointNamed(fs facts.Set, text string) (Resolved, error) {
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0
	}
	r := Resolver{Facts: fs, Text: text, Can: can, Does: anyStation, Within: anywhere}
	m := locate.Find(fs.Stations, text, can, "")
	if m.Refusal == "" || len(m.Inland) == 0 {
		return r.Resolve()
	}
	at := m.Inland[0]
	others := Farther(m.Inland[1:], at.Latitude, at.Longitude)
	if len(others) > 0 && others[0].Rank >= at.Rank-locate.TenTimes {
		names := strings.Split(Listed(append([]places.Match{at}, others...)), "; ")
		return Resolved{}, r.ambiguous(names, "state or country", "")
	}
	return Resolved{Point: &at}, nil
}

// atPosition returns a place as the point of a result, which has no station.
func atPosition(fs facts.Set, asked string, at places.Match) Resolved {
	note := fmt.Sprintf("This is for the position of %s, %s.", at,
		operation.Position(at.Latitude, at.Longitude))
	if at.Kind == places.ZIP {
		note = fmt.Sprintf("The ZIP code %s is an area: this is for its center, %s.", at,
			operation.Position(at.Latitude, at.Longitude))
	}
	return Resolved{
		Place: ForPlace{&NamedPlace{Asked: coast.Clip(asked), Name: at.String(), Match: "exact"}},
		From:  coast.Provenance{Sources: []coast.Source{Source(fs)}, Notes: []string{note}},
	}.ofPlace(at)
}
