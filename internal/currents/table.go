package currents

import (
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// Table returns the windows as rows.
func (c CurrentWindows) Table() operation.Table {
	speed := "_" + strings.ReplaceAll(string(c.SpeedUnit), "/", "_per_")
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return operation.Number(*v)
	}
	rows := make([][]string, 0, len(c.Windows))
	for _, w := range c.Windows {
		row := []string{
			operation.TimeCell(w.From), operation.TimeCell(w.To), strconv.Itoa(w.Minutes), string(w.Kind),
			string(w.Turn),
			operation.OptionalTime(w.SlackAt), optional(w.Before), optional(w.After), "", "", "",
			string(w.BeginsBecause), string(w.EndsBecause), strings.Join(coast.Strings(w.Open...), " "),
			string(c.Condition.Side), operation.Number(c.Condition.Speed), string(c.Condition.Light), "",
			"", "",
		}
		if a := w.WindAgainst; a != nil {
			row[17], row[18], row[19] = string(a.Level), optional(a.Wind), optional(a.From)
		}
		if p := w.Peak; p != nil {
			row[8], row[9] = operation.TimeCell(p.Time), operation.Number(p.Speed)
			row[10] = optional(p.Direction)
		}
		rows = append(rows, row)
	}
	return operation.Tabled(c.Frame, []string{
		"from", "to", "minutes", "kind", "turn", "slack_at", "before" + speed, "after" + speed,
		"peak_at", "peak" + speed, "peak_toward_degrees_true", "begins_because", "ends_because", "open",
		"side", "limit" + speed, "light", "wind_against", "wind_kn", "wind_from_degrees_true",
	}, rows)
}

// Table returns the windows of departure as rows.
func (t Transits) Table() operation.Table {
	against := ""
	if most := t.Limits.MaxAgainst; most != nil {
		against = operation.Number(*most)
	}
	rows := make([][]string, 0, len(t.Windows))
	for _, w := range t.Windows {
		best := w.Best
		rows = append(rows, []string{
			operation.TimeCell(w.DepartFrom), operation.TimeCell(w.DepartTo), strconv.Itoa(w.Minutes),
			operation.TimeCell(best.Depart),
			operation.TimeCell(best.Arrive), strconv.Itoa(best.Minutes), operation.Number(best.MaxCurrent),
			operation.Number(best.MaxWith), operation.Number(best.MaxAgainst),
			operation.Number(best.MaxAcross),
			strconv.Itoa(best.Turns), strings.Join(coast.Strings(w.Open...), " "),
			operation.Number(t.Distance),
			operation.Number(t.Speed), operation.Number(t.Limits.MaxCurrent), against, string(t.Light),
			operation.Number(w.Current.Lowest), operation.Number(w.Current.Highest),
			operation.Number(w.Current.MaxCurrent), best.Reason,
		})
	}
	return operation.Tabled(t.Frame, []string{
		"depart_from", "depart_to", "minutes", "best_depart", "best_arrive", "best_minutes",
		"max_current_kn", "max_with_kn", "max_against_kn", "max_across_kn", "turns", "open",
		"distance_nmi", "speed_kn", "limit_current_kn", "limit_against_kn", "light",
		"window_lowest_kn", "window_highest_kn", "window_max_current_kn", "best_reason",
	}, rows)
}
