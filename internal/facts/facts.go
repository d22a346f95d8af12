// Package facts gathers what results and decisions state: it finds stations and places,
// reads the spans and zones of callers, asks providers for observations and forecasts,
// and records for each fact its source, its age and what is missing. It writes no
// result and judges nothing: operations and package decide do.
package facts

import (
	"time"

	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// Config lists the sources that facts are gathered from.
type Config struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Weather  *nws.Client
	Overlay  *overlay.Overlay
	Now      func() time.Time
}

// Gatherer gathers facts and remembers what is costly to find: time zones, and the
// forecast zones of stations. It is safe for concurrent use.
type Gatherer struct {
	Finder
	Water   *noaa.Client
	Weather *nws.Client

	clock          func() time.Time
	zones          *zones
	contradictions *contradictions
	marine, land   zoneCache // of stations; land: of stations on water
}

// New returns a Gatherer.
func New(c Config) *Gatherer {
	z := new(zones)
	return &Gatherer{
		Finder: Finder{c.Stations, c.Overlay}, Water: c.Water, Weather: c.Weather,
		clock: c.Now, zones: z, contradictions: newContradictions(c.Stations, z),
	}
}

// Set is the fact set of one result: all of its facts are of one reading of the clock.
type Set struct {
	*Gatherer
	Sources
}

// Set returns a fact set of this moment, in UTC to the second.
func (g *Gatherer) Set() Set {
	now := Clock{g.clock().UTC().Truncate(time.Second)}
	return Set{g, Sources{now, g.Stations, g.contradictions}}
}

// Zone returns the zone that time_zone asks for at a place: its civil time (lst_ldt), its
// standard time all year (lst), gmt, or a zone by name.
func (s Set) Zone(place, timeZone string) (Zone, error) {
	return s.zones.named(timeZone, place, s.Now)
}
