package currents

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// CurrentsInput requests observed currents.
type CurrentsInput struct {
	place.StationOrPlace
	Bin    *int `json:"bin,omitempty" doc:"Depth bin; 0: all; default: NOAA's choice." min:"0" max:"200" example:"1"`
	Expand bool `json:"expand_detailed" default:"false" doc:"true adds echo intensity and correlation."`
	operation.Span
	operation.InUnits
	operation.InZone
}

// BinSeries holds the values of one depth bin of a current meter; null where NOAA has no
// value.
type BinSeries struct {
	Bin        int          `json:"bin"`
	Depth      *float64     `json:"depth"` // null where NOAA has no value
	Speeds     []*float64   `json:"speeds"`
	Directions []*float64   `json:"directions"` // toward
	Echo       [][]*float64 `json:"echo,omitzero"`
	Correlated [][]*float64 `json:"correlation,omitzero"`
}

// CurrentSeries holds columns with equal time steps.
type CurrentSeries struct {
	Start       time.Time   `json:"start"`
	StepMinutes int         `json:"stepMinutes"`
	Count       int         `json:"count"`
	Bins        []BinSeries `json:"bins"`
}

// Currents holds observed currents.
type Currents struct {
	coast.Frame
	SpeedUnit     string              `json:"speedUnit"`
	DirectionUnit coast.DirectionUnit `json:"directionUnit"`
	DepthUnit     string              `json:"depthUnit"`
	Observed      CurrentSeries       `json:"observed"`
	operation.Page
	input CurrentsInput
	now   time.Time
	place.ForPlace

	whole   CurrentSeries // the whole span, of which Observed may be a part in an answer
	thinned string        // what is shown of a long series
}

// Currents returns observed currents at a meter. Errors: StationNotFound,
// ProductUnavailable, InvalidRequest with the list of bins if there is no such bin,
// RangeTooLong and ProviderUnavailable.
func (s Operations) Currents(ctx context.Context, in CurrentsInput) (Currents, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	id, err := in.meter()
	if err != nil {
		return Currents{}, err
	}
	st, z, span, err := fs.Observing(ctx, id, in.Span, string(in.TimeZone), facts.Day)
	if err != nil {
		return Currents{}, err
	}
	var found noaa.Records[noaa.Current]
	var bins noaa.Bins
	var binsErr error
	facts.Concurrently(
		func() { found, err = fs.Water.Currents(ctx, st.ID, in.Bin, false, in.Expand, span.Period()) },
		func() {
			v, err := fs.Water.Bins(ctx, st.ID)
			bins, binsErr = v.Data, err
		},
	)
	if err != nil {
		return Currents{}, noMeterBin(st, bins, fs.Unobserved(st, span, err, "currents", "current meter"))
	}
	out := Currents{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: z.Label, Provenance: fs.Provenance(st),
		},
		SpeedUnit: facts.ObservedSpeedsIn(in.Units).Name, DirectionUnit: coast.DegreesToward,
		DepthUnit: facts.DepthsIn(in.Units).Name, input: in, now: fs.Now,
	}
	out.Notes = append(out.Notes, span.Notes...)
	o := facts.COOPS(
		"observed-current", "Observed currents", coast.Observation,
		"https://tidesandcurrents.noaa.gov/cdata/StationInfo?id="+st.ID,
	)
	got := facts.Retrieved(found, func(r noaa.Current) (time.Time, bool) {
		return r.Time, facts.CurrentBounds.Possible(r.Speed) != nil
	})
	out.Sources = append(out.Sources, fs.Observation(
		o, facts.QuickLifetime, got.Newest, span, false, got.Received,
	))
	out.Missing = append(out.Missing, facts.Gaps(got.Gaps, z)...)
	if got.Newest == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "observed speed",
			Reason: "NOAA has rows for this span but no plausible speed in them; that does not mean still " +
				"water",
		})
	}
	out.columns(found.Rows, depths(bins), span, z)
	if binsErr != nil {
		out.Missing = append(out.Missing, coast.Unobtained("depths", binsErr))
	}
	return out, nil
}

