package facts

import (
	"context"
	"fmt"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
	"math"
	"slices"
	"strings"
	"time"
)

// factTimeout limits how long a decision waits for one fact.
const factTimeout = 3 * time.Second

// Decision holds the facts for decisions about a station. What providers have is requested
// at once, each fact within its own deadline, and holds for all times that are judged
// together (Gather); what is computed is computed for each time (At).
type Decision struct {
	Set
	station  stations.Station
	Zone     Zone
	Activity decide.Activity
	tides    tide.Tides
	datum    string // that heights are above
	facts    decide.Facts
	current  *tide.Currents // of the station nearby; nil if none is known

	// Notes by the fact that they are about: each is written by one of the methods that
	// Gather runs.
	aboutAlerts, aboutGauge, aboutCurrent, aboutWater string
	aboutFlood                                        []string
}

// Decision returns the fact set of a station that decisions can be made about, which is one
// with a predicted tide.
func (s Set) Decision(id, activity string) (*Decision, error) {
	st, err := s.TideStation(id)
	if err != nil {
		return nil, err
	}
	d := &Decision{Set: s, station: st, Activity: decide.Activity(activity), datum: decide.ChartDatum}
	if has := s.Stations.TideDatums(st); len(has) > 0 && !slices.Contains(has, d.datum) {
		d.datum = has[0]
	}
	if d.tides, err = s.Tides(st, d.datum); err != nil {
		return nil, err
	}
	d.Zone, err = s.Zone(st.Zone, "lst_ldt")
	return d, err
}

// Gather requests the facts that the activity uses. Those that fail are marked as missing.
func (d *Decision) Gather(ctx context.Context) {
	st := d.station
	d.facts.Station, d.facts.Zone = *Card(st), d.Zone.Location
	d.facts.Floor = decide.FloorOf(st.State, st.Latitude, st.Longitude)
	var asks []func()
	for _, f := range []struct {
		id  string
		ask func(context.Context)
	}{
		{decide.WindForecast, d.grid}, {decide.MarineAlerts, d.alerts}, {decide.MarineText, d.text},
		{decide.CurrentPrediction, d.currents}, {decide.FloodThresholds, d.flood}, {decide.ObservedLevel, d.level}, {decide.WaterTemperature, d.waterTemperature}, {decide.SurfForecast, d.surf},
	} {
		if decide.Uses(d.Activity, f.id) {
			asks = append(asks, func() {
				ctx, cancel := context.WithTimeout(ctx, factTimeout)
				defer cancel()
				f.ask(ctx)
			})
		}
	}
	Concurrently(asks...)
}

// fact returns a fact that could be obtained.
func fact(s coast.Source) decide.Fact { return decide.Fact{Source: s} }

// lost returns a fact that could not be obtained.
func (c Clock) lost(o Origin, err error) decide.Fact {
	e, _ := coast.AsError(err)
	return decide.Fact{Source: c.unavailable(o), Absent: phrase(e.Message)}
}

// waived returns a fact that does not apply.
func (c Clock) waived(o Origin, why string) decide.Fact {
	return decide.Fact{Source: c.unavailable(o), Waived: why}
}

// noneExists marks a lost fact as one that does not exist if the provider responded that
// it has no value.
func noneExists(f decide.Fact, err error) decide.Fact {
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Absent, f.None = "", f.Absent
	}
	return f
}

// phrase returns the first sentence of an error's message as part of another: without its
// period, and in lower case unless it begins with a name in capitals.
func phrase(message string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(message, "."), ". ")
	if len(first) > 1 && first[1] >= 'a' && first[1] <= 'z' {
		return strings.ToLower(first[:1]) + first[1:]
	}
	return first
}

// weatherLost is lost, and marks what the weather service does not have because it does not
// cover the station.
func (c Clock) weatherLost(o Origin, err error) decide.Fact {
	f := c.lost(o, err)
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Code = decide.WeatherNotOffered
	}
	return f
}

// maxCurrentKilometers limits how far a current station may be to represent a place (ours):
// currents change from one side of a channel to the other.
const maxCurrentKilometers = 5 // km

