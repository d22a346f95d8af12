package currents

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// AtCurrentStation holds the arguments that name a current station and a depth bin of it.
type AtCurrentStation struct {
	place.StationOrPlace
	Bin *int `json:"bin,omitempty" min:"0" max:"200" doc:"Depth bin; default: the station's predicted one." example:"1"`
}

// CurrentWindowsInput requests the spans of time in which the predicted current at a station is
// within a limit.
type CurrentWindowsInput struct {
	AtCurrentStation
	AtMost  *float64     `json:"at_most,omitempty" min:"0" max:"500" doc:"Highest speed; 0.5 knots if no limit is given." example:"0.5"`
	AtLeast *float64     `json:"at_least,omitempty" min:"0" max:"500" doc:"Lowest speed." example:"2"`
	Phase   CurrentPhase `json:"phase" default:"any" doc:"Only the part of windows that floods, or that ebbs."`
	intervals.InLight
	intervals.OnDays
	MinMinutes int  `json:"min_minutes" default:"10" min:"0" max:"1440" doc:"Shorter windows are left out."`
	Wind       bool `json:"wind" default:"false" doc:"Adds whether the wind forecast is against the current, for about six days."`
	Limit      int  `json:"limit" default:"20" min:"1" max:"400" doc:"Windows to return."`
	Offset     int  `json:"offset" default:"0" min:"0" max:"10000" doc:"Windows to leave out, for the next page."`
	operation.Span
	operation.InUnits
	operation.InZone
	intervals.Extent
}

// Validate accepts at most one limit.
func (in *CurrentWindowsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	return oneLimit(in.AtMost, in.AtLeast)
}

// CurrentCondition is the condition of windows of a current.
type CurrentCondition struct {
	Side  SpeedSide       `json:"side" doc:"Side of the speed."`
	Speed float64         `json:"speed" doc:"Limit of the speed."`
	Phase CurrentPhase    `json:"phase" doc:"Phase that windows are limited to."`
	Light intervals.Light `json:"light" doc:"Light that windows are limited to."`
}

// CurrentWindow is a span of time in which the speed is within a limit. Its ends are whole
// minutes inside it.
type CurrentWindow struct {
	From          time.Time             `json:"from" doc:"The first whole minute."`
	To            time.Time             `json:"to" doc:"The last whole minute."`
	Minutes       int                   `json:"minutes" doc:"Length of the window."`
	Kind          WindowKind            `json:"kind" doc:"slack below a speed, run above one."`
	Turn          SlackTurn             `json:"turn,omitempty" doc:"What the slack is between; left out without a slack in the window."`
	SlackAt       *time.Time            `json:"slackAt,omitempty" doc:"The published slack in the window; left out without one."`
	Peak          *CurrentPeak          `json:"peak,omitempty" doc:"The fastest minute of a run; left out of slacks."`
	Before        *float64              `json:"before" doc:"Speed of the run before a slack; null for runs, and if it is not known."`
	After         *float64              `json:"after" doc:"Speed of the run after a slack; null for runs, and if it is not known."`
	BeginsBecause intervals.WindowCause `json:"beginsBecause" doc:"Why the window does not begin earlier."`
	EndsBecause   intervals.WindowCause `json:"endsBecause" doc:"Why the window does not end later."`
	Open          []intervals.WindowEnd `json:"open,omitempty" doc:"Ends of the window at which the span ends, so that the window may be longer; left out if there are none."`
	WindAgainst   *WindAgainst          `json:"windAgainst,omitempty" doc:"The wind against the current; left out where no wind was requested or a part of it is not known."`
}

// CurrentPeak is a minute with its predicted current.
type CurrentPeak struct {
	Time      time.Time `json:"time" doc:"The minute."`
	Speed     float64   `json:"speed" doc:"Predicted speed."`
	Direction *float64  `json:"direction" doc:"Direction of flow, degrees true, toward; null if NOAA publishes none, and below 0.1 kn."`
}

