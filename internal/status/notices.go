package status

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// Kind is one of the two kinds of notices.
type Kind string

// The kinds of notices, by the names of their commands.
const (
	Incidents   Kind = "incidents"
	Maintenance Kind = "maintenance"
)

// The states of an incident, in their usual order.
const (
	Investigating = "investigating"
	Identified    = "identified"
	Monitoring    = "monitoring"
	Resolved      = "resolved"
)

// The states of maintenance.
const (
	Scheduled  = "scheduled"
	InProgress = "in-progress"
	Completed  = "completed"
	Cancelled  = "cancelled"
)

// The maximum lengths of a notice's texts, in characters.
const (
	maxTitle   = 120
	maxMessage = 2000
)

// minIDPrefix is the minimum length of a prefix that selects a notice.
const minIDPrefix = 4

// history is the time after their end for which notices are read from the store. Maintenance that
// nobody has completed counts as ended when it was to end.
const history = PastDays * 24 * time.Hour

// mostNotices limits the notices that are read at once.
const mostNotices = 10_000

// shownFor limits how long notices are shown after they end.
const shownFor = 24 * time.Hour

// minute is the layout of times in messages, UTC.
const minute = "2006-01-02 15:04"

// Notices creates, changes and lists notices. It is safe for concurrent use. Errors
// about what an operator typed are coast.Errors with code invalid_request.
type Notices struct {
	Store store.Incidents
	Now   func() time.Time

	// Announce returns the events of a notice that was created, when old is the zero Incident, or
	// changed. They are posted in the transaction that stores it. It may be nil.
	Announce func(old, now store.Incident) ([]store.Event, error)
}

// Draft describes a notice to create, or changes to a notice. In a change,
// empty fields keep their values.
type Draft struct {
	Title, Message, Status string
	From, Until            time.Time
}

// CreateIncident announces an incident. Unless the draft says otherwise, it
// began now and is being investigated.
func (n *Notices) CreateIncident(ctx context.Context, d Draft) (store.Incident, error) {
	i := store.Incident{From: n.now(), Status: Investigating}
	if err := d.apply(&i, Investigating, Identified, Monitoring); err != nil {
		return i, err
	}
	return n.create(ctx, i)
}

// ScheduleMaintenance announces maintenance, which must end in the future.
func (n *Notices) ScheduleMaintenance(ctx context.Context, d Draft) (store.Incident, error) {
	i := store.Incident{Maintenance: true, Status: Scheduled}
	if err := d.apply(&i, Scheduled); err != nil {
		return i, err
	}
	if err := checkSpan(i); err != nil {
		return i, err
	}
	if !i.Until.After(n.Now()) {
		return i, invalid("until must be in the future; %s UTC is past", i.Until.Format(minute))
	}
	return n.create(ctx, i)
}

func (n *Notices) create(ctx context.Context, i store.Incident) (store.Incident, error) {
	i.ID, i.Created, i.Updated = newID(), n.now(), n.now()
	i.Updates = updatesOf(i)
	return i, n.put(ctx, store.Incident{}, i)
}

// put stores a notice and announces it.
func (n *Notices) put(ctx context.Context, old, now store.Incident) error {
	var events []store.Event
	if n.Announce != nil {
		var err error
		if events, err = n.Announce(old, now); err != nil {
			return err
		}
	}
	return n.Store.PutIncident(ctx, now, events...)
}

// Update changes the notice whose id begins with prefix.
func (n *Notices) Update(
	ctx context.Context, kind Kind, prefix string, d Draft,
) (store.Incident, error) {
	i, err := n.Find(ctx, kind, prefix)
	if err != nil {
		return i, err
	}
	was, change := i, d.changeIncident
	if kind == Maintenance {
		change = d.changeMaintenance
	}
	if err := change(&i, n.now()); err != nil {
		return i, err
	}
	if reflect.DeepEqual(i, was) {
		return i, invalid("nothing changes: give a new status, title, message or time")
	}
	i.Updated, i.Updates = n.now(), updatesOf(was)
	if i.Status != was.Status || i.Message != was.Message {
		i.Updates = append(i.Updates, updateOf(i))
	}
	return i, n.put(ctx, was, i)
}

// updatesOf returns the updates of a notice. If an earlier version of this program
// stored the notice, there are no updates; then its present text is the only one.
func updatesOf(i store.Incident) []store.IncidentUpdate {
	if len(i.Updates) == 0 {
		return []store.IncidentUpdate{updateOf(i)}
	}
	return slices.Clone(i.Updates)
}

// updateOf returns what a notice says now.
func updateOf(i store.Incident) store.IncidentUpdate {
	return store.IncidentUpdate{At: i.Updated, Status: i.Status, Message: i.Message}
}

