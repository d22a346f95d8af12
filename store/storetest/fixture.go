package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/store"
)

// Records by number. All trials use the same associations: key n has hash n.

func accountID(n int) string { return fmt.Sprintf("0195c0de-0000-7000-8000-%012x", n) }

func anAccount(n int) store.Account {
	return store.Account{
		ID:      accountID(n),
		Email:   fmt.Sprintf("person%d@example.org", n),
		Plan:    "free",
		Created: noon.Add(time.Duration(n) * time.Hour),
	}
}

func hash(n int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "secret %d", n)) }

func aKey(n, account int) store.Key {
	return store.Key{
		ID:      fmt.Sprintf("key%04d", n),
		Hash:    hash(n),
		Account: accountID(account),
		Name:    fmt.Sprintf("laptop %d", n),
		Scopes:  []string{"raw:read", "mcp:use"},
		Created: noon.Add(time.Duration(n) * time.Minute),
		Expires: noon.AddDate(1, 0, n),
	}
}

// aTouch returns a use of key n.
func aTouch(n int) store.Touch {
	day := noon.Truncate(24 * time.Hour)
	return store.Touch{Key: aKey(n, 0).ID, Day: day, Address: "192.0.2.0/24"}
}

func aSession(n, account int) store.Session {
	return store.Session{
		Hash:    hash(n),
		Account: accountID(account),
		Created: noon,
		Expires: noon.Add(time.Duration(n) * time.Hour),
		Agent:   fmt.Sprint("Firefox on \u2068Windows\u2069 ", n),
		Seen:    20261121,
	}
}

// anIncident returns an incident with n updates.
func anIncident(n int) store.Incident {
	var updates []store.IncidentUpdate
	for u := range n {
		updates = append(updates, store.IncidentUpdate{
			At: noon.Add(time.Duration(u) * time.Minute), Status: fmt.Sprint("state ", u),
			Message: fmt.Sprintf("Update %d: \u2068„quotes“\u2069 & <tags>.\n", u),
		})
	}
	return store.Incident{
		ID:          accountID(1000 + n),
		Maintenance: n%2 == 0,
		Title:       fmt.Sprintf("Incident %d", n),
		Status:      "open",
		Message:     "We are investigating.",
		From:        noon.Add(time.Duration(n) * time.Hour),
		Until:       noon.Add(time.Duration(n+1) * time.Hour),
		Created:     noon,
		Updated:     noon.Add(time.Minute),
		Updates:     updates,
	}
}

func aTicket(n int) store.Ticket {
	return store.Ticket{
		Hash:    hash(n),
		Kind:    "invitation",
		Data:    []byte{byte(n), 0xFF, 0, '"'},
		Expires: noon.Add(time.Duration(n) * time.Hour),
	}
}

// aPassword returns the encoded hash of password n of an account.
func aPassword(n, account int) string { return fmt.Sprintf("$argon2id$%d$of$%d", n, account) }

func anIdentity(n, account int) store.Identity {
	return store.Identity{
		Issuer:  fmt.Sprintf("https://id%d.example.org/", n),
		Subject: fmt.Sprint("subject ", n),
		Account: accountID(account),
	}
}

// aJoining returns a joining that creates account n with a password and identity n for a ticket.
func aJoining(n, ticket int) store.Joining {
	identity := anIdentity(n, 999)
	return store.Joining{
		Account:  anAccount(n),
		Password: aPassword(0, n),
		Identity: &identity,
		Ticket:   new(hash(ticket)),
	}
}

func aClient(n int) store.Client {
	c := store.Client{
		ID:           fmt.Sprintf("client%04d", n),
		Method:       "none",
		Name:         fmt.Sprintf("Client %d & <co>", n),
		RedirectURIs: []string{"http://127.0.0.1/callback", "https://client.example.org/callback"},
		Created:      noon.Add(time.Duration(n) * time.Minute),
		Expires:      noon.Add(time.Duration(n) * time.Hour),
	}
	if n%2 == 1 {
		c.Secret, c.Method = hash(n), "client_secret_basic"
	}
	return c
}

