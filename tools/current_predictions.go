package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// CurrentPredictionsInput requests the predicted tidal current at one station.
type CurrentPredictionsInput struct {
	StationOrPlace
	Bin      *int   `json:"bin,omitempty" doc:"Depth bin; default: the station's predicted one." min:"0" max:"200" example:"1"`
	Interval string `json:"interval" default:"max_slack" enum:"max_slack h 1 6 10 30 60" also:"hourly=h" doc:"max_slack: flood, ebb, slack; h or minutes: velocities."`
	VelType  string `json:"vel_type" default:"default" enum:"default speed_dir" doc:"Leave it: speed_dir is not available."`
	CurrentFilters
	Span
	InUnits
	InZone
}

// Validate requires a station or a place, and refuses filters that contradict each other.
func (in *CurrentPredictionsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	return in.CurrentFilters.check(in.Interval)
}

// CurrentEvent is a predicted flood, ebb or slack.
type CurrentEvent struct {
	Time      time.Time `json:"time"`           // the minute that NOAA publishes
	Type      string    `json:"type"`           // flood, ebb, slack
	Peak      string    `json:"peak,omitempty"` // max, or min: a relaxation that NOAA lists as a second flood or ebb
	Next      string    `json:"next,omitempty"` // flood or ebb, what follows a slack
	Speed     *float64  `json:"speed"`          // null where NOAA gives none
	Direction *float64  `json:"direction"`      // degrees true, toward; null below 0.1 kn
	// SlackWindow is set at a slack: the time in which the speed stays below 0.5 kn.
	SlackWindow *SlackWindow `json:"slackWindow,omitempty"`
}

// SlackWindow is the time around a slack in which the current is weak. An end is null if
// the speed stays below the limit for 12 hours or more.
type SlackWindow struct {
	From  *time.Time `json:"from"`
	To    *time.Time `json:"to"`
	Below float64    `json:"below"` // in the unit of speed
}

// VelocitySeries holds predicted velocities along the axis, flood positive.
type VelocitySeries struct {
	Start       time.Time `json:"start"`
	StepMinutes int       `json:"stepMinutes"`
	Count       int       `json:"count"`
	Velocities  []float64 `json:"velocities"`
}

// CurrentNow is the predicted current at the time of the result.
type CurrentNow struct {
	Time      time.Time     `json:"time"`
	Phase     string        `json:"phase"` // flood, ebb, or slack below 0.1 kn
	Speed     float64       `json:"speed"`
	Direction *float64      `json:"direction"`
	NextSlack *CurrentEvent `json:"nextSlack"`
	NextMax   *CurrentEvent `json:"nextMax"`
}

// CurrentPredictions is the predicted tidal current. It never contains an observation or
// a height.
type CurrentPredictions struct {
	coast.Frame
	SpeedUnit      string          `json:"speedUnit"`
	DirectionUnit  string          `json:"directionUnit"`  // degrees true, toward
	PredictionKind string          `json:"predictionKind"` // harmonic, subordinate
	Bin            *int            `json:"bin"`            // null where it is not known
	Depth          *float64        `json:"depth"`          // null where it is not known
	DepthUnit      string          `json:"depthUnit"`
	Directions     Directions      `json:"directions"`
	Interval       string          `json:"interval"`
	Span           Between         `json:"span"` // both ends included
	Events         []CurrentEvent  `json:"events,omitzero"`
	Series         *VelocitySeries `json:"series,omitempty"`
	Windows        []CurrentWindow `json:"windows,omitzero"` // with at_most or at_least
	Now            *CurrentNow     `json:"now,omitempty"`
	ForPlace
	page
	input CurrentPredictionsInput
}

// slackBelow is the speed in knots that bounds the slack window (our threshold).
const slackBelow = 0.5

