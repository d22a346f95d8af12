package main

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// point is a position in degrees north and east.
type point struct{ latitude, longitude float64 }

// moved returns the position at a distance in kilometers, along a bearing in radians.
func (p point) moved(kilometers, bearing float64) point {
	return p.plus(ring{kilometers * math.Cos(bearing), kilometers * math.Sin(bearing), kilometers})
}

func (p point) plus(r ring) point {
	across := kilometersPerDegree * math.Cos(p.latitude*math.Pi/180)
	return point{p.latitude + r.north/kilometersPerDegree, p.longitude + r.east/across}
}

// to returns the distance of two positions that are not far apart, in kilometers.
func (p point) to(q point) float64 {
	across := math.Cos((p.latitude + q.latitude) / 2 * math.Pi / 180)
	east := math.Remainder(q.longitude-p.longitude, 360) * across
	return kilometersPerDegree * math.Hypot(east, q.latitude-p.latitude)
}

// ring is a step from a position, in kilometers.
type ring struct{ north, east, kilometers float64 }

// rings returns the steps to all points of a grid of 100 m, the nearest first.
var rings = sync.OnceValue(func() []ring {
	const reach = 120
	var all []ring
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			r := ring{north: float64(y) / 10, east: float64(x) / 10}
			r.kilometers = math.Hypot(r.north, r.east)
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b ring) int { return cmp.Compare(a.kilometers, b.kilometers) })
	return all
})
