package tides

import (
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// Table returns the windows as rows.
func (t TideWindows) Table() operation.Table {
	height := operation.HeightColumn(t.HeightUnit, t.Datum)
	rate := "_" + string(t.HeightUnit) + "_per_h"
	extreme := "highest"
	if t.Condition.Side == "below" {
		extreme = "lowest"
	}
	rows := make([][]string, 0, len(t.Windows))
	for _, w := range t.Windows {
		rows = append(rows, []string{
			operation.TimeCell(w.From), operation.TimeCell(w.To), strconv.Itoa(w.Minutes),
			operation.TimeCell(w.Extreme.Time),
			operation.Number(w.Extreme.Height), operation.Number(w.RateAtFrom), operation.Number(w.RateAtTo),
			string(w.BeginsBecause), string(w.EndsBecause), strings.Join(coast.Strings(w.Open...), " "),
			string(t.Condition.Side), operation.Number(t.Condition.Level), string(t.Condition.Light),
		})
	}
	return operation.Tabled(t.Frame, []string{
		"from", "to", "minutes", extreme + "_at", extreme + height, "rate_at_from" + rate,
		"rate_at_to" + rate, "begins_because", "ends_because", "open", "side", "level" + height, "light",
	}, rows)
}

// Table returns the rows of the requested ranking.
func (t TideRanks) Table() operation.Table {
	height := operation.HeightColumn(t.HeightUnit, t.Datum)
	unit := "_" + string(t.HeightUnit)
	var rows [][]string
	switch t.What {
	case "king":
		for _, k := range t.KingTides {
			above := ""
			if k.AboveMHHW != nil {
				above = operation.Number(*k.AboveMHHW)
			}
			rows = append(rows, []string{
				strconv.Itoa(k.Rank), operation.TimeCell(k.From), operation.TimeCell(k.To),
				strconv.Itoa(k.Days),
				strconv.Itoa(k.Highs),
				operation.TimeCell(k.Highest.Time), operation.Number(k.Highest.Height), above,
				operation.Number(k.Of19Years),
				operation.Number(k.PerigeeHours), string(k.Phase),
			})
		}
		return operation.Tabled(t.Frame, []string{
			"rank", "from", "to", "days", "highs", "highest_at", "highest" + height,
			"above_mhhw" + unit, "percent_of_19_years", "hours_from_perigee", "phase",
		}, rows)
	case "springs":
		for _, s := range t.Springs {
			rows = append(rows, []string{
				string(s.Kind), string(s.Phase), operation.TimeCell(s.PhaseTime),
				operation.TimeCell(s.High.Time),
				operation.Number(s.High.Height), operation.TimeCell(s.Low.Time),
				operation.Number(s.Low.Height), operation.Number(s.Range),
				operation.Number(s.LagHours), string(s.Apsis),
			})
		}
		return operation.Tabled(t.Frame, []string{
			"kind", "phase", "phase_at", "high_at", "high" + height, "low_at", "low" + height,
			"range" + unit, "lag_hours", "apsis",
		}, rows)
	}
	for _, r := range t.Ranks {
		rows = append(rows, []string{
			strconv.Itoa(r.Rank), operation.TimeCell(r.Time), string(r.Type), operation.Number(r.Height),
			operation.OptionalTime(r.Sunrise), operation.OptionalTime(r.Sunset), string(t.Light),
		})
	}
	return operation.Tabled(t.Frame, []string{
		"rank", "time", "type", "height" + height, "sunrise", "sunset", "light",
	}, rows)
}
