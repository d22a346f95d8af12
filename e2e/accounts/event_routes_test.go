package accounts

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/config"
	"leadline/internal/server"
	"leadline/internal/trials"
)

// These are routes for events, as the OpenAPI document writes their paths.
const (
	hooks     = "/api/developer/webhooks"
	hook      = hooks + "/{id}"
	sent      = hook + "/deliveries/{event}"
	happened  = "/api/developer/events"
	watches   = "/api/developer/watches"
	plan      = `{"stationId":"8443970","activity":"boating","localDate":"2026-11-23","localTime":"09:00"}`
	sinceNoon = `{"since":"2026-11-20T16:00:00Z"}`
)

// eventSite is a server, at noon, whose accounts have webhooks, events and watches.
type eventSite struct {
	*testing.T
	base     string
	receiver string            // accepts every event
	keys     map[string]string // by caller
	own      map[string]string // ids of Ann
	others   map[string]string // ids of Bob
	storage  *server.Storage
}

// newEventSite starts a server with the accounts of Ann, who has a key for each scope, of Bob, and
// of one caller for each of the plans free, pro and crew.
func newEventSite(t *testing.T) *eventSite {
	t.Helper()
	_, root := product.Simulate(t, product.Noon)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	file := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(file, []byte(`{"anonymous": {"perMinute": 65535},
		"team": {"perMinute": 65535, "perMonth": 100000, "features": ["decision_api"],
			"endpoints": 9, "watches": 2},
		"crew": {"perMinute": 65535, "perMonth": 100000, "features": ["decision_api"]}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	p := product.Setup{Root: root, Now: product.Noon, Whole: true, Deadline: 10 * time.Second,
		With: func(c *config.Config) {
			c.Plans = file
			c.WebhookPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}}.Start(t)
	k := p.Storage()
	ann, bob := product.NewAccount(t, k, "team"), product.NewAccount(t, k, "team")
	s := &eventSite{T: t, base: p.URL, storage: k, receiver: receiver.URL, keys: map[string]string{
		"nonsense": "ldl_live_nonsense",
		"reader":   keyOf(t, k, ann, credential.WebhookRead),
		"writer":   keyOf(t, k, ann, credential.WebhookWrite),
		"decider":  keyOf(t, k, ann, credential.DecisionRead),
		"ann":      keyOf(t, k, ann, credential.Scopes()...),
		"bob":      keyOf(t, k, bob, credential.Scopes()...),
		"free":     product.NewKey(t, k, access.Free),
		"pro":      product.NewKey(t, k, access.Pro),
		"crew":     product.NewKey(t, k, "crew"),
	}}
	s.own, s.others = s.fill("ann"), s.fill("bob")
	return s
}

// keyOf creates a key of an account.
func keyOf(t *testing.T, k *server.Storage, account string, scopes ...string) string {
	t.Helper()
	key, _, err := k.Keys.Create(t.Context(), credential.NewKey{Account: account, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// fill creates an enabled endpoint, a disabled one and a watch of a caller, and returns their ids
// and that of an event.
func (s *eventSite) fill(caller string) map[string]string {
	s.Helper()
	ids := map[string]string{}
	for _, name := range []string{"hook", "off"} {
		ids[name] = s.created(hooks, caller, `{"url":"`+s.receiver+`"}`, "endpoint")
		s.awaits(strings.Replace(hook, "{id}", ids[name], 1), caller, `"state":"enabled"`)
	}
	s.ok("PATCH", hooks+"/"+ids["off"], caller, `{"enabled":false}`)
	ids["watch"] = s.created(watches, caller, plan, "watch")
	var list struct{ Deliveries []struct{ Event string } }
	product.Decode(s.T, s.ok("GET", hooks+"/"+ids["hook"]+"/deliveries", caller, ""), &list)
	ids["event"] = list.Deliveries[0].Event
	return ids
}

// ok sends a request that must succeed, and returns the body of the response.
func (s *eventSite) ok(method, path, caller, body string) string {
	s.Helper()
	answer, text := s.send(method, path, caller, body)
	if answer.StatusCode != http.StatusOK {
		s.Fatalf("%s %s as %s: %d %s", method, path, caller, answer.StatusCode, text)
	}
	return text
}

func (s *eventSite) send(method, path, caller, body string) (*http.Response, string) {
	s.Helper()
	return product.Query{
		Method: method,
		Path:   path,
		Key:    s.keys[caller],
		Body:   body,
	}.AnswerOf(
		s.T,
		s.base,
	)
}

// created creates something and returns its id.
func (s *eventSite) created(path, caller, body, what string) string {
	s.Helper()
	var made map[string]json.RawMessage
	var one struct{ ID string }
	product.Decode(s.T, s.ok("POST", path, caller, body), &made)
	product.Decode(s.T, string(made[what]), &one)
	return one.ID
}

// awaits waits until a response contains a text.
func (s *eventSite) awaits(path, caller, text string) {
	s.Helper()
	trials.WaitFor(s.T, text+" in "+path, func() bool {
		return strings.Contains(s.ok("GET", path, caller, ""), text)
	})
}

// eventRoute is a route with what its parameter {id} names, the caller that may use it and a body.
type eventRoute struct{ method, path, id, caller, body string }

// eventRoutes returns all routes for events, those that remove something last.
func eventRoutes(receiver string) []eventRoute {
	return []eventRoute{
		{"GET", hooks, "", "reader", ""},
		{"POST", hooks, "", "writer", `{"url":"` + receiver + `"}`},
		{"GET", hook, "hook", "reader", ""},
		{"PATCH", hook, "hook", "writer", `{"description":"bridge"}`},
		{"POST", hook + "/test", "hook", "writer", ""},
		{"POST", hook + "/rotate", "hook", "writer", `{"keepOld":"1h"}`},
		{"GET", hook + "/deliveries", "hook", "reader", ""},
		{"GET", sent, "hook", "reader", ""},
		{"POST", sent + "/replay", "hook", "writer", ""},
		{"POST", hook + "/replay", "hook", "writer", sinceNoon},
		{"GET", happened, "", "reader", ""},
		{"GET", happened + "/{id}", "event", "reader", ""},
		{"GET", watches, "", "decider", ""},
		{"POST", watches, "", "decider", plan},
		{"GET", watches + "/{id}", "watch", "decider", ""},
		{"DELETE", hook, "off", "writer", ""},
		{"DELETE", watches + "/{id}", "watch", "decider", ""},
	}
}

// at returns the path with the ids of an account.
func (r eventRoute) at(ids map[string]string) string {
	return strings.NewReplacer("{id}", ids[r.id], "{event}", ids["event"]).Replace(r.path)
}

// TestEventRoutesListed checks that the table of these tests has every route of the document.
func TestEventRoutesListed(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct{ Tags []string }
	}
	product.Decode(
		t,
		product.OverREST(t, product.Mount(t).URL+"/api/developer/openapi.json"),
		&document,
	)
	var want, got []string
	for path, methods := range document.Paths {
		for method, o := range methods {
			if slices.Contains(o.Tags, "Webhooks") || slices.Contains(o.Tags, "Watches") {
				want = append(want, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range eventRoutes("") {
		got = append(got, r.method+" "+r.path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the table has the routes\n%q, the document\n%q", got, want)
	}
}

// TestCase67And68EventRoutes calls every route without a credential, with an invalid one, with
// each single scope, with ids of another account and unknown ids, and as the one who may. Only
// responses with a new secret have one, and they are not cached.
func TestCase67And68EventRoutes(t *testing.T) {
	t.Parallel()
	s := newEventSite(t)
	scopes := map[string]string{
		"reader": credential.WebhookRead, "writer": credential.WebhookWrite,
		"decider": credential.DecisionRead,
	}
	nobody := map[string]string{
		"hook": "we_00000000000000", "off": "we_00000000000000", "watch": "wt_00000000000000",
		"event": "msg_" + strings.Repeat("0", 32),
	}
	secrets := []string{"POST " + hooks, "POST " + hook + "/rotate"}
	for _, r := range eventRoutes(s.receiver) {
		name, path := r.method+" "+r.path, r.at(s.own)
		s.checkRefusal(r, path, "", 401, "credential_required", "API key")
		s.checkRefusal(r, path, "nonsense", 401, "invalid_credential", "")
		for caller := range scopes {
			if caller != r.caller {
				s.checkRefusal(r, path, caller, 403, "insufficient_scope", scopes[r.caller])
			}
		}
		if strings.Contains(r.path, "{") {
			foreign := s.checkRefusal(
				r,
				r.at(s.others),
				r.caller,
				404,
				"not_found",
				"GET /api/developer/",
			)
			unknown := s.checkRefusal(
				r,
				r.at(nobody),
				r.caller,
				404,
				"not_found",
				"GET /api/developer/",
			)
			for what, id := range s.others { // nobody learns which ids exist
				foreign = strings.ReplaceAll(foreign, id, nobody[what])
			}
			if foreign != unknown {
				t.Errorf(
					"%s: the id of another account is %q, an unknown one %q",
					name,
					foreign,
					unknown,
				)
			}
		}
		if strings.Contains(r.path, "{event}") {
			mixed := map[string]string{"hook": s.own["hook"], "event": s.others["event"]}
			s.checkRefusal(r, r.at(mixed), r.caller, 404, "not_found", "has no delivery of")
		}
		answer, text := s.send(r.method, path, r.caller, r.body)
		cached := answer.Header.Get("Cache-Control")
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s as %s: %d %s", name, r.caller, answer.StatusCode, text)
		}
		hasSecret := strings.Contains(text, `"secret":"whsec_`)
		if hasSecret != slices.Contains(secrets, name) || hasSecret && cached != "no-store" {
			t.Errorf("%s has a secret: %v, with Cache-Control %q", name, hasSecret, cached)
		}
	}
	for _, r := range eventRoutes(s.receiver) { // what was removed
		if r.method == http.MethodDelete {
			s.checkRefusal(r, r.at(s.own), r.caller, 404, "not_found", "There is no")
		}
	}
}

// checkRefusal sends a request of a caller that must be refused, and returns the message.
func (s *eventSite) checkRefusal(
	r eventRoute, path, caller string, status int, code, says string,
) string {
	s.Helper()
	answer, text := s.send(r.method, path, caller, r.body)
	e := product.Refusal(s.T, []byte(text))
	if answer.StatusCode != status || string(e.Code) != code ||
		!strings.Contains(e.Message, says) ||
		answer.Header.Get("Cache-Control") != "no-store" {
		s.Errorf("%s %s as %q: %d %v %s\nwant %d %s with %q", r.method, path, caller,
			answer.StatusCode, answer.Header, text, status, code, says)
	}
	challenge := status == http.StatusUnauthorized || code == "insufficient_scope"
	if got := answer.Header.Get("WWW-Authenticate"); (got != "") != challenge {
		s.Errorf("%s %s as %q: %d with WWW-Authenticate %q", r.method, path, caller, status, got)
	}
	return e.Message
}

// These are codes of errors.
const (
	bad   = "invalid_request"
	plans = "plan_required"
)

// fault is a request of a caller that is refused, with a part of the message.
type fault struct {
	method, path, caller, body string
	status                     int
	code, says                 string
}

// endpointFaults returns requests about endpoints that break a rule. The plans pro and free have no
// endpoint left.
func (s *eventSite) endpointFaults() []fault {
	one, off := hooks+"/"+s.own["hook"], hooks+"/"+s.own["off"]
	url := func(more string) string { return `{"url":"` + s.receiver + `"` + more + `}` }
	named := func(name string) string { return url(`,"description":"` + name + `"`) }
	return []fault{
		{"POST", hooks, "ann", `{}`, 400, bad, `url is required: text. Example: "url": "https://`},
		{"POST", hooks, "ann", `[]`, 400, bad, `must be an object, not a list. Example: {"url"`},
		{"POST", hooks, "ann", `{"url":`, 400, bad, "The body must be JSON"},
		{
			"POST",
			hooks,
			"ann",
			`{"url":1}`,
			400,
			bad,
			`url must be text, not 1. Example: "url": "https`,
		},
		{"POST", hooks, "ann", `{"url":"/hook"}`, 400, bad, "url must be an absolute URL"},
		{
			"POST",
			hooks,
			"ann",
			`{"url":"ftp://h.example"}`,
			400,
			bad,
			"url must begin with https://.",
		},
		{"POST", hooks, "ann", url(`,"name":"x"`), 400, bad, "Known: url, events, description."},
		{"POST", hooks, "ann", url(`,"events":"*"`), 400, bad, `events must be a list of 1 to 20`},
		{"POST", hooks, "ann", url(`,"events":[]`), 400, bad, `events must be a list of 1 to 20`},
		{"POST", hooks, "ann", url(`,"events":["tide"]`), 400, bad, `quota.exceeded, api.degraded`},
		{"POST", hooks, "ann", url(`,"events":["*","tide"]`), 400, bad, `not "tide"`},
		{"POST", hooks, "ann", url(`,"events":["*","quota.warning"]`), 400, bad, `"*" alone`},
		{"POST", hooks, "ann", named(strings.Repeat("x", 121)), 400, bad, "at most 120 characters"},
		{"POST", hooks, "ann", named(`a\nb`), 400, bad, "description must be one line"},
		{"POST", hooks, "ann", named(s.keys["ann"]), 400, bad, "must not contain an API key"},
		{"POST", hooks + "?url=x", "ann", url(""), 400, bad, `Unknown parameter "url"`},
		{"POST", hooks, "pro", url(""), 403, plans, "The plan pro has 5 webhook endpoints"},
		{"POST", hooks, "free", url(""), 403, plans, "The plan free has 1 webhook endpoint, and"},
		{"POST", hooks, "crew", url(""), 403, plans, "The plan crew has no webhook endpoints."},
		{
			"GET",
			hooks + "?limit=5",
			"ann",
			"",
			400,
			bad,
			`Unknown parameter "limit". There are none`,
		},
		{"PUT", hooks, "ann", url(""), 405, "method_not_allowed", "PUT is not allowed here"},
		{"GET", hooks + "/we_1", "ann", "", 400, bad, "id must be text such as we_4fT9kQ2mZx7LbN"},
		{
			"PATCH",
			one,
			"ann",
			`{"enabled":"yes"}`,
			400,
			bad,
			`enabled must be true or false, not "yes"`,
		},
		{"PATCH", one, "ann", `{"url":null}`, 400, bad, "url must be text, not null."},
		{"PATCH", one, "ann", `{"state":"enabled"}`, 400, bad, `Unknown property "state".`},
		{
			"POST",
			one + "/rotate",
			"ann",
			`{"keepOld":"2h"}`,
			400,
			bad,
			"keepOld must be one of 0s, 1h,",
		},
		{"POST", one + "/test", "ann", `{"event":"x"}`, 400, bad, `Unknown property "event".`},
		{"POST", off + "/test", "ann", "", 400, bad, `nothing. Enable it first with PATCH /api/`},
	}
}

// deliveryFaults returns requests about deliveries and events that break a rule.
func (s *eventSite) deliveryFaults() []fault {
	one, off := hooks+"/"+s.own["hook"], hooks+"/"+s.own["off"]
	list, again := one+"/deliveries", one+"/replay"
	since := func(at, more string) string { return `{"since":"` + at + `"` + more + `}` }
	const noon = "2026-11-20T16:00:00Z"
	const id = "must be text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394"
	sent := since(noon, `,"states":["delivered"]`)
	return []fault{
		{"POST", off + "/replay", "ann", sent, 400, bad, ` and {"enabled": true}.`},
		{"POST", again, "ann", `{}`, 400, bad, `since is required`},
		{
			"POST",
			again,
			"ann",
			since("noon", ""),
			400,
			bad,
			`Example: "since": "2026-11-27T14:40:00Z"`,
		},
		{
			"POST",
			again,
			"ann",
			since("2025-11-20T00:00:00Z", ""),
			400,
			bad,
			"within the last 30 days",
		},
		{"POST", again, "ann", since("2027-11-20T00:00:00Z", ""), 400, bad, "not be in the future"},
		{
			"POST",
			again,
			"ann",
			since(noon, `,"until":"`+noon+`"`),
			400,
			bad,
			"later than the start of the span, ",
		},
		{
			"POST",
			again,
			"ann",
			since(noon, `,"until":"x"`),
			400,
			bad,
			"until must be a time with an offset",
		},
		{
			"POST",
			again,
			"ann",
			since(noon, `,"states":["pending"]`),
			400,
			bad,
			"delivered, failed, skipped",
		},
		{"POST", again, "ann", since(noon, `,"before":"x"`), 400, bad, "before " + id},
		{
			"GET",
			list + "?state=lost",
			"ann",
			"",
			400,
			bad,
			"state must be one of pending, delivered",
		},
		{"GET", list + "?type=tide", "ann", "", 400, bad, `Example: "type": "quota.warning"`},
		{"GET", list + "?limit=0", "ann", "", 400, bad, "limit must be a whole number from 1 to"},
		{"GET", list + "?before=x", "ann", "", 400, bad, "before " + id},
		{"GET", list + "?page=2", "ann", "", 400, bad, "Known: state, type, before, limit."},
		{"GET", list + "/msg_1", "ann", "", 400, bad, "event " + id},
		{"GET", happened + "?type=tide", "ann", "", 400, bad, "type must be one of webhook.test, "},
		{
			"GET",
			happened + "?limit=101",
			"ann",
			"",
			400,
			bad,
			"limit must be a whole number from 1 to",
		},
		{"GET", happened + "?before=x", "ann", "", 400, bad, "before " + id},
		{"GET", happened + "/msg_1", "ann", "", 400, bad, "id " + id},
	}
}

// watchFaults returns requests about watches that break a rule. The account of Ann has no watch
// left.
func (s *eventSite) watchFaults() []fault {
	on := func(date, more string) string {
		return `{"stationId":"8443970","activity":"boating","localDate":"` + date +
			`","localTime":"09:00"` + more + `}`
	}
	with := func(more string) string { return on("2026-11-23", ","+more) }
	at := func(station string) string { return strings.Replace(plan, "8443970", station, 1) }
	fly := strings.Replace(plan, "boating", "flying", 1)
	long := `"name":"` + strings.Repeat("x", 65) + `"`
	return []fault{
		{
			"GET",
			watches + "?state=active",
			"ann",
			"",
			400,
			bad,
			`Unknown parameter "state". There are`,
		},
		{
			"GET",
			watches + "/wt_1",
			"ann",
			"",
			400,
			bad,
			"id must be text such as wt_8Lq2VnR5sYc1Kd",
		},
		{
			"POST",
			watches,
			"pro",
			`{}`,
			400,
			bad,
			"localTime is required: a time of 24 hours, HH:MM.",
		},
		{"POST", watches, "pro", fly, 400, bad, "activity must be one of fishing, boating, "},
		{"POST", watches, "pro", on("2026-11-20", ""), 400, bad, "2026-11-20 09:00 is past: it is"},
		{
			"POST",
			watches,
			"pro",
			on("2027-11-23", ""),
			400,
			bad,
			"more than 366 days ahead. Ask for",
		},
		{"POST", watches, "pro", on("2026-02-30", ""), 400, bad, "localDate must be a day of the"},
		{
			"POST",
			watches,
			"pro",
			with(`"rule":1`),
			400,
			bad,
			`Unknown property "rule". Known: stationId`,
		},
		{
			"POST",
			watches,
			"pro",
			with(`"baseline":3`),
			400,
			bad,
			"baseline must be an object, not 3.",
		},
		{"POST", watches, "pro", with(`"baseline":{}`), 400, bad, `Example: "baseline": {"state"`},
		{
			"POST",
			watches,
			"pro",
			with(`"baseline":{"state":"good"}`),
			400,
			bad,
			"normal, watch, action-",
		},
		{"POST", watches, "pro", with(long), 400, bad, "name must be one line of at most 64"},
		{
			"POST",
			watches,
			"pro",
			with(`"name":"a\nb"`),
			400,
			bad,
			"name must be one line of at most 64",
		},
		{
			"POST",
			watches,
			"pro",
			with(`"name":"` + s.keys["ann"] + `"`),
			400,
			bad,
			"contain an API key",
		},
		{"POST", watches, "pro", at("9075014"), 404, "product_unavailable", "predicts no tide"},
		{"POST", watches, "pro", at("0000000"), 404, "station_not_found", `No station "0000000"`},
		{
			"POST",
			watches,
			"ann",
			plan,
			403,
			plans,
			"as many watches as the plan team allows, 2: delete",
		},
		{"POST", watches, "crew", plan, 403, plans, "The plan crew has no watches."},
		{"POST", watches, "free", plan, 403, plans, "which the plan free does not include."},
	}
}

// TestEventFaults sends requests that break a rule. Each error names the argument and the rule;
// issues have the path of the argument.
func TestEventFaults(t *testing.T) {
	t.Parallel()
	s := newEventSite(t)
	for range 5 {
		s.created(hooks, "pro", `{"url":"`+s.receiver+`"}`, "endpoint")
	}
	s.created(hooks, "free", `{"url":"`+s.receiver+`"}`, "endpoint")
	s.created(watches, "ann", plan, "watch")
	for _, f := range slices.Concat(s.endpointFaults(), s.deliveryFaults(), s.watchFaults()) {
		answer, text := s.send(f.method, f.path, f.caller, f.body)
		e := product.Refusal(t, []byte(text))
		if answer.StatusCode != f.status || string(e.Code) != f.code ||
			!strings.Contains(e.Message, f.says) {
			t.Errorf(
				"%s %s %s as %s\ngot  %d %s\nwant %d %s with %q",
				f.method,
				f.path,
				f.body,
				f.caller,
				answer.StatusCode,
				text,
				f.status,
				f.code,
				f.says,
			)
		}
		aboutState := strings.Contains(e.Message, "Enable it first")
		if (len(e.Issues) > 0) != (f.status == http.StatusBadRequest && !aboutState) {
			t.Errorf("%s %s %s has the issues %v", f.method, f.path, f.body, e.Issues)
		}
	}
}

// TestWatchesWithoutFeature checks that an account whose plan no longer includes decision_api can
// list, read and delete its watches, and create none.
func TestWatchesWithoutFeature(t *testing.T) {
	t.Parallel()
	s := newEventSite(t)
	one := watches + "/" + s.own["watch"]
	s.moved("ann", access.Free)
	refused := eventRoute{method: "POST", path: watches, body: plan}
	s.checkRefusal(refused, watches, "ann", 403, plans, "which the plan free does not include.")
	for _, r := range []eventRoute{
		{"GET", watches, "", "ann", ""}, {"GET", one, "", "decider", ""}, {"DELETE", one, "", "ann", ""},
	} {
		if text := s.ok(r.method, r.path, r.caller, ""); !strings.Contains(text, s.own["watch"]) {
			t.Errorf("%s %s returns %s", r.method, r.path, text)
		}
	}
	if text := strings.TrimSpace(s.ok("GET", watches, "ann", "")); text != `{"watches":[]}` {
		t.Errorf("after the removal GET %s returns %s", watches, text)
	}
}

// moved moves the account of a caller to a plan, and waits until its instance knows.
func (s *eventSite) moved(caller string, plan access.Tier) {
	s.Helper()
	key := s.keys[caller]
	account := accountOf(s.T, s.storage, key)
	if err := s.storage.Store.SetPlan(s.Context(), account, string(plan)); err != nil {
		s.Fatal(err)
	}
	product.Eventually(s.T, fmt.Sprintf("%s on the plan %s", caller, plan), func() bool {
		tier, _, _ := whoIs(s.T, s.base, key)
		return tier == string(plan)
	})
}

// TestOptionalBody sends commands with and without a body, a length and a media type.
func TestOptionalBody(t *testing.T) {
	t.Parallel()
	s := newEventSite(t)
	for _, test := range []struct {
		command, media, body string
		chunked              bool
		status               int
	}{
		{"/rotate", "", "", false, 200},
		{"/rotate", "application/json", "", false, 200},
		{"/rotate", "application/json", "", true, 200},
		{"/rotate", "application/json", "{}", true, 200},
		{"/rotate", "text/plain", "", false, 200},
		{"/rotate", "text/plain", "{}", false, 415},
		{"/rotate", "", "{}", false, 415},
		{"/rotate", "application/json", "[]", false, 400},
		{"/test", "application/json", "", false, 200},
		{"/test", "application/json", "{}", false, 200},
		{"/test", "application/json", "null", false, 400},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST",
			s.base+hooks+"/"+s.own["hook"]+test.command, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.keys["ann"])
		if test.media != "" {
			r.Header.Set("Content-Type", test.media)
		}
		if test.chunked {
			r.ContentLength = -1
			r.Body = http.MaxBytesReader(nil, r.Body, 9) // hides that it is empty
		}
		if got := product.Fetch(t, r); !strings.HasPrefix(got, fmt.Sprint(test.status)) {
			t.Errorf("%+v: %s, want %d", test, got, test.status)
		}
	}
}

// TestEventTypes checks that the parameter type takes exactly the kinds of events.
func TestEventTypes(t *testing.T) {
	t.Parallel()
	c := product.ReadDocument(t, product.Mount(t).URL, "/api/developer/openapi.json")
	kinds := slices.Sorted(maps.Keys(c.Document["webhooks"].(map[string]any)))
	list := product.Inside(c.Document, "components", "schemas", "EventKind", "enum").([]any)
	if got := strings.Fields(strings.Trim(fmt.Sprint(list), "[]")); !slices.Equal(
		slices.Sorted(slices.Values(got)), kinds) {
		t.Errorf("EventKind has %q, want the kinds %q", got, kinds)
	}
	for _, path := range []string{happened, hook + "/deliveries"} {
		taken := ""
		for i := range product.Inside(c.Paths[path], "get", "parameters").([]any) {
			if p, _ := c.Parameter(path, i); product.Inside(p, "name") == "type" {
				taken, _ = product.Inside(p, "schema", "$ref").(string)
			}
		}
		if taken != "#/components/schemas/EventKind" {
			t.Errorf("type of %s takes %q, want EventKind", path, taken)
		}
	}
}
