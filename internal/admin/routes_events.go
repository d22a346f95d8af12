package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/events/endpoints"
	"leadline/internal/events/signature"
	"leadline/store"
)

// routeEvents adds the routes for the webhooks, events and watches of an account.
func (h *handler) routeEvents() {
	const webhooks, watches = "/accounts/{email}/webhooks", "/accounts/{email}/watches"
	route(h, "GET "+webhooks, ofAccount(h, h.listWebhooks))
	route(h, "POST "+webhooks, ofAccount(h, h.createWebhook))
	route(h, "GET "+webhooks+"/{id}", ofWebhook(h, h.webhook))
	route(h, "DELETE "+webhooks+"/{id}", ofWebhook(h, h.removeWebhook))
	route(h, "POST "+webhooks+"/{id}/test", ofWebhook(h, h.testWebhook))
	route(h, "POST "+webhooks+"/{id}/rotate", ofWebhook(h, h.rotateWebhook))
	route(h, "POST "+webhooks+"/{id}/enable", ofWebhook(h, h.switchWebhook(true)))
	route(h, "POST "+webhooks+"/{id}/disable", ofWebhook(h, h.switchWebhook(false)))
	route(h, "GET "+webhooks+"/{id}/deliveries", ofWebhook(h, h.listDeliveries))
	route(h, "GET "+webhooks+"/{id}/deliveries/{event}", ofWebhook(h, h.delivery))
	route(h, "POST "+webhooks+"/{id}/deliveries/{event}/replay", ofWebhook(h, h.replay))
	route(h, "POST "+webhooks+"/{id}/replay", ofWebhook(h, h.replayAll))
	route(h, "GET /accounts/{email}/events", ofAccount(h, h.listEvents))
	route(h, "GET "+watches, ofAccount(h, h.listWatches))
	route(h, "GET "+watches+"/{id}", ofAccount(h, h.watch))
	route(h, "DELETE "+watches+"/{id}", ofAccount(h, h.removeWatch))
}

// own names an account, and one of its endpoints if the route has one.
type own struct {
	account, email string
	webhook        string
}

// ofAccount returns the route function for an operation on the account whose address is in the
// path.
func ofAccount[In, Out any](
	h *handler, do func(*http.Request, own, In) (Out, error),
) func(*http.Request, In) (Out, error) {
	return func(r *http.Request, in In) (out Out, err error) {
		a, err := h.Accounts.Account(r.Context(), r.PathValue("email"))
		if err != nil {
			return out, err
		}
		return do(r, own{account: a.ID, email: a.Email}, in)
	}
}

// ofWebhook is like ofAccount for an operation on one of its endpoints. The path has the id of the
// endpoint or the beginning of it.
func ofWebhook[In, Out any](
	h *handler, do func(*http.Request, own, In) (Out, error),
) func(*http.Request, In) (Out, error) {
	return ofAccount(h, func(r *http.Request, o own, in In) (out Out, err error) {
		list, err := h.Webhooks.Endpoints(r.Context(), o.account)
		if err != nil {
			return out, err
		}
		s := selection{r.PathValue("id"), "we_", "endpoint of " + o.email, "webhooks list"}
		o.webhook, err = choose(s, list, func(e Webhook) (string, string) { return e.ID, e.URL })
		if err != nil {
			return out, err
		}
		return do(r, o, in)
	})
}

func (h *handler) listWebhooks(r *http.Request, o own, _ none) ([]Webhook, error) {
	return h.Webhooks.Endpoints(r.Context(), o.account)
}

func (h *handler) createWebhook(r *http.Request, o own, in NewWebhook) (SecretWebhook, error) {
	d := endpoints.Draft{URL: &in.URL, Kinds: in.Events, Description: &in.Description}
	return withSecret(h.Webhooks.Create(r.Context(), o.account, d))
}

// withSecret returns the result of an operation that makes a secret.
func withSecret(e Webhook, s signature.Secret, err error) (SecretWebhook, error) {
	if err != nil {
		return SecretWebhook{}, err
	}
	return SecretWebhook{e, s.Text()}, nil
}

func (h *handler) webhook(r *http.Request, o own, _ none) (Webhook, error) {
	return h.Webhooks.Endpoint(r.Context(), o.account, o.webhook)
}

func (h *handler) removeWebhook(r *http.Request, o own, _ none) (Webhook, error) {
	return h.Webhooks.Remove(r.Context(), o.account, o.webhook)
}

func (h *handler) testWebhook(r *http.Request, o own, in testRequest) (TestedWebhook, error) {
	patience := time.Duration(in.WaitSeconds) * time.Second
	test, err := h.Webhooks.Test(r.Context(), o.account, o.webhook, patience)
	if err != nil {
		return TestedWebhook{}, err
	}
	e, err := h.webhook(r, o, none{})
	return TestedWebhook{e, test}, err
}

// keeps maps the words for the time that a replaced secret signs to the time.
var keeps = map[string]time.Duration{
	"0": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour,
}

func (h *handler) rotateWebhook(r *http.Request, o own, in rotation) (SecretWebhook, error) {
	keep, ok := keeps[in.KeepOld]
	if !ok {
		return SecretWebhook{}, coast.Errorf(coast.InvalidRequest,
			"invalid keep-old %q: must be 0, 1h, 24h or 7d", in.KeepOld)
	}
	return withSecret(h.Webhooks.Rotate(r.Context(), o.account, o.webhook, keep))
}

