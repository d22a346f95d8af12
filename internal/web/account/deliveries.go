package account

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var deliveryView = view[deliveryPage]("delivery", "marks")

// deliveryList is a page of the deliveries of an endpoint.
type deliveryList struct {
	Rows   []deliveryRow
	State  string      // only those in this state; "" for all
	States []page.Link // the lists by state
	Next   string      // address of the next page, or ""
}

// deliveryRow is a delivery in a list.
type deliveryRow struct {
	Event, Kind string
	State       mark
	Happened    template.HTML
	Attempts    int           // that are kept
	Next        template.HTML // not before then, or ""
	Outcome     string        // of the last attempt
}

// deliveryStates are the states of deliveries, in the order of their lists.
var deliveryStates = []string{"pending", "delivered", "failed", "skipped"}

// deliveriesPerPage is the number of deliveries on a page, so that it has at most 50 kB.
const deliveriesPerPage = "40"

// deliveries returns the deliveries of an endpoint that the address of the page selects.
func (v *visit) deliveries(id string) (list deliveryList, err error) {
	asked := v.r.URL.Query()
	args := []string{"id", id, "limit", deliveriesPerPage}
	if slices.Contains(deliveryStates, asked.Get("state")) {
		list.State = asked.Get("state")
		args = append(args, "state", list.State)
	}
	if before := asked.Get("before"); before != "" {
		args = append(args, "before", before)
	}
	found, err := ask(v, v.c.Set.Hooks.ListDeliveries, args...)
	if err != nil {
		return list, err
	}
	for _, d := range found.Deliveries {
		list.Rows = append(list.Rows, deliveryRowOf(selfservice.Replayed{Delivery: d}))
	}
	base := webhooksPath + "/" + id
	list.States = []page.Link{{Name: "all", Path: base + "#deliveries", Current: list.State == ""}}
	for _, state := range deliveryStates {
		list.States = append(list.States, page.Link{
			Name: state, Path: base + "?state=" + state + "#deliveries", Current: state == list.State,
		})
	}
	if found.Next != nil {
		next := url.Values{"before": {*found.Next}}
		if list.State != "" {
			next.Set("state", list.State)
		}
		list.Next = base + "?" + next.Encode() + "#deliveries"
	}
	return list, nil
}

// deliveryMarks are the states of deliveries in words.
var deliveryMarks = map[string]mark{
	"pending":   {"pending", "It waits for an attempt.", "care"},
	"delivered": {"delivered", "The receiver has responded with 2xx.", "good"},
	"failed":    {"failed", "All attempts have failed. It can be replayed.", "fault"},
	"skipped": {"skipped", "The webhook was not enabled, or too many deliveries waited. It can be " +
		"replayed.", ""},
}

// deliveryRowOf returns the row of a delivery.
func deliveryRowOf(r selfservice.Replayed) deliveryRow {
	d := r.Delivery
	row := deliveryRow{
		Event: d.Event, Kind: string(d.Type), State: deliveryMarks[string(d.State)],
		Happened: moment(d.CreatedAt), Attempts: len(d.Attempts), Next: known(d.NextAt),
	}
	if n := len(d.Attempts); n > 0 {
		row.Outcome = outcome(d.Attempts[n-1].Status, d.Attempts[n-1].Error)
	}
	return row
}

// deliveryPath returns the address of the delivery of an event to the endpoint that the path
// names.
func (v *visit) deliveryPath(event string) string {
	return v.webhookPath() + "/deliveries/" + event
}

// deliveryPage is the page of a delivery.
type deliveryPage struct {
	page.AccountFrame
	Endpoint endpointFacts
	Delivery deliveryRow
	Attempts []attemptView // the newest first
	Body     string        // indented
	Expires  template.HTML
	Off      bool // the server sends no events
	Fault    string
}

// attemptView is an attempt of a delivery.
type attemptView struct {
	At      template.HTML
	Seconds string // the header webhook-timestamp
	Outcome string
	Good    bool
	Took    string
	Reply   string
}

// delivery shows a delivery.
func (v *visit) delivery() { v.showDelivery(http.StatusOK, "") }

// showDelivery responds with the page of a delivery, with the fault of its form.
func (v *visit) showDelivery(status int, fault string) {
	w, ok := v.ownWebhook()
	if !ok {
		return
	}
	found, err := ask(v, v.c.Set.Hooks.Delivery, "id", w.Endpoint.ID, "event", v.r.PathValue("event"))
	if err != nil {
		v.fail(err)
		return
	}
	p := deliveryPage{
		AccountFrame: v.frame(), Endpoint: webhookFacts(w),
		Delivery: deliveryRowOf(selfservice.Replayed{Delivery: found.Delivery}),
		Body:     indented(found.Event.Body), Expires: v.day(found.Event.ExpiresAt),
		Off: !v.c.Delivers, Fault: fault,
	}
	for _, a := range slices.Backward(found.Delivery.Attempts) {
		p.Attempts = append(p.Attempts, attemptView{
			At: second(a.At), Seconds: strconv.FormatInt(a.At.Unix(), 10),
			Outcome: outcome(a.Status, a.Error), Good: a.Error == nil, Took: took(a.Millis), Reply: a.Reply,
		})
	}
	deliveryView.Write(v.w, status, p)
}

// took writes a number of milliseconds, as seconds if it is long.
func took(millis int) string {
	if millis < 1000 {
		return strconv.Itoa(millis) + " ms"
	}
	return strconv.FormatFloat(float64(millis)/1000, 'f', 1, 64) + " s"
}

// indented returns JSON on several lines.
func indented(body json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		return string(body) // as it was sent
	}
	return b.String()
}

// replayDelivery sends a delivery again.
func (v *visit) replayDelivery() {
	id, event := v.r.PathValue("id"), v.r.PathValue("event")
	_, err := perform(v, v.c.Set.Hooks.ReplayDelivery, "id", id, "event", event)
	switch fault := v.refusal(err); {
	case fault != "":
		v.showDelivery(statusOf(err), fault)
	case err != nil:
		v.fail(err)
	default:
		v.goTo(v.deliveryPath(event))
	}
}