// WindAgainst is the worst wind against current in a window.
type WindAgainst struct {
	Level   Opposition `json:"level" doc:"none: not opposed, or below the numbers for watch."`
	Wind    *float64   `json:"wind" doc:"Forecast wind in knots, the stronger of grid and text; null for none."`
	WindOf  WindOrigin `json:"windOf,omitempty" doc:"Where the wind is from; its direction is always the grid's. Left out for none."`
	From    *float64   `json:"from" doc:"Direction that the wind comes from, degrees true; null for none."`
	Current *float64   `json:"current" doc:"Predicted current in knots; null for none."`
	Toward  *float64   `json:"toward" doc:"Direction that the current flows toward, degrees true; null for none."`
}

// CurrentWindows are the windows of a span.
type CurrentWindows struct {
	coast.Frame    `always:"station units timeZone" never:"datum datumEpoch quoted"`
	Place          *place.NamedPlace        `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	SpeedUnit      CurrentSpeedUnit         `json:"speedUnit" doc:"Unit of speeds of the current."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Bin            *int                     `json:"bin" doc:"Depth bin; null if it is not known."`
	Directions     directory.Directions     `json:"directions" doc:"Directions of flood and ebb."`
	Span           coast.Span               `json:"span" doc:"Span of the result, both ends included."`
	Condition      CurrentCondition         `json:"condition" doc:"The requested condition."`
	Total          int                      `json:"total" doc:"Number of windows in the span."`
	MinutesInAll   int                      `json:"minutesInAll" doc:"Minutes of all windows in the span."`
	Summary        string                   `json:"summary" doc:"Result in a sentence."`
	Windows        []CurrentWindow          `json:"windows" doc:"The windows of this page, in order of time."`
	NextOffset     *int                     `json:"nextOffset,omitempty" doc:"The offset of the next page; left out of the last."`
}

// CurrentWindows computes when the predicted current at a station is within a limit. Errors:
// those of CurrentPredictions. If the wind is not available, it is listed in missing.
func (s Operations) CurrentWindows(
	ctx context.Context, in CurrentWindowsInput,
) (CurrentWindows, error) {
	fs := s.facts.Set()
	at, err := currentAt(ctx, fs, &in.AtCurrentStation)
	if err != nil {
		return CurrentWindows{}, err
	}
	z, span, err := in.Extent.Resolve(fs, in.Span, string(in.TimeZone), at.st)
	if err != nil {
		return CurrentWindows{}, err
	}
	speed := facts.SpeedsIn(in.Units)
	out := CurrentWindows{
		Frame: at.frame(fs, in.Units, z), Place: at.Place.Place,
		SpeedUnit:      CurrentSpeedUnit(speed.Name),
		PredictionKind: directory.KindOf(at.st), Bin: facts.BinOf(at.st),
		Directions: directory.DirectionsOf(at.st),
		Span:       coast.Span{From: span.From, To: span.To}, Condition: in.condition(speed),
	}
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(at.st, span)...)
	if in.Lit() {
		out.Notes = append(out.Notes, at.ItselfNote("Light is")...)
	}
	w := windowsOfCurrent{
		in: in, at: at, span: span, home: fs.Local(at.st), out: &out,
		currentRows: newCurrentRows(at, speed, z),
	}
	err = w.fill(ctx, fs)
	return out, err
}

// condition returns the condition that a request describes.
func (in CurrentWindowsInput) condition(speed facts.Unit) CurrentCondition {
	c := CurrentCondition{
		Side: "at_most", Speed: speed.Of(slackBelow), Phase: in.Phase, Light: cmp.Or(in.Light, "any"),
	}
	switch {
	case in.AtMost != nil:
		c.Speed = *in.AtMost
	case in.AtLeast != nil:
		c.Side, c.Speed = "at_least", *in.AtLeast
	}
	return c
}

// currentStation is the predictor of a request.
type currentStation struct {
	place.Resolved
	tide.Currents
	st stations.Station
}

// currentAt finds the current station of a request, or of its place, whose speeds are predicted.
func currentAt(
	ctx context.Context, fs facts.Set, in *AtCurrentStation,
) (at currentStation, err error) {
	if at.Resolved, err = currentPlace(fs, &in.StationOrPlace); err != nil {
		return at, err
	}
	if at.st, err = fs.CurrentBin(ctx, in.Station, in.Bin); err != nil {
		return at, err
	}
	at.st = at.st.Snapshot()
	if at.Currents, err = currentsOf(fs, at.st); err != nil {
		return at, err
	}
	if facts.Unrated(at.Currents) {
		return at, coast.Errorf(coast.ProductUnavailable, "NOAA gives no speeds of one phase at %s "+
			"(%s): there are times of its events, but no windows and no transits.", at.st.ID, at.st.Name)
	}
	return at, nil
}

