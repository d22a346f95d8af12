package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"leadline/internal/status"
	"leadline/store"
)

func incidentVerbs() []verb {
	return []verb{
		{name: "incidents create", takes: "-title TITLE -message MESSAGE [-status STATUS] [-from TIME]", with: begun, bind: createNotice(status.Incidents),
			about: "Announces an incident on the status page and prints its id."},
		{name: "incidents update", takes: "ID [-status STATUS] [-message MESSAGE] [-title TITLE]", words: 1, bind: updateNotice(status.Incidents),
			about: "Updates an incident. ID is its id or the first characters of it, at least 4. A resolved incident is shown for another day."},
		{name: "incidents list", takes: "[-all] [-json]", bind: listNotices(status.Incidents),
			about: "Lists the incidents on the status page."},
		{name: "maintenance schedule", takes: "-title TITLE -message MESSAGE -from TIME -until TIME", with: begun, bind: createNotice(status.Maintenance),
			about: "Announces maintenance on the status page and prints its id."},
		{name: "maintenance update", takes: "ID [-status STATUS] [-message MESSAGE] [-title TITLE] [-from TIME] [-until TIME]", words: 1, bind: updateNotice(status.Maintenance),
			about: "Updates maintenance. ID is its id or the first characters of it, at least 4. Maintenance that is over is shown for another day."},
		{name: "maintenance list", takes: "[-all] [-json]", bind: listNotices(status.Maintenance),
			about: "Lists the maintenance on the status page."},
	}
}

// noticeFlags are the flags of a notice.
type noticeFlags struct {
	draft       status.Draft
	from, until string
}

func (f *noticeFlags) bind(own *flag.FlagSet, kind status.Kind, states ...string) {
	const aboutTime = "`TIME` such as 2026-11-30 22:00 (UTC), or RFC 3339"
	own.StringVar(&f.draft.Title, "title", "", "`TITLE` on one line, at most 120 characters")
	own.StringVar(&f.draft.Message, "message", "", "`MESSAGE` of at most 2000 characters: what fails, for whom, and what is being done")
	if len(states) > 0 {
		own.StringVar(&f.draft.Status, "status", "", "`STATUS`: "+strings.Join(states, ", "))
	}
	own.StringVar(&f.from, "from", "", aboutTime+", when it begins")
	if kind == status.Maintenance {
		own.StringVar(&f.until, "until", "", aboutTime+", when it ends")
	}
}

// read returns the draft with its times.
func (f *noticeFlags) read() (d status.Draft, err error) {
	d = f.draft
	if d.From, err = when("from", f.from); err != nil {
		return d, err
	}
	d.Until, err = when("until", f.until)
	return d, err
}

// when parses a time; an empty text is the zero time.
func when(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{toTheMinute, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid -%s %q: must be a time such as 2026-11-30 22:00 (UTC) or 2026-11-30T17:00:00-05:00", name, text)
}

// notices returns the notices in the store.
func (d *desk) notices() *status.Notices { return &status.Notices{Store: d.store, Now: d.now} }

// createNotice announces a notice. Standard output has its id and nothing else.
func createNotice(kind status.Kind) func(*flag.FlagSet) errand {
	return func(own *flag.FlagSet) errand {
		var f noticeFlags
		create, states := (*status.Notices).CreateIncident, []string{status.Investigating, status.Identified, status.Monitoring}
		if kind == status.Maintenance {
			create, states = (*status.Notices).ScheduleMaintenance, nil
		}
		f.bind(own, kind, states...)
		return func(ctx context.Context, d *desk, _ []string, s streams) error {
			draft, err := f.read()
			if err != nil {
				return err
			}
			i, err := create(d.notices(), ctx, draft)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.err, "%s: %s, from %s UTC; it is on the status page\n", i.Title, i.Status, i.From.Format(toTheMinute))
			_, err = fmt.Fprintln(s.out, i.ID)
			return err
		}
	}
}

func updateNotice(kind status.Kind) func(*flag.FlagSet) errand {
	return func(own *flag.FlagSet) errand {
		var f noticeFlags
		states := []string{status.Investigating, status.Identified, status.Monitoring, status.Resolved}
		if kind == status.Maintenance {
			states = []string{status.InProgress, status.Completed, status.Cancelled}
		}
		f.bind(own, kind, states...)
		return func(ctx context.Context, d *desk, words []string, s streams) error {
			draft, err := f.read()
			if err != nil {
				return err
			}
			i, err := d.notices().Update(ctx, kind, words[0], draft)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.out, "%s: %s\n", i.Title, i.Status)
			return err
		}
	}
}

func listNotices(kind status.Kind) func(*flag.FlagSet) errand {
	return func(own *flag.FlagSet) errand {
		all := own.Bool("all", false, "include those that ended more than a day ago")
		asJSON := own.Bool("json", false, "print them as JSON, with their messages")
		return func(ctx context.Context, d *desk, _ []string, s streams) error {
			list, err := d.notices().List(ctx, kind, *all)
			switch {
			case err != nil:
				return err
			case *asJSON:
				return printJSON(s.out, status.Public(list))
			case len(list) == 0:
				fmt.Fprintf(s.err, "no %s\n", kind)
				return nil
			}
			return printNotices(s.out, list)
		}
	}
}

func printNotices(w io.Writer, list []store.Incident) error {
	lines := [][]string{{"ID", "STATUS", "FROM (UTC)", "UNTIL (UTC)", "TITLE"}}
	for _, i := range list {
		lines = append(lines, []string{i.ID, i.Status, i.From.Format(toTheMinute), timeOr(i.Until, toTheMinute, "-"), i.Title})
	}
	return table(w, lines)
}
