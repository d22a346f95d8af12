package planning

import (
	"context"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/nws"
)

// grid requests the hourly forecast.
func (d *Inputs) grid(ctx context.Context) {
	at := d.place()
	o := facts.GridOrigin(at.Latitude, at.Longitude)
	point, err := d.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		d.facts.Grid.Fact = d.weatherLost(o, err)
		return
	}
	if point.Data.Grid == "" {
		d.facts.Grid.Fact = d.lost(o, coast.Errorf(coast.ProductUnavailable,
			"the weather service has no hourly grid on open water"))
		return
	}
	grid, err := d.Weather.Grid(ctx, point.Data.Grid, point.Data.X, point.Data.Y)
	if err != nil {
		d.facts.Grid.Fact = d.lost(o, err)
		return
	}
	g := grid.Data
	d.facts.Grid = decide.Grid{Fact: fact(d.Obtained(o, facts.GridLifetime, &g.Updated, g.Updated,
		grid.ReceivedAt)), Waves: !g.Layers["waveHeight"].Zero(), Hours: hoursOf(g),
		Unread: map[string]string{"wind": facts.Unread(g, "windSpeed"),
			"gust":       facts.Unread(g, "windGust"),
			"visibility": facts.Unread(g, "visibility"), "seas": facts.Unread(g, "waveHeight")}}
}

// hoursOf returns the hours of a grid, in the units of decisions.
func hoursOf(g nws.Grid) []decide.Hour {
	start := g.From.Truncate(time.Hour)
	c := facts.HourColumns{Grid: g, Start: start, Count: max(0, int(g.To.Sub(start)/time.Hour)),
		Units: "english"}
	wind, gust, from, visibility := c.Of("windSpeed"), c.Of("windGust"), c.Of("windDirection"),
		c.Of("visibility")
	height, period := c.Of("waveHeight"), c.Of("wavePeriod")
	swells, wavesFrom := c.Swells(), c.WavesFrom()
	hours := make([]decide.Hour, c.Count)
	for i := range hours {
		at := start.Add(time.Duration(i) * time.Hour)
		hours[i] = decide.Hour{From: at, To: at.Add(time.Hour), Wind: wind[i], Gust: gust[i],
			Direction: from[i], Visibility: visibility[i], Height: height[i], Period: period[i],
			Thunder: coverageOf(g, at, of("thunderstorms")), Fog: coverageOf(g, at, of("fog")),
			Wet:    coverageOf(g, at, decide.Wet),
			Swells: swells[i], WavesFrom: wavesFrom[i], Other: otherWeather(g.WeatherAt(at))}
	}
	return hours
}

// coverageOf returns how much of a kind of weather the grid has in an hour, in percent; nil
// if it has no weather.
func coverageOf(g nws.Grid, at time.Time, kind func(weather string) bool) *float64 {
	if facts.WeatherAt(g, at) == nil {
		return nil
	}
	most := 0.0
	if covered := coverageIn(g.WeatherAt(at), kind); covered != nil {
		most = *covered
	}
	return &most
}

// of returns whether weather is of a kind, by its name.
func of(kind string) func(weather string) bool {
	return func(weather string) bool { return strings.Contains(weather, kind) }
}

// coverageIn returns the largest coverage of a kind of weather in percent; nil if no condition is
// of that kind.
func coverageIn(conditions []nws.Condition, kind func(weather string) bool) (most *float64) {
	for _, c := range conditions {
		percent := decide.Coverage(c.Coverage)
		if kind(c.Weather) && (most == nil || percent > *most) {
			most = &percent
		}
	}
	return most
}

// otherWeather returns the coverages of the weather that decisions know by a code.
func otherWeather(conditions []nws.Condition) decide.Weather {
	var all decide.Weather
	for _, c := range conditions {
		if code := decide.WeatherCode(c.Weather, c.Intensity); code != "" {
			if all == nil {
				all = decide.Weather{}
			}
			all[code] = max(all[code], decide.Coverage(c.Coverage))
		}
	}
	return all
}

// outlook finds the station's marine zone. The zone is nil if none is near.
func (d *Inputs) outlook(ctx context.Context) (facts.Outlook, error) {
	at := d.place()
	point, err := d.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		return facts.Outlook{}, err
	}
	water, err := d.WaterAt(ctx, at, point.Data)
	return facts.Outlook{Set: d.Set, At: at, Point: point.Data, Water: water}, err
}

// alerts requests the alerts at the station's point and in its zones.
func (d *Inputs) alerts(ctx context.Context) {
	at := d.place()
	o := facts.AlertsOrigin(at.Latitude, at.Longitude)
	w, err := d.outlook(ctx)
	if err != nil {
		d.facts.Alerts.Fact = d.weatherLost(o, err)
		return
	}
	var out facts.WaterText
	found := w.Alerts(ctx, &out)
	if found.Err != nil {
		d.facts.Alerts.Fact = d.lost(o, found.Err)
		return
	}
	d.facts.Alerts.Fact = fact(*found.Source)
	for _, a := range out.Alerts {
		d.facts.Alerts.List = append(d.facts.Alerts.List,
			decide.Alert{Event: a.Event, Severity: a.CAPSeverity(), From: a.Onset, To: a.Until()})
	}
	d.aboutAlerts = w.Reach()
}

// text requests the coastal waters text.
func (d *Inputs) text(ctx context.Context) {
	o := facts.TextOrigin("CWF", "")
	w, err := d.outlook(ctx)
	if err != nil {
		d.facts.Text.Fact = d.weatherLost(o, err)
		return
	}
	if w.Water == nil {
		d.facts.Text.Fact = d.waived(o, "no marine zone lies within 10 km")
		return
	}
	bulletin, err := d.Weather.BulletinFor(ctx, w.Water.ID, w.Water.Office)
	if err != nil {
		d.facts.Text.Fact = d.lost(o, err)
		return
	}
	b := bulletin.Data
	segment, _ := b.Segment(w.Water.ID)
	d.facts.Text = decide.Text{Fact: fact(d.TextSource(b, segment, bulletin.ReceivedAt)),
		Periods: periodsOf(segment, b.Issued, d.Zone.Location)}
}

// periodsOf returns the periods of a text in time, with the worst values of each.
func periodsOf(s nws.Segment, issued time.Time, zone *time.Location) []decide.Period {
	times := s.Times(issued, zone)
	periods := make([]decide.Period, len(times))
	for i, p := range s.Periods {
		weather, unread := p.Weather()
		periods[i] = decide.Period{From: times[i].From, To: times[i].To, Wind: p.Wind(), Gust: p.Gust(),
			Seas: p.Seas(), Swells: swellsOf(p), Thunder: coverageIn(weather, of("thunderstorms")),
			Fog: coverageIn(weather, of("fog")), Visibility: p.Visibility(), Other: otherWeather(weather),
			Unread: unread, Unmeasured: slices.ContainsFunc(unread, nws.Measured)}
	}
	return periods
}

// swellsOf returns the trains that a text gives.
func swellsOf(p nws.Period) []decide.Swell {
	var list []decide.Swell
	for _, s := range p.Swells() {
		list = append(list, decide.Swell{Height: &s.Feet, Period: &s.Seconds})
	}
	return list
}
