package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/coast"
	"leadline/rest"
)

// contractOf is the OpenAPI document of a server, compiled to check requests and
// responses. Unlike the served schemas, its schemas refuse additional properties unless they say
// otherwise.
type contractOf struct {
	base     string
	paths    map[string]any
	document map[string]any
	compiler *jsonschema.Compiler
}

func readContract(t *testing.T, base string) *contractOf {
	t.Helper()
	return readDocument(t, base, "/openapi.json")
}

func readDocument(t *testing.T, base, path string) *contractOf {
	t.Helper()
	status, header, body := exchange(t, "GET", base+path)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil || status != http.StatusOK || header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %d %v %v", path, status, header, err)
	}
	d := v.(map[string]any)
	for _, schema := range inside(d, "components", "schemas").(map[string]any) {
		if inside(schema, "properties") != nil && inside(schema, "additionalProperties") == nil {
			schema.(map[string]any)["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", d); err != nil {
		t.Fatal(err)
	}
	return &contractOf{base, d["paths"].(map[string]any), d, c}
}

// inside returns a member of nested objects, nil if there is none.
func inside(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// exchange sends a request, with a body of JSON if one is given, and returns the
// response.
func exchange(t *testing.T, method, target string, send ...string) (status int,
	header http.Header, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target,
		strings.NewReader(strings.Join(send, "")))
	if err != nil {
		t.Fatal(err)
	}
	if len(send) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body
}

// pointer returns the JSON pointer of a place in the document.
func pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
	}
	return b.String()
}

// violates checks a value against the schema at a place in the document.
func (c *contractOf) violates(value any, at string) error {
	schema, err := c.compiler.Compile("openapi.json#" + at)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// pathOf returns the path of the document that matches a request, "" if there is
// none.
func (c *contractOf) pathOf(target string) string {
	target, _, _ = strings.Cut(target, "?")
	if _, ok := c.paths[target]; ok {
		return target
	}
	for path := range c.paths {
		if regexp.MustCompile(`^` +
			regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) +
			`$`).MatchString(target) {
			return path
		}
	}
	return ""
}

// method returns the method that the document declares for a path.
func (c *contractOf) method(path string) string {
	if inside(c.paths[path], "post") != nil {
		return "post"
	}
	return "get"
}

