package rest

import (
	"errors"
	"regexp"
	"strings"

	"leadline/internal/coast"
)

// routeOf maps the operations that errors suggest to their routes.
var routeOf = map[string]string{
	"noaa_search_stations":       "GET /api/v1/stations",
	"noaa_find_nearest_stations": "GET /api/v1/stations/nearest",
	"noaa_get_station_info":      "GET /api/v1/stations/{id}",
	"noaa_get_tide_predictions":  "GET /api/v1/stations/{id}/predictions",
	"noaa_get_water_levels":      "GET /api/v1/stations/{id}/water-levels",
	"noaa_get_current_predictions": "currents are served over MCP and by the command leadline " +
		"predict, not here",
	"noaa_get_meteorological_data": "GET /api/v1/stations/{id}/conditions",
}

// toolName matches the name of an MCP tool.
var toolName = regexp.MustCompile(`\bnoaa_[a-z_]+`)

// asRoutes returns an operation's error with hints that name routes instead of MCP tools.
func asRoutes(err error) error {
	var e *coast.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "noaa_") {
		return err
	}
	out := *e
	out.Message = strings.ReplaceAll(e.Message, `{"query": "Boston"}`, "?q=Boston")
	out.Message = toolName.ReplaceAllStringFunc(out.Message, func(name string) string {
		if route, ok := routeOf[name]; ok {
			return route
		}
		return "the MCP tool " + name
	})
	return &out
}
