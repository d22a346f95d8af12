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
	Tides     tideTools
	Currents  currentTools
	Levels    levelTools
	Weather   weatherTools
	Directory stationTools
	Sky       skyTools
	Decisions decisionTools
	Days      dayTools
	Account   accountTools
	Hooks     webhookTools
	Watching  watchTools
	Server    serverTools

	facts *facts.Gatherer
}

// New returns the operations with the dependencies in c.
func New(c Config) *Set {
	f := facts.New(facts.Config{
		Stations: c.Stations, Water: c.NOAA, Weather: c.NWS, Overlay: c.Overlay, Now: c.Now,
	})
	decisions := newDecisionTools(f, c.NewID, c.Outbox)
	return &Set{
		Config: c, Tides: newTideTools(f), Currents: newCurrentTools(f), Levels: newLevelTools(f),
		Weather: newWeatherTools(f), Directory: newStationTools(f), Sky: newSkyTools(f),
		Decisions: decisions, Days: newDayTools(f, decisions),
		Account: newAccountTools(c.Accounts, c.Now), Hooks: newWebhookTools(c.Webhooks),
		Watching: newWatchTools(c.Watches, decisions.Judge),
		Server:   serverTools{f, c.Topics, c.Probes, c.Notices, c.Verified},
		facts:    f,
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
