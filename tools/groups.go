package tools

import (
	"context"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/events"
	"leadline/internal/facts"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/resources"
)

// The operations are methods of these types, one type per group. Set embeds them all.
type (
	waterTools   struct{ facts *facts.Gatherer }
	stationTools struct{ facts *facts.Gatherer }
	recordTools  struct{ facts *facts.Gatherer }
	skyTools     struct{ facts *facts.Gatherer }
	weatherTools struct{ facts *facts.Gatherer }

	decisionTools struct {
		facts  *facts.Gatherer
		newID  func(time.Time) string
		outbox *events.Outbox // nil for no events
	}
	// dayTools joins the results of other groups.
	dayTools struct {
		water     waterTools
		weather   weatherTools
		decisions decisionTools
	}
	accountTools struct {
		accounts *accounts.Service
		now      func() time.Time
	}
	serverTools struct {
		facts   *facts.Gatherer
		topics  *resources.Library
		probes  func(context.Context) []status.Component
		notices func(context.Context, status.Kind) ([]status.Incident, error)

		verified func(context.Context) (verify.Snapshot, error)
	}
)

// These are the deadlines for provider requests: for results that consist of provider data,
// and for computed results to which providers only add details.
const (
	providerTimeout = 10 * time.Second
	additionTimeout = 3 * time.Second
)

// withProviderTimeout sets the deadline of results that consist of provider data.
func withProviderTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, providerTimeout)
}

// withAdditionTimeout sets the deadline of computed results to which providers add details.
func withAdditionTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, additionTimeout)
}
