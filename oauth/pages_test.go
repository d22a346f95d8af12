package oauth

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"leadline/internal/login"
	"leadline/internal/login/logintest"
	"leadline/internal/page"
)

// everyPage returns each page in each of its states, with an attack string in
// every text that clients or people supply.
func everyPage() map[string]func(http.ResponseWriter) {
	const attack = logintest.Attack
	nobody := login.Form{
		Token: "ours", Email: attack, Fault: attack, Provider: attack, Password: true, SignUp: true,
	}
	person := login.Form{Token: "ours", Person: attack, Password: true}
	out := login.SignOut{Token: "ours too", Next: "/oauth/authorize?client_id=" + attack}
	byProvider := login.Form{Token: "ours", Provider: attack}
	return map[string]func(http.ResponseWriter){
		"consent": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{
				Client: attack, ClientID: attack, Target: attack, Local: true,
				Grants: scopes{attack}, Request: attack, Form: nobody,
			})
		},
		"consent of a person": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{
				Client: attack, Target: attack, Request: attack, SignOut: out, Form: person,
			})
		},
		"consent by provider": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Client: attack, Target: attack, Form: byProvider})
		},
		"apps": func(w http.ResponseWriter) {
			appsView.Write(w, 200, appsPage{
				AccountFrame: page.Site{}.Account(appsPath, attack, "ours"), Apps: []connectedApp{
					{attack, attack, attack, scopes{attack}, attack, attack},
					{ID: "second", Name: "Second"},
				},
			})
		},
		"no apps": func(w http.ResponseWriter) {
			appsView.Write(w, 200, appsPage{
				AccountFrame: page.Site{}.Account(appsPath, attack, "ours"), Endpoint: attack,
			})
		},
	}
}

// TestCase19NothingFromOutsideIsMarkup checks that names, URLs and scopes are
// rendered as text on every page.
func TestCase19NothingFromOutsideIsMarkup(t *testing.T) { logintest.CheckText(t, everyPage()) }

// TestCase13And17PagesOfTheSignIn checks the headers of every page.
func TestCase13And17PagesOfTheSignIn(t *testing.T) { logintest.CheckHeaders(t, everyPage()) }

func TestForms(t *testing.T) { logintest.CheckForms(t, everyPage()) }

func TestAutocomplete(t *testing.T) {
	s := logintest.Show(t, everyPage()["consent"])
	logintest.CheckAutocomplete(t, "consent", s, "username", "current-password")
}

// TestCase15ConsentShows checks that the page shows the client's name, its
// metadata host, the target of the response and the scopes.
func TestCase15ConsentShows(t *testing.T) {
	p := consentPage{
		Client: "Claude Code", ClientID: "claude.ai", Target: "this computer",
		Grants:  scopes{"mcp:use", "offline_access", "new:scope"},
		Request: "q", Form: login.Form{Token: "t", Password: true},
	}
	write := func(w http.ResponseWriter) { consentView.Write(w, 200, p) }
	for _, want := range []string{
		"<dt>The app calls itself</dt>\n<dd><strong><bdi>Claude Code</bdi></strong></dd>",
		"<dt>Described by</dt>\n<dd><bdi>claude.ai</bdi></dd>",
		"<dt>Your answer goes to</dt>\n<dd><bdi>this computer</bdi></dd>",
		"<li>Ask tides, currents, weather, sun and moon, with your account’s allowance</li>",
		"<li>Stay connected until you disconnect it</li>",
		"<li>new:scope</li>",
	} {
		if s := logintest.Show(t, write); !strings.Contains(s.Body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	const warning = "go on only if you have just started this from <bdi>Claude Code</bdi>"
	if s := logintest.Show(t, write); strings.Contains(s.Body, warning) ||
		strings.Contains(s.Body, "nobody has checked") {
		t.Error("warns of a client that needs no warning")
	}
	p.Local, p.ClientID = true, ""
	if s := logintest.Show(t, write); !strings.Contains(s.Body, warning) ||
		!strings.Contains(s.Body, "itself: nobody has checked who is behind it") {
		t.Error("does not warn of a client on this computer that registered itself")
	}
}

// TestConsentDecisions checks which decisions the page offers in each state.
// Cancel requires no field, and the first button, which the Enter key
// activates, is never Cancel.
func TestConsentDecisions(t *testing.T) {
	for name, test := range map[string]struct {
		form login.Form
		want []string
	}{
		"password": {login.Form{Password: true}, []string{"allow", "deny"}},
		"provider": {login.Form{Provider: "id.example.org"}, []string{"provider", "deny"}},
		"both": {login.Form{Password: true, Provider: "id.example.org"},
			[]string{"allow", "provider", "deny"}},
		"person": {login.Form{Person: "ann@example.org", Password: true, Provider: "id.example.org"},
			[]string{"allow", "deny"}},
	} {
		s := logintest.Show(t, func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Request: "the request", Form: test.form})
		})
		var got []string
		for _, b := range s.All("button") {
			decision, ok := logintest.Attribute(b, "value")
			if !ok {
				continue // the form for signing out
			}
			got = append(got, decision)
			if _, skips := logintest.Attribute(b, "formnovalidate"); skips == (decision == "allow") {
				t.Errorf("%s: %s goes without fields: %v", name, decision, skips)
			}
		}
		if !slices.Equal(got, test.want) || !s.Has("request", "the request") {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if signedIn := test.form.Person != ""; s.Has("email", "") == (signedIn || !test.form.Password) ||
			s.Has("next", "") != signedIn {
			t.Errorf("%s: fields %v, signing out %v", name, s.Has("email", ""), s.Has("next", ""))
		}
	}
}

