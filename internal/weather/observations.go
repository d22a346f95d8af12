package weather

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
)

// MeteorologicalDataInput requests weather observations.
type MeteorologicalDataInput struct {
	place.StationOrPlace
	Product  string `json:"product" enum:"air_temperature water_temperature wind air_pressure air_gap conductivity visibility humidity salinity all" doc:"One quantity, or all: the newest of each."`
	Interval string `json:"interval" default:"6" enum:"6 h" also:"hourly=h 60=h" doc:"Minutes between values; h: hourly."`
	operation.Span
	operation.InUnits
	operation.InZone
}

// Validate requires either a station or a place. It rejects a span for product all, which
// returns the newest values.
func (in *MeteorologicalDataInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	if in.Product == "all" && in.Given() != "" && in.Given() != "date" {
		return facts.InvalidSpan(
			"product",
			`product all returns the newest value of each; for a span, name one product. Example: `+
				`"product": "wind", "range": 24.`,
		)
	}
	return nil
}

// Measurement is the newest value of one quantity.
type Measurement struct {
	Quantity   string    `json:"quantity" doc:"Measured quantity, such as wind_speed or air_temperature. New ones may appear."`
	Value      float64   `json:"value" doc:"Value in the unit unit."`
	Unit       string    `json:"unit" doc:"Unit of the value. New quantities may have other units."`
	Time       time.Time `json:"time" doc:"Time of the observation."`
	AgeMinutes int       `json:"ageMinutes" doc:"Whole minutes from the observation to this result."`
}

// MeasuredSeries is one quantity at equal time steps; null where NOAA has no value.
type MeasuredSeries struct {
	Quantity    string           `json:"quantity"`
	Unit        string           `json:"unit"`
	Start       time.Time        `json:"start"`
	StepMinutes int              `json:"stepMinutes"`
	Count       int              `json:"count"`
	Values      []*float64       `json:"values"`
	Flagged     []levels.FlagRun `json:"flagged,omitempty"` // values that NOAA flags
	flags       [][]string
}

// MeteorologicalData are weather observations.
type MeteorologicalData struct {
	coast.Frame
	Product string           `json:"product"`
	Newest  []Measurement    `json:"newest"`
	Flagged []FlaggedValue   `json:"flagged,omitempty"` // newest values that NOAA doubts
	Series  []MeasuredSeries `json:"series"`
	place.ForPlace
	operation.Page
	input MeteorologicalDataInput
	now   time.Time

	whole   []MeasuredSeries // the whole span, of which Series may be a part in an answer
	thinned string           // what is shown of a long series
}

// products lists the products that "all" includes.
var products = []string{
	"wind", "air_temperature", "water_temperature", "air_pressure", "humidity", "visibility",
	"air_gap", "conductivity", "salinity",
}

// typesOf maps products to the type of the stations that measure them. All others are measured
// by weather stations, of type met.
var typesOf = map[string]string{
	"water_temperature": "watertemp", "air_gap": "airgap", "visibility": "visibility",
	"conductivity": "cond", "salinity": "cond",
}

// MeteorologicalData returns weather observations at a station. It returns the errors of
// WaterLevels. With product all, unavailable products are listed in missing.
func (s Operations) MeteorologicalData(
	ctx context.Context, in MeteorologicalDataInput,
) (MeteorologicalData, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	kind := cmp.Or(typesOf[in.Product], "met")
	at, err := directory.ResolvePlace(ctx, fs, &in.StationOrPlace, kind, measuring(in.Product),
		place.OfSensors)
	if err != nil {
		return MeteorologicalData{}, err
	}
	st, z, span, err := fs.Observing(ctx, in.Station, in.Span, string(in.TimeZone), facts.Day)
	if err != nil {
		return MeteorologicalData{}, err
	}
	out := MeteorologicalData{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: z.Label, Provenance: fs.Provenance(st),
		},
		Product: in.Product, Newest: []Measurement{}, Series: []MeasuredSeries{}, input: in,
		ForPlace: at.Place, now: fs.Now,
	}
	at.Explain(&out.Provenance)
	out.Notes = append(out.Notes, span.Notes...)
	if in.Product == "all" {
		found, err := fs.NewestReadings(ctx, &out.Provenance, st, products)
		out.Newest = measurements(fs, &out.Provenance, found, in.Units, z)
		out.Flagged = doubted(fs, found, in.Units, z)
		return out, err
	}
	got, err := fs.Readings(ctx, st, in.Product, in.Interval == "h", span)
	if err != nil {
		return MeteorologicalData{}, err
	}
	out.Sources = append(out.Sources, fs.Observation(
		facts.WeatherOrigin(st.ID, in.Product), facts.LifetimeOf(in.Product), got.Newest, span, false,
		got.Received,
	))
	out.Missing = append(out.Missing, facts.Gaps(got.Gaps, z)...)
	out.Newest = measurements(fs, &out.Provenance, got.Quantities, in.Units, z)
	out.Flagged = doubted(fs, got.Quantities, in.Units, z)
	out.Notes = append(out.Notes, out.fill(got.Quantities, span, z)...)
	return out, nil
}

