// Package levels has the operations on observed water levels, and on what NOAA derives from them:
// summaries, trends, extremes and days of flooding. They are requested from NOAA.
package levels

import (
	"leadline/internal/facts"
)

// Operations has the operations on observed water levels and what NOAA derives from them.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
