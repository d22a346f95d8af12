package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/nws"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// This file gathers the facts of decisions. What providers have is asked for
// at once, each fact within its own deadline, and holds for all times that are
// judged together (scene); what is computed is computed for each (at).

// deadlineOfFact is how long a decision waits for one fact.
const deadlineOfFact = 3 * time.Second

// scene is a station's facts, but for those of one time.
type scene struct {
	moment
	station  stations.Station
	zone     zone
	activity decide.Activity
	tides    tide.Tides
	datum    string // that heights are above
	facts    decide.Facts
	current  *tide.Currents // of the station nearby; nil where none is known

	// Words for the notes, of the facts that they are about: each is written
	// by one of those that gather.
	aboutAlerts, aboutGauge, aboutCurrent, aboutWater string
	aboutFlood                                        []string
}

// scene finds a station that decisions can be made about, one with a predicted
// tide, and its zone.
func (m moment) scene(id, activity string) (*scene, error) {
	st, err := m.tideStation(id)
	if err != nil {
		return nil, err
	}
	sc := &scene{moment: m, station: st, activity: decide.Activity(activity), datum: decide.ChartDatum}
	if has := m.Stations.TideDatums(st); len(has) > 0 && !slices.Contains(has, sc.datum) {
		sc.datum = has[0]
	}
	if sc.tides, err = m.tides(st, sc.datum); err != nil {
		return nil, err
	}
	sc.zone, err = m.zones.at(st.Zone, "lst_ldt", m.now)
	return sc, err
}

// gather asks for the facts that the activity uses. None that fails fails it.
func (sc *scene) gather(ctx context.Context) {
	st := sc.station
	sc.facts.Station, sc.facts.Zone = *card(st), sc.zone.Location
	sc.facts.Floor = decide.FloorOf(st.State, st.Latitude, st.Longitude)
	var asks []func()
	for _, f := range []struct {
		id  string
		ask func(context.Context)
	}{
		{decide.WindForecast, sc.grid}, {decide.MarineAlerts, sc.alerts}, {decide.MarineText, sc.text},
		{decide.CurrentPrediction, sc.currents}, {decide.FloodThresholds, sc.flood}, {decide.ObservedLevel, sc.level}, {decide.WaterTemperature, sc.water}, {decide.SurfForecast, sc.surf},
	} {
		if decide.Uses(sc.activity, f.id) {
			asks = append(asks, func() {
				ctx, cancel := context.WithTimeout(ctx, deadlineOfFact)
				defer cancel()
				f.ask(ctx)
			})
		}
	}
	together(asks...)
}

// fact, lost and waived are facts that could be had, that could not, and that
// do not apply.
func fact(s coast.Source) decide.Fact { return decide.Fact{Source: s} }

func (m moment) lost(o origin, err error) decide.Fact {
	e, _ := coast.AsError(err)
	return decide.Fact{Source: m.lacking(o), Absent: phrase(e.Message)}
}

func (m moment) waived(o origin, why string) decide.Fact {
	return decide.Fact{Source: m.lacking(o), Waived: why}
}

// phrase is the first sentence of an error's message, to stand within another:
// without its stop, and beginning small unless with a name in capitals.
func phrase(message string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(message, "."), ". ")
	if len(first) > 1 && first[1] >= 'a' && first[1] <= 'z' {
		return strings.ToLower(first[:1]) + first[1:]
	}
	return first
}

// weatherLost is lost, and marks what the weather service lacks because it does
// not cover the station.
func (m moment) weatherLost(o origin, err error) decide.Fact {
	f := m.lost(o, err)
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Code = decide.WeatherNotOffered
	}
	return f
}

