package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/upstream"
	"leadline/resources"
)

// These tests compare results of live operations with direct requests to the simulator of the
// providers. Small servers provide response formats that the simulator does not produce. All
// share one fixed clock.

// rig is a Set and the server of its simulated providers.
type rig struct {
	*Set
	p     *provider.Provider // nil if the test has its own handler
	root  string
	clock *testClock // clock of the Set; the NOAA client's clock stays at noon
}

// testClock is a clock that tests can set.
type testClock struct{ at time.Time }

func (c *testClock) now() time.Time { return c.at }

// newRig returns a rig whose clients send their requests to root.
func newRig(t testing.TB, root string, coops, weather *upstream.Client) rig {
	t.Helper()
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return rigAt(directory, root, coops, weather)
}

// rigAt returns a rig with a directory.
func rigAt(d *stations.Directory, root string, coops, weather *upstream.Client) rig {
	c := Config{
		Stations: d, NOAA: noaa.New(root, coops, frozen(noon)), NWS: nws.New(root, weather),
		Topics: resources.New(resources.Facts{}),
	}
	return rigOf(c, root)
}

// rigOf returns a rig at noon.
func rigOf(c Config, root string) rig {
	clock := &testClock{noon}
	c.Now = clock.now
	c.NewID = func(time.Time) string { return decisionID }
	c.Overlay = overlay.New(overlay.Config{Stations: c.Stations, Water: c.NOAA, Now: c.Now})
	return rig{Set: New(c), root: root, clock: clock}
}

func frozen(at time.Time) func() time.Time { return func() time.Time { return at } }

// simulated returns a rig with simulated providers. wrap, if not nil, wraps their handler.
func simulated(t testing.TB, wrap func(http.Handler) http.Handler) rig {
	t.Helper()
	p, err := provider.New(provider.Config{Now: frozen(noon)})
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler = p
	if wrap != nil {
		h = wrap(p)
	}
	r := served(t, h)
	r.p = p
	return r
}

// served returns a rig whose providers are served by a handler.
func served(t testing.TB, h http.Handler) rig {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newRig(t, server.URL, fastClient(t, coast.COOPS, ""), fastClient(t, coast.NWS, ""))
}

// withWater returns the rig with another client for NOAA.
func (r rig) withWater(coops *upstream.Client) rig {
	c := r.Config
	c.NOAA = noaa.New(r.root, coops, frozen(noon))
	other := rigOf(c, r.root)
	other.p = r.p
	return other
}

