package store

import (
	"context"
	"time"
)

// Day is a UTC calendar day as the number YYYYMMDD; 0 is no day.
type Day uint32

// DayOf returns the day of t.
func DayOf(t time.Time) Day {
	t = t.UTC()
	return Day(t.Year()*10_000 + int(t.Month())*100 + t.Day())
}

// Start returns the first instant of the day.
func (d Day) Start() time.Time {
	return time.Date(int(d/10_000), time.Month(d/100%100), int(d%100), 0, 0, 0, 0, time.UTC)
}

// Next returns the day after d.
func (d Day) Next() Day { return DayOf(d.Start().AddDate(0, 0, 1)) }

// Use counts requests of an account on a day.
type Use struct {
	Account string `json:"account"`
	Day     Day    `json:"day"`
	Surface string `json:"surface"` // mcp or rest
	Served  uint32 `json:"served"`
	Refused uint32 `json:"refused"` // for a limit, a scope or a plan
}

// Uses counts requests by account, day and surface. The counts are for people to look at; units are
// counted by Quota.
type Uses interface {
	// AddUses adds to the counts, all or none. It ignores accounts that do not exist.
	AddUses(ctx context.Context, list []Use) error
	// UsesOf returns the counts of an account from one day to another, both included, in order of
	// the days, then of the surfaces.
	UsesOf(ctx context.Context, account string, from, to Day) ([]Use, error)
}

// The states of a component during a minute.
const (
	ComponentOK       = "ok"
	ComponentDegraded = "degraded"
	ComponentDown     = "down"
)

// ComponentDay counts the minutes of a component on a day by its state. Minutes that nobody
// recorded are in none of the counts.
type ComponentDay struct {
	Component string `json:"component"`
	Day       Day    `json:"day"`
	OK        int    `json:"ok"`
	Degraded  int    `json:"degraded"`
	Down      int    `json:"down"`
	Last      int    `json:"last"` // the last minute that was recorded, counted from 1
}

// Uptime stores the states of components by day.
type Uptime interface {
	// MarkMinute records the state of components, by their names, during the minute of at. It
	// ignores a component that has this minute or a later one of the day already.
	MarkMinute(ctx context.Context, at time.Time, states map[string]string) error
	// ComponentDays returns the days of all components since from, in order of the components, then
	// of the days.
	ComponentDays(ctx context.Context, from Day) ([]ComponentDay, error)
}
