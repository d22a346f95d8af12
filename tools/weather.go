package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// MeteorologicalDataInput asks for weather observations.
type MeteorologicalDataInput struct {
	AtStation
	Product  string `json:"product" enum:"air_temperature water_temperature wind air_pressure air_gap conductivity visibility humidity salinity all" doc:"all: the newest of each."`
	Interval string `json:"interval" default:"6" enum:"6 h" doc:"Minutes between values, or hourly (h)."`
	Span
	InUnits
	InZone
}

// Validate: the newest values need no span.
func (in *MeteorologicalDataInput) Validate() error {
	if in.Product == "all" && in.given() != "" && in.given() != "date" {
		return contradiction("product", `product all tells the newest value of each; for a span name one product. Example: "product": "wind", "range": 24.`)
	}
	return nil
}

// Measurement is the newest value of one quantity.
type Measurement struct {
	Quantity   string    `json:"quantity"` // wind_speed, wind_gust, wind_direction, air_temperature, ...
	Value      float64   `json:"value"`
	Unit       string    `json:"unit"`
	Time       time.Time `json:"time"`
	AgeMinutes int       `json:"ageMinutes"`
}

// MeasuredSeries is one quantity at equal steps of time; null where NOAA has
// no value.
type MeasuredSeries struct {
	Quantity    string     `json:"quantity"`
	Unit        string     `json:"unit"`
	Start       time.Time  `json:"start"`
	StepMinutes int        `json:"stepMinutes"`
	Count       int        `json:"count"`
	Values      []*float64 `json:"values"`
}

// MeteorologicalData are weather observations.
type MeteorologicalData struct {
	coast.Frame
	Product string           `json:"product"`
	Newest  []Measurement    `json:"newest"`
	Series  []MeasuredSeries `json:"series"`
	cut
	asked MeteorologicalDataInput
}

// products are what all asks for.
var products = []string{"wind", "air_temperature", "water_temperature", "air_pressure", "humidity", "visibility", "air_gap", "conductivity", "salinity"}

// MeteorologicalData tells weather observations at a station. It answers as
// WaterLevels does. Of all, products that could not be had stand in missing.
func (s *Set) MeteorologicalData(ctx context.Context, in MeteorologicalDataInput) (MeteorologicalData, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	st, z, span, err := m.observing(ctx, in.Station, in.Span, in.TimeZone, day)
	if err != nil {
		return MeteorologicalData{}, err
	}
	out := MeteorologicalData{
		Frame:   coast.Frame{Station: card(st), Units: in.Units, TimeZone: z.label, Provenance: m.of(st)},
		Product: in.Product, Newest: []Measurement{}, Series: []MeasuredSeries{}, asked: in,
	}
	out.Notes = append(out.Notes, span.notes...)
	if in.Product == "all" {
		found, err := m.newest(ctx, &out.Provenance, st, products)
		out.Newest = m.measurements(&out.Provenance, found, in.Units, z)
		return out, err
	}
	got, err := m.measured(ctx, st, in.Product, in.Interval == "h", span)
	if err != nil {
		return MeteorologicalData{}, err
	}
	out.Sources = append(out.Sources, m.observation(weatherOrigin(st.ID, in.Product), shelfOf(in.Product), got.newest, span, false, got.received))
	out.Missing = append(out.Missing, gaps(got.gaps, z)...)
	out.Newest = m.measurements(&out.Provenance, got.quantities, in.Units, z)
	out.Notes = append(out.Notes, out.fill(got.quantities, span, z)...)
	return out, nil
}

// weatherOrigin is where the observations of a product come from.
func weatherOrigin(station, product string) origin {
	return origin{"observed-" + dashed(product), "Observed " + spaced(product), coast.COOPS, coast.Observation, "https://tidesandcurrents.noaa.gov/met.html?id=" + station}
}

// shelfOf is how fast the values of a product age.
func shelfOf(product string) shelf {
	switch product {
	case "wind", "air_pressure", "air_gap", "visibility":
		return quickShelf
	}
	return slowShelf
}

