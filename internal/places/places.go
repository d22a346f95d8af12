// Package places finds towns, waters and ZIP codes by name, near the coasts where there
// are tide stations. It contains positions, but no stations.
//
// The data are embedded. Towns are the populated places of GeoNames, villages its post offices
// (geonames.org, CC BY 4.0), the positions of ZIP codes those of the tabulation areas of the Census
// Bureau (public domain), and waters and beaches a list of ours; NOTICE credits them.
// Command gen creates the file.
package places

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"leadline/internal/words"
)

// Kind is the kind of a place.
type Kind string

// The kinds of places.
const (
	Town  Kind = "place" // a populated place
	Water Kind = "water" // a bay, sound, inlet, cape or beach
	ZIP   Kind = "zip"   // a ZIP code of a town with several; its position is inside its area
)

// Attribution credits the source of the towns, as its license requires.
const Attribution = "Place names: GeoNames (geonames.org), CC BY 4.0; " +
	"ZIP codes: GeoNames, U.S. Census Bureau"

// Place is a town, a water or a ZIP code within 40 km of a tide station or of a gauge on
// the Great Lakes.
type Place struct {
	Kind      Kind
	Name      string
	State     string  // two letters; empty for a ZIP code and abroad
	Country   string  // ISO 3166-1 of a place abroad, empty in the United States
	Latitude  float64 // degrees north, to about 10 m
	Longitude float64 // degrees east
	Rank      float64 // higher is more likely to be meant; see Rank
	Zone      string  // IANA time zone of a town that no station is near; empty if not known
	Village   bool    // known from its post office alone
	Town      string  // of a ZIP code in the file, the town that has no other one
}

// Limits of the distance, in kilometers, of a post office from a town of its name, and of the
// center of a ZIP code from its town: that of Kodiak is an island. Ours.
const (
	Apart      = 50
	areasApart = 100
)

// IsOf reports whether a ZIP code is that of a town of the name of its town.
func (p Place) IsOf(town Place) bool {
	return town.Kind == Town && town.State == p.State && kilometers(p, town) <= areasApart
}

// String returns the name with the state or the country, as people write it.
func (p Place) String() string {
	switch {
	case p.Country != "":
		return p.Name + ", " + CountryName(p.Country)
	case p.State != "":
		return p.Name + ", " + p.State
	}
	return p.Name
}

// Rank returns the likelihood that a name means a place: larger populations increase it, a
// longer distance to the nearest tide station decreases it. The formula is ours.
func Rank(population int, kilometers float64) float64 {
	return math.Log10(float64(population)+300) - kilometers/15
}

// BigTown is the rank of a town of 30,000 people on the coast, which comes before a station of its
// name in another region. Ours.
const BigTown = 4.5

//go:embed places.tsv
var embedded string

// Gazetteer finds places by name. It is safe for concurrent use.
type Gazetteer struct {
	places []Place          // the highest rank first
	byName map[string][]int // rows, by the words of the name as words.Key joins them
	names  map[shape][]name // names to compare misspelled ones with
}

// shape is a key that a misspelled name shares with the right one: its first letter and the
// number of its words.
type shape struct {
	first byte
	words int
}

// name is a name in words, and the indices of its rows.
type name struct {
	words []string
	rows  []int
}

func shapeOf(words []string) shape { return shape{words[0][0], len(words)} }

// Open returns the embedded gazetteer, which is read at the first call.
var Open = sync.OnceValue(func() *Gazetteer {
	g, err := read(embedded)
	if err != nil {
		panic(fmt.Sprintf("embedded places: %v", err)) // tests parse the same file
	}
	return g
})

// village is the kind, in the file, of towns that are villages.
const village Kind = "village"

// read reads rows with the columns kind, name, state, latitude, longitude, rank, and of some ZIP
// codes the town, whose other name they are.
func read(text string) (*Gazetteer, error) {
	rows := strings.Count(text, "\n")
	g := &Gazetteer{
		places: make([]Place, 0, rows), byName: make(map[string][]int, rows), names: map[shape][]name{},
	}
	var alone []Place
	for line := range strings.Lines(text) {
		p, err := parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		key := p.Name
		if p.Kind != ZIP {
			key = words.Key(words.Split(p.Name))
		}
		if p.Town != "" {
			alone = append(alone, p)
			continue
		}
		g.byName[key] = append(g.byName[key], len(g.places))
		g.places = append(g.places, p)
	}
	for key, rows := range g.byName {
		if g.places[rows[0]].Kind != ZIP {
			n := name{strings.Fields(key), rows}
			g.names[shapeOf(n.words)] = append(g.names[shapeOf(n.words)], n)
		}
	}
	for _, zip := range alone {
		if err := g.alias(zip); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// alias makes a ZIP code another name of its town, the nearest one of that name.
func (g *Gazetteer) alias(zip Place) error {
	rows := slices.DeleteFunc(slices.Clone(g.byName[words.Key(words.Split(zip.Town))]),
		func(row int) bool { return !zip.IsOf(g.places[row]) })
	if len(rows) == 0 {
		return fmt.Errorf("there is no %s, %s near the ZIP code %s", zip.Town, zip.State, zip.Name)
	}
	g.byName[zip.Name] = []int{slices.MinFunc(rows, func(a, b int) int {
		return cmp.Compare(kilometers(zip, g.places[a]), kilometers(zip, g.places[b]))
	})}
	return nil
}

func parse(line string) (Place, error) {
	columns := strings.Split(line, "\t")
	if n := len(columns); n != 6 && (n != 7 || columns[0] != string(ZIP)) {
		return Place{}, fmt.Errorf("row %q has %d columns, want 6, or 7 of a ZIP code", line, n)
	}
	p := Place{Kind: Kind(columns[0]), Name: columns[1], State: columns[2]}
	if p.Village = p.Kind == village; p.Village {
		p.Kind = Town
	}
	if len(columns) == 7 {
		p.Town = columns[6]
	}
	for i, to := range []*float64{&p.Latitude, &p.Longitude, &p.Rank} {
		value, err := strconv.ParseFloat(columns[3+i], 64)
		if err != nil {
			return p, fmt.Errorf("row %q: %w", line, err)
		}
		*to = value
	}
	return p, nil
}

// All returns every place of the gazetteer, the highest rank first. Do not change it.
func (g *Gazetteer) All() []Place { return g.places }
