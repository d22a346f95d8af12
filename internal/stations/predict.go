package stations

import (
	"math"

	"leadline/internal/tide"
)

// requests are the names by which requests call datums, in the order in which
// they are listed, and what the data calls them.
var requests = []struct{ token, datum string }{
	{"MHHW", "MHHW"}, {"MHW", "MHW"}, {"DTL", "DTL"}, {"MTL", "MTL"}, {"MSL", "MSL"}, {"MLW", "MLW"}, {"MLLW", "MLLW"},
	{"NAVD", "NAVD88"}, {"CRD", crd}, {"STND", "STND"}, {"LAT", "LAT"}, {"HAT", "HAT"},
}

// Tides returns the predictor of a tide station above its datum, by NOAA's
// request tokens: MHHW, MHW, DTL, MTL, MSL, MLW, MLLW, NAVD for NAVD88, CRD,
// STND, LAT, HAT. ok is false where the station has no constants or lacks
// the datum; a subordinate station has MLLW alone. A reference station and
// its subordinates share one Curve.
func (d *Directory) Tides(s Station, datum string) (p tide.Tides, ok bool) {
	if s.file != d.file || s.Kind != Tide {
		return tide.Tides{}, false
	}
	if !s.Subordinate() {
		return d.tides(s, datum)
	}
	if datum != "MLLW" {
		return tide.Tides{}, false
	}
	p, ok = d.tides(d.reference(s), datum)
	p.Offsets = s.TideOffsets()
	return p, ok
}

// tides is Tides of a reference station.
func (d *Directory) tides(s Station, datum string) (p tide.Tides, ok bool) {
	level, ok := s.meanAbove(datum)
	if !ok || !s.HasConstants() {
		return tide.Tides{}, false
	}
	return tide.Tides{Curve: d.curve(s), Level: level}, true
}

// meanAbove is mean sea level above the datum of the token, metres. Above
// itself it is 0 even where no levels are published (8519024, 8764311).
func (s Station) meanAbove(token string) (level float64, ok bool) {
	if token == "MSL" {
		return 0, true
	}
	for _, t := range requests {
		if t.token == token {
			datum, has := s.level(t.datum)
			mean, hasMean := s.level("MSL")
			return math.Round((mean-datum)*1000) / 1000, has && hasMean // both have 3 decimals, so has the difference
		}
	}
	return 0, false
}

// TideDatums returns the tokens that Tides takes for the station, in the
// order of requests: what an error about a datum should list.
func (d *Directory) TideDatums(s Station) []string {
	have := []string{}
	for _, t := range requests {
		if _, ok := d.Tides(s, t.token); ok {
			have = append(have, t.token)
		}
	}
	return have
}

// Currents returns the predictor of a current station. A reference bin and
// its subordinates share one Curve.
func (d *Directory) Currents(s Station) (p tide.Currents, ok bool) {
	if s.file != d.file || s.Kind != Current {
		return tide.Currents{}, false
	}
	r := d.reference(s)
	if !r.HasConstants() {
		return tide.Currents{}, false
	}
	return tide.Currents{Curve: d.curve(r), Mean: r.MeanFlow(), Offsets: s.CurrentOffsets()}, true
}

// reference is the station that s refers to, s itself for a reference station.
func (d *Directory) reference(s Station) Station {
	if !s.Subordinate() {
		return s
	}
	return d.all[0][d.file.ref.uint16(s.row)]
}

// curve compiles the curve of a reference row once. Two callers that come
// first together compile it twice and keep one.
func (d *Directory) curve(s Station) *tide.Curve {
	at := &d.curves[s.row]
	if at.Load() == nil {
		at.CompareAndSwap(nil, tide.NewCurve(s.Harmonics()))
	}
	return at.Load()
}