// switchWebhook returns the operation that enables or disables an endpoint.
func (h *handler) switchWebhook(on bool) func(*http.Request, own, none) (Webhook, error) {
	return func(r *http.Request, o own, _ none) (Webhook, error) {
		if _, err := h.Webhooks.Change(
			r.Context(), o.account, o.webhook, endpoints.Draft{Enabled: &on},
		); err != nil {
			return Webhook{}, err
		}
		return h.webhook(r, o, none{}) // the store has cleared its health and its backlog
	}
}

func (h *handler) listDeliveries(r *http.Request, o own, _ none) (out Deliveries, err error) {
	f := store.DeliveryFilter{Kind: r.FormValue("type"), Before: eventID(r.FormValue("before"))}
	if state := r.FormValue("state"); state != "" {
		f.States = []string{state}
	}
	n, err := pageSize(r)
	if err := cmp.Or(err, checkKind(f.Kind), checkStates(f.States, allStates)); err != nil {
		return out, err
	}
	out.List, out.Next, err = h.Webhooks.Deliveries(r.Context(), o.account, o.webhook, f, n)
	return out, err
}

func (h *handler) delivery(r *http.Request, o own, _ none) (out FullDelivery, err error) {
	id, err := h.event(r, o)
	if err != nil {
		return out, err
	}
	out.Delivery, out.Event, err = h.Webhooks.Delivery(r.Context(), o.account, o.webhook, id)
	return out, err
}

func (h *handler) replay(r *http.Request, o own, _ none) (Delivery, error) {
	id, err := h.event(r, o)
	if err != nil {
		return Delivery{}, err
	}
	return h.Webhooks.Replay(r.Context(), o.account, o.webhook, id)
}

func (h *handler) replayAll(r *http.Request, o own, in ReplaySpan) (out Replayed, err error) {
	if err := checkStates(in.States, allStates[1:]); err != nil {
		return out, err
	}
	out.Count, out.Next, err = h.Webhooks.ReplayAll(r.Context(), o.account, o.webhook, in.Since,
		in.Until, in.Before, in.States)
	return out, err
}

// event returns the id of the event whose delivery the path selects by the beginning of that id.
func (h *handler) event(r *http.Request, o own) (string, error) {
	const most = 5 // ids in the error
	first := eventID(r.PathValue("event"))
	s := selection{first, "msg_", "delivery of " + o.webhook, "webhooks deliveries " + o.webhook}
	f := store.DeliveryFilter{Since: first, Before: first + "g"} // ids are hexadecimal
	list, _, err := h.Webhooks.Deliveries(r.Context(), o.account, o.webhook, f, most)
	if err != nil {
		return "", err
	}
	return choose(s, list, func(d Delivery) (string, string) { return d.Event, string(d.Type) })
}

// eventID returns the beginning of an event's id in the form of ids.
func eventID(text string) string {
	text = strings.TrimPrefix(strings.ToLower(text), "msg_")
	if text == "" {
		return ""
	}
	return "msg_" + text
}

func (h *handler) listEvents(r *http.Request, o own, _ none) (out Events, err error) {
	kind := r.FormValue("type")
	n, err := pageSize(r)
	if err := cmp.Or(err, checkKind(kind)); err != nil {
		return out, err
	}
	out.List, out.Next, err = h.Webhooks.Events(r.Context(), o.account, kind,
		eventID(r.FormValue("before")), n)
	return out, err
}

// maxPage limits the number of deliveries or events of one request.
const maxPage = 1000

// pageSize returns the number of rows that a request asks for.
func pageSize(r *http.Request) (int, error) {
	text := r.FormValue("limit")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, coast.Errorf(coast.InvalidRequest,
			"invalid limit %q: must be a number from 1 to %d", text, maxPage)
	}
	return n, nil
}

// checkKind refuses a kind of events that does not exist; "" is all.
func checkKind(kind string) error {
	if kind == "" || slices.Contains(EventKinds(), kind) {
		return nil
	}
	return coast.Errorf(coast.InvalidRequest, "invalid type %q: must be one of %s", kind,
		strings.Join(EventKinds(), ", "))
}

// allStates are the states of deliveries; those after the first can be replayed.
var allStates = []string{
	store.DeliveryPending, store.DeliveryDelivered, store.DeliveryFailed, store.DeliverySkipped,
}

// checkStates refuses states that are not allowed.
func checkStates(states, allowed []string) error {
	for _, state := range states {
		if !slices.Contains(allowed, state) {
			return coast.Errorf(coast.InvalidRequest, "invalid state %q: must be one of %s", state,
				strings.Join(allowed, ", "))
		}
	}
	return nil
}

func (h *handler) listWatches(r *http.Request, o own, _ none) ([]Watch, error) {
	return h.Watches.List(r.Context(), o.account)
}

func (h *handler) watch(r *http.Request, o own, _ none) (Watch, error) {
	id, err := h.watchID(r.Context(), o, r.PathValue("id"))
	if err != nil {
		return Watch{}, err
	}
	return h.Watches.Watch(r.Context(), o.account, id)
}

func (h *handler) removeWatch(r *http.Request, o own, _ none) (Watch, error) {
	id, err := h.watchID(r.Context(), o, r.PathValue("id"))
	if err != nil {
		return Watch{}, err
	}
	return h.Watches.Remove(r.Context(), o.account, id)
}

// watchID returns the id of the watch that begins with a text.
func (h *handler) watchID(ctx context.Context, o own, given string) (string, error) {
	list, err := h.Watches.List(ctx, o.account)
	if err != nil {
		return "", err
	}
	s := selection{given, "wt_", "watch of " + o.email, "watches list"}
	return choose(s, list, func(w Watch) (string, string) { return w.ID, w.Name })
}
