package noaa

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// document returns a body of testdata.
func document(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shown returns a value as JSON with sorted members, without nil and empty ones. Zeros are values
// and stay.
func shown(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var any any
	if err := json.Unmarshal(b, &any); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(pruned(any)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func pruned(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	case map[string]any:
		for key, inner := range v {
			if v[key] = pruned(inner); inner == nil || inner == "" {
				delete(v, key)
			}
		}
	}
	return v
}

// reading is a reader of bodies with a result of any type.
type reading func(body []byte) (any, error)

func all[T any](read func([]byte) (T, error)) reading {
	return func(body []byte) (any, error) { return read(body) }
}

// own returns a reader for the station of the documents.
func own[T any](read func([]byte, string) (T, error)) reading {
	return func(body []byte) (any, error) { return read(body, "8410999") }
}

func currentIn(bin int) reading {
	return func(body []byte) (any, error) { return readCurrentHarmonics(body, bin) }
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		name string
		read reading
		want string
	}{
		{"meta_stations_tides", all(readStations),
			`[{"GreatLakes":false,"ID":"8410001","Latitude":44.9012,"Longitude":-67.0045,"Name":"Leighton Cove, \"The Gut\"","Offset":-5,"Reference":"8410140","State":"ME","Tidal":false,"Type":"S"},` +
				`{"GreatLakes":false,"ID":"TEC0001","Latitude":-8.5,"Longitude":179.25,"Name":"Somewhere Atoll","Offset":12,"Tidal":false,"Type":"R"}]`},
		{"meta_stations_currents", all(readStations),
			`[{"Bin":14,"Depth":4.57,"DepthType":"S","GreatLakes":false,"ID":"XYZ0101","Latitude":44.1,"Longitude":-68.2,"Name":"North Reach","Tidal":false,"Type":"H"},` +
				`{"Bin":3,"Depth":12,"DepthType":"S","GreatLakes":false,"ID":"XYZ0101","Latitude":44.1,"Longitude":-68.2,"Name":"North Reach","Tidal":false,"Type":"H"},` +
				`{"Bin":1,"DepthType":"U","GreatLakes":false,"ID":"XYZ0102","Latitude":44.2,"Longitude":-68.3,"Name":"Back Eddy","Tidal":false,"Type":"W"}]`},
		{"meta_station", all(readStations),
			`[{"Affiliations":"NWLON","FloodDays":true,"GreatLakes":false,"ID":"8410999","Latitude":44.25,"Longitude":-68.125,"Name":"Pilot Wharf","ObservesDST":true,"Offset":-5,"State":"ME","Tidal":true,"TideType":"Mixed","ZoneName":"EST"}]`},
		{"meta_station", own(readStation),
			`{"Affiliations":"NWLON","FloodDays":true,"GreatLakes":false,"ID":"8410999","Latitude":44.25,"Longitude":-68.125,"Name":"Pilot Wharf","ObservesDST":true,"Offset":-5,"State":"ME","Tidal":true,"TideType":"Mixed","ZoneName":"EST"}`},
		{"meta_station_current_meter", all(readStations),
			`[{"Deployed":"2021-04-05T16:00:00Z","GreatLakes":false,"ID":"pb0101","Latitude":44.4,"Longitude":-68.8,"Name":"Penobscot LB 3","ObservesDST":true,"Offset":-5,"Project":"Penobscot Bay PORTS","Tidal":false}]`},
		{"meta_details", all(readDetails),
			`{"Chart":"13302","Established":"1931-07-02T00:00:00Z","Meridian":-75,"Offset":-5,"Origin":"1994-05-06T12:30:00Z"}`},
		{"meta_sensors", all(readSensors),
			`[{"DCP":1,"Datum":"MSL","Elevation":5.25,"ID":"F1","Name":"Barometric Pressure","Status":1},{"DCP":4,"ID":"Y1","Message":"out for repair","Name":"Microwave WL","Status":0}]`},
		{"meta_floodlevels", all(readFloodLevels),
			`{"NOSMajor":5.2,"NOSMinor":4.521,"NOSModerate":4.79,"NWSMinor":4.5}`},
		{"meta_datums", all(readDatums),
			`{"Accepted":"May 03 2004","Analysis":["01/01/1983 - 12/31/2001"],"Control":"8410140 EASTPORT","Epoch":"1983-2001","LAT":{"DayOnly":false,"Height":0.5,"Time":"2032-02-12T20:18:00Z"},` +
				`"Levels":[{"Description":"Station Datum","Name":"STND","Value":0},{"Description":"Mean Higher-High Water","Name":"MHHW","Value":4},{"Description":"Great Diurnal Range","Name":"GT","Value":3},{"Description":"Mean Lower-Low Water","Name":"MLLW","Value":1},{"Description":"Greenwich High Water Interval (in hours)","Name":"HWI","Value":3.75}],` +
				`"Max":{"DayOnly":false,"Height":5.5,"Time":"0001-01-01T00:00:00Z"},"Min":{"DayOnly":true,"Height":-0.25,"Time":"1976-02-02T00:00:00Z"},"Orthometric":"NAVD88"}`},
		{"meta_datums_feet", all(readDatums),
			`{"Accepted":"May 03 2004","Analysis":["01/01/1983 - 12/31/2001"],"Control":"8410140 EASTPORT","Epoch":"1983-2001","LAT":{"DayOnly":false,"Height":1.524,"Time":"2032-02-12T20:18:00Z"},` +
				`"Levels":[{"Description":"Station Datum","Name":"STND","Value":0},{"Description":"Mean Higher-High Water","Name":"MHHW","Value":12.192},{"Description":"Great Diurnal Range","Name":"GT","Value":9.144},{"Description":"Mean Lower-Low Water","Name":"MLLW","Value":3.048},{"Description":"Greenwich High Water Interval (in hours)","Name":"HWI","Value":3.75}],` +
				`"Max":{"DayOnly":false,"Height":16.764,"Time":"0001-01-01T00:00:00Z"},"Min":{"DayOnly":true,"Height":-0.762,"Time":"1976-02-02T00:00:00Z"},"Orthometric":"NAVD88"}`},
		{"meta_harcon", all(readHarmonics),
			`[{"Amplitude":1.25,"Comments":"Five years, 2001-2005.","Description":"Principal lunar semidiurnal constituent","Name":"M2","Number":1,"Phase":98.5,"Speed":28.984104},` +
				`{"Amplitude":0,"Description":"Shallow water overtides of principal solar constituent","Name":"S6","Number":12,"Phase":0,"Speed":90}]`},
		{"meta_harcon_current", currentIn(14), currentHarmonics},
		{"meta_harcon_current_metric", currentIn(14),
			strings.Replace(currentHarmonics, `"Amplitude":2.5`, `"Amplitude":2.4999999999999996`, 1)},
		{"meta_tidepredoffsets", all(readTideOffsets),
			`{"Fixed":false,"High":0.96,"HighMinutes":-9,"Low":1.02,"LowMinutes":14,"Reference":"8410140","Type":"S"}`},
		{"meta_currentpredictionoffsets", all(readCurrentOffsets),
			`{"Ebb":-62,"EbbDirection":171,"EbbRatio":0.4,"Flood":-70,"FloodDirection":338,"FloodRatio":0.3,"Reference":"XYZ0101","ReferenceBin":14,"SlackBeforeEbb":24,"SlackBeforeFlood":-36}`},
		{"meta_bins", all(readBins),
			`{"Bins":[{"Distance":6,"Number":1},{"Depth":3.5,"Distance":10.01,"Number":2}],"Count":2,"First":6,"RealTime":2,"Size":4}`},
		{"meta_deployments", all(readDeployments),
			`{"Deployments":[{"Beams":2,"Frequency":250,"From":"2021-04-05T16:00:00Z","Instrument":"Sontek ADP/Nortek AWAC","Latitude":44.4,"Longitude":-68.8,"Serial":"C624"},` +
				`{"Beams":3,"Frequency":500,"From":"2019-04-05T00:00:00Z","Instrument":"Sontek ADP/Nortek AWAC","Latitude":44.4,"Longitude":-68.8,"RealTimeBin":2,"Serial":"*2","To":"2021-04-05T15:00:00Z"}],` +
				`"Depth":12.5,"FloodDirection":310,"Height":4,"MeasuredDepth":12.5,"Orientation":"side","SensorDepth":8.5}`},
		{"meta_products", all(readProducts),
			`[{"Name":"Water Levels","URL":"https://tidesandcurrents.noaa.gov/waterlevels.html?id=8410999"},{"Name":"Reports"}]`},
		{"meta_notices", all(readNotices("notices")),
			`[{"Name":"Outage","Text":"<b>Water levels</b> are <a href=\"https://tidesandcurrents.noaa.gov/\">out</a>."}]`},
		{"meta_disclaimers", all(readNotices("disclaimers")), `[{"Text":"Ice may stop the gauge."}]`},
		{"meta_benchmarks", all(readBenchmarks),
			`[{"Agency":"National Ocean Service (NOS)","Condition":"Good","Description":"A disk,  set in a ledge.","Designation":"841 0999 A","Established":"1931-07-02","Latitude":44.25,"Longitude":-68.125,"Monument":"Tidal Station disk","PID":"PD0001","Published":true,"Setting":"Ledge","Stamping":"0999 A 1931"}]`},
		{"meta_nearby", all(readNearby),
			`[{"ID":"8410999","Kilometers":0,"Kind":"Water Level,Meteorological","Latitude":44.25,"Longitude":-68.125,"Name":"Pilot Wharf, ME"},{"ID":"8410998","Kilometers":16.09344,"Kind":"Meteorological","Latitude":44.25,"Longitude":-68.3136792,"Name":"Far Light, ME"}]`},
	} {
		got, err := c.read(document(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := shown(t, got); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

const currentHarmonics = `{"Azimuth":92.5,"Bin":14,"Constituents":[{"Amplitude":2.5,"Description":"Lunar","Name":"M2","Number":1,"Phase":241.25,"Speed":0},{"Amplitude":0.75,"Description":"Lunar","Name":"K1","Number":4,"Phase":100,"Speed":0}],` +
	`"Depth":6.096,"MeanMajor":-0.5,"MeanMinor":0.25,"Minor":[{"Amplitude":0.125,"Description":"Lunar","Name":"M2","Number":1,"Phase":10.5,"Speed":0}]}`

// metadataReaders lists all readers of the metadata service.
var metadataReaders = map[string]reading{
	"stations": all(readStations), "station": own(readStation), "details": all(readDetails),
	"sensors":      all(readSensors),
	"flood levels": all(readFloodLevels), "datums": all(readDatums), "harmonics": all(readHarmonics),
	"current harmonics": currentIn(14),
	"tide offsets":      all(readTideOffsets), "current offsets": all(readCurrentOffsets),
	"bins":        all(readBins),
	"deployments": all(readDeployments), "products": all(readProducts),
	"notices":    all(readNotices("notices")),
	"benchmarks": all(readBenchmarks), "nearby": all(readNearby),
}

// TestNoForm checks that texts that are not documents are rejected.
func TestNoForm(t *testing.T) {
	for _, readers := range []map[string]reading{metadataReaders, derivedReaders} {
		for name, read := range readers {
			for _, body := range []string{"", " ", "{", "{}", "[]", "7", `"x"`, `{"other": 1}`,
				`{"count": 0}`, "<html>", "null null", `{"a": nul}`, `{"units":`, `{"stations": [{"id":`,
				`{"stations":`} {
				if got, err := read([]byte(body)); err == nil || err == errNoData {
					t.Errorf("%s of %q: %v, %v; want an unknown format", name, body, got, err)
				}
			}
			if _, err := read([]byte("null")); err != errNoData {
				t.Errorf("%s of null: %v, want %v", name, err, errNoData)
			}
		}
	}
}

// TestNothing reads responses without data.
func TestNothing(t *testing.T) {
	for _, c := range []struct {
		read reading
		body string
	}{
		{all(readStations), `{"count": 0, "units": null, "stations": [], "self": null}`},
		{all(readDetails),
			`{"id": null, "established": null, "removed": "", "noaachart": null, "timemeridian": null, "timezone": null, "origyear": "", "self": null}`},
		{all(readSensors), `{"units": "meters", "sensors": null, "self": "x"}`},
		{all(readSensors), `{"units": null, "sensors": [], "self": null}`},
		{all(readFloodLevels),
			`{"nos_minor": null, "nos_moderate": null, "nos_major": null, "nws_minor": null, "nws_moderate": null, "nws_major": null, "action": null}`},
		{all(readDatums), string(document(t, "meta_datums_none"))},
		{all(readHarmonics), `{"units": "feet", "HarmonicConstituents": [], "self": "x"}`},
		{currentIn(2), `{"units": "meters, centimeters/second", "HarmonicConstituents": []}`},
		{currentIn(2), string(document(t, "meta_harcon_current"))}, // of another bin
		{all(readTideOffsets),
			`{"refStationId": null, "type": null, "heightOffsetHighTide": null, "heightAdjustedType": null}`},
		{all(readCurrentOffsets),
			`{"id": "X", "refStationId": "", "refStationBin": null, "meanFloodDir": null}`},
		{all(readBins), `{"units":null,"nbr_of_bins":0,"bin_size":null,"center_bin_1_dist":null,"real_time_bin":null,"bins":null,"self":null}`},
		{all(readDeployments), `{"units": null, "deployments": []}`},
		{all(readProducts), `{"products": null}`},
		{all(readNotices("notices")), `{"notices": []}`},
		{all(readBenchmarks), `{"benchmarks": [], "to_reach": null}`},
		{all(readNearby), `{"count": 0, "stations": []}`},
	} {
		if got, err := c.read([]byte(c.body)); err != errNoData {
			t.Errorf("%s: %v, %v; want %v", c.body, got, err, errNoData)
		}
	}
}

// TestTolerance reads one value in all representations that the services use.
func TestTolerance(t *testing.T) {
	for _, c := range []struct{ raw, want string }{ // of number, integer, flag and text
		{`1`, `[1,1,true,"1"]`}, {`"1"`, `[1,1,true,"1"]`}, {`" 1 "`, `[1,1,true,"1"]`},
		{`1.0`, `[1,1,true,"1.0"]`},
		{`0`, `[0,0,false,"0"]`}, {`"0"`, `[0,0,false,"0"]`}, {`null`, `[null,null,null,""]`},
		{`""`, `[null,null,null,""]`},
		{`"  "`, `[null,null,null,""]`}, {`"null"`, `[null,null,null,""]`},
		{`1.5`, `[1.5,"fault","fault","1.5"]`},
		{`-3e2`, `[-300,-300,"fault","-3e2"]`}, {`true`, `["fault","fault",true,"true"]`},
		{`"False"`, `["fault","fault",false,"False"]`},
		{`"YES"`, `["fault","fault",true,"YES"]`}, {`"no"`, `["fault","fault",false,"no"]`},
		{`"NaN"`, `["fault","fault","fault","NaN"]`},
		{`"Infinity"`, `["fault","fault","fault","Infinity"]`},
		{`1e999`, `["fault","fault","fault","1e999"]`}, {`"0x1p4"`, `["fault","fault","fault","0x1p4"]`},
		{`1e12`, `[1000000000000,"fault","fault","1e12"]`},
		{`-1e16`, `["fault","fault","fault","-1e16"]`}, {`[]`, `["fault","fault","fault","fault"]`},
		{`{"a": 1}`, `["fault","fault","fault","fault"]`},
		{`"caf\u00e9 \"x\""`, `["fault","fault","fault","café \"x\""]`},
	} {
		body := []byte(`{"ODD_Key": ` + c.raw + `}`)
		try := func(get func(r *record) any) any {
			r := openDocument(body)
			if v := get(r); r.err == nil {
				return v
			}
			return "fault"
		}
		got := []any{
			try(func(r *record) any { return r.number("oddkey") }),
			try(func(r *record) any { return r.integer("oddKey") }),
			try(func(r *record) any { return r.flag("odd_key") }),
			try(func(r *record) any { return r.text("other", "oddKey") }),
		}
		b, err := json.Marshal(got)
		if err != nil || string(b) != c.want {
			t.Errorf("%s is %s, %v; want %s", c.raw, b, err, c.want)
		}
	}
}

// TestFaults reads documents with one invalid value.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"meta_station", `"lat": 44.25`, `"lat": 95`},
		{"meta_station", `"lng": -68.125`, `"lng": -268.125`},
		{"meta_station", `"id": "8410999"`, `"id": ""`},
		{"meta_station", `"id": "8410999"`, `"id": "8410998"`},
		{"meta_station", `"lat": 44.25`, `"lat": null`},
		{"meta_station", `"observedst": true`, `"observedst": "perhaps"`},
		{"meta_details", `1931-07-02`, `02.07.1931`}, {"meta_details", `1931-07-02`, `1931-02-30`},
		{"meta_sensors", `"meters"`, `"fathoms"`}, {"meta_sensors", `5.25`, `"high"`},
		{"meta_sensors", `"sensorID": "F1"`, `"sensorID": null`},
		{"meta_floodlevels", `4.521`, `"NaN"`}, {"meta_floodlevels", `4.521`, `{"value": 4.521}`},
		{"meta_datums", `"20320212"`, `"20321312"`}, {"meta_datums", `"20:18"`, `"24:18"`},
		{"meta_datums", `"meters"`, `"yards"`},
		{"meta_datums", `"DatumAnalysisPeriod": [`, `"DatumAnalysisPeriod": "1983-2001", "x": [`},
		{"meta_datums", `"value": 1`, `"value": "one"`},
		{"meta_datums", `"name": "MHHW"`, `"nom": "MHHW"`},
		{"meta_harcon", `"amplitude": 1.25`, `"amplitude": null`},
		{"meta_harcon", `"name": "M2"`, `"name": null`},
		{"meta_harcon", `"HarmonicConstituents": [`, `"HarmonicConstituents": [1, `},
		{"meta_harcon_current", `"feet, knots"`, `"feet, furlongs"`},
		{"meta_harcon_current", `"binNbr": 14`, `"binNbr": null`},
		{"meta_tidepredoffsets", `"heightAdjustedType": "R"`, `"heightAdjustedType": "Q"`},
		{"meta_tidepredoffsets", `"timeOffsetLowTide": 14`, `"timeOffsetLowTide": 14.5`},
		{"meta_tidepredoffsets", `"refStationId": "8410140"`, `"refStationId": ""`},
		{"meta_currentpredictionoffsets", `0.3`, `null`},
		{"meta_bins", `"num": 2`, `"num": "two"`}, {"meta_bins", `"bins": [`, `"bins": {"a": [`},
		{"meta_deployments", `"deployed": "2021`, `"begun": "2021`},
		{"meta_products", `"name": "Water`, `"title": "Water`},
		{"meta_notices", `"notices": [`, `"notices": "none", "x": [`},
		{"meta_nearby", `"distance": 10.0`, `"distance": null`},
	} {
		read := readerOf(c.name)
		body := string(document(t, c.name))
		if !strings.Contains(body, c.old) {
			t.Errorf("%s does not contain %s", c.name, c.old)
		}
		if got, err := read([]byte(strings.Replace(body, c.old, c.new, 1))); err == nil ||
			err == errNoData {
			t.Errorf("%s with %s: %v, %v; want an unknown format", c.name, c.new, got, err)
		}
	}
}

func readerOf(name string) reading {
	return map[string]reading{
		"meta_station": own(readStation), "meta_details": all(readDetails),
		"meta_sensors":     all(readSensors),
		"meta_floodlevels": all(readFloodLevels), "meta_datums": all(readDatums),
		"meta_harcon":         all(readHarmonics),
		"meta_harcon_current": currentIn(14), "meta_tidepredoffsets": all(readTideOffsets),
		"meta_currentpredictionoffsets": all(readCurrentOffsets), "meta_bins": all(readBins),
		"meta_deployments": all(readDeployments),
		"meta_products":    all(readProducts), "meta_notices": all(readNotices("notices")),
		"meta_nearby": all(readNearby),
	}[name]
}

// served is a response of the test server.
type served struct {
	status int
	body   string
}

// serving starts a server with responses by path and query, which counts the requests.
func serving(t *testing.T, outcomes map[string]served) (*Client, map[string]int) {
	t.Helper()
	requests := map[string]int{} // which are sequential
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := r.URL.RequestURI()
		requests[address]++
		a, ok := outcomes[address]
		if !ok {
			t.Errorf("unexpected request: %s", address)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		w.Write([]byte(a.body))
	}))
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Config{Provider: coast.COOPS, UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close() })
	return New(server.URL, up, func() time.Time { return at(t, "2026-09-27 12:00") }), requests
}