// fastClient returns a client without a noticeable rate limit. file is its cache file, or
// empty.
func fastClient(t testing.TB, name, file string) *upstream.Client {
	t.Helper()
	client, err := upstream.New(upstream.Config{
		Provider: name, File: file, Rate: 1e6, Burst: 1e6, UserAgent: "test",
		Deadline: time.Minute, Now: frozen(noon),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// raw sends a request directly to a provider and decodes the response.
func (r rig) raw(t testing.TB, path string, query ...string) map[string]any {
	t.Helper()
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	request, err := http.NewRequest(http.MethodGet, r.root+path+"?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "test")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %v: status %d, %v: %.200s", path, query, response.StatusCode, err, body)
	}
	return out
}

// datagetter requests data in GMT from the data service; units default to metric.
func (r rig) datagetter(t testing.TB, station, product string, query ...string) []any {
	t.Helper()
	all := append([]string{"format", "json", "time_zone", "gmt", "units", "metric", "station", station,
		"product", product}, query...)
	list, ok := r.raw(t, "/api/prod/datagetter", all...)["data"].([]any)
	if !ok {
		t.Fatalf("%s of %s %v: no data", product, station, query)
	}
	return list
}

// gmt parses a time in the format of the data service.
func gmt(t testing.TB, text any) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", fmt.Sprint(text))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// valueOf parses a value in the formats of the services; ok is false for an empty one.
func valueOf(t testing.TB, v any) (float64, bool) {
	t.Helper()
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		if v == "" {
			return 0, false
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f, true
	}
	return 0, false
}

// near reports whether a decoded value is a number within a tolerance of another.
func near(got any, want, tolerance float64) bool {
	v, ok := got.(float64)
	return ok && math.Abs(v-want) <= tolerance+1e-9
}

// list returns the list at a path of a result.
func list(t testing.TB, out any, path string) []any {
	t.Helper()
	l, ok := follow(out, path).([]any)
	if !ok {
		t.Fatalf("%s is %v, want a list", path, follow(out, path))
	}
	return l
}

// timeAt returns the time at a path of a result.
func timeAt(t testing.TB, out any, path string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fmt.Sprint(follow(out, path)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return at
}

// cell returns the value of a series at an instant, and whether the series covers it.
func cell(t testing.TB, series any, values string, at time.Time) (any, bool) {
	t.Helper()
	step, _ := follow(series, "stepMinutes").(float64)
	after := at.Sub(timeAt(t, series, "start"))
	i := int(after / (time.Duration(step) * time.Minute))
	column := list(t, series, values)
	if after < 0 || after%(time.Duration(step)*time.Minute) != 0 || i >= len(column) {
		return nil, false
	}
	return column[i], true
}

// lacks reports whether missing lists an input with a reason that contains the given words.
func lacks(out any, input, words string) bool {
	for i := 0; ; i++ {
		m := follow(out, fmt.Sprintf("missing.%d", i))
		if m == nil {
			return false
		}
		if strings.Contains(fmt.Sprint(follow(m, "input")), input) &&
			strings.Contains(fmt.Sprint(follow(m, "reason")), words) {
			return true
		}
	}
}

// notes reports whether a note contains the given words.
func notes(out any, words string) bool {
	return strings.Contains(fmt.Sprint(follow(out, "notes")), words)
}

// sourceOf returns the source with an id, or nil.
func sourceOf(out any, id string) map[string]any {
	for i := 0; ; i++ {
		s, ok := follow(out, fmt.Sprintf("sources.%d", i)).(map[string]any)
		if !ok {
			return nil
		}
		if s["id"] == id {
			return s
		}
	}
}

// pagesOf requests all pages of a result and returns them.
func pagesOf(t testing.TB, s *Set, tool, args string, limit int) []map[string]any {
	t.Helper()
	var pages []map[string]any
	for {
		r, err := call(t, s, tool, args)
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		if r, err = r.Fit(limit); err != nil {
			t.Fatal(err)
		}
		body, err := r.Structured()
		if err != nil {
			t.Fatal(err)
		}
		if problem := conforms(resultSchema(t, toolNamed(t, s, tool)), body); problem != nil {
			t.Errorf("%s %s: %v", tool, args, problem)
		}
		var page map[string]any
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
		if page["truncated"] != true {
			return pages
		}
		if len(body) > limit || len(pages) > 500 {
			t.Fatalf("%s: page %d has %d bytes, want at most %d", tool, len(pages), len(body), limit)
		}
		next, err := json.Marshal(page["next"])
		if err != nil || bytes.Equal(next, []byte("null")) {
			t.Fatalf("%s: a truncated page without next: %v", tool, err)
		}
		args = string(next)
	}
}

// TestWaterLevels compares observed heights with the provider's response: the conversion, the
// place of each row, and null for rows without a value.
func TestWaterLevels(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct{ station, datum string }{
		{"8443970", "STND"},
		{"8443970", "MLLW"},
		{"9414290", "NAVD"},
		{"9063020", "IGLD"},
		{"9063020", "LWD"},
	} {
		rows := r.datagetter(t, test.station, "water_level", "datum", test.datum,
			"begin_date", "20261114", "end_date", "20261119")
		for _, units := range []string{"english", "metric"} {
			out := get(t, r.Set, "noaa_get_water_levels", fmt.Sprintf(
				`{"station":%q,"datum":%q,"units":%q,"begin_date":"2026-11-14","end_date":"2026-11-19","time_zone":"gmt"}`,
				test.station, test.datum, units))
			if got := len(list(t, out, "observed.heights")); got != len(rows) ||
				follow(out, "observed.count") != float64(got) {
				t.Fatalf("%v %s: %d heights and count %v of %d rows", test, units, got,
					follow(out, "observed.count"), len(rows))
			}
			nulls := 0
			for _, row := range rows {
				got, ok := cell(t, out["observed"], "heights", gmt(t, follow(row, "t")))
				v, has := valueOf(t, follow(row, "v"))
				want := v
				if units == "english" {
					want = math.Round(v/0.3048*1000) / 1000
				}
				switch {
				case !has && got == nil && ok:
					nulls++
				case !ok || !has || !near(got, want, 0):
					t.Errorf("%v %s at %v: %v, the provider has %v", test, units, follow(row, "t"), got,
						follow(row, "v"))
				}
			}
			if nulls == 0 {
				t.Errorf("%v: no row without a value in %d", test, len(rows))
			}
			if want := map[string]any{"english": "ft", "metric": "m"}[units]; out["heightUnit"] != want ||
				out["datum"] != test.datum {
				t.Errorf("%v %s: %v above %v", test, units, out["heightUnit"], out["datum"])
			}
		}
	}
}

// TestWaterLevelSteps compares one-minute levels and hourly heights with the provider's.
func TestWaterLevelSteps(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct {
		interval, product, begin, end string
		step                          float64
	}{
		{"1", "one_minute_water_level", "20261118", "20261119", 1},
		{"hourly", "hourly_height", "20261001", "20261115", 60},
	} {
		rows := r.datagetter(t, "8443970", test.product, "datum", "MHW", "begin_date", test.begin,
			"end_date", test.end)
		out := get(t, r.Set, "noaa_get_water_levels", fmt.Sprintf(
			`{"station":"8443970","datum":"MHW","units":"metric","interval":%q,"begin_date":%q,"end_date":%q,"time_zone":"gmt"}`,
			test.interval, test.begin, test.end))
		if follow(out, "observed.stepMinutes") != test.step ||
			follow(out, "observed.count") != float64(len(rows)) {
			t.Errorf("%s: %v values, every %v minutes, of %d rows", test.interval,
				follow(out, "observed.count"), follow(out, "observed.stepMinutes"), len(rows))
		}
		for _, row := range rows {
			got, ok := cell(t, out["observed"], "heights", gmt(t, follow(row, "t")))
			want, has := valueOf(t, follow(row, "v"))
			if !ok || has != (got != nil) || has && !near(got, want, 0) {
				t.Errorf("%s at %v: %v, want %v", test.interval, follow(row, "t"), got, follow(row, "v"))
			}
		}
	}
}

// TestResidual checks that the residual is observed minus predicted at one instant, station
// and datum. The predicted level is compared with the provider's own prediction.
func TestResidual(t *testing.T) {
	r := simulated(t, nil)
	for _, station := range []string{"8443970", "9414290", "8518750", "1612340"} {
		for _, datum := range []string{"MLLW", "STND", "MSL", "MHHW"} {
			newest := r.datagetter(t, station, "water_level", "datum", datum, "date", "latest")[0]
			at := gmt(t, follow(newest, "t"))
			observed, _ := valueOf(t, follow(newest, "v"))
			tide := list(t, r.raw(t, "/api/prod/datagetter", "format", "json", "time_zone", "gmt",
				"units", "metric", "station", station, "product", "predictions", "interval", "6",
				"datum", datum, "begin_date", at.Format("20060102 15:04"),
				"end_date", at.Format("20060102 15:04")), "predictions")
			predicted, _ := valueOf(t, follow(tide[0], "v"))
			for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
				for _, span := range []string{"", `,"date":"latest"`, `,"date":"recent","interval":"1"`} {
					out := get(t, r.Set, "noaa_get_water_levels",
						fmt.Sprintf(`{"station":%q,"datum":%q,"units":%q%s}`, station, datum, units, span))
					if strings.Contains(span, "1") && !timeAt(t, out, "newest.time").Equal(at) {
						continue // levels of one minute are newer
					}
					if !timeAt(t, out, "newest.time").Equal(at) ||
						!near(follow(out, "newest.height"), observed/foot, 0.0005) {
						t.Errorf("%s %s: newest %v, want %v at %v", station, datum, out["newest"], observed/foot, at)
					}
					if !near(out["predicted"], predicted/foot, 0.0005+0.0005/foot) ||
						!near(out["residual"], (observed-predicted)/foot, 0.0005+0.0005/foot) {
						t.Errorf("%s %s %s: predicted %v, residual %v, want %v and %v", station, datum, units,
							out["predicted"], out["residual"], predicted/foot, (observed-predicted)/foot)
					}
					height, _ := follow(out, "newest.height").(float64)
					level, _ := out["predicted"].(float64)
					if !near(out["residual"], height-level, 0.0015) || !notes(out, "observed minus predicted") {
						t.Errorf("%s %s: residual %v of %v and %v, notes %v", station, datum, out["residual"], height,
							level, out["notes"])
					}
					if s := sourceOf(out, "tide-prediction"); s == nil || s["kind"] != "prediction" ||
						sourceOf(out, "observed-water-level")["kind"] != "observation" {
						t.Errorf("%s: sources %v", station, out["sources"])
					}
				}
			}
		}
	}
}

// TestNoResidual checks stations without predictions: the residual is null with a reason, and
// the observation is returned.
func TestNoResidual(t *testing.T) {
	r := simulated(t, nil)
	out := get(t, r.Set, "noaa_get_water_levels", `{"station":"9063020","datum":"IGLD"}`)
	if out["newest"] == nil || out["predicted"] != nil || out["residual"] != nil ||
		!lacks(out, "residual", "predicts no tide") {
		t.Errorf("Buffalo: newest %v, predicted %v, residual %v, missing %v", out["newest"],
			out["predicted"], out["residual"], out["missing"])
	}
	if s := sourceOf(out, "tide-prediction"); s == nil || s["available"] != false ||
		s["freshness"] != "unknown" {
		t.Errorf("Buffalo: the source of the prediction is %v", s)
	}
	alone := served(t,
		gaugeAlone([]string{`{"t":"2026-11-20 16:54", "v":"1.5", "s":"0.01", "f":"0,0,0,0", "q":"p"}`}))
	out = get(t, alone.Set, "noaa_get_water_levels", `{"station":"8459999"}`)
	if follow(out, "newest.height") != 4.921 || out["predicted"] != nil || out["residual"] != nil ||
		!lacks(out, "residual", "predicts no tide") {
		t.Errorf("a gauge that predicts nothing: newest %v, predicted %v, residual %v, missing %v",
			out["newest"], out["predicted"], out["residual"], out["missing"])
	}
	// A datum that the station does not have is an error, not a missing residual.
	_, err := call(t, r.Set, "noaa_get_water_levels", `{"station":"9063020","datum":"MLLW"}`)
	if code(err) != coast.DatumUnavailable || !strings.Contains(err.Error(), "IGLD, LWD") {
		t.Errorf("MLLW at Buffalo: %v, want the datums of the lakes", err)
	}
}

// gaugeAlone serves the levels of one gauge, which is not in the directory.
func gaugeAlone(rows []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasPrefix(r.URL.Path, "/mdapi/prod/webapi/stations/8459999.json"):
			fmt.Fprint(w, `{"count":1,"units":null,"stations":[{"tidal":true,"greatlakes":false,"state":"RI","timezone":"EST","id":"8459999","name":"A Gauge","lat":41.5,"lng":-71.3}],"self":null}`)
		case r.URL.Path == "/api/prod/datagetter":
			fmt.Fprintf(w, `{"metadata":{"id":"8459999","name":"A Gauge","lat":"41.5","lon":"-71.3"}, "data": [%s]}`,
				strings.Join(rows, ","))
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errorMsg":"No station was found","errorCode":404}`)
		}
	})
}

