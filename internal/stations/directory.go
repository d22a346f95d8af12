// Package stations is the directory of places where NOAA predicts tides or tidal
// currents, or takes measurements. It has two layers.
//
// The base is one embedded file, stations.bin, that the generator in gen writes from a
// pinned package: every station with predictions and their constants. It never changes.
//
// The overlay holds the current state of NOAA's metadata service, as far as it has been
// fetched. Apply replaces a station's constants, levels, offsets and bins with newer
// ones. Join adds stations that are not in the file (gauges of the Great Lakes, weather
// stations, additional bins). Observe sets which stations measure what. All input is
// checked, and facts that the service does not report stay as embedded. The overlay is in
// memory.
//
// The facts of a prediction are replaced together or not at all (Apply).
//
// The package returns stations by id, by name and by distance, and for each a predictor
// of package tide. A Station refers to a row and does not copy its facts: each method
// returns the facts in force at the time of the call, consistently from one state. A
// predictor does not change once it is made. Readers take no lock. The package uses
// neither the network nor a clock: callers fetch the data.
//
// The file is columns, one after another, little-endian:
//
//	magic    8 bytes "leadline"
//	version  uint32, 3
//	built    uint32, 20260924 for 24 September 2026
//	count    uint32, of sections
//	table    for each section: name (8 bytes, padded with blanks), offset and length (uint32)
//	sections the columns
//	checksum uint32, CRC-32C of all before it
//
// Rows are in the order of their ids without regard to case. They have four classes: 0
// tide reference, 1 tide subordinate, 2 current reference, 3 current subordinate. A
// column that only some classes need has values for the rows of those alone, in the same
// order. Columns of text are lines.
//
//	ids names            text        all rows
//	lat lon              float64     degrees, as the source has them
//	zones, zone          text, byte  IANA names; the row's line in them
//	state                2 bytes     letters, or blanks
//	notes, note          text, byte  disclaimers; the row's line in them
//	class                byte
//	ref                  uint16      row of the reference station, 65535 for none
//	consts               text        names of constituents
//	sets, set            bytes, byte combinations of constituents (count, then lines of
//	                                 consts); the one of each row of class 0 and 2
//	amp phase            uint16      for each constituent of those rows: 0.001 m or
//	                                 0.001 kn; 0.1 degree, Greenwich
//	datums               text        names of datums
//	datcount             byte        number of datums of each row of class 0
//	datum value          byte, int32 for each datum of those rows: line of datums;
//	                                 0.001 m (0.001 h for HWI and LWI)
//	epoch                2 uint16    class 0: first and last year, 0 for none
//	toffmin toffhgt      2 int16     class 1: high and low, minutes; high and low,
//	                                 0.01 (ratio) or 0.01 m
//	tofffix              byte        class 1: 1 if the heights are meters
//	dir                  2 uint16    class 2 and 3: flood and ebb, 0.1 degree,
//	                                 65535 for unknown
//	mean                 int16       class 2 and 3: mean flow, 0.001 kn, flood positive
//	coffmin              4 int16     class 3: slack before flood, slack before ebb,
//	                                 flood, ebb, minutes
//	coffrat              2 int16     class 3: flood and ebb ratio, 0.01
//	bin                  byte        class 2: number of the row's bin, 0 for unknown
//	weak                 text        day of the list, then ids of weak and variable stations
//	retired              text        day of the list, then id, latitude, longitude and name,
//	                                 separated by tabs
//	aliases              text        id and name, separated by a tab
//	abroad               text        id and country (ISO 3166-1) of the stations outside the
//	                                 United States and their territories, separated by a tab
//	noaazone             text        id and zone of NOAA's tables where it is not that of the
//	                                 place, separated by a tab
package stations

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"leadline/internal/tide"
)

//go:embed stations.bin
var embedded string

// Directory is the embedded directory with its overlay. It is safe for concurrent use.
type Directory struct {
	file     *file
	embedded []Station // the rows of the file
	view     atomic.Pointer[view]
	almanac  *tide.Almanac
	lists    atomic.Pointer[map[string]list] // by type of observation
	revised  atomic.Pointer[Years]           // newest epoch in moved; nil if it is empty
	moved    map[string]Years                // by id, if not the embedded one; guarded by writing
	writing  sync.Mutex                      // held by Apply, Join and Observe
}

// record holds the data of a Station beyond its fields.
type record struct {
	directory *Directory
	row       int                        // in the file, joined for a station that is not in it
	curve     atomic.Pointer[tide.Curve] // of the embedded constants, compiled on first use
	update    atomic.Pointer[update]     // nil if the embedded facts are in force
	listed    atomic.Pointer[time.Time]  // when a joined station was listed
}

// joined is the row of a station that is not in the file.
const joined = -1

// Open checks and indexes the embedded data. An error describes a damaged file, which
// only a faulty build can cause.
func Open() (*Directory, error) { return open(embedded) }

func open(data string) (*Directory, error) {
	f, err := decode(data)
	if err != nil {
		return nil, err
	}
	d := &Directory{
		file: f, embedded: make([]Station, len(f.ids)), moved: map[string]Years{},
		almanac: tide.NewAlmanac(),
	}
	records := make([]record, len(f.ids))
	for row := range records {
		records[row].directory, records[row].row = d, row
		d.embedded[row] = f.station(&records[row])
	}
	d.view.Store(newView(f, d.embedded))
	return d, nil
}

// Description describes the embedded data.
type Description struct {
	Built time.Time // the day of Directory.Built
	// Epochs counts the tide stations that have datums, or constants, of their own by the epoch of
	// the datums.
	Epochs map[Years]int
}

// Describe checks the embedded data and describes it, without making a directory.
func Describe() (Description, error) {
	f, err := decode(embedded)
	if err != nil {
		return Description{}, err
	}
	return Description{f.day(), f.epochs()}, nil
}

// Built returns the day on which the data was built (the version of the pinned package),
// 00:00 UTC.
func (d *Directory) Built() time.Time { return d.file.day() }

// day returns the day on which the file was built.
func (f *file) day() time.Time {
	n := int(f.built)
	return time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
}

// All returns every station of kind in order of id without regard to case ("" for all
// kinds). The slice belongs to the directory: do not change it.
func (d *Directory) All(kind Kind) []Station {
	v := d.view.Load()
	if kind == "" {
		return v.all
	}
	return v.kinds()[kind.number()]
}

// Station returns the station with the id, without regard to case.
func (d *Directory) Station(id string) (Station, bool) { return d.view.Load().station(id) }

// Bins returns the rows of a current station: its own and those of additional bins
// (ID_BIN). Bins that only serve as references come first, then those that have joined.
// The id may be that of a bin. The result is empty for an unknown id.
func (d *Directory) Bins(id string) []Station {
	id, _, _ = strings.Cut(id, "_")
	v := d.view.Load()
	var bins []Station
	if s, ok := v.station(id); ok {
		bins = append(bins, s)
	}
	first, _ := v.position(id + "_")
	for _, s := range v.all[first:] {
		if own, _ := s.Bin(); compareFold(own, id) != 0 {
			break
		}
		bins = append(bins, s)
	}
	return bins
}

// GreatLakes reports whether the id is that of a water-level station on the Great Lakes
// or the St. Lawrence (90xxxxx, 831xxxx). They have no tide predictions and no row in the
// file; they may have joined.
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
