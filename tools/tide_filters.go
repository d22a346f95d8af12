package tools

import (
	"context"
	"slices"
	"time"

	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/stations"
)

// TideFilters are the arguments that turn tide predictions into windows, or limit their
// events.
type TideFilters struct {
	Below *float64 `json:"below,omitempty" min:"-50" max:"50" doc:"Windows at or below this height, instead of events." example:"0"`
	Above *float64 `json:"above,omitempty" min:"-50" max:"50" doc:"Windows at or above it." example:"9"`
	InLight
	Type string `json:"type,omitempty" enum:"high low" doc:"These events only." example:"high"`
	Top  int    `json:"top,omitempty" min:"1" max:"60" doc:"With type: the N highest or lowest of up to a year." example:"1"`
}

// windowed reports whether the filters request windows.
func (f TideFilters) windowed() bool { return f.Below != nil || f.Above != nil }

// filtered names the events that the filters select, "" if that is all of them.
func (f TideFilters) filtered() string {
	switch {
	case f.Type == "" && !f.lit():
		return ""
	case f.Type == "":
		return "predicted high and low waters in " + lightName(f.Light)
	case !f.lit():
		return "predicted " + f.Type + " waters"
	}
	return "predicted " + f.Type + " waters in " + lightName(f.Light)
}

// check refuses filters that contradict each other or the interval.
func (f TideFilters) check(interval string) error {
	filtered := f.windowed() || f.lit() || f.Type != "" || f.Top > 0
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
	return nil
}

// filteredTide is the part of predictions that filters request. Other results leave it out.
type filteredTide struct {
	Condition    *TideCondition `json:"condition,omitempty" schema:"-"`
	MinutesInAll *int           `json:"minutesInAll,omitempty" schema:"-"`
	Summary      string         `json:"summary,omitempty" schema:"-"`
	Windows      []TideWindow   `json:"windows,omitzero" doc:"With below or above: when the tide is there."`
	Ranks        []TideRank     `json:"ranks,omitzero" doc:"With top: the events by height."`
}

// mostWindows is more than the windows of any station in a year.
const mostWindows = 10_000

// tidesInWindows answers a request of windows: with the results of TideWindows.
func (s waterTools) tidesInWindows(
	ctx context.Context, in TidePredictionsInput,
) (TidePredictions, error) {
	const shortest = 15 // as TideWindows leaves out by default
	w, err := s.TideWindows(ctx, TideWindowsInput{
		StationOrPlace: in.StationOrPlace, Below: in.Below, Above: in.Above, InLight: in.InLight,
		MinMinutes: shortest, Limit: mostWindows, Span: in.Span, OnDatum: in.OnDatum,
		InUnits: in.InUnits, InZone: in.InZone,
	})
	if err != nil {
		return TidePredictions{}, err
	}
	in.Station, in.Place = w.Station.ID, ""
	return TidePredictions{
		ForPlace: ForPlace{w.Place},
		Frame:    w.Frame, HeightUnit: w.HeightUnit, RateUnit: w.RateUnit,
		PredictionKind: w.PredictionKind, Interval: in.Interval, Span: w.Span, input: in,
		filteredTide: filteredTide{
			Condition: &w.Condition, MinutesInAll: &w.MinutesInAll, Summary: w.Summary, Windows: w.Windows,
		},
		page: page{Total: w.Total},
	}, nil
}

// firstWindows returns the result with its first n windows. The next page begins with the
// last minute of these, so that none of the others is cut.
func (p TidePredictions) firstWindows(n int) TidePredictions {
	last := p.Windows[n-1].To
	p.input.Span = from(last.Add(time.Minute), p.Span)
	p.page = page{Truncated: true, Total: len(p.Windows), Next: arguments(p.input)}
	p.Windows = p.Windows[:n]
	return p
}

// topTides answers a request of the highest or lowest events: with the results of
// TideRanks.
func (s waterTools) topTides(
	ctx context.Context, in TidePredictionsInput,
) (TidePredictions, error) {
	what := "lowest"
	if in.Type == "high" {
		what = "highest"
	}
	r, err := s.TideRanks(ctx, TideRanksInput{
		StationOrPlace: in.StationOrPlace, What: what, InLight: in.InLight, Limit: in.Top,
		Span: in.Span, OnDatum: in.OnDatum, InUnits: in.InUnits, InZone: in.InZone,
	})
	if err != nil {
		return TidePredictions{}, err
	}
	return TidePredictions{
		ForPlace: ForPlace{r.Place}, Frame: r.Frame, HeightUnit: r.HeightUnit,
		RateUnit: r.HeightUnit + "/h", PredictionKind: r.PredictionKind, Interval: in.Interval,
		Span: r.Span, input: in, filteredTide: filteredTide{Summary: r.Summary, Ranks: r.Ranks},
	}, nil
}

// limit removes the events that the filters exclude.
func (p *TidePredictions) limit(in TidePredictionsInput, st stations.Station) {
	lit := func(time.Time) bool { return true }
	if in.lit() {
		parts := sky.When(placeOf(st), p.Span.From, p.Span.To.Add(time.Minute), sky.Light(in.Light))
		lit = func(t time.Time) bool { return holds(parts, t) }
	}
	p.Extremes = slices.DeleteFunc(p.Extremes, func(e TideEvent) bool {
		return in.Type != "" && e.Type != in.Type || !lit(e.Time)
	})
}

// holds reports whether an instant lies in one of the intervals.
func holds(parts []sky.Interval, t time.Time) bool {
	return slices.ContainsFunc(parts, func(p sky.Interval) bool {
		return !t.Before(p.From) && t.Before(p.To)
	})
}
