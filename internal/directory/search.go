package directory

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/locate"
	"leadline/internal/place"
	"leadline/internal/places"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// mostNear limits the stations that are listed near a place.
const mostNear = 10

// search finds stations by their names, or near a place that the query names.
type search struct {
	fs    facts.Set
	query string
	state string            // limits stations and places to a state; empty for all
	keep  stations.Filter   // nil keeps all
	of    *coast.Provenance // receives notes, and the source of places
}

func (s search) accepts(st stations.Station) bool {
	return (s.state == "" || strings.EqualFold(st.State, s.state)) && (s.keep == nil || s.keep(st))
}

// rows returns the stations found, best first: stations that have the name, those near a place
// of that name, or both, the more likely first. Stations with a similar name follow.
func (s search) rows() []found {
	if strings.TrimSpace(s.query) == "" {
		return matched(s.fs.Stations.Find("", s.accepts))
	}
	does := ""
	if s.keep != nil {
		does = "is of the wanted kind"
	}
	m := locate.Find(s.fs.Stations, s.query, s.accepts, does)
	sure, similar := matched(abroadLast(m.LargestFirst())), matched(m.SimilarStations())
	elsewhere := func(p places.Match) bool {
		return s.state != "" && p.State != "" && !strings.EqualFold(p.State, s.state)
	}
	places := slices.DeleteFunc(m.Places, elsewhere)
	m.SimilarPlaces = slices.DeleteFunc(m.SimilarPlaces, elsewhere)
	if zip := len(places) > 0 && place.IsZIP(s.query); zip && sure != nil {
		sure, similar = nil, append(sure, similar...) // these ids only begin with the ZIP code
	}
	unpredicted := s.noteUnpredicted()
	if m.Larger != "" {
		s.addNote("%s names several places. %s", coast.Quote(s.query), m.Larger)
	}
	switch {
	case m.Refusal != "" && len(sure) == 0: // else it is a state, whose stations are listed
		if !unpredicted {
			s.addNote("%s Coverage: %s.", m.Refusal, place.Coverage)
		}
		return nil
	case len(sure) > 0 && (s.isBig(places, sure) || s.isBehind(places, m.Stations)):
		return without(s.near(places, true), append(sure, similar...))
	case len(sure) > 0:
		s.noteElsewhere(sure[0], places)
		return append(s.withOther(sure, places), similar...)
	case len(places) > 0:
		return without(s.near(places, false), similar)
	case len(similar) > 0:
		s.addNote("No station is named %s: these have similar names.", coast.Quote(s.query))
		return similar
	case len(m.SimilarPlaces) > 0:
		s.addNote("No station or place is named %s. Similar names: %s.", coast.Quote(s.query),
			place.Listed(m.SimilarPlaces))
		return nil
	}
	if !unpredicted {
		s.noteNothing()
	}
	return nil
}

// matched returns stations as rows.
func matched(list []stations.Found) []found {
	var rows []found
	for _, f := range list {
		rows = append(rows, found{f.Station, place.MatchNames[f.Match], nil})
	}
	return rows
}

// abroadLast moves the stations abroad behind the others: Boston is also an atoll.
func abroadLast(list []stations.Found) []stations.Found {
	abroad := func(f stations.Found) bool { return f.Country() != "" }
	here := slices.DeleteFunc(slices.Clone(list), abroad)
	for _, f := range list {
		if abroad(f) {
			here = append(here, f)
		}
	}
	return here
}

// isBig reports whether the first place is a big town with a station of the kind that is wanted,
// and none of the name is near it.
func (s search) isBig(named []places.Match, sure []found) bool {
	if len(named) == 0 || named[0].Rank < places.BigTown || sure[0].match == "id" {
		return false
	}
	own := slices.ContainsFunc(sure, func(f found) bool {
		return len(place.Farther(named[:1], f.Latitude, f.Longitude)) == 0
	})
	near := s.fs.Stations.Nearest(named[0].Latitude, named[0].Longitude, 1, s.accepts)
	return !own && len(near) > 0 && near[0].Kilometers <= place.LimitOf(near[0].Station).Most
}

// withOther adds the station of the other water of the first place, if it is that of a station
// found: a search for Daytona Beach finds the ocean, and the river behind it.
func (s search) withOther(sure []found, named []places.Match) []found {
	if len(named) == 0 || sure[0].match == "id" {
		return sure
	}
	c := s.water(named[0])
	if c.Other == nil || c.First.Station.ID != sure[0].ID {
		return sure
	}
	s.addNote("%s", place.WaterNote(named[0], c, "predicts tides"))
	facts.Merge(s.of, s.fs.From(place.Source(s.fs)))
	return without(sure, nearRows([]stations.Near{c.Other.Near}))
}

