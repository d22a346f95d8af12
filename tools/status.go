package tools

import (
	"context"
	"time"

	"leadline/internal/coast"
)

// StatusInput is empty.
type StatusInput struct{}

// Component is something that answers depend on.
type Component struct {
	Name      string     `json:"name"`      // api, mcp, noaa-coops, nws, store
	Status    string     `json:"status"`    // operational, degraded, down
	CheckedAt *time.Time `json:"checkedAt"` // of its last use; null if it was not used yet
	LatencyMs *int       `json:"latencyMs"` // that the last use took
	Message   string     `json:"message"`
}

// The states of a component, and of the service.
const (
	Operational = "operational"
	Degraded    = "degraded"
	Down        = "down"
)

// StoreComponent is the name of the component without which nothing can be
// counted.
const StoreComponent = "store"

// Incident is a fault, or a piece of maintenance, that the operator tells of.
type Incident struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Status    string     `json:"status"` // investigating, identified, monitoring, resolved; scheduled, in-progress, completed, cancelled
	Message   string     `json:"message"`
	From      time.Time  `json:"from"`
	Until     *time.Time `json:"until"` // null while it is not known
	UpdatedAt time.Time  `json:"updatedAt"`
}

// Bulletins are what the operator tells of, the newest first.
type Bulletins struct{ Incidents, Maintenance []Incident }

// Status is whether the service answers, and what it leans on.
type Status struct {
	Status      string       `json:"status"` // operational, degraded, down
	Components  []Component  `json:"components"`
	Incidents   []Incident   `json:"incidents"`
	Maintenance []Incident   `json:"maintenance"`
	Error       *coast.Error `json:"error,omitempty"` // while the service is down
}

// Failure is why the service is down, nil while it is not.
func (s Status) Failure() *coast.Error { return s.Error }

// Status tells how the service and its providers are. A provider that fails
// makes it degraded: what is computed here is answered all the same. Without
// its store the service is down, as nothing that needs a credential can be
// had.
func (s *Set) Status(ctx context.Context, _ StatusInput) (Status, error) {
	now, none := s.moment().now, 0
	out := Status{Status: Operational, Incidents: []Incident{}, Maintenance: []Incident{}}
	for _, door := range []string{"api", "mcp"} {
		out.Components = append(out.Components, Component{door, Operational, &now, &none, "answers"})
	}
	if s.Probes != nil {
		out.Components = append(out.Components, s.Probes(ctx)...)
	}
	for _, c := range out.Components {
		switch {
		case c.Name == StoreComponent && c.Status != Operational:
			out.Status = Down
			out.Error = coast.Errorf(coast.StoreUnavailable, "The store does not answer: nothing that needs a credential can be had. Without one, all data are answered.")
		case c.Status != Operational && out.Status == Operational:
			out.Status = Degraded
		}
	}
	if s.Bulletins != nil && out.Status != Down {
		told, err := s.Bulletins(ctx)
		if err != nil {
			return out, err
		}
		out.Incidents = append(out.Incidents, told.Incidents...)
		out.Maintenance = append(out.Maintenance, told.Maintenance...)
	}
	return out, nil
}
