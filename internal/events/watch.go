package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/store"
)

// WatchStore is the part of the store that watches need.
type WatchStore interface {
	Account(ctx context.Context, id string) (store.Account, error)
	store.Watches
}

// WatchConfig holds the dependencies and settings of Watches.
type WatchConfig struct {
	Store  WatchStore
	Plans  access.Plans
	Outbox *Outbox
	Off    bool // the server evaluates no watches
	Now    func() time.Time

	// Down returns the name of a provider that does not respond now, or "".
	Down func() string
}

// Judge makes the decision of a request, with all its reasons.
type Judge func(ctx context.Context, r TripRequest) (decide.Decision, error)

// Watches manages the watches of accounts. Front ends share its rules. It is safe for concurrent
// use.
type Watches struct{ c WatchConfig }

// NewWatches returns a Watches.
func NewWatches(c WatchConfig) *Watches { return &Watches{c} }

// maxWatchName limits the name of a watch, in characters.
const maxWatchName = 64

// Watch describes a planning request that is evaluated until its time has come.
type Watch struct {
	ID           string                  `json:"id" doc:"Names the watch." example:"wt_8Lq2VnR5sYc1Kd"`
	Name         string                  `json:"name" doc:"What its owner calls it."`
	Request      TripRequest             `json:"request" doc:"What it asks."`
	RequestedFor time.Time               `json:"requestedFor" doc:"The time that it asks about."`
	State        string                  `json:"state" enum:"active waiting paused ended" doc:"Waiting: see waitingFor. Paused: the monthly quota is used up or the plan has no watches; it resumes by itself. Ended: its time is past."`
	WaitingFor   *string                 `json:"waitingFor" doc:"What a waiting watch waits for: the name of a provider that does not respond, or scheduler. Else null."`
	Summary      decide.Summary          `json:"summary" doc:"Of the decision that was announced last, or of the first one."`
	Carried      []decide.BaselineReason `json:"carried" doc:"Reasons of missing facts, as last known."`
	LastAt       *time.Time              `json:"lastAt" doc:"The last evaluation; null: only the first decision was made."`
	NextAt       *time.Time              `json:"nextAt" doc:"The next evaluation; null: the watch has ended."`
	Units        WatchUnits              `json:"units" doc:"What it costs of the monthly quota."`
	Steps        []decide.PastStep       `json:"steps" doc:"The last 20 changes that it has announced."`
	CreatedAt    time.Time               `json:"createdAt" doc:"When it was created."`
}

// WatchUnits are the units of a monthly quota that a watch costs.
type WatchUnits struct {
	Used int `json:"used" doc:"So far, with the one for its creation."`
	Max  int `json:"max" doc:"At most until it ends."`
}

// NewWatch describes a watch to create.
type NewWatch struct {
	Request  TripRequest
	Name     string
	Baseline *decide.Baseline // nil for the first decision
}

// task is the request of a watch as the store has it.
type task struct {
	Request TripRequest `json:"request"`
	Max     int         `json:"max"` // units
}

// Create stores a watch of an account and returns it with its first decision. If that differs
// materially from the baseline, its first event is posted.
func (w *Watches) Create(
	ctx context.Context, account string, n NewWatch, judge Judge,
) (Watch, decide.Decision, error) {
	plan, err := w.admit(ctx, account, n)
	if err != nil {
		return Watch{}, decide.Decision{}, err
	}
	d, err := judge(ctx, n.Request)
	if err != nil {
		return Watch{}, d, err
	}
	now := store.Second(w.c.Now())
	standing, step := decide.Begin(&d, now), (*decide.Step)(nil)
	if n.Baseline != nil {
		standing, step = decide.BeginFrom(*n.Baseline, &d, now)
	}
	least := time.Duration(plan.WatchMinutes) * time.Minute
	at := d.RequestedFor
	row := store.Watch{
		ID: NewWatchID(), Account: account, Name: n.Name, Station: n.Request.StationID,
		State: store.WatchActive, At: at, Ends: at.Add(grace), Created: now, Units: 1,
		Due: nextEvaluation(now, at, n.Request.StationID, least),
	}
	row.Request = encode(task{n.Request, mostUnits(now, at, least)})
	row, events, err := w.announced(row, standing, step, &d)
	if err != nil {
		return Watch{}, d, err
	}
	err = w.c.Store.AddWatch(ctx, row, plan.Watches, events...)
	if errors.Is(err, store.ErrTooMany) {
		return Watch{}, d, tooManyWatches(plan)
	}
	if err != nil {
		return Watch{}, d, fmt.Errorf("add a watch: %w", err)
	}
	out, err := w.describe(row)
	return out, d, err
}

func tooManyWatches(p *access.Plan) error {
	return coast.Errorf(coast.PlanRequired, "The account has as many watches as the plan %s allows, "+
		"%d: delete one, or wait until one ends.", p.Tier, p.Watches)
}

// admit returns the plan of an account that may create a watch.
func (w *Watches) admit(
	ctx context.Context, account string, n NewWatch,
) (*access.Plan, error) {
	if w.c.Off {
		return nil, coast.Errorf(coast.ProviderUnavailable, "This server evaluates no watches: it was "+
			"started with --offline or with --webhooks off.")
	}
	if err := coast.Invalid(checkWatchName(n.Name)); err != nil {
		return nil, err
	}
	owner, err := w.c.Store.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	plan, ok := w.c.Plans.Of(access.Tier(owner.Plan))
	if !ok || plan.Watches == 0 {
		return nil, coast.Errorf(coast.PlanRequired, "The plan %s has no watches.", owner.Plan)
	}
	list, err := w.c.Store.WatchesOf(ctx, account)
	if err != nil {
		return nil, err
	}
	ended := func(row store.Watch) bool { return row.State == store.WatchEnded }
	if len(slices.DeleteFunc(list, ended)) >= plan.Watches { // before a decision is made for nothing
		return nil, tooManyWatches(plan)
	}
	return plan, nil
}

