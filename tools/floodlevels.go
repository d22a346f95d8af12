package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// StationFloodLevelsInput asks where flooding begins.
type StationFloodLevelsInput struct {
	AtStation
	OnDatum
	InUnits
}

// FloodLevel is the height at which flooding of one severity begins.
type FloodLevel struct {
	Authority string  `json:"authority"` // NOS, NWS
	Level     string  `json:"level"`     // action, minor, moderate, major
	Height    float64 `json:"height"`    // above the datum beside it
	Datum     string  `json:"datum"`
	Basis     string  `json:"basis"` // published, derived
}

// StationFloodLevels are the heights at which flooding begins.
type StationFloodLevels struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Levels     []FloodLevel `json:"levels"`
}

// floodRegressions give the height above MLLW, in metres, at which flooding
// begins: slope x GT + intercept (Sweet and others, 2018, Patterns and
// Projections of High Tide Flooding, NOAA Technical Report NOS CO-OPS 086).
var floodRegressions = []struct {
	level            string
	slope, intercept float64
}{{"minor", 1.04, 0.50}, {"moderate", 1.03, 0.80}, {"major", 1.04, 1.17}}

// StationFloodLevels tells where flooding begins: the levels that the
// metadata service publishes, and for the Ocean Service's severities that it
// does not the ones derived from the station's great diurnal range.
func (s *Set) StationFloodLevels(ctx context.Context, in StationFloodLevelsInput) (StationFloodLevels, error) {
	ctx, cancel := adding(ctx)
	defer cancel()
	return s.moment().stationFloodLevels(ctx, in)
}

func (m moment) stationFloodLevels(ctx context.Context, in StationFloodLevelsInput) (StationFloodLevels, error) {
	st, err := m.levelStation(ctx, in.Station)
	if err != nil {
		return StationFloodLevels{}, err
	}
	var notes []string
	if stations.GreatLakes(st.ID) && in.Datum == "MLLW" {
		in.Datum = usualDatum(st)
		notes = append(notes, "The Great Lakes have no MLLW: heights are above IGLD.")
	}
	st, zero, err := m.zeroOf(ctx, st, in.Datum)
	if err != nil {
		return StationFloodLevels{}, err
	}
	h := heightsIn(in.Units)
	out := StationFloodLevels{
		Frame: coast.Frame{
			Station: card(st), Datum: in.Datum, DatumEpoch: m.epochOf(st), Units: in.Units, TimeZone: st.Zone,
			Provenance: m.heights(st, m.constantsOf(st, stations.PartLevels, datumsOrigin.id, datumsOrigin.label, datumsOrigin.page+st.ID)),
		},
		HeightUnit: h.name, Levels: []FloodLevel{},
	}
	out.Notes = append(out.Notes, notes...)
	published, missing := m.publishedFloods(ctx, &out.Provenance, st)
	for _, level := range published {
		out.Levels = append(out.Levels, FloodLevel{level.authority, level.severity, h.of(level.aboveSTND - zero), in.Datum, "published"})
	}
	out.derive(m, st, zero, h)
	if len(out.Levels) == 0 {
		return out, missing
	}
	return out, nil
}

// zeroOf is a datum's height above station datum, and the station as it is with
// it. Of a gauge whose levels are not known they are asked for.
func (m moment) zeroOf(ctx context.Context, st stations.Station, datum string) (stations.Station, float64, error) {
	if len(st.Datums()) == 0 && datum != "STND" {
		if _, err := m.stationDatums(ctx, StationDatumsInput{AtStation: AtStation{st.ID}, Epoch: "current", InUnits: InUnits{"metric"}}); err != nil {
			return st, 0, err
		}
		st, _ = m.Stations.Station(st.ID)
	}
	st = st.Snapshot()
	if datum == "STND" {
		return st, 0, nil
	}
	zero, ok := level(st, datumKey(datum))
	if !ok {
		return st, 0, m.datumsOf(st, datum, coast.Errorf(coast.DatumUnavailable, "%s (%s) has no datum %s.", st.ID, st.Name, datum))
	}
	return st, zero, nil
}

// publishedFlood is a flood level as an authority publishes it, in metres.
type publishedFlood struct {
	authority, severity string
	aboveSTND           float64
}

// mostAwayFromMinor is how far a published flood level may lie from the minor one
// that the regressions give (ours). NOAA's response carries no unit: a level in
// feet, or above another zero, is read as one in meters above station datum.
const mostAwayFromMinor = 1.5 // m

// implausible is why a published flood level of a station cannot be, empty where
// it can or where there is nothing to compare it with.
func implausible(st stations.Station, f publishedFlood) string {
	minor, ok := derivedFlood(st, "minor")
	if !ok || math.Abs(f.aboveSTND-minor) <= mostAwayFromMinor {
		return ""
	}
	return fmt.Sprintf("NOAA's response has %.2f without a unit, which as meters above station datum is implausible: it lies more than %.1f m from the minor level derived from the great diurnal range, %.2f m", f.aboveSTND, mostAwayFromMinor, minor)
}