// checkAnswer checks a response against the document's response for its status.
func (c *contractOf) checkAnswer(path string, status int, header http.Header, body []byte) error {
	at := pointer("components", "responses", "OtherError")
	if path != "" && status != http.StatusMethodNotAllowed {
		at = pointer("paths", path, c.method(path), "responses", strconv.Itoa(status))
	}
	declared := c.find(at)
	if ref, ok := inside(declared, "$ref").(string); ok {
		at = strings.TrimPrefix(ref, "#")
		declared = c.find(at)
	}
	if declared == nil {
		return fmt.Errorf("status %d is not declared", status)
	}
	media := header.Get("Content-Type")
	if inside(declared, "content", media) == nil {
		return fmt.Errorf("media type %q is not declared", media)
	}
	for name := range inside(declared, "headers").(map[string]any) {
		place := pointer("components", "headers", name)
		value, required := header.Get(name), inside(c.find(place), "required") == true
		outside := path == "" && name == "Leadline-Version" // only operations have a version
		if value == "" && (!required || outside) {
			continue
		}
		v := typed(value, inside(c.find(place), "schema", "type"))
		if err := c.violates(v, place+"/schema"); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return c.violates(v, at+pointer("content", media, "schema"))
}

// find returns the part of the document at a place.
func (c *contractOf) find(at string) any {
	var names []string
	for _, name := range strings.Split(at, "/")[1:] {
		name, _ = url.PathUnescape(name)
		names = append(names, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return inside(c.document, names...)
}

// checkBody checks the body of a request against the schema of the document.
func (c *contractOf) checkBody(path, body string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return c.violates(v,
		pointer("paths", path, "post", "requestBody", "content", "application/json", "schema"))
}

// checkRequest checks a request against the parameters of the document.
func (c *contractOf) checkRequest(path, target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return err
	}
	declared := inside(c.paths[path], c.method(path), "parameters").([]any)
	for i := range declared {
		p, place := c.parameter(path, i)
		name := inside(p, "name").(string)
		values, given := query[name]
		if inside(p, "in") == "path" {
			part := slices.Index(strings.Split(path, "/"), "{"+name+"}")
			values, given = []string{strings.Split(u.Path, "/")[part]}, true
		} else if inside(p, "in") == "query" {
			delete(query, name)
		}
		switch {
		case !given && inside(p, "required") == true:
			return fmt.Errorf("%s is missing", name)
		case !given:
			continue
		case len(values) > 1:
			return fmt.Errorf("%s is repeated", name)
		}
		v := typed(values[0], c.typeOf(inside(p, "schema")))
		if err := c.violates(v, place+"/schema"); err != nil {
			return err
		}
	}
	if len(query) > 0 && path != "/api/developer/status" { // which ignores them
		return fmt.Errorf("undeclared: %v", query)
	}
	return nil
}

// parameter returns a parameter of a path and its place in the document.
func (c *contractOf) parameter(path string, i int) (p any, place string) {
	p = inside(c.paths[path], c.method(path), "parameters").([]any)[i]
	if ref, ok := inside(p, "$ref").(string); ok {
		place = strings.TrimPrefix(ref, "#")
		return c.find(place), place
	}
	return p, pointer("paths", path, c.method(path), "parameters", strconv.Itoa(i))
}

// typeOf returns the type that a schema declares, itself or by a reference.
func (c *contractOf) typeOf(schema any) any {
	if ref, ok := inside(schema, "$ref").(string); ok {
		schema = c.find(strings.TrimPrefix(ref, "#"))
	}
	return inside(schema, "type")
}

// typed parses the text of a parameter as its type.
func typed(text string, kind any) any {
	if kind == "integer" || kind == "number" {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	}
	if v, err := strconv.ParseBool(text); err == nil && kind == "boolean" {
		return v
	}
	return text
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
		{"/api/v1/astronomy?lat=69.65&lon=18.96&date=2026-05-18&days=31&time_zone=Europe/Oslo", 200},
		{"/api/v1/astronomy?lat=69.65&lon=18.96&date=2026-12-21&days=31", 200},
		{"/api/v1/astronomy?lat=0&lon=0&days=32", 400},
		{"/api/v1/astronomy?lat=0&lon=0&date=someday", 400},
	}
}

// TestContract checks requests and responses against the document: status, media
// type, headers and body of every response. Exactly the requests that the document
// does not allow must be refused.
func TestContract(t *testing.T) {
	c := readContract(t, mount(t).url)
	for _, test := range questions() {
		path := c.pathOf(test.target)
		status, header, body := exchange(t, "GET", c.base+test.target)
		if status != test.status {
			t.Errorf("%s = %d %.300s, want %d", test.target, status, body, test.status)
		}
		if err := c.checkAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", test.target, status, body, err)
		}
		if err := c.checkRequest(path, test.target); (err != nil) != (status == http.StatusBadRequest) {
			t.Errorf("%s = %d, and by the document: %v", test.target, status, err)
		}
		headStatus, headHeader, headBody := exchange(t, "HEAD", c.base+test.target)
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
	c := readContract(t, mount(t).url)
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
		status, header, body := exchange(t, test.method, c.base+test.target)
		if status != test.status || !bytes.Contains(body, []byte(`{"error":{"code":"`+test.code+`",`)) {
			t.Errorf("%s %s = %d %s, want %d %s",
				test.method, test.target, status, body, test.status, test.code)
		}
		if err := c.checkAnswer(c.pathOf(test.target), status, header, body); err != nil {
			t.Errorf("%s %s = %d %s: %v", test.method, test.target, status, body, err)
		}
		if status == http.StatusMethodNotAllowed && !strings.HasPrefix(header.Get("Allow"), "GET, HEAD") {
			t.Errorf("%s %s: Allow: %q", test.method, test.target, header.Get("Allow"))
		}
	}
}

