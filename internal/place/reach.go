package place

import (
	"leadline/internal/facts"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// Reach limits the distance, in kilometers, of the station that answers for a place, and along the
// open coast. From sure on, the answer begins with a warning. Stations that the caller names have
// no limit. Along is 0 if the waters of stations do not count.
type Reach struct{ Sure, Most, Along float64 }

// The limits are ours: a current changes from one side of a channel to the other, a thermometer
// and an anemometer measure at their own shore, and a tide is that of a stretch of coast. A point
// needs a station for its zone alone.
var (
	OfCurrents = Reach{Sure: facts.CurrentReach, Most: facts.FarCurrentReach}
	OfSensors  = Reach{25, 25, 25}
	OfWater    = Reach{25, waters.MostInside, waters.MostAlong}
	OfPoints   = Reach{Sure: 150, Most: 150}
)

// LimitOf returns the limit of the predictions and observations of a station.
func LimitOf(st stations.Station) Reach {
	if st.Kind == stations.Current {
		return OfCurrents
	}
	return OfWater
}

// Covers reports whether the nearest station is within the limit.
func (r Reach) Covers(near []stations.Near) bool {
	return len(near) > 0 && near[0].Kilometers <= r.Most
}

// Warning describes the water of a distant station.
func (r Reach) Warning() string {
	if r == OfCurrents {
		return "another channel"
	}
	return "another stretch of coast"
}
