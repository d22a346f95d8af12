package account

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/events"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var webhooksView = view[webhooksPage]("webhooks", "marks", "fields", "secret", "verify")

const webhooksPath = page.AccountPath + "/webhooks"

// webhooksPage lists the webhook endpoints of an account and adds others.
type webhooksPage struct {
	page.AccountFrame
	Endpoints []endpointRow
	Plan      access.Plan
	Full      bool // the plan allows no more
	Off       bool // the server sends no events
	Form      endpointForm
	FormID    string
	Fault     string // why the form was refused
	Made      *madeSecret
}

// endpointRow is a webhook endpoint in a list.
type endpointRow struct {
	ID, Name, URL string
	Kinds         []string // nil: all
	State         mark
	Last          template.HTML // time of the last attempt, "" for none
	Outcome       string        // what came of it
	Pending       int           // deliveries that wait
}

// mark is a state in a word, with what it means.
type mark struct {
	Word, About string
	Class       string // of its color: good, care, fault or ""
}

// madeSecret is a new signing secret, which is shown once.
type madeSecret struct {
	ID, Name, Secret string
	Rotated          bool          // it replaces another one
	Both             template.HTML // until when the old one signs too, "" if it does not
	Tested           bool          // a test was sent
}

// endpointForm has the fields of an endpoint that its owner sets.
type endpointForm struct {
	URL, Description string
	Kinds            []kindChoice
	Refused          bool // by the fault of the page
}

// kindChoice is a kind of events that an endpoint can receive.
type kindChoice struct {
	Name, About string
	Checked     bool
}

// allKinds means all kinds of events, future ones too.
const allKinds = "*"

// webhooks lists the endpoints.
func (v *visit) webhooks() { v.showWebhooks(http.StatusOK, nil, "") }

// showWebhooks responds with the list of endpoints: with a new one, or with the fault of the form.
func (v *visit) showWebhooks(status int, made *madeSecret, fault string) {
	list, err := operation.Run(v.ctx(), v.c.Set.Hooks.ListWebhooks, selfservice.ListWebhooksInput{})
	if err != nil {
		v.fail(err)
		return
	}
	plan, _ := access.PlanFrom(v.ctx())
	p := webhooksPage{
		AccountFrame: v.frame(), Plan: plan, Full: len(list.Endpoints) >= plan.Endpoints,
		Off: !v.c.Delivers, Form: v.endpointForm("", "", []string{allKinds}, fault != ""),
		FormID: v.c.Sessions.NewFormID(), Fault: fault, Made: made,
	}
	for _, e := range list.Endpoints {
		p.Endpoints = append(p.Endpoints, endpointRowOf(selfservice.Webhook{Endpoint: e}))
	}
	webhooksView.Write(v.w, status, p)
}

// endpointForm returns the fields of an endpoint: as they are, or as they were sent if the form was
// refused.
func (v *visit) endpointForm(
	address, description string, kinds []string, refused bool,
) endpointForm {
	if refused {
		address, description = v.r.PostFormValue("url"), v.r.PostFormValue("description")
		kinds = v.r.PostForm["events"]
	}
	f := endpointForm{URL: address, Description: description, Refused: refused}
	for _, k := range events.Kinds() {
		name := string(k.Kind)
		if k.Kind == events.WebhookTest && !slices.Contains(kinds, name) {
			continue // tests are sent without a subscription
		}
		f.Kinds = append(f.Kinds, kindChoice{name, k.Summary, slices.Contains(kinds, name)})
	}
	all := kindChoice{allKinds, "All kinds, also those that are added later.",
		slices.Contains(kinds, allKinds)}
	f.Kinds = slices.Insert(f.Kinds, 0, all)
	return f
}

// sentKinds replaces the kinds of a form by what the operations take: all of them alone if it is
// among them, and an empty list, which they refuse, if there are none.
func (v *visit) sentKinds() {
	switch sent := v.r.PostForm["events"]; {
	case slices.Contains(sent, allKinds):
		v.r.PostForm["events"] = []string{allKinds}
	case sent == nil:
		v.r.PostForm["events"] = []string{}
	}
}

// createWebhook adds an endpoint and shows its secret, once.
func (v *visit) createWebhook() {
	v.sentKinds()
	var made selfservice.NewWebhook
	err := v.c.Sessions.UseForm(v.r, v.account)
	if err == nil {
		made, err = perform(v, v.c.Set.Hooks.CreateWebhook)
	}
	switch fault := v.refusal(err); {
	case fault != "":
		v.showWebhooks(statusOf(err), nil, fault)
	case err != nil:
		v.fail(err)
	default:
		e := endpointRowOf(selfservice.Webhook{Endpoint: made.Endpoint})
		v.showWebhooks(http.StatusOK, &madeSecret{
			ID: e.ID, Name: e.Name, Secret: made.Secret, Tested: made.Endpoint.Pending > 0,
		}, "")
	}
}

// endpointRowOf returns the row of an endpoint.
func endpointRowOf(w selfservice.Webhook) endpointRow {
	e := w.Endpoint
	row := endpointRow{
		ID: e.ID, Name: e.Description, URL: e.URL, Kinds: coast.Strings(e.Events...),
		State: endpointState(w), Pending: e.Pending,
	}
	if row.Name == "" {
		row.Name = hostOf(e.URL)
	}
	if slices.Contains(row.Kinds, allKinds) {
		row.Kinds = nil
	}
	if e.Last != nil {
		row.Last = moment(e.Last.At)
		row.Outcome = outcome(e.Last.Status, e.Last.Error)
	}
	return row
}

// hostOf returns the host of an address, by which people recognize an endpoint.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// suspensions says why the server has suspended an endpoint, and what to do.
var suspensions = map[string]string{
	"gone": "It responded with 410, which asks for no more events. Enable it to send again.",
	"failing": "It has failed for five days. Correct the receiver, enable it, and replay what it " +
		"has missed.",
	"secret": "Its secret is lost, because the server has another pepper file. Rotate the secret.",
}

// endpointState returns the state of an endpoint in words.
func endpointState(w selfservice.Webhook) mark {
	e := w.Endpoint
	state := string(e.State)
	switch {
	case state == "pending":
		return mark{state, "It receives only tests. The first 2xx response to one enables it.", "care"}
	case state == "disabled":
		return mark{state, "You have disabled it. Events are skipped and can be replayed later.", ""}
	case state == "suspended" && e.DisabledReason != nil:
		return mark{state, suspensions[string(*e.DisabledReason)], "fault"}
	case state == "enabled" && e.FailingSince != nil:
		return mark{state, "Its last attempts have failed. They go on by themselves.", "care"}
	case state == "enabled":
		return mark{state, "It receives events.", "good"}
	default:
		return mark{Word: state}
	}
}

// failures says what an attempt without a good response has met.
var failures = map[string]string{
	"dns":             "the host name does not resolve",
	"blocked_address": "the host is this server, or in a network that is not allowed",
	"refused":         "no connection",
	"timeout":         "no response in time",
	"tls":             "TLS failed",
	"reset":           "the connection broke",
	"redirect":        "redirects are not followed",
	"too_large":       "the header is too long",
	"internal":        "a fault of this server",
}

// outcome returns what came of an attempt: a status, or why there is none.
func outcome[Word ~string](status *int, failure *Word) string {
	var text string
	if failure != nil {
		text = failures[string(*failure)]
	}
	switch {
	case status == nil:
		return text
	case text == "":
		return strconv.Itoa(*status)
	default:
		return strconv.Itoa(*status) + ", " + text
	}
}
