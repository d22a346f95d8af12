package levels

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"leadline/internal/coast"
	"leadline/internal/derived"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// HighTideFloodingInput requests flood days at a station.
type HighTideFloodingInput struct {
	place.StationOrPlace
	Report string `json:"report" default:"annual" enum:"annual daily monthly seasonal outlook projections" doc:"Counts by period, or NOAA's outlook or projections."`
	Begin  string `json:"begin_date,omitempty" doc:"First day, with report=daily." example:"2026-01-01"`
	End    string `json:"end_date,omitempty" doc:"Last day, with report=daily." example:"2026-01-31"`
	Year   int    `json:"year,omitempty" doc:"Year of the counts." min:"1900" max:"2150" example:"2026"`
}

// Validate checks that each argument belongs to the report.
func (in *HighTideFloodingInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	daily := in.Report == "daily"
	switch {
	case !daily && (in.Begin != "" || in.End != ""):
		return facts.Invalid("begin_date", "report",
			`begin_date and end_date belong to the daily report. Example: `+
				`"report": "daily", "begin_date": "2026-01-01", "end_date": "2026-01-31".`)
	case (daily || in.Report == "projections") && in.Year != 0:
		return facts.Invalid("year", "report",
			`year belongs to the annual, monthly and seasonal reports and the outlook. Example: `+
				`"report": "annual", "year": 2025.`)
	case daily && (in.Begin == "") != (in.End == ""):
		return facts.Invalid("begin_date", "span",
			`begin_date and end_date go together. Example: `+
				`"begin_date": "2026-01-01", "end_date": "2026-01-31".`)
	}
	return nil
}

// FloodCount is the number of flood days of a period, or 1 or 0 for a single day; null
// if there were no measurements.
type FloodCount struct {
	Period    string   `json:"period"` // 2025, 2026-03, 2026 DJF, 2026-01-15
	Minor     *int     `json:"minor"`
	Moderate  *int     `json:"moderate"`
	Major     *int     `json:"major"`
	Missing   *int     `json:"daysMissing,omitempty"`
	Complete  *float64 `json:"percentComplete,omitempty"`
	Highest   *float64 `json:"highestFeet,omitempty"` // for a single day, above station datum
	HighestAt string   `json:"highestAt,omitempty"`   // "hour 15 UTC": from 15:00 to 15:59
}

// FloodForecast holds the expected number of flood days of a year: a likely range, or
// one number per scenario of sea level rise.
type FloodForecast struct {
	Period           string   `json:"period"`             // a meteorological year, May to April, or a decade
	Severity         string   `json:"severity,omitempty"` // minor, moderate, major
	Low              *float64 `json:"low"`
	IntermediateLow  *float64 `json:"intermediateLow,omitempty"`
	Intermediate     *float64 `json:"intermediate,omitempty"`
	IntermediateHigh *float64 `json:"intermediateHigh,omitempty"`
	High             *float64 `json:"high"`
	Basis            string   `json:"basis,omitempty" quoted:"yes"`
	Made             string   `json:"made,omitempty"` // day on which an outlook was made
}

// HighTideFlooding is a report of flood days.
type HighTideFlooding struct {
	coast.Frame
	Report    string          `json:"report"`
	Counts    []FloodCount    `json:"counts,omitzero"`    // observed
	Forecasts []FloodForecast `json:"forecasts,omitzero"` // expected
	operation.Page
	input HighTideFloodingInput
	place.ForPlace
}

const (
	noteOnDays = "NOAA does not say in which zone the days are. The hour of the highest water" +
		" is a whole hour of the day in UTC, by comparison with three days at Charleston:" +
		" NOAA documents neither."
	noteOnFloods = "A day counts if its highest water reached the flood level of the Ocean" +
		" Service (noaa_get_station_flood_levels). Flooding by rain and waves is not counted."
)

// annualYears is the number of years of the annual report by default.
const annualYears = 10

// HighTideFlooding returns flood days at a station: counts by year, season, month or day, and
// NOAA's outlook and projections.
func (s Operations) HighTideFlooding(
	ctx context.Context, in HighTideFloodingInput,
) (HighTideFlooding, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	st, err := fs.Gauge(ctx, in.Station)
	if err != nil {
		return HighTideFlooding{}, err
	}
	out := HighTideFlooding{
		Frame:  coast.Frame{Station: facts.Card(st), TimeZone: st.Zone},
		Report: in.Report, input: in,
	}
	read := out.counted
	switch in.Report {
	case "daily":
		read = out.daily
	case "outlook":
		read = out.outlook
	case "projections":
		read = out.projections
	}
	received, err := read(ctx, fs, st)
	if err != nil {
		return HighTideFlooding{}, err
	}
	source := derivedSource(fs, derived.Flooding[in.Report], st.ID, received)
	if out.Counts == nil {
		source.Kind = coast.Forecast
	}
	requested := out.Notes
	out.Provenance = fs.Provenance(st, source)
	out.Notes = append(out.Notes, requested...)
	if in.Report == "daily" {
		out.Notes = append(out.Notes, noteOnDays)
	}
	out.Notes = append(out.Notes, noteOnFloods)
	return out, nil
}

