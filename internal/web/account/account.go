// Package account serves the pages of an account to the person who is signed in: an overview, API
// keys, usage, webhooks and watches. What comes in are requests of browsers with a session; what
// goes out are pages that are never stored. The pages call the operations that REST serves under
// /api/developer. The pages of signing in, of connected apps and of security belong to packages
// login and oauth.
//
// All forms are sent by POST. The response is a redirection to a page, except where it shows a new
// secret, or a form again with its faults.
//
//	account.go     Server: routes, who is signed in, faults
//	overview.go    /account: what needs attention, first steps, the month, the plan
//	requests.go    /account/requests: refused requests
//	keys.go        /account/keys: create, replace, revoke
//	usage.go       /account/usage: requests by day, as charts, a table and CSV
//	webhooks.go    /account/webhooks: the list, create
//	endpoint.go    /account/webhooks/{id}: one endpoint, what can be done with it
//	deliveries.go  /account/webhooks/{id}/deliveries: what was sent, replays
//	watches.go     /account/watches: the list, create
//	watch.go       /account/watches/{id}: one watch
package account

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/schema"
	"leadline/internal/session"
	"leadline/internal/web/script"
	"leadline/tools"
)

// Config configures a Server.
type Config struct {
	Set      *tools.Set
	Sessions *session.Sessions
	Gate     *access.Gate
	Site     page.Site
	Base     string // scheme and host that clients see
	Public   bool   // clients on the internet can connect
	Delivers bool   // the server delivers events
	Watches  bool   // the server evaluates watches
	Now      func() time.Time
	Log      *slog.Logger // of unexpected errors

	PerMinute int // rate limit of callers without a credential
}

// Server serves the pages of accounts. It is safe for concurrent use.
type Server struct {
	c   Config
	mux *http.ServeMux
}

// New returns a server of the pages of accounts.
func New(c Config) *Server {
	s := &Server{c, http.NewServeMux()}
	for route, serve := range map[string]func(*visit){
		"GET /account":                    (*visit).overview,
		"GET /account/requests":           (*visit).requests,
		"GET /account/usage":              (*visit).usage,
		"GET /account/usage.csv":          (*visit).usageCSV,
		"GET /account/keys":               (*visit).keys,
		"POST /account/keys":              (*visit).createKey,
		"GET /account/keys/{id}/replace":  (*visit).askReplaceKey,
		"POST /account/keys/{id}/replace": (*visit).replaceKey,
		"GET /account/keys/{id}/revoke":   (*visit).askRevokeKey,
		"POST /account/keys/{id}/revoke":  (*visit).revokeKey,

		"GET /account/webhooks":               (*visit).webhooks,
		"POST /account/webhooks":              (*visit).createWebhook,
		"GET /account/webhooks/{id}":          (*visit).webhook,
		"POST /account/webhooks/{id}":         (*visit).changeWebhook,
		"POST /account/webhooks/{id}/enable":  (*visit).enableWebhook,
		"POST /account/webhooks/{id}/disable": (*visit).disableWebhook,
		"POST /account/webhooks/{id}/test":    (*visit).testWebhook,
		"POST /account/webhooks/{id}/replay":  (*visit).replayDeliveries,
		"GET /account/webhooks/{id}/rotate":   (*visit).askRotateWebhook,
		"POST /account/webhooks/{id}/rotate":  (*visit).rotateWebhook,
		"GET /account/webhooks/{id}/delete":   (*visit).askDeleteWebhook,
		"POST /account/webhooks/{id}/delete":  (*visit).deleteWebhook,

		"GET /account/webhooks/{id}/deliveries/{event}":         (*visit).delivery,
		"POST /account/webhooks/{id}/deliveries/{event}/replay": (*visit).replayDelivery,

		"GET /account/watches":              (*visit).watches,
		"POST /account/watches":             (*visit).createWatch,
		"GET /account/watches/{id}":         (*visit).watch,
		"GET /account/watches/{id}/delete":  (*visit).askDeleteWatch,
		"POST /account/watches/{id}/delete": (*visit).deleteWatch,
	} {
		s.mux.Handle(route, s.page(serve))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { page.NotFound(w) })
	return s
}

// ServeHTTP responds with a page. The request has passed the gate's middleware.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

//go:embed pages/*.html
var pageFiles embed.FS

// view returns a page of an account that is made of templates.
func view[T any](names ...string) *page.AccountPage[T] {
	return newView[T](page.Options{Script: func() string { return script.Modules("copy") }}, names...)
}

// charted returns a page with charts, and with scripts.
func charted[T any](name string, scripts ...string) *page.AccountPage[T] {
	return newView[T](page.Options{
		Style: chart.Style, Script: func() string { return script.Modules(scripts...) },
	}, name)
}

// newView returns a page that is made of templates. Every page can use the parts of parts.html.
func newView[T any](o page.Options, names ...string) *page.AccountPage[T] {
	o.Funcs = template.FuncMap{"count": chart.Thousands, "allows": allows, "planName": planName}
	files := []string{"pages/parts.html"}
	for _, name := range names {
		files = append(files, "pages/"+name+".html")
	}
	return page.NewAccount[T](pageFiles, o, files...)
}

// visit is a request of a person who is signed in.
type visit struct {
	*Server
	w http.ResponseWriter
	r *http.Request

	account string // id of the account
	person  string // e-mail address
}

