package account

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"leadline/internal/coast"
	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var (
	webhookView       = view[webhookPage]("webhook", "marks", "fields", "secret")
	rotateView        = view[rotatePage]("rotate")
	deleteWebhookView = view[deleteWebhookPage]("deletewebhook")
)

// webhookPage is the page of a webhook endpoint: its facts, its deliveries and what can be done
// with it.
type webhookPage struct {
	page.AccountFrame
	Endpoint   endpointFacts
	Deliveries deliveryList
	Form       endpointForm
	Since      string // from when on deliveries are replayed, as the field has it
	Off        bool   // the server sends no events
	Fault      string // why a form was refused
	Made       *madeSecret
}

// endpointFacts are the facts of an endpoint.
type endpointFacts struct {
	endpointRow
	Description            string
	Hint                   string        // how the secret begins
	Both                   template.HTML // until when the replaced secret signs too, or ""
	Created                template.HTML
	Enabled, Failing, Held template.HTML // since and until when, or ""
	Receives               bool          // it can be sent a test
	IsEnabled              bool
}

// webhookFacts returns the facts of an endpoint.
func webhookFacts(w selfservice.Webhook) endpointFacts {
	e := w.Endpoint
	return endpointFacts{
		endpointRow: endpointRowOf(w), Description: e.Description, Hint: e.SecretHint,
		Both: known(e.OldSecretUntil), Created: moment(e.CreatedAt), Enabled: known(e.EnabledAt),
		Failing: known(e.FailingSince), Held: known(e.PausedUntil),
		Receives: e.State == "pending" || e.State == "enabled", IsEnabled: e.State == "enabled",
	}
}

// webhook shows an endpoint.
func (v *visit) webhook() { v.showWebhook(http.StatusOK, nil, "") }

// showWebhook responds with the page of an endpoint: with a new secret, or with the fault of a
// form.
func (v *visit) showWebhook(status int, made *madeSecret, fault string) {
	w, ok := v.ownWebhook()
	if !ok {
		return
	}
	deliveries, err := v.deliveries(w.Endpoint.ID)
	if err != nil {
		v.fail(err)
		return
	}
	e, refused := w.Endpoint, fault != "" && v.r.PostForm.Has("url")
	webhookView.Write(v.w, status, webhookPage{
		AccountFrame: v.frame(), Endpoint: webhookFacts(w), Deliveries: deliveries,
		Form:  v.endpointForm(e.URL, e.Description, coast.Strings(e.Events...), refused),
		Since: v.since(e.FailingSince), Off: !v.c.Delivers, Fault: fault, Made: made,
	})
}

// ownWebhook returns the endpoint that the path names. If the account does not have it, ownWebhook
// responds with an error page and returns false.
func (v *visit) ownWebhook() (w selfservice.Webhook, ok bool) {
	w, err := ask(v, v.c.Set.Hooks.Webhook, "id", v.r.PathValue("id"))
	if err != nil {
		v.fail(err)
	}
	return w, err == nil
}

// webhookPath returns the address of the endpoint that the path names.
func (v *visit) webhookPath() string { return webhooksPath + "/" + v.r.PathValue("id") }

// after redirects to a page after a form of the endpoint, or shows the endpoint with the reason why
// the form was refused.
func (v *visit) after(err error, path string) {
	switch fault := v.refusal(err); {
	case fault != "":
		v.showWebhook(statusOf(err), nil, fault)
	case err != nil:
		v.fail(err)
	default:
		v.goTo(path)
	}
}

// changeWebhook changes the address, the description and the kinds of an endpoint.
func (v *visit) changeWebhook() {
	v.sentKinds()
	_, err := perform(v, v.c.Set.Hooks.UpdateWebhook, "id", v.r.PathValue("id"))
	v.after(err, v.webhookPath())
}

// enableWebhook enables an endpoint, which is sent a test.
func (v *visit) enableWebhook() { v.setEnabled("true") }

// disableWebhook disables an endpoint.
func (v *visit) disableWebhook() { v.setEnabled("false") }

func (v *visit) setEnabled(enabled string) {
	_, err := perform(v, v.c.Set.Hooks.UpdateWebhook, "id", v.r.PathValue("id"), "enabled", enabled)
	v.after(err, v.webhookPath())
}

