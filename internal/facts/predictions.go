package facts

import (
	"strings"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// Tides returns the predictor of a station above a datum, or an error that names the
// datums that the station has.
func (f Finder) Tides(st stations.Station, datum string) (tide.Tides, error) {
	tides, ok := f.Stations.Tides(st, datum)
	if ok {
		return tides, nil
	}
	has := f.Stations.TideDatums(st)
	if stations.GreatLakes(st.ID) {
		return tides, coast.Errorf(coast.ProductUnavailable, "%s (%s) is a station of the Great Lakes: "+
			"NOAA predicts no tide there.", st.ID, st.Name)
	}
	if len(has) == 0 {
		return tides, coast.Errorf(coast.ProductUnavailable, "%s (%s) has no harmonic constants: NOAA "+
			"predicts no tide there.%s", st.ID, st.Name,
			f.nearest(st.Latitude, st.Longitude, " The nearest station that does",
				func(o stations.Station) bool { return o.ID != st.ID && predictsTides(o) }))
	}
	e := coast.Errorf(coast.DatumUnavailable, "%s (%s) has no datum %s. It has %s. Example: "+
		"\"datum\": %q.", st.ID, st.Name, datum, strings.Join(has, ", "), has[0])
	if st.Subordinate() {
		e.Message += " NOAA gives subordinate stations heights above MLLW only."
	}
	e.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: e.Message}}
	return tides, e
}

// Unrated reports whether NOAA gives no speeds for one phase, which it writes as a ratio of 0.
func Unrated(c tide.Currents) bool {
	return c.Offsets != nil && (c.Offsets.FloodRatio == 0 || c.Offsets.EbbRatio == 0)
}
