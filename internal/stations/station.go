package stations

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/tide"
)

// Kind is what a station predicts.
type Kind string

// The kinds. Every embedded row is of one of the first two.
const (
	Tide    Kind = "tide"
	Current Kind = "current"
	Gauge   Kind = "gauge" // it only observes: no tide, or no prediction of one
)

// number is the place of the kind among them, 0 for another one.
func (k Kind) number() int {
	switch k {
	case Tide:
		return 1
	case Current:
		return 2
	case Gauge:
		return 3
	}
	return 0
}

// Station is one row of the directory. Copies are cheap; what methods
// return is the caller's own. The fields are those of the file, or of the
// list by which the station joined; the methods answer by what is in force
// when they are called, the latest Update before the embedded facts.
type Station struct {
	ID        string  // NOAA's id: 8443970, ACT0091; extra reference bins ID_BIN
	Name      string  // whole, as NOAA writes it
	State     string  // two letters, empty outside the states and territories
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	Zone      string  // IANA name; NOAA's own offset where the map says otherwise
	Kind      Kind
	Reference string // id of the reference station of a subordinate one (for currents maybe ID_BIN), else empty

	record *record // nil in a Station that no Directory made: its methods then answer as if it had no data
	fixed  bool    // by Snapshot: methods answer by at
	at     *update
}

// station is the Station of an embedded row.
func (f *file) station(r *record) Station {
	row := r.row
	s := Station{
		ID:        f.ids[row],
		Name:      f.names[row],
		State:     strings.TrimRight(string(f.state[2*row:2*row+2]), " "),
		Latitude:  f.lat.float64(row),
		Longitude: f.lon.float64(row),
		Zone:      f.zones[f.zone[row]],
		Kind:      f.class(row).kind(),
		record:    r,
	}
	if ref := f.ref.uint16(row); ref != noReference {
		s.Reference = f.ids[ref]
	}
	return s
}

// file is the file that the station is a row of, nil where it is of none.
func (s Station) file() *file {
	if s.record == nil || s.record.row == joined {
		return nil
	}
	return s.record.directory.file
}

// update is what is in force over the embedded facts, nil for nothing. What
// must be of one state loads it once and hands it on.
func (s Station) update() *update {
	switch {
	case s.fixed:
		return s.at
	case s.record == nil:
		return nil
	}
	return s.record.update.Load()
}

// Snapshot returns the station as it is now: its methods, and the Directory's
// about it, keep answering by what is in force at this moment. A result that is
// made of several facts takes one, so that no Update comes between them.
func (s Station) Snapshot() Station { return s.as(s.update()) }

// Embedded returns the station with its embedded facts, also while others are
// in force.
func (s Station) Embedded() Station { return s.as(nil) }

// as is the station with u in force, nil for the embedded facts alone.
func (s Station) as(u *update) Station {
	s.fixed, s.at = true, u
	return s
}

// is reports whether the station is a row of class c.
func (s Station) is(c class) bool {
	f := s.file()
	return f != nil && f.class(s.record.row) == c
}

// slot is that of a station that is a row of the file.
func (s Station) slot() slot { return s.file().slots[s.record.row] }

// Subordinate reports whether the station is predicted by offsets from a reference station.
func (s Station) Subordinate() bool { return s.Reference != "" }

// Bin parts the id of a current station's bin, ID_BIN, into station and
// number. The number is 0 for a station's own row: BinNumber has it where it is
// known.
func (s Station) Bin() (station string, bin int) {
	station, number, found := strings.Cut(s.ID, "_")
	if !found {
		return s.ID, 0
	}
	bin, _ = strconv.Atoi(number) // a number in every embedded row, the tests hold that, and in those that join
	return station, bin
}

// HasConstants reports whether the station has harmonic constants of its own.
// Subordinate stations and gauges have none, and four tide stations only have
// datums.
func (s Station) HasConstants() bool { return s.hasConstants(s.update()) }

