package locate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/words"
)

// townReach limits the distance, in kilometers, of a town abroad from the station that answers
// for it: there are too few for more. Ours.
const townReach = 15

// abroad finds a name in an area abroad: the stations of that country with the name or its words,
// or the town of that name if a station is near. Stations of other countries never answer.
func (f finder) abroad(head string, areas []places.Area) Meaning {
	for {
		rest, tail := cut(head)
		inner := places.AreasOf(words.Split(tail))
		same := func(a places.Area) bool { return has(areas, a.Code) }
		if tail == "" || !slices.ContainsFunc(inner, same) {
			break
		}
		head = rest
	}
	towns := beyond(words.Split(head), func(p places.Place) bool { return has(areas, p.Country) })
	if len(towns) > 0 { // BC is also Baja California
		areas = slices.DeleteFunc(slices.Clone(areas), func(a places.Area) bool {
			return a.Code != towns[0].Country
		})
	}
	inside := func(st stations.Station) bool {
		return has(areas, st.Country()) && (f.can == nil || f.can(st))
	}
	m := Meaning{Abroad: areas}
	for _, s := range f.d.Find(head, inside) {
		if s.Match != stations.Fuzzy {
			m.Stations = append(m.Stations, s)
		}
	}
	if slices.ContainsFunc(m.Stations, exact) {
		m.Stations = slices.DeleteFunc(m.Stations, func(s stations.Found) bool { return !exact(s) })
	}
	near := slices.IndexFunc(towns, f.reaches)
	if near >= 0 { // Cristobal, Panama Canal, is on the other ocean
		m.Stations = slices.DeleteFunc(m.Stations, func(s stations.Found) bool {
			return kilometers(towns[near], s.Station) > townReach
		})
	}
	switch {
	case len(m.Stations) > 0:
		return m
	case near >= 0:
		m.Places = []places.Match{{Place: towns[near]}}
		return m
	}
	known := len(towns) > 0 || slices.ContainsFunc(f.d.Find(head, func(st stations.Station) bool {
		return has(areas, st.Country())
	}), func(s stations.Found) bool { return s.Match != stations.Fuzzy })
	m.Refusal, m.Inland = f.nobody(head, areas, towns, known), matches(towns)
	return m
}

// reaches reports whether a usable station of its country is near a town abroad.
func (f finder) reaches(town places.Place) bool {
	near := f.d.Nearest(town.Latitude, town.Longitude, 1, func(st stations.Station) bool {
		return st.Country() == town.Country && (f.can == nil || f.can(st))
	})
	return len(near) > 0 && near[0].Kilometers <= townReach
}

// kilometers returns the distance of a station from a town.
func kilometers(town places.Place, st stations.Station) float64 {
	return stations.Kilometers(town.Latitude, town.Longitude, st.Latitude, st.Longitude)
}

// nobody returns the refusal of a name that no usable station has in areas abroad. It offers the
// place of that name near an American town of the name of the area. If the name is not known
// abroad, it offers any place of that name.
func (f finder) nobody(
	head string, areas []places.Area, towns []places.Place, known bool,
) string {
	var in, there []string
	here := f.nearPlace(head, areas[0].Name)
	for _, a := range areas {
		name := country(a)
		if strings.EqualFold(a.Name, head) {
			name, known = places.CountryName(a.Code), true
		}
		in, there = append(in, name), append(there, f.there(a, towns))
	}
	format := "%s is in %s. %s"
	if !known {
		format = "No place or station named %s is known in %s. %s"
		here = append(here, f.g.Named(words.Split(head), "")...)
	}
	return fmt.Sprintf(format, coast.Quote(head), strings.Join(in, ", or "),
		strings.Join(there, " ")) + f.offer(here)
}

// exact reports whether a station has the whole name.
func exact(s stations.Found) bool { return s.Match != stations.ByWords }

// has reports whether one of the areas abroad is in a country.
func has(areas []places.Area, country string) bool {
	return slices.ContainsFunc(areas, func(a places.Area) bool {
		return a.Abroad() && a.Code == country
	})
}

// country returns the name of the country of an area, and of the area if it is a part.
func country(a places.Area) string {
	if a.Kind == places.Part {
		return a.Name + ", " + places.CountryName(a.Code)
	}
	return places.CountryName(a.Code)
}

// there returns a sentence about the stations of the country of an area, the nearest to the first
// of the towns in that country first.
func (f finder) there(a places.Area, towns []places.Place) string {
	const most = 4
	all := f.of(a.Code)
	in := places.CountryName(a.Code)
	if len(all) == 0 {
		return fmt.Sprintf("NOAA has no station in %s%s.", in, f.that(1))
	}
	away := ""
	if i := slices.IndexFunc(towns, func(p places.Place) bool { return p.Country == a.Code }); i >= 0 {
		slices.SortStableFunc(all, func(a, b stations.Station) int {
			return cmp.Compare(kilometers(towns[i], a), kilometers(towns[i], b))
		})
		away = fmt.Sprintf(", %.0f km away", kilometers(towns[i], all[0]))
		if len(all) > 1 {
			away = ", the nearest" + away[1:]
		}
	}
	var names []string
	for _, st := range all[:min(most, len(all))] {
		names = append(names, fmt.Sprintf("%s (%s)", st.ID, st.Name))
	}
	kind := "stations"
	if len(all) == 1 {
		kind = "station"
	}
	return fmt.Sprintf("NOAA has %d %s in %s%s%s: %s.", len(all), kind, in, f.that(len(all)), away,
		strings.Join(names, "; "))
}

// that returns the clause that describes n usable stations: " that predict tides".
func (f finder) that(n int) string {
	verb, object, _ := strings.Cut(f.does, " ")
	switch {
	case verb == "":
		return ""
	case n > 1 && verb == "is":
		verb = "are"
	case n > 1:
		verb = strings.TrimSuffix(verb, "s")
	}
	return fmt.Sprintf(" that %s %s", verb, object)
}

// of returns the usable stations of a country, those with constants of their own first.
func (f finder) of(code string) []stations.Station {
	var all []stations.Station
	for _, st := range f.d.All("") {
		if st.Country() == code && (f.can == nil || f.can(st)) {
			all = append(all, st)
		}
	}
	slices.SortStableFunc(all, func(a, b stations.Station) int {
		switch {
		case a.HasConstants() == b.HasConstants():
			return 0
		case a.HasConstants():
			return -1
		}
		return 1
	})
	return all
}

// country returns the meaning of the name of a country alone: its stations.
func (f finder) country(a places.Area) Meaning {
	m := Meaning{Abroad: []places.Area{a}}
	for _, st := range f.of(a.Code) {
		m.Stations = append(m.Stations, stations.Found{Station: st, Match: stations.ByWords})
	}
	m.Main = a.Kind == places.Islands
	if len(m.Stations) == 0 {
		m.Refusal = f.there(a, nil)
	}
	return m
}

// Label returns the name of a station with its state or country.
func Label(st stations.Station) string {
	switch {
	case st.State != "":
		return words.WithState(st.Name, st.State)
	case st.Country() != "":
		return st.Name + ", " + places.CountryName(st.Country())
	}
	return st.Name
}
