package currents

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
)

// CurrentPredictionsInput requests the predicted tidal current at one station.
type CurrentPredictionsInput struct {
	place.StationOrPlace
	Bin      *int   `json:"bin,omitempty" doc:"Depth bin; default: the station's predicted one." min:"0" max:"200" example:"1"`
	Interval string `json:"interval" default:"max_slack" enum:"max_slack h 1 6 10 30 60" also:"hourly=h" doc:"max_slack: flood, ebb, slack; h or minutes: velocities."`
	VelType  string `json:"vel_type" default:"default" enum:"default speed_dir" doc:"Leave it: speed_dir is not available."`
	CurrentFilters
	operation.Span
	operation.InUnits
	operation.InZone
}

// Validate requires a station or a place, and rejects filters that contradict each other.
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
	Next      string    `json:"next,omitempty"` // flood or ebb: the phase after a slack
	Speed     *float64  `json:"speed"`          // null if NOAA publishes no speed
	Direction *float64  `json:"direction"`      // degrees true, toward; null below 0.1 kn
	// SlackWindow is set for a slack: the interval in which the speed stays below 0.5 kn.
	SlackWindow *SlackWindow `json:"slackWindow,omitempty"`
}

// SlackWindow is the interval around a slack in which the current is weak. An end is null if
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

// CurrentMoment is the predicted current at a time.
type CurrentMoment struct {
	Time      time.Time     `json:"time"`
	Phase     string        `json:"phase"` // flood, ebb, or slack below 0.1 kn
	Speed     float64       `json:"speed"`
	Direction *float64      `json:"direction"`
	NextSlack *CurrentEvent `json:"nextSlack"`
	NextMax   *CurrentEvent `json:"nextMax"`
	Previous  *CurrentEvent `json:"previous"` // the event before
}

// CurrentPredictions is the predicted tidal current. It never contains an observation or
// a height.
type CurrentPredictions struct {
	coast.Frame
	SpeedUnit      string               `json:"speedUnit"`
	DirectionUnit  coast.DirectionUnit  `json:"directionUnit"`
	PredictionKind string               `json:"predictionKind"` // harmonic, subordinate
	Bin            *int                 `json:"bin"`            // null if unknown
	Depth          *float64             `json:"depth"`          // null if unknown
	DepthUnit      string               `json:"depthUnit"`
	Directions     directory.Directions `json:"directions"`
	Interval       string               `json:"interval"`
	Span           coast.Span           `json:"span"` // both ends included
	Events         []CurrentEvent       `json:"events,omitzero"`
	Series         *VelocitySeries      `json:"series,omitempty"`
	Windows        []CurrentWindow      `json:"windows,omitzero"` // with at_most or at_least
	Now            *CurrentMoment       `json:"now,omitempty"`
	Begin          *CurrentMoment       `json:"begin,omitempty"` // unless an event lies in the span
	End            *CurrentMoment       `json:"end,omitempty"`
	place.ForPlace
	operation.Page
	input CurrentPredictionsInput
	// unsuited says why no windows are known to suit the bounds of the weather, or is empty.
	unsuited string
}

// Len returns the number of rows.
func (p CurrentPredictions) Len() int {
	if p.Windows != nil {
		return len(p.Windows)
	}
	if p.Series != nil {
		return len(p.Series.Velocities)
	}
	return len(p.Events)
}

// First returns the result with its first n rows, and the arguments of the next page.
func (p CurrentPredictions) First(n int) any {
	if p.Windows != nil {
		return p.firstWindows(n)
	}
	if p.Series != nil {
		part := *p.Series
		part.Velocities, part.Count = part.Velocities[:n], n
		p.input.Span = operation.SpanFrom(operation.At(part.Start, n, part.StepMinutes), p.Span)
		p.Page = operation.Page{Truncated: true, Total: p.Len(), Next: operation.Arguments(p.input)}
		p.Series = &part
		return p
	}
	for n > 1 && p.Events[n].Time.Equal(p.Events[n-1].Time) {
		n-- // the next page begins at a minute and must not repeat an event
	}
	p.input.Span = operation.SpanFrom(p.Events[n].Time, p.Span)
	p.Page = operation.Page{Truncated: true, Total: p.Len(), Next: operation.Arguments(p.input)}
	p.Events = p.Events[:n]
	return p
}

