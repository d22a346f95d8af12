package planning

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/stations"
)

// currents finds the nearest current station.
func (d *Inputs) currents(ctx context.Context) {
	o := facts.Origin{ID: decide.CurrentPrediction,
		Label: "Tidal current predictions computed here from NOAA's " +
			"harmonic constants", Provider: coast.COOPS, Kind: coast.Prediction,
		Page: "https://tidesandcurrents.noaa.gov/noaacurrents/Regions"}
	n, err := d.CurrentNear(d.station.Latitude, d.station.Longitude)
	if e, _ := coast.AsError(err); e != nil && e.Code == coast.StationNotFound {
		d.facts.Current.Fact = d.waived(o, e.Message)
		return
	} else if err != nil {
		d.facts.Current.Fact = d.lost(o, err)
		return
	}
	row, sure := d.shallowest(ctx, n.Station)
	row = row.Snapshot()
	predictor, ok := d.Stations.Currents(row)
	if !ok || facts.Unrated(predictor) {
		row, sure = n.Station.Snapshot(), true
		predictor, _ = d.Stations.Currents(row)
	}
	d.current = &predictor
	source := d.Current(row)
	d.facts.Current = decide.Current{Fact: fact(source), StationID: row.ID,
		Kilometers: facts.Tenths(n.Kilometers), Far: n.Kilometers > facts.CurrentReach}
	flood, ebb, _ := row.Directions()
	d.facts.Current.Flood, d.facts.Current.Ebb = facts.Known(flood), facts.Known(ebb)
	d.aboutCurrent = fmt.Sprintf("The current is the one predicted at %s (%s), %.1f km away.", row.ID,
		row.Name, n.Kilometers)
	if d.facts.Current.Far {
		d.aboutCurrent = fmt.Sprintf("%.0f km away: another channel. %s It raises reasons and is "+
			"not a highlight.", n.Kilometers, d.aboutCurrent)
	}
	if !sure {
		d.aboutCurrent += " It is for the bin that NOAA predicts by default: whether there is a " +
			"shallower one could not be determined."
	}
}

