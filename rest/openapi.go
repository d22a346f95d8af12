package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/planning"
	"leadline/internal/schema"
)

// Contract is the version of the REST contract: its paths, parameters, results
// and errors.
const Contract = planning.Contract

// Document returns a handler that serves the OpenAPI 3.1 document of the contract. base is the
// address of the server, a scheme and a host. The document is encoded and compressed once, for the
// first request. A request with its ETag gets 304.
func (a *API) Document(base string) http.Handler {
	document := served(func() []byte { return encode(describeContract(a.contract, base)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.versions.writeHeader(w, r); err != nil {
			coast.WriteError(w, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

func describeContract(table []route, base string) document {
	return describe(table, base, info{
		Title: "Leadline", Summary: "Coastal data with their sources.",
		Description: description, Version: Contract,
	})
}

// DeveloperDocument returns a handler that serves the OpenAPI document of the
// routes for an account's keys, usage and webhooks, and of the requests that webhook
// endpoints receive. These are outside the versioned contract.
func (a *API) DeveloperDocument(base string) http.Handler {
	return served(func() []byte { return encode(describeDeveloper(a.developer, base)) })
}

func describeDeveloper(table []route, base string) document {
	d := describe(table, base, info{
		Title: "Leadline, for developers", Summary: "The keys, the usage and the webhooks of an account.",
		Description: developerDescription, Version: Contract,
	})
	d.addWebhooks()
	return d
}

// served returns a handler that serves a document.
func served(body func() []byte) http.Handler {
	document := sync.OnceValue(func() *edge.Encoded { return edge.NewEncoded(body()) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			methodNotAllowed(w, r)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-cache") // may be stored, must be revalidated
		document().Serve(w, r)
	})
}

// document is an OpenAPI document, limited to the members that are used here.
type document struct {
	OpenAPI string `json:"openapi"`
	Info    info   `json:"info"`
	Service struct {
		APIVersion string `json:"apiVersion"`
	} `json:"x-service"`
	Servers    []server      `json:"servers"`
	Tags       []tag         `json:"tags"`
	Paths      schema.Object `json:"paths"`
	Webhooks   schema.Object `json:"webhooks,omitzero"`
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
	Parameters      map[string]parameter      `json:"parameters"`
	Headers         map[string]header         `json:"headers"`
	Responses       map[string]response       `json:"responses"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

type method struct {
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	OperationID string                `json:"operationId"`
	Client      string                `json:"x-client,omitempty"`
	Security    []map[string][]string `json:"security"`
	Parameters  []any                 `json:"parameters"` // parameter or reference
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]any        `json:"responses"` // by status: response or reference
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
	Schema   schema.Object      `json:"schema"`
	Example  any                `json:"example,omitempty"`
	Examples map[string]example `json:"examples,omitempty"`
}

type example struct {
	Summary string          `json:"summary"`
	Value   json.RawMessage `json:"value"`
}

type reference struct {
	Ref string `json:"$ref"`
}

type header struct {
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
	Schema      any    `json:"schema"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description"`
}

// tags lists the OpenAPI tags in the order of the document.
var tags = []tag{
	{"Stations", "The directory of stations that predict tides and currents, or observe."},
	{"Water", "Levels of the water: predicted, and observed. No value is both."},
	{"Weather", "What was measured at a station, and what the weather service forecasts."},
	{"Sky", "Sun and moon, computed here."},
	{
		"Decisions",
		"What the facts mean for a plan, explained with numbers. Planning aids, never clearances.",
	},
	{"Service", "The state of the service itself."},
	{"Account", "The keys and the usage of an account."},
	{
		"Webhooks",
		"URLs that receive events, signed as Standard Webhooks describes, and the events themselves.",
	},
	{"Watches", "Planning requests that the server repeats until their time has come."},
	{"Planning", "Times at which the water meets a condition."},
}

// presence is the rule of absent properties and null, which all OpenAPI documents state.
const presence = "- A property is left out where it does not apply, and null where it applies " +
	"and has no known\n  value; the description of a property says where absence or null means " +
	"something else. A missing\n  value is never zero."

// description introduces the contract to readers of its OpenAPI document.
const description = `Tides, currents, water levels, weather, forecasts, stations, sun and moon
for the coasts of the United States.

- Every result lists its ` + "`sources`" + `: the provider, the kind and the age of each fact.
  ` + "`missing`" + ` lists the facts that are not available, and ` + "`notes`" + ` what a
  reader must know.
- A prediction is the astronomical tide. An observation also holds wind, pressure, waves, river
  flow and surge. No value mixes the two.
- High and low water describe levels alone. Flood, ebb and slack are known for current stations
  only.
- Heights are relative to the datum in ` + "`datum`" + `. Results name the unit of each value, and
  times have their offset from UTC.
` + presence + ` If a provider is down, no value is invented.
- Decisions take a JSON object of at most 64 KiB as ` + "`application/json`" + ` and change nothing.
  Each reason has value, unit, threshold and margin.
- ` + coast.Disclaimer + `

Every error response is an ErrorResponse, whose ` + "`error.code`" + ` is from a list that is
closed within a version of the contract.
Unknown query parameters are refused, and so are unknown properties of a body unless its schema
allows them. Every route with GET also serves HEAD.

A request may name a version of this contract in the header ` + "`Leadline-Version`" + `, such as
` + Contract + `. Without it, the oldest supported version responds. A version is supported for at
least 12 months after the date of its successor. Results may gain fields within a version: ignore
those that you do not know.`

// developerDescription introduces the developer routes to readers of their
// OpenAPI document.
const developerDescription = `The keys, the usage, the webhooks and the watches of an account.
These routes are outside the versioned contract and may change with a release.

- Each counts against the rate limit and not against the monthly quota, except those that say so.
- Keys are created and replaced by people, in a browser session or on the command line
  (` + "`leadline keys`" + `), never by keys.
- A request of a browser session that changes something must come from a page of this server.
` + presence

// headers lists the response headers. on holds the statuses of the responses that
// have the header; nil means all.
var headers = []struct {
	name string
	on   []int
	header
}{
	{"X-Request-Id", nil, header{
		"Identifies the request in the server's log.", true,
		map[string]any{"type": "string", "format": "uuid"},
	}},
	{"X-RateLimit-Limit", nil, header{
		"Requests that the caller may send in any 60 seconds, on REST and on MCP each.", true, count,
	}},
	{"X-RateLimit-Remaining", nil, header{"How many of them remain.", true, count}},
	{"X-RateLimit-Reset", nil, header{"When one more is available, in Unix seconds.", true, count}},
	{"X-Quota-Month-Limit", nil, header{
		"Requests that the account may send in a UTC calendar month. " +
			"Without a credential: the rate limit times the minutes of the month.", true, count,
	}},
	{"X-Quota-Month-Remaining", nil, header{"How many of them remain.", true, count}},
	{"X-Quota-Month-Reset", nil, header{
		"When the next month begins, in Unix seconds.", true, count,
	}},
	{"X-Quota-Warning", nil, header{
		"How much of the monthly quota is used: `approaching` from 80 %, " +
			"`critical` from 95 %, `exhausted` at 100 %.", true,
		schema.RefOf(quotaWarning),
	}},
	{"WWW-Authenticate", []int{http.StatusUnauthorized}, header{
		"How to send a credential.", true, map[string]any{"type": "string"},
	}},
	{"Retry-After", []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, header{
		"Seconds after which another attempt can succeed.", false,
		map[string]any{"type": "integer", "minimum": 1},
	}},
}

var quotaWarning = reflect.TypeFor[quota.Warning]()

var count = map[string]any{"type": "integer", "minimum": 0}

// headersOn returns the headers of responses with a status.
func headersOn(status int, versioned bool) map[string]reference {
	on := map[string]reference{}
	for _, h := range headers {
		if h.on == nil || slices.Contains(h.on, status) {
			on[h.name] = reference{"#/components/headers/" + h.name}
		}
	}
	if versioned {
		for name := range versionHeaders {
			on[name] = reference{"#/components/headers/" + name}
		}
	}
	return on
}

// faults lists the error responses by status.
var faults = []struct {
	status      int
	name        string // name of the response in the OpenAPI document
	description string
	example     coast.Error
}{
	{
		http.StatusBadRequest,
		"BadRequest",
		"A parameter, or a property of the body, is missing, unknown or invalid. `issues` lists " +
			"every fault.",
		coast.Error{
			Code:    coast.InvalidRequest,
			Message: `days must be a whole number from 1 to 31, not 32. Example: "days": 1.`,
			Issues: []coast.Issue{{
				Path: "days", Code: "maximum",
				Message: `days must be a whole number from 1 to 31, not 32. Example: "days": 1.`,
			}},
		},
	},
	{
		http.StatusUnauthorized,
		"Unauthorized",
		"The credential is not valid, or the operation requires one and none was sent.",
		coast.Error{
			Code:    coast.InvalidCredential,
			Message: "The credential is not valid: it is malformed, was revoked, or has expired.",
		},
	},
	{
		http.StatusForbidden,
		"Forbidden",
		"The scope or the plan of the credential does not include this operation.",
		coast.Error{
			Code:    coast.InsufficientScope,
			Message: "the credential lacks the scope raw:read",
		},
	},
	{
		http.StatusNotFound,
		"NotFound",
		"The station, key or other object that the request names does not exist, or the station " +
			"does not have the product. The message lists what is available instead.",
		coast.Error{
			Code:    coast.StationNotFound,
			Message: `No station "8443971" in the directory. Near: 8443970 (Boston).`,
		},
	},
	{
		http.StatusRequestEntityTooLarge,
		"PayloadTooLarge",
		"The body is longer than the limit.",
		coast.Error{
			Code:    coast.PayloadTooLarge,
			Message: "the body is longer than 65536 bytes; send a shorter one",
		},
	},
	{
		http.StatusUnsupportedMediaType,
		"UnsupportedMediaType",
		"The Content-Type is not application/json, or the body is compressed.",
		coast.Error{
			Code: coast.UnsupportedMediaType,
			Message: "the request has no Content-Type: " +
				"send the body as Content-Type: application/json",
		},
	},
	{
		http.StatusTooManyRequests,
		"TooManyRequests",
		"The rate limit or the monthly quota is exhausted.",
		coast.Error{
			Code: coast.RateLimited,
			Message: "30 requests in a minute are used up; " +
				"the next one can be made in 12 seconds",
			RetryAfterSeconds: 12,
		},
	},
	{
		http.StatusServiceUnavailable,
		"Unavailable",
		"A provider that the result requires is down, usage cannot be counted, or the server is " +
			"handling as many requests as it can. No value is invented.",
		coast.Error{
			Code:              coast.ProviderUnavailable,
			Message:           "NOAA CO-OPS does not answer: observed water levels are not available",
			RetryAfterSeconds: 30,
		},
	},
}

// otherError is the name of the response of all statuses that an operation does not list.
const otherError = "OtherError"

// internal is an example of such a response.
var internal = coast.Error{
	Code:    coast.Internal,
	Message: "internal error; the response's X-Request-Id finds it in the log",
}

// faults returns the statuses of o other than 200.
func (o route) faults() []int {
	if o.price == free {
		return []int{http.StatusServiceUnavailable}
	}
	list := []int{
		http.StatusBadRequest,
		http.StatusUnauthorized,
		http.StatusForbidden,
		http.StatusTooManyRequests,
		http.StatusServiceUnavailable,
	}
	names := func(p schema.Parameter) bool { return p.Name == "id" || p.Name == "station" }
	if slices.ContainsFunc(o.parameters, names) || o.body != nil { // every body names a station
		list = append(list, http.StatusNotFound)
	}
	if o.body != nil {
		list = append(list, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	return list
}

// ErrorResponse is the body of every error response, as coast.WriteError writes
// it.
type ErrorResponse struct {
	Error coast.Error `json:"error" doc:"Why there is no result."`
}

// describe returns the OpenAPI document of a table.
func describe(table []route, base string, about info) document {
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
		if slices.ContainsFunc(table, func(o route) bool { return o.tag == t.Name }) {
			d.Tags = append(d.Tags, t)
		}
	}
	d.Components = components{
		schemasOf(table),
		map[string]parameter{},
		map[string]header{},
		map[string]response{},
		credentialsOf(table),
	}
	d.nameParameters()
	// A table has versioned operations or others, except for the status, which describes its
	// responses itself.
	versioned := slices.ContainsFunc(table, route.versioned)
	for _, h := range headers {
		d.Components.Headers[h.name] = h.header
	}
	if versioned {
		maps.Copy(d.Components.Headers, versionHeaders)
	}
	d.Components.Responses[otherError] = response{
		"Another error, such as `method_not_allowed` or `internal`.",
		headersOn(http.StatusInternalServerError, versioned),
		body(schema.RefOf(reflect.TypeFor[ErrorResponse]()), ErrorResponse{internal}),
	}
	for _, f := range faults {
		has := func(o route) bool { return slices.Contains(o.faults(), f.status) }
		if !slices.ContainsFunc(table, has) {
			continue
		}
		d.Components.Responses[f.name] = response{
			f.description + codes(f.status),
			headersOn(f.status, versioned),
			body(schema.RefOf(reflect.TypeFor[ErrorResponse]()), ErrorResponse{f.example}),
		}
	}
	return d
}

// add adds an operation to those of its path.
func (d *document) add(o route) {
	verb := strings.ToLower(o.method)
	for _, p := range d.Paths {
		if p.Name == o.path {
			p.Value.(map[string]method)[verb] = o.describe()
			return
		}
	}
	item := map[string]method{verb: o.describe()}
	d.Paths = append(d.Paths, schema.Member{Name: o.path, Value: item})
}

// nameParameters moves each parameter that several operations have to the components. If a name has
// several forms, the first of them is moved.
func (d *document) nameParameters() {
	uses := map[string]int{}
	d.eachParameter(func(p *any) { uses[fmt.Sprint(*p)]++ })
	d.eachParameter(func(p *any) {
		given := (*p).(parameter)
		known, ok := d.Components.Parameters[given.Name]
		if uses[fmt.Sprint(given)] < 2 || ok && !reflect.DeepEqual(known, given) {
			return
		}
		d.Components.Parameters[given.Name] = given
		*p = reference{"#/components/parameters/" + given.Name}
	})
}

// eachParameter calls visit with each parameter of each operation, in the order of the document.
func (d *document) eachParameter(visit func(p *any)) {
	for _, item := range d.Paths {
		methods := item.Value.(map[string]method)
		for _, verb := range slices.Sorted(maps.Keys(methods)) {
			for i := range methods[verb].Parameters {
				visit(&methods[verb].Parameters[i])
			}
		}
	}
}

// schemasOf returns the schemas of all results and bodies, by type name. It panics
// if two types have the same name: this is a programming error, and the tests
// build every document.
func schemasOf(table []route) map[string]schema.Object {
	results := []reflect.Type{reflect.TypeFor[ErrorResponse](), quotaWarning}
	for _, o := range table {
		results = append(results, o.result)
	}
	schemas := schema.Results(results...)
	for _, o := range table {
		for _, p := range o.parameters {
			join(schemas, p.Enumerations)
		}
		if o.body != nil {
			join(schemas, o.body.Schemas())
		}
	}
	return schemas
}

// join adds schemas to those of a document. It panics if two have the same name.
func join(all, more map[string]schema.Object) {
	for name, s := range more {
		if have, ok := all[name]; ok && !reflect.DeepEqual(have, s) {
			panic("rest: two schemas have the name " + name)
		}
		all[name] = s
	}
}

// codes returns a sentence that lists the error codes of a status.
func codes(status int) string {
	var list []string
	for _, code := range coast.Code("").Values() {
		if coast.Errorf(coast.Code(code), "").Status() == status {
			list = append(list, "`"+code+"`")
		}
	}
	return " Codes: " + strings.Join(list, ", ") + "."
}

// credentials lists the ways to send a credential.
var credentials = map[string]securityScheme{
	"bearer": {
		Type:   "http",
		Scheme: "bearer",
		Description: "An API key as a Bearer credential: the preferred way. Keep keys on a " +
			"server, never in a page that people load.",
	},
	"apiKey": {
		Type:        "apiKey",
		In:          "header",
		Name:        "x-api-key",
		Description: "An API key in a header of its own.",
	},
	"session": {
		Type:        "apiKey",
		In:          "cookie",
		Name:        credential.SessionCookie(true),
		Description: "A browser session of a person who has signed in.",
	},
}

// credentialsOf returns the security schemes that the operations of a table
// accept.
func credentialsOf(table []route) map[string]securityScheme {
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

// security returns the alternative ways to authenticate. An empty object means that no
// credential is required.
func (o route) security() []map[string][]string {
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

// credential returns the end of a description: the scopes and the plan that a key
// needs.
func (o route) credential() string {
	if o.price == free || o.need.By&access.Key == 0 || len(o.need.Scopes) == 0 {
		return ""
	}
	text := " A key needs the scope `" + strings.Join(o.need.Scopes, "` or `") + "`"
	if o.need.Feature != "" {
		text += " and a plan with `" + o.need.Feature + "`"
	}
	return text + "."
}

func (o route) describe() method {
	m := method{
		Tags:        []string{o.tag},
		Summary:     o.summary,
		Description: o.about + o.credential(),
		OperationID: o.id,
		Client:      o.client,
		Security:    o.security(),
		Parameters:  []any{},
		Responses: map[string]any{
			"200": response{
				"The result, with its sources.",
				headersOn(http.StatusOK, o.versioned()),
				map[string]media{
					"application/json": {Schema: schema.RefOf(o.result), Examples: o.examples()},
				},
			},
		},
	}
	if o.versioned() {
		m.Parameters = append(m.Parameters, versionParameter)
	}
	for _, p := range o.parameters {
		in := "query"
		if strings.Contains(o.path, "{"+p.Name+"}") {
			in = "path"
		}
		m.Parameters = append(m.Parameters,
			parameter{p.Name, in, p.Doc, p.Required, p.Schema, p.Example})
	}
	if o.body != nil {
		sent := o.body.Example()
		if o.example != nil {
			sent = o.example.Request.Body
		}
		m.RequestBody = &requestBody{
			"One JSON object, not compressed, of at most 64 KiB.",
			true,
			body(o.body.Ref(), sent),
		}
	}
	m.Responses["default"] = reference{"#/components/responses/" + otherError}
	for _, f := range faults {
		switch {
		case !slices.Contains(o.faults(), f.status):
		case o.price == free: // the status route returns its result also with 503
			m.Responses[strconv.Itoa(f.status)] = response{
				"The service is down; `error` gives the reason.",
				headersOn(f.status, o.versioned()),
				body(schema.RefOf(o.result), nil),
			}
		default:
			m.Responses[strconv.Itoa(f.status)] = reference{"#/components/responses/" + f.name}
		}
	}
	return m
}

func body(s schema.Object, example any) map[string]media {
	return map[string]media{"application/json": {Schema: s, Example: example}}
}

// encode returns the document as JSON.
func encode(d document) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		// This cannot fail: the document holds plain values of this package, and tests encode
		// it.
		panic("rest: encode the OpenAPI document: " + err.Error())
	}
	return b.Bytes()
}