// testWebhook sends a test and shows its delivery. It waits for the response, which may take as
// long as the whole time of a page: the operation has a limit of its own.
func (v *visit) testWebhook() {
	v.r = v.r.WithContext(context.WithoutCancel(v.ctx()))
	test, err := perform(v, v.c.Set.Hooks.TestWebhook, "id", v.r.PathValue("id"))
	v.after(err, v.deliveryPath(test.Event))
}

// fieldTime is the format of a field for a time.
const fieldTime = "2006-01-02T15:04"

// since returns the time from which on deliveries are replayed: as it was sent, or when the
// endpoint began to fail, or a day ago.
func (v *visit) since(failing *time.Time) string {
	if sent := v.r.PostFormValue("since"); sent != "" {
		return sent
	}
	if failing != nil {
		return failing.UTC().Format(fieldTime)
	}
	return v.c.Now().UTC().Add(-24 * time.Hour).Format(fieldTime)
}

// errNothingFailed is the error for a replay without deliveries.
var errNothingFailed = coast.Errorf(coast.InvalidRequest,
	"No delivery has failed or was skipped since then: nothing is sent.")

// replayDeliveries sends the failed and skipped deliveries since a time again.
func (v *visit) replayDeliveries() {
	sent := v.r.PostFormValue("since")
	if at, err := time.Parse(fieldTime, sent); err == nil {
		v.r.PostForm.Set("since", at.Format(time.RFC3339)) // the field is in UTC
	}
	done, err := perform(v, v.c.Set.Hooks.ReplayDeliveries, "id", v.r.PathValue("id"))
	if err == nil && done.Count == 0 {
		err = errNothingFailed
	}
	v.r.PostForm.Set("since", sent)
	v.after(err, v.webhookPath()+"#deliveries")
}

// rotatePage asks how long the old secret signs after it was replaced.
type rotatePage struct {
	page.AccountFrame
	Endpoint endpointRow
	Keep     []choice
	FormID   string
}

// keeps are the times for which a replaced secret signs too.
var keeps = []choice{
	{"0s", "not at all", false}, {"1h", "for an hour", false}, {"24h", "for a day", true},
	{"168h", "for a week", false},
}

// askRotateWebhook shows the form that replaces the secret of an endpoint.
func (v *visit) askRotateWebhook() {
	if w, ok := v.ownWebhook(); ok {
		rotateView.Write(v.w, http.StatusOK,
			rotatePage{v.frame(), endpointRowOf(w), keeps, v.c.Sessions.NewFormID()})
	}
}

// rotateWebhook replaces the secret of an endpoint and shows the new one, once.
func (v *visit) rotateWebhook() {
	var made selfservice.NewWebhook
	err := v.c.Sessions.UseForm(v.r, v.account)
	if err == nil {
		made, err = perform(v, v.c.Set.Hooks.RotateWebhook, "id", v.r.PathValue("id"))
	}
	if err != nil {
		v.after(err, "")
		return
	}
	e := webhookFacts(selfservice.Webhook{Endpoint: made.Endpoint})
	v.showWebhook(http.StatusOK, &madeSecret{
		ID: e.ID, Name: e.Name, Secret: made.Secret, Rotated: true, Both: e.Both,
		Tested: e.Pending > 0,
	}, "")
}

// deleteWebhookPage asks whether an endpoint is to be deleted.
type deleteWebhookPage struct {
	page.AccountFrame
	Endpoint endpointRow
}

// askDeleteWebhook shows the form that deletes an endpoint.
func (v *visit) askDeleteWebhook() {
	if w, ok := v.ownWebhook(); ok {
		deleteWebhookView.Write(v.w, http.StatusOK, deleteWebhookPage{v.frame(), endpointRowOf(w)})
	}
}

// deleteWebhook deletes an endpoint.
func (v *visit) deleteWebhook() {
	if _, err := perform(v, v.c.Set.Hooks.DeleteWebhook, "id", v.r.PathValue("id")); err != nil {
		v.fail(err)
		return
	}
	v.goTo(webhooksPath)
}
