package search

import (
	"regexp"
	"slices"
	"strings"

	"leadline/internal/places"
	"leadline/internal/words"
)

// piece is a part of a note. It is a link if it has the query of a search.
type piece struct{ Text, Query string }

// Linked returns the parts of a note about a search, in which the other places that may be meant
// are links.
func (v findPage) Linked(note string) []piece {
	names := placeNames(v.Query)
	if names == nil {
		return []piece{{Text: note}}
	}
	var pieces []piece
	end := 0
	for _, at := range names.FindAllStringIndex(note, -1) {
		name := note[at[0]:at[1]]
		if strings.EqualFold(name, v.Query) {
			continue
		}
		pieces = append(pieces, piece{Text: note[end:at[0]]}, piece{name, name})
		end = at[1]
	}
	return append(pieces, piece{Text: note[end:]})
}

// placeNames matches the names, with the state, of the places that have the name of a query or a
// similar one: "Laguna Beach, FL", "Ocean Beach, San Diego, CA". It is nil if there are none.
func placeNames(query string) *regexp.Regexp {
	g := places.Open()
	name, _ := words.CutState(words.Split(query))
	var names []string
	for _, m := range append(g.Named(name, ""), g.Similar(name, "")...) {
		if m.State != "" {
			names = append(names, regexp.QuoteMeta(m.Name)+`, (?:[\pL .'-]+, )?`+m.State+`\b`)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return regexp.MustCompile(strings.Join(slices.Compact(names), "|"))
}
