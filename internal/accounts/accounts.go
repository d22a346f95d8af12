// Package accounts holds the rules about accounts: who may have one, on which plan, with which
// API keys, and the single-use links by which people get in. The command line, REST, sign-in
// and the pages call it, so that they follow the same rules. It reads and writes the store and
// returns values. It checks no credential of a request (package access does), prints nothing
// and serves no page.
//
// Errors that the caller can act on are coast.Errors or the errors named here; others are the
// store's.
package accounts

import (
	"context"
	"errors"
	"slices"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/access/outage"
	"leadline/store"
)

// Service applies the rules. It is safe for concurrent use.
type Service struct {
	rules
	Keyring
	Links
}

// New returns a Service.
func New(c Config) *Service {
	r := rules{c}
	return &Service{r, Keyring{r}, Links{r}}
}

// Summary describes an account.
type Summary struct {
	ID         string    `json:"id"`
	Email      string    `json:"account"`
	Plan       string    `json:"plan"`
	ActiveKeys int       `json:"activeKeys"`
	Used       uint64    `json:"usedThisMonth"` // units used in this UTC month
	CreatedAt  time.Time `json:"createdAt"`
}

func summary(a store.Account) Summary {
	return Summary{ID: a.ID, Email: a.Email, Plan: a.Plan, CreatedAt: a.Created}
}

// Create creates an account without a key.
func (s *Service) Create(ctx context.Context, n NewAccount) (Summary, error) {
	a, err := s.newAccount(n)
	if err != nil {
		return Summary{}, err
	}
	err = s.c.Store.AddAccount(ctx, a)
	if errors.Is(err, store.ErrExists) {
		err = invalid("account %s exists already; leadline accounts plan moves it to another plan",
			a.Email)
	}
	return summary(a), err
}

// List returns all accounts, ordered by address.
func (s *Service) List(ctx context.Context) ([]Summary, error) {
	list := []Summary{}
	for a, err := range s.all(ctx) {
		if err != nil {
			return nil, err
		}
		row := summary(a)
		if row.ActiveKeys, err = s.activeKeys(ctx, a.ID); err != nil {
			return nil, err
		}
		if row.Used, err = s.used(ctx, a.ID); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// activeKeys returns the number of active keys of an account.
func (s *Service) activeKeys(ctx context.Context, account string) (n int, err error) {
	keys, err := s.c.Keys.List(ctx, account)
	for _, k := range keys {
		if credential.State(k, s.c.Now()) == credential.Active {
			n++
		}
	}
	return n, err
}

// used returns the number of units that an account has used this month.
func (s *Service) used(ctx context.Context, account string) (uint64, error) {
	months, err := s.c.Months(ctx, account)
	now := store.MonthOf(s.c.Now())
	for _, m := range months {
		if m.Month == now {
			return m.Units, err
		}
	}
	return 0, err
}

// Months returns the months in which an account used units, newest first. While the store is
// unavailable it returns StoreUnavailable.
func (s *Service) Months(ctx context.Context, account string) (_ []store.Used, err error) {
	defer outage.Failure(&err)
	return s.c.Months(ctx, account)
}

// PlanChange describes a change of an account's plan.
type PlanChange struct {
	Email string `json:"account"`
	From  string `json:"from"` // equal to To if nothing changed
	To    string `json:"to"`
}

// SetPlan moves an account with all its keys to a plan.
func (s *Service) SetPlan(ctx context.Context, email, plan string) (PlanChange, error) {
	a, err := s.Account(ctx, email)
	if err != nil {
		return PlanChange{}, err
	}
	return PlanChange{a.Email, a.Plan, plan}, s.Move(ctx, a, plan)
}

// Move is like SetPlan for an account that the caller has already read.
func (s *Service) Move(ctx context.Context, a store.Account, plan string) error {
	if err := s.plan(plan); err != nil || plan == a.Plan {
		return err
	}
	return s.c.Store.SetPlan(ctx, a.ID, plan)
}

// Remove removes an account with its keys, sessions, connected apps and usage, and returns a
// summary of it.
func (s *Service) Remove(ctx context.Context, email string) (Summary, error) {
	a, err := s.Account(ctx, email)
	if err != nil {
		return Summary{}, err
	}
	return summary(a), s.RemoveID(ctx, a.ID)
}

// RemoveID is like Remove for the account with an id. If there is
// none, the error is store.ErrNotFound.
func (s *Service) RemoveID(ctx context.Context, id string) error {
	return s.c.Store.RemoveAccount(ctx, id)
}

// Apps returns the grants of an account that have not expired, newest first.
func (s *Service) Apps(ctx context.Context, account string) ([]store.Grant, error) {
	grants, err := s.c.Store.GrantsOf(ctx, account)
	now := s.c.Now()
	return slices.DeleteFunc(grants, func(g store.Grant) bool { return !now.Before(g.Expires) }), err
}

// Disconnect removes a grant of an account with all its tokens. If the grant does not exist or
// belongs to another account, nothing changes and there is no error.
func (s *Service) Disconnect(ctx context.Context, account, grant string) error {
	grants, err := s.Apps(ctx, account)
	if !slices.ContainsFunc(grants, func(g store.Grant) bool { return g.ID == grant }) {
		return err
	}
	return s.c.Store.RemoveGrant(ctx, grant)
}
