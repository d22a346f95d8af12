package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"
)

// magic and version are the values that internal/stations expects at the start of the
// file.
const (
	magic   = "leadline"
	version = 3
)

// noReference marks a row that refers to no other, and noDirection an
// unknown direction: no row and no direction has this number.
const (
	noReference = math.MaxUint16
	noDirection = math.MaxUint16
)

// section is one named column of the file.
type section struct {
	name string // at most 8 bytes
	data []byte
}

// encoder collects the columns of the file. The first value that cannot be stored exactly
// stops it with an error.
type encoder struct {
	rows    []row
	numbers map[string]int // id to row
	err     error
}

// encode returns the file that internal/stations embeds (its package comment draws it)
// for rows in the order of their ids.
func encode(rows []row, built int) ([]byte, error) {
	e := encoder{rows: rows, numbers: map[string]int{}}
	for i, r := range rows {
		e.numbers[r.id()] = i
	}
	sections := slices.Concat(e.places(), e.harmonics(), e.datums(), e.tides(), e.currents(),
		e.lists())
	return assemble(sections, built), e.err
}

// assemble joins header, table, sections and checksum.
func assemble(sections []section, built int) []byte {
	out := []byte(magic)
	out = binary.LittleEndian.AppendUint32(out, version)
	out = binary.LittleEndian.AppendUint32(out, uint32(built))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(sections)))
	offset := len(out) + 16*len(sections)
	for _, s := range sections {
		out = append(out, fmt.Sprintf("%-8s", s.name)...)
		out = binary.LittleEndian.AppendUint32(out, uint32(offset))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(s.data)))
		offset += len(s.data)
	}
	for _, s := range sections {
		out = append(out, s.data...)
	}
	return binary.LittleEndian.AppendUint32(out,
		crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli)))
}

// places returns the columns that every row has.
func (e *encoder) places() []section {
	override := zones(overrides)
	zone := newTable("zones")
	note := newTable("notes")
	note.index("") // most rows have no note: 0
	var ids, names []string
	var lat, lon, zoneColumn, stateColumn, noteColumn, class, reference []byte
	for _, r := range e.rows {
		ids, names = append(ids, r.id()), append(names, r.name())
		lat = binary.LittleEndian.AppendUint64(lat, math.Float64bits(r.Latitude))
		lon = binary.LittleEndian.AppendUint64(lon, math.Float64bits(r.Longitude))
		zoneColumn = append(zoneColumn, e.byte(zone.index(e.zone(r, override))))
		stateColumn = append(stateColumn, fmt.Sprintf("%-2s", r.state())...)
		noteColumn = append(noteColumn, e.byte(note.index(r.Disclaimers)))
		class = append(class, e.class(r))
		reference = binary.LittleEndian.AppendUint16(reference, e.reference(r))
	}
	for id := range override {
		if _, ok := e.numbers[id]; !ok {
			e.fail("zone override for unknown station %s", id)
		}
	}
	return []section{
		e.lines("ids", ids), e.lines("names", names), {"lat", lat}, {"lon", lon},
		e.lines(zone.name, zone.values), {"zone", zoneColumn}, {"state", stateColumn},
		e.lines(note.name, note.values), {"note", noteColumn}, {"class", class}, {"ref", reference},
	}
}

// zone returns the row's zone, corrected by override.
func (e *encoder) zone(r row, override map[string]string) string {
	zone, ok := override[r.id()]
	if !ok {
		return r.Timezone
	}
	if zone == r.Timezone {
		e.fail("%s: the package has the zone %s by now", r.ID, zone)
	}
	return zone
}

func (e *encoder) class(r row) byte {
	switch r.Kind + " " + r.Type {
	case "tide reference":
		return 0
	case "tide subordinate":
		return 1
	case "current reference":
		return 2
	case "current subordinate":
		return 3
	}
	e.fail("%s is of the unknown kind %q and type %q", r.ID, r.Kind, r.Type)
	return 0
}

func (e *encoder) reference(r row) uint16 {
	id := r.reference()
	if id == "" {
		return noReference
	}
	n, ok := e.numbers[id]
	if !ok || e.rows[n].Type != "reference" || e.rows[n].Kind != r.Kind {
		e.fail("%s refers to %q, which is not a reference station", r.ID, id)
	}
	return uint16(n)
}

