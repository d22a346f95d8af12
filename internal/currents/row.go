package currents

import (
	"leadline/internal/operation"
	"leadline/internal/render"
)

// Row returns the next slack and the next greatest current or, if the caller gave a span, its
// events. Directions are degrees true, toward.
func (p CurrentPredictions) Row() (operation.Row, error) {
	if p.input.Span != (operation.Span{}) {
		row := operation.RowOf(p.Station, "predicted flood, ebb and slack, speeds in "+p.SpeedUnit)
		var events []string
		for _, e := range p.Events {
			speed := ""
			if e.Type != "slack" {
				speed = SpeedOf(e.Speed, p.SpeedUnit)
			}
			events = append(events, operation.Join(" ", e.Type, speed, "at",
				operation.EventTime(e.Time, p.Span)))
		}
		if events == nil {
			events = []string{p.Nothing()}
		}
		err := row.AddDay("events "+p.SpeedUnit, p.Span, events)
		p.addDepth(&row)
		row.Add("flood toward °", direction(p.Directions.Flood).As("; flood toward %s°"))
		row.Add("ebb toward °", direction(p.Directions.Ebb).As("; ebb toward %s°"))
		return row, err
	}
	row := operation.RowOf(p.Station, "predicted next slack and greatest current")
	if p.Now == nil {
		row.Missing = unrated
		return row, nil
	}
	slack, greatest := p.Now.NextSlack, p.Now.NextMax
	if slack == nil {
		slack = &CurrentEvent{}
	}
	if greatest == nil {
		greatest = &CurrentEvent{}
	}
	row.Add("next slack", slack.when().As(": next slack %s"))
	row.Add("then", render.Word(slack.Next).As(", then %s"))
	row.Add("next greatest", greatest.when().As("; next greatest %s"))
	row.Add("type", render.Word(greatest.Type).As(", %s"))
	speed := render.Cell{}
	if greatest.Type != "" {
		speed = speedCell(greatest.Speed, p.SpeedUnit).As(" %s " + p.SpeedUnit)
	}
	row.Add("speed "+p.SpeedUnit, speed)
	row.Add("toward °", direction(greatest.Direction).As(" toward %s°"))
	p.addDepth(&row)
	return row, nil
}

// addDepth adds the bin and its depth, where they are known.
func (p CurrentPredictions) addDepth(row *operation.Row) {
	bin, depth := render.Cell{}, render.Cell{}
	if p.Bin != nil {
		bin = render.Figure(float64(*p.Bin), 0)
	}
	if p.Depth != nil {
		depth = render.Value(p.Depth, 1)
	}
	row.Add("bin", bin.As("; bin %s"))
	row.Add("depth "+p.DepthUnit, depth.As(", depth %s "+p.DepthUnit))
}

// when returns the time of an event; the zero event is none.
func (e CurrentEvent) when() render.Cell {
	if e.Time.IsZero() {
		return render.Word("none in 60 hours")
	}
	return render.Word(render.Minute(e.Time))
}

// direction returns a direction as a cell, the zero Cell without one.
func direction(degrees *float64) render.Cell {
	if degrees == nil {
		return render.Cell{}
	}
	return render.Figure(*degrees, 0)
}
