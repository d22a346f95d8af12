package levels

import (
	"slices"
	"strings"
	"time"

	"leadline/internal/operation"
	"leadline/internal/render"
)

// FlagRun is a span of values with the same flags.
type FlagRun struct {
	Flags []string  `json:"flags" doc:"What NOAA's automatic checks flag: flat, rate of change, limit, maximum, minimum or unknown flag; inferred if NOAA filled the values in. New ones may appear."`
	From  time.Time `json:"from" doc:"Time of the first value."`
	To    time.Time `json:"to" doc:"Time of the last value."`
}

// FlagRuns returns the runs of equal flags in a column of equal steps.
func FlagRuns(start time.Time, stepMinutes int, flags [][]string) []FlagRun {
	var runs []FlagRun
	for i, f := range flags {
		if len(f) == 0 {
			continue
		}
		at := operation.At(start, i, stepMinutes)
		if last := len(runs) - 1; last >= 0 && slices.Equal(runs[last].Flags, f) &&
			at.Sub(runs[last].To) <= time.Duration(stepMinutes)*time.Minute {
			runs[last].To = at
			continue
		}
		runs = append(runs, FlagRun{f, at, at})
	}
	return runs
}

// FlagWords returns the end of a row whose value NOAA flags: (flagged: limit).
func FlagWords(flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return " (flagged: " + strings.Join(flags, ", ") + ")"
}

// FlagCell returns the flags of a value as a cell.
func FlagCell(flags []string) render.Cell {
	return render.Word(strings.Join(flags, ", ")).As(" (flagged: %s)")
}
