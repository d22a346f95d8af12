package noaa

import (
	"context"

	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// Scenario is the relative sea level in a year if the world's rises as a report supposes. Levels
// are in meters above that of the year in which all scenarios of the report are 0.
type Scenario struct {
	Name         string // Intermediate-Low
	Report, Year int    // when the report was published; of the level
	Level        float64
	Low, High    *float64 // ends of the published range
}

// Scenarios returns the scenarios at a station. The format is that of a response recorded in August
// 2026. For a station without scenarios the service has been seen to return an error of its own,
// which is provider_unavailable here.
func (c *Client) Scenarios(
	ctx context.Context, station string,
) (upstream.Value[[]Scenario], error) {
	q := newProductQuery(derived.SeaLevelScenarios, station)
	return getDocument(ctx, c, q,
		func(body []byte) ([]Scenario, error) { return readScenarios(body, station) })
}

// readScenarios refuses one of several pages: no such response is known.
func readScenarios(body []byte, station string) ([]Scenario, error) {
	r := openDocument(body)
	if pages := r.integer("totalPages"); pages != nil && *pages > 1 {
		r.unknown("%d pages", *pages)
	}
	return productRows(r, derived.SeaLevelScenarios, station, (*record).scenario)
}

func (r *record) scenario() Scenario {
	meters := r.factor(levelUnits, 10, "units") / 1000 // centimeters, as requested
	return Scenario{
		Name: r.requiredText("scenario"), Report: r.requiredInt("reportYear"),
		Year: r.requiredInt("projectionYear"), Level: r.required("projectionRsl") * meters,
		Low:  scaled(r.number("projectionCiLow"), meters),
		High: scaled(r.number("projectionCiHigh"), meters),
	}
}