// operation is a call of a client.
type operation func(context.Context, *Client) (any, error)

func ofStation[T any](
	get func(*Client, context.Context, string) (upstream.Value[T], error),
) operation {
	return func(ctx context.Context, c *Client) (any, error) {
		v, err := get(c, ctx, "8410999")
		return v.Data, err
	}
}

// TestMetadataURLs requests each document, and checks its URL.
func TestMetadataURLs(t *testing.T) {
	const root = "/mdapi/prod/webapi/stations"
	for _, c := range []struct {
		address, body string
		get           operation
	}{
		{root + ".json?type=tidepredictions&units=metric", "meta_stations_tides",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.Stations(ctx, "tidepredictions"))
			}},
		{root + ".json?units=metric", "meta_station",
			func(ctx context.Context, c *Client) (any, error) { return dataOf(c.Stations(ctx, "")) }},
		{root + "/8410999.json?units=metric", "meta_station", ofStation((*Client).Station)},
		{root + "/8410999/details.json?units=metric", "meta_details", ofStation((*Client).Details)},
		{root + "/8410999/sensors.json?units=metric", "meta_sensors", ofStation((*Client).Sensors)},
		{root + "/8410999/floodlevels.json?units=metric", "meta_floodlevels",
			ofStation((*Client).FloodLevels)},
		{root + "/8410999/datums.json?units=metric", "meta_datums", ofStation((*Client).Datums)},
		{root + "/8410999/supersededdatums.json?units=metric", "meta_datums",
			ofStation((*Client).SupersededDatums)},
		{root + "/8410999/harcon.json?units=metric", "meta_harcon", ofStation((*Client).Harmonics)},
		{root + "/XYZ0101/harcon.json?bin=14&units=english", "meta_harcon_current",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.CurrentHarmonics(ctx, "XYZ0101", 14))
			}},
		{root + "/8410999/tidepredoffsets.json?units=metric", "meta_tidepredoffsets",
			ofStation((*Client).TideOffsets)},
		{root + "/XYZ0103_1/currentpredictionoffsets.json?units=metric", "meta_currentpredictionoffsets",
			func(ctx context.Context, c *Client) (any, error) {
				return dataOf(c.CurrentOffsets(ctx, "XYZ0103", 1))
			}},
		{root + "/8410999/bins.json?units=metric", "meta_bins", ofStation((*Client).Bins)},
		{root + "/8410999/deployments.json?units=metric", "meta_deployments",
			ofStation((*Client).Deployments)},
		{root + "/8410999/products.json?units=metric", "meta_products", ofStation((*Client).Products)},
		{root + "/8410999/notices.json?units=metric", "meta_notices", ofStation((*Client).Notices)},
		{root + "/8410999/disclaimers.json?units=metric", "meta_disclaimers",
			ofStation((*Client).Disclaimers)},
		{root + "/8410999/benchmarks.json?units=metric", "meta_benchmarks",
			ofStation((*Client).Benchmarks)},
		{root + "/8410999/nearby.json?units=metric", "meta_nearby", ofStation((*Client).Nearby)},
	} {
		client, requests := serving(t, map[string]served{c.address: {200, string(document(t, c.body))}})
		for range 2 { // the second time from the cache
			if _, err := c.get(t.Context(), client); err != nil {
				t.Errorf("%s: %v", c.address, err)
			}
		}
		if requests[c.address] != 1 {
			t.Errorf("%s: %d requests, want 1", c.address, requests[c.address])
		}
	}
}

