package weather

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/decide"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// WindForecastInput requests the wind forecast of a point.
type WindForecastInput struct {
	place.AtNamedPlace
	Hours          int    `json:"hours" default:"24" min:"1" max:"156" doc:"Hours ahead of now."`
	CurrentStation string `json:"current_station,omitempty" pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" doc:"Adds its current, and wind against current." example:"PUG1701"`
	operation.InUnits
}

// Validate requires exactly one of the ways to name a place.
func (in *WindForecastInput) Validate() error { return in.AtNamedPlace.CheckPoint() }

// WindForecast is the wind forecast of a point.
type WindForecast struct {
	coast.Frame
	facts.GridForecast
	// Resolved is set if the caller named a place; Place is the place of the grid.
	Resolved *place.NamedPlace `json:"resolvedPlace,omitempty" schema:"-"`
	// Current is set if the caller named a current station.
	Current *CurrentHours `json:"current,omitempty"`
	// TextWind is the wind of the coastal waters text, which is often stronger than the grid's.
	TextWind *facts.TextWind `json:"textWind" doc:"Wind of the forecast text for the water, next to that of the grid; null if there is no text."`
	texted   bool            // a text is written for the place
	now      time.Time
}

// WindForecast returns wind, weather and waves hour by hour from the weather service's
// grid. It returns ProductUnavailable if the service has no grid at the point.
func (s Operations) WindForecast(
	ctx context.Context, in WindForecastInput,
) (WindForecast, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	at, err := in.AtNamedPlace.Resolve(fs)
	if err != nil {
		return WindForecast{}, err
	}
	sp, err := fs.ForecastPlace(ctx, in.AtPlace, at.Zone(operation.InPlaceZone{}))
	if err != nil {
		return WindForecast{}, err
	}
	sp.Sea = at.Sea()
	out := WindForecast{Frame: sp.Frame(in.Units), Resolved: at.Place.Place, now: fs.Now}
	at.Explain(&out.Provenance)
	out.GridForecast, err = fs.GridForecast(ctx, &out.Provenance, sp, in.Hours, in.Units)
	if err != nil {
		return out, err
	}
	out.addText(ctx, fs, sp, in)
	if in.CurrentStation != "" {
		err = out.currentOf(ctx, fs, sp, in)
	}
	return out, err
}

// addText adds the wind of the text for the hours of the forecast.
func (f *WindForecast) addText(
	ctx context.Context, fs facts.Set, at facts.Place, in WindForecastInput,
) {
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	from, minutes := f.Hours.Start, f.Hours.Count*f.Hours.StepMinutes
	span := facts.Interval{From: from, To: from.Add(time.Duration(minutes) * time.Minute)}
	f.TextWind, f.texted = fs.TextWind(ctx, &f.Provenance, at, span, in.Units)
}

// TextSentence returns the strongest wind of each period of the text.
func (f WindForecast) TextSentence() string {
	return textWindSentence(f.TextWind, f.InUnit.Speed, f.now)
}

// textWindSentence returns the strongest wind of each period of a text.
func textWindSentence(w *facts.TextWind, unit coast.SpeedUnit, now time.Time) string {
	if w == nil {
		return "Wind of the coastal waters text: not known."
	}
	parts, zone := []string{}, render.Escape(coast.Clip(w.Zone))
	for _, p := range w.Periods {
		part := render.Name(p.Name) + " no number"
		if p.Speed != nil {
			part = render.Name(p.Name) + " " + render.Known(p.Speed, 1)
		}
		if p.Gust != nil {
			part += " G" + render.Known(p.Gust, 1)
		}
		parts = append(parts, part+" until "+render.Clock(p.To, now))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("Wind of the text for %s: it does not reach these hours.", zone)
	}
	return fmt.Sprintf("Wind of the text for %s, %s at most: %s.", zone, unit,
		strings.Join(parts, ", "))
}

// MarineForecastInput requests the coastal waters forecast of a point.
type MarineForecastInput struct {
	place.AtNamedPlace
}

// Validate requires exactly one of the ways to name a place.
func (in *MarineForecastInput) Validate() error { return in.AtNamedPlace.CheckPoint() }

// MarineForecast is the forecast for the water at a point.
type MarineForecast struct {
	coast.Frame
	facts.WaterText
	place.ForPlace
	point sky.Place
	now   time.Time
}

