package store

import (
	"context"
	"time"
)

// Event is something that happened and is announced to endpoints. Its body is signed and sent as it
// is stored.
type Event struct {
	ID       string    `json:"id"` // "msg_" and a UUIDv7: ids sort by time
	Type     string    `json:"type"`
	Account  string    `json:"account,omitzero"`  // whose endpoints receive it; "" for all accounts
	Endpoint string    `json:"endpoint,omitzero"` // the only recipient, enabled or pending; "" for subscribers
	Body     []byte    `json:"body"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // removed from then on, with its deliveries

	// Once is a name: until OnceUntil no other event is stored under it. "" for none.
	Once      string    `json:"once,omitzero"`
	OnceUntil time.Time `json:"onceUntil,omitzero"`
}

// Notice is an event that Reserve posts if it raises the units of a month from below At to At or
// more.
type Notice struct {
	At uint64
	// Event makes the event. It is called only if the event is due, perhaps more than once, and
	// must not call the store. With an error nothing is reserved.
	Event func() (Event, error)
}

// The states of an endpoint.
const (
	EndpointPending   = "pending"   // no test has been accepted; receives direct deliveries only
	EndpointEnabled   = "enabled"   // receives events
	EndpointDisabled  = "disabled"  // by its owner
	EndpointSuspended = "suspended" // by this program, for Endpoint.Reason
)

// The reasons of a suspension.
const (
	ReasonGone    = "gone"    // the endpoint responded with 410
	ReasonFailing = "failing" // no attempt has succeeded for days
	ReasonSecret  = "secret"  // its secret cannot be opened
)

// AllKinds subscribes an endpoint to all kinds of events, future ones too.
const AllKinds = "*"

// Endpoint is a URL that receives events.
type Endpoint struct {
	ID          string    `json:"id"` // "we_" and 14 letters and digits
	Account     string    `json:"account"`
	URL         string    `json:"url"`
	Description string    `json:"description,omitzero"`
	Kinds       []string  `json:"kinds"` // of events, or AllKinds
	State       string    `json:"state"`
	Reason      string    `json:"reason,omitzero"`    // of a suspension
	Secret      []byte    `json:"secret"`             // sealed
	OldSecret   []byte    `json:"oldSecret,omitzero"` // sealed; signs too until OldUntil
	OldUntil    time.Time `json:"oldUntil,omitzero"`
	Created     time.Time `json:"created"`
	Enabled     time.Time `json:"enabled,omitzero"` // when it was last enabled
	Version     uint64    `json:"version"`          // number of changes, except those of its health

	Health  Health `json:"health,omitzero"`
	Pending int    `json:"pending,omitzero"` // number of its pending deliveries; the engine counts them
}

// Receives reports whether the endpoint may have pending deliveries.
func (e Endpoint) Receives() bool {
	return e.State == EndpointEnabled || e.State == EndpointPending
}

// Health describes how the deliveries of an endpoint succeed. Failures in a row are those since the
// last success.
type Health struct {
	Failures     int       `json:"failures,omitzero"`     // failed attempts in a row
	Deliveries   int       `json:"deliveries,omitzero"`   // different deliveries that failed in a row
	FailingSince time.Time `json:"failingSince,omitzero"` // the first failure in a row
	PauseUntil   time.Time `json:"pauseUntil,omitzero"`   // no attempts before
	Last         Attempt   `json:"last,omitzero"`
}

// Succeeded reports whether the last attempt at the endpoint succeeded.
func (h Health) Succeeded() bool { return !h.Last.At.IsZero() && h.Last.Error == "" }

// Failing reports whether the last attempt at the endpoint failed.
func (h Health) Failing() bool { return h.Last.Error != "" }

// Attempt is one HTTP request of a delivery.
type Attempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status,omitzero"` // of the response, 0 without a response
	Millis int       `json:"millis"`
	Error  string    `json:"error,omitzero"` // "" for a success
	Reply  string    `json:"reply,omitzero"` // the beginning of the response, cleaned
}

// The states of a delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryFailed    = "failed"  // all attempts failed
	DeliverySkipped   = "skipped" // the endpoint was not enabled, or MostPending deliveries waited
)

// Delivery is an event for an endpoint.
type Delivery struct {
	Endpoint string    `json:"endpoint"`
	Event    string    `json:"event"`
	Kind     string    `json:"kind"` // type of the event
	State    string    `json:"state"`
	Direct   bool      `json:"direct,omitzero"` // the event names this endpoint
	Replay   bool      `json:"replay,omitzero"` // Replay made it pending again
	Tries    int       `json:"tries,omitzero"`  // attempts that count for the schedule
	Due      time.Time `json:"due,omitzero"`    // of a pending delivery: its next attempt
	Created  time.Time `json:"created"`
	Attempts []Attempt `json:"attempts,omitzero"` // the last MostAttempts, the newest last
}

