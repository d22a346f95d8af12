package levels

import (
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/render"
)

// Row returns the newest observed level and its age and, apart from it, the predicted level.
func (l WaterLevels) Row() (operation.Row, error) {
	row := operation.RowOf(l.Station, "newest observed water level")
	n := l.Newest
	if n == nil {
		row.Missing = l.sentence()
		return row, nil
	}
	row.Add("observed "+string(l.HeightUnit),
		render.Figure(n.Height, 2).As(": observed %s "+string(l.HeightUnit)))
	row.Add("at", render.Word(render.Minute(n.Time)).As(" at %s"))
	age := ""
	for _, s := range l.Sources {
		if s.Kind == coast.Observation && s.AgeMinutes != nil {
			age = render.Age(*s.AgeMinutes)
		}
	}
	row.Add("age", render.Word(age).As(", %s"))
	row.Add("predicted "+string(l.HeightUnit), render.FigureOf(l.Predicted, 2).As("; predicted %s"))
	row.Add("residual "+string(l.HeightUnit), render.FigureOf(l.Residual, 2).As(", residual %s"))
	return row, nil
}

// Row returns the trend, its confidence and its period.
func (s SeaLevelTrends) Row() (operation.Row, error) {
	if len(s.Trends) == 0 {
		return operation.Row{What: "trend", Missing: "NOAA lists no trend"}, nil
	}
	r := s.Trends[0]
	row := operation.RowOf(&coast.Station{ID: r.Station, Name: r.Name, State: r.State},
		"observed trend of sea level relative to the land, in mm/year, with the 95 % interval")
	row.Add("trend mm/year", render.Value(r.Trend, 2).As(": %s"))
	row.Add("± mm/year", render.Value(r.Confidence, 2).As(" ± %s"))
	row.Add("feet per century", render.Value(r.Century, 2).As("; %s feet per century"))
	row.Add("record", render.Word(render.Escape(r.From+" to "+r.To)).As("; %s"))
	combined := ""
	if r.Combined != "" {
		combined = render.Quote(r.Combined)
	}
	row.Add("combined", render.Word(combined).As("; %s"))
	return row, nil
}
