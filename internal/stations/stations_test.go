package stations

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // the zones must be found on systems without zone data

	"leadline/internal/tide"
	"leadline/internal/trials"
	"leadline/internal/words"
)

func openTest(t testing.TB) *Directory {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func find(t testing.TB, d *Directory, id string) Station {
	t.Helper()
	s, ok := d.Station(id)
	if !ok {
		t.Fatalf("no station %q", id)
	}
	return s
}

func TestAll(t *testing.T) {
	d := openTest(t)
	for _, want := range []struct {
		kind Kind
		rows int
	}{{"", 6062}, {Tide, 3501}, {Current, 2561}} {
		all := d.All(want.kind)
		if len(all) != want.rows {
			t.Errorf("All(%q) has %d stations, want %d", want.kind, len(all), want.rows)
		}
		for i, s := range all {
			if want.kind != "" && s.Kind != want.kind {
				t.Errorf("All(%q) has %s, a %s station", want.kind, s.ID, s.Kind)
			}
			if i > 0 && compareFold(all[i-1].ID, s.ID) >= 0 {
				t.Errorf("All(%q): %s after %s", want.kind, s.ID, all[i-1].ID)
			}
		}
	}
	if got, want := d.Built(), time.Date(2026, 9, 24, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("Built() = %v, want %v", got, want)
	}
}

// TestClasses checks the counts that the package's makers and NOAA publish.
func TestClasses(t *testing.T) {
	d := openTest(t)
	got := map[string]int{}
	for _, s := range d.All("") {
		if s.Subordinate() {
			got["subordinate "+string(s.Kind)]++
		} else {
			got["reference "+string(s.Kind)]++
		}
		if !s.Subordinate() && !s.HasConstants() {
			got["without constants"]++
		}
		if _, bin := s.Bin(); bin > 0 {
			got["further bins"]++
		}
		if o := s.TideOffsets(); o != nil && o.Fixed {
			got["fixed"]++
		}
		if _, ok := s.level(nil, "NAVD88"); ok {
			got["NAVD88"]++
		}
		got["constituents"] += len(s.Harmonics())
	}
	for what, want := range map[string]int{
		"reference tide": 1257, "subordinate tide": 2244, "reference current": 856,
		"subordinate current": 1705,
		"without constants":   4, "further bins": 14, "fixed": 268, "NAVD88": 556, "constituents": 67813,
	} {
		if got[what] != want {
			t.Errorf("%s: %d, want %d", what, got[what], want)
		}
	}
}

// TestNumbersOfReadme checks how many stations the README says are in the binary.
func TestNumbersOfReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	all := openTest(t).All("")
	predicted := len(slices.DeleteFunc(slices.Clone(all), func(s Station) bool {
		return !s.Subordinate() && !s.HasConstants()
	}))
	want := fmt.Sprintf("All %d,%03d tide and current stations of NOAA are in the binary, "+
		"and %d,%03d of them have predictions.", len(all)/1000, len(all)%1000,
		predicted/1000, predicted%1000)
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

func TestStation(t *testing.T) {
	d := openTest(t)
	for id, want := range map[string]string{
		"act0091": "ACT0091", "ACT0091": "ACT0091", "CB0102": "cb0102", "cb0102": "cb0102",
		"ept0003_11": "EPT0003_11",
		"8443970":    "8443970", "844397": "", "84439700": "", "": "", "zzzzzzz": "", "0": "",
		"EPT0003@11": "",
	} {
		if s, ok := d.Station(id); s.ID != want || ok != (want != "") {
			t.Errorf("Station(%q) = %q, %v, want %q", id, s.ID, ok, want)
		}
	}
}

func TestBins(t *testing.T) {
	d := openTest(t)
	for id, want := range map[string][]string{
		"EPT0003": {"EPT0003", "EPT0003_11"}, "ept0003_11": {"EPT0003", "EPT0003_11"},
		"ACT0091": {"ACT0091"}, "nothing": nil, "": nil,
	} {
		var got []string
		for _, s := range d.Bins(id) {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Bins(%q) = %v, want %v", id, got, want)
		}
	}
}

func TestGreatLakes(t *testing.T) {
	d := openTest(t)
	for id, want := range map[string]bool{"9063020": true, "8311030": true, "8443970": false,
		"9099064": true, "90": false, "90ABCDE": false} {
		if got := GreatLakes(id); got != want {
			t.Errorf("GreatLakes(%q) = %v, want %v", id, got, want)
		}
	}
	for _, s := range d.All("") {
		if GreatLakes(s.ID) {
			t.Errorf("%s %s has predictions", s.ID, s.Name)
		}
	}
}

func TestTides(t *testing.T) {
	d := openTest(t)
	for _, row := range []struct {
		id, datum string
		level     float64
		ok        bool
	}{
		{"8443970", "MLLW", 1.586, true}, {"8443970", "STND", 2.66, true}, {"8443970", "MSL", 0, true},
		{"8443970", "NAVD", -0.092, true}, {"8443970", "CRD", 0, false}, {"8443970", "IGLD", 0, false},
		{"8443970", "GT", 0, false},
		{"9440422", "CRD", 1.243, true}, {"9755371", "NAVD", 0, false},
		{"8519024", "MSL", 0, true}, {"8519024", "MLLW", 0, false}, {"8519024", "STND", 0, false},
		// no levels published
		{"9450623", "MLLW", 0, false}, {"8660754", "MLLW", 0, false}, {"8660754", "MSL", 0, false},
		// no constants
		{"1610367", "MLLW", 0.251, true}, {"1610367", "MSL", 0, false}, {"1610367", "STND", 0, false},
		// subordinate
		{"ACT0091", "MLLW", 0, false},
	} {
		p, ok := d.Tides(find(t, d, row.id), row.datum)
		if ok != row.ok || p.Level != row.level || (p.Curve != nil) != row.ok {
			t.Errorf("Tides(%s, %s) = %+v, %v, want level %v, %v", row.id, row.datum, p, ok, row.level,
				row.ok)
		}
	}
}

func TestTideDatums(t *testing.T) {
	d := openTest(t)
	for id, want := range map[string][]string{
		"8443970": {"MHHW", "MHW", "DTL", "MTL", "MSL", "MLW", "MLLW", "NAVD", "STND", "LAT", "HAT"},
		"8519024": {"MSL"}, "1610367": {"MLLW"}, "8660754": {}, "ACT0091": {},
	} {
		if got := d.TideDatums(find(t, d, id)); !slices.Equal(got, want) {
			t.Errorf("TideDatums(%s) = %v, want %v", id, got, want)
		}
	}
}

// TestPredictors makes the predictor of every station, from several goroutines: all but
// the four without constants have one, and those of one reference share its curve.
func TestPredictors(t *testing.T) {
	d := openTest(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, s := range d.All("") {
				curve, offsets := predictor(d, s)
				reference, _ := predictor(d, d.reference(s))
				if curve != reference || offsets != s.Subordinate() || (curve == nil) != (!s.Subordinate() &&
					!s.HasConstants()) {
					t.Errorf("%s: curve %p of %p, offsets %v", s.ID, curve, reference, offsets)
				}
			}
		})
	}
	group.Wait()
}

