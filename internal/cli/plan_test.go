package cli

import (
	"strings"
	"testing"
)

// TestPlan checks the subcommands of plan: their text, their JSON, and errors that name flags.
func TestPlan(t *testing.T) {
	const route = "--speed 6 --begin-date 2027-01-01 --range 48 --limit 1"
	for _, test := range []struct {
		args []string
		want []string
	}{
		{strings.Fields("windows 9414131 --below 0 --light daylight --begin-date 2027-01-01 --range 48"),
			[]string{"Pillar Point", "below 0 ft on MLLW, daylight", "Not for navigation."}},
		{strings.Fields("ranks 8443970 --what king --year 2027 --limit 1"),
			[]string{"king tides in 2027", "1. ", "no official definition"}},
		{strings.Fields("currents PUG1701 --at-most 1 --begin-date 2027-01-01"),
			[]string{"at most 1 kn", "slack "}},
		{strings.Fields("transit PUG1701 --distance 1.5 --direction with_flood " + route),
			[]string{"1.5 nmi at 6 kn in the direction of the flood", "depart ", "kn against to ",
				"shortest trip "}},
		{strings.Fields("transit PUG1701 --json --distance 1.5 --direction with_flood " + route),
			[]string{`"departFrom":"2027-01-01T`, `"maxAgainst":3`}},
		{[]string{"day", "half moon bay", "2027-01-02"}, []string{"Tide in ft", "Missing: wind",
			"NWS gets no requests, because this command sends none"}},
		{strings.Fields("day 8443970 2027-01-02 --json"), []string{"because this command sends none"}},
		{append(strings.Fields("route "+route), "--gate", "PUG1701 leg=2 max-current=3", "--gate",
			"PUG1702 leg=12 distance=0.5 direction=with_ebb"),
			[]string{"Gate 2: after 12 nmi, 0.5 nmi through", "does not wait"}},
	} {
		out, stderr, code := run(t, append([]string{"plan"}, test.args...)...)
		for _, want := range test.want {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%q: exit code %d, %q, %q; want %q", test.args, code, out, stderr, want)
			}
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"windows", "8443970"}, "below"},
		{[]string{"transit", "PUG1701", "--speed", "6"}, "--distance"},
		{[]string{"route", "--speed", "6"}, "--gate is missing"},
		{[]string{"route", "--speed", "6", "--gate", "leg=2"}, "must begin with a station"},
		{[]string{"route", "--speed", "6", "--gate", "PUG1701 leg"}, "must have name=value"},
		{[]string{"route", "--speed", "6", "--gate", "PUG1701 legg=2"}, `"leg"`},
		{[]string{"tides"}, "tides"},
	} {
		out, stderr, code := run(t, append([]string{"plan"}, test.args...)...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit code %d, %q, %q; want %q", test.args, code, out, stderr, test.want)
		}
	}
}
