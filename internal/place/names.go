package place

import (
	"slices"
	"strings"

	"leadline/internal/locate"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/words"
)

// IsZIP reports whether a query has the form of a ZIP code, with or without its last four digits.
func IsZIP(query string) bool {
	query, _, _ = strings.Cut(strings.TrimSpace(query), "-")
	return locate.IsZIP(query)
}

// Farther returns the places that are others than one at a point.
func Farther(named []places.Match, latitude, longitude float64) []places.Match {
	var far []places.Match
	for _, m := range named {
		if stations.Kilometers(latitude, longitude, m.Latitude, m.Longitude) > locate.Nearby {
			far = append(far, m)
		}
	}
	return far
}

// head returns a name without its state.
func head(name string) string {
	before, _, _ := strings.Cut(name, ",")
	rest, _ := words.CutState(words.Split(before))
	return strings.Join(rest, " ")
}

// hasName returns the first station whose name or alternative name equals the query, or nil.
func hasName(found []stations.Found) *stations.Found {
	for i, f := range found {
		if f.Match == stations.ByName || f.Match == stations.ByAlias {
			return &found[i]
		}
	}
	return nil
}

// apart returns the stations whose whole name was asked for that are far from all of the places.
func apart(found []stations.Found, from []places.Match) []stations.Found {
	return slices.DeleteFunc(slices.Clone(found), func(f stations.Found) bool {
		return hasName([]stations.Found{f}) == nil ||
			len(Farther(from, f.Latitude, f.Longitude)) < len(from)
	})
}

func farApart(a, b stations.Found) bool {
	return stations.Kilometers(a.Latitude, a.Longitude, b.Latitude, b.Longitude) > locate.Nearby
}

// begins reports whether a station was found by its name, or by the words that it begins with.
func begins(f stations.Found, name string) bool {
	return f.Match != stations.ByWords || locate.Begins(f.Name, name)
}
