package endpoints

import (
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// Endpoint describes a URL that receives events.
type Endpoint struct {
	ID             string     `json:"id" doc:"Names the endpoint." example:"we_4fT9kQ2mZx7LbN"`
	URL            string     `json:"url" doc:"Where events are sent."`
	Description    string     `json:"description" doc:"What its owner calls it."`
	Events         []string   `json:"events" doc:"The kinds that it receives; * is all, future ones too."`
	State          string     `json:"state" enum:"pending enabled disabled suspended" doc:"Pending: receives tests only, until it has accepted one. Disabled: by its owner. Suspended: by the server, see disabledReason."`
	DisabledReason *string    `json:"disabledReason" enum:"gone failing secret" doc:"Why it is suspended: it responded with 410; it failed for five days; its secret is lost and must be rotated. Else null."`
	SecretHint     string     `json:"secretHint" doc:"How the signing secret begins."`
	OldSecretUntil *time.Time `json:"oldSecretUntil" doc:"Until when the replaced secret signs too; null: only one secret signs."`
	CreatedAt      time.Time  `json:"createdAt" doc:"When it was created."`
	EnabledAt      *time.Time `json:"enabledAt" doc:"When it was last enabled; null: never."`
	FailingSince   *time.Time `json:"failingSince" doc:"The first failure since the last success; null: the last attempt succeeded, or there was no attempt."`
	PausedUntil    *time.Time `json:"pausedUntil" doc:"No attempts before, except tests; null: not paused."`
	Last           *Attempt   `json:"last" doc:"The last attempt; null: there was no attempt."`
	Pending        int        `json:"pending" doc:"Deliveries that wait for an attempt."`
}

// Attempt describes one HTTP request of a delivery.
type Attempt struct {
	At     time.Time `json:"at" doc:"When it began."`
	Status *int      `json:"status" doc:"HTTP status of the response; null: there was no response."`
	Millis int       `json:"ms" doc:"How long it took, in milliseconds."`
	Error  *string   `json:"error" enum:"dns blocked_address refused timeout tls reset redirect too_large status internal" doc:"Why it failed; null: it succeeded."`
	Reply  string    `json:"reply,omitzero" doc:"The first 1 KiB of the response, cleaned. Not kept for private networks."`
}

// describe returns the description of an endpoint.
func (s *Service) describe(e store.Endpoint) Endpoint {
	out := Endpoint{
		ID: e.ID, URL: e.URL, Description: e.Description, Events: e.Kinds, State: e.State,
		SecretHint: s.hint(e), CreatedAt: e.Created, EnabledAt: coast.Known(e.Enabled),
		FailingSince: coast.Known(e.Health.FailingSince), Pending: e.Pending,
	}
	if e.Reason != "" {
		out.DisabledReason = &e.Reason
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
		out.Error = &a.Error
	}
	return out
}
