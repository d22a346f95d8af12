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
	"cmp"
	"context"
	"errors"
	"net/mail"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/store"
)

// Store is the part of the store that the rules need.
type Store interface {
	store.Accounts
	store.SignIn
	store.Grants
}

// Config holds what a Service is made of.
type Config struct {
	Store  Store
	Keys   *access.Keys
	Plans  access.Plans
	Signup string // who may create an account: Closed, Invite or Open
	Now    func() time.Time

	// Months returns the months of an account with the units that it used: the gate's while a
	// server runs, which knows what is reserved and not served yet, else the store's.
	Months func(ctx context.Context, account string) ([]store.Used, error)

	// Base returns the scheme and host of links, or why there is none to be known.
	Base func() (string, error)
}

// Who may create an account: the operator alone, people with an invitation link too, or
// everybody.
const (
	Closed = "closed"
	Invite = "invite"
	Open   = "open"
)

// Service applies the rules. It is safe for concurrent use.
type Service struct{ c Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// Address returns the e-mail address of an account in lower case, and false if the text is not
// an address alone. Characters beyond ASCII are refused, since many look alike, and so are
// quoted ones.
func Address(text string) (string, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	a, err := mail.ParseAddress(text)
	refused := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	return text, err == nil && a.Name == "" && a.Address == text && len(text) <= 254 &&
		strings.Count(text, "@") == 1 && !strings.ContainsFunc(text, refused) &&
		coast.Redact(text) == text
}

// address is Address with an error.
func address(text string) (string, error) {
	email, ok := Address(text)
	if !ok {
		return "", invalid("invalid account %q: must be an e-mail address alone, "+
			"such as captain@example.org", email)
	}
	return email, nil
}

// HasPlan reports whether an account can be on the plan.
func (s *Service) HasPlan(name string) bool { return slices.Contains(s.c.Plans.Named(), name) }

// plan returns an error unless an account can be on the plan.
func (s *Service) plan(name string) error {
	if s.HasPlan(name) {
		return nil
	}
	return invalid("invalid plan %q: must be one of %s", name, strings.Join(s.c.Plans.Named(), ", "))
}

// Create creates an account without a key. An empty plan is the free one.
func (s *Service) Create(ctx context.Context, email, plan string) (store.Account, error) {
	a, err := s.newAccount(email, plan)
	if err != nil {
		return a, err
	}
	err = s.c.Store.AddAccount(ctx, a)
	if errors.Is(err, store.ErrExists) {
		err = invalid("account %s exists already; leadline accounts plan moves it to another plan",
			a.Email)
	}
	return a, err
}

// newAccount returns a new account that is not in the store yet.
func (s *Service) newAccount(email, plan string) (store.Account, error) {
	email, err := address(email)
	if err != nil {
		return store.Account{}, err
	}
	plan = cmp.Or(plan, string(access.Free))
	return s.account(email, plan), s.plan(plan)
}

// account returns a new account with an address and a plan that were checked.
func (s *Service) account(email, plan string) store.Account {
	now := s.c.Now().UTC()
	return store.Account{
		ID: edge.NewID(now), Email: email, Plan: plan, Created: now.Truncate(time.Second),
	}
}

// Account returns the account with the address.
func (s *Service) Account(ctx context.Context, email string) (store.Account, error) {
	email, err := address(email)
	if err != nil {
		return store.Account{}, err
	}
	a, err := s.c.Store.AccountByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		err = coast.Errorf(coast.NotFound, "no account %s; leadline accounts list prints all", email)
	}
	return a, err
}

// Summary is an account with its active keys and the units that it used this UTC month.
type Summary struct {
	store.Account
	ActiveKeys int
	Used       uint64
}

// List returns all accounts in order of their addresses.
func (s *Service) List(ctx context.Context) ([]Summary, error) {
	all, err := s.c.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	list := []Summary{}
	for _, a := range all {
		row := Summary{Account: a}
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

// used returns the units that an account used this month.
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

// SetPlan moves an account with all its keys to a plan and returns the account as it was.
func (s *Service) SetPlan(ctx context.Context, email, plan string) (was store.Account, err error) {
	if was, err = s.Account(ctx, email); err != nil {
		return was, err
	}
	return was, s.Move(ctx, was, plan)
}

// Move is SetPlan for an account that is known.
func (s *Service) Move(ctx context.Context, a store.Account, plan string) error {
	if err := s.plan(plan); err != nil || plan == a.Plan {
		return err
	}
	return s.c.Store.SetPlan(ctx, a.ID, plan)
}

// Remove removes an account with its keys, sessions, connected apps and usage.
func (s *Service) Remove(ctx context.Context, email string) (store.Account, error) {
	a, err := s.Account(ctx, email)
	if err != nil {
		return a, err
	}
	return a, s.c.Store.RemoveAccount(ctx, a.ID)
}

// Apps returns the grants of an account that have not expired, the newest first.
func (s *Service) Apps(ctx context.Context, account string) ([]store.Grant, error) {
	grants, err := s.c.Store.GrantsOf(ctx, account)
	now := s.c.Now()
	return slices.DeleteFunc(grants, func(g store.Grant) bool { return !now.Before(g.Expires) }), err
}

// Disconnect removes a grant of an account with all its tokens. A grant of another account,
// or none, is left alone without an error.
func (s *Service) Disconnect(ctx context.Context, account, grant string) error {
	grants, err := s.Apps(ctx, account)
	if !slices.ContainsFunc(grants, func(g store.Grant) bool { return g.ID == grant }) {
		return err
	}
	return s.c.Store.RemoveGrant(ctx, grant)
}

func invalid(format string, args ...any) error {
	return coast.Errorf(coast.InvalidRequest, format, args...)
}
