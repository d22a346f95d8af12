package tools

import (
	"context"
	"math"
	"time"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// CurrentPredictionsInput asks for the predicted tidal current at one station.
type CurrentPredictionsInput struct {
	AtStation
	Bin      *int   `json:"bin,omitempty" doc:"Depth bin; the station's predicted bin where left out." min:"0" max:"200" example:"1"`
	Interval string `json:"interval" default:"max_slack" enum:"max_slack h 1 6 10 30 60" doc:"max_slack: floods, ebbs and slacks; else a velocity series by hour (h) or minutes."`
	VelType  string `json:"vel_type" default:"default" enum:"default speed_dir" doc:"default: along the main axis. speed_dir needs the minor axis, which is not embedded."`
	Span
	InUnits
	InZone
}

// CurrentEvent is a predicted flood, ebb or slack.
type CurrentEvent struct {
	Time      time.Time `json:"time"`           // the minute that NOAA publishes
	Type      string    `json:"type"`           // flood, ebb, slack
	Peak      string    `json:"peak,omitempty"` // max, or min: a relaxation that NOAA lists as a second flood or ebb
	Next      string    `json:"next,omitempty"` // flood or ebb, what follows a slack
	Speed     float64   `json:"speed"`
	Direction *float64  `json:"direction"` // degrees true, toward; null below 0.1 kn
	// SlackWindow is, at a slack, while the speed stays below 0.5 kn.
	SlackWindow *SlackWindow `json:"slackWindow,omitempty"`
}

// SlackWindow is the time around a slack in which the current is weak.
type SlackWindow struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Below float64   `json:"below"` // in the unit of speed
}

// VelocitySeries are predicted velocities along the axis, flood positive.
type VelocitySeries struct {
	Start       time.Time `json:"start"`
	StepMinutes int       `json:"stepMinutes"`
	Count       int       `json:"count"`
	Velocities  []float64 `json:"velocities"`
}

// CurrentNow is the predicted current at the moment of the answer.
type CurrentNow struct {
	Time      time.Time     `json:"time"`
	Phase     string        `json:"phase"` // flood, ebb, or slack below 0.1 kn
	Speed     float64       `json:"speed"`
	Direction *float64      `json:"direction"`
	NextSlack *CurrentEvent `json:"nextSlack"`
	NextMax   *CurrentEvent `json:"nextMax"`
}

// Directions are where water goes, in degrees true; null where NOAA gives none.
type Directions struct {
	Flood           *float64 `json:"flood"`
	Ebb             *float64 `json:"ebb"`
	DirectionSource string   `json:"directionSource"` // noaa_mean, or axis of the harmonic analysis
}

func directionsOf(st stations.Station) Directions {
	flood, ebb, mean := st.Directions()
	if mean {
		return Directions{known(flood), known(ebb), "noaa_mean"}
	}
	return Directions{known(flood), known(ebb), "axis"}
}

// known is v, or nil for the NaN of a value that the data lacks.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// CurrentPredictions is the predicted tidal current. It never holds an
// observation, and no height ever enters it.
type CurrentPredictions struct {
	coast.Frame
	SpeedUnit      string          `json:"speedUnit"`
	PredictionKind string          `json:"predictionKind"` // harmonic, subordinate
	Bin            *int            `json:"bin"`            // null where the embedded data does not say
	Depth          *float64        `json:"depth"`          // null where the embedded data does not say
	Directions     Directions      `json:"directions"`
	Interval       string          `json:"interval"`
	Span           Between         `json:"span"` // both ends included
	Events         []CurrentEvent  `json:"events,omitzero"`
	Series         *VelocitySeries `json:"series,omitempty"`
	Now            *CurrentNow     `json:"now,omitempty"`
	cut
}

// Speeds in knots: below weak a current has no direction worth telling
// (NOAA lists nothing below it as a flood or ebb); slackBelow bounds the
// slack window (ours).
const weak, slackBelow = 0.1, 0.5

