package levels

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
)

// WaterLevelsInput requests observed water levels.
type WaterLevelsInput struct {
	place.StationOrPlace
	Interval string `json:"interval" default:"6" enum:"1 6 hourly" also:"h=hourly 60=hourly" doc:"Minutes between values; hourly: verified, weeks later."`
	operation.Span
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

// LevelSeries holds observed heights at equal time steps; null where NOAA has no value.
type LevelSeries struct {
	Start       time.Time  `json:"start" doc:"Time of the first height."`
	StepMinutes int        `json:"stepMinutes" doc:"Minutes from one height to the next."`
	Count       int        `json:"count" doc:"Number of heights."`
	Heights     []*float64 `json:"heights" doc:"Observed heights above the datum; null where NOAA has no value."`
	flags       [][]string // NOAA's on each height
}

// QualityRun is a span of values with the same quality.
type QualityRun struct {
	Quality Quality   `json:"quality" doc:"Whether NOAA has verified the values."`
	From    time.Time `json:"from" doc:"Time of the first value."`
	To      time.Time `json:"to" doc:"Time of the last value."`
}

// NewestLevel is the newest observed height.
type NewestLevel struct {
	Time    time.Time `json:"time" doc:"Time of the observation."`
	Height  float64   `json:"height" doc:"Observed height above the datum."`
	Quality Quality   `json:"quality,omitempty" doc:"Whether NOAA has verified the value; left out if that is not known."`
}

// WaterLevels holds observed levels. The predicted level at the time of the newest
// observation is a separate field, never merged with the observations.
type WaterLevels struct {
	coast.Frame `always:"station datum units timeZone" never:"quoted"`
	HeightUnit  coast.HeightUnit `json:"heightUnit" doc:"Unit of heights."`
	Newest      *NewestLevel     `json:"newest" doc:"Newest observed height that NOAA does not flag; null if the span does not have one."`
	Predicted   *float64         `json:"predicted" doc:"Predicted height above the datum at the time of the newest; null if it is not known."`
	Residual    *float64         `json:"residual" doc:"Observed minus predicted height at that time; null if one of them is not known."`
	Quality     []QualityRun     `json:"quality" doc:"Spans of values with the same quality."`
	Flagged     []FlagRun        `json:"flagged,omitempty" doc:"Spans of observed heights that NOAA flags. They can be wrong and are never the newest; left out if there are none."`
	Observed    LevelSeries      `json:"observed" doc:"Observed heights in equal steps."`
	place.ForPlace
	operation.Page
	input WaterLevelsInput
	now   time.Time

	whole   LevelSeries // the whole span, of which Observed may be a part in an answer
	thinned string      // what is shown of a long series
}

// WaterLevels returns observed levels at a gauge. Errors: StationNotFound,
// ProductUnavailable if the station has no gauge or no data in the span,
// DatumUnavailable, RangeTooLong and ProviderUnavailable.
func (s Operations) WaterLevels(ctx context.Context, in WaterLevelsInput) (WaterLevels, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	at, err := directory.ResolvePlace(ctx, fs, &in.StationOrPlace, "waterlevels",
		"measures water levels",
		place.OfWater)
	if err != nil {
		return WaterLevels{}, err
	}
	st, z, span, err := fs.Observing(ctx, in.Station, in.Span, string(in.TimeZone), facts.Day)
	if err != nil {
		return WaterLevels{}, err
	}
	in.Datum = coast.Datum(in.OnDatum.Of(st))
	levels, err := fs.Levels(ctx, st, z, span, string(in.Datum), in.Interval)
	if err != nil {
		return WaterLevels{}, err
	}
	h := facts.HeightsIn(in.Units)
	at.Explain(&levels.Provenance)
	observed := levelSeries(levels, h, z)
	return WaterLevels{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: in.Datum, DatumEpoch: levels.Epoch, Units: in.Units,
			TimeZone: z.Label, Provenance: levels.Provenance,
		},
		HeightUnit: coast.HeightUnit(h.Name), Newest: NewestOf(levels.Newest, h, z),
		Predicted: h.Known(levels.Predicted), Residual: h.Known(levels.Residual),
		Quality: qualityRuns(levels.Rows, z), Observed: observed, input: in,
		Flagged:  FlagRuns(observed.Start, observed.StepMinutes, observed.flags),
		ForPlace: at.Place, now: fs.Now,
	}, nil
}

// NewestOf returns the newest observed height, nil without one.
func NewestOf(l *noaa.Level, h facts.Unit, z facts.Zone) *NewestLevel {
	if l == nil {
		return nil
	}
	return &NewestLevel{l.Time.In(z.Location), h.Of(*l.Height), qualityName(l.Quality)}
}

