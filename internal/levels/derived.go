package levels

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/derived"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// derivedSource returns the source of a derived product of a station. Derived products have
// no timestamp except the span of the record, so their age counts from receipt.
func derivedSource(
	fs facts.Set, p derived.Product, station string, received time.Time,
) coast.Source {
	return fs.Document(facts.COOPS(p.ID, p.Label, coast.Calculation, p.Address(station)), received)
}

// SeaLevelTrendsInput requests the trends of one station, or of that of a place, of a state, or of
// all stations.
type SeaLevelTrendsInput struct {
	Station string `json:"station,omitempty" doc:"Station id; not with state." pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" example:"8443970"`
	place.InPlace
	State  string `json:"state,omitempty" doc:"Two letters, as MA; not with station." pattern:"^[A-Za-z]{2}$" form:"two letters" example:"MA"`
	Limit  int    `json:"limit" default:"25" min:"1" max:"100" doc:"Rows of a page."`
	Offset int    `json:"offset" default:"0" min:"0" max:"10000" doc:"Rows to skip: nextOffset of the last page."`
	// Scenarios adds the scenarios of one station, in the system of units.
	Scenarios bool        `json:"scenarios,omitempty" doc:"Adds NOAA's scenarios of future sea level." unlisted:"true"`
	Units     coast.Units `json:"units" default:"english" also:"feet=english ft=english m=metric meters=metric" doc:"Of scenarios." unlisted:"true"`
}

// Validate rejects a request that names two of a station, a place and a state.
func (in *SeaLevelTrendsInput) Validate() error {
	if n := len(slices.DeleteFunc([]string{in.Station, in.Place, in.State}, blank)); n > 1 {
		return facts.Invalid("state", "place",
			`give station, place or state, not two of them. Example: "state": "MA".`)
	}
	if in.Scenarios && in.Station == "" && in.Place == "" {
		return facts.Invalid("scenarios", "station", `scenarios are those of one station: give it, or `+
			`place. Example: "station": "8443970", "scenarios": true.`)
	}
	return nil
}

func blank(text string) bool { return text == "" }

// SeaLevelTrend is the trend of relative sea level at one station.
type SeaLevelTrend struct {
	Station    string   `json:"station"`
	Name       string   `json:"name"`
	State      string   `json:"state,omitempty"`
	Combined   string   `json:"combined,omitempty" quoted:"yes"` // NOAA's note on a record of several stations
	Trend      *float64 `json:"trend"`
	Confidence *float64 `json:"confidence95"` // plus or minus
	From       string   `json:"from"`         // day in the first month of the record
	To         string   `json:"to"`           // day in its last month
	Century    *float64 `json:"feetPerCentury"`
}

// SeaLevelTrends is a page of trends of relative sea level.
type SeaLevelTrends struct {
	coast.Frame
	place.ForPlace
	TrendUnit string          `json:"trendUnit"`
	Total     int             `json:"total"`
	Offset    int             `json:"offset"`
	Next      *int            `json:"nextOffset"` // null on the last page
	Trends    []SeaLevelTrend `json:"trends"`
	Scenarios *Scenarios      `json:"scenarios,omitempty"`
}

// SeaLevelTrends returns trends of relative sea level in mm per year.
func (s Operations) SeaLevelTrends(
	ctx context.Context, in SeaLevelTrendsInput,
) (SeaLevelTrends, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	live, err := fs.Water.Trends(ctx, in.Station)
	if err != nil {
		return SeaLevelTrends{}, err
	}
	out := SeaLevelTrends{
		Frame: coast.Frame{
			Provenance: fs.From(derivedSource(fs, derived.SeaLevelTrends, "", live.ReceivedAt)),
		},
		TrendUnit: derived.SeaLevelTrends.Unit + ", relative to the land", Offset: in.Offset,
		Trends: []SeaLevelTrend{},
	}
	out.Notes = append(
		out.Notes,
		"The trend is relative to the land at the gauge: it includes the land's own rise or subsidence.",
	)
	at, err := trendPlace(fs, in.Place, live.Data)
	if err != nil {
		return SeaLevelTrends{}, err
	}
	out.ForPlace = at.Place
	at.Explain(&out.Provenance)
	var all []SeaLevelTrend
	for _, t := range live.Data {
		row := trendRow(fs, t)
		if strings.EqualFold(row.State, cmp.Or(in.State, row.State)) &&
			row.Station == cmp.Or(at.ID, row.Station) {
			all = append(all, row)
		}
	}
	out.Total = len(all)
	first := min(in.Offset, len(all))
	last := min(first+in.Limit, len(all))
	out.Trends = append(out.Trends, all[first:last]...)
	if last < len(all) {
		out.Next = &last
	}
	if in.State != "" && len(all) == 0 {
		out.Notes = append(
			out.Notes,
			"No station with a trend is known in that state. The state of stations that only observe is "+
				"known after NOAA's lists have been fetched.",
		)
	}
	if in.Scenarios {
		out.addScenarios(ctx, fs, cmp.Or(in.Station, at.ID), in.Units)
	}
	return out, nil
}