// TestRowsMissing checks that a row which the provider leaves out is null and does not move
// later ones. Notes explain quality and flags.
func TestRowsMissing(t *testing.T) {
	r := served(t, gaugeAlone([]string{
		`{"t":"2026-11-20 12:12", "v":"1.000", "s":"0.01", "f":"1,0,0,0", "q":"v"}`,
		`{"t":"2026-11-20 12:18", "v":"1.100", "s":"0.01", "f":"0,1,1,0", "q":"v"}`,
		`{"t":"2026-11-20 12:30", "v":"", "s":"", "f":"1,1,1,1", "q":"p"}`,
		`{"t":"2026-11-20 12:36", "v":"1.3", "s":"0.01", "f":"9,0,0,1", "q":"p"}`,
		`{"t":"2026-11-20 12:41", "v":"1.35", "s":"0.01", "f":"0,0,0,0", "q":"p"}`,
		`{"t":"2026-11-20 12:54", "v":"-0.0001", "s":"0.01", "f":"0,0,0,0", "q":"p"}`,
	}))
	out := get(t, r.Set, "noaa_get_water_levels",
		`{"station":"8459999","units":"metric","begin_date":"2026-11-20 12:00","range":1,"time_zone":"gmt"}`)
	want := []any{nil, nil, 1.0, 1.1, nil, nil, 1.3, nil, nil, 0.0}
	if got := list(t, out, "observed.heights"); fmt.Sprint(got) != fmt.Sprint(want) ||
		!timeAt(t, out, "observed.start").Equal(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("heights %v from %v, want %v from 12:00", got, follow(out, "observed.start"), want)
	}
	runs := list(t, out, "quality")
	if len(runs) != 2 || follow(runs[0], "quality") != "verified" ||
		!timeAt(t, runs[0], "to").Equal(time.Date(2026, 11, 20, 12, 18, 0, 0, time.UTC)) ||
		follow(runs[1], "quality") != "preliminary" ||
		!timeAt(t, runs[1], "from").Equal(time.Date(2026, 11, 20, 12, 36, 0, 0, time.UTC)) {
		t.Errorf("quality %v", runs)
	}
	for _, words := range []string{
		"Preliminary", "1 of the values: inferred", "1 of the values: flat",
		"1 of the values: rate of change", "1 of the values: limit",
		"1 of the provider's values lie between",
	} {
		if !notes(out, words) {
			t.Errorf("no note %q in %v", words, out["notes"])
		}
	}
	if q := follow(out, "newest.quality"); q != "preliminary" {
		t.Errorf("the newest is %v", q)
	}
}