// TestCurrentDirections reads the document of a reference station, in which only the directions
// are set, and rejects others.
func TestCurrentDirections(t *testing.T) {
	for body, want := range map[string]string{
		`{"refStationId":"XYZ0101","refStationBin":14,"meanFloodDir":260.0,"meanEbbDir":90.0,"mfcTimeAdjMin":null}`: `{"Flood":260,"Ebb":90}`,
		`{"refStationId":null,"meanFloodDir":260.0,"meanEbbDir":null}`:                                              `{"Flood":260,"Ebb":null}`,
		`{"refStationId":null,"meanFloodDir":null,"meanEbbDir":null}`:                                               "",
		`{"refStationId":null}`:                         "",
		`{"meanFloodDir":"north","meanEbbDir":"south"}`: "",
	} {
		got, err := readCurrentDirections([]byte(body))
		text, _ := json.Marshal(got)
		if (err == nil) != (want != "") || err == nil && string(text) != want {
			t.Errorf("%s: %s, %v, want %s", body, text, err, want)
		}
	}
}

// TestRecent checks that a client of recent documents requests an older one again, even if it is
// fresh for others.
func TestRecent(t *testing.T) {
	const address = "/mdapi/prod/webapi/stations/8410999/harcon.json?units=metric"
	client, requests := serving(
		t, map[string]served{address: {200, string(document(t, "meta_harcon"))}})
	for i, c := range []*Client{client, client, client.Recent(time.Hour),
		client.Recent(time.Nanosecond)} {
		if _, err := c.Harmonics(t.Context(), "8410999"); err != nil {
			t.Fatal(err)
		}
		if want := max(1, i-1); requests[address] != want {
			t.Errorf("call %d: %d requests, want %d", i, requests[address], want)
		}
	}
}

