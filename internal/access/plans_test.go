package access

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadPlans(t *testing.T) {
	plans, err := ReadPlans(strings.NewReader(
		`{"anonymous": {"perMinute": 5}, "free": {"features": ["decision_api"], "endpoints": 2, "watches": 3}, ` +
			`"team": {"perMinute": 6000, "perMonth": 1000000, "watchMinutes": 30}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Plan{
		{Tier: Anonymous, PerMinute: 5},
		{Free, 300, 10_000, []string{DecisionAPI}, 2, 3, 10},
		{Pro, 3_000, 250_000, []string{DecisionAPI}, 5, 100, 10},
		{"team", 6_000, 1_000_000, nil, 0, 0, 30},
	}
	for i, w := range want {
		got := *plans.list[i]
		if !reflect.DeepEqual(got, w) {
			t.Errorf("plan %d is %+v, want %+v", i, got, w)
		}
	}
	if got, want := plans.Named(), []string{"free", "pro", "team"}; !slices.Equal(got, want) {
		t.Errorf("accounts can have %v, want %v", got, want)
	}
	if built, _ := BuiltIn().Of(Anonymous); built.PerMinute != 30 {
		t.Errorf("the built-in plan has changed: %+v", built)
	}
}

func TestReadPlansRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "one JSON object",
		`[]`:                                   "one JSON object",
		`{} {}`:                                "one JSON object",
		`{"free": 5}`:                          "one JSON object",
		`{"free": {"perminute": 1}}`:           `there is no "perminute"`,
		`{"free": {"perMinute": "many"}}`:      `perMinute must be a whole number, not "many"`,
		`{"free": {"perMinute": 1.5}}`:         "perMinute must be a whole number, not 1.5",
		`{"free": {"features": "all"}}`:        "features must be a list of names",
		`{"free": {"perMinute": 0}}`:           "perMinute must be from 1 to 65535",
		`{"free": {"perMinute": 65536}}`:       "perMinute must be from 1 to 65535",
		`{"free": {"perMonth": -1}}`:           "perMonth must be 1 or more",
		`{"anonymous": {"perMonth": 1}}`:       "a perMinute alone",
		`{"anonymous": {"endpoints": 1}}`:      "a perMinute alone",
		`{"free": {"endpoints": -1}}`:          "endpoints must be from 0",
		`{"free": {"watches": 1000000}}`:       "watches must be from 0 to 100000",
		`{"free": {"watchMinutes": 5}}`:        "watchMinutes must be from 10",
		`{"team": {"perMinute": 5}}`:           "perMonth must be 1 or more",
		`{"local": {"perMinute": 5}}`:          "a plan is named",
		`{"Big Plan": {"perMinute": 5}}`:       "a plan is named",
		`{"free": {"features": ["teleport"]}}`: "there is no feature",

		`{"free": {"perMinute": 1}, "free": {"perMinute": 2}}`:       `duplicate name "free"`,
		`{"pro": {"perMinute": 1}, "\u0070ro": {"perMinute": 2}}`:    `duplicate name "pro"`,
		`{"free": {"features": [], "perMinute": 1, "features": []}}`: `duplicate name "features"`,
	} {
		if _, err := ReadPlans(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("ReadPlans(%s) = %v, want %q", text, err, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := BuiltIn().Table()
	for _, want := range []string{
		"| anonymous | 30 | no figure | client address |", "| free | 300 | 10000 | Bearer credential |",
		"| pro | 3000 | 250000 |",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("Table() =\n%s\nwant %s", table, want)
		}
	}
}
