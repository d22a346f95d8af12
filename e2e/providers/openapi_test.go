package providers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/rest"
)

func readContract(t *testing.T, base string) *product.ContractOf {
	t.Helper()
	return product.ReadDocument(t, base, "/openapi.json")
}

// question is a request and the status of its response.
type question struct {
	target string
	status int
}

// questions returns valid and invalid requests of every operation.
func questions() []question {
	const predictions = "/api/v1/stations/8443970/predictions"
	return []question{
		{"/api/v1/stations", 200},
		{"/api/v1/stations?limit=5000", 200},
		{"/api/v1/stations?q=bostn&state=ma&limit=3&offset=1&type=tidepredictions" +
			"&units=metric&time_zone=gmt", 200},
		{"/api/v1/stations?q=nosuchplaceanywhere", 200},
		{"/api/v1/stations?type=harcon", 200},
		{"/api/v1/stations?limit=5001", 400},
		{"/api/v1/stations?limit=0", 400},
		{"/api/v1/stations?limit=1.5", 400},
		{"/api/v1/stations?limit=many", 400},
		{"/api/v1/stations?state=MAS", 400},
		{"/api/v1/stations?type=tides", 400},
		{"/api/v1/stations?statee=MA", 400},
		{"/api/v1/stations?q=a&q=b", 400},
		{"/api/v1/stations/nearest?lat=42.35&lon=-71.05", 200},
		{"/api/v1/stations/nearest?lat=-90&lon=180&type=currentpredictions", 200},
		{"/api/v1/stations/nearest?lat=91&lon=0", 400},
		{"/api/v1/stations/nearest?lat=0", 400},
		{"/api/v1/stations/nearest", 400},
		{"/api/v1/stations/8443970", 200},
		{"/api/v1/stations/8557863?units=metric", 200},
		{"/api/v1/stations/EPT0003", 200},
		{"/api/v1/stations/ACT0091?time_zone=gmt", 200},
		{"/api/v1/stations/8660754", 200},
		{"/api/v1/stations/0000000", 404},
		{"/api/v1/stations/12", 400},
		{"/api/v1/stations/8443970?units=fathoms", 400},
		{predictions, 200},
		{predictions + "?interval=6&units=metric&datum=MSL", 200},
		{predictions + "?interval=h&hours=168&time_zone=lst", 200},
		{predictions + "?begin_date=2031-12-30&hours=100", 200},
		{"/api/v1/stations/8557863/predictions?interval=60&hours=1", 200},
		{"/api/v1/stations/TEC4645/predictions?begin_date=2026-03-08", 200},
		{predictions + "?begin_date=2026-02-30", 400},
		{predictions + "?hours=169", 400},
		{predictions + "?interval=7", 400},
		{predictions + "?id=8443970", 400},
		{predictions + "?datum=MLWW", 400},
		{"/api/v1/stations/ACT0091/predictions", 404},
		{"/api/v1/stations/9063020/predictions", 404},
		{"/api/v1/astronomy?lat=42.35&lon=-71.05", 200},
		{
			"/api/v1/astronomy?lat=69.65&lon=18.96&date=2026-05-18&days=31&time_zone=Europe/Oslo",
			200,
		},
		{"/api/v1/astronomy?lat=69.65&lon=18.96&date=2026-12-21&days=31", 200},
		{"/api/v1/astronomy?lat=0&lon=0&days=32", 400},
		{"/api/v1/astronomy?lat=0&lon=0&date=someday", 400},
	}
}

// TestContract checks requests and responses against the document: status, media
// type, headers and body of every response. Exactly the requests that the document
// does not allow must be refused.
func TestContract(t *testing.T) {
	c := readContract(t, product.Mounted(t).URL)
	for _, test := range questions() {
		path := c.PathOf(test.target)
		status, header, body := product.Exchange(t, "GET", c.Base+test.target)
		if status != test.status {
			t.Errorf("%s = %d %.300s, want %d", test.target, status, body, test.status)
		}
		if err := c.CheckAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", test.target, status, body, err)
		}
		if err := c.CheckRequest(path, test.target); (err != nil) != (status == http.StatusBadRequest) {
			t.Errorf("%s = %d, and by the document: %v", test.target, status, err)
		}
		headStatus, headHeader, headBody := product.Exchange(t, "HEAD", c.Base+test.target)
		if headStatus != status || len(headBody) > 0 ||
			headHeader.Get("Content-Length") != strconv.Itoa(len(body)) ||
			headHeader.Get("Content-Type") != header.Get("Content-Type") {
			t.Errorf("HEAD %s = %d %v %s, want the head of GET's",
				test.target, headStatus, headHeader, headBody)
		}
	}
}

