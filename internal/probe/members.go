package probe

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
)

// memberList has the names of the members of each form of a response, one form a line: those that
// the readers use and the simulator therefore serves. The lines of coops and nws have other names
// that recorded responses of the service have, in any form. TestMembers writes the file.
//
//go:embed members.txt
var memberList string

// memberNames returns the names of each form.
var memberNames = sync.OnceValue(func() map[string]map[string]bool {
	forms := map[string]map[string]bool{}
	for line := range strings.Lines(memberList) {
		form, names, _ := strings.Cut(line, ": ")
		if forms[form] == nil {
			forms[form] = map[string]bool{}
		}
		for _, name := range strings.Fields(names) {
			forms[form][name] = true
		}
	}
	return forms
})

// formOf returns the form of the response to a request, and its service.
func formOf(address string) (form, service string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	q := u.Query()
	steps := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := strings.TrimSuffix(path.Base(u.Path), ".json")
	words := []string{last}
	switch {
	case q.Has("product"):
		words = []string{q.Get("product")}
		if strings.HasSuffix(words[0], "predictions") {
			words = append(words, q.Get("interval"))
		}
	case q.Has("name"):
		words = []string{q.Get("name"), q.Get("details")}
	case steps[0] == "mdapi" && last == "stations":
		words = append(words, q.Get("type"))
	case steps[0] == "mdapi" && len(steps) == 5:
		words = []string{"station"}
	case last == "harcon" && q.Has("bin"):
		words = append(words, "current")
	case steps[0] != "mdapi" && steps[0] != "dpapi":
		words = []string{"weather", steps[0]}
		if steps[0] == "products" && len(steps) > 2 {
			words = append(words, "list")
		}
		return strings.Join(words, " "), "nws"
	}
	return strings.TrimSpace(strings.Join(words, " ")), "coops"
}

// members adds the names of the members of a JSON value to a set. It reports whether a list near
// the top is empty: the members of its rows are then unknown, not missing.
func members(value any, depth int, names map[string]bool) (hollow bool) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			hollow = members(element, depth+1, names) || hollow
		}
		return hollow || len(v) == 0 && depth <= 2
	case map[string]any:
		for name, inner := range v {
			names[name] = true
			if name != "@context" { // the vocabulary of JSON-LD
				hollow = members(inner, depth+1, names) || hollow
			}
		}
	}
	return hollow
}

// maxNames limits the members that a line names; the archive has all (ours).
const maxNames = 5

// notes returns the members of responses that no known response has and, unless the responses are
// hollow, the members that all of their form have had.
func notes(list []*exchange, hollow bool) string {
	var notes []string
	for _, x := range list {
		var body any
		if x.status != http.StatusOK || json.Unmarshal(x.body, &body) != nil {
			continue
		}
		names := map[string]bool{}
		hollow := members(body, 0, names) || hollow
		form, service := formOf(x.path)
		known, elsewhere := memberNames()[form], memberNames()[service]
		added := difference(names, known, elsewhere)
		notes = append(notes, named("new members", added)...)
		if !hollow {
			notes = append(notes, named("no members", difference(known, names))...)
		}
	}
	slices.Sort(notes)
	return strings.Join(slices.Compact(notes), "; ")
}

// difference returns the names of a set that are in none of the others.
func difference(set map[string]bool, others ...map[string]bool) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		in := func(other map[string]bool) bool { return other[name] }
		if !slices.ContainsFunc(others, in) {
			list = append(list, name)
		}
	}
	return list
}

// named returns a note about members, if there are any.
func named(what string, list []string) []string {
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxNames {
		list = append(list[:maxNames:maxNames], "…")
	}
	return []string{what + " " + strings.Join(list, ", ")}
}
