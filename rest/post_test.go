package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/coast"
)

// These toy operations have the same kinds of input as real ones.

type ToyTrip struct {
	StationID string `json:"stationId" pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" doc:"Station id." example:"8443970"`
	LocalDate string `json:"localDate" format:"date" doc:"A day." example:"2026-11-21"`
}

func (in *ToyTrip) Validate() error {
	if in.LocalDate < "1900" {
		return coast.Errorf(coast.InvalidRequest, "localDate lies too long ago")
	}
	return nil
}

type ToyRules struct {
	ToyTrip
	Rules []ToyRule `json:"rules" minItems:"1" maxItems:"20" doc:"The rules to check."`
}

type ToyRule struct {
	ID      string   `json:"id" doc:"Names the rule." example:"calm"`
	Kind    string   `json:"kind" enum:"state_allowed maximum_missing_inputs" doc:"What the rule checks."`
	Allowed []string `json:"allowed" when:"state_allowed" enum:"normal watch" doc:"States that pass."`
	Maximum int      `json:"maximum" when:"maximum_missing_inputs" min:"0" doc:"The most that may be missing."`
}

type ToyChange struct {
	ToyTrip
	Baseline json.RawMessage `json:"baseline" doc:"A decision as it was returned."`
}

type ToyAnswer struct {
	Station string            `json:"station" doc:"The station."`
	Value   any               `json:"value" doc:"A number, a text or a list."`
	Names   map[string]string `json:"names" doc:"Words by name."`
}

// toys returns an API of toy operations. They count in ran how often they run.
func toys(t testing.TB, ran *int) gated {
	t.Helper()
	return versionedToys(t, ran, supported)
}

// versionedToys returns toys with the versions of a table.
func versionedToys(t testing.TB, ran *int, table []version) gated {
	t.Helper()
	gate := accesstest.New(t, accesstest.Roomy(t), accesstest.Now)
	answer := func(station string, value any) (ToyAnswer, error) {
		if ran != nil {
			*ran++
		}
		switch station {
		case "0000":
			return ToyAnswer{}, coast.Errorf(coast.StationNotFound, "no station %q", station)
		case "5000":
			return ToyAnswer{}, errors.New("an internal detail")
		}
		return ToyAnswer{station, value, map[string]string{"a": "b"}}, nil
	}
	d := dispatcher{gate: gate.Gate, log: slog.New(slog.DiscardHandler), versions: newVersions(table)}
	station := func(_ context.Context, in stationToy) (ToyAnswer, error) {
		return answer(in.ID, nil)
	}
	trip := func(_ context.Context, in ToyTrip) (ToyAnswer, error) {
		return answer(in.StationID, in.LocalDate)
	}
	rules := func(_ context.Context, in ToyRules) (ToyAnswer, error) {
		return answer(in.StationID, len(in.Rules))
	}
	change := func(_ context.Context, in ToyChange) (ToyAnswer, error) {
		return answer(in.StationID, in.Baseline)
	}
	return gated{newAPI(d, []route{
		read("/api/v1/stations/{id}", "getStation", "stations.get", "Stations",
			"Describe a station", "About.", get[stationToy](station)),
		send("/api/v1/decisions/trip-health", "tripHealth", "decisions.tripHealth", "Decisions",
			"Assess a trip", "About.", post(trip)),
		send("/api/v1/decisions/evaluate-rules", "evaluateRules", "decisions.evaluateRules", "Decisions",
			"Check rules", "About.", keyed(post(rules))),
		send("/api/v1/decisions/material-change", "materialChange", "decisions.materialChange",
			"Decisions", "Compare decisions", "About.", keyed(post(change))),
	}, nil, nil), gate}
}

type stationToy struct{ atStation }

func (q stationToy) Input() stationToy { return q }

// toyServer serves the toys and returns a key of each plan.
func toyServer(t *testing.T, ran *int) (base string, keys map[access.Tier]string) {
	t.Helper()
	api := toys(t, ran)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	keys = map[access.Tier]string{}
	for _, plan := range []access.Tier{access.Free, access.Pro} {
		keys[plan] = api.gate.Key(t, api.gate.Account(t, plan))
	}
	return server.URL, keys
}

const (
	toyTrip  = `"stationId":"8443970","localDate":"2026-11-21"`
	toyRules = `{` + toyTrip + `,"rules":[{"id":"a","kind":"state_allowed","allowed":["normal"]},` +
		`{"id":"b","kind":"maximum_missing_inputs","maximum":2.0}]}`
	asJSON = "application/json"
)

