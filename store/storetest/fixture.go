package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/store"
)

// The nth of each kind. Whatever one trial stores under them, all agree on what
// belongs together: key n has hash n.

func accountID(n int) string { return fmt.Sprintf("0195c0de-0000-7000-8000-%012x", n) }

func anAccount(n int) store.Account {
	return store.Account{ID: accountID(n), Email: fmt.Sprintf("person%d@example.org", n), Plan: "free", Created: noon.Add(time.Duration(n) * time.Hour)}
}

func hash(n int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "secret %d", n)) }

func aKey(n, account int) store.Key {
	return store.Key{
		ID: fmt.Sprintf("key%04d", n), Hash: hash(n), Account: accountID(account), Name: fmt.Sprintf("laptop %d", n),
		Scopes: []string{"raw:read", "mcp:use"}, Created: noon.Add(time.Duration(n) * time.Minute), Expires: noon.AddDate(1, 0, n),
	}
}

func aSession(n, account int) store.Session {
	return store.Session{Hash: hash(n), Account: accountID(account), Created: noon, Expires: noon.Add(time.Duration(n) * time.Hour)}
}

func anIncident(n int) store.Incident {
	return store.Incident{
		ID: accountID(1000 + n), Maintenance: n%2 == 0, Title: fmt.Sprintf("Incident %d", n), Status: "open", Message: "We look into it.",
		From: noon.Add(time.Duration(n) * time.Hour), Until: noon.Add(time.Duration(n+1) * time.Hour), Created: noon, Updated: noon.Add(time.Minute),
	}
}

func aTicket(n int) store.Ticket {
	return store.Ticket{Hash: hash(n), Kind: "invitation", Data: []byte{byte(n), 0xFF, 0, '"'}, Expires: noon.Add(time.Duration(n) * time.Hour)}
}

// A password as it is kept, the nth of an account's.
func aPassword(n, account int) string { return fmt.Sprintf("$argon2id$%d$of$%d", n, account) }

func anIdentity(n, account int) store.Identity {
	return store.Identity{Issuer: fmt.Sprintf("https://id%d.example.org/", n), Subject: fmt.Sprint("subject ", n), Account: accountID(account)}
}

// aJoining makes account n with a password and identity n, for a ticket.
func aJoining(n, ticket int) store.Joining {
	identity := anIdentity(n, 999)
	return store.Joining{Account: anAccount(n), Password: aPassword(0, n), Identity: &identity, Ticket: new(hash(ticket))}
}

func aClient(n int) store.Client {
	c := store.Client{
		ID: fmt.Sprintf("client%04d", n), Method: "none", Name: fmt.Sprintf("Client %d & <co>", n),
		RedirectURIs: []string{"http://127.0.0.1/callback", "https://client.example.org/callback"},
		Created:      noon.Add(time.Duration(n) * time.Minute), Expires: noon.Add(time.Duration(n) * time.Hour),
	}
	if n%2 == 1 {
		c.Secret, c.Method = hash(n), "client_secret_basic"
	}
	return c
}

func grantID(n int) string { return accountID(2000 + n) }

// aGrant is grant n, to client n.
func aGrant(n, account int) store.Grant {
	return store.Grant{
		ID: grantID(n), Account: accountID(account), Client: aClient(n).ID, Name: aClient(n).Name, RedirectURI: "http://127.0.0.1:1234/callback",
		Scopes: []string{"mcp:use", "offline_access"}, Resource: "https://leadline.example.org/pro/mcp",
		Method:  []string{"", "private_key_jwt", "none"}[n%3],
		Created: noon.Add(time.Duration(n) * time.Minute), Expires: noon.Add(time.Duration(n) * time.Hour),
	}
}

// aCode is code n, good for grant n.
func aCode(n, account int) store.Code {
	return store.Code{Hash: hash(n), Grant: aGrant(n, account), Challenge: fmt.Sprint("challenge ", n), Expires: noon.Add(time.Minute)}
}