// grid asks for the hourly forecast.
func (sc *scene) grid(ctx context.Context) {
	st, o := sc.station, gridOrigin(sc.station.Latitude, sc.station.Longitude)
	point, err := sc.Weather.Point(ctx, st.Latitude, st.Longitude)
	if err != nil {
		sc.facts.Grid.Fact = sc.weatherLost(o, err)
		return
	}
	if point.Data.Grid == "" {
		sc.facts.Grid.Fact = sc.lost(o, coast.Errorf(coast.ProductUnavailable, "the weather service has no hourly grid on open water"))
		return
	}
	grid, err := sc.Weather.Grid(ctx, point.Data.Grid, point.Data.X, point.Data.Y)
	if err != nil {
		sc.facts.Grid.Fact = sc.lost(o, err)
		return
	}
	g := grid.Data
	sc.facts.Grid = decide.Grid{Fact: fact(sc.had(o, gridShelf, &g.Updated, g.Updated, grid.ReceivedAt)), Waves: !g.Layers["waveHeight"].Zero(), Hours: hoursOf(g)}
}

// hoursOf are the hours of a grid, in the units of decisions.
func hoursOf(g nws.Grid) []decide.Hour {
	start := g.From.Truncate(time.Hour)
	c := hourColumns{g, start, max(0, int(g.To.Sub(start)/time.Hour)), "english"}
	wind, gust, from, visibility := c.of("windSpeed", ""), c.of("windGust", ""), c.of("windDirection", ""), c.of("visibility", "m as a distance")
	height, period := c.of("waveHeight", ""), c.of("wavePeriod", "")
	swells, wavesFrom := c.swells(), c.wavesFrom()
	hours := make([]decide.Hour, c.count)
	for i := range hours {
		at := start.Add(time.Duration(i) * time.Hour)
		hours[i] = decide.Hour{From: at, To: at.Add(time.Hour), Wind: wind[i], Gust: gust[i], Direction: from[i], Visibility: visibility[i], Height: height[i], Period: period[i],
			Thunder: coverageOf(g, at, "thunderstorms"), Fog: coverageOf(g, at, "fog"),
			Swells: swells[i], WavesFrom: wavesFrom[i]}
	}
	return hours
}

// coverageOf is how much of a kind of weather the grid has in an hour, in
// percent; nil where it says nothing of the weather.
func coverageOf(g nws.Grid, at time.Time, kind string) *float64 {
	if weatherAt(g, at) == nil {
		return nil
	}
	most := 0.0
	for _, c := range g.WeatherAt(at) {
		if strings.Contains(c.Weather, kind) {
			most = max(most, decide.Coverage(c.Coverage))
		}
	}
	return &most
}

// lookout finds the station's marine zone, nil where none is near.
func (sc *scene) lookout(ctx context.Context) (lookout, error) {
	sp := spot{Place: sky.Place{Latitude: degrees(sc.station.Latitude), Longitude: degrees(sc.station.Longitude)}, zone: sc.zone, station: card(sc.station)}
	point, err := sc.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	if err != nil {
		return lookout{}, err
	}
	water, err := sc.waterAt(ctx, sp, point.Data)
	return lookout{sc.moment, sp, point.Data, water}, err
}

// alerts asks for the alerts at the station's point and in its zones.
func (sc *scene) alerts(ctx context.Context) {
	o := alertsOrigin(sc.station.Latitude, sc.station.Longitude)
	w, err := sc.lookout(ctx)
	if err != nil {
		sc.facts.Alerts.Fact = sc.weatherLost(o, err)
		return
	}
	var out WaterText
	found := w.alerts(ctx, &out)
	if found.err != nil {
		sc.facts.Alerts.Fact = sc.lost(o, found.err)
		return
	}
	sc.facts.Alerts.Fact = fact(*found.source)
	for _, a := range out.Alerts {
		sc.facts.Alerts.List = append(sc.facts.Alerts.List, decide.Alert{Event: a.Event, Severity: a.severity, From: a.Onset, To: firstOf(a.Ends, a.Expires)})
	}
	sc.aboutAlerts = w.reach()
}

// reach says which water the alerts are of.
func (w lookout) reach() string {
	switch {
	case w.water == nil:
		return "No marine zone lies within 10 km: alerts are those for the land."
	case w.water.DistanceKm > 0:
		return fmt.Sprintf("Alerts and text for the water are those of marine zone %s, %g km away.", w.water.ID, w.water.DistanceKm)
	}
	return fmt.Sprintf("Alerts and text for the water are those of marine zone %s.", w.water.ID)
}