// trendPlace finds the station of a place among those with a trend; an empty place is none.
func trendPlace(fs facts.Set, text string, trends []noaa.Trend) (place.Resolved, error) {
	if text == "" {
		return place.Resolved{}, nil
	}
	known := make(map[string]bool, len(trends))
	for _, t := range trends {
		known[t.Station] = true
	}
	r := place.Resolver{Facts: fs, Text: text, Does: "has a trend of sea level", Within: place.OfWater,
		Can: func(st stations.Station) bool { return known[st.ID] }}
	return r.Resolve()
}

func trendRow(fs facts.Set, t noaa.Trend) SeaLevelTrend {
	row := SeaLevelTrend{
		Station: t.Station, Name: t.Name, Combined: t.Annotation, Trend: hundredths(t.Trend),
		Confidence: hundredths(t.Error), From: t.Start, To: t.End,
	}
	if st, ok := fs.Stations.Station(t.Station); ok {
		row.State = st.State
	}
	if t.Trend != nil {
		feet := *t.Trend / 3.048 // 100 years; a foot is 304.8 mm
		row.Century = hundredths(&feet)
	}
	return row
}

func hundredths(v *float64) *float64 {
	if v == nil {
		return nil
	}
	rounded := math.Round(*v*100) / 100
	return &rounded
}

// ExtremeWaterLevelsInput requests the extreme water levels at a station.
type ExtremeWaterLevelsInput struct {
	place.StationOrPlace
	AboveHigh
	operation.InUnits
	LevelType string `json:"level_type" default:"high" enum:"high low" doc:"High or low extremes."`
}

// AboveHigh is the datum argument of operations that return heights above high water.
type AboveHigh struct {
	Datum string `json:"datum,omitempty" usual:"MHHW" enum:"MHHW MHW MTL MSL MLW MLLW NAVD STND LAT HAT DTL IGLD LWD CRD" also:"NAVD88=NAVD" doc:"Zero of heights: MHHW is mean higher high water."`
}

// of returns the requested datum. The default is MHHW, or IGLD on the Great Lakes.
func (d AboveHigh) of(st stations.Station) string {
	if d.Datum == "" && stations.GreatLakes(st.ID) {
		return facts.UsualDatum(st)
	}
	return cmp.Or(d.Datum, "MHHW")
}

// ExceededLevel is a level and the probability of exceeding it.
type ExceededLevel struct {
	Probability string  `json:"probability"` // that a year exceeds the level
	Height      float64 `json:"height"`
}

// ExtremeWaterLevels holds the extreme water levels at a station.
type ExtremeWaterLevels struct {
	coast.Frame
	HeightUnit string                  `json:"heightUnit"`
	LevelType  string                  `json:"levelType"`
	Levels     []ExceededLevel         `json:"levels"`
	Events     []string                `json:"events"` // days with a level that one year in ten exceeds
	More       []directory.ProductPage `json:"more"`   // NOAA's own documents
	place.ForPlace
}