// TestRowsWithoutValues checks that rows without any value are not an observation.
func TestRowsWithoutValues(t *testing.T) {
	r := served(t, gaugeAlone([]string{
		`{"t":"2026-11-20 16:48", "v":"", "s":"", "f":"1,1,1,1", "q":"p"}`,
		`{"t":"2026-11-20 16:54", "v":"", "s":"", "f":"1,1,1,1", "q":"p"}`,
	}))
	out := get(t, r.Set, "noaa_get_water_levels", `{"station":"8459999","range":1}`)
	if out["newest"] != nil || out["residual"] != nil || !lacks(out, "observed height", "no value") ||
		sourceOf(out, "observed-water-level")["freshness"] != "unknown" {
		t.Errorf("newest %v, missing %v, source %v", out["newest"], out["missing"],
			sourceOf(out, "observed-water-level"))
	}
}

// TestConvertedDatums checks heights above LAT, HAT and DTL, which NOAA refuses: they are
// converted from station datum.
func TestConvertedDatums(t *testing.T) {
	r := simulated(t, nil)
	for _, station := range []string{"8443970", "9447130"} {
		published := r.raw(t, "/mdapi/prod/webapi/stations/"+station+"/datums.json", "units", "metric")
		levels := map[string]float64{"LAT": published["LAT"].(float64), "HAT": published["HAT"].(float64)}
		for _, d := range list(t, published, "datums") {
			if follow(d, "name") == "DTL" {
				levels["DTL"] = follow(d, "value").(float64)
			}
		}
		rows := r.datagetter(t, station, "water_level", "datum", "STND", "begin_date", "20261119",
			"end_date", "20261119")
		for datum, zero := range levels {
			for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
				out := get(t, r.Set, "noaa_get_water_levels",
					fmt.Sprintf(`{"station":%q,"datum":%q,"units":%q,"begin_date":"2026-11-19","time_zone":"gmt"}`,
						station, datum, units))
				if out["datum"] != datum {
					t.Errorf("datum %v, want %s", out["datum"], datum)
				}
				for _, row := range rows {
					got, _ := cell(t, out["observed"], "heights", gmt(t, follow(row, "t")))
					if v, has := valueOf(t, follow(row, "v")); has &&
						!near(got, (v-zero)/foot, 0.0005+0.0005/foot) {
						t.Errorf("%s above %s at %v: %v, want %v", station, datum, follow(row, "t"), got,
							(v-zero)/foot)
					}
				}
				if predicted, ok := out["predicted"].(float64); !ok ||
					!near(out["residual"], follow(out, "newest.height").(float64)-predicted, 0.0015) {
					t.Errorf("%s above %s: predicted %v, residual %v", station, datum, out["predicted"],
						out["residual"])
				}
			}
		}
	}
	_, err := call(t, r.Set, "noaa_get_water_levels", `{"station":"9063020","datum":"HAT"}`)
	if code(err) != coast.DatumUnavailable || !strings.Contains(err.Error(), "IGLD") {
		t.Errorf("HAT on a lake: %v", err)
	}
}

// TestLongSpans checks that 60 days are requested in chunks and joined without gaps. A chunk
// that fails is listed in missing, and the rest is returned.
func TestLongSpans(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	const args = `{"station":"8443970","units":"metric","begin_date":"2026-09-10","end_date":"2026-11-08","time_zone":"gmt"}`
	var failing string // the first day of the chunk that fails
	r := simulated(t, func(p http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if failing != "" && q.URL.Query().Get("begin_date") == failing {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			p.ServeHTTP(w, q)
		})
	})
	var rows []any
	for _, days := range [][2]string{
		{"20260910", "20260930"},
		{"20261001", "20261031"},
		{"20261101", "20261108"},
	} {
		rows = append(rows, r.datagetter(t, "8443970", "water_level", "datum", "MLLW",
			"begin_date", days[0], "end_date", days[1])...)
	}
	check := func(out map[string]any, gone func(time.Time) bool) {
		t.Helper()
		if want := 60 * 240; len(rows) != want || len(list(t, out, "observed.heights")) != want {
			t.Fatalf("%d heights of %d rows, want %d", len(list(t, out, "observed.heights")), len(rows),
				want)
		}
		for _, row := range rows {
			at := gmt(t, follow(row, "t"))
			got, _ := cell(t, out["observed"], "heights", at)
			if v, has := valueOf(t, follow(row, "v")); has && !gone(at) && !near(got, v, 0) ||
				(!has || gone(at)) && got != nil {
				t.Errorf("at %v: %v, the provider has %v", at, got, follow(row, "v"))
			}
		}
	}
	whole := get(t, r.Set, "noaa_get_water_levels", args)
	if len(list(t, whole, "missing")) != 0 {
		t.Errorf("missing %v", whole["missing"])
	}
	check(whole, func(time.Time) bool { return false })

	// The chunks begin every 31 days since 1970: the second one fails.
	first := time.Date(2026, 9, 10, 0, 0, 0, 0, time.UTC).Unix() / 86400
	second := time.Unix((first-first%31+31)*86400, 0).UTC()
	failing = second.Format("20060102")
	s := newRig(t, r.root, fastClient(t, coast.COOPS, ""), fastClient(t, coast.NWS, ""))
	out := get(t, s.Set, "noaa_get_water_levels", args)
	to := second.AddDate(0, 0, 31).Add(-time.Minute)
	got, want := follow(out, "missing.0.input"), second.Format(time.RFC3339)+" to "+
		to.Format(time.RFC3339)
	if got != want || follow(out, "missing.1") != nil {
		t.Errorf("missing %v, want the gap %s", out["missing"], want)
	}
	check(out, func(at time.Time) bool { return !at.Before(second) && !at.After(to) })
}

