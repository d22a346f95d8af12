package station

import (
	"leadline/internal/directory"
	"leadline/internal/web/locator"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// Numbers of other stations: in the list, and for the map, which has room for few of them.
const (
	mostListed = 10
	mostMapped = 50
)

// askNear requests the stations around the station, for the map and its list.
func (b *builder) askNear(g *site.Gathering) {
	st := b.Info.Station
	far := site.Farthest
	var near, tides site.Outcome[directory.NearestStations]
	site.Compute(g, &tides, b.site.Set.Directory.NearestStations, directory.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: directory.OfType{Type: "tidepredictions"}, Limit: mostMapped, Farthest: &far,
	})
	site.Compute(g, &near, b.site.Set.Directory.NearestStations, directory.NearestStationsInput{
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
func (b *builder) drawMap(near []directory.NearStation) {
	place := func(id, name, state string, latitude, longitude float64) locator.Station {
		return locator.Station{
			Name: words.WithState(name, state), Href: "/stations/" + id + string(b.v.Links),
			Latitude: latitude, Longitude: longitude,
		}
	}
	st := b.Info.Station
	var others []locator.Station
	for _, n := range near {
		if n.ID != st.ID {
			others = append(others, place(n.ID, n.Name, n.State, n.Latitude, n.Longitude))
		}
	}
	b.v.Map = locator.Draw(place(st.ID, st.Name, st.State, st.Latitude, st.Longitude), others)
}

// around returns a station near the page's station as a row.
func (b *builder) around(n directory.NearStation) view.Row {
	return view.Row{
		ID: n.ID, Title: words.WithState(n.Name, n.State), Kind: string(n.Predicts),
		Water: string(n.Water), Distance: view.Distance(n.DistanceKm, b.Prefs.Units),
		Latitude: n.Latitude, Longitude: n.Longitude,
	}
}