// changeIncident applies the draft. An incident ends when it is resolved. It is
// open again if it leaves that state.
func (d Draft) changeIncident(i *store.Incident, now time.Time) error {
	was := i.Status
	if err := d.apply(i, Investigating, Identified, Monitoring, Resolved); err != nil {
		return err
	}
	switch {
	case i.Status != Resolved:
		i.Until = time.Time{}
	case was != Resolved:
		i.Until = now
	}
	return nil
}

// changeMaintenance applies the draft. Maintenance ends when it is completed,
// which is possible only after it began.
func (d Draft) changeMaintenance(i *store.Incident, now time.Time) error {
	was := i.Status
	if err := d.apply(i, Scheduled, InProgress, Completed, Cancelled); err != nil {
		return err
	}
	if i.Status == Completed && was != Completed {
		if !now.After(i.From) {
			return invalid("maintenance begins on %s UTC and cannot be completed before; "+
				"status %s cancels it", i.From.Format(minute), Cancelled)
		}
		i.Until = now
	}
	return checkSpan(*i)
}

// apply sets the non-empty fields of the draft and checks the result.
func (d Draft) apply(to *store.Incident, states ...string) error {
	to.Title, to.Message = cmp.Or(d.Title, to.Title), cmp.Or(d.Message, to.Message)
	to.Status = cmp.Or(d.Status, to.Status)
	to.From, to.Until = cmp.Or(d.From, to.From), cmp.Or(d.Until, to.Until)
	if !slices.Contains(states, to.Status) {
		return invalid("status must be one of %s, not %q", strings.Join(states, ", "), to.Status)
	}
	return errors.Join(
		checkText("title", to.Title, maxTitle, coast.CheckLine),
		checkText("message", to.Message, maxMessage, coast.CheckLines),
	)
}

// checkText refuses a text that is empty or that check refuses. Notices are public: a text with an
// API key is refused.
func checkText(
	name, text string, most int, check func(name, text string, most int) []coast.Issue,
) error {
	if strings.TrimSpace(text) == "" {
		return invalid("%s must have 1 to %d characters", name, most)
	}
	return coast.Invalid(check(name, text, most))
}

// checkSpan refuses maintenance that does not end after it begins.
func checkSpan(i store.Incident) error {
	if !i.From.IsZero() && i.Until.After(i.From) {
		return nil
	}
	text := func(t time.Time) string {
		if t.IsZero() {
			return "none"
		}
		return t.Format(time.RFC3339)
	}
	return invalid("maintenance needs from and a later until, not %s and %s",
		text(i.From), text(i.Until))
}

// Find returns the notice whose id begins with prefix.
func (n *Notices) Find(ctx context.Context, kind Kind, prefix string) (store.Incident, error) {
	if len(prefix) < minIDPrefix {
		return store.Incident{}, invalid("give at least the first %d characters of the id, not %q",
			minIDPrefix, prefix)
	}
	found, err := n.List(ctx, kind, true)
	if err != nil {
		return store.Incident{}, err
	}
	found = slices.DeleteFunc(found, func(i store.Incident) bool {
		return !strings.HasPrefix(i.ID, strings.ToLower(prefix))
	})
	switch len(found) {
	case 0:
		return store.Incident{}, coast.Errorf(coast.NotFound, "no id of %s begins with %q", kind, prefix)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, i := range found {
		names = append(names, i.ID+" ("+i.Title+")")
	}
	return store.Incident{}, invalid("%d ids begin with %q: %s; give more characters",
		len(found), prefix, strings.Join(names, ", "))
}

// List returns the notices of a kind, newest first: those that are shown now,
// or all.
func (n *Notices) List(ctx context.Context, kind Kind, all bool) ([]store.Incident, error) {
	now := n.Now()
	since := now.Add(-history)
	if all {
		since = time.Time{}
	}
	list, err := n.Store.Incidents(ctx, since, mostNotices)
	return slices.DeleteFunc(list, func(i store.Incident) bool {
		return i.Maintenance != (kind == Maintenance) || !all && !isShown(i, now)
	}), err
}

// isShown reports whether a notice has not ended, or did so a short time ago.
func isShown(i store.Incident, now time.Time) bool {
	end := endOf(i)
	return end.IsZero() || now.Before(end.Add(shownFor))
}

// endOf returns when a notice ended, or the zero time. Maintenance that nobody
// updated ends as scheduled.
func endOf(i store.Incident) time.Time {
	switch i.Status {
	case Resolved, Completed, Scheduled:
		return i.Until
	case Cancelled:
		return i.Updated
	}
	return time.Time{}
}

// now returns the current time in whole seconds, the precision of the store.
func (n *Notices) now() time.Time { return store.Second(n.Now()) }

// newID returns a UUID of version 4. It is random from the first character, so a
// short prefix is unique.
func newID() string {
	var u [16]byte
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func invalid(format string, args ...any) error {
	return coast.Errorf(coast.InvalidRequest, format, args...)
}
