package almanac

import (
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/sky"
)

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
		Place: operation.Position(sun.Latitude, sun.Longitude), Noon: *d.SolarNoon,
		Start:        facts.DayStart(*d.SolarNoon),
		Clock:        chart.Clock{Zone: d.SolarNoon.Location()},
		Illumination: m.Illumination, Phase: facts.Spaced(string(m.Phase)), South: sun.Latitude < 0,
		Waxing: strings.HasPrefix(string(m.Phase), "waxing") || m.Phase == "first_quarter",
	}
	c.End = facts.DayStart(d.SolarNoon.AddDate(0, 0, 1))
	switch {
	case sun.Station != nil:
		c.Place = operation.StationTitle(sun.Station)
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

// DaylightOver returns the light over the span of a series.
func DaylightOver(latitude, longitude float64, s chart.Series) chart.Daylight {
	return Daylight(latitude, longitude, s.Start, s.Start.Add(time.Duration(len(s.Values))*s.Step))
}
