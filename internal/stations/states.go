package stations

import (
	"maps"
	"slices"
	"strings"
)

// stateNames are the states and territories that stations lie in, as names
// and as abbreviations that are not the two letters.
var stateNames = map[string]string{
	"alabama": "AL", "ala": "AL", "alaska": "AK", "california": "CA", "calif": "CA", "connecticut": "CT", "conn": "CT",
	"delaware": "DE", "del": "DE", "district of columbia": "DC", "florida": "FL", "fla": "FL", "georgia": "GA",
	"hawaii": "HI", "illinois": "IL", "indiana": "IN", "louisiana": "LA", "maine": "ME", "maryland": "MD", "massachusetts": "MA", "mass": "MA",
	"michigan": "MI", "mich": "MI", "minnesota": "MN", "minn": "MN", "mississippi": "MS", "miss": "MS", "new hampshire": "NH", "new jersey": "NJ", "new york": "NY",
	"north carolina": "NC", "ohio": "OH", "oregon": "OR", "oreg": "OR", "pennsylvania": "PA", "penn": "PA", "rhode island": "RI",
	"south carolina": "SC", "texas": "TX", "tex": "TX", "virginia": "VA", "washington": "WA", "wash": "WA", "wisconsin": "WI", "wis": "WI",
	"puerto rico": "PR", "virgin islands": "VI", "guam": "GU", "american samoa": "AS", "northern mariana islands": "MP",
}

// stateOf finds a state in the words at the beginning of tokens and how many of them name it.
func stateOf(tokens []string) (state string, length int) {
	for n := min(3, len(tokens)); n > 0; n-- {
		text := strings.Join(tokens[:n], " ")
		if s, ok := stateNames[text]; ok {
			return s, n
		}
		if letters := strings.ToUpper(text); len(text) == 2 && slices.Contains(stateLetters, letters) {
			return letters, n
		}
	}
	return "", 0
}

// stateLetters lacks IN, which in a query is the word.
var stateLetters = []string{
	"AK", "AL", "AS", "CA", "CT", "DC", "DE", "FL", "GA", "GU", "HI", "IL", "LA", "MA", "MD", "ME", "MI", "MN", "MP", "MS",
	"NC", "NH", "NJ", "NY", "OH", "OR", "PA", "PR", "RI", "SC", "TX", "VA", "VI", "WA", "WI",
}

// misspeltState is the state whose name of one word is meant by word, else empty.
func misspeltState(word string) string {
	if len(word) < 5 {
		return ""
	}
	limit := mistakes(word, false)
	for _, name := range slices.Sorted(maps.Keys(stateNames)) {
		if len(name) >= 5 && distance(word, name, limit) <= limit {
			return stateNames[name]
		}
	}
	return ""
}