// TestWaterLevelPages checks that the pages of a result together form the complete result: no
// value is lost or repeated.
func TestWaterLevelPages(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct{ tool, args, column string }{
		{"noaa_get_water_levels", `{"station":"8443970","begin_date":"2026-10-30","end_date":"2026-11-03","datum":"NAVD"}`, "observed.heights"}, // across a clock change
		{"noaa_get_water_levels",
			`{"station":"8443970","interval":"1","range":30,"units":"metric","time_zone":"lst"}`,
			"observed.heights"},
		{"noaa_get_water_levels",
			`{"station":"9063020","interval":"hourly","datum":"IGLD","begin_date":"2026-09-01","end_date":"2026-10-30"}`,
			"observed.heights"},
		{"noaa_get_meteorological_data",
			`{"station":"8443970","product":"wind","begin_date":"2026-10-31","end_date":"2026-11-02"}`,
			"series.1.values"},
		{"noaa_get_meteorological_data",
			`{"station":"8443970","product":"salinity","interval":"h","begin_date":"2026-10-01","end_date":"2026-11-02","time_zone":"gmt"}`,
			"series.0.values"},
		{"noaa_get_currents", `{"station":"cb0102","bin":0,"begin_date":"2026-11-19","units":"metric"}`,
			"observed.bins.3.speeds"},
		{"noaa_get_currents", `{"station":"cb1401_30","range":150,"time_zone":"gmt"}`,
			"observed.bins.0.directions"},
		{"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"high_low","begin_date":"2026-08-01","end_date":"2026-10-30"}`,
			"rows"},
		{"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"daily_max_min","begin_date":"2026-09-01","end_date":"2026-10-30"}`,
			"rows"},
		{"noaa_get_water_level_summaries",
			`{"station":"9087044","product":"daily_mean","datum":"IGLD","begin_date":"2026-07-01","end_date":"2026-10-30"}`,
			"rows"},
		{"noaa_get_water_level_summaries",
			`{"station":"8443970","product":"monthly_mean","begin_date":"2010-01-01","end_date":"2026-08-30"}`,
			"months"},
		{"noaa_get_water_level_summaries", `{"station":"1631428","product":"monthly_mean","begin_date":"2010-01-01","end_date":"2026-08-30"}`, "months"}, // Guam, east of Greenwich
		{"noaa_get_high_tide_flooding",
			`{"station":"8443970","report":"daily","begin_date":"2026-01-01","end_date":"2026-06-30"}`,
			"counts"},
	} {
		whole := get(t, r.Set, test.tool, test.args)
		want := list(t, whole, test.column)
		for _, limit := range []int{4200, 7001} {
			var got []any
			pages := pagesOf(t, r.Set, test.tool, test.args, limit)
			for i, page := range pages {
				got = append(got, list(t, page, test.column)...)
				if i == 0 && page["total"] != float64(len(want)) {
					t.Errorf("%s %s: total %v of %d", test.tool, test.args, page["total"], len(want))
				}
			}
			if len(pages) < 2 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %s by %d: %d values in %d pages, want %d", test.tool, test.args, limit, len(got),
					len(pages), len(want))
				for i := range min(len(got), len(want)) {
					if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
						t.Logf("first other at %d: %v and %v, want %v", i, got[max(0, i-1)], got[i], want[i])
						break
					}
				}
			}
		}
	}
}

