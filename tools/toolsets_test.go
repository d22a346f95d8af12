package tools

import (
	"strings"
	"testing"

	"leadline/internal/access"
	"leadline/internal/coast"
)

// decisionID is the id of the decisions of tests.
const decisionID = "0199f0a4-5c00-7000-8000-000000000000"

const tripArguments = `{"stationId":"8443970","activity":"fishing","localDate":"2026-11-21",` +
	`"localTime":"09:00"}`

// TestTripHealthByTool checks that a decision over MCP equals the decision of the operation,
// and that its text has the state, the missing inputs and the disclaimer.
func TestTripHealthByTool(t *testing.T) {
	s := newSet(t)
	r, err := call(t, s, "leadline_trip_health", tripArguments)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.TripHealth(caller(t), TripHealthInput{"8443970", "fishing", "2026-11-21", "09:00"})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Value.(TripHealth).Decision
	if got.State != want.Decision.State || got.Headline != want.Decision.Headline ||
		len(got.Sources) != len(want.Decision.Sources) {
		t.Errorf("decision = %+v, want %+v", got, want.Decision)
	}
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"Boston, MA (8443970), fishing at 9:00 AM EST on Sat 21 Nov: ", "State " + string(got.State),
		"Missing: " + got.MissingInputs[0], got.Disclaimer,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the text lacks %q:\n%s", part, text)
		}
	}
	if tokens := len(text) / 4; tokens > 900 {
		t.Errorf("the text has %d tokens, want at most 900:\n%s", tokens, text)
	}
}

// TestTripHealthScopes checks that a key needs a scope that the REST route accepts, and that
// callers without a key need none.
func TestTripHealthScopes(t *testing.T) {
	tool := toolNamed(t, newSet(t), "leadline_trip_health")
	for _, test := range []struct {
		name   string
		caller access.Caller
		want   coast.Code
	}{
		{"key for MCP alone", access.Caller{Key: "7LqQBDD", Scopes: []string{access.MCPUse}},
			coast.InsufficientScope},
		{"key for data",
			access.Caller{Key: "7LqQBDD", Scopes: []string{access.MCPUse, access.RawRead}}, ""},
		{"key for decisions",
			access.Caller{Key: "7LqQBDD", Scopes: []string{access.MCPUse, access.DecisionRead}}, ""},
		{"access token", access.Caller{Grant: "g", Scopes: []string{access.MCPUse}}, ""},
		{"anonymous", access.Caller{Tier: access.Anonymous}, ""},
		{"local", access.Caller{Tier: access.Local}, ""},
	} {
		_, err := tool.Call(access.With(t.Context(), test.caller), []byte(tripArguments))
		if code(err) != test.want {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestToolsetNames checks the names of the tool sets and that only planning has the planning
// tools.
func TestToolsetNames(t *testing.T) {
	sets := newSet(t).Toolsets()
	if len(sets) != 2 || sets[0].Name != "core" || sets[1].Name != "planning" {
		t.Fatalf("tool sets = %+v, want core and planning", sets)
	}
	var names []string
	for _, tool := range sets[1].Tools {
		names = append(names, tool.Name)
	}
	const want = "leadline_trip_health leadline_find_places leadline_whoami"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("planning has %s, want %s", got, want)
	}
}