// meter returns the id of the station. An id of the form ID_BIN names a bin, like the
// argument bin.
func (in *CurrentsInput) meter() (string, error) {
	id, suffix, named := strings.Cut(in.Station, "_")
	if !named {
		return id, nil
	}
	bin, err := strconv.Atoi(suffix)
	if err != nil || in.Bin != nil && *in.Bin != bin {
		return id, facts.BadBin(in.Station)
	}
	in.Bin = &bin
	return id, nil
}

// noMeterBin adds the existing bins to an error about a bin.
func noMeterBin(st stations.Station, bins noaa.Bins, err error) error {
	if e, _ := coast.AsError(err); e.Code != coast.InvalidRequest || len(bins.Bins) == 0 {
		return err
	}
	has := make([]string, len(bins.Bins))
	for i, b := range bins.Bins {
		has[i] = strconv.Itoa(b.Number)
	}
	return facts.Invalid(
		"bin", "bin", `%s (%s) measures in the bins %s. Example: "bin": %s; 0 for all.`, st.ID, st.Name,
		strings.Join(has, ", "), has[0],
	)
}

// depths returns the depths of a meter's bins, in meters.
func depths(bins noaa.Bins) map[int]float64 {
	depths := map[int]float64{}
	for _, b := range bins.Bins {
		if b.Depth != nil {
			depths[b.Number] = *b.Depth
		}
	}
	return depths
}

// columns writes the rows as columns, one pair per bin.
func (c *Currents) columns(
	rows []noaa.Current, depths map[int]float64, span facts.Interval, z facts.Zone,
) {
	speed, depth := facts.ObservedSpeedsIn(c.Units), facts.DepthsIn(c.Units)
	lay := facts.NewColumn(len(rows), func(i int) time.Time { return rows[i].Time }, 6, span)
	o := CurrentSeries{lay.Start.In(z.Location), lay.Step, lay.Count, []BinSeries{}}
	place := map[int]int{}
	for _, row := range rows {
		i, ok := place[row.Bin]
		if !ok {
			i = len(o.Bins)
			place[row.Bin] = i
			b := BinSeries{
				Bin: row.Bin, Speeds: make([]*float64, lay.Count), Directions: make([]*float64, lay.Count),
			}
			if d, ok := depths[row.Bin]; ok {
				b.Depth = depth.Known(&d)
			}
			o.Bins = append(o.Bins, b)
		}
		if at, ok := lay.Index(row.Time); ok {
			o.Bins[i].Speeds[at] = speed.Known(facts.CurrentBounds.Possible(row.Speed))
			o.Bins[i].Directions[at] = facts.DirectionBounds.Possible(row.Direction)
			o.Bins[i].signals(at, lay.Count, row)
		}
	}
	slices.SortFunc(o.Bins, func(a, b BinSeries) int { return a.Bin - b.Bin })
	c.Observed = o
	if lay.Over > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf(
			"%d of the provider's rows lie between the steps of the columns and are left out.", lay.Over,
		))
	}
}

// signals stores the echo and correlation of the meter's beams, if requested.
func (b *BinSeries) signals(at, count int, row noaa.Current) {
	if row.Echo == nil && row.Correlation == nil {
		return
	}
	if b.Echo == nil {
		b.Echo, b.Correlated = make([][]*float64, count), make([][]*float64, count)
	}
	b.Echo[at], b.Correlated[at] = row.Echo, row.Correlation
}

// Len returns the number of rows.
func (c Currents) Len() int { return c.Observed.Count }

// First returns the result with its first n rows, and the arguments of the next page.
func (c Currents) First(n int) any {
	o := &c.Observed
	at := func(i int) time.Time { return operation.At(o.Start, i, o.StepMinutes) }
	c.input.Span = operation.SpanFrom(at(n), coast.Span{From: at(0), To: at(o.Count - 1)})
	c.Page = operation.Page{Truncated: true, Total: o.Count, Next: operation.Arguments(c.input)}
	o.Count, o.Bins = n, slices.Clone(o.Bins)
	for i := range o.Bins {
		b := &o.Bins[i]
		b.Speeds, b.Directions = b.Speeds[:n], b.Directions[:n]
		if b.Echo != nil {
			b.Echo, b.Correlated = b.Echo[:n], b.Correlated[:n]
		}
	}
	return c
}

