package watches

import (
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/store"
)

// State is the state of a watch.
type State string

// waiting is the state of an active watch whose evaluation is late or lacks a provider. The store
// does not have it.
const waiting = "waiting"

// SchemaName returns the name of the states in OpenAPI documents.
func (State) SchemaName() string { return "WatchState" }

// Values returns all states.
func (State) Values() []string {
	return []string{store.WatchActive, waiting, store.WatchPaused, store.WatchEnded}
}

// WaitingFor names what a watch waits for: a provider that does not respond, or the scheduler.
type WaitingFor string

// scheduler is the WaitingFor of a watch whose evaluation is late.
const scheduler = "scheduler"

// Values returns all of them.
func (WaitingFor) Values() []string { return []string{coast.COOPS, coast.NWS, scheduler} }

// Watch describes a planning request that is evaluated until its time has come.
type Watch struct {
	ID           string                  `json:"id" doc:"Id of the watch." example:"wt_8Lq2VnR5sYc1Kd"`
	Name         string                  `json:"name" doc:"Name that the account gave the watch; may be empty."`
	Request      events.TripRequest      `json:"request" doc:"What the decision is about."`
	RequestedFor time.Time               `json:"requestedFor" doc:"Time that the decision is about."`
	State        State                   `json:"state" doc:"Waiting: see waitingFor. Paused: the monthly quota is used up or the plan has no watches; it resumes by itself. Ended: its time is past."`
	WaitingFor   *WaitingFor             `json:"waitingFor" doc:"What a waiting watch waits for: a provider that does not respond, or the scheduler, which is late; null in other states."`
	Summary      decide.Summary          `json:"summary" doc:"The decision that was announced last, or the first one, in short."`
	Carried      []decide.BaselineReason `json:"carried" doc:"Reasons whose facts are missing now, as they were last known."`
	LastAt       *time.Time              `json:"lastAt" doc:"Time of the last evaluation; null: only the first decision was made."`
	NextAt       *time.Time              `json:"nextAt" doc:"Time of the next evaluation; null: the watch has ended."`
	Units        WatchUnits              `json:"units" doc:"Units of the monthly quota that the watch costs."`
	Steps        []decide.PastStep       `json:"steps" doc:"The last 20 changes that were announced."`
	CreatedAt    time.Time               `json:"createdAt" doc:"When the watch was created."`
}

// WatchUnits are the units of a monthly quota that a watch costs.
type WatchUnits struct {
	Used int `json:"used" doc:"Units used so far, with the one for its creation."`
	Max  int `json:"max" doc:"Most units that the watch uses until it ends."`
}

// waitingFrom is the delay of an evaluation from which on a watch is shown as waiting.
const waitingFrom = 5 * time.Minute

// describe returns the description of a watch.
func (s *Service) describe(row store.Watch) (Watch, error) {
	t, err := s.c.taskOf(row)
	if err != nil {
		return Watch{}, err
	}
	standing, err := standingOf(row)
	if err != nil {
		return Watch{}, err
	}
	out := Watch{
		ID: row.ID, Name: row.Name, Request: t.Request, RequestedFor: row.At, State: State(row.State),
		Summary: standing.Summary, Carried: standing.Carried, LastAt: coast.Known(row.Evaluated),
		Units: WatchUnits{row.Units, t.Max}, Steps: standing.Steps, CreatedAt: row.Created,
	}
	if row.State == store.WatchEnded {
		return out, nil
	}
	out.NextAt = coast.Known(row.Due)
	if reason := s.waitsFor(row); reason != "" {
		out.State, out.WaitingFor = waiting, new(WaitingFor(reason))
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
		return scheduler
	}
	return ""
}
