package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/nws"
)

// WindForecastInput asks for the wind to come at a point.
type WindForecastInput struct {
	AtPlace
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"How far ahead."`
	InUnits
}

// Validate holds the place to one.
func (in *WindForecastInput) Validate() error { return in.check(true) }

// GridPlace is the cell of the weather service's grid that a forecast is of.
type GridPlace struct {
	Latitude  float64 `json:"latitude"` // of the point asked for
	Longitude float64 `json:"longitude"`
	Name      string  `json:"name,omitempty"` // a town near by
	Office    string  `json:"office"`         // that makes the forecast
	Grid      string  `json:"grid"`           // OKX/33,35
	Surface   string  `json:"surface"`        // land, marine
}

// ForecastUnits name the unit of each column.
type ForecastUnits struct {
	Speed      string `json:"speed"`
	Direction  string `json:"direction"`
	Height     string `json:"height"`
	Period     string `json:"period"`
	Visibility string `json:"visibility"`
}

// ForecastHours are columns of one value an hour; null where the service has
// none, which is neither calm nor clear.
type ForecastHours struct {
	Start       time.Time  `json:"start"`
	StepMinutes int        `json:"stepMinutes"`
	Count       int        `json:"count"`
	Speeds      []*float64 `json:"speeds"`
	Gusts       []*float64 `json:"gusts"`
	Directions  []*float64 `json:"directions"` // where the wind comes from
	Weather     []*string  `json:"weather"`    // none where none is forecast, null where nothing is said
	Visibility  []*float64 `json:"visibilities"`
	Waves       *WaveHours `json:"waves"` // null over land and bays, where the grid has no waves
}

// WaveHours are columns of waves: significant heights offshore, not breakers.
type WaveHours struct {
	Heights          []*float64 `json:"heights"`
	Periods          []*float64 `json:"periods"`
	Directions       []*float64 `json:"directions"` // where the waves come from
	SwellHeights     []*float64 `json:"swellHeights"`
	SwellDirections  []*float64 `json:"swellDirections"` // where the swell comes from
	Swell2Heights    []*float64 `json:"secondSwellHeights"`
	Swell2Directions []*float64 `json:"secondSwellDirections"`
	WindWaveHeights  []*float64 `json:"windWaveHeights"`
}

// GridForecast is what the grid says of one cell.
type GridForecast struct {
	Place   GridPlace     `json:"place"`
	Issued  time.Time     `json:"issued"`
	ValidTo time.Time     `json:"validTo"`
	InUnit  ForecastUnits `json:"unitsOf"`
	Hours   ForecastHours `json:"hours"`
}

// WindForecast is the wind to come at a point.
type WindForecast struct {
	coast.Frame
	GridForecast
}

// gridOrigin is where the wind forecast comes from.
func gridOrigin(latitude, longitude float64) origin {
	return origin{"wind-forecast", "Hourly forecast grid of the National Weather Service", coast.NWS, coast.Forecast,
		fmt.Sprintf("https://forecast.weather.gov/MapClick.php?lat=%.4f&lon=%.4f", latitude, longitude)}
}

// WindForecast tells wind, weather and waves hour by hour from the service's
// grid. It answers ProductUnavailable where the service has no grid.
func (s *Set) WindForecast(ctx context.Context, in WindForecastInput) (WindForecast, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	sp, err := m.place(ctx, in.AtPlace, InPlaceZone{})
	if err != nil {
		return WindForecast{}, err
	}
	out := WindForecast{Frame: sp.frame(in.Units)}
	out.GridForecast, err = m.gridForecast(ctx, &out.Provenance, sp, in)
	return out, err
}

// frame is that of a forecast, whose sources are still to come.
func (sp spot) frame(units string) coast.Frame {
	return coast.Frame{Station: sp.station, Units: units, TimeZone: sp.zone.label, Provenance: coast.Provenance{Sources: []coast.Source{}, Missing: []coast.Missing{}, Notes: sp.notes}}
}

// gridForecast asks for the grid and tells p where it comes from and lacks.
func (m moment) gridForecast(ctx context.Context, p *coast.Provenance, sp spot, in WindForecastInput) (GridForecast, error) {
	point, err := m.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	if err != nil {
		return GridForecast{}, err
	}
	at := point.Data
	if at.Grid == "" {
		return GridForecast{}, coast.Errorf(coast.ProductUnavailable, "The weather service has no hourly grid at %g, %g, which is on open water: its text for zone %s is what there is (nws_get_marine_forecast).", sp.Latitude, sp.Longitude, at.Zone)
	}
	grid, err := m.Weather.Grid(ctx, at.Grid, at.X, at.Y)
	if err != nil {
		return GridForecast{}, err
	}
	g := grid.Data
	out := GridForecast{
		Place: placeOf(at, sp), Issued: g.Updated.In(sp.zone.Location), ValidTo: g.To.In(sp.zone.Location),
		InUnit: forecastUnits(in.Units), Hours: forecastHours(g, m.now, in, sp.zone),
	}
	p.Sources = append(p.Sources, m.had(gridOrigin(sp.Latitude, sp.Longitude), gridShelf, &g.Updated, g.Updated, grid.ReceivedAt))
	out.lacks(p)
	return out, nil
}

func placeOf(p nws.Point, sp spot) GridPlace {
	surface := "land"
	if p.Marine {
		surface = "marine"
	}
	return GridPlace{sp.Latitude, sp.Longitude, p.Place, p.Office, fmt.Sprintf("%s/%d,%d", p.Grid, p.X, p.Y), surface}
}

func forecastUnits(units string) ForecastUnits {
	if units == "metric" {
		return ForecastUnits{"m/s", "degrees true, from", "m", "s", "km"}
	}
	return ForecastUnits{"kn", "degrees true, from", "ft", "s", "nmi"}
}

// gridUnits convert the units that the grid's layers are told in, and say what
// values can be. A layer in another unit, and a value that cannot be, is taken
// for missing: it is not guessed at.
var gridUnits = map[string]struct {
	metric, english unit
	bounds          bounds
}{
	"km_h-1":          {unit{"m/s", 1 / 3.6, 10, 0}, unit{"kn", 1 / 1.852, 10, 0}, bounds{0, 600}},
	"degree_(angle)":  {unit{"", 1, 1, 0}, unit{"", 1, 1, 0}, directionBounds},
	"s":               {unit{"s", 1, 10, 0}, unit{"s", 1, 10, 0}, bounds{0, 60}},
	"m":               {unit{"m", 1, 100, 0}, unit{"ft", 1 / 0.3048, 10, 0}, bounds{0, 40}},
	"m as a distance": {unit{"km", 0.001, 100, 0}, unit{"nmi", 1.0 / 1852, 100, 0}, bounds{0, 500_000}},
}

// forecastHours writes the layers as columns from the present hour on.
func forecastHours(g nws.Grid, now time.Time, in WindForecastInput, z zone) ForecastHours {
	start := now.Truncate(time.Hour)
	last := start.Add(time.Duration(in.Hours-1) * time.Hour)
	if end := g.To.Add(-time.Hour); last.After(end) {
		last = end
	}
	count := max(0, 1+int(last.Sub(start)/time.Hour))
	c := hourColumns{g, start, count, in.Units}
	out := ForecastHours{
		Start: start.In(z.Location), StepMinutes: 60, Count: count,
		Speeds: c.of("windSpeed", ""), Gusts: c.of("windGust", ""), Directions: c.of("windDirection", ""),
		Visibility: c.of("visibility", "m as a distance"), Weather: make([]*string, count),
	}
	for i := range out.Weather {
		out.Weather[i] = weatherAt(g, start.Add(time.Duration(i)*time.Hour))
	}
	out.Waves = c.waves()
	return out
}

// hourColumns reads layers hour by hour.
type hourColumns struct {
	nws.Grid
	start time.Time
	count int
	units string
}

// of is a layer's column; as is the unit to take it in where that is not the
// layer's own.
func (c hourColumns) of(name, as string) []*float64 {
	column := make([]*float64, c.count)
	layer := c.Layers[name]
	if as == "" {
		as = layer.Unit
	} else if layer.Unit != "m" {
		return column
	}
	u, ok := gridUnits[as]
	if !ok {
		return column
	}
	to := u.english
	if c.units == "metric" {
		to = u.metric
	}
	for i := range column {
		column[i] = to.known(u.bounds.possible(layer.At(c.start.Add(time.Duration(i) * time.Hour))))
	}
	return column
}

// waves are the columns of waves, nil where no layer has any height: a layer
// that is zero throughout is that of land or a bay, and no calm sea.
func (c hourColumns) waves() *WaveHours {
	heights := func(name string) []*float64 {
		if c.Layers[name].Zero() {
			return make([]*float64, c.count)
		}
		return c.of(name, "")
	}
	sea := func(name string) bool { return !c.Layers[name].Zero() }
	if !slices.ContainsFunc([]string{"waveHeight", "primarySwellHeight", "secondarySwellHeight", "windWaveHeight"}, sea) {
		return nil
	}
	return &WaveHours{
		Heights: heights("waveHeight"), Periods: c.of("wavePeriod", ""), Directions: c.of("waveDirection", ""),
		SwellHeights: heights("primarySwellHeight"), SwellDirections: c.of("primarySwellDirection", ""),
		Swell2Heights: heights("secondarySwellHeight"), Swell2Directions: c.of("secondarySwellDirection", ""),
		WindWaveHeights: heights("windWaveHeight"),
	}
}

// weatherAt is the weather of an hour in words, nil where the grid says
// nothing of it.
func weatherAt(g nws.Grid, t time.Time) *string {
	said := slices.ContainsFunc(g.Weather, func(w nws.WeatherSpan) bool { return !t.Before(w.From) && t.Before(w.To) })
	if !said {
		return nil
	}
	words := cmp.Or(weatherWords(g.WeatherAt(t)), "none")
	return &words
}

// weatherWords are the conditions of an hour: "chance light rain; patchy fog".
func weatherWords(conditions []nws.Condition) string {
	var all []string
	for _, c := range conditions {
		words := strings.Join(strings.Fields(strings.Join([]string{c.Coverage, c.Intensity, c.Weather}, " ")), " ")
		if words != "" {
			all = append(all, spaced(words))
		}
	}
	return strings.Join(all, "; ")
}

// lacks tells which parts the grid does not have.
func (w GridForecast) lacks(p *coast.Provenance) {
	for _, part := range []struct {
		name   string
		values []*float64
	}{{"wind speed", w.Hours.Speeds}, {"wind gust", w.Hours.Gusts}, {"wind direction", w.Hours.Directions}, {"visibility", w.Hours.Visibility}} {
		if !anyKnown(part.values) {
			p.Missing = append(p.Missing, coast.Missing{Input: part.name, Reason: "the grid has no value for these hours; that does not mean calm or clear"})
		}
	}
	if w.Hours.Waves == nil {
		p.Missing = append(p.Missing, coast.Missing{Input: "waves", Reason: "the grid has no waves at this cell: it lies on land, in a bay or harbor, or outside the wave model"})
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

// place finds a point for a forecast, and its zone. Stations that the
// directory does not hold are asked for.
func (m moment) place(ctx context.Context, p AtPlace, in InPlaceZone) (spot, error) {
	if p.Station != "" {
		if _, err := m.listed(ctx, p.Station); err != nil {
			return spot{}, err
		}
	}
	sp, err := m.spot(p, in)
	if err == nil && p.Latitude != nil && in.TimeZone == "" {
		m.pointZone(ctx, &sp)
	}
	return sp, err
}

// pointZone takes the zone that the weather service has for a coordinate: its
// texts speak of days and nights in that one. Without it the zone stays that
// of the nearest station, or of the longitude.
func (m moment) pointZone(ctx context.Context, sp *spot) {
	point, err := m.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	name := point.Data.TimeZone
	if err != nil || !zoneName.MatchString(name) {
		return
	}
	if z, err := m.zones.at(name, "lst_ldt", m.now); err == nil {
		sp.zone = z
		sp.notes = []string{fmt.Sprintf("Time zone %s is that of the point, by the weather service.", name)}
	}
}

// ForecastInput asks for all that is forecast at a station.
type ForecastInput struct {
	AtStation
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"How far ahead."`
	InUnits
	InZone
}