// TestConsentSignsOut checks that signing out leads back to the same
// authorization request.
func TestConsentSignsOut(t *testing.T) {
	const back = "/oauth/authorize?client_id=c&state=%22x%22&scope=a+b"
	s := logintest.Show(t, func(w http.ResponseWriter) {
		consentView.Write(w, 200,
			consentPage{SignOut: login.SignOut{Token: "leave", Next: back},
				Form: login.Form{Token: "stay", Person: "ann@example.org"}})
	})
	if got := logintest.Value(s.Find(t, "next", ""), "value"); got != back ||
		!s.Has("token", "leave") || !s.Has("token", "stay") {
		t.Errorf("comes back to %q, want %q", got, back)
	}
	if !strings.Contains(s.Body, "Signed in as <bdi>ann@example.org</bdi>") {
		t.Error("does not say who is signed in")
	}
}

// TestCase18ConsentMayLeadToTargets checks that form-action contains the given
// targets.
func TestCase18ConsentMayLeadToTargets(t *testing.T) {
	s := logintest.Show(t, func(w http.ResponseWriter) {
		consentView.Write(w, 200, consentPage{}, "http://127.0.0.1:7777/callback",
			"https://id.example.org/authorize")
	})
	if got := s.Header.Get("Content-Security-Policy"); !strings.Contains(got,
		"form-action 'self' http://127.0.0.1:7777 https://id.example.org;") {
		t.Errorf("the policy is %s", got)
	}
}

// TestAppsPage checks that each app has a button that names it. Without apps,
// the page must describe how to connect one.
func TestAppsPage(t *testing.T) {
	p := appsPage{AccountFrame: page.Site{}.Account(appsPath, "ann@example.org", "ours"),
		Endpoint: "https://leadline.example.org/pro/mcp", Apps: []connectedApp{
			{"grant-1", "Claude", "claude.ai", scopes{"mcp:use"}, "3 November 2026", "today"},
			{"grant-2", "Cursor", "this computer", scopes{"mcp:use"}, "2 November 2026", "never"},
		}}
	write := func(w http.ResponseWriter) { appsView.Write(w, 200, p) }
	s := logintest.Show(t, write)
	for _, want := range []string{
		`Disconnect<span class="unseen"> Claude</span>`, `Disconnect<span class="unseen"> Cursor</span>`,
		"Connected 3 November 2026 through <bdi>claude.ai</bdi>.\nLast used today.",
	} {
		if !strings.Contains(s.Body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	s.Find(t, "decision", "revoke")
	if !s.Has("grant", "grant-1") || !s.Has("grant", "grant-2") ||
		strings.Contains(s.Body, p.Endpoint) {
		t.Errorf("two apps make %s", s.Body)
	}
	p.Apps = nil
	if s = logintest.Show(t, write); !strings.Contains(s.Body, p.Endpoint) ||
		s.Has("decision", "revoke") {
		t.Errorf("no app makes %s", s.Body)
	}
}