// token is the hash of a refresh token of grant n.
func token(n, generation int) [32]byte { return hash(10_000 + 1000*n + generation) }

// sealed is the answer that a token got when it was replaced.
func sealed(n, generation int) []byte {
	return fmt.Appendf(nil, "\x00\xFFanswer to token %d of %d", generation, n)
}

// aRotation puts the next token of grant n in the place of the one of a
// generation.
func aRotation(n, generation int, at time.Time) store.Rotation {
	return store.Rotation{
		Grant: grantID(n), From: token(n, generation), To: token(n, generation+1), Sealed: sealed(n, generation),
		At: at, Grace: time.Minute, Expires: at.AddDate(0, 3, 0),
	}
}

// Fill puts something of everything into an empty store: two accounts, each
// with keys, sessions, months, a password and identities, tickets, clients,
// codes, grants, incidents and facts. The first code of an account is not
// redeemed, the others are.
func Fill(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for n := range 2 {
		steps := []error{s.AddAccount(ctx, anAccount(n)), s.SetPassword(ctx, accountID(n), aPassword(0, n), nil)}
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
		steps = append(steps, s.PutIncident(ctx, anIncident(n)), s.SetMeta(ctx, fmt.Sprint("fact", n), []byte{byte(n), 0xFF, 0}))
		for i, err := range steps {
			if err != nil {
				t.Fatalf("filling the store, step %d: %v", i, err)
			}
		}
	}
}

// fillSignIn puts in the nth of what people sign in with and of what they
// connect.
func fillSignIn(ctx context.Context, s store.Store, n, account int) []error {
	return []error{
		s.AddTicket(ctx, aTicket(n)), s.AddIdentity(ctx, anIdentity(n, account)),
		s.AddClient(ctx, aClient(n), 100), s.AddCode(ctx, aCode(n, account)),
	}
}

// Method is a call of a method of the contract.
type Method struct {
	Name   string
	Writes bool // a store that cannot be written to fails it
	Call   func(ctx context.Context, s store.Store) error
}