// TestSummaries compares summaries with the provider's rows.
func TestSummaries(t *testing.T) {
	r := simulated(t, nil)
	foot := func(v float64) float64 { return math.Round(v/0.3048*1000) / 1000 }
	t.Run("high_low", func(t *testing.T) {
		types := map[string]string{"HH": "higher_high", "H ": "high", "L ": "low", "LL": "lower_low"}
		rows := r.datagetter(t, "8443970", "high_low", "datum", "MLLW", "begin_date", "20261001",
			"end_date", "20261030")
		out := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"8443970","product":"high_low","begin_date":"2026-10-01","end_date":"2026-10-30","time_zone":"gmt"}`)
		got, seen := list(t, out, "rows"), map[any]bool{}
		if len(got) != len(rows) {
			t.Fatalf("%d rows of %d", len(got), len(rows))
		}
		for i, row := range rows {
			v, _ := valueOf(t, follow(row, "v"))
			seen[follow(row, "ty")] = true
			if !timeAt(t, got[i], "time").Equal(gmt(t, follow(row, "t"))) ||
				follow(got[i], "type") != types[fmt.Sprint(follow(row, "ty"))] ||
				!near(follow(got[i], "height"), foot(v), 0) {
				t.Errorf("row %d is %v, the provider has %v", i, got[i], row)
			}
		}
		if len(seen) != 4 {
			t.Errorf("types %v, want all four", seen)
		}
	})
	t.Run("daily_mean", func(t *testing.T) {
		rows := r.datagetter(t, "9087044", "daily_mean", "datum", "IGLD", "begin_date", "20261001",
			"end_date", "20261005", "time_zone", "lst")
		out := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"9087044","product":"daily_mean","datum":"IGLD","units":"metric","begin_date":"2026-10-01","end_date":"2026-10-05"}`)
		got := list(t, out, "rows")
		if len(rows) != 5 || len(got) != 5 {
			t.Fatalf("five days are %d rows, the provider has %d: %v", len(got), len(rows), got)
		}
		for i, row := range rows {
			v, _ := valueOf(t, follow(row, "v"))
			if want := fmt.Sprint(follow(row, "t")) + "T00:00:00-06:00"; follow(got[i], "time") != want ||
				follow(got[i], "type") != "mean" || !near(follow(got[i], "height"), v, 0) {
				t.Errorf("row %d is %v, want %v at %s", i, got[i], v, want)
			}
		}
		if !strings.Contains(fmt.Sprint(out["timeZone"]), "UTC-06:00") {
			t.Errorf("days in %v, want standard time", out["timeZone"])
		}
		_, err := call(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"8443970","product":"daily_mean"}`)
		if code(err) != coast.ProductUnavailable {
			t.Errorf("daily means at Boston: %v", err)
		}
	})
	t.Run("daily_max_min", func(t *testing.T) {
		out := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"8443970","product":"daily_max_min","begin_date":"2026-10-01","end_date":"2026-10-10","time_zone":"gmt"}`)
		type of struct{ what, of, ending string }
		want := map[string]any{}
		for _, item := range r.datagetter(t, "8443970", "daily_max_min", "datum", "MLLW",
			"begin_date", "20261001", "end_date", "20261010") {
			for name, k := range map[string]of{
				"dailyMax6Min": {"highest", "6-minute values", "6Min"}, "dailyMin6Min": {
					"lowest", "6-minute values", "6Min",
				},
				"dailyMaxHourly": {"highest", "hourly values", "Hourly"}, "dailyMinHourly": {
					"lowest", "hourly values", "Hourly",
				},
			} {
				days, _ := follow(item, name).([]any)
				for _, d := range days {
					v, _ := valueOf(t, follow(d, "value"+k.ending))
					complete, _ := valueOf(t, follow(d, "pcComplete"+k.ending))
					at := fmt.Sprint(follow(d, "date"+k.ending)) + "T" + fmt.Sprint(follow(d, "time"+k.ending)) +
						":00Z"
					want[at+k.what+k.of] = []any{foot(v), complete}
				}
			}
		}
		got := list(t, out, "rows")
		if len(got) != len(want) || len(got) != 40 {
			t.Errorf("%d rows of %d, want 40", len(got), len(want))
		}
		for _, row := range got {
			key := timeAt(t, row, "time").Format(time.RFC3339) + fmt.Sprint(follow(row, "type")) +
				fmt.Sprint(follow(row, "of"))
			if fmt.Sprint([]any{follow(row, "height"), follow(row, "complete")}) != fmt.Sprint(want[key]) {
				t.Errorf("%v, the provider has %v", row, want[key])
			}
		}
	})
	t.Run("monthly_mean", func(t *testing.T) {
		rows := r.datagetter(t, "8443970", "monthly_mean", "datum", "STND", "begin_date", "20260101",
			"end_date", "20260831")
		out := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"8443970","product":"monthly_mean","datum":"STND","begin_date":"2026-01-01","end_date":"2026-08-31"}`)
		got := list(t, out, "months")
		if len(rows) != 8 || len(got) != 8 || out["rows"] != nil {
			t.Fatalf("eight months are %d rows, the provider has %d", len(got), len(rows))
		}
		for i, row := range rows {
			if want := fmt.Sprintf("2026-%02d", i+1); follow(got[i], "month") != want {
				t.Errorf("row %d is of %v, want %s", i, follow(got[i], "month"), want)
			}
			for _, name := range []string{
				"highest", "MHHW", "MHW", "MSL", "MTL", "MLW", "MLLW", "DTL", "GT", "MN", "DHQ", "DLQ",
				"lowest",
			} {
				if v, has := valueOf(t, follow(row, name)); !has || !near(follow(got[i], name), foot(v), 0) {
					t.Errorf("%s of month %d is %v, the provider has %v m", name, i+1, follow(got[i], name),
						follow(row, name))
				}
			}
			for _, name := range []string{"HWI", "LWI"} {
				if v, has := valueOf(t, follow(row, name)); !has || !near(follow(got[i], name), v, 0) {
					t.Errorf("%s of month %d is %v, want %v hours", name, i+1, follow(got[i], name), v)
				}
			}
		}
		lake := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"9063020","product":"monthly_mean","datum":"IGLD","begin_date":"2026-01-01","end_date":"2026-01-31"}`)
		if follow(lake, "months.0.MSL") == nil || follow(lake, "months.0.MHHW") != nil ||
			follow(lake, "months.0.GT") != nil || follow(lake, "months.1") != nil {
			t.Errorf("a lake's month is %v, want its mean and nulls", lake["months"])
		}
		east := get(t, r.Set, "noaa_get_water_level_summaries",
			`{"station":"1631428","product":"monthly_mean","begin_date":"2026-03-01","end_date":"2026-04-30"}`)
		if follow(east, "months.0.month") != "2026-03" || follow(east, "months.1.month") != "2026-04" ||
			follow(east, "months.2") != nil {
			t.Errorf("March and April on Guam are %v", east["months"])
		}
	})
}

// TestCurrents compares observed currents with the provider's rows, bin by bin.
func TestCurrents(t *testing.T) {
	r := simulated(t, nil)
	knots := func(v float64) float64 { return math.Round(v*3600/185200*100) / 100 }
	for _, test := range []struct {
		station, args string
		query         []string
		bins          int
	}{
		{"cb0102", `"station":"cb0102"`, nil, 1},
		{"cb0102", `"station":"CB0102","bin":0`, []string{"bin", "0"}, 12},
		{"cb1401", `"station":"cb1401_7"`, []string{"bin", "7"}, 1},
		{"n03020", `"station":"n03020","bin":3`, []string{"bin", "3"}, 1},
	} {
		rows := r.datagetter(t, test.station, "currents",
			append(test.query, "begin_date", "20261118", "end_date", "20261119")...)
		for _, units := range []string{"metric", "english"} {
			out := get(t, r.Set, "noaa_get_currents",
				fmt.Sprintf(`{%s,"units":%q,"begin_date":"2026-11-18","end_date":"2026-11-19","time_zone":"gmt"}`,
					test.args, units))
			bins := list(t, out, "observed.bins")
			if len(bins) != test.bins || follow(out, "station.id") != test.station {
				t.Fatalf("%s: %d bins of %v, want %d", test.args, len(bins), follow(out, "station.id"),
					test.bins)
			}
			seen, empty := 0, 0
			for _, row := range rows {
				number, _ := valueOf(t, follow(row, "b"))
				for _, b := range bins {
					if follow(b, "bin") != number {
						continue
					}
					series := map[string]any{
						"start": follow(out, "observed.start"), "stepMinutes": follow(out, "observed.stepMinutes"),
						"speeds": follow(b, "speeds"), "directions": follow(b, "directions"),
					}
					at := gmt(t, follow(row, "t"))
					speed, ok := cell(t, series, "speeds", at)
					direction, _ := cell(t, series, "directions", at)
					v, has := valueOf(t, follow(row, "s"))
					d, _ := valueOf(t, follow(row, "d"))
					if units == "english" {
						v = knots(v)
					}
					seen++
					switch {
					case !has && ok && speed == nil && direction == nil:
						empty++
					case !has || !near(speed, v, 0) || !near(direction, d, 0):
						t.Errorf("%s bin %v at %v: %v toward %v, the provider has %v", test.args, number, at, speed,
							direction, row)
					}
				}
			}
			if seen != len(rows) || empty == 0 && test.bins > 1 {
				t.Errorf("%s: %d of %d rows returned, %d of them empty", test.args, seen, len(rows), empty)
			}
			if want := map[string]any{"metric": "cm/s", "english": "kn"}[units]; out["speedUnit"] != want ||
				out["directionUnit"] != "degrees true, toward" {
				t.Errorf("units %v, %v", out["speedUnit"], out["directionUnit"])
			}
		}
	}
}

