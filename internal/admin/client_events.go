package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// The account of the methods below is named by its e-mail address. An id may be the beginning of
// an id: at least 4 characters, with or without its prefix.

func webhooksPath(email string) string { return accountPath(email) + "/webhooks" }

func webhookPath(email, id string) string { return webhooksPath(email) + "/" + url.PathEscape(id) }

func deliveryPath(email, id, event string) string {
	return webhookPath(email, id) + "/deliveries/" + url.PathEscape(event)
}

func watchPath(email, id string) string {
	return accountPath(email) + "/watches/" + url.PathEscape(id)
}

// Webhooks returns the endpoints of an account in order of creation.
func (c *Client) Webhooks(ctx context.Context, email string) ([]Webhook, error) {
	return call[[]Webhook](ctx, c, http.MethodGet, webhooksPath(email), nil)
}

// Webhook returns an endpoint of an account.
func (c *Client) Webhook(ctx context.Context, email, id string) (Webhook, error) {
	return call[Webhook](ctx, c, http.MethodGet, webhookPath(email, id), nil)
}

// CreateWebhook registers an endpoint of an account. It receives a test.
func (c *Client) CreateWebhook(
	ctx context.Context, email string, n NewWebhook,
) (SecretWebhook, error) {
	return call[SecretWebhook](ctx, c, http.MethodPost, webhooksPath(email), n)
}

// RemoveWebhook removes an endpoint of an account with its deliveries.
func (c *Client) RemoveWebhook(ctx context.Context, email, id string) (Webhook, error) {
	return call[Webhook](ctx, c, http.MethodDelete, webhookPath(email, id), nil)
}

// TestPatience is the time for which TestWebhook waits for the first attempt. An attempt takes at
// most 15 seconds.
const TestPatience = 20 * time.Second

// TestWebhook sends a test to an endpoint of an account and waits for its first attempt. If no
// server runs it does not wait, because only a server makes attempts.
func (c *Client) TestWebhook(ctx context.Context, email, id string) (TestedWebhook, error) {
	var in testRequest
	if !c.local {
		in.WaitSeconds = int(TestPatience.Seconds())
	}
	return call[TestedWebhook](ctx, c, http.MethodPost, webhookPath(email, id)+"/test", in)
}

// RotateWebhook gives an endpoint of an account a new secret. The old one signs too for the time
// keepOld: 0, 1h, 24h or 7d.
func (c *Client) RotateWebhook(
	ctx context.Context, email, id, keepOld string,
) (SecretWebhook, error) {
	path := webhookPath(email, id) + "/rotate"
	return call[SecretWebhook](ctx, c, http.MethodPost, path, rotation{keepOld})
}

// EnableWebhook sends a test to an endpoint of an account, whose acceptance enables it.
func (c *Client) EnableWebhook(ctx context.Context, email, id string) (Webhook, error) {
	return call[Webhook](ctx, c, http.MethodPost, webhookPath(email, id)+"/enable", nil)
}

// DisableWebhook disables an endpoint of an account. Its pending deliveries are skipped.
func (c *Client) DisableWebhook(ctx context.Context, email, id string) (Webhook, error) {
	return call[Webhook](ctx, c, http.MethodPost, webhookPath(email, id)+"/disable", nil)
}

// Deliveries returns deliveries of an endpoint of an account, the newest event first.
func (c *Client) Deliveries(
	ctx context.Context, email, id string, q DeliveryQuery,
) (Deliveries, error) {
	query := url.Values{
		"state": {q.State}, "type": {q.Kind}, "before": {q.Before}, "limit": {strconv.Itoa(q.Limit)},
	}
	path := webhookPath(email, id) + "/deliveries?" + query.Encode()
	return call[Deliveries](ctx, c, http.MethodGet, path, nil)
}

// Delivery returns the delivery of an event to an endpoint of an account, with the event.
func (c *Client) Delivery(ctx context.Context, email, id, event string) (FullDelivery, error) {
	return call[FullDelivery](ctx, c, http.MethodGet, deliveryPath(email, id, event), nil)
}

// Replay sends an event to an endpoint of an account again.
func (c *Client) Replay(ctx context.Context, email, id, event string) (Delivery, error) {
	return call[Delivery](ctx, c, http.MethodPost, deliveryPath(email, id, event)+"/replay", nil)
}

// ReplayAll sends the events of a span to an endpoint of an account again, the newest first. If
// the result has Next, another call with it continues.
func (c *Client) ReplayAll(
	ctx context.Context, email, id string, span ReplaySpan,
) (Replayed, error) {
	return call[Replayed](ctx, c, http.MethodPost, webhookPath(email, id)+"/replay", span)
}

// Events returns events of an account and of all accounts, the newest first.
func (c *Client) Events(ctx context.Context, email string, q EventQuery) (Events, error) {
	query := url.Values{"type": {q.Kind}, "before": {q.Before}, "limit": {strconv.Itoa(q.Limit)}}
	return call[Events](ctx, c, http.MethodGet, accountPath(email)+"/events?"+query.Encode(), nil)
}

// Watches returns the watches of an account in order of creation.
func (c *Client) Watches(ctx context.Context, email string) ([]Watch, error) {
	return call[[]Watch](ctx, c, http.MethodGet, accountPath(email)+"/watches", nil)
}

// Watch returns a watch of an account.
func (c *Client) Watch(ctx context.Context, email, id string) (Watch, error) {
	return call[Watch](ctx, c, http.MethodGet, watchPath(email, id), nil)
}

// RemoveWatch removes a watch of an account. No event of it is posted afterwards.
func (c *Client) RemoveWatch(ctx context.Context, email, id string) (Watch, error) {
	return call[Watch](ctx, c, http.MethodDelete, watchPath(email, id), nil)
}
