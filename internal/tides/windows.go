package tides

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"leadline/internal/coast"
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

// TideWindowsInput requests the spans of time in which the predicted tide at a station is
// above or below a level.
type TideWindowsInput struct {
	place.StationOrPlace
	Below           *float64    `json:"below,omitempty" min:"-50" max:"50" doc:"Highest height on the datum." example:"0"`
	Above           *float64    `json:"above,omitempty" min:"-50" max:"50" doc:"Lowest height on the datum." example:"9"`
	Draft           *float64    `json:"draft,omitempty" min:"0" max:"100" doc:"Of the vessel; with charted_depth." example:"6"`
	ChartedDepth    *float64    `json:"charted_depth,omitempty" min:"-50" max:"100" doc:"Of the chart, below MLLW; negative where it dries." example:"4"`
	AirDraft        *float64    `json:"air_draft,omitempty" min:"0" max:"300" doc:"Of the vessel; with bridge_clearance." example:"55"`
	BridgeClearance *float64    `json:"bridge_clearance,omitempty" min:"0" max:"300" doc:"Of the chart, above clearance_datum." example:"50"`
	ClearanceDatum  coast.Datum `json:"clearance_datum" default:"MHW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL" doc:"Zero of bridge_clearance."`
	Margin          float64     `json:"margin" default:"0" min:"0" max:"30" doc:"To spare under the keel or the bridge."`
	intervals.InLight
	intervals.OnDays
	MinMinutes int `json:"min_minutes" default:"15" min:"0" max:"1440" doc:"Shorter windows are left out."`
	Limit      int `json:"limit" default:"20" min:"1" max:"400" doc:"Windows to return."`
	Offset     int `json:"offset" default:"0" min:"0" max:"10000" doc:"Windows to leave out, for the next page."`
	operation.Span
	operation.OnDatum
	operation.InUnits
	operation.InZone
	intervals.Extent

	weather intervals.InWeather // of predictions alone: no front end has it as arguments of windows
}

// Validate requires exactly one condition.
func (in *TideWindowsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	return in.oneCondition()
}

func (in *TideWindowsInput) oneCondition() error {
	count := 0
	for _, given := range []bool{
		in.Below != nil, in.Above != nil, in.Draft != nil || in.ChartedDepth != nil,
		in.AirDraft != nil || in.BridgeClearance != nil,
	} {
		if given {
			count++
		}
	}
	switch {
	case count > 1:
		return facts.Invalid("below", "condition", "Windows have one condition, not %d: give below, or "+
			`above, or draft with charted_depth, or air_draft with bridge_clearance. Example: "below": 0.`,
			count)
	case count == 0:
		return facts.Invalid("below", "required", "Windows need a condition: below or above (a height "+
			"on the datum), draft with charted_depth, or air_draft with bridge_clearance. Example: "+
			`"below": 0.`)
	}
	if err := together("draft", in.Draft, "charted_depth", in.ChartedDepth); err != nil {
		return err
	}
	if err := together("air_draft", in.AirDraft, "bridge_clearance", in.BridgeClearance); err != nil {
		return err
	}
	if in.Margin != 0 && (in.Below != nil || in.Above != nil) {
		return facts.Invalid("margin", "condition", "margin belongs to draft and air_draft: with below "+
			`or above, add it to the height. Example: "below": 0.`)
	}
	return nil
}

// together requires that two arguments are given together or not at all.
func together(a string, first *float64, b string, second *float64) error {
	if (first == nil) == (second == nil) {
		return nil
	}
	missing := a
	if second == nil {
		missing = b
	}
	return facts.Invalid(missing, "required",
		`%s and %s go together; %s is missing. Example: "%s": 6, "%s": 4.`, a, b, missing, a, b)
}

// TideCondition is the condition of windows: the tide is above or below a level.
type TideCondition struct {
	Side  TideSide        `json:"side" doc:"Side of the level."`
	Level float64         `json:"level" doc:"Height of the level above the datum."`
	Datum coast.Datum     `json:"datum" doc:"Level that level is measured from."`
	Light intervals.Light `json:"light" doc:"Light that windows are limited to."`
	Sum   string          `json:"sum,omitempty" doc:"How the level follows from depths or clearances; left out if the request has the level."`
	// Weather has the bounds of the weather as text, if tide predictions request any.
	Weather string `json:"weather,omitempty" schema:"-"`
}