// levelSeries returns the levels as one column from the first step of the span to the
// newest row.
func levelSeries(l facts.Levels, h facts.Unit, z facts.Zone) LevelSeries {
	c := l.Column
	out := LevelSeries{
		Start: c.Start.In(z.Location), StepMinutes: c.Step, Heights: make([]*float64, c.Count),
		Count: c.Count, flags: make([][]string, c.Count),
	}
	for _, row := range l.Rows {
		if at, ok := c.Index(row.Time); ok && row.Height != nil {
			out.Heights[at], out.flags[at] = h.Known(row.Height), l.Flags(row)
		}
	}
	return out
}

func qualityName(letter string) Quality {
	switch letter {
	case "p":
		return "preliminary"
	case "v":
		return "verified"
	}
	return ""
}

// qualityRuns returns the spans of equal quality.
func qualityRuns(rows []noaa.Level, z facts.Zone) []QualityRun {
	runs := []QualityRun{}
	for _, row := range rows {
		name := qualityName(row.Quality)
		if name == "" || row.Height == nil {
			continue
		}
		t := row.Time.In(z.Location)
		if last := len(runs) - 1; last >= 0 && runs[last].Quality == name {
			runs[last].To = t
			continue
		}
		runs = append(runs, QualityRun{name, t, t})
	}
	return runs
}

// Len returns the number of rows.
func (l WaterLevels) Len() int { return len(l.Observed.Heights) }

// First returns the result with its first n rows, and the arguments of the next page.
func (l WaterLevels) First(n int) any {
	at := func(i int) time.Time { return operation.At(l.Observed.Start, i, l.Observed.StepMinutes) }
	l.input.Span = operation.SpanFrom(at(n), coast.Span{From: at(0), To: at(l.Len() - 1)})
	l.Page = operation.Page{Truncated: true, Total: l.Len(), Next: operation.Arguments(l.input)}
	l.Observed.Heights, l.Observed.Count = l.Observed.Heights[:n], n
	return l
}

// grid returns the times of the heights.
func (s LevelSeries) grid() operation.Grid {
	return operation.Grid{Start: s.Start, StepMinutes: s.StepMinutes, Count: s.Count}
}

// Thinned returns the result for an answer: a long one has one height in some hours.
func (l WaterLevels) Thinned() any {
	l.whole = l.Observed
	g := l.whole.grid()
	shown := g.Thinned(l.whole.Heights, l.whole.flags)
	if shown == nil {
		return l
	}
	part := LevelSeries{Start: g.At(shown[0]), StepMinutes: (shown[1] - shown[0]) * g.StepMinutes,
		Count: len(shown)}
	for _, i := range shown {
		part.Heights = append(part.Heights, l.whole.Heights[i])
		part.flags = append(part.flags, l.whole.flags[i])
	}
	l.Observed, l.thinned = part, operation.ThinnedLine(shown, g.Count, g.StepMinutes)
	return l
}

// Describe writes the newest level, observed and predicted, the extent of the span, then the
// observed levels.
func (l WaterLevels) Describe(t *render.Answer) {
	t.Line("%s%s: %s", operation.StationName(l.Station), l.Away(), l.sentence())
	if l.thinned != "" {
		t.Line("%s", l.thinned)
	}
	if runs := l.qualities(); runs != "" {
		t.Line("Observed levels, %s:", runs)
	}
	columns := []string{"height " + string(l.HeightUnit), "flagged"}
	t.Days(columns, len(l.Observed.Heights), func(i int) (time.Time, []render.Cell) {
		return operation.At(l.Observed.Start, i, l.Observed.StepMinutes), []render.Cell{
			render.FigureOf(l.Observed.Heights[i], 2), FlagCell(l.Observed.flags[i]),
		}
	})
}

func (l WaterLevels) sentence() string {
	n := l.Newest
	if n == nil {
		if len(l.Flagged) > 0 {
			return "no observed level in this span that NOAA does not flag"
		}
		return "no observed level in this span"
	}
	text := fmt.Sprintf("observed %s %s at %s%s", render.Number(n.Height, 2), l.HeightUnit,
		render.Clock(n.Time, l.now), operation.Stale(l.Frame))
	residual := ""
	if l.Predicted != nil && l.Residual != nil {
		side := "above"
		if *l.Residual < 0 {
			side = "below"
		}
		residual = fmt.Sprintf("predicted %s, residual %s %s", render.Number(*l.Predicted, 2),
			render.Number(math.Abs(*l.Residual), 2), side)
	}
	extent := l.whole.grid().Extent(l.whole.Heights, l.whole.flags, render.Number, l.now)
	if extent != "" {
		extent = "observed " + extent
	}
	return operation.Join("; ", text, residual, extent)
}

// qualities returns the quality of the values: one word if all have the same quality,
// otherwise the start time of each run.
func (l WaterLevels) qualities() string {
	var runs []string
	for _, q := range l.Quality {
		if len(l.Quality) == 1 {
			return string(q.Quality)
		}
		runs = append(runs, string(q.Quality)+" from "+render.Clock(q.From, l.now))
	}
	return strings.Join(runs, ", ")
}