// counted reads the counts of years, months or seasons.
func (f *HighTideFlooding) counted(
	ctx context.Context, fs facts.Set, st stations.Station,
) (received time.Time, err error) {
	from, years := f.input.Year, 1
	if from == 0 && f.Report == "annual" {
		from, years = fs.Now.Year()-annualYears+1, annualYears
	} else if from == 0 {
		from = fs.Now.Year()
	}
	product := derived.Flooding[f.Report]
	live, err := fs.Water.FloodCounts(ctx, product, st.ID, from, years)
	f.Counts = []FloodCount{}
	for _, d := range live.Data {
		if d.Year >= from && d.Year < from+years {
			f.Counts = append(f.Counts, FloodCount{
				Period: d.Period, Minor: d.Minor, Moderate: d.Moderate, Major: d.Major,
				Missing: d.Missing, Complete: d.Complete,
			})
		}
	}
	e, _ := coast.AsError(err)
	if e.Code == coast.ProductUnavailable || err == nil && len(f.Counts) == 0 {
		err = coast.Errorf(coast.ProductUnavailable, "NOAA has no %s at %s (%s) for %s.",
			product.What, st.ID, st.Name, yearsFrom(from, years))
	}
	if f.input.Year == 0 {
		f.Notes = append(f.Notes, "No year was named: "+yearsFrom(from, years)+" was requested.")
	}
	return live.ReceivedAt, err
}

