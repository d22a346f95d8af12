// Package facts gathers the facts that results and decisions state. It finds stations and places,
// reads the spans and zones of callers, requests observations and forecasts from providers, and
// records for each fact its source, its age and what is missing. It does not write results or
// make decisions: operations and package decide do.
package facts

import (
	"time"

	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// Config lists the sources of facts.
type Config struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Weather  *nws.Client
	Overlay  *overlay.Overlay
	Now      func() time.Time
}

// Gatherer gathers facts and caches values that are costly to find: time zones, and the forecast
// zones of stations. It is safe for concurrent use.
type Gatherer struct {
	Finder
	Water   *noaa.Client
	Weather *nws.Client

	clock        func() time.Time
	zones        zones
	marine, land zoneCache // of stations; land: for stations on water
}

// New returns a Gatherer.
func New(c Config) *Gatherer {
	return &Gatherer{
		Finder: Finder{c.Stations, c.Overlay}, Water: c.Water, Weather: c.Weather, clock: c.Now,
	}
}

// Set is the fact set of one result. All of its facts use the same reading of the clock.
type Set struct {
	*Gatherer
	Sources
}

// Set returns a fact set for the current time, in UTC to the second.
func (g *Gatherer) Set() Set {
	now := Clock{g.clock().UTC().Truncate(time.Second)}
	return Set{g, Sources{now, g.Stations}}
}

// Zone returns the zone that time_zone names at a station: the civil time of the place (lst_ldt),
// the standard time of NOAA's tables of the station all year (lst), gmt, or a zone by name.
func (s Set) Zone(st stations.Station, timeZone string) (Zone, error) {
	return s.zones.named(timeZone, st.Zone, st.NOAAZone(), s.Now)
}

// Local returns the civil time zone of a station, which defines its days.
func (s Set) Local(st stations.Station) *time.Location {
	zone, err := s.zones.load(st.Zone)
	if err != nil {
		panic("facts: the directory has an unknown zone: " + st.Zone) // its tests load all zones
	}
	return zone
}
