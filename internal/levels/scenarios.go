package levels

import (
	"context"
	"fmt"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/derived"
	"leadline/internal/facts"
	"leadline/internal/render"
)

// Scenarios holds NOAA's scenarios of relative sea level at a station, apart from what was
// observed.
type Scenarios struct {
	Report   int             `json:"reportYear"`   // when the newest report was published
	Baseline *int            `json:"baselineYear"` // when all levels are 0; null if there is no such year
	Unit     string          `json:"unit"`
	Levels   []ScenarioLevel `json:"levels"` // by year
}

// ScenarioLevel is the relative sea level of a scenario in a year.
type ScenarioLevel struct {
	Scenario string   `json:"scenario" quoted:"yes"`
	Year     int      `json:"year"`
	Level    float64  `json:"level"`
	Low      *float64 `json:"low"` // ends of NOAA's range
	High     *float64 `json:"high"`
}

// addScenarios adds the scenarios of the newest report, or why they are missing.
func (s *SeaLevelTrends) addScenarios(
	ctx context.Context, fs facts.Set, station string, units coast.Units,
) {
	live, err := fs.Water.Scenarios(ctx, station)
	if err != nil {
		s.Missing = append(s.Missing, coast.Unobtained("scenarios", err))
		return
	}
	h := facts.HeightsIn(units)
	out := &Scenarios{Unit: h.Name}
	for _, row := range live.Data {
		out.Report = max(out.Report, row.Report)
	}
	rises := map[int]bool{}
	for _, row := range live.Data {
		if row.Report == out.Report {
			out.Levels = append(out.Levels, ScenarioLevel{
				row.Name, row.Year, h.Of(row.Level), h.Known(row.Low), h.Known(row.High),
			})
			rises[row.Year] = rises[row.Year] || row.Level != 0
		}
	}
	slices.SortStableFunc(out.Levels, func(a, b ScenarioLevel) int { return a.Year - b.Year })
	if first := out.Levels[0].Year; !rises[first] {
		out.Baseline = &first
	} else {
		s.Missing = append(s.Missing, coast.Missing{
			Input: "baseline of the scenarios", Reason: "no year of NOAA's response has level 0 in all",
		})
	}
	s.Scenarios = out
	s.Sources = append(s.Sources,
		derivedSource(fs, derived.SeaLevelScenarios, station, live.ReceivedAt))
	s.Notes = append(s.Notes, "A scenario says how far relative sea level rises here if the world's "+
		"rises as far as the report supposes. It is neither a prediction nor a forecast, and not the "+
		"observed trend: tides, storms and waves come on top.")
}

// describe writes a row for each year, without the baseline.
func (s Scenarios) describe(t *render.Answer) {
	base := ""
	if s.Baseline != nil {
		base = fmt.Sprintf(" above that of %d", *s.Baseline)
	}
	t.Gap()
	t.Line("Scenarios, not predictions, of the interagency report of %d, relative sea level in %s%s "+
		"(NOAA's range):",
		s.Report, s.Unit, base)
	columns, names, years := []string{"year"}, []string{}, []int{}
	for _, l := range s.Levels {
		if !slices.Contains(names, l.Scenario) {
			names = append(names, l.Scenario)
			columns = append(columns, l.Scenario+" "+s.Unit, l.Scenario+" range")
		}
		if !slices.Contains(years, l.Year) && (s.Baseline == nil || l.Year != *s.Baseline) {
			years = append(years, l.Year)
		}
	}
	t.Rows(columns, len(years), func(i int) []render.Cell {
		cells := make([]render.Cell, len(columns))
		cells[0] = render.Figure(float64(years[i]), 0)
		for _, l := range s.Levels {
			if l.Year == years[i] {
				at := 2*slices.Index(names, l.Scenario) + 1
				cells[at] = render.Figure(l.Level, 2).As("; " + render.Escape(l.Scenario) + " %s")
				cells[at+1] = l.between()
			}
		}
		return cells
	})
}

// between returns NOAA's range of the level, the zero Cell without one.
func (l ScenarioLevel) between() render.Cell {
	if l.Low == nil || l.High == nil {
		return render.Cell{}
	}
	return render.Word(render.Number(*l.Low, 2) + " to " + render.Number(*l.High, 2)).As(" (%s)")
}
