package decide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// This file generates facts for the laws, of every kind of place, day and weather. Each
// case depends only on its number.

// seed and the number of a case reproduce the case.
const seed = 20260709

// sample is one generated case. Its dice continue where the generation of the facts ended.
type sample struct {
	number  int
	request Request
	facts   *Facts
	dice    dice
}

// generate returns the numbered case. Activities and regions of small craft floors
// alternate, so that each pair gets the same share of the cases.
func generate(number int) *sample {
	d := dice{rand.New(rand.NewPCG(seed, uint64(number)))}
	g := generator{dice: d, activity: Activities()[number%6], rough: d.one(0.5), torn: d.one(0.4)}
	g.at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).
		Add(time.Duration(d.IntN(2*366*24*60)) * time.Minute)
	now := g.at.Add(-g.ahead())
	f := &Facts{Zone: zones[d.IntN(len(zones))], Floor: floors[number/6%len(floors)].Floor}
	f.Station = coast.Station{
		ID:        "8443970",
		Name:      d.pick([]string{"Boston", "Boston", "Neponset River"}),
		Latitude:  d.tenths(-45, 60),
		Longitude: -71.05,
		TimeZone:  f.Zone.String(),
	}
	g.computed(f)
	g.forecasts(f)
	g.observed(f)
	g.alerts(f)
	for range d.IntN(3) {
		f.Notes = append(f.Notes, "The station is in a river.")
	}
	return &sample{
		number,
		Request{"018f0000-0000-7000-8000-000000000000", g.activity, g.at, now},
		f,
		d,
	}
}

var zones = []*time.Location{
	time.UTC,
	time.FixedZone("EST", -5*3600),
	time.FixedZone("ChST", 10*3600),
	time.FixedZone("NST", -(3*3600 + 1800)),
}

// dice generates random numbers for common uses.
type dice struct{ *rand.Rand }

// one returns true with the given probability.
func (d dice) one(probability float64) bool { return d.Float64() < probability }

// tenths returns a number between from and to, in tenths.
func (d dice) tenths(from, to float64) float64 { return tenth(from + d.Float64()*(to-from)) }

func (d dice) pick(words []string) string { return words[d.IntN(len(words))] }

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

func pointer(v float64) *float64 { return &v }

// generator holds the data that all parts of a case use.
type generator struct {
	dice
	activity Activity
	at       time.Time
	rough    bool // the weather may reach limits
	torn     bool // facts may be missing, old, or in pieces
}

// ahead returns the time from the clock to the requested time, from -15 min to 366 days.
// The limits of confidence and reach are among the values.
func (g generator) ahead() time.Duration {
	edges := []time.Duration{
		-15 * time.Minute,
		0,
		6 * time.Hour,
		24 * time.Hour,
		72 * time.Hour,
		7 * 24 * time.Hour,
		366 * 24 * time.Hour,
	}
	if g.one(0.05) {
		return edges[g.IntN(len(edges))]
	}
	i := []int{0, 1, 1, 1, 1, 2, 2, 3, 4, 5}[g.IntN(10)]
	return edges[i] + time.Duration(g.Int64N(int64(edges[i+1]-edges[i]))).Truncate(time.Minute)
}

// fact returns the availability of a fact: mostly available and fresh.
func (g generator) fact(id string, kind coast.Kind, waived float64) Fact {
	age := g.IntN(20)
	sourceAt := g.at.Add(-time.Hour)
	f := Fact{
		Source: coast.Source{
			ID:             id,
			Label:          "The fact " + id,
			Provider:       coast.NWS,
			Kind:           kind,
			Available:      true,
			Freshness:      coast.Fresh,
			SourceAt:       &sourceAt,
			ReceivedAt:     g.at,
			AgeMinutes:     &age,
			AttributionURL: "https://www.noaa.gov/",
		},
	}
	switch {
	case g.one(waived):
		f.Waived = "there is none here"
	case g.torn && g.one(0.06):
		f.Absent = "the provider did not answer"
		if kind == coast.Forecast && g.one(0.3) {
			f.Code = WeatherNotOffered
		}
	case id == SurfForecast && g.one(0.05):
		f.None = "nobody has a value"
	case g.torn && g.one(0.12):
		f.Source.Freshness = []coast.Freshness{coast.Aging, coast.Stale, coast.Unknown}[g.IntN(3)]
	}
	return f
}