// TideWindow is a span of time in which the condition holds. Its ends are the first and last
// whole minute inside it.
type TideWindow struct {
	From          time.Time             `json:"from" doc:"The first whole minute."`
	To            time.Time             `json:"to" doc:"The last whole minute."`
	Minutes       int                   `json:"minutes" doc:"Length of the window."`
	Extreme       TideMinute            `json:"extreme" doc:"The lowest minute below a level, the highest above it."`
	RateAtFrom    float64               `json:"rateAtFrom" doc:"Change of the height per hour at the beginning; falling is negative."`
	RateAtTo      float64               `json:"rateAtTo" doc:"Change of the height per hour at the end; falling is negative."`
	BeginsBecause intervals.WindowCause `json:"beginsBecause" doc:"Why the window does not begin earlier."`
	EndsBecause   intervals.WindowCause `json:"endsBecause" doc:"Why the window does not end later."`
	Open          []intervals.WindowEnd `json:"open,omitempty" doc:"Ends of the window at which the span ends, so that the window may be longer; left out if there are none."`
}

// TideWindows are the windows of a span.
type TideWindows struct {
	coast.Frame    `always:"station datum units timeZone" never:"quoted"`
	Place          *place.NamedPlace        `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	HeightUnit     coast.HeightUnit         `json:"heightUnit" doc:"Unit of heights."`
	RateUnit       coast.RateUnit           `json:"rateUnit" doc:"Unit of rates."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Span           coast.Span               `json:"span" doc:"Span of the result, both ends included."`
	Condition      TideCondition            `json:"condition" doc:"The requested condition."`
	Total          int                      `json:"total" doc:"Number of windows in the span."`
	MinutesInAll   int                      `json:"minutesInAll" doc:"Minutes of all windows in the span."`
	Summary        string                   `json:"summary" doc:"Result in a sentence."`
	Windows        []TideWindow             `json:"windows" doc:"The windows of this page, in order of time."`
	NextOffset     *int                     `json:"nextOffset,omitempty" doc:"The offset of the next page; left out of the last."`
}

// TideWindows computes when the predicted tide at a station is on one side of a level.
// Errors: those of TidePredictions.
func (s Operations) TideWindows(ctx context.Context, in TideWindowsInput) (TideWindows, error) {
	at, err := s.Resolve(&in.StationOrPlace, in.OnDatum)
	if err != nil {
		return TideWindows{}, err
	}
	st, err := s.facts.TideStation(in.Station)
	if err != nil {
		return TideWindows{}, err
	}
	fs := s.facts.Set()
	z, span, err := in.Extent.Resolve(fs, in.Span, string(in.TimeZone), st)
	if err != nil {
		return TideWindows{}, err
	}
	h := facts.HeightsIn(in.Units)
	condition, err := in.condition(st, h)
	if err != nil {
		return TideWindows{}, err
	}
	tides, err := fs.Tides(st, string(condition.Datum))
	if err != nil {
		return TideWindows{}, in.ofBridge(fs, st, err)
	}
	out := TideWindows{
		Frame:      Frame(fs, st, string(condition.Datum), in.Units, z),
		Place:      at.Place.Place,
		HeightUnit: coast.HeightUnit(h.Name), RateUnit: coast.RateUnit(h.Name + "/h"),
		PredictionKind: directory.KindOf(st),
		Span:           coast.Span{From: span.From, To: span.To}, Condition: condition,
	}
	at.Explain(&out.Provenance)
	if what := in.weather.Itself(in.InLight); what != "" {
		out.Notes = append(out.Notes, at.ItselfNote(what)...)
	}
	w := tideWindows{in, tides, st, at, fs.Local(st), span, h, z, &out}
	err = w.fill(ctx, fs)
	return out, err
}

