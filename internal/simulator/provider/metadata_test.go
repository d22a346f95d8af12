package provider

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
)

// constants returns the amplitudes of a list of constituents by name.
func constants(t *testing.T, body string) map[string]float64 {
	t.Helper()
	var list struct {
		HarmonicConstituents []struct {
			Name      string
			Amplitude float64
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	amplitudes := map[string]float64{}
	for _, c := range list.HarmonicConstituents {
		amplitudes[c.Name] = c.Amplitude
	}
	return amplitudes
}

// stationList has the members that all lists have.
type stationList struct {
	Count    int
	Stations []struct {
		ID, Type, Name string
		Currbin        int
	}
}

func (p *Provider) listed(t *testing.T, kind string) stationList {
	t.Helper()
	var list stationList
	body := p.body(t, "/mdapi/prod/webapi/stations.json?type="+kind)
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	if list.Count != len(list.Stations) {
		t.Errorf("%s: count %d, but %d stations", kind, list.Count, len(list.Stations))
	}
	return list
}

func TestLists(t *testing.T) {
	p := frozen(t)
	for _, test := range []struct {
		kind string
		has  string
		more int // at least
	}{
		{"currentpredictions", "EPT0003", 3500},
		{"", "8443970", 200},
		{"waterlevels", "9063020", 200},
		{"met", "9449427", 20},
		{"watertemp", "8443970", 20},
		{"currents", "cb0102", 3},
		{"historicwl", "8443970", 200},
		{"waterlevelsandmet", "8443970", 20},
		{"supersededdatums", "8443970", 200},
		{"benchmarks", "8443970", 200},
		{"1minute", "8443970", 200},
		{"historiccurrents", "n03020", 3},
		{"surveycurrents", "cb1401", 3},
		{"cond", "8454000", 2},
		{"physocean", "8443970", 20},
		{"airgap", "8517986", 1},
		{"visibility", "8638610", 2},
		{"highwater", "8443970", 12},
		{"lowwater", "8443970", 12},
	} {
		list, found := p.listed(t, test.kind), false
		for _, s := range list.Stations {
			found = found || s.ID == test.has
		}
		if !found || list.Count < test.more {
			t.Errorf("%s has %d stations, %s is one of them: %v", test.kind, list.Count, test.has, found)
		}
	}
	if got := p.listed(t, "teapots").Count; got != 0 {
		t.Errorf("an unknown type has %d stations, want 0", got)
	}
}

// TestCurrentBins checks that the list has a row for each bin, the station's own first, and rows of
// weak and variable currents.
func TestCurrentBins(t *testing.T) {
	var bins []int
	kinds := map[string]int{}
	for _, s := range frozen(t).listed(t, "currentpredictions").Stations {
		kinds[s.Type]++
		if s.ID == "EPT0003" {
			bins = append(bins, s.Currbin)
		}
	}
	if len(bins) != 4 || bins[0] != 14 || bins[1] != 11 || bins[2] != 8 || bins[3] != 4 {
		t.Errorf("EPT0003 has bins %v, want 14, 11, 8, 4", bins)
	}
	if kinds["H"] == 0 || kinds["S"] == 0 || kinds["W"] == 0 || len(kinds) != 3 {
		t.Errorf("rows by type: %v, want H, S and W", kinds)
	}
}

func TestUnknownStations(t *testing.T) {
	p := frozen(t)
	for path, want := range map[string]struct {
		status int
		has    string
	}{
		"stations/invalid.json":                            {404, `{"errorMsg":"No station was found for id invalid","errorCode":404}`},
		"stations/CB0102.json":                             {404, `"errorCode":404`}, // ids are case-sensitive
		"stations/ACT0091/currentpredictionoffsets.json":   {404, `"errorCode":404`},
		"stations/ACT0091_1/currentpredictionoffsets.json": {200, `"refStationId": "EPT0003"`},
		"stations/invalid/harcon.json":                     {200, `"HarmonicConstituents": []`},
		"stations/invalid/sensors.json":                    {200, `"sensors": []`},
		"stations/invalid/notices.json":                    {200, `"notices": []`},
		"stations/invalid/datums.json":                     {200, `"datums": []`},
		"stations/invalid/bins.json":                       {200, `"nbr_of_bins": 0`},
		"stations/EPT0003/harcon.json":                     {200, `"binNbr": 4`}, // without a bin: all, the lowest first
		"stations/EPT0003/harcon.json?bin=0":               {200, `"HarmonicConstituents": []`},
		"stations/EPT0003/harcon.json?bin=14":              {200, `"binNbr": 14`},
		"stations/cb0102/bins.json":                        {200, `"real_time_bin": 4`},
		"stations/8443970/teapots.json":                    {404, ""},
	} {
		r := p.ask(t, Metadata+path)
		if body := p.body(t, Metadata+path); r.StatusCode != want.status ||
			!strings.Contains(body, want.has) {
			t.Errorf("%s answers %d %.300s, want %d with %s", path, r.StatusCode, body, want.status,
				want.has)
		}
	}
}

// TestEmbedded checks that the metadata service returns the values of the directory.
func TestEmbedded(t *testing.T) {
	p := frozen(t)
	s, _ := p.stations.Station("8443970")
	amplitudes := constants(t, p.body(t, Metadata+"stations/8443970/harcon.json?units=metric"))
	if len(amplitudes) != 37 {
		t.Errorf("%d constituents, want 37", len(amplitudes))
	}
	if got, want := amplitudes["M2"], s.Harmonics()[0].Amplitude; math.Abs(got-want) > 1e-9 {
		t.Errorf("M2 = %v, want %v", got, want)
	}
	var list struct {
		Units  string
		Datums []struct {
			Name  string
			Value float64
		}
	}
	for units, scale := range map[string]float64{"metric": 1, "": metersPerFoot} {
		body := p.body(t, Metadata+"stations/8443970/datums.json?units="+units)
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		for _, d := range list.Datums {
			for _, own := range s.Datums() {
				if own.Name == d.Name && math.Abs(d.Value*scale-own.Value) > 0.006*scale {
					t.Errorf("%s = %v %s, want %v m", d.Name, d.Value, list.Units, own.Value)
				}
			}
		}
	}
	offsets := p.body(t, Metadata+"stations/9410583/tidepredoffsets.json")
	if want := `"heightOffsetHighTide": 0.96`; !strings.Contains(offsets, want) {
		t.Errorf("offsets %s, want %s", offsets, want)
	}
}

// TestFloodLevels checks the published levels of gauges, feet above station datum.
func TestFloodLevels(t *testing.T) {
	p := frozen(t)
	got := p.body(t, Metadata+"stations/9447130/floodlevels.json")
	for _, want := range []string{`"nos_minor": 21.39`, `"nos_moderate": 22.26`, `"nos_major": 23.59`, `"nws_minor": 21.40`, `"action": null`} {
		if !strings.Contains(got, want) {
			t.Errorf("flood levels %s, want %s", got, want)
		}
	}
	for path, want := range map[string]string{
		"stations/9447130/floodlevels.json?units=metric": `"nos_minor": 6.52`,
		"stations/9063020/floodlevels.json":              `"nos_minor": null`, // on a lake
	} {
		if got := p.body(t, Metadata+path); !strings.Contains(got, want) {
			t.Errorf("%s = %s, want a body with %s", path, got, want)
		}
	}
}

// TestEveryDocument checks that each kind of station has all documents.
func TestEveryDocument(t *testing.T) {
	p := frozen(t)
	ids := []string{"9449427", "cb0102", "ACT0261", "ACT0091_1"}
	for _, g := range p.gauges {
		ids = append(ids, g.id)
	}
	for _, s := range p.stations.All("") {
		if hash(s.ID)%40 == 0 {
			ids = append(ids, s.ID)
		}
	}
	for _, id := range ids {
		for part := range documents() {
			path := Metadata + "stations/" + id + "/" + part + ".json"
			if part == "currentpredictionoffsets" && !strings.Contains(id, "_") {
				continue
			}
			if r := p.ask(t, path); r.StatusCode != http.StatusOK {
				t.Errorf("status of %s = %d, want 200", path, r.StatusCode)
			}
		}
	}
}

// TestRecordedMetadata checks that every response has only members that the recorded response of
// the service has, in its order.
func TestRecordedMetadata(t *testing.T) {
	p := frozen(t)
	for file, path := range map[string]string{
		"mdapi/station/8518750.json":                        "stations/8518750.json",
		"mdapi/datums/8518750_datums_metric.json":           "stations/8518750/datums.json?units=metric",
		"mdapi/harcon/searvey_stations_1612340_harcon.json": "stations/1612340/harcon.json",
		"mdapi/errors/mdapi_bins_invalid_200.json":          "stations/invalid/bins.json",
		"mdapi/stations_list/noaa_coops_stations.json":      "stations.json",
	} {
		checkMembers(t, path, []byte(p.body(t, Metadata+path)), []byte(recording(t, file)))
	}
	want := strings.TrimSpace(recording(t, "mdapi/errors/mdapi_station_404.json"))
	if got := p.body(t, Metadata+"stations/invalid.json"); got != want {
		t.Errorf("unknown station: %q, want %q", got, want)
	}
}
