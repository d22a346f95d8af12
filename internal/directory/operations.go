// Package directory has the operations on stations and places: search, lists, and what NOAA
// publishes about a station, which is embedded or from its metadata service.
package directory

import (
	"leadline/internal/facts"
)

// Operations has the operations on stations and places, and what NOAA publishes about them.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }
