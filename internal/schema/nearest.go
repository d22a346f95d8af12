package schema

import (
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
)

// Nearest returns the known name that a caller probably meant: the most similar one, or "" if
// none is within a third of its letters. Numbers are never similar to a name, and names
// without a common letter are never similar.
func Nearest(name string, known []string) string {
	name = strings.ToLower(coast.Clip(name))
	if _, err := strconv.ParseFloat(name, 64); err == nil {
		return ""
	}
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := coast.Distance(name, strings.ToLower(k)); d < distance && d < max(len(name), len(k)) {
			best, distance = k, d
		}
	}
	return best
}

// synonyms are groups of names that callers give to one argument.
var synonyms = [][]string{
	{"latitude", "lat"},
	{"longitude", "lon", "lng", "long"},
	{"begin_date", "start_date", "start", "begin", "from", "from_date", "date_from", "start_time",
		"begin_time"},
	{"end_date", "end", "to", "until", "to_date", "date_to", "end_time", "stop"},
	{"date", "day", "on"},
	{"range", "hours", "duration", "length", "period"},
	{"hours", "range", "duration"},
	{"station", "station_id", "stationid", "id", "site", "gauge"},
	{"query", "q", "name", "search", "text"},
	{"q", "query", "name", "search", "text"},
	{"place", "location", "city", "town", "address", "near", "zip", "zip_code"},
	{"query", "q", "place", "location", "city", "town", "near", "zip", "zip_code"},
	{"place", "query", "name", "latitude", "lat", "longitude", "lon", "lng", "long"},
	{"station", "place", "query", "name", "location", "latitude", "lat", "longitude", "lon"},
	{"top", "limit", "count", "n"},
	{"time_zone", "timezone", "tz", "zone"},
	{"max_distance_km", "radius", "radius_km", "distance", "within"},
	{"limit", "max", "count", "n", "max_results", "per_page"},
	{"response_format", "format", "output"},
	{"units", "unit", "unit_system"},
	{"interval", "step", "resolution"},
}

// meant returns the known name that a caller probably meant: a synonym, or else the
// nearest one, or "".
func meant(name string, known []string) string {
	lower := strings.ToLower(name)
	for _, group := range synonyms {
		if !slices.Contains(group, lower) {
			continue
		}
		for _, other := range group {
			if slices.Contains(known, other) {
				return other
			}
		}
	}
	return Nearest(name, known)
}
