package rest

import (
	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/selfservice"
	"leadline/tools"
)

// These are the needs of the routes for webhooks and events.
var (
	hookReader = access.Need{
		By: access.Key | access.Session, Scopes: []string{credential.WebhookRead},
	}
	hookWriter = access.Need{
		By: access.Key | access.Session, Scopes: []string{credential.WebhookWrite},
	}
)

// webhookRoutes returns the routes for webhook endpoints, their deliveries and the events of an
// account. They count against the rate limit and not against the monthly quota.
func webhookRoutes(set *tools.Set) []route {
	const all = "/api/developer/webhooks"
	const one, delivery = all + "/{id}", all + "/{id}/deliveries/{event}"
	reads := func(e endpoint) endpoint { return priced(request, needs(hookReader, e)) }
	writes := func(e endpoint) endpoint { return priced(request, needs(hookWriter, e)) }
	return []route{
		read(all, "listWebhooks", "webhooks.list", "Webhooks",
			"List the webhook endpoints of the account",
			"All endpoints with their states, their health and the number of waiting deliveries.",
			reads(get[webhooksQuery](set.Hooks.ListWebhooks)),
		),
		send(all, "createWebhook", "webhooks.create", "Webhooks",
			"Register a webhook endpoint",
			"Registers a URL that receives events. Only this response contains the signing secret. "+
				"The endpoint is pending: it receives a `webhook.test`, and the first 2xx response "+
				"to one enables it.",
			writes(post(set.Hooks.CreateWebhook)),
		),
		read(one, "getWebhook", "webhooks.get", "Webhooks",
			"Get a webhook endpoint",
			"One endpoint with its state and health.",
			reads(get[webhookQuery](set.Hooks.Webhook)),
		),
		change(one, "updateWebhook", "webhooks.update", "Webhooks",
			"Change, enable or disable a webhook endpoint",
			"Changes the fields that the body has. A new `url`, and `enabled: true`, make the "+
				"endpoint pending until it accepts a test. If it is disabled, its waiting "+
				"deliveries are skipped, and so are events that happen until it is enabled again; "+
				"a replay sends them later.",
			writes(postAt[webhookChange](set.Hooks.UpdateWebhook)),
		),
		remove(one, "deleteWebhook", "webhooks.delete", "Webhooks",
			"Delete a webhook endpoint",
			"Removes the endpoint and its deliveries. The events remain.",
			writes(act[webhookQuery](set.Hooks.DeleteWebhook)),
		),
		send(one+"/test", "testWebhook", "webhooks.test", "Webhooks",
			"Send a test to a webhook endpoint",
			"Sends a `webhook.test` and waits up to 16 seconds for the first attempt. A 2xx response "+
				"enables a pending endpoint. An account may send ten tests an hour.",
			writes(act[webhookQuery](set.Hooks.TestWebhook)),
		),
		send(one+"/rotate", "rotateWebhook", "webhooks.rotate", "Webhooks",
			"Replace the signing secret",
			"Gives the endpoint a new secret, which only this response contains. Both secrets sign "+
				"for the time `keepOld`. Rotating again ends the older one at once.",
			writes(postAt[webhookRotation](set.Hooks.RotateWebhook)),
		),
		read(one+"/deliveries", "listDeliveries", "webhooks.deliveries", "Webhooks",
			"List the deliveries of a webhook endpoint",
			"The deliveries of the last 30 days with their attempts, the newest event first.",
			reads(get[deliveriesQuery](set.Hooks.ListDeliveries)),
		),
		read(delivery, "getDelivery", "webhooks.delivery", "Webhooks",
			"Get a delivery with its event",
			"The attempts of one delivery and the body that is sent.",
			reads(get[deliveryQuery](set.Hooks.Delivery)),
		),
		send(delivery+"/replay", "replayDelivery", "webhooks.replay", "Webhooks",
			"Send an event again",
			"Makes the delivery pending again, with all attempts ahead of it. The `webhook-id` "+
				"remains, and `leadline-replay: true` is added.",
			writes(act[deliveryQuery](set.Hooks.ReplayDelivery)),
		),
		send(one+"/replay", "replayDeliveries", "webhooks.replaySince", "Webhooks",
			"Send events since a time again",
			"Replays failed and skipped deliveries, or those of `states`: up to 1,000 in a call, the "+
				"newest first, and ten calls an hour. `next` continues with earlier ones.",
			writes(postAt[replayCommand](set.Hooks.ReplayDeliveries)),
		),
		read("/api/developer/events", "listEvents", "events.list", "Webhooks",
			"List the events of the account",
			"The events of the last 30 days with their bodies, the newest first: those of the account "+
				"and those for all accounts. A receiver that was down reads here what it missed.",
			reads(get[eventsQuery](set.Hooks.ListEvents)),
		),
		read("/api/developer/events/{id}", "getEvent", "events.get", "Webhooks",
			"Get an event",
			"One event with its body.",
			reads(get[eventQuery](set.Hooks.Event)),
		),
	}
}

type webhooksQuery struct{}

func (webhooksQuery) Input() (in selfservice.ListWebhooksInput) { return in }

type webhookQuery struct{ selfservice.WebhookInput }

func (q webhookQuery) Input() selfservice.WebhookInput { return q.WebhookInput }

type webhookChange struct{ selfservice.WebhookInput }

func (c webhookChange) With(b selfservice.WebhookChange) selfservice.UpdateWebhookInput {
	return selfservice.UpdateWebhookInput{WebhookInput: c.WebhookInput, WebhookChange: b}
}

type webhookRotation struct{ selfservice.WebhookInput }

func (c webhookRotation) With(b selfservice.RotateWebhookBody) selfservice.RotateWebhookInput {
	return selfservice.RotateWebhookInput{WebhookInput: c.WebhookInput, RotateWebhookBody: b}
}

type deliveriesQuery struct{ selfservice.DeliveriesInput }

func (q deliveriesQuery) Input() selfservice.DeliveriesInput { return q.DeliveriesInput }

type deliveryQuery struct{ selfservice.DeliveryInput }

func (q deliveryQuery) Input() selfservice.DeliveryInput { return q.DeliveryInput }

type replayCommand struct{ selfservice.WebhookInput }

func (c replayCommand) With(b selfservice.ReplayBody) selfservice.ReplayDeliveriesInput {
	return selfservice.ReplayDeliveriesInput{WebhookInput: c.WebhookInput, ReplayBody: b}
}

type eventsQuery struct{ selfservice.EventsInput }

func (q eventsQuery) Input() selfservice.EventsInput { return q.EventsInput }

type eventQuery struct{ selfservice.EventInput }

func (q eventQuery) Input() selfservice.EventInput { return q.EventInput }
