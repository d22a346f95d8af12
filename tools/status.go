package tools

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/status"
)

// StatusInput is empty.
type StatusInput struct{}

// Status is whether the service answers, and what it leans on.
type Status struct {
	Status      string             `json:"status"` // operational, degraded, down
	Components  []status.Component `json:"components"`
	Incidents   []status.Incident  `json:"incidents"`
	Maintenance []status.Incident  `json:"maintenance"`
	Error       *coast.Error       `json:"error,omitempty"` // while the service is down
}

// Failure is why the service is down, nil while it is not.
func (s Status) Failure() *coast.Error { return s.Error }

// Status tells how the service and its providers are. A provider that fails
// makes it degraded: what is computed here is answered all the same. Without
// its store the service is down, as nothing that needs a credential can be
// had.
func (s serverTools) Status(ctx context.Context, _ StatusInput) (Status, error) {
	now, none := s.facts.Set().Now, 0
	out := Status{Status: status.Operational}
	for _, name := range []string{"api", "mcp"} {
		out.Components = append(out.Components, status.Component{
			Name: name, Status: status.Operational, CheckedAt: &now, LatencyMs: &none, Message: "answers",
		})
	}
	if s.probes != nil {
		out.Components = append(out.Components, s.probes(ctx)...)
	}
	for _, c := range out.Components {
		switch {
		case c.Name == status.StoreName && c.Status != status.Operational:
			out.Status = status.Down
			out.Error = coast.Errorf(coast.StoreUnavailable, "The store does not answer, so no request with a credential can be served. Requests without one are served as before.")
		case c.Status != status.Operational && out.Status == status.Operational:
			out.Status = status.Degraded
		}
	}
	return out, s.addNotices(ctx, &out)
}

// addNotices adds what the operator announces. While the store is down there is
// nothing to read it from.
func (s serverTools) addNotices(ctx context.Context, out *Status) (err error) {
	out.Incidents, out.Maintenance = []status.Incident{}, []status.Incident{}
	if s.notices == nil || out.Status == status.Down {
		return nil
	}
	if out.Incidents, err = s.notices(ctx, status.Incidents); err != nil {
		return err
	}
	out.Maintenance, err = s.notices(ctx, status.Maintenance)
	return err
}