func grantID(n int) string { return accountID(2000 + n) }

// aGrant returns grant n, of client n.
func aGrant(n, account int) store.Grant {
	return store.Grant{
		ID:          grantID(n),
		Account:     accountID(account),
		Client:      aClient(n).ID,
		Name:        aClient(n).Name,
		RedirectURI: "http://127.0.0.1:1234/callback",
		Scopes:      []string{"mcp:use", "offline_access"},
		Resource:    "https://leadline.example.org/pro/mcp",
		Method:      []string{"", "private_key_jwt", "none"}[n%3],
		Created:     noon.Add(time.Duration(n) * time.Minute),
		Expires:     noon.Add(time.Duration(n) * time.Hour),
	}
}

// aCode returns code n, which can be redeemed for grant n.
func aCode(n, account int) store.Code {
	return store.Code{
		Hash:      hash(n),
		Grant:     aGrant(n, account),
		Challenge: fmt.Sprint("challenge ", n),
		Expires:   noon.Add(time.Minute),
	}
}

// aFact returns the value of fact n.
func aFact(n int) []byte { return []byte{byte(n), 0xFF, 0} }

func aUse(account int, day store.Day, surface string) store.Use {
	return store.Use{
		Account: accountID(account),
		Day:     day,
		Surface: surface,
		Served:  uint32(100 + account),
		Refused: uint32(account),
	}
}

// someStates returns a component in each state.
func someStates() map[string]string {
	return map[string]string{
		"API":         store.ComponentOK,
		"NOAA CO-OPS": store.ComponentDegraded,
		"NWS":         store.ComponentDown,
	}
}

// token returns the hash of a refresh token of grant n.
func token(n, generation int) [32]byte { return hash(10_000 + 1000*n + generation) }

// sealed returns the sealed response to the rotation of a token.
func sealed(n, generation int) []byte {
	return fmt.Appendf(nil, "\x00\xFFresponse to token %d of %d", generation, n)
}

// aRotation returns the rotation that replaces the token of a generation of grant n by the next.
func aRotation(n, generation int, at time.Time) store.Rotation {
	return store.Rotation{
		Grant:   grantID(n),
		From:    token(n, generation),
		To:      token(n, generation+1),
		Sealed:  sealed(n, generation),
		At:      at,
		Grace:   time.Minute,
		Expires: at.AddDate(0, 3, 0),
	}
}

// Fill adds rows of every kind to an empty store: two accounts, each with keys, sessions, months,
// days of use, a password and identities, tickets, clients, codes, grants, endpoints, events,
// watches, incidents, facts and days of components. The first code of each account is not redeemed,
// the others are.
func Fill(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for n := range 2 {
		steps := []error{
			s.AddAccount(ctx, anAccount(n)),
			s.SetPassword(ctx, accountID(n), aPassword(0, n), nil),
		}
		for i := range 3 {
			steps = append(steps, s.AddKey(ctx, aKey(10*n+i, n)), s.AddSession(ctx, aSession(10*n+i, n)))
			_, _, err := s.Reserve(ctx, accountID(n), store.Month(202609+i), 64, 10_000)
			steps = append(steps, err)
			steps = append(steps, fillSignIn(ctx, s, 10*n+i, n)...)
		}
		for i := 1; i < 3; i++ {
			_, err := s.RedeemCode(ctx, hash(10*n+i), token(10*n+i, 0), noon)
			steps = append(steps, err)
		}
		steps = append(
			steps,
			s.PutIncident(ctx, anIncident(n)),
			s.SwapMeta(ctx, fmt.Sprint("fact", n), nil, aFact(n)),
			s.AddUses(ctx, []store.Use{aUse(n, 20261120, "mcp"), aUse(n, 20261121, "rest")}),
			s.MarkMinute(ctx, noon.AddDate(0, 0, n), someStates()),
		)
		steps = append(steps, fillOutbox(ctx, s, n)...)
		for i, err := range steps {
			if err != nil {
				t.Fatalf("filling the store, step %d: %v", i, err)
			}
		}
	}
}