// TestCurrentHarmonicsOfNoBin checks that no request is sent without the number of a bin.
func TestCurrentHarmonicsOfNoBin(t *testing.T) {
	client, requests := serving(t, map[string]served{})
	for _, bin := range []int{0, -1} {
		if h, err := client.CurrentHarmonics(t.Context(), "XYZ0101", bin); err == nil ||
			h.Data.Constituents != nil {
			t.Errorf("bin %d: %+v, %v, want an error", bin, h.Data, err)
		}
	}
	if len(requests) > 0 {
		t.Errorf("requests: %v", requests)
	}
}

func dataOf[T any](v upstream.Value[T], err error) (any, error) { return v.Data, err }

// TestRefusals checks the errors for all known responses without data.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const station, sensors = "/mdapi/prod/webapi/stations/8410999.json?units=metric",
		"/mdapi/prod/webapi/stations/8410999/sensors.json?units=metric"
	const trends = "/dpapi/prod/webapi/product/sealvltrends.json?station=8410999&units=metric"
	noStation := `{"errorMsg":"No station was found for id 8410999","errorCode":404}`
	trend := func(ctx context.Context, c *Client) (
		any, error) {
		return dataOf(c.Trends(ctx, "8410999"))
	}
	for _, c := range []struct {
		address  string
		response served
		get      operation
		code     coast.Code
		words    string
	}{
		{station, served{404, noStation}, ofStation((*Client).Station), coast.StationNotFound, "8410999"},
		{station, served{404, ""}, ofStation((*Client).Station), coast.StationNotFound, "8410999"},
		{station, served{200, noStation}, ofStation((*Client).Station), coast.StationNotFound, "8410999"},
		{station, served{200, `{"count": 0, "stations": []}`}, ofStation((*Client).Station),
			coast.StationNotFound, "8410999"},
		{station, served{404, "<html>gone</html>"}, ofStation((*Client).Station),
			coast.ProviderUnavailable, ""},
		{station, served{400, `{"errorMsg":"Bad units","errorCode":400}`}, ofStation((*Client).Station),
			coast.ProviderUnavailable, ""},
		{station, served{200, `{"errorMsg":"Internal","errorCode":500}`}, ofStation((*Client).Station),
			coast.ProviderUnavailable, ""},
		{station, served{200, string(document(t, "meta_station_current_meter"))},
			ofStation((*Client).Station), coast.ProviderUnavailable, ""},
		{sensors, served{404, noStation}, ofStation((*Client).Sensors), coast.StationNotFound, "8410999"},
		{sensors, served{404, ""}, ofStation((*Client).Sensors), coast.ProductUnavailable,
			"NOAA lists no sensors for 8410999"},
		{sensors, served{200, `{"units":null,"sensors":[],"self":null}`}, ofStation((*Client).Sensors),
			coast.ProductUnavailable, "NOAA lists no sensors for 8410999"},
		{sensors, served{200, `{"units":null}`}, ofStation((*Client).Sensors), coast.ProviderUnavailable,
			""},
		{trends, served{200, `{"count":0,"SeaLvlTrends":[]}`}, trend, coast.ProductUnavailable,
			"NOAA lists no sea level trends for 8410999"},
		{trends, served{200, `{"error":{"message":" There is nothing here. "}}`}, trend,
			coast.ProductUnavailable, `NOAA says: "There is nothing here."`},
		{trends, served{400, `{"error":{"message":"There is no NAVD for the station: 8410999"}}`}, trend,
			coast.DatumUnavailable, "NAVD"},
		{trends, served{400, `{"error":"Wrong Station ID"}`}, trend, coast.StationNotFound,
			"Wrong Station ID"},
		{trends, served{404, ""}, trend, coast.ProductUnavailable, "sea level trends"},
		{trends, served{403, "denied"}, trend, coast.ProviderUnavailable, ""},
		{trends, served{200, ""}, trend, coast.ProviderUnavailable, ""},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel() // most pause before they try again
			client, _ := serving(t, map[string]served{c.address: c.response})
			got, err := c.get(t.Context(), client)
			e, ok := errors.AsType[*coast.Error](err)
			if !ok || e.Code != c.code || !strings.Contains(e.Message, c.words) {
				t.Errorf("%d %s:\n got %v, %v\nwant %s %q", c.response.status, c.response.body, got, err,
					c.code, c.words)
			}
		})
	}
}