// TestContractIsServed requests every route of the document with its examples, and
// checks that it is served as declared.
func TestContractIsServed(t *testing.T) {
	c := readContract(t, setup{now: noon, offline: true}.start(t).url)
	if got := inside(c.document, "info", "version"); got != rest.Contract {
		t.Errorf("the document is of version %v, the binary of %s", got, rest.Contract)
	}
	if got := fmt.Sprint(c.document["servers"]); got != "[map[url:"+c.base+"]]" {
		t.Errorf("servers %s, want %s", got, c.base)
	}
	for path, item := range c.paths {
		target, query, method := path, url.Values{}, c.method(path)
		for i := range inside(item, method, "parameters").([]any) {
			p, _ := c.parameter(path, i)
			name, example := inside(p, "name").(string), inside(p, "example")
			if inside(p, "in") == "path" {
				target = strings.ReplaceAll(target, "{"+name+"}", fmt.Sprint(example))
			} else if inside(p, "in") == "query" && example != nil {
				query.Set(name, fmt.Sprint(example))
			}
		}
		target += "?" + query.Encode()
		var send []string
		if method == "post" {
			send = []string{exampleOf(t, item)}
			if err := c.checkBody(path, send[0]); err != nil {
				t.Errorf("%s %s, by the document: %v", path, send[0], err)
			}
		}
		status, header, body := exchange(t, strings.ToUpper(method), c.base+target, send...)
		want := []int{http.StatusOK, http.StatusServiceUnavailable}
		if keyed(item) {
			want = []int{http.StatusUnauthorized}
		}
		if !slices.Contains(want, status) {
			t.Errorf("%s = %d %s", target, status, body)
		}
		if err := c.checkAnswer(path, status, header, body); err != nil {
			t.Errorf("%s = %d %.300s: %v", target, status, body, err)
		}
	}
}

// keyed reports whether an operation needs a key according to the document: it lists
// security schemes, and none of them is empty.
func keyed(item any) bool {
	ways, _ := inside(item, "post", "security").([]any)
	return len(ways) > 0 && !slices.ContainsFunc(ways,
		func(way any) bool { return len(way.(map[string]any)) == 0 })
}

// exampleOf returns the example body of an operation in the document.
func exampleOf(t *testing.T, item any) string {
	t.Helper()
	text, err := json.Marshal(inside(item, "post", "requestBody", "content",
		"application/json", "example"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContractDecisions checks the bodies and responses of decisions against the
// document: the server refuses all bodies that the schemas refuse.
func TestContractDecisions(t *testing.T) {
	_, root := simulate(t, noon)
	p := setup{root: root, now: noon, deadline: 10 * time.Second}.start(t).join(t)
	c, pro := readContract(t, p.url), p.pro(t)
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
		q, err := http.NewRequestWithContext(t.Context(), "POST", pro.base+path,
			strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("x-api-key", pro.key)
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
		if err := c.checkAnswer(path, r.StatusCode, r.Header, body); err != nil {
			t.Errorf("%s %s = %d %.300s: %v", test.operation, test.body, r.StatusCode, body, err)
		}
		if err := c.checkBody(path, test.body); (err == nil) != test.valid {
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
	decode(t, string(body), &answer)
	var sources []coast.Source
	if answer.Decision != nil {
		sources = answer.Decision.Sources
	}
	for _, candidate := range answer.Candidates {
		sources = append(sources, candidate.Decision.Sources...)
	}
	var faults []string
	for _, s := range sources {
		for _, fault := range faultsOfSource(s, noon(), noon()) {
			faults = append(faults, fmt.Sprintf("source %s %s: %+v", s.ID, fault, s))
		}
	}
	return faults
}
