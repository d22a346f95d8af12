// Command gen writes which water each tide station lies on and which open coast each town faces,
// internal/waters/stations.tsv and places.tsv:
//
//	scripts/coast                       # makes the raster of the coast, once
//	go run ./internal/waters/gen        # writes the files
//	go run ./internal/waters/gen -check # compares instead, if the raster is there
//
// The same raster, stations and places always produce the same files, byte for byte. Continuous
// integration does not have the raster; tests check what the files must say of any coast.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"leadline/internal/places"
	"leadline/internal/stations"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	folder := flags.String("coast", "build/coast", "`folder` of the raster that scripts/coast makes")
	out := flags.String("o", "internal/waters", "`folder` of the files to write or to check")
	checking := flags.Bool("check", false, "compare the files with the raster; write nothing")
	tiles := flags.Bool("tiles", false, "print the tiles of the coast that are needed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	d, err := stations.Open()
	if err != nil {
		return err
	}
	if *tiles {
		printTiles(stdout, d)
		return nil
	}
	c, err := openRaster(*folder)
	if *checking && errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(stdout, "waters not compared: scripts/coast has not made the raster")
		return nil
	}
	if err != nil {
		return err
	}
	for name, text := range generate(c, d) {
		if err := write(filepath.Join(*out, name), text, *checking); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files of the package by name.
func generate(c *raster, d *stations.Directory) map[string]string {
	all := gauges(d)
	classify(c, all)
	var classes, rows strings.Builder
	fmt.Fprintf(&classes, "# id, water, minutes later than the open coast, ratio of ranges; from %s\n",
		c.source)
	for _, g := range all {
		numbers := fmt.Sprintf("%.0f\t%.2f", g.Minutes, g.Ratio)
		if g.alone {
			numbers = "\t"
		}
		fmt.Fprintf(&classes, "%s\t%s\t%s\n", g.ID, g.Water, numbers)
	}
	fmt.Fprintf(&rows, "# name, state, position, shore, sea, station, km, side; from %s\n", c.source)
	for _, f := range frontsOf(c, all) {
		rows.WriteString(f.row())
	}
	return map[string]string{"stations.tsv": classes.String(), "places.tsv": rows.String()}
}

// frontsOf returns the fronts of all places that face the open sea, the likeliest places first.
func frontsOf(c *raster, all []*gauge) []*front {
	towns := slices.DeleteFunc(slices.Clone(places.Open().All()), func(p places.Place) bool {
		return p.Kind == places.ZIP
	})
	of := make([]*front, len(towns))
	rows := make([]int, len(towns))
	for i := range rows {
		rows[i] = i
	}
	parallel(rows, func(i int) { of[i] = frontOf(c, towns[i], all) })
	return slices.DeleteFunc(of, func(f *front) bool { return f == nil })
}

// write writes a file, or compares it.
func write(file, text string, checking bool) error {
	if !checking {
		return os.WriteFile(file, []byte(text), 0o644)
	}
	have, err := os.ReadFile(file)
	if err == nil && string(have) != text {
		err = fmt.Errorf("%s differs from its sources; run go run %s", file, "./internal/waters/gen")
	}
	return err
}

// printTiles prints south and west of each degree near a tide station or a place.
func printTiles(w io.Writer, d *stations.Directory) {
	needed := map[[2]int]bool{}
	around := func(latitude, longitude, margin float64) {
		for _, dy := range []float64{-margin, margin} {
			for _, dx := range []float64{-margin, margin} {
				x := math.Mod(longitude+dx+540, 360) - 180
				needed[[2]int{int(math.Floor(latitude + dy)), int(math.Floor(x))}] = true
			}
		}
	}
	for _, s := range d.All(stations.Tide) {
		around(s.Latitude, s.Longitude, 0.25)
	}
	for _, p := range places.Open().All() {
		if p.Kind != places.ZIP {
			around(p.Latitude, p.Longitude, 0.05)
		}
	}
	for _, tile := range slices.SortedFunc(maps.Keys(needed), func(a, b [2]int) int {
		return slices.Compare(a[:], b[:])
	}) {
		fmt.Fprintln(w, tile[0], tile[1])
	}
}

// parallel calls a function for each of some values, on two processors.
func parallel[T any](all []T, do func(T)) {
	next := make(chan T)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for v := range next {
				do(v)
			}
		})
	}
	for _, v := range all {
		next <- v
	}
	close(next)
	group.Wait()
}
