package tools

import (
	"fmt"
	"math"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// CurrentFilters are the arguments that turn current predictions into windows, or limit
// their events.
type CurrentFilters struct {
	AtMost  *float64 `json:"at_most,omitempty" min:"0" max:"500" doc:"Windows in which the speed is at most this, instead of events." example:"0.5"`
	AtLeast *float64 `json:"at_least,omitempty" min:"0" max:"500" doc:"Windows of at least this speed." example:"2"`
	InLight
}

// windowed reports whether the filters request windows.
func (f CurrentFilters) windowed() bool { return f.AtMost != nil || f.AtLeast != nil }

// check refuses filters that contradict each other or the interval.
func (f CurrentFilters) check(interval string) error {
	switch {
	case f.AtMost != nil && f.AtLeast != nil:
		return facts.Invalid("at_most", "condition", "at_most and at_least exclude each other: windows "+
			`have one condition. Give one of them. Example: "at_most": 0.5.`)
	case (f.windowed() || f.lit()) && interval != "max_slack":
		return facts.Invalid("interval", "condition", "at_most, at_least and light go with interval "+
			`max_slack, not with a series of interval %s. Leave out interval. Example: "at_most": 0.5.`,
			interval)
	}
	return nil
}

// CurrentWindow is a span of time in which the speed is within a limit. Its ends are whole
// minutes inside it.
type CurrentWindow struct {
	From          time.Time    `json:"from"` // the first whole minute
	To            time.Time    `json:"to"`   // the last whole minute
	Minutes       int          `json:"minutes"`
	Kind          string       `json:"kind"`              // slack of at_most, run of at_least
	Turn          string       `json:"turn,omitempty"`    // of a slack: "flood to ebb"
	SlackAt       *time.Time   `json:"slackAt,omitempty"` // the published slack in the window
	Peak          *CurrentPeak `json:"peak,omitempty"`    // the fastest minute of a run
	Before        *float64     `json:"before"`            // speed of the run before a slack; null if unknown
	After         *float64     `json:"after"`             // speed of the run after it
	BeginsBecause string       `json:"beginsBecause"`     // level, span, or an event of the light
	EndsBecause   string       `json:"endsBecause"`
	Open          []string     `json:"open,omitempty"` // from, to: the span ends there
}

// CurrentPeak is a minute with its predicted current.
type CurrentPeak struct {
	Time      time.Time `json:"time"`
	Speed     float64   `json:"speed"`
	Direction *float64  `json:"direction"` // degrees true, toward
}

// shortestCurrent is the length in minutes of the shortest window that is listed (ours).
const shortestCurrent = 10

// usualCurrentWindows is the span of current windows in hours if none is given: there are
// four slacks a day.
const usualCurrentWindows = 7 * 24

// windowSpan returns the span of windows: 7 days from now if none is given.
func (in CurrentPredictionsInput) windowSpan() Span {
	if in.windowed() && in.Given() == "" {
		in.Range = usualCurrentWindows
	}
	return in.Span
}

// windows computes the windows of a request.
func (f flow) windows(fs facts.Set, st stations.Station, span facts.Interval) error {
	in := f.out.input
	if facts.Unrated(f.Currents) {
		return coast.Errorf(coast.ProductUnavailable, "NOAA gives no speeds of one phase at %s (%s): "+
			`there are no windows. Leave out at_most and at_least for the times of its events.`, st.ID,
			st.Name)
	}
	if err := withinYear(span); err != nil {
		return err
	}
	limit, find := in.AtMost, f.AtMost
	if in.AtLeast != nil {
		limit, find = in.AtLeast, f.AtLeast
	}
	var list []interval
	for _, s := range find(span.From, span.To, f.speed.Base(*limit)) {
		list = append(list, intervalOf(s, span))
	}
	if in.lit() {
		list = lightOf(placeOf(st), list, sky.Light(in.Light))
	}
	const reach = 48 * time.Hour // beyond the runs on both sides of a window
	events := f.Events(span.From.Add(-reach), span.To.Add(reach))
	f.out.Windows = []CurrentWindow{}
	short := 0
	for _, i := range list {
		first, last, ok := i.minutes()
		if !ok || last.Sub(first) < shortestCurrent*time.Minute {
			short++
			continue
		}
		for len(events) > 0 && first.Sub(events[0].Time) > reach {
			events = events[1:]
		}
		f.out.Windows = append(f.out.Windows, f.current(i, first, last, events))
	}
	f.out.Sources = append(f.out.Sources, fs.Calculated("current-windows",
		"Times at which the predicted current passes a speed", facts.StationPage(st.ID)))
	if short > 0 {
		f.out.Notes = append(f.out.Notes, fmt.Sprintf("%s shorter than %d minutes left out.",
			plural(short, "window"), shortestCurrent))
	}
	return nil
}

// current returns the window of an interval.
func (f flow) current(
	i interval, first, last time.Time, events []tide.CurrentEvent,
) CurrentWindow {
	w := CurrentWindow{
		From: first.In(f.zone.Location), To: last.In(f.zone.Location),
		Minutes: int(last.Sub(first) / time.Minute), Kind: "run",
		BeginsBecause: i.begins, EndsBecause: i.closes, Open: i.open(),
	}
	if f.out.input.AtLeast != nil {
		w.Peak = f.peak(first, last)
		return w
	}
	w.Kind = "slack"
	var before, after *tide.CurrentEvent
	for n := 0; n < len(events) && after == nil; n++ {
		switch e := &events[n]; {
		case e.Phase == tide.Slack:
			if w.SlackAt == nil && !e.Time.Before(first) && !e.Time.After(last) {
				at := e.Time.In(f.zone.Location)
				w.SlackAt = &at
			}
		case e.Min:
		case e.Time.Before(first):
			before = e
		case e.Time.After(last):
			after = e
		}
	}
	w.Before, w.After = f.speedOf(before), f.speedOf(after)
	if before != nil && after != nil && w.SlackAt != nil {
		w.Turn = string(before.Phase) + " to " + string(after.Phase)
	}
	return w
}

// speedOf returns the speed of an event, nil without one.
func (f flow) speedOf(e *tide.CurrentEvent) *float64 {
	if e == nil {
		return nil
	}
	speed := f.speed.Of(math.Abs(e.Velocity))
	return &speed
}

// peak returns the fastest minute of [from, to].
func (f flow) peak(from, to time.Time) *CurrentPeak {
	var minutes [1440]float64
	at, fastest := from, 0.0
	for ; !from.After(to); from = At(from, len(minutes), 1) {
		part := minutes[:min(len(minutes), 1+int(to.Sub(from)/time.Minute))]
		f.Velocities(from, time.Minute, part)
		for i, v := range part {
			if math.Abs(v) > math.Abs(fastest) {
				at, fastest = At(from, i, 1), v
			}
		}
	}
	return &CurrentPeak{
		at.In(f.zone.Location), f.speed.Of(math.Abs(fastest)), f.direction(fastest),
	}
}

// keepLit removes the events outside the light.
func (f flow) keepLit(st stations.Station, span facts.Interval) error {
	if err := withinYear(span); err != nil || f.out.Events == nil {
		return err
	}
	parts := sky.When(placeOf(st), span.From, span.To.Add(time.Minute), sky.Light(f.out.input.Light))
	kept := f.out.Events[:0]
	for _, e := range f.out.Events {
		if holds(parts, e.Time) {
			kept = append(kept, e)
		}
	}
	f.out.Events = kept
	return nil
}

// firstWindows returns the result with its first n windows.
func (p CurrentPredictions) firstWindows(n int) CurrentPredictions {
	p.input.Span = from(p.Windows[n-1].To.Add(time.Minute), p.Span)
	p.page = page{Truncated: true, Total: len(p.Windows), Next: arguments(p.input)}
	p.Windows = p.Windows[:n]
	return p
}

// describeWindows writes the number of the windows, then a row for each.
func (p CurrentPredictions) describeWindows(t *render.Text) {
	limit, side := p.input.AtMost, "at most"
	if p.input.AtLeast != nil {
		limit, side = p.input.AtLeast, "at least"
	}
	light := ""
	if p.input.lit() {
		light = " in " + lightName(p.input.Light)
	}
	t.Line("%s%s: %s of %s %g %s%s from %s to %s", stationName(p.Station), p.away(),
		plural(max(p.Total, len(p.Windows)), "window"), side, *limit, p.SpeedUnit, light,
		p.Span.From.Format("Mon 2 Jan 15:04"), p.Span.To.Format("Mon 2 Jan 15:04 MST 2006"))
	t.Gap()
	for _, w := range p.Windows {
		t.Line("%s to %s, %d min%s", w.From.Format("Mon 2006-01-02 15:04"), until(w.From, w.To),
			w.Minutes, w.cells(p.SpeedUnit))
	}
}

// cells returns what a window is of: a slack or a run.
func (w CurrentWindow) cells(unit string) string {
	if w.Peak != nil {
		toward := ""
		if w.Peak.Direction != nil {
			toward = fmt.Sprintf(" toward %.0f", *w.Peak.Direction)
		}
		return fmt.Sprintf(", up to %s at %s%s", speedOf(&w.Peak.Speed, unit),
			until(w.From, w.Peak.Time), toward)
	}
	text := ""
	if w.SlackAt != nil {
		text += ", slack " + until(w.From, *w.SlackAt)
	}
	if w.Turn != "" {
		text += fmt.Sprintf(", %s (%s, %s)", w.Turn, speedOf(w.Before, unit), speedOf(w.After, unit))
	}
	return text
}
