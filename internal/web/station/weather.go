package station

import (
	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/weather"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// weatherView holds the alerts and the forecasts of the weather service.
type weatherView struct {
	Asked       bool // providers are asked
	Alerts      []alertView
	AlertsAt    string // time of the list of alerts; empty if it is unknown whether there are any
	AlertsState site.Availability
	Place       string // the water or the land that the alerts are for
	Wind        site.Availability
	Chart       *view.Figure
	Issued      string
	WindStale   string // how old the forecast is, if it is not fresh
	TextWind    string // the wind of the text, in a sentence
	Text        *marineView
	TextState   site.Availability
	Rip         []string
	RipAt       string
}

// alertView is an alert in the words of the weather service.
type alertView struct{ Event, Headline, Description, Instruction, From, Until string }

// marineView is the coastal waters forecast.
type marineView struct {
	Zone, Issued, Synopsis string
	Stale                  string // how old the text is, if it is not fresh
	Headlines              []string
	Periods                []periodView
}

type periodView struct{ Name, Text string }

// windHours is the span of the wind forecast on a page.
const windHours = 48

// askWeather requests forecasts and alerts.
func (b *builder) askWeather(g *site.Gathering) {
	b.v.Weather = &weatherView{Asked: b.live}
	if !b.live {
		return
	}
	var marine site.Outcome[weather.MarineForecast]
	var wind site.Outcome[weather.WindForecast]
	at := place.AtNamedPlace{AtPlace: operation.AtPlace{Station: b.Info.Station.ID}}
	site.Ask(g, &marine, b.site.Set.Weather.MarineForecast,
		weather.MarineForecastInput{AtNamedPlace: at})
	site.Ask(g, &wind, b.site.Set.Weather.WindForecast, weather.WindForecastInput{
		AtNamedPlace: at, Hours: windHours,
		InUnits: operation.InUnits{Units: coast.Units(b.Prefs.Units)},
	})
	b.add(func() {
		b.layMarine(marine)
		b.layWind(wind)
	})
}

// layMarine lays out the alerts and the forecast text, unchanged.
func (b *builder) layMarine(a site.Outcome[weather.MarineForecast]) {
	v := b.v.Weather
	v.AlertsState, v.TextState = b.record(a.Availability), a.Availability
	if !a.Here() {
		return
	}
	m := a.Result
	b.addProvenance(m.Provenance)
	v.Place = b.v.Title
	if m.Zone != nil && m.Zone.Name != "" {
		v.Place = m.Zone.Name
	}
	if m.AlertsAsOf != nil {
		v.AlertsAt = b.Prefs.When(*m.AlertsAsOf)
	}
	if state, ok := site.Transient(m.Provenance, "alerts", "alerts for the water"); ok {
		v.AlertsState = b.record(state) // a part of the alerts must not look like all of them
	} else if m.AlertsAsOf == nil {
		v.AlertsState = b.record(site.Availability{State: site.Down,
			Why: "has no list of alerts at the moment"})
	}
	for _, alert := range m.Alerts {
		view := alertView{
			Event: alert.Event, Headline: alert.Headline, Description: alert.Description,
			Instruction: alert.Instruction,
		}
		if alert.Onset != nil && alert.Onset.After(b.Prefs.Now) {
			view.From = "from " + b.Prefs.When(*alert.Onset)
		}
		view.Until = "until further notice"
		if until := alert.Until(); until != nil {
			view.Until = "until " + b.Prefs.When(*until)
		}
		v.Alerts = append(v.Alerts, view)
	}
	v.RipAt = sourceTime(b.Prefs, m.Provenance, "surf-forecast")
	for _, r := range m.Rip {
		text := r.Period + ": " + r.Risk
		if r.Area != "" {
			text = r.Area + ", " + text
		}
		v.Rip = append(v.Rip, text)
	}
	if state, ok := site.Transient(m.Provenance, "marine text"); ok && m.Text == nil {
		v.TextState = b.record(state)
		return
	}
	if m.Text == nil {
		v.TextState = site.Availability{State: site.Absent,
			Why: "The weather service has no coastal waters text for this place."}
		return
	}
	v.Text = &marineView{
		Zone: v.Place, Issued: b.Prefs.When(m.Text.Issued), Synopsis: m.Text.Synopsis,
		Headlines: m.Text.Headlines, Stale: staleness(m.Provenance, "marine-text"),
	}
	for _, p := range m.Text.Periods {
		v.Text.Periods = append(v.Text.Periods, periodView{p.Name, p.Text})
	}
}

// layWind draws the wind forecast.
func (b *builder) layWind(a site.Outcome[weather.WindForecast]) {
	v := b.v.Weather
	if v.Wind = b.record(a.Availability); !a.Here() {
		return
	}
	f := a.Result
	b.addProvenance(f.Provenance)
	c := f.Chart()
	c.Clock = b.Prefs.ChartClock()
	start := c.Speeds.Start
	end := operation.At(start, f.Hours.Count, f.Hours.StepMinutes)
	st := b.Info.Station
	c.Daylight = almanac.Daylight(st.Latitude, st.Longitude, start, end)
	narrow := c
	middle := start.Add(end.Sub(start) / 2)
	narrow.Speeds = c.Speeds.Between(start, middle)
	narrow.Gusts = c.Gusts.Between(start, middle)
	narrow.From = c.From.Between(start, middle)
	v.Chart = view.Draw("wind", c.Draw(chart.WindWide), narrow.Draw(chart.Narrow))
	v.TextWind = f.TextSentence()
	v.Issued, v.WindStale = b.Prefs.When(f.Issued), staleness(f.Provenance, "wind-forecast")
}

// staleness describes a source that is not fresh. It is empty for a fresh one.
func staleness(p coast.Provenance, id string) string {
	for _, s := range p.Sources {
		if s.ID == id && s.Freshness != coast.Fresh && s.Freshness != coast.Aging {
			return string(s.Freshness)
		}
	}
	return ""
}

// sourceTime returns the time of a source's data, or "" if it is not known.
func sourceTime(p *view.Prefs, from coast.Provenance, id string) string {
	for _, s := range from.Sources {
		if s.ID == id && s.SourceAt != nil {
			return p.When(*s.SourceAt)
		}
	}
	return ""
}
