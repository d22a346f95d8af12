package operation

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

// Tabled returns a table of rows with the columns that every table has.
func Tabled(f coast.Frame, header []string, rows [][]string) Table {
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
		rows[i] = append(rows[i], f.Station.ID, StationTitle(f.Station), f.DatumEpoch,
			strings.Join(providers, "; "), coast.Disclaimer, of)
	}
	return Table{header, rows}
}

// HeightColumn ends the name of a column of heights: _ft_mllw.
func HeightColumn(unit coast.HeightUnit, datum coast.Datum) string {
	return "_" + string(unit) + "_" + strings.ToLower(string(datum))
}

// TimeCell writes a time with its offset.
func TimeCell(t time.Time) string { return t.Format(time.RFC3339) }

// OptionalTime writes a time, or nothing for nil.
func OptionalTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return TimeCell(*t)
}

// Number writes a number without an exponent.
func Number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
