package facts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/nws"
	"leadline/internal/stations"
)

// GridPlace describes the cell of the weather service's grid that a forecast is for.
type GridPlace struct {
	Latitude  float64 `json:"latitude" doc:"Latitude of the requested point, degrees north."`
	Longitude float64 `json:"longitude" doc:"Longitude of the requested point, degrees east; west is negative."`
	Name      string  `json:"name,omitempty" doc:"A town nearby; left out over open water."`
	Office    string  `json:"office" doc:"Forecast office of the weather service, such as BOX."`
	Grid      string  `json:"grid" doc:"Cell of the grid, as OKX/33,35."`
	Surface   Surface `json:"surface" doc:"Whether the weather service forecasts the point as land, or as coastal and open water (marine)."`
}

// Surface names what a cell of the grid is forecast as.
type Surface string

// The surfaces.
const (
	Land   Surface = "land"
	Marine Surface = "marine"
)

// SchemaName returns the name of the surfaces in OpenAPI documents.
func (Surface) SchemaName() string { return "GridSurface" }

// Values returns all surfaces.
func (Surface) Values() []string { return coast.Strings(Land, Marine) }

// ForecastUnits name the unit of each column.
type ForecastUnits struct {
	Speed      coast.SpeedUnit      `json:"speed" doc:"Unit of the speeds of wind and gusts."`
	Direction  coast.DirectionUnit  `json:"direction" doc:"Unit of directions: degrees true, from."`
	Height     coast.HeightUnit     `json:"height" doc:"Unit of the heights of waves."`
	Period     coast.PeriodUnit     `json:"period" doc:"Unit of the periods of waves."`
	Visibility coast.VisibilityUnit `json:"visibility" doc:"Unit of visibilities."`
}

// ForecastHours holds columns with one value for each hour. null means that the service has no
// value, not that it is calm or clear.
type ForecastHours struct {
	Start       time.Time  `json:"start" doc:"Beginning of the first hour."`
	StepMinutes int        `json:"stepMinutes" doc:"Minutes from one value to the next."`
	Count       int        `json:"count" doc:"Number of values of each list."`
	Speeds      []*float64 `json:"speeds" doc:"Wind speeds, in the unit unitsOf.speed; null where the service has no value."`
	Gusts       []*float64 `json:"gusts" doc:"Gusts, in the unit unitsOf.speed; null where the service has no value."`
	Directions  []*float64 `json:"directions" doc:"Directions that the wind comes from, degrees true; null where the service has no value."`
	Weather     []*string  `json:"weather" doc:"Weather in words, none where none is forecast; null where the service has no value."`
	Visibility  []*float64 `json:"visibilities" doc:"Visibilities, in the unit unitsOf.visibility; null where the service has no value."`
	Waves       *WaveHours `json:"waves" doc:"Waves; null over land and bays, where the grid does not have waves."`
}

// WaveHours are columns of waves: significant heights offshore, not breakers.
type WaveHours struct {
	Heights          []*float64 `json:"heights" doc:"Significant heights of all waves, offshore; null where the service has no value."`
	Periods          []*float64 `json:"periods" doc:"Periods of waves; null where the service has no value."`
	Directions       []*float64 `json:"directions" doc:"Directions that the waves come from; null where the service has no value."`
	SwellHeights     []*float64 `json:"swellHeights" doc:"Heights of the swell; null where the service has no value."`
	SwellDirections  []*float64 `json:"swellDirections" doc:"Directions that the swell comes from; null where the service has no value."`
	Swell2Heights    []*float64 `json:"secondSwellHeights" doc:"Heights of the second swell; null where the service has no value."`
	Swell2Directions []*float64 `json:"secondSwellDirections" doc:"Directions that the second swell comes from; null where the service has no value."`
	WindWaveHeights  []*float64 `json:"windWaveHeights" doc:"Heights of wind waves; null where the service has no value."`
}

// GridForecast is the hourly forecast of one cell of the grid.
type GridForecast struct {
	Place   GridPlace     `json:"place" doc:"Cell of the grid."`
	Issued  time.Time     `json:"issued" doc:"When the forecast was issued."`
	ValidTo time.Time     `json:"validTo" doc:"Time to which the grid has values."`
	InUnit  ForecastUnits `json:"unitsOf" doc:"Units of the lists of hours."`
	Hours   ForecastHours `json:"hours" doc:"Values for each hour."`
}

