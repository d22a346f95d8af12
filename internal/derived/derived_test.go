package derived

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recorded returns a recorded response of the derived-product service.
func recorded(t *testing.T, path string) []byte {
	t.Helper()
	shared := os.Getenv("LEADLINE_SHARED")
	if shared == "" {
		if os.Getenv("LEADLINE_REQUIRE") == "all" {
			t.Fatal("LEADLINE_SHARED is not set, and LEADLINE_REQUIRE asks for all tests")
		}
		t.Skip("LEADLINE_SHARED is not set: the recorded responses are not available")
	}
	body, err := os.ReadFile(filepath.Join(shared, filepath.FromSlash(path)))
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

// TestRecordedColumns compares the lists and columns of the table with recorded responses: all of
// them in their order, or where a response has more or was printed by a notebook, all of ours.
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
		{"recordings2/dpapi/slr_projections_8723214.json", SeaLevelRise, false},
		{"recordings2/dpapi/htf_daily_8665530_202009_MHHW_english_rows_from_notebook.json", FloodDays, false},
		{"recordings2/dpapi/htf_met_year_annual_outlook_8443970_2018_range4_rows_from_notebook.json", FloodOutlook, false},
	} {
		var body map[string]json.RawMessage
		var rows []json.RawMessage
		if err := json.Unmarshal(recorded(t, test.file), &body); err != nil {
			t.Fatal(test.file, err)
		}
		if err := json.Unmarshal(body[test.product.List], &rows); err != nil || len(rows) == 0 {
			t.Errorf("%s: list %s has %d rows, %v", test.file, test.product.List, len(rows), err)
			continue
		}
		got, want := strings.Fields(test.product.Columns), columns(t, rows[0])
		if !test.whole {
			want = slices.DeleteFunc(want, func(column string) bool { return !slices.Contains(got, column) })
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: columns %q, want %q", test.file, got, want)
		}
	}
}

// TestRecordedProjections compares the columns of projections, which are one list deeper.
func TestRecordedProjections(t *testing.T) {
	var body struct {
		DecadalProjection []struct{ Minor []json.RawMessage }
	}
	if err := json.Unmarshal(recorded(t, "recordings2/dpapi/htf_projection_decadal_8723214.json"), &body); err != nil {
		t.Fatal(err)
	}
	got, want := strings.Fields(FloodProjections.Columns), columns(t, body.DecadalProjection[0].Minor[0])
	for _, column := range got {
		if !slices.Contains(want, column) {
			t.Errorf("columns %q, want %q", got, want)
		}
	}
}

// TestTable checks what the table must hold for the client and the operations.
func TestTable(t *testing.T) {
	products := []Product{SeaLevelTrends, ExtremeWaterLevels, ExceedanceLevels, TopTenWaterLevels, PeakWaterLevels}
	for _, report := range []string{"annual", "monthly", "seasonal", "daily", "outlook", "projections"} {
		p, ok := Flooding[report]
		if !ok || !strings.Contains(p.Label, report) || p.ID != "high-tide-flooding" {
			t.Errorf("report %s is %+v", report, p)
		}
		products = append(products, p)
	}
	for _, p := range products {
		if _, err := url.ParseQuery(p.Query); err != nil || p.What == "" || p.Path == "" || p.List == "" || p.Columns == "" {
			t.Errorf("%+v, %v", p, err)
		}
	}
	got := ExtremeWaterLevels.Address("8443970")
	if want := "https://tidesandcurrents.noaa.gov/est/est_station.shtml?stnid=8443970"; got != want {
		t.Errorf("Address = %s, want %s", got, want)
	}
}
