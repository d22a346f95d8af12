package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// watchesCommand returns leadline watches.
func (p *program) watchesCommand() *cobra.Command {
	return group("watches", "Manage watches: planning requests that are repeated",
		p.listWatchesCommand(), p.removeWatchCommand())
}

func (p *program) listWatchesCommand() *cobra.Command {
	var email string
	var asJSON bool
	c := uses(&cobra.Command{
		Use: "list --account EMAIL", Short: "List the watches of an account",
		Long: "List the watches of an account, with the decision that was announced last and the units " +
			"of the monthly quota that each has used, of the most that it can use. Paused ones wait " +
			"for quota or a larger plan.",
		Args: takes(),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, _ []string) error {
			list, err := c.Watches(ctx, email)
			if err != nil {
				return err
			}
			return printList(p, asJSON, list, "no watches", watchRows)
		}),
	}, "data")
	ofAccount(c, &email)
	p.addList(c, &asJSON)
	return c
}

func watchRows(list []admin.Watch) [][]string {
	rows := [][]string{{"ID", "STATE", "FOR (UTC)", "DECISION", "UNITS", "REQUEST"}}
	for _, w := range list {
		state := string(w.State)
		if w.WaitingFor != nil {
			state += ": " + string(*w.WaitingFor)
		}
		rows = append(rows, []string{
			w.ID, state, w.RequestedFor.UTC().Format(minutes),
			w.Summary.Verdict(),
			fmt.Sprintf("%d/%d", w.Units.Used, w.Units.Max), watched(w),
		})
	}
	return clipped(rows)
}

// watched returns what a watch asks, in a few words.
func watched(w admin.Watch) string {
	text := fmt.Sprintf("%s %s %s", w.Request.StationID, w.Request.Activity, w.Name)
	return strings.TrimSpace(text)
}

func (p *program) removeWatchCommand() *cobra.Command {
	var email string
	c := uses(&cobra.Command{
		Use: "remove ID --account EMAIL", Short: "Remove a watch: no event of it follows",
		Long: "Remove a watch: no event of it follows, and it costs no more units. ID is an id that " +
			"watches list shows, or the first 4 or more characters of it, with or without wt_.",
		Args: takes("ID"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			id := args[0]
			if !p.yes { // the question names what the beginning of an id selects
				w, err := c.Watch(ctx, email, id)
				if err != nil {
					return err
				}
				id = w.ID
				question := fmt.Sprintf("Remove the watch %s, %s?", id, watched(w))
				if err := p.confirm(question, "the watch "+id+" was not removed"); err != nil {
					return err
				}
			}
			w, err := c.RemoveWatch(ctx, email, id)
			if err != nil {
				return err
			}
			return p.printf("watch %s removed: %s\n", w.ID, watched(w))
		}),
	}, "data")
	return p.addYes(ofAccount(c, &email))
}
