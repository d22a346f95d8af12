package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// These are the bodies of the contract's decision requests.

type tripBody struct {
	StationID string `json:"stationId" pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" doc:"Station id." example:"8443970"`
	Activity  string `json:"activity" enum:"fishing boating surf-paddle beachcombing photography coastal-living" doc:"What is planned." example:"fishing"`
	LocalDate string `json:"localDate" format:"date" doc:"Day in the station's zone." example:"2026-11-21"`
	LocalTime string `json:"localTime" pattern:"^([01]\\d|2[0-3]):[0-5]\\d$" form:"a time of 24 hours, HH:MM" doc:"Time in the station's zone, 24 hours." example:"09:00"`
}

type windowBody struct {
	StationID  string      `json:"stationId" example:"8443970"`
	Activity   string      `json:"activity" example:"fishing"`
	Candidates []Candidate `json:"candidates" minItems:"2" maxItems:"12" open:"true"`
}

type Candidate struct {
	LocalDate string `json:"localDate" format:"date"`
	LocalTime string `json:"localTime" example:"09:00"`
}

type rulesBody struct {
	tripBody
	Rules []Rule `json:"rules" minItems:"1" maxItems:"20"`
}

type Rule struct {
	ID        string   `json:"id" example:"calm"`
	Kind      string   `json:"kind" enum:"state_allowed minimum_confidence maximum_missing_inputs required_fresh_sources"`
	Allowed   []string `json:"allowed" when:"state_allowed" enum:"normal watch action-needed unknown"`
	Minimum   string   `json:"minimum" when:"minimum_confidence" enum:"low moderate high"`
	Maximum   int      `json:"maximum" when:"maximum_missing_inputs" min:"0"`
	SourceIDs []string `json:"sourceIds" when:"required_fresh_sources" example:"tide-prediction"`
}

type changeBody struct {
	tripBody
	Baseline json.RawMessage `json:"baseline" doc:"A decision as it was answered."`
}

// optionalBody has kinds of fields that do not occur in the contract's bodies.
type optionalBody struct {
	Note    string   `json:"note,omitempty"`
	Count   *int     `json:"count,omitempty" min:"-3" max:"12"`
	Depth   *float64 `json:"depth,omitempty" min:"0" max:"0.5"`
	Sure    bool     `json:"sure,omitempty"`
	Units   string   `json:"units" default:"english" enum:"english metric"`
	Odd     string   `json:"a/b~c,omitempty" pattern:"^x" form:"text that begins with x"`
	Choices []Choice `json:"choices,omitempty" open:"true"`
}

type Choice struct {
	Kind string `json:"kind" enum:"left right"`
	Left int    `json:"left" when:"left"`
}

const trip = `"stationId":"8443970","activity":"fishing","localDate":"2026-11-21","localTime":"09:00"`

// bodies lists the schemas of the tests, the type that each is decoded into, and valid
// bodies.
var bodies = []struct {
	body  *Schema
	into  func() any
	valid []string
}{
	{Body[tripBody](), func() any { return new(tripBody) }, []string{`{` + trip + `}`}},
	{Body[windowBody](), func() any { return new(windowBody) }, []string{
		`{"stationId":"x","activity":"","candidates":[{"localDate":"2026-11-21","localTime":"later","note":{"a":[1]}},{"localDate":"2024-02-29","localTime":""}]}`}},
	{Body[rulesBody](), func() any { return new(rulesBody) }, []string{
		`{` + trip + `,"rules":[{"id":"a","kind":"state_allowed","allowed":["normal","watch"]},{"id":"b","kind":"minimum_confidence","minimum":"high"},` +
			`{"id":"c","kind":"maximum_missing_inputs","maximum":0},{"id":"d","kind":"required_fresh_sources","sourceIds":["tide-prediction",""]}]}`,
		`{` + trip + `,"rules":[{"maximum":5.0,"kind":"maximum_missing_inputs","id":""},{"id":"e","kind":"state_allowed","allowed":[]}]}`}},
	{Body[changeBody](), func() any { return new(changeBody) }, []string{
		`{` + trip + `,"baseline":{"decision":{"state":"watch","reasons":[{"value":1e3,"at":null}]},"":[]}}`, `{"baseline":{},` + trip + `}`}},
	{Body[optionalBody](), func() any { return new(optionalBody) }, []string{
		`{}`, `{"note":"","count":-3,"depth":0.25,"sure":true,"units":"metric","a/b~c":"xyz","choices":[{"kind":"left","left":7},{"kind":"right","other":[{"left":1}]}]}`}},
}