// had reports whether a fact has numbers.
func had(f Fact) bool { return f.Absent == "" && f.Waived == "" && f.None == "" }

// step is the time step of the generated series; spans begin and end on one.
const step = 15 * time.Minute

// series returns a series around the requested time. Its ends are far away or within the
// span.
func (g generator) series(of func(hours float64) float64) Series {
	before, after := int(Reach/step), int(Reach/step)
	if g.torn && g.one(0.1) {
		after = g.IntN(30)
	}
	if g.torn && g.one(0.03) {
		before = -g.IntN(8)
	}
	s := Series{Start: g.at.Add(-time.Duration(before) * step), Step: step}
	for i := -before; i <= after; i++ {
		s.Values = append(s.Values, math.Round(of(float64(i)/4)*100)/100)
	}
	return s
}

// computed generates the tide, the sun, the moon and the current.
func (g generator) computed(f *Facts) {
	f.Tide = g.tide()
	f.Sun = g.sun()
	f.Moon = Moon{g.fact(MoonPhase, coast.Calculation, 0), "waxing_gibbous", 0.75}
	f.Current = g.current()
}

// wave is a sinusoid: extremes are half a period apart, from the first high.
type wave struct{ middle, amplitude, period, high float64 } // hours after the requested time

func (w wave) at(hours float64) float64 {
	return w.middle + w.amplitude*math.Cos(2*math.Pi*(hours-w.high)/w.period)
}

// extremes yields the highs and lows within the reach of facts.
func (w wave) extremes(yield func(hours float64, high bool)) {
	for n := -10; n <= 10; n++ {
		if hours := w.high + float64(n)*w.period/2; math.Abs(hours) <= Reach.Hours() {
			yield(hours, n%2 == 0)
		}
	}
}

func (g generator) wave(middle, amplitude float64) wave {
	period := 12.42
	if g.one(0.2) {
		period = 24.84
	}
	return wave{middle, amplitude, period, g.Float64() * period}
}

// after returns the time a number of hours after the requested one, rounded to a minute.
func (g generator) after(hours float64) time.Time {
	return g.at.Add(time.Duration(math.Round(hours*60)) * time.Minute)
}

func (g generator) tide() Tide {
	t := Tide{Fact: g.fact(TidePrediction, coast.Prediction, 0), Datum: "MLLW"}
	if g.one(0.1) {
		t.Datum = "STND"
	}
	if !had(t.Fact) {
		return t
	}
	amplitude := g.tenths(0.3, 6)
	w := g.wave(amplitude+g.tenths(0.1, 1), amplitude)
	if g.rough {
		w.middle -= g.tenths(0, 2)
	}
	t.Heights = g.series(w.at)
	w.extremes(func(hours float64, high bool) {
		t.Turns = append(t.Turns, Turn{g.after(hours), high, math.Round(w.at(hours)*100) / 100})
	})
	return t
}

func (g generator) sun() Sun {
	s := Sun{Fact: g.fact(Daylight, coast.Calculation, 0)}
	if !had(s.Fact) {
		return s
	}
	w := wave{g.tenths(-20, 40), g.tenths(10, 60), 24, g.tenths(-12, 12)}
	if !g.rough {
		w.high = g.tenths(-1, 5) // noon is near
	}
	s.Altitudes = g.series(w.at)
	if math.Abs(w.middle) < w.amplitude {
		half := math.Acos(-w.middle/w.amplitude) * 24 / (2 * math.Pi)
		for day := -24.0; day <= 24; day += 24 {
			s.Rise, s.Set = append(s.Rise, g.after(w.high+day-half)), append(s.Set, g.after(w.high+day+half))
		}
	}
	return s
}

