package events

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

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
	StatusURL string // of the page about the state of the service
	Now       func() time.Time
	Log       *slog.Logger // nil: none

	// Unposted is called with the kind of an event that could not be stored. It may be nil.
	Unposted func(kind Kind)
}

// Outbox makes the events of all causes. Where the cause is a write to the store, the caller posts
// the event in the same transaction; other events Outbox posts itself. It is safe for concurrent
// use.
type Outbox struct {
	c   OutboxConfig
	ids IDs

	mu       sync.Mutex
	exceeded map[string]store.Month // by account: the month whose quota.exceeded is posted
	running  sync.WaitGroup
}

// NewOutbox returns an Outbox.
func NewOutbox(c OutboxConfig) *Outbox {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Unposted == nil {
		c.Unposted = func(Kind) {}
	}
	return &Outbox{c: c, exceeded: map[string]store.Month{}}
}

// Wait waits until the events that are being posted in the background are stored or lost.
func (o *Outbox) Wait() { o.running.Wait() }

// Retention is the time for which events are stored.
const Retention = 30 * 24 * time.Hour

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
		ID: id, Type: string(d.Kind()), Account: account, Body: body, Created: store.Second(now),
		Expires: store.Second(now).Add(Retention), Once: once, OnceUntil: onceUntil,
	}, nil
}

// post stores an event.
func (o *Outbox) post(ctx context.Context, e store.Event) error {
	if _, err := o.c.Store.Post(ctx, e); err != nil {
		o.c.Unposted(Kind(e.Type))
		return fmt.Errorf("post %s: %w", e.Type, err)
	}
	return nil
}

// digest returns a hash of values of this package, for the name of an event.
func digest(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic("events: digest: " + err.Error()) // plain structs of strings, numbers and times
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
