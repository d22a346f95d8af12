package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// webhooksCommand returns leadline webhooks.
func (p *program) webhooksCommand() *cobra.Command {
	return group("webhooks", "Manage webhooks: URLs that receive events",
		p.createWebhookCommand(), p.listWebhooksCommand(), p.testWebhookCommand(),
		p.rotateWebhookCommand(), p.enableWebhookCommand(), p.disableWebhookCommand(),
		p.removeWebhookCommand(), p.deliveriesCommand(), p.replayCommand())
}

// webhookID describes how to name an endpoint.
const webhookID = "ID is an id that webhooks list shows, or its first 4 or more characters, with " +
	"or without we_."

// ofAccount adds the flag for the account that a command is about, which it requires.
func ofAccount(c *cobra.Command, email *string) *cobra.Command {
	c.Flags().StringVar(email, "account", "", "`EMAIL` address of the account")
	return requires(c, "account")
}

// aboutEvents is like manage for commands about webhooks, events and watches.
func (p *program) aboutEvents(
	f func(ctx context.Context, c *admin.Client, args []string) error,
) runE {
	return p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
		return asCommand(f(ctx, c, args))
	})
}

// noteLater prints when something is not sent at once: events are off, or no server runs.
func (p *program) noteLater(ctx context.Context, c *admin.Client, what string) {
	if !p.noteOff(ctx, c) && c.Local() {
		p.notef("no server runs on %s: %s sent when one does\n", p.dataFolder(), what)
	}
}

// noteOff prints and reports that events are off where the command is executed.
func (p *program) noteOff(ctx context.Context, c *admin.Client) (off bool) {
	h, err := c.Health(ctx)
	if err == nil && h.WebhooksOff {
		p.notef("nothing is sent, because --webhooks is off\n")
	}
	return h.WebhooksOff
}

func (p *program) createWebhookCommand() *cobra.Command {
	var email, kinds string
	var n admin.NewWebhook
	c := uses(&cobra.Command{
		Use: "create URL --account EMAIL", Short: "Register a webhook endpoint and print its secret",
		Long: "Register a webhook endpoint and print its signing secret, which cannot be printed " +
			"again. The endpoint is pending and receives a test; the first 2xx response to a test " +
			"enables it.",
		Example: "leadline webhooks create https://hooks.example.com/leadline \\\n" +
			"  --account ann@example.org\n" +
			"leadline webhooks create https://hooks.example.com/leadline \\\n" +
			"  --account ann@example.org --events quota.warning,quota.exceeded",
		Args: takes("URL"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			n.URL, n.Events = args[0], listOf(kinds)
			made, err := c.CreateWebhook(ctx, email, n)
			if err != nil {
				return err
			}
			p.notef("endpoint %s created; it is pending: a 2xx response to its test enables it\n",
				made.Webhook.ID)
			p.noteLater(ctx, c, "the test is")
			return p.printSecret(made)
		}),
	}, "data", "plans", "base-url", "webhook-private")
	ofAccount(c, &email)
	flags := c.Flags()
	flags.StringVar(&kinds, "events", admin.AllKinds,
		"`LIST` of kinds of events, comma-separated; * means all, future ones too")
	flags.StringVar(&n.Description, "description", "",
		"`TEXT` on one line, at most 120 characters, for people")
	completes(c, "events", append([]string{admin.AllKinds}, admin.EventKinds()...))
	return c
}

// listOf returns the items of a comma-separated list.
func listOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// completes makes the shell complete the values of a flag.
func completes(c *cobra.Command, flag string, values []string) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic("cli: " + err.Error()) // the flag does not exist, or is completed already
	}
}

// printSecret prints only the secret of an endpoint on standard output.
func (p *program) printSecret(made admin.SecretWebhook) error {
	p.notef("copy the secret now, it cannot be shown again\n")
	return p.printf("%s\n", made.Secret)
}

func (p *program) listWebhooksCommand() *cobra.Command {
	var email string
	var asJSON bool
	c := uses(&cobra.Command{
		Use: "list --account EMAIL", Short: "List the webhook endpoints of an account",
		Long: "List the webhook endpoints of an account: pending ones have not accepted a test yet, " +
			"disabled ones were disabled by their owner, suspended ones by the server. Waiting " +
			"counts the deliveries that are not made yet. Long URLs are shortened; --json has them whole.",
		Args: takes(),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, _ []string) error {
			list, err := c.Webhooks(ctx, email)
			if err != nil {
				return err
			}
			none := "no webhook endpoints; leadline webhooks create registers one"
			if err := printList(p, asJSON, list, none, webhookRows); err != nil || asJSON {
				return err
			}
			p.noteTrouble(list)
			p.noteOff(ctx, c)
			return nil
		}),
	}, "data")
	ofAccount(c, &email)
	p.addList(c, &asJSON)
	return c
}