// TestCurrentDepths checks that the depths of bins are those of the metadata service. If its
// request fails, the depths are missing and the currents are returned.
func TestCurrentDepths(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	r := simulated(t, nil)
	depths := map[any]float64{}
	document := r.raw(t, "/mdapi/prod/webapi/stations/cb0102/bins.json", "units", "metric")
	for _, b := range list(t, document, "bins") {
		depths[follow(b, "num")] = follow(b, "depth").(float64)
	}
	for units, foot := range map[string]float64{"metric": 1, "english": 0.3048} {
		out := get(t, r.Set, "noaa_get_currents",
			fmt.Sprintf(`{"station":"cb0102","bin":0,"units":%q}`, units))
		for i, b := range list(t, out, "observed.bins") {
			if follow(b, "bin") != float64(i+1) ||
				!near(follow(b, "depth"), depths[follow(b, "bin")]/foot, 0.05) {
				t.Errorf("bin %v is %v %v deep, want %v", follow(b, "bin"), follow(b, "depth"),
					out["depthUnit"], depths[follow(b, "bin")]/foot)
			}
		}
	}
	down := simulated(t, nil)
	get(t, down.Set, "noaa_get_currents", `{"station":"cb0102","range":1}`) // adds the station to the directory
	down.p.Fail("/mdapi/prod/webapi/stations/n03020/bins.json",
		provider.Fault{Kind: provider.Unavailable})
	out := get(t, down.Set, "noaa_get_currents", `{"station":"n03020","range":1}`)
	if follow(out, "observed.bins.0.depth") != nil || follow(out, "observed.bins.0.speeds") == nil ||
		!lacks(out, "depths", "") {
		t.Errorf("without the bins: %v, missing %v", follow(out, "observed.bins.0"), out["missing"])
	}
}

// TestCurrentsRefused checks the errors for stations, bins and times that the provider does
// not have.
func TestCurrentsRefused(t *testing.T) {
	r := simulated(t, nil)
	for _, test := range []struct {
		args string
		code coast.Code
		says string
	}{
		{`{"station":"cb0102","bin":99}`, coast.InvalidRequest, "bins 1, 2, 3"},
		{`{"station":"cb0102_x"}`, coast.InvalidRequest, "whole number"},
		{`{"station":"cb0102_3","bin":4}`, coast.InvalidRequest, "same as bin"},
		{`{"station":"8443970"}`, coast.ProductUnavailable, ""},
		{`{"station":"cb9999"}`, coast.StationNotFound, "cb9999"},
		{`{"station":"cb0102","begin_date":"2026-12-01"}`, coast.ProductUnavailable, "in the future"},
	} {
		if _, err := call(t, r.Set, "noaa_get_currents", test.args); code(err) != test.code ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %s with %q", test.args, err, test.code, test.says)
		}
	}
}