func TestBodyDecode(t *testing.T) {
	var rules rulesBody
	if err := bodies[2].body.Decode([]byte(" \n"+bodies[2].valid[0]+"\t"), &rules); err != nil {
		t.Fatal(err)
	}
	want := rulesBody{tripBody{"8443970", "fishing", "2026-11-21", "09:00"}, []Rule{
		{ID: "a", Kind: "state_allowed", Allowed: []string{"normal", "watch"}},
		{ID: "b", Kind: "minimum_confidence", Minimum: "high"},
		{ID: "c", Kind: "maximum_missing_inputs"},
		{ID: "d", Kind: "required_fresh_sources", SourceIDs: []string{"tide-prediction", ""}},
	}}
	if !reflect.DeepEqual(rules, want) {
		t.Errorf("got %+v, want %+v", rules, want)
	}

	raw := []byte(`{"baseline": {"a": 1.0} ,` + trip + `}`)
	var change changeBody
	if err := bodies[3].body.Decode(raw, &change); err != nil {
		t.Fatal(err)
	}
	clear(raw) // a front end may reuse the buffer
	if string(change.Baseline) != `{"a": 1.0}` || change.LocalTime != "09:00" {
		t.Errorf("got %s at %s", change.Baseline, change.LocalTime)
	}

	var optional optionalBody
	raw = []byte(`{"count":1.2e1,"choices":[{"kind":"left","left":0}]}`)
	err := bodies[4].body.Decode(raw, &optional)
	if err != nil || *optional.Count != 12 || optional.Units != "english" {
		t.Errorf("got %+v, %v", optional, err)
	}
}

