package rest

import (
	"context"
	"slices"

	"leadline/tools"
)

// operationsOf maps the tools that apply to a station to the operations that have the same data.
var operationsOf = map[string][]string{
	"noaa_get_tide_predictions": {
		"getPredictions", "tripHealth", "bestWindow", "evaluateRules", "materialChange",
	},
	"noaa_get_water_levels":        {"getWaterLevels", "getConditions"},
	"noaa_get_meteorological_data": {"getConditions"},
}

// withOperations returns the operation that describes a station, with the operations that apply to
// it.
func withOperations(
	describe tools.Handler[tools.StationInfoInput, tools.StationInfo],
) tools.Handler[tools.StationInfoInput, tools.StationInfo] {
	return func(ctx context.Context, in tools.StationInfoInput) (tools.StationInfo, error) {
		out, err := describe(ctx, in)
		for _, tool := range out.Tools {
			for _, id := range operationsOf[tool] {
				if !slices.Contains(out.Operations, id) {
					out.Operations = append(out.Operations, id)
				}
			}
		}
		return out, err
	}
}
