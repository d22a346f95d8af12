package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/schema"
	"leadline/internal/stations"
	"leadline/internal/upstream"
	"leadline/tools"
)

const base = "https://tides.example.org"

// gated is an API behind its gate, as the server mounts it.
type gated struct {
	*API
	gate *accesstest.Gate
}

func (g gated) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.gate.Wrap(limit.REST, g.API).ServeHTTP(rw, r)
}

// table returns both tables.
func (g gated) table() []route { return slices.Concat(g.contract, g.developer, g.planning) }

// documents returns the handlers of the OpenAPI documents by their names.
func (g gated) documents() map[string]http.Handler {
	return map[string]http.Handler{
		"contract": g.Document(base), "developer": g.DeveloperDocument(base),
		"planning": g.PlanningDocument(base),
	}
}

func newGated(t testing.TB) gated {
	t.Helper()
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }
	water := noaa.New("", offline(t, coast.COOPS), now)
	gate := accesstest.New(t, accesstest.Roomy(t), now)
	set := tools.New(tools.Config{
		Stations: directory, NOAA: water, NWS: nws.New("", offline(t, coast.NWS)),
		Overlay: overlay.New(overlay.Config{Stations: directory, Water: water, Now: now}), Now: now,
		Accounts: accounts.New(accounts.Config{Store: gate.Store, Keys: gate.Keys, Months: gate.Months}),
	})
	return gated{New(set, gate.Gate, slog.New(slog.DiscardHandler)), gate}
}