// TestContractFaults checks that errors outside of operations have the format of
// all errors, and that requests that a station does not support have their own
// codes.
func TestContractFaults(t *testing.T) {
	c := readContract(t, product.Mounted(t).URL)
	for _, test := range []struct {
		method, target string
		status         int
		code           string
	}{
		{"POST", "/api/v1/stations", 405, "method_not_allowed"},
		{"DELETE", "/api/v1/stations/nearest", 405, "method_not_allowed"},
		{"POST", "/openapi.json", 405, "method_not_allowed"},
		{"GET", "/api/v1/stations/8443970/waves", 404, "not_found"},
		{"GET", "/api/v2/stations", 404, "not_found"},
		{"GET", "/openapi.yaml", 404, "not_found"},
		{"GET", "/api/v1/stations/8443970/predictions?datum=CRD", 400, "datum_unavailable"},
		{"GET", "/api/v1/stations?type=met", 503, "provider_unavailable"},
	} {
		status, header, body := product.Exchange(t, test.method, c.Base+test.target)
		if status != test.status ||
			!bytes.Contains(body, []byte(`{"error":{"code":"`+test.code+`",`)) {
			t.Errorf("%s %s = %d %s, want %d %s",
				test.method, test.target, status, body, test.status, test.code)
		}
		if err := c.CheckAnswer(c.PathOf(test.target), status, header, body); err != nil {
			t.Errorf("%s %s = %d %s: %v", test.method, test.target, status, body, err)
		}
		if status == http.StatusMethodNotAllowed &&
			!strings.HasPrefix(header.Get("Allow"), "GET, HEAD") {
			t.Errorf("%s %s: Allow: %q", test.method, test.target, header.Get("Allow"))
		}
	}
}

// TestContractIsServed requests every route of the document with its examples, and
// checks that it is served as declared.
func TestContractIsServed(t *testing.T) {
	c := readContract(t, product.Setup{Now: product.Noon, Offline: true}.Start(t).URL)
	if got := product.Inside(c.Document, "info", "version"); got != rest.Contract {
		t.Errorf("the document is of version %v, the binary of %s", got, rest.Contract)
	}
	if got := fmt.Sprint(c.Document["servers"]); got != "[map[url:"+c.Base+"]]" {
		t.Errorf("servers %s, want %s", got, c.Base)
	}
	for path, item := range c.Paths {
		target, query, method := path, url.Values{}, c.Method(path)
		for i := range product.Inside(item, method, "parameters").([]any) {
			p, _ := c.Parameter(path, i)
			name, example := product.Inside(p, "name").(string), product.Inside(p, "example")
			if product.Inside(p, "in") == "path" {
				target = strings.ReplaceAll(target, "{"+name+"}", fmt.Sprint(example))
			} else if product.Inside(p, "in") == "query" && example != nil {
				query.Set(name, fmt.Sprint(example))
			}
		}
		target += "?" + query.Encode()
		var send []string
		if method == "post" {
			send = []string{exampleOf(t, item)}
			if err := c.CheckBody(path, send[0]); err != nil {
				t.Errorf("%s %s, by the document: %v", path, send[0], err)
			}
		}
		status, header, body := product.Exchange(t, strings.ToUpper(method), c.Base+target, send...)
		want := []int{http.StatusOK, http.StatusServiceUnavailable}
		if keyed(item) {
			want = []int{http.StatusUnauthorized}
		}
		if !slices.Contains(want, status) {
			t.Errorf("%s = %d %s", target, status, body)
		}
		if err := c.CheckAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", target, status, body, err)
		}
	}
}

// keyed reports whether an operation needs a key according to the document: it lists
// security schemes, and none of them is empty.
func keyed(item any) bool {
	ways, _ := product.Inside(item, "post", "security").([]any)
	return len(ways) > 0 && !slices.ContainsFunc(ways,
		func(way any) bool { return len(way.(map[string]any)) == 0 })
}

