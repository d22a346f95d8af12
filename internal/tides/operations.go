// Package tides has the operations on predicted tides: events and series, windows, ranks and
// telegrams. Everything is computed here from NOAA's constants.
package tides

import (
	"leadline/internal/facts"
)

// Operations has the operations on predicted tides.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
