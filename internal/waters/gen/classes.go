package main

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/waters"
)

// Words in names of stations. They count only where the tide does not contradict.
var (
	// sheltered are words of waters behind the coast.
	sheltered = words("river riv creek icw icww intracoastal waterway lagoon canal slough bayou " +
		"thorofare causeway sound inside cut branch fork lake bayside marina landing drawbridge " +
		"channel pond cove narrows bridge inlet harbor basin")
	waterways = words("icw icww intracoastal waterway canal thorofare")
	rivers    = words("river riv creek slough bayou branch fork")
	piers     = words("pier")
	jetties   = words("jetty entrance")
)

// inBay matches the names of stations in a bay. On the mainland a bar may close it that is too
// narrow for the map, as at Siletz Bay; islands have bays that are open.
var inBay = regexp.MustCompile(`(?i), .*\bbay$`)

// seaward matches the names of stations at the open sea.
var seaward = regexp.MustCompile(
	`(?i)\(ocean\)|, ocean$|ocean pier|atlantic ocean|pacific ocean|outer coast|\(outside\)|` +
		`\(coastal\)|fishing pier`)

func words(all string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(all, " ", "|") + `)\b`)
}

// classify sets the water of each station.
func classify(c *raster, all []*gauge) {
	parallel(all, func(g *gauge) { g.see(c) })
	for _, g := range all {
		at := g.shore.kilometers <= 0.3 && g.shore.degrees >= 90
		named := g.shore.kilometers <= 1.2 && seaward.MatchString(g.Name)
		g.seed = (at || named) && !sheltered.MatchString(g.Name) && !g.mayBeBarred()
	}
	parallel(all, func(g *gauge) { g.findSeeds(c, all) })
	dropSeeds(all)
	parallel(all, func(g *gauge) { g.Minutes, g.Ratio, g.alone = g.againstCoast(3, math.Inf(1)) })
	for _, g := range all {
		g.Water = g.class()
	}
}

// seedReach limits the way over water of a station from those that it is compared with,
// kilometers. Ours.
const seedReach = 150

// findSeeds finds the stations of the open coast that may be compared with a station, the nearest
// by water first.
func (g *gauge) findSeeds(c *raster, all []*gauge) {
	ways := c.waysFrom(g.point, seedReach, wide)
	for _, o := range all {
		if o == g || !o.seed || g.to(o.point) > seedReach {
			continue
		}
		if km := ways.to(o.point); km <= seedReach {
			g.seeds = append(g.seeds, seed{o, km})
		}
	}
	slices.SortFunc(g.seeds, func(a, b seed) int {
		return cmp.Or(cmp.Compare(a.kilometers, b.kilometers), cmp.Compare(a.ID, b.ID))
	})
}

// see finds the open sea near a station.
func (g *gauge) see(c *raster) {
	var found bool
	if g.shore, found = c.shoreNear(g.point, 6, 60); !found {
		g.shore.kilometers = 99
	}
	// A gauge on a pier is in open water, not next to land.
	if c.at(g.point) == 0 {
		if degrees, _ := c.view(g.point); degrees >= 60 {
			g.shore.kilometers, g.shore.degrees = min(g.shore.kilometers, 0.1), degrees
		}
	}
}

// mayBeBarred reports whether a bar may lie between a station of the mainland and the sea. Jetties
// lie in front of it.
func (g *gauge) mayBeBarred() bool {
	return inBay.MatchString(g.Name) && !jetties.MatchString(g.Name) && !g.island()
}

// island reports whether a station lies at an island or in Alaska.
func (g *gauge) island() bool {
	return g.State == "" || strings.Contains("AK HI PR VI GU AS MP", g.State)
}

// exposed reports whether a station of an island or of Alaska is doubtless at the open sea. The
// tides of two shores there may be hours apart; along the other coasts they change slowly.
func (g *gauge) exposed() bool {
	return g.shore.kilometers <= 0.3 && g.shore.degrees >= 150 && !sheltered.MatchString(g.Name) &&
		g.island()
}

// dropSeeds drops the seeds that differ from their neighbors among them: inside, or at a wrong
// position. The worst one goes first, because the neighbors of a wrong one differ, too. An exposed
// one is compared only with those next to it, and with none if it has constants of its own.
func dropSeeds(all []*gauge) {
	const nextTo = 25 // km
	for {
		var worst *gauge
		most := 1.0
		for _, g := range all {
			within := math.Inf(1)
			switch {
			case !g.seed, g.exposed() && !g.Subordinate():
				continue
			case g.exposed():
				within = nextTo
			}
			lag, ratio, alone := g.againstCoast(4, within)
			bad := math.Max(math.Abs(lag)/25, math.Abs(math.Log(ratio))/0.36)
			if seaward.MatchString(g.Name) {
				bad /= 2
			}
			if !alone && bad > most {
				worst, most = g, bad
			}
		}
		if worst == nil {
			return
		}
		worst.seed = false
	}
}

// againstCoast compares a station with the nearest seeds by water: medians.
func (g *gauge) againstCoast(most int, within float64) (lag, ratio float64, alone bool) {
	var lags, ratios []float64
	for _, s := range g.seeds {
		if len(lags) == most || s.kilometers > within {
			break
		}
		if !s.seed {
			continue
		}
		l, r := g.tide.Against(s.tide)
		lags, ratios = append(lags, l), append(ratios, r)
	}
	if len(lags) == 0 {
		return 0, 1, true
	}
	slices.Sort(lags)
	slices.Sort(ratios)
	return lags[len(lags)/2], ratios[len(ratios)/2], false
}

// class returns the water of a station. The limits are ours: a person who plans does not notice 25
// minutes, and an inlet within 40 has the water of the coast.
func (g *gauge) class() coast.Water {
	lag, ratio, km := math.Abs(g.Minutes), g.Ratio, g.shore.kilometers
	alike := !g.alone && lag <= 25 && ratio > 0.75 && ratio < 1.33
	if g.mayBeBarred() {
		alike = !g.alone && waters.Alike(lag, ratio)
	}
	onShore := km <= 0.3 || km <= 1 && lag <= 15 && (!g.Subordinate() || piers.MatchString(g.Name))
	switch {
	case g.seed && (lag <= 40 || g.exposed()), alike && onShore && !sheltered.MatchString(g.Name),
		seaward.MatchString(g.Name) && km <= 2 && ratio > 0.5 && lag <= 40:
		return waters.Ocean
	case km <= 4 && !g.alone && (lag <= 40 || lag <= 60 && km <= 0.5) && ratio > 0.55 && ratio < 1.4:
		return waters.Inlet
	case waterways.MatchString(g.Name):
		return waters.Waterway
	case rivers.MatchString(g.Name):
		return waters.River
	case strings.Contains(strings.ToLower(g.Name), "lagoon"), !g.alone && ratio < 0.5:
		return waters.Lagoon
	}
	return waters.Bay
}
