package providers

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestPlanningAgrees compares the routes for planning with the arguments of the prediction
// tool, whose results have one more field.
func TestPlanningAgrees(t *testing.T) {
	server := product.Mounted(t)
	const windows, ranks = "/api/planning/tide-windows?limit=400&", "/api/planning/tide-ranks?"
	const places, tool = "/api/planning/places?", "noaa_get_tide_predictions"
	const transits, day = "/api/planning/transits?", "/api/planning/day?"
	for _, test := range []struct{ path, args string }{
		{windows + "station=9414131&below=0&light=daylight",
			`{"station":"9414131","below":0,"light":"daylight"}`},
		{windows + "place=Half+Moon+Bay,+CA&below=0", `{"place":"Half Moon Bay, CA","below":0}`},
		{windows + "place=Nowhere+at+all&below=0", `{"place":"Nowhere at all","below":0}`},
		{windows + "station=8557863&above=1&units=metric&time_zone=gmt&begin_date=2026-12-30&range=96",
			`{"station":"8557863","above":1,"units":"metric","time_zone":"gmt",` +
				`"begin_date":"2026-12-30","range":96}`},
		{windows + "station=8443970&below=0&datum=MSL&light=moonlit&date=tomorrow",
			`{"station":"8443970","below":0,"datum":"MSL","light":"moonlit","date":"tomorrow"}`},
		{windows + "station=8443970&below=0&datum=CRD", `{"station":"8443970","below":0,"datum":"CRD"}`},
		{windows + "station=9063020&below=0", `{"station":"9063020","below":0}`},
		{windows + "station=ACT0091&below=0", `{"station":"ACT0091","below":0}`},
		{ranks + "station=8443970&what=highest&limit=3&begin_date=2027-01-01&end_date=2027-12-31",
			`{"station":"8443970","type":"high","top":3,"begin_date":"2027-01-01",` +
				`"end_date":"2027-12-31"}`},
		{ranks + "station=8557863&limit=7&light=dark&datum=MLLW&units=metric",
			`{"station":"8557863","type":"low","top":7,"light":"dark","datum":"MLLW","units":"metric"}`},
		{places + "query=portland", `{"query":"portland"}`},
		{places + "query=94019&limit=1", `{"query":"94019","limit":1}`},
		{places + "query=Xyzzyvale", `{"query":"Xyzzyvale"}`},
		{places + "query=+", `{"query":" "}`},
		{ranks + "place=Portland", `{"place":"Portland","type":"low","top":10}`},
		{transits + "station=PUG1701&distance=1.5&speed=6&direction=with_flood&light=daylight",
			`{"station":"PUG1701","distance":1.5,"speed":6,"direction":"with_flood","light":"daylight"}`},
		{transits + "station=PUG1701&distance=3&speed=6", `{"station":"PUG1701","distance":3,"speed":6}`},
		{day + "place=Boston&date=2026-11-26", `{"place":"Boston","date":"2026-11-26"}`},
		{day + "station=8443970&include=tides,decision", `{"station":"8443970",` +
			`"include":["tides","decision"]}`},
	} {
		tool := tool
		for prefix, other := range map[string]string{
			places: "leadline_find_places", transits: "leadline_plan_transit", day: "leadline_get_day",
		} {
			if strings.HasPrefix(test.path, prefix) {
				tool = other
			}
		}
		var got, want map[string]any
		product.Decode(t, product.OverREST(t, server.URL+test.path), &got)
		result := product.OverMCPAt(t, server.URL+"/mcp?toolsets=core,planning&view=full", tool,
			test.args)
		product.Decode(t, product.InRoutes(result), &want)
		for _, own := range []string{"interval", "what", "light"} { // they belong to one of the two
			delete(want, own)
			delete(got, own)
		}
		if got["rateUnit"] == nil {
			delete(want, "rateUnit")
		}
		if len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s and %s differ:\n%v\n%v", test.path, test.args, got, want)
		}
	}
}

