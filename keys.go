package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/store"
)

// usualScopes are what a key is for where nobody says.
var usualScopes = []string{access.RawRead, access.MCPUse, access.DecisionRead, access.UsageRead}

func keyVerbs() []verb {
	return []verb{
		{name: "keys create", takes: "-account EMAIL [-plan PLAN] [-scopes LIST] [-name NAME] [-expires WHEN]", with: begun, bind: createKey,
			about: "Makes a key and prints it, this once. An account that there is not is made."},
		{name: "keys list", takes: "[-account EMAIL] [-json]", bind: listKeys,
			about: "Lists the keys of all accounts, or of one. The keys themselves are not kept."},
		{name: "keys revoke", takes: "ID", words: 1, bind: revokeKey,
			about: "Kills a key: its next request is refused. ID is its 7 characters, as keys list has them, or the whole key."},
		{name: "keys reroll", takes: "ID [-grace TIME]", words: 1, bind: rerollKey,
			about: "Makes a key in the place of another and prints it, this once. The old one lives on for the grace."},
	}
}

// keyOrder is what keys create is told.
type keyOrder struct{ account, plan, scopes, name, expires string }

func createKey(own *flag.FlagSet) errand {
	var k keyOrder
	own.StringVar(&k.account, "account", "", "`EMAIL` address of the account that the key is for")
	own.StringVar(&k.plan, "plan", "", "`PLAN` to put the account on; without it a new one is on "+string(access.Free))
	own.StringVar(&k.scopes, "scopes", strings.Join(usualScopes, ","), "`LIST` of what the key may be used for, parted by commas, out of "+strings.Join(access.Scopes(), ", "))
	own.StringVar(&k.name, "name", "", "`NAME` of the key, for people")
	own.StringVar(&k.expires, "expires", "never", "`WHEN` it dies: after a time (720h), on a day (2027-01-31, at 00:00 UTC), at a time (RFC 3339), or never")
	return k.create
}

func (k *keyOrder) create(ctx context.Context, d *desk, _ []string, s streams) error {
	n, err := k.wanted(d.now())
	if err != nil {
		return err
	}
	account, err := d.accountFor(k.account, k.plan)
	if err != nil {
		return err
	}
	secret, made, before, err := d.keys.CreateFor(ctx, account, k.plan != "", n)
	if err != nil {
		return err
	}
	switch {
	case before.ID == "":
		fmt.Fprintf(s.err, "account %s created, on the plan %s\n", account.Email, account.Plan)
	case k.plan != "" && before.Plan != k.plan:
		fmt.Fprintf(s.err, "account %s moved from the plan %s to %s\n", account.Email, before.Plan, k.plan)
	}
	return hand(s, secret, made, account)
}

// wanted is the key that is asked for, but for its account.
func (k *keyOrder) wanted(now time.Time) (n access.NewKey, err error) {
	n = access.NewKey{Name: k.name, Scopes: split(k.scopes)}
	if n.Expires, err = expiry(k.expires, now); err != nil {
		return n, err
	}
	return n, n.Check(now)
}

// expiry reads when a key dies.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "never" {
		return time.Time{}, nil
	}
	if after, err := time.ParseDuration(text); err == nil {
		return now.UTC().Truncate(time.Second).Add(after), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("-expires must be a time from now such as 720h, a day such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or never, not %q", text)
}

// hand prints a key that was made, and nothing else on standard output.
func hand(s streams, secret string, made store.Key, of store.Account) error {
	fmt.Fprintf(s.err, "key %s of %s for %s, expires: %s; it is not kept and cannot be shown again\n",
		access.Shown(made.ID), of.Email, strings.Join(made.Scopes, ", "), timeOr(made.Expires, time.RFC3339, "never"))
	_, err := fmt.Fprintln(s.out, secret)
	return err
}

// keyRow is a key as keys list tells it.
type keyRow struct {
	ID          string     `json:"id"`
	Account     string     `json:"account"`
	Plan        string     `json:"plan"`
	Name        string     `json:"name"`
	Scopes      []string   `json:"scopes"`
	State       string     `json:"state"`
	CreatedAt   time.Time  `json:"createdAt"`
	ExpiresAt   *time.Time `json:"expiresAt"`
	RevokedAt   *time.Time `json:"revokedAt"`
	LastUsedOn  string     `json:"lastUsedOn,omitempty"`
	LastNetwork string     `json:"lastNetwork,omitempty"`
	Replaces    string     `json:"replaces,omitempty"`
}

