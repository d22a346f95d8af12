package selfservice

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events/watches"
	"leadline/internal/planning"
)

// This file holds the operations on the watches of an account. They are not part of the versioned
// contract.

// Watches holds the operations on watches.
type Watches struct {
	watches *watches.Service
	judge   watches.Judge
}

// NewWatches returns the operations. Judge makes the decision of a watch.
func NewWatches(s *watches.Service, judge watches.Judge) Watches {
	return Watches{s, judge}
}

// CreateWatchInput describes a planning request to watch.
type CreateWatchInput struct {
	planning.TripHealthInput
	Name     string            `json:"name" doc:"Name of the watch: one line, at most 64 characters." default:""`
	Baseline planning.Baseline `json:"baseline,omitempty" doc:"An earlier decision, or its summary, to compare with. Without it the first decision is the baseline." example:"{\"state\":\"normal\",\"confidence\":\"high\"}"`
}

// Issues returns the faults in the baseline.
func (in *CreateWatchInput) Issues() []coast.Issue {
	if in.Baseline == nil {
		return nil
	}
	_, err := decide.ReadBaseline(in.Baseline)
	return planning.IssuesOf(err)
}

// CreatedWatch is a new watch with its first decision.
type CreatedWatch struct {
	Watch    watches.Watch   `json:"watch" doc:"The watch."`
	Decision decide.Decision `json:"decision" doc:"The first decision."`
}

// CreateWatch stores a watch of the caller's account. It returns the errors of TripHealth.
func (s Watches) CreateWatch(ctx context.Context, in CreateWatchInput) (CreatedWatch, error) {
	caller, _, cancel, err := accountCaller(ctx)
	cancel() // providers may take longer than the store
	if err != nil {
		return CreatedWatch{}, err
	}
	n := watches.Draft{Name: in.Name, Request: planning.TripRequest(in.TripHealthInput)}
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
	d.Fit(planning.LongestDecision)
	return CreatedWatch{w, d}, nil
}

// ListWatchesInput is empty.
type ListWatchesInput struct{}

// WatchList lists the watches of an account.
type WatchList struct {
	Watches []watches.Watch `json:"watches" doc:"In order of creation. One that has ended is removed after seven days."`
}

// ListWatches returns the watches of the caller's account.
func (s Watches) ListWatches(ctx context.Context, _ ListWatchesInput) (WatchList, error) {
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
func (s Watches) Watch(ctx context.Context, in WatchInput) (OneWatch, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return OneWatch{}, err
	}
	w, err := s.watches.Watch(ctx, account, in.ID)
	return OneWatch{w}, err
}

// DeleteWatch removes a watch of the caller's account and returns it.
func (s Watches) DeleteWatch(ctx context.Context, in WatchInput) (OneWatch, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return OneWatch{}, err
	}
	w, err := s.watches.Remove(ctx, account, in.ID)
	return OneWatch{w}, err
}