// text asks for the coastal waters text.
func (sc *scene) text(ctx context.Context) {
	o := textOrigin("CWF", "")
	w, err := sc.lookout(ctx)
	if err != nil {
		sc.facts.Text.Fact = sc.weatherLost(o, err)
		return
	}
	if w.water == nil {
		sc.facts.Text.Fact = sc.waived(o, "no marine zone lies within 10 km")
		return
	}
	bulletin, err := sc.Weather.BulletinFor(ctx, w.water.ID, w.water.Office)
	if err != nil {
		sc.facts.Text.Fact = sc.lost(o, err)
		return
	}
	b := bulletin.Data
	segment, _ := b.Segment(w.water.ID)
	source := sc.had(textOrigin(b.Product, b.Office), bulletinShelf, &b.Issued, b.Issued, bulletin.ReceivedAt)
	source.Freshness = bulletinFreshness(sc.now, b.Issued, segment.Expires)
	sc.facts.Text = decide.Text{Fact: fact(source), Periods: periodsOf(segment, b.Issued, sc.zone.Location)}
}

// periodsOf are the periods of a text in time, with the largest values of each.
func periodsOf(s nws.Segment, issued time.Time, zone *time.Location) []decide.Period {
	times := s.Times(issued, zone)
	periods := make([]decide.Period, len(times))
	for i, p := range s.Periods {
		periods[i] = decide.Period{From: times[i].From, To: times[i].To, Wind: p.Wind(), Gust: p.Gust(), Seas: p.Seas(), Swells: swellsOf(p)}
	}
	return periods
}

// farFromCurrent is how far a current station may lie to speak for a place
// (ours): currents change from one side of a channel to the other.
const farFromCurrent = 5 // km

// currents finds the current station nearby.
func (sc *scene) currents(ctx context.Context) {
	o := origin{decide.CurrentPrediction, "Tidal current predictions computed here from NOAA's harmonic constants", coast.COOPS, coast.Prediction, "https://tidesandcurrents.noaa.gov/noaacurrents/Regions"}
	near := sc.Stations.Nearest(sc.station.Latitude, sc.station.Longitude, 20, func(st stations.Station) bool {
		_, bin := st.Bin()
		return st.Kind == stations.Current && bin == 0 && (predicts(st) == "currents" || sc.weak(st))
	})
	near = slices.DeleteFunc(near, func(n stations.Near) bool { return n.Kilometers > farFromCurrent })
	switch {
	case len(near) == 0:
		sc.facts.Current.Fact = sc.waived(o, fmt.Sprintf("no station with predicted tidal currents lies within %d km", farFromCurrent))
		return
	case sc.weak(near[0].Station):
		sc.facts.Current.Fact = sc.waived(o, fmt.Sprintf("NOAA calls the current at the nearest station, %s, weak and variable and predicts none, which is not no current", near[0].Station.ID))
		return
	}
	for _, n := range near {
		row, sure := sc.shallowest(ctx, n.Station)
		row = row.Snapshot()
		predictor, ok := sc.Stations.Currents(row)
		if !ok || unrated(predictor) {
			continue
		}
		sc.current = &predictor
		source := sc.currentSource(row)
		sc.facts.Current = decide.Current{Fact: fact(source), StationID: row.ID, Kilometers: tenths(n.Kilometers)}
		flood, ebb, _ := row.Directions()
		sc.facts.Current.Flood, sc.facts.Current.Ebb = known(flood), known(ebb)
		sc.aboutCurrent = fmt.Sprintf("The current is the one predicted at %s (%s), %.1f km away.", row.ID, row.Name, n.Kilometers)
		if !sure {
			sc.aboutCurrent += " It is that of the bin which NOAA predicts by default: whether there is a shallower one could not be had."
		}
		return
	}
	sc.facts.Current.Fact = sc.lost(o, coast.Errorf(coast.ProductUnavailable, "NOAA gives no speeds of one phase at %s, the nearest current station", near[0].Station.ID))
}

