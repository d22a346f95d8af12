package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/coast"
	"leadline/store"
)

// The states of an incident, in the order in which it goes through them, and
// those that maintenance can come to.
const (
	investigating = "investigating"
	identified    = "identified"
	monitoring    = "monitoring"
	resolved      = "resolved"

	scheduled  = "scheduled"
	inProgress = "in-progress"
	completed  = "completed"
	cancelled  = "cancelled"
)

func incidentVerbs() []verb {
	return []verb{
		{name: "incidents create", takes: "-title TITLE -message MESSAGE [-status STATUS] [-from TIME]", with: begun, bind: createIncident,
			about: "Tells of a fault on the status page, and prints the id of what it tells."},
		{name: "incidents update", takes: "ID [-status STATUS] [-message MESSAGE] [-title TITLE]", words: 1, bind: updateIncident,
			about: "Tells how a fault goes on. ID is the beginning of its id, from 4 characters on. What is resolved is told for a day more."},
		{name: "incidents list", takes: "[-all] [-json]", bind: listBulletins(false),
			about: "Lists what the status page tells of faults."},
		{name: "maintenance schedule", takes: "-title TITLE -message MESSAGE -from TIME -until TIME", with: begun, bind: scheduleMaintenance,
			about: "Announces maintenance on the status page, and prints the id of the announcement."},
		{name: "maintenance update", takes: "ID [-status STATUS] [-message MESSAGE] [-title TITLE] [-from TIME] [-until TIME]", words: 1, bind: updateMaintenance,
			about: "Tells how maintenance goes on. ID is the beginning of its id, from 4 characters on. What is over is told for a day more."},
		{name: "maintenance list", takes: "[-all] [-json]", bind: listBulletins(true),
			about: "Lists what the status page tells of maintenance."},
	}
}

// bulletin is what is to be told, or what is to be changed of it.
type bulletin struct{ title, message, status, from, until string }

// texts binds the flags that all have.
func (b *bulletin) texts(own *flag.FlagSet) {
	own.StringVar(&b.title, "title", "", "`TITLE` on one line, up to 120 characters")
	own.StringVar(&b.message, "message", "", "`MESSAGE` of up to 2000 characters: what is wrong, for whom, what is done about it")
}

// states binds -status.
func (b *bulletin) states(own *flag.FlagSet, usual string, all ...string) {
	own.StringVar(&b.status, "status", usual, "`STATUS`: "+strings.Join(all, ", "))
}

// times binds the flags of maintenance.
func (b *bulletin) times(own *flag.FlagSet) {
	own.StringVar(&b.from, "from", "", aboutTimes+": when it begins")
	own.StringVar(&b.until, "until", "", aboutTimes+": when it will be over")
}

const aboutTimes = "`TIME` as 2026-11-30 22:00, in UTC, or RFC 3339"

// when reads a time; what is not given is zero.
func when(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{toTheMinute, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("-%s must be a time as 2026-11-30 22:00, in UTC, or RFC 3339 as 2026-11-30T17:00:00-05:00, not %q", name, text)
}

// apply lays what is given over an incident, and fails where that breaks a
// rule, such as that it is in one of the states.
func (b *bulletin) apply(to *store.Incident, states ...string) error {
	from, err := when("from", b.from)
	if err != nil {
		return err
	}
	until, err := when("until", b.until)
	if err != nil {
		return err
	}
	to.Title, to.Message, to.Status = cmp.Or(b.title, to.Title), cmp.Or(b.message, to.Message), cmp.Or(b.status, to.Status)
	to.From, to.Until = cmp.Or(from, to.From), cmp.Or(until, to.Until)
	if !slices.Contains(states, to.Status) {
		return fmt.Errorf("-status must be one of %s, not %q", strings.Join(states, ", "), to.Status)
	}
	return errors.Join(legible("title", to.Title, 120, ""), legible("message", to.Message, 2000, "\n"))
}

// legible fails where a text is missing, too long, or holds control
// characters other than those allowed: terminals obey them.
func legible(name, text string, most int, allowed string) error {
	bad := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(allowed, r) }
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, bad) {
		return fmt.Errorf("-%s must have 1 to %d characters, and no control characters", name, most)
	}
	if coast.Redact(text) != text {
		return fmt.Errorf("-%s is seen by everybody: no key belongs in it", name)
	}
	return nil
}

