package mcp

import "leadline/internal/coast"

// toolOf maps the operations that errors hint at to their tools. No tool fails with a hint at an
// operation on accounts, which MCP does not have.
var toolOf = map[coast.Operation]string{
	coast.SearchStations:          "noaa_search_stations",
	coast.GetPredictions:          "noaa_get_tide_predictions",
	coast.GetCurrentPredictions:   "noaa_get_current_predictions",
	coast.GetWaterLevels:          "noaa_get_water_levels",
	coast.GetConditions:           "noaa_get_meteorological_data",
	coast.GetMarineForecast:       "nws_get_marine_forecast",
	coast.GetHarmonicConstituents: "noaa_get_harmonic_constituents",
	coast.ListWebhooks:            "",
	coast.UpdateWebhook:           "",
	coast.DeleteWebhook:           "",
	coast.ListDeliveries:          "",
	coast.ListEvents:              "",
	coast.ListWatches:             "",
}

// hintOf returns the sentence of a hint, with a tool and its arguments.
func hintOf(h coast.Hint) string {
	tool := toolOf[h.Operation]
	if tool == "" {
		return ""
	}
	return h.Do + " with " + tool + ", for example " + h.Arguments.JSON() + "."
}