// condition returns the condition that a request describes.
func (in TideWindowsInput) condition(st stations.Station, h facts.Unit) (TideCondition, error) {
	c := TideCondition{Datum: coast.Datum(in.OnDatum.Of(st)), Light: "any",
		Weather: in.weather.Words(in.Units)}
	if in.Lit() {
		c.Light = in.Light
	}
	unit := h.Name
	switch {
	case in.Below != nil:
		c.Side, c.Level = "below", *in.Below
	case in.Above != nil:
		c.Side, c.Level = "above", *in.Above
	case in.Datum != "":
		return c, facts.Invalid("datum", "condition", "depths are charted below MLLW, and clearances "+
			`above clearance_datum: leave out datum, or ask by height. Example: "datum": %q, "above": 2.`,
			in.Datum)
	case in.Draft != nil:
		c.Datum = "MLLW"
		c.Side, c.Level = "above", *in.Draft+in.Margin-*in.ChartedDepth
		c.Sum = fmt.Sprintf("draft %g + margin %g - charted depth %g = %.4g %s above MLLW", *in.Draft,
			in.Margin, *in.ChartedDepth, c.Level, unit)
	default:
		c.Side, c.Level = "below", *in.BridgeClearance-*in.AirDraft-in.Margin
		c.Datum = in.ClearanceDatum
		c.Sum = fmt.Sprintf("bridge clearance %g - air draft %g - margin %g = %.4g %s above %s",
			*in.BridgeClearance, *in.AirDraft, in.Margin, c.Level, unit, c.Datum)
	}
	c.Level = math.Round(c.Level*1e6)/1e6 + 0 // removes rounding errors of the sum, and minus zero
	return c, nil
}

// ofBridge extends the error about a clearance at a station that lacks the datum of
// clearances. It adds the nearest station that has this datum.
func (in TideWindowsInput) ofBridge(fs facts.Set, st stations.Station, err error) error {
	var e *coast.Error
	if in.BridgeClearance == nil || !errors.As(err, &e) || e.Code != coast.DatumUnavailable {
		return err
	}
	near := fs.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
		if o.Kind != stations.Tide || facts.PredictionKind(o) != "harmonic" {
			return false
		}
		_, ok := fs.Stations.Tides(o, string(in.ClearanceDatum))
		return ok
	})
	out := *e
	out.Message = fmt.Sprintf("Bridge clearances are above %s, and %s", in.ClearanceDatum, e.Message)
	if st.Subordinate() {
		out.Message += fmt.Sprintf(" Its reference station is %s.", st.Reference)
	}
	if len(near) > 0 {
		n := near[0]
		out.Message += fmt.Sprintf(" The nearest reference station with %s is %s (%s), %.1f km away.",
			in.ClearanceDatum, n.Station.ID, n.Station.Name, n.Kilometers)
	}
	out.Issues = []coast.Issue{{Path: "clearance_datum", Code: "unavailable", Message: out.Message}}
	return &out
}

// tideWindows computes the windows of a result.
type tideWindows struct {
	in    TideWindowsInput
	tides tide.Tides
	st    stations.Station
	at    place.Resolved // whose light and weather count
	home  *time.Location // of the station
	span  facts.Interval
	unit  facts.Unit
	zone  facts.Zone // of the result
	out   *TideWindows
}

func (w tideWindows) fill(ctx context.Context, fs facts.Set) error {
	found, spans, err := w.find(ctx)
	if err != nil {
		return err
	}
	out := w.out
	suited, why := w.in.weather.Suited(ctx, fs, w.st, w.at.Position(), w.in.Units, found,
		w.zone.Location, &out.Provenance)
	all := make([]TideWindow, 0, len(suited))
	short := 0
	for _, i := range suited {
		row, ok, err := w.row(ctx, i)
		if err != nil {
			return err
		}
		if !ok || row.Minutes < w.in.MinMinutes {
			short++
			continue
		}
		all = append(all, row)
		out.MinutesInAll += row.Minutes
	}
	out.Total = len(all)
	out.Summary = cmp.Or(why, w.summary(all))
	out.Windows, out.NextOffset = intervals.Page(all, w.in.Offset, w.in.Most(w.in.Limit))
	out.Notes = append(append(out.Notes, w.span.Notes...), w.span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(w.st, w.span)...)
	if short > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s shorter than %d minutes left out.",
			operation.Plural(short, "window"), max(w.in.MinMinutes, 1)))
	}
	if len(spans) == 0 || len(spans) == 1 && spans[0].Whole() {
		out.Notes = append(out.Notes, w.reach())
	}
	if len(found) == 0 && len(spans) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("The tide satisfies the level in %s, but not in the "+
			"requested light or hours, or on the requested days.", operation.Plural(len(spans), "window")))
	}
	out.Sources = append(out.Sources, fs.Calculated("tide-windows",
		"Times at which the predicted tide passes a level", facts.StationPage(w.st.ID)))
	if w.st.Subordinate() {
		out.Notes = append(out.Notes, "Heights between high and low water, and so the ends of windows, "+
			"are interpolated by Leadline, not published by NOAA: "+w.st.ID+" is subordinate to "+
			w.st.Reference+".")
	}
	return nil
}

