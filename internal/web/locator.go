package web

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

// locatorStyle has the rules of maps, for the style of a page.
const locatorStyle = `.map{display:block;width:100%;height:auto;border-radius:8px;
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

// locatorStation is a station on a map.
type locatorStation struct {
	Name                string
	Href                string // not of the station of the map
	Latitude, Longitude float64
}

// The size of a map, in units of half a pixel at its natural width: coordinates are whole
// numbers of them.
const (
	locatorWidth  = 800
	locatorHeight = 560
)

// Heights of maps in degrees of latitude. At 1:10 million a station in a harbor may be a
// kilometer inland, so that a map is never closer.
const (
	locatorView       = 1.7
	locatorViewNorth  = 3.0 // where coasts are long and stations far apart
	locatorViewIsland = 2.4
	locatorNorth      = 51.0 // degrees: Alaska; as in gen
	locatorIsland     = 0.1  // share of land under which a station is on an island. Ours.
)

// Limits of the stations on a map. A target is 24 pixels wide (WCAG 2.2, 2.5.8); maps on
// phones are 15 % smaller.
const (
	locatorMost   = 14 // other stations
	locatorApart  = 56 // units between stations
	locatorMargin = 20 // units between a station and the edge
)

// locatorBytes limits the size of a map.
const locatorBytes = 4096

// locate returns the map of a station as an SVG element for a page with locatorStyle: the
// coast, the station, a scale, and links to those of the near stations, nearest first, for
// which there is room. It is empty if the map would have no coast: Natural Earth lacks small
// islands, and the shores of the Great Lakes.
func locate(here locatorStation, near []locatorStation) template.HTML {
	v := locatorAt(here)
	land := v.land()
	if !(math.Abs(here.Latitude) > locatorNorth) && v.share(land) < locatorIsland {
		v = v.high(locatorViewIsland)
		land = v.land()
	}
	if !v.hasCoast(land) {
		return ""
	}
	links := v.links(near)
	for _, tolerance := range []float64{0.7, 1, 1.4, 2, 3, 4, 6} {
		if svg := v.svg(here, land, links, tolerance); len(svg) <= locatorBytes {
			return template.HTML(svg)
		}
	}
	return template.HTML(v.svg(here, land, links[:len(links)/2], 6))
}

// coastPoint is a position in degrees east and north, or in units of a map, y down.
type coastPoint struct{ x, y float64 }

// coastRing is the edge of a piece of land.
type coastRing struct {
	points    []coastPoint
	low, high coastPoint // corners of its box
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
			points: make([]coastPoint, n), low: coastPoint{400, 400}, high: coastPoint{-400, -400},
		}
		var x, y int64
		for i := range r.points {
			x += next(binary.Varint(data))
			y += next(binary.Varint(data))
			p := coastPoint{float64(x) / coastPerDegree, float64(y) / coastPerDegree}
			r.points[i] = p
			r.low = coastPoint{min(r.low.x, p.x), min(r.low.y, p.y)}
			r.high = coastPoint{max(r.high.x, p.x), max(r.high.y, p.y)}
		}
		rings = append(rings, r)
	}
	return rings
})

// locator is a map while it is drawn.
type locator struct {
	center    coastPoint // degrees
	perDegree float64    // units in a degree of latitude
	narrow    float64    // units of longitude in one of latitude
}

func locatorAt(here locatorStation) locator {
	v := locator{center: coastPoint{here.Longitude, here.Latitude}}
	v.narrow = math.Cos(here.Latitude * math.Pi / 180)
	if math.Abs(here.Latitude) > locatorNorth {
		return v.high(locatorViewNorth)
	}
	return v.high(locatorView)
}

// high returns the map with a height in degrees.
func (v locator) high(degrees float64) locator {
	v.perDegree = locatorHeight / degrees
	return v
}

// at returns the position of a place in units. Longitudes are those nearest to the center: the
// antimeridian is not an edge.
func (v locator) at(p coastPoint) coastPoint {
	return v.place(coastPoint{p.x + v.turn(p.x), p.y})
}

// turn returns the full turns between a longitude and the one nearest to the center.
func (v locator) turn(x float64) float64 { return -360 * math.Round((x-v.center.x)/360) }

func (v locator) place(p coastPoint) coastPoint {
	return coastPoint{
		locatorWidth/2 + (p.x-v.center.x)*v.narrow*v.perDegree,
		locatorHeight/2 - (p.y-v.center.y)*v.perDegree,
	}
}

// locatorEdge is the distance of the edges of clipped land from those of the map, so that
// their lines are not seen.
const locatorEdge = 8

// land returns the rings in view, clipped.
func (v locator) land() (rings [][]coastPoint) {
	for _, r := range coasts() {
		for _, turn := range [...]float64{0, 360, -360} {
			low := v.place(coastPoint{r.low.x + turn, r.high.y})
			high := v.place(coastPoint{r.high.x + turn, r.low.y})
			if low.x > locatorWidth || high.x < 0 || low.y > locatorHeight || high.y < 0 {
				continue
			}
			if ring := locatorClip(v.around(r.points, turn)); len(ring) > 2 {
				rings = append(rings, ring)
			}
		}
	}
	return rings
}

// around returns the positions of a ring, without most points that are beyond the same edge of
// the map as both their neighbors: clipping would move all three to that edge.
func (v locator) around(points []coastPoint, turn float64) []coastPoint {
	out := make([]coastPoint, 0, 1024)
	before := 0
	for i, p := range points {
		at := v.place(coastPoint{p.x + turn, p.y})
		beyond := locatorBeyond(at)
		if n := len(out); n > 1 && before&beyond&locatorBeyond(out[n-2]) != 0 && i < len(points)-1 {
			out[n-1] = at
		} else {
			out = append(out, at)
		}
		before = beyond
	}
	return out
}

// locatorBeyond returns a bit for each edge of the map that a position is beyond.
func locatorBeyond(p coastPoint) (edges int) {
	switch {
	case p.x < -locatorEdge:
		edges = 1
	case p.x > locatorWidth+locatorEdge:
		edges = 2
	}
	switch {
	case p.y < -locatorEdge:
		edges |= 4
	case p.y > locatorHeight+locatorEdge:
		edges |= 8
	}
	return edges
}

// locatorClip returns the part of a polygon within the map (Sutherland and Hodgman,
// Communications of the ACM 17, 1974).
func locatorClip(ring []coastPoint) []coastPoint {
	x := func(p coastPoint) float64 { return p.x }
	y := func(p coastPoint) float64 { return p.y }
	for _, edge := range []struct {
		of    func(coastPoint) float64
		limit float64
		sign  float64 // inside is sign * (value - limit) >= 0
	}{
		{x, -locatorEdge, 1}, {x, locatorWidth + locatorEdge, -1},
		{y, -locatorEdge, 1}, {y, locatorHeight + locatorEdge, -1},
	} {
		var out []coastPoint
		for i, b := range ring {
			a := ring[(i+len(ring)-1)%len(ring)]
			da, db := edge.sign*(edge.of(a)-edge.limit), edge.sign*(edge.of(b)-edge.limit)
			if (da >= 0) != (db >= 0) {
				share := da / (da - db)
				out = append(out, coastPoint{a.x + share*(b.x-a.x), a.y + share*(b.y-a.y)})
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
func (v locator) share(land [][]coastPoint) float64 {
	sum := 0.0
	for _, ring := range land {
		area := 0.0
		for i, a := range ring {
			b := ring[(i+1)%len(ring)]
			area += (a.x*b.y - b.x*a.y) / 2
		}
		sum += math.Abs(area)
	}
	return sum / (locatorWidth * locatorHeight)
}

// hasCoast reports whether a line between land and sea is in view.
func (v locator) hasCoast(land [][]coastPoint) bool {
	return slices.ContainsFunc(land, func(ring []coastPoint) bool {
		return slices.ContainsFunc(ring, func(p coastPoint) bool { return locatorInside(p, 0) })
	})
}

// locatorInside reports whether a position is in the map, at a distance from its edges.
func locatorInside(p coastPoint, apart float64) bool {
	return p.x > apart && p.x < locatorWidth-apart && p.y > apart && p.y < locatorHeight-apart
}

// locatorLink is a station with its position on a map.
type locatorLink struct {
	locatorStation
	at coastPoint
}

// links returns the stations for which there is room.
func (v locator) links(near []locatorStation) (links []locatorLink) {
	taken := []coastPoint{v.at(v.center)}
	for _, s := range near {
		at := v.at(coastPoint{s.Longitude, s.Latitude})
		meets := func(p coastPoint) bool { return math.Hypot(p.x-at.x, p.y-at.y) < locatorApart }
		if locatorInside(at, locatorMargin) && !slices.ContainsFunc(taken, meets) {
			taken = append(taken, at)
			links = append(links, locatorLink{s, at})
		}
		if len(links) == locatorMost {
			break
		}
	}
	return links
}

// svg writes the map. Coasts are simplified within a tolerance in units.
func (v locator) svg(
	here locatorStation, land [][]coastPoint, links []locatorLink, tolerance float64,
) []byte {
	b := append(make([]byte, 0, 2*locatorBytes), `<svg class="map" viewBox="0 0 800 560" `...)
	b = append(b, `role="group" aria-label="Map of the coast around `...)
	b = append(append(b, locatorEscape(here.Name)...), `"><path class="land" d="`...)
	for _, ring := range land {
		b = locatorPath(b, locatorThin(ring, tolerance))
	}
	b = append(b, `"/>`...)
	for _, l := range links {
		b = append(append(append(b, `<a href="`...), locatorEscape(l.Href)...), `"><title>`...)
		b = append(append(b, locatorEscape(l.Name)...), `</title>`...)
		b = append(locatorDot(b, "near", l.at, 8), `</a>`...)
	}
	b = locatorDot(b, "here", v.place(v.center), 14)
	return append(v.scale(b), `</svg>`...)
}