// harmonics returns the constants of the reference rows. Only a few combinations of
// constituents occur, so each row refers to its combination.
func (e *encoder) harmonics() []section {
	names := newTable("consts")
	for _, h := range e.longest().Harmonics {
		names.index(h.Name)
	}
	sets := newTable("sets")
	var set, amplitude, phase []byte
	for _, r := range e.rows {
		if r.Type != "reference" {
			continue
		}
		var key []byte
		for _, h := range r.Harmonics {
			key = append(key, e.byte(names.index(h.Name)))
			amplitude = binary.LittleEndian.AppendUint16(amplitude,
				uint16(e.fixed(r, h.Amplitude, 3, 0, math.MaxUint16)))
			phase = binary.LittleEndian.AppendUint16(phase,
				uint16(e.fixed(r, h.Phase, 1, 0, math.MaxUint16)%3600))
		}
		if !slices.IsSorted(key) {
			e.fail("the constituents of %s are out of order", r.ID)
		}
		set = append(set, e.byte(sets.index(string(key))))
	}
	var combinations []byte
	for _, key := range sets.values {
		combinations = append(append(combinations, byte(len(key))), key...)
	}
	return []section{e.lines(names.name, names.values), {"sets", combinations}, {"set", set},
		{"amp", amplitude}, {"phase", phase}}
}

// longest returns the row with the most constituents: it has them all, in NOAA's order.
func (e *encoder) longest() row {
	return slices.MaxFunc(e.rows, func(a, b row) int { return len(a.Harmonics) - len(b.Harmonics) })
}

// datums returns the levels and differences of the tide reference rows.
func (e *encoder) datums() []section {
	names := newTable("datums")
	var count, datum, value, epoch []byte
	for _, r := range e.rows {
		if r.Kind != "tide" || r.Type != "reference" {
			continue
		}
		count = append(count, e.byte(len(r.Datums)))
		for _, name := range slices.Sorted(maps.Keys(r.Datums)) {
			datum = append(datum, e.byte(names.index(name)))
			value = binary.LittleEndian.AppendUint32(value, uint32(e.datum(r, name)))
		}
		first, last, err := r.epoch()
		if err != nil {
			e.fail("epoch of %s: %v", r.ID, err)
		}
		epoch = appendInt16(epoch, first, last)
	}
	return []section{e.lines(names.name, names.values), {"datcount", count}, {"datum", datum},
		{"value", value}, {"epoch", epoch}}
}

// datum returns a value in millimeters (HWI and LWI in thousandths of an hour). NOAA
// publishes HAT and LAT as computed, beyond the third decimal (0.53699994 at The
// Battery): only they are rounded.
func (e *encoder) datum(r row, name string) int {
	if name == "HAT" || name == "LAT" {
		return int(math.Round(r.Datums[name] * 1000))
	}
	return e.fixed(r, r.Datums[name], 3, math.MinInt32, math.MaxInt32)
}

// tides returns the offsets of the subordinate tide rows.
func (e *encoder) tides() []section {
	var minutes, heights, fixed []byte
	for _, r := range e.rows {
		if r.Kind != "tide" || r.Type != "subordinate" {
			continue
		}
		o := r.Offsets
		minutes = appendInt16(minutes, o.Time.High, o.Time.Low)
		heights = appendInt16(heights, e.fixed(r, o.Height.High, 2, math.MinInt16, math.MaxInt16),
			e.fixed(r, o.Height.Low, 2, math.MinInt16, math.MaxInt16))
		switch o.Height.Type {
		case "ratio":
			fixed = append(fixed, 0)
		case "fixed":
			fixed = append(fixed, 1)
		default:
			e.fail("%s has height offsets of the unknown type %q", r.ID, o.Height.Type)
		}
	}
	return []section{{"toffmin", minutes}, {"toffhgt", heights}, {"tofffix", fixed}}
}

