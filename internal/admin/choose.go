package admin

import (
	"fmt"
	"strings"

	"leadline/internal/coast"
)

// minIDPrefix is the minimum length of the beginning of an id, without its prefix.
const minIDPrefix = 4

// selection holds what the operator typed to select one row of a list.
type selection struct {
	given   string // an id, or the beginning of it, with or without its prefix
	prefix  string // of all ids, such as "we_"
	what    string // describes a row
	command string // lists the rows
}

// choose returns the id of the row whose id begins with what was typed. describe returns the id
// and a description of a row.
func choose[T any](s selection, list []T, describe func(T) (id, about string)) (string, error) {
	start := strings.TrimPrefix(s.given, s.prefix)
	if len(start) < minIDPrefix {
		return "", coast.Errorf(coast.InvalidRequest, "invalid id %q: must be the id of a row of "+
			"leadline %s, or at least %d characters of it", s.given, s.command, minIDPrefix)
	}
	var ids, names []string
	for _, row := range list {
		if id, about := describe(row); strings.HasPrefix(id, s.prefix+start) {
			ids = append(ids, id)
			names = append(names, strings.TrimSpace(fmt.Sprintf("%s %s", id, about)))
		}
	}
	switch len(ids) {
	case 0:
		return "", coast.Errorf(coast.NotFound, "no %s has an id that begins with %q; "+
			"leadline %s prints them", s.what, s.given, s.command)
	case 1:
		return ids[0], nil
	}
	return "", coast.Errorf(coast.InvalidRequest, "several ids begin with %q: %s; give more "+
		"characters", s.given, strings.Join(names, ", "))
}
