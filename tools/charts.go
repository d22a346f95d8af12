package tools

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/sky"
)

// TideChart returns the chart of a predicted tide. The curve is a prediction with a series; the
// high and low waters are a prediction of interval hilo over the same span, or have neither.
// Callers add Observed, Levels and Daylight, and set Clock.Twelve.
func TideChart(curve, events TidePredictions) chart.Tide {
	c := chart.Tide{
		Station: stationTitle(curve.Station), Unit: string(curve.HeightUnit), Datum: string(curve.Datum),
		Source: sourceLine(curve.Sources), Now: cmp.Or(curve.Now, events.Now).Chart(),
	}
	if curve.DatumEpoch != "unknown" {
		c.Epoch = curve.DatumEpoch
	}
	if curve.Series != nil {
		c.Predicted = curve.Series.Chart()
		c.Clock.Zone = curve.Series.Start.Location()
	}
	for _, e := range events.Extremes {
		c.Events = append(c.Events, chart.Event{Time: e.Time, High: e.Type == "high", Height: e.Height})
	}
	return c
}

// Chart returns the heights as a series of a chart.
func (s HeightSeries) Chart() chart.Series { return chartSeries(s.Start, s.StepMinutes, s.Heights) }

// Chart returns the velocities as a series of a chart.
func (s VelocitySeries) Chart() chart.Series {
	return chartSeries(s.Start, s.StepMinutes, s.Velocities)
}

// Chart returns the observed heights as a series of a chart, with NaN where there is no value that
// NOAA does not doubt.
func (s LevelSeries) Chart() chart.Series {
	values := withGaps(s.Heights)
	for i := range values {
		if i < len(s.flags) && noaa.Doubtful(s.flags[i]) {
			values[i] = math.NaN()
		}
	}
	return chartSeries(s.Start, s.StepMinutes, values)
}

func chartSeries(start time.Time, stepMinutes int, values []float64) chart.Series {
	return chart.Series{
		Start: start, Step: time.Duration(stepMinutes) * time.Minute, Values: values,
	}
}

// withGaps returns values with NaN for those that are missing.
func withGaps(values []*float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.NaN()
		if v != nil {
			list[i] = *v
		}
	}
	return list
}

// Chart returns the tide now as a mark of a chart, or nil for nil.
func (n *TideMoment) Chart() *chart.Moment {
	if n == nil {
		return nil
	}
	trends := map[string]chart.Trend{"rising": chart.Rising, "falling": chart.Falling}
	return &chart.Moment{Time: n.Time, Height: n.Height, Trend: trends[string(n.State)]}
}

// floodRoles are the severities of flooding that a chart draws.
var floodRoles = map[string]chart.Role{
	"minor": chart.Minor, "moderate": chart.Moderate, "major": chart.Major,
}

// Chart returns one level of each severity as lines of a chart: the published one of the weather
// service, to which its warnings refer, otherwise that of the Ocean Service, otherwise the
// derived one. The order is ours.
func (f StationFloodLevels) Chart() []chart.Level {
	rank := func(l FloodLevel) int {
		switch {
		case l.Basis == "derived":
			return 2
		case l.Authority == "NOS":
			return 1
		}
		return 0
	}
	byRank := slices.SortedStableFunc(slices.Values(f.Levels), func(a, b FloodLevel) int {
		return cmp.Compare(rank(a), rank(b))
	})
	var list []chart.Level
	for _, l := range byRank {
		role, drawn := floodRoles[string(l.Level)]
		taken := func(o chart.Level) bool { return o.Role == role }
		if !drawn || slices.ContainsFunc(list, taken) {
			continue
		}
		name := l.Level + " flooding"
		if l.Basis == "derived" {
			name += " (derived)"
		}
		list = append(list, chart.Level{Name: string(name), Value: l.Height, Role: role})
	}
	return list
}

// CurrentChart returns the chart of a predicted current. The curve is a prediction with a
// series; the events are a prediction of interval max_slack over the same span. Callers add
// Daylight and set Clock.Twelve.
func CurrentChart(curve, events CurrentPredictions) chart.Current {
	c := chart.Current{
		Station: stationTitle(curve.Station), Unit: curve.SpeedUnit, Source: sourceLine(curve.Sources),
	}
	if curve.Series != nil {
		c.Series = curve.Series.Chart()
		c.Clock.Zone = curve.Series.Start.Location()
	}
	if now := cmp.Or(curve.Now, events.Now); now != nil {
		c.Now = now.Time
	}
	for _, e := range events.Events {
		switch {
		case e.Type == "slack":
			c.Turns = append(c.Turns, chart.Turn{Time: e.Time, Kind: chart.Slack})
			if e.SlackWindow != nil {
				c.Weak = joined(c.Weak, e.SlackWindow.within(curve.Span))
			}
		case e.Speed != nil && e.Peak != "min":
			c.Turns = append(c.Turns, chart.Turn{
				Time: e.Time, Kind: chart.TurnKind(e.Type), Speed: *e.Speed,
			})
		}
	}
	return c
}

// within returns the window, with the ends of a span in place of unknown ends.
func (w SlackWindow) within(span coast.Span) chart.Span {
	return chart.Span{From: *cmp.Or(w.From, &span.From), To: *cmp.Or(w.To, &span.To)}
}

