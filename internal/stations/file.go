package stations

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
)

const (
	magic   = "leadline"
	version = 3

	headerSize = len(magic) + 3*4
	entrySize  = 8 + 2*4

	noReference = math.MaxUint16
	noDirection = math.MaxUint16
)

// class is the class of a row; the package comment has the numbers.
type class byte

const (
	tideReference class = iota
	tideSubordinate
	currentReference
	currentSubordinate
)

func (c class) kind() Kind {
	if c <= tideSubordinate {
		return Tide
	}
	return Current
}

func (c class) reference() bool { return c == tideReference || c == currentReference }

// file is the decoded file: the embedded columns, and the positions of each row's values
// in the columns that not all rows have.
type file struct {
	built                               uint32
	ids, names, zones, notes            []string
	lat, lon, zone, state, note         column
	classes, ref                        column
	constituents                        []string
	numbers                             []int    // of the constituents in package tide
	sets                                [][]byte // combinations of constituents
	set, amplitude, phase               column
	levels                              []string // names of datums
	count, datum, value, epoch          column
	tideMinutes, tideHeights, tideFixed column
	direction, mean                     column
	currentMinutes, currentRatios       column
	bins                                column // of the current reference rows
	weak                                unpredicted
	retired                             []Retired
	aliases                             map[string][]string // ids, by words.Key of the name
	abroad                              map[string]string   // countries, by id
	tables                              map[string]string   // zones of NOAA's tables, by id

	slots []slot // of each row
}

// slot holds the positions of a row's values in the columns of its class.
type slot struct {
	class     uint16 // number among the rows of its class
	curve     uint16 // number among the reference rows of both kinds
	current   uint16 // number among the current rows
	datum     uint16 // first datum
	harmonics uint32 // first constituent
}

// column is a run of little-endian numbers.
type column string

func (c column) byte(i int) int   { return int(c[i]) }
func (c column) uint16(i int) int { return int(c[2*i]) | int(c[2*i+1])<<8 }
func (c column) int16(i int) int  { return int(int16(c.uint16(i))) }
func (c column) uint32(i int) uint32 {
	return uint32(c.uint16(2*i)) | uint32(c.uint16(2*i+1))<<16
}
func (c column) int32(i int) int { return int(int32(c.uint32(i))) }
func (c column) float64(i int) float64 {
	return math.Float64frombits(uint64(c.uint32(2*i)) | uint64(c.uint32(2*i+1))<<32)
}

func (f *file) class(row int) class { return class(f.classes[row]) }

// decode reads a file and checks it so that no access to any row can reach beyond a
// column. The result refers to parts of data.
func decode(data string) (*file, error) {
	sections, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("station directory: %w", err)
	}
	f := &file{built: column(data).uint32(len(magic)/4 + 1)}
	f.fill(sections)
	if err := f.fillLists(sections); err != nil {
		return nil, fmt.Errorf("station directory: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("station directory: %w", err)
	}
	return f, nil
}

// unpack checks header and checksum and returns the sections by name.
func unpack(data string) (map[string]string, error) {
	if len(data) < headerSize+4 || data[:len(magic)] != magic {
		return nil, errors.New("not a station file")
	}
	body, sum := data[:len(data)-4], column(data[len(data)-4:]).uint32(0)
	if got := checksum(body); got != sum {
		return nil, fmt.Errorf("damaged: checksum %08x, want %08x", got, sum)
	}
	header := column(data[len(magic):])
	if v := header.uint32(0); v != version {
		return nil, fmt.Errorf("version %d, want %d", v, version)
	}
	return table(body, int(header.uint32(2)))
}

func table(body string, count int) (map[string]string, error) {
	if count > (len(body)-headerSize)/entrySize {
		return nil, errors.New("the table of sections does not fit")
	}
	sections := make(map[string]string, count)
	for i := range count {
		entry := body[headerSize+i*entrySize:]
		name := strings.TrimRight(entry[:8], " ")
		from, length := uint64(column(entry[8:]).uint32(0)), uint64(column(entry[8:]).uint32(1))
		if from+length > uint64(len(body)) {
			return nil, fmt.Errorf("section %q does not fit", name)
		}
		sections[name] = body[from : from+length]
	}
	return sections, nil
}

// checksum returns the CRC-32C of data, computed in pieces to avoid a copy of the whole.
func checksum(data string) uint32 {
	polynomial := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	var piece [4096]byte
	for len(data) > 0 {
		n := copy(piece[:], data)
		sum = crc32.Update(sum, polynomial, piece[:n])
		data = data[n:]
	}
	return sum
}

func (f *file) fill(sections map[string]string) {
	lines := func(name string) []string { return strings.Split(sections[name], "\n") }
	numbers := func(name string) column { return column(sections[name]) }
	f.ids, f.names, f.zones, f.notes = lines("ids"), lines("names"), lines("zones"), lines("notes")
	f.lat, f.lon, f.zone, f.state, f.note = numbers("lat"), numbers("lon"), numbers("zone"),
		numbers("state"), numbers("note")
	f.classes, f.ref = numbers("class"), numbers("ref")
	f.constituents, f.sets = lines("consts"), splitSets(sections["sets"])
	f.set, f.amplitude, f.phase = numbers("set"), numbers("amp"), numbers("phase")
	f.levels = lines("datums")
	f.count, f.datum, f.value, f.epoch = numbers("datcount"), numbers("datum"), numbers("value"),
		numbers("epoch")
	f.tideMinutes, f.tideHeights, f.tideFixed = numbers("toffmin"), numbers("toffhgt"),
		numbers("tofffix")
	f.direction, f.mean = numbers("dir"), numbers("mean")
	f.currentMinutes, f.currentRatios = numbers("coffmin"), numbers("coffrat")
	f.bins = numbers("bin")
	f.aliases = readAliases(sections["aliases"])
	f.abroad, f.tables = readPairs(sections["abroad"]), readPairs(sections["noaazone"])
}

// readPairs reads lines of an id and a word, separated by a tab.
func readPairs(text string) map[string]string {
	pairs := map[string]string{}
	for line := range strings.Lines(text) {
		id, word, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		pairs[id] = word
	}
	return pairs
}

// splitSets splits the combinations. It drops a truncated last one; check then finds the
// rows that refer to it.
func splitSets(s string) [][]byte {
	var sets [][]byte
	for len(s) > 0 && int(s[0]) < len(s) {
		n := int(s[0])
		sets = append(sets, []byte(s[1:1+n]))
		s = s[1+n:]
	}
	return sets
}