// currentsOf returns the predictor of a station.
func currentsOf(fs facts.Set, st stations.Station) (tide.Currents, error) {
	currents, ok := fs.Stations.Currents(st)
	if !ok {
		return currents, coast.Errorf(
			coast.ProductUnavailable, "%s (%s) has no constants to predict currents from.", st.ID, st.Name,
		)
	}
	return currents, nil
}

// frame returns the frame of a result about the station.
func (c currentStation) frame(fs facts.Set, units coast.Units, z facts.Zone) coast.Frame {
	f := coast.Frame{
		Station: facts.Card(c.st), Units: units, TimeZone: z.Label,
		Provenance: fs.Predictions(c.st, fs.Current(c.st)),
	}
	c.Explain(&f.Provenance)
	if note := otherDefault(c.st); note != "" {
		f.Notes = append(f.Notes, note)
	}
	if c.st.Subordinate() {
		f.Notes = append(f.Notes, "Velocities between the events are interpolated by Leadline, not "+
			"published by NOAA: "+c.st.ID+" is subordinate to "+c.st.Reference+".")
	}
	return f
}

// windowsOfCurrent computes the windows of a result.
type windowsOfCurrent struct {
	currentRows
	in   CurrentWindowsInput
	at   currentStation
	span facts.Interval
	home *time.Location // of the station
	out  *CurrentWindows
}

func (w *windowsOfCurrent) fill(ctx context.Context, fs facts.Set) error {
	found, spans, err := w.find(ctx)
	if err != nil {
		return err
	}
	w.load(w.span)
	out, slack := w.out, w.out.Condition.Side == "at_most"
	all := make([]CurrentWindow, 0, len(found))
	short := 0
	for _, i := range found {
		first, last, ok := i.Minutes()
		if !ok || last.Sub(first) < time.Duration(w.in.MinMinutes)*time.Minute {
			short++
			continue
		}
		row, err := w.row(ctx, i, first, last, slack)
		if err != nil {
			return err
		}
		all = append(all, row)
		out.MinutesInAll += row.Minutes
	}
	out.Total, out.Summary = len(all), w.summary(all)
	out.Windows, out.NextOffset = intervals.Page(all, w.in.Offset, w.in.Most(w.in.Limit))
	out.Sources = append(out.Sources, fs.Calculated("current-windows",
		"Times at which the predicted current passes a speed", facts.StationPage(w.at.st.ID)))
	if short > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s shorter than %d minutes left out.",
			operation.Plural(short, "window"), max(w.in.MinMinutes, 1)))
	}
	if len(spans) == 0 || len(spans) == 1 && spans[0].Whole() {
		note, err := w.reach(ctx, len(spans) > 0)
		if err != nil {
			return err
		}
		out.Notes = append(out.Notes, note)
	} else if len(found) == 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("The current is within the limit in %s, but not in "+
			"the requested phase, light or hours, or on the requested days.",
			operation.Plural(len(spans), "window")))
	}
	if w.in.Wind {
		w.addWind(ctx, fs)
	}
	return nil
}

// find returns the intervals of the windows, and the intervals that only the speed determines.
func (w *windowsOfCurrent) find(
	ctx context.Context,
) (found, spans []intervals.Interval, err error) {
	limit, find := w.speed.Base(w.out.Condition.Speed), w.AtMost
	switch {
	case w.in.AtLeast != nil:
		find = w.AtLeast
	case w.in.AtMost == nil:
		limit = slackBelow
	}
	spans = intervals.IntervalsOf(find(w.span.From, w.span.To, limit), w.span)
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	found = spans
	switch w.in.Phase {
	case "flood":
		found = intervals.Intersect(spans,
			intervals.Turning(intervals.IntervalsOf(w.Floods(w.span.From, w.span.To), w.span)))
	case "ebb":
		found = intervals.Intersect(spans,
			intervals.Turning(intervals.IntervalsOf(w.Ebbs(w.span.From, w.span.To), w.span)))
	}
	found = w.in.OnDays.Within(found, w.home)
	if w.in.Lit() {
		found, err = intervals.LightOf(ctx, w.at.Sky(w.at.st), found, sky.Light(w.in.Light))
	}
	return found, spans, cmp.Or(err, context.Cause(ctx))
}

