package provider

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// refused are requests that cause each message of the service.
var refused = []struct {
	status         int
	message, query string
}{
	{200, noData, "product=water_level&station=9410583&date=latest&datum=MLLW"},
	{200, noData, "product=air_gap&station=8443970&date=latest"},
	{200, noData, "product=wind&station=8443970&begin_date=20270101" +
		"&end_date=20270102"}, // in the future
	{200, noData, "product=currents&station=8443970&date=latest"},
	{200, noPredictions, "product=predictions&station=9410583&date=today&datum=MLLW&interval=h"},
	{200, noPredictions, "product=predictions&station=9410583&date=today&datum=MSL&interval=hilo"},
	{200, noPredictions, "product=predictions&station=1612340&date=today&datum=NAVD&interval=hilo"},
	{
		200,
		noPredictions,
		"product=predictions&station=8443970&begin_date=20260101 00:00&end_date=20260101 00:06" +
			"&datum=MLLW&interval=hilo",
	},
	{200, noCurrents, "product=currents_predictions&station=8443970&date=today"},
	{200, noCurrents, "product=currents_predictions&station=XYZ1234&date=today"},
	{400, invalidStation, "product=predictions&station=9999999&date=today&datum=MLLW"},
	{400, wrongStation, "product=water_level&station=9999999&date=latest&datum=MLLW"},
	{400, wrongStation, "product=currents&station=CB0102&date=latest"}, // ids are case-sensitive
	{
		400,
		" The supported Datum values are: MHHW, MHW, MTL, MSL, MLW, MLLW, NAVD, LWI, HWI",
		"product=water_level&station=8443970&date=latest&datum=XYZ",
	},
	{
		400,
		" The supported Datum values are: MHHW, MHW, MTL, MSL, MLW, MLLW, NAVD, LWI, HWI",
		"product=water_level&station=8443970&date=latest",
	},
	{
		400,
		" There is no MLLW for the station: 9087044",
		"product=water_level&station=9087044&date=latest&datum=MLLW",
	},
	{
		400,
		" There is no NAVD for the station: 1612340",
		"product=water_level&station=1612340&date=latest&datum=NAVD",
	},
	{
		400,
		" There is no CRD Offset for the station: 8443970",
		"product=water_level&station=8443970&date=latest&datum=CRD",
	},
	{400, derivedDatum, "product=water_level&station=8443970&date=latest&datum=DTL"},
	{400, noLakePredictions, "product=predictions&station=9063020&date=today&datum=LWD"},
	{
		400,
		lakesOnly,
		"product=daily_mean&station=8443970&begin_date=20260101&end_date=20260131&datum=MLLW" +
			"&time_zone=lst",
	},
	{
		400,
		tooLong + "31 days ",
		"product=water_level&station=8443970&begin_date=20260101&end_date=20260202&datum=MLLW",
	},
	{400, tooLong + "31 days ", "product=wind&station=8443970&begin_date=20260101&end_date=20260202"},
	{
		400,
		tooLong + "31 days ",
		"product=currents_predictions&station=EPT0003&begin_date=20260101&end_date=20260202&interval=6",
	},
	{
		400,
		tooLong + "365 days ",
		"product=hourly_height&station=8443970&begin_date=20240101&end_date=20250101&datum=MLLW",
	},
	{
		400,
		tooLong + "366 days ",
		"product=currents_predictions&station=EPT0003&begin_date=20240101&end_date=20250102" +
			"&interval=max_slack",
	},
	{
		400,
		tooLong + "366 days ",
		"product=predictions&station=8443970&begin_date=20280101&end_date=20290102&datum=MLLW",
	},
	{
		400,
		tooLong + "4 days ",
		"product=one_minute_water_level&station=8443970&begin_date=20261101&end_date=20261106&datum=MLLW",
	},
	{
		400,
		tooLong + "7 days ",
		"product=currents&station=cb0102&begin_date=20261101&end_date=20261109&bin=0",
	},
	{
		400,
		wrongOrder,
		"product=water_level&station=8443970&begin_date=20260102&end_date=20260101&datum=MLLW",
	},
	{
		400,
		badDate,
		"product=water_level&station=8443970&begin_date=2026-01-01&end_date=2026-01-02&datum=MLLW",
	},
	{400, badDate, "product=water_level&station=8443970&datum=MLLW"},
	{400, badDate, "product=water_level&station=8443970&date=latest&range=3&datum=MLLW"},
	{400, badDate, "product=water_level&station=8443970&date=soon&datum=MLLW"},
	{
		400,
		badDate,
		"product=water_level&station=8443970&begin_date=20260101&end_date=20260102&range=24&datum=MLLW",
	},
	{400, badDate, "product=water_level&station=8443970&range=-3&datum=MLLW"},
	{400, wrongBin, "product=currents&station=cb0102&date=latest&bin=99"},
	{
		400,
		"Available bin number of EPT0003: 14, 11, 8, 4, ",
		"product=currents_predictions&station=EPT0003&date=today&bin=3",
	},
}