func webhookRows(list []admin.Webhook) [][]string {
	rows := [][]string{{"ID", "STATE", "EVENTS", "WAITING", "LAST", "URL"}}
	for _, w := range list {
		rows = append(rows, []string{
			w.ID, webhookState(w), subscription(w), fmt.Sprint(w.Pending), lastOf(w), w.URL,
		})
	}
	return clipped(rows)
}

// noteTrouble prints what the operator can do about endpoints to which nothing is sent.
func (p *program) noteTrouble(list []admin.Webhook) {
	for _, w := range list {
		switch {
		case w.DisabledReason != nil:
			p.notef("%s is suspended: %s\n", w.ID, suspensions[string(*w.DisabledReason)])
		case w.FailingSince != nil && receives(w):
			p.notef("%s: all attempts since %s UTC failed\n", w.ID, w.FailingSince.Format(minutes))
		}
		if w.PausedUntil != nil && receives(w) {
			p.notef("%s: no attempt before %s UTC\n", w.ID, w.PausedUntil.Format(minutes))
		}
	}
}

// suspensions say why endpoints are suspended and what helps.
var suspensions = map[string]string{
	"gone":    "it responded with 410; leadline webhooks enable sends a test",
	"failing": "all attempts of five days failed; leadline webhooks enable sends a test",
	"secret":  "the pepper has changed and its secret is lost; leadline webhooks rotate makes another",
}

// receives reports whether tests are sent to an endpoint.
func receives(w admin.Webhook) bool { return w.State == "enabled" || w.State == "pending" }

// webhookState returns the state of an endpoint, with the reason of a suspension.
func webhookState(w admin.Webhook) string {
	if w.DisabledReason != nil {
		return string(w.State) + ": " + string(*w.DisabledReason)
	}
	return string(w.State)
}

// subscription says to how many kinds of events an endpoint subscribes.
func subscription(w admin.Webhook) string {
	switch {
	case len(w.Events) == 1 && w.Events[0] != admin.AllKinds:
		return "1 kind"
	case len(w.Events) > 1:
		return fmt.Sprintf("%d kinds", len(w.Events))
	}
	return "all"
}

// lastOf returns the outcome of the last attempt for an endpoint.
func lastOf(w admin.Webhook) string {
	if w.Last == nil {
		return "-"
	}
	return outcome(*w.Last)
}

// outcome returns the outcome of an attempt: the status of the response, or the error.
func outcome(a admin.Attempt) string {
	switch {
	case a.Error != nil && a.Status != nil && *a.Error != "status":
		return fmt.Sprintf("%s %d", *a.Error, *a.Status)
	case a.Status != nil:
		return fmt.Sprint(*a.Status)
	case a.Error != nil:
		return string(*a.Error)
	}
	return "-"
}

func (p *program) testWebhookCommand() *cobra.Command {
	var email string
	c := uses(&cobra.Command{
		Use: "test ID --account EMAIL", Short: "Send a test to a webhook endpoint",
		Long: "Send a test to a webhook endpoint and print the response. The exit code is 1 if the " +
			"endpoint does not respond with 2xx. If no server runs, the test is sent when one does. " +
			webhookID,
		Args: takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			tested, err := c.TestWebhook(ctx, email, args[0])
			if err != nil && ctx.Err() != nil {
				return fmt.Errorf("%w; leadline webhooks deliveries %s shows the test if it was sent", err,
					args[0])
			}
			if err != nil {
				return err
			}
			p.noteLater(ctx, c, "the test of "+tested.Webhook.ID+" is")
			return p.printTest(tested, c.Local())
		}),
	}, "data")
	return ofAccount(c, &email)
}

// printTest prints the first attempt of a test, or returns why it failed. There need not be one if
// no server runs.
func (p *program) printTest(tested admin.TestedWebhook, local bool) error {
	id, attempts := tested.Webhook.ID, tested.Test.Attempts
	switch {
	case len(attempts) == 0 && local:
		return nil
	case len(attempts) == 0:
		return fmt.Errorf("no attempt has ended within %s: leadline webhooks deliveries %s shows it",
			admin.TestPatience, id)
	}
	last := attempts[len(attempts)-1]
	if last.Error != nil {
		return fmt.Errorf("the test of %s failed: %s", id, explained(last))
	}
	return p.printf("endpoint %s responded with %s after %d ms; it is %s\n",
		id, outcome(last), last.Millis, webhookState(tested.Webhook))
}