func (s Station) hasConstants(u *update) bool {
	return u.has(PartConstants) || len(s.constituents()) > 0
}

// constituents are the numbers of the embedded constituents in the file's list.
func (s Station) constituents() []byte {
	f := s.file()
	if f == nil || !f.class(s.record.row).reference() {
		return nil
	}
	return f.sets[f.set[s.slot().curve]]
}

// Harmonics returns the station's own constants, in order of number,
// amplitudes as published (metres or knots, 3 decimals; degrees, 1 decimal).
// Empty for subordinate stations.
func (s Station) Harmonics() []tide.Harmonic {
	if u := s.update(); u.has(PartConstants) {
		return slices.Clone(u.Harmonics)
	}
	return s.embeddedHarmonics()
}

func (s Station) embeddedHarmonics() []tide.Harmonic {
	f, set := s.file(), s.constituents()
	harmonics := make([]tide.Harmonic, len(set))
	for i, c := range set {
		at := int(s.slot().harmonics) + i
		harmonics[i] = tide.Harmonic{
			Constituent: f.numbers[c],
			Amplitude:   float64(f.amplitude.uint16(at)) / 1000,
			Phase:       float64(f.phase.uint16(at)) / 10,
		}
	}
	slices.SortFunc(harmonics, byConstituent)
	return harmonics
}

func byConstituent(a, b tide.Harmonic) int { return a.Constituent - b.Constituent }

// Datum is one level of a tide station.
type Datum struct {
	Name  string  // MHHW, MSL, NAVD88, CRD, ..., as the data names it
	Value float64 // metres above station datum (STND)
}

// differences are the entries among a station's datums that are no levels, and their units.
var differences = map[string]string{"GT": "m", "MN": "m", "DHQ": "m", "DLQ": "m", "HWI": "h",
	"LWI": "h"}

// crd is Columbia River Datum. The data calls it CRD_OFFSET and keeps it as
// a height above station datum, like all others. At Temco Kalama that makes
// 1.09 m above NAVD88 between 0.38 m at Skamokawa, 42 miles downstream, and
// 1.30 m at Saint Helens upstream, and 0.15 to 0.63 m below MLLW at all six
// stations: the low-water slope of the river that it is defined as.
const crd = "CRD"

// Datums returns the station's own levels, highest first; empty for current
// stations and, unless the service has said more, for subordinate ones.
func (s Station) Datums() []Datum {
	var levels []Datum
	s.eachDatum(s.update(), func(name string, value float64) {
		if _, difference := differences[name]; !difference {
			levels = append(levels, Datum{name, value})
		}
	})
	slices.SortStableFunc(levels, func(a, b Datum) int { return cmp.Compare(b.Value, a.Value) })
	return levels
}

// Difference is a quantity that NOAA lists among the datums and that is no level.
type Difference struct {
	Name  string // GT, MN, DHQ, DLQ: ranges and inequalities; HWI, LWI: Greenwich intervals
	Value float64
	Unit  string // m, or h for the intervals
}

// Differences returns the station's ranges, inequalities and intervals by
// name; empty where Datums is.
func (s Station) Differences() []Difference {
	var out []Difference
	s.eachDatum(s.update(), func(name string, value float64) {
		if unit, ok := differences[name]; ok {
			out = append(out, Difference{name, value, unit})
		}
	})
	return out
}

// level is the height of the datum above station datum, metres.
func (s Station) level(u *update, name string) (value float64, ok bool) {
	s.eachDatum(u, func(n string, v float64) {
		if n == name {
			value, ok = v, true
		}
	})
	return value, ok
}

// eachDatum calls yield for what NOAA lists as the station's datums, by name.
func (s Station) eachDatum(u *update, yield func(name string, value float64)) {
	if u.has(PartLevels) {
		u.eachDatum(yield)
		return
	}
	if !s.is(tideReference) {
		return
	}
	f, first := s.file(), int(s.slot().datum)
	for i := first; i < first+f.count.byte(int(s.slot().class)); i++ {
		yield(levelName(f.levels[f.datum[i]]), float64(f.value.int32(i))/1000)
	}
}

