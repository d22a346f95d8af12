package tools

import (
	"context"
	"time"
)

// StatusInput is empty.
type StatusInput struct{}

// Component is something that answers depend on.
type Component struct {
	Name      string     `json:"name"`      // api, mcp, noaa-coops, nws
	Status    string     `json:"status"`    // operational, degraded, down
	CheckedAt *time.Time `json:"checkedAt"` // of its last use; null if it was not used yet
	LatencyMs *int       `json:"latencyMs"` // that the last use took
	Message   string     `json:"message"`
}

// Incident is a fault, or a piece of maintenance, that the operator tells of.
type Incident struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Status  string    `json:"status"`
	Message string    `json:"message"`
	From    time.Time `json:"from"`
}

// Status is whether the service answers, and what it leans on.
type Status struct {
	Status      string      `json:"status"` // operational, degraded, down
	Components  []Component `json:"components"`
	Incidents   []Incident  `json:"incidents"`
	Maintenance []Incident  `json:"maintenance"`
}

// Status tells how the service and its providers are. A provider that fails
// makes it degraded: what is computed here is answered all the same.
func (s *Set) Status(context.Context, StatusInput) (Status, error) {
	now, none := s.moment().now, 0
	out := Status{Status: "operational", Incidents: []Incident{}, Maintenance: []Incident{}}
	for _, door := range []string{"api", "mcp"} {
		out.Components = append(out.Components, Component{door, "operational", &now, &none, "answers"})
	}
	if s.Probes != nil {
		out.Components = append(out.Components, s.Probes()...)
	}
	for _, c := range out.Components {
		if c.Status != "operational" {
			out.Status = "degraded"
		}
	}
	return out, nil
}
