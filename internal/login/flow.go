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

	"leadline/internal/access"
	"leadline/internal/page"
	"leadline/internal/session"
	"leadline/store"
)

const (
	flowLife   = 10 * time.Minute // for a person to sign in at the provider; our choice
	flowCookie = "leadline-signin"
	flowTicket = "provider" // kind of the tickets that hold flows

	// statePrefix distinguishes the states of flows from the tickets of links,
	// which the store holds too: neither can be used as the other.
	statePrefix = "ldp_"
)

// How often a network may start a sign-in at the provider.
const flowEvery, flowBurst = 10 * time.Second, 30

// Flow describes how to continue when a person comes back from the provider: with
// an authorization request or at a page.
type Flow struct {
	Request string // authorization request that they agreed to, a query
	Ticket  string // of an invitation link
	Next    string // page of this server to go on to
}

// storedFlow is a flow in the store. Browser is the hash of the flow's cookie.
// The secrets of a flow, an invitation's ticket too, are in that cookie or
// follow from it, and are not stored.
type storedFlow struct {
	Request, Next string
	Browser       [32]byte
}

// flows are the sign-ins at the provider that have not come back yet. It is
// safe for concurrent use.
type flows struct {
	provider *provider // nil if there is none
	sessions *session.Sessions
	store    store.SignIn
	limit    *session.Throttle // by network
	now      func() time.Time
}

// errNoProvider is the error of a sign-in at a provider if there is none.
var errNoProvider = &page.Fault{
	Status: http.StatusNotFound, Title: "There is no such page",
	Text: "People sign in to this server with a password.",
}

// start sends a browser to the provider to sign in there. A flow with a request
// is only for a person who has agreed to it: the cookie that lets the browser
// come back proves that.
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
	state, browser := access.NewSecret(statePrefix), access.NewSecret("")+"."+flow.Ticket
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

// follow returns the nonce or the verifier (RFC 7636, section 4.1) of the flow
// with a cookie.
func follow(browser, purpose string) string {
	key := access.DeriveKey([]byte(browser), purpose)
	return base64.RawURLEncoding.EncodeToString(key[:])
}

func (f *flows) save(ctx context.Context, state string, flow Flow, browser string) error {
	data, err := json.Marshal(storedFlow{flow.Request, flow.Next, access.HashSecret(browser)})
	if err != nil {
		return err
	}
	return f.store.AddTicket(ctx, store.Ticket{
		Hash: access.HashSecret(state), Kind: flowTicket, Data: data, Expires: f.now().Add(flowLife),
	})
}

// errUnknownFlow is the error of a browser that does not come back from a flow
// of its own.
var errUnknownFlow = &page.Fault{
	Status: http.StatusBadRequest, Title: "This sign-in cannot be completed",
	Text: "It was started in another browser or more than ten minutes ago, or is completed. " +
		"Go back to where you came from and start again; cookies must be allowed here.",
}

// finish returns the flow that a browser comes back from with an authorization
// response, and its cookie. A state can be used once, in the browser that
// started its flow.
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
	t, err := f.store.TakeTicket(r.Context(), access.HashSecret(state))
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
	if stored.Browser != access.HashSecret(browser) || !f.now().Before(t.Expires) {
		return flow, "", errUnknownFlow
	}
	_, flow.Ticket, _ = strings.Cut(browser, ".")
	flow.Request, flow.Next = stored.Request, stored.Next
	return flow, browser, f.provider.check(response)
}

// redeem returns the profile of the person who signed in at the provider during
// the flow with a cookie.
func (f *flows) redeem(ctx context.Context, code, browser string) (profile, error) {
	return f.provider.redeem(ctx, code, follow(browser, "nonce"), follow(browser, "verifier"))
}

// repeats reports whether a parameter of an authorization response comes more
// than once (RFC 6749, section 3.1).
func repeats(response url.Values) bool {
	return slices.ContainsFunc([]string{"state", "code", "iss", "error"}, func(name string) bool {
		return len(response[name]) > 1
	})
}
