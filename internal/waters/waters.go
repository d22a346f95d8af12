// Package waters knows which water each tide station lies on and which water each town faces, and
// chooses the station that answers for a place: Daytona Beach lies at the ocean, and the river
// behind it has its high water four hours later.
//
// The data are embedded: the water of each station with tide predictions, and of each town or
// water that faces the open sea its shore and the station of that coast. Command gen derives them
// from the tides of the stations and from a map of the coast, which is not embedded.
package waters

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/stations"
)

// The kinds of water.
const (
	Ocean    coast.Water = "ocean"
	Inlet    coast.Water = "inlet"
	Bay      coast.Water = "bay"
	Lagoon   coast.Water = "lagoon"
	Waterway coast.Water = "waterway"
	River    coast.Water = "river"
	Lake     coast.Water = "lake"
)

// Class is the water of a station, and its tide against that of the open coast nearby.
type Class struct {
	Water   coast.Water
	Minutes float64 // later than the open coast
	Ratio   float64 // of the ranges; 0 if no station of the open coast is within 150 km
}

// Of returns the water of a station. It is not known of stations without tide predictions, other
// than those of the Great Lakes.
func Of(id string) (Class, bool) {
	if stations.GreatLakes(id) {
		return Class{Water: Lake}, true
	}
	c, ok := classes()[id]
	return c, ok
}

// Point is a position in degrees north and east.
type Point struct{ Latitude, Longitude float64 }

// Front is the open coast that a place faces.
type Front struct {
	Shore Point // the point of the coast nearest to the place
	Sea   Point // some kilometers off that shore, where waves are those of the open sea

	Station string  // of the open coast, empty if none is within Along kilometers of water
	Along   float64 // kilometers from the shore to the station over water

	Inside bool // other water answers for the place if none is asked for
}

// nearby limits the distance, in kilometers, of a position or of the center of a ZIP code from
// the town whose front is theirs. Ours.
const nearby = 5

// FrontOf returns the open coast that a place faces. That of a position or of a ZIP code is that
// of the nearest town with one; the center of a ZIP code may lie twice as far from its town.
func FrontOf(at places.Place) (Front, bool) {
	all := fronts()
	if i, ok := all.rows[key(at)]; ok {
		return all.of[i], true
	}
	best, found := Front{}, false
	if at.State != "" || at.Country != "" {
		return best, found
	}
	within := float64(nearby)
	if at.Kind == places.ZIP {
		town := places.Open().Nearest(at.Latitude, at.Longitude, 1)[0]
		if i, ok := all.rows[key(town)]; ok && apart(at, town) <= 2*nearby {
			return all.of[i], true
		}
		within = 2 * nearby
	}
	for i, town := range all.towns {
		if math.Abs(town.Latitude-at.Latitude) > 0.1 {
			continue
		}
		km := stations.Kilometers(at.Latitude, at.Longitude, town.Latitude, town.Longitude)
		if km <= within {
			best, found, within = all.of[i], true, km
		}
	}
	best.Inside = best.Inside || within > nearby // the sea is named then, and does not answer
	return best, found
}

func apart(a, b places.Place) float64 {
	return stations.Kilometers(a.Latitude, a.Longitude, b.Latitude, b.Longitude)
}

// key identifies a place among those of its name.
func key(p places.Place) string {
	return fmt.Sprintf("%s\t%s\t%.4f\t%.4f", p.Name, p.State, p.Latitude, p.Longitude)
}

//go:embed stations.tsv
var stationRows string

//go:embed places.tsv
var placeRows string

// classes maps ids to waters. The rows have the columns id, water, minutes, ratio.
var classes = sync.OnceValue(func() map[string]Class {
	all := make(map[string]Class, 4000)
	for line := range strings.Lines(stationRows) {
		if id, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			water, numbers, _ := strings.Cut(rest, "\t")
			minutes, ratio, _ := strings.Cut(numbers, "\t")
			all[id] = Class{coast.Water(water), number(minutes), number(ratio)}
		}
	}
	return all
})

// frontTable holds the fronts of all towns that have one.
type frontTable struct {
	towns []Point
	of    []Front
	rows  map[string]int // by key
}

// fronts reads the rows with the columns name, state, latitude, longitude, those of the shore and
// of the sea, station, kilometers along the coast, and side.
var fronts = sync.OnceValue(func() frontTable {
	all := frontTable{rows: map[string]int{}}
	for line := range strings.Lines(placeRows) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(c) != 11 {
			continue // the head of the file
		}
		all.rows[strings.Join(c[:4], "\t")] = len(all.of)
		all.towns = append(all.towns, Point{number(c[2]), number(c[3])})
		all.of = append(all.of, Front{
			Shore: Point{number(c[4]), number(c[5])}, Sea: Point{number(c[6]), number(c[7])},
			Station: c[8], Along: number(c[9]), Inside: c[10] == string(Inside),
		})
	}
	return all
})

// number returns the value of a number in the embedded files, 0 if it is empty.
func number(text string) float64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("embedded waters: %v", err)) // tests read the same files
	}
	return v
}
