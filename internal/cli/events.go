package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// eventsCommand returns leadline events.
func (p *program) eventsCommand() *cobra.Command {
	return group("events", "List the events that webhooks receive", p.listEventsCommand())
}

func (p *program) listEventsCommand() *cobra.Command {
	var email string
	var asJSON bool
	var list page
	c := uses(&cobra.Command{
		Use: "list --account EMAIL", Short: "List the events of an account, the newest first",
		Long: "List the events of an account and those for all accounts, of the last 30 days, the " +
			"newest first. An event of an account is kept only if one of its endpoints subscribed to " +
			"it when it happened. --json prints the bodies, as endpoints receive them.",
		Example: "leadline events list --account ann@example.org --type decision.material_change",
		Args:    takes(),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, _ []string) error {
			found, err := c.Events(ctx, email, admin.EventQuery{
				Kind: list.kind, Before: list.before, Limit: list.limit,
			})
			if err != nil {
				return err
			}
			if err := printList(p, asJSON, found.List, "no events", eventRows); err != nil {
				return err
			}
			p.noteMore(found.Next)
			return nil
		}),
	}, "data")
	ofAccount(c, &email)
	list.bind(c)
	p.addList(c, &asJSON)
	return c
}

func eventRows(list []admin.Event) [][]string {
	rows := [][]string{{"EVENT", "TYPE", "CREATED (UTC)", "ABOUT"}}
	for _, e := range list {
		rows = append(rows, []string{
			shortEvent(e.ID), string(e.Type), e.CreatedAt.Format(minutes), subject(e.Body),
		})
	}
	return clipped(rows)
}

// notice is the part of an incident or maintenance that a table shows.
type notice struct{ Title, Status string }

// subject returns in a few words what an event is about, from its body.
func subject(body []byte) string {
	var e struct {
		Data struct {
			Cause, Endpoint       string // of a test
			Direction             string // of a material change
			Watch                 struct{ Name string }
			Request               struct{ StationID, Activity string }
			Month, Level          string // of a quota
			Component, To         string // of the service
			Incident, Maintenance notice
		}
	}
	if json.Unmarshal(body, &e) != nil {
		return "-"
	}
	d := e.Data
	words := []string{
		d.Direction, d.Request.StationID, d.Request.Activity, d.Watch.Name, d.Month, d.Level,
		d.Component, d.To, d.Incident.Status, d.Incident.Title, d.Maintenance.Status,
		d.Maintenance.Title,
	}
	if d.Endpoint != "" {
		words = []string{d.Endpoint, d.Cause}
	}
	return cmp.Or(strings.Join(strings.Fields(strings.Join(words, " ")), " "), "-")
}
