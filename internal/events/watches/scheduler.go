package watches

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/store"
)

// SchedulerConfig configures a Scheduler.
type SchedulerConfig struct {
	Watches *Service
	Judge   Judge
	Owner   string // names this process in claims
	Log     *slog.Logger

	// Charge takes a unit of an account's monthly quota and returns a function that returns it.
	Charge func(ctx context.Context, account string) (refund func(), err error)

	// Observe is called after each evaluation with its outcome (step, same, paused, ended, removed,
	// failed), its lateness, and the direction of a step or "". It may be nil.
	Observe func(outcome string, late time.Duration, direction string)
}

// Scheduler evaluates watches when they are due. Providers, not CPU, limit it: it begins one
// station a second. If more is due, accounts take turns, and those of their watches that ask about
// the nearest times come first.
type Scheduler struct {
	c SchedulerConfig
	w Config
}

// NewScheduler returns a Scheduler.
func NewScheduler(c SchedulerConfig) *Scheduler {
	if c.Observe == nil {
		c.Observe = func(string, time.Duration, string) {}
	}
	return &Scheduler{c, c.Watches.c}
}

const (
	pace         = time.Second      // between two stations
	atOnce       = 5                // stations that are evaluated at a time
	claimFor     = 2 * time.Minute  // for which a station's watches are claimed
	retryPaused  = time.Hour        // after which a paused watch asks for a unit again
	retryFailed  = 5 * time.Minute  // after which a failed evaluation is repeated
	secondAfter  = 10 * time.Minute // between an evaluation that differs and the next one
	storeTimeout = 10 * time.Second // of one call
)

// Run evaluates watches until ctx ends, and returns its error. While a provider does not respond it
// evaluates none: it cannot know whether anything has changed. While the store is down it waits
// 1, 2, 4 ... 30 seconds.
func (s *Scheduler) Run(ctx context.Context) error {
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	defer running.Wait()
	claims := store.Backoff{Calls: "claim watches"}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pace):
		}
		if s.w.Down() != "" || !claims.Over() {
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			continue
		}
		list, err := s.claim(ctx)
		if ctx.Err() == nil {
			claims.Record(s.c.Log, err)
		}
		if len(list) == 0 {
			<-slots
			continue
		}
		running.Go(func() {
			defer func() { <-slots }()
			s.evaluateAll(ctx, list)
		})
	}
}

// claim claims the due watches of one station.
func (s *Scheduler) claim(ctx context.Context) ([]store.Watch, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := s.w.Now()
	return s.w.Store.ClaimWatches(ctx, s.c.Owner, now, now.Add(claimFor), 1)
}

// evaluateAll evaluates the watches of a station.
func (s *Scheduler) evaluateAll(ctx context.Context, list []store.Watch) {
	for _, row := range list {
		if ctx.Err() != nil || s.w.Down() != "" {
			return // the claim expires
		}
		due := row.Due
		outcome, direction, err := s.evaluate(ctx, row)
		if err != nil && ctx.Err() == nil {
			s.c.Log.Warn("evaluate a watch", "id", row.ID, "error", err)
		}
		s.c.Observe(outcome, max(0, s.w.Now().Sub(due)), direction)
	}
}

// evaluate evaluates a watch and stores the result. A watch that was removed or changed meanwhile
// is left as it is. One that cannot be evaluated is due again later and costs nothing.
func (s *Scheduler) evaluate(
	ctx context.Context, row store.Watch,
) (outcome, direction string, err error) {
	now := store.Second(s.w.Now())
	if !now.Before(row.Ends) {
		row.State = store.WatchEnded
		return "ended", "", s.save(ctx, row)
	}
	refund, err := s.c.Charge(ctx, row.Account)
	if e, known := coast.AsError(err); known &&
		(e.Code == coast.QuotaExceeded || e.Code == coast.PlanRequired) {
		row.State, row.Due = store.WatchPaused, store.Earlier(now.Add(retryPaused), row.Ends)
		return "paused", "", s.save(ctx, row)
	}
	if err != nil {
		return "failed", "", errors.Join(err, s.postpone(ctx, row, now))
	}
	after, events, step, err := s.judge(ctx, row, now)
	if err != nil {
		refund()
		return "failed", "", errors.Join(err, s.postpone(ctx, row, now))
	}
	switch err := s.save(ctx, after, events...); {
	case errors.Is(err, store.ErrConflict):
		refund()
		return "removed", "", nil
	case err != nil: // whether it is stored is not known, so the unit is not returned
		return "failed", "", err
	case step != nil:
		return "step", string(step.Direction), nil
	}
	return "same", "", nil
}

// postpone makes a watch that could not be evaluated due again later.
func (s *Scheduler) postpone(ctx context.Context, row store.Watch, now time.Time) error {
	row.Due = store.Earlier(now.Add(retryFailed), row.Ends)
	if err := s.save(ctx, row); !errors.Is(err, store.ErrConflict) {
		return err
	}
	return nil
}

// save stores a watch and posts its events, also while the server stops: the unit is spent.
func (s *Scheduler) save(ctx context.Context, row store.Watch, events ...store.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.w.Store.SaveWatch(ctx, row, events...)
}

// judge makes the decision of a watch and returns the watch as it is afterwards, with the step that
// is announced and its event, if there is one. A panic is an error: the other watches go on.
func (s *Scheduler) judge(
	ctx context.Context, row store.Watch, now time.Time,
) (after store.Watch, events []store.Event, step *decide.Step, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	t, err := s.w.taskOf(row)
	if err != nil {
		return row, nil, nil, err
	}
	standing, err := standingOf(row)
	if err != nil {
		return row, nil, nil, err
	}
	d, err := s.c.Judge(ctx, t.Request)
	if err != nil {
		return row, nil, nil, err
	}
	standing, step = decide.Progress(standing, &d, now)
	row.State, row.Evaluated = store.WatchActive, now
	row.Units++
	row.Due = s.next(ctx, row, standing, t.Max, now)
	after, events, err = s.c.Watches.announced(row, standing, step, &d)
	return after, events, step, err
}

// next returns when a watch is evaluated next: as scheduled, or soon if it differs and has units
// beyond those of the schedule, to announce what lasts.
func (s *Scheduler) next(
	ctx context.Context, row store.Watch, standing decide.Standing, most int, now time.Time,
) time.Time {
	least := s.least(ctx, row.Account)
	due := nextEvaluation(now, row.At, row.Station, least)
	spare := most - row.Units - evaluations(now, row.At, least)
	if standing.Differed && spare > 0 {
		return store.Earlier(now.Add(secondAfter), due)
	}
	return due
}

// least returns the shortest interval of the watches of an account's plan.
func (s *Scheduler) least(ctx context.Context, account string) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	owner, err := s.w.Store.Account(ctx, account)
	if err != nil {
		return 0
	}
	plan, ok := s.w.Plans.Of(access.Tier(owner.Plan))
	if !ok {
		return 0
	}
	return time.Duration(plan.WatchMinutes) * time.Minute
}
