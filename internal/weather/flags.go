package weather

import (
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/noaa"
)

// FlaggedValue is the newest value of a quantity if NOAA doubts it.
type FlaggedValue struct {
	Measurement
	Flags []string `json:"flags" doc:"What NOAA's automatic checks flag: flat, rate of change, limit, maximum, minimum or unknown flag. New ones may appear."`
}

// doubted returns the newest values of the quantities that NOAA doubts.
func doubted(
	fs facts.Set, all []facts.Quantity, units coast.Units, z facts.Zone,
) []FlaggedValue {
	var list []FlaggedValue
	for _, q := range all {
		if p, doubtful := q.Doubted(); doubtful {
			list = append(list, FlaggedValue{measurementOf(fs, q.Name, p, units, z), p.Flags})
		}
	}
	return list
}

// doubtedLevel returns the newest level as a flagged value, or nothing if NOAA does not doubt it.
func doubtedLevel(
	fs facts.Set, l facts.Levels, units coast.Units, z facts.Zone,
) []FlaggedValue {
	for _, row := range slices.Backward(l.Rows) {
		if row.Height == nil {
			continue
		}
		flags, h := l.Flags(row), facts.HeightsIn(units)
		if !noaa.Doubtful(flags) {
			return nil
		}
		age := max(0, int(fs.Now.Sub(row.Time)/time.Minute))
		m := Measurement{"water_level", h.Of(*row.Height), h.Name, row.Time.In(z.Location), age}
		return []FlaggedValue{{m, flags}}
	}
	return nil
}

// describe returns the value with its flags: water level 37.5 ft (flagged: limit).
func (v FlaggedValue) describe() string {
	return facts.Spaced(v.Quantity) + " " + v.text() + levels.FlagWords(v.Flags)
}
