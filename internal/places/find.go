package places

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"leadline/internal/words"
)

// Match is a place that has a name, or a similar one.
type Match struct {
	Place
	Fuzzy bool // found with a spelling mistake
}

// generic are words that people add to a name or omit.
var generic = map[string]bool{
	"beach": true, "harbor": true, "marina": true, "pier": true,
}

// Named returns the places with a name in a state, the most likely first; an empty state matches
// any. The word City at the end may be omitted or added. Generic words such as "harbor" are
// ignored only if no place has the whole name.
func (g *Gazetteer) Named(name []string, state string) []Match {
	if found := g.aliased(name, state); found != nil {
		return found
	}
	for _, key := range append(variants(name), words.Key(WithoutGeneric(name))) {
		if found := g.exact(key, state); len(found) > 0 {
			return found
		}
	}
	return g.aliased(WithoutGeneric(name), state)
}

// exact returns the places with a key in a state; an empty state matches any.
func (g *Gazetteer) exact(key, state string) []Match {
	var found []Match
	for _, i := range g.byName[key] {
		if p := g.places[i]; state == "" || p.State == state || p.Kind == ZIP {
			found = append(found, Match{Place: p})
		}
	}
	return found
}

// Beginning returns at most n places whose names begin with unfinished words, which may have a
// state behind them, or that have them as an alias, the most likely first.
func (g *Gazetteer) Beginning(typed []string, n int) []Place {
	found := g.aliased(typed, "")
	if found == nil {
		found = g.beginning(words.Key(typed), "")
	}
	if rest, state := words.CutState(typed); found == nil && state != "" {
		found = g.beginning(words.Key(rest), state)
	}
	slices.SortFunc(found, order)
	var list []Place
	for _, m := range found[:min(n, len(found))] {
		list = append(list, m.Place)
	}
	return list
}

// beginning returns the places in a state whose keys begin with a text; an empty state matches any.
func (g *Gazetteer) beginning(text, state string) []Match {
	var found []Match
	for key := range g.byName {
		if text != "" && strings.HasPrefix(key, text) {
			found = append(found, g.exact(key, state)...)
		}
	}
	return found
}

// Similar returns the places in a state whose names differ from the query by a few spelling
// mistakes, those with the fewest first. The first letter must be right.
func (g *Gazetteer) Similar(typed []string, state string) []Match {
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

// WithoutGeneric returns a name without its generic words, such as "harbor".
func WithoutGeneric(name []string) []string {
	return slices.DeleteFunc(slices.Clone(name),
		func(w string) bool { return generic[words.Written(w)] })
}

// park matches what public land is called behind the name of its place.
var park = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(.*\pL) (?:(?:state|county|national) (?:park|beach|seashore)|` +
		`state recreation area)((?:,| ).*)?$`)
})

// WithoutPark returns the name of the place of a park: that of Hunting Island State Park, SC is
// Hunting Island, SC.
func WithoutPark(name string) string { return park().ReplaceAllString(name, "$1$2") }

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
