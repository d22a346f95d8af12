package locate

import (
	"fmt"
	"math"
	"strconv"

	"leadline/internal/places"
	"leadline/internal/stations"
)

// A pair of degrees is taken for another one only if no station lies within noStation kilometers
// of it and it is not within ofTown kilometers of a large town, where it may be meant. Ours.
const (
	noStation = 100
	ofTown    = 25
)

// position returns the meaning of a pair of degrees, or refuses a wrong one.
func position(d *stations.Directory, latitude, longitude float64) Meaning {
	if wrong := WrongPair(d, latitude, longitude); wrong != "" {
		return Meaning{Refusal: wrong}
	}
	return Meaning{Places: []places.Match{{Place: places.Place{
		Kind: places.Town, Name: pair(latitude, longitude),
		Latitude: latitude, Longitude: longitude,
	}}}}
}

// WrongPair returns a sentence with the right pair of degrees, if latitude and longitude are
// swapped, the longitude lacks its sign, or both: the right pair has a station of the United
// States nearby, and the given one does not have any. It returns "" for all other positions.
func WrongPair(d *stations.Directory, latitude, longitude float64) string {
	near := func(latitude, longitude float64, keep stations.Filter) float64 {
		if math.Abs(latitude) > 90 || math.Abs(longitude) > 180 {
			return math.Inf(1)
		}
		return d.Nearest(latitude, longitude, 1, keep)[0].Kilometers
	}
	if near(latitude, longitude, nil) <= noStation || places.LargeTown(latitude, longitude, ofTown) {
		return ""
	}
	here := func(st stations.Station) bool { return st.Country() == "" }
	right, least := "", float64(noStation)
	for _, p := range [][2]float64{
		{latitude, -longitude}, {longitude, latitude}, {longitude, -latitude},
	} {
		if km := near(p[0], p[1], here); km <= least {
			right, least = pair(p[0], p[1]), km
		}
	}
	switch given := pair(latitude, longitude); {
	case math.Abs(latitude) > 90 && right == "":
		return fmt.Sprintf("%s is not a position: latitude is from -90 to 90 degrees and comes first.",
			given)
	case math.Abs(latitude) > 90:
		return fmt.Sprintf("%s is not a position: latitude comes first. Give %s.", given, right)
	case right != "":
		return fmt.Sprintf("No station lies within %d km of %s; %s has one: give it.", noStation,
			given, right)
	}
	return ""
}

// pair writes a position to about 10 m.
func pair(latitude, longitude float64) string {
	degrees := func(v float64) string {
		return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64)
	}
	return degrees(latitude) + ", " + degrees(longitude)
}