// TestPlanningDocument checks requests and responses of the routes for planning against
// their document, and that they count as data routes do.
func TestPlanningDocument(t *testing.T) {
	c := product.ReadDocument(t, product.Mounted(t).URL, "/api/planning/openapi.json")
	if got := product.Inside(c.Document, "info", "version"); got != "preview" {
		t.Errorf("the document is of version %v, want preview", got)
	}
	const windows = "/api/planning/tide-windows?station="
	const ranks = "/api/planning/tide-ranks?station="
	const currents = "/api/planning/current-windows?station="
	const transits = "/api/planning/transits?station="
	for _, test := range []struct {
		target string
		status int
		valid  bool // by the document, which has no rules that span parameters
	}{
		{windows + "8443970&below=0", 200, true},
		{windows + "8443970&below=0&weekdays=sat,sun&hours=06:00-20:30&light=civil&min_minutes=0" +
			"&limit=3&offset=2&begin_date=2027-01-01&end_date=2027-12-31", 200, true},
		{windows + "8443970&draft=6&charted_depth=4&margin=1.5", 200, true},
		{windows + "8443970&air_draft=55&bridge_clearance=52&clearance_datum=MHHW", 200, true},
		{windows + "8557863&air_draft=55&bridge_clearance=52", 400, true},
		{windows + "8443970&below=0&above=1", 400, true},
		{windows + "8443970", 400, true},
		{"/api/planning/tide-windows?place=94019&below=0", 200, true},
		{"/api/planning/tide-windows?place=94019&station=8443970&below=0", 400, true},
		{windows + "8443970&draft=6", 400, true},
		{windows + "8443970&below=0&begin_date=2026-01-01&end_date=2027-01-02", 400, true},
		{windows + "8443970&below=51", 400, false},
		{windows + "8443970&below=0&weekdays=someday", 400, false},
		{windows + "8443970&below=0&hours=6-20", 400, false},
		{windows + "0000000&below=0", 404, true},
		{ranks + "8443970&what=king&year=2027", 200, true},
		{ranks + "8443970&what=springs&limit=100&begin_date=2027-01-01&end_date=2027-12-31", 200, true},
		{ranks + "8761724&what=springs&units=metric", 200, true},
		{ranks + "8557863&what=king", 200, true},
		{ranks + "8443970&light=daylight&weekdays=sun&hours=22:00-06:00", 200, true},
		{ranks + "8443970&what=king&range=48", 400, true},
		{ranks + "8443970&what=highest&year=2027", 400, true},
		{ranks + "8443970&what=springs&light=dark", 400, true},
		{ranks + "8443970&what=deepest", 400, false},
		{ranks + "8443970&limit=101", 400, false},
		{currents + "PUG1701", 200, true},
		{currents + "PUG1701&at_most=1&phase=ebb&light=daylight&weekdays=sat,sun&hours=08:00-18:00" +
			"&min_minutes=20&wind=true&limit=3&offset=2", 200, true},
		{currents + "ACT0091&at_least=1&units=metric&time_zone=gmt", 200, true},
		{currents + "PUG1701&at_least=99", 200, true},
		{currents + "PUG1701&at_most=1&at_least=2", 400, true},
		{currents + "8443970", 404, true},
		{currents + "PUG1701&phase=slack", 400, false},
		{transits + "PUG1701&distance=1.5&speed=6&direction=with_flood", 200, true},
		{transits + "PUG1701&distance=3&speed=4&course=90&max_current=5&max_against=1&light=daylight" +
			"&hours=06:00-20:30&limit=3&range=240&units=metric&time_zone=gmt", 200, true},
		{transits + "PUG1701&distance=0&speed=5", 200, true},
		{transits + "PUG1701&distance=3&speed=5", 400, true},
		{transits + "PUG1701&distance=3&speed=5&direction=with_ebb&course=90", 400, true},
		{transits + "PUG1701&distance=3&speed=5&direction=with_ebb&range=800", 400, true},
		{transits + "PUG1701&distance=21&speed=5&direction=with_ebb", 400, false},
		{transits + "8443970&distance=1&speed=5&direction=with_ebb", 404, true},
		{"/api/planning/day?place=Boston&units=metric", 200, true},
		{"/api/planning/day?station=8443970&include=tides,decision&activity=boating", 200, true},
		{"/api/planning/day?station=8443970&include=decision", 400, true},
		{"/api/planning/day?station=8443970&date=2030-01-01", 200, true},
		{"/api/planning/day?station=PUG1701", 404, true},
		{"/api/planning/day?station=8443970&include=everything", 400, true},
		{"/api/planning/trip?place=Boston&date=saturday", 200, true},
		{"/api/planning/trip?station=8443970&date=2030-01-01", 200, true},
		{"/api/planning/trip?station=8443970&hours=49", 401, true},
		{"/api/planning/trip?station=8443970&until=17:00&hours=4", 400, true},
		{"/api/planning/trip?station=8443970&hours=169", 400, false},
		{"/api/planning/trip?station=PUG1701", 404, true},
		{"/api/planning/places?query=half+moon+bay", 200, true},
		{"/api/planning/places?query=Xyzzyvale&limit=20", 200, true},
		{"/api/planning/places?query=94019&limit=21", 400, false},
		{"/api/planning/places", 400, false},
		{windows + "9063020&below=0", 404, true},
	} {
		path := c.PathOf(test.target)
		status, header, body := product.Exchange(t, http.MethodGet, c.Base+test.target)
		if status != test.status {
			t.Errorf("%s = %d %.300s, want %d", test.target, status, body, test.status)
		}
		if err := c.CheckAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", test.target, status, body, err)
		}
		if err := c.CheckRequest(path, test.target); (err == nil) != test.valid {
			t.Errorf("%s, by the document: %v, want it valid %v", test.target, err, test.valid)
		}
	}
}
