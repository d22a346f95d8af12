package tools

import (
	"leadline/internal/render"
)

// PlanningOperations returns the operations for planning that are not tools: over MCP, they are
// arguments of the prediction tools. The command line has them as commands.
func (s *Set) PlanningOperations() []Tool {
	return []Tool{
		declare("tide_windows", "Tide windows", PlanningTools, "", false, s.Tides.TideWindows),
		declare("tide_ranks", "Tide ranks", PlanningTools, "", false, s.Tides.TideRanks),
		declare("current_windows", "Current windows", PlanningTools, "", false, s.Currents.CurrentWindows),
	}
}

// describe writes the condition and the summary, then a row for each window.
func (w TideWindows) describe(t *render.Text) {
	describeWindows(t, stationName(w.Station)+ForPlace{w.Place}.away(), w.Condition,
		string(w.HeightUnit), w.Summary, w.Windows[:min(len(w.Windows), textRows)])
	describeNext(t, len(w.Windows), w.Total, w.NextOffset)
}

// describe writes the summary, then a row for each tide.
func (r TideRanks) describe(t *render.Text) {
	t.Line("%s%s: %s", stationName(r.Station), ForPlace{r.Place}.away(), r.Summary)
	t.Gap()
	describeRanks(t, r.Ranks)
	unit := string(r.HeightUnit)
	for _, k := range r.KingTides {
		t.Line("%d. %s to %s, %s, highest %s %s at %s", k.Rank, k.From.Format("Mon 2006-01-02"),
			k.To.Format("Mon 2006-01-02"), plural(k.Highs, "high water"),
			render.Number(k.Highest.Height, 2), unit, k.Highest.Time.Format("Mon 2006-01-02 15:04 MST"))
		for _, f := range k.BelowMinorFlood {
			t.Line("- %s %s below minor flooding (%s, %s)", render.Number(f.Height, 2), unit, f.Authority,
				f.Basis)
		}
	}
	for _, s := range r.Springs {
		t.Line("%s: range %s %s, high water %s at %s", s.Kind, render.Number(s.Range, 2), unit,
			render.Number(s.High.Height, 2), s.High.Time.Format("Mon 2006-01-02 15:04 MST"))
	}
}
