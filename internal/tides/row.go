package tides

import (
	"leadline/internal/operation"
	"leadline/internal/render"
)

// Row returns the next high and the next low water or, if the caller gave a span, its high and low
// waters.
func (p TidePredictions) Row() (operation.Row, error) {
	unit := string(p.HeightUnit)
	if p.input.Span != (operation.Span{}) {
		row := operation.RowOf(p.Station, "predicted high and low water in "+unit)
		var events []string
		for _, e := range p.Extremes {
			events = append(events, string(e.Type)+" "+render.Number(e.Height, 2)+" at "+
				operation.EventTime(e.Time, p.Span))
		}
		if events == nil {
			events = []string{p.Nothing()}
		}
		return row, row.AddDay("high and low "+unit, p.Span, events)
	}
	row := operation.RowOf(p.Station, "predicted next high and low water")
	for i, what := range []string{"high", "low"} {
		when, height := "none by "+render.Minute(p.Span.To), render.Cell{}
		for _, e := range p.Extremes {
			if string(e.Type) == what {
				when, height = render.Minute(e.Time), render.Figure(e.Height, 2)
				break
			}
		}
		row.Add("next "+what, render.Word(when).As([]string{": ", "; "}[i]+"next "+what+" %s"))
		row.Add(what+" "+unit, height.As(", %s "+unit))
	}
	return row, nil
}
