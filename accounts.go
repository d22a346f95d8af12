package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/edge"
	"leadline/oauth"
	"leadline/store"
)

func accountVerbs() []verb {
	return []verb{
		{name: "accounts add", takes: "EMAIL [-plan PLAN]", words: 1, with: begun, bind: addAccount,
			about: "Makes an account without a key. leadline keys create makes accounts too."},
		{name: "accounts list", takes: "[-json]", bind: listAccounts,
			about: "Lists the accounts: plan, keys that are let in, requests of this UTC month."},
		{name: "accounts plan", takes: "EMAIL PLAN", words: 2, bind: planAccount,
			about: "Moves an account to another plan, with all its keys."},
		{name: "accounts invite", takes: "EMAIL [-plan PLAN]", words: 1, with: begun, bind: inviteAccount,
			about: "Prints a link by which a person makes an account with the address, and a password. It is " + goodOnce + ". No mail is sent."},
		{name: "accounts reset", takes: "EMAIL", words: 1, bind: resetAccount,
			about: "Prints a link by which a person gives an account a password, in place of the one it may have. It is " + goodOnce + ". No mail is sent."},
		{name: "accounts remove", takes: "EMAIL [-yes]", words: 1, bind: removeAccount, here: confirmRemoval,
			about: "Removes an account with its keys, its sessions, the apps that it has connected and what its months have used. There is no way back but a backup."},
	}
}

// address reads the e-mail address of an account.
func address(text string) (string, error) {
	email, ok := oauth.Address(text)
	if !ok {
		return "", fmt.Errorf("an account is named by an e-mail address alone, such as captain@example.org, not %q", email)
	}
	return email, nil
}

// plan fails where an account cannot be on a plan.
func (d *desk) plan(name string) error {
	if names := d.plans.Named(); !slices.Contains(names, name) {
		return fmt.Errorf("there is no plan %q; there are %s", name, strings.Join(names, ", "))
	}
	return nil
}

// account finds the account with an address.
func (d *desk) account(ctx context.Context, email string) (store.Account, error) {
	email, err := address(email)
	if err != nil {
		return store.Account{}, err
	}
	a, err := d.store.AccountByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		return a, fmt.Errorf("there is no account %s; leadline accounts list tells which there are", email)
	}
	return a, err
}

// accounts are the one with an address, all where none is given.
func (d *desk) accounts(ctx context.Context, email string) ([]store.Account, error) {
	if email == "" {
		return d.store.Accounts(ctx)
	}
	a, err := d.account(ctx, email)
	return []store.Account{a}, err
}

// open makes an account.
func (d *desk) open(ctx context.Context, email, plan string) (store.Account, error) {
	a := d.newAccount(email, plan)
	return a, d.store.AddAccount(ctx, a)
}

// accountFor returns the account that a command names by an address and a plan, if it is a new one.
func (d *desk) accountFor(email, plan string) (a store.Account, err error) {
	if email, err = address(email); err != nil {
		return a, err
	}
	plan = cmp.Or(plan, string(access.Free))
	return d.newAccount(email, plan), d.plan(plan)
}

func (d *desk) newAccount(email, plan string) store.Account {
	now := d.now()
	return store.Account{ID: edge.NewID(now), Email: email, Plan: plan, Created: now.UTC().Truncate(time.Second)}
}

// move puts an account on a plan.
func (d *desk) move(ctx context.Context, a store.Account, plan string, told io.Writer) (store.Account, error) {
	if plan == a.Plan {
		fmt.Fprintf(told, "account %s is on the plan %s already\n", a.Email, plan)
		return a, nil
	}
	if err := d.store.SetPlan(ctx, a.ID, plan); err != nil {
		return a, err
	}
	fmt.Fprintf(told, "account %s moved from the plan %s to %s\n", a.Email, a.Plan, plan)
	a.Plan = plan
	return a, nil
}