// TestCurrentsDetailed checks that echo and correlation of the beams are returned on request,
// each in its own column.
func TestCurrentsDetailed(t *testing.T) {
	var asked string
	r := served(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case q.URL.Path == "/mdapi/prod/webapi/stations/cb0102.json":
			fmt.Fprint(w, `{"count":1,"units":null,"stations":[{"project":"PORTS","id":"cb0102","name":"A Meter","lat":36.96,"lng":-76.01}],"self":null}`)
		case strings.HasSuffix(q.URL.Path, "/bins.json"):
			fmt.Fprint(w, `{"units":"meters","nbr_of_bins":1,"bin_size":1,"center_bin_1_dist":2,"real_time_bin":4,"bins":[{"num":4,"depth":null,"distance":5}],"self":null}`)
		case q.URL.Path == "/api/prod/datagetter":
			asked = q.URL.Query().Get("expand")
			fmt.Fprint(w, `{"metadata":{"id":"cb0102","name":"A Meter","lat":"36.96","lon":"-76.01"}, "data": [
{"t":"2026-11-20 16:03", "s":"51.4", "d":"294",  "b":"4", "echo1":"100","echo2":"101","echo3":"","echo4":"103","corr1":"70","corr2":"71","corr3":"72","corr4":"73"},
{"t":"2026-11-20 16:15", "s":"", "d":"",  "b":"4", "echo1":"90","echo2":"91","echo3":"92","echo4":"93","corr1":"60","corr2":"61","corr3":"62","corr4":"63"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	out := get(t, r.Set, "noaa_get_currents",
		`{"station":"cb0102","expand_detailed":true,"begin_date":"2026-11-20 16:00","range":1,"time_zone":"gmt"}`)
	b := follow(out, "observed.bins.0")
	if asked != "detailed" || fmt.Sprint(follow(b, "speeds")) != "[1 <nil> <nil>]" ||
		fmt.Sprint(follow(b, "echo")) != "[[100 101 <nil> 103] <nil> [90 91 92 93]]" ||
		fmt.Sprint(follow(b, "correlation")) != "[[70 71 72 73] <nil> [60 61 62 63]]" ||
		follow(b, "depth") != nil || follow(b, "bin") != 4.0 {
		t.Errorf("expand %q, got %v", asked, b)
	}
}

// liveExamples has valid calls of the tools that send requests to providers, and of tools
// whose results are larger if providers respond.
var liveExamples = []struct{ tool, args string }{
	{"noaa_get_water_levels", `{"station":"8443970","range":2}`},
	{"noaa_get_water_levels",
		`{"station":"9063020","datum":"IGLD","interval":"hourly","begin_date":"2026-10-01"}`},
	{"noaa_get_water_level_summaries", `{"station":"8443970","product":"high_low"}`},
	{"noaa_get_water_level_summaries",
		`{"station":"8443970","product":"daily_max_min","begin_date":"2026-10-01"}`},
	{"noaa_get_water_level_summaries", `{"station":"9063020","product":"monthly_mean","datum":"LWD"}`},
	{"noaa_get_currents", `{"station":"cb0102","bin":0,"range":1}`},
	{"noaa_get_meteorological_data", `{"station":"8443970","product":"all"}`},
	{"noaa_get_meteorological_data",
		`{"station":"8443970","product":"wind","range":3,"units":"metric"}`},
	{"nws_get_wind_forecast", `{"station":"8443970"}`},
	{"nws_get_wind_forecast", `{"latitude":44,"longitude":-68.1,"hours":12,"units":"metric"}`},
	{"nws_get_marine_forecast", `{"station":"8443970"}`},
	{"nws_get_marine_forecast", `{"latitude":43.55,"longitude":-69.6}`},
	{"noaa_get_station_sensors", `{"station":"8443970"}`},
	{"noaa_get_sea_level_trends", `{}`},
	{"noaa_get_sea_level_trends", `{"station":"8443970","scenarios":true}`},
	{"noaa_get_extreme_water_levels", `{"station":"8443970"}`},
	{"noaa_get_high_tide_flooding", `{"station":"8443970"}`},
	{"noaa_get_high_tide_flooding", `{"station":"8443970","report":"projections"}`},
	{"noaa_get_high_tide_flooding", `{"station":"8443970","report":"daily"}`},
	{"noaa_get_top_ten_water_levels", `{"station":"8443970"}`},
	{"noaa_get_top_ten_water_levels", `{"station":"8443970","analysis":"peaks"}`},
	{"noaa_get_station_datums", `{"station":"9063020"}`},
	{"noaa_get_station_flood_levels", `{"station":"8443970"}`},
	{"noaa_get_current_station_bins", `{"station":"cb0102"}`},
	{"noaa_get_current_predictions", `{"station":"EPT0003","bin":8}`},
	{"noaa_search_stations", `{"type":"met","limit":20}`},
	{"noaa_find_nearest_stations", `{"latitude":42.9,"longitude":-78.9,"type":"waterlevels"}`},
	{"noaa_get_station_info",
		`{"station":"9063020","expand":["details","sensors","floodlevels","products","notices","disclaimers","benchmarks","nearby"]}`},
	{"noaa_get_station_info", `{"station":"cb0102","expand":["bins","deployments"]}`},
}

// TestLiveExamples validates live results against their output schemas and checks their text. The
// JSON must equal that of encoding/json.
func TestLiveExamples(t *testing.T) {
	r := simulated(t, nil)
	called := map[string]bool{}
	for _, example := range liveExamples {
		called[example.tool] = true
		result, err := call(t, r.Set, example.tool, example.args)
		if err != nil {
			t.Errorf("%s %s: %v", example.tool, example.args, err)
			continue
		}
		body, err := result.Structured()
		if err != nil {
			t.Fatal(err)
		}
		if problem := conforms(resultSchema(t, toolNamed(t, r.Set, example.tool)), body); problem != nil {
			t.Errorf("%s %s: %v", example.tool, example.args, problem)
		}
		want, err := json.Marshal(result.Value)
		if err != nil || string(body) != string(want) {
			t.Errorf("%s %s: %v\n got %s\nwant %s", example.tool, example.args, err, body, want)
		}
		text, answer, err := result.Forms(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(body, &tree); err != nil {
			t.Fatal(err)
		}
		readable(t, example.tool+" "+example.args, string(text), tree)
		agreeing(t, example.tool+" "+example.args, string(text), answer, tree)
		frameOf(t, example.tool+" "+example.args, tree)
	}
	for _, tool := range r.Catalog() {
		if tool.Live && !called[tool.Name] {
			t.Errorf("%s has no example", tool.Name)
		}
	}
}

// frameOf checks the parts that every result has: sources with a provider, kind and age, and a
// reason for everything missing.
func frameOf(t testing.TB, name string, out any) {
	t.Helper()
	sources := list(t, out, "sources")
	if len(sources) == 0 {
		t.Errorf("%s: no source", name)
	}
	seen := map[any]bool{}
	for _, s := range sources {
		if seen[follow(s, "id")] {
			t.Errorf("%s: duplicate source %v", name, follow(s, "id"))
		}
		seen[follow(s, "id")] = true
		for _, field := range []string{
			"id", "label", "provider", "kind", "freshness", "attributionUrl", "receivedAt",
		} {
			if v, _ := follow(s, field).(string); v == "" {
				t.Errorf("%s: the source %v lacks %s", name, follow(s, "id"), field)
			}
		}
		if follow(s, "available") == true && follow(s, "freshness") == "unknown" &&
			follow(s, "ageMinutes") != nil ||
			follow(s, "available") == false && follow(s, "freshness") != "unknown" {
			t.Errorf("%s: the source %v", name, s)
		}
	}
	for _, m := range list(t, out, "missing") {
		if follow(m, "input") == "" || follow(m, "reason") == "" {
			t.Errorf("%s: missing %v", name, m)
		}
	}
}