// ExtremeWaterLevels returns the levels that a given share of years exceeds, if NOAA
// publishes them, and the days on which such levels occurred.
func (s Operations) ExtremeWaterLevels(
	ctx context.Context, in ExtremeWaterLevelsInput,
) (ExtremeWaterLevels, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	st, err := fs.Gauge(ctx, in.Station)
	if err != nil {
		return ExtremeWaterLevels{}, err
	}
	in.Datum = in.AboveHigh.of(st)
	var levelsErr error
	live, err := fs.Water.Extremes(ctx, st.ID, in.Datum)
	if err != nil {
		return ExtremeWaterLevels{}, fs.DatumError(st, in.Datum, err)
	}
	exceeded := live
	if in.LevelType == "high" && live.Data.Datum == "" {
		exceeded, levelsErr = fs.Water.Exceedance(ctx, st.ID, in.Datum)
	}
	d, h := live.Data, facts.HeightsIn(in.Units)
	source := derivedSource(fs, derived.ExtremeWaterLevels, st.ID, live.ReceivedAt)
	out := ExtremeWaterLevels{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: coast.Datum(in.Datum), Units: in.Units, TimeZone: "UTC",
			Provenance: fs.Provenance(st, source),
		},
		HeightUnit: h.Name, LevelType: in.LevelType, Levels: []ExceededLevel{}, Events: []string{},
		More: []directory.ProductPage{},
	}
	events := d.Highs
	if in.LevelType == "low" {
		events = d.Lows
	}
	for _, e := range events {
		out.Events = append(out.Events, e.Date)
	}
	for _, page := range []directory.ProductPage{
		{Name: "annual extremes", URL: d.AnnualsURL}, {Name: "monthly extremes", URL: d.MonthliesURL},
		{Name: "exceedance levels", URL: d.ExceedanceURL},
		{Name: "exceedance levels by month", URL: d.MonthlyExceedanceURL},
	} {
		if page.URL != "" {
			out.More = append(out.More, page)
		}
	}
	out.DatumEpoch = cmp.Or(d.Epoch, facts.UnknownEpoch)
	out.Sources[0].DatumEpoch = out.DatumEpoch
	shift, err := datumShift(ctx, fs, &out.Frame, st, exceeded.Data.Datum)
	if err != nil {
		return ExtremeWaterLevels{}, err
	}
	out.levels(exceeded.Data, levelsErr, shift, h)
	return out, nil
}

// datumShift returns the number of meters to add to heights that NOAA returned above a datum
// other than the frame's datum, which the caller requested. It returns an error if the
// station does not have that datum.
func datumShift(
	ctx context.Context, fs facts.Set, f *coast.Frame, st stations.Station, datum string,
) (float64, error) {
	if datum == "" || datum == string(f.Datum) {
		return 0, nil
	}
	st, from, err := fs.Zero(ctx, st, datum)
	if err != nil {
		return 0, err
	}
	if own := fs.Epoch(st); f.DatumEpoch != facts.UnknownEpoch && own != f.DatumEpoch {
		e := coast.Errorf(
			coast.DatumUnavailable,
			"NOAA gives these heights above %s of the epoch %s, but the current datums of %s (%s) are "+
				"of %s: they cannot be converted. Use \"datum\": %q.",
			datum, f.DatumEpoch, st.ID, st.Name, own, datum,
		)
		e.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: e.Message}}
		return 0, e
	}
	_, to, err := fs.Zero(ctx, st, string(f.Datum))
	if err != nil {
		return 0, err
	}
	f.Notes = append(f.Notes, fmt.Sprintf(
		"NOAA gives these heights above %s; Leadline converted them to %s with the station's accepted "+
			"datums.", datum, f.Datum,
	))
	return from - to, nil
}

// levels adds the levels that a share of years exceeds. NOAA publishes high levels only.
func (e *ExtremeWaterLevels) levels(d noaa.Extremes, err error, shift float64, h facts.Unit) {
	if e.LevelType == "high" {
		for _, l := range []struct {
			probability string
			height      *float64
		}{{"1 %", d.P1}, {"10 %", d.P10}, {"50 %", d.P50}, {"99 %", d.P99}} {
			if l.height != nil {
				e.Levels = append(e.Levels, ExceededLevel{l.probability, h.Of(*l.height + shift)})
			}
		}
	}
	if len(e.Levels) > 0 {
		return
	}
	reason := "NOAA's response contains no such heights; the documents listed in more may contain them"
	if err != nil {
		known, _ := coast.AsError(err)
		reason = known.Message
	}
	e.Missing = append(e.Missing, coast.Missing{Input: "exceedance levels", Reason: reason})
}

// TopTenWaterLevelsInput requests the highest observed levels at a station.
type TopTenWaterLevelsInput struct {
	place.StationOrPlace
	AboveHigh
	operation.InUnits
	Analysis string `json:"analysis" default:"topten" enum:"topten peaks" doc:"topten: ten highest levels; peaks: storms of a year."`
	Year     int    `json:"year,omitempty" doc:"With analysis=peaks; default: this year." min:"1800" max:"2150" example:"2026"`
}

