package tools

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/places"
	"leadline/internal/stations"
)

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
