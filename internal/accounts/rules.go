package accounts

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/mail"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/store"
)

// Store is the part of the store that the rules need.
type Store interface {
	store.Accounts
	store.SignIn
	store.Sessions
	store.Grants
	store.Uses
	store.Endpoints
	store.Events
	store.Watches
}

// Config holds the dependencies and settings of a Service.
type Config struct {
	Store  Store
	Keys   *credential.Keys
	Plans  access.Plans
	Signup string // who may create an account: Closed, Invite or Open
	Now    func() time.Time

	// Months returns the months of an account with the units used in each. While a server runs,
	// the figures come from its gate, which knows the reserved units that are not served yet.
	// Otherwise they come from the store.
	Months func(ctx context.Context, account string) ([]store.Used, error)

	// Base returns the scheme and host of links, or an error if they are unknown.
	Base func() (string, error)
}

// The signup policies: the operator alone creates accounts, people with an invitation link may
// too, or everybody may.
const (
	Closed = "closed"
	Invite = "invite"
	Open   = "open"
)

// rules holds the shared parts of a Service.
type rules struct{ c Config }

// Address returns an account's e-mail address in lower case, and false if the text is not
// exactly one address. It refuses non-ASCII characters, since many look alike, and quoted
// characters.
func Address(text string) (string, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	a, err := mail.ParseAddress(text)
	refused := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	return text, err == nil && a.Name == "" && a.Address == text && len(text) <= 254 &&
		strings.Count(text, "@") == 1 && !strings.ContainsFunc(text, refused) &&
		coast.Redact(text) == text
}

// address is like Address but returns an error.
func address(text string) (string, error) {
	email, ok := Address(text)
	if !ok {
		return "", invalid("invalid account %q: must be an e-mail address alone, "+
			"such as captain@example.org", email)
	}
	return email, nil
}

// HasPlan reports whether an account can be on the plan.
func (r rules) HasPlan(name string) bool { return slices.Contains(r.c.Plans.Named(), name) }

// plan returns an error unless accounts can be on the plan.
func (r rules) plan(name string) error {
	if r.HasPlan(name) {
		return nil
	}
	return invalid("invalid plan %q: must be one of %s", name, strings.Join(r.c.Plans.Named(), ", "))
}

// NewAccount describes an account to create or to invite.
type NewAccount struct {
	Email string `json:"account"`
	Plan  string `json:"plan,omitempty"` // "" is the free plan
}

// newAccount returns a new account that is not in the store yet.
func (r rules) newAccount(n NewAccount) (store.Account, error) {
	email, err := address(n.Email)
	if err != nil {
		return store.Account{}, err
	}
	plan := cmp.Or(n.Plan, string(access.Free))
	return r.account(email, plan), r.plan(plan)
}

// account returns a new account with an address and a plan that have already been checked.
func (r rules) account(email, plan string) store.Account {
	now := r.c.Now().UTC()
	return store.Account{
		ID: edge.NewID(now), Email: email, Plan: plan, Created: store.Second(now),
	}
}

// pageSize is the number of accounts that are read from the store at once.
const pageSize = 500

// all yields all accounts, ordered by address. After an error it yields no more.
func (r rules) all(ctx context.Context) iter.Seq2[store.Account, error] {
	return func(yield func(store.Account, error) bool) {
		for after := ""; ; {
			list, err := r.c.Store.Accounts(ctx, after, pageSize)
			if err != nil {
				yield(store.Account{}, err)
				return
			}
			for _, a := range list {
				if after = a.Email; !yield(a, nil) {
					return
				}
			}
			if len(list) < pageSize {
				return
			}
		}
	}
}

// Account returns the account with the address.
func (r rules) Account(ctx context.Context, email string) (store.Account, error) {
	email, err := address(email)
	if err != nil {
		return store.Account{}, err
	}
	a, err := r.c.Store.AccountByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		err = coast.Errorf(coast.NotFound, "no account %s; leadline accounts list prints all", email)
	}
	return a, err
}

func invalid(format string, args ...any) error {
	return coast.Errorf(coast.InvalidRequest, format, args...)
}