// CurrentPredictions predicts the tidal current at a station. Errors: StationNotFound,
// ProductUnavailable if the station predicts no currents, ProviderUnavailable if only
// the provider knows the bin, and RangeTooLong.
func (s waterTools) CurrentPredictions(
	ctx context.Context, in CurrentPredictionsInput,
) (CurrentPredictions, error) {
	fs := s.facts.Set()
	at, err := currentPlace(fs, &in)
	if err != nil {
		return CurrentPredictions{}, err
	}
	st, err := fs.CurrentBin(ctx, in.Station, in.Bin)
	if err != nil {
		return CurrentPredictions{}, err
	}
	st = st.Snapshot()
	if in.VelType == "speed_dir" {
		return CurrentPredictions{}, coast.Errorf(coast.ProductUnavailable,
			`vel_type speed_dir needs the minor axis of the current, which the embedded constants do not `+
				`include. Use "vel_type": "default": the velocity along the main axis, flood positive, with `+
				`the directions of flood and ebb.`)
	}
	currents, ok := fs.Stations.Currents(st)
	if !ok {
		return CurrentPredictions{}, coast.Errorf(
			coast.ProductUnavailable, "%s (%s) has no constants to predict currents from.", st.ID, st.Name,
		)
	}
	z, span, err := fs.Forward(in.windowSpan(), in.TimeZone, st.Zone)
	if err != nil {
		return CurrentPredictions{}, err
	}
	out := currentFrame(fs, st, in, z)
	out.Span = Between{span.From, span.To}
	out.ForPlace = at.place
	at.explain(&out.Provenance)
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(st, span)...)
	p := flow{currents, &out, facts.SpeedsIn(in.Units), z}
	if in.windowed() {
		err = p.windows(fs, st, span)
	} else {
		err = p.fill(span)
	}
	if err != nil {
		return CurrentPredictions{}, err
	}
	if span.Covers(fs.Now) && !facts.Unrated(p.Currents) && !in.windowed() {
		out.Now = p.now(fs.Now)
	}
	if facts.Unrated(p.Currents) {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "now, slackWindow and the speeds of one phase",
			Reason: "NOAA's speed ratio for that phase is 0 here: its table gives no strength, which does " +
				"not mean still water",
		})
	}
	out.Notes = append(out.Notes, out.oddities()...)
	if err == nil && in.lit() {
		err = p.keepLit(st, span)
	}
	if err != nil {
		return CurrentPredictions{}, err
	}
	if st.Subordinate() && out.interpolated() {
		out.Sources = append(out.Sources, fs.Derived(
			st, "current-interpolation",
			"Velocities between the events, interpolated along the reference station's curve",
			facts.StationPage(st.ID),
		))
		out.Notes = append(
			out.Notes,
			"Velocities between the events, and the slack windows, are interpolated by Leadline, not "+
				"published by NOAA: "+st.ID+" is subordinate to "+st.Reference+".",
		)
	}
	return out, nil
}

// currentPlace replaces the place of a request by its station.
func currentPlace(fs facts.Set, in *CurrentPredictionsInput) (resolved, error) {
	if in.Place == "" {
		return resolved{}, nil
	}
	can := func(st stations.Station) bool {
		_, bin := st.Bin()
		return bin == 0 && facts.Predicts(st) == "currents" && !fs.Weak(st)
	}
	at, err := resolver{fs, in.Place, can, "predicts currents"}.resolve()
	in.Station, in.Place = at.id, ""
	return at, err
}

// oddities returns notes on values of NOAA's own tables that look like mistakes.
func (p CurrentPredictions) oddities() []string {
	for i := 1; i < len(p.Events); i++ {
		before, after := p.Events[i-1].Type, p.Events[i].Type
		if before == after && before == "slack" ||
			before != after && before != "slack" && after != "slack" {
			return []string{
				"Events do not alternate here. Floods and ebbs below 0.1 kn are not listed, so slacks can " +
					"follow each other. Offsets from a reference station can also change the order of " +
					"weak events.",
			}
		}
	}
	return nil
}

// interpolated reports whether the result contains interpolated values, not only events.
func (p CurrentPredictions) interpolated() bool {
	hasWindow := func(e CurrentEvent) bool { return e.SlackWindow != nil }
	return p.Series != nil || p.Now != nil || p.Windows != nil ||
		slices.ContainsFunc(p.Events, hasWindow)
}

