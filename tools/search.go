package tools

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/places"
	"leadline/internal/stations"
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

// rows returns the stations found, best first: stations that have the name or, if there are
// none, stations near a place of that name. Stations with a similar name follow.
func (s search) rows() []found {
	sure, similar := s.named()
	if strings.TrimSpace(s.query) == "" {
		return sure
	}
	places := placesNamed(s.query, s.state)
	if zip := len(places) > 0 && isZIP(s.query); zip && sure != nil {
		sure, similar = nil, append(sure, similar...) // these ids only begin with the ZIP code
	}
	unpredicted := s.noteUnpredicted()
	exact := len(places) > 0 && !places[0].Fuzzy
	switch {
	case len(sure) > 0:
		s.noteElsewhere(sure[0], places)
		return append(sure, similar...)
	case exact:
		return without(s.near(places, "place"), similar)
	case len(similar) > 0:
		s.addNote("No station is named %s: these have similar names.", coast.Quote(s.query))
		return similar
	case len(places) > 0:
		return s.near(places, "fuzzy")
	}
	if !unpredicted {
		s.noteNothing()
	}
	return nil
}

// named returns the stations that have the name, and those with a similar name.
func (s search) named() (sure, similar []found) {
	for _, f := range s.fs.Stations.Find(s.query, s.accepts) {
		row := found{f.Station, matchNames[f.Match], nil}
		if f.Match == stations.Fuzzy {
			similar = append(similar, row)
		} else {
			sure = append(sure, row)
		}
	}
	return sure, similar
}

// near returns the stations near the first of the places, nearest first.
func (s search) near(named []places.Match, match string) []found {
	at := named[0]
	near := s.fs.Stations.Nearest(at.Latitude, at.Longitude, mostNear, s.accepts)
	facts.Merge(s.of, s.fs.From(placeSource(s.fs)))
	if !covered(near) {
		s.addNote("%s", tooFar(s.fs, at, "such station", near))
		return nil
	}
	similar := ""
	if at.Fuzzy {
		similar = " has a similar name and"
	}
	s.addNote("No station is named %s. %s (%.2f, %.2f)%s is a place: these are the nearest stations, "+
		"nearest first. Distances are straight lines, which may cross into another body of water.",
		coast.Quote(s.query), at, at.Latitude, at.Longitude, similar)
	if at.Kind == places.ZIP {
		s.addNote("%s", noteZIP(at))
	}
	if others := farther(named[1:], at.Place.Latitude, at.Place.Longitude); len(others) > 0 {
		s.addNote("Other places of that name: %s. Add the state to choose one.", listed(others))
	}
	var rows []found
	for _, n := range near {
		if n.Kilometers <= reach {
			rows = append(rows, found{n.Station, match, &n.Kilometers})
		}
	}
	return rows
}

// noteElsewhere adds a note about places of the same name that are far from the first
// station.
func (s search) noteElsewhere(first found, named []places.Match) {
	named = slices.DeleteFunc(slices.Clone(named), func(m places.Match) bool { return m.Fuzzy })
	others := farther(named, first.Latitude, first.Longitude)
	if first.match != "id" && len(others) > 0 {
		facts.Merge(s.of, s.fs.From(placeSource(s.fs)))
		s.addNote("Elsewhere, places have that name too: %s. Add the state to find their stations.",
			listed(others))
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
	if isZIP(s.query) {
		s.addNote("No station has the ZIP code %s within 40 km: it is outside coverage, which is %s.",
			strings.TrimSpace(s.query), coverage)
		return
	}
	if text := unfit(s.fs, s.query, s.accepts); text != "" {
		s.addNote("No such station matches.%s", text)
		return
	}
	s.addNote("No station matches, and no place near one. Try fewer words, another spelling, or "+
		"coordinates. Coverage: %s.", coverage)
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
