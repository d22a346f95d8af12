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
	Name      coast.ComponentName `json:"name" doc:"Name of the component."`
	Status    coast.ServiceStatus `json:"status" doc:"State of the component."`
	CheckedAt *time.Time          `json:"checkedAt" doc:"Time of its last use, UTC; null if it was not used."`
	LatencyMs *int                `json:"latencyMs" doc:"Duration of its last use in milliseconds; null if it was not used."`
	Message   string              `json:"message" doc:"What was measured, for a person."`

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
	ID        string             `json:"id" doc:"Id of the notice."`
	Title     string             `json:"title" doc:"What is affected."`
	Status    coast.NoticeStatus `json:"status" doc:"State of the incident or of the maintenance."`
	Message   string             `json:"message" doc:"What the operator says."`
	From      time.Time          `json:"from" doc:"When it began or will begin."`
	Until     *time.Time         `json:"until" doc:"When it ended or will end; null if that is not known."`
	UpdatedAt time.Time          `json:"updatedAt" doc:"When the notice last changed."`
}

// Public returns notices as the status page shows them.
func Public(list []store.Incident) []Incident {
	out := []Incident{}
	for _, i := range list {
		out = append(out, public(i))
	}
	return out
}

func public(i store.Incident) Incident {
	shown := Incident{
		ID: i.ID, Title: i.Title, Status: coast.NoticeStatus(i.Status), Message: i.Message,
		From: i.From, UpdatedAt: i.Updated,
	}
	if !i.Until.IsZero() {
		until := i.Until
		shown.Until = &until
	}
	return shown
}
