package status

import (
	"context"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// PastDays is the number of days that Past has, today included.
const PastDays = 90

// Past has the notices and the days of the service.
type Past struct {
	Incidents   []Report // that had not ended 90 days ago, the newest first
	Maintenance []Report // to come, in progress and just over, the newest first
	Components  []Record // one for each component
}

// Report is a notice with its updates.
type Report struct {
	Incident
	Updates []Update `json:"updates" doc:"What it said from when on, the newest first."`
}

// Update is the state and the message of a notice from a time on.
type Update struct {
	At      time.Time          `json:"at" doc:"From when on."`
	Status  coast.NoticeStatus `json:"status" doc:"State of the incident or of the maintenance."`
	Message string             `json:"message" doc:"What the operator said."`
}

// NewReport returns a notice with its updates. One of an earlier version of this program has one
// update: what it says now.
func NewReport(i store.Incident) Report {
	r := Report{Incident: public(i)}
	for _, u := range slices.Backward(updatesOf(i)) {
		r.Updates = append(r.Updates, Update{u.At, coast.NoticeStatus(u.Status), u.Message})
	}
	return r
}

// Record has the days of a component, the oldest first.
type Record struct {
	Name coast.ComponentName
	Days []Day
}

// Day counts the minutes of a component on a UTC day by its state. Minutes that have not ended yet
// are in none of the counts, and for a moment the last one that has.
type Day struct {
	Date     time.Time // its first instant
	OK       int
	Degraded int
	Down     int
	Missing  int // minutes that nobody recorded
}

// Recorded returns the number of minutes that were recorded.
func (d Day) Recorded() int { return d.OK + d.Degraded + d.Down }

// Worst returns the worst state of the recorded minutes, or "" if there are none.
func (d Day) Worst() string {
	switch {
	case d.Down > 0:
		return Down
	case d.Degraded > 0:
		return Degraded
	case d.OK > 0:
		return Operational
	}
	return ""
}

// Past reads the past of the service. days stores the minutes that an Uptime has recorded.
func (n *Notices) Past(ctx context.Context, days store.Uptime) (p Past, err error) {
	now := n.Now().UTC()
	list, err := n.Store.Incidents(ctx, now.Add(-history), mostNotices)
	if err != nil {
		return p, err
	}
	for _, i := range list {
		switch {
		case !i.Maintenance:
			p.Incidents = append(p.Incidents, NewReport(i))
		case isShown(i, now):
			p.Maintenance = append(p.Maintenance, NewReport(i))
		}
	}
	rows, err := days.ComponentDays(ctx, store.DayOf(firstDay(now)))
	p.Components = records(rows, now)
	return p, err
}

// firstDay returns the beginning of the first of PastDays days.
func firstDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-PastDays)
}

// minutesOver returns the minutes of a day that are over and that an Uptime would have recorded.
func minutesOver(day, now time.Time) int {
	return int(min(max(0, now.Sub(day)-punctual), 24*time.Hour) / time.Minute)
}

// records returns the days of all components, recorded or not.
func records(rows []store.ComponentDay, now time.Time) (list []Record) {
	type dayOf struct {
		component string
		day       store.Day
	}
	found := map[dayOf]store.ComponentDay{}
	for _, r := range rows {
		found[dayOf{r.Component, r.Day}] = r
	}
	for _, name := range []string{APIName, MCPName, StoreName, COOPSName, NWSName} {
		record := Record{Name: coast.ComponentName(name)}
		for day := firstDay(now); !day.After(now); day = day.AddDate(0, 0, 1) {
			r := found[dayOf{name, store.DayOf(day)}]
			d := Day{Date: day, OK: r.OK, Degraded: r.Degraded, Down: r.Down}
			d.Missing = max(0, minutesOver(day, now)-d.Recorded())
			record.Days = append(record.Days, d)
		}
		list = append(list, record)
	}
	return list
}
