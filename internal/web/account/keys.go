package account

import (
	"html/template"
	"net/http"
	"slices"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var (
	keysView    = view[keysPage]("keys")
	replaceView = view[replacePage]("replace")
	revokeView  = view[revokePage]("revoke")
)

// keysPage lists the keys of an account and creates others.
type keysPage struct {
	page.AccountFrame
	Keys   []keyRow
	Ended  []keyRow // expired and revoked keys
	Scopes []scopeChoice
	Ends   []choice
	Name   string // as typed before
	FormID string
	Fault  string // why the form was refused
	Made   *madeKey
}

// keyRow is a key in a list.
type keyRow struct {
	ID, Name, Shown string
	Scopes          []credential.Scope
	State           credential.KeyState
	Created, Ends   template.HTML // times
	Used            template.HTML // day and network of the last use
}

// madeKey is a new key, which is shown once.
type madeKey struct {
	Name, Secret string
	Command      string // a first request with it
	Replaced     bool   // it replaces another one
}

// scopeChoice is a scope that a new key can have.
type scopeChoice struct {
	Name, About string
	Checked     bool
}

// choice is one of several values of a field.
type choice struct {
	Value, Name string
	Chosen      bool
}

// scopesAbout describes what the scopes allow. Keys for REST and MCP need the first two.
var scopesAbout = []scopeChoice{
	{credential.RawRead, "read predictions, observations and forecasts over REST", true},
	{credential.MCPUse, "use the tools over MCP", true},
	{credential.DecisionRead, "request planning decisions", false},
	{credential.UsageRead, "read the usage and the keys of this account", false},
	{credential.WebhookRead, "read webhooks, events and watches", false},
	{credential.WebhookWrite, "change webhooks and watches", false},
}

// keyLives are the lifetimes that the form offers, in days.
var keyLives = []choice{
	{"0", "never", true}, {"30", "in 30 days", false}, {"90", "in 90 days", false},
	{"365", "in a year", false},
}

// keys lists the keys.
func (v *visit) keys() { v.showKeys(http.StatusOK, nil, "") }

// showKeys responds with the list of keys: with a new one, or with the fault of the form.
func (v *visit) showKeys(status int, made *madeKey, fault string) {
	list, err := operation.Run(v.ctx(), v.c.Set.Account.ListKeys, selfservice.ListKeysInput{})
	if err != nil {
		v.fail(err)
		return
	}
	p := keysPage{
		AccountFrame: v.frame(), Scopes: v.scopes(), Ends: chosen(keyLives, v.r.PostForm["days"]),
		FormID: v.c.Sessions.NewFormID(), Fault: fault, Made: made,
	}
	if fault != "" {
		p.Name = v.r.PostFormValue("name")
	}
	for _, k := range list.Keys {
		if row := v.keyRow(k); k.State == credential.Active {
			p.Keys = append(p.Keys, row)
		} else {
			p.Ended = append(p.Ended, row)
		}
	}
	keysView.Write(v.w, status, p)
}

// scopes returns the scopes that the form offers: those of decisions only where the plan has
// them.
func (v *visit) scopes() (list []scopeChoice) {
	plan, _ := access.PlanFrom(v.ctx())
	sent := v.r.PostForm["scopes"]
	for _, s := range scopesAbout {
		if s.Name == credential.DecisionRead && !plan.Has(access.DecisionAPI) {
			continue
		}
		if sent != nil {
			s.Checked = slices.Contains(sent, s.Name)
		}
		list = append(list, s)
	}
	return list
}

// chosen returns choices of which the sent one is chosen, if the form was sent.
func chosen(list []choice, sent []string) []choice {
	out := make([]choice, len(list))
	for i, c := range list {
		if sent != nil {
			c.Chosen = slices.Contains(sent, c.Value)
		}
		out[i] = c
	}
	return out
}

// keyRow returns the row of a key.
func (v *visit) keyRow(k selfservice.APIKey) keyRow {
	row := keyRow{
		ID: k.ID, Name: k.Name, Shown: credential.Shown(k.ID), Scopes: k.Scopes, State: k.State,
		Created: v.day(k.CreatedAt), Ends: "never", Used: "not yet",
	}
	if row.Name == "" {
		row.Name = "without a name"
	}
	switch {
	case k.RevokedAt != nil:
		row.Ends = v.day(*k.RevokedAt)
	case k.ExpiresAt != nil:
		row.Ends = moment(*k.ExpiresAt)
	}
	if used, err := time.Parse(time.DateOnly, k.LastUsedOn); err == nil {
		row.Used = v.day(used)
		if k.LastNetwork != "" {
			row.Used += template.HTML(", " + template.HTMLEscapeString(k.LastNetwork))
		}
	}
	return row
}

// createKey creates a key and shows it, once.
func (v *visit) createKey() {
	if v.r.PostForm["scopes"] == nil {
		v.r.PostForm["scopes"] = []string{} // an empty list, which the operation refuses
	}
	var made selfservice.MadeKey
	err := v.c.Sessions.UseForm(v.r, v.account)
	if err == nil {
		made, err = perform(v, v.c.Set.Account.CreateKey)
	}
	v.showMade(made, err, false)
}

// showMade shows a new key, or the form again with the reason why there is none.
func (v *visit) showMade(made selfservice.MadeKey, err error, replaced bool) {
	fault := v.refusal(err)
	switch {
	case fault != "":
		v.showKeys(statusOf(err), nil, fault)
	case err != nil:
		v.fail(err)
	default:
		v.r.PostForm = nil // the form is empty again
		v.showKeys(http.StatusOK, &madeKey{
			Name: v.keyRow(made.Record).Name, Secret: made.Key, Replaced: replaced,
			Command: v.firstRequest(made),
		}, "")
	}
}

// firstRequest returns a command that makes a request with a new key, if its scopes allow one over
// REST.
func (v *visit) firstRequest(made selfservice.MadeKey) string {
	if !slices.Contains(made.Record.Scopes, credential.RawRead) {
		return ""
	}
	return `curl -H "Authorization: Bearer ` + made.Key + `" \
  "` + v.c.Base + `/api/v1/stations/8443970/predictions?interval=hilo&hours=24"`
}

// replacePage asks how long a key remains active after it was replaced.
type replacePage struct {
	page.AccountFrame
	Key    keyRow
	Graces []choice
	FormID string
}

// graces are the grace periods of replaced keys.
var graces = []choice{
	{"0s", "at once", false}, {"1h", "in an hour", false}, {"24h", "in a day", true},
	{"168h", "in a week", false},
}

// askReplaceKey shows the form that replaces a key.
func (v *visit) askReplaceKey() {
	if row, ok := v.ownKey(); ok {
		replaceView.Write(v.w, http.StatusOK,
			replacePage{v.frame(), row, graces, v.c.Sessions.NewFormID()})
	}
}

// replaceKey replaces a key and shows the new one, once.
func (v *visit) replaceKey() {
	var made selfservice.MadeKey
	err := v.c.Sessions.UseForm(v.r, v.account)
	if err == nil {
		made, err = perform(v, v.c.Set.Account.ReplaceKey, "id", v.r.PathValue("id"))
	}
	v.showMade(made, err, true)
}

// revokePage asks whether a key is to be revoked.
type revokePage struct {
	page.AccountFrame
	Key keyRow
}

// askRevokeKey shows the form that revokes a key.
func (v *visit) askRevokeKey() {
	if row, ok := v.ownKey(); ok {
		revokeView.Write(v.w, http.StatusOK, revokePage{v.frame(), row})
	}
}

// revokeKey revokes a key.
func (v *visit) revokeKey() {
	if _, err := perform(v, v.c.Set.Account.RevokeKey, "id", v.r.PathValue("id")); err != nil {
		v.fail(err)
		return
	}
	v.goTo(page.AccountPath + "/keys")
}

// ownKey returns the active key that the path names. If the account does not have it, ownKey
// responds with an error page and returns false.
func (v *visit) ownKey() (row keyRow, ok bool) {
	list, err := operation.Run(v.ctx(), v.c.Set.Account.ListKeys, selfservice.ListKeysInput{})
	if err != nil {
		v.fail(err)
		return row, false
	}
	for _, k := range list.Keys {
		if k.ID == v.r.PathValue("id") && k.State == credential.Active {
			return v.keyRow(k), true
		}
	}
	v.fail(coast.Errorf(coast.NotFound, "there is no such key"))
	return row, false
}
