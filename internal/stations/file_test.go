package stations

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"leadline/internal/tide"
	"leadline/internal/trials"
)

func TestDamaged(t *testing.T) {
	short := embedded[:1000]
	for name, row := range map[string]struct{ data, want string }{
		"empty":             {"", "not a station file"},
		"other":             {strings.Repeat("not ours ", 100), "not a station file"},
		"last byte missing": {embedded[:len(embedded)-1], "damaged: checksum"},
		"1000 bytes":        {short, "damaged: checksum"},
		"one bit":           {flip(embedded, len(embedded)/2), "damaged: checksum"},
		"checksum":          {flip(embedded, len(embedded)-1), "damaged: checksum"},
		"version":           {seal(flip(embedded, len(magic))), "version"},
		"count":             {seal(flip(embedded, len(magic)+11)), "does not fit"},
		"section":           {seal(flip(embedded, headerSize+11)), "does not fit"},
		"name":              {seal(flip(embedded, headerSize)), "rows"},
		"truncated":         {seal(short), "does not fit"},
	} {
		_, err := open(row.data)
		if err == nil || !strings.Contains(err.Error(), row.want) ||
			!strings.HasPrefix(err.Error(), "station directory: ") {
			t.Errorf("%s: open = %v, want an error about %q", name, err, row.want)
		}
	}
	if _, err := open(seal(embedded)); err != nil {
		t.Errorf("the file with a new checksum: %v", err)
	}
}

// flip changes one bit of data.
func flip(data string, at int) string {
	b := []byte(data)
	b[at] ^= 1
	return string(b)
}

// seal replaces the last four bytes of data by the correct checksum.
func seal(data string) string {
	b := []byte(data)
	if len(b) >= 4 {
		binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(data[:len(data)-4]))
	}
	return string(b)
}

// TestSealedNonsense damages the file in many places with a correct checksum. The file is
// refused, or every method returns. Calling them all is slow, so it runs fewer cases than
// other properties.
func TestSealedNonsense(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range trials.Cases() / 10 {
		b := []byte(embedded)
		for range 1 + random.IntN(4) {
			at := random.IntN(len(b))
			if random.IntN(3) == 0 {
				at = random.IntN(headerSize + 28*entrySize)
			}
			b[at] = byte(random.Uint32())
		}
		askAll(seal(string(b)))
	}
}

// FuzzOpen checks that no file causes a panic: it is refused unchanged, and with a
// correct checksum it is refused or every method returns.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(embedded[:2000]))
	f.Add([]byte(small()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if string(data) == small() {
			return
		}
		if _, err := open(string(data)); err == nil &&
			checksum(string(data[:len(data)-4])) != column(data[len(data)-4:]).uint32(0) {
			t.Error("a file with a wrong checksum was taken")
		}
		askAll(seal(string(data)))
	})
}

// small is a file of four rows, one of each class, as a seed for the fuzzer.
func small() string {
	le := binary.LittleEndian
	floats := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = le.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	shorts := func(values ...int) (b []byte) {
		for _, v := range values {
			b = le.AppendUint16(b, uint16(v))
		}
		return b
	}
	sections := []struct {
		name string
		data []byte
	}{
		{"ids", []byte("1000\n1001\nCUR1\nCUR1_2")},
		{"names", []byte("Old Harbor, Bay\nPoint (Light)\nNarrows\nThe Race")},
		{"lat", floats(42, -17, 0, 60)}, {"lon", floats(-71, 179, 0, -150)},
		{"zones", []byte("UTC\nEtc/GMT+5")}, {"zone", []byte{0, 1, 0, 1}}, {"state", []byte("ME  MAAK")},
		{"notes", []byte("\nbeware")}, {"note", []byte{0, 0, 1, 0}}, {"class", []byte{0, 1, 2, 3}},
		{"ref", shorts(65535, 0, 65535, 2)},
		{"consts", []byte("M2\nS2")}, {"sets", []byte{2, 0, 1, 1, 0}}, {"set", []byte{0, 1}},
		{"amp", shorts(1000, 200, 900)}, {"phase", shorts(10, 3599, 0)},
		{"datums", []byte("MLLW\nMSL")}, {"datcount", []byte{2}}, {"datum", []byte{0, 1}},
		{"value", shorts(100, 0, 900, 0)}, {"epoch", shorts(1983, 2001)},
		{"toffmin", shorts(5, -5)}, {"toffhgt", shorts(90, 110)}, {"tofffix", []byte{1}},
		{"dir", shorts(0, 1800, 900, 65535)}, {"mean", shorts(-10, 0)}, {"coffmin", shorts(1, 2, 3, 4)},
		{"coffrat", shorts(90, 110)},
		{"bin", []byte{7}}, {"weak", []byte("2026-01-01\nCUR8\ncur7")},
		{"retired", []byte("2020-01-01\n1002\t41.5\t-70.25\tGone")},
		{"abroad", []byte("1001\tFJ")}, {"noaazone", []byte("1001\tEtc/GMT+11")},
	}
	out := le.AppendUint32(le.AppendUint32(le.AppendUint32([]byte(magic), version), 20260102),
		uint32(len(sections)))
	offset := headerSize + entrySize*len(sections)
	for _, s := range sections {
		out = append(out, (s.name + "        ")[:8]...)
		out = le.AppendUint32(le.AppendUint32(out, uint32(offset)), uint32(len(s.data)))
		offset += len(s.data)
	}
	for _, s := range sections {
		out = append(out, s.data...)
	}
	return seal(string(append(out, 0, 0, 0, 0)))
}