// predictor returns a station's curve, by any of its datums, and whether it uses offsets.
func predictor(d *Directory, s Station) (curve *tide.Curve, offsets bool) {
	if s.Kind == Current {
		p, _ := d.Currents(s)
		return p.Curve, p.Offsets != nil
	}
	for _, datum := range []string{"MLLW", "MSL"} {
		if p, ok := d.Tides(s, datum); ok {
			return p.Curve, p.Offsets != nil
		}
	}
	return nil, false
}

// TestStranger calls the methods of a Station that no Directory made: no data, no panic.
func TestStranger(t *testing.T) {
	var s Station
	d := openTest(t)
	_, tides := d.Tides(s, "MSL")
	_, currents := d.Currents(Station{Kind: Current})
	flood, _, _ := s.Directions()
	if tides || currents || s.HasConstants() ||
		len(s.Harmonics())+len(s.Datums())+len(s.Differences()) > 0 || s.Epoch() != (Years{}) ||
		s.TideOffsets() != nil || s.CurrentOffsets() != nil || s.Disclaimer() != "" ||
		s.MeanFlow() != 0 || !math.IsNaN(flood) {
		t.Error("a zero Station has data")
	}
}

func TestDatumsOrder(t *testing.T) {
	d := openTest(t)
	for _, s := range d.All(Tide) {
		levels := s.Datums()
		if !slices.IsSortedFunc(levels,
			func(a, b Datum) int { return int(math.Round(1000 * (b.Value - a.Value))) }) {
			t.Errorf("Datums of %s are out of order: %v", s.ID, levels)
		}
	}
	if got := find(t, d, "8443970").Differences(); len(got) != 6 ||
		got[4] != (Difference{"LWI", 9.925, "h"}) {
		t.Errorf("Differences of 8443970 = %v", got)
	}
}

