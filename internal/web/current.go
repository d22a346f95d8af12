package web

import (
	"fmt"
	"time"

	"leadline/internal/chart"
	"leadline/tools"
)

// currentView is the predicted current of a station.
type currentView struct {
	Own        bool // the station of the page; else the nearest current station
	ID, Name   string
	Distance   string // from the station of the page
	Now        *currentNow
	Directions string
	Bin        string // depth of the predicted bin
	Unit       string
	Chart      *figure
	Days       []currentDay
	Why        string // why nothing is predicted
	Years      string // of the days
}

type currentNow struct{ Phase, Speed, Direction, NextSlack, NextMax string }

type currentDay struct {
	Name   string
	Events []currentCell
}

type currentCell struct{ Kind, Time, Speed string }

// nearCurrent is the farthest current station, in km, that a page about a tide station shows.
const nearCurrent = 15.0

// askCurrent requests the predicted current of a station. near is set if it is not the station
// of the page.
func (b *stationBuilder) askCurrent(g *gathering, id string, near *tools.NearStation) {
	var curve, events, now outcome[tools.CurrentPredictions]
	from, to := b.p.spanOf()
	midnight := b.p.midnight()
	days := midnight.AddDate(0, 0, b.p.tableDays())
	compute(g, &curve, b.c.Set.CurrentPredictions, b.currentInput(id, "6", from, to))
	compute(g, &events, b.c.Set.CurrentPredictions,
		b.currentInput(id, "max_slack", minTime(from, midnight), days))
	compute(g, &now, b.c.Set.CurrentPredictions,
		b.currentInput(id, "max_slack", b.p.now.Add(-time.Hour), b.p.now.Add(25*time.Hour)))
	b.add(func() { b.layCurrent(id, near, curve, events, now) })
}

func (b *stationBuilder) currentInput(
	id, interval string, from, to time.Time,
) tools.CurrentPredictionsInput {
	return tools.CurrentPredictionsInput{
		StationOrPlace: tools.StationOrPlace{Station: id}, Interval: interval, VelType: "default",
		Span: during(from, to), InUnits: tools.InUnits{Units: b.p.Units},
		InZone: tools.InZone{TimeZone: b.p.timeZone()},
	}
}

// nearestCurrent adds the current of the nearest current station to the page of a tide
// station.
func (b *stationBuilder) nearestCurrent(g *gathering) {
	if b.info.Kind == "current" {
		return
	}
	st := b.info.Station
	far := nearCurrent
	near, err := tools.Run(g.computed, b.c.Set.NearestStations, tools.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: tools.OfType{Type: "currentpredictions"}, Limit: 1, Farthest: &far,
	})
	if err != nil {
		b.v.Current = &currentView{Why: withoutTools(b.reason(err)) + "."}
		return
	}
	if len(near.Stations) == 0 {
		b.v.Current = &currentView{Why: fmt.Sprintf("There is no current station within %.0f km. "+
			"Flood and ebb do not follow from high and low water.", nearCurrent)}
		return
	}
	b.askCurrent(g, near.Stations[0].ID, &near.Stations[0])
	b.lay(g)
}

// layCurrent lays out a predicted current.
func (b *stationBuilder) layCurrent(
	id string, near *tools.NearStation, curve, events, now outcome[tools.CurrentPredictions],
) {
	v := &currentView{Own: near == nil, ID: id, Name: b.v.Title}
	b.v.Current = v
	if near != nil {
		v.Name, v.Distance = titleOf(near.Name, near.State), distance(near.DistanceKm, b.p.Units)
	}
	if b.record(curve.asked); !curve.Here() {
		v.Why = curve.Why
		return
	}
	r := curve.Result
	b.addProvenance(r.Provenance)
	v.Unit, v.Years = r.SpeedUnit, b.v.Years
	v.Directions = directions(r.Directions)
	if r.Depth != nil {
		v.Bin = "at a depth of " + chart.Quantity(*r.Depth, r.DepthUnit)
	}
	c := tools.CurrentChart(r, events.Result)
	from, to := b.p.spanOf()
	c.Turns = turnsBetween(c.Turns, from, to)
	c.Weak = spansBetween(c.Weak, from, to)
	c.Clock = b.p.chartClock()
	st := b.info.Station
	c.Daylight = tools.Daylight(st.Latitude, st.Longitude, from, to)
	if !b.p.now.Before(from) && b.p.now.Before(to) {
		c.Now = b.p.now
	}
	narrow, middle := c, from.Add(to.Sub(from)/2)
	narrow.Series = c.Series.Between(from, middle)
	narrow.Turns = turnsBetween(c.Turns, from, middle)
	narrow.Weak = spansBetween(c.Weak, from, middle)
	v.Chart = draw("current", c.Draw(chart.CurrentWide), narrow.Draw(chart.Narrow))
	v.Now = b.currentNow(now.Result)
	b.layCurrentDays(v, events.Result.Events)
}

// turnsBetween returns the turns in a span.
func turnsBetween(turns []chart.Turn, from, to time.Time) []chart.Turn {
	var list []chart.Turn
	for _, t := range turns {
		if !t.Time.Before(from) && !t.Time.After(to) {
			list = append(list, t)
		}
	}
	return list
}

// spansBetween returns the parts of spans in a span.
func spansBetween(spans []chart.Span, from, to time.Time) []chart.Span {
	var list []chart.Span
	for _, s := range spans {
		if s.From.Before(from) {
			s.From = from
		}
		if s.To = minTime(s.To, to); s.From.Before(s.To) {
			list = append(list, s)
		}
	}
	return list
}

// directions writes the directions of flood and ebb.
func directions(d tools.Directions) string {
	if d.Flood == nil || d.Ebb == nil {
		return "NOAA publishes no directions here."
	}
	return "Flood sets " + chart.Number(*d.Flood, 0) + "° true, ebb " + chart.Number(*d.Ebb, 0) + "°."
}

func (b *stationBuilder) currentNow(p tools.CurrentPredictions) *currentNow {
	n := p.Now
	if n == nil {
		return nil
	}
	v := &currentNow{Phase: n.Phase, Speed: chart.Number(n.Speed, 1)}
	if n.Direction != nil {
		v.Direction = "toward " + chart.Number(*n.Direction, 0) + "° " + compass(*n.Direction)
	}
	if n.NextSlack != nil {
		v.NextSlack = b.p.when(n.NextSlack.Time)
	}
	if m := n.NextMax; m != nil && m.Speed != nil {
		v.NextMax = m.Type + " " + chart.Quantity(*m.Speed, p.SpeedUnit) + " at " + b.p.when(m.Time)
	}
	return v
}

// layCurrentDays fills the table of floods, ebbs and slacks, a row a day.
func (b *stationBuilder) layCurrentDays(v *currentView, events []tools.CurrentEvent) {
	day := b.p.midnight()
	for len(events) > 0 && events[0].Time.Before(day) {
		events = events[1:]
	}
	for range b.p.tableDays() {
		next := nextDay(day)
		row := currentDay{Name: b.p.day(day)}
		for len(events) > 0 && events[0].Time.Before(next) {
			e := events[0]
			events = events[1:]
			cell := currentCell{Kind: e.Type, Time: b.p.clock(e.Time)}
			if e.Type != "slack" && e.Speed != nil {
				cell.Speed = chart.Number(*e.Speed, 1)
			}
			row.Events = append(row.Events, cell)
		}
		v.Days = append(v.Days, row)
		day = next
	}
}