// Methods calls every method but Close. On a store that Fill has filled each
// succeeds, in this order too, and each that writes changes something that Dump
// shows, but for Ready.
func Methods() []Method {
	me, other := accountID(0), accountID(1)
	return []Method{
		{"AddAccount", true, func(ctx context.Context, s store.Store) error { return s.AddAccount(ctx, anAccount(2)) }},
		{"Account", false, func(ctx context.Context, s store.Store) error { _, err := s.Account(ctx, me); return err }},
		{"AccountByEmail", false, func(ctx context.Context, s store.Store) error {
			_, err := s.AccountByEmail(ctx, anAccount(0).Email)
			return err
		}},
		{"Accounts", false, func(ctx context.Context, s store.Store) error { _, err := s.Accounts(ctx); return err }},
		{"SetPlan", true, func(ctx context.Context, s store.Store) error { return s.SetPlan(ctx, me, "pro") }},
		{"AddKey", true, func(ctx context.Context, s store.Store) error { return s.AddKey(ctx, aKey(5, 0)) }},
		{"AddAccountKey", true, func(ctx context.Context, s store.Store) error {
			_, err := s.AddAccountKey(ctx, anAccount(9), true, aKey(7, 0))
			return err
		}},
		{"Key", false, func(ctx context.Context, s store.Store) error { _, err := s.Key(ctx, aKey(0, 0).ID); return err }},
		{"KeyByHash", false, func(ctx context.Context, s store.Store) error { _, _, err := s.KeyByHash(ctx, hash(0)); return err }},
		{"KeysOf", false, func(ctx context.Context, s store.Store) error { _, err := s.KeysOf(ctx, me); return err }},
		{"RevokeKey", true, func(ctx context.Context, s store.Store) error { return s.RevokeKey(ctx, aKey(0, 0).ID, noon) }},
		{"ReplaceKey", true, func(ctx context.Context, s store.Store) error {
			return s.ReplaceKey(ctx, aKey(1, 0).ID, noon, aKey(6, 0))
		}},
		{"TouchKey", true, func(ctx context.Context, s store.Store) error {
			return s.TouchKey(ctx, aKey(2, 0).ID, noon.Truncate(24*time.Hour), "192.0.2.0/24")
		}},
		{"Reserve", true, func(ctx context.Context, s store.Store) error {
			_, _, err := s.Reserve(ctx, me, 202611, 50, 10_000)
			return err
		}},
		{"Return", true, func(ctx context.Context, s store.Store) error { return s.Return(ctx, me, 202610, 7) }},
		{"Usage", false, func(ctx context.Context, s store.Store) error { _, err := s.Usage(ctx, me, 202610); return err }},
		{"Months", false, func(ctx context.Context, s store.Store) error { _, err := s.Months(ctx, me); return err }},
		{"AddSession", true, func(ctx context.Context, s store.Store) error { return s.AddSession(ctx, aSession(5, 0)) }},
		{"Session", false, func(ctx context.Context, s store.Store) error { _, _, err := s.Session(ctx, hash(0)); return err }},
		{"RemoveSession", true, func(ctx context.Context, s store.Store) error { return s.RemoveSession(ctx, hash(2)) }},
		{"RemoveSessions", true, func(ctx context.Context, s store.Store) error { return s.RemoveSessions(ctx, other) }},
		{"AddTicket", true, func(ctx context.Context, s store.Store) error { return s.AddTicket(ctx, aTicket(5)) }},
		{"Ticket", false, func(ctx context.Context, s store.Store) error { _, err := s.Ticket(ctx, hash(1)); return err }},
		{"TakeTicket", true, func(ctx context.Context, s store.Store) error { _, err := s.TakeTicket(ctx, hash(0)); return err }},
		{"Join", true, func(ctx context.Context, s store.Store) error { return s.Join(ctx, aJoining(3, 1)) }},
		{"Password", false, func(ctx context.Context, s store.Store) error { _, err := s.Password(ctx, me); return err }},
		{"AddIdentity", true, func(ctx context.Context, s store.Store) error { return s.AddIdentity(ctx, anIdentity(5, 0)) }},
		{"AccountByIdentity", false, func(ctx context.Context, s store.Store) error {
			_, err := s.AccountByIdentity(ctx, anIdentity(0, 0).Issuer, anIdentity(0, 0).Subject)
			return err
		}},
		{"AddClient", true, func(ctx context.Context, s store.Store) error { return s.AddClient(ctx, aClient(5), 100) }},
		{"Client", false, func(ctx context.Context, s store.Store) error { _, err := s.Client(ctx, aClient(0).ID); return err }},
		{"AddCode", true, func(ctx context.Context, s store.Store) error { return s.AddCode(ctx, aCode(5, 0)) }},
		{"Code", false, func(ctx context.Context, s store.Store) error { _, err := s.Code(ctx, hash(0)); return err }},
		{"RedeemCode", true, func(ctx context.Context, s store.Store) error {
			_, err := s.RedeemCode(ctx, hash(0), token(0, 0), noon)
			return err
		}},
		{"Grant", false, func(ctx context.Context, s store.Store) error { _, _, err := s.Grant(ctx, grantID(1)); return err }},
		{"GrantsOf", false, func(ctx context.Context, s store.Store) error { _, err := s.GrantsOf(ctx, me); return err }},
		{"Rotate", true, func(ctx context.Context, s store.Store) error {
			_, err := s.Rotate(ctx, aRotation(1, 0, noon.Add(time.Minute)))
			return err
		}},
		{"RemoveGrant", true, func(ctx context.Context, s store.Store) error { return s.RemoveGrant(ctx, grantID(2)) }},
		{"PutIncident", true, func(ctx context.Context, s store.Store) error { return s.PutIncident(ctx, anIncident(2)) }},
		{"Incident", false, func(ctx context.Context, s store.Store) error {
			_, err := s.Incident(ctx, anIncident(0).ID)
			return err
		}},
		{"Incidents", false, func(ctx context.Context, s store.Store) error { _, err := s.Incidents(ctx); return err }},
		{"Meta", false, func(ctx context.Context, s store.Store) error { _, err := s.Meta(ctx, "fact0"); return err }},
		{"SetMeta", true, func(ctx context.Context, s store.Store) error { return s.SetMeta(ctx, "fact0", []byte("new")) }},
		{"Ready", true, func(ctx context.Context, s store.Store) error { return s.Ready(ctx) }},
		{"Sweep", true, func(ctx context.Context, s store.Store) error { return s.Sweep(ctx, noon.Add(90*time.Minute)) }},
		{"SetPassword", true, func(ctx context.Context, s store.Store) error {
			return s.SetPassword(ctx, me, aPassword(1, 0), new(hash(2)))
		}},
		{"RemoveAccount", true, func(ctx context.Context, s store.Store) error { return s.RemoveAccount(ctx, me) }},
	}
}

