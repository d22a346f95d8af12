// Package endpoints holds the rules about what accounts manage of webhooks: endpoints, their
// secrets and tests, deliveries and their replay, and the list of events. Accounts, ids and drafts
// come in, descriptions for front ends go out. The package sends nothing itself.
//
//	service.go   Service: endpoints and their secrets
//	delivery.go  deliveries, replays and the list of events
//	tests.go     tests on request
//	draft.go     what can be set of an endpoint
//	endpoint.go  descriptions of endpoints and attempts
//	hourly.go    limits of tests, changes and replays
package endpoints

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/internal/events/signature"
	"leadline/store"
)

// Store is the part of the store that the rules about endpoints need.
type Store interface {
	Account(ctx context.Context, id string) (store.Account, error)
	store.Endpoints
	store.Events
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store  Store
	Plans  access.Plans
	Sealer *signature.Sealer // encrypts the secrets of endpoints
	Outbox *events.Outbox    // posts tests
	Off    bool              // the server does not deliver events
	Now    func() time.Time

	// CheckURL returns what is wrong with the URL of an endpoint, as sender.Sender.CheckURL does.
	CheckURL func(text string) []coast.Issue
}

// Service manages the endpoints of accounts, their deliveries and replays. Front ends share its
// rules. It does not send anything: package dispatch does. It is safe for concurrent use.
type Service struct {
	c       Config
	tests   *hourly // requested
	changes *hourly // of endpoints, which send a test
	replays *hourly // of one delivery
	bulks   *hourly // replays of many
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{
		c, newHourly(testsAnHour), newHourly(changesAnHour), newHourly(replaysAnHour),
		newHourly(bulksAnHour),
	}
}

// The limits of an account, in any hour. They are ours: a test is a request to a server that may
// belong to a stranger, a replay of many may be a thousand of them.
const (
	testsAnHour   = 10
	changesAnHour = 30
	replaysAnHour = 100
	bulksAnHour   = 10
)

const changesOfEndpoints = "changes of webhook endpoints that send a test"

// Endpoints returns the endpoints of an account in order of creation.
func (s *Service) Endpoints(ctx context.Context, account string) (_ []Endpoint, err error) {
	defer outage.Failure(&err)
	list, err := s.c.Store.EndpointsOf(ctx, account)
	out := []Endpoint{}
	for _, e := range list {
		out = append(out, s.describe(e))
	}
	return out, err
}

// Endpoint returns an endpoint of an account.
func (s *Service) Endpoint(ctx context.Context, account, id string) (_ Endpoint, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	return s.describe(e), nil
}

// Create registers an endpoint of an account and returns it with its secret, which cannot be read
// again. The endpoint is pending until it has accepted a test, which is stored with it.
func (s *Service) Create(
	ctx context.Context, account string, d Draft,
) (_ Endpoint, _ signature.Secret, err error) {
	defer outage.Failure(&err)
	owner, plan, err := s.owner(ctx, account)
	if err != nil {
		return Endpoint{}, signature.Secret{}, err
	}
	e := store.Endpoint{
		ID: events.NewEndpointID(), Account: owner.ID, Kinds: []string{store.AllKinds},
		State: store.EndpointPending, Created: s.now(),
	}
	if d.URL == nil {
		d.URL = new("") // which CheckURL refuses
	}
	if err := coast.Invalid(d.apply(&e, s.c.CheckURL)); err != nil {
		return Endpoint{}, signature.Secret{}, err
	}
	if err := s.allowed(s.changes, changesOfEndpoints, account); err != nil {
		return Endpoint{}, signature.Secret{}, err
	}
	secret := signature.NewSecret()
	e.Secret = s.c.Sealer.Seal(e.ID, secret)
	test, err := s.c.Outbox.Test(e, events.CauseCreated)
	if err != nil {
		return Endpoint{}, signature.Secret{}, err
	}
	err = s.c.Store.AddEndpoint(ctx, e, plan.Endpoints, test)
	if errors.Is(err, store.ErrTooMany) {
		return Endpoint{}, signature.Secret{}, tooManyEndpoints(plan)
	}
	if err != nil {
		return Endpoint{}, signature.Secret{}, fmt.Errorf("add an endpoint: %w", err)
	}
	s.countTest(&e)
	return s.describe(e), secret, nil
}

func tooManyEndpoints(p *access.Plan) error {
	if p.Endpoints == 0 {
		return coast.Errorf(coast.PlanRequired, "The plan %s has no webhook endpoints.", p.Tier)
	}
	noun := "endpoints"
	if p.Endpoints == 1 {
		noun = "endpoint"
	}
	return coast.Errorf(coast.PlanRequired, "The plan %s has %d webhook %s, and the account has as "+
		"many; their URLs can be changed.", p.Tier, p.Endpoints, noun).
		With(coast.DeleteWebhook.Hint("Delete one"))
}

// Change changes an endpoint of an account and returns it as it is stored. A new URL makes it
// pending until it has accepted a test. So does enabling it.
func (s *Service) Change(ctx context.Context, account, id string, d Draft) (_ Endpoint, err error) {
	defer outage.Failure(&err)
	err = retryConflict(func() error {
		e, err := s.own(ctx, account, id)
		if err != nil {
			return err
		}
		test, err := s.change(&e, d)
		if err != nil {
			return err
		}
		if !test {
			return s.c.Store.PutEndpoint(ctx, e)
		}
		return s.putTested(ctx, e, events.CauseEnabled)
	})
	if err != nil {
		return Endpoint{}, err
	}
	return s.Endpoint(ctx, account, id) // the store has skipped deliveries, or added the test
}

