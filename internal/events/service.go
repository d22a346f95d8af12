package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/store"
)

// Store is the part of the store that the rules about endpoints need.
type Store interface {
	Account(ctx context.Context, id string) (store.Account, error)
	store.Endpoints
	store.Events
}

// ServiceConfig holds the dependencies and settings of a Service.
type ServiceConfig struct {
	Store  Store
	Plans  access.Plans
	Sealer *Sealer // encrypts the secrets of endpoints
	Outbox *Outbox // makes tests
	Off    bool    // the server does not deliver events
	Now    func() time.Time

	// CheckURL returns what is wrong with the URL of an endpoint, as Sender.CheckURL does.
	CheckURL func(text string) []coast.Issue
}

// Service manages the endpoints of accounts, their deliveries and replays. Front ends share its
// rules. It does not send anything: the Dispatcher does. It is safe for concurrent use.
type Service struct {
	c       ServiceConfig
	tests   *hourly // requested
	changes *hourly // of endpoints, which send a test
	replays *hourly
}

// NewService returns a Service.
func NewService(c ServiceConfig) *Service {
	return &Service{
		c, newHourly(testsAnHour), newHourly(changesAnHour), newHourly(replaysAnHour),
	}
}

// The limits of an account, in any hour. They are ours: a test is a request to a server that may
// belong to a stranger, a replay may be a thousand of them.
const (
	testsAnHour   = 10
	changesAnHour = 30
	replaysAnHour = 10
)

const changesOfEndpoints = "changes of webhook endpoints that send a test"

// maxDescription limits the description of an endpoint, in characters.
const maxDescription = 120

// Retention is the time for which events are stored.
const Retention = 30 * 24 * time.Hour

// Draft describes an endpoint to create, or changes to one. In a change, nil fields keep their
// values.
type Draft struct {
	URL         *string
	Kinds       []string
	Description *string
	Enabled     *bool
}

// Endpoints returns the endpoints of an account in order of creation.
func (s *Service) Endpoints(ctx context.Context, account string) ([]Endpoint, error) {
	list, err := s.c.Store.EndpointsOf(ctx, account)
	out := []Endpoint{}
	for _, e := range list {
		out = append(out, s.describe(e))
	}
	return out, err
}

// Endpoint returns an endpoint of an account.
func (s *Service) Endpoint(ctx context.Context, account, id string) (Endpoint, error) {
	e, err := s.own(ctx, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	return s.describe(e), nil
}

// Create registers an endpoint of an account and returns it with its secret, which cannot be read
// again. The endpoint is pending and receives a test. If the test cannot be stored, the endpoint
// is returned without one, because its secret must not be lost: its owner can request a test.
func (s *Service) Create(
	ctx context.Context, account string, d Draft,
) (Endpoint, Secret, error) {
	owner, plan, err := s.owner(ctx, account)
	if err != nil {
		return Endpoint{}, Secret{}, err
	}
	e := store.Endpoint{
		ID: NewEndpointID(), Account: owner.ID, Kinds: []string{AllKinds},
		State: store.EndpointPending, Created: s.now(),
	}
	issues := s.apply(d, &e)
	if d.URL == nil {
		issues = append([]coast.Issue{urlIssue("required", "is required")}, issues...)
	}
	if err := coast.Invalid(issues); err != nil {
		return Endpoint{}, Secret{}, err
	}
	if err := s.allowed(s.changes, changesOfEndpoints, account); err != nil {
		return Endpoint{}, Secret{}, err
	}
	secret := NewSecret()
	e.Secret = s.c.Sealer.Seal(e.ID, secret)
	err = s.c.Store.AddEndpoint(ctx, e, plan.Endpoints)
	if errors.Is(err, store.ErrTooMany) {
		return Endpoint{}, Secret{}, tooManyEndpoints(plan)
	}
	if err != nil {
		return Endpoint{}, Secret{}, fmt.Errorf("add an endpoint: %w", err)
	}
	s.testSecret(ctx, &e, CauseCreated)
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
		"many: delete one, or change its url.", p.Tier, p.Endpoints, noun)
}