// errorBody returns the service's response with an error, to the byte.
func errorBody(message string) string { return `{"error": {"message":"` + message + "\"}}\n" }

func TestRefusals(t *testing.T) {
	p := frozen(t)
	for _, test := range refused {
		path := "/api/prod/datagetter?format=json&" + test.query
		r := p.ask(t, path)
		if got, want := p.body(t, path), errorBody(test.message); got != want ||
			r.StatusCode != test.status {
			t.Errorf("%s\n= %d %q\nwant %d %q", test.query, r.StatusCode, got, test.status, want)
		}
		charset := map[int]string{200: "ISO-8859-1", 400: "UTF-8"}[test.status]
		if got, want := r.Header.Get("Content-Type"), "application/json;charset="+charset; got != want {
			t.Errorf("%s has Content-Type %q, want %q", test.query, got, want)
		}
	}
}

// TestRecordedMessages checks that refused causes every recorded message.
func TestRecordedMessages(t *testing.T) {
	for line := range strings.Lines(recording(t, "coops/errors/MESSAGES.tsv")) {
		status, body, _ := strings.Cut(line, "\t")
		var want struct{ Error struct{ Message string } }
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatal(err)
		}
		// Station 9440083 has CRD by now.
		message := strings.Replace(want.Error.Message, "9440083", "8443970", 1)
		if strings.HasPrefix(message, "vel_type=") { // clients request velocities, never speeds
			continue
		}
		found := false
		for _, test := range refused {
			found = found || test.message == message && strconv.Itoa(test.status) == status
		}
		if !found {
			t.Errorf("no request causes %s %q", status, message)
		}
	}
	for file, want := range map[string]string{
		"predictions/8720233_predictions_20210101_h_STND_metric_gmt.json":      noPredictions,
		"water_level/8720767_water_level_20210101T0000_h_STND_metric_gmt.json": noData,
		"air_temperature/8775244_air_temperature_20140927_6__metric_gmt.json":  noData,
	} {
		if got := recording(t, "coops/errors/"+file); got != errorBody(want) {
			t.Errorf("%s = %q, want %q", file, got, errorBody(want))
		}
	}
}

// TestRecordedForms repeats recorded requests and compares the response format.
func TestRecordedForms(t *testing.T) {
	p := frozen(t)
	const span = "product=water_level&begin_date=20210101 00:00&end_date=20210101 00:06" +
		"&datum=STND&units=metric&interval=h&station="
	const latest = "date=latest&units=metric&product="
	for file, query := range map[string]string{
		"water_level/1612340_water_level_20210101T0000_h_STND_metric_gmt.json": span + "1612340",
		"water_level/8726520_water_level_20210101T0000_h_STND_metric_gmt.json": span + "8726520",
		"water_level/8518750_latest_MLLW_metric_gmt.json": latest +
			"water_level&station=8518750&datum=MLLW",
		"wind/8724580_latest_metric_gmt.json": latest + "wind&station=8724580",
		"currents/cb1401_latest_metric.json":  latest + "currents&station=cb1401",
	} {
		if got, want := masked(p.data(t, query)), masked(recording(t, "coops/"+file)); got != want {
			t.Errorf("%s has the format\n%q, want\n%q", query, got, want)
		}
	}
}

