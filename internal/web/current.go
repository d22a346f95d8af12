package web

import (
	"cmp"
	"fmt"
	"time"

	"leadline/internal/chart"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/words"
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

// currentParts are the results that a current is drawn from.
type currentParts struct {
	curve  outcome[currents.CurrentPredictions]
	events outcome[currents.CurrentPredictions] // of the table and the chart
	now    outcome[currents.CurrentPredictions] // if the chart does not contain the present
}

// askCurrent requests the predicted current of a station: for the month to print the table,
// otherwise the chart too. near is set if it is not the station of the page, which has no table.
func (b *stationBuilder) askCurrent(g *gathering, id string, near *directory.NearStation) {
	parts := &currentParts{}
	set := b.site.Set
	first, last := b.turnsSpan(near == nil)
	compute(g, &parts.events, set.Currents.CurrentPredictions,
		b.currentInput(id, "max_slack", first, last))
	if b.p.Days == month {
		b.add(func() {
			if v := b.currentOf(id, near, parts.events); v.Why == "" {
				b.layCurrentDays(v, parts.events.Result.Events)
			}
		})
		return
	}
	from, to := b.p.spanOf()
	g.prepare(func() { b.light() })
	compute(g, &parts.curve, set.Currents.CurrentPredictions, b.currentInput(id, "6", from, to))
	if !b.p.chartsNow() {
		compute(g, &parts.now, set.Currents.CurrentPredictions,
			b.currentInput(id, "6", b.p.now, b.p.now.Add(6*time.Minute)))
	}
	b.add(func() { b.layCurrent(id, near, parts) })
}

// askNearestCurrent requests the current of the nearest current station for the page of a tide
// station.
func (b *stationBuilder) askNearestCurrent(g *gathering) {
	if b.info.Kind == "current" {
		return
	}
	st := b.info.Station
	far := halfEarth
	nearest := b.site.Set.Directory.NearestStations
	near, err := operation.Run(g.computed, nearest, directory.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: directory.OfType{Type: "currentpredictions"}, Limit: 1, Farthest: &far,
	})
	if err != nil {
		b.v.Current = &currentView{Why: asSentence(b.site.reason(err))}
		return
	}
	if len(near.Stations) == 0 || near.Stations[0].DistanceKm > nearCurrent {
		why := fmt.Sprintf("There is no current station within %.0f km.", nearCurrent)
		if len(near.Stations) > 0 {
			n := near.Stations[0]
			why += fmt.Sprintf(" The nearest is %s, %s away.", words.WithState(n.Name, n.State),
				distance(n.DistanceKm, b.p.Units))
		}
		b.v.Current = &currentView{Why: why + " Flood and ebb do not follow from high and low water."}
		return
	}
	b.askCurrent(g, near.Stations[0].ID, &near.Stations[0])
}

// turnsSpan returns the span of the slacks and maxima to request: those of the table, if there
// is one, and those of the chart with the slacks around it, whose weak currents reach into it.
func (b *stationBuilder) turnsSpan(table bool) (first, last time.Time) {
	const reach = 7 * time.Hour // from slack to slack, rounded up
	first, last = b.p.spanOf()
	first, last = first.Add(-reach), last.Add(reach)
	midnight := b.p.midnight()
	if days := midnight.AddDate(0, 0, b.p.tableDays()); table {
		first, last = minTime(first, midnight), maxTime(last, days)
	}
	return first, last
}

// currentOf adds a predicted current to the page, with the reason if its result is missing.
func (b *stationBuilder) currentOf(
	id string, near *directory.NearStation, a outcome[currents.CurrentPredictions],
) *currentView {
	v := &currentView{Own: near == nil, ID: id, Name: b.v.Title}
	b.v.Current = v
	if near != nil {
		v.Name, v.Distance = words.WithState(near.Name, near.State), distance(near.DistanceKm, b.p.Units)
	}
	if b.record(a.asked); !a.Here() {
		v.Why = a.Why
		return v
	}
	b.addProvenance(a.Result.Provenance)
	v.Unit, v.Years = a.Result.SpeedUnit, b.v.Years
	return v
}

// layCurrent lays out a predicted current.
func (b *stationBuilder) layCurrent(id string, near *directory.NearStation, parts *currentParts) {
	v := b.currentOf(id, near, parts.curve)
	if v.Why != "" {
		return
	}
	r, events := parts.curve.Result, parts.events.Result
	v.Directions = directions(r.Directions)
	if r.Depth != nil {
		v.Bin = "at a depth of " + chart.Quantity(*r.Depth, r.DepthUnit)
	}
	v.Chart = b.drawCurrent(currents.CurrentChart(r, events))
	v.Now = b.currentNow(v.Unit, cmp.Or(r.Now, parts.now.Result.Now))
	b.layCurrentDays(v, events.Events)
}

// directions writes the directions of flood and ebb.
func directions(d directory.Directions) string {
	if d.Flood == nil || d.Ebb == nil {
		return "NOAA publishes no directions here."
	}
	return "Flood sets " + chart.Number(*d.Flood, 0) + "° true, ebb " + chart.Number(*d.Ebb, 0) + "°."
}

func (b *stationBuilder) currentNow(unit string, n *currents.CurrentMoment) *currentNow {
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
		v.NextMax = m.Type + " " + chart.Quantity(*m.Speed, unit) + " at " + b.p.when(m.Time)
	}
	return v
}

// layCurrentDays fills the table of floods, ebbs and slacks, a row a day, of the page's station.
func (b *stationBuilder) layCurrentDays(v *currentView, events []currents.CurrentEvent) {
	if !v.Own {
		return
	}
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