// Validate rejects a year if the requested analysis does not take one.
func (in *TopTenWaterLevelsInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	if in.Analysis == "topten" && in.Year != 0 {
		return facts.Invalid(
			"year", "analysis",
			`year belongs to the analysis peaks; the ten highest are of the whole record. Example: `+
				`"analysis": "peaks", "year": 2025.`,
		)
	}
	return nil
}

// PeakLevel is one of the highest observed levels.
type PeakLevel struct {
	Rank     int      `json:"rank"`
	Time     string   `json:"time"` // UTC; only the day if NOAA publishes no hour
	Height   *float64 `json:"height"`
	Event    string   `json:"event,omitempty" quoted:"yes"`
	Category string   `json:"category,omitempty"`
}

// WaterEvent is an event, usually a storm, that raised the water level. NOAA lists such
// events for the whole country.
type WaterEvent struct {
	Began string `json:"began"` // day
	Name  string `json:"name" quoted:"yes"`
	Type  string `json:"type"`
}

// TopTenWaterLevels holds the highest observed levels at a station, or the events of a
// year.
type TopTenWaterLevels struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Analysis   string       `json:"analysis"`
	Levels     []PeakLevel  `json:"levels,omitzero"`
	Events     []WaterEvent `json:"events,omitzero"`
	place.ForPlace
}

// TopTenWaterLevels returns the highest observed levels at a station, highest first, or the
// events that raised the water level.
func (s Operations) TopTenWaterLevels(
	ctx context.Context, in TopTenWaterLevelsInput,
) (TopTenWaterLevels, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	st, err := fs.Gauge(ctx, in.Station)
	if err != nil {
		return TopTenWaterLevels{}, err
	}
	in.Datum = in.AboveHigh.of(st)
	h := facts.HeightsIn(in.Units)
	out := TopTenWaterLevels{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: coast.Datum(in.Datum), DatumEpoch: facts.UnknownEpoch,
			Units:    in.Units,
			TimeZone: "UTC",
		},
		HeightUnit: h.Name, Analysis: in.Analysis,
	}
	var received time.Time
	if in.Analysis == "peaks" {
		received, err = out.peaks(ctx, fs, in.Year)
	} else {
		received, err = out.highest(ctx, fs, st, h)
	}
	if err != nil {
		return TopTenWaterLevels{}, fs.DatumError(st, in.Datum, err)
	}
	notes := out.Notes
	out.Provenance = fs.Provenance(st, derivedSource(fs, derived.TopTenWaterLevels, st.ID, received))
	out.Notes = append(out.Notes, notes...)
	return out, nil
}

func (t *TopTenWaterLevels) highest(
	ctx context.Context, fs facts.Set, st stations.Station, h facts.Unit,
) (time.Time, error) {
	live, err := fs.Water.TopTen(ctx, st.ID, string(t.Datum))
	if err != nil {
		return live.ReceivedAt, err
	}
	shift, err := datumShift(ctx, fs, &t.Frame, st, live.Data[0].Datum)
	t.Levels = []PeakLevel{}
	for _, d := range live.Data {
		at := d.Date
		if d.Time != nil {
			at = d.Time.UTC().Format(time.RFC3339)
		}
		if d.Height != nil {
			above := *d.Height + shift
			d.Height = &above
		}
		t.Levels = append(t.Levels, PeakLevel{d.Rank, at, h.Known(d.Height), d.Event, d.Category})
	}
	return live.ReceivedAt, err
}

// peaks reads the events of a year, of the current year if year is 0.
func (t *TopTenWaterLevels) peaks(ctx context.Context, fs facts.Set, year int) (time.Time, error) {
	if year == 0 {
		year = fs.Now.Year()
	}
	live, err := fs.Water.Peaks(ctx, year)
	t.Events = []WaterEvent{}
	for _, p := range live.Data {
		if p.Start.Year() == year {
			t.Events = append(t.Events, WaterEvent{p.Start.Format(time.DateOnly), p.Name, p.Type})
		}
	}
	t.Notes = append(
		t.Notes,
		"NOAA lists these events for the whole country, not by station: they did not necessarily "+
			"affect this one.",
	)
	return live.ReceivedAt, err
}