// reach returns a note with the greatest speed, for a limit that it never or always keeps.
func (w *windowsOfCurrent) reach(ctx context.Context, always bool) (string, error) {
	peak, err := w.peak(ctx, w.span.From.Truncate(time.Minute), w.span.To)
	if err != nil {
		return "", err
	}
	fastest := peak.Speed
	c, is := w.out.Condition, "never"
	if always {
		is = "always"
	}
	return fmt.Sprintf("In this span the current is %s %s %g %s: the fastest minute has %s %s.", is,
		c.Side.words(), c.Speed, w.speed.Name, SpeedOf(&fastest, w.speed.Name), w.speed.Name), nil
}

// summary returns the number of windows and the most useful of them: the longest slack, or the
// strongest run.
func (w *windowsOfCurrent) summary(all []CurrentWindow) string {
	if len(all) == 0 {
		return "No windows."
	}
	best := all[0]
	for _, row := range all {
		stronger := row.Peak != nil && row.Peak.Speed > best.Peak.Speed
		if stronger || row.Peak == nil && row.Minutes > best.Minutes {
			best = row
		}
	}
	text := fmt.Sprintf("%s; the longest on %s.", operation.Plural(len(all), "window"),
		intervals.Stretch(best.From, best.To))
	if best.Peak != nil {
		text = fmt.Sprintf("%s; the strongest on %s, up to %s %s at %s.",
			operation.Plural(len(all), "window"),
			intervals.Stretch(best.From, best.To), SpeedOf(&best.Peak.Speed, w.speed.Name), w.speed.Name,
			best.Peak.Time.Format("15:04"))
	}
	return text
}

// WindHours is the length of a wind forecast: the weather service's grid has about six days.
const WindHours = 156

// addWind adds the wind against the current to the rows. Rows whose wind is not known remain
// without it.
func (w *windowsOfCurrent) addWind(ctx context.Context, fs facts.Set) {
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	at := facts.Place{Place: place.PositionOf(w.at.st), Zone: w.zone}
	forecast, err := fs.GridForecast(ctx, &w.out.Provenance, at, WindHours, coast.English)
	if err != nil {
		fs.Missing(&w.out.Provenance, facts.GridOrigin(at.Latitude, at.Longitude), "windAgainst", err)
		return
	}
	text, applies := fs.TextWind(ctx, &w.out.Provenance, at, w.span, coast.English)
	winds := JudgedWinds{forecast.Hours, text, applies}
	known := 0
	for i := range w.out.Windows {
		row := &w.out.Windows[i]
		if row.WindAgainst = w.against(*row, winds); row.WindAgainst != nil {
			known++
		}
	}
	if unknown := len(w.out.Windows) - known; unknown > 0 {
		w.out.Missing = append(w.out.Missing, coast.Missing{
			Input: "windAgainst of " + operation.Plural(unknown, "window"),
			Reason: "the forecast does not cover them, the wind of the text, which may be stronger, is " +
				"not known, or the direction of the current is not; that does not mean that the wind is calm",
		})
	}
}

// against returns the worst wind against the current in a window: of the same level the one with
// the fastest current. It is nil if a part of it is not known.
func (w *windowsOfCurrent) against(row CurrentWindow, winds JudgedWinds) *WindAgainst {
	worst := &WindAgainst{Level: "none"}
	for at := row.From; !at.After(row.To); at = at.Add(10 * time.Minute) {
		var v [1]float64
		w.Velocities(at, time.Minute, v[:])
		set := w.direction(v[0])
		other, known := winds.against(at, math.Abs(v[0]), set)
		if !known {
			return nil
		}
		if other.worse(worst) {
			worst = &other
		}
	}
	return worst
}

