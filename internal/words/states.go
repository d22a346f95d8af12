package words

import (
	"maps"
	"slices"
	"strings"
)

// stateNames lists the states and territories that have stations, by name and by those
// Abbreviations that are not the two letters.
var stateNames = map[string]string{
	"alabama": "AL", "ala": "AL", "alaska": "AK", "california": "CA", "calif": "CA",
	"connecticut": "CT", "conn": "CT",
	"delaware": "DE", "del": "DE", "district of columbia": "DC", "florida": "FL", "fla": "FL",
	"georgia": "GA",
	"hawaii":  "HI", "illinois": "IL", "indiana": "IN", "louisiana": "LA", "maine": "ME",
	"maryland": "MD", "massachusetts": "MA", "mass": "MA",
	"michigan": "MI", "mich": "MI", "minnesota": "MN", "minn": "MN", "mississippi": "MS",
	"miss": "MS", "new hampshire": "NH", "new jersey": "NJ", "new york": "NY",
	"north carolina": "NC", "ohio": "OH", "oregon": "OR", "oreg": "OR", "pennsylvania": "PA",
	"penn": "PA", "rhode island": "RI",
	"south carolina": "SC", "texas": "TX", "tex": "TX", "virginia": "VA", "washington": "WA",
	"wash": "WA", "wisconsin": "WI", "wis": "WI",
	"puerto rico": "PR", "virgin islands": "VI", "guam": "GU", "american samoa": "AS",
	"northern mariana islands": "MP",
}

// StateOf returns the two letters of the state that the first words name, and the number of
// words in its name.
func StateOf(tokens []string) (state string, length int) {
	for n := min(3, len(tokens)); n > 0; n-- {
		text := strings.Join(tokens[:n], " ")
		if s, ok := stateNames[text]; ok {
			return s, n
		}
		if letters := strings.ToUpper(text); len(text) == 2 && slices.Contains(StateLetters, letters) {
			return letters, n
		}
	}
	return "", 0
}

// CutState separates a state at the end of the words from the words before it. The state is
// empty if there is none.
func CutState(name []string) (rest []string, state string) {
	for i := max(1, len(name)-3); i < len(name); i++ {
		if state, n := StateOf(name[i:]); n > 0 && i+n == len(name) {
			return name[:i], state
		}
	}
	return name, ""
}

// WithState returns a name with the letters of a state behind it, "" for none. Some of NOAA's names
// have it already: "Hammond, Oregon", "Fort Canby, Jetty 'a', Wash.".
func WithState(name, state string) string {
	if state == "" {
		return name
	}
	if i := strings.LastIndexByte(name, ','); i > 0 {
		last := Split(name[i+1:])
		if own, n := StateOf(last); own == state && n == len(last) {
			name = name[:i]
		}
	}
	return name + ", " + state
}

// StateLetters lacks IN, which is a word in most queries.
var StateLetters = []string{
	"AK", "AL", "AS", "CA", "CT", "DC", "DE", "FL", "GA", "GU", "HI", "IL", "LA", "MA", "MD", "ME",
	"MI", "MN", "MP", "MS",
	"NC", "NH", "NJ", "NY", "OH", "OR", "PA", "PR", "RI", "SC", "TX", "VA", "VI", "WA", "WI",
}

// MisspelledState returns the letters of the state whose name word misspells, or an empty
// string.
func MisspelledState(word string) string {
	if len(word) < 5 {
		return ""
	}
	limit := Mistakes(word, false)
	for _, name := range slices.Sorted(maps.Keys(stateNames)) {
		if len(name) >= 5 && Distance(word, name, limit) <= limit {
			return stateNames[name]
		}
	}
	return ""
}

// StateName returns the name of a state or territory by its letters.
func StateName(letters string) string {
	longest := ""
	for name, l := range stateNames {
		if l == letters && len(name) > len(longest) {
			longest = name
		}
	}
	parts := strings.Fields(longest)
	for i, w := range parts {
		if w != "of" {
			parts[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(parts, " ")
}
