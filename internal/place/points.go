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
	"leadline/internal/sky"
	"leadline/internal/stations"
)

// anyStation describes the stations of operations that need no more than a point.
const anyStation = "is listed"

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

// PositionOf returns the position of a station.
func PositionOf(st stations.Station) sky.Place {
	return sky.Place{Latitude: facts.Degrees(st.Latitude), Longitude: facts.Degrees(st.Longitude)}
}
