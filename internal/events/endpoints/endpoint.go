package endpoints

import (
	"time"

	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/store"
)

// State is the state of an endpoint.
type State string

// SchemaName returns the name of the states in OpenAPI documents.
func (State) SchemaName() string { return "EndpointState" }

// Values returns all states.
func (State) Values() []string {
	return []string{
		store.EndpointPending, store.EndpointEnabled, store.EndpointDisabled, store.EndpointSuspended,
	}
}

// SuspensionReason names why this program has suspended an endpoint.
type SuspensionReason string

// Values returns all reasons.
func (SuspensionReason) Values() []string {
	return []string{store.ReasonGone, store.ReasonFailing, store.ReasonSecret}
}

// Endpoint describes a URL that receives events.
type Endpoint struct {
	ID             string                `json:"id" doc:"Id of the endpoint." example:"we_4fT9kQ2mZx7LbN"`
	URL            string                `json:"url" doc:"Where events are sent."`
	Description    string                `json:"description" doc:"Name that the account gave the endpoint; may be empty."`
	Events         []events.Subscription `json:"events" doc:"Kinds of events that the endpoint receives; * is all, future ones too."`
	State          State                 `json:"state" doc:"Pending: receives tests only, until it has accepted one. Disabled: by its owner. Suspended: by the server, see disabledReason."`
	DisabledReason *SuspensionReason     `json:"disabledReason" doc:"Why the endpoint is suspended: it responded with 410 (gone); it failed for five days (failing); its secret is lost and must be rotated (secret). Null if it is not suspended."`
	SecretHint     string                `json:"secretHint" doc:"First characters of the signing secret."`
	OldSecretUntil *time.Time            `json:"oldSecretUntil" doc:"Until when the replaced secret signs too; null: only one secret signs."`
	CreatedAt      time.Time             `json:"createdAt" doc:"When the endpoint was created."`
	EnabledAt      *time.Time            `json:"enabledAt" doc:"When the endpoint was last enabled; null: never."`
	FailingSince   *time.Time            `json:"failingSince" doc:"The first failure since the last success; null: the last attempt succeeded, or there was no attempt."`
	PausedUntil    *time.Time            `json:"pausedUntil" doc:"Time before which only tests are sent; null: the endpoint is not paused."`
	Last           *Attempt              `json:"last" doc:"The last attempt; null: there was no attempt."`
	Pending        int                   `json:"pending" doc:"Deliveries that wait for an attempt."`
}

// Attempt describes one HTTP request of a delivery.
type Attempt struct {
	At     time.Time         `json:"at" doc:"When the attempt began."`
	Status *int              `json:"status" doc:"HTTP status of the response; null: there was no response."`
	Millis int               `json:"ms" doc:"Duration of the attempt in milliseconds."`
	Error  *sender.ErrorWord `json:"error" doc:"Why the attempt failed; null: it succeeded."`
	Reply  string            `json:"reply,omitzero" doc:"First 1 KiB of the response, without control characters; left out if it is empty, and of endpoints in private networks."`
}

// describe returns the description of an endpoint.
func (s *Service) describe(e store.Endpoint) Endpoint {
	out := Endpoint{
		ID: e.ID, URL: e.URL, Description: e.Description, Events: subscriptions(e.Kinds),
		State: State(e.State), SecretHint: s.hint(e),
		CreatedAt: e.Created, EnabledAt: coast.Known(e.Enabled),
		FailingSince: coast.Known(e.Health.FailingSince), Pending: e.Pending,
	}
	if e.Reason != "" {
		out.DisabledReason = new(SuspensionReason(e.Reason))
	}
	if now := s.c.Now(); e.OldUntil.After(now) {
		out.OldSecretUntil = coast.Known(e.OldUntil)
	}
	if now := s.c.Now(); e.Health.PauseUntil.After(now) {
		out.PausedUntil = coast.Known(e.Health.PauseUntil)
	}
	if last := e.Health.Last; !last.At.IsZero() {
		last.Reply = "" // the delivery has it
		out.Last = new(describeAttempt(last))
	}
	return out
}

// subscriptions returns the kinds of events of an endpoint.
func subscriptions(kinds []string) []events.Subscription {
	list := []events.Subscription{}
	for _, kind := range kinds {
		list = append(list, events.Subscription(kind))
	}
	return list
}

// hint returns the start of an endpoint's secret, by which its owner recognizes it, or "" if it
// cannot be decrypted.
func (s *Service) hint(e store.Endpoint) string {
	secret, err := s.c.Sealer.Open(e.ID, e.Secret)
	if err != nil {
		return ""
	}
	return secret.Hint()
}

// describeAttempt returns the description of an attempt.
func describeAttempt(a store.Attempt) Attempt {
	out := Attempt{At: a.At, Millis: a.Millis, Reply: a.Reply}
	if a.Status != 0 {
		out.Status = &a.Status
	}
	if a.Error != "" {
		out.Error = new(sender.ErrorWord(a.Error))
	}
	return out
}