// Job is a delivery that is due, with its event.
type Job struct {
	Delivery Delivery
	Event    Event
}

// Result is the outcome of an attempt.
type Result struct {
	Endpoint, Event string
	URL             string // that the attempt was sent to
	Attempt         Attempt
	State           string    // of the delivery from now on
	Tries           int       // of the delivery from now on
	Due             time.Time // of the delivery, if it is pending
	Health          Health    // of the endpoint from now on

	// Endpoint's state from now on, "" for the same. A pending endpoint may become enabled, at the
	// time of the attempt; an enabled or pending one may become suspended, for Reason. Other
	// changes are ignored: the owner has decided otherwise in the meantime. So are these and
	// Health if the endpoint has another URL now, or is neither enabled nor pending.
	EndpointState, Reason string
}

// DeliveryFilter selects deliveries. Zero fields select all.
type DeliveryFilter struct {
	States []string
	Kind   string
	Since  string // event id: this one and later ones
	Before string // event id: earlier ones only
}

// Backlog counts endpoints and deliveries of all accounts.
type Backlog struct {
	Endpoints map[string]int // by state
	Watches   map[string]int // by state
	Pending   int            // deliveries

	// Oldest is the creation of the oldest pending delivery, zero without one. Engines may examine
	// 100,000 deliveries only.
	Oldest time.Time
}

// The limits of events.
const (
	MostPending  = 10_000 // pending deliveries of an endpoint; further ones, not direct, are skipped
	MostEvents   = 10_000 // events of an account; Sweep removes the oldest
	MostAttempts = 12     // attempts of a delivery that are stored
)

// Endpoints stores the endpoints of accounts.
type Endpoints interface {
	// AddEndpoint stores an endpoint with version 1 and then posts events. ErrExists: its id or
	// that of an event is taken. ErrNotFound: there is no such account. ErrTooMany: the account
	// has most endpoints already.
	AddEndpoint(ctx context.Context, e Endpoint, most int, events ...Event) error
	// Endpoint returns the endpoint with the id, or ErrNotFound.
	Endpoint(ctx context.Context, id string) (Endpoint, error)
	// EndpointsOf returns the endpoints of an account in order of creation, then of id.
	EndpointsOf(ctx context.Context, account string) ([]Endpoint, error)
	// PutEndpoint replaces an endpoint and raises its version. Its account, creation and health
	// remain; a new URL or state clears the health. An endpoint that leaves the states enabled and
	// pending has its pending deliveries skipped. ErrNotFound: there is no such endpoint.
	// ErrConflict: it has another version. Then it posts events, all of the endpoint's account.
	PutEndpoint(ctx context.Context, e Endpoint, events ...Event) error
	// RemoveEndpoint removes an endpoint with its deliveries. A missing endpoint is not an error.
	// Engines may use several transactions: if the call fails, some deliveries may be removed.
	RemoveEndpoint(ctx context.Context, id string) error
}

