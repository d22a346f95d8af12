package places

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"leadline/internal/words"
)

// AreaKind is the kind of an area.
type AreaKind string

// The kinds of areas, as areas.tsv describes them.
const (
	Country AreaKind = "country"
	Islands AreaKind = "islands" // a country of one group of islands
	Part    AreaKind = "part"    // a province, county or island of a country
	State   AreaKind = "state"
	Inland  AreaKind = "inland" // a state without a coast
	United  AreaKind = "united" // the United States
)

// Area is a country, a part of one, or a state.
type Area struct {
	Code string // ISO 3166-1 of the country, or the letters of the state
	Kind AreaKind
	Name string
}

// Abroad reports whether the area is outside the United States.
func (a Area) Abroad() bool { return a.Kind == Country || a.Kind == Islands || a.Kind == Part }

//go:embed areas.tsv
var areaRows string

// areas maps names, as words.Key joins them, to their areas.
var areas = sync.OnceValue(func() map[string][]Area {
	of := map[string][]Area{}
	for line := range strings.Lines(areaRows) {
		code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		kind, names, ok := strings.Cut(rest, "\t")
		if !ok {
			continue // a comment
		}
		all := strings.Split(names, "; ")
		for _, name := range all {
			a := Area{Code: code, Kind: AreaKind(kind), Name: all[0]}
			if key := areaKey(words.Split(name)); !slices.Contains(of[key], a) {
				of[key] = append(of[key], a)
			}
		}
	}
	return of
})

// AreasOf returns the areas that have a name: the state that it names, or else countries and
// their parts, or a state without a coast.
func AreasOf(name []string) []Area {
	if state, n := words.StateOf(name); n > 0 && n == len(name) {
		return []Area{{Code: state, Kind: State, Name: words.StateName(state)}}
	}
	return areas()[areaKey(name)]
}

// areaKey joins the words of an area. The letters of Indiana and Ontario are articles elsewhere.
func areaKey(name []string) string { return cmp.Or(words.Key(name), strings.Join(name, " ")) }

// CutArea separates an area abroad, or an inland state, at the end of a name from the words
// before it. There are no areas if no word is before it, or one such as "of" that makes them one
// name: the Gulf of Mexico is not in Mexico.
func CutArea(name []string) (rest []string, behind []Area) {
	const longest = 6
	for i := max(1, len(name)-longest); i < len(name); i++ {
		if behind := areas()[areaKey(name[i:])]; len(behind) > 0 && behind[0].Kind != State &&
			len(strings.Join(name[i:], "")) > 2 && // two letters alone are too likely a mistake
			name[i-1] != "of" && name[i] != "of" {
			return name[:i], behind
		}
	}
	return name, nil
}

// CountryName returns the name of a country by its code.
func CountryName(code string) string { return countries()[code] }

var countries = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, list := range areas() {
		for _, a := range list {
			if a.Kind == Country || a.Kind == Islands {
				names[a.Code] = a.Name
			}
		}
	}
	return names
})

// AreaNames returns all names of areas abroad, as keys.
func AreaNames() []string {
	var names []string
	for key, list := range areas() {
		if list[0].Abroad() {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}
