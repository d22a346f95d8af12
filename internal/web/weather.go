package web

import (
	"leadline/internal/almanac"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/weather"
)

// weatherView holds the alerts and the forecasts of the weather service.
type weatherView struct {
	Asked       bool // providers are asked
	Alerts      []alertView
	AlertsAt    string // time of the list of alerts; empty if it is unknown whether there are any
	AlertsState asked
	Place       string // the water or the land that the alerts are for
	Wind        asked
	Chart       *figure
	Issued      string
	WindStale   string // how old the forecast is, if it is not fresh
	TextWind    string // the wind of the text, in a sentence
	Text        *marineView
	TextState   asked
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
func (b *stationBuilder) askWeather(g *gathering) {
	b.v.Weather = &weatherView{Asked: b.live}
	if !b.live {
		return
	}
	var marine outcome[weather.MarineForecast]
	var wind outcome[weather.WindForecast]
	at := place.AtNamedPlace{AtPlace: operation.AtPlace{Station: b.info.Station.ID}}
	ask(g, &marine, b.site.Set.Weather.MarineForecast, weather.MarineForecastInput{AtNamedPlace: at})
	ask(g, &wind, b.site.Set.Weather.WindForecast, weather.WindForecastInput{
		AtNamedPlace: at, Hours: windHours,
		InUnits: operation.InUnits{Units: coast.Units(b.p.Units)},
	})
	b.add(func() {
		b.layMarine(marine)
		b.layWind(wind)
	})
}

// layMarine lays out the alerts and the forecast text, unchanged.
func (b *stationBuilder) layMarine(a outcome[weather.MarineForecast]) {
	v := b.v.Weather
	v.AlertsState, v.TextState = b.record(a.asked), a.asked
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
		v.AlertsAt = b.p.when(*m.AlertsAsOf)
	}
	if state, ok := transient(m.Provenance, "alerts", "alerts for the water"); ok {
		v.AlertsState = b.record(state) // a part of the alerts must not look like all of them
	} else if m.AlertsAsOf == nil {
		v.AlertsState = b.record(asked{down, "has no list of alerts at the moment"})
	}
	for _, alert := range m.Alerts {
		view := alertView{
			Event: alert.Event, Headline: alert.Headline, Description: alert.Description,
			Instruction: alert.Instruction,
		}
		if alert.Onset != nil && alert.Onset.After(b.p.now) {
			view.From = "from " + b.p.when(*alert.Onset)
		}
		view.Until = "until further notice"
		if until := alert.Until(); until != nil {
			view.Until = "until " + b.p.when(*until)
		}
		v.Alerts = append(v.Alerts, view)
	}
	v.RipAt = b.sourceTime(m.Provenance, "surf-forecast")
	for _, r := range m.Rip {
		text := r.Period + ": " + r.Risk
		if r.Area != "" {
			text = r.Area + ", " + text
		}
		v.Rip = append(v.Rip, text)
	}
	if state, ok := transient(m.Provenance, "marine text"); ok && m.Text == nil {
		v.TextState = b.record(state)
		return
	}
	if m.Text == nil {
		v.TextState = asked{absent, "The weather service has no coastal waters text for this place."}
		return
	}
	v.Text = &marineView{
		Zone: v.Place, Issued: b.p.when(m.Text.Issued), Synopsis: m.Text.Synopsis,
		Headlines: m.Text.Headlines, Stale: staleness(m.Provenance, "marine-text"),
	}
	for _, p := range m.Text.Periods {
		v.Text.Periods = append(v.Text.Periods, periodView{p.Name, p.Text})
	}
}

// layWind draws the wind forecast.
func (b *stationBuilder) layWind(a outcome[weather.WindForecast]) {
	v := b.v.Weather
	if v.Wind = b.record(a.asked); !a.Here() {
		return
	}
	f := a.Result
	b.addProvenance(f.Provenance)
	c := f.Chart()
	c.Clock = b.p.chartClock()
	start := c.Speeds.Start
	end := operation.At(start, f.Hours.Count, f.Hours.StepMinutes)
	st := b.info.Station
	c.Daylight = almanac.Daylight(st.Latitude, st.Longitude, start, end)
	narrow := c
	middle := start.Add(end.Sub(start) / 2)
	narrow.Speeds = c.Speeds.Between(start, middle)
	narrow.Gusts = c.Gusts.Between(start, middle)
	narrow.From = c.From.Between(start, middle)
	v.Chart = draw("wind", c.Draw(chart.WindWide), narrow.Draw(chart.Narrow))
	v.TextWind = f.TextSentence()
	v.Issued, v.WindStale = b.p.when(f.Issued), staleness(f.Provenance, "wind-forecast")
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
func (b *stationBuilder) sourceTime(p coast.Provenance, id string) string {
	for _, s := range p.Sources {
		if s.ID == id && s.SourceAt != nil {
			return b.p.when(*s.SourceAt)
		}
	}
	return ""
}
