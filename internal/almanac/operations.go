// Package almanac has the operations on sun and moon, and their light for the other subjects.
// Everything is computed here.
package almanac

import (
	"leadline/internal/facts"
)

// Operations has the operations on sun and moon.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
