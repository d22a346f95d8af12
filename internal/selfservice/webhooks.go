package selfservice

import (
	"context"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
)

// This file holds the operations on an account's webhook endpoints, their deliveries and the events
// of the account. They are not part of the versioned contract.

// Webhooks holds the operations on webhooks.
type Webhooks struct{ events *endpoints.Service }

// webhookCaller returns the caller, who must have an account, and a context with the deadline for
// the store.
func webhookCaller(
	ctx context.Context,
) (account string, _ context.Context, _ context.CancelFunc, _ error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	return caller.Account, ctx, cancel, err
}

// NewWebhooks returns the operations.
func NewWebhooks(s *endpoints.Service) Webhooks { return Webhooks{s} }

// ListWebhooksInput is empty.
type ListWebhooksInput struct{}

// WebhookList lists the webhook endpoints of an account.
type WebhookList struct {
	Endpoints []endpoints.Endpoint `json:"endpoints" doc:"In order of creation."`
}

// ListWebhooks returns the webhook endpoints of the caller's account.
func (s Webhooks) ListWebhooks(
	ctx context.Context, _ ListWebhooksInput,
) (WebhookList, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return WebhookList{}, err
	}
	list, err := s.events.Endpoints(ctx, account)
	return WebhookList{list}, err
}

// CreateWebhookInput describes the endpoint to create.
type CreateWebhookInput struct {
	URL         string                `json:"url" doc:"Where events are sent: https, port 443 or 8443, at most 2,048 characters." example:"https://hooks.example.com/leadline"`
	Events      []events.Subscription `json:"events,omitempty" doc:"The kinds of events; [\"*\"], the default, means all, future ones too." minItems:"1" maxItems:"20" example:"decision.material_change"`
	Description string                `json:"description" doc:"Name of the endpoint: one line, at most 120 characters." default:""`
}

// subscribed returns the kinds of events of a request, or nil if the request names no kinds.
func subscribed(list []events.Subscription) []string {
	if list == nil {
		return nil
	}
	return coast.Strings(list...)
}

// NewWebhook is an endpoint with its secret, which is returned only once.
type NewWebhook struct {
	Endpoint endpoints.Endpoint `json:"endpoint" doc:"The endpoint."`
	Secret   string             `json:"secret" doc:"Secret that signs the events. It cannot be shown again."`
}

// CreateWebhook registers a webhook endpoint for the caller's account.
func (s Webhooks) CreateWebhook(
	ctx context.Context, in CreateWebhookInput,
) (NewWebhook, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return NewWebhook{}, err
	}
	e, secret, err := s.events.Create(ctx, account, endpoints.Draft{
		URL: &in.URL, Kinds: subscribed(in.Events), Description: &in.Description,
	})
	if err != nil {
		return NewWebhook{}, err
	}
	return NewWebhook{e, secret.Text()}, nil
}

// WebhookInput names a webhook endpoint.
type WebhookInput struct {
	ID string `json:"id" doc:"The endpoint's id." pattern:"^we_[0-9A-Za-z]{14}$" form:"text such as we_4fT9kQ2mZx7LbN" example:"we_4fT9kQ2mZx7LbN"`
}

// Webhook is a webhook endpoint.
type Webhook struct {
	Endpoint endpoints.Endpoint `json:"endpoint" doc:"The endpoint."`
}

// Webhook returns a webhook endpoint of the caller's account.
func (s Webhooks) Webhook(ctx context.Context, in WebhookInput) (Webhook, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return Webhook{}, err
	}
	e, err := s.events.Endpoint(ctx, account, in.ID)
	return Webhook{e}, err
}

// UpdateWebhookInput changes a webhook endpoint. Absent fields remain as they are.
type UpdateWebhookInput struct {
	WebhookInput
	WebhookChange
}

// WebhookChange holds what can be changed of a webhook endpoint.
type WebhookChange struct {
	URL         *string               `json:"url,omitempty" doc:"A new URL makes the endpoint pending until it accepts a test. Waiting deliveries remain." example:"https://hooks.example.com/leadline"`
	Events      []events.Subscription `json:"events,omitempty" doc:"The kinds of events, or [\"*\"]." minItems:"1" maxItems:"20"`
	Description *string               `json:"description,omitempty" doc:"Name of the endpoint: one line, at most 120 characters."`
	Enabled     *bool                 `json:"enabled,omitempty" doc:"False disables it: waiting deliveries and later events are skipped. True makes it pending and sends a test, which enables it." example:"true"`
}

// UpdateWebhook changes a webhook endpoint of the caller's account.
func (s Webhooks) UpdateWebhook(ctx context.Context, in UpdateWebhookInput) (Webhook, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return Webhook{}, err
	}
	e, err := s.events.Change(ctx, account, in.ID, endpoints.Draft{
		URL: in.URL, Kinds: subscribed(in.Events), Description: in.Description, Enabled: in.Enabled,
	})
	return Webhook{e}, err
}

