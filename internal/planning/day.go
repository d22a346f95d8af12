package planning

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/decide"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/tides"
	"leadline/internal/weather"
)

// DayInput requests what a day is like at a tide station.
type DayInput struct {
	place.StationOrPlace
	Date     string          `json:"date,omitempty" doc:"Day, as 2026-11-20 or saturday; default: today." example:"2026-11-20"`
	Include  []DayPart       `json:"include,omitempty" doc:"Parts; default: tides, light, currents, wind, alerts." example:"tides"`
	Activity decide.Activity `json:"activity,omitempty" doc:"Of the decision." example:"boating"`
	operation.InUnits
	operation.InZone
}

// Validate requires an activity for a decision.
func (in *DayInput) Validate() error {
	if err := in.StationOrPlace.Validate(); err != nil {
		return err
	}
	for _, part := range in.Include {
		if !slices.Contains(part.all(), part) {
			return facts.Invalid("include", "enum", "include takes values of %s, not %s. "+
				`Example: "include": ["tides", "wind"].`, strings.Join(part.Values(), ", "),
				coast.Quote(string(part)))
		}
	}
	if slices.Contains(in.Include, "decision") && in.Activity == "" {
		return facts.Invalid("activity", "required", "A decision is about an activity: give one of %s, "+
			`or leave decision out of include. Example: "activity": "boating".`,
			strings.Join(decide.Activity("").Values(), ", "))
	}
	return nil
}

// parts returns the requested parts.
func (in DayInput) parts() []DayPart {
	if len(in.Include) > 0 {
		return in.Include
	}
	if in.Activity != "" {
		return append(slices.Clone(usualParts), "decision")
	}
	return usualParts
}

var usualParts = []DayPart{"tides", "light", "currents", "wind", "alerts"}