func (d *desk) keyRow(k store.Key, of store.Account) keyRow {
	return keyRow{
		ID: k.ID, Account: of.Email, Plan: of.Plan, Name: k.Name, Scopes: k.Scopes, State: access.State(k, d.now()),
		CreatedAt: k.Created, ExpiresAt: whenKnown(k.Expires), RevokedAt: whenKnown(k.Revoked),
		LastUsedOn: timeOr(k.LastUsed, time.DateOnly, ""), LastNetwork: k.LastAddress, Replaces: k.From,
	}
}

// cells are the row as a person reads it.
func (r keyRow) cells() []string {
	expires := "never"
	if r.ExpiresAt != nil {
		expires = r.ExpiresAt.Format(toTheMinute)
	}
	return []string{
		access.Shown(r.ID), r.Account, r.Plan, cmp.Or(r.Name, "-"), strings.Join(r.Scopes, ","), r.State,
		r.CreatedAt.Format(time.DateOnly), expires, cmp.Or(r.LastUsedOn, "-"),
	}
}

func listKeys(own *flag.FlagSet) errand {
	email := own.String("account", "", "list the keys of the account with the `EMAIL` address alone")
	asJSON := own.Bool("json", false, "print all that is known of them as JSON")
	return func(ctx context.Context, d *desk, _ []string, s streams) error {
		rows, err := d.keyRows(ctx, *email)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(s.out, rows)
		}
		if len(rows) == 0 {
			fmt.Fprintln(s.err, "no keys; leadline keys create makes one")
			return nil
		}
		lines := [][]string{{"ID", "ACCOUNT", "PLAN", "NAME", "SCOPES", "STATE", "CREATED", "EXPIRES (UTC)", "LAST USED"}}
		for _, r := range rows {
			lines = append(lines, r.cells())
		}
		return table(s.out, lines)
	}
}

// keyRows are the keys of an account, of all where none is named.
func (d *desk) keyRows(ctx context.Context, email string) ([]keyRow, error) {
	accounts, err := d.accounts(ctx, email)
	if err != nil {
		return nil, err
	}
	rows := []keyRow{}
	for _, a := range accounts {
		keys, err := d.keys.List(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			rows = append(rows, d.keyRow(k, a))
		}
	}
	return rows, nil
}

// errNoID does not repeat what was typed: it may be a key, but for a letter.
var errNoID = errors.New("a key is named by the 7 letters and digits after " + access.Prefix + ", as leadline keys list has them, or by the whole of it; this is neither")

// key finds a key and its account by what a person calls it.
func (d *desk) key(ctx context.Context, text string) (k store.Key, of store.Account, err error) {
	id, ok := access.KeyID(text)
	if !ok {
		return k, of, errNoID
	}
	if k, err = d.keys.Key(ctx, id); err != nil {
		return k, of, err
	}
	of, err = d.store.Account(ctx, k.Account)
	return k, of, err
}

func revokeKey(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		k, of, err := d.key(ctx, words[0])
		if err != nil {
			return err
		}
		if !k.Revoked.IsZero() {
			_, err = fmt.Fprintf(s.out, "key %s of %s was revoked on %s\n", access.Shown(k.ID), of.Email, k.Revoked.Format(time.RFC3339))
			return err
		}
		if err := d.keys.Revoke(ctx, k.ID); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "key %s of %s is revoked\n", access.Shown(k.ID), of.Email)
		return err
	}
}

// graces are how -grace is written.
func graces() string { return "0, 1h, 24h or 7d" }

func rerollKey(own *flag.FlagSet) errand {
	text := own.String("grace", "24h", "`TIME` that the old key lives on: "+graces())
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		grace, err := time.ParseDuration(strings.Replace(*text, "7d", "168h", 1))
		if err != nil || !slices.Contains(access.Graces, grace) {
			return fmt.Errorf("-grace must be %s, not %q", graces(), *text)
		}
		old, of, err := d.key(ctx, words[0])
		if err != nil {
			return err
		}
		secret, made, err := d.keys.Reroll(ctx, old.ID, grace)
		if err != nil {
			return err
		}
		if old, err = d.keys.Key(ctx, old.ID); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "key %s dies on %s\n", access.Shown(old.ID), old.Expires.Format(time.RFC3339))
		return hand(s, secret, made, of)
	}
}
