package web

import (
	"strings"
	"time"

	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/operation"
	"leadline/internal/place"
)

// skyView is the sun and the moon at the station.
type skyView struct {
	Chart        *figure
	Day          string
	Phase        string
	Illumination string
	Next         []timeRow
	State        string // a sentence on a day without sunrise or sunset
	Times        []timeRow
}

type timeRow struct{ Name, Time string }

// skyInput returns the arguments of the sun and the moon on the days of the page.
func (b *stationBuilder) skyInput() (almanac.SunTimesInput, almanac.MoonPhaseInput) {
	date := b.p.midnight().Format(time.DateOnly)
	at := place.AtNamedPlace{AtPlace: operation.AtPlace{Station: b.info.Station.ID}}
	zone := operation.InPlaceZone{}
	if b.p.Zone == "gmt" {
		zone.TimeZone = "gmt"
	}
	return almanac.SunTimesInput{AtNamedPlace: at, Date: date, Days: b.p.tableDays(),
			InPlaceZone: zone},
		almanac.MoonPhaseInput{Date: date, AtNamedPlace: at, InPlaceZone: zone}
}

// askSun requests the sun on the days of the table alone.
func (b *stationBuilder) askSun(g *gathering) {
	var sun outcome[almanac.SunTimes]
	in, _ := b.skyInput()
	compute(g, &sun, b.site.Set.Sky.SunTimes, in)
	b.add(func() { b.laySun(sun.Result) })
}

// askSky requests the times of the sun and the moon.
func (b *stationBuilder) askSky(g *gathering) {
	var sun outcome[almanac.SunTimes]
	var moon outcome[almanac.MoonPhase]
	forSun, forMoon := b.skyInput()
	compute(g, &sun, b.site.Set.Sky.SunTimes, forSun)
	compute(g, &moon, b.site.Set.Sky.MoonPhase, forMoon)
	b.add(func() {
		b.laySun(sun.Result)
		b.laySky(sun.Result, moon.Result)
	})
}

// laySun fills the sun into the table of days.
func (b *stationBuilder) laySun(sun almanac.SunTimes) {
	b.addProvenance(sun.Provenance)
	if b.v.Tide != nil {
		for i := range min(len(b.v.Tide.Days), len(sun.Days)) {
			b.v.Tide.Days[i].Sun = b.sunOf(sun.Days[i])
		}
	}
}

// laySky draws the light of the first day.
func (b *stationBuilder) laySky(sun almanac.SunTimes, moon almanac.MoonPhase) {
	b.addProvenance(moon.Provenance)
	if len(sun.Days) == 0 || len(moon.Days) == 0 || sun.Days[0].SolarNoon == nil {
		return
	}
	c := almanac.SkyChart(sun, moon)
	c.Clock = b.p.chartClock()
	if !b.p.now.Before(c.Start) && b.p.now.Before(c.End) {
		c.Now = b.p.now
	}
	m := moon.Days[0]
	v := &skyView{
		Chart: draw("sky", c.Draw(chart.SkyWide), c.Draw(chart.SkyNarrow)), Day: b.p.day(b.p.midnight()),
		Phase: spaced(string(m.Phase)), Illumination: chart.Number(m.Illumination*100, 0) + nbsp +
			"% lit",
		State: strings.TrimSpace(lightOf(sun.Days[0]) + " " + moonlightOf(m)),
	}
	b.v.Sky = v
	for _, e := range moon.Next {
		if strings.Contains(string(e.Event), "moon") || strings.Contains(string(e.Event), "quarter") {
			v.Next = append(v.Next, timeRow{
				capital(spaced(string(e.Event))), b.p.day(e.Time) + " " + b.p.clock(e.Time),
			})
		}
	}
	b.listTimes(v, sun.Days[0], m)
}

// listTimes lists what the band shows.
func (b *stationBuilder) listTimes(v *skyView, sun almanac.SunDay, moon almanac.MoonDay) {
	for _, row := range []struct {
		name string
		at   *time.Time
	}{
		{"First light (civil dawn)", sun.CivilDawn}, {"Sunrise", sun.Sunrise},
		{"Solar noon", sun.SolarNoon}, {"Sunset", sun.Sunset},
		{"Last light (civil dusk)", sun.CivilDusk},
	} {
		if row.at != nil {
			v.Times = append(v.Times, timeRow{row.name, b.p.clock(*row.at)})
		}
	}
	for _, at := range moon.Rises() {
		v.Times = append(v.Times, timeRow{"Moonrise", b.p.clock(at)})
	}
	for _, at := range moon.Sets() {
		v.Times = append(v.Times, timeRow{"Moonset", b.p.clock(at)})
	}
}

// sunOf writes the daylight of a day.
func (b *stationBuilder) sunOf(d almanac.SunDay) string {
	switch {
	case d.State == "polar_day":
		return "sun up all day"
	case d.State == "polar_night":
		return "no sun"
	case d.Sunrise != nil && d.Sunset != nil && d.Sunset.Before(*d.Sunrise): // in another zone
		return "to " + b.p.clock(*d.Sunset) + " and from " + b.p.clock(*d.Sunrise)
	case d.Sunrise != nil && d.Sunset != nil:
		return b.p.clock(*d.Sunrise) + " to " + b.p.clock(*d.Sunset)
	case d.Sunrise != nil:
		return "rises " + b.p.clock(*d.Sunrise)
	case d.Sunset != nil:
		return "sets " + b.p.clock(*d.Sunset)
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