// Day describes a day at a station. A part that was not requested is left out; a part that is not
// available is null and in missing.
type Day struct {
	coast.Frame `always:"station datum units timeZone" never:"quoted"`
	Place       *place.NamedPlace `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	Date        string            `json:"date" format:"date" doc:"The day, in the zone of the result."`
	Summary     string            `json:"summary" doc:"The day in at most three sentences."`
	Tides       *DayTides         `json:"tides" doc:"Predicted tide; null if it was not requested or is not available."`
	Light       *DayLight         `json:"light" doc:"Sun; null if it was not requested."`
	Moon        *DayMoon          `json:"moon" doc:"Moon, requested with light; null if it was not requested."`
	Currents    *DayCurrents      `json:"currents" doc:"Predicted current at the nearest station within 15 km; null if it was not requested or none is near."`
	Wind        *DayWind          `json:"wind" doc:"Wind forecast; null if it was not requested or is not known, which does not mean calm."`
	Alerts      []DayAlert        `json:"alerts" doc:"Alerts of the day; empty also if alertsAsOf is null."`
	AlertsAsOf  *time.Time        `json:"alertsAsOf" doc:"When the alerts were read; null if it is not known whether there are any."`
	LevelNow    *DayLevel         `json:"levelNow" doc:"Newest observed level; null if it was not requested or is not known."`
	Temperature *DayTemperature   `json:"temperature" doc:"Newest observed temperature of the water; null if it was not requested or is not known."`
	Decision    *DayDecision      `json:"decision" doc:"Decision about the activity, in short; null if it was not requested or is not available."`
	Spring      *DaySpring        `json:"spring" doc:"Spring, neap, tropic or equatorial tide within a day; null if there is none, or tides were not requested."`
	More        []DayMore         `json:"more" doc:"Calls with the whole result of each part."`
}

// DayTides is the tide of a day.
type DayTides struct {
	HeightUnit coast.HeightUnit  `json:"heightUnit" doc:"Unit of heights."`
	Events     []tides.TideEvent `json:"events" doc:"High and low waters of the day."`
	Now        *DayTideNow       `json:"now" doc:"The predicted tide now; null on other days than today."`
}

// DayTideNow is the predicted tide at the time of the result.
type DayTideNow struct {
	Height float64         `json:"height" doc:"Height above the datum."`
	State  tides.TideState `json:"state" doc:"What the tide does."`
}

// DayLight is the sun of a day.
type DayLight struct {
	FirstLight    *time.Time  `json:"firstLight" doc:"Civil dawn; null on days without one."`
	Sunrise       *time.Time  `json:"sunrise" doc:"Sunrise; null on days without one."`
	Sunset        *time.Time  `json:"sunset" doc:"Sunset; null on days without one."`
	LastLight     *time.Time  `json:"lastLight" doc:"Civil dusk; null on days without one."`
	GoldenMorning *coast.Span `json:"goldenMorning" doc:"Morning golden hour; null on days without one."`
	GoldenEvening *coast.Span `json:"goldenEvening" doc:"Evening golden hour; null on days without one."`

	state almanac.SunState
}

// DayMoon is the moon of a day.
type DayMoon struct {
	Phase        almanac.LunarPhase `json:"phase" doc:"Phase of the moon."`
	Illumination float64            `json:"illumination" doc:"Illuminated fraction of its disk, 0 to 1."`
	Rise         *time.Time         `json:"rise" doc:"Moonrise; null on days without one."`
	Set          *time.Time         `json:"set" doc:"Moonset; null on days without one."`
}

// DayCurrents is the current of a day.
type DayCurrents struct {
	Station   directory.StationAway     `json:"station" doc:"The nearest current station, within 15 km, at its predicted bin."`
	SpeedUnit currents.CurrentSpeedUnit `json:"speedUnit" doc:"Unit of speeds."`
	Flood     *float64                  `json:"flood" doc:"Direction that the flood flows toward, degrees true; null if NOAA does not publish it."`
	Ebb       *float64                  `json:"ebb" doc:"Direction that the ebb flows toward, degrees true; null if NOAA does not publish it."`
	Events    []DayCurrent              `json:"events" doc:"Floods, ebbs and slacks of the day."`
}

// DayCurrent is a predicted flood, ebb or slack.
type DayCurrent struct {
	Time  time.Time            `json:"time" doc:"The minute that NOAA publishes."`
	Type  currents.CurrentType `json:"type" doc:"Phase of the current."`
	Speed *float64             `json:"speed" doc:"Speed; null if NOAA publishes none."`
}

// DayWind is the wind of a day.
type DayWind struct {
	SpeedUnit coast.SpeedUnit `json:"speedUnit" doc:"Unit of speeds."`
	Rows      []DayHours      `json:"rows" doc:"The strongest wind of each four hours, from midnight on; those that are past or beyond the forecast are left out."`
	TextSpeed *float64        `json:"textSpeed" doc:"Largest wind of the coastal waters text on this day; null if it gives none. The rows are those of the hourly grid."`
	TextGust  *float64        `json:"textGust" doc:"Largest gust of the text; null if it mentions none."`
}

// DayHours is the strongest wind of some hours.
type DayHours struct {
	From      time.Time `json:"from" doc:"Begin of the first hour with a forecast."`
	Hours     int       `json:"hours" doc:"Number of hours with a forecast."`
	Unknown   int       `json:"unknown" doc:"Hours among them without a wind speed, which does not mean calm."`
	Speed     *float64  `json:"speed" doc:"Highest wind speed; null if it is not known."`
	Gust      *float64  `json:"gust" doc:"Highest gust; null if it is not known."`
	Direction *float64  `json:"direction" doc:"Direction that the strongest wind comes from, degrees true; null if it is not known."`
}

// DayAlert is an alert in force on the day.
type DayAlert struct {
	Event string     `json:"event" doc:"Kind of alert, as the weather service names it."`
	Until *time.Time `json:"until" doc:"When the event ends, or its message expires if the alert does not say; null means until further notice."`
}

// DayLevel is the newest observed level.
type DayLevel struct {
	Observed   float64  `json:"observed" doc:"Observed height above the datum."`
	Predicted  *float64 `json:"predicted" doc:"Predicted height at that time; null if it is not known."`
	Residual   *float64 `json:"residual" doc:"Observed minus predicted height; null if one of them is not known."`
	AgeMinutes int      `json:"ageMinutes" doc:"Age of the observation."`
}

// DayTemperature is the newest temperature of the water.
type DayTemperature struct {
	Value      float64 `json:"value" doc:"Temperature in the unit unit."`
	Unit       string  `json:"unit" doc:"Unit: F or C."`
	AgeMinutes int     `json:"ageMinutes" doc:"Age of the observation."`
}

// DayDecision is a decision in short.
type DayDecision struct {
	At         time.Time         `json:"at" doc:"The time that is decided: now, or noon of another day."`
	State      decide.State      `json:"state" doc:"State."`
	Confidence decide.Confidence `json:"confidence" doc:"Confidence."`
	Headline   string            `json:"headline" doc:"The decision in a sentence."`
}

// DaySpring is a spring tide or its like near the day.
type DaySpring struct {
	Kind  tides.SpringKind `json:"kind" doc:"Kind of range."`
	High  tides.TideMinute `json:"high" doc:"Its high water."`
	Range float64          `json:"range" doc:"Height of its high above its low water."`
}

// DayMore names the call with the whole result of a part.
type DayMore struct {
	Part DayPart `json:"part" doc:"The part."`
	Call string  `json:"call" doc:"Tool and arguments."`
}

// Day gathers the parts of a day concurrently. A part that is not available is in missing.
// Errors: those of TidePredictions.
func (s Days) Day(ctx context.Context, in DayInput) (Day, error) {
	var datum operation.OnDatum
	at, st, _, err := s.Tides.At(&in.StationOrPlace, &datum)
	if err != nil {
		return Day{}, err
	}
	fs := s.decisions.facts.Set()
	z, err := fs.Zone(st, string(in.TimeZone))
	if err != nil {
		return Day{}, err
	}
	days, err := fs.Days("date", in.Date, 1, z)
	if err != nil {
		return Day{}, err
	}
	g := dayGatherer{Days: s, fs: fs, in: in, at: at, st: st, zone: z, day: days[0]}
	g.begin(string(datum.Datum))
	at.Explain(&g.out.Provenance)
	g.out.Notes = append(g.out.Notes, at.ItselfNote("Light, moon, wind and alerts are")...)
	g.out.Notes = append(g.out.Notes, days[0].Notes...)
	if len(days) > 1 {
		g.out.Notes = append(g.out.Notes, fmt.Sprintf("%s has %d days, and this is the first. Of "+
			"another, give its date. Example: \"date\": %q.", coast.Quote(in.Date), len(days),
			days[1].From.Format(time.DateOnly)))
	}
	g.gather(ctx)
	return g.out, nil
}

// WithoutTide gathers light, moon, wind and alerts of today at a station where NOAA predicts no
// tide, such as one of the Great Lakes. Errors: StationNotFound, and ProviderUnavailable if only
// NOAA knows the station and does not respond.
func (s Days) WithoutTide(ctx context.Context, station string, in operation.InUnits) (Day, error) {
	fs := s.decisions.facts.Set()
	st, err := fs.Gauge(ctx, station)
	if err != nil {
		return Day{}, err
	}
	z, err := fs.Zone(st, "")
	if err != nil {
		return Day{}, err
	}
	days, err := fs.Days("date", "", 1, z)
	if err != nil {
		return Day{}, err
	}
	g := dayGatherer{Days: s, fs: fs, st: st, zone: z, day: days[0],
		in: DayInput{Include: []DayPart{"light", "wind", "alerts"}, InUnits: in}}
	g.begin("")
	g.gather(ctx)
	return g.out, nil
}

// begin begins the result, without any part.
func (g *dayGatherer) begin(datum string) {
	g.in.Station, g.in.Date = g.st.ID, g.day.From.Format(time.DateOnly)
	g.out = Day{
		Frame: tides.Frame(g.fs, g.st, datum, g.in.Units, g.zone), Place: g.at.Place.Place,
		Date: g.in.Date, Alerts: []DayAlert{}, More: []DayMore{},
	}
	if !slices.Contains(g.in.parts(), "tides") {
		g.out.Sources = []coast.Source{}
	}
}

// dayGatherer gathers one day.
type dayGatherer struct {
	Days
	fs   facts.Set
	in   DayInput
	at   place.Resolved // the place of the request
	st   stations.Station
	zone facts.Zone
	day  facts.Interval
	out  Day
}

// today reports whether the day is that of the result.
func (g *dayGatherer) today() bool {
	return !g.fs.Now.Before(g.day.From) && g.fs.Now.Before(g.day.To)
}

// finding is the outcome of a part.
type finding struct {
	part    DayPart
	from    coast.Provenance // of the part alone
	err     error
	more    string // tool and arguments
	warning string // stands before all notes, or empty
}

// gather requests the parts side by side, each with its own deadline.
func (g *dayGatherer) gather(ctx context.Context) {
	gatherers := map[DayPart]func(context.Context) finding{
		"tides": g.tides, "light": g.light, "currents": g.currents, "wind": g.wind,
		"alerts": g.alerts, "water_level": g.level, "temperature": g.temperature,
		"decision": g.decision,
	}
	parts := slices.DeleteFunc(DayPart("").all(), func(p DayPart) bool {
		return !slices.Contains(g.in.parts(), p)
	})
	found := make([]finding, len(parts))
	calls := make([]func(), len(parts))
	for i, part := range parts {
		calls[i] = func() {
			limited, cancel := operation.WithAdditionTimeout(ctx)
			defer cancel()
			found[i] = gatherers[part](limited)
			found[i].part = part
		}
	}
	facts.Concurrently(calls...)
	further := false
	for _, f := range found {
		if f.warning != "" {
			g.out.Notes = append([]string{f.warning}, g.out.Notes...)
		}
		facts.Merge(&g.out.Provenance, f.from)
		if f.err != nil {
			g.out.Missing = append(g.out.Missing, coast.Unobtained(string(f.part), f.err))
			continue
		}
		tool, _, _ := strings.Cut(f.more, " ")
		switch {
		case f.more == "":
		case operation.Offers(ctx, tool):
			g.out.More = append(g.out.More, DayMore{f.part, f.more})
		default:
			further = true
		}
	}
	if further {
		g.out.Notes = append(g.out.Notes, operation.MoreTools)
	}
	g.out.Summary = g.summary()
}

// only returns the sources of a part that have one of the ids, and what it lacks under them.
func only(p coast.Provenance, id string, inputs ...string) coast.Provenance {
	out := coast.Provenance{}
	for _, s := range p.Sources {
		if s.ID == id {
			out.Sources = append(out.Sources, s)
		}
	}
	for _, m := range p.Missing {
		if slices.ContainsFunc(inputs, func(in string) bool { return strings.HasPrefix(m.Input, in) }) {
			out.Missing = append(out.Missing, m)
		}
	}
	return out
}

// call returns a tool with the arguments of the day.
func (g *dayGatherer) call(tool, arguments string) string {
	return operation.Join(" ", tool, "station="+g.st.ID, arguments, unitsArgument(g.in.Units))
}

// point returns the point of the sky and the weather.
func (g *dayGatherer) point() place.AtNamedPlace {
	if g.at.Point == nil {
		return place.AtNamedPlace{AtPlace: operation.AtPlace{Station: g.st.ID}}
	}
	at := g.at.Sky(g.st)
	return place.AtNamedPlace{AtPlace: operation.AtPlace{Latitude: &at.Latitude,
		Longitude: &at.Longitude}}
}

// callAt returns a tool with that point and arguments.
func (g *dayGatherer) callAt(tool string, arguments ...string) string {
	return operation.Join(" ", append([]string{tool, g.named("station")}, arguments...)...)
}

// named returns the argument that names the place of the request, or its station by a name.
func (g *dayGatherer) named(station string) string {
	if g.at.Point != nil {
		return fmt.Sprintf("place=%q", g.out.Place.Asked)
	}
	return station + "=" + g.st.ID
}

func unitsArgument(u coast.Units) string {
	if u == coast.English { // the default
		return ""
	}
	return "units=" + string(u)
}

func (g *dayGatherer) where() place.StationOrPlace { return place.StationOrPlace{Station: g.st.ID} }

func (g *dayGatherer) tides(ctx context.Context) finding {
	p, err := g.Tides.TidePredictions(ctx, tides.TidePredictionsInput{
		StationOrPlace: g.where(), Interval: "hilo", Span: operation.Span{Date: g.in.Date},
		InUnits: g.in.InUnits, InZone: g.in.InZone,
	})
	if err != nil {
		return finding{err: err}
	}
	g.out.Tides = &DayTides{HeightUnit: p.HeightUnit, Events: p.Extremes}
	if p.Now != nil {
		g.out.Tides.Now = &DayTideNow{p.Now.Height, p.Now.State}
	}
	f := finding{more: g.call("noaa_get_tide_predictions", "date="+g.in.Date)}
	springs, err := g.Tides.TideRanks(ctx, tides.TideRanksInput{
		StationOrPlace: g.where(), What: "springs", Limit: 100,
		InUnits: g.in.InUnits, InZone: g.in.InZone,
		Span: operation.Span{
			Begin: g.day.From.AddDate(0, 0, -6).Format(time.DateOnly),
			End:   g.day.From.AddDate(0, 0, 4).Format(time.DateOnly),
		},
	})
	for _, s := range springs.Springs {
		if at := s.High.Time; err == nil && at.After(g.day.From.Add(-facts.Day)) &&
			at.Before(g.day.To.Add(facts.Day)) {
			g.out.Spring = &DaySpring{s.Kind, s.High, s.Range}
		}
	}
	return f
}

func (g *dayGatherer) light(context.Context) finding {
	at := facts.Place{Place: g.at.Sky(g.st), Zone: g.zone}
	d, _ := almanac.SunOn(g.day, almanac.SunFrom([]facts.Interval{g.day}, at), at)
	m := almanac.MoonOn(g.fs, g.day, at, true)
	g.out.Light = &DayLight{
		FirstLight: d.CivilDawn, Sunrise: d.Sunrise, Sunset: d.Sunset, LastLight: d.CivilDusk,
		GoldenMorning: d.GoldenHourMorning, GoldenEvening: d.GoldenHourEvening, state: d.State,
	}
	g.out.Moon = &DayMoon{m.Phase, m.Illumination, m.Moonrise, m.Moonset}
	f := finding{more: g.callAt("astro_get_sun_times", "date="+g.in.Date)}
	facts.Merge(&f.from, g.fs.SkyFrame(at, facts.Sun).Provenance)
	facts.Merge(&f.from, g.fs.SkyFrame(at, facts.Moon).Provenance)
	return f
}

func (g *dayGatherer) currents(ctx context.Context) finding {
	n, err := g.fs.CurrentNear(g.st.Latitude, g.st.Longitude)
	if err != nil {
		return finding{err: err}
	}
	p, err := g.Currents.CurrentPredictions(ctx, currents.CurrentPredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: n.Station.ID}, Interval: "max_slack",
		VelType: "default", Span: operation.Span{Date: g.in.Date}, InUnits: g.in.InUnits,
		InZone: g.in.InZone,
	})
	if err != nil {
		return finding{err: err}
	}
	out := &DayCurrents{
		Station: directory.StationAway{ID: n.Station.ID, Name: n.Station.Name,
			DistanceKm: facts.Tenths(n.Kilometers)},
		SpeedUnit: currents.CurrentSpeedUnit(p.SpeedUnit), Events: []DayCurrent{},
		Flood: p.Directions.Flood, Ebb: p.Directions.Ebb,
	}
	for _, e := range p.Events {
		out.Events = append(out.Events, DayCurrent{e.Time, currents.CurrentType(e.Type), e.Speed})
	}
	g.out.Currents = out
	warning := ""
	if n.Kilometers > place.OfCurrents.Sure {
		warning = fmt.Sprintf("Currents: %.0f km away: %s.", n.Kilometers, place.OfCurrents.Warning())
	}
	call := operation.Join(" ", "noaa_get_current_predictions", "station="+n.Station.ID,
		"date="+g.in.Date,
		unitsArgument(g.in.Units))
	return finding{from: only(p.Provenance, "current-prediction"), more: call, warning: warning}
}

func (g *dayGatherer) wind(ctx context.Context) finding {
	hours := int(g.day.To.Sub(g.fs.Now.Truncate(time.Hour)).Hours())
	switch {
	case hours <= 0:
		return finding{err: unavailable("the day is past, and forecasts begin now")}
	case g.day.From.Sub(g.fs.Now) >= currents.WindHours*time.Hour:
		return finding{err: unavailable("the hourly forecast covers about six days from now")}
	}
	hours = min(hours, currents.WindHours)
	f, err := g.weather.WindForecast(ctx, weather.WindForecastInput{
		AtNamedPlace: g.point(), Hours: hours, InUnits: g.in.InUnits,
	})
	if err != nil {
		return finding{err: err}
	}
	out := &DayWind{SpeedUnit: f.InUnit.Speed, Rows: []DayHours{}}
	for block := range 6 {
		from, to := g.day.From.Add(time.Duration(4*block)*time.Hour), g.day.To
		if block < 5 {
			to = from.Add(4 * time.Hour)
		}
		if row, ok := worstWind(f.Hours, from, to); ok {
			row.From = row.From.In(g.zone.Location)
			out.Rows = append(out.Rows, row)
		}
	}
	from := only(f.Provenance, "wind-forecast")
	if f.TextWind != nil {
		facts.Merge(&from, only(f.Provenance, "marine-text"))
		out.ofText(f.TextWind, g.day.From)
	}
	known := func(r DayHours) bool { return r.Speed != nil }
	if !slices.ContainsFunc(out.Rows, known) {
		return finding{from: from, err: unavailable("the forecast has no wind for this day")}
	}
	g.out.Wind = out
	call := g.callAt("nws_get_wind_forecast", fmt.Sprintf("hours=%d", hours),
		unitsArgument(g.in.Units))
	return finding{from: from, more: call}
}

// worstWind returns the strongest wind of the hours that begin in [from, to). ok is false if the
// forecast does not have any of them.
func worstWind(h facts.ForecastHours, from, to time.Time) (row DayHours, ok bool) {
	for i := range h.Count {
		at := operation.At(h.Start, i, h.StepMinutes)
		if at.Before(from) || !at.Before(to) {
			continue
		}
		if row.Hours++; row.Hours == 1 {
			row.From = at
		}
		if h.Gusts[i] != nil && (row.Gust == nil || *h.Gusts[i] > *row.Gust) {
			row.Gust = h.Gusts[i]
		}
		switch speed := h.Speeds[i]; {
		case speed == nil:
			row.Unknown++
		case row.Speed == nil || *speed > *row.Speed:
			row.Speed, row.Direction = speed, h.Directions[i]
		}
	}
	return row, row.Hours > 0
}

func (g *dayGatherer) alerts(ctx context.Context) finding {
	if !g.day.To.After(g.fs.Now) {
		return finding{err: unavailable("the day is past, and alerts are those in force now")}
	}
	f, err := g.weather.MarineForecast(ctx, weather.MarineForecastInput{AtNamedPlace: g.point()})
	from := only(f.Provenance, "marine-alerts", "alerts")
	if f.AlertsAsOf == nil {
		switch {
		case len(from.Missing) > 0:
			return finding{from: from} // which says why
		case err == nil:
			err = coast.Errorf(coast.ProviderUnavailable, "the weather service has not answered")
		}
		return finding{from: from, err: err}
	}
	asOf := f.AlertsAsOf.In(g.zone.Location)
	g.out.AlertsAsOf = &asOf
	for _, a := range f.Alerts {
		until := a.Until()
		if a.Onset != nil && !a.Onset.Before(g.day.To) || until != nil && !until.After(g.day.From) {
			continue
		}
		if until != nil {
			local := until.In(g.zone.Location)
			until = &local
		}
		g.out.Alerts = append(g.out.Alerts, DayAlert{a.Event, until})
	}
	return finding{from: from, more: g.callAt("nws_get_marine_forecast")}
}

// unavailable returns the error of a part that does not exist.
func unavailable(reason string) error {
	return coast.Errorf(coast.ProductUnavailable, "%s", reason)
}

// onlyToday is the error for observations of another day.
func onlyToday() error {
	return unavailable("observations are shown for today only")
}

func (g *dayGatherer) level(ctx context.Context) finding {
	if !g.today() {
		return finding{err: onlyToday()}
	}
	l, err := g.Levels.WaterLevels(ctx, levels.WaterLevelsInput{
		StationOrPlace: g.where(), Interval: "6", Span: operation.Span{Date: "latest"},
		OnDatum: operation.OnDatum{Datum: g.out.Datum}, InUnits: g.in.InUnits, InZone: g.in.InZone,
	})
	switch {
	case err != nil:
		return finding{err: err}
	case l.Newest == nil:
		return finding{err: unavailable(reasonOf(l.Missing, "observed height"))}
	}
	g.out.LevelNow = &DayLevel{
		Observed: l.Newest.Height, Predicted: l.Predicted, Residual: l.Residual,
		AgeMinutes: int(g.fs.Now.Sub(l.Newest.Time) / time.Minute),
	}
	return finding{
		from: only(l.Provenance, "water-level"), more: g.call("noaa_get_water_levels", "date=latest"),
	}
}

// reasonOf returns why an input is missing.
func reasonOf(list []coast.Missing, input string) string {
	i := slices.IndexFunc(list, func(m coast.Missing) bool { return m.Input == input })
	return list[i].Reason
}

func (g *dayGatherer) temperature(ctx context.Context) finding {
	if !g.today() {
		return finding{err: onlyToday()}
	}
	t, err := g.weather.MeteorologicalData(ctx, weather.MeteorologicalDataInput{
		StationOrPlace: g.where(), Product: "water_temperature", Interval: "6",
		Span: operation.Span{Date: "latest"}, InUnits: g.in.InUnits, InZone: g.in.InZone,
	})
	switch {
	case err != nil:
		return finding{err: err}
	case len(t.Newest) == 0:
		return finding{err: unavailable(reasonOf(t.Missing, "water temperature"))}
	}
	m := t.Newest[0]
	g.out.Temperature = &DayTemperature{m.Value, m.Unit, m.AgeMinutes}
	f := finding{more: g.call("noaa_get_meteorological_data", "product=water_temperature date=latest")}
	f.from.Sources = t.Sources
	return f
}

func (g *dayGatherer) decision(ctx context.Context) finding {
	home := g.fs.Local(g.st)
	date, clock := g.in.Date, "12:00"
	if g.today() {
		now := g.fs.Now.In(home)
		date, clock = now.Format(time.DateOnly), now.Format("15:04")
	}
	err := mayDecide(ctx)
	var d TripHealth
	if err == nil {
		trip := TripHealthInput{g.st.ID, Trip{g.in.Activity, date, clock}}
		d, err = g.decisions.tripHealthAt(ctx, trip, g.at)
	}
	if err != nil {
		return finding{err: err}
	}
	g.out.Decision = &DayDecision{
		At: d.Decision.RequestedFor, State: d.Decision.State, Confidence: d.Decision.Confidence,
		Headline: d.Decision.Headline,
	}
	return finding{more: fmt.Sprintf("leadline_trip_health %s activity=%s localDate=%s localTime=%s",
		g.named("stationId"), g.in.Activity, date, clock)}
}

// summary returns the tide, the light, and the wind with the alerts, each in a sentence.
func (g *dayGatherer) summary() string {
	return operation.Join(" ", g.out.tideSentence(), g.out.lightSentence(), g.windSentence())
}

func (d Day) tideSentence() string {
	if d.Tides == nil {
		return ""
	}
	var events []string
	for _, e := range d.Tides.Events {
		events = append(events, fmt.Sprintf("%s %s %s", e.Type, e.Time.Format("15:04"),
			render.Number(e.Height, 2)))
	}
	if len(events) == 0 {
		return "No high or low water."
	}
	text := "Tide in " + string(d.Tides.HeightUnit) + ": " + strings.Join(events, ", ")
	if d.Spring != nil {
		article := "a"
		if d.Spring.Kind == "equatorial" {
			article = "an"
		}
		text += fmt.Sprintf(", near %s %s tide", article, d.Spring.Kind)
	}
	return text + "."
}

func (d Day) lightSentence() string {
	if d.Light == nil {
		return ""
	}
	moon := strings.ReplaceAll(string(d.Moon.Phase), "_", " ")
	rise, set := d.Light.Sunrise, d.Light.Sunset
	switch {
	case d.Light.Polar() != "":
		return "The " + d.Light.Polar() + "; " + moon + "."
	case rise == nil || set == nil:
		return fmt.Sprintf("Sun: %s, %s; %s.", clockOr(rise, "sunrise", "no sunrise"),
			clockOr(set, "sunset", "no sunset"), moon)
	}
	return fmt.Sprintf("Sun %s to %s, %s.", rise.Format("15:04"), set.Format("15:04"), moon)
}

// Polar describes a day on which the sun stays on one side of the horizon; "" for other days.
func (l DayLight) Polar() string {
	switch l.state {
	case "polar_day":
		return "sun does not set"
	case "polar_night":
		return "sun does not rise"
	}
	return ""
}

// clockOr returns the name of an event and its time of day, or none if it does not occur.
func clockOr(at *time.Time, name, none string) string {
	if at == nil {
		return none
	}
	return name + " " + at.Format("15:04")
}

// windSentence says what is not known as plainly as what is.
func (g *dayGatherer) windSentence() string {
	var texts []string
	if slices.Contains(g.in.parts(), "wind") {
		texts = append(texts, g.out.Wind.text())
	}
	if slices.Contains(g.in.parts(), "alerts") {
		var events []string
		for _, a := range g.out.Alerts {
			events = append(events, a.Event)
		}
		switch {
		case g.out.AlertsAsOf == nil:
			texts = append(texts, "alerts not known")
		case len(events) == 0:
			texts = append(texts, "no alerts")
		default:
			texts = append(texts, "alerts: "+strings.Join(events, ", "))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	text := strings.Join(texts, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// ofText adds the largest wind and gust of the periods of a text that end after a time.
func (w *DayWind) ofText(text *facts.TextWind, after time.Time) {
	for _, p := range text.Periods {
		if !p.To.After(after) {
			continue
		}
		if p.Speed != nil && (w.TextSpeed == nil || *p.Speed > *w.TextSpeed) {
			w.TextSpeed = p.Speed
		}
		if p.Gust != nil && (w.TextGust == nil || *p.Gust > *w.TextGust) {
			w.TextGust = p.Gust
		}
	}
}

// text returns the strongest wind of the day.
func (w *DayWind) text() string {
	if w == nil {
		return "wind not known"
	}
	var most *DayHours
	unknown := false
	for i := range w.Rows {
		r := &w.Rows[i]
		unknown = unknown || r.Unknown > 0
		if r.Speed != nil && (most == nil || *r.Speed > *most.Speed) {
			most = r
		}
	}
	text := fmt.Sprintf("wind of the grid up to %s %s", render.Short(*most.Speed, 1), w.SpeedUnit)
	if most.Direction != nil {
		text += fmt.Sprintf(" from %.0f°", *most.Direction)
	}
	if unknown {
		text += ", not known in some hours"
	}
	if w.TextSpeed != nil {
		text += fmt.Sprintf(", of the coastal waters text up to %s %s", render.Short(*w.TextSpeed, 1),
			w.SpeedUnit)
	}
	return text
}

// Describe writes the summary, then a line for each part.
func (d Day) Describe(t *render.Answer) {
	t.Line("%s%s, %s: %s", operation.StationName(d.Station), place.ForPlace{Place: d.Place}.Away(),
		d.Date,
		render.Escape(d.Summary))
	t.Gap()
	if d.Tides != nil && d.Tides.Now != nil {
		t.Line("Tide now: %s %s, %s (predicted).", render.Number(d.Tides.Now.Height, 2),
			d.Tides.HeightUnit, strings.ReplaceAll(string(d.Tides.Now.State), "_", " "))
	}
	if l := d.LevelNow; l != nil {
		residual := ""
		if l.Residual != nil {
			residual = fmt.Sprintf(", residual %s", render.Number(*l.Residual, 2))
		}
		t.Line("Observed level: %s%s, %s old.", render.Number(l.Observed, 2), residual,
			render.Age(l.AgeMinutes))
	}
	if w := d.Temperature; w != nil {
		t.Line("Water: %s %s, %s old.", render.Short(w.Value, 1), w.Unit, render.Age(w.AgeMinutes))
	}
	d.describeLight(t)
	d.describeCurrents(t)
	if d.Wind != nil {
		for _, r := range d.Wind.Rows {
			t.Line("Wind %s, %d h: %s G%s %s from %s", r.From.Format("15:04"), r.Hours,
				render.Known(r.Speed, 1), render.Known(r.Gust, 1), d.Wind.SpeedUnit,
				render.Known(r.Direction, 0))
		}
		if d.Wind.TextGust != nil {
			t.Line("Gusts of the coastal waters text: up to %s %s.", render.Known(d.Wind.TextGust, 1),
				d.Wind.SpeedUnit)
		}
	}
	for _, a := range d.Alerts {
		until := "until further notice"
		if a.Until != nil {
			until = "until " + a.Until.Format("Mon 2 Jan 15:04")
		}
		t.Line("Alert: %s %s", render.Name(a.Event), until)
	}
	if x := d.Decision; x != nil {
		t.Line("Decision for %s: %s, confidence %s. %s", x.At.Format("Mon 2 Jan 15:04"),
			decide.Verdict(x.State, x.Confidence), x.Confidence, render.Escape(x.Headline))
	}
	calls := []string{}
	for _, m := range d.More {
		calls = append(calls, render.Escape(m.Call))
	}
	if len(calls) > 0 {
		t.Line("More: %s", strings.Join(calls, "; "))
	}
}

func (d Day) describeLight(t *render.Answer) {
	if d.Light == nil {
		return
	}
	l := d.Light
	without := func(text string) string {
		if l.Polar() != "" {
			return ""
		}
		return text
	}
	t.Line("Light: %s. Moon %.0f %%, %s, %s.", operation.Join(", ", l.Polar(),
		clockOr(l.FirstLight, "first", without("no dawn")),
		clockOr(l.Sunrise, "sunrise", without("no sunrise")),
		clockOr(l.Sunset, "sunset", without("no sunset")),
		clockOr(l.LastLight, "last", without("no dusk"))),
		100*d.Moon.Illumination, clockOr(d.Moon.Rise, "rise", "no rise"),
		clockOr(d.Moon.Set, "set", "no set"))
}

func (d Day) describeCurrents(t *render.Answer) {
	if d.Currents == nil {
		return
	}
	var events []string
	for _, e := range d.Currents.Events {
		text := e.Time.Format("15:04 ") + string(e.Type)
		if e.Type != "slack" {
			text += " " + currents.SpeedOf(e.Speed, string(d.Currents.SpeedUnit))
		}
		events = append(events, text)
	}
	s, where := d.Currents.Station, "Currents"
	if s.DistanceKm > place.OfCurrents.Sure {
		where = "Currents of " + place.OfCurrents.Warning() + ","
	}
	t.Line("%s in %s at %s (%s), %s km away: %s.", where, d.Currents.SpeedUnit,
		render.Escape(s.Name), s.ID, render.Short(s.DistanceKm, 1), strings.Join(events, ", "))
}
