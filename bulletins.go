package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/store"
	"leadline/tools"
)

// leastOfID is how many characters of an id have to be typed.
const leastOfID = 4

// bulletin finds an incident, or maintenance, by the beginning of its id.
func (d *desk) bulletin(ctx context.Context, id string, maintenance bool) (store.Incident, error) {
	if len(id) < leastOfID {
		return store.Incident{}, fmt.Errorf("an id is told by at least %d of its first characters, not by %q", leastOfID, id)
	}
	all, err := d.bulletins(ctx, maintenance, true)
	if err != nil {
		return store.Incident{}, err
	}
	of := slices.DeleteFunc(all, func(i store.Incident) bool { return !strings.HasPrefix(i.ID, strings.ToLower(id)) })
	switch len(of) {
	case 0:
		return store.Incident{}, fmt.Errorf("no id begins with %q; leadline %s list -all tells them", id, kind(maintenance))
	case 1:
		return of[0], nil
	}
	var names []string
	for _, i := range of {
		names = append(names, i.ID+" ("+i.Title+")")
	}
	return store.Incident{}, fmt.Errorf("%d ids begin with %q: %s; type more of the one", len(of), id, strings.Join(names, ", "))
}

func kind(maintenance bool) string {
	if maintenance {
		return "maintenance"
	}
	return "incidents"
}

// toldFor is how long what is over is told of.
const toldFor = 24 * time.Hour

// over is since when there is nothing more to be told, zero while there is.
// Maintenance that nobody has said anything of since is over as planned.
func over(i store.Incident) time.Time {
	switch i.Status {
	case resolved, completed, scheduled:
		return i.Until
	case cancelled:
		return i.Updated
	}
	return time.Time{}
}

// bulletins are the incidents, or maintenance, the newest first: those that
// are told at present, or all.
func (d *desk) bulletins(ctx context.Context, maintenance, all bool) ([]store.Incident, error) {
	list, err := d.store.Incidents(ctx)
	now := d.now()
	return slices.DeleteFunc(list, func(i store.Incident) bool {
		end := over(i)
		return i.Maintenance != maintenance || !all && !end.IsZero() && !now.Before(end.Add(toldFor))
	}), err
}

// told is what the status page tells of faults and of maintenance.
func (d *desk) told(ctx context.Context) (b tools.Bulletins, err error) {
	incidents, err := d.bulletins(ctx, false, false)
	if err != nil {
		return b, err
	}
	maintenance, err := d.bulletins(ctx, true, false)
	return tools.Bulletins{Incidents: shown(incidents), Maintenance: shown(maintenance)}, err
}

// shown are incidents as the status page has them.
func shown(list []store.Incident) []tools.Incident {
	out := []tools.Incident{}
	for _, i := range list {
		out = append(out, tools.Incident{ID: i.ID, Title: i.Title, Status: i.Status, Message: i.Message, From: i.From, Until: whenKnown(i.Until), UpdatedAt: i.Updated})
	}
	return out
}

// listBulletins is incidents list, or maintenance list.
func listBulletins(maintenance bool) func(*flag.FlagSet) errand {
	return func(own *flag.FlagSet) errand {
		all := own.Bool("all", false, "also those that have been over for a day")
		asJSON := own.Bool("json", false, "print them whole, as JSON")
		return func(ctx context.Context, d *desk, _ []string, s streams) error {
			list, err := d.bulletins(ctx, maintenance, *all)
			if err != nil {
				return err
			}
			return printBulletins(list, *asJSON, s)
		}
	}
}

func printBulletins(list []store.Incident, asJSON bool, s streams) error {
	if asJSON {
		return printJSON(s.out, shown(list))
	}
	if len(list) == 0 {
		fmt.Fprintln(s.err, "there is nothing to tell")
		return nil
	}
	lines := [][]string{{"ID", "STATUS", "FROM (UTC)", "UNTIL (UTC)", "TITLE"}}
	for _, i := range list {
		lines = append(lines, []string{i.ID, i.Status, i.From.Format(toTheMinute), timeOr(i.Until, toTheMinute, "-"), i.Title})
	}
	return table(s.out, lines)
}