// exampleOf returns the example body of an operation in the document.
func exampleOf(t *testing.T, item any) string {
	t.Helper()
	text, err := json.Marshal(product.Inside(item, "post", "requestBody", "content",
		"application/json", "example"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContractDecisions checks the bodies and responses of decisions against the
// document: the server refuses all bodies that the schemas refuse.
func TestContractDecisions(t *testing.T) {
	p := product.Live(t)
	c, pro := readContract(t, p.URL), p.Pro(t)
	const (
		moment = `"stationId":"8443970","activity":"coastal-living","localDate":"2026-11-20","localTime":"13:00"`
		times  = `[{"localDate":"2026-11-21","localTime":"09:00"},{"localDate":"2026-11-22","localTime":"09:00"}]`
		rules  = `[{"id":"a","kind":"state_allowed","allowed":["normal"]},{"id":"b","kind":"minimum_confidence","minimum":"high"},{"id":"c","kind":"maximum_missing_inputs","maximum":0},{"id":"d","kind":"required_fresh_sources","sourceIds":["seas","moon"]}]`
		window = `"stationId":"8443970","activity":"boating"`
	)
	for _, test := range []struct {
		operation, body string
		status          int
		valid           bool // by the document
	}{
		{"trip-health", `{` + moment + `}`, 200, true},
		{"trip-health", `{` + moment + `,"more":1}`, 400, false},
		{"trip-health", `{` + strings.Replace(moment, "13:00", "1 pm", 1) + `}`, 400, false},
		{"trip-health", `{` + strings.Replace(moment, "13:00", "10:00", 1) + `}`, 400, true}, // past
		{"trip-health", `{` + strings.Replace(moment, "8443970", "0000000", 1) + `}`, 404, true},
		{"best-window", `{` + window + `,"candidates":` + times + `}`, 200, true},
		{"best-window", `{` + window + `,"candidates":[{"localDate":"2026-11-21","localTime":"09:00"}]}`, 400, false},
		{
			"best-window", `{` + strings.Replace(window, "boating", "sailing", 1) + `,"candidates":` +
				times + `}`, 400, true,
		},
		{
			"best-window", `{` + strings.Replace(window, "8443970", "nowhere at all", 1) + `,"candidates":` +
				times + `}`, 404, true,
		},
		{"evaluate-rules", `{` + moment + `,"rules":` + rules + `}`, 200, true},
		{"evaluate-rules", `{` + moment + `,"rules":[]}`, 400, false},
		{"evaluate-rules", `{` + moment + `,"rules":[{"id":"a","kind":"state_allowed","allowed":["fine"]}]}`, 400, false},
		{"material-change", `{` + moment + `,"baseline":{"state":"normal","mine":true}}`, 200, true},
		{"material-change", `{` + moment + `,"baseline":{"mine":true}}`, 400, true},
		{"material-change", `{` + moment + `,"baseline":[]}`, 400, false},
	} {
		path := "/api/v1/decisions/" + test.operation
		q, err := http.NewRequestWithContext(t.Context(), "POST", pro.Base+path,
			strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("x-api-key", pro.Key)
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != test.status || err != nil {
			t.Errorf("%s %s = %d %.300s, %v, want %d",
				test.operation, test.body, r.StatusCode, body, err, test.status)
		}
		if err := c.CheckAnswer(path, r.StatusCode, r.Header, body); err != nil {
			t.Errorf("%s %s = %d %.300s: %v", test.operation, test.body, r.StatusCode, body, err)
		}
		if err := c.CheckBody(path, test.body); (err == nil) != test.valid {
			t.Errorf("%s %s, by the document: %v, want it valid %v",
				test.operation, test.body, err, test.valid)
		}
		if test.status == http.StatusOK {
			for _, fault := range decisionFaults(t, body) {
				t.Errorf("%s %s: %s", test.operation, test.body, fault)
			}
		}
	}
}

// decisionFaults checks the sources of a decision as those of all results.
func decisionFaults(t *testing.T, body []byte) []string {
	t.Helper()
	var answer struct {
		Decision   *struct{ Sources []coast.Source }
		Candidates []struct {
			Decision struct{ Sources []coast.Source }
		}
	}
	product.Decode(t, string(body), &answer)
	var sources []coast.Source
	if answer.Decision != nil {
		sources = answer.Decision.Sources
	}
	for _, candidate := range answer.Candidates {
		sources = append(sources, candidate.Decision.Sources...)
	}
	var faults []string
	for _, s := range sources {
		for _, fault := range faultsOfSource(s, product.Noon(), product.Now()) {
			faults = append(faults, fmt.Sprintf("source %s %s: %+v", s.ID, fault, s))
		}
	}
	return faults
}