// change applies a draft to an endpoint, and reports whether the endpoint must accept a test then.
func (s *Service) change(e *store.Endpoint, d Draft) (test bool, err error) {
	before := e.URL
	if err := coast.Invalid(d.apply(e, s.c.CheckURL)); err != nil {
		return false, err
	}
	switch {
	case d.Enabled != nil && !*d.Enabled:
		e.State, e.Reason = store.EndpointDisabled, ""
	case d.Enabled != nil && e.State != store.EndpointEnabled, e.URL != before && e.Receives():
		e.State, e.Reason, test = store.EndpointPending, "", true
	}
	return test, nil
}

// retryConflict calls a change of an endpoint again if another call has changed the endpoint
// meanwhile, such as the dispatcher, which enables it.
func retryConflict(change func() error) (err error) {
	for range 3 {
		if err = change(); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return coast.Errorf(coast.Overloaded,
		"Other requests keep changing the endpoint at the same time: send the request again.")
}

// Remove removes an endpoint of an account with its deliveries.
func (s *Service) Remove(ctx context.Context, account, id string) (_ Endpoint, err error) {
	defer outage.Failure(&err)
	e, err := s.own(ctx, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	return s.describe(e), s.c.Store.RemoveEndpoint(ctx, e.ID)
}

// Rotate gives an endpoint of an account a new secret and returns it. The old one signs as well
// during the time keep. A secret that was kept from an earlier rotation no longer signs.
func (s *Service) Rotate(
	ctx context.Context, account, id string, keep time.Duration,
) (_ Endpoint, _ signature.Secret, err error) {
	defer outage.Failure(&err)
	var e store.Endpoint
	secret := signature.NewSecret()
	err = retryConflict(func() (err error) {
		if e, err = s.own(ctx, account, id); err != nil {
			return err
		}
		s.rotate(&e, secret, keep)
		return s.putTested(ctx, e, events.CauseRotated)
	})
	if err != nil {
		return Endpoint{}, signature.Secret{}, err
	}
	e.Version++
	if e.Receives() {
		s.countTest(&e)
	}
	return s.describe(e), secret, nil
}

// putTested stores an endpoint that has a new URL or secret, with a test if it receives one. It
// counts as a change in the hourly limit.
func (s *Service) putTested(ctx context.Context, e store.Endpoint, cause events.TestCause) error {
	if err := s.allowed(s.changes, changesOfEndpoints, e.Account); err != nil {
		return err
	}
	test, err := s.c.Outbox.Test(e, cause)
	if err != nil {
		return err
	}
	return s.c.Store.PutEndpoint(ctx, e, test)
}

// countTest counts the test that was stored with an endpoint, if this server delivers it.
func (s *Service) countTest(e *store.Endpoint) {
	if !s.c.Off {
		e.Pending++
	}
}

// rotate gives an endpoint a secret. A present one that cannot be decrypted, because the pepper is
// another one, is not kept.
func (s *Service) rotate(e *store.Endpoint, secret signature.Secret, keep time.Duration) {
	_, lost := s.c.Sealer.Open(e.ID, e.Secret)
	e.OldSecret, e.OldUntil = nil, time.Time{}
	if keep > 0 && lost == nil {
		e.OldSecret, e.OldUntil = e.Secret, s.now().Add(keep)
	}
	e.Secret = s.c.Sealer.Seal(e.ID, secret)
	if e.Reason == store.ReasonSecret {
		e.State, e.Reason = store.EndpointPending, ""
	}
}

// owner returns an account and its plan.
func (s *Service) owner(ctx context.Context, id string) (store.Account, *access.Plan, error) {
	a, err := s.c.Store.Account(ctx, id)
	if err != nil {
		return a, nil, err
	}
	plan, ok := s.c.Plans.Of(access.Tier(a.Plan))
	if !ok {
		return a, nil, fmt.Errorf("account %s has plan %q, which does not exist", a.ID, a.Plan)
	}
	return a, plan, nil
}

// own returns an endpoint of an account. For another account's endpoint it returns the same error
// as for one that does not exist, so that nobody learns which ids exist.
func (s *Service) own(ctx context.Context, account, id string) (store.Endpoint, error) {
	e, err := s.c.Store.Endpoint(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Account != account {
		return e, coast.Errorf(coast.NotFound, "There is no webhook endpoint %q.", coast.Clip(id)).
			With(coast.ListWebhooks.Hint("List those of the account"))
	}
	return e, err
}

// now returns the current time in whole seconds, the precision of the store.
func (s *Service) now() time.Time { return store.Second(s.c.Now()) }

// errOff is the error for what needs deliveries on a server that makes none.
var errOff = coast.Errorf(coast.ProductUnavailable, "This server does not deliver events: "+
	"it was started with --webhooks off.").With(coast.ListEvents.Hint("List the events"))

func notEnabled(e store.Endpoint) error {
	return coast.Errorf(coast.InvalidRequest, "The endpoint %s is %s and receives nothing.", e.ID,
		e.State).With(coast.UpdateWebhook.Hint("Enable it first", e.ID, true))
}

// allowed returns an error if an account has used up an hourly limit.
func (s *Service) allowed(h *hourly, what, account string) error {
	wait, ok := h.allow(account, s.c.Now())
	if ok {
		return nil
	}
	e := coast.Errorf(coast.RateLimited, "An account may request %d %s in an hour: wait %v.", h.most,
		what, wait.Round(time.Minute)+time.Minute)
	e.RetryAfterSeconds = int(wait/time.Second) + 1
	return e
}