func currentFrame(
	fs facts.Set, st stations.Station, in CurrentPredictionsInput, z facts.Zone,
) CurrentPredictions {
	out := CurrentPredictions{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: z.Label,
			Provenance: fs.Predictions(st, fs.Current(st)),
		},
		SpeedUnit: facts.SpeedsIn(in.Units).Name, DirectionUnit: towards,
		PredictionKind: facts.PredictionKind(st), Bin: facts.BinOf(st),
		DepthUnit: facts.DepthsIn(in.Units).Name, Directions: directionsOf(st), Interval: in.Interval,
		input: in,
	}
	out.Depth = facts.DepthsIn(in.Units).Known(fs.Depth(st))
	if note := otherDefault(st); note != "" {
		out.Notes = append(out.Notes, note)
	}
	if out.Bin == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "bin",
			Reason: "the embedded data does not number this station's predicted bin, and NOAA's metadata " +
				"service has given no number",
		})
	}
	if out.Directions.Flood == nil || out.Directions.Ebb == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "directions", Reason: "NOAA gives no mean direction of this station's flood or ebb",
		})
	}
	if out.Depth == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input:  "depth",
			Reason: "the embedded data does not hold depths, and NOAA's metadata service has given none",
		})
	}
	return out
}

// otherDefault returns a note if NOAA now predicts another bin by default than the bin
// of the station's own row.
func otherDefault(st stations.Station) string {
	_, named := st.Bin()
	bins, _ := st.DepthBins()
	for _, b := range bins {
		if own := st.BinNumber(); b.Default && named == 0 && own != b.Number {
			return fmt.Sprintf(
				"This is bin %d. NOAA's list now names bin %d as the default; for that one use \"bin\": %d.",
				own, b.Number, b.Number,
			)
		}
	}
	return ""
}

// flow writes predictions of a current into a result.
type flow struct {
	tide.Currents
	out   *CurrentPredictions
	speed facts.Unit
	zone  facts.Zone
}

func (f flow) fill(span facts.Interval) error {
	if f.out.Interval == "max_slack" {
		if err := bounded(span, longestSeries, "max_slack"); err != nil {
			return err
		}
		events := f.Events(span.From, span.To)
		f.out.Events = make([]CurrentEvent, len(events))
		for i, e := range events {
			f.out.Events[i] = f.event(e)
		}
		return nil
	}
	if facts.Unrated(f.Currents) {
		return coast.Errorf(
			coast.ProductUnavailable,
			`NOAA gives no speeds of one phase at %s (%s): there is no series to interpolate. Use `+
				`"interval": "max_slack" for the times of its events.`, f.out.Station.ID, f.out.Station.Name,
		)
	}
	if err := bounded(span, longestSeries, f.out.Interval); err != nil {
		return err
	}
	start, step, values := grid(span, f.out.Interval)
	f.Velocities(start, time.Duration(step)*time.Minute, values)
	f.speed.Convert(values)
	f.out.Series = &VelocitySeries{
		Start: start.In(f.zone.Location), StepMinutes: step, Count: len(values), Velocities: values,
	}
	f.out.Notes = append(f.out.Notes, laterStart(span, f.out.Series.Start, step)...)
	return nil
}

func (f flow) event(e tide.CurrentEvent) CurrentEvent {
	speed := f.speed.Of(math.Abs(e.Velocity))
	c := CurrentEvent{
		Time: e.Time.In(f.zone.Location), Type: string(e.Phase), Next: string(e.Next),
		Speed: &speed, Direction: f.direction(e.Velocity),
	}
	if e.Phase != tide.Slack && e.Velocity == 0 && facts.Unrated(f.Currents) {
		c.Speed = nil
	}
	switch {
	case e.Phase == tide.Slack && facts.Unrated(f.Currents):
	case e.Phase == tide.Slack:
		c.SlackWindow = f.window(e.Time)
	case e.Min:
		c.Peak = "min"
	default:
		c.Peak = "max"
	}
	return c
}