// GridOrigin returns the origin of the hourly forecast grid.
func GridOrigin(latitude, longitude float64) Origin {
	return Origin{"wind-forecast", "Hourly forecast grid of the National Weather Service", coast.NWS,
		coast.Forecast,
		fmt.Sprintf("https://forecast.weather.gov/MapClick.php?lat=%.4f&lon=%.4f", latitude, longitude)}
}

// GridForecast requests the grid of a place from the current hour on. It adds the source and the
// missing parts to the provenance in to.
func (s Set) GridForecast(
	ctx context.Context, to *coast.Provenance, at Place, hours int, units coast.Units,
) (GridForecast, error) {
	point, err := s.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		return GridForecast{}, err
	}
	p := point.Data
	if p.Grid == "" {
		return GridForecast{}, coast.Errorf(coast.ProductUnavailable, "The weather service has no "+
			"hourly grid at %g, %g, which is on open water: it has only a text for zone %s.",
			at.Latitude, at.Longitude, p.Zone).
			With(coast.GetMarineForecast.Hint("Get the text", at.Latitude, at.Longitude))
	}
	grid, err := s.Weather.Grid(ctx, p.Grid, p.X, p.Y)
	if err != nil {
		return GridForecast{}, err
	}
	g := grid.Data
	out := GridForecast{
		Place: placeOf(p, at), Issued: g.Updated.In(at.Zone.Location), ValidTo: g.To.In(at.Zone.Location),
		InUnit: forecastUnits(units), Hours: forecastHours(g, s.Now, hours, units, at.Zone),
	}
	to.Sources = append(to.Sources, s.Obtained(GridOrigin(at.Latitude, at.Longitude), GridLifetime,
		&g.Updated, g.Updated, grid.ReceivedAt))
	if out.Hours.Waves == nil && at.Sea != nil {
		out.Hours.Waves = s.seaWaves(ctx, to, at, out.Hours, units)
	}
	out.missing(to, g)
	return out, nil
}

// seaWaves returns the waves of the hours off the shore of a place, nil if the grid lacks them
// there, too. It adds their source, and a note on the distance.
func (s Set) seaWaves(
	ctx context.Context, to *coast.Provenance, at Place, h ForecastHours, units coast.Units,
) *WaveHours {
	point, err := s.Weather.Point(ctx, at.Sea.Latitude, at.Sea.Longitude)
	if err != nil || point.Data.Grid == "" {
		return nil
	}
	p := point.Data
	grid, err := s.Weather.Grid(ctx, p.Grid, p.X, p.Y)
	if err != nil {
		return nil
	}
	waves := HourColumns{grid.Data, h.Start, h.Count, units}.waves()
	if waves == nil {
		return nil
	}
	to.Sources = append(to.Sources, s.Obtained(GridOrigin(at.Sea.Latitude, at.Sea.Longitude),
		GridLifetime, &grid.Data.Updated, grid.Data.Updated, grid.ReceivedAt))
	to.Notes = append(to.Notes, fmt.Sprintf("The grid has no waves at the place: these are for the "+
		"sea %.0f km away off its shore, at %.4f, %.4f.", stations.Kilometers(at.Latitude, at.Longitude,
		at.Sea.Latitude, at.Sea.Longitude), at.Sea.Latitude, at.Sea.Longitude))
	return waves
}

func placeOf(p nws.Point, sp Place) GridPlace {
	surface := Land
	if p.Marine {
		surface = Marine
	}
	return GridPlace{sp.Latitude, sp.Longitude, p.Place, p.Office,
		fmt.Sprintf("%s/%d,%d", p.Grid, p.X, p.Y), surface}
}

func forecastUnits(units coast.Units) ForecastUnits {
	return ForecastUnits{
		coast.SpeedUnit(gridSpeed.in(units).Name), coast.DegreesFrom,
		coast.HeightUnit(gridHeight.in(units).Name), coast.Seconds,
		coast.VisibilityUnit(gridDistance.in(units).Name),
	}
}

// gridQuantity describes a layer of the grid. A layer in a unit that is not listed is missing,
// and so is an impossible value.
type gridQuantity struct {
	from            map[string]float64 // factors to the base unit, by the codes of the WMO
	metric, english Unit               // of the base unit
	bounds          Bounds             // in the base unit
}

func (q gridQuantity) in(units coast.Units) Unit { return oneOf(units, q.english, q.metric) }

