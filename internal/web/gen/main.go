// Command gen writes the coasts of the maps of stations, internal/web/locator/coast.bin, from a
// pinned package:
//
//	go run ./internal/web/gen                 # fetches the package with npm
//	go run ./internal/web/gen -from FOLDER    # takes it from FOLDER/node_modules
//	go run ./internal/web/gen -check          # compares instead of writing
//
// The file has the rings of land that a map can show: those with a point near a tide or current
// station, simplified to less than a pixel there and coarsely elsewhere. Its format is that of
// internal/web/locator/locator.go. The same package and stations always produce the same file, byte
// for byte.
package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"leadline/internal/npm"
	"leadline/internal/stations"
)

// atlas is the pinned package: Natural Earth's land at 1:10 million.
var atlas = npm.Package{
	Name: "world-atlas", Version: "2.0.2",
	Integrity: "sha512-IXfV0qwlKXpckz1FhwXVwKRjiIhOnWttOskm5CtxMsjgE/MXAYRHWJqgXOpM8Ikc" +
		"PBoXnyTU5lFHcYa5ChG0LQ==",
}

//go:embed dump.mjs
var script string

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
		"`folder` whose node_modules has the package (default: fetch it)")
	out := flags.String("o", "internal/web/locator/coast.bin", "`file` to write or to check")
	checking := flags.Bool("check", false, "compare the file with the package; write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dump, err := npm.Dump(*from, script, stderr, atlas)
	if err != nil {
		return err
	}
	file, err := generate(string(dump))
	if err != nil {
		return err
	}
	if !*checking {
		return os.WriteFile(*out, file, 0o644)
	}
	have, err := os.ReadFile(*out)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, file) {
		return fmt.Errorf("%s differs from its source; run go run ./internal/web/gen", *out)
	}
	return nil
}

// perDegree is the number of units of the file in a degree: 0.0025 degrees are less than half
// a pixel of a map.
const perDegree = 400

// generate returns the file from the rings of the package, one per line.
func generate(rings string) ([]byte, error) {
	near, err := nearStations()
	if err != nil {
		return nil, err
	}
	var file []byte
	for line := range strings.Lines(rings) {
		ring, err := parse(line)
		if err != nil {
			return nil, err
		}
		if !near.any(ring) {
			continue
		}
		if small := near.simplified(ring); len(small) >= 4 {
			file = appendRing(file, small)
		}
	}
	return file, nil
}

// point is a position in degrees east and north.
type point struct{ x, y float64 }

// parse reads longitudes and latitudes in units of 1e-5 degrees.
func parse(line string) ([]point, error) {
	fields := strings.Fields(line)
	if len(fields)%2 != 0 || len(fields) < 6 {
		return nil, fmt.Errorf("a ring has %d numbers", len(fields))
	}
	ring := make([]point, 0, len(fields)/2)
	for i := 0; i < len(fields); i += 2 {
		x, err := strconv.Atoi(fields[i])
		if err != nil {
			return nil, err
		}
		y, err := strconv.Atoi(fields[i+1])
		if err != nil {
			return nil, err
		}
		ring = append(ring, point{float64(x) / 1e5, float64(y) / 1e5})
	}
	return ring, nil
}

// appendRing appends the number of points of a ring and then each point as the difference from
// the one before, in zigzag varints.
func appendRing(file []byte, ring []point) []byte {
	file = binary.AppendUvarint(file, uint64(len(ring)))
	x, y := int64(0), int64(0)
	for _, p := range ring {
		toX, toY := int64(math.Round(p.x*perDegree)), int64(math.Round(p.y*perDegree))
		file = binary.AppendVarint(binary.AppendVarint(file, toX-x), toY-y)
		x, y = toX, toY
	}
	return file
}

// Distances from a station that a map of it can show, with a margin: degrees of latitude, and
// the factor by which maps are wider than high. Maps in the north are less detailed.
const (
	reach      = 1.35
	northReach = 1.7
	wider      = 400.0 / 280
	north      = 51.0 // as in internal/web/locator/locator.go
)

// cells are squares of a quarter of a degree that maps can show.
type cells map[[2]int]bool

const perCell = 4 // cells in a degree

func cellOf(p point) [2]int {
	return [2]int{int(math.Floor(p.x * perCell)), int(math.Floor(p.y * perCell))}
}

// nearStations returns the cells around all stations.
func nearStations() (cells, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, err
	}
	near := cells{}
	for _, kind := range []stations.Kind{stations.Tide, stations.Current} {
		for _, s := range directory.All(kind) {
			near.add(s.Longitude, s.Latitude)
		}
	}
	return near, nil
}

func (c cells) add(x, y float64) {
	high := reach
	if math.Abs(y) > north {
		high = northReach
	}
	wide := high * wider / math.Cos(y*math.Pi/180)
	low, top := cellOf(point{x - wide, y - high}), cellOf(point{x + wide, y + high})
	for i := low[0]; i <= top[0]; i++ {
		for k := low[1]; k <= top[1]; k++ {
			around := (i + 180*perCell + 360*perCell) % (360 * perCell)
			c[[2]int{around - 180*perCell, k}] = true
		}
	}
}

func (c cells) any(ring []point) bool {
	for _, p := range ring {
		if c[cellOf(p)] {
			return true
		}
	}
	return false
}

// Tolerances in degrees: 0.8 pixels of a map, more in the north, and far from all stations.
const (
	fine      = 0.005
	northFine = 0.009
	coarse    = 0.6
)

func (c cells) tolerance(p point) float64 {
	switch {
	case !c[cellOf(p)]:
		return coarse
	case math.Abs(p.y) > north:
		return northFine
	}
	return fine
}

// simplified returns the points of a closed ring that remain by the method of Douglas and
// Peucker (Cartographica 10, 1973), with the tolerance of the place of each point.
func (c cells) simplified(ring []point) []point {
	keep := make([]bool, len(ring))
	last, half := len(ring)-1, len(ring)/2
	keep[0], keep[half], keep[last] = true, true, true
	c.divide(ring, keep, 0, half)
	c.divide(ring, keep, half, last)
	var out []point
	for i, p := range ring {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

// divide keeps the point that is furthest from the chord between two points, in tolerances, if
// it is outside of them, and then divides both parts.
func (c cells) divide(ring []point, keep []bool, from, to int) {
	at, most := 0, 1.0
	for i := from + 1; i < to; i++ {
		if d := distance(ring[i], ring[from], ring[to]) / c.tolerance(ring[i]); d > most {
			at, most = i, d
		}
	}
	if at == 0 {
		return
	}
	keep[at] = true
	c.divide(ring, keep, from, at)
	c.divide(ring, keep, at, to)
}

// distance returns the distance of a point from a chord, in degrees of latitude.
func distance(p, a, b point) float64 {
	narrow := math.Cos(a.y * math.Pi / 180)
	px, py := (p.x-a.x)*narrow, p.y-a.y
	dx, dy := (b.x-a.x)*narrow, b.y-a.y
	share := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		share = min(max((px*dx+py*dy)/length, 0), 1)
	}
	return math.Hypot(px-share*dx, py-share*dy)
}