// shallowest is the row of a current station's shallowest predicted bin: the
// one that boats are in. Where the bins, or their constants, cannot be had it
// is the one that NOAA predicts by default, which can lie deeper: sure is false
// then, and a note says so.
func (sc *scene) shallowest(ctx context.Context, st stations.Station) (row stations.Station, sure bool) {
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
	row, err := sc.currentBin(ctx, st.ID, &bins[best].Number)
	if err != nil {
		return st, false
	}
	return row, true
}

// flood finds the level at which minor flooding begins: the weather service's
// where it is published, else the Ocean Service's. Where it could not be asked
// which are published, the derived one still raises reasons.
func (sc *scene) flood(ctx context.Context) {
	o := origin{decide.FloodThresholds, "Level at which minor flooding begins", coast.COOPS, coast.Calculation, stationPage(sc.station.ID)}
	zero, ok := level(sc.station, decide.ChartDatum)
	if !ok {
		sc.facts.Flood.Fact = sc.waived(o, "the station has no datums of its own, and so no level at which flooding begins")
		return
	}
	live, err := sc.Water.FloodLevels(ctx, sc.station.ID)
	published, refused := floodsOf(sc.station, live.Data)
	for _, r := range refused {
		sc.aboutFlood = append(sc.aboutFlood, fmt.Sprintf("Not used: %s. %s.", r.Input, r.Reason))
	}
	above := func(stnd float64) *float64 {
		ft := heightsIn("english").of(stnd - zero)
		return &ft
	}
	dated := func(s coast.Source) coast.Source {
		s.DatumEpoch = sc.epochOf(sc.station)
		return s
	}
	derived, has := derivedFlood(sc.station, "minor")
	e, _ := coast.AsError(err)
	switch {
	case err == nil && minorOf(published) != nil:
		minor := minorOf(published)
		sc.facts.Flood = decide.Flood{Fact: fact(dated(sc.document(o, live.ReceivedAt))), Name: minor.authority + " minor", Level: above(minor.aboveSTND)}
	case err != nil && e.Code != coast.ProductUnavailable && e.Code != coast.StationNotFound:
		sc.facts.Flood.Fact = sc.lost(o, err)
	case has:
		sc.facts.Flood.Fact = fact(sc.derived(sc.station, o.id, o.label+", derived from the great diurnal range (NOS CO-OPS 086)", o.page))
	default:
		sc.facts.Flood.Fact = sc.waived(o, "NOAA publishes no level of minor flooding for the station, and it has no great diurnal range to derive one from")
	}
	if sc.facts.Flood.Level == nil && has {
		sc.facts.Flood.Name, sc.facts.Flood.Level, sc.facts.Flood.Derived = "NOS minor, derived", above(derived), true
	}
	sc.doubtFlood(published, refused, above)
}

// doubtFlood marks the flood level as missing if a published level of minor flooding
// was refused, or if flooding that is published as more severe begins below it. The
// level that remains still raises reasons, and nothing is said to be below it.
func (sc *scene) doubtFlood(published []publishedFlood, refused []coast.Missing, above func(float64) *float64) {
	f := &sc.facts.Flood
	for _, r := range refused {
		if r.Input == floodInput("NWS", "minor") || r.Input == floodInput("NOS", "minor") {
			f.None = "a level that NOAA publishes was refused: " + r.Reason
			f.Waived = "" // there is one, whatever it is
		}
	}
	for _, p := range published {
		if level := above(p.aboveSTND); minorOf(published) == nil && p.severity != "action" && f.Level != nil && *level < *f.Level {
			f.Name, f.Level = p.authority+" "+p.severity, level
			f.None = fmt.Sprintf("the level of minor flooding is not published, and %s flooding begins below the derived one", p.severity)
		}
	}
}