// joined appends a span to a list, or extends the last one if the two meet: a current that stays
// weak has the same window at each slack.
func joined(list []chart.Span, s chart.Span) []chart.Span {
	if n := len(list) - 1; n >= 0 && !s.From.After(list[n].To) {
		if s.From.Before(list[n].From) {
			list[n].From = s.From
		}
		if s.To.After(list[n].To) {
			list[n].To = s.To
		}
		return list
	}
	return append(list, s)
}

// Chart returns the chart of the forecast wind. Callers add Daylight and set Clock.Twelve.
func (f WindForecast) Chart() chart.Breeze {
	h := f.Hours
	series := func(values []*float64) chart.Series {
		return chartSeries(h.Start, h.StepMinutes, withGaps(values))
	}
	place := position(f.Place.Latitude, f.Place.Longitude)
	switch {
	case f.Station != nil:
		place = stationTitle(f.Station)
	case f.Resolved != nil:
		place = f.Resolved.Name
	case f.Place.Name != "":
		place = "near " + f.Place.Name
	}
	return chart.Breeze{
		Place: place, Unit: string(f.InUnit.Speed), Clock: chart.Clock{Zone: h.Start.Location()},
		Speeds: series(h.Speeds), Gusts: series(h.Gusts), From: series(h.Directions), Now: f.now,
		Source: sourceLine(f.Sources),
	}
}

// Daylight returns the light at a point for the ground of a chart, computed as the times of
// SunTimes are.
func Daylight(latitude, longitude float64, from, to time.Time) chart.Daylight {
	at := sky.Place{Latitude: facts.Degrees(latitude), Longitude: facts.Degrees(longitude)}
	spans := func(light sky.Light) (list []chart.Span) {
		for _, i := range sky.When(at, from, to, light) {
			list = append(list, chart.Span{From: i.From, To: i.To})
		}
		return list
	}
	return chart.Daylight{Twilights: spans(sky.Civil), Days: spans(sky.Daylight)}
}

// SunUp returns the spans in which the sun is up at a point, computed as the times of SunTimes are.
func SunUp(latitude, longitude float64, from, to time.Time) (list []chart.Span) {
	at := sky.Place{Latitude: facts.Degrees(latitude), Longitude: facts.Degrees(longitude)}
	for _, i := range sky.When(at, from, to, sky.Daylight) {
		list = append(list, chart.Span{From: i.From, To: i.To})
	}
	return list
}

// SkyChart returns the chart of sun and moon on the first day of two results for one place.
// Callers set Now and Clock.Twelve.
func SkyChart(sun SunTimes, moon MoonPhase) chart.SkyDay {
	if len(sun.Days) == 0 || len(moon.Days) == 0 || sun.Days[0].SolarNoon == nil {
		return chart.SkyDay{}
	}
	d, m := sun.Days[0], moon.Days[0]
	c := chart.SkyDay{
		Place: position(sun.Latitude, sun.Longitude), Noon: *d.SolarNoon,
		Start:        facts.DayStart(*d.SolarNoon),
		Clock:        chart.Clock{Zone: d.SolarNoon.Location()},
		Illumination: m.Illumination, Phase: facts.Spaced(string(m.Phase)), South: sun.Latitude < 0,
		Waxing: strings.HasPrefix(string(m.Phase), "waxing") || m.Phase == "first_quarter",
	}
	c.End = facts.DayStart(d.SolarNoon.AddDate(0, 0, 1))
	switch {
	case sun.Station != nil:
		c.Place = stationTitle(sun.Station)
	case sun.Place != nil:
		c.Place = sun.Place.Name
	}
	state := map[string]string{"polar_day": "always_up", "polar_night": "always_down"}[string(d.State)]
	day := chart.Span{From: c.Start, To: c.End}
	c.Bands = [...][]chart.Span{
		sunOver(day, d.AstronomicalDawn, d.AstronomicalDusk, string(d.AstronomicalState)),
		sunOver(day, d.NauticalDawn, d.NauticalDusk, string(d.NauticalState)),
		sunOver(day, d.CivilDawn, d.CivilDusk, string(d.CivilState)),
		sunOver(day, d.Sunrise, d.Sunset, state),
	}
	c.MoonUp = upOn(day, m.Rises(), m.Sets(), string(m.State))
	return c
}

func sunOver(day chart.Span, rise, set *time.Time, state string) []chart.Span {
	return upOn(day, listOf(rise, nil), listOf(set, nil), state)
}

// upOn returns the spans of a day in which a body is above an altitude, from the times when it
// crosses it, or from its state on a day without a crossing.
func upOn(day chart.Span, rises, sets []time.Time, state string) (up []chart.Span) {
	if len(rises)+len(sets) == 0 {
		if state == "always_up" {
			return []chart.Span{day}
		}
		return nil
	}
	for _, rise := range rises {
		up = append(up, chart.Span{From: rise, To: day.To})
	}
	if len(sets) > 0 && (len(rises) == 0 || sets[0].Before(rises[0])) {
		up = slices.Insert(up, 0, chart.Span{From: day.From, To: day.To})
	}
	for i, set := range sets {
		up[i].To = set
	}
	return up
}

// sourceLine names the providers of a picture.
func sourceLine(sources []coast.Source) string {
	var providers []coast.Provider
	for _, s := range sources {
		if s.Available && !slices.Contains(providers, s.Provider) {
			providers = append(providers, s.Provider)
		}
	}
	return "Source: " + strings.Join(coast.Strings(providers...), ", ") + ". " + coast.Disclaimer
}
