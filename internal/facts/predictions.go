package facts

import (
	"fmt"
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
	if len(has) == 0 {
		return tides, coast.Errorf(coast.ProductUnavailable, "%s (%s) has no harmonic constants: NOAA "+
			"predicts no tide there.%s", st.ID, st.Name, f.nearestPredicting(st))
	}
	e := coast.Errorf(coast.DatumUnavailable, "%s (%s) has no datum %s. It has %s. Example: "+
		"\"datum\": %q.", st.ID, st.Name, datum, strings.Join(has, ", "), has[0])
	if st.Subordinate() {
		e.Message += " NOAA gives subordinate stations heights above MLLW only."
	}
	e.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: e.Message}}
	return tides, e
}

func (f Finder) nearestPredicting(st stations.Station) string {
	near := f.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
		return o.Kind == stations.Tide && o.ID != st.ID && Predicts(o) == "tides"
	})
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(" The nearest station that does is %s (%s), %.1f km away.", near[0].Station.ID,
		near[0].Station.Name, near[0].Kilometers)
}

// Unrated reports whether NOAA gives no speeds of one phase: a ratio of 0.
func Unrated(c tide.Currents) bool {
	return c.Offsets != nil && (c.Offsets.FloodRatio == 0 || c.Offsets.EbbRatio == 0)
}