// DeleteWebhook removes a webhook endpoint of the caller's account and returns it.
func (s Webhooks) DeleteWebhook(ctx context.Context, in WebhookInput) (Webhook, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return Webhook{}, err
	}
	e, err := s.events.Remove(ctx, account, in.ID)
	return Webhook{e}, err
}

// testPatience is the time that a test waits for its first attempt, which may take 15 seconds.
const testPatience = 16 * time.Second

// WebhookTest is a test and its first attempt.
type WebhookTest struct {
	Event   string                  `json:"event" doc:"Id of the event that was sent."`
	State   endpoints.DeliveryState `json:"state" doc:"State of its delivery. A pending one is attempted again."`
	Attempt *endpoints.Attempt      `json:"attempt" doc:"The first attempt; null: no attempt ended within 16 seconds."`
}

// TestWebhook sends a test to a webhook endpoint of the caller's account and waits for its result.
func (s Webhooks) TestWebhook(ctx context.Context, in WebhookInput) (WebhookTest, error) {
	caller, _ := access.CallerFrom(ctx)
	ctx, cancel := context.WithTimeout(ctx, testPatience+storeTimeout)
	defer cancel()
	if caller.Account == "" {
		_, _, _, err := accountCaller(ctx)
		return WebhookTest{}, err
	}
	d, err := s.events.Test(ctx, caller.Account, in.ID, testPatience)
	if err != nil {
		return WebhookTest{}, err
	}
	out := WebhookTest{Event: d.Event, State: d.State}
	if len(d.Attempts) > 0 {
		out.Attempt = &d.Attempts[0]
	}
	return out, nil
}

// RotateWebhookInput names a webhook endpoint and how long its present secret signs too.
type RotateWebhookInput struct {
	WebhookInput
	RotateWebhookBody
}

// RotateWebhookBody says how long the present secret signs too.
type RotateWebhookBody struct {
	KeepOld GracePeriod `json:"keepOld" doc:"How long the present secret signs as well." default:"24h"`
}

// RotateWebhook gives a webhook endpoint of the caller's account a new secret.
func (s Webhooks) RotateWebhook(
	ctx context.Context, in RotateWebhookInput,
) (NewWebhook, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return NewWebhook{}, err
	}
	keep, _ := time.ParseDuration(string(in.KeepOld)) // the enum lists only valid durations
	e, secret, err := s.events.Rotate(ctx, account, in.ID, keep)
	if err != nil {
		return NewWebhook{}, err
	}
	return NewWebhook{e, secret.Text()}, nil
}

// DeliveriesInput selects deliveries of a webhook endpoint.
type DeliveriesInput struct {
	WebhookInput
	State  endpoints.DeliveryState `json:"state,omitempty" doc:"Only deliveries in this state."`
	Type   events.Kind             `json:"type,omitempty" doc:"Only events of this kind." example:"quota.warning"`
	Before string                  `json:"before,omitempty" doc:"Only events before this one: next of the last page." pattern:"^msg_[0-9a-f]{32}$" form:"text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394" example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
	Limit  int                     `json:"limit" doc:"Deliveries in the response." default:"25" min:"1" max:"100"`
}

// DeliveryList lists deliveries.
type DeliveryList struct {
	Deliveries []endpoints.Delivery `json:"deliveries" doc:"The newest event first."`
	Next       *string              `json:"next" doc:"What to send as before for the next page; null: this is the last page."`
}

// ListDeliveries returns the deliveries of a webhook endpoint of the caller's account.
func (s Webhooks) ListDeliveries(
	ctx context.Context, in DeliveriesInput,
) (DeliveryList, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return DeliveryList{}, err
	}
	f := endpoints.DeliveryFilter{Kind: string(in.Type), Before: in.Before}
	if in.State != "" {
		f.States = []string{string(in.State)}
	}
	list, next, err := s.events.Deliveries(ctx, account, in.ID, f, in.Limit)
	return DeliveryList{list, following(next)}, err
}

// following returns the id to continue before, or nil at the end of a list.
func following(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// DeliveryInput names a delivery.
type DeliveryInput struct {
	WebhookInput
	Event string `json:"event" doc:"The event's id." pattern:"^msg_[0-9a-f]{32}$" form:"text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394" example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
}

// DeliveryDetail is a delivery with its event.
type DeliveryDetail struct {
	Delivery endpoints.Delivery `json:"delivery" doc:"The delivery."`
	Event    endpoints.Event    `json:"event" doc:"Its event."`
}

// Delivery returns a delivery of a webhook endpoint of the caller's account.
func (s Webhooks) Delivery(ctx context.Context, in DeliveryInput) (DeliveryDetail, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return DeliveryDetail{}, err
	}
	d, e, err := s.events.Delivery(ctx, account, in.ID, in.Event)
	return DeliveryDetail{d, e}, err
}

