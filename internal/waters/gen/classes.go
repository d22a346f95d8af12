package main

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/waters"
)

// Words in names of stations. They tell a water only where the tide does not contradict.
var (
	// sheltered are words of waters behind the coast.
	sheltered = words("river riv creek icw icww intracoastal waterway lagoon canal slough bayou " +
		"thorofare causeway sound inside cut branch fork lake bayside marina landing drawbridge channel " +
		"pond cove narrows bridge inlet harbor basin")
	waterways = words("icw icww intracoastal waterway canal thorofare causeway drawbridge")
	rivers    = words("river riv creek slough bayou branch fork")
)

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
	findSeeds(all)
	parallel(all, func(g *gauge) { g.Minutes, g.Ratio, g.alone = g.againstCoast(all, 3) })
	for _, g := range all {
		g.Water = g.class(c)
	}
}

// see finds the open sea near a station.
func (g *gauge) see(c *raster) {
	var found bool
	if g.shore, found = c.shoreNear(g.point, 6, 60); !found {
		g.shore.kilometers = 99
	}
	// A gauge on a pier stands in open water, not beside land.
	if c.at(g.point) == 0 {
		if degrees, _ := c.view(g.point); degrees >= 60 {
			g.shore.kilometers, g.shore.degrees = min(g.shore.kilometers, 0.1), degrees
		}
	}
}

// findSeeds finds the stations that show the tide of the open coast: those on it, or whose names
// say so, unless they differ from their neighbors among them. The worst one goes first, because
// the neighbors of a wrong one differ, too.
func findSeeds(all []*gauge) {
	for _, g := range all {
		at := g.shore.kilometers <= 0.4 && g.shore.degrees >= 90
		named := g.shore.kilometers <= 1.2 && seaward.MatchString(g.Name)
		g.seed = (at || named) && !sheltered.MatchString(g.Name)
	}
	for {
		var worst *gauge
		most := 1.0
		for _, g := range all {
			if !g.seed {
				continue
			}
			lag, ratio, alone := g.againstCoast(all, 4)
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

// againstCoast compares a station with the nearest seeds within 150 km: medians.
func (g *gauge) againstCoast(all []*gauge, most int) (lag, ratio float64, alone bool) {
	var near []*gauge
	for _, o := range all {
		if o != g && o.seed && g.to(o.point) < 150 {
			near = append(near, o)
		}
	}
	if len(near) == 0 {
		return 0, 1, true
	}
	slices.SortFunc(near, func(a, b *gauge) int { return byDistance(g.to(a.point), g.to(b.point), a, b) })
	var lags, ratios []float64
	for _, o := range near[:min(most, len(near))] {
		l, r := g.tide.Against(o.tide)
		lags, ratios = append(lags, l), append(ratios, r)
	}
	slices.Sort(lags)
	slices.Sort(ratios)
	return lags[len(lags)/2], ratios[len(ratios)/2], false
}

func byDistance(a, b float64, x, y *gauge) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return strings.Compare(x.ID, y.ID)
}

// class returns the water of a station.
func (g *gauge) class(c *raster) coast.Water {
	lag, ratio, km := math.Abs(g.Minutes), g.Ratio, g.shore.kilometers
	alike := !g.alone && lag <= 25 && ratio > 0.75 && ratio < 1.33
	onShore := km <= 0.4 || km <= 1 && lag <= 15
	switch {
	case g.seed, alike && onShore && !sheltered.MatchString(g.Name),
		seaward.MatchString(g.Name) && km <= 2 && ratio > 0.5 && lag <= 40:
		return waters.Ocean
	case km <= 4 && !g.alone && (lag <= 40 || lag <= 60 && km <= 0.5) && ratio > 0.55 && ratio < 1.4:
		return waters.Inlet
	case waterways.MatchString(g.Name):
		return waters.Waterway
	case rivers.MatchString(g.Name), c.at(g.point) == 1 && c.waterNear(g.point, 3) >= 0.7:
		return waters.River
	case strings.Contains(strings.ToLower(g.Name), "lagoon"), !g.alone && ratio < 0.5:
		return waters.Lagoon
	}
	return waters.Bay
}