// TestPost sends requests over HTTP. If there are several faults, the response reports the
// first one in a fixed order: the caller, the media type, the length, and the content of the
// request.
func TestPost(t *testing.T) {
	const health = "/api/v1/decisions/trip-health"
	const rules = "/api/v1/decisions/evaluate-rules"
	const change = "/api/v1/decisions/material-change"
	const station = "/api/v1/stations/8443970"
	const trip = `{` + toyTrip + `}`
	long := `{` + toyTrip + `,"x":"` + strings.Repeat("x", maxBody) + `"}`
	full := `{` + toyTrip + strings.Repeat(" ", maxBody-len(toyTrip)-2) + `}`
	var ran int
	base, keys := toyServer(t, &ran)
	for _, test := range []struct {
		method, path string
		tier         access.Tier
		media, body  string
		status       int
		answer       string
	}{
		{"POST", health, "", asJSON, trip, 200, `{"station":"8443970","value":"2026-11-21","names":{"a":"b"}}`},
		{"POST", health, access.Anonymous, "Application/JSON; charset=utf-8", trip, 200, `"2026-11-21"`},
		{"POST", health, access.Anonymous, asJSON, full, 200, `"2026-11-21"`},
		{"POST", health + "?", access.Anonymous, asJSON, trip, 200, `"2026-11-21"`},
		{"POST", rules, access.Pro, asJSON, toyRules, 200, `"value":2,`},
		{
			"POST", change, access.Pro, asJSON, `{` + toyTrip + `,"baseline":{"state": "watch"}}`,
			200, `"value":{"state":"watch"},`,
		},
		{
			"POST", health, "", asJSON, `{"stationId":"8443970","localDate":"1899-12-31"}`,
			400, "localDate lies too long ago",
		},
		{
			"POST", health, "", asJSON, `{"stationId":"1","localDate":"2026-02-30","x~/":1}`,
			400, `"issues":[{"path":"/x~0~1","code":"unknown"`,
		},
		{"POST", health, "", asJSON, `{` + toyTrip, 400, "must be JSON"},
		{"POST", health, "", asJSON, ``, 400, "The body must not be empty. Example: {"},
		{
			"POST", health + "?units=metric&a=1", "", asJSON, `[]`,
			400, `Unknown parameter \"a\". There are none here. Unknown parameter \"units\".`,
		},
		{"POST", health + "?%zz", "", asJSON, trip, 400, "the query string cannot be read"},
		{
			"POST", rules, access.Pro, asJSON,
			`{` + toyTrip + `,"rules":[{"kind":"maximum_missing_inputs","id":"b","maximum":-1}]}`,
			400, `"path":"/rules/0/maximum","code":"minimum"`,
		},
		{
			"POST", health, "", asJSON, `{"stationId":"0000","localDate":"2026-11-21"}`,
			404, "station_not_found",
		},
		{
			"POST", health, "", asJSON, `{"stationId":"5000","localDate":"2026-11-21"}`,
			500, "internal error",
		},
		{
			"POST", "/api/v1/decisions", "", asJSON, toyRules,
			404, "GET /api/v1/stations/{id}, POST " + health + ", POST " + rules,
		},
		{"POST", health + "/", "", asJSON, toyRules, 404, "no such route"},
		{
			"POST", health, "", "", trip,
			415, "the request has no Content-Type: send the body as Content-Type: application/json",
		},
		{
			"POST", health, "", "text/plain", long,
			415, `Content-Type \"text/plain\" is not supported: send the body as`,
		},
		{"POST", health, "", "application/jsonp", trip, 415, "unsupported_media_type"},
		{"POST", health, "", "application/json; charset=", trip, 415, "unsupported_media_type"},
		{"POST", health + "?a=1", "", asJSON, long, 413, "the body is longer than 65536 bytes"},
		{"POST", rules, access.Pro, asJSON, long, 413, "payload_too_large"},
		{"POST", rules, access.Pro, "text/plain", long, 415, "unsupported_media_type"},
		{"POST", rules + "?a=1", "", "text/plain", long, 401, "credential_required"},
		{
			"POST", rules, access.Anonymous, asJSON, toyRules, 401,
			"x-api-key: KEY. The decision trip-health and all data need none.",
		},
		{"POST", rules, access.Free, "text/plain", `[`, 403, "plan_required"},
		{"GET", rules, access.Anonymous, "", "", 405, "method_not_allowed"},
		{"HEAD", health, access.Anonymous, "", "", 405, ""},
		{"OPTIONS", rules, access.Anonymous, "", "", 405, ""},
		{"POST", station, access.Pro, "text/plain", long, 405, "method_not_allowed"},
		{"GET", station, access.Anonymous, "", "", 200, `"value":null`},
	} {
		for _, chunked := range []bool{false, true} {
			before := ran
			r, err := http.NewRequestWithContext(t.Context(),
				test.method, base+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if chunked {
				r.ContentLength = -1
			}
			if key := keys[test.tier]; key != "" {
				r.Header.Set("X-Api-Key", key)
			}
			if test.media != "" {
				r.Header.Set("Content-Type", test.media)
			}
			answer, body := exchange(t, r)
			name := fmt.Sprintf("%s %s as %q, %s, %.50s",
				test.method, test.path, test.tier, test.media, test.body)
			if answer.StatusCode != test.status || !strings.Contains(body, test.answer) ||
				answer.Header.Get("Content-Type") != asJSON {
				t.Errorf("%s\ngot  %d %s\nwant %d %s",
					name, answer.StatusCode, body, test.status, test.answer)
			}
			challenge := answer.Header.Get("WWW-Authenticate")
			if want := test.status == http.StatusUnauthorized; (challenge == "Bearer") != want {
				t.Errorf("%s: WWW-Authenticate %q", name, challenge)
			}
			allow := map[string]string{"/api/v1/stations/8443970": "GET, HEAD"}[test.path]
			if allow == "" {
				allow = "POST"
			}
			got := answer.Header.Get("Allow")
			if test.status == http.StatusMethodNotAllowed && got != allow {
				t.Errorf("%s: Allow %q, want %q", name, got, allow)
			}
			runs := slices.Contains([]int{200, 500}, test.status)
			if reached := ran > before; reached != runs && test.answer != "station_not_found" {
				t.Errorf("%s: the operation ran: %v", name, reached)
			}
		}
	}
}

func exchange(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// TestCompressed checks that a compressed body is refused.
func TestCompressed(t *testing.T) {
	r := httptest.NewRequest("POST", "/api/v1/decisions/trip-health", strings.NewReader("\x1f\x8b"))
	r.Header.Set("Content-Type", asJSON)
	r.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	toys(t, nil).ServeHTTP(w, r)
	if w.Code != http.StatusUnsupportedMediaType ||
		!strings.Contains(w.Body.String(), `Content-Encoding \"gzip\" is not supported`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestAnnouncedLength checks that a body with an excessive Content-Length is refused before
// it is sent.
func TestAnnouncedLength(t *testing.T) {
	base, _ := toyServer(t, nil)
	connection, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /api/v1/decisions/trip-health HTTP/1.1\r\nHost: x\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		maxBody+1)
	answer := make([]byte, 12)
	if _, err := io.ReadFull(connection, answer); err != nil || string(answer) != "HTTP/1.1 413" {
		t.Errorf("%q, %v", answer, err)
	}
}

// TestShortBody checks that a body that ends before its declared length is an
// invalid request.
func TestShortBody(t *testing.T) {
	short := io.MultiReader(strings.NewReader(`{`), broken{})
	r := httptest.NewRequest("POST", "/api/v1/decisions/trip-health", short)
	r.Header.Set("Content-Type", asJSON)
	w := httptest.NewRecorder()
	toys(t, nil).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "ended before its declared length") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestPostDocument checks the document's description of operations with bodies.
func TestPostDocument(t *testing.T) {
	d := readDocument(t, toys(t, nil))
	health := at(d, "paths", "/api/v1/decisions/trip-health", "post")
	rules := at(d, "paths", "/api/v1/decisions/evaluate-rules", "post")
	schemas := at(d, "components", "schemas")
	responses := at(d, "components", "responses")
	for _, test := range []struct {
		got  any
		want string
	}{
		{at(health, "security"), `[{},{"bearer":[]},{"apiKey":[]}]`},
		{at(rules, "security"), `[{"bearer":[]},{"apiKey":[]}]`},
		{
			at(health, "parameters"), `[{"$ref":"#/components/parameters/Leadline-Version"}]`,
		},
		{at(health, "requestBody", "required"), `true`},
		{
			at(health, "requestBody", "content", asJSON, "schema"),
			`{"$ref":"#/components/schemas/ToyTrip"}`,
		},
		{
			at(health, "requestBody", "content", asJSON, "example"),
			`{"localDate":"2026-11-21","stationId":"8443970"}`,
		},
		{at(schemas, "ToyTrip", "required"), `["stationId","localDate"]`},
		{
			at(schemas, "ToyRules", "properties", "rules", "items"),
			`{"$ref":"#/components/schemas/ToyRule"}`,
		},
		{
			at(schemas, "ToyRule", "discriminator", "mapping", "state_allowed"),
			`"#/components/schemas/ToyRuleStateAllowed"`,
		},
		{
			at(schemas, "ToyAnswer", "properties", "value"),
			`{"description":"A number, a text or a list."}`,
		},
		{
			at(schemas, "ToyAnswer", "properties", "names", "additionalProperties"),
			`{"type":"string"}`,
		},
		{
			at(responses, "Unauthorized", "headers", "WWW-Authenticate"),
			`{"$ref":"#/components/headers/WWW-Authenticate"}`,
		},
		{at(health, "responses", "413"), `{"$ref":"#/components/responses/PayloadTooLarge"}`},
	} {
		if got, err := json.Marshal(test.got); err != nil || string(got) != test.want {
			t.Errorf("the document has %s, want %s", got, test.want)
		}
	}
	for _, operation := range []any{health, rules} {
		var got []string
		for status := range at(operation, "responses").(map[string]any) {
			got = append(got, status)
		}
		if slices.Sort(got); strings.Join(got, " ") != "200 400 401 403 404 413 415 429 503 default" {
			t.Errorf("the document has the statuses %v", got)
		}
	}
	if tags := fmt.Sprint(d["tags"]); !strings.Contains(tags, "Decisions") ||
		strings.Contains(tags, "Sky") {
		t.Errorf("the document has the tags %s, want those with operations", tags)
	}
}
