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

// Fill puts something of everything into an empty store: two accounts, each
// with keys, sessions and months, incidents and facts.
func Fill(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for n := range 2 {
		steps := []error{s.AddAccount(ctx, anAccount(n))}
		for i := range 3 {
			steps = append(steps, s.AddKey(ctx, aKey(10*n+i, n)), s.AddSession(ctx, aSession(10*n+i, n)))
			_, _, err := s.Reserve(ctx, accountID(n), store.Month(202609+i), 64, 10_000)
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
		{"RemoveAccount", true, func(ctx context.Context, s store.Store) error { return s.RemoveAccount(ctx, me) }},
	}
}

// Dump is all that can be had from a store of what the trials store, as text:
// equal stores have equal texts.
func Dump(t *testing.T, s store.Store) string {
	t.Helper()
	var b strings.Builder
	say := func(name string, value any, err error) { fmt.Fprintf(&b, "%s: %+v %v\n", name, value, err) }
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
	}
	for n := range 20 {
		k, owner, err := s.KeyByHash(ctx, hash(n))
		say(fmt.Sprint("key ", n), []any{k, owner}, err)
		session, owner, err := s.Session(ctx, hash(n))
		say(fmt.Sprint("session ", n), []any{session, owner}, err)
		fact, err := s.Meta(ctx, fmt.Sprint("fact", n))
		say(fmt.Sprint("fact ", n), fact, err)
	}
	incidents, err := s.Incidents(ctx)
	say("incidents", incidents, err)
	return b.String()
}
