package tides

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// TidePredictionsInput requests the astronomical tide at one station.
type TidePredictionsInput struct {
	place.StationOrPlace
	Interval operation.Interval `json:"interval" default:"hilo" also:"high_low=hilo hourly=h" doc:"hilo: high and low waters; h or minutes: heights."`
	operation.Span
	Hours int `json:"hours,omitempty" doc:"Same as range." min:"1" max:"87600" example:"48"`
	TideFilters
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

// Validate converts hours into range, and rejects filters that contradict each other.
func (in *TidePredictionsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	if err := in.TideFilters.check(string(in.Interval)); err != nil {
		return err
	}
	return foldHours(&in.Hours, &in.Range)
}

func foldHours(hours, length *int) error {
	if *hours != 0 && *length != 0 && *hours != *length {
		return facts.InvalidSpan(
			"hours",
			`hours and range are two names of one argument, but %d is not %d. Give one of them. Example: `+
				`"hours": 48.`, *hours, *length,
		)
	}
	*length = max(*hours, *length)
	*hours = 0
	return nil
}

// HeightSeries are predicted heights at equal steps of time.
type HeightSeries struct {
	Start       time.Time `json:"start" doc:"Time of the first height."`
	StepMinutes int       `json:"stepMinutes" doc:"Minutes from one height to the next."`
	Count       int       `json:"count" doc:"Number of heights."`
	Heights     []float64 `json:"heights" doc:"Heights above the datum, one for each step."`
}

// TideMoment is the predicted tide at the time of the result.
type TideMoment struct {
	Time   time.Time `json:"time" doc:"The time."`
	Height float64   `json:"height" doc:"Height above the datum."`
	State  TideState `json:"state" doc:"What the tide does. It is a stand within 10 minutes of high or low water."`
	Rate   float64   `json:"rate" doc:"Change of the height per hour, in the unit rateUnit; falling is negative."`
	// ChangeFromPrevious is the height minus that of the previous event.
	ChangeFromPrevious *float64   `json:"changeFromPrevious" doc:"Height minus that of the previous event; null if previous is null."`
	Next               *TideEvent `json:"next" doc:"The next event; null if no event follows within ten days."`
	Previous           *TideEvent `json:"previous" doc:"The event before; null if no event precedes within ten days."`
}

// TidePredictions is the predicted tide. It never contains an observation.
type TidePredictions struct {
	coast.Frame    `always:"station datum units timeZone" never:"quoted"`
	HeightUnit     coast.HeightUnit         `json:"heightUnit" doc:"Unit of heights."`
	RateUnit       coast.RateUnit           `json:"rateUnit" doc:"Unit of rates."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Interval       operation.Interval       `json:"interval" doc:"The requested interval."`
	Span           coast.Span               `json:"span" doc:"Span of the result, both ends included."`
	// Either Extremes or Series is set, by interval; heights are above the datum.
	Extremes []TideEvent   `json:"extremes,omitzero" doc:"High and low waters at interval hilo; left out at other intervals."`
	Series   *HeightSeries `json:"series,omitempty" doc:"Heights in equal steps; left out at interval hilo."`
	Now      *TideMoment   `json:"now,omitempty" doc:"Tide at the time of the result; left out if the span does not contain it."`
	Begin    *TideMoment   `json:"begin,omitempty" doc:"Tide at the beginning of the span; left out unless no high or low water lies in the span."`
	End      *TideMoment   `json:"end,omitempty" doc:"Tide at the end of the span; left out unless no high or low water lies in the span."`
	place.ForPlace
	filteredTide
	operation.Page
	input  TidePredictionsInput
	ranges string // of the present tide and of days, as a line; "" for none
}

// TidePredictions predicts the astronomical tide at a station. Errors: StationNotFound,
// ProductUnavailable if NOAA predicts no heights there, DatumUnavailable with the datums that
// it has, and RangeTooLong.
func (s Operations) TidePredictions(
	ctx context.Context, in TidePredictionsInput,
) (TidePredictions, error) {
	if in.windowed() {
		return s.tidesInWindows(ctx, in)
	}
	if in.Top > 0 {
		return s.topTides(ctx, in)
	}
	at, st, tides, err := s.At(&in.StationOrPlace, &in.OnDatum)
	if err != nil {
		return TidePredictions{}, err
	}
	fs := s.facts.Set()
	z, span, err := fs.Forward(in.Span, string(in.TimeZone), st)
	if err != nil {
		return TidePredictions{}, err
	}
	h := facts.HeightsIn(in.Units)
	out := TidePredictions{
		Frame:      Frame(fs, st, string(in.Datum), in.Units, z),
		HeightUnit: coast.HeightUnit(h.Name), RateUnit: coast.RateUnit(h.Name + "/h"),
		PredictionKind: directory.KindOf(st),
		Interval:       in.Interval, input: in, Span: coast.Span{From: span.From, To: span.To},
	}
	out.ForPlace = at.Place
	at.Explain(&out.Provenance)
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(st, span)...)
	if in.Lit() {
		out.Notes = append(out.Notes, at.ItselfNote("Light is")...)
		err = intervals.WithinYear(span)
	}
	if err != nil {
		return TidePredictions{}, err
	}
	events, err := out.fill(ctx, tides, span, fs.Now, h, z)
	if err != nil {
		return TidePredictions{}, err
	}
	if span.Covers(fs.Now) {
		out.Now = tideMoment(tides, events, fs.Minute(), h, z)
	}
	if out.Len() == 0 {
		out.Begin = tideMoment(tides, nil, span.From, h, z)
		out.End = tideMoment(tides, nil, span.To, h, z)
	}
	if st.Subordinate() && out.disordered() {
		out.Notes = append(
			out.Notes,
			"Here highs and lows do not alternate, or a high is not above the low next to it. NOAA's "+
				"offsets from "+st.Reference+" move and scale each event separately, which can reverse "+
				"events that are close in time or height. The rows follow NOAA's method unchanged.",
		)
	}
	if st.Subordinate() && (out.Series != nil || out.Now != nil || out.Begin != nil) {
		out.Sources = append(out.Sources, fs.Derived(
			st, "tide-interpolation",
			"Heights between the events, interpolated along the reference station's curve",
			facts.StationPage(st.Reference),
		))
		out.Notes = append(
			out.Notes,
			"Heights between high and low water are interpolated by Leadline, not published by NOAA: "+
				st.ID+" is subordinate to "+st.Reference+".",
		)
	}
	out.ranges = out.rangesOf(st, h)
	err = out.limit(ctx, in, at.Sky(st))
	return out, err
}

// disordered reports whether two neighboring extremes have the same type or the same
// minute, or the high is not above the low.
func (p TidePredictions) disordered() bool {
	for i := 1; i < len(p.Extremes); i++ {
		before, after := p.Extremes[i-1], p.Extremes[i]
		rises := after.Height > before.Height
		if before.Type == after.Type || before.Time.Equal(after.Time) || rises != (after.Type == "high") {
			return true
		}
	}
	return false
}

// fill computes the events, or the series. It returns the events of the span and, if the span
// contains the current time, the events around it.
func (p *TidePredictions) fill(
	ctx context.Context, tides tide.Tides, span facts.Interval, now time.Time, h facts.Unit,
	z facts.Zone,
) ([]tide.Extreme, error) {
	if p.Interval == "hilo" {
		if err := operation.Bounded(span, operation.LongestExtremes, "hilo"); err != nil {
			return nil, err
		}
		wide := span.Around(now)
		events, err := extremesOf(ctx, tides, wide.From, wide.To)
		if err != nil {
			return nil, err
		}
		p.Extremes = tideEvents(within(events, span), h, z)
		return events, nil
	}
	if err := operation.Bounded(span, operation.LongestSeries, string(p.Interval)); err != nil {
		return nil, err
	}
	start, step, values := operation.Steps(span, string(p.Interval))
	err := operation.FillSeries(ctx, start, time.Duration(step)*time.Minute, values, tides.Heights)
	h.Convert(values)
	p.Series = &HeightSeries{
		Start: start.In(z.Location), StepMinutes: step, Count: len(values), Heights: values,
	}
	p.Notes = append(p.Notes, operation.LaterStart(span, p.Series.Start, step)...)
	return nil, err
}

// tideMoment returns the state of the tide at a time: a stand within 10 minutes of an event (our
// threshold), otherwise rising or falling. It searches for events beyond those given.
func tideMoment(
	tides tide.Tides, events []tide.Extreme, now time.Time, h facts.Unit, z facts.Zone,
) *TideMoment {
	const stand = 10 * time.Minute
	var around [3]float64 // a minute before, now, a minute after
	tides.Heights(now.Add(-time.Minute), time.Minute, around[:])
	n := &TideMoment{
		Time: now.In(z.Location), Height: h.Of(around[1]), Rate: h.Of((around[2] - around[0]) * 30),
		State: "rising",
	}
	if around[2] < around[0] {
		n.State = "falling"
	}
	previous, next := neighbors(events, now)
	if previous == nil || next == nil { // the span is only part of a day, or has no events
		// The events can be days away if a diurnal tide is near its weakest.
		const far = 10 * 24 * time.Hour
		previous, next = neighbors(tides.Extremes(now.Add(-far), now.Add(far)), now)
	}
	for _, e := range []*tide.Extreme{previous, next} {
		if e != nil && e.Time.Sub(now).Abs() <= stand {
			n.State = TideState(tideEvent(*e, h, z).Type) + "_stand"
		}
	}
	if previous != nil {
		e := tideEvent(*previous, h, z)
		change := h.Of(around[1] - previous.Height)
		n.Previous, n.ChangeFromPrevious = &e, &change
	}
	if next != nil {
		e := tideEvent(*next, h, z)
		n.Next = &e
	}
	return n
}

// neighbors returns the last event up to now and the first one after it.
func neighbors(events []tide.Extreme, now time.Time) (previous, next *tide.Extreme) {
	for i := range events {
		if events[i].Time.After(now) {
			return previous, &events[i]
		}
		previous = &events[i]
	}
	return previous, nil
}

// Len returns the number of rows.
func (p TidePredictions) Len() int {
	if p.Windows != nil {
		return len(p.Windows)
	}
	if p.Series != nil {
		return len(p.Series.Heights)
	}
	return len(p.Extremes)
}

// First returns the result with its first n rows, and the arguments of the next page.
func (p TidePredictions) First(n int) any {
	if p.Windows != nil {
		return p.firstWindows(n)
	}
	if p.Series != nil {
		part := *p.Series
		part.Heights, part.Count = part.Heights[:n], n
		p.input.Span = operation.SpanFrom(operation.At(part.Start, n, part.StepMinutes), p.Span)
		p.Page = operation.Page{Truncated: true, Total: p.Len(), Next: operation.Arguments(p.input)}
		p.Series = &part
		return p
	}
	p.input.Span = operation.SpanFrom(p.Extremes[n].Time, p.Span)
	p.Page = operation.Page{Truncated: true, Total: p.Len(), Next: operation.Arguments(p.input)}
	p.Extremes = p.Extremes[:n]
	return p
}

// Describe writes the current tide or a summary of the span, then the events or heights.
func (p TidePredictions) Describe(t *render.Answer) {
	station := operation.StationName(p.Station) + p.Away()
	switch {
	case p.Windows != nil:
		describeWindows(t, station, *p.Condition, string(p.HeightUnit), p.Summary, p.Windows)
		return
	case p.Ranks != nil:
		t.Line("%s: %s Heights in %s on %s.", station, p.Summary, p.HeightUnit, p.Datum)
		t.Gap()
		describeRanks(t, p.Ranks, string(p.HeightUnit))
		return
	}
	t.Line("%s: %s", station, p.sentence())
	height := "height " + string(p.HeightUnit)
	if p.Series != nil {
		t.Days([]string{height}, len(p.Series.Heights), func(i int) (time.Time, []render.Cell) {
			return operation.At(p.Series.Start, i, p.Series.StepMinutes),
				[]render.Cell{render.Figure(p.Series.Heights[i], 2)}
		})
		return
	}
	t.Days([]string{"type", height}, len(p.Extremes), func(i int) (time.Time, []render.Cell) {
		e := p.Extremes[i]
		return e.Time, []render.Cell{render.Word(string(e.Type)), render.Figure(e.Height, 2)}
	})
	if p.ranges != "" {
		t.Gap()
		t.Line("%s", p.ranges)
	}
}

// sentence returns the next event and the current tide, or a summary of the span, as a
// sentence.
func (p TidePredictions) sentence() string {
	if what := p.input.filtered(); what != "" {
		return p.extremesOfRows(what)
	}
	if p.Now == nil || p.Now.Next == nil {
		return p.extremesOfRows("predicted heights")
	}
	now, next := p.Now, p.Now.Next
	state := map[string]string{
		"high_stand": "near high water", "low_stand": "near low water",
	}[string(now.State)]
	if state == "" {
		state = fmt.Sprintf("%s %s %s", now.State, render.Short(math.Abs(now.Rate), 2), p.RateUnit)
	}
	return fmt.Sprintf("next %s %s %s at %s; predicted now %s, %s", next.Type,
		render.Number(next.Height, 2), p.HeightUnit, render.Clock(next.Time, now.Time),
		render.Number(now.Height, 2), state)
}

// Nothing returns what a result without rows says in place of them: the tide at both ends of a span
// without high and low waters, or what the filters do not find.
func (p TidePredictions) Nothing() string {
	if p.Begin == nil {
		return "no " + p.input.filtered() + " in this span"
	}
	event := func(e *TideEvent, when string) string {
		if e == nil {
			return ""
		}
		return fmt.Sprintf("%s %s %s %s at %s", when, e.Type, render.Number(e.Height, 2), p.HeightUnit,
			render.Clock(e.Time, p.Begin.Time))
	}
	height := func(m *TideMoment) string {
		return fmt.Sprintf("%s %s at %s", render.Number(m.Height, 2), p.HeightUnit,
			render.Clock(m.Time, p.Begin.Time))
	}
	trend := "rising"
	if p.End.Height < p.Begin.Height {
		trend = "falling"
	}
	return operation.Join("; ",
		fmt.Sprintf("no high or low water in this span: predicted %s from %s to %s",
			trend, height(p.Begin), height(p.End)), event(p.Begin.Previous, "before it"),
		event(p.End.Next, "after it"))
}

// extremesOfRows returns the lowest and the highest height in the rows, or the only one, after
// a word for what they are.
func (p TidePredictions) extremesOfRows(what string) string {
	at := func(i int) (time.Time, float64) { return p.Extremes[i].Time, p.Extremes[i].Height }
	if s := p.Series; s != nil {
		at = func(i int) (time.Time, float64) {
			return operation.At(s.Start, i, s.StepMinutes),
				s.Heights[i]
		}
	}
	if p.Len() == 0 {
		return p.Nothing()
	}
	highest, lowest := 0, 0
	for i := range p.Len() {
		_, height := at(i)
		if _, most := at(highest); height > most {
			highest = i
		}
		if _, least := at(lowest); height < least {
			lowest = i
		}
	}
	if p.Truncated {
		what += " of these rows"
	}
	text := func(i int) string {
		when, height := at(i)
		return render.Number(height, 2) + " " + string(p.HeightUnit) + " at " + render.Clock(when,
			time.Time{})
	}
	if lowest == highest {
		return what + ": " + text(lowest)
	}
	return what + " from " + text(lowest) + " to " + text(highest)
}

// TideFilters are the arguments that turn tide predictions into windows, or limit their
// events.
type TideFilters struct {
	Below *float64 `json:"below,omitempty" min:"-50" max:"50" doc:"Windows at or below this height, instead of events." example:"0"`
	Above *float64 `json:"above,omitempty" min:"-50" max:"50" doc:"Windows at or above it." example:"9"`
	intervals.InLight
	Type string `json:"type,omitempty" enum:"high low" doc:"These events only." example:"high"`
	Top  int    `json:"top,omitempty" min:"1" max:"60" doc:"With type: the N highest or lowest of up to a year." example:"1"`
	intervals.InWeather
}

// windowed reports whether the filters request windows.
func (f TideFilters) windowed() bool { return f.Below != nil || f.Above != nil }

// filtered names the events that the filters select, or "" if they select all.
func (f TideFilters) filtered() string {
	switch {
	case f.Type == "" && !f.Lit():
		return ""
	case f.Type == "":
		return "predicted high and low waters in " + intervals.LightName(string(f.Light))
	case !f.Lit():
		return "predicted " + f.Type + " waters"
	}
	return "predicted " + f.Type + " waters in " + intervals.LightName(string(f.Light))
}

// check rejects filters that contradict each other or the interval.
func (f TideFilters) check(interval string) error {
	filtered := f.windowed() || f.Lit() || f.Type != "" || f.Top > 0
	switch {
	case f.Below != nil && f.Above != nil:
		return facts.Invalid("below", "condition", "below and above exclude each other: windows have "+
			`one condition. Give one of them. Example: "below": 0.`)
	case filtered && interval != "hilo":
		return facts.Invalid("interval", "condition", "below, above, light, type and top go with "+
			`interval hilo, not with a series of interval %s. Leave out interval. Example: "below": 0.`,
			interval)
	case f.windowed() && (f.Type != "" || f.Top > 0):
		return facts.Invalid("below", "condition", "below and above give windows; type and top select "+
			`high and low waters. Give one or the other. Example: "type": "low", "top": 5.`)
	case f.Top > 0 && f.Type == "":
		return facts.Invalid("type", "required",
			`top needs type: the highest high waters, or the lowest low ones. Example: "type": "high", `+
				`"top": %d.`, f.Top)
	}
	return f.CheckBounds(f.windowed(), "below or above", `"below": 0`)
}

// filteredTide is the part of predictions that filters request. Other results omit it.
type filteredTide struct {
	Condition    *TideCondition `json:"condition,omitempty" schema:"-"`
	MinutesInAll *int           `json:"minutesInAll,omitempty" schema:"-"`
	Summary      string         `json:"summary,omitempty" schema:"-"`
	Windows      []TideWindow   `json:"windows,omitzero" schema:"-" doc:"With below or above: when the tide is there."`
	Ranks        []TideRank     `json:"ranks,omitzero" schema:"-" doc:"With top: the events by height."`
}

// mostWindows is more than the windows of any station in a year.
const mostWindows = 10_000

// tidesInWindows answers a request for windows with the results of TideWindows.
func (s Operations) tidesInWindows(
	ctx context.Context, in TidePredictionsInput,
) (TidePredictions, error) {
	const shortest = 15 // the default of TideWindows
	w, err := s.TideWindows(ctx, TideWindowsInput{
		StationOrPlace: in.StationOrPlace, Below: in.Below, Above: in.Above, InLight: in.InLight,
		MinMinutes: shortest, Limit: mostWindows, Span: in.Span, OnDatum: in.OnDatum,
		InUnits: in.InUnits, InZone: in.InZone, weather: in.InWeather,
	})
	if err != nil {
		return TidePredictions{}, err
	}
	in.Station, in.Place = w.Station.ID, ""
	return TidePredictions{
		ForPlace: place.ForPlace{Place: w.Place},
		Frame:    w.Frame, HeightUnit: w.HeightUnit, RateUnit: w.RateUnit,
		PredictionKind: w.PredictionKind, Interval: in.Interval, Span: w.Span, input: in,
		filteredTide: filteredTide{
			Condition: &w.Condition, MinutesInAll: &w.MinutesInAll, Summary: w.Summary, Windows: w.Windows,
		},
		Page: operation.Page{Total: w.Total},
	}, nil
}

// firstWindows returns the result with its first n windows. The next page begins at the last
// minute of these windows, so that no later window is cut.
func (p TidePredictions) firstWindows(n int) TidePredictions {
	last := p.Windows[n-1].To
	p.input.Span = operation.SpanFrom(last.Add(time.Minute), p.Span)
	p.Page = operation.Page{Truncated: true, Total: len(p.Windows), Next: operation.Arguments(p.input)}
	p.Windows = p.Windows[:n]
	return p
}

// topTides answers a request for the highest or lowest events with the results of TideRanks.
func (s Operations) topTides(
	ctx context.Context, in TidePredictionsInput,
) (TidePredictions, error) {
	what := "lowest"
	if in.Type == "high" {
		what = "highest"
	}
	r, err := s.TideRanks(ctx, TideRanksInput{
		StationOrPlace: in.StationOrPlace, What: TideRanking(what), InLight: in.InLight, Limit: in.Top,
		Span: in.Span, OnDatum: in.OnDatum, InUnits: in.InUnits, InZone: in.InZone,
	})
	if err != nil {
		return TidePredictions{}, err
	}
	return TidePredictions{
		ForPlace: place.ForPlace{Place: r.Place}, Frame: r.Frame, HeightUnit: r.HeightUnit,
		RateUnit: coast.RateUnit(r.HeightUnit + "/h"), PredictionKind: r.PredictionKind,
		Interval: in.Interval,
		Span:     r.Span, input: in, filteredTide: filteredTide{Summary: r.Summary, Ranks: r.Ranks},
	}, nil
}

// limit removes the events that the filters exclude.
func (p *TidePredictions) limit(
	ctx context.Context, in TidePredictionsInput, at sky.Place,
) error {
	lit := func(time.Time) bool { return true }
	if in.Lit() {
		parts, err := intervals.LitParts(ctx, at, p.Span.From, p.Span.To.Add(time.Minute),
			sky.Light(in.Light))
		if err != nil {
			return err
		}
		lit = func(t time.Time) bool { return intervals.Holds(parts, t) }
	}
	p.Extremes = slices.DeleteFunc(p.Extremes, func(e TideEvent) bool {
		return in.Type != "" && string(e.Type) != in.Type || !lit(e.Time)
	})
	return context.Cause(ctx)
}

// TakesTurn reports whether the input takes long to compute, so that it waits for a turn.
func (in *TidePredictionsInput) TakesTurn() bool { return in.Span.Long() }