// JudgedWinds are the winds of a place that are judged against a current: the stronger of grid, in
// knots, and text, from where the grid says.
type JudgedWinds struct {
	Grid    facts.ForecastHours
	Text    *facts.TextWind
	Applies bool // a text is written for the place
}

// against returns the wind at a time against a current in knots toward a direction, which is nil if
// it is not known. known is false if a part of it is not, and could make a difference.
func (j JudgedWinds) against(at time.Time, speed float64, toward *float64) (
	w WindAgainst, known bool,
) {
	h, none := j.Grid, WindAgainst{Level: "none"}
	i := int(at.Sub(h.Start) / (time.Duration(h.StepMinutes) * time.Minute))
	if at.Before(h.Start) || i >= h.Count || h.Speeds[i] == nil || h.Directions[i] == nil {
		return none, false
	}
	if toward == nil {
		return none, speed < tide.Weak
	}
	const anyWind = 1000 // knots
	from, current := *h.Directions[i], facts.SpeedsIn(coast.English).Of(speed)
	wind, ofText, sure := j.Text.Stronger(*h.Speeds[i], at)
	w = WindAgainst{"none", &wind, "grid", &from, &current, toward}
	if ofText {
		w.WindOf = "text"
	}
	if severity := decide.WindAgainstCurrent(wind, from, speed, *toward); severity != "" {
		w.Level = Opposition(severity)
		return w, true
	}
	return none, sure || !j.Applies || decide.WindAgainstCurrent(anyWind, from, speed, *toward) == ""
}

// worse reports whether the wind is against the current more than another.
func (w WindAgainst) worse(than *WindAgainst) bool {
	levels := []Opposition{"none", "watch", "action"}
	d := slices.Index(levels, w.Level) - slices.Index(levels, than.Level)
	return d > 0 || d == 0 && w.Level != "none" && *w.Current > *than.Current
}

// currentRows makes the rows of windows.
type currentRows struct {
	tide.Currents
	speed      facts.Unit
	zone       facts.Zone // of the result
	directions directory.Directions
	events     []tide.CurrentEvent // that are not long past
}

func newCurrentRows(at currentStation, speed facts.Unit, z facts.Zone) currentRows {
	return currentRows{Currents: at.Currents, speed: speed, zone: z,
		directions: directory.DirectionsOf(at.st)}
}

// aroundWindow is long enough to include the runs on both sides of a window.
const aroundWindow = 48 * time.Hour

// load computes the events for the rows of a span.
func (c *currentRows) load(span facts.Interval) {
	c.events = c.Events(span.From.Add(-aroundWindow), span.To.Add(aroundWindow))
}

// row returns the window of an interval. The windows of a span must be in order of time.
func (c *currentRows) row(
	ctx context.Context, i intervals.Interval, first, last time.Time, slack bool,
) (w CurrentWindow, err error) {
	w = CurrentWindow{
		From: first.In(c.zone.Location), To: last.In(c.zone.Location),
		Minutes: int(last.Sub(first) / time.Minute), Kind: "run",
		BeginsBecause: intervals.WindowCause(i.Begins), EndsBecause: intervals.WindowCause(i.Closes),
		Open: i.Open(),
	}
	if !slack {
		w.Peak, err = c.peak(ctx, first, last)
		return w, err
	}
	w.Kind = "slack"
	for len(c.events) > 0 && first.Sub(c.events[0].Time) > aroundWindow {
		c.events = c.events[1:]
	}
	var before, after *tide.CurrentEvent
	for n := 0; n < len(c.events) && after == nil; n++ {
		switch e := &c.events[n]; {
		case e.Phase == tide.Slack:
			if w.SlackAt == nil && !e.Time.Before(first) && !e.Time.After(last) {
				at := e.Time.In(c.zone.Location)
				w.SlackAt = &at
			}
		case e.Min:
		case e.Time.Before(first):
			before = e
		case e.Time.After(last):
			after = e
		}
	}
	w.Before, w.After = c.speedOf(before), c.speedOf(after)
	if before != nil && after != nil && w.SlackAt != nil {
		w.Turn = SlackTurn(string(before.Phase) + " to " + string(after.Phase))
	}
	return w, context.Cause(ctx)
}

