package places

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"leadline/internal/words"
)

// Match is a result of Find.
type Match struct {
	Place
	Fuzzy bool // found with a spelling mistake
}

// maxQuery is the number of bytes of a query that Find reads.
const maxQuery = 256

// sameArea is the greatest distance, in kilometers, of "Ocean Beach, San Francisco" from San
// Francisco.
const sameArea = 50

// generic are words that people add to a name or omit.
var generic = map[string]bool{
	"beach": true, "harbor": true, "marina": true, "pier": true,
}

// Find returns at most n places that match a query, the most likely first: "Half Moon Bay,
// CA", "portland maine", "94019", "Ocean Beach, San Francisco". Five digits are a ZIP code. A
// state at the end restricts the results. Generic words such as "harbor" are ignored only if
// no place has the whole name, and spelling mistakes are considered last.
func (g *Gazetteer) Find(query string, n int) []Match {
	query = query[:min(len(query), maxQuery)]
	name := words.Split(query)
	for _, find := range []func() []Match{
		func() []Match { return g.named(name) },
		func() []Match { return g.within(query) },
		func() []Match { return g.named(withoutGeneric(name)) },
		func() []Match { return g.misspelled(name) },
	} {
		if found := find(); len(found) > 0 {
			return found[:min(n, len(found))]
		}
	}
	return nil
}

// named returns the places with a name, which may end with a state.
func (g *Gazetteer) named(name []string) []Match {
	if found := g.exact(name, ""); len(found) > 0 {
		return found
	}
	name, state := words.CutState(name)
	if state == "" {
		return nil
	}
	return g.exact(name, state)
}

// exact returns the places with a name in a state; an empty state matches any.
func (g *Gazetteer) exact(name []string, state string) []Match {
	var found []Match
	for _, i := range g.byName[words.Key(name)] {
		if p := g.places[i]; state == "" || p.State == state || p.Kind == ZIP {
			found = append(found, Match{Place: p})
		}
	}
	return found
}

// within returns the places of a query in two parts, "Avalon, Catalina Island": those named by
// the first part near the second, or otherwise those that match either part.
func (g *Gazetteer) within(query string) []Match {
	part, area, ok := strings.Cut(query, ",")
	if _, n := words.StateOf(words.Split(area)); !ok || n > 0 && n == len(words.Split(area)) {
		return nil // a state has no place of that name
	}
	found, around := g.named(words.Split(part)), g.named(words.Split(area))
	if len(found) == 0 || len(around) == 0 {
		return append(found, around...)
	}
	near := slices.DeleteFunc(slices.Clone(found), func(m Match) bool {
		return kilometers(m.Place, around[0].Place) > sameArea
	})
	if len(near) > 0 {
		return near
	}
	return around
}

// misspelled returns the places whose names differ from the query by a few spelling mistakes,
// those with the fewest first. The first letter must be right.
func (g *Gazetteer) misspelled(typed []string) []Match {
	typed, state := words.CutState(typed)
	if len(typed) == 0 {
		return nil
	}
	byMistakes := map[int][]Match{}
	for _, n := range g.names[shapeOf(typed)] {
		mistakes, ok := distance(typed, n.words)
		if !ok {
			continue
		}
		for _, i := range n.rows {
			if p := g.places[i]; state == "" || p.State == state {
				byMistakes[mistakes] = append(byMistakes[mistakes], Match{Place: p, Fuzzy: true})
			}
		}
	}
	var found []Match
	for _, mistakes := range slices.Sorted(maps.Keys(byMistakes)) {
		slices.SortFunc(byMistakes[mistakes], order)
		found = append(found, byMistakes[mistakes]...)
	}
	return found
}

// distance returns the number of mistakes between two names with the same number of words, and
// whether each word has few enough.
func distance(typed, name []string) (sum int, ok bool) {
	for i, word := range typed {
		if words.Written(word) == name[i] {
			continue
		}
		limit := words.Mistakes(word, len(typed) > 1)
		d := words.Distance(word, name[i], limit)
		if len(word) <= 3 || d > limit {
			return 0, false
		}
		sum += d
	}
	return sum, true
}

func withoutGeneric(name []string) []string {
	return slices.DeleteFunc(slices.Clone(name),
		func(w string) bool { return generic[words.Written(w)] })
}

// Nearest returns the n towns and waters nearest to a point, nearest first.
func (g *Gazetteer) Nearest(latitude, longitude float64, n int) []Place {
	var near []Place
	at := Place{Latitude: latitude, Longitude: longitude}
	for _, p := range g.places {
		if p.Kind == ZIP {
			continue
		}
		i, _ := slices.BinarySearchFunc(near, p, func(a, b Place) int {
			return cmp.Compare(kilometers(at, a), kilometers(at, b))
		})
		if i < n {
			near = slices.Insert(near, i, p)
			near = near[:min(n, len(near))]
		}
	}
	return near
}

// order compares matches for sorting, the most likely first.
func order(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.String(), b.String()))
}

// kilometers returns the approximate distance of two places: within 1 % up to some hundred
// kilometers.
func kilometers(a, b Place) float64 {
	const radius, degree = 6371.0088, math.Pi / 180
	x := (b.Longitude - a.Longitude) * degree * math.Cos((a.Latitude+b.Latitude)/2*degree)
	return radius * math.Hypot(x, (b.Latitude-a.Latitude)*degree)
}
