// Package place finds the station that answers for a place, and says how: which water it is on, how
// far it is, and which other water is near. A name that several places share, or that none has, is
// an error that names what the caller may mean. Operations embed its arguments and its results.
package place

import (
	"strings"

	"leadline/internal/facts"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// anyStation describes the stations of operations that need no more than a point.
const anyStation = "is listed"

// Resolver finds the station that represents a place.
type Resolver struct {
	Facts  facts.Set
	Text   string
	Can    stations.Filter // accepts the stations that the operation can use
	Does   string          // what these stations do: "predicts tides"
	Within Reach           // how far such a station may be
	water  waters.Side     // of the place, or empty
	again  bool            // the text is a suggestion of another resolver
	chosen map[places.Place]waters.Choice
}

// identifies reports whether the text is an id, or an id with a name as lists print it.
func (r Resolver) identifies(id string) bool {
	typed, _, _ := strings.Cut(strings.TrimSpace(r.Text), " (")
	return strings.EqualFold(typed, id)
}

// choose returns the water that answers for a place. If waters do not count, it is the nearest
// usable station.
func (r Resolver) choose(at places.Match) waters.Choice {
	if r.Within.Along > 0 {
		c, ok := r.chosen[at.Place]
		if !ok {
			c = waters.Choose(r.Facts.Stations, at.Place, r.Can, r.water)
			r.chosen[at.Place] = c
		}
		return c
	}
	near := r.stationsNear(at)
	if !r.Within.Covers(near) {
		return waters.Choice{}
	}
	return waters.Choice{First: &waters.Option{Near: near[0]}}
}

// answers reports whether the station of a choice is within the limit.
func (r Resolver) answers(c waters.Choice) bool { return c.Within(r.Within.Most, r.Within.Along) }

// stationsNear returns the usable station nearest to a place; abroad, one of its country.
func (r Resolver) stationsNear(at places.Match) []stations.Near {
	return r.Facts.Stations.Nearest(at.Latitude, at.Longitude, 1, func(st stations.Station) bool {
		return (at.Country == "" || st.Country() == at.Country) && (r.Can == nil || r.Can(st))
	})
}