func addAccount(own *flag.FlagSet) errand {
	plan := own.String("plan", string(access.Free), "`PLAN` that the account is on")
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		email, err := address(words[0])
		if err != nil {
			return err
		}
		if err := d.plan(*plan); err != nil {
			return err
		}
		_, err = d.open(ctx, email, *plan)
		if errors.Is(err, store.ErrExists) {
			return fmt.Errorf("there is an account %s already; leadline accounts plan moves it to another plan", email)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "account %s created, on the plan %s\n", email, *plan)
		return err
	}
}

func planAccount(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		a, err := d.account(ctx, words[0])
		if err != nil {
			return err
		}
		if err := d.plan(words[1]); err != nil {
			return err
		}
		_, err = d.move(ctx, a, words[1], s.out)
		return err
	}
}

// accountRow is an account as accounts list tells it.
type accountRow struct {
	ID         string    `json:"id"`
	Account    string    `json:"account"`
	Plan       string    `json:"plan"`
	ActiveKeys int       `json:"activeKeys"`
	Used       uint64    `json:"usedThisMonth"`
	CreatedAt  time.Time `json:"createdAt"`
}

func (r accountRow) cells() []string {
	return []string{r.Account, r.Plan, strconv.Itoa(r.ActiveKeys), strconv.FormatUint(r.Used, 10), r.CreatedAt.Format(time.DateOnly)}
}

func listAccounts(own *flag.FlagSet) errand {
	asJSON := own.Bool("json", false, "print them as JSON")
	return func(ctx context.Context, d *desk, _ []string, s streams) error {
		rows, err := d.accountRows(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(s.out, rows)
		}
		if len(rows) == 0 {
			fmt.Fprintln(s.err, "no accounts; leadline keys create makes one, and its first key")
			return nil
		}
		lines := [][]string{{"ACCOUNT", "PLAN", "KEYS", "USED " + d.now().UTC().Format("2006-01"), "CREATED"}}
		for _, r := range rows {
			lines = append(lines, r.cells())
		}
		return table(s.out, lines)
	}
}

func (d *desk) accountRows(ctx context.Context) ([]accountRow, error) {
	accounts, err := d.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	rows := []accountRow{}
	for _, a := range accounts {
		r := accountRow{ID: a.ID, Account: a.Email, Plan: a.Plan, CreatedAt: a.Created}
		if r.ActiveKeys, err = d.activeKeys(ctx, a.ID); err != nil {
			return nil, err
		}
		if r.Used, err = d.used(ctx, a.ID); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// activeKeys is how many keys of an account are let in.
func (d *desk) activeKeys(ctx context.Context, account string) (n int, err error) {
	keys, err := d.keys.List(ctx, account)
	for _, k := range keys {
		if access.State(k, d.now()) == access.Active {
			n++
		}
	}
	return n, err
}

// used is what an account has used of this month. What a server has reserved
// and not served yet it knows alone.
func (d *desk) used(ctx context.Context, account string) (uint64, error) {
	now := store.MonthOf(d.now())
	if d.months == nil {
		return d.store.Usage(ctx, account, now)
	}
	months, err := d.months(ctx, account)
	for _, m := range months {
		if m.Month == now {
			return m.Units, err
		}
	}
	return 0, err
}

func removeAccount(own *flag.FlagSet) errand {
	own.Bool("yes", false, "do not ask")
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		a, err := d.account(ctx, words[0])
		if err != nil {
			return err
		}
		if err := d.store.RemoveAccount(ctx, a.ID); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "account %s is removed, with its keys and connected apps\n", a.Email)
		return err
	}
}

// confirmRemoval asks the person at the terminal.
func confirmRemoval(o *order, s streams) error {
	if o.own.Lookup("yes").Value.String() == "true" {
		return nil
	}
	if !terminal(s.in) {
		return fmt.Errorf("there is no terminal to ask at whether %s is really meant: -yes says that it is", o.words[0])
	}
	if !confirmed(s, "Remove the account "+o.words[0]+" with all its keys and connected apps, for good?") {
		return errors.New("nothing was removed")
	}
	return nil
}

// confirmed asks a question that only yes answers.
func confirmed(s streams, question string) bool {
	fmt.Fprintf(s.err, "%s Type yes: ", question)
	answer, _ := bufio.NewReader(s.in).ReadString('\n')
	return strings.TrimSpace(answer) == "yes"
}
