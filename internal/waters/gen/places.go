package main

import (
	"fmt"
	"math"
	"strings"

	"leadline/internal/places"
	"leadline/internal/waters"
)

// Distances of a place from the shore of the open sea, and of that from the sea point, kilometers.
// Ours.
const (
	shoreOfTown  = 4.5
	shoreOfBeach = 9 // of a place whose name says that the sea is meant
	offShore     = 4
)

// beaches are words of names that mean the beach, also next to other water. Places at the sea are
// also those with words of seaside. A water with a word of enclosed waters is that water.
var (
	beaches   = words("beach beaches surf seaside ocean playa pipeline")
	seaside   = words("shores isle island islands cape palms coast")
	heads     = words("point head jetty")
	enclosed  = words("inlet bay harbor sound river creek cove lagoon pass strait")
	apartFrom = words("river riv creek icw icww waterway lagoon inside bridge inlet canal")
)

// front is the open coast that a place faces.
type front struct {
	places.Place
	shore   shore
	sea     point
	station *gauge // of the open coast, or nil
	along   float64
	inside  bool // other water answers for the place
}

// frontOf returns the open coast that a place faces, or nil.
func frontOf(c *raster, p places.Place, all []*gauge) *front {
	at := point{p.Latitude, p.Longitude}
	beach := beaches.MatchString(p.Name)
	side := beach || seaside.MatchString(p.Name) || p.Kind == places.Water && heads.MatchString(p.Name)
	within := shoreOfTown
	if side {
		within = shoreOfBeach
	}
	s, ok := c.shoreNear(at, within, 60)
	if !ok {
		return nil
	}
	f := &front{Place: p, shore: s, sea: c.off(s)}
	f.findStation(c, all, side)
	f.inside = f.isInside(c, all, beach, side)
	return f
}

// off returns the point of the sea off a shore, in the middle of what the shore sees.
func (c *raster) off(s shore) point {
	for km := float64(offShore); km > 1; km-- {
		if p := s.moved(km, s.toward*math.Pi/180); c.at(p) == 0 {
			return p
		}
	}
	return s.point
}

// findStation finds the station of the open coast.
func (f *front) findStation(c *raster, all []*gauge, side bool) {
	var ways *ways
	least := math.Inf(1)
	for _, g := range all {
		straight := f.shore.to(g.point)
		if !g.Water.Open() || straight > waters.MostAlong {
			continue
		}
		penalty := waters.SeaPenalty(g.Station, g.Class, f.Name)
		if side && g.Water == waters.Inlet {
			penalty += 4
		}
		if straight+penalty >= least {
			continue
		}
		if ways == nil {
			ways = c.waysFrom(f.shore.point, waters.MostAlong, fine)
		}
		if km := ways.to(g.point); km <= waters.MostAlong && km+penalty < least {
			f.station, f.along, least = g, km, km+penalty
		}
	}
}

// isInside reports whether other water than the sea answers for a place: if its name is that of
// such a water or of a station next to it, if other water lies between it and the shore or is much
// nearer, or if a near station has the tide of the coast.
func (f *front) isInside(c *raster, all []*gauge, beach, side bool) bool {
	at := point{f.Latitude, f.Longitude}
	switch {
	case !beach && f.Kind == places.Water && enclosed.MatchString(f.Name):
		return true
	case beach:
		return f.station != nil && f.sameNear(all)
	case c.crosses(at, f.shore):
		return true
	case !side && f.shore.kilometers > 2.2 && c.waterNear(at, 3) < f.shore.kilometers/3:
		return true
	}
	return f.ownStation(all) || f.station != nil && (f.sameNear(all) || !side && f.isFar(all))
}

// isFar reports whether the station of the open coast is far, and another is near: a town that is
// not named for the sea is answered from its harbor.
func (f *front) isFar(all []*gauge) bool {
	const far = 25 // km
	at := point{f.Latitude, f.Longitude}
	for _, g := range all {
		if km := g.to(at); km < 6 && g.Water != waters.Ocean && f.along > max(far, 3*km+10) {
			return true
		}
	}
	return false
}

// ownStation reports whether a station at or near the coast is named for the place.
func (f *front) ownStation(all []*gauge) bool {
	for _, g := range all {
		km := g.to(point{f.Latitude, f.Longitude})
		near := km < 5 || !g.Subordinate() && km < 10 && g.shore.kilometers <= 2
		if near && g.Water != waters.Ocean && (!g.Subordinate() || g.shore.kilometers <= 1.2) &&
			g.Water != waters.River && g.Water != waters.Waterway && !apartFrom.MatchString(g.Name) &&
			!seaward.MatchString(g.Name) && isNamed(g, f.Name) {
			return true
		}
	}
	return false
}

// isNamed reports whether a part of the name of a station is the name of a place.
func isNamed(g *gauge, place string) bool {
	for part := range strings.SplitSeq(g.Name, ",") {
		part, _, _ = strings.Cut(part, "(")
		part = strings.TrimSpace(part)
		if strings.EqualFold(part, place) || strings.EqualFold(part, place+" Point") {
			return true
		}
	}
	return false
}

// sameNear reports whether the station nearest to the place is much nearer than that of the open
// coast and has its tide within 15 minutes and 13 %.
func (f *front) sameNear(all []*gauge) bool {
	var nearest *gauge
	least := 5.0
	for _, g := range all {
		if km := g.to(point{f.Latitude, f.Longitude}); km < least && g.Water != waters.Ocean &&
			g.Water != waters.River {
			nearest, least = g, km
		}
	}
	if nearest == nil || f.along <= least+3 {
		return false
	}
	return waters.Alike(nearest.tide.Against(f.station.tide))
}

// row returns the row of a front in internal/waters/places.tsv.
func (f *front) row() string {
	station, along, side := "", 0.0, waters.AtSea
	if f.station != nil {
		station, along = f.station.ID, f.along
	}
	if f.inside {
		side = waters.Inside
	}
	return fmt.Sprintf("%s\t%s\t%.4f\t%.4f\t%.3f\t%.3f\t%.2f\t%.2f\t%s\t%.1f\t%s\n", f.Name, f.State,
		f.Latitude, f.Longitude, f.shore.latitude, f.shore.longitude, f.sea.latitude, f.sea.longitude,
		station, along, side)
}