// currents finds the nearest current station.
func (d *Decision) currents(ctx context.Context) {
	o := Origin{decide.CurrentPrediction, "Tidal current predictions computed here from NOAA's harmonic constants", coast.COOPS, coast.Prediction, "https://tidesandcurrents.noaa.gov/noaacurrents/Regions"}
	near := d.Stations.Nearest(d.station.Latitude, d.station.Longitude, 20, func(st stations.Station) bool {
		_, bin := st.Bin()
		return st.Kind == stations.Current && bin == 0 && (Predicts(st) == "currents" || d.Weak(st))
	})
	near = slices.DeleteFunc(near, func(n stations.Near) bool { return n.Kilometers > maxCurrentKilometers })
	switch {
	case len(near) == 0:
		d.facts.Current.Fact = d.waived(o, fmt.Sprintf("no station with predicted tidal currents lies within %d km", maxCurrentKilometers))
		return
	case d.Weak(near[0].Station):
		d.facts.Current.Fact = d.waived(o, fmt.Sprintf("NOAA calls the current at the nearest station, %s, weak and variable and predicts none, which is not no current", near[0].Station.ID))
		return
	}
	for _, n := range near {
		row, sure := d.shallowest(ctx, n.Station)
		row = row.Snapshot()
		predictor, ok := d.Stations.Currents(row)
		if !ok || Unrated(predictor) {
			continue
		}
		d.current = &predictor
		source := d.Current(row)
		d.facts.Current = decide.Current{Fact: fact(source), StationID: row.ID, Kilometers: Tenths(n.Kilometers)}
		flood, ebb, _ := row.Directions()
		d.facts.Current.Flood, d.facts.Current.Ebb = Known(flood), Known(ebb)
		d.aboutCurrent = fmt.Sprintf("The current is the one predicted at %s (%s), %.1f km away.", row.ID, row.Name, n.Kilometers)
		if !sure {
			d.aboutCurrent += " It is that of the bin which NOAA predicts by default: whether there is a shallower one could not be had."
		}
		return
	}
	d.facts.Current.Fact = d.lost(o, coast.Errorf(coast.ProductUnavailable, "NOAA gives no speeds of one phase at %s, the nearest current station", near[0].Station.ID))
}

// shallowest returns the row of a current station's shallowest predicted bin: the one that
// boats are in. If the bins, or their constants, cannot be had it is the one that NOAA
// predicts by default, which can be deeper: then sure is false, and a note says so.
func (d *Decision) shallowest(ctx context.Context, st stations.Station) (row stations.Station, sure bool) {
	bins, known := st.DepthBins()
	best := -1
	for i, b := range bins {
		if b.Predicted && b.Depth != nil && (best < 0 || *b.Depth < *bins[best].Depth) {
			best = i
		}
	}
	if best < 0 || bins[best].Default {
		return st, known
	}
	row, err := d.CurrentBin(ctx, st.ID, &bins[best].Number)
	if err != nil {
		return st, false
	}
	return row, true
}

// flood finds the level at which minor flooding begins: the weather service's if it is
// published, else the Ocean Service's. If it is unknown which are published, the derived
// one still raises reasons.
func (d *Decision) flood(ctx context.Context) {
	o := Origin{decide.FloodThresholds, "Level at which minor flooding begins", coast.COOPS, coast.Calculation, StationPage(d.station.ID)}
	zero, ok := LevelOf(d.station, decide.ChartDatum)
	if !ok {
		d.facts.Flood.Fact = d.waived(o, "the station has no datums of its own, and so no level at which flooding begins")
		return
	}
	live, err := d.Water.FloodLevels(ctx, d.station.ID)
	published, refused := PublishedFloods(d.station, live.Data)
	for _, r := range refused {
		d.aboutFlood = append(d.aboutFlood, fmt.Sprintf("Not used: %s. %s.", r.Input, r.Reason))
	}
	above := func(stnd float64) *float64 {
		ft := HeightsIn("english").Of(stnd - zero)
		return &ft
	}
	dated := func(s coast.Source) coast.Source {
		s.DatumEpoch = d.Epoch(d.station)
		return s
	}
	derived, has := DerivedFlood(d.station, "minor")
	e, _ := coast.AsError(err)
	switch {
	case err == nil && minorOf(published) != nil:
		minor := minorOf(published)
		d.facts.Flood = decide.Flood{Fact: fact(dated(d.Document(o, live.ReceivedAt))), Name: minor.Authority + " minor", Level: above(minor.AboveSTND)}
	case err != nil && e.Code != coast.ProductUnavailable && e.Code != coast.StationNotFound:
		d.facts.Flood.Fact = d.lost(o, err)
	case has:
		d.facts.Flood.Fact = fact(d.Derived(d.station, o.ID, o.Label+", derived from the great diurnal range (NOS CO-OPS 086)", o.Page))
	default:
		d.facts.Flood.Fact = d.waived(o, "NOAA publishes no level of minor flooding for the station, and it has no great diurnal range to derive one from")
	}
	if d.facts.Flood.Level == nil && has {
		d.facts.Flood.Name, d.facts.Flood.Level, d.facts.Flood.Derived = "NOS minor, derived", above(derived), true
	}
	d.doubtFlood(published, refused, above)
}