// currents returns the directions and mean flows of all current rows, and the offsets of
// the subordinate ones.
func (e *encoder) currents() []section {
	var directions, mean, minutes, ratios, bins []byte
	for _, r := range e.rows {
		if r.Kind != "current" {
			continue
		}
		if r.Type == "reference" {
			bins = append(bins, e.byte(r.bin()))
		}
		directions = binary.LittleEndian.AppendUint16(directions, e.direction(r, r.Current.Flood))
		directions = binary.LittleEndian.AppendUint16(directions, e.direction(r, r.Current.Ebb))
		mean = appendInt16(mean, e.fixed(r, r.Current.Mean, 3, math.MinInt16, math.MaxInt16))
		if o := r.Current.Offsets; o != nil {
			minutes = appendInt16(minutes, o.BeforeFlood, o.BeforeEbb, o.Flood, o.Ebb)
			ratios = appendInt16(ratios, e.fixed(r, o.FloodRatio, 2, 0, math.MaxInt16),
				e.fixed(r, o.EbbRatio, 2, 0, math.MaxInt16))
		}
	}
	return []section{{"dir", directions}, {"mean", mean}, {"coffmin", minutes}, {"coffrat", ratios},
		{"bin", bins}}
}

// lists returns the stations that NOAA does not predict, each list beginning with its day,
// and the aliases.
func (e *encoder) lists() []section {
	weak, gone := []string{weakListed}, []string{retiredListed}
	for _, id := range weakStations() {
		e.absent(id)
		weak = append(weak, id)
	}
	for _, r := range retiredStations {
		e.absent(r.id)
		gone = append(gone, strings.Join([]string{r.id, r.latitude, r.longitude, r.name}, "\t"))
	}
	for id := range defaultBins {
		if _, ok := e.numbers[id]; !ok {
			e.fail("there is no station %s whose bin could be numbered", id)
		}
	}
	names := make([]string, len(aliases))
	for i, a := range aliases {
		if _, ok := e.numbers[a.id]; !ok {
			e.fail("there is no station %s that could have an alias", a.id)
		}
		names[i] = a.id + "\t" + a.name
	}
	var countries []string
	for _, r := range e.rows {
		if c := r.country(); c != "" {
			countries = append(countries, r.id()+"\t"+c)
		}
	}
	return []section{e.lines("weak", weak), e.lines("retired", gone), e.lines("aliases", names),
		e.lines("abroad", countries), e.lines("noaazone", e.tables())}
}

// tables returns lines of the zones of NOAA's tables. The package's zone must be another one.
func (e *encoder) tables() (lines []string) {
	of, civil := zones(tables), zones(overrides)
	for _, r := range e.rows {
		zone, ok := of[r.id()]
		if !ok {
			continue
		}
		lines = append(lines, r.id()+"\t"+zone)
		if zone == e.zone(r, civil) {
			e.fail("%s: the place has the zone of NOAA's tables by now, %s", r.id(), zone)
		}
	}
	if len(lines) != len(of) {
		e.fail("there are %d of the %d stations with a zone of NOAA's tables", len(lines), len(of))
	}
	return lines
}

// absent reports an error for a listed station that the package does predict.
func (e *encoder) absent(id string) {
	if _, ok := e.numbers[id]; ok {
		e.fail("%s is listed as not predicted, and the package has it", id)
	}
}

func (e *encoder) direction(r row, degrees *float64) uint16 {
	if degrees == nil {
		return noDirection
	}
	return uint16(e.fixed(r, *degrees, 1, 0, 3600) % 3600)
}

// fixed returns v as a whole number of units of the last of its decimals. The package has
// rounded NOAA's decimal to 32 bits, and fixed checks that this decimal, rounded the same
// way, is v again: nothing is lost.
func (e *encoder) fixed(r row, v float64, decimals, low, high int) int {
	unit := math.Pow10(decimals)
	n := int(math.Round(v * unit))
	if float32(float64(n)/unit) != float32(v) || n < low || n > high {
		e.fail("%s: %v is no number of %d decimals between %d and %d units", r.ID, v, decimals, low, high)
	}
	return n
}

func (e *encoder) byte(n int) byte {
	if n > math.MaxUint8 {
		e.fail("%d does not fit into a byte", n)
	}
	return byte(n)
}

// lines returns a column of text, one value per line.
func (e *encoder) lines(name string, values []string) section {
	for _, v := range values {
		if strings.Contains(v, "\n") {
			e.fail("%s: %q has a line break", name, v)
		}
	}
	return section{name, []byte(strings.Join(values, "\n"))}
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func appendInt16(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(v)))
	}
	return b
}

// table numbers distinct strings in the order of their first use.
type table struct {
	name   string
	values []string
	number map[string]int
}

func newTable(name string) *table { return &table{name: name, number: map[string]int{}} }

func (t *table) index(value string) int {
	n, ok := t.number[value]
	if !ok {
		n = len(t.values)
		t.values, t.number[value] = append(t.values, value), n
	}
	return n
}