func TestSmall(t *testing.T) {
	d, err := open(small())
	if err != nil {
		t.Fatal(err)
	}
	p, ok := d.Tides(find(t, d, "1001"), "MLLW")
	if !ok || p.Level != 0.8 || *p.Offsets != (tide.Offsets{HighMinutes: 5, LowMinutes: -5, High: 0.9,
		Low: 1.1, Fixed: true}) {
		t.Errorf("Tides = %+v, %v", p, ok)
	}
	if s := find(t, d, "cur1_2"); s.Name != "The Race" || s.State != "AK" || s.Reference != "CUR1" ||
		s.Longitude != -150 {
		t.Errorf("Station = %+v", s)
	}
	at, here := find(t, d, "1001").Country(), find(t, d, "1000").Country()
	if at != "FJ" || here != "" {
		t.Errorf("countries %q and %q, want FJ and none", at, here)
	}
	if n := find(t, d, "CUR1").BinNumber(); n != 7 {
		t.Errorf("BinNumber = %d, want 7", n)
	}
	listed, weak := d.Weak("CUR7_3")
	if _, other := d.Weak("CUR1"); !weak || other ||
		!listed.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("Weak = %v, %v; of another %v", listed, weak, other)
	}
	want := Retired{"1002", "Gone", 41.5, -70.25, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}
	if got, ok := d.Retired("1002"); !ok || got != want {
		t.Errorf("Retired = %+v, %v, want %+v", got, ok, want)
	}
	if _, ok := d.Retired("1001"); ok {
		t.Error("a station that is predicted is retired")
	}
}

// TestLists refuses invalid lists of stations.
func TestLists(t *testing.T) {
	for what, sections := range map[string]map[string]string{
		"no day":      {"weak": "ACT0261", "retired": "2020-01-01"},
		"no fields":   {"weak": "2026-01-01", "retired": "2020-01-01\n1002 41 -70 Gone"},
		"no latitude": {"weak": "2026-01-01", "retired": "2020-01-01\n1002\tx\t-70\tGone"},
		"no place":    {"weak": "2026-01-01", "retired": "2020-01-01\n1002\t91\t-70\tGone"},
		"nowhere":     {"weak": "2026-01-01", "retired": "2020-01-01\n1002\tNaN\t-70\tGone"},
	} {
		if err := new(file).fillLists(sections); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// askAll calls all methods for all rows of a file, if it opens.
func askAll(data string) {
	d, err := open(data)
	if err != nil {
		return
	}
	d.Built()
	d.Weak("CUR7")
	d.Retired("1002")
	for _, s := range d.All("") {
		s.Bin()
		s.BinNumber()
		s.Harmonics()
		s.Datums()
		s.Differences()
		s.Epoch()
		s.Disclaimer()
		s.TideOffsets()
		s.CurrentOffsets()
		s.Directions()
		s.MeanFlow()
		s.meanAbove(nil, "MLLW")
		d.reference(s)
		d.Bins(s.ID)
	}
	d.Join(obtained, lakes)
	d.Nearest(0, 0, 3, nil)
	d.Search("boston harbour", nil)
}
