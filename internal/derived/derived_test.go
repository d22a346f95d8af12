package derived

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"leadline/internal/trials"
)

// recorded returns a recorded response of the derived-product service.
func recorded(t *testing.T, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(trials.Shared(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// columns lists the keys of an object in their order.
func columns(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			t.Fatal(key, err)
		}
		keys = append(keys, key.(string))
	}
	return keys
}

const (
	recordings2      = "recordings2/dpapi/"
	dailyRecording   = recordings2 + "htf_daily_8665530_202009_MHHW_english_rows_from_notebook.json"
	outlookRecording = recordings2 +
		"htf_met_year_annual_outlook_8443970_2018_range4_rows_from_notebook.json"
)

// TestRecordedColumns compares the lists and columns of the table with recorded responses.
// All columns must be equal and in the same order. If a response has more columns or was
// printed by a notebook, it must contain all of ours.
func TestRecordedColumns(t *testing.T) {
	for _, test := range []struct {
		file    string
		product Product
		whole   bool
	}{
		{"recordings/dpapi/extremewaterlevels/8518750_metric.json", ExtremeWaterLevels, true},
		{"recordings/dpapi/peakwaterlevels/all_events.json", PeakWaterLevels, true},
		{"recordings/dpapi/htf_annual/8518750.json", FloodYears, true},
		{"recordings2/dpapi/htf_annual_1611400_2001.json", FloodYears, true},
		{"recordings2/dpapi/sealvltrends_8723214.json", SeaLevelTrends, false},
		{"recordings2/dpapi/slr_projections_8723214.json", SeaLevelScenarios, true},
		{dailyRecording, FloodDays, false},
		{outlookRecording, FloodOutlook, false},
	} {
		var body map[string]json.RawMessage
		var rows []json.RawMessage
		if err := json.Unmarshal(recorded(t, test.file), &body); err != nil {
			t.Fatal(test.file, err)
		}
		if err := json.Unmarshal(body[test.product.List], &rows); err != nil || len(rows) == 0 {
			t.Errorf("%s: %d rows of %s, %v", test.file, len(rows), test.product.List, err)
			continue
		}
		got, want := strings.Fields(test.product.Columns), columns(t, rows[0])
		if !test.whole {
			want = slices.DeleteFunc(want, func(c string) bool { return !slices.Contains(got, c) })
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: columns %q, want %q", test.file, got, want)
		}
	}
}

// TestRecordedProjections compares the columns of projections, which are nested one list
// deeper.
func TestRecordedProjections(t *testing.T) {
	var body struct {
		DecadalProjection []struct{ Minor []json.RawMessage }
	}
	recording := recorded(t, recordings2+"htf_projection_decadal_8723214.json")
	if err := json.Unmarshal(recording, &body); err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(FloodProjections.Columns)
	want := columns(t, body.DecadalProjection[0].Minor[0])
	for _, column := range got {
		if !slices.Contains(want, column) {
			t.Errorf("columns %q, want %q", got, want)
		}
	}
}

// TestTable checks the fields that the client and the operations need.
func TestTable(t *testing.T) {
	products := []Product{
		SeaLevelTrends, SeaLevelScenarios, ExtremeWaterLevels, ExceedanceLevels,
		TopTenWaterLevels, PeakWaterLevels,
	}
	for _, report := range strings.Fields("annual monthly seasonal daily outlook projections") {
		p, ok := Flooding[report]
		if !ok || !strings.Contains(p.Label, report) || p.ID != "high-tide-flooding" {
			t.Errorf("report %s is %+v", report, p)
		}
		products = append(products, p)
	}
	for _, p := range products {
		if _, err := url.ParseQuery(p.Query); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		for _, field := range []string{p.What, p.Path, p.List, p.Columns} {
			if field == "" {
				t.Errorf("%+v: a field is empty", p)
			}
		}
	}
	got := ExtremeWaterLevels.Address("8443970")
	if want := "https://tidesandcurrents.noaa.gov/est/est_station.shtml?stnid=8443970"; got != want {
		t.Errorf("Address = %s, want %s", got, want)
	}
}
