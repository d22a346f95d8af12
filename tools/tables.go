package tools

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Table is the list of a result as text, for spreadsheets. Columns name the unit and the datum of
// their numbers. Each row has the source and the disclaimer; the first also has the
// notes and what is missing.
type Table struct {
	Header []string
	Rows   [][]string
}

// Tabular is a result that has a table.
type Tabular interface {
	Table() Table
	Context() coast.Frame
}

// tabled returns a table of rows with the columns that every table has.
func tabled(f coast.Frame, header []string, rows [][]string) Table {
	notes := slices.Clone(f.Notes)
	for _, m := range f.Missing {
		notes = append(notes, "Missing: "+m.Input+": "+strings.TrimSuffix(m.Reason, ".")+".")
	}
	var providers []string
	for _, s := range f.Sources {
		if p := string(s.Provider); s.Available && !slices.Contains(providers, p) {
			providers = append(providers, p)
		}
	}
	header = append(header, "station", "name", "datum_epoch", "source", "disclaimer", "notes")
	for i := range rows {
		of := ""
		if i == 0 {
			of = strings.Join(notes, " ")
		}
		rows[i] = append(rows[i], f.Station.ID, stationTitle(f.Station), f.DatumEpoch,
			strings.Join(providers, "; "), coast.Disclaimer, of)
	}
	return Table{header, rows}
}

// Table returns the windows as rows.
func (t TideWindows) Table() Table {
	height := heightColumn(t.HeightUnit, t.Datum)
	rate := "_" + string(t.HeightUnit) + "_per_h"
	extreme := "highest"
	if t.Condition.Side == "below" {
		extreme = "lowest"
	}
	rows := make([][]string, 0, len(t.Windows))
	for _, w := range t.Windows {
		rows = append(rows, []string{
			timeCell(w.From), timeCell(w.To), strconv.Itoa(w.Minutes), timeCell(w.Extreme.Time),
			number(w.Extreme.Height), number(w.RateAtFrom), number(w.RateAtTo),
			string(w.BeginsBecause), string(w.EndsBecause), strings.Join(coast.Strings(w.Open...), " "),
			string(t.Condition.Side), number(t.Condition.Level), string(t.Condition.Light),
		})
	}
	return tabled(t.Frame, []string{
		"from", "to", "minutes", extreme + "_at", extreme + height, "rate_at_from" + rate,
		"rate_at_to" + rate, "begins_because", "ends_because", "open", "side", "level" + height, "light",
	}, rows)
}

// Table returns the rows of the requested ranking.
func (t TideRanks) Table() Table {
	height := heightColumn(t.HeightUnit, t.Datum)
	unit := "_" + string(t.HeightUnit)
	var rows [][]string
	switch t.What {
	case "king":
		for _, k := range t.KingTides {
			above := ""
			if k.AboveMHHW != nil {
				above = number(*k.AboveMHHW)
			}
			rows = append(rows, []string{
				strconv.Itoa(k.Rank), timeCell(k.From), timeCell(k.To), strconv.Itoa(k.Days),
				strconv.Itoa(k.Highs),
				timeCell(k.Highest.Time), number(k.Highest.Height), above, number(k.Of19Years),
				number(k.PerigeeHours), string(k.Phase),
			})
		}
		return tabled(t.Frame, []string{
			"rank", "from", "to", "days", "highs", "highest_at", "highest" + height,
			"above_mhhw" + unit, "percent_of_19_years", "hours_from_perigee", "phase",
		}, rows)
	case "springs":
		for _, s := range t.Springs {
			rows = append(rows, []string{
				string(s.Kind), string(s.Phase), timeCell(s.PhaseTime), timeCell(s.High.Time),
				number(s.High.Height), timeCell(s.Low.Time), number(s.Low.Height), number(s.Range),
				number(s.LagHours), string(s.Apsis),
			})
		}
		return tabled(t.Frame, []string{
			"kind", "phase", "phase_at", "high_at", "high" + height, "low_at", "low" + height,
			"range" + unit, "lag_hours", "apsis",
		}, rows)
	}
	for _, r := range t.Ranks {
		rows = append(rows, []string{
			strconv.Itoa(r.Rank), timeCell(r.Time), string(r.Type), number(r.Height),
			optionalTime(r.Sunrise), optionalTime(r.Sunset), string(t.Light),
		})
	}
	return tabled(t.Frame, []string{
		"rank", "time", "type", "height" + height, "sunrise", "sunset", "light",
	}, rows)
}

