package providers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// planRequests are one request of each subcommand of leadline plan, with the route that has the
// same operation. Routes have a body, the others a query.
var planRequests = []struct {
	args        []string
	route, body string
}{
	{strings.Fields("windows 9414131 --below 0 --light daylight --begin-date 2027-01-01 --range 240"),
		"tide-windows?station=9414131&below=0&light=daylight&begin_date=2027-01-01&range=240", ""},
	{strings.Fields("ranks 8443970 --what king --year 2027"),
		"tide-ranks?station=8443970&what=king&year=2027", ""},
	{strings.Fields("currents PUG1701 --at-most 1 --begin-date 2027-01-01 --range 48"),
		"current-windows?station=PUG1701&at_most=1&begin_date=2027-01-01&range=48", ""},
	{strings.Fields("transit PUG1701 --distance 1.5 --speed 6 --direction with_flood " +
		"--begin-date 2027-01-01 --range 48"), "transits?station=PUG1701&distance=1.5&speed=6&" +
		"direction=with_flood&begin_date=2027-01-01&range=48", ""},
	{[]string{"day", "half moon bay", "2030-01-02"}, "day?place=half+moon+bay&date=2030-01-02", ""},
	{append(strings.Fields("route --speed 6 --begin-date 2027-01-01 --range 48"),
		"--gate", "PUG1701 leg=2 max-current=3", "--gate", "PUG1702 leg=12"), "routes",
		`{"speed":6,"begin_date":"2027-01-01","range":48,"gates":[` +
			`{"station":"PUG1701","leg":2,"max_current":3},{"station":"PUG1702","leg":12}]}`},
}

// ofTheMoment matches what two results have of the moments at which they were made, and the
// address of a calendar, which needs a server.
var ofTheMoment = regexp.MustCompile(
	`"(sourceAt|receivedAt|ageMinutes|calculatedAt|calendarUrl)":("[^"]*"|\d+),?`)

// TestPlanCommandEqualsREST checks that leadline plan --json prints what REST returns. The command
// has the clock of the machine, and no result depends on it: the spans are given, and beyond any
// forecast if they need one.
func TestPlanCommandEqualsREST(t *testing.T) {
	p := product.Mounted(t)
	for _, c := range planRequests {
		var out bytes.Buffer
		err := product.Run(t.Context(), append([]string{"plan", c.args[0], "--json"}, c.args[1:]...),
			func(string) string { return "" },
			product.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		method := http.MethodGet
		if c.body != "" {
			method = http.MethodPost
		}
		path := "/api/planning/" + c.route
		_, body := product.Query{Method: method, Path: path, Body: c.body}.AnswerOf(t, p.URL)
		got := ofTheMoment.ReplaceAllString(strings.TrimSpace(out.String()), "")
		want := ofTheMoment.ReplaceAllString(strings.TrimSpace(body), "")
		want = strings.ReplaceAll(want, "this server was started with --offline",
			"this command sends none")
		if got != want || !strings.Contains(got, `"sources":[{`) {
			t.Errorf("%q prints\n%s\nwant that of REST:\n%s", c.args, got, want)
		}
	}
}

// TestPlanningEndpointsAgree checks that the planning tools return what their routes return.
func TestPlanningEndpointsAgree(t *testing.T) {
	p := product.Mounted(t)
	for tool, route := range map[string]string{
		"leadline_plan_transit":  "transits",
		"leadline_plan_route":    "routes",
		"leadline_get_day":       "day",
		"leadline_find_places":   "places?query=half+moon+bay&limit=3",
		"leadline_tide_telegram": "telegram?station=8443970&date=2026-11-21&days=2",
	} {
		path, rest := route, product.Query{Method: http.MethodGet}
		for _, c := range planRequests {
			if before, _, _ := strings.Cut(c.route, "?"); before == route {
				path, rest.Body = c.route, c.body
			}
		}
		args := rest.Body
		rest.Path = "/api/planning/" + path
		if rest.Body != "" {
			rest.Method = http.MethodPost
		} else {
			args = argumentsOf(t, path)
		}
		_, body := rest.AnswerOf(t, p.URL)
		want := strings.TrimSpace(body)
		got := product.OverMCPAt(t, p.URL+"/mcp?toolsets=planning&view=full", tool, args)
		if got != want || strings.HasPrefix(got, `{"error"`) {
			t.Errorf("%s %s returns\n%s\nwant that of REST:\n%s", tool, args, got, want)
		}
	}
}

// argumentsOf returns the query of a path as arguments of a tool.
func argumentsOf(t *testing.T, path string) string {
	t.Helper()
	_, text, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]any{}
	for name, list := range values {
		arguments[name] = list[0]
		if number := json.Number(list[0]); name != "station" {
			if _, err := number.Float64(); err == nil {
				arguments[name] = number
			}
		}
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