// find returns the intervals of the windows, and the intervals that only the level
// determines.
func (w tideWindows) find(ctx context.Context) (found, spans []intervals.Interval, err error) {
	level, find := w.unit.Base(w.out.Condition.Level), w.tides.Above
	if w.out.Condition.Side == "below" {
		find = w.tides.Below
	}
	spans = intervals.IntervalsOf(find(w.span.From, w.span.To, level), w.span)
	found = w.in.OnDays.Within(spans, w.home)
	if w.in.Lit() {
		found, err = intervals.LightOf(ctx, w.at.Sky(w.st), found, sky.Light(w.in.Light))
	}
	return found, spans, err
}

// row returns the window of an interval. ok is false if less than a minute lies between its
// ends.
func (w tideWindows) row(
	ctx context.Context, i intervals.Interval,
) (row TideWindow, ok bool, err error) {
	from, to, ok := i.Minutes()
	if !ok {
		return row, false, nil
	}
	at, height, err := w.extreme(ctx, from, to)
	if err != nil {
		return row, false, err
	}
	row = TideWindow{
		From: from.In(w.zone.Location), To: to.In(w.zone.Location),
		Minutes:    int(to.Sub(from) / time.Minute),
		Extreme:    TideMinute{at.In(w.zone.Location), w.unit.Of(height)},
		RateAtFrom: w.rate(from), RateAtTo: w.rate(to),
		BeginsBecause: intervals.WindowCause(i.Begins), EndsBecause: intervals.WindowCause(i.Closes),
		Open: i.Open(),
	}
	return row, true, nil
}

// extreme returns the minute in [from, to] with the lowest tide for windows below a level,
// and with the highest tide for windows above one.
func (w tideWindows) extreme(
	ctx context.Context, from, to time.Time,
) (at time.Time, height float64, err error) {
	sign := 1.0
	if w.out.Condition.Side == "below" {
		sign = -1
	}
	var minutes [1440]float64
	height = math.Inf(int(-sign))
	for ; !from.After(to); from = operation.At(from, len(minutes), 1) {
		if err := context.Cause(ctx); err != nil {
			return at, height, err
		}
		part := minutes[:min(len(minutes), 1+int(to.Sub(from)/time.Minute))]
		w.tides.Heights(from, time.Minute, part)
		for i, v := range part {
			if sign*v > sign*height {
				at, height = operation.At(from, i, 1), v
			}
		}
	}
	return at, height, nil
}

// rate returns the rise per hour at an instant, to a hundredth.
func (w tideWindows) rate(at time.Time) float64 {
	var around [3]float64
	w.tides.Heights(at.Add(-time.Minute), time.Minute, around[:])
	return math.Round(w.unit.Of((around[2]-around[0])*30)*100)/100 + 0
}

// reach returns a note with the range of the tide, for a level that the tide never crosses.
func (w tideWindows) reach() string {
	lowest, highest := w.bounds()
	c, unit := w.out.Condition, w.unit.Name
	is := "never"
	if c.Side == "below" && c.Level >= highest || c.Side == "above" && c.Level <= lowest {
		is = "always"
	}
	text := fmt.Sprintf("In this span the tide is %s %s %g %s: it runs from %.2f to %.2f %s.", is,
		c.Side, c.Level, unit, lowest, highest, unit)
	other := coast.Metric
	if w.in.Units.Meters() {
		other = coast.English
	}
	// The same number in the other unit would lie within the range.
	converted := facts.HeightsIn(other)
	level := c.Level / w.unit.Base(1) * converted.Base(1)
	if lowest < level && level < highest {
		text += fmt.Sprintf(` If %g is in %s, send "units": %q.`, c.Level, converted.Name, other)
	}
	return text
}

