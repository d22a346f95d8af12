package events

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/decide"
	"leadline/store"
)

// OutboxStore is the part of the store that an Outbox needs.
type OutboxStore interface {
	EndpointsOf(ctx context.Context, account string) ([]store.Endpoint, error)
	Post(ctx context.Context, events ...store.Event) (stored int, err error)
}

// OutboxConfig holds the dependencies and settings of an Outbox.
type OutboxConfig struct {
	Store     OutboxStore
	StatusURL string // the status page
	Now       func() time.Time
	Log       *slog.Logger

	// Observe is called with the number of events of a kind that were posted, and with an error if
	// they were not. It may be nil.
	Observe func(kind Kind, stored int, err error)
}

// Outbox makes the events of all causes. Where the cause is a write to the store, the caller posts
// the event in the same transaction; other events Outbox posts itself. It is safe for concurrent
// use.
type Outbox struct {
	c   OutboxConfig
	ids EventIDs

	mu       sync.Mutex
	exceeded map[string]store.Month // by account: the month whose quota.exceeded is posted
	running  sync.WaitGroup
}

// NewOutbox returns an Outbox.
func NewOutbox(c OutboxConfig) *Outbox {
	if c.Observe == nil {
		c.Observe = func(Kind, int, error) {}
	}
	return &Outbox{c: c, exceeded: map[string]store.Month{}}
}

// Wait waits until the events that are being posted in the background are stored or lost.
func (o *Outbox) Wait() { o.running.Wait() }

// The times for which the name of an event is remembered, so that its cause announces it once.
const (
	onceOperation = 24 * time.Hour
	onceOther     = Retention
)

// event makes an event of an account, or of all accounts if account is empty. Until its time is
// over, no other event is stored under the name once, if it is not empty.
func (o *Outbox) event(
	account string, d Data, once string, onceUntil time.Time,
) (store.Event, error) {
	now := o.c.Now()
	id := o.ids.New(now)
	body, err := Body(id, now, d)
	if err != nil {
		return store.Event{}, err
	}
	return store.Event{
		ID: id, Type: string(d.Kind()), Account: account, Body: body, Created: second(now),
		Expires: second(now).Add(Retention), Once: once, OnceUntil: onceUntil,
	}, nil
}

// testMessages says what a test is for, by its cause.
var testMessages = map[string]string{
	CauseCreated:   "Test event. Respond with 2xx to enable the endpoint.",
	CauseEnabled:   "Test event. Respond with 2xx to enable the endpoint.",
	CauseRotated:   "Test event after the secret was replaced.",
	CauseRequested: "Test event, as requested.",
}

// The causes of a test.
const (
	CauseCreated   = "created"
	CauseRequested = "requested"
	CauseRotated   = "rotated"
	CauseEnabled   = "enabled"
)

// test makes a test of an endpoint.
func (o *Outbox) test(e store.Endpoint, cause string) (store.Event, error) {
	event, err := o.event(e.Account, WebhookTestData{
		Endpoint: e.ID, Cause: cause, Message: testMessages[cause],
	}, "", time.Time{})
	event.Endpoint = e.ID
	return event, err
}

// post stores events and counts them.
func (o *Outbox) post(ctx context.Context, e store.Event) error {
	stored, err := o.c.Store.Post(ctx, e)
	o.c.Observe(Kind(e.Type), stored, err)
	if err != nil {
		return fmt.Errorf("post %s: %w", e.Type, err)
	}
	return nil
}

// The levels at which an account is warned, in percent of its monthly quota. They are those of the
// header X-Quota-Warning.
var warnings = []struct {
	percent uint64
	level   access.Warning
}{{80, access.Approaching}, {95, access.Critical}}

// QuotaNotices returns the warnings that a reservation of units posts when it reaches their level.
func (o *Outbox) QuotaNotices(
	account string, plan access.Tier, month store.Month, limit uint64,
) (notices []store.Notice) {
	for _, w := range warnings {
		at := (limit*w.percent + 99) / 100
		event, err := o.event(account, QuotaWarningData{
			Quota: quotaOf(account, plan, month, limit, at), Level: w.level,
		}, quotaName(account, month, w.level), month.Next().Next().Start())
		if err != nil {
			o.c.Log.Error("events", "kind", QuotaWarning, "error", err)
			continue
		}
		notices = append(notices, store.Notice{At: at, Event: event})
	}
	return notices
}

func quotaName(account string, month store.Month, level access.Warning) string {
	return fmt.Sprintf("quota %s %d %s", account, month, level)
}

func quotaOf(account string, plan access.Tier, month store.Month, limit, used uint64) Quota {
	return Quota{
		Account: AccountPlan{ID: account, Plan: string(plan)}, Month: month.Start().Format("2006-01"),
		Limit: int(limit), Used: int(used), Remaining: int(limit - min(used, limit)),
		ResetsAt: month.Next().Start(),
	}
}

// postTimeout limits how long an event without a causing write may take to be stored.
const postTimeout = 10 * time.Second

