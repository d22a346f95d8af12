package weather

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/operation"
)

// ConditionsInput requests the newest readings of a station.
type ConditionsInput struct {
	operation.AtStation
	operation.InUnits
	operation.InZone
}

// Conditions holds the newest readings of a station, each with its own age.
type Conditions struct {
	coast.Frame `always:"station datum units timeZone" never:"quoted"`
	HeightUnit  coast.HeightUnit    `json:"heightUnit" doc:"Unit of all heights."`
	WaterLevel  *levels.NewestLevel `json:"waterLevel" doc:"Newest observed water level above the datum; null if it is not available."`
	Predicted   *float64            `json:"predicted" doc:"Predicted height above the datum at the time of the newest level; null if it is not known."`
	Residual    *float64            `json:"residual" doc:"Observed minus predicted height at that time; null if one of them is not known."`
	Readings    []Measurement       `json:"readings" doc:"Newest value of each quantity of the weather and the water temperature."`
	Flagged     []FlaggedValue      `json:"flagged,omitempty" doc:"Newest values that NOAA flags. They can be wrong and are in no other field; left out if there are none."`
}

// inConditions lists the products of Conditions in addition to the water level.
var inConditions = []string{"wind", "air_temperature", "water_temperature", "air_pressure"}

// Conditions returns the newest water level, wind, temperatures and pressure of a
// station. Unavailable parts are listed in missing; if no part is available, Conditions
// returns an error.
func (s Operations) Conditions(ctx context.Context, in ConditionsInput) (Conditions, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	st, z, _, err := fs.Observing(ctx, in.Station, operation.Span{}, string(in.TimeZone), facts.Day)
	if err != nil {
		return Conditions{}, err
	}
	st = st.Snapshot()
	datum := facts.UsualDatum(st)
	var heights facts.Levels
	var levelsErr, weatherErr error
	var found []facts.Quantity
	weather := coast.Provenance{}
	facts.Concurrently(
		func() {
			heights, levelsErr = fs.Levels(ctx, st, z, facts.Interval{From: fs.Now, To: fs.Now}, datum, "6")
		},
		func() { found, weatherErr = fs.NewestReadings(ctx, &weather, st, inConditions) },
	)
	h := facts.HeightsIn(in.Units)
	out := Conditions{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: coast.Datum(datum), DatumEpoch: fs.Epoch(st), Units: in.Units,
			TimeZone: z.Label, Provenance: fs.Heights(st),
		},
		HeightUnit: coast.HeightUnit(h.Name),
	}
	out.Readings = measurements(fs, &weather, found, in.Units, z)
	out.Flagged = append(doubtedLevel(fs, heights, in.Units, z), doubted(fs, found, in.Units, z)...)
	if levelsErr != nil {
		fs.Missing(&out.Provenance, facts.GaugeOrigin(st.ID), "water level", levelsErr)
	} else {
		out.WaterLevel = levels.NewestOf(heights.Newest, h, z)
		out.Predicted, out.Residual = h.Known(heights.Predicted), h.Known(heights.Residual)
		out.DatumEpoch = heights.Epoch
		facts.Merge(&out.Provenance, heights.Provenance)
	}
	facts.Merge(&out.Provenance, weather)
	return out, facts.AllFailed([]error{levelsErr, weatherErr})
}