// measuring describes the stations that measure a product.
func measuring(product string) string {
	if product == "all" {
		return "measures the weather"
	}
	return "measures " + facts.Spaced(product)
}

// measurements returns the newest values of the quantities. A quantity without a value, or whose
// newest value NOAA doubts, is listed in missing: a gust that was not reported does not mean calm.
func measurements(
	fs facts.Set, p *coast.Provenance, all []facts.Quantity, units coast.Units, z facts.Zone,
) []Measurement {
	list := []Measurement{}
	for _, q := range all {
		newest, has := q.Newest()
		doubtful, flagged := q.Doubted()
		reason := "NOAA has rows here but no value in them that is plausible"
		if flagged {
			reason = facts.Doubt(doubtful.Flags)
		}
		if !has || flagged {
			p.Missing = append(p.Missing, coast.Missing{Input: facts.Spaced(q.Name), Reason: reason})
		}
		if has {
			list = append(list, measurementOf(fs, q.Name, newest, units, z))
		}
	}
	return list
}

// measurementOf returns a sample, which has a value, as a measurement.
func measurementOf(
	fs facts.Set, quantity string, s facts.Sample, units coast.Units, z facts.Zone,
) Measurement {
	u := facts.MeasuredIn(quantity, units)
	age := max(0, int(fs.Now.Sub(s.Time)/time.Minute))
	return Measurement{quantity, u.Of(*s.Value), u.Name, s.Time.In(z.Location), age}
}

// fill writes the quantities as columns and returns notes.
func (d *MeteorologicalData) fill(
	all []facts.Quantity, span facts.Interval, z facts.Zone,
) []string {
	minutes, over := 6, 0
	if d.input.Interval == "h" {
		minutes = 60
	}
	for _, q := range all {
		u := facts.MeasuredIn(q.Name, d.Units)
		timeOf := func(i int) time.Time { return q.Points[i].Time }
		c := facts.NewColumn(len(q.Points), timeOf, minutes, span)
		series := MeasuredSeries{
			Quantity: q.Name, Unit: u.Name, Start: c.Start.In(z.Location), StepMinutes: c.Step,
			Count: c.Count, Values: make([]*float64, c.Count), flags: make([][]string, c.Count),
		}
		for _, p := range q.Points {
			if at, ok := c.Index(p.Time); ok && p.Value != nil {
				series.Values[at], series.flags[at] = u.Known(p.Value), p.Flags
			}
		}
		series.Flagged = levels.FlagRuns(series.Start, series.StepMinutes, series.flags)
		d.Series, over = append(d.Series, series), c.Over
	}
	if over > 0 {
		return []string{fmt.Sprintf(
			"%d of the provider's rows lie between the steps of the columns and are left out.", over,
		)}
	}
	return nil
}

// Len returns the number of rows.
func (d MeteorologicalData) Len() int {
	if len(d.Series) == 0 {
		return 0
	}
	return d.Series[0].Count
}

// First returns the result with its first n rows, and the arguments of the next page.
func (d MeteorologicalData) First(n int) any {
	s := d.Series[0]
	at := func(i int) time.Time { return operation.At(s.Start, i, s.StepMinutes) }
	d.input.Span = operation.SpanFrom(at(n), coast.Span{From: at(0), To: at(s.Count - 1)})
	d.Page = operation.Page{Truncated: true, Total: s.Count, Next: operation.Arguments(d.input)}
	d.Series = slices.Clone(d.Series)
	for i := range d.Series {
		d.Series[i].Values, d.Series[i].Count = d.Series[i].Values[:n], n
	}
	return d
}