// page returns the handler of a page for people who are signed in. Others are sent to sign in, and
// come back.
func (s *Server) page(serve func(*visit)) http.Handler {
	return session.Bound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Server: s, w: w, r: r}
		if r.Method == http.MethodPost {
			if err := session.ParseForm(w, r); err != nil {
				v.fail(err)
				return
			}
		}
		owner, in, err := s.c.Sessions.Person(r)
		switch {
		case err != nil:
			v.fail(err)
			return
		case !in:
			page.Redirect(w, r, "/oauth/login?"+url.Values{"next": {backTo(r)}}.Encode())
			return
		case r.Method == http.MethodPost && !s.c.Sessions.CheckForm(r, session.ForAccount):
			page.ErrStale.Write(w)
			return
		}
		if err := s.c.Gate.SignedIn(r.Context(), owner); err != nil {
			v.fail(err)
			return
		}
		v.account, v.person = owner.ID, owner.Email
		serve(v)
	}))
}

// backTo returns the page that a person sees after signing in: the requested one, unless it was
// the target of a form.
func backTo(r *http.Request) string {
	if r.Method == http.MethodPost {
		return page.AccountPath
	}
	return r.URL.RequestURI()
}

// frame returns the frame of the page.
func (v *visit) frame() page.AccountFrame {
	token := v.c.Sessions.FormToken(v.w, v.r, session.ForAccount)
	return v.c.Site.Account(v.r.URL.Path, v.person, token)
}

// ctx returns the context of the request, which carries the caller.
func (v *visit) ctx() context.Context { return v.r.Context() }

// perform runs an operation whose arguments are the fields of the form. More arguments are given
// as names and values in pairs, see ask.
func perform[In, Out any](v *visit, h operation.Handler[In, Out], more ...string) (Out, error) {
	given := maps.Clone(v.r.PostForm)
	given.Del("token")
	given.Del("form")
	return run(v, h, given, more)
}

// ask runs an operation whose arguments are given as names and values in pairs. They are of the
// address of the page: if one is malformed, there is no such page.
func ask[In, Out any](v *visit, h operation.Handler[In, Out], pairs ...string) (Out, error) {
	return run(v, h, url.Values{}, pairs)
}

// run adds arguments in pairs to those of a form and runs an operation.
func run[In, Out any](
	v *visit, h operation.Handler[In, Out], given url.Values, pairs []string,
) (out Out, err error) {
	var names []string
	for i := 0; i+1 < len(pairs); i += 2 {
		given.Set(pairs[i], pairs[i+1])
		names = append(names, pairs[i])
	}
	var in In
	err = schema.Arguments[In]().DecodeQuery(given, &in)
	e, _ := coast.AsError(err)
	switch {
	case err == nil:
		return operation.Run(v.ctx(), h, in)
	case slices.ContainsFunc(e.Issues, func(i coast.Issue) bool {
		return slices.Contains(names, i.Path)
	}):
		return out, errNoPage
	}
	return out, err
}

// errNoPage is the error for an address that names nothing.
var errNoPage = coast.Errorf(coast.NotFound, "There is no such page.")

// refusal returns the text for a form that was refused and can be sent again, or "" if the error
// is of another kind. It sets the headers of the error, such as how long to wait.
func (v *visit) refusal(err error) string {
	switch {
	case errors.Is(err, session.ErrFormSent):
		return "This form was sent before, so nothing was done. What it made is listed below; a secret " +
			"is shown only once."
	case errors.Is(err, session.ErrFormOld):
		return "This form was too old, so nothing was done. Send it again."
	}
	switch e, _ := coast.AsError(err); e.Code {
	case coast.InvalidRequest, coast.PlanRequired, coast.RateLimited, coast.QuotaExceeded,
		coast.StationNotFound, coast.ProductUnavailable, coast.ProviderUnavailable, coast.Overloaded:
		e.SetHeaders(v.w.Header())
		return forPeople(e)
	}
	return ""
}

// statusOf returns the HTTP status of the page for a refused form.
func statusOf(err error) int {
	if errors.Is(err, session.ErrFormSent) || errors.Is(err, session.ErrFormOld) {
		return http.StatusConflict
	}
	switch e, _ := coast.AsError(err); e.Code {
	case coast.StationNotFound, coast.ProductUnavailable: // of a field: the page exists
		return http.StatusBadRequest
	default:
		return e.Status()
	}
}

// goTo redirects the browser to a page, after a form.
func (v *visit) goTo(path string) { page.Redirect(v.w, v.r, path) }

// fail responds with a page about an error, without details of faults of the program.
func (v *visit) fail(err error) {
	outage.Failure(&err)
	e, known := coast.AsError(err)
	if !known && !errors.Is(v.r.Context().Err(), context.Canceled) {
		v.c.Log.Error("account page",
			"request", access.RequestID(v.r.Context()), "path", v.r.URL.Path, "error", err)
	}
	e.SetHeaders(v.w.Header())
	switch e.Code {
	case coast.NotFound:
		page.Error(v.w, e.Status(), "There is no such page",
			"What this address named does not exist, or belongs to another account.")
	case coast.StoreUnavailable:
		page.Error(v.w, e.Status(), "The accounts cannot be read at the moment",
			"Requests without a key are served as before. Try again in a minute. If you have sent a form, "+
				"check first whether it took effect.")
	case coast.Internal:
		page.Error(v.w, e.Status(), "This page failed",
			"The fault is in this server. Its log has it under the request id "+
				access.RequestID(v.r.Context())+".")
	default:
		page.Error(v.w, e.Status(), "That was not possible", e.Message)
	}
}
