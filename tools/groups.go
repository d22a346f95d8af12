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

// tideTools has the operations on predicted tides.
type tideTools struct{ facts *facts.Gatherer }

// newTideTools returns the operations, which take their facts from f.
func newTideTools(f *facts.Gatherer) tideTools { return tideTools{f} }

// currentTools has the operations on predicted and observed currents.
type currentTools struct{ facts *facts.Gatherer }

// newCurrentTools returns the operations, which take their facts from f.
func newCurrentTools(f *facts.Gatherer) currentTools { return currentTools{f} }

// levelTools has the operations on observed water levels and what NOAA derives from them.
type levelTools struct{ facts *facts.Gatherer }

// newLevelTools returns the operations, which take their facts from f.
func newLevelTools(f *facts.Gatherer) levelTools { return levelTools{f} }

// stationTools has the operations on stations and places, and what NOAA publishes about them.
type stationTools struct{ facts *facts.Gatherer }

// newStationTools returns the operations, which take their facts from f.
func newStationTools(f *facts.Gatherer) stationTools { return stationTools{f} }

// skyTools has the operations on sun and moon.
type skyTools struct{ facts *facts.Gatherer }

// newSkyTools returns the operations, which take their facts from f.
func newSkyTools(f *facts.Gatherer) skyTools { return skyTools{f} }

// weatherTools has the operations on observed and forecast weather.
type weatherTools struct{ facts *facts.Gatherer }

// newWeatherTools returns the operations, which take their facts from f.
func newWeatherTools(f *facts.Gatherer) weatherTools { return weatherTools{f} }

// decisionTools has the decisions.
type decisionTools struct {
	facts  *facts.Gatherer
	newID  func(time.Time) string
	outbox *events.Outbox // nil for no events
}

// newDecisionTools returns the decisions. NewID returns the id of a decision made at a time; outbox
// posts their events, nil for none.
func newDecisionTools(
	f *facts.Gatherer, newID func(time.Time) string, outbox *events.Outbox,
) decisionTools {
	return decisionTools{f, newID, outbox}
}

// dayTools joins the results of other subjects.
type dayTools struct {
	Tides     tideTools
	Currents  currentTools
	Levels    levelTools
	weather   weatherTools
	decisions decisionTools
}

// newDayTools returns the operation, whose decisions are those given.
func newDayTools(f *facts.Gatherer, decisions decisionTools) dayTools {
	return dayTools{newTideTools(f), newCurrentTools(f), newLevelTools(f), newWeatherTools(f), decisions}
}

// accountTools has the operations on the keys and the usage of the caller's account.
type accountTools struct {
	accounts *accounts.Service
	now      func() time.Time
}

// newAccountTools returns the operations.
func newAccountTools(s *accounts.Service, now func() time.Time) accountTools {
	return accountTools{s, now}
}

type serverTools struct {
	facts   *facts.Gatherer
	topics  *resources.Library
	probes  func(context.Context) []status.Component
	notices func(context.Context, status.Kind) ([]status.Incident, error)

	verified func(context.Context) (verify.Snapshot, error)
}

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