func TestZonesLoad(t *testing.T) {
	for _, zone := range openTest(t).file.zones {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestNames finds no name that the source's splitting or joining has damaged.
func TestNames(t *testing.T) {
	d := openTest(t)
	for _, s := range d.All("") {
		if s.Name == "" || slices.Contains([]byte{' ', ','}, s.Name[0]) ||
			slices.Contains([]byte{' ', ','}, s.Name[len(s.Name)-1]) {
			t.Errorf("%s is called %q", s.ID, s.Name)
		}
		if s.State != "" && !slices.Contains(words.StateLetters, s.State) {
			t.Errorf("%s is in the state %q", s.ID, s.State)
		}
		for _, r := range s.Name {
			if r < ' ' || r > '~' {
				t.Errorf("%s is called %q", s.ID, s.Name)
			}
		}
	}
}

// shared reads a file outside the repository. The test is skipped if it is not available,
// and fails if LEADLINE_REQUIRE=all requires it.
func shared(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join(trials.Shared(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestZonesAgree compares the standard offset of the zone of every station's tables, in the year of
// the recording, with that of NOAA's own list of tide stations.
func TestZonesAgree(t *testing.T) {
	var list struct {
		Stations []struct {
			ID           string  `json:"id"`
			State        string  `json:"state"`
			TimeZoneCorr float64 `json:"timezonecorr"`
		} `json:"stations"`
	}
	f := shared(t, "recordings/mdapi/stations_list/tidepredictions_2021-05.json")
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(&list); err != nil {
		t.Fatal(err)
	}
	d := openTest(t)
	compared := 0
	for _, want := range list.Stations {
		s, ok := d.Station(want.ID)
		if !ok {
			continue // renumbered or withdrawn since
		}
		compared++
		zone := cmp.Or(s.NOAAZone(), s.Zone)
		if got := standardOffset(t, zone, 2021); got != want.TimeZoneCorr {
			t.Errorf("%s %s: %s is UTC%+v, NOAA has UTC%+v", s.ID, s.Name, zone, got, want.TimeZoneCorr)
		}
		if want.State != "" && s.State != want.State {
			t.Errorf("%s %s is in %q, NOAA has %q", s.ID, s.Name, s.State, want.State)
		}
	}
	if compared != 3227 {
		t.Errorf("%d stations compared, want 3227", compared)
	}
}

// standardOffset returns a zone's offset outside daylight saving in a year, hours.
func standardOffset(t *testing.T, zone string, year int) float64 {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	for month := time.January; month <= time.December; month++ {
		if at := time.Date(year, month, 15, 12, 0, 0, 0, location); !at.IsDST() {
			_, seconds := at.Zone()
			return float64(seconds) / 3600
		}
	}
	t.Fatalf("%s has daylight saving all the year", zone)
	return 0
}

// TestUnpredicted compares the lists of stations that NOAA does not predict with
// recorded lists of NOAA's: the current stations of type W, and the tide
// stations of 2021 that the embedded data does not have.
func TestUnpredicted(t *testing.T) {
	d := openTest(t)
	var currents struct {
		Generated string
		IDs       []string
	}
	if err := json.NewDecoder(shared(t,
		"recordings/mdapi/us-currents-station-list-lock.json")).Decode(&currents); err != nil {
		t.Fatal(err)
	}
	weak := 0
	for _, row := range currents.IDs {
		id, kind, _ := strings.Cut(row, ":")
		listed, ok := d.Weak(id)
		if _, predicted := d.Station(id); ok != (kind == "W") || predicted == ok {
			t.Errorf("%s of type %s: weak %v, predicted %v", id, kind, ok, predicted)
		}
		if ok {
			weak++
		}
		if ok && !strings.HasPrefix(currents.Generated, listed.Format(time.DateOnly)) {
			t.Errorf("%s: listed %v, want the day of %s", id, listed, currents.Generated)
		}
	}
	if weak != 238 || len(d.file.weak.ids) != weak {
		t.Errorf("%d weak stations of %d, want 238", weak, len(d.file.weak.ids))
	}
	var tides struct {
		Stations []struct {
			ID       string
			Name     string
			Lat, Lng float64
		}
	}
	if err := json.NewDecoder(shared(t,
		"recordings/mdapi/stations_list/tidepredictions_2021-05.json")).Decode(&tides); err != nil {
		t.Fatal(err)
	}
	gone := 0
	for _, row := range tides.Stations {
		r, ok := d.Retired(row.ID)
		if _, predicted := d.Station(row.ID); ok == predicted {
			t.Errorf("%s: retired %v, predicted %v", row.ID, ok, predicted)
		}
		if !ok {
			continue
		}
		gone++
		if r.Name != strings.TrimSpace(row.Name) ||
			math.Abs(r.Latitude-row.Lat)+math.Abs(r.Longitude-row.Lng) > 1.1e-4 {
			t.Errorf("%+v, want %+v", r, row)
		}
	}
	if gone != 23 || len(d.file.retired) != gone {
		t.Errorf("%d retired stations of %d, want 23", gone, len(d.file.retired))
	}
}
