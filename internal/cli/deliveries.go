package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
)

// page are the flags of a list that is printed page by page.
type page struct {
	kind, before string
	limit        int
}

// bind adds the flags.
func (l *page) bind(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&l.kind, "type", "", "only events of this `KIND`, such as quota.warning")
	flags.IntVar(&l.limit, "limit", 25, "`NUMBER` of rows, from 1 to 1000")
	flags.StringVar(&l.before, "before", "", "only events before this `EVENT`, to continue a list")
	completes(c, "type", admin.EventKinds())
}

// noteMore prints how to continue a list.
func (p *program) noteMore(next string) {
	if next != "" {
		p.notef("there are more: --before %s continues\n", shortEvent(next))
	}
}

// shortEvent returns the beginning of an event's id that tables show: the part that a server makes
// unique, without the random rest.
func shortEvent(id string) string {
	const shown = len("msg_") + 16
	return id[:min(len(id), shown)]
}

func (p *program) deliveriesCommand() *cobra.Command {
	var email, state string
	var asJSON bool
	var list page
	c := uses(&cobra.Command{
		Use:   "deliveries ID [EVENT] --account EMAIL",
		Short: "List the deliveries of a webhook endpoint, or the attempts of one",
		Long: "List the deliveries of a webhook endpoint of the last 30 days, the newest event first, " +
			"or print all attempts of the delivery of one EVENT. Failed deliveries get no more attempts. " +
			"Skipped ones happened or were waiting while the endpoint was not enabled, or were too many. " +
			webhookID,
		Example: "leadline webhooks deliveries 4fT9 --account ann@example.org --state failed\n" +
			"leadline webhooks deliveries 4fT9 msg_019a8f3c7b1e7c3a --account ann@example.org",
		Args: takesOneOrTwo("ID", "EVENT"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			if len(args) == 2 {
				return p.printDelivery(ctx, c, email, args[0], args[1], asJSON)
			}
			found, err := c.Deliveries(ctx, email, args[0], admin.DeliveryQuery{
				State: state, Kind: list.kind, Before: list.before, Limit: list.limit,
			})
			if err != nil {
				return err
			}
			if err := printList(p, asJSON, found.List, "no deliveries", deliveryRows); err != nil {
				return err
			}
			if next := nextAttempt(found.List); next != nil && !asJSON {
				p.notef("next attempt: %s UTC\n", next.Format(minutes))
			}
			p.noteMore(found.Next)
			return nil
		}),
	}, "data")
	ofAccount(c, &email)
	c.Flags().StringVar(&state, "state", "",
		"only deliveries in this `STATE`: pending, delivered, failed or skipped")
	completes(c, "state", []string{"pending", "delivered", "failed", "skipped"})
	list.bind(c)
	p.addList(c, &asJSON)
	return c
}

func deliveryRows(list []admin.Delivery) [][]string {
	rows := [][]string{{"EVENT", "TYPE", "STATE", "CREATED (UTC)", "LAST ATTEMPT"}}
	for _, d := range list {
		last := "-"
		if n := len(d.Attempts); n > 0 {
			last = fmt.Sprintf("%d: %s", n, outcome(d.Attempts[n-1]))
		}
		rows = append(rows, []string{
			shortEvent(d.Event), string(d.Type), string(d.State), d.CreatedAt.Format(minutes), last,
		})
	}
	return rows
}

// nextAttempt returns the time of the next attempt of the deliveries, or nil without one.
func nextAttempt(list []admin.Delivery) (next *time.Time) {
	for _, d := range list {
		if d.NextAt != nil && (next == nil || d.NextAt.Before(*next)) {
			next = d.NextAt
		}
	}
	return next
}

// printDelivery prints a delivery with its attempts.
func (p *program) printDelivery(
	ctx context.Context, c *admin.Client, email, id, event string, asJSON bool,
) error {
	full, err := c.Delivery(ctx, email, id, event)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(p.streams.Out, full)
	}
	d := full.Delivery
	state := string(d.State)
	if d.NextAt != nil {
		state += ", next attempt " + d.NextAt.Format(minutes) + " UTC"
	}
	about := [][]string{
		{"event", d.Event}, {"type", string(d.Type)}, {"created", d.CreatedAt.Format(minutes) + " UTC"},
		{"state", state},
	}
	if err := printTable(p.streams.Out, about); err != nil || len(d.Attempts) == 0 {
		return err
	}
	if err := p.printf("\n"); err != nil {
		return err
	}
	return printTable(p.streams.Out, attemptRows(d.Attempts))
}

func attemptRows(list []admin.Attempt) [][]string {
	rows := [][]string{{"ATTEMPT (UTC)", "OUTCOME", "TOOK", "RESPONSE"}}
	for _, a := range list {
		rows = append(rows, []string{
			a.At.UTC().Format(time.DateTime), outcome(a), fmt.Sprintf("%d ms", a.Millis),
			cmp.Or(a.Reply, "-"),
		})
	}
	return clipped(rows)
}

