package search

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/places"
	"leadline/internal/web/site"
	"leadline/internal/words"
)

// suggestion is a row of the suggestions, for the script: a station with its id, or a place with
// the search for it.
type suggestion struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State string `json:"state"`
	Kind  string `json:"kind"`
	Page  string `json:"page"`
}

// The numbers of suggestions, and of places among them.
const (
	mostSuggested = 8
	mostPlaces    = 3
)

// suggest serves the stations and places that match an unfinished text, as JSON.
func (s *pages) suggest(w http.ResponseWriter, r *http.Request) {
	query := site.Clip(strings.TrimSpace(r.URL.Query().Get("q")))
	s.Once(w, r, "/stations/suggest?"+query, func(ctx context.Context, _ time.Time) site.Response {
		list := []suggestion{}
		found, err := operation.Run(ctx, s.Set.Directory.SearchStations, directory.SearchStationsInput{
			Query: query, Limit: mostSuggested,
		})
		if err == nil && utf8.RuneCountInString(query) >= 2 {
			list = suggestions(query, found.Stations)
		}
		body, _ := json.Marshal(list) // strings: cannot fail
		return site.File("application/json", body,
			site.KeptIf(err == nil && s.IsComplete(found.Provenance), time.Hour))
	})
}

// suggestions returns the big towns whose names begin with a query, the stations and the other
// places that do, and the other stations: Chicago comes before Port Chicago.
func suggestions(query string, found []directory.FoundStation) []suggestion {
	typed := words.Split(query)
	list, rest := []suggestion{}, []suggestion{}
	named := map[string]bool{} // places that are also stations
	for _, st := range found {
		named[words.WithState(st.Name, st.State)] = true
		row := suggestion{st.ID, st.Name, st.State, kindWord(string(st.Predicts)),
			"/stations/" + st.ID}
		if st.Match != "place" && beginsWith(st.Name, typed) {
			list = append(list, row)
		} else {
			rest = append(rest, row)
		}
	}
	near := slices.DeleteFunc(places.Open().Beginning(typed, mostPlaces), func(p places.Place) bool {
		return named[p.String()]
	})
	big := []suggestion{}
	list = list[:min(len(list), mostSuggested-len(near))]
	for _, p := range near {
		row := suggestion{"", p.Name, p.State, placeWord(p.Kind),
			"/stations?q=" + url.QueryEscape(p.String())}
		if p.Rank >= places.BigTown {
			big = append(big, row)
		} else {
			list = append(list, row)
		}
	}
	list = append(append(big, list...), rest...)
	return list[:min(len(list), mostSuggested)]
}

// beginsWith reports whether a station's name, or the name in brackets behind it, begins with
// unfinished words: "golden ga" is San Francisco (Golden Gate).
func beginsWith(name string, typed []string) bool {
	rest, _ := words.CutState(typed)
	before, bracketed, _ := strings.Cut(name, "(")
	return slices.ContainsFunc([]string{before, bracketed}, func(part string) bool {
		has := words.Key(words.Split(part))
		return strings.HasPrefix(has, words.Key(typed)) || strings.HasPrefix(has, words.Key(rest))
	})
}

// kindWord names what is predicted at a station of a list.
func kindWord(predicts string) string {
	switch predicts {
	case "tides":
		return "tide"
	case "currents":
		return "current"
	}
	return "gauge"
}

// placeWord names the kind of a place.
func placeWord(kind places.Kind) string {
	switch kind {
	case places.ZIP:
		return "ZIP code"
	case places.Water:
		return "water"
	}
	return "town"
}
