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
	var near, tides answer[tools.NearestStations]
	compute(g, &tides, b.c.Set.NearestStations, tools.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: tools.OfType{Type: "tidepredictions"}, Limit: 1, Farthest: &far,
	})
	compute(g, &near, b.c.Set.NearestStations, tools.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude, Limit: mostOnMap + 1, Farthest: &far,
	})
	add(func() {
		for _, n := range near.Result.Stations {
			if n.ID == st.ID {
				continue
			}
			b.v.Near = append(b.v.Near, b.around(n))
		}
		if tide := tides.Result.Stations; b.v.Tide == nil && len(tide) > 0 {
			near := b.around(tide[0])
			b.v.NearTide = &near
		}
	})
}

// around returns a station near the page's station as a row.
func (b *stationBuilder) around(n tools.NearStation) row {
	return row{
		ID: n.ID, Title: titleOf(n.Name, n.State), Kind: n.Predicts,
		Distance: distance(n.DistanceKm, b.p.Units), Latitude: n.Latitude, Longitude: n.Longitude,
	}
}
