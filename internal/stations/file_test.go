package stations

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDamaged(t *testing.T) {
	short := embedded[:1000]
	for name, row := range map[string]struct{ data, want string }{
		"empty":     {"", "not a station file"},
		"other":     {strings.Repeat("not ours ", 100), "not a station file"},
		"cut":       {embedded[:len(embedded)-1], "damaged: checksum"},
		"very cut":  {short, "damaged: checksum"},
		"one bit":   {flip(embedded, len(embedded)/2), "damaged: checksum"},
		"checksum":  {flip(embedded, len(embedded)-1), "damaged: checksum"},
		"version":   {seal(flip(embedded, len(magic))), "version"},
		"count":     {seal(flip(embedded, len(magic)+11)), "does not fit"},
		"section":   {seal(flip(embedded, headerSize+11)), "does not fit"},
		"name":      {seal(flip(embedded, headerSize)), "rows"},
		"truncated": {seal(short), "does not fit"},
	} {
		_, err := open(row.data)
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "station directory: ") {
			t.Errorf("%s: open = %v, want an error about %q", name, err, row.want)
		}
	}
	if _, err := open(seal(embedded)); err != nil {
		t.Errorf("the file with its checksum anew: %v", err)
	}
}

// flip changes one bit of data.
func flip(data string, at int) string {
	b := []byte(data)
	b[at] ^= 1
	return string(b)
}

// seal puts the right checksum on what data has before its last four bytes.
func seal(data string) string {
	b := []byte(data)
	if len(b) >= 4 {
		binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(data[:len(data)-4]))
	}
	return string(b)
}

// TestSealedNonsense damages the file in a thousand places under a right
// checksum: it is refused, or every question about it has an answer.
func TestSealedNonsense(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 300 {
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

// FuzzOpen never panics, whatever stands in the file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(""), uint32(0), byte(0))
	f.Add([]byte(embedded[:2000]), uint32(0), byte(0))
	f.Add([]byte(nil), uint32(30), byte(7))
	f.Add([]byte(nil), uint32(500000), byte(255))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, value byte) {
		if _, err := open(string(data)); err == nil {
			t.Error("a file that the generator did not write was taken")
		}
		askAll(seal(string(data)))
		// Nearly right: one byte of the true file changed.
		b := []byte(embedded)
		b[int(at)%len(b)] = value
		askAll(seal(string(b)))
		if string(b) != embedded {
			if _, err := open(string(b)); err == nil {
				t.Error("a changed file was taken")
			}
		}
	})
}

// askAll asks all questions about all rows of a file, if it opens.
func askAll(data string) {
	d, err := open(data)
	if err != nil {
		return
	}
	d.Built()
	for _, s := range d.All("") {
		s.Bin()
		s.Harmonics()
		s.Datums()
		s.Differences()
		s.Epoch()
		s.Disclaimer()
		s.TideOffsets()
		s.CurrentOffsets()
		s.Directions()
		s.MeanFlow()
		s.meanAbove("MLLW")
		d.reference(s)
		d.Bins(s.ID)
	}
	d.Nearest(0, 0, 3, nil)
	d.Search("boston harbour", nil)
}
