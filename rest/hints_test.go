package rest

import (
	"testing"

	"leadline/internal/coast"
)

// TestHints checks that errors over REST name routes where errors over MCP name tools.
func TestHints(t *testing.T) {
	for _, test := range []struct{ message, want string }{
		{
			`Search by name with noaa_search_stations, for example {"query": "Boston"}.`,
			`Search by name with GET /api/v1/stations, for example ?q=Boston.`,
		},
		{
			"it has heights (noaa_get_tide_predictions).",
			"it has heights (GET /api/v1/stations/{id}/predictions).",
		},
		{"(noaa_get_currents)", "(the MCP tool noaa_get_currents)"},
		{"No hint.", "No hint."},
	} {
		err := asRoutes(coast.Errorf(coast.NotFound, "%s", test.message))
		if e, known := coast.AsError(err); !known || e.Code != coast.NotFound || e.Message != test.want {
			t.Errorf("%q: got %v, want %q", test.message, err, test.want)
		}
	}
}