// direction returns the direction of flow at a velocity, nil if the current is too weak
// to have one.
func (f flow) direction(velocity float64) *float64 {
	if math.Abs(velocity) < tide.Weak {
		return nil
	}
	if velocity < 0 {
		return f.out.Directions.Ebb
	}
	return f.out.Directions.Flood
}

// window returns, to the minute, how long around a slack the speed stays below
// slackBelow; it searches at most 12 hours on either side.
func (f flow) window(slack time.Time) *SlackWindow {
	return &SlackWindow{
		From: f.edge(slack, -time.Minute), To: f.edge(slack, time.Minute), Below: f.speed.Of(slackBelow),
	}
}

// edge steps by minutes from a slack to the last minute below slackBelow. It returns nil
// if the speed stays below for 12 hours.
func (f flow) edge(slack time.Time, step time.Duration) *time.Time {
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
				last := from.Add(time.Duration(i-1) * step).In(f.zone.Location)
				return &last
			}
		}
		from = from.Add(chunk * step)
	}
	return nil
}

func (f flow) now(now time.Time) *CurrentNow {
	var v [1]float64
	f.Velocities(now, time.Minute, v[:])
	n := &CurrentNow{
		Time: now.In(f.zone.Location), Phase: phaseOf(v[0]),
		Speed: f.speed.Of(math.Abs(v[0])), Direction: f.direction(v[0]),
	}
	const ahead = 60 * time.Hour
	for _, e := range f.Events(now, now.Add(ahead)) {
		if !e.Time.After(now) {
			continue
		}
		if e.Phase == tide.Slack && n.NextSlack == nil {
			c := f.event(e)
			n.NextSlack = &c
		}
		if e.Phase != tide.Slack && !e.Min && n.NextMax == nil {
			c := f.event(e)
			n.NextMax = &c
		}
	}
	if n.NextSlack == nil || n.NextMax == nil {
		f.out.Missing = append(f.out.Missing, coast.Missing{
			Input:  "now.nextSlack or now.nextMax",
			Reason: fmt.Sprintf("there is none in the next %.0f hours", ahead.Hours()),
		})
	}
	return n
}

func phaseOf(velocity float64) string {
	switch {
	case velocity >= tide.Weak:
		return string(tide.Flood)
	case velocity <= -tide.Weak:
		return string(tide.Ebb)
	}
	return string(tide.Slack)
}

func (p CurrentPredictions) rows() int {
	if p.Windows != nil {
		return len(p.Windows)
	}
	if p.Series != nil {
		return len(p.Series.Velocities)
	}
	return len(p.Events)
}

func (p CurrentPredictions) head(n int) any {
	if p.Windows != nil {
		return p.firstWindows(n)
	}
	if p.Series != nil {
		part := *p.Series
		part.Velocities, part.Count = part.Velocities[:n], n
		p.input.Span = from(At(part.Start, n, part.StepMinutes), p.Span)
		p.page = page{Truncated: true, Total: p.rows(), Next: arguments(p.input)}
		p.Series = &part
		return p
	}
	for n > 1 && p.Events[n].Time.Equal(p.Events[n-1].Time) {
		n-- // the next page begins at a minute and must not repeat an event
	}
	p.input.Span = from(p.Events[n].Time, p.Span)
	p.page = page{Truncated: true, Total: p.rows(), Next: arguments(p.input)}
	p.Events = p.Events[:n]
	return p
}

// describe writes the current at this moment or the strongest of the span, then the events
// or velocities.
func (p CurrentPredictions) describe(t *render.Text) {
	if p.Windows != nil {
		p.describeWindows(t)
		return
	}
	t.Line("%s%s: %s", stationName(p.Station), p.away(), p.sentence())
	t.Line("%s", p.legend())
	if p.Series != nil {
		t.Days(len(p.Series.Velocities), func(i int) (time.Time, string) {
			return At(p.Series.Start, i, p.Series.StepMinutes), speedOf(&p.Series.Velocities[i], p.SpeedUnit)
		})
		return
	}
	t.Days(len(p.Events), func(i int) (time.Time, string) {
		return p.Events[i].Time, p.Events[i].cells(p.SpeedUnit)
	})
}

