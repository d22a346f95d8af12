package watches

import (
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/store"
)

// Watch describes a planning request that is evaluated until its time has come.
type Watch struct {
	ID           string                  `json:"id" doc:"Names the watch." example:"wt_8Lq2VnR5sYc1Kd"`
	Name         string                  `json:"name" doc:"What its owner calls it."`
	Request      events.TripRequest      `json:"request" doc:"What it asks."`
	RequestedFor time.Time               `json:"requestedFor" doc:"The time that it asks about."`
	State        string                  `json:"state" enum:"active waiting paused ended" doc:"Waiting: see waitingFor. Paused: the monthly quota is used up or the plan has no watches; it resumes by itself. Ended: its time is past."`
	WaitingFor   *string                 `json:"waitingFor" doc:"What a waiting watch waits for: the name of a provider that does not respond, or scheduler. Else null."`
	Summary      decide.Summary          `json:"summary" doc:"Of the decision that was announced last, or of the first one."`
	Carried      []decide.BaselineReason `json:"carried" doc:"Reasons of missing facts, as last known."`
	LastAt       *time.Time              `json:"lastAt" doc:"The last evaluation; null: only the first decision was made."`
	NextAt       *time.Time              `json:"nextAt" doc:"The next evaluation; null: the watch has ended."`
	Units        WatchUnits              `json:"units" doc:"What it costs of the monthly quota."`
	Steps        []decide.PastStep       `json:"steps" doc:"The last 20 changes that it has announced."`
	CreatedAt    time.Time               `json:"createdAt" doc:"When it was created."`
}

// WatchUnits are the units of a monthly quota that a watch costs.
type WatchUnits struct {
	Used int `json:"used" doc:"So far, with the one for its creation."`
	Max  int `json:"max" doc:"At most until it ends."`
}

// waitingFrom is the delay of an evaluation from which on a watch is shown as waiting.
const waitingFrom = 5 * time.Minute

// describe returns the description of a watch.
func (s *Service) describe(row store.Watch) (Watch, error) {
	t, err := taskOf(row)
	if err != nil {
		return Watch{}, err
	}
	standing, err := standingOf(row)
	if err != nil {
		return Watch{}, err
	}
	out := Watch{
		ID: row.ID, Name: row.Name, Request: t.Request, RequestedFor: row.At, State: row.State,
		Summary: standing.Summary, Carried: standing.Carried, LastAt: coast.Known(row.Evaluated),
		Units: WatchUnits{row.Units, t.Max}, Steps: standing.Latest(), CreatedAt: row.Created,
	}
	if row.State == store.WatchEnded {
		return out, nil
	}
	out.NextAt = coast.Known(row.Due)
	if reason := s.waitsFor(row); reason != "" {
		out.State, out.WaitingFor = "waiting", &reason
	}
	return out, nil
}

// waitsFor returns what an active watch waits for, or "".
func (s *Service) waitsFor(row store.Watch) string {
	if row.State != store.WatchActive {
		return ""
	}
	if provider := s.c.Down(); provider != "" {
		return provider
	}
	if s.c.Now().Sub(row.Due) > waitingFrom {
		return "scheduler"
	}
	return ""
}
