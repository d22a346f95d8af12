package web

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

// spanOf returns the span of the charts: around the present, or from midnight of a day.
func (p prefs) spanOf() (from, to time.Time) {
	from = p.now.Truncate(time.Hour).Add(-chartBefore)
	if p.Date != "" {
		from = p.midnight()
	}
	days := min(p.Days, mostChartDays)
	if p.Date != "" {
		return from, from.AddDate(0, 0, days) // whole days, of 23 to 25 hours
	}
	return from, from.Add(time.Duration(days) * 24 * time.Hour)
}

// chartsNow reports whether the span of the charts contains the present.
func (p prefs) chartsNow() bool {
	from, to := p.spanOf()
	return !p.now.Before(from) && p.now.Before(to)
}

// midnight returns the start of the first day of the table.
func (p prefs) midnight() time.Time {
	if day, err := time.ParseInLocation(time.DateOnly, p.Date, p.zone); err == nil {
		return day
	}
	y, m, d := p.now.In(p.zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, p.zone)
}

// during returns the arguments of a span.
func during(from, to time.Time) operation.Span {
	return operation.Span{
		Begin: from.UTC().Format(time.RFC3339), End: to.UTC().Format(time.RFC3339),
	}
}

// tableDays returns the number of days of the table.
func (p prefs) tableDays() int {
	if p.Days == month {
		return month
	}
	return tableDays
}

// nextDay returns the next midnight of a day's zone.
func nextDay(day time.Time) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, day.Location())
}

// clockChange describes a change of the clock on a day, or returns "".
func clockChange(day, next time.Time) string {
	switch hours := int(math.Round(next.Sub(day).Hours())); {
	case hours > 24:
		return "the clocks go back, so the day has 25 hours"
	case hours < 24:
		return "the clocks go forward, so the day has 23 hours"
	}
	return ""
}
