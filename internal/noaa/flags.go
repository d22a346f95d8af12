package noaa

import "strings"

// Inferred is the flag of a height that NOAA filled in from other records.
const Inferred = "inferred"

// The other flags in words.
const (
	flagSamples = ""               // a count of samples beyond three sigma: normal in waves
	flagFlat    = "flat"           // did not change for too long
	flagRate    = "rate of change" // changed too fast
	flagLimit   = "limit"          // beyond what is expected there
	flagMaximum = "maximum"        // above what the instrument may measure
	flagMinimum = "minimum"        // below it
	flagUnknown = "unknown flag"   // not documented
)

// The flag columns, in the documented order
// (https://api.tidesandcurrents.noaa.gov/api/prod/responseHelp.html). Salinity, observed currents
// and one-minute levels do not have one. That of daily extremes has one flag without a description.
var (
	preliminaryFlags = []string{flagSamples, flagFlat, flagRate, flagLimit} // of an air gap, too
	verifiedFlags    = []string{Inferred, flagFlat, flagRate, flagLimit}
	hourlyFlags      = []string{Inferred, flagLimit} // of high and low waters and daily means, too
	extremeFlags     = []string{flagUnknown}
	readingFlags     = []string{flagMaximum, flagMinimum, flagRate}
	windFlags        = []string{flagMaximum, flagRate}
)

// flagNames returns the names of the flags that are set in a column. A column that does not have
// the documented form is a doubt of its own.
func flagNames(column string, names []string) []string {
	var set []string
	if column == "" && len(names) == 0 {
		return nil
	}
	flags := strings.Split(column, ",")
	if len(flags) != len(names) {
		return []string{flagUnknown}
	}
	for i, flag := range flags {
		flag = strings.TrimSpace(flag)
		switch {
		case strings.Trim(flag, "0123456789") != "" || flag == "":
			return []string{flagUnknown}
		case names[i] == flagSamples || strings.Trim(flag, "0") == "":
		default:
			set = append(set, names[i])
		}
	}
	return set
}

// Doubtful reports whether one of the flags is a doubt about the value.
func Doubtful(flags []string) bool {
	for _, f := range flags {
		if f != Inferred {
			return true
		}
	}
	return false
}

// Flagged returns the names of the level's flags.
func (l Level) Flagged(step Step) []string {
	switch {
	case step == OneMinute:
		return flagNames(l.Flags, nil)
	case step == Hourly:
		return flagNames(l.Flags, hourlyFlags)
	case l.Quality == "v":
		return flagNames(l.Flags, verifiedFlags)
	}
	return flagNames(l.Flags, preliminaryFlags)
}

// Flagged returns the names of the flags of a high or low water.
func (h HighLow) Flagged() []string { return flagNames(h.Flags, hourlyFlags) }

// Flagged returns the names of the flags of a daily mean.
func (d DailyMean) Flagged() []string { return flagNames(d.Flags, hourlyFlags) }

// Flagged returns the names of the flags of a daily extreme.
func (d DailyExtreme) Flagged() []string { return flagNames(d.Flags, extremeFlags) }

// Flagged returns the names of the flags of a reading of a product.
func (r Reading) Flagged(product string) []string {
	switch product {
	case "salinity":
		return flagNames(r.Flags, nil)
	case "air_gap":
		return flagNames(r.Flags, preliminaryFlags)
	}
	return flagNames(r.Flags, readingFlags)
}

// Flagged returns the names of the flags of a wind.
func (w Wind) Flagged() []string { return flagNames(w.Flags, windFlags) }
