package admin

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/events"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/internal/events/watches"
	"leadline/store"
)

// newEvents returns the rules about webhooks and watches over the store of a bench. Endpoints may
// be on this machine.
func (b *bench) newEvents(now func() time.Time) (*endpoints.Service, *watches.Service) {
	b.Helper()
	b.sealer = signature.NewSealer(credential.Pepper{1})
	var err error
	b.sender, err = sender.New(sender.Config{
		Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: now,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(b.sender.Close)
	outbox := events.NewOutbox(events.OutboxConfig{Store: b.store, Now: now})
	b.watches = watches.New(watches.Config{
		Store: b.store, Plans: access.BuiltIn(), Outbox: outbox, Now: now,
		Down: func() string { return "" }, Zone: func(string) *time.Location { return time.UTC },
	})
	return endpoints.New(endpoints.Config{
		Store: b.store, Plans: access.BuiltIn(), Sealer: b.sealer, Outbox: outbox, Now: now,
		CheckURL: b.sender.CheckURL,
	}), b.watches
}

const (
	mate = "mate@example.org"
	hook = "https://hooks.example.com/leadline?token=5up3r"
)

// account creates the account of the mate, on the plan pro.
func account(t *testing.T, c *Client) Account {
	t.Helper()
	a, err := c.CreateAccount(t.Context(), NewAccount{Email: mate, Plan: "pro"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// create registers an endpoint of the mate.
func create(t *testing.T, c *Client, url string) SecretWebhook {
	t.Helper()
	w, err := c.CreateWebhook(t.Context(), mate, NewWebhook{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// accept enables an endpoint as the acceptance of its newest test does.
func (b *bench) accept(id string) {
	b.Helper()
	pending := store.DeliveryFilter{States: []string{store.DeliveryPending}}
	list, err := b.store.DeliveriesOf(b.Context(), id, pending, 1)
	if err != nil || len(list) != 1 {
		b.Fatalf("%s has the deliveries %v, %v, want a test", id, list, err)
	}
	err = b.store.Finish(b.Context(), []store.Result{{
		Endpoint: id, Event: list[0].Event, URL: hook, State: store.DeliveryDelivered, Tries: 1,
		Attempt: store.Attempt{At: noon, Status: 204}, EndpointState: store.EndpointEnabled,
	}})
	if err != nil {
		b.Fatal(err)
	}
}

// TestWebhooks tests every route for endpoints. The log must not contain their secrets and URLs.
func TestWebhooks(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		account(t, c)
		made, err := c.CreateWebhook(ctx, mate, NewWebhook{
			URL: hook, Events: []string{"quota.warning"}, Description: "bridge",
		})
		w := made.Webhook
		if err != nil || w.State != store.EndpointPending || w.URL != hook ||
			w.Description != "bridge" ||
			!slices.Equal(w.Events, []events.Subscription{"quota.warning"}) ||
			!strings.HasPrefix(made.Secret, signature.SecretPrefix) ||
			!strings.HasPrefix(made.Secret, strings.TrimRight(w.SecretHint, "…")) {
			t.Fatalf("CreateWebhook = %+v, %v", w, err)
		}
		second := create(t, c, hook).Webhook
		if got := second.Events; !slices.Equal(got, []events.Subscription{AllKinds}) {
			t.Errorf("without kinds an endpoint subscribes to %v, want *", got)
		}
		list, err := c.Webhooks(ctx, mate)
		has := func(id string) bool {
			return slices.ContainsFunc(list, func(w Webhook) bool { return w.ID == id })
		}
		if err != nil || len(list) != 2 || !has(w.ID) || !has(second.ID) {
			t.Errorf("Webhooks = %+v, %v, want %s and %s", list, err, w.ID, second.ID)
		}
		for _, id := range []string{w.ID, w.ID[:8], w.ID[3:8]} {
			if got, err := c.Webhook(ctx, mate, id); err != nil || got.ID != w.ID {
				t.Errorf("Webhook(%s) = %+v, %v, want %s", id, got, err, w.ID)
			}
		}
		b.accept(w.ID)
		rotated, err := c.RotateWebhook(ctx, mate, w.ID, "7d")
		if until := rotated.Webhook.OldSecretUntil; err != nil || rotated.Secret == made.Secret ||
			until == nil || !until.Equal(noon.AddDate(0, 0, 7)) {
			t.Errorf("RotateWebhook = %+v, %v, want both secrets for 7 days", rotated.Webhook, err)
		}
		for _, step := range []struct {
			do   func(context.Context, string, string) (Webhook, error)
			want string
		}{
			{c.EnableWebhook, store.EndpointEnabled}, // as it is
			{c.DisableWebhook, store.EndpointDisabled},
			{c.EnableWebhook, store.EndpointPending},
		} {
			got, err := step.do(ctx, mate, w.ID)
			if err != nil || string(got.State) != step.want {
				t.Errorf("got %+v, %v, want it %s", got, err, step.want)
			}
		}
		if gone, err := c.RemoveWebhook(ctx, mate, w.ID[:9]); err != nil || gone.ID != w.ID {
			t.Errorf("RemoveWebhook = %+v, %v, want %s", gone, err, w.ID)
		}
		if list, err := c.Webhooks(ctx, mate); err != nil || len(list) != 1 {
			t.Errorf("Webhooks = %+v, %v, want %s alone", list, err, second.ID)
		}
		log := b.log.String()
		for _, secret := range []string{"whsec_", "hooks.example.com", "5up3r", "mate", w.ID} {
			if strings.Contains(log, secret) {
				t.Errorf("the log has %q:\n%s", secret, log)
			}
		}
	})
}

// TestDeliveries tests every route for deliveries and events with three tests of one endpoint.
func TestDeliveries(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		account(t, c)
		w := create(t, c, hook).Webhook
		b.accept(w.ID)
		for range 2 {
			tested, err := c.RotateWebhook(ctx, mate, w.ID, "0")
			if err != nil || tested.Webhook.OldSecretUntil != nil {
				t.Fatalf("RotateWebhook = %+v, %v, want one secret", tested.Webhook, err)
			}
		}
		first, err := c.Deliveries(ctx, mate, w.ID, DeliveryQuery{Limit: 2})
		if err != nil || len(first.List) != 2 || first.Next == "" {
			t.Fatalf("Deliveries = %+v, %v, want 2 and more", first, err)
		}
		last, err := c.Deliveries(ctx, mate, w.ID, DeliveryQuery{Limit: 2, Before: first.Next[4:20]})
		if err != nil || len(last.List) != 1 || last.Next != "" || last.List[0].Event >= first.Next {
			t.Fatalf("Deliveries = %+v, %v, want the oldest", last, err)
		}
		oldest := last.List[0]
		for q, want := range map[DeliveryQuery]int{
			{Limit: 5, State: "delivered"}: 1, {Limit: 5, State: "pending"}: 2,
			{Limit: 5, Kind: "webhook.test"}: 3, {Limit: 5, Kind: "quota.warning"}: 0,
			{Limit: 5, Before: oldest.Event}: 0,
		} {
			got, err := c.Deliveries(ctx, mate, w.ID, q)
			if err != nil || got.List == nil || len(got.List) != want {
				t.Errorf("Deliveries(%+v) = %+v, %v, want %d", q, got, err, want)
			}
		}
		id := oldest.Event
		for _, id := range []string{id, id[:20], strings.ToUpper(id[4:20])} {
			full, err := c.Delivery(ctx, mate, w.ID, id)
			if err != nil || full.Delivery.Event != oldest.Event || len(full.Delivery.Attempts) != 1 ||
				!strings.Contains(string(full.Event.Body), `"cause":"created"`) {
				t.Errorf("Delivery(%s) = %+v, %v, want %+v", id, full, err, oldest)
			}
		}
		found, err := c.Events(ctx, mate, EventQuery{Limit: 2, Kind: "webhook.test"})
		if err != nil || len(found.List) != 2 || found.Next != found.List[1].ID ||
			found.List[0].ID != first.List[0].Event {
			t.Errorf("Events = %+v, %v, want the newest 2", found, err)
		}
		found, err = c.Events(ctx, mate, EventQuery{Limit: 2, Before: found.Next})
		if err != nil || len(found.List) != 1 || found.Next != "" {
			t.Errorf("Events = %+v, %v, want the last one", found, err)
		}
	})
}

// TestReplay replays one event, and then those that were skipped.
func TestReplay(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		account(t, c)
		w := create(t, c, hook).Webhook
		if _, err := c.DisableWebhook(ctx, mate, w.ID); err != nil { // skips the test
			t.Fatal(err)
		}
		if _, err := c.EnableWebhook(ctx, mate, w.ID); err != nil {
			t.Fatal(err)
		}
		b.accept(w.ID)
		list, err := c.Deliveries(ctx, mate, w.ID, DeliveryQuery{Limit: 5})
		if err != nil || len(list.List) != 2 || list.List[1].State != store.DeliverySkipped {
			t.Fatalf("Deliveries = %+v, %v, want a delivered and a skipped one", list, err)
		}
		id := list.List[0].Event
		if got, err := c.Replay(ctx, mate, w.ID, id[:20]); err != nil || got.Event != id ||
			got.State != store.DeliveryPending || !got.NextAt.Equal(noon) {
			t.Errorf("Replay = %+v, %v, want it pending", got, err)
		}
		span := ReplaySpan{Since: noon.Add(-time.Hour), States: []string{"failed", "skipped"}}
		for _, want := range []int{1, 0} {
			got, err := c.ReplayAll(ctx, mate, w.ID, span)
			if err != nil || got != (Replayed{Count: want}) {
				t.Errorf("ReplayAll = %+v, %v, want %d", got, err, want)
			}
		}
	})
}

// TestWatches tests every route for watches.
func TestWatches(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		owner := account(t, c)
		judge := func(context.Context, events.TripRequest) (decide.Decision, error) {
			return decide.Decision{RequestedFor: noon.AddDate(0, 0, 3), State: decide.ActionNeeded}, nil
		}
		made, _, err := b.watches.Create(ctx, owner.ID, watches.Draft{
			Name: "trip", Request: events.TripRequest{StationID: "8443970", Activity: "boating"},
		}, judge)
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Watches(ctx, mate)
		if err != nil || len(list) != 1 || list[0].ID != made.ID || list[0].Name != "trip" ||
			list[0].Summary.State != decide.ActionNeeded {
			t.Errorf("Watches = %+v, %v, want %+v", list, err, made)
		}
		for _, id := range []string{made.ID, made.ID[3:7]} {
			if got, err := c.Watch(ctx, mate, id); err != nil || got.ID != made.ID {
				t.Errorf("Watch(%s) = %+v, %v, want %s", id, got, err, made.ID)
			}
		}
		if gone, err := c.RemoveWatch(ctx, mate, made.ID[:7]); err != nil || gone.ID != made.ID {
			t.Errorf("RemoveWatch = %+v, %v, want %s", gone, err, made.ID)
		}
		if list, err := c.Watches(ctx, mate); err != nil || list == nil || len(list) != 0 {
			t.Errorf("Watches = %+v, %v, want an empty list", list, err)
		}
	})
}

