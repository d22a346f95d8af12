package stations

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/tide"
)

// Kind is the kind of a station's predictions.
type Kind string

// The kinds. Every embedded row is of one of the first two.
const (
	Tide    Kind = "tide"
	Current Kind = "current"
	Gauge   Kind = "gauge" // only observes: no tide, or no prediction of one
)

// SchemaName returns the name of the kinds in OpenAPI documents.
func (Kind) SchemaName() string { return "StationKind" }

// Values returns all kinds.
func (Kind) Values() []string { return coast.Strings(Tide, Current, Gauge) }

// number returns the index of the kind, 0 for an unknown one.
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

// Station is one row of the directory. Copies are cheap; values returned by methods
// belong to the caller. The fields are those of the file, or of the list by which the
// station joined. The methods return the facts in force at the time of the call: the
// latest Update, else the embedded facts.
type Station struct {
	ID        string  // NOAA's id: 8443970, ACT0091; extra reference bins ID_BIN
	Name      string  // complete, as NOAA writes it
	State     string  // two letters, empty outside the states and territories
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	Zone      string  // IANA name of the civil zone of the place
	Kind      Kind
	Reference string // id of a subordinate station's reference (maybe ID_BIN), else empty

	record *record // nil in a Station that no Directory made: it then has no data
	fixed  bool    // by Snapshot: methods use at
	at     *update
}

// station returns the Station of an embedded row.
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

// file returns the file of the station's row, nil if it is not in a file.
func (s Station) file() *file {
	if s.record == nil || s.record.row == joined {
		return nil
	}
	return s.record.directory.file
}

// update returns the facts in force over the embedded ones, nil for none. Callers that
// need one consistent state load it once and pass it on.
func (s Station) update() *update {
	switch {
	case s.fixed:
		return s.at
	case s.record == nil:
		return nil
	}
	return s.record.update.Load()
}

// Snapshot returns the station in its current state: its methods, and the Directory's
// methods for it, continue to return the facts in force at this moment. A result that
// combines several facts uses a snapshot, so that all facts come from one state.
func (s Station) Snapshot() Station { return s.as(s.update()) }

// Embedded returns the station with its embedded facts, even if others are in force.
func (s Station) Embedded() Station { return s.as(nil) }

// as returns the station with u in force, nil for the embedded facts alone.
func (s Station) as(u *update) Station {
	s.fixed, s.at = true, u
	return s
}

// is reports whether the station is a row of class c.
func (s Station) is(c class) bool {
	f := s.file()
	return f != nil && f.class(s.record.row) == c
}

// Country returns the country (ISO 3166-1) of a station abroad, empty in the United States and
// their territories.
func (s Station) Country() string {
	if f := s.file(); f != nil {
		return f.abroad[s.ID]
	}
	return ""
}

// NOAAZone returns the IANA name of the zone of NOAA's tables of the station if their standard time
// is not that of Zone, else empty.
func (s Station) NOAAZone() string {
	if f := s.file(); f != nil {
		return f.tables[s.ID]
	}
	return ""
}

// slot returns the slot of a station that is a row of the file.
func (s Station) slot() slot { return s.file().slots[s.record.row] }

// Subordinate reports whether the station is predicted by offsets from a reference station.
func (s Station) Subordinate() bool { return s.Reference != "" }

// Bin splits the id of a current station's bin, ID_BIN, into station and number. The
// number is 0 for a station's own row: BinNumber returns it if it is known.
func (s Station) Bin() (station string, bin int) {
	station, number, found := strings.Cut(s.ID, "_")
	if !found {
		return s.ID, 0
	}
	// It is a number in every embedded row, which tests check, and in those that join.
	bin, _ = strconv.Atoi(number)
	return station, bin
}

// HasConstants reports whether the station has harmonic constants of its own. Subordinate
// stations and gauges do not, and four tide stations only have datums.
func (s Station) HasConstants() bool { return s.hasConstants(s.update()) }

func (s Station) hasConstants(u *update) bool {
	return u.has(PartConstants) || len(s.constituents()) > 0
}

// constituents returns the numbers of the embedded constituents in the file's list.
func (s Station) constituents() []byte {
	f := s.file()
	if f == nil || !f.class(s.record.row).reference() {
		return nil
	}
	return f.sets[f.set[s.slot().curve]]
}

// Harmonics returns the station's own constants, in order of number, amplitudes as
// published (meters or knots, 3 decimals; degrees, 1 decimal). The result is empty for
// subordinate stations.
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
	Value float64 // meters above station datum (STND)
}

// differences lists the entries of a station's datums that are differences instead of
// levels, and their units.
var differences = map[string]string{"GT": "m", "MN": "m", "DHQ": "m", "DLQ": "m", "HWI": "h",
	"LWI": "h"}

// crd is Columbia River Datum. The data calls it CRD_OFFSET and stores it as a height
// above station datum, like all others. At Temco Kalama that gives 1.09 m above NAVD88,
// between 0.38 m at Skamokawa, 42 miles downstream, and 1.30 m at Saint Helens upstream.
// At all six stations it is 0.15 to 0.63 m below MLLW. That agrees with the definition:
// the low-water slope of the river.
const crd = "CRD"

// Datums returns the station's own levels, highest first. It is empty for current
// stations and, unless the service has published levels, for subordinate ones.
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

// Difference is a quantity that NOAA lists among the datums although it is not a level.
type Difference struct {
	Name  string // GT, MN, DHQ, DLQ: ranges and inequalities; HWI, LWI: Greenwich intervals
	Value float64
	Unit  string // m, or h for the intervals
}

// Differences returns the station's ranges, inequalities and intervals by name. It is
// empty if Datums is.
func (s Station) Differences() []Difference {
	var out []Difference
	s.eachDatum(s.update(), func(name string, value float64) {
		if unit, ok := differences[name]; ok {
			out = append(out, Difference{name, value, unit})
		}
	})
	return out
}

// Level returns the entry with a name from NOAA's list of the station's datums: the height of a
// level above station datum, in meters, or a difference such as GT, in its unit.
func (s Station) Level(name string) (value float64, ok bool) { return s.level(s.update(), name) }

// level returns an entry of the datums, as Level does, in a state of the station.
func (s Station) level(u *update, name string) (value float64, ok bool) {
	s.eachDatum(u, func(n string, v float64) {
		if n == name {
			value, ok = v, true
		}
	})
	return value, ok
}

// eachDatum calls yield for each entry of NOAA's list of the station's datums, by name.
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

// levelName returns the name of a datum in this package, given the data's.
func levelName(name string) string {
	if name == "CRD_OFFSET" {
		return crd
	}
	return name
}

// Disclaimer returns NOAA's remark on the station's data, with NOAA's HTML links; mostly
// empty.
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

// Directions returns the flood and ebb directions in degrees true (toward), and whether
// they are NOAA's mean directions (else the harmonic axis). Current stations only. A
// direction that NOAA has not published, one or both of 13 subordinate stations, is NaN:
// test it before writing JSON.
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

// MeanFlow returns the mean flow of a current station along its axis, knots, flood
// positive. It is 0 for subordinate stations, whose offsets include it, and for tide
// stations.
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