// floodsOf are the flood levels that a response of the metadata service has, and
// those that are refused as implausible.
func floodsOf(st stations.Station, d noaa.FloodLevels) (floods []publishedFlood, refused []coast.Missing) {
	for _, f := range []struct {
		authority, severity string
		height              *float64
	}{
		{"NOS", "minor", d.NOSMinor}, {"NOS", "moderate", d.NOSModerate}, {"NOS", "major", d.NOSMajor},
		{"NWS", "action", d.Action}, {"NWS", "minor", d.NWSMinor}, {"NWS", "moderate", d.NWSModerate}, {"NWS", "major", d.NWSMajor},
	} {
		if f.height == nil {
			continue
		}
		one := publishedFlood{f.authority, f.severity, *f.height}
		if why := implausible(st, one); why != "" {
			refused = append(refused, coast.Missing{Input: floodInput(f.authority, f.severity), Reason: why})
			continue
		}
		floods = append(floods, one)
	}
	return inOrder(floods, refused)
}

// inOrder refuses all levels of an authority if a more severe one of them is below a
// less severe one: which of them is wrong cannot be known.
func inOrder(floods []publishedFlood, refused []coast.Missing) ([]publishedFlood, []coast.Missing) {
	wrong := map[string]bool{}
	for i, f := range floods[:max(0, len(floods)-1)] {
		next := floods[i+1]
		if next.authority == f.authority && next.aboveSTND < f.aboveSTND {
			wrong[f.authority] = true
		}
	}
	var kept []publishedFlood
	for _, f := range floods {
		if !wrong[f.authority] {
			kept = append(kept, f)
			continue
		}
		reason := fmt.Sprintf("the levels that %s publishes contradict each other: a more severe one is below a less severe one", f.authority)
		refused = append(refused, coast.Missing{Input: floodInput(f.authority, f.severity), Reason: reason})
	}
	return kept, refused
}

// floodInput names a published level in missing.
func floodInput(authority, severity string) string {
	return "published flood level " + authority + " " + severity
}

// publishedFloods asks for the published levels. None is no fault: the error
// says why there are none, and is in missing.
func (m moment) publishedFloods(ctx context.Context, p *coast.Provenance, st stations.Station) ([]publishedFlood, error) {
	o := origin{"published-flood-levels", "Flood levels published by NOS and NWS", coast.COOPS, coast.Calculation, "https://tidesandcurrents.noaa.gov/stationhome.html?id=" + st.ID}
	live, err := m.Water.FloodLevels(ctx, st.ID)
	if err != nil {
		m.lack(p, o, "published flood levels", err)
		return nil, err
	}
	source := m.document(o, live.ReceivedAt)
	source.DatumEpoch = m.epochOf(st)
	p.Sources = append(p.Sources, source)
	floods, refused := floodsOf(st, live.Data)
	p.Missing = append(p.Missing, refused...)
	return floods, coast.Errorf(coast.ProductUnavailable, "NOAA publishes no flood levels of %s (%s), and it has no great diurnal range to derive them from.", st.ID, st.Name)
}

// derive adds the Ocean Service's levels that are not published, where the
// station has a great diurnal range.
func (f *StationFloodLevels) derive(m moment, st stations.Station, zero float64, h unit) {
	before := len(f.Levels)
	for _, r := range floodRegressions {
		published := func(l FloodLevel) bool { return l.Authority == "NOS" && l.Level == r.level }
		if above, ok := derivedFlood(st, r.level); ok && !slices.ContainsFunc(f.Levels, published) {
			f.Levels = append(f.Levels, FloodLevel{"NOS", r.level, h.of(above - zero), f.Datum, "derived"})
		}
	}
	if len(f.Levels) > before {
		f.Sources = append(f.Sources, m.derived(st, "flood-levels", "Flood levels derived from the great diurnal range (NOS CO-OPS 086)", "https://tidesandcurrents.noaa.gov/publications/techrpt86_PaP_of_HTFlooding.pdf"))
		f.Notes = append(f.Notes, "Derived levels are a regression over all gauges: the published level of one place can differ.")
	}
}

// derivedFlood is the height above station datum, in metres, at which flooding
// of a severity begins by the regressions; ok is false where the station has
// no great diurnal range.
func derivedFlood(st stations.Station, severity string) (aboveSTND float64, ok bool) {
	mllw, has := level(st, "MLLW")
	gt, ranged := rangeOf(st, "GT")
	for _, r := range floodRegressions {
		if r.level == severity && has && ranged {
			return mllw + r.slope*gt + r.intercept, true
		}
	}
	return 0, false
}

// datumKey is a datum argument as the data names the level.
func datumKey(datum string) string {
	if datum == "NAVD" {
		return "NAVD88"
	}
	return datum
}

func rangeOf(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Differences() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}