var (
	gridSpeed = gridQuantity{map[string]float64{"km_h-1": 1, "m_s-1": 3.6, "kt": 1.852},
		Unit{"m/s", 1 / 3.6, 10, 0}, Unit{"kn", 1 / 1.852, 10, 0}, Bounds{0, 600}}
	gridDirection = gridQuantity{map[string]float64{"degree_(angle)": 1},
		Unit{"", 1, 1, 0}, Unit{"", 1, 1, 0}, DirectionBounds}
	gridPeriod = gridQuantity{map[string]float64{"s": 1},
		Unit{"s", 1, 10, 0}, Unit{"s", 1, 10, 0}, Bounds{0, 60}}
	gridHeight = gridQuantity{gridLengths,
		Unit{"m", 1, 100, 0}, Unit{"ft", 1 / 0.3048, 10, 0}, Bounds{0, 40}}
	gridDistance = gridQuantity{gridLengths,
		Unit{"km", 0.001, 100, 0}, Unit{"nmi", 1.0 / 1852, 100, 0}, Bounds{0, 500_000}}
	gridLengths = map[string]float64{"m": 1, "km": 1000, "ft": 0.3048, "nautical_mile": 1852}
)

// gridQuantities says what the layers give.
var gridQuantities = map[string]gridQuantity{
	"windSpeed": gridSpeed, "windGust": gridSpeed, "windDirection": gridDirection,
	"visibility": gridDistance,
	"waveHeight": gridHeight, "wavePeriod": gridPeriod, "waveDirection": gridDirection,
	"primarySwellHeight": gridHeight, "primarySwellDirection": gridDirection,
	"secondarySwellHeight": gridHeight, "secondarySwellDirection": gridDirection,
	"wavePeriod2": gridPeriod, "windWaveHeight": gridHeight,
}

// Unread returns the unit of a layer that has values which cannot be converted, or "".
func Unread(g nws.Grid, layer string) string {
	l := g.Layers[layer]
	if _, known := gridQuantities[layer].from[l.Unit]; known || l.Empty() {
		return ""
	}
	return cmp.Or(l.Unit, "none")
}

// forecastHours returns the layers as columns from the current hour on.
func forecastHours(g nws.Grid, now time.Time, ahead int, units coast.Units, z Zone) ForecastHours {
	start := now.Truncate(time.Hour)
	last := start.Add(time.Duration(ahead-1) * time.Hour)
	if end := g.To.Add(-time.Hour); last.After(end) {
		last = end
	}
	count := max(0, 1+int(last.Sub(start)/time.Hour))
	c := HourColumns{g, start, count, units}
	out := ForecastHours{
		Start: start.In(z.Location), StepMinutes: 60, Count: count,
		Speeds: c.Of("windSpeed"), Gusts: c.Of("windGust"), Directions: c.Of("windDirection"),
		Visibility: c.Of("visibility"), Weather: make([]*string, count),
	}
	for i := range out.Weather {
		out.Weather[i] = WeatherAt(g, start.Add(time.Duration(i)*time.Hour))
	}
	out.Waves = c.waves()
	return out
}

// HourColumns reads layers hour by hour.
type HourColumns struct {
	nws.Grid
	Start time.Time
	Count int
	Units coast.Units
}

// Of returns a layer's column.
func (c HourColumns) Of(name string) []*float64 {
	column := make([]*float64, c.Count)
	layer, q := c.Layers[name], gridQuantities[name]
	factor, known := q.from[layer.Unit]
	if !known {
		return column
	}
	to := q.in(c.Units)
	for i := range column {
		if v := layer.At(c.Start.Add(time.Duration(i) * time.Hour)); v != nil {
			base := *v * factor
			column[i] = to.Known(q.bounds.Possible(&base))
		}
	}
	return column
}

// waves returns the columns of waves, nil if no layer has any height. A layer that is zero
// throughout means land or a bay, not a calm sea.
func (c HourColumns) waves() *WaveHours {
	heights := func(name string) []*float64 {
		if c.Layers[name].Zero() {
			return make([]*float64, c.Count)
		}
		return c.Of(name)
	}
	sea := func(name string) bool { return !c.Layers[name].Zero() }
	if !slices.ContainsFunc([]string{"waveHeight", "primarySwellHeight", "secondarySwellHeight",
		"windWaveHeight"}, sea) {
		return nil
	}
	return &WaveHours{
		Heights: heights("waveHeight"), Periods: c.Of("wavePeriod"),
		Directions:   c.Of("waveDirection"),
		SwellHeights: heights("primarySwellHeight"), SwellDirections: c.Of("primarySwellDirection"),
		Swell2Heights:    heights("secondarySwellHeight"),
		Swell2Directions: c.Of("secondarySwellDirection"),
		WindWaveHeights:  heights("windWaveHeight"),
	}
}

