// Command gen writes which water each tide station and each town lies on.
package main

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/places"
	"leadline/internal/stations"
)

func main() {
	folder := flag.String("coast", "build/coast", "`folder` of the rasters of scripts/coast")
	tiles := flag.Bool("tiles", false, "print the tiles of the coast that are needed")
	flag.Parse()
	begin := time.Now()
	d, err := stations.Open()
	if err != nil {
		panic(err)
	}
	if *tiles {
		printTiles(d)
		return
	}
	c, err := openCoast(*folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "open sea", time.Since(begin))
	all := gauges(d)
	classify(c, all)
	fmt.Fprintln(os.Stderr, "classes", time.Since(begin))
	fronts := frontsOf(c, all)
	fmt.Fprintln(os.Stderr, "places", time.Since(begin))
	write(all, fronts)
}

// frontsOf returns the fronts of all places that face the open sea, the likeliest places first.
func frontsOf(c *raster, all []*gauge) []*front {
	of := make([]*front, len(places.Open().All()))
	var rows []int
	for i, p := range places.Open().All() {
		if p.Kind != places.ZIP {
			rows = append(rows, i)
		}
	}
	parallel(rows, func(i int) { of[i] = frontOf(c, places.Open().All()[i], all) })
	return slices.DeleteFunc(of, func(f *front) bool { return f == nil })
}

// write writes the files of the package.
func write(all []*gauge, fronts []*front) {
	var classes, rows strings.Builder
	for _, g := range all {
		numbers := fmt.Sprintf("%.0f\t%.2f", g.Minutes, g.Ratio)
		if g.alone {
			numbers = "\t"
		}
		fmt.Fprintf(&classes, "%s\t%s\t%s\n", g.ID, g.Water, numbers)
	}
	for _, f := range fronts {
		rows.WriteString(f.row())
	}
	os.WriteFile("internal/waters/stations.tsv", []byte(classes.String()), 0o644)
	os.WriteFile("internal/waters/places.tsv", []byte(rows.String()), 0o644)
}

// printTiles prints south and west of each degree near a tide station or a place.
func printTiles(d *stations.Directory) {
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
		fmt.Println(tile[0], tile[1])
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
