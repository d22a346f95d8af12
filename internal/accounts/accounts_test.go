package accounts

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/store"
	"leadline/store/bolt"
)

// bench is a service on a store in a temporary folder, with a settable clock.
type bench struct {
	*Service
	*testing.T
	store *bolt.Store
	time  time.Time
	base  string
}

// newBench returns a bench at noon; change may change the Config.
func newBench(t *testing.T, change ...func(*Config)) *bench {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "leadline.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b := &bench{
		T: t, store: s, base: "https://tides.example.org",
		time: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
	now := func() time.Time { return b.time }
	c := Config{
		Store: s, Keys: credential.NewKeys(s, credential.Pepper{1}, now), Plans: access.BuiltIn(),
		Signup: Invite, Now: now, Months: s.Months,
		Base: func() (string, error) { return b.base, nil },
	}
	for _, f := range change {
		f(&c)
	}
	b.Service = New(c)
	return b
}

// create creates an account on the plan free.
func (b *bench) create(email string) store.Account {
	b.Helper()
	if _, err := b.Create(b.Context(), NewAccount{Email: email}); err != nil {
		b.Fatal(err)
	}
	a, err := b.Account(b.Context(), email)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"captain@example.org":                     "captain@example.org",
		" Captain@Example.ORG\n":                  "captain@example.org",
		"first.last+tag@sub.example.org":          "first.last+tag@sub.example.org",
		strings.Repeat("a", 242) + "@example.org": strings.Repeat("a", 242) + "@example.org",
		strings.Repeat("a", 243) + "@example.org": "",
		"":                              "",
		"captain":                       "",
		"Captain <captain@example.org>": "",
		"mate@ship@example.org":         "",
		`"mate@ship"@example.org`:       "",
		`"mate"@example.org`:            "",
		"сaptain@example.org":           "", // a Cyrillic first letter
		"ldl_live_" + strings.Repeat("x", 46) + "@a.org": "",
	} {
		got, ok := Address(text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Address(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestCreate(t *testing.T) {
	b := newBench(t)
	made, err := b.Create(t.Context(), NewAccount{Email: "Mate@example.org", Plan: "pro"})
	want := store.Account{ID: made.ID, Email: "mate@example.org", Plan: "pro", Created: b.time}
	if err != nil || made != summary(want) || len(made.ID) != 36 {
		t.Errorf("Create = %+v, %v, want %+v", made, err, want)
	}
	if got, err := b.Account(t.Context(), " mate@EXAMPLE.org"); err != nil || got != want {
		t.Errorf("Account = %+v, %v, want %+v", got, err, want)
	}
}

// TestRefusals checks that an error describes the problem and how to fix it, and that nothing
// is created or changed.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	b.create("mate@example.org")
	ctx := t.Context()
	scopes := []string{credential.RawRead}
	misspelled := "ldl_live_" + strings.Repeat("x", 46)
	create := func(n NewKey) error {
		_, err := b.CreateKey(ctx, n)
		return err
	}
	of := func(_ any, err error) error { return err }
	for _, test := range []struct {
		err  error
		code coast.Code
		says string
	}{
		{of(b.Create(ctx, NewAccount{"mate", ""})), coast.InvalidRequest, `invalid account "mate"`},
		{of(b.Create(ctx, NewAccount{"cook@example.org", "gold"})), coast.InvalidRequest,
			`invalid plan "gold": must be one of free, pro`},
		{of(b.Create(ctx, NewAccount{"Mate@example.org", ""})), coast.InvalidRequest,
			"mate@example.org exists already; leadline accounts plan"},
		{of(b.SetPlan(ctx, "mate@example.org", "anonymous")), coast.InvalidRequest,
			`invalid plan "anonymous"`},
		{of(b.SetPlan(ctx, "cook@example.org", "pro")), coast.NotFound,
			"no account cook@example.org; leadline accounts list"},
		{of(b.Remove(ctx, "cook@example.org")), coast.NotFound, "no account cook@example.org"},
		{of(b.Keys(ctx, "cook@example.org")), coast.NotFound, "no account cook@example.org"},
		{create(NewKey{Scopes: scopes}), coast.InvalidRequest, "such as captain@example.org"},
		{create(NewKey{Email: "cook@example.org", Plan: "gold", Scopes: scopes}), coast.InvalidRequest,
			`invalid plan "gold"`},
		{create(NewKey{Email: "cook@example.org"}), coast.InvalidRequest, "a key needs a scope"},
		{create(NewKey{Email: "cook@example.org", Scopes: []string{"raw:write"}}), coast.InvalidRequest,
			`no scope "raw:write"`},
		{create(NewKey{Email: "cook@example.org", Scopes: scopes, Expires: "-1h"}),
			coast.InvalidRequest, "must be in the future, such as 720h, "},
		{create(NewKey{Email: "cook@example.org", Scopes: scopes, Expires: "soon"}),
			coast.InvalidRequest, `invalid expiry "soon"`},
		{of(b.ReplaceKey(ctx, misspelled, "1h")), coast.InvalidRequest, "invalid key id"},
		{of(b.RevokeKey(ctx, misspelled)), coast.InvalidRequest, "invalid key id"},
		{of(b.ReplaceKey(ctx, "1234567", "1h")), coast.NotFound, `no key "1234567"`},
		{of(b.ReplaceKey(ctx, "1234567", "2h")), coast.InvalidRequest, `invalid grace "2h"`},
	} {
		var e *coast.Error
		if !errors.As(test.err, &e) || e.Code != test.code || !strings.Contains(e.Message, test.says) {
			t.Errorf("got %v, want %s with %q", test.err, test.code, test.says)
		} else if strings.Contains(e.Message, misspelled) {
			t.Errorf("%v repeats what may be a key with a typing error", e)
		}
	}
	if list, err := b.List(ctx); err != nil || len(list) != 1 || list[0].ActiveKeys != 0 {
		t.Errorf("List = %+v, %v, want the one account without keys", list, err)
	}
}

func TestListRemove(t *testing.T) {
	b := newBench(t)
	mate := b.create("mate@example.org")
	b.create("cook@example.org")
	for _, revoked := range []bool{false, true} {
		k, err := b.CreateKey(t.Context(), NewKey{Email: mate.Email, Scopes: DefaultScopes()})
		if err != nil {
			t.Fatal(err)
		}
		if revoked {
			b.RevokeKey(t.Context(), k.Secret)
		}
	}
	for month, units := range map[store.Month]uint64{202610: 7, 202611: 3} {
		if _, _, err := b.store.Reserve(t.Context(), mate.ID, month, units, 10); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Email != "cook@example.org" || list[0].Used != 0 ||
		list[1].ID != mate.ID || list[1].ActiveKeys != 1 || list[1].Used != 3 {
		t.Errorf("List = %+v, %v, want cook, and mate with 1 key and 3 units", list, err)
	}
	if a, err := b.Remove(t.Context(), mate.Email); err != nil || a != summary(mate) {
		t.Errorf("Remove = %+v, %v, want %+v", a, err, mate)
	}
	if keys, err := b.Keys(t.Context(), ""); err != nil || len(keys) != 0 {
		t.Errorf("Keys = %+v, %v, want none", keys, err)
	}
}

func TestSetPlan(t *testing.T) {
	b := newBench(t)
	b.create("mate@example.org")
	for _, want := range []string{"free", "pro"} { // the second changes nothing
		got, err := b.SetPlan(t.Context(), "Mate@example.org", "pro")
		if err != nil || got != (PlanChange{"mate@example.org", want, "pro"}) {
			t.Errorf("SetPlan = %+v, %v, want a move from %q", got, err, want)
		}
	}
	if a, err := b.Account(t.Context(), "mate@example.org"); err != nil || a.Plan != "pro" {
		t.Errorf("the account is %+v, %v, want it on pro", a, err)
	}
}

func TestParseExpiry(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 5, time.UTC)
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"never":                     "0001-01-01T00:00:00Z",
		"720h":                      "2026-12-20T12:00:00Z",
		"2027-01-31":                "2027-01-31T00:00:00Z",
		"2027-01-31T12:00:00-05:00": "2027-01-31T17:00:00Z",
		"soon":                      "",
		"2027-02-31":                "",
	} {
		got, err := parseExpiry(text, now)
		if (err == nil) != (want != "") || err == nil && got.Format(time.RFC3339Nano) != want {
			t.Errorf("parseExpiry(%q) = %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestParseGrace(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 168 * time.Hour, "168h": 168 * time.Hour,
		"2h": -1, "": -1, "-1h": -1, "17d": -1,
	} {
		got, err := parseGrace(text)
		if (err == nil) != (want >= 0) || err == nil && got != want {
			t.Errorf("parseGrace(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestKeys follows a key from its creation to its revocation.
func TestKeys(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	n := NewKey{
		Email: "Mate@example.org", Name: "bridge", Scopes: []string{credential.RawRead}, Expires: "720h",
	}
	first, err := b.CreateKey(ctx, n)
	ends := b.time.Add(720 * time.Hour)
	want := Key{
		ID: first.Key.ID, Email: "mate@example.org", Plan: "free", Name: "bridge", Scopes: n.Scopes,
		State: credential.Active, CreatedAt: b.time, ExpiresAt: &ends,
	}
	if err != nil || !first.NewAccount || first.PlanBefore != "" ||
		!reflect.DeepEqual(first.Key, want) {
		t.Fatalf("CreateKey = %+v, %v, want a new account and %+v", first, err, want)
	}
	n.Plan = "pro"
	second, err := b.CreateKey(ctx, n)
	if err != nil || second.NewAccount || second.PlanBefore != "free" || second.Key.Plan != "pro" {
		t.Fatalf("CreateKey = %+v, %v, want the account moved to pro", second, err)
	}
	n.Plan = ""
	third, err := b.CreateKey(ctx, n)
	if err != nil || third.PlanBefore != "pro" || third.Key.Plan != "pro" {
		t.Fatalf("CreateKey = %+v, %v, want the account left on pro", third, err)
	}
	r, err := b.ReplaceKey(ctx, first.Key.Shown(), "1h")
	if err != nil || r.Old.ID != first.Key.ID || !r.Old.ExpiresAt.Equal(b.time.Add(time.Hour)) ||
		r.Key.Replaces != first.Key.ID || r.Key.Name != "bridge" || r.Key.Plan != "pro" {
		t.Errorf("ReplaceKey = %+v, %v", r, err)
	}
	k, err := b.RevokeKey(ctx, r.Secret)
	if err != nil || k.Before || k.Key.ID != r.Key.ID || !k.Key.RevokedAt.Equal(b.time) {
		t.Errorf("RevokeKey = %+v, %v, want it revoked now", k, err)
	}
	b.time = b.time.Add(2 * time.Hour)
	again, err := b.RevokeKey(ctx, k.Key.ID)
	if err != nil || !again.Before || !again.Key.RevokedAt.Equal(*k.Key.RevokedAt) {
		t.Errorf("RevokeKey = %+v, %v, want it revoked before", again, err)
	}
	keys, err := b.Keys(ctx, "mate@example.org")
	states := map[string]string{}
	for _, k := range keys {
		states[k.ID] = string(k.State)
	}
	wantStates := map[string]string{
		first.Key.ID: string(credential.Expired), second.Key.ID: string(credential.Active),
		third.Key.ID: string(credential.Active),
		r.Key.ID:     string(credential.Revoked),
	}
	if err != nil || !maps.Equal(states, wantStates) {
		t.Errorf("Keys = %v, %v, want %v", states, err, wantStates)
	}
}

// TestApps checks that an account sees and removes only its own grants.
func TestApps(t *testing.T) {
	b := newBench(t)
	mate, cook := b.create("mate@example.org"), b.create("cook@example.org")
	for i, g := range []store.Grant{
		{ID: "mates", Account: mate.ID, Expires: b.time.Add(time.Hour)},
		{ID: "expired", Account: mate.ID, Expires: b.time},
		{ID: "cooks", Account: cook.ID, Expires: b.time.Add(time.Hour)},
	} {
		code := [32]byte{byte(i)}
		g.Client, g.Created, g.Scopes = "client", b.time, []string{credential.MCPUse}
		err := b.store.AddCode(t.Context(), store.Code{Hash: code, Grant: g, Expires: g.Expires})
		if err == nil {
			_, err = b.store.RedeemCode(t.Context(), code, [32]byte{byte(10 + i)}, b.time)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ids := func(account string) (list []string) {
		apps, err := b.Apps(t.Context(), account)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range apps {
			list = append(list, g.ID)
		}
		return list
	}
	if got := ids(mate.ID); !slices.Equal(got, []string{"mates"}) {
		t.Errorf("Apps = %q, want mates", got)
	}
	for _, id := range []string{"cooks", "none", "mates"} {
		if err := b.Disconnect(t.Context(), mate.ID, id); err != nil {
			t.Errorf("Disconnect(%s): %v", id, err)
		}
	}
	if got := slices.Concat(ids(mate.ID), ids(cook.ID)); !slices.Equal(got, []string{"cooks"}) {
		t.Errorf("after Disconnect the apps are %q, want cooks", got)
	}
}

// TestMonths checks that the gate's count takes precedence over the store's.
func TestMonths(t *testing.T) {
	down := errors.New("down")
	for _, want := range []error{nil, down} {
		b := newBench(t, func(c *Config) {
			c.Months = func(context.Context, string) ([]store.Used, error) {
				return []store.Used{{Month: 202611, Units: 5}}, want
			}
		})
		b.create("mate@example.org")
		list, err := b.List(t.Context())
		if !errors.Is(err, want) || err == nil && list[0].Used != 5 {
			t.Errorf("List = %+v, %v, want 5 units or %v", list, err, want)
		}
	}
}