// isBehind reports whether the station of the name of the first place does not answer for it.
func (s search) isBehind(named []places.Match, sure []stations.Found) bool {
	if len(named) == 0 || sure[0].Match != stations.ByName || sure[0].Kind != stations.Tide ||
		len(place.Farther(named[:1], sure[0].Latitude, sure[0].Longitude)) > 0 {
		return false
	}
	return !place.OwnStation(s.fs, s.water(named[0]), sure[0].Station, named[0])
}

// near returns the stations near the first of the places, nearest first, each within the limit
// of its kind. StationsToo reports whether stations elsewhere have the name.
func (s search) near(named []places.Match, stationsToo bool) []found {
	at := named[0]
	there := func(st stations.Station) bool {
		return s.accepts(st) && (at.Country == "" || st.Country() == at.Country)
	}
	near := s.fs.Stations.Nearest(at.Latitude, at.Longitude, mostNear, func(st stations.Station) bool {
		km := stations.Kilometers(at.Latitude, at.Longitude, st.Latitude, st.Longitude)
		return km <= place.LimitOf(st).Most && there(st)
	})
	facts.Merge(s.of, s.fs.From(place.Source(s.fs)))
	if len(near) == 0 {
		near, within := s.fs.Stations.Nearest(at.Latitude, at.Longitude, 1, there), place.OfWater
		if len(near) > 0 {
			within = place.LimitOf(near[0].Station)
		}
		s.addNote("%s", place.TooFar(s.fs, at, "such station", within, near))
		return nil
	}
	c := s.water(at)
	rows := without(chosen(c), nearRows(near))
	rows = rows[:min(mostNear, len(rows))]
	intro := fmt.Sprintf("No station is named %s. ", coast.Quote(s.query))
	if stationsToo {
		intro = "" // they follow
	}
	order := "these are the nearest stations, nearest first"
	if c.First != nil {
		order = "the station of its water is first, then others, the nearest first"
	}
	s.addNote("%s%s (%.2f, %.2f) is a place: %s. Distances are straight lines.", intro, at,
		at.Latitude, at.Longitude, order)
	if c.First != nil {
		s.addNote("%s", place.WaterNote(at, c, "predicts tides"))
	}
	if at.Kind == places.ZIP {
		s.addNote("%s", place.NoteZIP(at))
	}
	if others := place.Farther(named[1:], at.Place.Latitude, at.Place.Longitude); len(others) > 0 {
		s.addNote("Other places of that name: %s. Add the state to choose one.", place.Listed(others))
	}
	return rows
}

// water returns the water of a place, if stations with tide predictions are searched.
func (s search) water(at places.Match) waters.Choice {
	c := waters.Choose(s.fs.Stations, at.Place, func(st stations.Station) bool {
		return facts.Predicts(st) == "tides" && s.accepts(st)
	}, "")
	if !c.Near() {
		return waters.Choice{}
	}
	return c
}

// chosen returns the stations of a choice as rows.
func chosen(c waters.Choice) []found {
	var near []stations.Near
	for _, o := range []*waters.Option{c.First, c.Other} {
		if o != nil {
			near = append(near, o.Near)
		}
	}
	return nearRows(near)
}

func nearRows(near []stations.Near) []found {
	var rows []found
	for _, n := range near {
		rows = append(rows, found{n.Station, "place", &n.Kilometers})
	}
	return rows
}

// noteElsewhere adds a note about places of the same name that are far from the first
// station.
func (s search) noteElsewhere(first found, named []places.Match) {
	others := place.Farther(named, first.Latitude, first.Longitude)
	if first.match != "id" && len(others) > 0 {
		facts.Merge(s.of, s.fs.From(place.Source(s.fs)))
		s.addNote("Elsewhere, places have that name too: %s. Add the state to find their stations.",
			place.Listed(others))
	}
}

// noteUnpredicted adds a note that explains why the station with an id has no predictions. It
// reports whether NOAA's lists have such an id.
func (s search) noteUnpredicted() bool {
	err := s.fs.Unpredicted(strings.TrimSpace(s.query))
	if err != nil {
		e, _ := coast.AsError(err)
		s.addNote("%s", e.Message)
	}
	return err != nil
}

func (s search) noteNothing() {
	if place.IsZIP(s.query) {
		s.addNote("No station has the ZIP code %s within 40 km: it is outside coverage, which is %s.",
			strings.TrimSpace(s.query), place.Coverage)
		return
	}
	if text, _ := place.Unfit(s.fs, s.query, s.accepts); text != "" {
		s.addNote("No such station matches.%s", text)
		return
	}
	s.addNote("No station matches, and no place near one. Try fewer words, another spelling, or "+
		"coordinates. Coverage: %s.", place.Coverage)
}

func (s search) addNote(format string, args ...any) {
	s.of.Notes = append(s.of.Notes, fmt.Sprintf(format, args...))
}

// without returns the stations in first, followed by the stations in second that are not in
// first.
func without(first, second []found) []found {
	for _, f := range second {
		if !slices.ContainsFunc(first, func(o found) bool { return o.ID == f.ID }) {
			first = append(first, f)
		}
	}
	return first
}
