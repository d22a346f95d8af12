package planning

import (
	"leadline/internal/coast"
)

// DayPart names a part of the result about a day.
type DayPart string

// all returns all parts in the order of the result.
func (DayPart) all() []DayPart {
	return []DayPart{
		"tides", "light", "currents", "wind", "alerts", "water_level", "temperature", "decision",
	}
}

// Values returns all values.
func (p DayPart) Values() []string { return coast.Strings(p.all()...) }
