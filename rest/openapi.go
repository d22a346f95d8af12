package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/tools"
)

// Contract is the version of what this door promises: paths, parameters,
// answers and faults.
const Contract = tools.Contract

// Document answers with the OpenAPI 3.1 document of the contract, of a server
// whose address is base, a scheme and a host. It is written once, here; a
// client that has it is answered 304 by its ETag.
func (a *API) Document(base string) http.Handler {
	return written(describe(a.contract, base, info{
		Title: "Leadline", Summary: "Coastal data that say where they come from.", Description: description, Version: Contract,
	}))
}

// DeveloperDocument answers with the one of the routes for an account's keys
// and usage, which stand outside the versioned contract.
func (a *API) DeveloperDocument(base string) http.Handler {
	return written(describe(a.developer, base, info{
		Title: "Leadline, for developers", Summary: "The keys and the usage of an account.", Description: developerDescription, Version: Contract,
	}))
}

func written(d document) http.Handler {
	body := encode(d)
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			methodNotAllowed(w, r)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-cache") // keep it, and ask each time whether it still holds
		h.Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

// document is an OpenAPI document, with the members that this one has.
type document struct {
	OpenAPI string `json:"openapi"`
	Info    info   `json:"info"`
	Service struct {
		APIVersion string `json:"apiVersion"`
	} `json:"x-service"`
	Servers    []server      `json:"servers"`
	Tags       []tag         `json:"tags"`
	Paths      schema.Object `json:"paths"`
	Components components    `json:"components"`
}

type info struct {
	Title       string  `json:"title"`
	Summary     string  `json:"summary"`
	Description string  `json:"description"`
	Version     string  `json:"version"`
	License     license `json:"license"`
}

type license struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type server struct {
	URL string `json:"url"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type components struct {
	Schemas         map[string]schema.Object  `json:"schemas"`
	Headers         map[string]header         `json:"headers"`
	Responses       map[string]response       `json:"responses"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

type method struct {
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	OperationID string                `json:"operationId"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]any        `json:"responses"` // by status: a response, or a reference to one
}

type parameter struct {
	Name        string        `json:"name"`
	In          string        `json:"in"`
	Description string        `json:"description"`
	Required    bool          `json:"required,omitempty"`
	Schema      schema.Object `json:"schema"`
	Example     any           `json:"example,omitempty"`
}

type requestBody struct {
	Description string           `json:"description"`
	Required    bool             `json:"required"`
	Content     map[string]media `json:"content"`
}

type response struct {
	Description string               `json:"description"`
	Headers     map[string]reference `json:"headers"`
	Content     map[string]media     `json:"content"`
}

type media struct {
	Schema  schema.Object `json:"schema"`
	Example any           `json:"example,omitempty"`
}

type reference struct {
	Ref string `json:"$ref"`
}

type header struct {
	Description string         `json:"description"`
	Required    bool           `json:"required,omitempty"`
	Schema      map[string]any `json:"schema"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description"`
}

// tags are the chapters of the document, in its order.
var tags = []tag{
	{"Stations", "The directory of stations that predict tides and currents, or observe."},
	{"Water", "Levels of the water: predicted, and observed. No value is both."},
	{"Weather", "What was measured at a station, and what the weather service forecasts."},
	{"Sky", "Sun and moon, computed here."},
	{"Decisions", "What the facts mean for a plan, explained with numbers. Planning aids, never clearances."},
	{"Service", "How the service itself is."},
	{"Account", "An account's keys, and what it has used."},
}

// description is what a reader must know before the first request.
const description = `Tides, currents, water levels, weather, forecasts, stations, sun and moon for the coasts of the United States.

- Every answer names its ` + "`sources`" + `: the provider, how the facts came about, how old they are. What could not be had stands in ` + "`missing`" + `, and what a reader must know in ` + "`notes`" + `.
- A prediction is the astronomical tide. An observation holds wind, pressure, waves, river flow and surge too. No value mixes the two.
- High and low water tell of levels alone. Flood, ebb and slack are known for current stations only.
- Heights stand above the datum in ` + "`datum`" + `. Units are named beside the values, and times carry their offset from UTC.
- What is not known is null or left out, never zero. When a provider does not answer, nothing is invented.
- Decisions are sent a JSON object of at most 64 KiB as ` + "`application/json`" + `, and change nothing. Each reason carries value, unit, threshold and margin.
- Answers are planning aids, never navigation or safety clearances.

Every fault has one form, ErrorResponse, whose ` + "`error.code`" + ` is from a closed list. Unknown query parameters are refused, and so are unknown properties of a body but where its schema allows them. Every GET answers HEAD as well. Answers may gain fields within a version of this contract: ignore those that you do not know.`

// developerDescription is what a reader must know of the developer routes.
const developerDescription = `The keys and the usage of an account. These routes stand outside the versioned contract and may change with a release.

- Each spends a request of the minute and nothing of the month.
- Keys are made and replaced by people, in a browser session or by the command line (` + "`leadline keys`" + `), never by keys.
- A request of a browser session that changes something must come from a page of this server.`

// headers stand on the answers with the statuses, or on all of them.
var headers = []struct {
	name string
	on   []int
	header
}{
	{"X-Request-Id", nil, header{"Names this answer in the server's log.", true, map[string]any{"type": "string", "format": "uuid"}}},
	{"X-RateLimit-Limit", nil, header{"Requests that the caller has in any 60 seconds, on REST and on MCP each.", true, count}},
	{"X-RateLimit-Remaining", nil, header{"How many of them are left.", true, count}},
	{"X-RateLimit-Reset", nil, header{"When there is one more, in Unix seconds.", true, count}},
	{"X-Quota-Month-Limit", nil, header{"Requests that the account has in a UTC calendar month. Without a credential: what the minutes of the month come to.", true, count}},
	{"X-Quota-Month-Remaining", nil, header{"How many of them are left.", true, count}},
	{"X-Quota-Month-Reset", nil, header{"When the next month begins, in Unix seconds.", true, count}},
	{"X-Quota-Warning", nil, header{"How much of the month is used: `approaching` from 80 % on, `critical` from 95 % on, `exhausted` when nothing is left.", true,
		map[string]any{"type": "string", "enum": []string{"none", "approaching", "critical", "exhausted"}}}},
	{"WWW-Authenticate", []int{http.StatusUnauthorized}, header{"How a credential is sent.", true, map[string]any{"type": "string"}}},
	{"Retry-After", []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		header{"Seconds after which another attempt can succeed.", false, map[string]any{"type": "integer", "minimum": 1}}},
}

var count = map[string]any{"type": "integer", "minimum": 0}

func headersOn(status int) map[string]reference {
	on := map[string]reference{}
	for _, h := range headers {
		if h.on == nil || slices.Contains(h.on, status) {
			on[h.name] = reference{"#/components/headers/" + h.name}
		}
	}
	return on
}

// faults are the answers that are no result, by status.
var faults = []struct {
	status      int
	name        string // in the document
	description string
	example     coast.Error
}{
	{http.StatusBadRequest, "BadRequest", "A parameter, or a property of the body, is missing, unknown or against its rule. `issues` tells every fault.",
		coast.Error{Code: coast.InvalidRequest, Message: `days must be a whole number from 1 to 31, not 32. Example: "days": 1.`,
			Issues: []coast.Issue{{Path: "days", Code: "maximum", Message: `days must be a whole number from 1 to 31, not 32. Example: "days": 1.`}}}},
	{http.StatusUnauthorized, "Unauthorized", "A credential was sent that is not valid, or is needed and was not sent.",
		coast.Error{Code: coast.InvalidCredential, Message: "The credential is not valid: it is misspelt, was revoked, or has expired."}},
	{http.StatusForbidden, "Forbidden", "The credential's scope or plan does not reach this operation.",
		coast.Error{Code: coast.InsufficientScope, Message: "the credential lacks the scope raw:read"}},
	{http.StatusNotFound, "NotFound", "What the request names is not there, as a station or a key, or the station lacks the product. The message names what there is instead.",
		coast.Error{Code: coast.StationNotFound, Message: `No station "8443971" in the directory. Near: 8443970 (Boston).`}},
	{http.StatusRequestEntityTooLarge, "PayloadTooLarge", "The body is longer than an operation takes.",
		coast.Error{Code: coast.PayloadTooLarge, Message: "the body is longer than 65536 bytes; what an operation takes is shorter"}},
	{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "The body is not said to be JSON, or is compressed.",
		coast.Error{Code: coast.UnsupportedMediaType, Message: "the request has no Content-Type: send the body as Content-Type: application/json"}},
	{http.StatusTooManyRequests, "TooManyRequests", "The allowance of the minute or of the month is used up.",
		coast.Error{Code: coast.RateLimited, Message: "30 requests in a minute are used up; the next one can be made in 12 seconds", RetryAfterSeconds: 12}},
	{http.StatusServiceUnavailable, "Unavailable", "A provider that the answer needs did not answer, the allowance cannot be counted, or the server is handling as many requests as it can. Nothing is invented.",
		coast.Error{Code: coast.ProviderUnavailable, Message: "NOAA CO-OPS does not answer: observed water levels cannot be had", RetryAfterSeconds: 30}},
}

// faults are the statuses of o beside 200.
func (o operation) faults() []int {
	if o.price == free {
		return []int{http.StatusServiceUnavailable}
	}
	list := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if strings.Contains(o.path, "{id}") || o.body != nil { // every body names a station
		list = append(list, http.StatusNotFound)
	}
	if o.body != nil {
		list = append(list, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	return list
}

// ErrorResponse is the body of every answer that is no result, as
// coast.WriteError writes it.
type ErrorResponse struct {
	Error coast.Error `json:"error" doc:"Why there is no result."`
}

// describe makes the document out of the table.
func describe(table []operation, base string, about info) document {
	d := document{
		OpenAPI: "3.1.0",
		Info:    about,
		Servers: []server{{base}},
	}
	d.Info.License = license{"Apache License 2.0", "Apache-2.0"}
	d.Service.APIVersion = Contract
	for _, o := range table {
		d.add(o)
	}
	for _, t := range tags {
		if slices.ContainsFunc(table, func(o operation) bool { return o.tag == t.Name }) {
			d.Tags = append(d.Tags, t)
		}
	}
	d.Components = components{schemasOf(table), map[string]header{}, map[string]response{}, credentialsOf(table)}
	for _, h := range headers {
		d.Components.Headers[h.name] = h.header
	}
	for _, f := range faults {
		if !slices.ContainsFunc(table, func(o operation) bool { return slices.Contains(o.faults(), f.status) }) {
			continue
		}
		d.Components.Responses[f.name] = response{
			f.description + codes(f.status), headersOn(f.status), body(schema.RefOf(reflect.TypeFor[ErrorResponse]()), ErrorResponse{f.example}),
		}
	}
	return d
}

// add puts an operation among those of its path.
func (d *document) add(o operation) {
	verb := strings.ToLower(o.method)
	for _, p := range d.Paths {
		if p.Name == o.path {
			p.Value.(map[string]method)[verb] = o.describe()
			return
		}
	}
	d.Paths = append(d.Paths, schema.Member{Name: o.path, Value: map[string]method{verb: o.describe()}})
}

// schemasOf are the schemas of all answers and bodies, by the names of their
// types. A name that two have is a fault of ours that the first test meets.
func schemasOf(table []operation) map[string]schema.Object {
	results := []reflect.Type{reflect.TypeFor[ErrorResponse]()}
	for _, o := range table {
		results = append(results, o.result)
	}
	schemas := schema.Results(results...)
	for _, o := range table {
		if o.body == nil {
			continue
		}
		for name, s := range o.body.Schemas() {
			if have, ok := schemas[name]; ok && !reflect.DeepEqual(have, s) {
				panic("rest: the document has two schemas of the name " + name)
			}
			schemas[name] = s
		}
	}
	return schemas
}

// codes lists the codes of a status.
func codes(status int) string {
	var list []string
	for _, code := range coast.Code("").Values() {
		if coast.Errorf(coast.Code(code), "").Status() == status {
			list = append(list, "`"+code+"`")
		}
	}
	return " Codes: " + strings.Join(list, ", ") + "."
}

// credentials are the ways to send one.
var credentials = map[string]securityScheme{
	"bearer":  {Type: "http", Scheme: "bearer", Description: "An API key as a Bearer credential: the preferred way. Keys belong on a server, never in a page that people load."},
	"apiKey":  {Type: "apiKey", In: "header", Name: "x-api-key", Description: "An API key in a header of its own."},
	"session": {Type: "apiKey", In: "cookie", Name: access.SessionCookie(true), Description: "A browser session, of a person who has signed in."},
}

// credentialsOf are those that the operations of a table take.
func credentialsOf(table []operation) map[string]securityScheme {
	taken := map[string]securityScheme{}
	for _, o := range table {
		for _, way := range o.security() {
			for name := range way {
				taken[name] = credentials[name]
			}
		}
	}
	return taken
}

// security are the ways to say who asks; the empty one is not to.
func (o operation) security() []map[string][]string {
	ways := []map[string][]string{}
	if o.price == free {
		return ways
	}
	if o.need.By&access.Nobody != 0 {
		ways = append(ways, map[string][]string{})
	}
	if o.need.By&access.Key != 0 {
		ways = append(ways, map[string][]string{"bearer": {}}, map[string][]string{"apiKey": {}})
	}
	if o.need.By&access.Session != 0 {
		ways = append(ways, map[string][]string{"session": {}})
	}
	return ways
}

// credential tells what a key needs, as the end of a description.
func (o operation) credential() string {
	if o.price == free || o.need.By&access.Key == 0 || len(o.need.Scopes) == 0 {
		return ""
	}
	text := " A key needs the scope `" + strings.Join(o.need.Scopes, "` or `") + "`"
	if o.need.Feature != "" {
		text += " and a plan with `" + o.need.Feature + "`"
	}
	return text + "."
}

func (o operation) describe() method {
	m := method{
		Tags: []string{o.tag}, Summary: o.summary, Description: o.about + o.credential(), OperationID: o.id, Security: o.security(),
		Parameters: []parameter{},
		Responses:  map[string]any{"200": response{"The answer, with its sources.", headersOn(http.StatusOK), body(schema.RefOf(o.result), nil)}},
	}
	for _, p := range o.parameters {
		in := "query"
		if strings.Contains(o.path, "{"+p.Name+"}") {
			in = "path"
		}
		m.Parameters = append(m.Parameters, parameter{p.Name, in, p.Doc, p.Required, p.Schema, p.Example})
	}
	if o.body != nil {
		m.RequestBody = &requestBody{"One JSON object, not compressed, of at most 64 KiB.", true, body(o.body.Ref(), o.body.Example())}
	}
	for _, f := range faults {
		switch {
		case !slices.Contains(o.faults(), f.status):
		case o.price == free: // the status: it tells the same when the service is down, and why
			m.Responses[strconv.Itoa(f.status)] = response{"The service is down; `error` says why.", headersOn(f.status), body(schema.RefOf(o.result), nil)}
		default:
			m.Responses[strconv.Itoa(f.status)] = reference{"#/components/responses/" + f.name}
		}
	}
	return m
}

func body(s schema.Object, example any) map[string]media {
	return map[string]media{"application/json": {s, example}}
}

// encode writes the document.
func encode(d document) []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic("rest: the document: " + err.Error()) // plain values of ours: the first test would meet it
	}
	return append(b, '\n')
}