// grid returns the times of the values.
func (s MeasuredSeries) grid() operation.Grid {
	return operation.Grid{Start: s.Start, StepMinutes: s.StepMinutes, Count: s.Count}
}

// Thinned returns the result for an answer: a long one has one value in some hours.
func (d MeteorologicalData) Thinned() any {
	if len(d.Series) == 0 {
		return d
	}
	d.whole = d.Series
	g := d.whole[0].grid()
	shown := g.Thinned(d.whole[0].Values, d.whole[0].flags)
	if shown == nil {
		return d
	}
	d.Series = slices.Clone(d.whole)
	d.thinned = operation.ThinnedLine(shown, g.Count, g.StepMinutes)
	for j := range d.Series {
		s := &d.Series[j]
		whole := *s
		s.Start, s.StepMinutes = g.At(shown[0]), (shown[1]-shown[0])*g.StepMinutes
		s.Count, s.Values, s.flags = len(shown), nil, nil
		for _, i := range shown {
			s.Values, s.flags = append(s.Values, whole.Values[i]), append(s.flags, whole.flags[i])
		}
	}
	return d
}

// extents returns the highest, lowest and mean values of the span.
func (d MeteorologicalData) extents() string {
	text := ""
	for _, s := range d.whole {
		if strings.HasPrefix(s.Unit, "degrees true") {
			continue
		}
		if extent := s.grid().Extent(s.Values, s.flags, render.Short, d.now); extent != "" {
			text = operation.Join("; ", text, facts.Spaced(s.Quantity)+" "+extent)
		}
	}
	return text
}

// Describe writes the newest values and the extents of the span, then the series.
func (d MeteorologicalData) Describe(t *render.Answer) {
	t.Line("%s%s: %s", operation.StationName(d.Station), d.Away(),
		operation.Join("; ", newestValues(d.Newest, d.now), d.extents()))
	if d.thinned != "" {
		t.Line("%s", d.thinned)
	}
	for _, f := range d.Flagged {
		t.Line("Not used: %s at %s.", f.describe(), render.Clock(f.Time, d.now))
	}
	if len(d.Series) == 0 {
		return
	}
	names := make([]string, len(d.Series))
	for i, s := range d.Series {
		names[i] = facts.Spaced(s.Quantity)
		if s.Unit != "1" {
			names[i] += " (" + s.Unit + ")"
		}
	}
	t.Line("Rows: observed %s", strings.Join(names, ", "))
	var columns []string
	for _, name := range names {
		columns = append(columns, name, "flagged")
	}
	t.Days(columns, d.Len(), func(i int) (time.Time, []render.Cell) {
		var cells []render.Cell
		for j, s := range d.Series {
			value := render.Value(s.Values[i], 3)
			if j > 0 {
				value = value.As(", %s")
			}
			cells = append(cells, value, levels.FlagCell(s.flags[i]))
		}
		return operation.At(d.Series[0].Start, i, d.Series[0].StepMinutes), cells
	})
}

// newestValues returns the newest values as a sentence. Values of the same time share one
// mention of it. Values older than an hour (our threshold) have their age.
func newestValues(all []Measurement, now time.Time) string {
	if len(all) == 0 {
		return "no observed value in this span"
	}
	var parts []string
	for i, m := range all {
		text := facts.Spaced(m.Quantity) + " " + m.text()
		if i+1 == len(all) || !all[i+1].Time.Equal(m.Time) {
			text += " at " + render.Clock(m.Time, now)
			if m.AgeMinutes > 60 {
				text += " (" + render.Age(m.AgeMinutes) + ")"
			}
		}
		parts = append(parts, text)
	}
	return "observed " + strings.Join(parts, ", ")
}

// text returns the value with its unit: 6.41 kn, from 246.2°.
func (m Measurement) text() string {
	value := render.Short(m.Value, 3)
	switch m.Unit {
	case "degrees true, from":
		return "from " + value + "° true"
	case "1":
		return value
	}
	return value + " " + m.Unit
}
