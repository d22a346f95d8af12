package noaa

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// fuzz gives bodies to readers, beginning with the documents of testdata whose
// names match. Whatever a body is, a reader ends; what it reads is JSON, holds
// no number that is none, and is the same the next time.
func fuzz(f *testing.F, seeds string, readers ...reading) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", seeds+".json"))
	if err != nil || len(names) == 0 {
		f.Fatalf("no documents %s: %v", seeds, err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		f.Add(document(f, base[:len(base)-len(".json")]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, read := range readers {
			v, err := read(body)
			if err != nil {
				continue
			}
			if !json.Valid(body) {
				t.Errorf("read %v of what is no JSON", v)
			}
			first, err := json.Marshal(v)
			if err != nil {
				t.Error(err)
			}
			again, err := read(body)
			if err != nil {
				t.Error(err)
			}
			if second, _ := json.Marshal(again); string(first) != string(second) {
				t.Errorf("read %s, then %s", first, second)
			}
		}
	})
}

func FuzzStations(f *testing.F)    { fuzz(f, "meta_stations_*", reads1(readStations)) }
func FuzzStation(f *testing.F)     { fuzz(f, "meta_station", reads2(readStation)) }
func FuzzSensors(f *testing.F)     { fuzz(f, "meta_[sd]e*s", reads1(readSensors), reads1(readDetails)) }
func FuzzFloodLevels(f *testing.F) { fuzz(f, "meta_floodlevels", reads1(readFloodLevels)) }
func FuzzDatums(f *testing.F)      { fuzz(f, "meta_datums*", reads1(readDatums)) }
func FuzzHarmonics(f *testing.F) {
	fuzz(f, "meta_harcon*", reads1(readHarmonics), currentIn(0), currentIn(14))
}
func FuzzOffsets(f *testing.F) {
	fuzz(f, "meta_*offsets", reads1(readTideOffsets), reads1(readCurrentOffsets))
}
func FuzzBins(f *testing.F) { fuzz(f, "meta_[bd]*s", reads1(readBins), reads1(readDeployments)) }
func FuzzTexts(f *testing.F) {
	fuzz(f, "meta_[pnbd]*", reads1(readProducts), reads1(readNotices("notices")), reads1(readBenchmarks), reads1(readNearby),
		func(body []byte) (any, error) {
			said, code := excuse(body)
			return []any{said, code}, validity(body)
		})
}

// validity is the error of a body that is no JSON: excuses are looked for in
// any body.
func validity(body []byte) error {
	if !json.Valid(body) {
		return errNothing
	}
	return nil
}