func (p *program) replayCommand() *cobra.Command {
	var email, since, until, states string
	c := uses(&cobra.Command{
		Use:   "replay ID [EVENT] --account EMAIL",
		Short: "Send events to a webhook endpoint again",
		Long: "Send one EVENT to a webhook endpoint again, or all events since a time whose deliveries " +
			"failed or were skipped. Replays have the ids of the events, by which receivers find " +
			"duplicates. Events are kept for 30 days. " + webhookID,
		Example: "leadline webhooks replay 4fT9 msg_019a8f3c7b1e7c3a --account ann@example.org\n" +
			"leadline webhooks replay 4fT9 --account ann@example.org --since 2h\n" +
			"leadline webhooks replay 4fT9 --account ann@example.org \\\n" +
			"  --since \"2026-11-27 14:00\" --until \"2026-11-27 16:00\"",
		Args: takesOneOrTwo("ID", "EVENT"),
		RunE: p.aboutEvents(func(ctx context.Context, c *admin.Client, args []string) error {
			switch {
			case len(args) == 2 && since+until != "":
				return errors.New("invalid --since or --until: must be given without EVENT")
			case len(args) == 2:
				return p.replay(ctx, c, email, args[0], args[1])
			case since == "":
				return errors.New("missing EVENT or --since; leadline webhooks replay --help shows examples")
			}
			span, err := readSpan(time.Now(), since, until)
			if err != nil {
				return err
			}
			span.States = listOf(states)
			return p.replayAll(ctx, c, email, args[0], span)
		}),
	}, "data")
	ofAccount(c, &email)
	flags := c.Flags()
	flags.StringVar(&since, "since", "",
		"only events since `WHEN`: a duration ago (2h), or a time such as "+
			"\"2026-11-30 22:00\" (UTC) or RFC 3339")
	flags.StringVar(&until, "until", "", "only events before `WHEN`, in the same forms")
	flags.StringVar(&states, "state", "failed,skipped",
		"`LIST` of states of deliveries, comma-separated, out of failed, skipped, delivered")
	completes(c, "state", []string{"failed,skipped", "failed", "skipped", "delivered"})
	return c
}

// replay sends one event again.
func (p *program) replay(ctx context.Context, c *admin.Client, email, id, event string) error {
	d, err := c.Replay(ctx, email, id, event)
	if err != nil {
		return err
	}
	p.noteLater(ctx, c, "the event is")
	return p.printf("event %s, %s, is sent again\n", d.Event, d.Type)
}

// replayAll sends the events of a span again.
func (p *program) replayAll(
	ctx context.Context, c *admin.Client, email, id string, span admin.ReplaySpan,
) error {
	count := 0
	for {
		done, err := c.ReplayAll(ctx, email, id, span)
		count += done.Count
		if err != nil && count > 0 {
			err = fmt.Errorf("after %d events: %w", count, err)
		}
		if err != nil {
			return err
		}
		if span.Before = done.Next; span.Before == "" {
			break
		}
	}
	if count > 0 {
		p.noteLater(ctx, c, "they are")
	}
	if count == 1 {
		return p.printf("1 event is sent again\n")
	}
	return p.printf("%d events are sent again\n", count)
}

// readSpan returns the span between the values of --since and --until.
func readSpan(now time.Time, since, until string) (span admin.ReplaySpan, err error) {
	if span.Since, err = parseAgo(now, "since", since); err != nil {
		return span, err
	}
	span.Until, err = parseAgo(now, "until", until)
	return span, err
}

// parseAgo parses a flag that is a time, or a duration before now.
func parseAgo(now time.Time, flag, text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UTC().Truncate(time.Second), nil
	}
	t, err := parseTime(flag, text)
	if err != nil {
		return t, fmt.Errorf("invalid --%s %q: must be a duration such as 2h, or a time such as "+
			"2026-11-30 22:00 (UTC) or 2026-11-30T17:00:00-05:00", flag, text)
	}
	return t, nil
}

// tableWidth is the number of columns of a table whose last column can be shortened.
const tableWidth = 100

// clipped shortens the cells of the last column so that the table fits tableWidth.
func clipped(rows [][]string) [][]string {
	last := len(rows[0]) - 1
	left := tableWidth
	for column := range last {
		widest := 0
		for _, row := range rows {
			widest = max(widest, len([]rune(row[column])))
		}
		left -= widest + 2
	}
	for _, row := range rows {
		if cell := []rune(row[last]); len(cell) > max(left, 1) {
			row[last] = strings.TrimRight(string(cell[:max(left, 1)-1]), " ") + "…"
		}
	}
	return rows
}