// sentence returns the current now and the next events, or the strongest event of the span.
func (p CurrentPredictions) sentence() string {
	n := p.Now
	if n == nil {
		return p.strongest()
	}
	now := "predicted slack now"
	if n.Phase != "slack" {
		now = fmt.Sprintf("predicted %s now, %s %s", n.Phase, speedOf(&n.Speed, p.SpeedUnit), p.SpeedUnit)
	}
	next := func(e *CurrentEvent, what string) string {
		if e == nil {
			return ""
		}
		return "next " + what + " at " + render.Clock(e.Time, n.Time)
	}
	peak := ""
	if n.NextMax != nil {
		peak = n.NextMax.strength(p.SpeedUnit)
	}
	return present("; ", now, next(n.NextSlack, "slack"), next(n.NextMax, peak))
}

// strength returns the phase and the speed of an event: flood 3.10 kn.
func (e CurrentEvent) strength(unit string) string {
	return present(" ", e.Type, speedOf(e.Speed, unit), unit)
}

// strongest returns the strongest event of the rows.
func (p CurrentPredictions) strongest() string {
	var most *CurrentEvent
	for i := range p.Events {
		if e := &p.Events[i]; e.Speed != nil && (most == nil || *e.Speed > *most.Speed) {
			most = e
		}
	}
	if most == nil {
		return "predicted current"
	}
	return fmt.Sprintf("strongest of these rows is the predicted %s at %s", most.strength(p.SpeedUnit),
		render.Clock(most.Time, time.Time{}))
}

// legend returns what the rows have: unit, directions, limit of the weak current, bin.
func (p CurrentPredictions) legend() string {
	what, sign := "Speeds", [2]string{}
	if p.Series != nil {
		what, sign = "Velocities", [2]string{" (positive)", " (negative)"}
	}
	toward := func(phase string, direction *float64, sign string) string {
		if direction == nil {
			return phase + sign
		}
		return phase + sign + " toward " + render.Short(*direction, 0) + "°"
	}
	text := fmt.Sprintf("%s in %s; %s, %s true", what, p.SpeedUnit,
		toward("flood", p.Directions.Flood, sign[0]), toward("ebb", p.Directions.Ebb, sign[1]))
	for _, e := range p.Events {
		if w := e.SlackWindow; w != nil {
			text += fmt.Sprintf("; weak: below %s %s", render.Short(w.Below, 1), p.SpeedUnit)
			break
		}
	}
	if p.Bin != nil {
		text += fmt.Sprintf("; bin %d", *p.Bin)
	}
	if p.Depth != nil {
		text += fmt.Sprintf("; depth %s %s", render.Short(*p.Depth, 1), p.DepthUnit)
	}
	return text
}

// cells returns the row of an event without its time.
func (e CurrentEvent) cells(unit string) string {
	if e.Type == "slack" {
		return present(", ", "slack", e.turn(), e.SlackWindow.text())
	}
	least := ""
	if e.Peak == "min" {
		least = "(least, between two of the same)"
	}
	return present(" ", e.Type, speedOf(e.Speed, unit), least)
}

// turn returns what follows a slack.
func (e CurrentEvent) turn() string {
	if e.Next == "" {
		return ""
	}
	return "then " + e.Next
}

// text returns when the current is weak.
func (w *SlackWindow) text() string {
	switch {
	case w == nil:
		return ""
	case w.From == nil && w.To == nil:
		return "weak for more than a day"
	case w.From == nil:
		return "weak until " + w.To.Format("15:04")
	case w.To == nil:
		return "weak from " + w.From.Format("15:04")
	}
	return "weak " + w.From.Format("15:04") + "-" + w.To.Format("15:04")
}

// speedOf returns a speed as rows have it: to 0.01 kn or 0.1 cm/s, as NOAA publishes it.
func speedOf(speed *float64, unit string) string {
	switch {
	case speed == nil:
		return "(no speed published)"
	case unit == "kn":
		return render.Number(*speed, 2)
	}
	return render.Number(*speed, 1)
}