// doubtFlood marks the flood level as missing if a published level of minor flooding
// was refused, or if flooding that is published as more severe begins below it. The
// level that remains still raises reasons, and nothing is said to be below it.
func (d *Decision) doubtFlood(published []PublishedFlood, refused []coast.Missing, above func(float64) *float64) {
	f := &d.facts.Flood
	for _, r := range refused {
		if r.Input == floodInput("NWS", "minor") || r.Input == floodInput("NOS", "minor") {
			f.None = "a level that NOAA publishes was refused: " + r.Reason
			f.Waived = "" // there is one, whatever it is
		}
	}
	for _, p := range published {
		if level := above(p.AboveSTND); minorOf(published) == nil && p.Severity != "action" && f.Level != nil && *level < *f.Level {
			f.Name, f.Level = p.Authority+" "+p.Severity, level
			f.None = fmt.Sprintf("the level of minor flooding is not published, and %s flooding begins below the derived one", p.Severity)
		}
	}
}

// minorOf returns the published level at which minor flooding begins, the weather service's
// before the Ocean Service's; nil if there is none.
func minorOf(published []PublishedFlood) *PublishedFlood {
	for _, f := range slices.Backward(published) {
		if f.Severity == "minor" {
			return &f
		}
	}
	return nil
}

// level requests the newest level of the station's own gauge.
func (d *Decision) level(ctx context.Context) {
	o := GaugeOrigin(d.station.ID)
	if kinds, known := d.station.Observes("waterlevels"); known && len(kinds) == 0 {
		d.facts.Level.Fact = d.waived(o, "the station has no gauge")
		d.nearGauge(ctx)
		return
	}
	got, err := d.newestLevel(ctx, d.station, d.datum)
	if err == nil && got.Newest == nil {
		err = coast.Errorf(coast.ProductUnavailable, "NOAA has rows of the gauge but no value in them")
	}
	if err != nil {
		d.facts.Level.Fact = d.lost(o, err)
		return
	}
	feet := HeightsIn("english")
	d.facts.Level = decide.Level{
		Fact: fact(got.Source), Time: got.Newest.Time.In(d.Zone.Location), Height: feet.Known(got.Newest.Height), Residual: feet.Known(got.Residual),
	}
}

// hoursBack limits how old the newest value of a sensor that has not reported lately may be
// (ours): an observed level is informative so long.
const hoursBack = 6

// reported reports whether NOAA had a value among the latest. Those are of the last 18
// minutes: a value of a later sensor is aging before it is lost.
func reported(has bool, err error) bool {
	e, _ := coast.AsError(err)
	return has || err != nil && e.Code != coast.ProductUnavailable
}

// newestLevel requests the newest level of a gauge with the residual. At the station of
// the decision both rest on the datums of its predictions.
func (d *Decision) newestLevel(ctx context.Context, st stations.Station, datum string) (Levels, error) {
	got, err := d.Levels(ctx, st, d.Zone, Interval{From: d.Now, To: d.Now}, datum, "6")
	if reported(got.Newest != nil, err) {
		return got, err
	}
	return d.Levels(ctx, st, d.Zone, Interval{From: d.Now.Add(-hoursBack * time.Hour), To: d.Now}, datum, "6")
}

// maxGaugeKilometers limits how far a gauge may be to be informative (ours).
const maxGaugeKilometers = 25 // km

// nearGauge adds the nearest gauge, as information.
func (d *Decision) nearGauge(ctx context.Context) {
	near := d.Stations.Nearest(d.station.Latitude, d.station.Longitude, 1, func(st stations.Station) bool {
		kinds, _ := st.Observes("waterlevels")
		_, bin := st.Bin()
		return bin == 0 && st.HasConstants() && len(kinds) > 0
	})
	if len(near) == 0 || near[0].Kilometers > maxGaugeKilometers {
		return
	}
	st := near[0].Station
	got, err := d.newestLevel(ctx, st, decide.ChartDatum)
	if err != nil || got.Newest == nil || got.Residual == nil {
		d.aboutGauge = fmt.Sprintf("The nearest gauge, %s (%s), %.1f km away, could not be read.", st.Name, st.ID, near[0].Kilometers)
		return
	}
	source := got.Source
	source.ID, source.Label = "nearby-water-level", "Observed water level of the nearest gauge, "+st.ID
	d.facts.Gauge = &decide.Gauge{Source: source, StationID: st.ID, Name: st.Name, Kilometers: Tenths(near[0].Kilometers), Time: got.Newest.Time.In(d.Zone.Location), Residual: HeightsIn("english").Of(*got.Residual)}
}