// minorOf is the published level at which minor flooding begins, the weather
// service's before the Ocean Service's; nil where there is none.
func minorOf(published []publishedFlood) *publishedFlood {
	for _, f := range slices.Backward(published) {
		if f.severity == "minor" {
			return &f
		}
	}
	return nil
}

// level asks for the newest level of the station's own gauge.
func (sc *scene) level(ctx context.Context) {
	o := gaugeOrigin(sc.station.ID)
	if kinds, known := sc.station.Observes("waterlevels"); known && len(kinds) == 0 {
		sc.facts.Level.Fact = sc.waived(o, "the station has no gauge")
		sc.nearGauge(ctx)
		return
	}
	got, err := sc.newestLevel(ctx, sc.station, sc.datum)
	if err == nil && got.Newest == nil {
		err = coast.Errorf(coast.ProductUnavailable, "NOAA has rows of the gauge but no value in them")
	}
	if err != nil {
		sc.facts.Level.Fact = sc.lost(o, err)
		return
	}
	sc.facts.Level = decide.Level{Fact: fact(sourceOfID(got.Sources, o.id)), Time: got.Newest.Time, Height: &got.Newest.Height, Residual: got.Residual}
}

// hoursBack is how far back the newest value of a sensor is looked for that has
// not reported lately (ours): an observed level says something so long.
const hoursBack = 6

// reported reports whether NOAA had a value among the latest. Those are of
// the last 18 minutes: a sensor that is later than that ages before it is lost.
func reported(has bool, err error) bool {
	e, _ := coast.AsError(err)
	return has || err != nil && e.Code != coast.ProductUnavailable
}

// newestLevel is the newest level of a gauge with the residual. Of the station
// that is decided about both rest on the datums of its predictions.
func (sc *scene) newestLevel(ctx context.Context, st stations.Station, datum string) (WaterLevels, error) {
	in := WaterLevelsInput{AtStation: AtStation{st.ID}, Interval: "6", OnDatum: OnDatum{datum}, InUnits: InUnits{"english"}}
	got, err := sc.waterLevels(ctx, st, sc.zone, interval{from: sc.now, to: sc.now}, in)
	if reported(got.Newest != nil, err) {
		return got, err
	}
	return sc.waterLevels(ctx, st, sc.zone, interval{from: sc.now.Add(-hoursBack * time.Hour), to: sc.now}, in)
}

func sourceOfID(list []coast.Source, id string) coast.Source {
	i := slices.IndexFunc(list, func(s coast.Source) bool { return s.ID == id })
	return list[i] // what WaterLevels answers has it
}

// farFromGauge is how far a gauge may lie to be worth telling of (ours).
const farFromGauge = 25 // km

// nearGauge adds the nearest gauge, as information.
func (sc *scene) nearGauge(ctx context.Context) {
	near := sc.Stations.Nearest(sc.station.Latitude, sc.station.Longitude, 1, func(st stations.Station) bool {
		kinds, _ := st.Observes("waterlevels")
		_, bin := st.Bin()
		return bin == 0 && st.HasConstants() && len(kinds) > 0
	})
	if len(near) == 0 || near[0].Kilometers > farFromGauge {
		return
	}
	st := near[0].Station
	got, err := sc.newestLevel(ctx, st, decide.ChartDatum)
	if err != nil || got.Newest == nil || got.Residual == nil {
		sc.aboutGauge = fmt.Sprintf("The nearest gauge, %s (%s), %.1f km away, could not be read.", st.Name, st.ID, near[0].Kilometers)
		return
	}
	source := sourceOfID(got.Sources, gaugeOrigin(st.ID).id)
	source.ID, source.Label = "nearby-water-level", "Observed water level of the nearest gauge, "+st.ID
	sc.facts.Gauge = &decide.Gauge{Source: source, StationID: st.ID, Name: st.Name, Kilometers: tenths(near[0].Kilometers), Time: got.Newest.Time, Residual: *got.Residual}
}