// levelName is the name of a datum here, given the data's.
func levelName(name string) string {
	if name == "CRD_OFFSET" {
		return crd
	}
	return name
}

// Disclaimer is NOAA's remark on the station's data, with NOAA's HTML links; mostly empty.
func (s Station) Disclaimer() string {
	f := s.file()
	if f == nil {
		return ""
	}
	return f.notes[f.note[s.record.row]]
}

// TideOffsets returns the offsets of a subordinate tide station, else nil.
func (s Station) TideOffsets() *tide.Offsets {
	if u := s.update(); u.has(PartOffsets) {
		return clone(u.TideOffsets)
	}
	if !s.is(tideSubordinate) {
		return nil
	}
	n, f := int(s.slot().class), s.file()
	return &tide.Offsets{
		HighMinutes: f.tideMinutes.int16(2 * n),
		LowMinutes:  f.tideMinutes.int16(2*n + 1),
		High:        float64(f.tideHeights.int16(2*n)) / 100,
		Low:         float64(f.tideHeights.int16(2*n+1)) / 100,
		Fixed:       f.tideFixed[n] == 1,
	}
}

// CurrentOffsets returns the offsets of a subordinate current station, else nil.
func (s Station) CurrentOffsets() *tide.CurrentOffsets {
	if u := s.update(); u.has(PartOffsets) {
		return clone(u.CurrentOffsets)
	}
	if !s.is(currentSubordinate) {
		return nil
	}
	n := int(s.slot().class)
	minutes, ratios := s.file().currentMinutes, s.file().currentRatios
	return &tide.CurrentOffsets{
		SlackBeforeFlood: minutes.int16(4 * n),
		SlackBeforeEbb:   minutes.int16(4*n + 1),
		Flood:            minutes.int16(4*n + 2),
		Ebb:              minutes.int16(4*n + 3),
		FloodRatio:       float64(ratios.int16(2*n)) / 100,
		EbbRatio:         float64(ratios.int16(2*n+1)) / 100,
	}
}

// Directions returns the flood and ebb directions in degrees true (toward),
// and whether they are NOAA's mean directions (else the harmonic axis).
// Current stations only. A direction that NOAA has not published, one or
// both of 13 subordinate stations, is NaN: test it before writing JSON.
func (s Station) Directions() (flood, ebb float64, mean bool) {
	u := s.update()
	flood, ebb, mean = s.embeddedDirections()
	if !u.has(PartDirections) {
		return flood, ebb, mean
	}
	if u.Flood != nil {
		flood = *u.Flood
	}
	if u.Ebb != nil {
		ebb = *u.Ebb
	}
	return flood, ebb, !u.Axis
}

func (s Station) embeddedDirections() (flood, ebb float64, mean bool) {
	f := s.file()
	if f == nil || s.Kind != Current {
		return math.NaN(), math.NaN(), false
	}
	n := int(s.slot().current)
	return f.degrees(2 * n), f.degrees(2*n + 1), s.Subordinate()
}

func (f *file) degrees(i int) float64 {
	n := f.direction.uint16(i)
	if n == noDirection {
		return math.NaN()
	}
	return float64(n) / 10
}

// MeanFlow is the mean flow of a current station along its axis, knots,
// flood positive; 0 for subordinate stations, whose offsets include it, and
// for tide stations.
func (s Station) MeanFlow() float64 { return s.meanFlow(s.update()) }

func (s Station) meanFlow(u *update) float64 {
	if u.has(PartFlow) {
		return *u.MeanFlow
	}
	f := s.file()
	if f == nil || s.Kind != Current {
		return 0
	}
	return float64(f.mean.int16(int(s.slot().current))) / 1000
}
