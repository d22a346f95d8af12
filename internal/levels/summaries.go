package levels

import (
	"context"
	"fmt"
	"slices"
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

// WaterLevelSummariesInput requests summaries of observed levels.
type WaterLevelSummariesInput struct {
	place.StationOrPlace
	Product string `json:"product" enum:"high_low daily_mean daily_max_min monthly_mean" doc:"The kind of summary."`
	operation.Span
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

// LevelSummary is one row of a summary of observed levels.
type LevelSummary struct {
	Time     time.Time `json:"time"`               // daily mean: start of the day in standard time
	Type     string    `json:"type"`               // higher_high, high, low, lower_low; mean; highest, lowest
	Of       string    `json:"of,omitempty"`       // for highest and lowest: 6-minute or hourly values
	Complete *float64  `json:"complete,omitempty"` // percent of the day's values that NOAA has
	Height   *float64  `json:"height"`
	Flags    []string  `json:"flags,omitempty"` // of NOAA on the height
}

// MonthSummary is one month of observed levels: the means of the month itself, not the datums
// of the epoch.
type MonthSummary struct {
	Month    string   `json:"month"` // 2026-09
	Highest  *float64 `json:"highest"`
	MHHW     *float64 `json:"MHHW"`
	MHW      *float64 `json:"MHW"`
	MSL      *float64 `json:"MSL"`
	MTL      *float64 `json:"MTL"`
	MLW      *float64 `json:"MLW"`
	MLLW     *float64 `json:"MLLW"`
	DTL      *float64 `json:"DTL"`
	GT       *float64 `json:"GT"` // ranges and inequalities, not above the datum
	MN       *float64 `json:"MN"`
	DHQ      *float64 `json:"DHQ"`
	DLQ      *float64 `json:"DLQ"`
	HWI      *float64 `json:"HWI"` // hours
	LWI      *float64 `json:"LWI"`
	Lowest   *float64 `json:"lowest"`
	Inferred bool     `json:"inferred,omitempty"` // part of the month was inferred
}

// WaterLevelSummaries holds summaries of observed levels.
type WaterLevelSummaries struct {
	coast.Frame
	HeightUnit string         `json:"heightUnit"`
	Product    string         `json:"product"`
	Rows       []LevelSummary `json:"rows,omitzero"`
	Months     []MonthSummary `json:"months,omitzero"` // for monthly_mean
	operation.Page
	input      WaterLevelSummariesInput
	span       facts.Interval
	conversion facts.Conversion
	place.ForPlace
}

// WaterLevelSummaries returns summaries of observed levels. It returns the errors of
// WaterLevels; daily means exist on the Great Lakes only.
func (s Operations) WaterLevelSummaries(
	ctx context.Context, in WaterLevelSummariesInput,
) (WaterLevelSummaries, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	usual := 30 * facts.Day
	if in.Product == "monthly_mean" {
		usual = 366 * facts.Day
	}
	st, z, span, err := fs.Observing(ctx, in.Station, in.Span, string(in.TimeZone), usual)
	if err != nil {
		return WaterLevelSummaries{}, err
	}
	st = st.Snapshot()
	in.Datum = coast.Datum(in.OnDatum.Of(st))
	by, err := fs.Conversion(ctx, st, string(in.Datum))
	if err != nil {
		return WaterLevelSummaries{}, err
	}
	h := facts.HeightsIn(in.Units)
	out := WaterLevelSummaries{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: in.Datum, DatumEpoch: by.Epoch, Units: in.Units,
			TimeZone: z.Label, Provenance: fs.Heights(st),
		},
		HeightUnit: h.Name, Product: in.Product, input: in, span: span, conversion: by,
	}
	out.Notes = append(out.Notes, span.Notes...)
	read := map[string]func(
		context.Context, facts.Set, stations.Station, facts.Unit, facts.Zone,
	) (facts.Retrieval, error){
		"high_low": out.highLows, "daily_mean": out.dailyMeans,
		"daily_max_min": out.dailyExtremes, "monthly_mean": out.monthlyMeans,
	}[in.Product]
	got, err := read(ctx, fs, st, h, z)
	if err != nil {
		return WaterLevelSummaries{}, fs.DatumError(st, string(in.Datum), err)
	}
	o := facts.COOPS(
		"observed-water-level-summary", "Summaries of observed water levels", coast.Observation,
		"https://tidesandcurrents.noaa.gov/waterlevels.html?id="+st.ID,
	)
	source := fs.Observation(o, facts.SettledLifetime, got.Newest, span, true, got.Received)
	source.DatumEpoch = by.Epoch
	out.Sources = append(out.Sources, source)
	out.Missing = append(out.Missing, facts.Gaps(got.Gaps, z)...)
	return out, nil
}

var tideTypes = map[string]string{"HH": "higher_high", "H": "high", "L": "low", "LL": "lower_low"}

func (w *WaterLevelSummaries) highLows(
	ctx context.Context, fs facts.Set, st stations.Station, h facts.Unit, z facts.Zone,
) (facts.Retrieval, error) {
	found, err := fs.Water.HighLows(ctx, st.ID, w.conversion.Datum, w.span.Period())
	w.Rows = make([]LevelSummary, 0, len(found.Rows))
	for _, r := range found.Rows {
		w.Rows = append(w.Rows, LevelSummary{
			Time: r.Time.In(z.Location), Type: tideTypes[r.Type],
			Height: h.Known(w.conversion.Above(r.Height)), Flags: r.Flagged(),
		})
	}
	return facts.Retrieved(found, func(r noaa.HighLow) (time.Time, bool) {
		return r.Time, r.Height != nil
	}), err
}

// dailyMeans reads daily means, which NOAA computes for days in standard time.
func (w *WaterLevelSummaries) dailyMeans(
	ctx context.Context, fs facts.Set, st stations.Station, h facts.Unit, _ facts.Zone,
) (facts.Retrieval, error) {
	standard, err := fs.Zone(st, "lst")
	if err != nil {
		return facts.Retrieval{}, err
	}
	found, err := fs.Water.DailyMeans(ctx, st.ID, w.conversion.Datum, w.span.Days())
	begins := func(r noaa.DailyMean) time.Time {
		y, month, d := r.Day.Date()
		return time.Date(y, month, d, 0, 0, 0, 0, standard.Location)
	}
	w.Rows = make([]LevelSummary, 0, len(found.Rows))
	for _, r := range found.Rows {
		w.Rows = append(w.Rows, LevelSummary{
			Time: begins(r), Type: "mean", Height: h.Known(w.conversion.Above(r.Height)),
			Flags: r.Flagged(),
		})
	}
	w.TimeZone = standard.Label
	return facts.Retrieved(found, func(r noaa.DailyMean) (time.Time, bool) {
		return begins(r), r.Height != nil
	}), err
}

var dailyKinds = map[string]struct{ what, of string }{
	"max_6min": {"highest", "6-minute values"}, "min_6min": {"lowest", "6-minute values"},
	"max_hourly": {"highest", "hourly values"}, "min_hourly": {"lowest", "hourly values"},
}

func (w *WaterLevelSummaries) dailyExtremes(
	ctx context.Context, fs facts.Set, st stations.Station, h facts.Unit, z facts.Zone,
) (facts.Retrieval, error) {
	found, err := fs.Water.DailyExtremes(ctx, st.ID, w.conversion.Datum, w.span.Period())
	w.Rows = make([]LevelSummary, 0, len(found.Rows))
	for _, r := range found.Rows {
		kind := dailyKinds[r.Kind]
		w.Rows = append(w.Rows, LevelSummary{
			Time: r.Time.In(z.Location), Type: kind.what, Of: kind.of, Complete: r.Complete,
			Height: h.Known(w.conversion.Above(r.Height)), Flags: r.Flagged(),
		})
	}
	return facts.Retrieved(found, func(r noaa.DailyExtreme) (time.Time, bool) {
		return r.Time, r.Height != nil
	}), err
}

func (w *WaterLevelSummaries) monthlyMeans(
	ctx context.Context, fs facts.Set, st stations.Station, h facts.Unit, _ facts.Zone,
) (facts.Retrieval, error) {
	found, err := fs.Water.MonthlyMeans(ctx, st.ID, w.conversion.Datum, w.span.Days())
	w.Months = make([]MonthSummary, 0, len(found.Rows))
	above := func(height *float64) *float64 { return h.Known(w.conversion.Above(height)) }
	for _, r := range found.Rows {
		w.Months = append(w.Months, MonthSummary{
			Month: fmt.Sprintf("%04d-%02d", r.Year, r.Month), Highest: above(r.Highest),
			MHHW: above(r.MHHW), MHW: above(r.MHW), MSL: above(r.MSL), MTL: above(r.MTL),
			MLW: above(r.MLW), MLLW: above(r.MLLW), DTL: above(r.DTL), GT: h.Known(r.GT),
			MN: h.Known(r.MN), DHQ: h.Known(r.DHQ), DLQ: h.Known(r.DLQ), HWI: r.HWI, LWI: r.LWI,
			Lowest: above(r.Lowest), Inferred: r.Inferred != "" && r.Inferred != "0",
		})
	}
	return facts.Retrieved(found, func(r noaa.MonthlyMean) (time.Time, bool) {
		return time.Date(r.Year, time.Month(r.Month), 1, 0, 0, 0, 0, time.UTC), r.MSL != nil
	}), err
}

// Len returns the number of rows.
func (w WaterLevelSummaries) Len() int { return len(w.Rows) + len(w.Months) }

// First returns the result with its first n rows, and the arguments of the next page.
func (w WaterLevelSummaries) First(n int) any {
	whole := w
	if w.Months != nil {
		next := w.Months[n].Month + "-01"
		w.input.Span = operation.Span{Begin: next, End: w.span.To.Format(time.DateOnly)}
		w.Months = w.Months[:n]
	} else {
		for n > 1 && w.Rows[n].Time.Equal(w.Rows[n-1].Time) {
			n-- // or the next page would begin with a row of this page
		}
		w.input.Span = operation.SpanFrom(w.Rows[n].Time, coast.Span{From: w.span.From, To: w.span.To})
		w.Rows = w.Rows[:n]
	}
	w.Page = operation.Page{Truncated: true, Total: whole.Len(), Next: operation.Arguments(w.input)}
	return w
}

// Describe writes the highest and the lowest level, then the rows or months.
func (w WaterLevelSummaries) Describe(t *render.Answer) {
	t.Line("%s: %s", operation.StationName(w.Station)+w.Away(), w.sentence())
	height := "height " + string(w.HeightUnit)
	switch {
	case w.Months != nil:
		w.describeMonths(t)
	case w.Product == "daily_mean":
		t.Gap()
		t.Rows([]string{"day", height, "flagged"}, len(w.Rows), func(i int) []render.Cell {
			r := w.Rows[i]
			return []render.Cell{render.Word(r.Time.Format(time.DateOnly)),
				render.FigureOf(r.Height, 2), r.flagged()}
		})
	default:
		columns := []string{"type", height, "flagged", "of"}
		t.Days(columns, len(w.Rows), func(i int) (time.Time, []render.Cell) {
			r := w.Rows[i]
			return r.Time, []render.Cell{render.Word(facts.Spaced(r.Type)),
				render.FigureOf(r.Height, 2), r.flagged(), render.Word(r.detail()).As(" (%s)")}
		})
	}
}

// flagged returns the flags on the height, if there is one.
func (r LevelSummary) flagged() render.Cell {
	if r.Height == nil {
		return render.Cell{}
	}
	return FlagCell(r.Flags)
}

// detail returns the kind of values of a daily extreme, and the share of them that NOAA has.
func (r LevelSummary) detail() string {
	text := r.Of
	if r.Complete != nil {
		text = operation.Join(", ", text, render.Short(*r.Complete, 1)+" % of the day")
	}
	return text
}

func (w WaterLevelSummaries) sentence() string {
	if w.Months != nil {
		return fmt.Sprintf("observed monthly levels of %s in %s",
			operation.Plural(len(w.Months), "month"),
			w.HeightUnit)
	}
	var highest, lowest *LevelSummary
	for i := range w.Rows {
		r := &w.Rows[i]
		if r.Height != nil && (highest == nil || *r.Height > *highest.Height) {
			highest = r
		}
		if r.Height != nil && (lowest == nil || *r.Height < *lowest.Height) {
			lowest = r
		}
	}
	if highest == nil {
		return "no observed levels in this span"
	}
	return fmt.Sprintf("observed %s, rows from %s %s on %s to %s %s on %s", summaryNames[w.Product],
		heightOf(lowest.Height), w.HeightUnit, lowest.Time.Format("Mon 2 Jan 2006"),
		heightOf(highest.Height), w.HeightUnit, highest.Time.Format("Mon 2 Jan 2006"))
}

// summaryNames lists the names of products for sentences.
var summaryNames = map[string]string{
	"high_low": "high and low waters", "daily_mean": "daily means",
	"daily_max_min": "highest and lowest levels of each day",
}

// heightOf returns a height as text for a row, or a dash if there is none.
func heightOf(height *float64) string {
	if height == nil {
		return "-"
	}
	return render.Number(*height, 2)
}

// describeMonths writes a row for each month, with the columns that have a value in at least
// one month.
func (w WaterLevelSummaries) describeMonths(t *render.Answer) {
	var header []string
	rows := make([][]render.Cell, len(w.Months))
	for _, c := range monthColumns {
		if !slices.ContainsFunc(w.Months, func(m MonthSummary) bool { return c.of(m) != nil }) {
			continue
		}
		header = append(header, c.name)
		for i, m := range w.Months {
			rows[i] = append(rows[i], render.Value(c.of(m), 2))
		}
	}
	t.Gap()
	t.Write("month " + strings.Join(header, " "))
	columns := []string{"month"}
	for _, name := range header {
		if !strings.HasSuffix(name, "(h)") { // hours, or a height
			name += " " + string(w.HeightUnit)
		}
		columns = append(columns, name)
	}
	columns = append(columns, "inferred")
	t.Rows(columns, len(rows), func(i int) []render.Cell {
		cells := append([]render.Cell{render.Word(w.Months[i].Month)}, rows[i]...)
		if w.Months[i].Inferred {
			cells = append(cells, render.Word("partly inferred"))
		}
		return cells
	})
}

// monthColumns are the columns of months. HWI and LWI are in hours.
var monthColumns = []struct {
	name string
	of   func(MonthSummary) *float64
}{
	{"highest", func(m MonthSummary) *float64 { return m.Highest }},
	{"MHHW", func(m MonthSummary) *float64 { return m.MHHW }},
	{"MHW", func(m MonthSummary) *float64 { return m.MHW }},
	{"MSL", func(m MonthSummary) *float64 { return m.MSL }},
	{"MTL", func(m MonthSummary) *float64 { return m.MTL }},
	{"MLW", func(m MonthSummary) *float64 { return m.MLW }},
	{"MLLW", func(m MonthSummary) *float64 { return m.MLLW }},
	{"lowest", func(m MonthSummary) *float64 { return m.Lowest }},
	{"DTL", func(m MonthSummary) *float64 { return m.DTL }},
	{"GT", func(m MonthSummary) *float64 { return m.GT }},
	{"MN", func(m MonthSummary) *float64 { return m.MN }},
	{"DHQ", func(m MonthSummary) *float64 { return m.DHQ }},
	{"DLQ", func(m MonthSummary) *float64 { return m.DLQ }},
	{"HWI(h)", func(m MonthSummary) *float64 { return m.HWI }},
	{"LWI(h)", func(m MonthSummary) *float64 { return m.LWI }},
}