// TestBodyFaults checks that every fault is reported, with its place and its name.
func TestBodyFaults(t *testing.T) {
	rule := func(text string) string {
		return `{` + trip + `,"rules":[{"id":"ok","kind":"state_allowed","allowed":[]},` + text + `]}`
	}
	day := func(text string) string { return strings.Replace(`{`+trip+`}`, `"2026-11-21"`, text, 1) }
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"x%d":0`, i)
	}
	const trips, windows, evaluations, changes, optionals = 0, 1, 2, 3, 4
	for _, test := range []struct {
		body  int
		given string
		want  string // the path and code of each
		words string // texts that the message contains
	}{
		{trips, ``, ` required`, `The body must not be empty. Example: {"stationId": "8443970", `},
		{trips, " \n", ` required`, "empty"},
		{trips, `{` + trip, ` format`, "The body must be JSON: unexpected end of JSON input, at byte 88."},
		{trips, `{` + trip + `}{}`, ` format`, "invalid character '{' after top-level value, at byte 90"},
		{trips, `{` + trip + `,}`, ` format`, "must be JSON"},
		{trips, "\ufeff{" + trip + "}", ` format`, "must be JSON"},
		{trips, "\v{" + trip + "}", ` format`, "must be JSON"},
		{trips, day("\"2026-11-2\xff\""), ` format`, "must be UTF-8"},
		{trips, strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40), ` format`, "nest deeper than 32 levels"},
		{trips, strings.Repeat(`[`, 60000), ` format`, "nest deeper"},
		{trips, "\n\n   {\"stationId\": }", ` format`, "must be JSON: invalid character '}' looking for beginning of value, at byte 20"},
		{trips, `[]`, ` type`, "The body must be an object, not a list."},
		{trips, `null`, ` type`, "not null"},
		{trips, `"` + strings.Repeat("x", 100) + `"`, ` type`, `not "` + strings.Repeat("x", 60) + `...". Example`},
		{trips, `{}`, `/stationId required,/activity required,/localDate required,/localTime required`,
			`activity is required: one of fishing, boating, surf-paddle, beachcombing, photography, coastal-living. Example: "activity": "fishing".`},
		{trips, `{"stationId":"abc","activity":"Fishing","localDate":"2026-02-29","localTime":"24:00","ACTIVITY":"x"}`,
			`/ACTIVITY unknown,/stationId pattern,/activity enum,/localDate format,/localTime pattern`,
			`not "Fishing" (did you mean "fishing"?). Example: "activity": "fishing".`},
		{trips, `{"stationId":8443970,"activity":null,"localDate":["2026-11-21"],"localTime":{}}`,
			`/stationId type,/activity type,/localDate type,/localTime type`, `stationId must be text of 4 to 16 letters and digits, not 8443970. Example: "stationId": "8443970".`},
		{trips, day(`"2026-11-21T00:00:00Z"`), `/localDate format`, `localDate must be a day of the calendar, written as year-month-day, not "2026-11-21T00:00:00Z". Example: "localDate": "2026-11-21".`},
		{trips, day(`"2026-1-21"`), `/localDate format`, ""},
		{trips, day(`""`), `/localDate format`, ""},
		{trips, `{` + trip + `,"activity":"boating","activity":5}`, `/activity duplicate`, `"activity" is given twice. Give it once.`},
		{trips, `{` + trip + `,"\u0061ctivity":"boating"}`, `/activity duplicate`, ""},
		{trips, `{` + trip + `,"stationID":"8443970"}`, `/stationID unknown`, `Unknown property "stationID". Did you mean "stationId"? Known: stationId, activity, localDate, localTime.`},
		{trips, `{` + trip + `,"":1,"a/b~":2}`, `/ unknown,/a~1b~0 unknown`, ""},
		{trips, `{` + trip + `,"` + strings.Repeat("y", 5000) + `":1}`, `/` + strings.Repeat("y", 60) + `... unknown`, ""},
		{trips, `{` + trip + many.String() + `}`, `/x0 unknown,…,/x39 unknown, more`, "There are 960 more issues."},

		{windows, `{"stationId":"a","activity":"b","candidates":[{"localDate":"2026-11-21","localTime":"09:00"}]}`, `/candidates minItems`,
			`candidates must be a list of 2 to 12 objects, not of 1. Example: "candidates": [{"localDate": "2026-11-20", "localTime": "09:00"}, {"localDate"`},
		{windows, `{"stationId":"a","activity":"b","candidates":[` + strings.Repeat(`{"localDate":"2026-11-21","localTime":"09:00"},`, 12) + `7]}`, `/candidates maxItems`, "not of 13"},
		{windows, `{"stationId":"a","activity":"b","candidates":[7,{"localDate":"x","LocalTime":"","n":{"a":1,"a":2}}]}`,
			`/candidates/0 type,/candidates/1/n/a duplicate,/candidates/1/localDate format,/candidates/1/localTime required`, `Candidate (/candidates/1): localTime is required: text. Example: "localTime": "09:00".`},
		{windows, `{"stationId":"a","activity":"b","candidates":{},"when":1}`, `/when unknown,/candidates type`, "candidates must be a list of 2 to 12 objects, not an object."},

		{evaluations, rule(`{"id":"sure","kind":"minimum_confidence","minimum":"High"}`), `/rules/1/minimum enum`,
			`Rule "sure" (/rules/1): minimum must be one of low, moderate, high, not "High" (did you mean "high"?). Example: "minimum": "low".`},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":"5"}`), `/rules/1/maximum type`, `maximum must be a whole number from 0 to 9007199254740991, not "5". Example: "maximum": 0.`},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":0.5}`), `/rules/1/maximum type`, "not 0.5"},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":1e-400}`), `/rules/1/maximum type`, ""},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":1.00000000000000000000000001}`), `/rules/1/maximum type`, ""},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":-1}`), `/rules/1/maximum minimum`, "not -1"},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":-1e400}`), `/rules/1/maximum minimum`, ""},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":1e99999999999999999999}`), `/rules/1/maximum maximum`, "not 1e99999999999999999999"},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":9007199254740992}`), `/rules/1/maximum maximum`, ""},
		{evaluations, rule(`{"id":"n","kind":"maximum_missing_inputs","maximum":1` + strings.Repeat("0", 2000) + `}`), `/rules/1/maximum maximum`, "0000..."},
		{evaluations, rule(`{"id":"s","kind":"state_allowed","allowed":["normal","Watch",5,null]}`), `/rules/1/allowed/1 enum,/rules/1/allowed/2 type,/rules/1/allowed/3 type`,
			`Rule "s" (/rules/1): allowed takes values of normal, watch, action-needed, unknown, not "Watch" (did you mean "watch"?). Example: "allowed": ["normal"].`},
		{evaluations, rule(`{"id":"s","kind":"state_allowed","allowed":"normal"}`), `/rules/1/allowed type`, "a list of strings, each one of normal, watch, action-needed, unknown, not \"normal\""},
		{evaluations, rule(`{"id":"s","kind":"state_allowed","minimum":"low"}`), `/rules/1/minimum unknown,/rules/1/allowed required`, `Rule "s" (/rules/1): Unknown property "minimum". Known: id, kind, allowed.`},
		{evaluations, rule(`{"id":5,"kind":"required_fresh_sources","sourceIds":[["a"]],"note":1}`), `/rules/1/note unknown,/rules/1/id type,/rules/1/sourceIds/0 type`, `Rule (/rules/1): id must be text, not 5.`},
		{evaluations, rule(`{"id":"\"` + strings.Repeat("z", 5000) + `","kind":"no","x":1}`), `/rules/1/kind enum`, `Rule "\"` + strings.Repeat("z", 59) + `..." (/rules/1): kind must be one of state_allowed, minimum_confidence, maximum_missing_inputs, required_fresh_sources, not "no".`},
		{evaluations, rule(`{"x":1}`), `/rules/1/kind required`, "Rule (/rules/1): kind is required: one of state_allowed, minimum_confidence, "},
		{evaluations, rule(`{"kind":null}`), `/rules/1/kind type`, ""},
		{evaluations, rule(`{"id":"a","kind":"state_allowed","kind":"no","allowed":[]}`), `/rules/1/kind duplicate`, ""},
		{evaluations, rule(`null`), `/rules/1 type`, "rules must be a list of 1 to 20 objects; this item is null."},
		{evaluations, `{` + trip + `,"rules":[]}`, `/rules minItems`, `Example: "rules": [{"id": "calm", "kind": "state_allowed", "allowed": ["normal"]}].`},

		{changes, `{` + trip + `,"baseline":[]}`, `/baseline type`, `baseline must be an object, not a list. Example: "baseline": {}.`},
		{changes, `{` + trip + `,"baseline":null}`, `/baseline type`, ""},
		{changes, `{` + trip + `}`, `/baseline required`, ""},
		{changes, `{` + trip + `,"baseline":{"a":[{"b":1,"c":{},"b":2,"b":3}]}}`, `/baseline/a/0/b duplicate`, ""},

		{optionals, `{"note":null,"count":13,"depth":0.51,"sure":"true","units":"Metric","a/b~c":"y"}`,
			`/note type,/count maximum,/depth maximum,/sure type,/units enum,/a~1b~0c pattern`, ""},
		{optionals, `{"choices":[{"kind":"left","left":1e400},{"kind":"up"},{"kind":"left"}]}`, `/choices/0/left maximum,/choices/1/kind enum,/choices/2/left required`, ""},
	} {
		got, message := faultsOf(t,
			bodies[test.body].body.Decode([]byte(test.given), bodies[test.body].into()))
		before, after, some := strings.Cut(test.want, "…")
		if some && strings.HasPrefix(got, before) && strings.HasSuffix(got, after) &&
			strings.Count(got, ",") == maxIssues {
			got = test.want
		}
		if got != test.want || !strings.Contains(message, test.words) {
			t.Errorf("%.300s\ngot  %s\nwant %s\nthe message %s\nwant %s",
				test.given, got, test.want, message, test.words)
		}
		if len(message) > 8000 {
			t.Errorf("%.300s: a message of %d characters", test.given, len(message))
		}
	}
}

