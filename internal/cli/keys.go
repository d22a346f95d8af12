package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// keysCommand returns leadline keys.
func (p *program) keysCommand() *cobra.Command {
	return group("keys", "Manage API keys",
		p.createKeyCommand(), p.listKeysCommand(), p.replaceKeyCommand(), p.revokeKeyCommand())
}

// keyID describes how to name a key.
const keyID = "ID is the 7 characters that keys list shows, or the whole key."

func (p *program) createKeyCommand() *cobra.Command {
	var n admin.NewKey
	var scopes string
	c := uses(&cobra.Command{
		Use: "create --account EMAIL", Short: "Create an API key and print it",
		Long: "Create an API key and print it. It is not stored and cannot be printed again. The " +
			"account is created if there is none.",
		Example: "leadline keys create --account ann@example.org\n" +
			"leadline keys create --account ann@example.org --plan pro --name bridge --expires 720h",
		Args: takes(),
		RunE: p.manage(creating, func(ctx context.Context, c *admin.Client, _ []string) error {
			n.Scopes = strings.FieldsFunc(scopes, func(r rune) bool { return r == ',' || r == ' ' })
			created, err := c.CreateKey(ctx, n)
			if err != nil {
				return err
			}
			k := created.Key
			switch {
			case created.NewAccount:
				p.notef("account %s created, on the plan %s\n", k.Email, k.Plan)
			case created.PlanBefore != k.Plan:
				p.notef("account %s moved from the plan %s to %s\n", k.Email, created.PlanBefore, k.Plan)
			}
			return p.printKey(created.Secret, k)
		}),
	}, "data", "plans")
	flags := c.Flags()
	flags.StringVar(&n.Email, "account", "", "`EMAIL` address of the account")
	addPlan(c, &n.Plan, "`PLAN` to put the account on; a new account is on free")
	flags.StringVar(&scopes, "scopes", strings.Join(admin.DefaultScopes(), ","),
		"`LIST` of scopes, comma-separated, out of "+strings.Join(admin.Scopes(), ", "))
	flags.StringVar(&n.Name, "name", "", "`NAME` of the key, for people")
	flags.StringVar(&n.Expires, "expires", "never",
		"`WHEN` the key expires: a duration (720h), a day (2027-01-31, at 00:00 UTC), "+
			"a time (RFC 3339), or never")
	return p.addYes(requires(c, "account"))
}

// printKey prints only a new key on standard output, and its description on
// standard error.
func (p *program) printKey(secret string, k admin.Key) error {
	expires := "never"
	if k.ExpiresAt != nil {
		expires = k.ExpiresAt.Format(time.RFC3339)
	}
	p.notef("key %s of %s for %s, expires: %s; copy it now, it is not stored and cannot be "+
		"shown again\n", k.Shown(), k.Email, strings.Join(k.Scopes, ", "), expires)
	return p.printf("%s\n", secret)
}

func (p *program) listKeysCommand() *cobra.Command {
	var email string
	var asJSON bool
	c := uses(&cobra.Command{
		Use: "list", Short: "List API keys, without their secrets", Args: takes(),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, _ []string) error {
			list, err := c.Keys(ctx, email)
			if err != nil {
				return err
			}
			return printList(p, asJSON, list, "no keys; leadline keys create creates one", keyRows)
		}),
	}, "data")
	c.Flags().StringVar(&email, "account", "",
		"`EMAIL` address of the account; all accounts if not given")
	p.addList(c, &asJSON)
	return c
}

func keyRows(list []admin.Key) [][]string {
	rows := [][]string{{
		"ID", "ACCOUNT", "PLAN", "NAME", "SCOPES", "STATE", "CREATED", "EXPIRES (UTC)", "LAST USED",
	}}
	for _, k := range list {
		expires := "never"
		if k.ExpiresAt != nil {
			expires = k.ExpiresAt.Format(minutes)
		}
		rows = append(rows, []string{
			k.Shown(), k.Email, k.Plan, cmp.Or(k.Name, "-"), strings.Join(k.Scopes, ","), string(k.State),
			k.CreatedAt.Format(time.DateOnly), expires, cmp.Or(k.LastUsedOn, "-"),
		})
	}
	return rows
}

func (p *program) revokeKeyCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key: its next request is refused",
		Long: "Revoke an API key: its next request is refused. " + keyID,
		Args: takes("ID"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			revoked, err := c.RevokeKey(ctx, args[0])
			if err != nil {
				return err
			}
			k := revoked.Key
			if revoked.Before && k.RevokedAt != nil {
				return p.printf("key %s of %s was revoked on %s\n",
					k.Shown(), k.Email, k.RevokedAt.Format(time.RFC3339))
			}
			return p.printf("key %s of %s is revoked\n", k.Shown(), k.Email)
		}),
	}, "data")
}

func (p *program) replaceKeyCommand() *cobra.Command {
	var grace string
	c := uses(&cobra.Command{
		Use: "replace ID", Aliases: []string{"reroll"},
		Short: "Create an API key in place of another and print it",
		Long: "Create an API key in place of another and print it. It is not stored and cannot be " +
			"printed again. The old key stays active for the grace. " + keyID,
		Args: takes("ID"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			replaced, err := c.ReplaceKey(ctx, args[0], grace)
			if err != nil {
				return err
			}
			if old := replaced.Old; old.ExpiresAt != nil {
				p.notef("key %s expires on %s\n", old.Shown(), old.ExpiresAt.Format(time.RFC3339))
			}
			return p.printKey(replaced.Secret, replaced.Key)
		}),
	}, "data")
	c.Flags().StringVar(&grace, "grace", "24h",
		"`TIME` that the old key stays active: 0, 1h, 24h or 7d")
	return c
}
