package tools

import (
	"context"
	"fmt"
	"math"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// CurrentHours are columns of the predicted current at a station, one value for each hour of
// a forecast.
type CurrentHours struct {
	Station       *coast.Station `json:"station"`
	SpeedUnit     string         `json:"speedUnit"`
	DirectionUnit string         `json:"directionUnit"` // degrees true, toward
	Phases        []string       `json:"phases"`        // flood, ebb, or slack below 0.1 kn
	Speeds        []float64      `json:"speeds"`
	Directions    []*float64     `json:"directions"` // null at slack, and where NOAA gives none
	// WindAgainstCurrent is the worst of each hour: none, watch (from 10 kn of wind and 1 kn
	// of current, within 60 degrees of opposed) or action; null if the wind or a direction is
	// not known.
	WindAgainstCurrent []*string `json:"windAgainstCurrent"`
}

// currentOf adds the predicted current at a station to a forecast.
func (f *WindForecast) currentOf(
	ctx context.Context, fs facts.Set, at facts.Place, in WindForecastInput,
) error {
	st, err := fs.CurrentBin(ctx, in.CurrentStation, nil)
	if err != nil {
		return err
	}
	st = st.Snapshot()
	currents, ok := fs.Stations.Currents(st)
	if !ok || facts.Unrated(currents) {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no predicted speeds: give another "+
			"current_station, or leave it out.", st.ID, st.Name)
	}
	facts.Merge(&f.Provenance, fs.Predictions(st, fs.Current(st)))
	if st.Subordinate() {
		f.Notes = append(f.Notes, "The current between its events is interpolated by Leadline, not "+
			"published by NOAA: "+st.ID+" is subordinate to "+st.Reference+".")
	}
	inKnots := f.GridForecast
	if in.Units != "english" { // of the cached grid, so that results do not depend on rounding
		inKnots, err = fs.GridForecast(ctx, new(coast.Provenance), at, in.Hours, "english")
	}
	if err == nil {
		f.Current = currentHours(st, currents, inKnots.Hours, in.Units)
	}
	return err
}

// currentHours computes the columns for the hours of a forecast in knots.
func currentHours(
	st stations.Station, currents tide.Currents, h facts.ForecastHours, units string,
) *CurrentHours {
	directions, speed := directionsOf(st), facts.SpeedsIn(units)
	c := &CurrentHours{
		Station: facts.Card(st), SpeedUnit: speed.Name, DirectionUnit: towards,
		Phases: make([]string, h.Count), Speeds: make([]float64, h.Count),
		Directions: make([]*float64, h.Count), WindAgainstCurrent: make([]*string, h.Count),
	}
	for i := range h.Count {
		var within [7]float64 // velocities of the hour, both ends included
		currents.Velocities(At(h.Start, i, h.StepMinutes), 10*time.Minute, within[:])
		c.Phases[i], c.Speeds[i] = phaseOf(within[0]), speed.Of(math.Abs(within[0]))
		c.Directions[i] = toward(within[0], directions)
		if h.Speeds[i] != nil && h.Directions[i] != nil {
			c.WindAgainstCurrent[i] = worstAgainst(*h.Speeds[i], *h.Directions[i], within[:], directions)
		}
	}
	return c
}

// toward returns the direction of flow at a velocity, nil if the current is too weak to
// have one.
func toward(velocity float64, d Directions) *float64 {
	switch {
	case math.Abs(velocity) < tide.Weak:
		return nil
	case velocity < 0:
		return d.Ebb
	}
	return d.Flood
}

// worstAgainst returns the worst severity of a wind against the velocities of an hour, nil
// if the direction of one that matters is not known.
func worstAgainst(wind, from float64, velocities []float64, d Directions) *string {
	worst := "none"
	for _, v := range velocities {
		set := toward(v, d)
		switch {
		case set == nil && math.Abs(v) < tide.Weak:
			continue
		case set == nil:
			return nil
		}
		severity := decide.WindAgainstCurrent(wind, from, math.Abs(v), *set)
		if severity == decide.Action || severity == decide.Watch && worst == "none" {
			worst = string(severity)
		}
	}
	return &worst
}

// cells returns the current of an hour, to follow its wind.
func (c *CurrentHours) cells(i int) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("; %s", c.Phases[i])
	if c.Phases[i] != string(tide.Slack) {
		text += " " + speedOf(&c.Speeds[i], c.SpeedUnit)
	}
	if w := c.WindAgainstCurrent[i]; w != nil && *w != "none" {
		text += ", wind against current: " + *w
	}
	return text
}