// The steps of the computed series. They divide the quarter of an hour, in which windows
// are searched, so that spans begin and end on a step. Between two steps the sun moves by
// less than four degrees.
const (
	stepOfWater = 5 * time.Minute
	stepOfSun   = 15 * time.Minute
)

// At returns the facts with what is computed for one time.
func (d *Decision) At(at time.Time, notes []string) *decide.Facts {
	f := d.facts
	series := func(step time.Duration) decide.Series {
		return decide.Series{Start: at.Add(-decide.Reach), Step: step, Values: make([]float64, 1+int(2*decide.Reach/step))}
	}
	f.Notes = slices.DeleteFunc(slices.Concat(notes, d.Heights(d.station).Notes, d.aboutFlood, []string{d.aboutAlerts, d.aboutCurrent, d.aboutGauge, d.aboutWater, d.aboutDatum(), d.aboutZone()}), func(note string) bool { return note == "" })
	f.Tide = d.tide(series(stepOfWater), at)
	f.Sun = d.sun(series(stepOfSun), at)
	moon := sky.Moon(at)
	f.Moon = decide.Moon{Fact: fact(d.Calculated(decide.MoonPhase, Moon.label, Moon.page)), Phase: moon.Phase, Illumination: moon.Illumination}
	if d.current != nil {
		d.addCurrent(&f.Current, series(stepOfWater), at)
	}
	return &f
}

// aboutDatum returns a note on a station whose levels are not those of charts.
func (d *Decision) aboutDatum() string {
	if d.datum == decide.ChartDatum {
		return ""
	}
	return fmt.Sprintf("The station has no MLLW: heights are above %s, and how low the water falls is not judged.", d.datum)
}

// aboutZone returns a note on a station whose times NOAA publishes by an offset that the
// clocks there need not have: local times of callers are read by it.
func (d *Decision) aboutZone() string {
	if !strings.HasPrefix(d.station.Zone, "Etc/") {
		return ""
	}
	return fmt.Sprintf("Times here, and the local time asked for, are of %s, the offset by which NOAA publishes this station. The clocks of the place can differ.", d.Now.In(d.Zone.Location).Format("UTC-07:00"))
}

func (d *Decision) tide(heights decide.Series, at time.Time) decide.Tide {
	feet := HeightsIn("english")
	d.tides.Heights(heights.Start, heights.Step, heights.Values)
	feet.Convert(heights.Values)
	out := decide.Tide{Fact: fact(d.Tide(d.station)), Datum: d.datum, DatumEpoch: d.Epoch(d.station), Heights: heights}
	for _, e := range d.tides.Extremes(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		out.Turns = append(out.Turns, decide.Turn{Time: e.Time, High: e.High, Height: feet.Of(e.Height)})
	}
	return out
}

func (d *Decision) sun(altitudes decide.Series, at time.Time) decide.Sun {
	place := sky.Place{Latitude: d.station.Latitude, Longitude: d.station.Longitude}
	for i := range altitudes.Values {
		t := altitudes.Start.Add(time.Duration(i) * altitudes.Step)
		altitudes.Values[i] = math.Round(sky.SunPosition(place, t).Altitude*100) / 100
	}
	day := sky.Sun(place, at.Add(-decide.Reach), at.Add(decide.Reach))
	return decide.Sun{Fact: fact(d.Calculated(decide.Daylight, Sun.label, Sun.page)), Altitudes: altitudes, Rise: day.Sun.Rise, Set: day.Sun.Set}
}

func (d *Decision) addCurrent(c *decide.Current, velocities decide.Series, at time.Time) {
	knots := SpeedsIn("english")
	d.current.Velocities(velocities.Start, velocities.Step, velocities.Values)
	knots.Convert(velocities.Values)
	c.Velocities = velocities
	for _, e := range d.current.Events(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		if !e.Min {
			c.Events = append(c.Events, decide.CurrentEvent{Time: e.Time, Phase: string(e.Phase), Speed: knots.Of(math.Abs(e.Velocity))})
		}
	}
}
