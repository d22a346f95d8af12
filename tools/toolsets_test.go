package tools

import (
	"context"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/credential"
	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/internal/planning"
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
	want, err := s.Decisions.TripHealth(caller(t), planning.TripHealthInput{
		StationID: "8443970",
		Trip:      planning.Trip{Activity: "fishing", LocalDate: "2026-11-21", LocalTime: "09:00"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Value.(planning.TripAnswer).Decision
	if got.State != want.Decision.State || got.Headline != want.Decision.Headline ||
		len(got.Sources) != len(want.Decision.Sources) {
		t.Errorf("decision = %+v, want %+v", got, want.Decision)
	}
	text, _, err := r.Forms(1 << 20)
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

// TestDecisionScopes checks that the decisions need of callers what their REST routes need.
func TestDecisionScopes(t *testing.T) {
	set, now := newSet(t), func() time.Time { return noon }
	gate := accesstest.New(t, access.BuiltIn(), now)
	free, pro := gate.Account(t, access.Free), gate.Account(t, access.Pro)
	contextOf := func(account string, scopes ...string) context.Context {
		return gate.Context(t, limit.MCP, gate.Key(t, account, scopes...))
	}
	const none, scope, plan = coast.CredentialRequired, coast.InsufficientScope, coast.PlanRequired
	for _, test := range []struct {
		name          string
		ctx           context.Context
		public, keyed coast.Code
	}{
		{"anonymous", gate.Context(t, limit.MCP, ""), "", none},
		{"for MCP alone", contextOf(pro, credential.MCPUse), scope, scope},
		{"for data", contextOf(pro, credential.MCPUse, credential.RawRead), "", scope},
		{"free plan, for data", contextOf(free, credential.MCPUse, credential.RawRead), "", scope},
		{"free plan", contextOf(free, credential.MCPUse, credential.DecisionRead), "", plan},
		{"pro plan", contextOf(pro, credential.MCPUse, credential.DecisionRead), "", ""},
		{"local", access.With(t.Context(), access.Caller{Tier: access.Local}), "", ""},
	} {
		for tool, want := range map[string]coast.Code{
			"leadline_trip_health": test.public, "leadline_best_window": test.keyed,
			"leadline_evaluate_rules": test.keyed, "leadline_material_change": test.keyed,
		} {
			if want == "" && tool != "leadline_trip_health" {
				want = coast.InvalidRequest // for a permitted caller: each needs another argument
			}
			_, err := toolNamed(t, set, tool).Call(test.ctx, []byte(tripArguments))
			if code(err) != want {
				t.Errorf("%s, %s: %v, want %q", tool, test.name, err, want)
			}
		}
	}
}

// TestToolsetNames checks the names of the tool sets and that only planning has the planning
// tools.
func TestToolsetNames(t *testing.T) {
	sets := newSet(t).Toolsets()
	if len(sets) != 3 || sets[0].Name != "core" {
		t.Fatalf("tool sets = %+v, want core, planning and everyday", sets)
	}
	for i, want := range map[int]string{
		1: "planning: leadline_plan_transit leadline_plan_route leadline_get_day leadline_find_places " +
			"leadline_tide_telegram leadline_trip_health leadline_best_times leadline_best_window " +
			"leadline_evaluate_rules leadline_material_change leadline_whoami",
		2: "everyday: noaa_get_water_levels noaa_get_tide_predictions noaa_get_current_predictions " +
			"noaa_get_meteorological_data nws_get_wind_forecast nws_get_marine_forecast " +
			"noaa_search_stations noaa_find_nearest_stations astro_get_sun_times astro_get_moon_phase " +
			"leadline_get_day leadline_best_times noaa_get_reference_guide leadline_whoami",
	} {
		got := sets[i].Name + ":"
		for _, tool := range sets[i].Tools {
			got += " " + tool.Name
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