// faultsOf returns the path and code of every fault in an error, and the error's message.
func faultsOf(t *testing.T, err error) (list, message string) {
	t.Helper()
	if err == nil {
		return "", ""
	}
	var e *coast.Error
	if !errors.As(err, &e) || e.Code != coast.InvalidRequest || len(e.Issues) == 0 {
		t.Fatalf("%v is not a refusal", err)
	}
	var faults []string
	for _, issue := range e.Issues {
		faults = append(faults, issue.Path+" "+issue.Code)
	}
	return strings.Join(faults, ","), e.Message
}

func TestBodySchemas(t *testing.T) {
	const trip = `"stationId":{"type":"string","description":"Station id.","pattern":"^[A-Za-z0-9]{4,16}$"},` +
		`"activity":{"type":"string","description":"What is planned.","enum":["fishing","boating","surf-paddle","beachcombing","photography","coastal-living"]},` +
		`"localDate":{"type":"string","description":"Day in the station's zone.","format":"date"},` +
		`"localTime":{"type":"string","description":"Time in the station's zone, 24 hours.","pattern":"^([01]\\d|2[0-3]):[0-5]\\d$"}`
	for _, test := range []struct {
		body *Schema
		want string
	}{
		{bodies[1].body, `{"Candidate":{"type":"object","properties":{"localDate":{"type":"string","format":"date"},"localTime":{"type":"string"}},"required":["localDate","localTime"]},` +
			`"windowBody":{"type":"object","properties":{"stationId":{"type":"string"},"activity":{"type":"string"},` +
			`"candidates":{"type":"array","items":{"$ref":"#/components/schemas/Candidate"},"minItems":2,"maxItems":12}},` +
			`"required":["stationId","activity","candidates"],"additionalProperties":false}}`},
		{bodies[2].body, `{"Rule":{"oneOf":[{"$ref":"#/components/schemas/RuleStateAllowed"},{"$ref":"#/components/schemas/RuleMinimumConfidence"},` +
			`{"$ref":"#/components/schemas/RuleMaximumMissingInputs"},{"$ref":"#/components/schemas/RuleRequiredFreshSources"}],` +
			`"discriminator":{"propertyName":"kind","mapping":{"state_allowed":"#/components/schemas/RuleStateAllowed","minimum_confidence":"#/components/schemas/RuleMinimumConfidence",` +
			`"maximum_missing_inputs":"#/components/schemas/RuleMaximumMissingInputs","required_fresh_sources":"#/components/schemas/RuleRequiredFreshSources"}}},` +
			`"RuleMaximumMissingInputs":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string","const":"maximum_missing_inputs"},` +
			`"maximum":{"type":"integer","minimum":0,"maximum":9007199254740991}},"required":["id","kind","maximum"],"additionalProperties":false},` +
			`"RuleMinimumConfidence":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string","const":"minimum_confidence"},` +
			`"minimum":{"type":"string","enum":["low","moderate","high"]}},"required":["id","kind","minimum"],"additionalProperties":false},` +
			`"RuleRequiredFreshSources":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string","const":"required_fresh_sources"},` +
			`"sourceIds":{"type":"array","items":{"type":"string"}}},"required":["id","kind","sourceIds"],"additionalProperties":false},` +
			`"RuleStateAllowed":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string","const":"state_allowed"},` +
			`"allowed":{"type":"array","items":{"type":"string","enum":["normal","watch","action-needed","unknown"]}}},"required":["id","kind","allowed"],"additionalProperties":false},` +
			`"rulesBody":{"type":"object","properties":{` + trip + `,"rules":{"type":"array","items":{"$ref":"#/components/schemas/Rule"},"minItems":1,"maxItems":20}},` +
			`"required":["stationId","activity","localDate","localTime","rules"],"additionalProperties":false}}`},
		{bodies[3].body, `{"changeBody":{"type":"object","properties":{` + trip + `,"baseline":{"type":"object","description":"A decision as it was answered."}},` +
			`"required":["stationId","activity","localDate","localTime","baseline"],"additionalProperties":false}}`},
	} {
		got, err := json.Marshal(test.body.Schemas())
		if err != nil || string(got) != test.want {
			t.Errorf("got  %s\nwant %s\n%v", got, test.want, err)
		}
	}
}

