package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// linkLife describes how long a link can be used.
var linkLife = fmt.Sprintf("can be used once within %.0f hours", admin.LinkLife.Hours())

// accountsCommand returns leadline accounts.
func (p *program) accountsCommand() *cobra.Command {
	return group("accounts", "Manage accounts",
		p.addAccountCommand(), p.listAccountsCommand(), p.planAccountCommand(),
		p.inviteAccountCommand(), p.resetAccountCommand(), p.removeAccountCommand())
}

func (p *program) addAccountCommand() *cobra.Command {
	var n admin.NewAccount
	c := uses(&cobra.Command{
		Use: "add EMAIL", Short: "Create an account without a key", Args: takes("EMAIL"),
		RunE: p.manage(creating, func(ctx context.Context, c *admin.Client, args []string) error {
			n.Email = args[0]
			a, err := c.CreateAccount(ctx, n)
			if err != nil {
				return err
			}
			return p.printf("account %s created, on the plan %s\n", a.Email, a.Plan)
		}),
	}, "data", "plans")
	addPlan(c, &n.Plan, "`PLAN` of the account (default free)")
	return p.addYes(c)
}

func (p *program) planAccountCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "plan EMAIL PLAN", Short: "Move an account with all its keys to another plan",
		Args: takes("EMAIL", "PLAN"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			change, err := c.SetPlan(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			if change.From == change.To {
				return p.printf("account %s is on the plan %s already\n", change.Email, change.To)
			}
			return p.printf("account %s moved from the plan %s to %s\n",
				change.Email, change.From, change.To)
		}),
	}, "data", "plans")
}

func (p *program) listAccountsCommand() *cobra.Command {
	var asJSON bool
	c := uses(&cobra.Command{
		Use: "list", Short: "List accounts with plan, active keys and usage of this UTC month",
		Args: takes(),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, _ []string) error {
			list, err := c.Accounts(ctx)
			if err != nil {
				return err
			}
			none := "no accounts; leadline keys create creates one with its first key"
			return printList(p, asJSON, list, none, accountRows)
		}),
	}, "data")
	p.addList(c, &asJSON)
	return c
}

func accountRows(list []admin.Account) [][]string {
	used := "USED " + time.Now().UTC().Format("2006-01")
	rows := [][]string{{"ACCOUNT", "PLAN", "KEYS", used, "CREATED"}}
	for _, a := range list {
		rows = append(rows, []string{
			a.Email, a.Plan, strconv.Itoa(a.ActiveKeys), strconv.FormatUint(a.Used, 10),
			a.CreatedAt.Format(time.DateOnly),
		})
	}
	return rows
}

func (p *program) inviteAccountCommand() *cobra.Command {
	var n admin.NewAccount
	c := uses(&cobra.Command{
		Use: "invite EMAIL", Short: "Print a link by which a person creates an account",
		Long: "Print a link by which a person creates an account and its password. The link " + linkLife +
			". No mail is sent.",
		Args: takes("EMAIL"),
		RunE: p.manage(creating, func(ctx context.Context, c *admin.Client, args []string) error {
			n.Email = args[0]
			link, err := c.Invite(ctx, n)
			if err != nil {
				return err
			}
			does := "creates an account for " + link.Email + ", on the plan " + link.Plan
			return p.printLink(c, link, does)
		}),
	}, "data", "plans", "base-url", "listen", "signup")
	addPlan(c, &n.Plan, "`PLAN` that the account will have (default free)")
	return p.addYes(c)
}

func (p *program) resetAccountCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "reset EMAIL", Short: "Print a link by which a person sets a new password",
		Long: "Print a link by which a person sets the password of an account. Using it ends the " +
			"sessions, connected apps and provider identities of the account. The link " + linkLife +
			". No mail is sent.",
		Args: takes("EMAIL"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			link, err := c.ResetPassword(ctx, args[0])
			if err != nil {
				return err
			}
			does := "sets a new password for " + link.Email +
				", which ends its sessions, connected apps and provider identities"
			return p.printLink(c, link, does)
		}),
	}, "data", "base-url", "listen")
}

// printLink prints only a link on standard output, and its description on
// standard error.
func (p *program) printLink(c *admin.Client, link admin.Link, does string) error {
	if c.Local() && p.config.BaseURL == "" {
		base, _, _ := strings.Cut(link.URL, "/oauth/")
		p.notef("no server runs on %s: the link assumes that one will at %s; "+
			"--listen and --base-url name another address\n", p.dataFolder(), base)
	}
	p.notef("the link %s; it %s; no mail was sent\n", does, linkLife)
	return p.printf("%s\n", link.URL)
}

func (p *program) removeAccountCommand() *cobra.Command {
	remove := p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
		a, err := c.RemoveAccount(ctx, args[0])
		if err != nil {
			return err
		}
		return p.printf("account %s removed, with its keys and connected apps\n", a.Email)
	})
	return p.addYes(uses(&cobra.Command{
		Use: "remove EMAIL", Short: "Remove an account with all that belongs to it",
		Long: "Remove an account with its keys, webhooks, watches, sessions, connected apps and usage. " +
			"Only a backup can bring them back.",
		Args: takes("EMAIL"),
		RunE: func(c *cobra.Command, args []string) error {
			question := "Remove the account " + args[0] + " with all its keys, connected " +
				"apps, webhooks and watches?"
			if err := p.confirm(question, "the account "+args[0]+" was not removed"); err != nil {
				return err
			}
			return remove(c, args)
		},
	}, "data"))
}