func (g generator) current() Current {
	c := Current{
		Fact:       g.fact(CurrentPrediction, coast.Prediction, 0.4),
		StationID:  "BOS1111",
		Kilometers: 2.5,
	}
	if !had(c.Fact) {
		return c
	}
	w := g.wave(0, g.tenths(0.1, 1.4))
	if g.rough {
		w.amplitude = g.tenths(0.1, 5)
	}
	c.Velocities = g.series(w.at)
	c.Flood, c.Ebb = g.part(g.tenths(0, 360)), g.part(g.tenths(0, 360))
	w.extremes(func(hours float64, high bool) {
		phase := map[bool]string{true: "flood", false: "ebb"}[high]
		c.Events = append(c.Events, CurrentEvent{g.after(hours), phase, tenth(w.amplitude)},
			CurrentEvent{g.after(hours + w.period/4), "slack", 0})
	})
	return c
}

// part returns a number of an incomplete fact: it may be nil.
func (g generator) part(v float64) *float64 {
	if g.torn && g.one(0.05) {
		return nil
	}
	return &v
}

// forecasts generates the hourly grid and the text.
func (g generator) forecasts(f *Facts) {
	f.Grid = Grid{Fact: g.fact(WindForecast, coast.Forecast, 0), Waves: g.one(0.7)}
	if had(f.Grid.Fact) {
		f.Grid.Hours = g.hours(f.Grid.Waves)
	}
	f.Text = Text{Fact: g.fact(MarineText, coast.Forecast, 0.2)}
	if had(f.Text.Fact) {
		f.Text.Periods = g.periods()
	}
}

// hours returns hours from a day before the requested time to beyond the window, or with an
// end within the span.
func (g generator) hours(waves bool) []Hour {
	first, count := g.at.Truncate(time.Hour).Add(-25*time.Hour), 32+g.IntN(26)
	if g.torn && g.one(0.15) {
		count = 25 + g.IntN(8)
	}
	w := g.weather()
	list := make([]Hour, count)
	for i := range list {
		from := first.Add(time.Duration(i) * time.Hour)
		list[i] = w.hour(from)
		if !waves {
			list[i].Height, list[i].Period, list[i].WavesFrom, list[i].Swells = nil, nil, nil, nil
		}
	}
	if g.torn && g.one(0.3) {
		g.blank(list)
	}
	return list
}

// weather holds the mean values of the hours of a grid.
type weather struct {
	generator
	wind, gust, direction, height, period float64
	storms, fogs, hazes, swelled          bool
}

func (g generator) weather() weather {
	w := weather{
		g,
		g.tenths(0, 16), // beyond 15 kn is watch for boats
		g.tenths(1, 5),
		math.Floor(g.Float64() * 360),
		g.tenths(0.3, 2),
		g.tenths(6, 14),
		false,
		false,
		g.one(0.3),
		g.one(0.7),
	}
	if g.rough {
		w.wind, w.gust, w.height, w.period = g.tenths(0, 30), g.tenths(1,
			15), g.tenths(0.3, 11), g.tenths(
			3,
			14,
		)
		w.storms, w.fogs = g.one(0.2), g.one(0.2)
	}
	return w
}

func (w weather) hour(from time.Time) Hour {
	wind, height, visibility := math.Round(w.wind+w.Float64()*2), w.tenths(w.height, w.height+0.4), 8.0
	if w.rough && w.one(0.05) {
		visibility = w.tenths(0.1, 3)
	}
	h := Hour{
		From:      from,
		To:        from.Add(time.Hour),
		Wind:      &wind,
		Gust:      pointer(wind + w.gust),
		Direction: &w.direction,
		Thunder:   w.coverage(w.storms),
		Fog:       w.coverage(w.fogs),
		Height:    &height,
		Period:    &w.period,
		WavesFrom: &w.direction,
	}
	if w.swelled {
		h.Swells = []Swell{
			{pointer(tenth(height * 0.7)), pointer(w.period + 4)},
			{pointer(tenth(height * 0.3)), pointer(w.period)},
		}
	}
	if w.hazes {
		h.Visibility = &visibility
	}
	return h
}