// locatorScale is the length of the scale in kilometers.
const locatorScale = 20

// locatorDegree is the length of a degree of latitude on a sphere of 6371 km.
const locatorDegree = 6371 * math.Pi / 180

func (v locator) scale(b []byte) []byte {
	b = append(b, `<path class="scale" d="M24 524v12h`...)
	b = locatorWhole(b, locatorScale/locatorDegree*v.perDegree)
	return append(b, `v-12"/><text x="24" y="514">20 km</text>`...)
}

func locatorDot(b []byte, class string, at coastPoint, radius float64) []byte {
	b = append(append(append(b, `<circle class="`...), class...), `" cx="`...)
	b = append(locatorWhole(b, at.x), `" cy="`...)
	b = append(locatorWhole(b, at.y), `" r="`...)
	return append(locatorWhole(b, radius), `"/>`...)
}

// locatorWhole appends a coordinate as a whole number.
func locatorWhole(b []byte, v float64) []byte {
	return strconv.AppendInt(b, int64(math.Round(v)), 10)
}

// locatorThin returns the corners of a ring that remain if those within a tolerance of the
// line between their neighbors are left out.
func locatorThin(ring []coastPoint, tolerance float64) []coastPoint {
	if len(ring) < 4 {
		return ring
	}
	out := []coastPoint{ring[0]}
	before := 0 // index of the last point that remains
	for i := 2; i < len(ring); i++ {
		far := func(p coastPoint) bool { return locatorFar(p, ring[before], ring[i], tolerance) }
		if slices.ContainsFunc(ring[before+1:i], far) {
			before = i - 1
			out = append(out, ring[before])
		}
	}
	return append(out, ring[len(ring)-1])
}

// locatorFar reports whether a point is further than a tolerance from a chord.
func locatorFar(p, a, b coastPoint, tolerance float64) bool {
	dx, dy := b.x-a.x, b.y-a.y
	px, py := p.x-a.x, p.y-a.y
	share := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		share = min(max((px*dx+py*dy)/length, 0), 1)
	}
	return math.Hypot(px-share*dx, py-share*dy) > tolerance
}

// locatorPath appends a ring, each point relative to the one before.
func locatorPath(b []byte, ring []coastPoint) []byte {
	x, y := math.Round(ring[0].x), math.Round(ring[0].y)
	b = locatorWhole(append(locatorWhole(append(b, 'M'), x), ' '), y)
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
		b = locatorWhole(b, dx)
		if dy >= 0 {
			b = append(b, ' ')
		}
		b = locatorWhole(b, dy)
		x, y, first = x+dx, y+dy, false
	}
	if first {
		b = append(b, "0 0"...)
	}
	return append(b, 'z')
}

// locatorEscape escapes a text for tags and attributes, and leaves out control characters.
func locatorEscape(s string) string {
	return template.HTMLEscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffd' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s))
}
