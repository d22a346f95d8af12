package operation

import (
	"context"
	"time"
)

// These are the deadlines for provider requests: for results that consist of provider data,
// and for computed results to which providers only add details.
const (
	providerTimeout = 10 * time.Second
	additionTimeout = 3 * time.Second
)

// WithProviderTimeout sets the deadline of results that consist of provider data.
func WithProviderTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, providerTimeout)
}

// WithAdditionTimeout sets the deadline of computed results to which providers add details.
func WithAdditionTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, additionTimeout)
}
