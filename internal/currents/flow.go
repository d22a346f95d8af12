package currents

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// flow adds predictions of a current to a result.
type flow struct {
	tide.Currents
	out     *CurrentPredictions
	speed   facts.Unit
	zone    facts.Zone
	place   *sky.Place   // of the request, nil for the station: its weather counts
	point   sky.Place    // whose light counts
	minutes minuteSeries // around the events, or empty
}

func (f *flow) fill(ctx context.Context, span facts.Interval) error {
	if f.out.Interval == "max_slack" {
		if err := operation.Bounded(span, operation.LongestSeries, "max_slack"); err != nil {
			return err
		}
		events := f.Events(span.From, span.To)
		var err error
		if f.minutes, err = f.minutesOf(ctx, events); err != nil {
			return err
		}
		f.out.Events = make([]CurrentEvent, len(events))
		for i, e := range events {
			if err := context.Cause(ctx); err != nil {
				return err
			}
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
	if err := operation.Bounded(span, operation.LongestSeries, f.out.Interval); err != nil {
		return err
	}
	start, step, values := operation.Steps(span, f.out.Interval)
	err := operation.FillSeries(ctx, start, time.Duration(step)*time.Minute, values, f.Velocities)
	f.speed.Convert(values)
	f.out.Series = &VelocitySeries{
		Start: start.In(f.zone.Location), StepMinutes: step, Count: len(values), Velocities: values,
	}
	f.out.Notes = append(f.out.Notes, operation.LaterStart(span, f.out.Series.Start, step)...)
	return err
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

// direction returns the direction of flow at a velocity, or nil if the current is too weak to
// have a direction.
func (f flow) direction(velocity float64) *float64 {
	return directory.Toward(velocity, f.out.Directions)
}

// window returns the interval around a slack, to the minute, in which the speed stays below
// slackBelow. It searches at most 12 hours on either side.
func (f flow) window(slack time.Time) *SlackWindow {
	return &SlackWindow{
		From: f.edge(slack, -time.Minute), To: f.edge(slack, time.Minute), Below: f.speed.Of(slackBelow),
	}
}

// minuteSeries has the velocities of consecutive minutes.
type minuteSeries struct {
	start  time.Time
	values []float64
}

// slackReach is the time on either side of a slack in which its window is searched.
const slackReach = 12*time.Hour + time.Minute

// around reports whether the series has the velocities in which the window of an event is searched.
func (m minuteSeries) around(e tide.CurrentEvent) bool {
	end := m.start.Add(time.Duration(len(m.values)) * time.Minute)
	return !e.Time.Add(-slackReach).Before(m.start) && e.Time.Add(slackReach).Before(end)
}

// minutesOf returns the velocities around events, as far as windows are searched. One series costs
// much less than one for each part of a window.
func (f flow) minutesOf(
	ctx context.Context, events []tide.CurrentEvent,
) (m minuteSeries, err error) {
	if len(events) == 0 {
		return m, nil
	}
	m = minuteSeries{start: events[0].Time.Add(-slackReach)}
	end := events[len(events)-1].Time.Add(slackReach)
	m.values = make([]float64, int(end.Sub(m.start)/time.Minute)+1)
	return m, operation.FillSeries(ctx, m.start, time.Minute, m.values, f.Velocities)
}

// minute fills out with the velocities of consecutive minutes.
func (f flow) minute(from time.Time, out []float64) {
	away := from.Sub(f.minutes.start)
	i := int(away / time.Minute)
	if away < 0 || away%time.Minute != 0 || i+len(out) > len(f.minutes.values) {
		f.Velocities(from, time.Minute, out)
		return
	}
	copy(out, f.minutes.values[i:])
}

// edge steps by minutes from a slack to the last minute below slackBelow. It returns nil if
// the speed stays below slackBelow for 12 hours.
func (f flow) edge(slack time.Time, step time.Duration) *time.Time {
	const chunk = 30
	var v [chunk]float64
	from := slack
	for range 24 {
		first := from
		if step < 0 {
			first = from.Add(-(chunk - 1) * time.Minute)
		}
		f.minute(first, v[:])
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

// moments adds the current at the time of the result, if it is in the span, and at both ends of a
// span without rows.
func (f flow) moments(ctx context.Context, c facts.Clock, span facts.Interval) (err error) {
	if facts.Unrated(f.Currents) {
		return nil
	}
	if span.Covers(c.Now) {
		f.out.Now, err = f.at(ctx, c.Minute())
	}
	if err == nil && f.out.Len() == 0 {
		f.out.Begin, err = f.at(ctx, span.From)
	}
	if err == nil && f.out.Begin != nil {
		f.out.End, err = f.at(ctx, span.To)
	}
	return err
}

// at returns the current at a time.
func (f flow) at(ctx context.Context, now time.Time) (_ *CurrentMoment, err error) {
	var v [1]float64
	f.Velocities(now, time.Minute, v[:])
	n := &CurrentMoment{
		Time: now.In(f.zone.Location), Phase: PhaseOf(v[0]),
		Speed: f.speed.Of(math.Abs(v[0])), Direction: f.direction(v[0]),
	}
	const ahead = 60 * time.Hour
	events := f.Events(now.Add(-ahead), now.Add(ahead))
	for i, e := range events {
		if !e.Time.After(now) {
			if i+1 == len(events) || events[i+1].Time.After(now) {
				c := f.event(e)
				n.Previous = &c
			}
			continue
		}
		if e.Phase == tide.Slack && n.NextSlack == nil {
			if !f.minutes.around(e) {
				if f.minutes, err = f.minutesOf(ctx, []tide.CurrentEvent{e}); err != nil {
					return nil, err
				}
			}
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
			Input:  "nextSlack or nextMax",
			Reason: fmt.Sprintf("there is none in the next %.0f hours", ahead.Hours()),
		})
	}
	return n, nil
}

// PhaseOf returns flood, ebb, or slack below the speed at which a current is weak, of a velocity in
// knots.
func PhaseOf(velocity float64) string {
	switch {
	case velocity >= tide.Weak:
		return string(tide.Flood)
	case velocity <= -tide.Weak:
		return string(tide.Ebb)
	}
	return string(tide.Slack)
}

// shortestCurrent is the length in minutes of the shortest window that is listed (our
// threshold).
const shortestCurrent = 10

// windows computes the windows of a request.
func (f flow) windows(
	ctx context.Context, fs facts.Set, st stations.Station, span facts.Interval,
) (err error) {
	in := f.out.input
	if facts.Unrated(f.Currents) {
		return coast.Errorf(coast.ProductUnavailable, "NOAA gives no speeds of one phase at %s (%s): "+
			`there are no windows. Leave out at_most and at_least for the times of its events.`, st.ID,
			st.Name)
	}
	if err := intervals.WithinYear(span); err != nil {
		return err
	}
	limit, find := in.AtMost, f.AtMost
	if in.AtLeast != nil {
		limit, find = in.AtLeast, f.AtLeast
	}
	list := intervals.IntervalsOf(find(span.From, span.To, f.speed.Base(*limit)), span)
	if in.Lit() {
		list, err = intervals.LightOf(ctx, f.point, list, sky.Light(in.Light))
	}
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return err
	}
	list, f.out.unsuited = in.Suited(ctx, fs, st, f.place, in.Units, list, f.zone.Location,
		&f.out.Provenance)
	rows := currentRows{
		Currents: f.Currents, speed: f.speed, zone: f.zone, directions: f.out.Directions,
	}
	rows.load(span)
	f.out.Windows = []CurrentWindow{}
	short := 0
	for _, i := range list {
		first, last, ok := i.Minutes()
		if !ok || last.Sub(first) < shortestCurrent*time.Minute {
			short++
			continue
		}
		row, err := rows.row(ctx, i, first, last, in.AtLeast == nil)
		if err != nil {
			return err
		}
		f.out.Windows = append(f.out.Windows, row)
	}
	f.out.Sources = append(f.out.Sources, fs.Calculated("current-windows",
		"Times at which the predicted current passes a speed", facts.StationPage(st.ID)))
	if short > 0 {
		f.out.Notes = append(f.out.Notes, fmt.Sprintf("%s shorter than %d minutes left out.",
			operation.Plural(short, "window"), shortestCurrent))
	}
	return nil
}

// keepLit removes the events outside the requested light.
func (f flow) keepLit(ctx context.Context, span facts.Interval) error {
	if err := intervals.WithinYear(span); err != nil || f.out.Events == nil {
		return err
	}
	parts, err := intervals.LitParts(ctx, f.point, span.From, span.To.Add(time.Minute),
		sky.Light(f.out.input.Light))
	kept := f.out.Events[:0]
	for _, e := range f.out.Events {
		if intervals.Holds(parts, e.Time) {
			kept = append(kept, e)
		}
	}
	f.out.Events = kept
	return err
}