// offline returns a client that sends no requests and has an empty cache.
func offline(t testing.TB, provider string) *upstream.Client {
	t.Helper()
	client, err := upstream.New(upstream.Config{Provider: provider, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func ask(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestTable checks that every operation of the table is served at its path in the document,
// for its methods only, and has its texts.
func TestTable(t *testing.T) {
	checkTable(t, newGated(t))
	checkTable(t, toys(t, nil))
}

func checkTable(t *testing.T, api gated) {
	t.Helper()
	ids := map[string]bool{}
	for _, o := range api.table() {
		target, allowed := target(o), api.methods(o.path)
		for _, method := range strings.Fields("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE") {
			w := ask(api, method, target)
			if method == "OPTIONS" && o.public() {
				methods := w.Header().Get("Access-Control-Allow-Methods")
				if w.Code != http.StatusNoContent || !strings.Contains(methods, o.method) ||
					w.Header().Get("Access-Control-Allow-Origin") != "*" {
					t.Errorf("%s %s: %d %v", method, target, w.Code, w.Header())
				}
				continue
			}
			origin := ""
			if o.public() && slices.Contains(o.methods(), method) {
				origin = "*"
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("%s %s: Access-Control-Allow-Origin %q, want %q", method, target, got, origin)
			}
			served := w.Code != http.StatusMethodNotAllowed &&
				!strings.Contains(w.Body.String(), `"not_found"`)
			if want := slices.Contains(allowed, method); served != want {
				t.Errorf("%s %s: %d, served %v, want %v", method, target, w.Code, served, want)
			}
			if got, want := w.Header().Get("Allow"), strings.Join(allowed, ", "); !served && got != want {
				t.Errorf("%s %s: Allow: %q, want %q", method, target, got, want)
			}
		}
		if o.id == "" || ids[o.id] {
			t.Errorf("%s: id %q is empty or duplicate", o.path, o.id)
		}
		callable := o.price == free || o.need.By&access.Key != 0
		if callable != clientMethod.MatchString(o.client) {
			t.Errorf("%s: client method %q, and a key can call it: %v", o.id, o.client, callable)
		}
		if ids[o.client] {
			t.Errorf("%s: client method %q is duplicate", o.id, o.client)
		}
		if o.summary == "" || strings.HasSuffix(o.summary, ".") {
			t.Errorf("%s: summary %q is empty or a sentence", o.path, o.summary)
		}
		if !strings.HasSuffix(o.about, ".") {
			t.Errorf("%s: description %q is not a sentence", o.path, o.about)
		}
		ids[o.id], ids[o.client] = true, o.client != ""
		if !slices.ContainsFunc(tags, func(t tag) bool { return t.Name == o.tag }) {
			t.Errorf("%s: no tag %q", o.path, o.tag)
		}
		missing := ask(api, "GET", "/api/v1/nowhere").Body.String()
		if !strings.Contains(missing, o.method+" "+o.path) {
			t.Errorf("the response to a wrong path does not list %s: %s", o.path, missing)
		}
	}
}

// clientMethod matches the name of a method of the client libraries.
var clientMethod = regexp.MustCompile(`^[a-z]+\.[a-z]+([A-Z][a-z]+)*$`)

// methods returns the methods of a path, as the Allow header lists them.
func (g gated) methods(path string) (list []string) {
	for _, o := range g.table() {
		if o.path == path {
			list = append(list, o.method)
			if o.method == "GET" {
				list = append(list, "HEAD")
			}
		}
	}
	slices.Sort(list)
	return list
}

// target returns a URL for an operation with the examples of its parameters.
func target(o route) string {
	path, query := o.path, []string{}
	for _, p := range o.parameters {
		value := fmt.Sprintf("%s", p.Example)
		switch {
		case strings.Contains(path, "{"+p.Name+"}"):
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case p.Required:
			query = append(query, p.Name+"="+url.QueryEscape(value))
		}
	}
	return path + "?" + strings.Join(query, "&")
}

// TestParameters compares the parameters with the table of the contract. The document may add
// only optional parameters.
func TestParameters(t *testing.T) {
	contract := map[string]map[string]string{
		"/api/v1/stations": {
			"q":     `{"type":"string"}`,
			"state": `{"type":"string","pattern":"^[A-Za-z]{2}$"}`,
			"limit": `{"type":"integer","minimum":1,"maximum":5000,"default":200}`,
			"type":  `{"type":"string"}`,
		},
		"/api/v1/stations/nearest": {
			"lat":  `{"type":"number","minimum":-90,"maximum":90} required`,
			"lon":  `{"type":"number","minimum":-180,"maximum":180} required`,
			"type": `{"type":"string"}`,
		},
		"/api/v1/stations/{id}": {},
		"/api/v1/stations/{id}/predictions": {
			"interval": `{"type":"string",` +
				`"enum":["hilo","h","1","5","6","10","15","30","60"],"default":"hilo"}`,
			"begin_date": `{"type":"string","format":"date"}`,
			"hours":      `{"type":"integer","minimum":1,"maximum":168,"default":48}`,
			"datum":      `{"type":"string","default":"MLLW"}`,
		},
		"/api/v1/stations/{id}/water-levels": {
			"hours": `{"type":"integer","minimum":1,"maximum":720,"default":24}`,
			"datum": `{"type":"string","default":"MLLW"}`,
		},
		"/api/v1/stations/{id}/conditions": {},
		"/api/v1/stations/{id}/forecast": {
			"hours": `{"type":"integer","minimum":1,"maximum":156,"default":24}`,
			"units": `{"type":"string","default":"english"}`,
		},
		"/api/v1/astronomy": {
			"lat":  `{"type":"number","minimum":-90,"maximum":90} required`,
			"lon":  `{"type":"number","minimum":-180,"maximum":180} required`,
			"date": `{"type":"string","format":"date"}`,
			"days": `{"type":"integer","minimum":1,"maximum":31,"default":1}`,
		},
		"/api/developer/status": {},
	}
	for _, o := range newGated(t).contract {
		if o.body != nil {
			continue
		}
		want, ok := contract[o.path]
		if !ok {
			t.Errorf("%s is not in the contract", o.path)
			continue
		}
		got := map[string]schema.Parameter{}
		for _, p := range o.parameters {
			got[p.Name] = p
		}
		if strings.Contains(o.path, "{id}") {
			const want = `{"type":"string","pattern":"^[A-Za-z0-9]{4,16}$"} required`
			if id, ok := got["id"]; !ok || rule(id, "") != want {
				t.Errorf("%s: id is %s, want %s", o.path, rule(id, ""), want)
			}
		}
		for name, want := range want {
			if p, ok := got[name]; !ok || rule(p, want) != want {
				t.Errorf("%s: %s is %s, want %s", o.path, name, rule(p, want), want)
			}
			delete(got, name)
		}
		for name := range got {
			if !slices.Contains([]string{"id", "offset", "units", "time_zone"}, name) {
				t.Errorf("%s: unexpected parameter %s", o.path, name)
			}
		}
	}
}

// TestDataRoutes checks that every data route accepts units and time_zone, so that a client can
// send the same ones to all.
func TestDataRoutes(t *testing.T) {
	for _, o := range newGated(t).table() {
		if o.method != http.MethodGet || o.price != unit {
			continue
		}
		for _, name := range []string{"units", "time_zone"} {
			named := func(p schema.Parameter) bool { return p.Name == name && !p.Required }
			if !slices.ContainsFunc(o.parameters, named) {
				t.Errorf("%s does not accept %s: embed anyFormat in its query", o.path, name)
			}
		}
	}
}

// rule returns the schema of a parameter as text. If the contract does not list
// the values of a string, an enum of ours is left out.
func rule(p schema.Parameter, want string) string {
	bare := schema.Object{}
	for _, m := range inline(p) {
		if m.Name != "enum" || strings.Contains(want, `"enum"`) {
			bare = append(bare, m)
		}
	}
	text, err := json.Marshal(bare)
	if err != nil {
		return err.Error()
	}
	if p.Required {
		return string(text) + " required"
	}
	return string(text)
}

// inline returns the schema of a parameter with its enumeration in it.
func inline(p schema.Parameter) (s schema.Object) {
	for _, m := range p.Schema {
		if m.Name != "$ref" {
			s = append(s, m)
			continue
		}
		for _, enumeration := range p.Enumerations {
			s = append(s, enumeration...)
		}
	}
	return s
}

// readDocument returns the OpenAPI document of an API as it is served.
func readDocument(t *testing.T, api gated) map[string]any {
	t.Helper()
	w := ask(api.Document(base), "GET", "/openapi.json")
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `\u00`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	v, err := jsonschema.UnmarshalJSON(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// at returns the value at a path of member names.
func at(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

func TestDocument(t *testing.T) {
	d := readDocument(t, newGated(t))
	for _, test := range []struct {
		got  any
		want string
	}{
		{d["openapi"], "3.1.0"},
		{at(d, "info", "version"), "2026-07-09"},
		{at(d, "x-service", "apiVersion"), "2026-07-09"},
		{at(d, "info", "license", "identifier"), "Apache-2.0"},
		{d["servers"], "[map[url:https://tides.example.org]]"},
		{at(d, "components", "securitySchemes", "bearer", "scheme"), "bearer"},
		{at(d, "components", "securitySchemes", "apiKey", "name"), "x-api-key"},
		{at(d, "components", "headers", "X-Request-Id", "schema", "format"), "uuid"},
	} {
		if got := fmt.Sprint(test.got); got != test.want {
			t.Errorf("the document has %s, want %s", got, test.want)
		}
	}
	for path, item := range at(d, "paths").(map[string]any) {
		if at(item, "get") == nil {
			continue
		}
		want := "200 400 401 403 429 503 default"
		security := "[map[] map[bearer:[]] map[apiKey:[]]]"
		switch {
		case path == "/api/developer/status":
			want, security = "200 503 default", "[]"
		case strings.Contains(path, "{id}"):
			want = "200 400 401 403 404 429 503 default"
		}
		var got []string
		for status := range at(item, "get", "responses").(map[string]any) {
			got = append(got, status)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s has the statuses %v, want %s", path, got, want)
		}
		if s := fmt.Sprint(at(item, "get", "security")); s != security {
			t.Errorf("%s has the security %s, want %s", path, s, security)
		}
	}
}

// TestNamedParameters checks that operations share the parameters that they have in common.
func TestNamedParameters(t *testing.T) {
	d := readDocument(t, newGated(t))
	for _, name := range []string{"id", "units", "time_zone", "datum"} {
		if got := at(d, "components", "parameters", name, "name"); got != name {
			t.Errorf("the document has the parameter %v, want %s", got, name)
		}
	}
	list := fmt.Sprint(at(d, "paths", "/api/v1/stations/{id}/predictions", "get", "parameters"))
	for _, want := range []string{"parameters/id]", "parameters/datum]", "name:begin_date"} {
		if !strings.Contains(list, want) {
			t.Errorf("predictions have the parameters %s, want %s", list, want)
		}
	}
}

// TestExamples checks that every example of the document matches its schema.
func TestExamples(t *testing.T) {
	checkExamples(t, readDocument(t, newGated(t)))
	checkExamples(t, readDocument(t, toys(t, nil)))
}

func checkExamples(t *testing.T, d map[string]any) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", d); err != nil {
		t.Fatal(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	count := 0
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprint(pointer, "/", i), item)
			}
		case map[string]any:
			for _, example := range examplesOf(v) {
				count++
				schema, err := c.Compile("openapi.json#" + pointer + "/schema")
				if err == nil {
					err = schema.Validate(example)
				}
				if err != nil {
					t.Errorf("%s: %v", pointer, err)
				}
			}
			for name, item := range v {
				walk(pointer+"/"+escape.Replace(name), item)
			}
		}
	}
	walk("", d)
	if count < 8 {
		t.Errorf("%d examples, want at least 8: those of the requests and of the errors", count)
	}
}

// examplesOf returns the examples next to a schema.
func examplesOf(v map[string]any) (list []any) {
	if v["schema"] == nil {
		return nil
	}
	if example, ok := v["example"]; ok {
		list = append(list, example)
	}
	named, _ := v["examples"].(map[string]any)
	for _, example := range named {
		list = append(list, at(example, "value"))
	}
	return list
}

// TestDocumentServed checks that the document can be cached and revalidated by its
// ETag.
func TestDocumentServed(t *testing.T) {
	h := newGated(t).Document(base)
	whole := ask(h, "GET", "/openapi.json")
	etag := whole.Header().Get("ETag")
	if whole.Code != http.StatusOK || !strings.HasPrefix(etag, `W/"`) ||
		whole.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", whole.Code, whole.Header())
	}
	for _, test := range []struct {
		method  string
		headers []string
		status  int
		bytes   int
	}{
		{"GET", nil, 200, whole.Body.Len()},
		{"HEAD", nil, 200, 0},
		{"GET", []string{"If-None-Match", etag}, 304, 0},
		{"HEAD", []string{"If-None-Match", `"other", ` + etag}, 304, 0},
		{"GET", []string{"If-None-Match", `"other"`}, 200, whole.Body.Len()},
	} {
		w := ask(h, test.method, "/openapi.json", test.headers...)
		if w.Code != test.status || w.Body.Len() != test.bytes || w.Header().Get("ETag") != etag {
			t.Errorf("%s %v: %d with %d bytes, want %d with %d; %v", test.method, test.headers,
				w.Code, w.Body.Len(), test.status, test.bytes, w.Header())
		}
	}
	w := ask(h, "GET", "/openapi.json", "Accept-Encoding", "gzip")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() > whole.Body.Len()/4 ||
		w.Header().Get("ETag") != etag {
		t.Errorf("compressed: %d bytes of %d, %v", w.Body.Len(), whole.Body.Len(), w.Header())
	}
	w = ask(h, "POST", "/openapi.json")
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" ||
		!strings.Contains(w.Body.String(), "method_not_allowed") {
		t.Errorf("POST: %d %v %s", w.Code, w.Header(), w.Body)
	}
	other := ask(newGated(t).Document(base+":444"), "GET", "/openapi.json")
	if other.Header().Get("ETag") == etag {
		t.Error("another document has the same ETag")
	}
}

type nothing struct{}

func (nothing) Input() nothing { return nothing{} }

// TestAnyQuery checks that a health check accepts every query, takes no credential and has no
// statuses for invalid requests.
func TestAnyQuery(t *testing.T) {
	status := func(context.Context, nothing) (coast.Missing, error) { return coast.Missing{}, nil }
	e := priced(free, anyQuery(status))
	o := read("/api/developer/status", "getStatus", "status.get", "Service",
		"Get the status", "About.", e)
	for _, query := range []string{"", "?a=1&a=2", "?%zz"} {
		w := httptest.NewRecorder()
		dispatcher{}.handle(o.endpoint)(w, httptest.NewRequest("GET", o.path+query, nil), nil)
		body, err := io.ReadAll(w.Body)
		if err != nil || w.Code != http.StatusOK || !bytes.HasPrefix(body, []byte("{")) {
			t.Errorf("%q: %d %s %v", query, w.Code, body, err)
		}
	}
	if got := o.faults(); !slices.Equal(got, []int{503}) || len(o.security()) != 0 {
		t.Errorf("faults %v, security %v", got, o.security())
	}
}

// TestWithoutParameters checks that an operation without parameters refuses a query.
func TestWithoutParameters(t *testing.T) {
	list := func(context.Context, nothing) (coast.Missing, error) { return coast.Missing{}, nil }
	for query, want := range map[string]string{
		"":      `{`,
		"?":     `{`,
		"?a=1":  `Unknown parameter \"a\". There are none here.`,
		"?%zz":  "the query string cannot be read",
		"?id=1": `Unknown parameter \"id\"`,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/api/developer/keys"+query, nil)
		dispatcher{}.handle(priced(free, get[nothing](list)))(w, r, nil)
		if status := w.Code; (status == http.StatusOK) != (want == `{`) ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: %d %s, want %s", query, status, w.Body, want)
		}
	}
}
