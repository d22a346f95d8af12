package server

import (
	"context"
	"errors"

	"leadline/internal/admin"
	"leadline/internal/fleet"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/tools"
)

// The number of stations that are requested at a time, within the limits of the providers. A
// server leaves room for the requests of its callers.
const (
	refreshAlone   = 8
	refreshServing = 2
)

// refresh returns the function that requests the newest constants of stations and stores
// the provider responses.
func refresh(
	o *overlay.Overlay, up providers, atOnce int,
) func(context.Context, []string) (overlay.Report, error) {
	return func(ctx context.Context, ids []string) (overlay.Report, error) {
		report, err := o.RefreshAll(ctx, ids, atOnce)
		return report, errors.Join(err, up.coops.Save())
	}
}

// health returns the function that describes the process. off reports that it sends no events.
func health(
	version, base string, off bool, set *tools.Set, m *fleet.Member, ready *status.Readiness,
) func(context.Context) admin.Health {
	return func(ctx context.Context) admin.Health {
		s, err := set.Server.Status(ctx, tools.StatusInput{})
		if err != nil { // error from the notices, which a health check does not need
			s.Status = status.Down
		}
		notReady := ""
		if err := ready.Obstacle(); err != nil {
			notReady = err.Error()
		}
		return admin.Health{
			Version: version, URL: base, Status: string(s.Status), Components: s.Components,
			NotReady: notReady, WebhooksOff: off, Instance: m.Name(), Instances: instanceNames(m),
		}
	}
}
