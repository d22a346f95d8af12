package server

import (
	"context"
	"time"

	"leadline/internal/status"
)

// components holds the parts whose health the status describes.
type components struct {
	api, mcp  *status.Traffic
	providers providers
	store     *status.Readiness
}

// newComponents returns the components of a server that has not served a request yet.
func newComponents(up providers, store *status.Readiness, now func() time.Time) components {
	return components{
		api: status.NewTraffic(status.APIName, now), mcp: status.NewTraffic(status.MCPName, now),
		providers: up, store: store,
	}
}

// health returns the health of all components. It sends no request to a provider.
func (c components) health(ctx context.Context) []status.Component {
	list := []status.Component{c.api.Component(), c.mcp.Component()}
	return append(append(list, c.providers.components(ctx)...), c.store.Component())
}

// known is health without a check of the store.
func (c components) known() []status.Component {
	list := []status.Component{c.api.Component(), c.mcp.Component()}
	return append(append(list, c.providers.components(context.Background())...), c.store.Known())
}