// QuotaExceeded posts in the background that a request of an account was refused because the
// quota of a month is used up: once in a month.
func (o *Outbox) QuotaExceeded(
	account string, plan access.Tier, month store.Month, limit uint64,
) {
	if !o.firstExceeded(account, month) {
		return
	}
	now := o.c.Now()
	data := QuotaExceededData{
		Quota:             quotaOf(account, plan, month, limit, limit),
		RetryAfterSeconds: max(1, int(month.Next().Start().Sub(now).Seconds())),
	}
	event, err := o.event(account, data, quotaName(account, month, access.Exhausted),
		month.Next().Next().Start())
	if err != nil {
		o.c.Log.Error("events", "kind", QuotaExceeded, "error", err)
		return
	}
	o.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), postTimeout)
		defer cancel()
		if err := o.post(ctx, event); err != nil {
			o.c.Log.Warn("events", "error", err)
			o.forget(account) // the next refusal posts it
		}
	})
}

// mostExceeded bounds the memory of accounts whose quota is used up. Beyond it the store finds the
// duplicates.
const mostExceeded = 10_000

// firstExceeded reports whether an account's quota of a month was not found used up before.
func (o *Outbox) firstExceeded(account string, month store.Month) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.exceeded[account] >= month {
		return false
	}
	if len(o.exceeded) >= mostExceeded {
		clear(o.exceeded)
	}
	o.exceeded[account] = month
	return true
}

func (o *Outbox) forget(account string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.exceeded, account)
}

// Announce returns the events of a notice that was created or changed: old is the zero Incident if
// it is new. A change that concerns nobody, such as of the title of maintenance, has no event.
func (o *Outbox) Announce(old, now store.Incident) ([]store.Event, error) {
	data := o.announcement(old, now)
	if data == nil {
		return nil, nil
	}
	once := fmt.Sprintf("notice %s %d %x", now.ID, now.Updated.Unix(), sha256.Sum256(encode(now)))
	event, err := o.event("", data, once, second(o.c.Now()).Add(onceOther))
	if err != nil {
		return nil, err
	}
	return []store.Event{event}, nil
}

// announcement returns the data of a notice that was created or changed, or nil.
func (o *Outbox) announcement(old, now store.Incident) Data {
	moved := !old.From.Equal(now.From) || !old.Until.Equal(now.Until)
	switch {
	case !now.Maintenance:
		return IncidentOf(now, old.Status, o.c.StatusURL)
	case old.ID == "":
		return MaintenanceOf(now, "scheduled", o.c.StatusURL)
	case now.Status == "cancelled" && old.Status != now.Status:
		return MaintenanceOf(now, "cancelled", o.c.StatusURL)
	case now.Status == "scheduled" && old.Status != now.Status:
		return MaintenanceOf(now, "rescheduled", o.c.StatusURL)
	case old.Status != now.Status:
		return IncidentOf(now, old.Status, o.c.StatusURL)
	case moved:
		return MaintenanceOf(now, "rescheduled", o.c.StatusURL)
	}
	return nil
}

// Component returns the event of a component whose state has changed. The name of the event is that
// of the component and of the beginning of the state.
func (o *Outbox) Component(d ComponentData) (store.Event, error) {
	d.StatusURL = o.c.StatusURL
	once := fmt.Sprintf("component %s %s %d", d.Component, d.To, d.Since.Unix())
	return o.event("", d, once, second(o.c.Now()).Add(onceOther))
}

// MaterialChange posts that a request found a decision materially changed since a baseline: once
// in 24 hours for the same request, baseline and result. The decision must be whole; shown is
// the same one as the response has it. It returns within patience; an event that is not stored
// by then may be lost.
func (o *Outbox) MaterialChange(
	ctx context.Context, account string, request TripRequest, baseline decide.Baseline,
	d, shown *decide.Decision, patience time.Duration,
) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !o.subscribed(ctx, account, MaterialChange) {
		return
	}
	report := decide.ReportSince(baseline, d, shown, maxReport)
	if !report.Change.Material {
		return // the response lacks reasons that the baseline has and the decision still has
	}
	event, err := o.event(account, MaterialChangeData{
		Cause: "operation", Request: request, Report: report,
	}, changeName(account, request, baseline, report.Summary), second(o.c.Now()).Add(onceOperation))
	if err != nil {
		o.c.Log.Error("events", "kind", MaterialChange, "error", err)
		return
	}
	if err := o.post(ctx, event); err != nil {
		o.c.Log.Warn("events", "error", err)
	}
}

// subscribed reports whether an endpoint of an account subscribes to a kind, or whether that is not
// known. Without this, each material change would write to the disk for nobody.
func (o *Outbox) subscribed(ctx context.Context, account string, kind Kind) bool {
	list, err := o.c.Store.EndpointsOf(ctx, account)
	return err != nil || slices.ContainsFunc(list, func(e store.Endpoint) bool {
		return slices.Contains(e.Kinds, AllKinds) || slices.Contains(e.Kinds, string(kind))
	})
}

// changeName names a material change that an operation has found. The age of sources does not
// count: it changes with time.
func changeName(
	account string, request TripRequest, baseline decide.Baseline, now decide.Summary,
) string {
	now.Sources = nil
	return fmt.Sprintf("change %x", sha256.Sum256(encode([]any{account, request, baseline, now})))
}