// Table returns the windows as rows.
func (c CurrentWindows) Table() Table {
	speed := "_" + strings.ReplaceAll(string(c.SpeedUnit), "/", "_per_")
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	rows := make([][]string, 0, len(c.Windows))
	for _, w := range c.Windows {
		row := []string{
			timeCell(w.From), timeCell(w.To), strconv.Itoa(w.Minutes), string(w.Kind), string(w.Turn),
			optionalTime(w.SlackAt), optional(w.Before), optional(w.After), "", "", "",
			string(w.BeginsBecause), string(w.EndsBecause), strings.Join(coast.Strings(w.Open...), " "),
			string(c.Condition.Side), number(c.Condition.Speed), string(c.Condition.Light), "", "", "",
		}
		if a := w.WindAgainst; a != nil {
			row[17], row[18], row[19] = string(a.Level), optional(a.Wind), optional(a.From)
		}
		if p := w.Peak; p != nil {
			row[8], row[9], row[10] = timeCell(p.Time), number(p.Speed), optional(p.Direction)
		}
		rows = append(rows, row)
	}
	return tabled(c.Frame, []string{
		"from", "to", "minutes", "kind", "turn", "slack_at", "before" + speed, "after" + speed,
		"peak_at", "peak" + speed, "peak_toward_degrees_true", "begins_because", "ends_because", "open",
		"side", "limit" + speed, "light", "wind_against", "wind_kn", "wind_from_degrees_true",
	}, rows)
}

// Table returns the windows of departure as rows.
func (t Transits) Table() Table {
	against := ""
	if most := t.Limits.MaxAgainst; most != nil {
		against = number(*most)
	}
	rows := make([][]string, 0, len(t.Windows))
	for _, w := range t.Windows {
		best := w.Best
		rows = append(rows, []string{
			timeCell(w.DepartFrom), timeCell(w.DepartTo), strconv.Itoa(w.Minutes), timeCell(best.Depart),
			timeCell(best.Arrive), strconv.Itoa(best.Minutes), number(best.MaxCurrent),
			number(best.MaxWith), number(best.MaxAgainst), number(best.MaxAcross),
			strconv.Itoa(best.Turns), strings.Join(coast.Strings(w.Open...), " "), number(t.Distance),
			number(t.Speed), number(t.Limits.MaxCurrent), against, string(t.Light),
			number(w.Current.Lowest), number(w.Current.Highest),
			number(w.Current.MaxCurrent), best.Reason,
		})
	}
	return tabled(t.Frame, []string{
		"depart_from", "depart_to", "minutes", "best_depart", "best_arrive", "best_minutes",
		"max_current_kn", "max_with_kn", "max_against_kn", "max_across_kn", "turns", "open",
		"distance_nmi", "speed_kn", "limit_current_kn", "limit_against_kn", "light",
		"window_lowest_kn", "window_highest_kn", "window_max_current_kn", "best_reason",
	}, rows)
}

// heightColumn ends the name of a column of heights: _ft_mllw.
func heightColumn(unit coast.HeightUnit, datum coast.Datum) string {
	return "_" + string(unit) + "_" + strings.ToLower(string(datum))
}

// timeCell writes a time with its offset.
func timeCell(t time.Time) string { return t.Format(time.RFC3339) }

// optionalTime writes a time, or nothing for nil.
func optionalTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return timeCell(*t)
}

// number writes a number without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
