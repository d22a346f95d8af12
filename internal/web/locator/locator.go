// Package locator draws the map of a station: the coast around it, a scale, and links to stations
// nearby. What comes in are positions and addresses; what goes out is SVG for a page, of at most
// 4 kB. It has the coasts of the United States alone.
package locator

import (
	_ "embed"
	"encoding/binary"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// coastData has the rings of land near stations, from Natural Earth at 1:10 million, written
// by gen: for each ring the number of its points and then the points, each as the difference
// from the one before, longitude first, in 1/400 degrees and zigzag varints.
//
//go:embed coast.bin
var coastData []byte

// coastPerDegree is the number of units of coastData in a degree.
const coastPerDegree = 400

// Style has the rules of maps, for the style of a page.
const Style = `.map{display:block;width:100%;height:auto;border-radius:8px;
background:var(--m-sea);font:24px system-ui,sans-serif;--m-sea:#d4e7ef;--m-land:#f4f1e7;
--m-coast:#7f9299;--m-ink:#10242f;--m-near:#0b5874;--m-here:#b3400a}
@media(prefers-color-scheme:dark){.map{--m-sea:#0d2531;--m-land:#26343b;--m-coast:#5d7480;
--m-ink:#e4ecef;--m-near:#7cc6e0;--m-here:#f5a05a}}
.map .land{fill:var(--m-land);stroke:var(--m-coast);stroke-width:2;stroke-linejoin:round}
.map .near{fill:var(--m-near);stroke:transparent;stroke-width:32;pointer-events:all}
.map a:is(:hover,:focus-visible) .near{stroke:var(--m-near);stroke-width:10}
.map .here{fill:var(--m-here);stroke:var(--m-land);stroke-width:4}
.map .scale{fill:none;stroke:var(--m-ink);stroke-width:3}
.map text{fill:var(--m-ink);paint-order:stroke;stroke:var(--m-land);stroke-width:6;
stroke-opacity:.7}
@media(forced-colors:active){.map{forced-color-adjust:none;--m-sea:Canvas;--m-land:Canvas;
--m-coast:CanvasText;--m-ink:CanvasText;--m-near:LinkText;--m-here:CanvasText}}
`

// Station is a station on a map.
type Station struct {
	Name                string
	Href                string // not of the station of the map
	Latitude, Longitude float64
}

// The size of a map, in units of half a pixel at its natural width: coordinates are whole
// numbers of them.
const (
	width  = 800
	height = 560
)

// Heights of maps in degrees of latitude. At 1:10 million a station in a harbor may be a
// kilometer inland, so that a map is never closer.
const (
	closest     = 1.7
	northView   = 3.0 // where coasts are long and stations far apart
	islandView  = 2.4
	north       = 51.0 // degrees: Alaska; as in gen
	islandShare = 0.1  // share of land under which a station is on an island. Ours.
)

// Limits of the stations on a map. A target is 24 pixels wide (WCAG 2.2, 2.5.8); maps on
// phones are 15 % smaller.
const (
	mostLinks  = 14 // other stations
	linksApart = 56 // units between stations
	margin     = 20 // units between a station and the edge
)

// mostBytes limits the size of a map.
const mostBytes = 4096

// Draw returns the map of a station as an SVG element for a page with locatorStyle: the
// coast, the station, a scale, and links to those of the near stations, nearest first, for
// which there is room. It is empty if the map would have no coast: Natural Earth lacks small
// islands, and the shores of the Great Lakes.
func Draw(here Station, near []Station) template.HTML {
	v := drawingAt(here)
	land := v.land()
	if !(math.Abs(here.Latitude) > north) && v.share(land) < islandShare {
		v = v.high(islandView)
		land = v.land()
	}
	if !v.hasCoast(land) {
		return ""
	}
	links := v.links(near)
	for _, tolerance := range []float64{0.7, 1, 1.4, 2, 3, 4, 6} {
		if svg := v.svg(here, land, links, tolerance); len(svg) <= mostBytes {
			return template.HTML(svg)
		}
	}
	return template.HTML(v.svg(here, land, links[:len(links)/2], 6))
}

// point is a position in degrees east and north, or in units of a map, y down.
type point struct{ x, y float64 }

// coastRing is the edge of a piece of land.
type coastRing struct {
	points    []point
	low, high point // corners of its box
}

// coasts returns all rings. coastData is part of the program; the test of this file reads it
// all.
var coasts = sync.OnceValue(func() (rings []coastRing) {
	data := coastData
	next := func(v int64, n int) int64 {
		data = data[n:]
		return v
	}
	for len(data) > 0 {
		n, size := binary.Uvarint(data)
		data = data[size:]
		r := coastRing{
			points: make([]point, n), low: point{400, 400}, high: point{-400, -400},
		}
		var x, y int64
		for i := range r.points {
			x += next(binary.Varint(data))
			y += next(binary.Varint(data))
			p := point{float64(x) / coastPerDegree, float64(y) / coastPerDegree}
			r.points[i] = p
			r.low = point{min(r.low.x, p.x), min(r.low.y, p.y)}
			r.high = point{max(r.high.x, p.x), max(r.high.y, p.y)}
		}
		rings = append(rings, r)
	}
	return rings
})

// drawing is a map while it is drawn.
type drawing struct {
	center    point   // degrees
	perDegree float64 // units in a degree of latitude
	narrow    float64 // units of longitude in one of latitude
}

func drawingAt(here Station) drawing {
	v := drawing{center: point{here.Longitude, here.Latitude}}
	v.narrow = math.Cos(here.Latitude * math.Pi / 180)
	if math.Abs(here.Latitude) > north {
		return v.high(northView)
	}
	return v.high(closest)
}

// high returns the map with a height in degrees.
func (v drawing) high(degrees float64) drawing {
	v.perDegree = height / degrees
	return v
}

// at returns the position of a place in units. Longitudes are those nearest to the center: the
// antimeridian is not an edge.
func (v drawing) at(p point) point {
	return v.place(point{p.x + v.turn(p.x), p.y})
}

// turn returns the full turns between a longitude and the one nearest to the center.
func (v drawing) turn(x float64) float64 { return -360 * math.Round((x-v.center.x)/360) }

func (v drawing) place(p point) point {
	return point{
		width/2 + (p.x-v.center.x)*v.narrow*v.perDegree,
		height/2 - (p.y-v.center.y)*v.perDegree,
	}
}

// hidden is the distance of the edges of clipped land from those of the map, so that
// their lines are not seen.
const hidden = 8

// land returns the rings in view, clipped.
func (v drawing) land() (rings [][]point) {
	for _, r := range coasts() {
		for _, turn := range [...]float64{0, 360, -360} {
			low := v.place(point{r.low.x + turn, r.high.y})
			high := v.place(point{r.high.x + turn, r.low.y})
			if low.x > width || high.x < 0 || low.y > height || high.y < 0 {
				continue
			}
			if ring := clip(v.around(r.points, turn)); len(ring) > 2 {
				rings = append(rings, ring)
			}
		}
	}
	return rings
}

// around returns the positions of a ring, without most points that are beyond the same edge of
// the map as both their neighbors: clipping would move all three to that edge.
func (v drawing) around(points []point, turn float64) []point {
	out := make([]point, 0, 1024)
	before := 0
	for i, p := range points {
		at := v.place(point{p.x + turn, p.y})
		beyond := edgesBeyond(at)
		if n := len(out); n > 1 && before&beyond&edgesBeyond(out[n-2]) != 0 && i < len(points)-1 {
			out[n-1] = at
		} else {
			out = append(out, at)
		}
		before = beyond
	}
	return out
}

// edgesBeyond returns a bit for each edge of the map that a position is beyond.
func edgesBeyond(p point) (edges int) {
	switch {
	case p.x < -hidden:
		edges = 1
	case p.x > width+hidden:
		edges = 2
	}
	switch {
	case p.y < -hidden:
		edges |= 4
	case p.y > height+hidden:
		edges |= 8
	}
	return edges
}

// clip returns the part of a polygon within the map (Sutherland and Hodgman,
// Communications of the ACM 17, 1974).
func clip(ring []point) []point {
	x := func(p point) float64 { return p.x }
	y := func(p point) float64 { return p.y }
	for _, edge := range []struct {
		of    func(point) float64
		limit float64
		sign  float64 // inside is sign * (value - limit) >= 0
	}{
		{x, -hidden, 1}, {x, width + hidden, -1},
		{y, -hidden, 1}, {y, height + hidden, -1},
	} {
		var out []point
		for i, b := range ring {
			a := ring[(i+len(ring)-1)%len(ring)]
			da, db := edge.sign*(edge.of(a)-edge.limit), edge.sign*(edge.of(b)-edge.limit)
			if (da >= 0) != (db >= 0) {
				share := da / (da - db)
				out = append(out, point{a.x + share*(b.x-a.x), a.y + share*(b.y-a.y)})
			}
			if db >= 0 {
				out = append(out, b)
			}
		}
		ring = out
	}
	return ring
}

// share returns the share of land in the map.
func (v drawing) share(land [][]point) float64 {
	sum := 0.0
	for _, ring := range land {
		area := 0.0
		for i, a := range ring {
			b := ring[(i+1)%len(ring)]
			area += (a.x*b.y - b.x*a.y) / 2
		}
		sum += math.Abs(area)
	}
	return sum / (width * height)
}

// hasCoast reports whether a line between land and sea is in view.
func (v drawing) hasCoast(land [][]point) bool {
	return slices.ContainsFunc(land, func(ring []point) bool {
		return slices.ContainsFunc(ring, func(p point) bool { return isInside(p, 0) })
	})
}

// isInside reports whether a position is in the map, at a distance from its edges.
func isInside(p point, apart float64) bool {
	return p.x > apart && p.x < width-apart && p.y > apart && p.y < height-apart
}

// link is a station with its position on a map.
type link struct {
	Station
	at point
}

// links returns the stations for which there is room.
func (v drawing) links(near []Station) (links []link) {
	taken := []point{v.at(v.center)}
	for _, s := range near {
		at := v.at(point{s.Longitude, s.Latitude})
		meets := func(p point) bool { return math.Hypot(p.x-at.x, p.y-at.y) < linksApart }
		if isInside(at, margin) && !slices.ContainsFunc(taken, meets) {
			taken = append(taken, at)
			links = append(links, link{s, at})
		}
		if len(links) == mostLinks {
			break
		}
	}
	return links
}

// svg writes the map. Coasts are simplified within a tolerance in units.
func (v drawing) svg(
	here Station, land [][]point, links []link, tolerance float64,
) []byte {
	b := append(make([]byte, 0, 2*mostBytes), `<svg class="map" viewBox="0 0 800 560" `...)
	b = append(b, `role="group" aria-label="Map of the coast around `...)
	b = append(append(b, escape(here.Name)...), `"><path class="land" d="`...)
	for _, ring := range land {
		b = appendPath(b, thin(ring, tolerance))
	}
	b = append(b, `"/>`...)
	for _, l := range links {
		b = append(append(append(b, `<a href="`...), escape(l.Href)...), `"><title>`...)
		b = append(append(b, escape(l.Name)...), `</title>`...)
		b = append(appendDot(b, "near", l.at, 8), `</a>`...)
	}
	b = appendDot(b, "here", v.place(v.center), 14)
	return append(v.scale(b), `</svg>`...)
}

// scaleKm is the length of the scale in kilometers.
const scaleKm = 20

// degreeKm is the length of a degree of latitude on a sphere of 6371 km.
const degreeKm = 6371 * math.Pi / 180

func (v drawing) scale(b []byte) []byte {
	b = append(b, `<path class="scale" d="M24 524v12h`...)
	b = appendWhole(b, scaleKm/degreeKm*v.perDegree)
	return append(b, `v-12"/><text x="24" y="514">20 km</text>`...)
}

func appendDot(b []byte, class string, at point, radius float64) []byte {
	b = append(append(append(b, `<circle class="`...), class...), `" cx="`...)
	b = append(appendWhole(b, at.x), `" cy="`...)
	b = append(appendWhole(b, at.y), `" r="`...)
	return append(appendWhole(b, radius), `"/>`...)
}

// appendWhole appends a coordinate as a whole number.
func appendWhole(b []byte, v float64) []byte {
	return strconv.AppendInt(b, int64(math.Round(v)), 10)
}

// thin returns the corners of a ring that remain if those within a tolerance of the
// line between their neighbors are left out.
func thin(ring []point, tolerance float64) []point {
	if len(ring) < 4 {
		return ring
	}
	out := []point{ring[0]}
	before := 0 // index of the last point that remains
	for i := 2; i < len(ring); i++ {
		far := func(p point) bool { return isFar(p, ring[before], ring[i], tolerance) }
		if slices.ContainsFunc(ring[before+1:i], far) {
			before = i - 1
			out = append(out, ring[before])
		}
	}
	return append(out, ring[len(ring)-1])
}

// isFar reports whether a point is further than a tolerance from a chord.
func isFar(p, a, b point, tolerance float64) bool {
	dx, dy := b.x-a.x, b.y-a.y
	px, py := p.x-a.x, p.y-a.y
	share := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		share = min(max((px*dx+py*dy)/length, 0), 1)
	}
	return math.Hypot(px-share*dx, py-share*dy) > tolerance
}

// appendPath appends a ring, each point relative to the one before.
func appendPath(b []byte, ring []point) []byte {
	x, y := math.Round(ring[0].x), math.Round(ring[0].y)
	b = appendWhole(append(appendWhole(append(b, 'M'), x), ' '), y)
	b = append(b, 'l')
	first := true
	for _, p := range ring[1:] {
		dx, dy := math.Round(p.x)-x, math.Round(p.y)-y
		if dx == 0 && dy == 0 {
			continue
		}
		if !first && dx >= 0 { // a minus sign separates too
			b = append(b, ' ')
		}
		b = appendWhole(b, dx)
		if dy >= 0 {
			b = append(b, ' ')
		}
		b = appendWhole(b, dy)
		x, y, first = x+dx, y+dy, false
	}
	if first {
		b = append(b, "0 0"...)
	}
	return append(b, 'z')
}

// escape escapes a text for tags and attributes, and leaves out control characters.
func escape(s string) string {
	return template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffd' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s))
}
