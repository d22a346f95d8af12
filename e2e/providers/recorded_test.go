package providers

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/docs"
	"leadline/e2e/product"
	"leadline/internal/access/credential"
	"leadline/internal/config"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/signature"
	"leadline/internal/trials"
	"leadline/rest"
)

const examplesFolder = "../../docs/examples"

// TestRecordedExamples records a request and a response of each REST operation, with simulated
// providers and the clock at noon, and compares them with docs/examples, which the OpenAPI
// documents and the pages show.
func TestRecordedExamples(t *testing.T) {
	r := newRecording(t)
	r.setup.Alone = true // what remains of limits is exact
	first := r.start(true)
	r.makeKey()
	r.webhooks()
	first.Stop()
	r.start(false)
	r.data()
	r.watches()
	r.account()
	for route, id := range r.ids {
		if r.recorded[id] == nil {
			t.Errorf("%s (%s) has no example", id, route)
		}
	}
	if *product.Update {
		r.write()
	}
	for id, got := range r.recorded {
		want, err := os.ReadFile(filepath.Join(examplesFolder, id+".json"))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is\n%s\nwant\n%s\n"+
				"review the difference after go test ./e2e/providers -run %s -update",
				id, got, want, t.Name())
		}
	}
}

// TestExamplesAreCurrent checks that each file of docs/examples is the example of an operation,
// and that its request and its response match their schemas.
func TestExamplesAreCurrent(t *testing.T) {
	left := exampleFiles(t)
	for _, name := range rest.DocumentNames() {
		text, err := rest.OpenAPI(name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource("openapi.json", v); err != nil {
			t.Fatal(err)
		}
		c := &product.ContractOf{Document: v.(map[string]any), Compiler: compiler}
		c.Paths = c.Document["paths"].(map[string]any)
		for path, item := range c.Paths {
			for verb, o := range item.(map[string]any) {
				id := product.Inside(o, "operationId").(string)
				own := filepath.Join(examplesFolder, id+".json")
				left = slices.DeleteFunc(left, func(file string) bool { return file == own })
				c.CheckExample(t, id, path, verb)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("%v are not operations", left)
	}
}

// recording sends and records requests of an account: with a key, and of its owner in a browser.
type recording struct {
	*testing.T
	setup    product.Setup
	url      string
	hooks    string       // address of a webhook endpoint
	attempts atomic.Int32 // requests that it got
	owner    *product.Visitor
	key      string
	ids      map[string]string   // operationIds by method and path
	paths    *product.ContractOf // paths of all documents
	recorded map[string][]byte   // by operationId
	shown    map[string]string   // what is shown in place of an id, a secret or an address
}

// newRecording returns a recording whose account has no key yet.
func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{
		T: t, ids: map[string]string{}, paths: &product.ContractOf{Paths: map[string]any{}},
		recorded: map[string][]byte{}, shown: map[string]string{},
	}
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r.attempts.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(hooks.Close)
	r.hooks, r.shown[hooks.URL] = hooks.URL, "https://hooks.example.com"
	_, root := product.Simulate(t, product.Noon)
	r.setup = product.Setup{
		Root: root, Folder: t.TempDir(), Now: product.Noon, Fetched: product.Noon,
		With: func(c *config.Config) {
			c.WebhookPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		},
	}
	return r
}

// start starts a server on the folder of the recording. Without background work, nothing changes
// between two requests.
func (r *recording) start(background bool) *product.Product {
	r.Helper()
	log := &product.Journal{}
	s := r.setup
	s.Whole, s.Log = background, log
	p := s.Start(r.T).Join(r.T)
	r.url, r.shown[p.URL] = p.URL, "https://leadline.example.org"
	if r.owner != nil {
		r.owner.Base = p.URL
		return p
	}
	const owner = "owner@example.org"
	r.owner = product.NewVisitor(r.T, p.URL)
	link := product.JoinLink.FindString(log.String())
	_, page, _ := r.owner.Ask(strings.TrimPrefix(link, p.URL), nil)
	r.owner.Ask("/oauth/join", r.owner.Form(page, "/oauth/join", "email", owner, "password",
		"a lead and a long line"))
	product.At(r.T, s.Folder, "accounts", "plan", owner, "pro")
	for _, document := range []string{
		"/openapi.json", "/api/developer/openapi.json", "/api/planning/openapi.json",
	} {
		for path, item := range product.ReadDocument(r.T, p.URL, document).Paths {
			r.paths.Paths[path] = item
			for verb, o := range item.(map[string]any) {
				r.ids[strings.ToUpper(verb)+" "+path] = product.Inside(o, "operationId").(string)
			}
		}
	}
	return p
}

// data records the routes of the contract and for planning.
func (r *recording) data() {
	const (
		station = "/api/v1/stations/8443970"
		plan    = `"stationId":"8443970","activity":"boating"`
		moment  = plan + `,"localDate":"2026-11-21","localTime":"09:00"`
	)
	r.get("/api/v1/stations?q=Boston&limit=3")
	r.get("/api/v1/stations/nearest?lat=42.35&lon=-71.05")
	r.get(station)
	r.get(station + "/predictions?begin_date=2026-11-20&hours=24")
	r.get(station + "/water-levels?hours=1")
	r.get(station + "/conditions")
	r.get(station + "/forecast?hours=3")
	r.get("/api/v1/astronomy?lat=42.35&lon=-71.05&date=2026-11-20")
	r.call("POST", "/api/v1/decisions/trip-health", `{`+moment+`}`)
	r.call("POST", "/api/v1/decisions/best-window", `{`+plan+`,"candidates":[`+
		`{"localDate":"2026-11-21","localTime":"09:00"},{"localDate":"2026-11-22","localTime":"15:00"}]}`)
	r.call("POST", "/api/v1/decisions/evaluate-rules", `{`+moment+`,"rules":[`+
		`{"id":"calm","kind":"state_allowed","allowed":["normal"]},`+
		`{"id":"sure","kind":"minimum_confidence","minimum":"moderate"}]}`)
	r.call("POST", "/api/v1/decisions/material-change", `{`+moment+
		`,"baseline":{"state":"action-needed","confidence":"high"}}`)
	r.get("/api/developer/status")
	r.get("/api/planning/tide-windows?station=8443970&below=0&light=daylight&range=168")
	r.get("/api/planning/tide-ranks?station=8443970&what=lowest&limit=3")
	r.get("/api/planning/current-windows?station=PUG1701&light=daylight&range=48")
	r.get("/api/planning/transits?station=PUG1701&distance=1.5&speed=6&direction=with_flood")
	r.call("POST", "/api/planning/routes", `{"speed":6,"gates":[{"station":"PUG1701","leg":2,`+
		`"distance":0.5,"direction":"with_flood","max_current":3},`+
		`{"station":"PUG1702","leg":12,"max_current":2}]}`)
	r.get("/api/planning/day?station=8443970&activity=boating")
	r.get("/api/planning/trip?station=8443970&date=saturday&from=09:00&until=17:00")
	r.get("/api/planning/places?query=Half%20Moon%20Bay,%20CA")
	r.get("/api/planning/telegram?station=8443970")
}

// makeKey records how the owner creates a key, which sends the requests that follow.
func (r *recording) makeKey() {
	var made struct{ Key string }
	r.byOwner("/api/developer/keys", `{"name":"harbor display","scopes":["raw:read",`+
		`"decision:read","webhook:read","webhook:write","usage:read"]}`, &made)
	r.key = made.Key
}

// webhooks records the routes for webhooks, with one event of an incident.
func (r *recording) webhooks() {
	const all = "/api/developer/webhooks"
	var made struct{ Endpoint endpoints.Endpoint }
	product.Decode(r.T, string(r.call("POST", all, `{"url":"`+r.hooks+`/leadline","events":`+
		`["status.incident.created","decision.material_change"]}`)), &made)
	one := all + "/" + made.Endpoint.ID
	r.settled(made.Endpoint.ID, 1)
	r.call("POST", one+"/test", "")
	product.At(r.T, r.setup.Folder, "incidents", "create", "--title", "Observations are late",
		"--message", "NOAA answers slowly. Predictions are not affected.")
	r.settled(made.Endpoint.ID, 3)
	r.get(all)
	r.get(one)
	r.get(one + "/deliveries")
	var list struct{ Events []endpoints.Event }
	product.Decode(r.T, string(r.get("/api/developer/events?type=status.incident.created")), &list)
	event := list.Events[0].ID
	r.get("/api/developer/events/" + event)
	r.get(one + "/deliveries/" + event)
	r.call("POST", one+"/deliveries/"+event+"/replay", "")
	r.settled(made.Endpoint.ID, 4)
	r.call("POST", one+"/replay", `{"since":"2026-11-20T12:00:00Z","states":["delivered"]}`)
	r.settled(made.Endpoint.ID, 7)
	r.call("POST", one+"/rotate", `{"keepOld":"24h"}`)
	r.call("PATCH", one, `{"description":"Harbor display","enabled":false}`)
	r.call("DELETE", one, "")
}

// settled waits until a webhook endpoint has got a number of requests, and waits for none.
func (r *recording) settled(id string, attempts int32) {
	r.Helper()
	trials.WaitFor(r.T, fmt.Sprintf("%d requests", attempts), func() bool {
		return r.attempts.Load() >= attempts
	})
	c := product.AccountClient{T: r.T, Base: r.url, Key: r.key}
	c.Until(id, func(e endpoints.Endpoint) bool { return e.State == "enabled" && e.Pending == 0 })
}

// watches records the routes for watches.
func (r *recording) watches() {
	const all = "/api/developer/watches"
	var made struct{ Watch struct{ ID string } }
	product.Decode(r.T, string(r.call("POST", all, `{"stationId":"8443970","activity":"boating",`+
		`"localDate":"2026-11-21","localTime":"09:00","name":"Saturday"}`)), &made)
	r.get(all)
	r.get(all + "/" + made.Watch.ID)
	r.call("DELETE", all+"/"+made.Watch.ID, "")
}

// account records the routes for keys and usage.
func (r *recording) account() {
	r.get("/api/developer/usage")
	r.get("/api/developer/keys")
	id := r.key[len(credential.Prefix):][:7]
	r.byOwner("/api/developer/keys/reroll", `{"id":"`+id+`","grace":"24h"}`, nil)
	r.byOwner("/api/developer/keys/revoke", `{"id":"`+id+`"}`, nil)
}

// get records a request for GET.
func (r *recording) get(target string) []byte {
	r.Helper()
	return r.call("GET", target, "")
}

// call records a request with the key, and returns the response.
func (r *recording) call(method, target, body string) []byte {
	r.Helper()
	c := product.AccountClient{T: r.T, Base: r.url, Key: r.key}
	got := c.Call(method, target, body, http.StatusOK)
	r.record(method, target, body, got)
	return got
}

// byOwner records a POST of the owner, and decodes the response.
func (r *recording) byOwner(target, body string, into any) {
	r.Helper()
	answer, err := r.owner.Post(r.url+target, "application/json", strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		r.Fatalf("POST %s = %d %s %v", target, answer.StatusCode, got, err)
	}
	r.record("POST", target, body, got)
	if into != nil {
		product.Decode(r.T, string(got), into)
	}
}

// record keeps a request and its response as an example.
func (r *recording) record(method, target, body string, got []byte) {
	r.Helper()
	e := docs.Example{
		Label:    docs.Simulated,
		Request:  docs.Request{Method: method, Target: r.show(target)},
		Response: json.RawMessage(cut(r.T, []byte(r.show(string(got))))),
	}
	if body != "" {
		e.Request.Body = json.RawMessage(r.show(body))
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(e); err != nil {
		r.Fatal(err)
	}
	id := r.ids[method+" "+r.paths.PathOf(target)]
	if id == "" {
		r.Fatalf("no document has %s %s", method, target)
	}
	r.recorded[id] = text.Bytes()
}

// exampleFiles returns the files of the examples.
func exampleFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(examplesFolder + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples in %s: %v", examplesFolder, err)
	}
	return files
}

// write replaces the files of the examples.
func (r *recording) write() {
	r.Helper()
	for _, file := range exampleFiles(r) {
		if err := os.Remove(file); err != nil {
			r.Fatal(err)
		}
	}
	for id, text := range r.recorded {
		if err := os.WriteFile(filepath.Join(examplesFolder, id+".json"), text, 0o644); err != nil {
			r.Fatal(err)
		}
	}
}

// random lists what differs in every recording, with what is shown in its place. The numbers of
// other ones are appended to a part of it.
var random = []struct {
	kind    *regexp.Regexp
	example string
}{
	{regexp.MustCompile(`ldl_live_[0-9A-Za-z]{46}`), "ldl_live_7LqQBDD" + strings.Repeat("0", 39)},
	{regexp.MustCompile(`whsec_[0-9A-Za-z+/]{40,}=*`), "whsec_" + base64.StdEncoding.EncodeToString(
		[]byte("example secret for documentation"))},
	{regexp.MustCompile(`we_[0-9A-Za-z]{14}`), "we_4fT9kQ2mZx7LbN"},
	{regexp.MustCompile(`wt_[0-9A-Za-z]{14}`), "wt_8Lq2VnR5sYc1Kd"},
	{regexp.MustCompile(`msg_[0-9a-f]{32}`), "msg_019a8f3c7b1e7c3a9d5e2f4061728394"},
	{
		regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`),
		"019a8f3c-7b1e-7c3a-9d5e-2f4061728394",
	},
}

// show returns a text with examples in place of ids, secrets, addresses and durations.
func (r *recording) show(text string) string {
	for _, one := range timed {
		text = one.kind.ReplaceAllString(text, one.example)
	}
	for _, one := range random {
		for _, found := range one.kind.FindAllString(text, -1) {
			r.add(found, one.example)
		}
	}
	var pairs []string
	names := slices.SortedFunc(maps.Keys(r.shown), func(a, b string) int {
		return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) // a key before its id
	})
	for _, name := range names {
		pairs = append(pairs, name, r.shown[name])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// timed lists what comes from the machine's clock, with what is shown in its place.
var timed = []struct {
	kind    *regexp.Regexp
	example string
}{
	{regexp.MustCompile(`"ms":\d+`), `"ms":40`},
	{regexp.MustCompile(`"latencyMs":\d+`), `"latencyMs":5`},
	{regexp.MustCompile(`"checkedAt":"[^"]+"`), `"checkedAt":"2026-11-20T17:00:00Z"`},
	{regexp.MustCompile(`"resetsAt":"2026-11-20T[^"]+"`), `"resetsAt":"2026-11-20T17:01:00Z"`},
}

// add chooses what is shown in place of a name: the example, with the number of the name among
// those of its kind in place of a character.
func (r *recording) add(name, example string) {
	if r.shown[name] != "" {
		return
	}
	const idEnd = len(credential.Prefix) + 7
	taken := slices.Collect(maps.Values(r.shown))
	for n := 2; slices.Contains(taken, example); n++ {
		at := min(len(example), idEnd) - 1
		example = example[:at] + strconv.Itoa(n) + example[at+1:]
	}
	r.shown[name] = example
	switch {
	case strings.HasPrefix(name, credential.Prefix): // the key contains its id
		r.shown[name[len(credential.Prefix):idEnd]] = example[len(credential.Prefix):idEnd]
	case strings.HasPrefix(name, signature.SecretPrefix): // endpoints show how the secret begins
		const hint = len(signature.SecretPrefix) + 4
		r.shown[name[:hint]+"…"] = example[:hint] + "…"
	}
}

// exampleRows is the number of rows that lists of examples have at most.
const exampleRows = 3

// cut returns JSON with at most exampleRows rows in each list.
func cut(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(text)), jsontext.NewEncoder(&out)
	for {
		if kind, n := in.StackIndex(in.StackDepth()); kind == '[' && n >= exampleRows {
			for in.PeekKind() != ']' {
				if err := in.SkipValue(); err != nil {
					t.Fatal(err)
				}
			}
		}
		token, err := in.ReadToken()
		if err == io.EOF {
			return bytes.TrimSpace(out.Bytes())
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
