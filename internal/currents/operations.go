// Package currents has the operations on tidal currents: predictions, windows, ways through passes,
// which are computed here, and what meters observe.
package currents

import (
	"leadline/internal/facts"
)

// Operations has the operations on predicted and observed currents.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
