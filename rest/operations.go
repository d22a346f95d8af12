package rest

import (
	"context"
	"slices"

	"leadline/internal/directory"
	"leadline/internal/operation"
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
	describe operation.Handler[directory.StationInfoInput, directory.StationInfo],
) operation.Handler[directory.StationInfoInput, directory.StationInfo] {
	return func(ctx context.Context, in directory.StationInfoInput) (directory.StationInfo, error) {
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
