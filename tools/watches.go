package tools

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/internal/events/watches"
)

// This file holds the operations on the watches of an account. They are not part of the versioned
// contract.

// watchTools holds the operations on watches.
type watchTools struct {
	watches *watches.Service
	judge   watches.Judge
}

// newWatchTools returns the operations. Judge makes the decision of a watch.
func newWatchTools(s *watches.Service, judge watches.Judge) watchTools {
	return watchTools{s, judge}
}

// CreateWatchInput describes a planning request to watch.
type CreateWatchInput struct {
	TripHealthInput
	Name     string   `json:"name" doc:"Name of the watch: one line, at most 64 characters." default:""`
	Baseline Baseline `json:"baseline,omitempty" doc:"An earlier decision, or its summary, to compare with. Without it the first decision is the baseline." example:"{\"state\":\"normal\",\"confidence\":\"high\"}"`
}

// Issues returns the faults in the baseline.
func (in *CreateWatchInput) Issues() []coast.Issue {
	if in.Baseline == nil {
		return nil
	}
	_, err := decide.ReadBaseline(in.Baseline)
	return issuesOf(err)
}

// CreatedWatch is a new watch with its first decision.
type CreatedWatch struct {
	Watch    watches.Watch   `json:"watch" doc:"The watch."`
	Decision decide.Decision `json:"decision" doc:"The first decision."`
}

// CreateWatch stores a watch of the caller's account. It returns the errors of TripHealth.
func (s watchTools) CreateWatch(ctx context.Context, in CreateWatchInput) (CreatedWatch, error) {
	caller, _, cancel, err := accountCaller(ctx)
	cancel() // providers may take longer than the store
	if err != nil {
		return CreatedWatch{}, err
	}
	n := watches.Draft{Name: in.Name, Request: tripRequest(in.TripHealthInput)}
	if in.Baseline != nil {
		then, err := decide.ReadBaseline(in.Baseline)
		if err != nil {
			return CreatedWatch{}, err
		}
		n.Baseline = &then
	}
	w, d, err := s.watches.Create(ctx, caller.Account, n, s.judge)
	if err != nil {
		return CreatedWatch{}, err
	}
	d.Fit(longestDecision)
	return CreatedWatch{w, d}, nil
}

// tripRequest returns the request of a decision as events have it.
func tripRequest(in TripHealthInput) events.TripRequest {
	return events.TripRequest{
		StationID: in.StationID, Activity: decide.Activity(in.Activity), LocalDate: in.LocalDate,
		LocalTime: in.LocalTime,
	}
}

// Judge makes the decision of a watch, with all its reasons.
func (s decisionTools) Judge(ctx context.Context, r events.TripRequest) (decide.Decision, error) {
	return s.decision(ctx, TripHealthInput{
		r.StationID, Trip{decide.Activity(string(r.Activity)), r.LocalDate, r.LocalTime},
	}, resolved{}, nil)
}

// ListWatchesInput is empty.
type ListWatchesInput struct{}

// WatchList lists the watches of an account.
type WatchList struct {
	Watches []watches.Watch `json:"watches" doc:"In order of creation. One that has ended is removed after seven days."`
}

// ListWatches returns the watches of the caller's account.
func (s watchTools) ListWatches(ctx context.Context, _ ListWatchesInput) (WatchList, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return WatchList{}, err
	}
	list, err := s.watches.List(ctx, account)
	return WatchList{list}, err
}

// WatchInput names a watch.
type WatchInput struct {
	ID string `json:"id" doc:"The watch's id." pattern:"^wt_[0-9A-Za-z]{14}$" form:"text such as wt_8Lq2VnR5sYc1Kd" example:"wt_8Lq2VnR5sYc1Kd"`
}

// OneWatch is a watch.
type OneWatch struct {
	Watch watches.Watch `json:"watch" doc:"The watch."`
}

// Watch returns a watch of the caller's account.
func (s watchTools) Watch(ctx context.Context, in WatchInput) (OneWatch, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return OneWatch{}, err
	}
	w, err := s.watches.Watch(ctx, account, in.ID)
	return OneWatch{w}, err
}

// DeleteWatch removes a watch of the caller's account and returns it.
func (s watchTools) DeleteWatch(ctx context.Context, in WatchInput) (OneWatch, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return OneWatch{}, err
	}
	w, err := s.watches.Remove(ctx, account, in.ID)
	return OneWatch{w}, err
}