// quantity is one measured number of a product over time, in NOAA's metric
// units.
type quantity struct {
	name   string
	points []sample
}

// sample is a value at a time, nil where NOAA has none.
type sample struct {
	time  time.Time
	value *float64
}

// add adds a value; one that cannot be is none.
func (q *quantity) add(at time.Time, v *float64) {
	q.points = append(q.points, sample{at, measured[q.name].bounds.possible(v)})
}

// observed is what was measured of one product.
type observed struct {
	retrieval
	quantities []quantity
}

// measured asks for one product over a span; an instant is the newest value.
func (m moment) measured(ctx context.Context, st stations.Station, product string, hourly bool, span interval) (observed, error) {
	if product == "wind" {
		return m.winds(ctx, st, hourly, span)
	}
	found, err := m.Water.Readings(ctx, st.ID, product, hourly, span.period())
	out := observed{retrieved(found, func(r noaa.Reading) (time.Time, bool) {
		return r.Time, measured[product].bounds.possible(r.Value) != nil
	}), []quantity{{name: product}}}
	gravity := quantity{name: "specific_gravity"}
	for _, r := range found.Rows {
		out.quantities[0].add(r.Time, r.Value)
		gravity.add(r.Time, r.Gravity)
	}
	if product == "salinity" {
		out.quantities = append(out.quantities, gravity)
	}
	return out, err
}

func (m moment) winds(ctx context.Context, st stations.Station, hourly bool, span interval) (observed, error) {
	found, err := m.Water.Winds(ctx, st.ID, hourly, span.period())
	speed, gust, from := quantity{name: "wind_speed"}, quantity{name: "wind_gust"}, quantity{name: "wind_direction"}
	for _, r := range found.Rows {
		speed.add(r.Time, r.Speed)
		gust.add(r.Time, r.Gust)
		from.add(r.Time, r.Direction)
	}
	return observed{retrieved(found, func(r noaa.Wind) (time.Time, bool) {
		return r.Time, measured["wind_speed"].bounds.possible(r.Speed) != nil
	}), []quantity{speed, gust, from}}, err
}

// newest asks for the newest values of several products at once. What could
// not be had stands in missing; where nothing could, it is an error.
func (m moment) newest(ctx context.Context, p *coast.Provenance, st stations.Station, products []string) ([]quantity, error) {
	now := interval{from: m.now, to: m.now}
	got, errs := make([]observed, len(products)), make([]error, len(products))
	parts := make([]func(), len(products))
	for i, product := range products {
		parts[i] = func() { got[i], errs[i] = m.measured(ctx, st, product, false, now) }
	}
	together(parts...)
	var all []quantity
	for i, product := range products {
		o := weatherOrigin(st.ID, product)
		if errs[i] != nil {
			m.lack(p, o, spaced(product), errs[i])
			continue
		}
		p.Sources = append(p.Sources, m.observation(o, shelfOf(product), got[i].newest, now, false, got[i].received))
		all = append(all, got[i].quantities...)
	}
	return all, nothing(errs)
}

// measurements are the newest values of the quantities. One that has none
// stands in missing: a gust that was not told is no calm.
func (m moment) measurements(p *coast.Provenance, all []quantity, units string, z zone) []Measurement {
	list := []Measurement{}
	for _, q := range all {
		newest, has := q.newest()
		if !has {
			p.Missing = append(p.Missing, coast.Missing{Input: spaced(q.name), Reason: "NOAA has rows here but no value in them that can be"})
			continue
		}
		u := measuredIn(q.name, units)
		list = append(list, Measurement{q.name, u.of(*newest.value), u.name, newest.time.In(z.Location), max(0, int(m.now.Sub(newest.time)/time.Minute))})
	}
	return list
}

// newest is the last sample that has a value.
func (q quantity) newest() (sample, bool) {
	for _, p := range slices.Backward(q.points) {
		if p.value != nil {
			return p, true
		}
	}
	return sample{}, false
}

