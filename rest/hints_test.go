package rest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/internal/stations"
)

// onlyTools lists the operations that REST does not serve, whose hints say so.
var onlyTools = []coast.Operation{
	coast.GetCurrentPredictions, coast.GetHarmonicConstituents, coast.GetMarineForecast,
}

// TestHints checks that every hint is printed as a request that the table has, with parameters or
// fields that it takes.
func TestHints(t *testing.T) {
	r := routesOf(newGated(t).table())
	var missing []coast.Operation
	for _, id := range coast.HintedOperations() {
		values := make([]any, len(id.Arguments()))
		for i := range values {
			values[i] = fmt.Sprintf("a value/%d", i)
		}
		h := id.Hint("Do it", values...)
		got := r.hint(h)
		o, ok := r[id]
		if !ok {
			missing = append(missing, id)
			if want := "Do it over MCP: REST has no route for that."; got != want {
				t.Errorf("hint at %s: %q, want %q", id, got, want)
			}
			continue
		}
		if !strings.HasPrefix(got, "Do it with "+o.method+" /api/") {
			t.Errorf("hint at %s: %q", id, got)
		}
		path, body, _ := strings.Cut(strings.TrimSuffix(got, "."), " and ")
		path, query, _ := strings.Cut(path, "?")
		if len(h.Arguments) > 0 && strings.Contains(path, "{") {
			t.Errorf("hint at %s: %q has a parameter without a value", id, got)
		}
		for _, name := range regexp.MustCompile(`(?:^|&)(\w+)=`).FindAllStringSubmatch(query, -1) {
			named := func(p schema.Parameter) bool { return p.Name == name[1] }
			if !slices.ContainsFunc(o.parameters, named) {
				t.Errorf("hint at %s: %q has the unknown parameter %s", id, got, name[1])
			}
		}
		for _, name := range regexp.MustCompile(`"(\w+)": `).FindAllStringSubmatch(body, -1) {
			if !slices.Contains(o.body.Names(), name[1]) {
				t.Errorf("hint at %s: %q has the unknown field %s", id, got, name[1])
			}
		}
	}
	if !slices.Equal(missing, onlyTools) {
		t.Errorf("no routes for the hints at %v, want %v", missing, onlyTools)
	}
}

// TestHintTexts checks the forms of requests: with a query, a path, and a body.
func TestHintTexts(t *testing.T) {
	r := routesOf(newGated(t).table())
	for _, test := range []struct {
		hint coast.Hint
		want string
	}{
		{coast.SearchStations.Hint("Search", "Half Moon Bay"), "GET /api/v1/stations?q=Half+Moon+Bay"},
		{coast.GetWaterLevels.Hint("Get", "9063020"), "GET /api/v1/stations/9063020/water-levels"},
		{coast.ListDeliveries.Hint("List", "we_1"), "GET /api/developer/webhooks/we_1/deliveries"},
		{coast.DeleteWebhook.Hint("Delete one"), "DELETE /api/developer/webhooks/{id}"},
		{
			coast.UpdateWebhook.Hint("Enable it", "we_1", true),
			`PATCH /api/developer/webhooks/we_1 and {"enabled": true}`,
		},
	} {
		if got, want := r.hint(test.hint), test.hint.Do+" with "+test.want+"."; got != want {
			t.Errorf("hint at %s: %s, want %s", test.hint.Operation, got, want)
		}
	}
}

// toolName matches the names of MCP tools.
var toolName = regexp.MustCompile(`\b(noaa|nws|astro|leadline)_[a-z]+_[a-z_]+`)

// TestErrorsNameNoTools asks for predictions and observations at stations of every kind, and at ids
// that are none, offline: no error and no missing input may name a tool of MCP.
func TestErrorsNameNoTools(t *testing.T) {
	api := newGated(t)
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"0000000", "9063020", "BOSTON", "zzzz9999", "8443971"}
	for i, st := range directory.All("") {
		if id, _, _ := strings.Cut(st.ID, "_"); st.Kind != stations.Tide && i%20 == 0 || i%100 == 0 {
			ids = append(ids, id)
		}
	}
	refused := 0
	for _, id := range ids {
		for _, what := range []string{"", "/predictions", "/water-levels", "/conditions"} {
			w := ask(api, "GET", "/api/v1/stations/"+id+what)
			if w.Code != 200 {
				refused++
			}
			body := regexp.MustCompile(`"tools":\[[^]]*\]`).ReplaceAllString(w.Body.String(), "")
			if name := toolName.FindString(body); name != "" {
				t.Errorf("%s%s: %d names %s: %s", id, what, w.Code, name, body)
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d errors, want more than 100", refused)
	}
	for id, want := range map[string]string{
		"/0000000":             "Search by name with GET /api/v1/stations?q=Boston.",
		"/9063020/predictions": "Get them with GET /api/v1/stations/9063020/water-levels.",
		"/ACT0091/predictions": "Get flood, ebb and slack at ACT0091 over MCP: REST has no route",
	} {
		if body := ask(api, "GET", "/api/v1/stations"+id).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s returns %s, want %q", id, body, want)
		}
	}
}
