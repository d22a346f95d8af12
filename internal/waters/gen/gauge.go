package main

import (
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// gauge is a station with tide predictions, and what its water follows from.
type gauge struct {
	stations.Station
	point
	waters.Class
	shore shore // the nearest one of the open sea; 99 km if no shore near it sees that
	tide  waters.Tide
	seed  bool   // it shows the tide of the open coast
	seeds []seed // nearby, the nearest by water first
	alone bool   // there is no open coast near it
}

// seed is a station of the open coast and the length of the way to it over water.
type seed struct {
	*gauge
	kilometers float64
}

// gauges returns the stations with tide predictions in order of their ids.
func gauges(d *stations.Directory) []*gauge {
	var all []*gauge
	for _, s := range d.All(stations.Tide) {
		if t, ok := waters.TideOf(d, s); ok {
			all = append(all, &gauge{Station: s, point: point{s.Latitude, s.Longitude}, tide: t})
		}
	}
	return all
}