// TestEventErrors checks the errors for what was typed on the command line.
func TestEventErrors(t *testing.T) {
	both(t, func(t *testing.T, b *bench, c *Client) {
		ctx := t.Context()
		account(t, c)
		w := create(t, c, hook).Webhook
		if _, err := c.CreateAccount(ctx, NewAccount{Email: "cook@example.org"}); err != nil {
			t.Fatal(err)
		}
		_, account := c.Webhooks(ctx, "nobody@example.org")
		_, other := c.Webhook(ctx, "cook@example.org", w.ID)
		_, short := c.Webhook(ctx, mate, "we_"+w.ID[3:6])
		_, url := c.CreateWebhook(ctx, mate, NewWebhook{URL: "https://ann@hooks.example.com"})
		_, empty := c.CreateWebhook(ctx, mate, NewWebhook{})
		_, kinds := c.CreateWebhook(ctx, mate, NewWebhook{URL: hook, Events: []string{"tide"}})
		_, keep := c.RotateWebhook(ctx, mate, w.ID, "2h")
		_, state := c.Deliveries(ctx, mate, w.ID, DeliveryQuery{State: "lost", Limit: 1})
		_, kind := c.Deliveries(ctx, mate, w.ID, DeliveryQuery{Kind: "tide", Limit: 1})
		_, limit := c.Events(ctx, mate, EventQuery{Limit: 1001})
		_, event := c.Delivery(ctx, mate, w.ID, "msg_0000")
		_, shortEvent := c.Replay(ctx, mate, w.ID, "msg_")
		_, pending := c.ReplayAll(ctx, mate, w.ID, ReplaySpan{Since: noon, States: []string{"pending"}})
		_, watch := c.RemoveWatch(ctx, mate, "wt_0000")
		for _, test := range []struct {
			err  error
			code coast.Code
			says string
		}{
			{account, coast.NotFound, "no account nobody@example.org"},
			{other, coast.NotFound, "no endpoint of cook@example.org has an id that begins with"},
			{short, coast.InvalidRequest, "leadline webhooks list, or at least 4 characters of it"},
			{url, coast.InvalidRequest, "url must not have a user name"},
			{empty, coast.InvalidRequest, "url is required"},
			{kinds, coast.InvalidRequest, `there is no "tide"`},
			{keep, coast.InvalidRequest, "must be 0, 1h, 24h or 7d"},
			{state, coast.InvalidRequest, `invalid state "lost": must be one of pending, delivered,`},
			{kind, coast.InvalidRequest, `invalid type "tide": must be one of webhook.test,`},
			{limit, coast.InvalidRequest, `invalid limit "1001": must be a number from 1 to 1000`},
			{event, coast.NotFound, "leadline webhooks deliveries " + w.ID + " prints them"},
			{shortEvent, coast.InvalidRequest, "or at least 4 characters of it"},
			{pending, coast.InvalidRequest, `invalid state "pending": must be one of delivered, failed,`},
			{watch, coast.NotFound, "no watch of mate@example.org has an id that begins with"},
		} {
			var e *coast.Error
			if !errors.As(test.err, &e) || e.Code != test.code || !strings.Contains(e.Message, test.says) {
				t.Errorf("got %v, want %s with %q", test.err, test.code, test.says)
			}
		}
	})
}

// TestChoose checks the choice of a row by the beginning of its id.
func TestChoose(t *testing.T) {
	list := []string{"we_4fT9kQ2mZx7LbN", "we_4fT9kQ2mZx7LbM", "we_4ft9kQ2mZx7LbN"}
	describe := func(id string) (string, string) { return id, "https://" + id[16:] }
	for given, want := range map[string]string{
		"we_4fT9kQ2mZx7LbM": list[1], "4fT9kQ2mZx7LbN": list[0], "we_4ft9": list[2], "4ft9": list[2],
		"4fT9":    "several ids begin with \"4fT9\": we_4fT9kQ2mZx7LbN https://N, we_4fT9kQ2mZx7LbM",
		"we_4fT":  "at least 4 characters",
		"fT9k":    `no row has an id that begins with "fT9k"; leadline rows prints them`,
		"wt_4fT9": `no row has an id that begins with "wt_4fT9"`,
	} {
		got, err := choose(selection{given, "we_", "row", "rows"}, list, describe)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("choose(%q) = %q, want %q", given, got, want)
		}
	}
}
