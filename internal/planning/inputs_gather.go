package planning

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/sky"
)

// factTimeout limits how long a decision waits for one fact.
const factTimeout = 3 * time.Second

// Gather requests the facts that the activity uses. Those that fail are marked as missing.
func (d *Inputs) Gather(ctx context.Context) {
	d.gather(ctx, func(id string) bool { return decide.Uses(d.Activity, id) })
}

// gather requests the facts whose ids are used.
func (d *Inputs) gather(ctx context.Context, uses func(id string) bool) {
	st := d.station
	d.facts.Station, d.facts.Zone = *facts.Card(st), d.Zone.Location
	d.facts.Floor = decide.FloorOf(st.State, st.Latitude, st.Longitude)
	var asks []func()
	for _, f := range []struct {
		id  string
		ask func(context.Context)
	}{
		{decide.WindForecast, d.grid}, {decide.MarineAlerts, d.alerts}, {decide.MarineText, d.text},
		{decide.CurrentPrediction, d.currents}, {decide.FloodThresholds, d.flood},
		{decide.ObservedLevel, d.level}, {decide.WaterTemperature, d.waterTemperature},
		{decide.SurfForecast, d.surf},
	} {
		if uses(f.id) {
			asks = append(asks, func() {
				ctx, cancel := context.WithTimeout(ctx, factTimeout)
				defer cancel()
				f.ask(ctx)
			})
		}
	}
	facts.Concurrently(asks...)
}

// The steps of the computed series. They divide a quarter of an hour, the step of the window
// search, so that spans begin and end on a step. Between two steps the sun moves by less than
// four degrees.
const (
	stepOfWater = 5 * time.Minute
	stepOfSun   = 15 * time.Minute
)

// At returns the facts, including those that are computed for one time.
func (d *Inputs) At(at time.Time, notes []string) *decide.Facts {
	return d.during(facts.Interval{From: at.Add(-decide.Reach), To: at.Add(decide.Reach)}, at, notes)
}

// Hours returns the facts for the evaluation of the hours of [from, to). The tide before from is
// that of a day and an hour, so that it has the last low water.
func (d *Inputs) Hours(from, to time.Time, notes []string) *decide.Facts {
	const around = facts.Day + time.Hour
	f := d.during(facts.Interval{From: from.Add(-around), To: to.Add(around)}, from, notes)
	for _, i := range sky.When(d.place().Place, from.Add(-around), to.Add(around), sky.Civil) {
		f.Sun.Light = append(f.Sun.Light, coast.Span(i))
	}
	return f
}

// during returns the facts with series over a span, and the moon at a time.
func (d *Inputs) during(span facts.Interval, at time.Time, notes []string) *decide.Facts {
	f := d.facts
	series := func(step time.Duration) decide.Series {
		return decide.Series{Start: span.From, Step: step,
			Values: make([]float64, 1+int(span.To.Sub(span.From)/step))}
	}
	f.Notes = slices.DeleteFunc(slices.Concat(notes, d.Heights(d.station).Notes, d.aboutFlood,
		[]string{d.aboutAlerts, d.aboutCurrent, d.aboutGauge, d.aboutWater, d.aboutDatum()},
	), func(note string) bool { return note == "" })
	f.Tide = d.tide(series(stepOfWater), span)
	f.Sun = d.sun(series(stepOfSun), span)
	moon := sky.Moon(at)
	f.Moon = decide.Moon{Fact: fact(d.Calculated(decide.MoonPhase, facts.Moon.Label, facts.Moon.Page)),
		Phase: moon.Phase, Illumination: moon.Illumination}
	if d.current != nil {
		d.addCurrent(&f.Current, series(stepOfWater), span)
	}
	return &f
}

// aboutDatum returns a note on a station whose levels are not above the chart datum.
func (d *Inputs) aboutDatum() string {
	if d.datum == decide.ChartDatum || d.onLake() {
		return ""
	}
	return fmt.Sprintf("The station has no MLLW: heights are above %s, and how low the water falls "+
		"is not assessed.", d.datum)
}

func (d *Inputs) tide(heights decide.Series, span facts.Interval) decide.Tide {
	if d.onLake() {
		return decide.Tide{Datum: coast.Datum(d.datum), Fact: d.waived(facts.Origin{
			ID: decide.TidePrediction, Label: "Tide predictions", Provider: coast.COOPS,
			Kind: coast.Prediction, Page: facts.StationPage(d.station.ID)}, noTides)}
	}
	feet := facts.HeightsIn("english")
	d.tides.Heights(heights.Start, heights.Step, heights.Values)
	feet.Convert(heights.Values)
	out := decide.Tide{
		Fact: fact(d.Tide(d.station)), Datum: coast.Datum(d.datum), DatumEpoch: d.Epoch(d.station),
		Heights: heights,
	}
	for _, e := range d.tides.Extremes(span.From, span.To) {
		out.Turns = append(out.Turns, decide.Turn{Time: e.Time, High: e.High, Height: feet.Of(e.Height)})
	}
	return out
}

func (d *Inputs) sun(altitudes decide.Series, span facts.Interval) decide.Sun {
	place := d.place().Place
	for i := range altitudes.Values {
		t := altitudes.Start.Add(time.Duration(i) * altitudes.Step)
		altitudes.Values[i] = math.Round(sky.SunPosition(place, t).Altitude*100) / 100
	}
	day := sky.Sun(place, span.From, span.To)
	return decide.Sun{Fact: fact(d.Calculated(decide.Daylight, facts.Sun.Label, facts.Sun.Page)),
		Altitudes: altitudes, Rise: day.Sun.Rise, Set: day.Sun.Set}
}

func (d *Inputs) addCurrent(
	c *decide.Current, velocities decide.Series, span facts.Interval,
) {
	knots := facts.SpeedsIn("english")
	d.current.Velocities(velocities.Start, velocities.Step, velocities.Values)
	knots.Convert(velocities.Values)
	c.Velocities = velocities
	if c.Far {
		return // no highlights from another channel
	}
	for _, e := range d.current.Events(span.From, span.To) {
		if !e.Min {
			c.Events = append(c.Events, decide.CurrentEvent{Time: e.Time, Phase: string(e.Phase),
				Speed: knots.Of(math.Abs(e.Velocity))})
		}
	}
}
