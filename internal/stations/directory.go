// Package stations is the embedded directory: every place for which NOAA
// predicts tides or tidal currents, with the constants that the predictions
// are computed from. What comes in is one file, stations.bin, that the
// generator in gen writes from a pinned package; what goes out are stations
// by id, by name and by distance, and for each a predictor of package tide.
// It reaches no network, never changes after Open, and holds none of what
// the package lacks: gauges, sensors, depths of bins, weak-and-variable
// current stations.
//
// The file is columns, one after another, little-endian:
//
//	magic    8 bytes "leadline"
//	version  uint32, 1
//	built    uint32, 20260924 for 24 September 2026
//	count    uint32, of sections
//	table    for each section: name (8 bytes, padded with blanks), offset and length (uint32)
//	sections the columns
//	checksum uint32, CRC-32C of all before it
//
// Rows stand in the order of their ids without regard to case. There are
// four classes of them: 0 tide reference, 1 tide subordinate, 2 current
// reference, 3 current subordinate; a column that only some classes need
// has values for the rows of those alone, in the same order. Columns of text
// are lines.
//
//	ids names            text        all rows
//	lat lon              float64     degrees, as the source has them
//	zones, zone          text, byte  IANA names; the row's line in them
//	state                2 bytes     letters, or blanks
//	notes, note          text, byte  disclaimers; the row's line in them
//	class                byte
//	ref                  uint16      row of the reference station, 65535 for none
//	consts               text        names of constituents
//	sets, set            bytes, byte combinations of constituents (count, then lines of consts); the one of each row of class 0 and 2
//	amp phase            uint16      for each constituent of those rows: 0.001 m or 0.001 kn; 0.1 degree, Greenwich
//	datums               text        names of datums
//	datcount             byte        number of datums of each row of class 0
//	datum value          byte, int32 for each datum of those rows: line of datums; 0.001 m (0.001 h for HWI and LWI)
//	epoch                2 uint16    class 0: first and last year, 0 for none
//	toffmin toffhgt      2 int16     class 1: high and low, minutes; high and low, 0.01 (ratio) or 0.01 m
//	tofffix              byte        class 1: 1 if the heights are metres
//	dir                  2 uint16    class 2 and 3: flood and ebb, 0.1 degree, 65535 for unknown
//	mean                 int16       class 2 and 3: mean flow, 0.001 kn, flood positive
//	coffmin              4 int16     class 3: slack before flood, slack before ebb, flood, ebb, minutes
//	coffrat              2 int16     class 3: flood and ebb ratio, 0.01
package stations

import (
	_ "embed"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/tide"
)

//go:embed stations.bin
var embedded string

// Directory is the embedded directory. It is immutable and safe for concurrent use.
type Directory struct {
	file     *file
	all      [3][]Station                 // both kinds, tides, currents
	curves   []atomic.Pointer[tide.Curve] // of reference rows, compiled when first asked for
	vectors  func() []vector
	searcher func() *index
}

// Open checks and indexes the embedded data. An error says what is wrong
// with the file; it can only be a build's fault.
func Open() (*Directory, error) { return open(embedded) }

func open(data string) (*Directory, error) {
	f, err := decode(data)
	if err != nil {
		return nil, err
	}
	d := &Directory{file: f, curves: make([]atomic.Pointer[tide.Curve], len(f.ids))}
	d.list()
	d.vectors = sync.OnceValue(d.place)
	d.searcher = sync.OnceValue(d.index)
	return d, nil
}

// list builds the stations once; the strings in them are parts of the file.
func (d *Directory) list() {
	tides := 0
	for row := range d.file.ids {
		if d.file.class(row).kind() == Tide {
			tides++
		}
	}
	d.all[0] = make([]Station, 0, len(d.file.ids))
	d.all[1] = make([]Station, 0, tides)
	d.all[2] = make([]Station, 0, len(d.file.ids)-tides)
	for row := range d.file.ids {
		s := d.station(row)
		d.all[0] = append(d.all[0], s)
		if s.Kind == Tide {
			d.all[1] = append(d.all[1], s)
		} else {
			d.all[2] = append(d.all[2], s)
		}
	}
}

// Built is the day on which the data was built (the version of the pinned package), 00:00 UTC.
func (d *Directory) Built() time.Time {
	n := int(d.file.built)
	return time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
}

// All returns every station of kind in order of id without regard to case
// ("" for both kinds). The slice is the directory's own: do not change it.
func (d *Directory) All(kind Kind) []Station {
	switch kind {
	case Tide:
		return d.all[1]
	case Current:
		return d.all[2]
	}
	return d.all[0]
}

// Station returns the station with the id, without regard to case.
func (d *Directory) Station(id string) (Station, bool) {
	row, ok := d.row(id)
	if !ok {
		return Station{}, false
	}
	return d.all[0][row], true
}

// row is the number of the row with the id.
func (d *Directory) row(id string) (int, bool) {
	row := sort.Search(len(d.file.ids), func(i int) bool { return compareFold(d.file.ids[i], id) >= 0 })
	return row, row < len(d.file.ids) && compareFold(d.file.ids[row], id) == 0
}

// Bins returns the rows of a current station: its own and those of further
// bins that only serve as references (ID_BIN), in this order. The id may
// be that of a bin. Empty for an unknown id.
func (d *Directory) Bins(id string) []Station {
	id, _, _ = strings.Cut(id, "_")
	var bins []Station
	first, _ := d.row(id)
	for _, s := range d.all[0][first:] {
		if own, _ := s.Bin(); compareFold(own, id) != 0 {
			break
		}
		bins = append(bins, s)
	}
	return bins
}

// GreatLakes reports whether the id is that of a water-level station on the
// Great Lakes or the St. Lawrence (90xxxxx, 831xxxx). They have no tide
// predictions and no row here.
func GreatLakes(id string) bool {
	if _, err := strconv.Atoi(id); err != nil || len(id) != 7 {
		return false
	}
	return strings.HasPrefix(id, "90") || strings.HasPrefix(id, "831")
}

// compareFold orders ids by their bytes in upper case.
func compareFold(a, b string) int {
	for i := range min(len(a), len(b)) {
		if c := int(upper(a[i])) - int(upper(b[i])); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