// Events stores the outbox: events, and their deliveries to endpoints.
//
// Posting an event does this, in one transaction with its cause: if an event was stored under its
// name Once, and OnceUntil of that event is later than Created of this one, it does nothing. An
// event of an account gets a delivery for each endpoint of the account that subscribes to its type.
// The delivery is pending, due when the event was created, if the endpoint is enabled. In any other
// state of the endpoint it is skipped, and Replay can send it later. An event that names its
// endpoint gets a pending delivery to it, if the endpoint is enabled or pending. An event without
// any delivery is not stored. An event for all accounts is stored and waits for Spread. ErrExists:
// its id is taken; then its cause does not happen either.
type Events interface {
	// Post stores events, all or none. It returns the number of those that were stored, without
	// the duplicates and those without a delivery. ErrExists: the id of one is taken.
	Post(ctx context.Context, events ...Event) (stored int, err error)
	// Event returns the event with the id, or ErrNotFound.
	Event(ctx context.Context, id string) (Event, error)
	// EventsOf returns up to n events of an account and of all accounts, the newest first, of one
	// type or of all ("") and with ids below before, if it is not "".
	EventsOf(ctx context.Context, account, kind, before string, n int) ([]Event, error)
	// DeliveriesOf returns up to n deliveries of an endpoint, the newest event first.
	DeliveriesOf(ctx context.Context, endpoint string, f DeliveryFilter, n int) ([]Delivery, error)
	// Delivery returns a delivery, or ErrNotFound.
	Delivery(ctx context.Context, endpoint, event string) (Delivery, error)
	// Replay makes deliveries of an endpoint pending again, due at the time at, with all attempts
	// ahead of them, and returns their number: those that were delivered, failed or skipped. It
	// ignores those that do not exist or are pending.
	// ErrNotFound: there is no such endpoint. ErrConflict: it is not enabled.
	// ErrTooMany: it would have more than MostPending pending deliveries.
	Replay(ctx context.Context, endpoint string, events []string, at time.Time) (int, error)
	// Spread adds up to n deliveries of events for all accounts, to the subscribed endpoints of all
	// accounts, and reports whether there are more to add. The state of the endpoint at that time
	// decides whether a delivery is pending or skipped, as for other events. Spread may be called
	// again after a failure: no endpoint gets an event twice.
	Spread(ctx context.Context, n int) (more bool, err error)
	// ClaimEndpoints claims up to n endpoints that have deliveries due at now, the earliest first,
	// for an owner until the time until, and returns them. A direct delivery is due at its time
	// Due. Any other is due no earlier than the pause of its endpoint ends, and only if the
	// endpoint is enabled: a pending endpoint keeps it for later. ClaimEndpoints omits endpoints
	// that are claimed, by the same owner too. A claim is a hint that expires: Finish accepts
	// results of everyone, and engines need not store claims.
	ClaimEndpoints(
		ctx context.Context, owner string, now, until time.Time, n int,
	) ([]Endpoint, error)
	// RenewEndpoints extends claims of an owner and returns the ids of the endpoints that it still
	// holds.
	RenewEndpoints(
		ctx context.Context, owner string, ids []string, until time.Time,
	) (held []string, err error)
	// ReleaseEndpoints ends claims of an owner; those of others remain.
	ReleaseEndpoints(ctx context.Context, owner string, ids []string) error
	// Due returns up to n deliveries that are due at now for each of the endpoints, direct ones
	// first, then the earliest first.
	Due(ctx context.Context, endpoints []string, now time.Time, n int) ([]Job, error)
	// Finish stores results in their order, all or none. It ignores those whose endpoint or
	// delivery was removed. A delivery that is not pending any more keeps its state, unless the
	// result is that it was delivered.
	Finish(ctx context.Context, results []Result) error
	// ClampDue moves deliveries, pauses and watches that are due after latest to the time to, as
	// after a clock that was ahead, and returns the number of changed rows. It may leave pauses of
	// endpoints without pending deliveries.
	ClampDue(ctx context.Context, latest, to time.Time) (int, error)
	// Backlog counts endpoints, watches and pending deliveries.
	Backlog(ctx context.Context) (Backlog, error)
}

// The states of a watch.
const (
	WatchActive = "active"
	WatchPaused = "paused" // the monthly quota is exhausted
	WatchEnded  = "ended"
)

// Watch is a planning request that is evaluated until its time has come.
type Watch struct {
	ID        string    `json:"id"` // "wt_" and 14 letters and digits
	Account   string    `json:"account"`
	Name      string    `json:"name"`
	Station   string    `json:"station"`
	Request   []byte    `json:"request"`           // opaque
	Standing  []byte    `json:"standing,omitzero"` // opaque: what was last announced
	State     string    `json:"state"`
	At        time.Time `json:"at"`            // the time that it asks about
	Due       time.Time `json:"due,omitzero"`  // its next evaluation
	Ends      time.Time `json:"ends,omitzero"` // it ends then
	Created   time.Time `json:"created"`
	Evaluated time.Time `json:"evaluated,omitzero"` // the last evaluation
	Units     int       `json:"units,omitzero"`     // that it has cost
	Version   uint64    `json:"version"`            // number of changes
}

// WatchRetention is the time after its end until Sweep removes a watch.
const WatchRetention = 7 * 24 * time.Hour

// MostClaimed limits the watches of one station that a call of ClaimWatches claims.
const MostClaimed = 100

// Watches stores the watches of accounts.
type Watches interface {
	// AddWatch stores a watch with version 1 and posts events, in one transaction. ErrExists: its id
	// is taken. ErrNotFound: there is no such account. ErrTooMany: the account has most watches that
	// have not ended.
	AddWatch(ctx context.Context, w Watch, most int, events ...Event) error
	// Watch returns the watch with the id, or ErrNotFound.
	Watch(ctx context.Context, id string) (Watch, error)
	// WatchesOf returns the watches of an account in order of creation, then of id.
	WatchesOf(ctx context.Context, account string) ([]Watch, error)
	// ClaimWatches claims watches that have not ended and are due at now, for an owner until the
	// time until: those of up to n stations, at most MostClaimed of each. It omits watches that are
	// claimed. Accounts take turns. The next station is that of the account whose last claim is the
	// oldest, and of its watches that which asks about the nearest time. Of a station each account
	// gets one watch, the nearest, before any gets a second. Claims and turns are hints: engines
	// may lose them when they are closed.
	ClaimWatches(
		ctx context.Context, owner string, now, until time.Time, n int,
	) ([]Watch, error)
	// SaveWatch replaces a watch, raises its version, ends its claim and posts events, in one
	// transaction. Its account and creation remain. ErrConflict: it has another version or was
	// removed; nothing is posted.
	SaveWatch(ctx context.Context, w Watch, events ...Event) error
	// RemoveWatch removes a watch. A missing watch is not an error.
	RemoveWatch(ctx context.Context, id string) error
}
