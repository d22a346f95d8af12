package places

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/words"
)

// beyondRows has the towns that no station is near, in order of their key: key, name, state,
// country, rank, position and time zone. Those abroad farther than 15 km from a station are to 0.1
// degrees. It is searched as it is.
//
//go:embed beyond.tsv
var beyondRows string

// Beyond returns the towns of a name, the largest first, that lie inland or abroad: those of
// 50,000 people, and abroad also smaller ones near a station.
func Beyond(name []string) []Place {
	var found []Place
	for _, key := range variants(name) {
		for row := beyondFrom(key); strings.HasPrefix(row, key+"\t"); {
			var line string
			line, row, _ = strings.Cut(row, "\n")
			found = append(found, beyondPlace(line))
		}
	}
	slices.SortStableFunc(found, func(a, b Place) int { return cmp.Compare(b.Rank, a.Rank) })
	return found
}

// LargeTown reports whether a town inland or abroad lies within a distance of a position, in
// kilometers.
func LargeTown(latitude, longitude, within float64) bool {
	at := Place{Latitude: latitude, Longitude: longitude}
	for row := range strings.Lines(beyondRows) {
		if kilometers(at, beyondPlace(row)) <= within {
			return true
		}
	}
	return false
}

// beyondFrom returns the rows from the first one whose key is not before key.
func beyondFrom(key string) string {
	low, high := 0, len(beyondRows) // beginnings of rows
	for low < high {
		middle := low + (high-low)/2
		start := strings.LastIndexByte(beyondRows[:middle], '\n') + 1
		row, _, _ := strings.Cut(beyondRows[start:], "\n")
		if before, _, _ := strings.Cut(row, "\t"); before < key {
			low = min(start+len(row)+1, len(beyondRows))
		} else {
			high = start
		}
	}
	return beyondRows[low:]
}

// beyondPlace reads a row. The embedded rows are well formed, which tests check.
func beyondPlace(row string) Place {
	c := strings.Split(row, "\t")
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat(text, 64)
		return v
	}
	return Place{Kind: Town, Name: c[1], State: c[2], Country: c[3], Rank: number(c[4]),
		Latitude: number(c[5]), Longitude: number(c[6]), Zone: c[7]}
}

// variants returns the keys of a name as written, without the word City, and with it: New York
// is New York City, and Panama City is Panama.
func variants(name []string) []string {
	key := words.Key(name)
	if short, ok := strings.CutSuffix(key, " city"); ok {
		return []string{key, short}
	}
	return []string{key, key + " city"}
}
