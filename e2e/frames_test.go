package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestContractIsFilled checks that results have what their schemas promise: each required property
// in every response, each declared one in at least one response.
func TestContractIsFilled(t *testing.T) {
	_, root := simulate(t, noon)
	s := setup{root: root, now: noon}.start(t)
	for _, test := range []struct{ document, targets string }{
		{"/openapi.json", "/api/v1/stations?q=boston /api/v1/stations?q=bostn"},
		{"/openapi.json", "/api/v1/stations/nearest?lat=42.35&lon=-71.05"},
		{
			"/openapi.json", "/api/v1/stations/8443970 /api/v1/stations/8557863?units=metric " +
				"/api/v1/stations/EPT0003",
		},
		{
			"/openapi.json", "/api/v1/stations/8443970/predictions " +
				"/api/v1/stations/8443970/predictions?interval=6&time_zone=gmt",
		},
		{"/openapi.json", "/api/v1/stations/8443970/water-levels"},
		{"/openapi.json", "/api/v1/stations/8443970/conditions?units=metric"},
		{"/openapi.json", "/api/v1/stations/8443970/forecast"},
		{"/openapi.json", "/api/v1/astronomy?lat=42.35&lon=-71.05"},
		{
			"/api/planning/openapi.json", "/api/planning/tide-windows?station=8443970&below=0&limit=1 " +
				"/api/planning/tide-windows?place=Boston&above=3",
		},
		{
			"/api/planning/openapi.json", "/api/planning/tide-ranks?station=8443970 " +
				"/api/planning/tide-ranks?place=Boston&what=king " +
				"/api/planning/tide-ranks?station=8443970&what=springs",
		},
		{"/api/planning/openapi.json", "/api/planning/places?query=boston"},
	} {
		c := readDocument(t, s.url, test.document)
		targets := strings.Fields(test.targets)
		path := c.pathOf(targets[0])
		ref := inside(c.paths[path], "get", "responses", "200", "content", "application/json", "schema",
			"$ref").(string)
		declared := inside(c.find(strings.TrimPrefix(ref, "#")), "properties").(map[string]any)
		seen := map[string]json.RawMessage{"quoted": nil} // not every provider's text is quoted
		for _, target := range targets {
			status, header, body := exchange(t, "GET", s.url+target)
			if err := c.checkAnswer(path, status, header, body); err != nil || status != http.StatusOK {
				t.Errorf("%s = %d %.300s: %v", target, status, body, err)
			}
			if err := json.Unmarshal(body, &seen); err != nil {
				t.Errorf("%s: %v", target, err)
			}
		}
		for name := range declared {
			if _, ok := seen[name]; !ok {
				t.Errorf("%s declares %s, which no response has", path, name)
			}
		}
	}
}
