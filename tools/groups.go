package tools

import (
	"context"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/facts"
	"leadline/internal/status"
	"leadline/resources"
)

// The operations are methods of these types, a type for each group. Set embeds them all.
type (
	waterTools   struct{ facts *facts.Gatherer }
	weatherTools struct{ facts *facts.Gatherer }
	stationTools struct{ facts *facts.Gatherer }
	recordTools  struct{ facts *facts.Gatherer }
	skyTools     struct{ facts *facts.Gatherer }

	decisionTools struct {
		facts *facts.Gatherer
		newID func(time.Time) string
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
	}
)

// How long a result waits for providers: one of theirs, and one that is computed here and
// that they only add to.
const (
	providerTimeout = 10 * time.Second
	additionTimeout = 3 * time.Second
)

// asking limits how long a result of providers waits for them.
func asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, providerTimeout)
}

// adding limits how long a computed result waits for what providers add to it.
func adding(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, additionTimeout)
}