// coverage returns 0 most of the time, else a random coverage.
func (w weather) coverage(any bool) *float64 {
	if !any || w.one(0.8) {
		return pointer(0)
	}
	return pointer(
		Coverage(
			w.pick([]string{
				"isolated",
				"slight_chance",
				"chance",
				"scattered",
				"likely",
				"numerous",
				"definite",
				"",
			}),
		),
	)
}

// blank removes one kind of number from one hour near the requested time, or from all
// hours.
func (g generator) blank(list []Hour) {
	kind, only := g.IntN(10), 23+g.IntN(10)
	if g.one(0.3) {
		only = -1
	}
	for i := range list {
		if only < 0 || only == i {
			h := &list[i]
			numbers := []**float64{
				&h.Wind,
				&h.Gust,
				&h.Direction,
				&h.Visibility,
				&h.Thunder,
				&h.Fog,
				&h.Height,
				&h.Period,
				&h.WavesFrom,
			}
			if kind < len(numbers) {
				*numbers[kind] = nil
			} else if len(h.Swells) > 0 {
				h.Swells[0].Period = nil
			}
		}
	}
}

// periods returns periods of half a day each; the text of a harbor gives no seas.
func (g generator) periods() []Period {
	first, count := g.at.Truncate(12*time.Hour).Add(-24*time.Hour), 10
	if g.torn && g.one(0.25) {
		count = g.IntN(5)
	}
	seas, wind, height := g.one(0.7), g.tenths(0, 9), g.tenths(0.5, 2.5)
	if g.rough {
		wind, height = g.tenths(0, 30), g.tenths(0.5, 11)
	}
	list := make([]Period, count)
	for i := range list {
		from := first.Add(time.Duration(12*i) * time.Hour)
		list[i] = Period{From: from, To: from.Add(12 * time.Hour), Wind: pointer(5 * math.Round(wind/5))}
		if g.rough && g.one(0.3) {
			list[i].Gust = pointer(5 * math.Round(wind/5+1))
		}
		if seas {
			list[i].Seas = g.part(math.Round(height + g.Float64()))
		}
		if g.rough {
			g.weatherIn(&list[i])
		}
		if g.rough && g.one(0.3) {
			list[i].Swells = []Swell{{pointer(math.Round(height)), pointer(float64(8 + g.IntN(10)))}}
		}
	}
	return list
}

// weatherIn adds weather to some periods of the text.
func (g generator) weatherIn(p *Period) {
	if g.one(0.1) {
		p.Thunder, p.Fog = pointer(Coverage("chance")), pointer(Coverage("patchy"))
	}
	if g.one(0.05) {
		p.Visibility = pointer(g.tenths(0.1, 3))
	}
	if g.one(0.03) {
		p.Other = Weather{"freezing_spray": Coverage("")}
	}
	if g.one(0.03) {
		p.Other = Weather{"severe_weather": Coverage("chance")}
	}
	if g.one(0.03) {
		p.Other = Weather{g.pick([]string{"volcanic_ash", "heavy_smoke", "heavy_snow"}): Coverage("")}
	}
	if g.one(0.1) {
		p.Unread = []string{"Volcanic ash"}
	}
}

// observed generates the gauge, the thermometer and the flood level.
func (g generator) observed(f *Facts) {
	above := g.tenths(0, 6)
	if g.rough {
		above = g.tenths(-0.3, 2)
	}
	highest := 3.0
	if len(f.Tide.Heights.Values) > 0 {
		highest = slices.Max(f.Tide.Heights.Values)
	}
	f.Flood = Flood{
		Fact:    g.fact(FloodThresholds, coast.Calculation, 0.15),
		Name:    "NOS minor",
		Derived: g.one(0.4),
	}
	if had(f.Flood.Fact) {
		f.Flood.Level = pointer(highest + above)
	}
	f.Level = Level{
		Fact: g.fact(ObservedLevel, coast.Observation, 0.2),
		Time: g.at.Add(-10 * time.Minute),
	}
	if had(f.Level.Fact) {
		f.Level.Height, f.Level.Residual = pointer(highest-g.tenths(-0.5, 6)), pointer(
			g.tenths(-1.5, 1.5),
		)
		if g.rough && g.one(0.3) {
			f.Level.Residual = pointer(g.tenths(-6, 0))
		}
	} else if g.one(0.5) {
		f.Gauge = g.gauge()
	}
	f.Water = Water{
		Fact: g.fact(WaterTemperature, coast.Observation, 0.3),
		Time: g.at.Add(-20 * time.Minute),
	}
	if had(f.Water.Fact) {
		f.Water.Temperature = pointer(g.tenths(60, 85))
		if g.rough {
			f.Water.Temperature = pointer(g.tenths(40, 85))
		}
	}
	f.Surf = g.surf()
}

