package web

import (
	"leadline/internal/directory"
	"leadline/internal/words"
)

// Numbers of other stations: in the list, and for the map, which has room for few of them.
const (
	mostListed = 10
	mostMapped = 50
)

// askNear requests the stations around the station, for the map and its list.
func (b *stationBuilder) askNear(g *gathering) {
	st := b.info.Station
	far := farthest
	var near, tides outcome[directory.NearestStations]
	compute(g, &tides, b.site.Set.Directory.NearestStations, directory.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: directory.OfType{Type: "tidepredictions"}, Limit: mostMapped, Farthest: &far,
	})
	compute(g, &near, b.site.Set.Directory.NearestStations, directory.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude, Limit: mostListed + 1, Farthest: &far,
	})
	b.add(func() {
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
		b.drawMap(tides.Result.Stations)
	})
}

// drawMap draws the coast around the station, with links to the tide stations on it.
func (b *stationBuilder) drawMap(near []directory.NearStation) {
	place := func(id, name, state string, latitude, longitude float64) locatorStation {
		return locatorStation{
			Name: words.WithState(name, state), Href: "/stations/" + id + string(b.v.Links),
			Latitude: latitude, Longitude: longitude,
		}
	}
	st := b.info.Station
	var others []locatorStation
	for _, n := range near {
		if n.ID != st.ID {
			others = append(others, place(n.ID, n.Name, n.State, n.Latitude, n.Longitude))
		}
	}
	b.v.Map = locate(place(st.ID, st.Name, st.State, st.Latitude, st.Longitude), others)
}

// around returns a station near the page's station as a row.
func (b *stationBuilder) around(n directory.NearStation) row {
	return row{
		ID: n.ID, Title: words.WithState(n.Name, n.State), Kind: string(n.Predicts),
		Water:    string(n.Water),
		Distance: distance(n.DistanceKm, b.p.Units), Latitude: n.Latitude, Longitude: n.Longitude,
	}
}
