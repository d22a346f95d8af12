// Package planning has the decisions and the day at a place. It joins the results of the other
// subjects, and gives package decide the facts to judge.
package planning

import (
	"context"
	"time"

	"leadline/internal/currents"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/internal/facts"
	"leadline/internal/levels"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/weather"
)

// Decisions has the decisions.
type Decisions struct {
	facts  *facts.Gatherer
	newID  func(time.Time) string
	outbox *events.Outbox // nil for no events
}

// NewDecisions returns the decisions. NewID returns the id of a decision made at a time; outbox
// posts their events, nil for none.
func NewDecisions(
	f *facts.Gatherer, newID func(time.Time) string, outbox *events.Outbox,
) Decisions {
	return Decisions{f, newID, outbox}
}

// Days joins the results of other subjects.
type Days struct {
	Tides     tides.Operations
	Currents  currents.Operations
	Levels    levels.Operations
	weather   weather.Operations
	decisions Decisions
}

// NewDays returns the operation, whose decisions are those given.
func NewDays(f *facts.Gatherer, decisions Decisions) Days {
	return Days{tides.New(f), currents.New(f), levels.New(f), weather.New(f), decisions}
}

// TripRequest returns the request of a decision as events have it.
func TripRequest(in TripHealthInput) events.TripRequest {
	return events.TripRequest{
		StationID: in.StationID, Activity: decide.Activity(in.Activity), LocalDate: in.LocalDate,
		LocalTime: in.LocalTime,
	}
}

// Judge makes the decision of a watch, with all its reasons.
func (s Decisions) Judge(ctx context.Context, r events.TripRequest) (decide.Decision, error) {
	return s.decision(ctx, TripHealthInput{
		r.StationID, Trip{decide.Activity(string(r.Activity)), r.LocalDate, r.LocalTime},
	}, place.Resolved{}, nil)
}
