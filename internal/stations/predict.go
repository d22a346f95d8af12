package stations

import (
	"math"
	"slices"

	"leadline/internal/tide"
)

// request is the name by which requests call a datum, and what the data calls it.
type request struct{ token, datum string }

// requests are the datums of requests, in the order in which they are listed.
var requests = []request{
	{"MHHW", "MHHW"}, {"MHW", "MHW"}, {"DTL", "DTL"}, {"MTL", "MTL"}, {"MSL", "MSL"}, {"MLW", "MLW"},
	{"MLLW", "MLLW"},
	{"NAVD", "NAVD88"}, {"CRD", crd}, {"STND", "STND"}, {"LAT", "LAT"}, {"HAT", "HAT"},
}

// Tides returns the predictor of a tide station above its datum, by NOAA's
// request tokens: MHHW, MHW, DTL, MTL, MSL, MLW, MLLW, NAVD for NAVD88, CRD,
// STND, LAT, HAT. ok is false where the station has no constants or lacks
// the datum; a subordinate station has MLLW alone. A reference station and
// its subordinates share one Curve.
func (d *Directory) Tides(s Station, datum string) (p tide.Tides, ok bool) {
	if !d.predicts(s, Tide) {
		return tide.Tides{}, false
	}
	s = s.Snapshot()
	r := d.reference(s).Snapshot()
	return s.tides(r, r.at, datum)
}

// predicts reports whether s is a station of d that may predict what kind says.
func (d *Directory) predicts(s Station, kind Kind) bool {
	return s.record != nil && s.record.directory == d && s.Kind == kind
}

// tides is Tides of a station with the reference r and what is in force there.
func (s Station) tides(r Station, u *update, datum string) (p tide.Tides, ok bool) {
	if s.Subordinate() && datum != "MLLW" {
		return tide.Tides{}, false
	}
	level, ok := r.meanAbove(u, datum)
	offsets := s.TideOffsets()
	if !ok || !r.hasConstants(u) || s.Subordinate() && offsets == nil {
		return tide.Tides{}, false
	}
	return tide.Tides{Curve: r.curve(u), Level: level, Offsets: offsets}, true
}

// meanAbove is mean sea level above the datum of the token, metres. Above
// itself it is 0 even where no levels are published (8519024, 8764311).
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
	level = math.Round((mean-datum)*1000) / 1000 // both have 3 decimals, so has the difference
	if math.IsNaN(level) {
		return 0, false
	}
	return level, true
}

// TideDatums returns the tokens that Tides takes for the station, in the
// order of requests: what an error about a datum should list.
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

// Reference returns the station that a subordinate station is predicted from,
// with the facts that its predictions rest on: those that came with its offsets
// in force, the embedded ones for embedded offsets. For other stations it is
// the station itself. ok is false where the directory does not hold it.
func (d *Directory) Reference(s Station) (r Station, ok bool) {
	r = d.reference(s)
	return r, r.record != nil
}

// reference is Reference; where a station has joined whose reference nobody
// knows, or is of another kind, it is a Station without data.
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

// curve is that of the constants in force: the update's, or the embedded
// ones', compiled once. Two callers that come first together compile it twice
// and keep one.
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
