// Package status describes whether the service works: the health of its store and
// its other components, and the incidents and maintenance that the operator
// announces. The store holds the notices; health is measured and stored in memory.
// The package does not call the providers: their health comes from their clients.
package status

import (
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// The states of a component and of the service.
const (
	Operational = "operational"
	Degraded    = "degraded"
	Down        = "down"
)

// The names of components.
const (
	APIName   = "api"
	MCPName   = "mcp"
	COOPSName = "noaa-coops"
	NWSName   = "nws"
	StoreName = "store"
)

// Component is a part that results depend on.
type Component struct {
	Name      coast.ComponentName `json:"name"`      // api, mcp, noaa-coops, nws or store
	Status    coast.ServiceStatus `json:"status"`    // operational, degraded or down
	CheckedAt *time.Time          `json:"checkedAt"` // time of its last use, UTC; null if there was none
	LatencyMs *int                `json:"latencyMs"` // latency of its last use
	Message   string              `json:"message"`

	// unknown reports that Status is not measured: nobody has used the component lately, or too few
	// requests to judge it by.
	unknown bool
}

// SchemaName returns the name of components in OpenAPI documents.
func (Component) SchemaName() string { return "StatusComponent" }

// Overall returns the state of the service. If any component is not operational, the service is
// degraded. If the store fails, nothing can be counted, and the service is down.
func Overall(components []Component) string {
	state := Operational
	for _, c := range components {
		switch {
		case c.Status == Operational:
		case c.Name == StoreName:
			return Down
		default:
			state = Degraded
		}
	}
	return state
}

// Incident is an incident or a maintenance notice as the status page shows it.
type Incident struct {
	ID        string             `json:"id"`
	Title     string             `json:"title"`
	Status    coast.NoticeStatus `json:"status"` // see the constants of incidents and maintenance
	Message   string             `json:"message"`
	From      time.Time          `json:"from"`
	Until     *time.Time         `json:"until"` // null if unknown
	UpdatedAt time.Time          `json:"updatedAt"`
}

// Public returns notices as the status page shows them.
func Public(list []store.Incident) []Incident {
	out := []Incident{}
	for _, i := range list {
		shown := Incident{
			ID: i.ID, Title: i.Title, Status: coast.NoticeStatus(i.Status), Message: i.Message,
			From: i.From, UpdatedAt: i.Updated,
		}
		if !i.Until.IsZero() {
			until := i.Until
			shown.Until = &until
		}
		out = append(out, shown)
	}
	return out
}