// speedOf returns the speed of an event, or nil if there is no event.
func (c *currentRows) speedOf(e *tide.CurrentEvent) *float64 {
	if e == nil {
		return nil
	}
	speed := c.speed.Of(math.Abs(e.Velocity))
	return &speed
}

// direction returns the direction of flow at a velocity, or nil if the current is too weak to
// have a direction.
func (c *currentRows) direction(velocity float64) *float64 {
	return directory.Toward(velocity, c.directions)
}

// peak returns the fastest minute of [from, to].
func (c *currentRows) peak(ctx context.Context, from, to time.Time) (*CurrentPeak, error) {
	var minutes [1440]float64
	at, fastest := from, 0.0
	for ; !from.After(to); from = operation.At(from, len(minutes), 1) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		part := minutes[:min(len(minutes), 1+int(to.Sub(from)/time.Minute))]
		c.Velocities(from, time.Minute, part)
		for i, v := range part {
			if math.Abs(v) > math.Abs(fastest) {
				at, fastest = operation.At(from, i, 1), v
			}
		}
	}
	return &CurrentPeak{
		at.In(c.zone.Location), c.speed.Of(math.Abs(fastest)), c.direction(fastest),
	}, nil
}

// Describe writes the condition and the summary, then a row for each window.
func (w CurrentWindows) Describe(t *render.Answer) {
	c, phase, light := w.Condition, "", ""
	if c.Phase != "any" {
		phase = " of " + string(c.Phase)
	}
	if c.Light != "any" {
		light = " in " + intervals.LightName(string(c.Light))
	}
	t.Line("%s%s, %s %g %s%s%s: %s", operation.StationName(w.Station),
		place.ForPlace{Place: w.Place}.Away(),
		c.Side.words(), c.Speed, w.SpeedUnit, phase, light, w.Summary)
	t.Gap()
	in := " " + string(w.SpeedUnit)
	columns := []string{"from", "to", "minutes", "slack", "turn", "before" + in, "after" + in,
		"fastest" + in, "at", "toward degrees true", "wind"}
	shown := w.Windows[:min(len(w.Windows), operation.TextRows)]
	t.Rows(columns, len(shown), func(i int) []render.Cell {
		row := shown[i]
		cells := append([]render.Cell{
			render.Word(row.From.Format("Mon 2006-01-02 15:04")),
			render.Word(intervals.Until(row.From, row.To)).As(" to %s"),
			render.Figure(float64(row.Minutes), 0).As(", %s min"),
		}, row.cells(string(w.SpeedUnit))...)
		return append(cells, render.Word(row.WindAgainst.cells()).As(", %s"))
	})
	intervals.DescribeNext(t, len(w.Windows), w.Total, w.NextOffset)
}

// cells returns the cells for the wind of a window.
func (w *WindAgainst) cells() string {
	switch {
	case w == nil:
		return ""
	case w.Level == "none":
		return "no wind against it"
	}
	of := ""
	if w.WindOf == "text" {
		of = " of the coastal waters text"
	}
	return fmt.Sprintf("wind against current: %s (wind%s %s kn from %.0f, current %s kn toward "+
		"%.0f)", w.Level, of, render.Short(*w.Wind, 1), *w.From, render.Short(*w.Current, 1), *w.Toward)
}

// All returns the request for all rows of its span.
func (in CurrentWindowsInput) All() CurrentWindowsInput {
	in.Offset = 0
	in.SetWhole()
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one, without the wind, which a provider must be asked for.
func (in CurrentWindowsInput) OfCalendar() CurrentWindowsInput {
	in.Offset, in.Wind = 0, false
	in.SetCalendar()
	return in
}

// WorstAgainst returns the worst severity of the wind of an hour against the velocities in it, or
// nil if a part that matters is not known.
func (j JudgedWinds) WorstAgainst(
	hour time.Time, velocities []float64, d directory.Directions,
) *string {
	worst := WindAgainst{Level: "none"}
	for _, v := range velocities {
		w, known := j.against(hour, math.Abs(v), directory.Toward(v, d))
		if !known {
			return nil
		}
		if w.worse(&worst) {
			worst = w
		}
	}
	level := string(worst.Level)
	return &level
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *CurrentWindowsInput) TakesTurn() bool { return in.Span.Long() }