// TestBodyOfBadTags checks that Body panics on invalid tags, such as an example that
// the body's own rules refuse.
func TestBodyOfBadTags(t *testing.T) {
	type bad struct {
		Time string `json:"time" pattern:"^x$" form:"the letter x" example:"y"`
	}
	type numbers struct {
		List []int `json:"list"`
	}
	type union struct {
		Kind string `json:"kind" enum:"a b"`
		C    string `json:"c" when:"c"`
	}
	for name, make := range map[string]func(){
		"a kind":     func() { Body[union]() },
		"an example": func() { Body[bad]() },
		"a list":     func() { Body[numbers]() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that is invalid: no panic", name)
				}
			}()
			make()
		}()
	}
}

// TestBodyVerdict checks that a body is accepted if and only if another validator
// accepts it by the schema.
func TestBodyVerdict(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, b := range bodies {
		schema := compileBody(t, b.body)
		accepted := 0
		each := max(300, trials.Cases()) // few mutations of a small body are accepted
		for _, valid := range append(b.valid, string(b.body.Example())) {
			if err := b.body.Decode([]byte(valid), b.into()); err != nil {
				t.Errorf("%s is refused: %v", valid, err)
			}
			for range each {
				v := unmarshal(t, []byte(valid))
				for range 1 + random.IntN(2) {
					v = mutate(random, v)
				}
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				if agree(t, schema, b.body, text, b.into()) {
					accepted++
				}
			}
		}
		if all := each * (len(b.valid) + 1); accepted < all/50 || accepted > all*49/50 {
			t.Errorf("%s: %d of %d accepted; the test needs more of both", b.body.name, accepted, all)
		}
	}
}