// TestRecordedCurrents checks that events agree with recorded ones within a minute and a tenth of
// cm/s, in the same format.
func TestRecordedCurrents(t *testing.T) {
	p := frozen(t)
	for file, query := range map[string]string{
		"EPT0003_14_20260926_maxslack_gmt_metric.json": "station=EPT0003&bin=14" +
			"&interval=max_slack&begin_date=20260926&end_date=20260926",
		"ACT0091_1_20260926_maxslack_gmt_metric_SUBORDINATE.json": "station=ACT0091&interval=10" +
			"&begin_date=20260926&end_date=20260926",
		"PCT1291_1_20260926_maxslack_gmt_metric.json": "station=PCT1291" +
			"&interval=MAX_SLACK&begin_date=20260926&end_date=20260926",
		"EPT0003_14_20240926_0000-0100_interval10_gmt_metric.json": "station=EPT0003&bin=14" +
			"&interval=10&begin_date=20240926 00:00&end_date=20240926 01:00",
	} {
		got := p.data(t, "product=currents_predictions&units=metric&"+query)
		want := recording(t, "coops/currents_predictions/swift-noaa/"+file)
		if masked(got) != masked(want) {
			t.Errorf("%s =\n%s\nwant the format of\n%s", query, got, want)
			continue
		}
		ours, theirs := flows(t, got), flows(t, want)
		for i, w := range theirs {
			near := 0.15
			if w.Type == "slack" {
				near = 1.5 // in one minute
			}
			if g := ours[i]; g.Type != w.Type || math.Abs(minutesApart(t, g.Time, w.Time)) > 1 ||
				math.Abs(g.Velocity-w.Velocity) > near {
				t.Errorf("%s: row %d is %+v, want %+v", query, i, g, w)
			}
		}
	}
}

func minutesApart(t *testing.T, a, b string) float64 {
	t.Helper()
	x, errX := time.Parse("2006-01-02 15:04", a)
	y, errY := time.Parse("2006-01-02 15:04", b)
	if errX != nil || errY != nil {
		t.Fatalf("times %q, %q", a, b)
	}
	return x.Sub(y).Minutes()
}

type flow struct {
	Time, Type string
	Velocity   float64 `json:"Velocity_Major"`
}

