package login

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

const (
	flowLife   = 10 * time.Minute // time for a person to sign in at the provider; our choice
	flowCookie = "leadline-signin"
	flowTicket = "provider" // kind of tickets that hold flows

	// statePrefix distinguishes the states of flows from the tickets of links,
	// which are in the same store: neither can be used as the other.
	statePrefix = "ldp_"
)

// How often one network may start a sign-in at the provider.
const flowEvery, flowBurst = 10 * time.Second, 30

// Flow describes how to continue when a person returns from the provider: with
// an authorization request, at a page, or by linking the provider.
type Flow struct {
	Request string // query of the authorization request that they agreed to
	Ticket  string // ticket of an invitation link
	Next    string // page of this server to go on to

	// Link is the public id of a session. The provider is linked to the account of
	// that session, and nobody is signed in. It is "" for sign-ins.
	Link string
}

// storedFlow is a flow in the store. Browser is the hash of the flow's cookie.
// The secrets of a flow, including the ticket of an invitation, are in that
// cookie or derived from it. They are not stored.
type storedFlow struct {
	Request, Next, Link string
	Browser             [32]byte
}

// flows holds the sign-ins at the provider that have not returned yet. It is
// safe for concurrent use.
type flows struct {
	provider *provider // nil if there is none
	sessions *session.Sessions
	store    store.SignIn
	limit    *session.Throttle // by network
	now      func() time.Time
}

// errNoProvider is the error for a sign-in at a provider if none is configured.
var errNoProvider = &page.Fault{
	Status: http.StatusNotFound, Title: "There is no such page",
	Text: "People sign in to this server with a password.",
}

// start redirects a browser to the provider to sign in. If the flow has a
// request, the person must already have agreed to it: when the browser returns,
// the flow's cookie is the proof.
func (f *flows) start(w http.ResponseWriter, r *http.Request, flow Flow) error {
	if f.provider == nil {
		return errNoProvider
	}
	if wait, ok := f.limit.Take(session.Address(r.Context())); !ok {
		w.Header().Set("Retry-After", strconv.Itoa(session.Seconds(wait)))
		return &page.Fault{
			Status: http.StatusTooManyRequests,
			Title:  "Too many sign-ins from your network", Text: "Try again in a minute.",
		}
	}
	state, browser := credential.NewSecret(statePrefix), credential.NewSecret("")+"."+flow.Ticket
	to, err := f.provider.authURL(state, follow(browser, "nonce"), follow(browser, "verifier"))
	if err != nil {
		return err
	}
	if err := f.save(r.Context(), state, flow, browser); err != nil {
		return err
	}
	f.sessions.SetCookie(w, flowCookie, browser, flowLife)
	page.Redirect(w, r, to)
	return nil
}

// follow derives the nonce or the verifier (RFC 7636, section 4.1) of the flow
// with a cookie.
func follow(browser, purpose string) string {
	key := credential.DeriveKey([]byte(browser), purpose)
	return base64.RawURLEncoding.EncodeToString(key[:])
}

func (f *flows) save(ctx context.Context, state string, flow Flow, browser string) error {
	data, err := json.Marshal(
		storedFlow{flow.Request, flow.Next, flow.Link, credential.HashSecret(browser)})
	if err != nil {
		return err
	}
	return f.store.AddTicket(ctx, store.Ticket{
		Hash: credential.HashSecret(state), Kind: flowTicket, Data: data, Expires: f.now().Add(flowLife),
	})
}

// errUnknownFlow is the error for a browser that returns without a flow of its
// own.
var errUnknownFlow = &page.Fault{
	Status: http.StatusBadRequest, Title: "This sign-in cannot be completed",
	Text: "It was started in another browser or more than ten minutes ago, or is completed. " +
		"Go back to where you came from and start again; cookies must be allowed here.",
}

// finish returns the flow of a browser that returns with an authorization
// response, and the flow's cookie. A state can be used once, in the browser
// that started its flow.
func (f *flows) finish(
	w http.ResponseWriter, r *http.Request, response url.Values,
) (flow Flow, browser string, err error) {
	if f.provider == nil {
		return flow, "", errNoProvider
	}
	browser, state := f.sessions.Cookie(r, flowCookie), response.Get("state")
	if browser == "" || !strings.HasPrefix(state, statePrefix) || repeats(response) {
		return flow, "", errUnknownFlow
	}
	f.sessions.RemoveCookie(w, flowCookie)
	t, err := f.store.TakeTicket(r.Context(), credential.HashSecret(state))
	if errors.Is(err, store.ErrNotFound) {
		return flow, "", errUnknownFlow
	}
	var stored storedFlow
	if err == nil {
		err = json.Unmarshal(t.Data, &stored)
	}
	if err != nil {
		return flow, "", err
	}
	if stored.Browser != credential.HashSecret(browser) || !f.now().Before(t.Expires) {
		return flow, "", errUnknownFlow
	}
	_, flow.Ticket, _ = strings.Cut(browser, ".")
	flow.Request, flow.Next, flow.Link = stored.Request, stored.Next, stored.Link
	return flow, browser, f.provider.check(response)
}

// redeem returns the profile of the person who signed in at the provider, for
// the flow with a cookie.
func (f *flows) redeem(ctx context.Context, code, browser string) (profile, error) {
	return f.provider.redeem(ctx, code, follow(browser, "nonce"), follow(browser, "verifier"))
}

// repeats reports whether an authorization response repeats a parameter (RFC
// 6749, section 3.1).
func repeats(response url.Values) bool {
	return slices.ContainsFunc([]string{"state", "code", "iss", "error"}, func(name string) bool {
		return len(response[name]) > 1
	})
}
