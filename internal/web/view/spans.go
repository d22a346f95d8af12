package view

import (
	"math"
	"time"

	"leadline/internal/operation"
)

// The spans of the chart before and after the present, where no day was asked for.
const (
	chartBefore   = 9 * time.Hour
	tableDays     = 7
	mostChartDays = 7
)

// Span returns the span of the charts: around the present, or from midnight of a day.
func (p Prefs) Span() (from, to time.Time) {
	from = p.Now.Truncate(time.Hour).Add(-chartBefore)
	if p.Date != "" {
		from = p.Midnight()
	}
	days := min(p.Days, mostChartDays)
	if p.Date != "" {
		return from, from.AddDate(0, 0, days) // whole days, of 23 to 25 hours
	}
	return from, from.Add(time.Duration(days) * 24 * time.Hour)
}

// ChartsNow reports whether the span of the charts contains the present.
func (p Prefs) ChartsNow() bool {
	from, to := p.Span()
	return !p.Now.Before(from) && p.Now.Before(to)
}

// Midnight returns the start of the first day of the table.
func (p Prefs) Midnight() time.Time {
	if day, err := time.ParseInLocation(time.DateOnly, p.Date, p.Location); err == nil {
		return day
	}
	y, m, d := p.Now.In(p.Location).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, p.Location)
}

// During returns the arguments of a span.
func During(from, to time.Time) operation.Span {
	return operation.Span{
		Begin: from.UTC().Format(time.RFC3339), End: to.UTC().Format(time.RFC3339),
	}
}

// TableDays returns the number of days of the table.
func (p Prefs) TableDays() int {
	if p.Days == Month {
		return Month
	}
	return tableDays
}

// NextDay returns the next midnight of a day's zone.
func NextDay(day time.Time) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, day.Location())
}

// ClockChange describes a change of the clock on a day, or returns "".
func ClockChange(day, next time.Time) string {
	switch hours := int(math.Round(next.Sub(day).Hours())); {
	case hours > 24:
		return "the clocks go back, so the day has 25 hours"
	case hours < 24:
		return "the clocks go forward, so the day has 23 hours"
	}
	return ""
}
