package places

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"leadline/internal/words"
)

//go:embed aliases.tsv
var aliasRows string

// aliases maps other names of places, as words.Key joins them, to their names with the state.
var aliases = sync.OnceValue(func() map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(aliasRows) {
		if columns := strings.Split(line, "\t"); len(columns) == 3 { // else a comment
			of[words.Key(words.Split(columns[0]))] = columns[1]
		}
	}
	return of
})

// aliased returns the places of which a name is an alias, in a state; an empty state matches any.
func (g *Gazetteer) aliased(name []string, state string) []Match {
	place, own := words.CutState(words.Split(aliases()[words.Key(name)]))
	if own == "" || state != "" && state != own {
		return nil
	}
	return g.exact(words.Key(place), own)
}

// Aliases returns the other names of places, as keys, with the places' own names.
func Aliases() map[string]string { return maps.Clone(aliases()) }