// Describe writes the current now, or the strongest event of the span, then the events or
// velocities.
func (p CurrentPredictions) Describe(t *render.Answer) {
	if p.Windows != nil {
		p.describeWindows(t)
		return
	}
	t.Line("%s%s: %s", operation.StationName(p.Station), p.Away(), p.sentence())
	t.Line("%s", p.legend())
	if p.Series != nil {
		columns := []string{"velocity " + p.SpeedUnit}
		t.Days(columns, len(p.Series.Velocities), func(i int) (time.Time, []render.Cell) {
			return operation.At(p.Series.Start, i, p.Series.StepMinutes),
				[]render.Cell{speedCell(&p.Series.Velocities[i], p.SpeedUnit)}
		})
		return
	}
	columns := []string{"type", "speed " + p.SpeedUnit, "peak", "then", "weak"}
	t.Days(columns, len(p.Events), func(i int) (time.Time, []render.Cell) {
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
		now = fmt.Sprintf("predicted %s now, %s %s", n.Phase, SpeedOf(&n.Speed, p.SpeedUnit), p.SpeedUnit)
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
	return operation.Join("; ", now, next(n.NextSlack, "slack"), next(n.NextMax, peak))
}

// Nothing returns what a result without rows says in place of them: the current at both ends of a
// span without events, or that the light does not have any.
func (p CurrentPredictions) Nothing() string {
	switch {
	case p.Windows != nil:
		return cmp.Or(p.unsuited, "no window in this span")
	case p.Begin == nil && p.input.Lit():
		return "no flood, ebb or slack in " + intervals.LightName(string(p.input.Light)) + " in this span"
	case p.Begin == nil:
		return "no flood, ebb or slack in this span"
	}
	from := p.Begin.Time
	current := func(m *CurrentMoment) string {
		return fmt.Sprintf("%s %s %s at %s", m.Phase, SpeedOf(&m.Speed, p.SpeedUnit), p.SpeedUnit,
			render.Clock(m.Time, from))
	}
	event := func(e *CurrentEvent, when string) string {
		if e == nil {
			return ""
		}
		return fmt.Sprintf("%s %s at %s", when, e.strength(p.SpeedUnit), render.Clock(e.Time, from))
	}
	after := p.End.NextSlack
	if next := p.End.NextMax; after == nil || next != nil && next.Time.Before(after.Time) {
		after = next
	}
	return operation.Join("; ", fmt.Sprintf("no flood, ebb or slack in this span: predicted %s to %s",
		current(p.Begin), current(p.End)), event(p.Begin.Previous, "before it"), event(after, "after it"))
}

// strength returns the phase and the speed of an event: flood 3.10 kn.
func (e CurrentEvent) strength(unit string) string {
	return operation.Join(" ", e.Type, SpeedOf(e.Speed, unit), unit)
}

// strongest returns the strongest event or velocity in the rows.
func (p CurrentPredictions) strongest() string {
	rows := p.Events
	if p.Series != nil {
		rows = p.Series.events()
	}
	if len(rows) == 0 {
		return p.Nothing()
	}
	var most *CurrentEvent
	for i := range rows {
		if e := &rows[i]; e.Speed != nil && (most == nil || *e.Speed > *most.Speed) {
			most = e
		}
	}
	if most == nil {
		return "predicted current"
	}
	return fmt.Sprintf("strongest of these rows is the predicted %s at %s", most.strength(p.SpeedUnit),
		render.Clock(most.Time, time.Time{}))
}

// events returns the velocities as floods and ebbs.
func (s VelocitySeries) events() []CurrentEvent {
	list := make([]CurrentEvent, len(s.Velocities))
	for i, v := range s.Velocities {
		speed, phase := math.Abs(v), "flood"
		if v < 0 {
			phase = "ebb"
		}
		list[i] = CurrentEvent{Time: operation.At(s.Start, i, s.StepMinutes), Type: phase, Speed: &speed}
	}
	return list
}

// legend returns the explanation of the rows: unit, directions, limit of the weak current,
// bin.
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

// cells returns the cells of an event's row, without its time.
func (e CurrentEvent) cells(unit string) []render.Cell {
	kind := render.Word(e.Type)
	if e.Type == "slack" {
		return []render.Cell{kind, {}, {}, render.Word(e.Next).As(", then %s"),
			render.Word(e.SlackWindow.text()).As(", weak %s")}
	}
	least := ""
	if e.Peak == "min" {
		least = "least, between two of the same"
	}
	return []render.Cell{kind, speedCell(e.Speed, unit), render.Word(least).As(" (%s)")}
}

// text returns when the current is weak.
func (w *SlackWindow) text() string {
	switch {
	case w == nil:
		return ""
	case w.From == nil && w.To == nil:
		return "for more than a day"
	case w.From == nil:
		return "until " + w.To.Format("15:04")
	case w.To == nil:
		return "from " + w.From.Format("15:04")
	}
	return w.From.Format("15:04") + "-" + w.To.Format("15:04")
}

// speedCell returns a speed as SpeedOf does.
func speedCell(speed *float64, unit string) render.Cell {
	switch {
	case speed == nil:
		return render.Instead(SpeedOf(nil, unit))
	case unit == "kn":
		return render.Figure(*speed, 2)
	}
	return render.Figure(*speed, 1)
}

// SpeedOf returns a speed as it appears in rows: to 0.01 kn or 0.1 cm/s, as NOAA publishes
// it.
func SpeedOf(speed *float64, unit string) string {
	switch {
	case speed == nil:
		return "(no speed published)"
	case unit == "kn":
		return render.Number(*speed, 2)
	}
	return render.Number(*speed, 1)
}

// CurrentFilters are the arguments that turn current predictions into windows, or limit
// their events.
type CurrentFilters struct {
	AtMost  *float64 `json:"at_most,omitempty" min:"0" max:"500" doc:"Windows in which the speed is at most this, instead of events." example:"0.5"`
	AtLeast *float64 `json:"at_least,omitempty" min:"0" max:"500" doc:"Windows of at least this speed." example:"2"`
	intervals.InLight
	intervals.InWeather
}

// windowed reports whether the filters request windows.
func (f CurrentFilters) windowed() bool { return f.AtMost != nil || f.AtLeast != nil }

// check rejects filters that contradict each other or the interval.
func (f CurrentFilters) check(interval string) error {
	if (f.windowed() || f.Lit()) && interval != "max_slack" {
		return facts.Invalid("interval", "condition", "at_most, at_least and light go with interval "+
			`max_slack, not with a series of interval %s. Leave out interval. Example: "at_most": 0.5.`,
			interval)
	}
	if err := f.CheckBounds(f.windowed(), "at_most or at_least", `"at_most": 0.5`); err != nil {
		return err
	}
	return oneLimit(f.AtMost, f.AtLeast)
}

// usualCurrentWindows is the default span of current windows in hours. There are four slacks
// a day.
const usualCurrentWindows = 7 * 24

// windowSpan returns the span of windows: 7 days from now if none is given.
func (in CurrentPredictionsInput) windowSpan() operation.Span {
	if in.windowed() && in.Given() == "" {
		in.Range = usualCurrentWindows
	}
	return in.Span
}

// firstWindows returns the result with its first n windows.
func (p CurrentPredictions) firstWindows(n int) CurrentPredictions {
	p.input.Span = operation.SpanFrom(p.Windows[n-1].To.Add(time.Minute), p.Span)
	p.Page = operation.Page{Truncated: true, Total: len(p.Windows), Next: operation.Arguments(p.input)}
	p.Windows = p.Windows[:n]
	return p
}

// describeWindows writes the number of windows, then a row for each.
func (p CurrentPredictions) describeWindows(t *render.Answer) {
	limit, side := p.input.AtMost, "at most"
	if p.input.AtLeast != nil {
		limit, side = p.input.AtLeast, "at least"
	}
	light := ""
	if p.input.Lit() {
		light = " in " + intervals.LightName(string(p.input.Light))
	}
	if bounds := p.input.Words(p.input.Units); bounds != "" {
		light += ", " + bounds + ","
	}
	count := operation.Plural(max(p.Total, len(p.Windows)), "window")
	if p.unsuited != "" {
		count = p.unsuited + " Windows"
	}
	t.Line("%s%s: %s of %s %g %s%s from %s to %s", operation.StationName(p.Station), p.Away(),
		count, side, *limit, p.SpeedUnit, light,
		p.Span.From.Format("Mon 2 Jan 15:04"), p.Span.To.Format("Mon 2 Jan 15:04 MST 2006"))
	t.Gap()
	in := " " + p.SpeedUnit
	columns := []string{"to", "minutes", "slack", "turn", "before" + in, "after" + in, "fastest" + in,
		"at", "toward degrees true"}
	t.Days(columns, len(p.Windows), func(i int) (time.Time, []render.Cell) {
		w := p.Windows[i]
		return w.From, append([]render.Cell{
			render.Word(intervals.Until(w.From, w.To)).As(" to %s"),
			render.Figure(float64(w.Minutes), 0).As(", %s min"),
		}, w.cells(p.SpeedUnit)...)
	})
}

// cells returns the cells that describe a window's slack or run: slack, turn, the speeds before and
// after it, and of a run its fastest, when, and the direction.
func (w CurrentWindow) cells(unit string) []render.Cell {
	if w.Peak != nil {
		cells := []render.Cell{{}, {}, {}, {}, speedCell(&w.Peak.Speed, unit).As(", up to %s"),
			render.Word(intervals.Until(w.From, w.Peak.Time)).As(" at %s"), {}}
		if w.Peak.Direction != nil {
			cells[6] = render.Figure(*w.Peak.Direction, 0).As(" toward %s")
		}
		return cells
	}
	cells := make([]render.Cell, 7)
	if w.SlackAt != nil {
		cells[0] = render.Word(intervals.Until(w.From, *w.SlackAt)).As(", slack %s")
	}
	if w.Turn != "" {
		cells[1] = render.Word(string(w.Turn)).As(", %s")
		cells[2], cells[3] = speedCell(w.Before, unit).As(" (%s"), speedCell(w.After, unit).As(", %s)")
	}
	return cells
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *CurrentPredictionsInput) TakesTurn() bool { return in.Span.Long() }

// slackBelow is the speed in knots that bounds the slack window (our threshold).
const slackBelow = 0.5

// oneLimit rejects two limits of the speed.
func oneLimit(most, least *float64) error {
	if most == nil || least == nil {
		return nil
	}
	return facts.Invalid("at_most", "condition", "at_most and at_least exclude each other: windows "+
		`have one condition. Give one of them. Example: "at_most": 0.5.`)
}
