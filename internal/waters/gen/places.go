package main

import (
	"math"
	"slices"
	"strings"

	"leadline/internal/places"
)

// Distances of a place from the shore of the open sea and from its stations, kilometers. Ours.
const (
	shoreOfTown  = 4.5
	shoreOfBeach = 9 // of a place whose name says that the sea is meant
	mostAlong    = 60
	mostInside   = 50
)

// seaside are words of the names of places at the open sea; beaches are those that mean the beach
// whatever else is near.
var (
	seaside = words("beach beaches surf shores isle island islands seaside ocean cape palms coast " +
		"playa pipeline")
	beaches = words("beach beaches surf seaside ocean playa pipeline palms")
	inland  = words("inlet bay harbor sound river creek cove lagoon pass strait")
	heads   = words("point head jetty")
)

// choice is the water that answers for a place.
type choice struct {
	places.Place
	shore       shore
	faces       bool // the open sea
	sea, inside *option
	chosen      *option
}

// option is a station that may answer for a place.
type option struct {
	*gauge
	kilometers float64 // from the shore by water for the open sea, else from the place
	score      float64
}

// choose returns the waters of a place.
func choose(c *coast, p places.Place, all []*gauge) *choice {
	out := &choice{Place: p}
	at := point{p.Latitude, p.Longitude}
	beach := beaches.MatchString(p.Name)
	side := seaside.MatchString(p.Name) || p.Kind == places.Water && heads.MatchString(p.Name)
	within := shoreOfTown
	if side {
		within = shoreOfBeach
	}
	out.shore, out.faces = c.shoreNear(at, within, 60)
	var near []*gauge
	for _, g := range all {
		if at.to(g.point) < mostAlong+shoreOfBeach {
			near = append(near, g)
		}
	}
	if out.faces {
		out.sea = bySea(c, out.shore, near, p.Name, side)
	}
	out.inside = bestOf(near, func(g *gauge) (km, score float64) {
		km = at.to(g.point)
		score = km
		if g.Subordinate() {
			score++
		}
		if named(g.Name, p.Name) {
			score -= 2.5
		}
		if g.water == "ocean" {
			score += 2
			if out.faces {
				return km, math.Inf(1)
			}
		}
		return km, score
	}, mostInside)
	out.chosen = out.inside
	if out.sea != nil && !out.answersInside(c, at, beach, side) {
		out.chosen = out.sea
	}
	return out
}

// answersInside reports whether a place that faces the sea is answered from other water: if that
// lies between it and the shore, if its name is that of such a water, or if other water is much
// nearer than the sea.
func (o *choice) answersInside(c *coast, at point, beach, side bool) bool {
	if o.inside == nil {
		return false
	}
	water := c.waterNear(at, 3)
	switch {
	case o.Kind == places.Water && inland.MatchString(o.Name):
		return true
	case !beach && c.crosses(at, o.shore):
		return true
	case !side && o.shore.kilometers > 2.2 && water < o.shore.kilometers/3:
		return true
	}
	return false
}

// bySea returns the station of the open coast for a shore.
func bySea(c *coast, s shore, near []*gauge, name string, side bool) *option {
	ways := c.waysFrom(s, mostAlong)
	return bestOf(near, func(g *gauge) (km, score float64) {
		if g.water != "ocean" && g.water != "inlet" {
			return 0, math.Inf(1)
		}
		km = ways.to(g.point)
		score = km
		if g.water == "inlet" {
			penalty := 3 + math.Abs(g.lag)/2 + 40*math.Abs(math.Log(g.ratio))
			score += penalty
			if side {
				score += 0.3*penalty + 4
			}
		}
		if g.Subordinate() {
			score += 1.5
		}
		if g.water == "ocean" && named(g.Name, name) {
			score -= 3
		}
		return km, score
	}, mostAlong)
}

// bestOf returns the station with the lowest score within a distance, or nil.
func bestOf(near []*gauge, rate func(*gauge) (kilometers, score float64), most float64) *option {
	var best *option
	for _, g := range near {
		km, score := rate(g)
		if km > most || math.IsInf(score, 1) || math.IsInf(km, 1) {
			continue
		}
		if best == nil || score < best.score || score == best.score && g.ID < best.ID {
			best = &option{g, km, score}
		}
	}
	return best
}

// named reports whether a station has the name of a place in its own.
func named(station, place string) bool {
	place = strings.TrimSuffix(strings.ToLower(place), " city")
	return strings.Contains(strings.ToLower(station), place)
}

// townsAndWaters returns the places that are not ZIP codes.
func townsAndWaters() []places.Place {
	return slices.DeleteFunc(slices.Clone(places.Open().All()), func(p places.Place) bool {
		return p.Kind == places.ZIP
	})
}
