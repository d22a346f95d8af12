package noaa

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// fuzz calls readers with bodies, first with the documents of testdata whose names match. A
// reader must terminate, accept only JSON, return no NaN or infinity, and be deterministic.
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
				t.Errorf("read %v from invalid JSON", v)
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

func FuzzStations(f *testing.F)    { fuzz(f, "meta_stations_*", all(readStations)) }
func FuzzStation(f *testing.F)     { fuzz(f, "meta_station", own(readStation)) }
func FuzzSensors(f *testing.F)     { fuzz(f, "meta_[sd]e*s", all(readSensors), all(readDetails)) }
func FuzzFloodLevels(f *testing.F) { fuzz(f, "meta_floodlevels", all(readFloodLevels)) }
func FuzzDatums(f *testing.F)      { fuzz(f, "meta_datums*", all(readDatums)) }
func FuzzHarmonics(f *testing.F) {
	fuzz(f, "meta_harcon*", all(readHarmonics), currentIn(1), currentIn(14))
}
func FuzzOffsets(f *testing.F) {
	fuzz(f, "meta_*offsets", all(readTideOffsets), all(readCurrentOffsets), all(readCurrentDirections))
}
func FuzzBins(f *testing.F) { fuzz(f, "meta_[bd]*s", all(readBins), all(readDeployments)) }
func FuzzTexts(f *testing.F) {
	errorTexts := func(body []byte) (any, error) {
		if !json.Valid(body) { // errors are read from any body
			errorText(body)
			return nil, errNoData
		}
		reason, code := errorText(body)
		return []any{reason, code}, nil
	}
	fuzz(f, "meta_[pnbd]*", all(readProducts), all(readNotices("notices")), all(readBenchmarks),
		all(readNearby), errorTexts)
}
