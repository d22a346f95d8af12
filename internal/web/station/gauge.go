package station

import (
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/tides"
	"leadline/internal/weather"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// gaugeView holds the readings of a station, and the levels that belong to its heights.
type gaugeView struct {
	Observed   site.Availability
	Level      *levelNow // nil without an observed level
	Wind       *windNow
	Readings   []reading
	Missing    []string // readings that are not there, each with its reason
	Difference *view.Figure
	Unasked    bool   // providers are not asked
	Quiet      string // why there is no chart of the difference
	Floods     site.Availability
	Levels     []floodRow
	DatumsAre  site.Availability
	DatumEpoch string
	Datums     []datumRow
	DatumUnit  string
	DatumZero  string // the datum from which the table counts
}

// levelNow is the newest observed level.
type levelNow struct {
	Height, Unit, Datum, Time, Age, Residual string
	Stale                                    bool
}

// windNow is the newest observed wind.
type windNow struct {
	Speed, Unit, From, Gust, Time, Age string
	Stale                              bool
}

// reading is a row of the newest readings.
type reading struct {
	Name, Value, Age string
	Stale            bool
}

type floodRow struct{ Name, Height, Basis, Margin string }

type datumRow struct{ Name, About, Above string }

// staleAfter is the age, in minutes, from which an observed level is marked as stale, as in
// results.
const staleAfter = 60

// askGauge requests what the station observes, and its datums.
func (b *builder) askGauge(g *site.Gathering) {
	if b.Info.Kind == "current" {
		return
	}
	var conditions site.Outcome[weather.Conditions]
	var datums site.Outcome[directory.StationDatums]
	set := b.site.Set
	if b.live || b.site.Offline { // a part of it is asked
		site.Ask(g, &datums, set.Directory.StationDatums, directory.StationDatumsInput{
			StationOrPlace: b.at(), Epoch: "current",
			InUnits: operation.InUnits{Units: coast.Units(b.Prefs.Units)},
		})
	}
	if b.live {
		site.Ask(g, &conditions, set.Weather.Conditions, weather.ConditionsInput{
			AtStation: operation.AtStation{Station: b.Info.Station.ID},
			InUnits:   operation.InUnits{Units: coast.Units(b.Prefs.Units)},
			InZone:    operation.InZone{TimeZone: b.Prefs.TimeZone()},
		})
	}
	b.add(func() {
		b.layReadings(conditions)
		b.layDatums(datums)
	})
}

// layReadings lays out the newest level, wind and other readings.
func (b *builder) layReadings(a site.Outcome[weather.Conditions]) {
	v := b.v.Gauge
	if !b.live {
		v.Unasked = true
		return
	}
	if v.Observed = b.record(a.Availability); !a.Here() {
		return
	}
	c := a.Result
	b.addProvenance(c.Provenance)
	if state, ok := site.Transient(c.Provenance, weatherInputs(c.Provenance)...); ok &&
		len(c.Readings) == 0 {
		v.Observed = b.record(state) // a request that failed is not a station without readings
	}
	sameDatum := b.v.Tide == nil || b.v.Tide.Datum == string(c.Datum)
	if v.Level == nil && sameDatum { // the chart has no observed levels
		v.Level = presentLevel(b.Prefs, c.WaterLevel, c.Residual, string(c.HeightUnit), string(c.Datum))
	}
	values := map[string]weather.Measurement{}
	for _, m := range c.Readings {
		values[m.Quantity] = m
		v.Readings = append(v.Readings, reading{
			Name: view.Capital(view.Spaced(m.Quantity)), Value: measured(m), Age: view.Ago(m.AgeMinutes),
			Stale: isStale(c.Provenance, m.Quantity),
		})
	}
	if v.Wind = presentWind(b.Prefs, values); v.Wind != nil {
		v.Wind.Stale = isStale(c.Provenance, "wind")
	}
	for _, f := range c.Flagged {
		v.Readings = append(v.Readings, reading{
			Name: view.Capital(view.Spaced(f.Quantity)) + " (flagged by NOAA: " +
				strings.Join(f.Flags, ", ") + ")",
			Value: measured(f.Measurement), Age: view.Ago(f.AgeMinutes),
		})
	}
	for _, m := range c.Missing {
		v.Missing = append(v.Missing, view.Capital(view.Spaced(m.Input))+": "+m.Reason)
	}
}

// isStale reports whether the source of a quantity is stale, by the measure of its product.
func isStale(p coast.Provenance, quantity string) bool {
	id := "observed-" + strings.ReplaceAll(quantity, "_", "-")
	return slices.ContainsFunc(p.Sources, func(s coast.Source) bool {
		return s.Freshness == coast.Stale && strings.HasPrefix(id, s.ID)
	})
}

// weatherInputs lists the inputs of conditions that are missing, without the level.
func weatherInputs(p coast.Provenance) []string {
	var inputs []string
	for _, m := range p.Missing {
		if m.Input != "water level" {
			inputs = append(inputs, m.Input)
		}
	}
	return inputs
}

// presentLevel returns an observed level in words, nil without one.
func presentLevel(
	p *view.Prefs, l *levels.NewestLevel, difference *float64, unit, datum string,
) *levelNow {
	if l == nil {
		return nil
	}
	minutes := int(p.Now.Sub(l.Time) / time.Minute)
	v := &levelNow{
		Height: chart.Number(l.Height, chart.Decimals(unit)), Unit: unit, Datum: datum,
		Time: p.When(l.Time), Age: view.Ago(minutes), Stale: minutes > staleAfter,
	}
	if difference != nil {
		v.Residual = residual(*difference, unit)
	}
	return v
}

// residual compares an observed with a predicted height in words.
func residual(r float64, unit string) string {
	text := chart.Number(math.Abs(r), chart.Decimals(unit))
	switch {
	case text == chart.Number(0, chart.Decimals(unit)):
		return "as predicted for that time"
	case r > 0:
		return text + view.Nbsp + unit + " above the prediction for that time"
	}
	return text + view.Nbsp + unit + " below the prediction for that time"
}

func presentWind(p *view.Prefs, values map[string]weather.Measurement) *windNow {
	speed, ok := values["wind_speed"]
	if !ok {
		return nil
	}
	v := &windNow{
		Speed: chart.Number(speed.Value, 0), Unit: speed.Unit, Time: p.When(speed.Time),
		Age: view.Ago(speed.AgeMinutes),
	}
	if from, ok := values["wind_direction"]; ok && from.Time.Equal(speed.Time) {
		v.From = operation.Compass(from.Value)
	}
	if gust, ok := values["wind_gust"]; ok && gust.Time.Equal(speed.Time) {
		v.Gust = chart.Number(gust.Value, 0) + view.Nbsp + gust.Unit
	}
	return v
}

// measured writes a reading as its source does.
func measured(m weather.Measurement) string {
	switch m.Unit {
	case "degrees true, from":
		return "from " + chart.Number(m.Value, 0) + "° " + operation.Compass(m.Value)
	case "F", "C":
		return chart.Number(m.Value, 1) + view.Nbsp + "°" + m.Unit
	}
	return chart.Number(m.Value, 1) + view.Nbsp + m.Unit
}

// layDatums lays out the datums of the station.
func (b *builder) layDatums(a site.Outcome[directory.StationDatums]) {
	v := b.v.Gauge
	v.DatumsAre = a.Availability
	if b.record(a.Availability); !a.Here() {
		return
	}
	d := a.Result
	b.addProvenance(d.Provenance)
	v.DatumUnit, v.DatumZero, v.DatumEpoch = d.HeightUnit, "MLLW", d.DatumEpoch
	if len(d.Datums) > 0 && d.Datums[0].AboveMLLW == nil {
		v.DatumZero = "STND" // the station has no MLLW
	}
	for _, level := range d.Datums {
		above := level.AboveSTND
		if level.AboveMLLW != nil {
			above = *level.AboveMLLW
		}
		v.Datums = append(v.Datums, datumRow{level.Name, level.Description, chart.Number(above, 2)})
	}
}

// layDifference draws observed minus predicted heights if they ever differ by much.
func (b *builder) layDifference(c chart.Tide) {
	least := map[string]float64{"ft": 0.3, "m": 0.1}[c.Unit]
	most, from, to, ok := c.LargestDifference()
	if !ok {
		return // nothing was compared
	}
	if math.Abs(most) <= least {
		b.v.Gauge.Quiet = "From " + b.Prefs.When(from) + " to " + b.Prefs.When(to) +
			", the observed level stayed within " +
			chart.Number(least, 1) + view.Nbsp + c.Unit + " of the prediction."
		return
	}
	b.v.Gauge.Difference = view.Draw("difference",
		c.DrawDifference(chart.Strip), c.DrawDifference(chart.StripNarrow))
}

// layFloods compares the flood levels with the highest prediction of the week.
func (b *builder) layFloods(
	a site.Outcome[directory.StationFloodLevels], week tides.TidePredictions,
) {
	v := b.v.Gauge
	v.Floods = a.Availability
	if !a.Here() {
		return
	}
	highest := math.Inf(-1)
	for _, e := range week.Extremes {
		highest = math.Max(highest, e.Height)
	}
	levels := slices.DeleteFunc(slices.Clone(a.Result.Levels), func(l directory.FloodLevel) bool {
		return l.Level == "action"
	})
	for _, l := range levels {
		row := floodRow{
			Name: view.Capital(string(l.Level)), Height: chart.Number(l.Height,
				chart.Decimals(a.Result.HeightUnit)),
			Basis: string(l.Authority) + ", " + string(l.Basis),
		}
		if !math.IsInf(highest, 0) && l.Datum == week.Datum {
			row.Margin = residualTo(highest-l.Height, a.Result.HeightUnit)
		}
		v.Levels = append(v.Levels, row)
	}
}

// residualTo describes how far a height is from a level.
func residualTo(above float64, unit string) string {
	text := chart.Number(math.Abs(above), chart.Decimals(unit)) + view.Nbsp + unit
	if above >= 0 {
		return text + " above it"
	}
	return text + " below it"
}
