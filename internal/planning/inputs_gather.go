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
		if decide.Uses(d.Activity, f.id) {
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
	f := d.facts
	series := func(step time.Duration) decide.Series {
		return decide.Series{Start: at.Add(-decide.Reach), Step: step,
			Values: make([]float64, 1+int(2*decide.Reach/step))}
	}
	f.Notes = slices.DeleteFunc(slices.Concat(notes, d.Heights(d.station).Notes, d.aboutFlood,
		[]string{d.aboutAlerts, d.aboutCurrent, d.aboutGauge, d.aboutWater, d.aboutDatum()},
	), func(note string) bool { return note == "" })
	f.Tide = d.tide(series(stepOfWater), at)
	f.Sun = d.sun(series(stepOfSun), at)
	moon := sky.Moon(at)
	f.Moon = decide.Moon{Fact: fact(d.Calculated(decide.MoonPhase, facts.Moon.Label, facts.Moon.Page)),
		Phase: moon.Phase, Illumination: moon.Illumination}
	if d.current != nil {
		d.addCurrent(&f.Current, series(stepOfWater), at)
	}
	return &f
}

// aboutDatum returns a note on a station whose levels are not above the chart datum.
func (d *Inputs) aboutDatum() string {
	if d.datum == decide.ChartDatum {
		return ""
	}
	return fmt.Sprintf("The station has no MLLW: heights are above %s, and how low the water falls "+
		"is not assessed.", d.datum)
}

func (d *Inputs) tide(heights decide.Series, at time.Time) decide.Tide {
	feet := facts.HeightsIn("english")
	d.tides.Heights(heights.Start, heights.Step, heights.Values)
	feet.Convert(heights.Values)
	out := decide.Tide{
		Fact: fact(d.Tide(d.station)), Datum: coast.Datum(d.datum), DatumEpoch: d.Epoch(d.station),
		Heights: heights,
	}
	for _, e := range d.tides.Extremes(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		out.Turns = append(out.Turns, decide.Turn{Time: e.Time, High: e.High, Height: feet.Of(e.Height)})
	}
	return out
}

func (d *Inputs) sun(altitudes decide.Series, at time.Time) decide.Sun {
	place := d.place().Place
	for i := range altitudes.Values {
		t := altitudes.Start.Add(time.Duration(i) * altitudes.Step)
		altitudes.Values[i] = math.Round(sky.SunPosition(place, t).Altitude*100) / 100
	}
	day := sky.Sun(place, at.Add(-decide.Reach), at.Add(decide.Reach))
	return decide.Sun{Fact: fact(d.Calculated(decide.Daylight, facts.Sun.Label, facts.Sun.Page)),
		Altitudes: altitudes, Rise: day.Sun.Rise, Set: day.Sun.Set}
}

func (d *Inputs) addCurrent(c *decide.Current, velocities decide.Series, at time.Time) {
	knots := facts.SpeedsIn("english")
	d.current.Velocities(velocities.Start, velocities.Step, velocities.Values)
	knots.Convert(velocities.Values)
	c.Velocities = velocities
	if c.Far {
		return // no highlights from another channel
	}
	for _, e := range d.current.Events(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		if !e.Min {
			c.Events = append(c.Events, decide.CurrentEvent{Time: e.Time, Phase: string(e.Phase),
				Speed: knots.Of(math.Abs(e.Velocity))})
		}
	}
}