// checkWatchName returns an issue for a name that is too long or has several lines.
func checkWatchName(name string) []coast.Issue {
	switch {
	case utf8.RuneCountInString(name) > maxWatchName, !utf8.ValidString(name),
		strings.ContainsFunc(name, unicode.IsControl):
		return []coast.Issue{{Path: "/name", Code: "maxLength", Message: fmt.Sprintf(
			"name must be one line of at most %d characters.", maxWatchName)}}
	case coast.Redact(name) != name:
		return []coast.Issue{{
			Path: "/name", Code: "secret", Message: "name must not contain an API key.",
		}}
	}
	return nil
}

// announced returns a watch with its Standing, and the event of a step if there is one.
func (w *Watches) announced(
	row store.Watch, standing decide.Standing, step *decide.Step, d *decide.Decision,
) (store.Watch, []store.Event, error) {
	var events []store.Event
	if step != nil {
		event, err := w.c.Outbox.watchStep(row, step, d)
		if err != nil {
			return row, nil, err
		}
		events, standing = []store.Event{event}, standing.WithEvent(event.ID)
	}
	row.Standing = encode(standing)
	return row, events, nil
}

// watchStep makes the event of a step of a watch.
func (o *Outbox) watchStep(
	row store.Watch, step *decide.Step, d *decide.Decision,
) (store.Event, error) {
	t, err := taskOf(row)
	if err != nil {
		return store.Event{}, err
	}
	return o.event(row.Account, MaterialChangeData{
		Cause: "watch", Watch: &WatchStep{ID: row.ID, Name: row.Name, Step: step.Number},
		Request: t.Request, Report: step.Report(d, maxReport),
	}, fmt.Sprintf("watch %s %d", row.ID, step.Number), o.c.Now().Add(onceOther))
}

// List returns the watches of an account in order of creation.
func (w *Watches) List(ctx context.Context, account string) ([]Watch, error) {
	rows, err := w.c.Store.WatchesOf(ctx, account)
	if err != nil {
		return nil, err
	}
	list := []Watch{}
	for _, row := range rows {
		one, err := w.describe(row)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Watch returns a watch of an account.
func (w *Watches) Watch(ctx context.Context, account, id string) (Watch, error) {
	row, err := w.own(ctx, account, id)
	if err != nil {
		return Watch{}, err
	}
	return w.describe(row)
}

// Remove removes a watch of an account and returns it. No event of the watch is posted afterwards.
func (w *Watches) Remove(ctx context.Context, account, id string) (Watch, error) {
	row, err := w.own(ctx, account, id)
	if err != nil {
		return Watch{}, err
	}
	if err := w.c.Store.RemoveWatch(ctx, row.ID); err != nil {
		return Watch{}, err
	}
	return w.describe(row)
}

// own returns a watch of an account. For another account's watch it returns the same error as for
// one that does not exist.
func (w *Watches) own(ctx context.Context, account, id string) (store.Watch, error) {
	row, err := w.c.Store.Watch(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.Account != account {
		return row, coast.Errorf(coast.NotFound, "There is no watch %q. "+
			"GET /api/developer/watches lists those of the account.", coast.Clip(id))
	}
	return row, err
}

// late is the delay of an evaluation from which on a watch is shown as waiting.
const late = 5 * time.Minute

// describe returns the description of a watch.
func (w *Watches) describe(row store.Watch) (Watch, error) {
	t, err := taskOf(row)
	if err != nil {
		return Watch{}, err
	}
	var standing decide.Standing
	if err := json.Unmarshal(row.Standing, &standing); err != nil {
		return Watch{}, fmt.Errorf("read watch %s: %w", row.ID, err)
	}
	out := Watch{
		ID: row.ID, Name: row.Name, Request: t.Request, RequestedFor: row.At, State: row.State,
		Summary: standing.Summary, Carried: standing.Carried, LastAt: known(row.Evaluated),
		Units: WatchUnits{row.Units, t.Max}, Steps: standing.Latest(), CreatedAt: row.Created,
	}
	if row.State == store.WatchEnded {
		return out, nil
	}
	out.NextAt = known(row.Due)
	if reason := w.waitsFor(row); reason != "" {
		out.State, out.WaitingFor = "waiting", &reason
	}
	return out, nil
}

// waitsFor returns what an active watch waits for, or "".
func (w *Watches) waitsFor(row store.Watch) string {
	if row.State != store.WatchActive {
		return ""
	}
	if provider := w.c.Down(); provider != "" {
		return provider
	}
	if w.c.Now().Sub(row.Due) > late {
		return "scheduler"
	}
	return ""
}

// taskOf returns the request of a watch.
func taskOf(row store.Watch) (task, error) {
	var t task
	if err := json.Unmarshal(row.Request, &t); err != nil {
		return t, fmt.Errorf("read watch %s: %w", row.ID, err)
	}
	return t, nil
}

// encode returns a value of this package as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("events: encode: " + err.Error()) // plain structs of strings, numbers and times
	}
	return b
}

// byTurns orders watches so that their accounts take turns, each account's nearest time first.
func byTurns(list []store.Watch) []store.Watch {
	slices.SortFunc(list, func(a, b store.Watch) int { return a.At.Compare(b.At) })
	turn, turns := map[string]int{}, make(map[string]int, len(list))
	for _, row := range list {
		turns[row.ID] = turn[row.Account]
		turn[row.Account]++
	}
	slices.SortStableFunc(list, func(a, b store.Watch) int { return turns[a.ID] - turns[b.ID] })
	return list
}
