package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/watches"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/resources"
)

// Config lists the dependencies of the operations. An operation whose dependency is
// nil must not be called.
type Config struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Weather  *nws.Client
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
	waterTools
	weatherTools
	stationTools
	recordTools
	skyTools
	decisionTools
	dayTools
	accountTools
	webhookTools
	watchTools
	serverTools
}

// New returns the operations with the dependencies in c.
func New(c Config) *Set {
	f := facts.New(facts.Config{
		Stations: c.Stations, Water: c.Water, Weather: c.Weather, Overlay: c.Overlay, Now: c.Now,
	})
	decisions := decisionTools{f, c.NewID, c.Outbox}
	weather := weatherTools{f}
	return &Set{
		Config: c, waterTools: waterTools{f}, weatherTools: weather,
		stationTools: stationTools{f}, recordTools: recordTools{f}, skyTools: skyTools{f},
		decisionTools: decisions,
		dayTools:      dayTools{waterTools{f}, weather, decisions},
		accountTools:  accountTools{c.Accounts, c.Now},
		webhookTools:  webhookTools{c.Webhooks}, watchTools: watchTools{c.Watches, decisions.Judge},
		serverTools: serverTools{f, c.Topics, c.Probes, c.Notices, c.Verified},
	}
}

// EmbeddedEpochs lists the epochs of the embedded tidal datums, of which counts has the number of
// stations, most frequent first: "1983-2001 (1156 stations)".
func EmbeddedEpochs(counts map[stations.Years]int) []string {
	epochs := slices.SortedFunc(maps.Keys(counts), func(a, b stations.Years) int {
		return cmp.Or(counts[b]-counts[a], a.First-b.First)
	})
	list := make([]string, len(epochs))
	for i, epoch := range epochs {
		list[i] = fmt.Sprintf("%s (%d stations)", facts.EpochName(epoch), counts[epoch])
	}
	return list
}
