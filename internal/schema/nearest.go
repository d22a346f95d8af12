package schema

import (
	"leadline/internal/coast"
	"strings"
)

// Nearest returns the known name that a caller probably meant: the most similar one,
// or "" if none is within a third of its letters.
func Nearest(name string, known []string) string {
	name = strings.ToLower(coast.Clip(name))
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := coast.Distance(name, strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}
