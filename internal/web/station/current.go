package station

import (
	"cmp"
	"fmt"
	"time"

	"leadline/internal/chart"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
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
	Chart      *view.Figure
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
	curve  site.Outcome[currents.CurrentPredictions]
	events site.Outcome[currents.CurrentPredictions] // of the table and the chart
	now    site.Outcome[currents.CurrentPredictions] // if the chart does not contain the present
}

// askCurrent requests the predicted current of a station: for the month to print the table,
// otherwise the chart too. near is set if it is not the station of the page, which has no table.
func (b *builder) askCurrent(g *site.Gathering, id string, near *directory.NearStation) {
	parts := &currentParts{}
	set := b.site.Set
	first, last := b.TurnsSpan(near == nil)
	site.Compute(g, &parts.events, set.Currents.CurrentPredictions,
		b.CurrentInput(id, "max_slack", first, last))
	if b.Prefs.Days == view.Month {
		b.add(func() {
			if v := b.currentOf(id, near, parts.events); v.Why == "" {
				b.layCurrentDays(v, parts.events.Result.Events)
			}
		})
		return
	}
	from, to := b.Prefs.Span()
	g.Prepare(func() { b.Light() })
	site.Compute(g, &parts.curve, set.Currents.CurrentPredictions, b.CurrentInput(id, "6", from, to))
	if !b.Prefs.ChartsNow() {
		site.Compute(g, &parts.now, set.Currents.CurrentPredictions,
			b.CurrentInput(id, "6", b.Prefs.Now, b.Prefs.Now.Add(6*time.Minute)))
	}
	b.add(func() { b.layCurrent(id, near, parts) })
}

// askNearestCurrent requests the current of the nearest current station for the page of a tide
// station.
func (b *builder) askNearestCurrent(g *site.Gathering) {
	if b.Info.Kind == "current" {
		return
	}
	st := b.Info.Station
	far := site.HalfEarth
	nearest := b.site.Set.Directory.NearestStations
	near, err := operation.Run(g.Computed, nearest, directory.NearestStationsInput{
		Latitude: st.Latitude, Longitude: st.Longitude,
		OfType: directory.OfType{Type: "currentpredictions"}, Limit: 1, Farthest: &far,
	})
	if err != nil {
		b.v.Current = &currentView{Why: view.Sentence(b.site.Reason(err))}
		return
	}
	if len(near.Stations) == 0 || near.Stations[0].DistanceKm > nearCurrent {
		why := fmt.Sprintf("There is no current station within %.0f km.", nearCurrent)
		if len(near.Stations) > 0 {
			n := near.Stations[0]
			why += fmt.Sprintf(" The nearest is %s, %s away.", words.WithState(n.Name, n.State),
				view.Distance(n.DistanceKm, b.Prefs.Units))
		}
		b.v.Current = &currentView{Why: why + " Flood and ebb do not follow from high and low water."}
		return
	}
	b.askCurrent(g, near.Stations[0].ID, &near.Stations[0])
}

// currentOf adds a predicted current to the page, with the reason if its result is missing.
func (b *builder) currentOf(
	id string, near *directory.NearStation, a site.Outcome[currents.CurrentPredictions],
) *currentView {
	v := &currentView{Own: near == nil, ID: id, Name: b.v.Title}
	b.v.Current = v
	if near != nil {
		v.Name = words.WithState(near.Name, near.State)
		v.Distance = view.Distance(near.DistanceKm, b.Prefs.Units)
	}
	if b.record(a.Availability); !a.Here() {
		v.Why = a.Why
		return v
	}
	b.addProvenance(a.Result.Provenance)
	v.Unit, v.Years = a.Result.SpeedUnit, b.v.Years
	return v
}

// layCurrent lays out a predicted current.
func (b *builder) layCurrent(id string, near *directory.NearStation, parts *currentParts) {
	v := b.currentOf(id, near, parts.curve)
	if v.Why != "" {
		return
	}
	r, events := parts.curve.Result, parts.events.Result
	v.Directions = directions(r.Directions)
	if r.Depth != nil {
		v.Bin = "at a depth of " + chart.Quantity(*r.Depth, r.DepthUnit)
	}
	v.Chart = b.DrawCurrent(currents.CurrentChart(r, events))
	v.Now = presentCurrent(b.Prefs, v.Unit, cmp.Or(r.Now, parts.now.Result.Now))
	b.layCurrentDays(v, events.Events)
}

// directions writes the directions of flood and ebb.
func directions(d directory.Directions) string {
	if d.Flood == nil || d.Ebb == nil {
		return "NOAA publishes no directions here."
	}
	return "Flood sets " + chart.Number(*d.Flood, 0) + "° true, ebb " + chart.Number(*d.Ebb, 0) + "°."
}

// presentCurrent returns the present current in words, nil without one.
func presentCurrent(p *view.Prefs, unit string, n *currents.CurrentMoment) *currentNow {
	if n == nil {
		return nil
	}
	v := &currentNow{Phase: n.Phase, Speed: chart.Number(n.Speed, 1)}
	if n.Direction != nil {
		v.Direction = "toward " + chart.Number(*n.Direction, 0) + "° " + operation.Compass(*n.Direction)
	}
	if n.NextSlack != nil {
		v.NextSlack = p.When(n.NextSlack.Time)
	}
	if m := n.NextMax; m != nil && m.Speed != nil {
		v.NextMax = m.Type + " " + chart.Quantity(*m.Speed, unit) + " at " + p.When(m.Time)
	}
	return v
}

// layCurrentDays fills the table of floods, ebbs and slacks, a row a day, of the page's station.
func (b *builder) layCurrentDays(v *currentView, events []currents.CurrentEvent) {
	if !v.Own {
		return
	}
	day := b.Prefs.Midnight()
	for len(events) > 0 && events[0].Time.Before(day) {
		events = events[1:]
	}
	for range b.Prefs.TableDays() {
		next := view.NextDay(day)
		row := currentDay{Name: b.Prefs.Day(day)}
		for len(events) > 0 && events[0].Time.Before(next) {
			e := events[0]
			events = events[1:]
			cell := currentCell{Kind: e.Type, Time: b.Prefs.Time(e.Time)}
			if e.Type != "slack" && e.Speed != nil {
				cell.Speed = chart.Number(*e.Speed, 1)
			}
			row.Events = append(row.Events, cell)
		}
		v.Days = append(v.Days, row)
		day = next
	}
}
