package tools

import (
	"context"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/almanac"
	"leadline/internal/currents"
	"leadline/internal/directory"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/watches"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/planning"
	"leadline/internal/selfservice"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/internal/tides"
	"leadline/internal/verify"
	"leadline/internal/weather"
	"leadline/resources"
)

// Config lists the dependencies of the operations. An operation whose dependency is
// nil must not be called.
type Config struct {
	Stations *stations.Directory
	NOAA     *noaa.Client
	NWS      *nws.Client
	Overlay  *overlay.Overlay
	Topics   *resources.Library
	Now      func() time.Time
	NewID    func(time.Time) string // returns the id of a decision made at a time

	// Accounts manages the keys and the usage of accounts.
	Accounts *accounts.Service

	// Webhooks manages webhook endpoints and the events of accounts. Outbox posts the events of
	// operations; without it there are none. Watches manages the watches of accounts.
	Webhooks *endpoints.Service
	Outbox   *events.Outbox
	Watches  *watches.Service

	// Probes returns the health of the components. Notices returns the published incidents and
	// maintenance. If nil, nothing is reported.
	Probes  func(context.Context) []status.Component
	Notices func(context.Context, status.Kind) ([]status.Incident, error)

	// Verified reads the newest comparison with NOAA's predictions. If nil, none is reported.
	Verified func(context.Context) (verify.Snapshot, error)
}

// Set holds the operations. A Set is safe for concurrent use.
type Set struct {
	Config
	Tides     tides.Operations
	Currents  currents.Operations
	Levels    levels.Operations
	Weather   weather.Operations
	Directory directory.Operations
	Sky       almanac.Operations
	Decisions planning.Decisions
	Days      planning.Days
	Account   selfservice.Operations
	Hooks     selfservice.Webhooks
	Watching  selfservice.Watches
	Server    serverTools

	facts *facts.Gatherer
}

// New returns the operations with the dependencies in c.
func New(c Config) *Set {
	f := facts.New(facts.Config{
		Stations: c.Stations, Water: c.NOAA, Weather: c.NWS, Overlay: c.Overlay, Now: c.Now,
	})
	decisions := planning.NewDecisions(f, c.NewID, c.Outbox)
	return &Set{
		Config: c, Tides: tides.New(f), Currents: currents.New(f), Levels: levels.New(f),
		Weather: weather.New(f), Directory: directory.New(f), Sky: almanac.New(f),
		Decisions: decisions, Days: planning.NewDays(f, decisions),
		Account: selfservice.New(c.Accounts, c.Now), Hooks: selfservice.NewWebhooks(c.Webhooks),
		Watching: selfservice.NewWatches(c.Watches, decisions.Judge),
		Server:   serverTools{f, c.Topics, c.Probes, c.Notices, c.Verified},
		facts:    f,
	}

}

// serverTools has the operations on this server: its guide, its limits and its health.
type serverTools struct {
	facts   *facts.Gatherer
	topics  *resources.Library
	probes  func(context.Context) []status.Component
	notices func(context.Context, status.Kind) ([]status.Incident, error)

	verified func(context.Context) (verify.Snapshot, error)
}