// fillSignIn adds ticket, identity, client and code n.
func fillSignIn(ctx context.Context, s store.Store, n, account int) []error {
	return []error{
		s.AddTicket(ctx, aTicket(n)), s.AddIdentity(ctx, anIdentity(n, account)),
		s.AddClient(ctx, aClient(n), 100), s.AddCode(ctx, aCode(n, account)),
	}
}

// Method is a call of a method of the contract.
type Method struct {
	Name   string
	Writes bool // fails on a store that cannot be written to
	Call   func(ctx context.Context, s store.Store) error
}

// Methods returns calls of every method except Close. On a store filled by Fill each succeeds,
// alone and in this order. Each that writes, except Ready, changes the result of Dump.
func Methods() []Method {
	me, other := accountID(0), accountID(1)
	return append([]Method{
		{"AddAccount", true, func(ctx context.Context, s store.Store) error {
			return s.AddAccount(ctx, anAccount(2))
		}},
		{"Account", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Account(ctx, me))
		}},
		{"AccountByEmail", false, func(ctx context.Context, s store.Store) error {
			return drop(s.AccountByEmail(ctx, anAccount(0).Email))
		}},
		{"Accounts", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Accounts(ctx, "", math.MaxInt))
		}},
		{"HasAccounts", false, func(ctx context.Context, s store.Store) error {
			return drop(s.HasAccounts(ctx))
		}},
		{"PlansInUse", false, func(ctx context.Context, s store.Store) error {
			return drop(s.PlansInUse(ctx))
		}},
		{"SetPlan", true, func(ctx context.Context, s store.Store) error {
			return s.SetPlan(ctx, me, "pro")
		}},
		{"AddKey", true, func(ctx context.Context, s store.Store) error {
			return s.AddKey(ctx, aKey(5, 0))
		}},
		{"AddAccountKey", true, func(ctx context.Context, s store.Store) error {
			return drop(s.AddAccountKey(ctx, anAccount(9), true, aKey(7, 0)))
		}},
		{"Key", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Key(ctx, aKey(0, 0).ID))
		}},
		{"KeyByHash", false, func(ctx context.Context, s store.Store) error {
			return dropTwo(s.KeyByHash(ctx, hash(0)))
		}},
		{"KeysOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.KeysOf(ctx, me))
		}},
		{"RevokeKey", true, func(ctx context.Context, s store.Store) error {
			return s.RevokeKey(ctx, aKey(0, 0).ID, noon)
		}},
		{"ReplaceKey", true, func(ctx context.Context, s store.Store) error {
			return s.ReplaceKey(ctx, aKey(1, 0).ID, noon, aKey(6, 0))
		}},
		{"TouchKeys", true, func(ctx context.Context, s store.Store) error {
			return s.TouchKeys(ctx, []store.Touch{aTouch(2)})
		}},
		{"Reserve", true, func(ctx context.Context, s store.Store) error {
			return dropTwo(s.Reserve(ctx, me, 202611, 50, 10_000))
		}},
		{"Return", true, func(ctx context.Context, s store.Store) error {
			return s.Return(ctx, me, 202610, 7)
		}},
		{"Usage", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Usage(ctx, me, 202610))
		}},
		{"Months", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Months(ctx, me))
		}},
		{"AddSession", true, func(ctx context.Context, s store.Store) error {
			return s.AddSession(ctx, aSession(5, 0))
		}},
		{"Session", false, func(ctx context.Context, s store.Store) error {
			return dropTwo(s.Session(ctx, hash(0)))
		}},
		{"SessionsOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.SessionsOf(ctx, me))
		}},
		{"TouchSession", true, func(ctx context.Context, s store.Store) error {
			return s.TouchSession(ctx, hash(1), 20261122)
		}},
		{"RemoveSession", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveSession(ctx, hash(2))
		}},
		{"RemoveSessions", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveSessions(ctx, other)
		}},
		{"AddTicket", true, func(ctx context.Context, s store.Store) error {
			return s.AddTicket(ctx, aTicket(5))
		}},
		{"Ticket", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Ticket(ctx, hash(1)))
		}},
		{"TakeTicket", true, func(ctx context.Context, s store.Store) error {
			return drop(s.TakeTicket(ctx, hash(0)))
		}},
		{"Join", true, func(ctx context.Context, s store.Store) error {
			return s.Join(ctx, aJoining(3, 1))
		}},
		{"Password", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Password(ctx, me))
		}},
		{"AddIdentity", true, func(ctx context.Context, s store.Store) error {
			return s.AddIdentity(ctx, anIdentity(5, 0))
		}},
		{"AccountByIdentity", false, func(ctx context.Context, s store.Store) error {
			return drop(s.AccountByIdentity(ctx, anIdentity(0, 0).Issuer, anIdentity(0, 0).Subject))
		}},
		{"IdentitiesOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.IdentitiesOf(ctx, me))
		}},
		{"RemoveIdentity", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveIdentity(ctx, anIdentity(1, 0))
		}},
		{"AddClient", true, func(ctx context.Context, s store.Store) error {
			return s.AddClient(ctx, aClient(5), 100)
		}},
		{"Client", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Client(ctx, aClient(0).ID))
		}},
		{"AddCode", true, func(ctx context.Context, s store.Store) error {
			return s.AddCode(ctx, aCode(5, 0))
		}},
		{"Code", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Code(ctx, hash(0)))
		}},
		{"RedeemCode", true, func(ctx context.Context, s store.Store) error {
			return drop(s.RedeemCode(ctx, hash(0), token(0, 0), noon))
		}},
		{"Grant", false, func(ctx context.Context, s store.Store) error {
			return dropTwo(s.Grant(ctx, grantID(1)))
		}},
		{"GrantsOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.GrantsOf(ctx, me))
		}},
		{"Rotate", true, func(ctx context.Context, s store.Store) error {
			return drop(s.Rotate(ctx, aRotation(1, 0, noon.Add(time.Minute))))
		}},
		{"RemoveGrant", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveGrant(ctx, grantID(2))
		}},
		{"PutIncident", true, func(ctx context.Context, s store.Store) error {
			return s.PutIncident(ctx, anIncident(2))
		}},
		{"Incident", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Incident(ctx, anIncident(0).ID))
		}},
		{"Incidents", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Incidents(ctx, time.Time{}, 1000))
		}},
		{"Meta", false, func(ctx context.Context, s store.Store) error {
			return drop(s.Meta(ctx, "fact0"))
		}},
		{"SwapMeta", true, func(ctx context.Context, s store.Store) error {
			return s.SwapMeta(ctx, "fact0", aFact(0), []byte("new"))
		}},
		{"AddUses", true, func(ctx context.Context, s store.Store) error {
			return s.AddUses(ctx, []store.Use{aUse(0, 20261121, "mcp")})
		}},
		{"UsesOf", false, func(ctx context.Context, s store.Store) error {
			return drop(s.UsesOf(ctx, me, 20261101, 20261130))
		}},
		{"MarkMinute", true, func(ctx context.Context, s store.Store) error {
			return s.MarkMinute(ctx, noon.Add(time.Minute), someStates())
		}},
		{"ComponentDays", false, func(ctx context.Context, s store.Store) error {
			return drop(s.ComponentDays(ctx, 20261101))
		}},
		{"Ready", true, func(ctx context.Context, s store.Store) error {
			return s.Ready(ctx)
		}},
		{"Sweep", true, func(ctx context.Context, s store.Store) error {
			return drop(s.Sweep(ctx, noon.Add(90*time.Minute), 1000))
		}},
		{"SetPassword", true, func(ctx context.Context, s store.Store) error {
			return s.SetPassword(ctx, me, aPassword(1, 0), new(hash(2)))
		}},
		{"RemoveAccount", true, func(ctx context.Context, s store.Store) error {
			return s.RemoveAccount(ctx, me)
		}},
	}, slices.Concat(outboxMethods(), instanceMethods())...)
}