// Change changes an endpoint of an account and returns it as it is stored. A new URL makes it
// pending until it has accepted a test. So does enabling it.
func (s *Service) Change(ctx context.Context, account, id string, d Draft) (Endpoint, error) {
	var e store.Endpoint
	var test bool
	err := retryConflict(func() (err error) {
		if e, err = s.own(ctx, account, id); err != nil {
			return err
		}
		if test, err = s.change(&e, d); err != nil {
			return err
		}
		if test {
			if err := s.allowed(s.changes, changesOfEndpoints, account); err != nil {
				return err
			}
		}
		return s.c.Store.PutEndpoint(ctx, e)
	})
	if err != nil {
		return Endpoint{}, err
	}
	if test {
		if err := s.test(ctx, e, CauseEnabled); err != nil {
			return Endpoint{}, err
		}
	}
	return s.Endpoint(ctx, account, id) // the store has skipped deliveries, or added the test
}

// change applies a draft to an endpoint, and reports whether the endpoint must accept a test then.
func (s *Service) change(e *store.Endpoint, d Draft) (test bool, err error) {
	before := e.URL
	if err := coast.Invalid(s.apply(d, e)); err != nil {
		return false, err
	}
	receives := e.State == store.EndpointEnabled || e.State == store.EndpointPending
	switch {
	case d.Enabled != nil && !*d.Enabled:
		e.State, e.Reason = store.EndpointDisabled, ""
	case d.Enabled != nil && e.State != store.EndpointEnabled, e.URL != before && receives:
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
func (s *Service) Remove(ctx context.Context, account, id string) (Endpoint, error) {
	e, err := s.own(ctx, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	return s.describe(e), s.c.Store.RemoveEndpoint(ctx, e.ID)
}

// Rotate gives an endpoint of an account a new secret and returns it. The old one signs as well
// during the time keep. A secret that was kept from an earlier rotation no longer signs. Like
// Create, it returns the secret even if the test cannot be stored.
func (s *Service) Rotate(
	ctx context.Context, account, id string, keep time.Duration,
) (Endpoint, Secret, error) {
	var e store.Endpoint
	secret := NewSecret()
	err := retryConflict(func() (err error) {
		if e, err = s.own(ctx, account, id); err != nil {
			return err
		}
		if err := s.allowed(s.changes, changesOfEndpoints, account); err != nil {
			return err
		}
		s.rotate(&e, secret, keep)
		return s.c.Store.PutEndpoint(ctx, e)
	})
	if err != nil {
		return Endpoint{}, Secret{}, err
	}
	e.Version++
	if e.State == store.EndpointDisabled || e.State == store.EndpointSuspended {
		return s.describe(e), secret, nil
	}
	s.testSecret(ctx, &e, CauseRotated)
	return s.describe(e), secret, nil
}

// rotate gives an endpoint a secret. A present one that cannot be decrypted, because the pepper is
// another one, is not kept.
func (s *Service) rotate(e *store.Endpoint, secret Secret, keep time.Duration) {
	_, lost := s.c.Sealer.Open(e.ID, e.Secret)
	e.OldSecret, e.OldUntil = nil, time.Time{}
	if keep > 0 && lost == nil {
		e.OldSecret, e.OldUntil = e.Secret, s.now().Add(keep)
	}
	e.Secret = s.c.Sealer.Seal(e.ID, secret)
	if e.Reason == ReasonSecret {
		e.State, e.Reason = store.EndpointPending, ""
	}
}

// Test posts a test to an endpoint of an account and returns its first attempt, or the delivery
// without one if patience is over.
func (s *Service) Test(
	ctx context.Context, account, id string, patience time.Duration,
) (Delivery, error) {
	e, err := s.own(ctx, account, id)
	switch {
	case err != nil:
		return Delivery{}, err
	case s.c.Off:
		return Delivery{}, errOff
	case e.State != store.EndpointPending && e.State != store.EndpointEnabled:
		return Delivery{}, notEnabled(e)
	}
	if err := s.allowed(s.tests, "tests", account); err != nil {
		return Delivery{}, err
	}
	event, err := s.c.Outbox.test(e, CauseRequested)
	if err != nil {
		return Delivery{}, err
	}
	if err := s.c.Outbox.post(ctx, event); err != nil {
		return Delivery{}, err
	}
	return s.await(ctx, e.ID, event.ID, patience)
}

// await returns a delivery when it has had an attempt or patience is over.
func (s *Service) await(
	ctx context.Context, endpoint, event string, patience time.Duration,
) (Delivery, error) {
	const pause = 50 * time.Millisecond
	over := time.After(patience)
	for {
		d, err := s.c.Store.Delivery(ctx, endpoint, event)
		if err != nil || len(d.Attempts) > 0 {
			return describeDelivery(d), err
		}
		select {
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		case <-over:
			return describeDelivery(d), nil
		case <-time.After(pause):
		}
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
		return e, coast.Errorf(coast.NotFound, "There is no webhook endpoint %q. "+
			"GET /api/developer/webhooks lists those of the account.", coast.Clip(id))
	}
	return e, err
}

// test posts a test to an endpoint. A server that delivers nothing stores it too: it is sent when
// deliveries are on again.
func (s *Service) test(ctx context.Context, e store.Endpoint, cause string) error {
	event, err := s.c.Outbox.test(e, cause)
	if err != nil {
		return err
	}
	return s.c.Outbox.post(ctx, event)
}

// testSecret posts a test to an endpoint whose secret is new. It logs an error: the secret is
// stored, and its owner must receive it.
func (s *Service) testSecret(ctx context.Context, e *store.Endpoint, cause string) {
	err := s.test(ctx, *e, cause)
	switch {
	case err != nil:
		s.c.Outbox.c.Log.Warn("events", "endpoint", e.ID, "error", err)
	case !s.c.Off:
		e.Pending++
	}
}

// apply writes the fields of a draft to an endpoint and returns what is wrong with them.
func (s *Service) apply(d Draft, e *store.Endpoint) (issues []coast.Issue) {
	if d.URL != nil {
		e.URL = *d.URL
		issues = append(issues, s.c.CheckURL(*d.URL)...)
	}
	if d.Kinds != nil {
		e.Kinds = slices.Compact(slices.Sorted(slices.Values(d.Kinds)))
		issues = append(issues, checkKinds(e.Kinds)...)
	}
	if d.Description != nil {
		e.Description = *d.Description
		issues = append(issues, checkDescription(e.Description)...)
	}
	return issues
}

// AllKinds subscribes an endpoint to all kinds of events, future ones too.
const AllKinds = "*"

// checkKinds returns an issue for each unknown kind of event.
func checkKinds(kinds []string) (issues []coast.Issue) {
	if len(kinds) == 0 {
		issues = append(issues, coast.Issue{Path: "/events", Code: "minItems", Message: `events must ` +
			`name at least one kind. Example: "events": ["*"], which means all.`})
	}
	for _, kind := range kinds {
		if kind != AllKinds && !slices.Contains(Kind("").Values(), kind) {
			issues = append(issues, coast.Issue{Path: "/events", Code: "enum", Message: fmt.Sprintf(
				`events must be ["*"] or name kinds of %s; there is no %s.`,
				strings.Join(Kind("").Values(), ", "), coast.Quote(kind),
			)})
		}
	}
	return issues
}

// checkDescription returns an issue for a description that is too long or has several lines.
func checkDescription(text string) []coast.Issue {
	switch {
	case utf8.RuneCountInString(text) > maxDescription, !utf8.ValidString(text),
		slices.ContainsFunc([]rune(text), unicode.IsControl):
		return []coast.Issue{{Path: "/description", Code: "maxLength", Message: fmt.Sprintf(
			"description must be one line of at most %d characters.", maxDescription)}}
	case coast.Redact(text) != text:
		return []coast.Issue{{Path: "/description", Code: "secret", Message: "description must not " +
			"contain an API key."}}
	}
	return nil
}

// now returns the current time in whole seconds, the precision of the store.
func (s *Service) now() time.Time { return store.Second(s.c.Now()) }

// errOff is the error for what needs deliveries on a server that makes none.
var errOff = coast.Errorf(coast.ProviderUnavailable, "This server does not deliver events: "+
	"it was started with --webhooks off.")

func notEnabled(e store.Endpoint) error {
	return coast.Errorf(coast.InvalidRequest, "The endpoint %s is %s and receives nothing: "+
		`enable it first, with PATCH and {"enabled": true}.`, e.ID, e.State)
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