// explanations say what the errors of attempts mean.
var explanations = map[string]string{
	"dns":             "its host name cannot be resolved",
	"blocked_address": "its address is private (--webhook-private allows it) or that of this server",
	"refused":         "nothing accepts connections at its address",
	"timeout":         "it did not respond in time",
	"tls":             "TLS failed, for example because of its certificate",
	"reset":           "it closed the connection",
	"redirect":        "redirects are not followed",
	"too_large":       "the headers of its response are too long",
	"status":          "it must respond with 2xx",
	"internal":        "a fault of this server, which its log describes",
}

// explained returns the outcome of a failed attempt and what that means.
func explained(a admin.Attempt) string {
	if text := explanations[string(*a.Error)]; text != "" {
		return outcome(a) + ": " + text
	}
	return outcome(a)
}

func (p *program) rotateWebhookCommand() *cobra.Command {
	var email, keep string
	c := uses(&cobra.Command{
		Use: "rotate ID --account EMAIL", Short: "Replace the secret of a webhook endpoint and print it",
		Long: "Replace the signing secret of a webhook endpoint and print the new one, which cannot be " +
			"printed again. The old one signs too for a time, so that the receiver can change over; " +
			"with 0, a stolen one is useless at once. " + webhookID,
		Example: "leadline webhooks rotate 4fT9 --account ann@example.org --keep-old 1h",
		Args:    takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			made, err := c.RotateWebhook(ctx, email, args[0], keep)
			if err != nil {
				return err
			}
			old := "the old one no longer signs"
			if until := made.Webhook.OldSecretUntil; until != nil {
				old = "the old one signs too until " + until.Format(time.RFC3339)
			}
			p.notef("endpoint %s has a new secret; %s\n", made.Webhook.ID, old)
			if receives(made.Webhook) {
				p.noteLater(ctx, c, "a test is")
			}
			return p.printSecret(made)
		}),
	}, "data")
	ofAccount(c, &email)
	c.Flags().StringVar(&keep, "keep-old", "24h",
		"`TIME` that the old secret signs too: 0, 1h, 24h or 7d")
	completes(c, "keep-old", []string{"0", "1h", "24h", "7d"})
	return c
}

func (p *program) enableWebhookCommand() *cobra.Command {
	var email string
	c := uses(&cobra.Command{
		Use: "enable ID --account EMAIL", Short: "Enable a webhook endpoint by a test",
		Long: "Send a test to a disabled or suspended webhook endpoint, whose first 2xx response " +
			"enables it. " + webhookID,
		Args: takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			w, err := c.EnableWebhook(ctx, email, args[0])
			if err != nil {
				return err
			}
			if w.State != "pending" {
				return p.printf("endpoint %s is %s already\n", w.ID, w.State)
			}
			p.noteLater(ctx, c, "the test is")
			return p.printf("endpoint %s is pending: a 2xx response to its test enables it\n", w.ID)
		}),
	}, "data")
	return ofAccount(c, &email)
}

func (p *program) disableWebhookCommand() *cobra.Command {
	var email string
	c := uses(&cobra.Command{
		Use: "disable ID --account EMAIL", Short: "Disable a webhook endpoint: nothing is sent to it",
		Long: "Disable a webhook endpoint: nothing is sent to it. Waiting deliveries and later " +
			"events are skipped; leadline webhooks replay sends them when it is enabled again. " + webhookID,
		Args: takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			w, err := c.DisableWebhook(ctx, email, args[0])
			if err != nil {
				return err
			}
			return p.printf("endpoint %s is %s\n", w.ID, w.State)
		}),
	}, "data")
	return ofAccount(c, &email)
}

func (p *program) removeWebhookCommand() *cobra.Command {
	var email string
	c := uses(&cobra.Command{
		Use: "remove ID --account EMAIL", Short: "Remove a webhook endpoint with its deliveries",
		Long: "Remove a webhook endpoint with its deliveries. Its secret is lost. " + webhookID,
		Args: takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			id := args[0]
			if !p.yes { // the question names what the beginning of an id selects
				w, err := c.Webhook(ctx, email, id)
				if err != nil {
					return err
				}
				id = w.ID
				question := fmt.Sprintf("Remove the endpoint %s, %s, with its deliveries?", id, w.URL)
				if err := p.confirm(question, "the endpoint "+id+" was not removed"); err != nil {
					return err
				}
			}
			w, err := c.RemoveWebhook(ctx, email, id)
			if err != nil {
				return err
			}
			return p.printf("endpoint %s removed, with its deliveries: %s\n", w.ID, w.URL)
		}),
	}, "data")
	return p.addYes(ofAccount(c, &email))
}
