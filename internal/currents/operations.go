// Package currents has the operations on tidal currents: predictions, windows, ways through passes,
// which are computed here, and what meters observe.
package currents

import (
	"fmt"

	"leadline/internal/facts"
	"leadline/internal/place"
	"leadline/internal/stations"
)

// Operations has the operations on predicted and observed currents.
type Operations struct{ facts *facts.Gatherer }

// New returns the operations, which take their facts from f.
func New(f *facts.Gatherer) Operations { return Operations{f} }

// currentPlace replaces the place in a request with its station.
func currentPlace(fs facts.Set, in *place.StationOrPlace) (place.Resolved, error) {
	if in.Place == "" {
		return place.Resolved{}, nil
	}
	if in.Water != "" {
		return place.Resolved{}, facts.Invalid("water", "water",
			`water chooses between tides: a current is `+
				`that of the nearest channel. Name the channel. Example: "place": "Golden Gate".`)
	}
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0 && facts.Predicts(st) == "currents" && !fs.Weak(st)
	}
	at, err := in.Resolver(fs, can, "predicts currents", place.OfCurrents).Resolve()
	in.Station, in.Place = at.ID, ""
	return at, err
}

// otherDefault returns a note if NOAA's default bin is no longer the bin in the station's
// embedded row.
func otherDefault(st stations.Station) string {
	_, named := st.Bin()
	bins, _ := st.DepthBins()
	for _, b := range bins {
		if own := st.BinNumber(); b.Default && named == 0 && own != b.Number {
			return fmt.Sprintf(
				"This is bin %d. NOAA's list now names bin %d as the default; for that one use \"bin\": %d.",
				own, b.Number, b.Number,
			)
		}
	}
	return ""
}