// grid returns the times of the values.
func (s CurrentSeries) grid() operation.Grid {
	return operation.Grid{Start: s.Start, StepMinutes: s.StepMinutes, Count: s.Count}
}

// Thinned returns the result for an answer: a long one has one row in some hours.
func (c Currents) Thinned() any {
	if len(c.Observed.Bins) == 0 {
		return c
	}
	c.whole = c.Observed
	g := c.whole.grid()
	shown := g.Thinned(c.whole.Bins[0].Speeds, nil)
	if shown == nil {
		return c
	}
	c.thinned = operation.ThinnedLine(shown, g.Count, g.StepMinutes)
	c.Observed = CurrentSeries{Start: g.At(shown[0]),
		StepMinutes: (shown[1] - shown[0]) * g.StepMinutes, Count: len(shown)}
	for _, b := range c.whole.Bins {
		part := BinSeries{Bin: b.Bin, Depth: b.Depth}
		for _, i := range shown {
			part.Speeds = append(part.Speeds, b.Speeds[i])
			part.Directions = append(part.Directions, b.Directions[i])
		}
		c.Observed.Bins = append(c.Observed.Bins, part)
	}
	return c
}

// extent returns the highest, lowest and mean speed of the first bin.
func (c Currents) extent() string {
	s := c.whole
	if len(s.Bins) == 0 {
		return ""
	}
	extent := s.grid().Extent(s.Bins[0].Speeds, nil, render.Short, c.now)
	if extent != "" {
		extent = fmt.Sprintf("bin %d %s", s.Bins[0].Bin, extent)
	}
	return extent
}

// Describe writes the newest current of the first bin, then speed and direction of all bins.
func (c Currents) Describe(t *render.Answer) {
	t.Line("%s: %s", operation.StationName(c.Station)+c.Away(),
		operation.Join("; ", c.sentence(), c.extent()))
	if len(c.Observed.Bins) == 0 {
		return
	}
	if c.thinned != "" {
		t.Line("%s", c.thinned)
	}
	var bins []string
	for _, b := range c.Observed.Bins {
		bins = append(bins, b.name(c.DepthUnit))
	}
	t.Line("Rows: speed in %s and the direction toward which it flows, degrees true, of %s.",
		c.SpeedUnit, strings.Join(bins, ", "))
	var columns []string
	for _, b := range c.Observed.Bins {
		bin := fmt.Sprintf("bin %d ", b.Bin)
		columns = append(columns, bin+c.SpeedUnit, bin+"toward degrees true")
	}
	t.Days(columns, c.Observed.Count, func(i int) (time.Time, []render.Cell) {
		var cells []render.Cell
		for j, b := range c.Observed.Bins {
			speed := render.Value(b.Speeds[i], 2)
			if j > 0 {
				speed = speed.As(", %s")
			}
			cells = append(cells, speed, render.Value(b.Directions[i], 1))
		}
		return operation.At(c.Observed.Start, i, c.Observed.StepMinutes), cells
	})
	if slices.ContainsFunc(c.Observed.Bins, func(b BinSeries) bool { return b.Echo != nil }) {
		t.Gap()
		t.Line("Echo and correlation: \"view\": \"full\".")
	}
}

// name returns the number and the depth of a bin: bin 1 at 10.2 ft.
func (b BinSeries) name(unit string) string {
	name := fmt.Sprintf("bin %d", b.Bin)
	if b.Depth != nil {
		name += fmt.Sprintf(" at %s %s", render.Short(*b.Depth, 1), unit)
	}
	return name
}

// sentence returns the newest speed of the first bin that has one.
func (c Currents) sentence() string {
	for _, b := range c.Observed.Bins {
		for i := len(b.Speeds) - 1; i >= 0; i-- {
			if b.Speeds[i] == nil {
				continue
			}
			toward := ""
			if b.Directions[i] != nil {
				toward = " toward " + render.Short(*b.Directions[i], 0) + "°"
			}
			at := operation.At(c.Observed.Start, i, c.Observed.StepMinutes)
			return fmt.Sprintf("observed current %s %s%s in %s at %s%s", render.Short(*b.Speeds[i], 2),
				c.SpeedUnit, toward, b.name(c.DepthUnit), render.Clock(at, c.now), operation.Stale(c.Frame))
		}
	}
	return "no observed current in this span"
}
