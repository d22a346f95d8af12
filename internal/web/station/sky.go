package station

import (
	"strings"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// skyView is the sun and the moon at the station.
type skyView struct {
	Chart        *view.Figure
	Day          string
	Phase        string
	Illumination string
	Next         []timeRow
	State        string // a sentence on a day without sunrise or sunset
	Times        []timeRow
}

type timeRow struct{ Name, Time string }

// skyInput returns the arguments of the sun and the moon on the days of the page.
func (b *builder) skyInput() (almanac.SunTimesInput, almanac.MoonPhaseInput) {
	date := b.Prefs.Midnight().Format(time.DateOnly)
	at := place.AtNamedPlace{AtPlace: operation.AtPlace{Station: b.Info.Station.ID}}
	zone := operation.InPlaceZone{}
	if b.Prefs.Zone == "gmt" {
		zone.TimeZone = "gmt"
	}
	return almanac.SunTimesInput{AtNamedPlace: at, Date: date, Days: b.Prefs.TableDays(),
			InPlaceZone: zone},
		almanac.MoonPhaseInput{Date: date, AtNamedPlace: at, InPlaceZone: zone}
}

// askSun requests the sun on the days of the table alone.
func (b *builder) askSun(g *site.Gathering) {
	var sun site.Outcome[almanac.SunTimes]
	in, _ := b.skyInput()
	site.Compute(g, &sun, b.site.Set.Sky.SunTimes, in)
	b.add(func() { b.laySun(sun.Result) })
}

// askSky requests the times of the sun and the moon.
func (b *builder) askSky(g *site.Gathering) {
	var sun site.Outcome[almanac.SunTimes]
	var moon site.Outcome[almanac.MoonPhase]
	forSun, forMoon := b.skyInput()
	site.Compute(g, &sun, b.site.Set.Sky.SunTimes, forSun)
	site.Compute(g, &moon, b.site.Set.Sky.MoonPhase, forMoon)
	b.add(func() {
		b.laySun(sun.Result)
		b.laySky(sun.Result, moon.Result)
	})
}

// laySun fills the sun into the table of days.
func (b *builder) laySun(sun almanac.SunTimes) {
	b.addProvenance(sun.Provenance)
	if b.v.Tide != nil {
		for i := range min(len(b.v.Tide.Days), len(sun.Days)) {
			b.v.Tide.Days[i].Sun = sunOf(b.Prefs, sun.Days[i])
		}
	}
}

// laySky draws the light of the first day.
func (b *builder) laySky(sun almanac.SunTimes, moon almanac.MoonPhase) {
	b.addProvenance(moon.Provenance)
	if len(sun.Days) == 0 || len(moon.Days) == 0 || sun.Days[0].SolarNoon == nil {
		return
	}
	c := almanac.SkyChart(sun, moon)
	c.Clock = b.Prefs.ChartClock()
	if !b.Prefs.Now.Before(c.Start) && b.Prefs.Now.Before(c.End) {
		c.Now = b.Prefs.Now
	}
	m := moon.Days[0]
	v := &skyView{
		Chart: view.Draw("sky", c.Draw(chart.SkyWide), c.Draw(chart.SkyNarrow)),
		Day:   b.Prefs.Day(b.Prefs.Midnight()),
		Phase: view.Spaced(string(m.Phase)), Illumination: chart.Number(m.Illumination*100, 0) +
			view.Nbsp +
			"% lit",
		State: strings.TrimSpace(lightOf(sun.Days[0]) + " " + moonlightOf(m)),
	}
	b.v.Sky = v
	for _, e := range moon.Next {
		if strings.Contains(string(e.Event), "moon") || strings.Contains(string(e.Event), "quarter") {
			v.Next = append(v.Next, timeRow{
				view.Capital(view.Spaced(string(e.Event))), b.Prefs.Day(e.Time) + " " + b.Prefs.Time(e.Time),
			})
		}
	}
	listTimes(b.Prefs, v, sun.Days[0], m)
}

// listTimes lists what the band shows.
func listTimes(p *view.Prefs, v *skyView, sun almanac.SunDay, moon almanac.MoonDay) {
	for _, row := range []struct {
		name string
		at   *time.Time
	}{
		{"First light (civil dawn)", sun.CivilDawn}, {"Sunrise", sun.Sunrise},
		{"Solar noon", sun.SolarNoon}, {"Sunset", sun.Sunset},
		{"Last light (civil dusk)", sun.CivilDusk},
	} {
		if row.at != nil {
			v.Times = append(v.Times, timeRow{row.name, p.Time(*row.at)})
		}
	}
	for _, at := range moon.Rises() {
		v.Times = append(v.Times, timeRow{"Moonrise", p.Time(at)})
	}
	for _, at := range moon.Sets() {
		v.Times = append(v.Times, timeRow{"Moonset", p.Time(at)})
	}
}

// sunOf writes the daylight of a day.
func sunOf(p *view.Prefs, d almanac.SunDay) string {
	switch {
	case d.State == "polar_day":
		return "sun up all day"
	case d.State == "polar_night":
		return "no sun"
	case d.Sunrise != nil && d.Sunset != nil && d.Sunset.Before(*d.Sunrise): // in another zone
		return "to " + p.Time(*d.Sunset) + " and from " + p.Time(*d.Sunrise)
	case d.Sunrise != nil && d.Sunset != nil:
		return p.Time(*d.Sunrise) + " to " + p.Time(*d.Sunset)
	case d.Sunrise != nil:
		return "rises " + p.Time(*d.Sunrise)
	case d.Sunset != nil:
		return "sets " + p.Time(*d.Sunset)
	}
	return ""
}

// moonlightOf describes a day on which the moon does not rise or set.
func moonlightOf(d almanac.MoonDay) string {
	switch d.State {
	case "always_up":
		return "The moon does not set on this day."
	case "always_down":
		return "The moon does not rise on this day."
	}
	return ""
}

// lightOf describes a day on which the sun does not rise or set.
func lightOf(d almanac.SunDay) string {
	switch d.State {
	case "polar_day":
		return "The sun does not set on this day."
	case "polar_night":
		return "The sun does not rise on this day."
	}
	return ""
}