// newBulletinID returns a UUID of version 4: random from its beginning on, so
// that few characters of it are a name.
func newBulletinID() string {
	var u [16]byte
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// second is the time as it is kept.
func (d *desk) second() time.Time { return d.now().UTC().Truncate(time.Second) }

func createIncident(own *flag.FlagSet) errand {
	var b bulletin
	b.texts(own)
	b.states(own, investigating, investigating, identified, monitoring)
	own.StringVar(&b.from, "from", "", aboutTimes+"; without it, now")
	return func(ctx context.Context, d *desk, _ []string, s streams) error {
		i := store.Incident{From: d.second()}
		if err := b.apply(&i, investigating, identified, monitoring); err != nil {
			return err
		}
		return d.announce(ctx, i, s)
	}
}

func scheduleMaintenance(own *flag.FlagSet) errand {
	b := bulletin{status: scheduled}
	b.texts(own)
	b.times(own)
	return func(ctx context.Context, d *desk, _ []string, s streams) error {
		i := store.Incident{Maintenance: true}
		if err := b.apply(&i, scheduled); err != nil {
			return err
		}
		if err := span(i); err != nil {
			return err
		}
		if !i.Until.After(d.now()) {
			return fmt.Errorf("-until must be to come, and %s UTC is past", i.Until.Format(toTheMinute))
		}
		return d.announce(ctx, i, s)
	}
}

// span fails where maintenance does not end after it began.
func span(i store.Incident) error {
	if i.From.IsZero() || !i.Until.After(i.From) {
		return fmt.Errorf("maintenance needs -from and a later -until, not %s and %s", timeOr(i.From, time.RFC3339, "none"), timeOr(i.Until, time.RFC3339, "none"))
	}
	return nil
}

// announce keeps a new incident and prints its id, and nothing else on
// standard output.
func (d *desk) announce(ctx context.Context, i store.Incident, s streams) error {
	i.ID, i.Created, i.Updated = newBulletinID(), d.second(), d.second()
	if err := d.store.PutIncident(ctx, i); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "%s: %s, from %s UTC; the status page tells it\n", i.Title, i.Status, i.From.Format(toTheMinute))
	_, err := fmt.Fprintln(s.out, i.ID)
	return err
}

func updateIncident(own *flag.FlagSet) errand {
	var b bulletin
	b.texts(own)
	b.states(own, "", investigating, identified, monitoring, resolved)
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		return d.update(ctx, words[0], false, s, b.goesOn)
	}
}

// goesOn changes an incident.
func (b *bulletin) goesOn(i *store.Incident, now time.Time) error {
	was := i.Status
	if err := b.apply(i, investigating, identified, monitoring, resolved); err != nil {
		return err
	}
	switch {
	case i.Status != resolved:
		i.Until = time.Time{}
	case was != resolved:
		i.Until = now
	}
	return nil
}

func updateMaintenance(own *flag.FlagSet) errand {
	var b bulletin
	b.texts(own)
	b.states(own, "", inProgress, completed, cancelled)
	b.times(own)
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		return d.update(ctx, words[0], true, s, b.proceeds)
	}
}

// proceeds changes maintenance.
func (b *bulletin) proceeds(i *store.Incident, now time.Time) error {
	was := i.Status
	if err := b.apply(i, scheduled, inProgress, completed, cancelled); err != nil {
		return err
	}
	if i.Status == completed && was != completed {
		if !now.After(i.From) {
			return fmt.Errorf("it begins on %s UTC and cannot be over: -status %s calls it off", i.From.Format(toTheMinute), cancelled)
		}
		i.Until = now
	}
	return span(*i)
}

// update changes an incident, or maintenance, and tells what it is now.
func (d *desk) update(ctx context.Context, id string, maintenance bool, s streams, change func(*store.Incident, time.Time) error) error {
	i, err := d.bulletin(ctx, id, maintenance)
	if err != nil {
		return err
	}
	was := i
	if err := change(&i, d.second()); err != nil {
		return err
	}
	if i == was {
		return errors.New("nothing is changed by that: give -status or another flag with what is new")
	}
	i.Updated = d.second()
	if err := d.store.PutIncident(ctx, i); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s\n", i.Title, i.Status)
	return err
}
