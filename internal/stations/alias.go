package stations

import (
	"slices"
	"strings"

	"leadline/internal/words"
)

// readAliases reads lines of id and name, separated by a tab. A station can be found by
// the whole name and by its beginning up to a comma.
func readAliases(text string) map[string][]string {
	ids := map[string][]string{}
	for line := range strings.Lines(text) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		beginning, _, _ := strings.Cut(name, ",")
		for _, known := range []string{name, beginning} {
			key := words.Key(words.Split(known))
			if !slices.Contains(ids[key], id) {
				ids[key] = append(ids[key], id)
			}
		}
	}
	return ids
}

// aliased returns the stations of which a query is an alias, optionally followed by
// their state.
func (v *view) aliased(query []string, filter Filter) []Found {
	var found []Found
	add := func(name []string, state string) {
		for _, id := range v.file.aliases[words.Key(name)] {
			s, ok := v.station(id)
			if ok && (state == "" || s.State == state) && (filter == nil || filter(s)) {
				found = append(found, Found{s, ByAlias})
			}
		}
	}
	add(query, "")
	if name, state := words.CutState(query); state != "" {
		add(name, state)
	}
	return found
}

// withAliases adds stations found by an alias to the other stations found, without
// duplicates.
func withAliases(found, aliased []Found) []Found {
	mistaken := slices.IndexFunc(found, func(f Found) bool { return f.Match == Fuzzy })
	if mistaken < 0 {
		mistaken = len(found)
	}
	sure, unsure := found[:mistaken], found[mistaken:]
	has := func(list []Found, id string) bool {
		return slices.ContainsFunc(list, func(f Found) bool { return f.ID == id })
	}
	aliased = slices.DeleteFunc(aliased, func(f Found) bool { return has(sure, f.ID) })
	unsure = slices.DeleteFunc(slices.Clone(unsure), func(f Found) bool { return has(aliased, f.ID) })
	return slices.Concat(sure, aliased, unsure)
}