// CurrentPredictions predicts the tidal current at a station. It answers
// StationNotFound, ProductUnavailable where the station predicts no currents
// or only other bins are embedded, ProviderUnavailable where only the
// provider knows a bin, and RangeTooLong.
func (s *Set) CurrentPredictions(_ context.Context, in CurrentPredictionsInput) (CurrentPredictions, error) {
	st, err := s.currentBin(in.Station, in.Bin)
	if err != nil {
		return CurrentPredictions{}, err
	}
	if in.VelType == "speed_dir" {
		return CurrentPredictions{}, fault("vel_type", "unavailable",
			`vel_type speed_dir needs the minor axis of the current, which the embedded constants lack. Use "vel_type": "default": the velocity along the main axis, flood positive, with the directions of flood and ebb.`)
	}
	currents, ok := s.Stations.Currents(st)
	if !ok {
		return CurrentPredictions{}, coast.Errorf(coast.ProductUnavailable, "%s (%s) has no current predictions: NOAA calls its currents weak and variable, or predicts them no more.", st.ID, st.Name)
	}
	z, span, err := s.span(in.Span, in.TimeZone, st.Zone)
	if err != nil {
		return CurrentPredictions{}, err
	}
	out := s.currentFrame(st, in, z)
	out.Span = Between{span.from, span.to}
	p := flow{currents, &out, speedsIn(in.Units), z}
	if err := p.fill(span); err != nil {
		return CurrentPredictions{}, err
	}
	if now := s.now(); span.covers(now) {
		out.Now = p.now(now)
	}
	if st.Subordinate() && (out.Series != nil || out.Now != nil) {
		out.Sources = append(out.Sources, s.calculated("current-interpolation", "Velocities between the events, interpolated along the reference station's curve", stationPage(st.ID)))
		out.Notes = append(out.Notes, "Velocities between the events are interpolated by Leadline, not published by NOAA: "+st.ID+" is subordinate to "+st.Reference+".")
	}
	return out, nil
}

func (s *Set) currentFrame(st stations.Station, in CurrentPredictionsInput, z zone) CurrentPredictions {
	source := s.embedded("current-prediction", "Tidal current predictions from NOAA's harmonic constants, computed here", coast.Prediction,
		"https://tidesandcurrents.noaa.gov/noaacurrents/Predictions?id="+st.ID)
	out := CurrentPredictions{
		Frame: coast.Frame{
			Station: card(st), Units: in.Units, TimeZone: z.label,
			Provenance: s.astronomical(source),
		},
		SpeedUnit: speedsIn(in.Units).name, PredictionKind: predictionKind(st), Bin: in.Bin,
		Directions: directionsOf(st), Interval: in.Interval,
	}
	if in.Bin == nil {
		out.Bin = binOf(st)
	}
	if out.Bin == nil {
		out.Missing = append(out.Missing, coast.Missing{Input: "bin", Reason: "the embedded data does not number this station's predicted bin"})
	}
	if out.Directions.Flood == nil || out.Directions.Ebb == nil {
		out.Missing = append(out.Missing, coast.Missing{Input: "directions", Reason: "NOAA gives no mean direction of this station's flood or ebb"})
	}
	out.Missing = append(out.Missing, coast.Missing{Input: "depth", Reason: "the embedded data does not hold depths"})
	return out
}

// flow is a current on its way into an answer.
type flow struct {
	tide.Currents
	out   *CurrentPredictions
	speed unit
	zone  zone
}

