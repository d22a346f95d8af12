package admin

import (
	"time"

	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/watches"
	"leadline/store"
)

// The types in requests and results about webhooks, events and watches.
type (
	Webhook  = endpoints.Endpoint
	Attempt  = endpoints.Attempt
	Delivery = endpoints.Delivery
	Event    = endpoints.Event
	Watch    = watches.Watch
)

// EventKinds returns the kinds of events to which an endpoint can subscribe.
func EventKinds() []string { return events.Kind("").Values() }

// AllKinds subscribes an endpoint to all kinds of events, future ones too.
const AllKinds = store.AllKinds

// NewWebhook describes an endpoint to register.
type NewWebhook struct {
	URL         string   `json:"url"`
	Events      []string `json:"events,omitempty"` // kinds; empty for all
	Description string   `json:"description,omitempty"`
}

// SecretWebhook is an endpoint with its new signing secret, which cannot be read again.
type SecretWebhook struct {
	Webhook Webhook `json:"endpoint"`
	Secret  string  `json:"secret"`
}

// rotation says how long the replaced secret signs too: 0, 1h, 24h or 7d.
type rotation struct {
	KeepOld string `json:"keepOld"`
}

// testRequest says how long a request waits for the first attempt of its test.
type testRequest struct {
	WaitSeconds int `json:"waitSeconds"`
}

// TestedWebhook is an endpoint after a test. Without an attempt in time, the test has no attempt.
type TestedWebhook struct {
	Webhook Webhook  `json:"endpoint"`
	Test    Delivery `json:"test"`
}

// DeliveryQuery selects deliveries of an endpoint, the newest event first.
type DeliveryQuery struct {
	State  string // "" for all
	Kind   string // "" for all
	Before string // the beginning of an event's id: earlier events only
	Limit  int
}

// Deliveries is a page of deliveries, the newest event first.
type Deliveries struct {
	List []Delivery `json:"deliveries"`
	Next string     `json:"next"` // continues before this event; "" at the end
}

// FullDelivery is a delivery with its event.
type FullDelivery struct {
	Delivery Delivery `json:"delivery"`
	Event    Event    `json:"event"`
}

// ReplaySpan selects deliveries to send again.
type ReplaySpan struct {
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"`
	States []string  `json:"states"`           // failed, skipped or delivered
	Before string    `json:"before,omitempty"` // Next of the result before
}

// Replayed counts the deliveries that are sent again.
type Replayed struct {
	Count int    `json:"count"`
	Next  string `json:"next"` // to continue before; "" at the end
}

// EventQuery selects events, the newest first.
type EventQuery struct {
	Kind   string // "" for all
	Before string // the beginning of an event's id: earlier events only
	Limit  int
}

// Events is a page of events, the newest first.
type Events struct {
	List []Event `json:"events"`
	Next string  `json:"next"` // continues before this event; "" at the end
}