// TestIdsStayInTheirPlace checks that ids with special characters do not change the path.
func TestIdsStayInTheirPlace(t *testing.T) {
	const address = "/mdapi/prod/webapi/stations/..%2Fx%3Fy=1/sensors.json?units=metric"
	client, requests := serving(t, map[string]served{address: {404, ""}})
	if _, err := client.Sensors(t.Context(), "../x?y=1"); err == nil || requests[address] != 1 {
		t.Errorf("%v, requests %v", err, requests)
	}
}

// TestLatin1 reads a body in the encoding that the service once declared.
func TestLatin1(t *testing.T) {
	const address = "/mdapi/prod/webapi/stations/8410999.json?units=metric"
	body := strings.Replace(string(document(t, "meta_station")), "Pilot Wharf", "Ca\xf1on", 1)
	client, _ := serving(t, map[string]served{address: {200, body}})
	if v, err := client.Station(t.Context(), "8410999"); err != nil || v.Data.Name != "Cañon" {
		t.Errorf("%q, %v; want Cañon", v.Data.Name, err)
	}
}

// TestClasses checks the caching classes.
func TestClasses(t *testing.T) {
	const hour, days = time.Hour, 24 * time.Hour
	want := upstream.Class{Fresh: 24 * hour, Expiry: 180 * days, Negative: 5 * time.Minute}
	if got := newDocumentQuery("x", "datums", "datums").class; got != want {
		t.Errorf("class of documents %v, want %v", got, want)
	}
	want = newDocumentQuery("x", "", "").class
	if got := newProductQuery(derived.FloodYears, "x").class; got != want {
		t.Errorf("class of derived products %v, want %v", got, want)
	}
}