// shallowest returns the row of a current station's shallowest predicted bin, because boats are
// in that layer. If the bins or their constants are not available, it returns the bin that NOAA
// predicts by default, which can be deeper: then sure is false, and a note says so.
func (d *Inputs) shallowest(
	ctx context.Context, st stations.Station,
) (row stations.Station, sure bool) {
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

// flood finds the level at which minor flooding begins: the weather service's level if it is
// published, else the Ocean Service's. If it is unknown which levels are published, the derived
// level still raises reasons.
func (d *Inputs) flood(ctx context.Context) {
	o := facts.Origin{ID: decide.FloodThresholds, Label: "Level at which minor flooding begins",
		Provider: coast.COOPS,
		Kind:     coast.Calculation, Page: facts.StationPage(d.station.ID)}
	zero, ok := d.station.Level(decide.ChartDatum)
	if !ok {
		d.facts.Flood.Fact = d.waived(o,
			"the station has no datums of its own, and so no level at which flooding begins")
		return
	}
	live, err := d.Water.FloodLevels(ctx, d.station.ID)
	published, refused := facts.PublishedFloods(d.station, live.Data)
	for _, r := range refused {
		d.aboutFlood = append(d.aboutFlood, fmt.Sprintf("Not used: %s. %s.", r.Input, r.Reason))
	}
	above := func(stnd float64) *float64 {
		ft := facts.HeightsIn("english").Of(stnd - zero)
		return &ft
	}
	dated := func(s coast.Source) coast.Source {
		s.DatumEpoch = d.Epoch(d.station)
		return s
	}
	derived, has := facts.DerivedFlood(d.station, "minor")
	e, _ := coast.AsError(err)
	switch {
	case err == nil && minorOf(published) != nil:
		minor := minorOf(published)
		d.facts.Flood = decide.Flood{Fact: fact(dated(d.Document(o, live.ReceivedAt))),
			Name: minor.Authority + " minor", Level: above(minor.AboveSTND)}
	case err != nil && e.Code != coast.ProductUnavailable && e.Code != coast.StationNotFound:
		d.facts.Flood.Fact = d.lost(o, err)
	case has:
		d.facts.Flood.Fact = fact(d.Derived(d.station, o.ID, o.Label+", derived from the great "+
			"diurnal range (NOS CO-OPS 086)", o.Page))
	default:
		d.facts.Flood.Fact = d.waived(o, "NOAA publishes no level of minor flooding for the station, "+
			"and it has no great diurnal range to derive one from")
	}
	if d.facts.Flood.Level == nil && has {
		d.facts.Flood.Name, d.facts.Flood.Level, d.facts.Flood.Derived = "NOS minor, derived",
			above(derived), true
	}
	d.doubtFlood(published, refused, above)
}

// doubtFlood marks the flood level as missing if a published level of minor flooding was
// refused, or if more severe flooding is published as beginning below it. The remaining level
// still raises reasons, and no value is reported as below it.
func (d *Inputs) doubtFlood(
	published []facts.PublishedFlood, refused []coast.Missing, above func(float64) *float64,
) {
	f := &d.facts.Flood
	for _, r := range refused {
		if r.Input == facts.FloodInput("NWS", "minor") || r.Input == facts.FloodInput("NOS", "minor") {
			f.None = "a level that NOAA publishes was refused: " + r.Reason
			f.Waived = "" // there is a level, though an unknown one
		}
	}
	for _, p := range published {
		if level := above(p.AboveSTND); minorOf(published) == nil && p.Severity != "action" &&
			f.Level != nil && *level < *f.Level {
			f.Name, f.Level = p.Authority+" "+p.Severity, level
			f.None = fmt.Sprintf("the level of minor flooding is not published, and %s flooding begins "+
				"below the derived one", p.Severity)
		}
	}
}

// minorOf returns the published level at which minor flooding begins, nil if there is none. It
// prefers the weather service's level to the Ocean Service's.
func minorOf(published []facts.PublishedFlood) *facts.PublishedFlood {
	for _, f := range slices.Backward(published) {
		if f.Severity == "minor" {
			return &f
		}
	}
	return nil
}

// level requests the newest level of the station's own gauge.
func (d *Inputs) level(ctx context.Context) {
	o := facts.GaugeOrigin(d.station.ID)
	if d.onLake() {
		d.facts.Level.Fact = d.waived(o, noTides)
		return
	}
	if kinds, known := d.station.Observes("waterlevels"); known && len(kinds) == 0 {
		d.facts.Level.Fact = d.waived(o, "the station has no gauge")
		if d.Activity == decide.CoastalLiving {
			d.nearGauge(ctx)
		}
		return
	}
	got, err := d.newestLevel(ctx, d.station, d.datum)
	if err == nil && !got.Any() {
		err = coast.Errorf(coast.ProductUnavailable, "NOAA has rows of the gauge but no value in them")
	}
	if err != nil {
		d.facts.Level.Fact = noneExists(d.lost(o, err), err)
		return
	}
	// With a doubtful newest level, the one before it still raises its reasons.
	d.facts.Level.Fact = fact(got.Source)
	d.facts.Level.None = got.Doubt()
	if got.Newest != nil {
		feet := facts.HeightsIn("english")
		d.facts.Level.Time = got.Newest.Time.In(d.Zone.Location)
		d.facts.Level.Height = feet.Known(got.Newest.Height)
		d.facts.Level.Residual = feet.Known(got.Residual)
	}
}

// newestLevel requests the newest level of a gauge with the residual. At the station of the
// decision, both use the datums of its predictions.
func (d *Inputs) newestLevel(
	ctx context.Context, st stations.Station, datum string,
) (facts.Levels, error) {
	got, err := d.Levels(ctx, st, d.Zone, facts.Interval{From: d.Now, To: d.Now}, datum, "6")
	if reported(got.Newest != nil, err) {
		return got, err
	}
	return d.Levels(ctx, st, d.Zone,
		facts.Interval{From: d.Now.Add(-hoursBack * time.Hour), To: d.Now},
		datum, "6")
}

// nearGauge adds the nearest gauge, as information.
func (d *Inputs) nearGauge(ctx context.Context) {
	near := d.Stations.Nearest(d.station.Latitude, d.station.Longitude, 1,
		func(st stations.Station) bool {
			kinds, _ := st.Observes("waterlevels")
			_, bin := st.Bin()
			return bin == 0 && st.HasConstants() && len(kinds) > 0
		})
	if len(near) == 0 || near[0].Kilometers > maxGaugeKilometers {
		return
	}
	st := near[0].Station
	got, err := d.newestLevel(ctx, st, decide.ChartDatum)
	if err == nil && got.Any() && got.Doubt() != "" {
		d.aboutGauge = fmt.Sprintf("Not used: the nearest gauge, %s (%s), %.1f km away. %s.",
			st.Name, st.ID, near[0].Kilometers, got.Doubt())
		return
	}
	if err != nil || got.Newest == nil || got.Residual == nil {
		d.aboutGauge = fmt.Sprintf("The nearest gauge, %s (%s), %.1f km away, could not be read.",
			st.Name, st.ID, near[0].Kilometers)
		return
	}
	source := got.Source
	source.ID, source.Label = "nearby-water-level", "Observed water level of the nearest gauge, "+st.ID
	d.facts.Gauge = &decide.Gauge{Source: source, StationID: st.ID, Name: st.Name,
		Kilometers: facts.Tenths(near[0].Kilometers), Time: got.Newest.Time.In(d.Zone.Location),
		Residual: facts.HeightsIn("english").Of(*got.Residual)}
}

// thermometer returns the station whose sensor gives the temperature of the water: the station
// itself, else the nearest within reach, with its distance. ok is false if the list of sensors
// shows that there is none.
func (d *Inputs) thermometer() (near stations.Near, ok bool) {
	own := stations.Near{Station: d.station}
	if kinds, known := d.station.Observes("watertemp"); !known || len(kinds) > 0 {
		return own, true
	}
	senses := func(st stations.Station) bool {
		kinds, _ := st.Observes("watertemp")
		_, bin := st.Bin()
		return bin == 0 && len(kinds) > 0
	}
	list := d.Stations.Nearest(d.station.Latitude, d.station.Longitude, 1, senses)
	if len(list) == 0 || list[0].Kilometers > maxGaugeKilometers {
		return own, false
	}
	return list[0], true
}

// waterTemperature requests the temperature of the water.
func (d *Inputs) waterTemperature(ctx context.Context) {
	const product = "water_temperature"
	near, ok := d.thermometer()
	st := near.Station
	o := facts.Origin{ID: decide.WaterTemperature, Label: "Observed water temperature",
		Provider: coast.COOPS, Kind: coast.Observation,
		Page: "https://tidesandcurrents.noaa.gov/met.html?id=" + st.ID}
	if !ok {
		why := fmt.Sprintf("no thermometer in the water lies within %d km", maxGaugeKilometers)
		d.facts.Water.Fact = d.waived(o, why)
		return
	}
	if st.ID != d.station.ID {
		o.Label += " at " + st.ID
		d.facts.Water.StationID = st.ID
		d.aboutWater = fmt.Sprintf("The water temperature is that of %s (%s), %.1f km away.",
			st.Name, st.ID, near.Kilometers)
	}
	span := facts.Interval{From: d.Now, To: d.Now}
	got, err := d.Readings(ctx, st, product, false, span)
	newest, has := got.Quantities[0].Newest()
	if !reported(has, err) {
		span.From = d.Now.Add(-hoursBack * time.Hour)
		got, err = d.Readings(ctx, st, product, false, span)
		newest, has = got.Quantities[0].Newest()
	}
	doubted, doubtful := got.Quantities[0].Doubted()
	if err == nil && !has && !doubtful {
		err = coast.Errorf(coast.ProductUnavailable,
			"NOAA has rows of the sensor but no value in them")
	}
	if err != nil {
		d.facts.Water.Fact = noneExists(d.lost(o, err), err)
		return
	}
	d.facts.Water.Fact = fact(d.Observation(o, facts.SlowLifetime, got.Newest, span, false,
		got.Received))
	if doubtful {
		d.facts.Water.None = facts.Doubt(doubted.Flags)
	}
	if has {
		degrees := facts.MeasuredIn(product, "english").Of(*newest.Value)
		d.facts.Water.Time, d.facts.Water.Temperature = newest.Time, &degrees
	}
}