// Dump returns all rows of a store as text, and what the methods return for what the trials store:
// equal stores have equal texts.
func Dump(t *testing.T, s Engine) string {
	t.Helper()
	var b strings.Builder
	say := func(name string, value any, err error) {
		if err != nil {
			value = nil
		}
		fmt.Fprintf(&b, "%s: %+v %v\n", name, value, err)
	}
	ctx := t.Context()
	list, err := s.Accounts(ctx)
	say("accounts", list, err)
	for _, a := range list {
		keys, err := s.KeysOf(ctx, a.ID)
		say("keys of "+a.ID, keys, err)
		months, err := s.Months(ctx, a.ID)
		say("months of "+a.ID, months, err)
		byEmail, err := s.AccountByEmail(ctx, a.Email)
		say("by its address", byEmail, err)
		password, err := s.Password(ctx, a.ID)
		say("its password", password, err)
		grants, err := s.GrantsOf(ctx, a.ID)
		say("its grants", grants, err)
	}
	for n := range 20 {
		k, owner, err := s.KeyByHash(ctx, hash(n))
		say(fmt.Sprint("key ", n), []any{k, owner}, err)
		session, owner, err := s.Session(ctx, hash(n))
		say(fmt.Sprint("session ", n), []any{session, owner}, err)
		fact, err := s.Meta(ctx, fmt.Sprint("fact", n))
		say(fmt.Sprint("fact ", n), fact, err)
		dumpSignIn(ctx, s, n, say)
	}
	incidents, err := s.Incidents(ctx)
	say("incidents", incidents, err)
	err = s.Rows(ctx, func(table, row string) { fmt.Fprintf(&b, "row of %s: %s\n", table, row) })
	say("rows", nil, err)
	return b.String()
}

// dumpSignIn says the nth of what people sign in with and of what they connect.
func dumpSignIn(ctx context.Context, s store.Store, n int, say func(string, any, error)) {
	ticket, err := s.Ticket(ctx, hash(n))
	say(fmt.Sprint("ticket ", n), ticket, err)
	owner, err := s.AccountByIdentity(ctx, anIdentity(n, 0).Issuer, anIdentity(n, 0).Subject)
	say(fmt.Sprint("identity ", n), owner, err)
	client, err := s.Client(ctx, aClient(n).ID)
	say(fmt.Sprint("client ", n), client, err)
	code, err := s.Code(ctx, hash(n))
	say(fmt.Sprint("code ", n), code, err)
	grant, owner, err := s.Grant(ctx, grantID(n))
	say(fmt.Sprint("grant ", n), []any{grant, owner}, err)
}
