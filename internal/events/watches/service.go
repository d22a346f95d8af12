// Package watches holds the watches of accounts: planning requests that are evaluated until their
// time has come, and announced when the decision has changed materially. It makes no decision
// itself: a Judge does.
//
//	service.go    Service: creates, lists and removes watches
//	watch.go      descriptions of watches
//	row.go        watches as the store has them
//	scheduler.go  Scheduler: evaluates watches
//	cadence.go    how often
package watches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/store"
)

// Store is the part of the store that watches need.
type Store interface {
	Account(ctx context.Context, id string) (store.Account, error)
	store.Watches
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store  Store
	Plans  access.Plans
	Outbox *events.Outbox // makes the events of steps
	Off    bool           // the server evaluates no watches
	Now    func() time.Time

	// Zone returns the civil zone of a station, or nil if the station is not known.
	Zone func(station string) *time.Location

	// Down returns the name of a provider that does not respond now, or "".
	Down func() string
}

// Judge makes the decision of a request, with all its reasons.
type Judge func(ctx context.Context, r events.TripRequest) (decide.Decision, error)

// Service manages the watches of accounts. Front ends share its rules. It makes the first decision
// of a watch; the Scheduler makes the others. It is safe for concurrent use.
type Service struct{ c Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Draft describes a watch to create.
type Draft struct {
	Request  events.TripRequest
	Name     string
	Baseline *decide.Baseline // nil for the first decision
}

// Create stores a watch of an account and returns it with its first decision. If that differs
// materially from the baseline, its first event is posted.
func (s *Service) Create(
	ctx context.Context, account string, draft Draft, judge Judge,
) (_ Watch, _ decide.Decision, err error) {
	defer outage.Failure(&err)
	plan, err := s.admit(ctx, account, draft)
	if err != nil {
		return Watch{}, decide.Decision{}, err
	}
	d, err := judge(ctx, draft.Request)
	if err != nil {
		return Watch{}, d, err
	}
	now := store.Second(s.c.Now())
	standing, step := decide.Begin(&d), (*decide.Step)(nil)
	if draft.Baseline != nil {
		standing, step = decide.BeginFrom(*draft.Baseline, &d, now)
	}
	least := time.Duration(plan.WatchMinutes) * time.Minute
	at := d.RequestedFor.UTC() // as it is stored
	row := store.Watch{
		ID: events.NewWatchID(), Account: account, Name: draft.Name, Station: draft.Request.StationID,
		State: store.WatchActive, At: at, Ends: at.Add(grace), Created: now, Units: 1,
		Due: nextEvaluation(now, at, draft.Request.StationID, least),
	}
	row.Request = encode(task{draft.Request, mostUnits(now, at, least)})
	row, posted, err := s.announced(row, standing, step, &d)
	if err != nil {
		return Watch{}, d, err
	}
	err = s.c.Store.AddWatch(ctx, row, plan.Watches, posted...)
	if errors.Is(err, store.ErrTooMany) {
		return Watch{}, d, tooManyWatches(plan)
	}
	if err != nil {
		return Watch{}, d, fmt.Errorf("add a watch: %w", err)
	}
	out, err := s.describe(row)
	return out, d, err
}

func tooManyWatches(p *access.Plan) error {
	return coast.Errorf(coast.PlanRequired, "The account has as many watches as the plan %s allows, "+
		"%d: delete one, or wait until one ends.", p.Tier, p.Watches)
}

// admit returns the plan of an account that may create a watch.
func (s *Service) admit(
	ctx context.Context, account string, draft Draft,
) (*access.Plan, error) {
	if s.c.Off {
		return nil, coast.Errorf(coast.ProviderUnavailable, "This server evaluates no watches: it was "+
			"started with --offline or with --webhooks off.")
	}
	if err := coast.Invalid(coast.CheckLine("name", draft.Name, events.MaxWatchName)); err != nil {
		return nil, err
	}
	owner, err := s.c.Store.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	plan, ok := s.c.Plans.Of(access.Tier(owner.Plan))
	if !ok || plan.Watches == 0 {
		return nil, coast.Errorf(coast.PlanRequired, "The plan %s has no watches.", owner.Plan)
	}
	list, err := s.c.Store.WatchesOf(ctx, account)
	if err != nil {
		return nil, err
	}
	ended := func(row store.Watch) bool { return row.State == store.WatchEnded }
	if len(slices.DeleteFunc(list, ended)) >= plan.Watches { // before a decision is made for nothing
		return nil, tooManyWatches(plan)
	}
	return plan, nil
}

// announced returns a watch with its Standing, and the event of a step if there is one.
func (s *Service) announced(
	row store.Watch, standing decide.Standing, step *decide.Step, d *decide.Decision,
) (store.Watch, []store.Event, error) {
	var posted []store.Event
	if step != nil {
		t, err := s.c.taskOf(row)
		if err != nil {
			return row, nil, err
		}
		event, err := s.c.Outbox.WatchStep(row, t.Request, step, d)
		if err != nil {
			return row, nil, err
		}
		posted, standing = []store.Event{event}, standing.WithEvent(event.ID)
	}
	row.Standing = encode(standing)
	return row, posted, nil
}

// List returns the watches of an account in order of creation.
func (s *Service) List(ctx context.Context, account string) (_ []Watch, err error) {
	defer outage.Failure(&err)
	rows, err := s.c.Store.WatchesOf(ctx, account)
	if err != nil {
		return nil, err
	}
	list := []Watch{}
	for _, row := range rows {
		one, err := s.describe(row)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Watch returns a watch of an account.
func (s *Service) Watch(ctx context.Context, account, id string) (_ Watch, err error) {
	defer outage.Failure(&err)
	row, err := s.own(ctx, account, id)
	if err != nil {
		return Watch{}, err
	}
	return s.describe(row)
}

// Remove removes a watch of an account and returns it. No event of the watch is posted afterwards.
func (s *Service) Remove(ctx context.Context, account, id string) (_ Watch, err error) {
	defer outage.Failure(&err)
	row, err := s.own(ctx, account, id)
	if err != nil {
		return Watch{}, err
	}
	if err := s.c.Store.RemoveWatch(ctx, row.ID); err != nil {
		return Watch{}, err
	}
	return s.describe(row)
}

// own returns a watch of an account. For another account's watch it returns the same error as for
// one that does not exist.
func (s *Service) own(ctx context.Context, account, id string) (store.Watch, error) {
	row, err := s.c.Store.Watch(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.Account != account {
		return row, coast.Errorf(coast.NotFound, "There is no watch %q.", coast.Clip(id)).
			With(coast.ListWatches.Hint("List those of the account"))
	}
	return row, err
}