// Forecast is the wind to come at a station, the text for the water there and
// the alerts.
type Forecast struct {
	coast.Frame
	Wind   *GridForecast `json:"wind"`   // null where it could not be had
	Marine *WaterText    `json:"marine"` // null where it could not be had
}

// Forecast joins WindForecast and MarineForecast. A part that could not be had
// stands in missing; where neither could it is an error.
func (s *Set) Forecast(ctx context.Context, in ForecastInput) (Forecast, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	sp, err := m.place(ctx, AtPlace{Station: in.Station}, InPlaceZone{in.TimeZone})
	if err != nil {
		return Forecast{}, err
	}
	var wind GridForecast
	var water WaterText
	var windErr, waterErr error
	ofWind, ofWater := sp.frame(""), sp.frame("")
	together(
		func() {
			wind, windErr = m.gridForecast(ctx, &ofWind.Provenance, sp, WindForecastInput{Hours: in.Hours, InUnits: in.InUnits})
		},
		func() { water, waterErr = m.waterText(ctx, &ofWater.Provenance, sp) },
	)
	out := Forecast{Frame: sp.frame(in.Units), Wind: &wind, Marine: &water}
	if windErr != nil {
		out.Wind = nil
		m.lack(&out.Provenance, gridOrigin(sp.Latitude, sp.Longitude), "wind forecast", windErr)
	} else {
		merge(&out.Provenance, ofWind.Provenance)
	}
	if waterErr != nil {
		out.Marine = nil
	}
	merge(&out.Provenance, ofWater.Provenance)
	return out, nothing([]error{windErr, waterErr})
}