// Describe writes the first trend, then a row for each trend.
func (s SeaLevelTrends) Describe(t *render.Answer) {
	if len(s.Trends) == 0 {
		t.Line("No trend found.")
		return
	}
	first := s.Trends[0]
	t.Line("%s: relative sea level changes by %s mm/year, first of %s.",
		operation.StationName(&coast.Station{ID: first.Station, Name: first.Name,
			State: first.State})+s.Away(),
		first.rate(), operation.Plural(s.Total, "trend"))
	t.Gap()
	t.Line("Rows: mm/year with the 95 %% confidence interval, feet per century, record.")
	for _, row := range s.Trends[:min(len(s.Trends), operation.TextRows)] {
		t.Line("%s", row.text())
	}
	if s.Scenarios != nil {
		s.Scenarios.describe(t)
	}
}

// WriteNext explains how to request the next trends.
func (s SeaLevelTrends) WriteNext(t *render.Answer) {
	shown := min(len(s.Trends), operation.TextRows)
	if s.Next == nil && shown == len(s.Trends) {
		return
	}
	operation.WriteOffset(t, s.Offset+shown)
}

// rate returns the trend with its confidence interval.
func (r SeaLevelTrend) rate() string {
	rate := render.Known(r.Trend, 2)
	if r.Confidence != nil {
		rate += " ± " + render.Short(*r.Confidence, 2)
	}
	return rate
}

func (r SeaLevelTrend) text() string {
	note := ""
	if r.Combined != "" {
		note = render.Quote(r.Combined)
	}
	return operation.Join("; ", operation.NameOf(r.Station, r.Name, r.State), r.rate(),
		render.Known(r.Century, 2),
		render.Escape(r.From+" to "+r.To), note)
}

// Describe writes the level that one year in a hundred exceeds, then all levels and events.
func (e ExtremeWaterLevels) Describe(t *render.Answer) {
	text := fmt.Sprintf("days of extreme %s water, without heights from NOAA", e.LevelType)
	if len(e.Levels) > 0 {
		text = fmt.Sprintf("%s of years exceed %s %s above %s", e.Levels[0].Probability,
			render.Short(e.Levels[0].Height, 2), e.HeightUnit, e.Datum)
	}
	t.Line("%s: %s", operation.StationName(e.Station)+e.Away(), text)
	if len(e.Levels) > 0 {
		t.Gap()
		t.Line("Probability of exceeding a height in a year:")
	}
	for _, l := range e.Levels {
		t.Line("%s: %s", l.Probability, render.Short(l.Height, 2))
	}
	if len(e.Events) > 0 {
		t.Gap()
		t.Line("Days with a %s level that one year in ten has; NOAA gives no heights with them "+
			"(noaa_get_top_ten_water_levels has those of the highest): %s", e.LevelType,
			render.Escape(strings.Join(e.Events, ", ")))
	}
}

// Describe writes the highest level or the newest event, then a row for each.
func (l TopTenWaterLevels) Describe(t *render.Answer) {
	name := operation.StationName(l.Station) + l.Away()
	switch {
	case l.Analysis == "peaks" && len(l.Events) == 0:
		t.Line("%s: NOAA lists no events that raised the water that year.", name)
	case l.Analysis == "peaks":
		t.Line("%s: %s that raised the water somewhere that year.", name,
			operation.Plural(len(l.Events), "event"))
	case len(l.Levels) == 0:
		t.Line("%s: no levels on record.", name)
	default:
		t.Line("%s: highest observed level %s %s above %s, %s", name,
			render.Known(l.Levels[0].Height, 2), l.HeightUnit, l.Datum,
			operation.LocalTimes(render.Escape(l.Levels[0].Time)))
	}
	t.Gap()
	for _, p := range l.Levels {
		t.Line("%s", p.text())
	}
	for _, e := range l.Events {
		t.Line("%s %s, %s", render.Escape(e.Began), render.Quote(e.Name), render.Escape(e.Type))
	}
}

func (p PeakLevel) text() string {
	event := ""
	if p.Event != "" {
		event = render.Quote(p.Event)
	}
	return fmt.Sprintf("%d. ", p.Rank) + operation.Join(", ", render.Known(p.Height, 2),
		operation.LocalTimes(render.Escape(p.Time)),
		event, render.Escape(p.Category))
}
