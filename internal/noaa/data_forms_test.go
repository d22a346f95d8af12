package noaa

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// responseOf returns a provider response with a status and a body.
func responseOf(status int, body string) upstream.Response {
	return upstream.Response{Status: status, Type: "application/json", Body: []byte(body)}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "data_"+name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// reads compares the rows that a format reads from a fixture with rows written as JSON.
func reads[R any](t *testing.T, f format[R], name string, want ...string) {
	t.Helper()
	p, err := f.read(responseOf(200, fixture(t, name)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if len(p.rows) != len(want) {
		t.Errorf("%s: %d rows, want %d", name, len(p.rows), len(want))
		return
	}
	for i, row := range p.rows {
		got, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want[i] {
			t.Errorf("%s, row %d:\n got %s\nwant %s", name, i, got, want[i])
		}
	}
}

func TestLevelForms(t *testing.T) {
	reads(t, levelFormat, "water_level",
		`{"Time":"2024-02-29T23:48:00Z","Height":1.335,"Sigma":0.013,"Flags":"0,0,0,0","Quality":"v"}`,
		`{"Time":"2024-02-29T23:54:00Z","Height":-0.04,"Sigma":null,"Flags":"0,0,0,0","Quality":"v"}`,
		`{"Time":"2024-03-01T00:00:00Z","Height":null,"Sigma":null,"Flags":"1,1,1,1","Quality":"p"}`,
		`{"Time":"2024-03-01T00:06:00Z","Height":0,"Sigma":0,"Flags":"0,0,0,0","Quality":"p"}`)
	reads(t, levelFormat, "water_level_latest",
		`{"Time":"2026-05-06T07:12:00Z","Height":0.6,"Sigma":0.01,"Flags":"0,0,0,0","Quality":"p"}`)
	reads(t, levelFormat, "one_minute",
		`{"Time":"2025-01-01T00:00:00Z","Height":0.041,"Sigma":null,"Flags":"","Quality":""}`,
		`{"Time":"2025-01-01T00:01:00Z","Height":null,"Sigma":null,"Flags":"","Quality":""}`,
		`{"Time":"2025-01-01T00:02:00Z","Height":0.05,"Sigma":null,"Flags":"","Quality":""}`)
	reads(t, levelFormat, "hourly_height",
		`{"Time":"2025-01-01T00:00:00Z","Height":1.647,"Sigma":0.051,"Flags":"0,0","Quality":""}`,
		`{"Time":"2025-01-01T01:00:00Z","Height":1.7,"Sigma":0.05,"Flags":"1,0","Quality":""}`)
}

// TestNaN checks that NaN in one row is a missing value there alone, and that a predicted height
// must be a number.
func TestNaN(t *testing.T) {
	p, err := levelFormat.read(responseOf(200, `{"data":[{"t":"2025-01-01 00:00","v":"1.5","s":"nan"},
		{"t":"2025-01-01 00:06","v":"NaN"},{"t":"2025-01-01 00:12","v":"-nan"},
		{"t":"2025-01-01 00:18","v":"1.7"}]}`))
	var got []string
	for _, l := range p.rows {
		got = append(got, valueText(l.Height))
	}
	if text := strings.Join(got, " "); err != nil || text != "1.5 - - 1.7" {
		t.Errorf("%s, %v, want 1.5 - - 1.7", text, err)
	}
	unknown(t, predictionFormat, 200, `{"predictions":[{"t":"2025-01-01 00:00","v":"NaN"}]}`, "v is")
}

func TestSummaryForms(t *testing.T) {
	reads(t, highLowFormat, "high_low",
		`{"Time":"2025-01-01T01:30:00Z","Type":"LL","Height":-0.212,"Flags":"0,0"}`,
		`{"Time":"2025-01-01T07:42:00Z","Type":"H","Height":1.102,"Flags":"0,0"}`,
		`{"Time":"2025-01-01T13:54:00Z","Type":"L","Height":0.1,"Flags":"0,1"}`,
		`{"Time":"2025-01-01T20:06:00Z","Type":"HH","Height":1.45,"Flags":"0,0"}`)
	reads(t, dailyMeanFormat, "daily_mean",
		`{"Day":"2025-03-01T00:00:00Z","Height":74.832,"Flags":"0,0"}`,
		`{"Day":"2025-03-02T00:00:00Z","Height":null,"Flags":"1,0"}`,
		`{"Day":"2025-03-03T00:00:00Z","Height":74.8,"Flags":"0,0"}`)
	reads(t, dailyExtremeFormat, "daily_max_min",
		`{"Time":"2025-03-01T01:30:00Z","Kind":"min_6min","Height":-0.2,"Complete":99.6,"Flags":"0,0,0,0"}`,
		`{"Time":"2025-03-01T02:00:00Z","Kind":"min_hourly","Height":-0.18,"Complete":null,"Flags":"0,0"}`,
		`{"Time":"2025-03-01T07:42:00Z","Kind":"max_6min","Height":1.102,"Complete":100,"Flags":"0,0,0,0"}`,
		`{"Time":"2025-03-01T08:00:00Z","Kind":"max_hourly","Height":1.09,"Complete":100,"Flags":"0,0"}`,
		`{"Time":"2025-03-02T00:00:00Z","Kind":"max_6min","Height":null,"Complete":0,"Flags":""}`)
	reads(t, monthlyMeanFormat, "monthly_mean",
		`{"Year":2024,"Month":12,"Highest":2.101,"MHHW":1.5,"MHW":1.4,"MSL":0.75,"MTL":0.751,"MLW":0.1,"MLLW":0.05,"DTL":0.775,"Lowest":-0.6,"GT":1.45,"MN":1.3,"DHQ":0.1,"DLQ":0.05,"HWI":0.5,"LWI":6.72,"Inferred":"0"}`,
		`{"Year":2025,"Month":1,"Highest":1.9,"MHHW":null,"MHW":null,"MSL":0.7,"MTL":null,"MLW":null,"MLLW":null,"DTL":null,"Lowest":null,"GT":null,"MN":null,"DHQ":null,"DLQ":null,"HWI":null,"LWI":null,"Inferred":"1"}`)
}

func TestWeatherForms(t *testing.T) {
	reads(t, readingFormat, "air_temperature",
		`{"Time":"2025-07-04T12:00:00Z","Value":21.4,"Sigma":null,"Gravity":null,"Flags":"0,0,0"}`,
		`{"Time":"2025-07-04T12:06:00Z","Value":null,"Sigma":null,"Gravity":null,"Flags":"1,1,1"}`,
		`{"Time":"2025-07-04T12:12:00Z","Value":-3,"Sigma":null,"Gravity":null,"Flags":"0,0,0"}`)
	reads(t, readingFormat, "air_gap",
		`{"Time":"2025-07-04T12:00:00Z","Value":41.53,"Sigma":0.02,"Gravity":null,"Flags":"0,0,0,0"}`)
	reads(t, salinityFormat, "salinity",
		`{"Time":"2025-07-04T12:00:00Z","Value":26.38,"Sigma":null,"Gravity":1.022,"Flags":""}`,
		`{"Time":"2025-07-04T12:06:00Z","Value":null,"Sigma":null,"Gravity":null,"Flags":""}`)
	reads(t, windFormat, "wind",
		`{"Time":"2025-07-04T12:00:00Z","Speed":5.4,"Gust":10,"Direction":111,"Compass":"ESE","Flags":"0,0"}`,
		`{"Time":"2025-07-04T12:06:00Z","Speed":null,"Gust":null,"Direction":null,"Compass":"","Flags":"1,1"}`)
}

func TestCurrentForms(t *testing.T) {
	reads(t, currentFormat, "currents",
		`{"Time":"2026-03-04T16:55:00Z","Bin":4,"Speed":null,"Direction":null,"Echo":null,"Correlation":null}`,
		`{"Time":"2026-03-04T16:55:00Z","Bin":30,"Speed":1.4,"Direction":294,"Echo":null,"Correlation":null}`,
		`{"Time":"2026-03-04T17:01:00Z","Bin":30,"Speed":20.6,"Direction":7,"Echo":null,"Correlation":null}`)
	reads(t, currentFormat, "currents_detailed",
		`{"Time":"2026-03-04T16:55:00Z","Bin":30,"Speed":1.4,"Direction":294,"Echo":[90,91,null,93],"Correlation":[127,126,125,null]}`)
}

func TestPredictionForms(t *testing.T) {
	reads(t, predictionFormat, "predictions_hilo",
		`{"Time":"2025-01-01T01:30:00Z","Height":1.201,"Type":"H"}`,
		`{"Time":"2025-01-01T07:45:00Z","Height":-0.027,"Type":"L"}`)
	reads(t, predictionFormat, "predictions",
		`{"Time":"2025-01-01T00:00:00Z","Height":0.978,"Type":""}`,
		`{"Time":"2025-01-01T01:00:00Z","Height":1.3,"Type":""}`)
	reads(t, currentPredictionFormat, "current_predictions",
		`{"Time":"2026-05-06T01:02:00Z","Type":"flood","Velocity":119.9,"FloodDirection":260,"EbbDirection":90,"Bin":"14","Depth":4}`,
		`{"Time":"2026-05-06T04:11:00Z","Type":"slack","Velocity":-0.4,"FloodDirection":260,"EbbDirection":90,"Bin":"14","Depth":null}`,
		`{"Time":"2026-05-06T07:30:00Z","Type":"ebb","Velocity":-87,"FloodDirection":null,"EbbDirection":90,"Bin":"14","Depth":4}`)
	reads(t, currentPredictionFormat, "current_predictions_series",
		`{"Time":"2026-05-06T01:00:00Z","Type":"","Velocity":119,"FloodDirection":260,"EbbDirection":90,"Bin":"14","Depth":4}`)
	p, err := currentPredictionFormat.read(responseOf(200, fixture(t, "current_predictions_weak")))
	if err != nil || !p.weak || len(p.rows) != 0 {
		t.Errorf("weak currents: %+v, %v", p, err)
	}
}

// TestUnusualForms checks that equivalent JSON and harmless deviations are read.
func TestUnusualForms(t *testing.T) {
	want := `{"Time":"2025-01-01T00:00:00Z","Height":1.5,"Sigma":null,"Flags":"0,0,0,0","Quality":"p"}`
	for _, body := range []string{
		`{"data":[{"q":"p","f":"0,0,0,0","s":null,"v":1.5,"t":"2025-01-01 00:00"}]}`,
		`{"data":[{"t":"\u00320\u0032\u0035-01-01 00:00","v":" 1.50 ","s":"","f":"0,0,0,0","q":"p","x":{"y":[1,{"v":"9"}]}}]}`,
		"\r\n\t{ \"more\" : [ true , false , null ] , \"data\" : [ { \"t\" : \" 2025-01-01 00:00 \" , " +
			"\"v\" : \"+1.5\" , \"f\" : \"0,0,0,0\" , \"q\" : \"p\" } ] }\n",
		`{"data":[{"t":"2025-01-01 00:00","v":"9","v":"15e-1","f":"0,0,0,0","q":"p"}]}`,
		`{"data":[],"data":[{"t":"2025-01-01 00:00","v":"1.5","f":"0,0,0,0","q":"p"},{"t":"2025-01-01 00:00","v":"1.6","f":"0,0,0,0","q":"p"}]}`,
		"{\"metadata\":{\"name\":\"Pe\xf1a Point\"},\"data\":[{\"t\":\"2025-01-01 " +
			"00:00\",\"v\":\"1.5\",\"f\":\"0,0,0,0\",\"q\":\"p\"}]}",
	} {
		p, err := levelFormat.read(responseOf(200, body))
		if err != nil || len(p.rows) != 1 {
			t.Errorf("%q: %d rows, %v", body, len(p.rows), err)
			continue
		}
		if got, _ := json.Marshal(p.rows[0]); string(got) != want {
			t.Errorf("%q:\n got %s\nwant %s", body, got, want)
		}
	}
}

// TestUnknownForms checks that an unknown format is an internal error, never a row.
func TestUnknownForms(t *testing.T) {
	row := func(members string) string { return `{"data":[{` + members + `}]}` }
	for _, test := range []struct {
		status int
		body   string
		want   string
	}{
		{200, ``, "not a JSON object"},
		{200, "\n", "not a JSON object"},
		{200, `<!DOCTYPE html><html><head><title>503</title></head></html>`, "not a JSON object"},
		{403, `<html>Access Denied</html>`, "status 403"},
		{404, `{"error":{"message":"No data was found."}}`, "status 404"},
		{400, row(`"t":"2025-01-01 00:00","v":"1"`), "status 400 without a reason"},
		{200, `[]`, "not a JSON object"},
		{200, `{}`, "neither data nor error"},
		{200, `{"metadata":{}}`, "neither data nor error"},
		{200, `{"predictions":[]}`, "neither data nor error"},
		{200, `{"error":["no"]}`, "without a message"},
		{200, `{"error":{}}`, "without a message"},
		{200, `{"error":{"message":7}}`, "without a message"},
		{200, `{"error":{"message":"  "}}`, "without a message"},
		{200, `{"error":null}`, "without a message"},
		{200, `{"data":{}}`, "not a list"},
		{200, `{"data":"none"}`, "not a list"},
		{200, `{"data":null}`, "not a list"},
		{200, `{"data":[1]}`, "not an object"},
		{200, `{"data":[null]}`, "not an object"},
		{200, row(``), "t is"},
		{200, row(`"v":"1"`), "t is"},
		{200, row(`"t":"2025-01-01 00:00"`), "no v"},
		{200, row(`"t":"2025-01-01T00:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-01-01 00:00:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-02-29 00:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-01-01 24:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-01-01 00:60","v":"1"`), "t is"},
		{200, row(`"t":"2025-13-01 00:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-01-0a 00:00","v":"1"`), "t is"},
		{200, row(`"t":"2025-01-01 00:00","v":"Inf"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":"0x10"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":"1_0"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":"1e999"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":"1,5"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":"-"`), "v is"},
		{200, row(`"t":"2025-01-01 00:00","v":true`), "neither text nor number"},
		{200, row(`"t":"2025-01-01 00:00","v":["1"]`), "neither text nor number"},
		{200, row(`"t":"2025-01-01 00:00","v":"1","q":"x"`), "q is"},
		{200, row(`"t":"2025-01-01 00:00","v":"1","s":"little"`), "s is"},
		{200, `{"data":[{"t":"2025-01-01 00:00","v":"1"}`, "not a JSON object"},
		{200, `{"data":[{"t":"2025-01-01 00:00","v":"1"}]`, "not a JSON object"},
		{200, `{"data":[{"t":"2025-01-01 00:00","v":"1"},]}`, "not a JSON object"},
		{200, `{"data":[{"t":"2025-01-01 00:00","v":"1"}]} x`, "not a JSON object"},
		{200, `{"data":[{"t":"2025-01-01 00:00","v":01}]}`, "not a JSON object"},
	} {
		unknown(t, levelFormat, test.status, test.body, test.want)
	}
	unknown(t, highLowFormat, 200, row(`"t":"2025-01-01 00:00","v":"1","ty":"X "`), "ty is")
	unknown(t, highLowFormat, 200, row(`"t":"2025-01-01 00:00","v":"1"`), "ty is")
	unknown(t, dailyMeanFormat, 200, row(`"t":"2025-01","v":"1"`), "t is")
	unknown(t, dailyExtremeFormat, 200, row(`"dailyMeans":[]`), "no list of daily extremes")
	unknown(t, dailyExtremeFormat, 200,
		row(`"dailyMax6Min":[{"date6Min":"2025-01-01","time6Min":"","value6Min":"1"}]`), "time6Min is")
	unknown(t, monthlyMeanFormat, 200, row(`"year":"2025","month":"13","MSL":"1"`), "month 13")
	unknown(t, monthlyMeanFormat, 200, row(`"year":"2025","month":"","MSL":"1"`), "month is")
	unknown(t, monthlyMeanFormat, 200, row(`"year":"2025","month":"1"`), "no MSL")
	unknown(t, readingFormat, 200, row(`"t":"2025-01-01 00:00","s":"1"`), "no v")
	unknown(t, salinityFormat, 200, row(`"t":"2025-01-01 00:00","v":"1"`), "no s")
	unknown(t, windFormat, 200, row(`"t":"2025-01-01 00:00","v":"1"`), "no s")
	unknown(t, currentFormat, 200, row(`"t":"2025-01-01 00:00","s":"1","d":"2"`), "no b")
	unknown(t, currentFormat, 200, row(`"t":"2025-01-01 00:00","s":"1","d":"2","b":"1.5"`), "b is")
	unknown(t, predictionFormat, 200, `{"predictions":[{"t":"2025-01-01 00:00","v":""}]}`,
		"v is empty")
	unknown(t, currentPredictionFormat, 200, `{"current_predictions":[]}`, "not an object")
	unknown(t, currentPredictionFormat, 200, `{"current_predictions":{}}`, "no cp")
	unknown(t, currentPredictionFormat, 200, `{"current_predictions":{"cp":"Out of order"}}`,
		"in place of rows")
	unknown(t, currentPredictionFormat, 200,
		`{"current_predictions":{"units":"feet, knots","cp":[{"Time":"2025-01-01 00:00","Velocity_Major":1}]}}`, "not metric")
	unknown(t, currentPredictionFormat, 200,
		`{"current_predictions":{"units":"meters, cm/s","cp":[{"Time":"2025-01-01 00:00","Speed":"1"}]}}`,
		"no Velocity_Major")
}

func unknown[R any](t *testing.T, f format[R], status int, body, want string) {
	t.Helper()
	p, err := f.read(responseOf(status, body))
	if err == nil {
		t.Errorf("%d %s: %+v", status, body, p.rows)
		return
	}
	if _, word := coast.AsError(err); word || !strings.Contains(err.Error(), want) {
		t.Errorf("%d %s: %v, want one with %q", status, body, err, want)
	}
}
