package tools

import (
	"context"

	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/internal/status"
	"leadline/internal/verify"
)

// StatusInput is empty.
type StatusInput struct{}

// Status is the health of the service and its dependencies.
type Status struct {
	Status      coast.ServiceStatus `json:"status" doc:"State of the service."`
	Components  []status.Component  `json:"components" doc:"The parts that results depend on."`
	Incidents   []status.Incident   `json:"incidents" doc:"Incidents in progress, and those resolved lately."`
	Maintenance []status.Incident   `json:"maintenance" doc:"Maintenance in progress and to come."`

	Verification *verify.Summary `json:"verification" doc:"Newest comparison of predictions with NOAA's own, which the operator can switch on to run once a month; null while it cannot be read."`

	Error *coast.Error `json:"error,omitempty" doc:"Why the service is down; left out while it is not."`
}

// Failure returns the reason why the service is down, or nil if it is not.
func (s Status) Failure() *coast.Error { return s.Error }

// Status returns the health of the service and its components. If a provider or an endpoint
// fails, the service is degraded, because computed results do not need providers, and other
// requests are served. If the store fails, the service is down, because no request with a
// credential can be served.
func (s serverTools) Status(ctx context.Context, _ StatusInput) (out Status, err error) {
	defer outage.Failure(&err)
	out = Status{Status: status.Operational, Components: []status.Component{}}
	if s.probes != nil {
		out.Components = append(out.Components, s.probes(ctx)...)
	}
	if out.Status = coast.ServiceStatus(status.Overall(out.Components)); out.Status == status.Down {
		out.Error = coast.Errorf(
			coast.StoreUnavailable,
			"The store does not respond, so no request with a credential can be served. Requests "+
				"without one are served as before.",
		)
		out.Error.RetryAfterSeconds = outage.Retry
	}
	return out, s.addStored(ctx, &out)
}

// addStored adds the published incidents and maintenance, and the newest comparison with NOAA's
// predictions. They cannot be read while the store is down.
func (s serverTools) addStored(ctx context.Context, out *Status) (err error) {
	out.Incidents, out.Maintenance = []status.Incident{}, []status.Incident{}
	if s.notices == nil || out.Status == status.Down {
		return nil
	}
	if out.Incidents, err = s.notices(ctx, status.Incidents); err != nil {
		return err
	}
	if out.Maintenance, err = s.notices(ctx, status.Maintenance); err != nil || s.verified == nil {
		return err
	}
	if snapshot, err := s.verified(ctx); err == nil { // the page logs the error
		summary := snapshot.Summary()
		out.Verification = &summary
	}
	return nil
}