// bounds returns the lowest and the highest height in the span, in the unit of the result.
func (w tideWindows) bounds() (lowest, highest float64) {
	lowest, highest = math.Inf(1), math.Inf(-1)
	see := func(height float64) {
		lowest, highest = min(lowest, w.unit.Of(height)), max(highest, w.unit.Of(height))
	}
	for _, e := range w.tides.Extremes(w.span.From, w.span.To) {
		see(e.Height)
	}
	var ends [2]float64
	w.tides.Heights(w.span.From, max(w.span.To.Sub(w.span.From), time.Minute), ends[:])
	see(ends[0])
	see(ends[1])
	return lowest, highest
}

// summary returns the number of windows and the most extreme of them.
func (w tideWindows) summary(all []TideWindow) string {
	if len(all) == 0 {
		return "No windows."
	}
	best, word, bound := all[0], "highest", "up"
	sign := 1.0
	if w.out.Condition.Side == "below" {
		word, bound, sign = "lowest", "down", -1
	}
	for _, row := range all {
		if sign*row.Extreme.Height > sign*best.Extreme.Height {
			best = row
		}
	}
	return fmt.Sprintf("%s; the %s on %s, %s to %s %s at %s.", operation.Plural(len(all), "window"),
		word,
		intervals.Stretch(best.From, best.To), bound, render.Number(best.Extreme.Height, 2), w.unit.Name,
		best.Extreme.Time.Format("15:04"))
}

// describeWindows writes windows of the tide.
func describeWindows(
	t *render.Answer, station string, c TideCondition, unit, summary string, list []TideWindow,
) {
	light := ""
	if c.Light != "any" {
		light = ", " + string(c.Light)
	}
	if c.Weather != "" {
		light += ", " + c.Weather
	}
	t.Line("%s, %s %g %s on %s%s: %s", station, c.Side, c.Level, unit, c.Datum, light, summary)
	if c.Sum != "" {
		t.Line("Level: %s.", c.Sum)
	}
	t.Gap()
	columns := []string{"from", "to", "minutes", "extreme " + unit, "at", "ends"}
	t.Rows(columns, len(list), func(i int) []render.Cell {
		w := list[i]
		return []render.Cell{
			render.Word(w.From.Format("Mon 2006-01-02 15:04")),
			render.Word(intervals.Until(w.From, w.To)).As(" to %s"),
			render.Figure(float64(w.Minutes), 0).As(", %s min"),
			render.Figure(w.Extreme.Height, 2).As(", %s"),
			render.Word(intervals.Until(w.From, w.Extreme.Time)).As(" at %s"),
			render.Word(causes(w)).As(" (%s)"),
		}
	})
}

// causes describes the ends of a window that have another cause than the level.
func causes(w TideWindow) string {
	var list []string
	if w.BeginsBecause != intervals.BecauseLevel {
		list = append(list, "from "+string(w.BeginsBecause))
	}
	if w.EndsBecause != intervals.BecauseLevel {
		list = append(list, "to "+string(w.EndsBecause))
	}
	return strings.Join(list, ", ")
}

// All returns the request for all rows of its span.
func (in TideWindowsInput) All() TideWindowsInput {
	in.Offset = 0
	in.SetWhole()
	return in
}

// OfCalendar returns the request for all rows in the horizon of calendars, or in its own span if it
// has one.
func (in TideWindowsInput) OfCalendar() TideWindowsInput {
	in.Offset = 0
	in.SetCalendar()
	return in
}

// Describe writes the condition and the summary, then a row for each window.
func (w TideWindows) Describe(t *render.Answer) {
	describeWindows(t, operation.StationName(w.Station)+place.ForPlace{Place: w.Place}.Away(),
		w.Condition,
		string(w.HeightUnit), w.Summary, w.Windows[:min(len(w.Windows), operation.TextRows)])
	intervals.DescribeNext(t, len(w.Windows), w.Total, w.NextOffset)
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *TideWindowsInput) TakesTurn() bool { return in.Span.Long() }