// MarineForecast returns the newest text for the water at a point, the alerts, and the
// risk of rip currents if a forecast office publishes it. Unavailable parts are listed in
// missing; if no part is available, it returns an error.
func (s Operations) MarineForecast(
	ctx context.Context, in MarineForecastInput,
) (MarineForecast, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	at, err := in.AtNamedPlace.Resolve(fs)
	if err != nil {
		return MarineForecast{}, err
	}
	sp, err := fs.ForecastPlace(ctx, in.AtPlace, at.Zone(operation.InPlaceZone{}))
	if err != nil {
		return MarineForecast{}, err
	}
	out := MarineForecast{
		Frame: sp.Frame(""), ForPlace: at.Place, point: sp.Place, now: fs.Now,
	}
	at.Explain(&out.Provenance)
	out.WaterText, err = fs.WaterText(ctx, &out.Provenance, sp)
	return out, err
}

// ForecastInput requests all forecasts of a station.
type ForecastInput struct {
	operation.AtStation
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"Hours ahead of now."`
	operation.InUnits
	operation.InZone
}

// Forecast is the wind forecast of a station, the text for the water there and the
// alerts.
type Forecast struct {
	coast.Frame `always:"station units timeZone" never:"datum datumEpoch"`
	Wind        *facts.GridForecast `json:"wind" doc:"Hourly forecast of wind, weather and waves; null if it is not available."`
	Marine      *facts.WaterText    `json:"marine" doc:"Text for the water, alerts and rip currents; null if they are not available."`
}

// Forecast joins WindForecast and MarineForecast. An unavailable part is listed in
// missing; if neither is available, Forecast returns an error.
func (s Operations) Forecast(ctx context.Context, in ForecastInput) (Forecast, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	zone := operation.InPlaceZone{TimeZone: string(in.TimeZone)}
	sp, err := fs.ForecastPlace(ctx, operation.AtPlace{Station: in.Station}, zone)
	if err != nil {
		return Forecast{}, err
	}
	var wind facts.GridForecast
	var water facts.WaterText
	var windErr, waterErr error
	ofWind, ofWater := sp.Frame(""), sp.Frame("")
	facts.Concurrently(
		func() {
			wind, windErr = fs.GridForecast(ctx, &ofWind.Provenance, sp, in.Hours, in.Units)
		},
		func() { water, waterErr = fs.WaterText(ctx, &ofWater.Provenance, sp) },
	)
	out := Forecast{Frame: sp.Frame(in.Units), Wind: &wind, Marine: &water}
	if windErr != nil {
		out.Wind = nil
		fs.Missing(&out.Provenance, facts.GridOrigin(sp.Latitude, sp.Longitude), "wind forecast", windErr)
	} else {
		facts.Merge(&out.Provenance, ofWind.Provenance)
	}
	if waterErr != nil {
		out.Marine = nil
	}
	facts.Merge(&out.Provenance, ofWater.Provenance)
	return out, facts.AllFailed([]error{windErr, waterErr})
}

// Describe writes the strongest wind of the span, then a row for each hour.
func (f WindForecast) Describe(t *render.Answer) {
	t.Line("%s: %s", place.ForPlace{Place: f.Resolved}.At(f.Station, f.Place.Latitude,
		f.Place.Longitude),
		f.sentence())
	t.Line("%s", f.TextSentence())
	t.Write(f.legend())
	t.Line("%s", f.cell())
	if f.Current != nil {
		t.Line("%s", f.Current.sentence())
	}
	f.describeHours(t)
}

// describeHours writes a row for each run of equal hours of a day.
func (f WindForecast) describeHours(t *render.Answer) {
	shown := min(f.Hours.Count, operation.TextRows)
	at := func(i int) time.Time { return operation.At(f.Hours.Start, i, f.Hours.StepMinutes) }
	rows := make([][]render.Cell, shown)
	for i := range rows {
		rows[i] = append(f.cells(i), f.Current.cells(i)...)
	}
	var first []int
	for i := range rows {
		if i == 0 || render.Day(at(i)) != render.Day(at(i-1)) || !slices.Equal(rows[i], rows[i-1]) {
			first = append(first, i)
		}
	}
	u, current := f.InUnit, ""
	if f.Current != nil {
		current = "predicted current " + f.Current.SpeedUnit
	}
	columns := []string{
		fmt.Sprintf("wind %s", u.Speed), fmt.Sprintf("gust %s", u.Speed), "from degrees true", "weather",
		fmt.Sprintf("visibility %s", u.Visibility),
		fmt.Sprintf("waves and swell %s, every %s, from degrees true", u.Height, u.Period),
		current, "wind against current", "hours",
	}
	t.Days(columns, len(first), func(k int) (time.Time, []render.Cell) {
		i, next := first[k], shown
		if k+1 < len(first) {
			next = first[k+1]
		}
		hours := render.Cell{}
		if next-i > 1 {
			hours = render.Figure(float64(next-i), 0).As(" (%s h)")
		}
		return at(i), append(slices.Clip(rows[i]), hours)
	})
	if shown < f.Hours.Count {
		t.Gap()
		t.Line(`These are the first %d of %d hours; "view": "full" has all.`, shown, f.Hours.Count)
	}
}

// sentence returns the strongest wind of the span and the strongest gust.
func (f WindForecast) sentence() string {
	h := f.Hours
	wind, gust, waves := strongest(h.Speeds), strongest(h.Gusts), -1
	if h.Waves != nil {
		waves = strongest(h.Waves.Heights)
	}
	if wind < 0 {
		return "the grid has no wind for these hours"
	}
	at := func(i int) string { return render.Clock(operation.At(h.Start, i, h.StepMinutes), f.now) }
	text := "forecast wind at most " + render.Known(h.Speeds[wind], 1) + " " + string(f.InUnit.Speed)
	if h.Directions[wind] != nil {
		text += " from " + render.Known(h.Directions[wind], 0) + "°"
	}
	switch {
	case gust == wind:
		text += fmt.Sprintf(", gusts %s, at %s", render.Known(h.Gusts[gust], 1), at(wind))
	case gust >= 0:
		text += fmt.Sprintf(" at %s, gusts %s at %s", at(wind), render.Known(h.Gusts[gust], 1),
			at(gust))
	default:
		text += " at " + at(wind)
	}
	if waves >= 0 {
		text += fmt.Sprintf(", waves %s %s at %s", render.Known(h.Waves.Heights[waves], 1),
			f.InUnit.Height, at(waves))
	}
	return text
}

// strongest returns the index of the first of the greatest values, or -1 if there is none.
func strongest(values []*float64) int {
	most := -1
	for i, v := range values {
		if v != nil && (most < 0 || *v > *values[most]) {
			most = i
		}
	}
	return most
}

// legend describes the columns of the rows, as the structured content does by their names.
func (f WindForecast) legend() string {
	u := f.InUnit
	text := fmt.Sprintf("Rows: wind %s, gusts (G), from degrees true; weather; vis (visibility) %s",
		u.Speed, u.Visibility)
	if f.Hours.Waves != nil {
		text += fmt.Sprintf("; waves and swell %s, period %s, from", u.Height, u.Period)
	}
	return text + "."
}

// cell names the grid cell and the issue time.
func (f WindForecast) cell() string {
	near := ""
	if f.Place.Name != "" {
		near = " near " + render.Name(f.Place.Name)
	}
	return fmt.Sprintf("Cell %s (%s)%s, issued %s, valid to %s.",
		render.Escape(coast.Clip(f.Place.Grid)), f.Place.Surface, near, render.Clock(f.Issued, f.now),
		render.Clock(f.ValidTo, f.now))
}

// cells returns the cells of an hour's row, without its time.
func (f WindForecast) cells(i int) []render.Cell {
	h := f.Hours
	cells := []render.Cell{render.Value(h.Speeds[i], 1), render.Value(h.Gusts[i], 1).As(" G%s"),
		render.Value(h.Directions[i], 0).As(" from %s"), {}, {}, {}}
	if h.Weather[i] != nil && *h.Weather[i] != "none" {
		cells[3] = render.Word(render.Quote(*h.Weather[i])).As("; %s")
	}
	if h.Visibility[i] != nil {
		cells[4] = render.Value(h.Visibility[i], 2).As("; vis %s")
	}
	if h.Waves != nil {
		cells[5] = render.Word(waveCells(h.Waves, i)).As("; %s")
	}
	return cells
}

// waveCells returns the waves and the swells of an hour.
func waveCells(w *facts.WaveHours, i int) string {
	part := func(what string, height, period, direction *float64) string {
		if height == nil {
			return ""
		}
		text := what + " " + render.Short(*height, 2)
		if period != nil {
			text += fmt.Sprintf(" every %s", render.Short(*period, 1))
		}
		if direction != nil {
			text += " from " + render.Short(*direction, 0)
		}
		return text
	}
	return operation.Join(", ",
		part("waves", w.Heights[i], w.Periods[i], w.Directions[i]),
		part("swell", w.SwellHeights[i], nil, w.SwellDirections[i]),
		part("second swell", w.Swell2Heights[i], nil, w.Swell2Directions[i]),
		part("wind waves", w.WindWaveHeights[i], nil, nil))
}

// Describe writes the alerts in force, then the text of the zone and the risk of rip currents.
func (f MarineForecast) Describe(t *render.Answer) {
	t.Line("%s", operation.Join(": ", f.where(), f.sentence()))
	for _, a := range f.Alerts {
		t.Gap()
		f.describeAlert(t, a)
	}
	if f.Text != nil {
		t.Gap()
		f.describeText(t, *f.Text)
	}
	if len(f.Rip) > 0 {
		t.Gap()
	}
	for _, r := range f.Rip {
		area := ""
		if r.Area != "" {
			area = " in " + render.Name(r.Area)
		}
		t.Line("Rip currents %s%s: %s", render.Name(r.Period), area, render.Quote(r.Risk))
	}
}

// where describes the zone, and the station or the place of the forecast.
func (f MarineForecast) where() string {
	subject, zone := "", ""
	if f.Station != nil || f.Place != nil {
		subject = f.At(f.Station, f.point.Latitude, f.point.Longitude)
	}
	if z := f.Zone; z != nil {
		zone = "zone " + render.Escape(coast.Clip(z.ID)) + " " + render.Name(z.Name)
		if z.DistanceKm > 0 {
			zone += fmt.Sprintf(" (%s km away)", render.Short(z.DistanceKm, 1))
		}
	}
	return operation.Join(", ", subject, zone)
}

// sentence returns a sentence about the alerts in force. The text of the zone must not hide
// it.
func (f MarineForecast) sentence() string {
	if f.AlertsAsOf == nil {
		return "it is not known whether there are alerts"
	}
	as := " as of " + render.Clock(*f.AlertsAsOf, f.now)
	if len(f.Alerts) == 0 {
		return "no alerts" + as
	}
	names := make([]string, len(f.Alerts))
	for i, a := range f.Alerts {
		names[i] = render.Name(a.Event)
	}
	return strings.Join(names, ", ") + as
}

func (f MarineForecast) describeAlert(t *render.Answer, a facts.Alert) {
	when := func(what string, at *time.Time) string {
		if at == nil {
			return ""
		}
		return what + " " + render.Clock(*at, f.now)
	}
	ends := when("to", a.Ends)
	if a.Open {
		ends = "until further notice"
	}
	t.Line("Alert %s: %s", render.Name(a.Event),
		operation.Join(" ", when("from", a.Onset), ends,
			parenthesized(when("message expires", a.Expires))))
	for _, words := range []string{a.Headline, a.Description, a.Instruction} {
		if words != "" {
			t.Line("- %s", render.Quote(words))
		}
	}
	if a.Zone != "" {
		t.Line("- for %s", render.Quote(a.Zone))
	}
}

// parenthesized returns a text in parentheses, or "" if it is empty.
func parenthesized(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func (f MarineForecast) describeText(t *render.Answer, m facts.MarineText) {
	until := ""
	if m.Expires != nil {
		until = ", expires " + render.Clock(*m.Expires, f.now)
	}
	t.Line("Forecast text %s, issued %s%s", render.Escape(string(m.Product)),
		render.Clock(m.Issued, f.now), until)
	for _, headline := range m.Headlines {
		t.Line("- headline %s", render.Quote(headline))
	}
	if m.Synopsis != "" {
		t.Line("- synopsis %s", render.Quote(m.Synopsis))
	}
	for _, p := range m.Periods {
		t.Line("- %s: %s", render.Name(p.Name), render.Quote(p.Text))
	}
}

// CurrentHours are columns of the predicted current at a station, one value for each hour of
// a forecast.
type CurrentHours struct {
	Station       *coast.Station      `json:"station"`
	SpeedUnit     string              `json:"speedUnit"`
	DirectionUnit coast.DirectionUnit `json:"directionUnit"`
	Phases        []string            `json:"phases"` // flood, ebb, or slack below 0.1 kn
	Speeds        []float64           `json:"speeds"`
	Directions    []*float64          `json:"directions"` // null at slack, and where NOAA publishes none
	// WindAgainstCurrent is the worst severity in each hour: none, watch (from 10 kn of wind
	// and 1 kn of current, within 60 degrees of opposed) or action; null if the wind or a
	// direction is not known. The wind is the stronger of grid and text, from where the grid says.
	WindAgainstCurrent []*string `json:"windAgainstCurrent"`
}

// currentOf adds the predicted current at a station to a forecast.
func (f *WindForecast) currentOf(
	ctx context.Context, fs facts.Set, at facts.Place, in WindForecastInput,
) error {
	st, err := fs.CurrentBin(ctx, in.CurrentStation, nil)
	if err != nil {
		return err
	}
	st = st.Snapshot()
	flow, ok := fs.Stations.Currents(st)
	if !ok || facts.Unrated(flow) {
		return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no predicted speeds: give another "+
			"current_station, or leave it out.", st.ID, st.Name)
	}
	facts.Merge(&f.Provenance, fs.Predictions(st, fs.Current(st)))
	if st.Subordinate() {
		f.Notes = append(f.Notes, "The current between its events is interpolated by Leadline, not "+
			"published by NOAA: "+st.ID+" is subordinate to "+st.Reference+".")
	}
	inKnots := f.GridForecast
	if !in.Units.Knots() { // reads the cached grid again, to avoid rounding twice
		inKnots, err = fs.GridForecast(ctx, new(coast.Provenance), at, in.Hours, "english")
	}
	if err == nil {
		winds := currents.JudgedWinds{Grid: inKnots.Hours, Text: f.TextWind, Applies: f.texted}
		f.Current = currentHours(st, flow, winds, in.Units)
	}
	return err
}

// currentHours computes the columns for the hours of a forecast.
func currentHours(
	st stations.Station, flow tide.Currents, winds currents.JudgedWinds, units coast.Units,
) *CurrentHours {
	h, directions, speed := winds.Grid, directory.DirectionsOf(st), facts.SpeedsIn(units)
	c := &CurrentHours{
		Station: facts.Card(st), SpeedUnit: speed.Name, DirectionUnit: coast.DegreesToward,
		Phases: make([]string, h.Count), Speeds: make([]float64, h.Count),
		Directions: make([]*float64, h.Count), WindAgainstCurrent: make([]*string, h.Count),
	}
	for i := range h.Count {
		var within [7]float64 // velocities of the hour, both ends included
		at := operation.At(h.Start, i, h.StepMinutes)
		flow.Velocities(at, 10*time.Minute, within[:])
		c.Phases[i], c.Speeds[i] = currents.PhaseOf(within[0]), speed.Of(math.Abs(within[0]))
		c.Directions[i] = directory.Toward(within[0], directions)
		c.WindAgainstCurrent[i] = winds.WorstAgainst(at, within[:], directions)
	}
	return c
}

// sentence returns the current station, and in how many hours the wind is against its current.
func (c *CurrentHours) sentence() string {
	hours := map[string]int{}
	for _, w := range c.WindAgainstCurrent {
		hours[against(w)]++
	}
	text := fmt.Sprintf("Predicted current at %s in %s. ", operation.StationName(c.Station),
		c.SpeedUnit)
	all := len(c.WindAgainstCurrent)
	opposed := hours[string(decide.Watch)] + hours[string(decide.Action)]
	if opposed > 0 {
		text += fmt.Sprintf("Wind against current in %d of %d hours", opposed, all)
	} else {
		text += fmt.Sprintf("No wind against current in %d of %d hours", hours["none"], all)
	}
	if unknown := hours[unknownWind]; unknown > 0 {
		text += fmt.Sprintf(", not known in %d", unknown)
	}
	return text + "; the wind is the stronger of grid and text."
}

// unknownWind is the text for an hour in which the wind or a direction is not known.
const unknownWind = "not known"

// against returns the severity of wind against current as text.
func against(severity *string) string {
	if severity == nil {
		return unknownWind
	}
	return *severity
}

// cells returns the cells for the current of an hour, which follow the cells for its wind.
func (c *CurrentHours) cells(i int) []render.Cell {
	if c == nil {
		return []render.Cell{{}, {}}
	}
	text, opposed := c.Phases[i], against(c.WindAgainstCurrent[i])
	if text != string(tide.Slack) {
		text += " " + currents.SpeedOf(&c.Speeds[i], c.SpeedUnit)
	}
	if opposed == "none" {
		opposed = ""
	}
	return []render.Cell{render.Word(text).As("; %s"),
		render.Word(opposed).As(", wind against current: %s")}
}