// The steps of the computed series. They divide the quarter of an hour, in
// which windows are looked for, so that spans begin and end on a step. Between
// two steps the sun moves by less than four degrees.
const (
	stepOfWater = 5 * time.Minute
	stepOfSun   = 15 * time.Minute
)

// at adds what is computed for one time.
func (sc *scene) at(at time.Time, notes []string) *decide.Facts {
	f := sc.facts
	series := func(step time.Duration) decide.Series {
		return decide.Series{Start: at.Add(-decide.Reach), Step: step, Values: make([]float64, 1+int(2*decide.Reach/step))}
	}
	f.Notes = slices.DeleteFunc(slices.Concat(notes, sc.heights(sc.station).Notes, sc.aboutFlood, []string{sc.aboutAlerts, sc.aboutCurrent, sc.aboutGauge, sc.aboutWater, sc.aboutDatum(), sc.aboutZone()}), func(note string) bool { return note == "" })
	f.Tide = sc.tide(series(stepOfWater), at)
	f.Sun = sc.sun(series(stepOfSun), at)
	moon := sky.Moon(at)
	f.Moon = decide.Moon{Fact: fact(sc.calculated(decide.MoonPhase, moonSource.label, moonSource.page)), Phase: moon.Phase, Illumination: moon.Illumination}
	if sc.current != nil {
		sc.addCurrent(&f.Current, series(stepOfWater), at)
	}
	return &f
}

// aboutDatum notes a station whose levels are not those of charts.
func (sc *scene) aboutDatum() string {
	if sc.datum == decide.ChartDatum {
		return ""
	}
	return fmt.Sprintf("The station has no MLLW: heights are above %s, and how low the water falls is not judged.", sc.datum)
}

// aboutZone notes a station whose times NOAA publishes by an offset that the
// clocks there need not keep: a local time asked for is read by it.
func (sc *scene) aboutZone() string {
	if !strings.HasPrefix(sc.station.Zone, "Etc/") {
		return ""
	}
	return fmt.Sprintf("Times here, and the local time asked for, are of %s, the offset by which NOAA publishes this station. The clocks of the place can differ.", sc.now.In(sc.zone.Location).Format("UTC-07:00"))
}

func (sc *scene) tide(heights decide.Series, at time.Time) decide.Tide {
	feet := heightsIn("english")
	sc.tides.Heights(heights.Start, heights.Step, heights.Values)
	feet.convert(heights.Values)
	out := decide.Tide{Fact: fact(sc.tideSource(sc.station)), Datum: sc.datum, DatumEpoch: sc.epochOf(sc.station), Heights: heights}
	for _, e := range sc.tides.Extremes(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		out.Turns = append(out.Turns, decide.Turn{Time: e.Time, High: e.High, Height: feet.of(e.Height)})
	}
	return out
}

func (sc *scene) sun(altitudes decide.Series, at time.Time) decide.Sun {
	place := sky.Place{Latitude: sc.station.Latitude, Longitude: sc.station.Longitude}
	for i := range altitudes.Values {
		t := altitudes.Start.Add(time.Duration(i) * altitudes.Step)
		altitudes.Values[i] = math.Round(sky.SunPosition(place, t).Altitude*100) / 100
	}
	day := sky.Sun(place, at.Add(-decide.Reach), at.Add(decide.Reach))
	return decide.Sun{Fact: fact(sc.calculated(decide.Daylight, sunSource.label, sunSource.page)), Altitudes: altitudes, Rise: day.Sun.Rise, Set: day.Sun.Set}
}

func (sc *scene) addCurrent(c *decide.Current, velocities decide.Series, at time.Time) {
	knots := speedsIn("english")
	sc.current.Velocities(velocities.Start, velocities.Step, velocities.Values)
	knots.convert(velocities.Values)
	c.Velocities = velocities
	for _, e := range sc.current.Events(at.Add(-decide.Reach), at.Add(decide.Reach)) {
		if !e.Min {
			c.Events = append(c.Events, decide.CurrentEvent{Time: e.Time, Phase: string(e.Phase), Speed: knots.of(math.Abs(e.Velocity))})
		}
	}
}