// fill writes the quantities as columns.
func (d *MeteorologicalData) fill(all []quantity, span interval, z zone) []string {
	minutes, over := 6, 0
	if d.asked.Interval == "h" {
		minutes = 60
	}
	for _, q := range all {
		u := measuredIn(q.name, d.Units)
		c := layColumn(len(q.points), func(i int) time.Time { return q.points[i].time }, minutes, span)
		series := MeasuredSeries{q.name, u.name, c.start.In(z.Location), c.step, c.count, make([]*float64, c.count)}
		for _, p := range q.points {
			if at, ok := c.index(p.time); ok {
				series.Values[at] = u.known(p.value)
			}
		}
		d.Series, over = append(d.Series, series), c.over
	}
	if over > 0 {
		return []string{fmt.Sprintf("%d of the provider's rows lie between the steps of the columns and are left out of them.", over)}
	}
	return nil
}

func (d MeteorologicalData) rows() int {
	if len(d.Series) == 0 {
		return 0
	}
	return d.Series[0].Count
}

func (d MeteorologicalData) head(n int) any {
	s := d.Series[0]
	d.asked.Span = from(At(s.Start, n, s.StepMinutes), Between{s.Start, At(s.Start, s.Count-1, s.StepMinutes)})
	d.cut = cut{Truncated: true, Total: s.Count, Next: arguments(d.asked)}
	d.Series = slices.Clone(d.Series)
	for i := range d.Series {
		d.Series[i].Values, d.Series[i].Count = d.Series[i].Values[:n], n
	}
	return d
}

// ConditionsInput asks what a station measures now.
type ConditionsInput struct {
	AtStation
	InUnits
	InZone
}

// Conditions are the newest readings of a station, each with its own age.
type Conditions struct {
	coast.Frame
	HeightUnit string        `json:"heightUnit"`
	WaterLevel *NewestLevel  `json:"waterLevel"`
	Predicted  *float64      `json:"predicted"` // at the newest observed level
	Residual   *float64      `json:"residual"`  // observed - predicted, there
	Readings   []Measurement `json:"readings"`
}

// inConditions are the products of Conditions beside the water level.
var inConditions = []string{"wind", "air_temperature", "water_temperature", "air_pressure"}

// Conditions tells the newest water level, wind, temperatures and pressure of
// a station. A part that could not be had stands in missing; where none could
// it is an error.
func (s *Set) Conditions(ctx context.Context, in ConditionsInput) (Conditions, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	st, z, _, err := m.observing(ctx, in.Station, Span{}, in.TimeZone, day)
	if err != nil {
		return Conditions{}, err
	}
	st = st.Snapshot()
	datum := usualDatum(st)
	var levels WaterLevels
	var levelsErr, weatherErr error
	var found []quantity
	weather := coast.Provenance{}
	together(
		func() {
			newest := WaterLevelsInput{AtStation: AtStation{st.ID}, Interval: "6", Span: Span{Date: "latest"}, OnDatum: OnDatum{datum}, InUnits: in.InUnits, InZone: in.InZone}
			levels, levelsErr = m.waterLevels(ctx, st, z, interval{from: m.now, to: m.now}, newest)
		},
		func() { found, weatherErr = m.newest(ctx, &weather, st, inConditions) },
	)
	out := Conditions{
		Frame:      coast.Frame{Station: card(st), Datum: datum, DatumEpoch: m.epochOf(st), Units: in.Units, TimeZone: z.label, Provenance: m.heights(st)},
		HeightUnit: heightsIn(in.Units).name,
	}
	out.Readings = m.measurements(&weather, found, in.Units, z)
	if levelsErr != nil {
		m.lack(&out.Provenance, gaugeOrigin(st.ID), "water level", levelsErr)
	} else {
		out.WaterLevel, out.Predicted, out.Residual = levels.Newest, levels.Predicted, levels.Residual
		out.DatumEpoch = levels.DatumEpoch
		merge(&out.Provenance, levels.Provenance)
	}
	merge(&out.Provenance, weather)
	return out, nothing([]error{levelsErr, weatherErr})
}

// usualDatum is the level that charts of a station's water are drawn above.
func usualDatum(st stations.Station) string {
	if stations.GreatLakes(st.ID) {
		return "IGLD"
	}
	return "MLLW"
}
