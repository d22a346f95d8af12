package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leadline/internal/admin"
)

// incidentsCommand returns leadline incidents.
func (p *program) incidentsCommand() *cobra.Command {
	return group("incidents", "Announce incidents on the status page",
		p.createNoticeCommand(admin.Incidents, "create --title TITLE --message MESSAGE",
			"Announce an incident on the status page and print its id",
			"investigating, identified or monitoring"),
		p.updateNoticeCommand(admin.Incidents, "Update an incident",
			"A resolved incident stays on the status page for 90 days.",
			"investigating, identified, monitoring or resolved"),
		p.showNoticeCommand(admin.Incidents, "Print an incident with all its updates"),
		p.listNoticesCommand(admin.Incidents, "List the incidents of the last day, and open ones"))
}

// maintenanceCommand returns leadline maintenance.
func (p *program) maintenanceCommand() *cobra.Command {
	return group("maintenance", "Announce maintenance on the status page",
		p.createNoticeCommand(admin.Maintenance,
			"schedule --title TITLE --message MESSAGE --from TIME --until TIME",
			"Announce maintenance on the status page and print its id", ""),
		p.updateNoticeCommand(admin.Maintenance, "Update maintenance",
			"Maintenance that is over is shown for another day.", "in-progress, completed or cancelled"),
		p.showNoticeCommand(admin.Maintenance, "Print maintenance with all its updates"),
		p.listNoticesCommand(admin.Maintenance, "List the maintenance on the status page"))
}

// noticeFlags are the flags of a notice.
type noticeFlags struct {
	draft       admin.NoticeDraft
	from, until string
}

// bind adds the flags; states lists the values of --status, "" for none.
func (f *noticeFlags) bind(flags *pflag.FlagSet, kind admin.Kind, states string) {
	const layouts = "`TIME` such as \"2026-11-30 22:00\" (UTC) or RFC 3339"
	flags.StringVar(&f.draft.Title, "title", "", "`TITLE` on one line, at most 120 characters")
	flags.StringVar(&f.draft.Message, "message", "",
		"`MESSAGE` of at most 2000 characters: what fails, for whom, and what is being done")
	if states != "" {
		flags.StringVar(&f.draft.Status, "status", "", "`STATUS`: "+states)
	}
	flags.StringVar(&f.from, "from", "", layouts+" at which it begins")
	if kind == admin.Maintenance {
		flags.StringVar(&f.until, "until", "", layouts+" at which it ends")
	}
}

// read returns the draft with its times.
func (f *noticeFlags) read() (d admin.NoticeDraft, err error) {
	d = f.draft
	if d.From, err = parseTime("from", f.from); err != nil {
		return d, err
	}
	d.Until, err = parseTime("until", f.until)
	return d, err
}

// parseTime parses the time of a flag; an empty text is the zero time.
func parseTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{minutes, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid --%s %q: must be a time such as 2026-11-30 22:00 (UTC) "+
		"or 2026-11-30T17:00:00-05:00", flag, text)
}

func (p *program) createNoticeCommand(kind admin.Kind, use, short, states string) *cobra.Command {
	var f noticeFlags
	c := uses(&cobra.Command{
		Use: use, Short: short, Args: takes(),
		RunE: p.manage(creating, func(ctx context.Context, c *admin.Client, _ []string) error {
			draft, err := f.read()
			if err != nil {
				return err
			}
			n, err := c.CreateNotice(ctx, kind, draft)
			if err != nil {
				return err
			}
			p.notef("%s: %s, from %s UTC; it is on the status page\n",
				n.Title, n.Status, n.From.Format(minutes))
			return p.printf("%s\n", n.ID)
		}),
	}, "data")
	f.bind(c.Flags(), kind, states)
	if kind == admin.Maintenance {
		requires(c, "title", "message", "from", "until")
	} else {
		requires(c, "title", "message")
	}
	return p.addYes(c)
}

func (p *program) updateNoticeCommand(kind admin.Kind, short, note, states string) *cobra.Command {
	var f noticeFlags
	c := uses(&cobra.Command{
		Use: "update ID", Short: short,
		Long: short + ". ID is its id or the first 4 or more characters of it. " + note,
		Args: takes("ID"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			draft, err := f.read()
			if err != nil {
				return err
			}
			n, err := c.UpdateNotice(ctx, kind, args[0], draft)
			if err != nil {
				return err
			}
			return p.printf("%s: %s\n", n.Title, n.Status)
		}),
	}, "data")
	f.bind(c.Flags(), kind, states)
	return c
}

func (p *program) showNoticeCommand(kind admin.Kind, short string) *cobra.Command {
	var asJSON bool
	c := uses(&cobra.Command{
		Use: "show ID", Short: short,
		Long: short + ", the newest first. ID is its id or the first 4 or more characters of it.",
		Args: takes("ID"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			n, err := c.Notice(ctx, kind, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.streams.Out, n)
			}
			return p.printNotice(n)
		}),
	}, "data")
	addJSON(c, &asJSON)
	return c
}

// printNotice prints a notice with its updates.
func (p *program) printNotice(n admin.NoticeReport) error {
	until := ""
	if n.Until != nil {
		until = " until " + n.Until.Format(minutes)
	}
	text := fmt.Sprintf("%s: %s, from %s%s (UTC)\n", n.Title, n.Status, n.From.Format(minutes), until)
	for _, u := range n.Updates {
		message := strings.ReplaceAll(u.Message, "\n", "\n  ")
		text += fmt.Sprintf("\n%s %s\n  %s\n", u.At.Format(minutes), u.Status, message)
	}
	return p.printf("%s", text)
}

func (p *program) listNoticesCommand(kind admin.Kind, short string) *cobra.Command {
	var all, asJSON bool
	c := uses(&cobra.Command{
		Use: "list", Short: short, Args: takes(),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, _ []string) error {
			list, err := c.Notices(ctx, kind, all)
			if err != nil {
				return err
			}
			return printList(p, asJSON, list, "no "+string(kind), noticeRows)
		}),
	}, "data")
	c.Flags().BoolVar(&all, "all", false, "include those that ended more than a day ago")
	p.addList(c, &asJSON)
	return c
}

func noticeRows(list []admin.Notice) [][]string {
	rows := [][]string{{"ID", "STATUS", "FROM (UTC)", "UNTIL (UTC)", "TITLE"}}
	for _, n := range list {
		until := "-"
		if n.Until != nil {
			until = n.Until.Format(minutes)
		}
		rows = append(rows, []string{n.ID, string(n.Status), n.From.Format(minutes), until, n.Title})
	}
	return rows
}
