package stations

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
)

// Near is a station with its great-circle distance and initial bearing from a point.
type Near struct {
	Station    Station
	Kilometers float64
	Bearing    float64 // degrees true, from the point to the station
}

// earthRadius is the mean radius (2a+b)/3 of WGS 84, kilometers. On the
// sphere a distance is within 0.6 % of that on the ellipsoid.
const earthRadius = 6371.0088

const degree = math.Pi / 180

// vector is a place as a unit vector from the center of the earth.
type vector struct{ x, y, z float64 }

func newVector(latitude, longitude float64) vector {
	sinLat, cosLat := math.Sincos(latitude * degree)
	sinLon, cosLon := math.Sincos(longitude * degree)
	return vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// chord2 returns the square of the straight distance between two places. It grows with
// the distance over ground and, unlike the dot product, stays precise when they are
// close.
func (v vector) chord2(w vector) float64 {
	x, y, z := v.x-w.x, v.y-w.y, v.z-w.z
	return x*x + y*y + z*z
}

// placed is a row of the view and its place.
type placed struct {
	vector
	row int
}

// place returns all rows from south to north.
func (v *view) place() []placed {
	all := make([]placed, len(v.all))
	for row, s := range v.all {
		all[row] = placed{newVector(s.Latitude, s.Longitude), row}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.z, b.z) })
	return all
}

// candidate is a row of the view and its chord2 from the point.
type candidate struct {
	chord2 float64
	row    int
}

// before orders candidates: nearer first, and those at the same place by id.
func (c candidate) before(o candidate) bool {
	return c.chord2 < o.chord2 || c.chord2 == o.chord2 && c.row < o.row
}

// Nearest returns the n nearest stations that filter accepts (nil accepts all), nearest
// first, stations at one place in order of id. Latitude and longitude are degrees north
// and east. A straight line may cross land.
func (d *Directory) Nearest(latitude, longitude float64, n int, filter Filter) []Near {
	return d.view.Load().nearest(latitude, longitude, n, filter)
}

// Kilometers returns the great-circle distance of two places, in degrees north and east.
func Kilometers(latitude, longitude, otherLatitude, otherLongitude float64) float64 {
	chord2 := newVector(latitude, longitude).chord2(newVector(otherLatitude, otherLongitude))
	return arc(chord2)
}

// arc returns the distance over ground of two places, given chord2.
func arc(chord2 float64) float64 {
	return 2 * earthRadius * math.Asin(min(1, math.Sqrt(chord2)/2))
}

func (v *view) nearest(latitude, longitude float64, n int, filter Filter) []Near {
	point, all := newVector(latitude, longitude), v.all
	best := make(heap, 0, max(0, min(n, len(all))))
	for p := range v.outward(point.z) {
		if !best.takes(candidate{(p.z - point.z) * (p.z - point.z), -1}) {
			break // the others are farther in latitude alone
		}
		c := candidate{point.chord2(p.vector), p.row}
		if best.takes(c) && (filter == nil || filter(all[p.row])) {
			best = best.with(c)
		}
	}
	slices.SortFunc(best, func(a, b candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	near := make([]Near, len(best))
	for i, c := range best {
		s := all[c.row]
		near[i] = Near{s, arc(c.chord2), bearing(latitude, longitude, s)}
	}
	return near
}

// outward returns the rows in order of their distance from z, the sine of a latitude.
func (v *view) outward(z float64) iter.Seq[placed] {
	return func(yield func(placed) bool) {
		all := v.places()
		north := sort.Search(len(all), func(i int) bool { return all[i].z >= z })
		for south := north - 1; south >= 0 || north < len(all); {
			var next placed
			if north == len(all) || south >= 0 && z-all[south].z < all[north].z-z {
				next = all[south]
				south--
			} else {
				next = all[north]
				north++
			}
			if !yield(next) {
				return
			}
		}
	}
}

// bearing returns the initial course of the great circle to s, 0 to 360 degrees true.
func bearing(latitude, longitude float64, s Station) float64 {
	sin1, cos1 := math.Sincos(latitude * degree)
	sin2, cos2 := math.Sincos(s.Latitude * degree)
	sinD, cosD := math.Sincos((s.Longitude - longitude) * degree)
	b := math.Atan2(sinD*cos2, cos1*sin2-sin1*cos2*cosD) / degree
	return math.Mod(b+360, 360)
}

// heap holds a fixed number of candidates, the farthest at the root.
type heap []candidate

// takes reports whether c is nearer than the candidate that it would replace.
func (h heap) takes(c candidate) bool {
	return len(h) < cap(h) || len(h) > 0 && c.before(h[0])
}

func (h heap) with(c candidate) heap {
	if len(h) < cap(h) {
		h = append(h, c)
		h.up(len(h) - 1)
		return h
	}
	h[0] = c
	h.down(0)
	return h
}

func (h heap) up(i int) {
	for parent := (i - 1) / 2; i > 0 && h[parent].before(h[i]); parent = (i - 1) / 2 {
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (h heap) down(i int) {
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child].before(h[child+1]) {
			child++
		}
		if !h[i].before(h[child]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