// drop returns the error of a call with one other result.
func drop[T any](_ T, err error) error { return err }

// dropTwo returns the error of a call with two other results.
func dropTwo[T, U any](_ T, _ U, err error) error { return err }

// Dump returns all rows of a store as text, and the results of the methods for the records of the
// trials: equal stores have equal texts.
func Dump(t *testing.T, s Engine) string {
	t.Helper()
	var b strings.Builder
	add := func(name string, value any, err error) {
		if err != nil {
			value = nil
		}
		fmt.Fprintf(&b, "%s: %+v %v\n", name, value, err)
	}
	ctx := t.Context()
	list, err := s.Accounts(ctx, "", math.MaxInt)
	add("accounts", list, err)
	for _, a := range list {
		keys, err := s.KeysOf(ctx, a.ID)
		add("keys of "+a.ID, keys, err)
		months, err := s.Months(ctx, a.ID)
		add("months of "+a.ID, months, err)
		byEmail, err := s.AccountByEmail(ctx, a.Email)
		add("by its address", byEmail, err)
		password, err := s.Password(ctx, a.ID)
		add("its password", password, err)
		grants, err := s.GrantsOf(ctx, a.ID)
		add("its grants", grants, err)
		sessions, err := s.SessionsOf(ctx, a.ID)
		add("its sessions", sessions, err)
		identities, err := s.IdentitiesOf(ctx, a.ID)
		add("its identities", identities, err)
		uses, err := s.UsesOf(ctx, a.ID, 0, 99991231)
		add("its uses", uses, err)
		dumpOutbox(ctx, s, a.ID, add)
	}
	for n := range 20 {
		k, owner, err := s.KeyByHash(ctx, hash(n))
		add(fmt.Sprint("key ", n), []any{k, owner}, err)
		session, owner, err := s.Session(ctx, hash(n))
		add(fmt.Sprint("session ", n), []any{session, owner}, err)
		fact, err := s.Meta(ctx, fmt.Sprint("fact", n))
		add(fmt.Sprint("fact ", n), fact, err)
		dumpSignIn(ctx, s, n, add)
	}
	incidents, err := s.Incidents(ctx, time.Time{}, 1000)
	add("incidents", incidents, err)
	days, err := s.ComponentDays(ctx, 0)
	add("component days", days, err)
	backlog, err := s.Backlog(ctx)
	add("backlog", backlog, err)
	dumpRows(ctx, s, &b)
	return b.String()
}

// dumpRows adds all rows.
func dumpRows(ctx context.Context, s Engine, to *strings.Builder) {
	err := s.Rows(ctx, func(table, row string) { fmt.Fprintf(to, "row of %s: %s\n", table, row) })
	fmt.Fprintf(to, "rows: %v\n", err)
}

// dumpSignIn adds ticket, identity, client, code and grant n.
func dumpSignIn(ctx context.Context, s store.Store, n int, add func(string, any, error)) {
	ticket, err := s.Ticket(ctx, hash(n))
	add(fmt.Sprint("ticket ", n), ticket, err)
	owner, err := s.AccountByIdentity(ctx, anIdentity(n, 0).Issuer, anIdentity(n, 0).Subject)
	add(fmt.Sprint("identity ", n), owner, err)
	client, err := s.Client(ctx, aClient(n).ID)
	add(fmt.Sprint("client ", n), client, err)
	code, err := s.Code(ctx, hash(n))
	add(fmt.Sprint("code ", n), code, err)
	grant, owner, err := s.Grant(ctx, grantID(n))
	add(fmt.Sprint("grant ", n), []any{grant, owner}, err)
}