// yearsFrom returns a span of years as text: 2026, or 2017 to 2026.
func yearsFrom(first, count int) string {
	if count == 1 {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d to %d", first, first+count-1)
}

// daily reads single days: 1 for a day that flooded, 0 for one that did not.
func (f *HighTideFlooding) daily(
	ctx context.Context, fs facts.Set, st stations.Station,
) (received time.Time, err error) {
	z, err := fs.Zone(st, "lst_ldt")
	if err != nil {
		return time.Time{}, err
	}
	begin, end := fs.Now.Add(-30*facts.Day), fs.Now
	if f.input.Begin != "" {
		if begin, err = fs.Day("begin_date", f.input.Begin, z); err != nil {
			return begin, err
		}
		if end, err = fs.Day("end_date", f.input.End, z); err != nil {
			return begin, err
		}
		if end.Before(begin) {
			return begin, facts.InvalidSpan("begin_date",
				"begin_date %s is after end_date %s. Give the earlier one as begin_date.",
				coast.Quote(f.input.Begin), coast.Quote(f.input.End))
		}
	}
	live, err := fs.Water.FloodDaily(ctx, st.ID, begin.In(z.Location), end.In(z.Location))
	f.Counts = []FloodCount{}
	feet := facts.HeightsIn("english")
	for _, d := range live.Data {
		f.Counts = append(f.Counts, FloodCount{
			Period: d.Day.Format(time.DateOnly), Minor: count(d.Minor), Moderate: count(d.Moderate),
			Major: count(d.Major), Missing: count(d.Missing),
			Highest: feet.Known(d.Highest), HighestAt: hourOf(d.HighestHour),
		})
	}
	f.Datum = "STND"
	return live.ReceivedAt, err
}

// hourOf returns an hour of the day in UTC as text, or "" if the hour is unknown.
func hourOf(hour *int) string {
	if hour == nil {
		return ""
	}
	return fmt.Sprintf("hour %02d UTC", *hour)
}

// count returns 1 for true, 0 for false and nil for unknown.
func count(yes *bool) *int {
	if yes == nil {
		return nil
	}
	n := 0
	if *yes {
		n = 1
	}
	return &n
}

// outlook reads the outlook for a meteorological year.
func (f *HighTideFlooding) outlook(
	ctx context.Context, fs facts.Set, st stations.Station,
) (received time.Time, err error) {
	live, err := fs.Water.FloodOutlook(ctx, st.ID, f.input.Year)
	d := live.Data
	f.Forecasts = []FloodForecast{{
		Period: fmt.Sprintf("meteorological year %d", d.Year), Severity: "minor",
		Low: d.Low, High: d.High, Basis: d.Method, Made: d.Made,
	}}
	return live.ReceivedAt, err
}

// projections reads the projections for future decades.
func (f *HighTideFlooding) projections(
	ctx context.Context, fs facts.Set, st stations.Station,
) (received time.Time, err error) {
	live, err := fs.Water.FloodProjections(ctx, st.ID)
	f.Forecasts = []FloodForecast{}
	for _, d := range live.Data {
		f.Forecasts = append(f.Forecasts, FloodForecast{
			Period: strconv.Itoa(d.Decade) + "s", Severity: d.Severity, Low: d.Low,
			IntermediateLow: d.IntermediateLow, Intermediate: d.Intermediate,
			IntermediateHigh: d.IntermediateHigh, High: d.High, Basis: d.Source,
		})
	}
	return live.ReceivedAt, err
}

// Len returns the number of rows.
func (f HighTideFlooding) Len() int { return len(f.Counts) }

// First returns the result with its first n rows, and the arguments of the next page.
func (f HighTideFlooding) First(n int) any {
	f.Page = operation.Page{Truncated: true, Total: len(f.Counts)}
	if f.Report == "daily" {
		f.input.Begin, f.input.End = f.Counts[n].Period, f.Counts[len(f.Counts)-1].Period
		f.Next = operation.Arguments(f.input)
	}
	f.Counts = f.Counts[:n]
	return f
}

// Describe writes the newest count or the first forecast, then a row for each.
func (f HighTideFlooding) Describe(t *render.Answer) {
	t.Line("%s: %s", operation.StationName(f.Station)+f.Away(), f.sentence())
	t.Gap()
	for _, c := range f.Counts {
		t.Line("%s", c.text())
	}
	if len(f.Forecasts) > 0 && f.Forecasts[0].scenarios() {
		t.Line("Rows: days a year by scenario of sea level rise: low, intermediate-low, intermediate, " +
			"intermediate-high, high.")
	}
	for i, c := range f.Forecasts {
		basis := ""
		if c.Basis != "" && (i == 0 || f.Forecasts[i-1].Basis != c.Basis) {
			basis = "basis " + render.Quote(c.Basis)
		}
		t.Line("%s", operation.Join("; ", c.text(), basis))
	}
}

// sentence returns the newest count, the number of days that flooded, or a forecast, as a
// sentence.
func (f HighTideFlooding) sentence() string {
	switch {
	case len(f.Forecasts) > 0:
		c := f.Forecasts[0]
		return fmt.Sprintf("expected days of %s high tide flooding, %s: %s to %s",
			render.Escape(c.Severity), render.Escape(c.Period), render.Known(c.Low, 1),
			render.Known(c.High, 1))
	case f.Report == "daily":
		days := 0
		for _, c := range f.Counts {
			if c.Minor != nil && *c.Minor > 0 {
				days++
			}
		}
		return fmt.Sprintf("%d of %s reached the minor flood level", days,
			operation.Plural(len(f.Counts), "day"))
	case len(f.Counts) > 0:
		return "observed flood days, newest period " + f.Counts[len(f.Counts)-1].text()
	}
	return "no flood days are published for this span"
}

func (c FloodCount) text() string {
	days := func(what string, n *int) string {
		if n == nil {
			return what + " -"
		}
		return fmt.Sprintf("%s %d", what, *n)
	}
	missing, complete, highest := "", "", ""
	if c.Missing != nil && *c.Missing > 0 {
		missing = operation.Plural(*c.Missing, "day") + " missing"
	}
	if c.Complete != nil {
		complete = render.Short(*c.Complete, 1) + " % complete"
	}
	if c.Highest != nil {
		highest = operation.Join(" ", "highest", render.Number(*c.Highest, 2), "ft", c.HighestAt)
	}
	return render.Escape(c.Period) + ": " + operation.Join(", ",
		days("minor", c.Minor), days("moderate", c.Moderate), days("major", c.Major),
		missing, complete, highest)
}

// scenarios reports whether the forecast has a number for each scenario of sea level rise.
func (f FloodForecast) scenarios() bool { return f.Intermediate != nil }

func (f FloodForecast) text() string {
	made := ""
	if f.Made != "" {
		made = "made " + render.Escape(f.Made)
	}
	days := render.Known(f.Low, 1) + " to " + render.Known(f.High, 1) + " days"
	if f.scenarios() {
		days = ""
		for _, v := range []*float64{
			f.Low, f.IntermediateLow, f.Intermediate, f.IntermediateHigh, f.High,
		} {
			days = operation.Join(", ", days, render.Known(v, 1))
		}
	}
	return render.Escape(operation.Join(" ", f.Period, f.Severity)) + ": " +
		operation.Join("; ", days, made)
}
