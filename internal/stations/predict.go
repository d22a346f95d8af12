package stations

import (
	"math"
	"slices"

	"leadline/internal/tide"
)

// request maps the datum name in requests to the one in the data.
type request struct{ token, datum string }

// requests lists the datums of requests, in the order in which they are reported.
var requests = []request{
	{"MHHW", "MHHW"}, {"MHW", "MHW"}, {"DTL", "DTL"}, {"MTL", "MTL"}, {"MSL", "MSL"}, {"MLW", "MLW"},
	{"MLLW", "MLLW"},
	{"NAVD", "NAVD88"}, {"CRD", crd}, {"STND", "STND"}, {"LAT", "LAT"}, {"HAT", "HAT"},
}

// Tides returns the predictor of a tide station above its datum, by NOAA's request
// tokens: MHHW, MHW, DTL, MTL, MSL, MLW, MLLW, NAVD for NAVD88, CRD, STND, LAT, HAT. ok
// is false if the station does not have constants or the datum; a subordinate station
// only has MLLW. A reference station and its subordinates share one Curve, and all
// predictors of a directory share its Almanac.
func (d *Directory) Tides(s Station, datum string) (p tide.Tides, ok bool) {
	if !d.predicts(s, Tide) {
		return tide.Tides{}, false
	}
	s = s.Snapshot()
	r := d.reference(s).Snapshot()
	return s.tides(r, r.at, datum)
}

// predicts reports whether s is a station of d that may have predictions of kind.
func (d *Directory) predicts(s Station, kind Kind) bool {
	return s.record != nil && s.record.directory == d && s.Kind == kind
}

// tides implements Tides for a station with the reference r and the facts in force there.
func (s Station) tides(r Station, u *update, datum string) (p tide.Tides, ok bool) {
	if s.Subordinate() && datum != "MLLW" {
		return tide.Tides{}, false
	}
	level, ok := r.meanAbove(u, datum)
	offsets := s.TideOffsets()
	if !ok || !r.hasConstants(u) || s.Subordinate() && offsets == nil {
		return tide.Tides{}, false
	}
	return tide.Tides{
		Curve: r.curve(u), Level: level, Offsets: offsets, Almanac: s.record.directory.almanac,
	}, true
}

// meanAbove returns mean sea level above the datum of the token, meters. Above itself it
// is 0 even if no levels are published (8519024, 8764311).
func (s Station) meanAbove(u *update, token string) (level float64, ok bool) {
	if token == "MSL" {
		return 0, true
	}
	i := slices.IndexFunc(requests, func(r request) bool { return r.token == token })
	if i < 0 {
		return 0, false
	}
	mean, datum := math.NaN(), math.NaN()
	s.eachDatum(u, func(name string, value float64) {
		if name == requests[i].datum {
			datum = value
		}
		if name == "MSL" {
			mean = value
		}
	})
	level = math.Round((mean-datum)*1000) / 1000 // both have 3 decimals, and so does the difference
	if math.IsNaN(level) {
		return 0, false
	}
	return level, true
}

// TideDatums returns the tokens that Tides accepts for the station, in the order of
// requests, for errors about a datum.
func (d *Directory) TideDatums(s Station) []string {
	have := []string{}
	if !d.predicts(s, Tide) {
		return have
	}
	s = s.Snapshot()
	r := d.reference(s).Snapshot()
	for _, t := range requests {
		if _, ok := s.tides(r, r.at, t.token); ok {
			have = append(have, t.token)
		}
	}
	return have
}

// Currents returns the predictor of a current station. A reference bin and
// its subordinates share one Curve.
func (d *Directory) Currents(s Station) (p tide.Currents, ok bool) {
	if !d.predicts(s, Current) {
		return tide.Currents{}, false
	}
	s = s.Snapshot()
	r, offsets := d.reference(s).Snapshot(), s.CurrentOffsets()
	u := r.at
	if !r.hasConstants(u) || s.Subordinate() && offsets == nil {
		return tide.Currents{}, false
	}
	return tide.Currents{Curve: r.curve(u), Mean: r.meanFlow(u), Offsets: offsets}, true
}

// Reference returns the station from which a subordinate station is predicted, with the
// facts that its predictions use: those that came with its offsets in force, the embedded
// ones for embedded offsets. For other stations it is the station itself. ok is false if
// the directory does not contain it.
func (d *Directory) Reference(s Station) (r Station, ok bool) {
	r = d.reference(s)
	return r, r.record != nil
}

// reference implements Reference. If a joined station refers to an unknown reference or
// to one of another kind, it returns a Station without data.
func (d *Directory) reference(s Station) Station {
	if !s.Subordinate() || s.record == nil {
		return s
	}
	r, _ := d.Station(s.Reference)
	if r.Kind != s.Kind {
		return Station{}
	}
	if u := s.update(); u != nil {
		return r.as(u.base)
	}
	return r.as(nil)
}

// curve returns the curve of the constants in force: the update's, or the embedded ones',
// compiled once. Two concurrent first callers compile it twice and share one.
func (s Station) curve(u *update) *tide.Curve {
	if u.has(PartConstants) {
		return u.curve
	}
	at := &s.record.curve
	if at.Load() == nil {
		at.CompareAndSwap(nil, tide.NewCurve(s.embeddedHarmonics()))
	}
	return at.Load()
}