// Replayed is a delivery that is sent again.
type Replayed struct {
	Delivery endpoints.Delivery `json:"delivery" doc:"The delivery."`
}

// ReplayDelivery sends an event to a webhook endpoint of the caller's account again.
func (s Webhooks) ReplayDelivery(ctx context.Context, in DeliveryInput) (Replayed, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return Replayed{}, err
	}
	d, err := s.events.Replay(ctx, account, in.ID, in.Event)
	return Replayed{d}, err
}

// ReplayDeliveriesInput selects the deliveries to send again.
type ReplayDeliveriesInput struct {
	WebhookInput
	ReplayBody
}

// ReplayBody says which deliveries are sent again.
type ReplayBody struct {
	Since  string                    `json:"since" doc:"Events since then, RFC 3339, within the last 30 days." format:"date-time" example:"2026-11-27T14:40:00Z"`
	Until  string                    `json:"until,omitempty" doc:"Events before then, RFC 3339." format:"date-time"`
	Before string                    `json:"before,omitempty" doc:"Events before this one: next of the last call." pattern:"^msg_[0-9a-f]{32}$" form:"text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394" example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
	States []endpoints.DeliveryState `json:"states,omitempty" doc:"Only deliveries in these states; [\"failed\", \"skipped\"] if left out." minItems:"1" maxItems:"3" enum:"delivered failed skipped"`
}

// ReplayedDeliveries counts the deliveries that are sent again.
type ReplayedDeliveries struct {
	Count int     `json:"count" doc:"Deliveries that are sent again, at most 1,000 in a call."`
	Next  *string `json:"next" doc:"What to send as before to replay earlier ones; null: there are none."`
}

// ReplayDeliveries sends events to a webhook endpoint of the caller's account again, the newest
// first.
func (s Webhooks) ReplayDeliveries(
	ctx context.Context, in ReplayDeliveriesInput,
) (ReplayedDeliveries, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return ReplayedDeliveries{}, err
	}
	since, until, err := replaySpan(in.ReplayBody)
	if err != nil {
		return ReplayedDeliveries{}, err
	}
	n, next, err := s.events.ReplayAll(ctx, account, in.ID, since, until, in.Before,
		coast.Strings(in.States...))
	return ReplayedDeliveries{n, following(next)}, err
}

// replaySpan parses the times of a replay; until is zero if it is absent.
func replaySpan(in ReplayBody) (since, until time.Time, err error) {
	var issues []coast.Issue
	parse := func(field, text string) time.Time {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			issues = append(issues, coast.Issue{Path: "/" + field, Code: "format", Message: field +
				` must be a time with an offset, not ` + coast.Quote(text) +
				`. Example: "` + field + `": "2026-11-27T14:40:00Z".`})
		}
		return at
	}
	since = parse("since", in.Since)
	if in.Until != "" {
		until = parse("until", in.Until)
	}
	return since, until, coast.Invalid(issues)
}

// EventsInput selects events.
type EventsInput struct {
	Type   events.Kind `json:"type,omitempty" doc:"Only this kind." example:"quota.warning"`
	Before string      `json:"before,omitempty" doc:"Only events before this one: next of the last page." pattern:"^msg_[0-9a-f]{32}$" form:"text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394" example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
	Limit  int         `json:"limit" doc:"Events in the response." default:"25" min:"1" max:"100"`
}

// EventList lists events.
type EventList struct {
	Events []endpoints.Event `json:"events" doc:"The newest first."`
	Next   *string           `json:"next" doc:"What to send as before for the next page; null: this is the last page."`
}

// ListEvents returns the events of the caller's account and of all accounts, with their bodies.
func (s Webhooks) ListEvents(ctx context.Context, in EventsInput) (EventList, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return EventList{}, err
	}
	list, next, err := s.events.Events(ctx, account, string(in.Type), in.Before, in.Limit)
	return EventList{list, following(next)}, err
}

// EventInput names an event.
type EventInput struct {
	ID string `json:"id" doc:"The event's id." pattern:"^msg_[0-9a-f]{32}$" form:"text such as msg_019a8f3c7b1e7c3a9d5e2f4061728394" example:"msg_019a8f3c7b1e7c3a9d5e2f4061728394"`
}

// OneEvent is an event.
type OneEvent struct {
	Event endpoints.Event `json:"event" doc:"The event."`
}

// Event returns an event of the caller's account or of all accounts.
func (s Webhooks) Event(ctx context.Context, in EventInput) (OneEvent, error) {
	account, ctx, cancel, err := webhookCaller(ctx)
	defer cancel()
	if err != nil {
		return OneEvent{}, err
	}
	e, err := s.events.Event(ctx, account, in.ID)
	return OneEvent{e}, err
}