// Swells returns the trains of swell of each hour. The periods in the grid are the periods of its
// two swells.
func (c HourColumns) Swells() [][]decide.Swell {
	hours := make([][]decide.Swell, c.Count)
	for _, layers := range [][2]string{
		{"primarySwellHeight", "wavePeriod"}, {"secondarySwellHeight", "wavePeriod2"},
	} {
		heights, periods := c.Of(layers[0]), c.Of(layers[1])
		for i := range hours {
			if heights[i] != nil {
				hours[i] = append(hours[i], decide.Swell{Height: heights[i], Period: periods[i]})
			}
		}
	}
	return hours
}

// WavesFrom returns the direction from which the waves of each hour come. It is the direction
// that the grid gives, else the direction of the highest part of the sea. Wind waves run with the
// wind (ours). The direction is nil if the grid does not give the values that it depends on.
func (c HourColumns) WavesFrom() []*float64 {
	column, parts := c.Of("waveDirection"), [][2][]*float64{}
	for _, layers := range [][2]string{
		{"primarySwellHeight", "primarySwellDirection"},
		{"secondarySwellHeight", "secondarySwellDirection"},
		{"windWaveHeight", "windDirection"},
	} {
		parts = append(parts, [2][]*float64{c.Of(layers[0]), c.Of(layers[1])})
	}
	for i := range column {
		if column[i] != nil {
			continue
		}
		highest := 0.0
		for _, part := range parts { // of equal heights the last: the wind's direction is known best
			if height := part[0][i]; height != nil && *height > 0 && *height >= highest {
				highest, column[i] = *height, part[1][i]
			}
		}
	}
	return column
}

// WeatherAt returns the weather of an hour in words, nil if the grid does not give it.
func WeatherAt(g nws.Grid, t time.Time) *string {
	said := slices.ContainsFunc(g.Weather, func(w nws.WeatherSpan) bool {
		return !t.Before(w.From) &&
			t.Before(w.To)
	})
	if !said {
		return nil
	}
	words := cmp.Or(weatherWords(g.WeatherAt(t)), "none")
	return &words
}

// weatherWords returns the conditions of an hour: "chance light rain; patchy fog".
func weatherWords(conditions []nws.Condition) string {
	var all []string
	for _, c := range conditions {
		words := strings.Join(strings.Fields(strings.Join([]string{c.Coverage, c.Intensity, c.Weather},
			" ")), " ")
		if words != "" {
			all = append(all, Spaced(words))
		}
	}
	return strings.Join(all, "; ")
}

// missing adds the names of the parts that the grid does not have.
func (w GridForecast) missing(p *coast.Provenance, g nws.Grid) {
	for _, part := range []struct {
		name, layer string
		values      []*float64 // nil for a layer that may be absent
	}{{"wind speed", "windSpeed", w.Hours.Speeds}, {"wind gust", "windGust", w.Hours.Gusts},
		{"wind direction", "windDirection", w.Hours.Directions},
		{"visibility", "visibility", w.Hours.Visibility}, {"waves", "waveHeight", nil}} {
		if unit := Unread(g, part.layer); unit != "" {
			p.Missing = append(p.Missing, coast.Missing{Input: part.name, Reason: fmt.Sprintf(
				"the grid has values in a unit that is not known here, %q", unit)})
		} else if part.values != nil && !anyKnown(part.values) {
			p.Missing = append(p.Missing, coast.Missing{Input: part.name,
				Reason: "the grid has no value for these hours; that does not mean calm or clear"})
		}
	}
	if w.Hours.Waves == nil {
		p.Missing = append(p.Missing, coast.Missing{Input: "waves", Reason: "the grid has no waves at " +
			"this cell: it lies on land, in a bay or harbor, or outside the wave model"})
	}
	if w.Hours.Count == 0 {
		p.Notes = append(p.Notes, "The newest grid ended before the present hour.")
	}
}

func anyKnown(values []*float64) bool {
	for _, v := range values {
		if v != nil {
			return true
		}
	}
	return false
}
