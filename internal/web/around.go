package web

import (
	"leadline/tools"
)

// mostOnMap is the number of other stations on the map of a station.
const mostOnMap = 14

// askNear requests the stations around the station, for the map and its list.
func (b *stationBuilder) askNear(g *gathering, add func(func())) {
	st := b.info.Station
	far := farthest
	var near answer[tools.NearestStations]
	compute(g, &near, b.c.Set.NearestStations, tools.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude, Limit: mostOnMap + 1, Farthest: &far,
	})
	add(func() {
		for _, n := range near.Result.Stations {
			if n.ID == st.ID {
				continue
			}
			b.v.Near = append(b.v.Near, row{
				ID: n.ID, Title: titleOf(n.Name, n.State), Kind: n.Predicts,
				Distance: distance(n.DistanceKm, b.p.Units), Latitude: n.Latitude, Longitude: n.Longitude,
			})
		}
		if b.info.Kind != "current" && b.info.PredictionKind == "none" {
			b.nearestTide(near.Result)
		}
	})
}

// nearestTide names the nearest station that predicts a tide.
func (b *stationBuilder) nearestTide(near tools.NearestStations) {
	for _, n := range near.Stations {
		if n.Predicts == "tides" {
			b.v.NoTide += " The nearest station with a predicted tide is " + titleOf(n.Name, n.State) +
				", " + distance(n.DistanceKm, b.p.Units) + " away."
			return
		}
	}
}