// surf generates a surf zone forecast of a few half days, which begins before the requested
// time or within the span.
func (g generator) surf() Surf {
	s := Surf{Fact: g.fact(SurfForecast, coast.Forecast, 0.4)}
	if !had(s.Fact) {
		return s
	}
	first, count := g.at.Truncate(12*time.Hour).Add(-24*time.Hour), 8
	if g.torn && g.one(0.3) {
		first, count = g.at.Add(time.Duration(g.IntN(5)-3)*time.Hour), g.IntN(4)
	}
	level := RipLow
	for i := range count {
		if g.rough {
			level = []RipLevel{RipLow, RipLow, RipModerate, RipHigh}[g.IntN(4)]
		}
		if g.torn && g.one(0.05) {
			level = RipUnstated
		}
		from := first.Add(time.Duration(12*i) * time.Hour)
		s.Risks = append(s.Risks, RipRisk{from, from.Add(12 * time.Hour), level})
	}
	return s
}

func (g generator) gauge() *Gauge {
	return &Gauge{
		g.fact("nearby-water-level", coast.Observation, 0).Source,
		"8447435",
		"Chatham",
		12.5,
		g.at.Add(-time.Hour),
		g.tenths(-1, 1),
	}
}

// eventNames lists the events of the table, watches of them, and others.
var eventNames = func() []string {
	names := []string{
		"Flood Watch",
		"Winter Storm Warning",
		"Blizzard Warning",
		"Air Quality Alert",
		"Special Weather Statement",
		"Marine Weather Statement",
		"Small Craft Advisory For Rough Bar",
		"Small Craft Advisory For Hazardous Seas",
		"Small Craft Advisory For Winds",
		"Dense Smoke Advisory",
	}
	for _, e := range events {
		names = append(names, e.names...)
	}
	for _, name := range names {
		if of, ok := strings.CutSuffix(name, " Warning"); ok {
			names = append(names, of+" Watch")
		}
	}
	return names
}()

// severityNames lists the severities of CAP and one other.
var severityNames = []string{"", "Unknown", "Minor", "Moderate", "Severe", "Extreme", "Enormous"}

// alerts generates no alerts or a few: within the span, before, after, and without ends.
func (g generator) alerts(f *Facts) {
	f.Alerts.Fact = g.fact(MarineAlerts, coast.Forecast, 0)
	if !had(f.Alerts.Fact) || !g.rough || g.one(0.5) {
		return
	}
	for range 1 + g.IntN(3) {
		a := Alert{Event: g.pick(eventNames), Severity: g.pick(severityNames)}
		from := g.after(g.tenths(-30, 20))
		to := from.Add(time.Duration(g.IntN(24*60)) * time.Minute)
		if g.one(0.8) {
			a.From = &from
		}
		if g.one(0.8) {
			a.To = &to
		}
		f.Alerts.List = append(f.Alerts.List, a)
	}
}

// String describes a case briefly: how to reproduce it, and its result.
func (s *sample) String() string {
	c := newCheck(s.request, s.facts).read()
	b := fmt.Sprintf("case %d of seed %d: %s at %s, now %s earlier: %s, %s, missing %v", s.number,
		seed, s.request.Activity, s.request.At.Format(time.RFC3339),
		s.request.At.Sub(s.request.Now), c.state(), c.confidence(), c.missing())
	for _, f := range c.findings {
		b += fmt.Sprintf("; %s %s %v (limit %v)", f.severity, f.code, f.value, f.threshold)
	}
	return b
}