func (f flow) fill(span interval) error {
	if f.out.Interval == "max_slack" {
		if err := bounded(span, longestSeries, "max_slack"); err != nil {
			return err
		}
		events := f.Events(span.from, span.to)
		f.out.Events = make([]CurrentEvent, len(events))
		for i, e := range events {
			f.out.Events[i] = f.event(e)
		}
		return nil
	}
	if err := bounded(span, longestSeries, f.out.Interval); err != nil {
		return err
	}
	start, step, values := grid(span, f.out.Interval)
	f.Velocities(start, time.Duration(step)*time.Minute, values)
	f.speed.convert(values)
	f.out.Series = &VelocitySeries{Start: start.In(f.zone.Location), StepMinutes: step, Count: len(values), Velocities: values}
	return nil
}

func (f flow) event(e tide.CurrentEvent) CurrentEvent {
	c := CurrentEvent{
		Time: e.Time.In(f.zone.Location), Type: string(e.Phase), Next: string(e.Next),
		Speed: f.speed.of(math.Abs(e.Velocity)), Direction: f.direction(e.Velocity),
	}
	switch {
	case e.Phase == tide.Slack:
		c.SlackWindow = f.window(e.Time)
	case e.Min:
		c.Peak = "min"
	default:
		c.Peak = "max"
	}
	return c
}

// direction is where water of this velocity goes, or nil where it is too
// weak to go anywhere in particular.
func (f flow) direction(velocity float64) *float64 {
	if math.Abs(velocity) < weak {
		return nil
	}
	if velocity < 0 {
		return f.out.Directions.Ebb
	}
	return f.out.Directions.Flood
}

// window finds, to the minute, how long around a slack the speed stays below
// slackBelow; it looks 12 hours to either side at most.
func (f flow) window(slack time.Time) *SlackWindow {
	return &SlackWindow{
		From: f.edge(slack, -time.Minute), To: f.edge(slack, time.Minute), Below: f.speed.of(slackBelow),
	}
}

// edge walks from a slack, ten steps and then one step at a time, to the last
// minute that is below slackBelow.
func (f flow) edge(slack time.Time, step time.Duration) time.Time {
	const chunk = 30
	var v [chunk]float64
	from := slack
	for range 24 {
		first := from
		if step < 0 {
			first = from.Add(-(chunk - 1) * time.Minute)
		}
		f.Velocities(first, time.Minute, v[:])
		for i := range chunk {
			at := i
			if step < 0 {
				at = chunk - 1 - i
			}
			if math.Abs(v[at]) >= slackBelow {
				return from.Add(time.Duration(i-1) * step).In(f.zone.Location)
			}
		}
		from = from.Add(chunk * step)
	}
	return from.In(f.zone.Location)
}

func (f flow) now(now time.Time) *CurrentNow {
	var v [1]float64
	f.Velocities(now, time.Minute, v[:])
	n := &CurrentNow{
		Time: now.In(f.zone.Location), Phase: phaseOf(v[0]),
		Speed: f.speed.of(math.Abs(v[0])), Direction: f.direction(v[0]),
	}
	for _, e := range f.Events(now.Add(time.Minute), now.Add(60*time.Hour)) {
		if e.Phase == tide.Slack && n.NextSlack == nil {
			c := f.event(e)
			n.NextSlack = &c
		}
		if e.Phase != tide.Slack && !e.Min && n.NextMax == nil {
			c := f.event(e)
			n.NextMax = &c
		}
	}
	return n
}

func phaseOf(velocity float64) string {
	switch {
	case velocity >= weak:
		return string(tide.Flood)
	case velocity <= -weak:
		return string(tide.Ebb)
	}
	return string(tide.Slack)
}

func (p CurrentPredictions) rows() int {
	if p.Series != nil {
		return len(p.Series.Velocities)
	}
	return len(p.Events)
}

func (p CurrentPredictions) head(n int) any {
	if p.Series != nil {
		part := *p.Series
		part.Velocities, part.Count = part.Velocities[:n], n
		p.cut = cutAt(p.rows(), at(part.Start, n, part.StepMinutes), p.Span)
		p.Series = &part
		return p
	}
	p.cut = cutAt(p.rows(), p.Events[n].Time, p.Span)
	p.Events = p.Events[:n]
	return p
}