func flows(t *testing.T, body string) []flow {
	t.Helper()
	var v struct {
		Predictions struct{ CP []flow } `json:"current_predictions"`
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v.Predictions.CP
}

// value is one row of a response of the data service.
type value struct{ T, V, S, F, Q, Ty, Type, D, B string }

func values(t *testing.T, body string) []value {
	t.Helper()
	var v struct{ Data, Predictions []value }
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	return append(v.Data, v.Predictions...)
}

// TestDataForms checks the first bytes of responses, or a part of them.
func TestDataForms(t *testing.T) {
	p := frozen(t)
	const boston = "{#metadata#:{#id#:#8443970#,#name#:#Boston#,#lat#:#42.3539#,#lon#:#-71.0503#}"
	const day = "&begin_date=20260101&end_date=20260101"
	for query, want := range map[string]string{
		"product=water_level&station=8443970&date=latest&datum=MLLW&units=metric": "\n" + boston +
			",#data#:[{#t#:#2026-11-20 16:54#, #v#:#",
		"product=water_level&station=8443970&datum=MLLW" + day: boston +
			", #data#: [{#t#:#2026-01-01 00:00#, #v#:#",
		"product=daily_max_min&station=8443970&datum=STND&interval=6" + day: boston +
			", #data#: [{#dailyMax6Min#:[{#date6Min#:#2026-01-01#, #time6Min#:#",
		"product=predictions&station=8443970&datum=MLLW" + day: "{ #predictions# : [\n" +
			"{#t#:#2026-01-01 00:00#, #v#:#",
		"product=currents_predictions&station=ACT0261&date=today&units=metric": "" +
			"{#current_predictions#: {#units#: #meters, cm/s#," +
			"#cp#: #Currents are weak and variable#}}\n",
		"product=currents_predictions&station=ACT0091&date=today": "" +
			"{#current_predictions#: {#units#: #feet, knots#,#cp#: [\n{#Type#: #",
	} {
		got, want := p.data(t, query), strings.ReplaceAll(want, "#", `"`)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s begins with\n%.200q, want\n%q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"product=one_minute_water_level&station=8443970&date=today&datum=MLLW":                               `"}]}` + "\n",
		"product=hourly_height&station=8443970&begin_date=20260101&end_date=20260101&datum=MLLW":             `", "f":"0,0"}]}` + "\n",
		"product=salinity&station=8443970&date=latest":                                                       `", "g":"1.`,
		"product=predictions&station=8443970&begin_date=20260101&end_date=20260101&datum=MLLW&interval=hilo": `", "type":"`,
		"product=monthly_mean&station=8443970&begin_date=20260101&end_date=20260131&datum=MLLW":              `, "inferred":"0"}]}` + "\n",
		"product=daily_mean&station=9063020&begin_date=20260101&end_date=20260102&datum=IGLD&time_zone=lst":  `{"t":"2026-01-02", "v":"57`,
		"product=air_gap&station=8517986&date=latest":                                                        `, "f":"0,0,0,0"}]}` + "\n",
		"product=currents&station=cb0102&date=latest":                                                        `",  "b":"4"}]}` + "\n",
	} {
		if got := p.data(t, query); !strings.Contains(got, want) {
			t.Errorf("%s =\n%.400q, want a body with %q", query, got, want)
		}
	}
}

func TestDataHeaders(t *testing.T) {
	p := frozen(t)
	r := httptest.NewRequest("GET",
		"/api/prod/datagetter?product=water_level&station=8443970&date=today&datum=MLLW&format=json", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	for name, want := range map[string]string{
		"Content-Encoding": "gzip",
		"ETag":             "",
		"Last-Modified":    "",
		"Content-Type":     "application/json;charset=ISO-8859-1",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil ||
		string(got) != p.data(t, "product=water_level&station=8443970&date=today&datum=MLLW") {
		t.Errorf("the compressed body is %.80q, %v", got, err)
	}
	if got, want := p.ask(t, "/api/prod/teapot").StatusCode, http.StatusNotFound; got != want {
		t.Errorf("status of an unknown path = %d, want %d", got, want)
	}
}

// TestPredictions compares predictions with the results of the tide engine.
func TestPredictions(t *testing.T) {
	p := frozen(t)
	for _, id := range []string{"8443970", "9414290", "8771450", "9410583"} {
		s, _ := p.stations.Station(id)
		tides, ok := p.stations.Tides(s, "MLLW")
		if !ok {
			t.Fatalf("no tides at %s", id)
		}
		begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		rows := values(t, p.data(t, "product=predictions&units=metric&datum=MLLW&interval=hilo"+
			"&begin_date=20261120&end_date=20261122&station="+id))
		extremes := tides.Extremes(begin, begin.Add(3*day-time.Minute))
		if len(rows) != len(extremes) {
			t.Fatalf("%s: %d events, want %d", id, len(rows), len(extremes))
		}
		for i, e := range extremes {
			want := fmt.Sprintf("%s %.3f %v", e.Time.Format("2006-01-02 15:04"), e.Height, e.High)
			if got := fmt.Sprintf("%s %s %v", rows[i].T, rows[i].V, rows[i].Type == "H"); got != want {
				t.Errorf("%s: event %s, want %s", id, got, want)
			}
		}
	}
	s, _ := p.stations.Station("8443970")
	tides, _ := p.stations.Tides(s, "NAVD")
	out := make([]float64, 240)
	tides.Heights(time.Date(2026, 11, 20, 5, 0, 0, 0, time.UTC), 6*time.Minute, out)
	rows := values(t, p.data(t, "product=predictions&station=8443970&datum=NAVD&time_zone=lst"+
		"&begin_date=20261120&end_date=20261120 23:54"))
	if len(rows) != len(out) {
		t.Fatalf("%d rows, want %d", len(rows), len(out))
	}
	for i, h := range out {
		if got, want := rows[i].V, fmt.Sprintf("%.3f", h/metersPerFoot); got != want {
			t.Errorf("at %s %s ft, want %s", rows[i].T, got, want)
		}
	}
}

// TestSpans checks that responses include both ends of the span.
func TestSpans(t *testing.T) {
	p := frozen(t)
	for query, want := range map[string]string{
		"product=predictions&station=8443970&datum=MLLW&begin_date=20260101 00:00&end_date=20260101" +
			" 01:00": "11 2026-01-01 00:00 2026-01-01 01:00",
		"product=predictions&station=8443970&datum=MLLW&begin_date=20260101 00:03&end_date=20260101" +
			" 00:59": "9 2026-01-01 00:06 2026-01-01 00:54",
		"product=predictions&station=8443970&datum=MLLW&date=today" +
			"&interval=h": "24 2026-11-20 00:00 2026-11-20 23:00",
		"product=predictions&station=8443970&datum=MLLW&begin_date=20260101" +
			"&end_date=20270101": "87840 2026-01-01 00:00 2027-01-01 23:54",
		"product=water_level&station=8443970&datum=MLLW" +
			"&date=today": "170 2026-11-20 00:00 2026-11-20 16:54",
		"product=air_temperature&station=8443970&begin_date=20261101&end_date=20261103" +
			"&interval=h": "72 2026-11-01 00:00 2026-11-03 23:00",
		"product=hourly_height&station=8443970&datum=MLLW&begin_date=20261116" +
			"&end_date=20261120": "66 2026-11-16 00:00 2026-11-18 17:00",
		"product=currents&station=cb1401&begin_date=20261101" +
			"&end_date=20261101": "240 2026-11-01 00:01 2026-11-01 23:55",
	} {
		rows := values(t, p.data(t, query))
		if got := fmt.Sprint(len(rows), " ", rows[0].T, " ", rows[len(rows)-1].T); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestObservations checks that observations are within a foot of predictions, rarely missing, and
// preliminary for two days.
func TestObservations(t *testing.T) {
	p := frozen(t)
	const span = "&station=8443970&datum=MLLW&begin_date=20261025&end_date=20261120 16:54"
	seen, said := values(t, p.data(t, "product=water_level"+span)), values(t,
		p.data(t, "product=predictions"+span))
	if len(seen) != len(said) {
		t.Fatalf("%d observed rows, %d predicted", len(seen), len(said))
	}
	missing := 0
	for i, o := range seen {
		at, err := time.Parse("2006-01-02 15:04", o.T)
		if err != nil || o.T != said[i].T {
			t.Fatalf("observation at %q, prediction at %q", o.T, said[i].T)
		}
		if preliminary := at.After(moment.Add(-settled - time.Minute)); preliminary != (o.Q == "p") {
			t.Errorf("%s has quality %s", o.T, o.Q)
		}
		if o.V == "" {
			missing++
			continue
		}
		a, _ := strconv.ParseFloat(o.V, 64)
		b, _ := strconv.ParseFloat(said[i].V, 64)
		if math.Abs(a-b) > 1 {
			t.Errorf("at %s: observed %s ft, predicted %s ft", o.T, o.V, said[i].V)
		}
	}
	if missing == 0 || missing > len(seen)/50 {
		t.Errorf("%d of %d rows are missing", missing, len(seen))
	}
}

// TestNewest checks that the newest reading is always some minutes old and at a multiple of six
// minutes.
func TestNewest(t *testing.T) {
	now := moment
	p, err := New(Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for minute := range 30 {
		now = moment.Add(time.Duration(minute)*time.Minute + 20*time.Second)
		at, err := time.Parse("2006-01-02 15:04",
			values(t, p.data(t, "product=water_level&station=8518750&date=latest&datum=MLLW"))[0].T)
		if err != nil {
			t.Fatal(err)
		}
		if age := now.Sub(at); age < readingDelay || age > 18*time.Minute || at.Minute()%6 != 0 {
			t.Errorf("at %v the time of the newest reading is %v", now, at)
		}
	}
}

func TestDataUnits(t *testing.T) {
	p := frozen(t)
	toFeet := func(meters float64) float64 { return meters / metersPerFoot }
	read := func(query string) float64 {
		v, err := strconv.ParseFloat(values(t, p.data(t, query))[0].V, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, test := range []struct {
		query   string
		english func(float64) float64
		near    float64
	}{
		{"product=water_level&station=8443970&date=latest&datum=STND", toFeet, 0.003},
		{"product=air_temperature&station=8443970&date=latest", toFahrenheit, 0.15},
		{"product=air_pressure&station=8443970&date=latest", same, 0},
		{"product=visibility&station=8638610&date=latest", toNautical, 0.02},
	} {
		got, want := read(test.query), test.english(read(test.query+"&units=metric"))
		if math.Abs(got-want) > test.near {
			t.Errorf("%s = %v in english units, want %v", test.query, got, want)
		}
	}
	const month = "product=water_level&station=8443970&begin_date=20260101&end_date=20260131" +
		"&datum=STND&units=metric"
	for _, v := range values(t, p.data(t, month)) {
		if strings.Contains(v.V, ".") && strings.HasSuffix(v.V, "0") {
			t.Errorf("meters with a trailing zero: %s", v.V)
		}
	}
}

func TestHighLow(t *testing.T) {
	rows := values(t, frozen(t).data(t, "product=high_low&station=9414290&datum=MLLW"+
		"&begin_date=20261001&end_date=20261010"))
	kinds := map[string]int{}
	for _, r := range rows {
		kinds[r.Ty]++
	}
	if len(kinds) != 4 || kinds["HH"] == 0 || kinds["H "] == 0 || kinds["L "] == 0 ||
		kinds["LL"] == 0 {
		t.Errorf("types %v, want all four, padded with a space", kinds)
	}
}

func TestBins(t *testing.T) {
	p := frozen(t)
	rows := values(t, p.data(t, "product=currents&station=cb0102&bin=0"+
		"&begin_date=20261101 00:00&end_date=20261101 00:05"))
	if len(rows) != 12 || rows[0].B != "1" || rows[11].B != "12" {
		t.Errorf("rows of bin 0 = %v, want bins 1 to 12", rows)
	}
	for query, want := range map[string]string{"": `"Bin": "14"`, "&bin=8": `"Bin": "8"`} {
		got := p.data(t, "product=currents_predictions&station=EPT0003&date=today&interval=h"+query)
		if !strings.Contains(got, want) || !strings.Contains(got, `"Depth": "`) {
			t.Errorf("with %q: %.200s", query, got)
		}
	}
}

// TestEveryGauge checks that each gauge has a newest reading of each of its products.
func TestEveryGauge(t *testing.T) {
	p := frozen(t)
	for _, g := range p.gauges {
		if g.level {
			got := values(t, p.data(t, "product=water_level&date=latest&datum=STND&station="+g.id))
			if len(got) != 1 || got[0].V == "" {
				t.Errorf("%s %s: %v", g.id, g.name, got)
			}
		}
		for name := range dataProducts() {
			if g.offers(name) &&
				!strings.Contains(p.data(t, "product="+name+"&date=latest&station="+g.id), "2026-11-20 16:") {
				t.Errorf("%s does not have a newest %s", g.id, name)
			}
		}
	}
	for _, id := range strings.Fields("8443970 8518750 9414290 9447130 1612340 8724580 8454000" +
		" 8638610 8771450 9410170 8461490 8726520") {
		if g := p.gauge[id]; g == nil || !g.level || !g.weather || !g.published {
			t.Errorf("%s does not have levels, weather and flood levels", id)
		}
	}
}

func BenchmarkWaterLevelMonth(b *testing.B) {
	p := frozen(b)
	for b.Loop() {
		p.data(b, "product=water_level&station=8443970&datum=MLLW&time_zone=lst"+
			"&begin_date=20260101&end_date=20260131")
	}
}

func BenchmarkPredictionList(b *testing.B) {
	p := frozen(b)
	for b.Loop() {
		p.body(b, "/mdapi/prod/webapi/stations.json?type=tidepredictions")
	}
}