func compileBody(t testing.TB, b *Schema) *jsonschema.Schema {
	t.Helper()
	return compile(t, map[string]any{"components": map[string]any{"schemas": b.Schemas()}},
		b.Ref()[0].Value.(string))
}

// agree compares Decode with the validator. It reports whether the body is accepted.
func agree(t *testing.T, schema *jsonschema.Schema, b *Schema, text []byte, into any) bool {
	t.Helper()
	got, want := b.Decode(text, into), schema.Validate(unmarshal(t, text))
	if (got == nil) != (want == nil) {
		t.Errorf("%s\nhere   %v\nschema %v", text, got, want)
	}
	return got == nil
}

// oddities lists the unusual values that mutate inserts.
var oddities = []string{
	`null`, `true`, `false`, `0`, `-1`, `5`, `5.0`, `12`, `13`, `0.5`, `1e1`, `-0`, `1.5e1`,
	`9007199254740991`, `9007199254740993`, `1e300`, `-3.00`,
	`""`, `"5"`, `"fishing"`, `"Fishing"`, `"2026-11-21"`, `"2026-02-30"`, `"2028-02-29"`,
	`"0000-01-01"`, `"2026-11-21 "`, `"09:00"`, `"9:00"`, `"23:59"`, `"23:60"`,
	`"high"`, `"HIGH"`, `"normal"`, `"state_allowed"`, `"minimum_confidence"`, `"left"`, `"right"`, `"metric"`, `"x"`, `"\u00e9"`, `"8443970\n"`, `"true"`,
	`[]`, `["normal"]`, `["Normal","watch"]`, `[5]`, `[null]`, `[{}]`, `{}`, `{"localDate":"2026-11-21","localTime":"09:00"}`, `{"kind":"left","left":3}`,
}

var names = []string{
	"stationId", "activity", "localDate", "localTime", "LOCALTIME", "candidates", "rules",
	"baseline", "id", "kind", "allowed", "minimum", "maximum", "sourceIds", "note", "count",
	"left", "", "a/b~c",
}

// mutate changes one random place of a value.
func mutate(random *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for _, name := range append(names, "depth", "sure", "units", "choices") {
			if _, ok := v[name]; ok {
				keys = append(keys, name)
			}
		}
		switch n := random.IntN(8); {
		case n == 0:
			v[names[random.IntN(len(names))]] = oddity(random)
			return v
		case n == 1 && len(keys) > 0:
			delete(v, keys[random.IntN(len(keys))])
			return v
		case n > 2 && len(keys) > 0:
			key := keys[random.IntN(len(keys))]
			v[key] = mutate(random, v[key])
			return v
		}
	case []any:
		switch n := random.IntN(8); {
		case n == 0:
			return append(v, oddity(random))
		case n == 1 && len(v) > 0:
			return v[1:]
		case n == 2 && len(v) > 0:
			for range random.IntN(25) {
				v = append(v, v[0])
			}
			return v
		case n > 3 && len(v) > 0:
			i := random.IntN(len(v))
			v[i] = mutate(random, v[i])
			return v
		}
	}
	return oddity(random)
}

func oddity(random *rand.Rand) any {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(oddities[random.IntN(len(oddities))]))
	if err != nil {
		panic(err)
	}
	return v
}

// farExponent is a number that takes exact arithmetic too long.
var farExponent = regexp.MustCompile(`[eE][+-]?\d{4}`)

// FuzzBody checks that any bytes are either accepted or refused with a message. For
// JSON that all programs read alike, it compares the result with the validator.
func FuzzBody(f *testing.F) {
	var schemas []*jsonschema.Schema
	for i, b := range bodies {
		for _, valid := range b.valid {
			f.Add(uint8(i), []byte(valid))
		}
		schemas = append(schemas, compileBody(f, b.body))
	}
	f.Add(uint8(2), []byte(`{`+trip+`,"rules":[{"id":"\ud800",`+
		`"kind":"maximum_missing_inputs","maximum":1E+2},{"kind":[]},7]}`))
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		i := int(which) % len(bodies)
		err := bodies[i].body.Decode(text, bodies[i].into())
		faults, _ := faultsOf(t, err)
		if strings.HasPrefix(faults, " ") && faults != " type" ||
			strings.Contains(faults, " duplicate") ||
			strings.HasSuffix(faults, " more") ||
			farExponent.Match(text) {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted as JSON: %v", text, err)
		}
		agree(t, schemas[i], bodies[i].body, text, bodies[i].into())
	})
}
