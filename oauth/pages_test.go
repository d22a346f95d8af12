package oauth

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// attack is what a name may hold that means harm.
const attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

// shown is a page as a browser gets it.
type shown struct {
	body     string
	header   http.Header
	elements []xml.StartElement
}

// show reads a page that some view writes.
func show(t *testing.T, write func(http.ResponseWriter)) shown {
	t.Helper()
	w := httptest.NewRecorder()
	write(w)
	s := shown{body: w.Body.String(), header: w.Header()}
	d := xml.NewDecoder(strings.NewReader(s.body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return s
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.body)
		}
		if e, ok := token.(xml.StartElement); ok {
			s.elements = append(s.elements, e.Copy())
		}
	}
}

// all returns the elements of a name.
func (s shown) all(name string) []xml.StartElement {
	var out []xml.StartElement
	for _, e := range s.elements {
		if e.Name.Local == name {
			out = append(out, e)
		}
	}
	return out
}

// attribute is the value of an element's attribute; false where it has none.
func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// value is the attribute, "" where there is none.
func value(e xml.StartElement, name string) string {
	v, _ := attribute(e, name)
	return v
}

// find returns the input or button of a name, and of a value unless it is "".
func (s shown) find(t *testing.T, name, of string) xml.StartElement {
	t.Helper()
	for _, e := range s.elements {
		if (e.Name.Local == "input" || e.Name.Local == "button") && value(e, "name") == name && (of == "" || value(e, "value") == of) {
			return e
		}
	}
	t.Fatalf("no field %s %s in\n%s", name, of, s.body)
	return xml.StartElement{}
}

// has reports whether the page has such a field.
func (s shown) has(name, of string) bool {
	return slices.ContainsFunc(s.elements, func(e xml.StartElement) bool {
		return value(e, "name") == name && value(e, "value") == of
	})
}

// everyPage is each page in each of its states, with an attack in every text
// that comes from somewhere else.
func everyPage() map[string]func(http.ResponseWriter) {
	nobody := signInForm{Token: "ours", Email: attack, Fault: attack, Provider: attack, Password: true, SignUp: true}
	person := signInForm{Token: "ours", Person: attack, Password: true}
	out := signOut{Token: "ours too", Next: "/oauth/authorize?client_id=" + attack}
	return map[string]func(http.ResponseWriter){
		"consent": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Client: attack, ClientID: attack, Target: attack, Local: true, Grants: scopes{attack}, Request: attack, signInForm: nobody})
		},
		"consent of a person": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Client: attack, Target: attack, Request: attack, SignOut: out, signInForm: person})
		},
		"consent by provider": func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Client: attack, Target: attack, signInForm: signInForm{Token: "ours", Provider: attack}})
		},
		"sign-in": func(w http.ResponseWriter) { signInView.Write(w, 200, signInPage{attack, nobody}) },
		"join": func(w http.ResponseWriter) {
			joinView.Write(w, 200, joinPage{Ticket: attack, Least: 12, signInForm: nobody})
		},
		"join of the owner": func(w http.ResponseWriter) {
			joinView.Write(w, 200, joinPage{Ticket: attack, Owner: true, Fixed: true, Least: 12, signInForm: nobody})
		},
		"password": func(w http.ResponseWriter) { passwordView.Write(w, 200, passwordPage{attack, 12, nobody}) },
		"apps": func(w http.ResponseWriter) {
			appsView.Write(w, 200, appsPage{Token: "ours", Person: attack, SignOut: out, Apps: []app{
				{attack, attack, attack, scopes{attack}, attack, attack}, {ID: "second", Name: "Second"}}})
		},
		"no apps": func(w http.ResponseWriter) {
			appsView.Write(w, 200, appsPage{Token: "ours", Person: attack, Endpoint: attack, SignOut: out})
		},
	}
}

// TestCase19NothingFromOutsideIsMarkup: names, addresses, scopes and whatever
// was typed are text on every page.
func TestCase19NothingFromOutsideIsMarkup(t *testing.T) {
	for name, write := range everyPage() {
		s := show(t, write)
		for _, e := range s.elements {
			if e.Name.Local == "script" || e.Name.Local == "img" {
				t.Errorf("%s: has an element %s", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: has a handler %s", name, a.Name.Local)
				}
			}
		}
		if strings.Contains(s.body, "<script") || !strings.Contains(s.body, "&lt;script&gt;alert(1)") {
			t.Errorf("%s: the attack is not shown as the text that it is", name)
		}
	}
}

// TestCase13And17PagesOfTheSignIn: the headers are those of every page.
func TestCase13And17PagesOfTheSignIn(t *testing.T) {
	for name, write := range everyPage() {
		h := show(t, write).header
		for header, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
			if got := h.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		if got := h.Get("Content-Security-Policy"); !strings.Contains(got, "; frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %s", name, got)
		}
	}
}

// TestForms: each is posted to this server, with a token of its own, and each
// of its fields can be seen, heard and filled by a password manager.
func TestForms(t *testing.T) {
	for name, write := range everyPage() {
		s := show(t, write)
		if got := len(s.all("h1")); got != 1 {
			t.Errorf("%s: %d h1, want 1", name, got)
		}
		if got, want := strings.Count(s.body, `<input type="hidden" name="token" value="ours`), len(s.all("form")); got != want {
			t.Errorf("%s: %d tokens for %d forms", name, got, want)
		}
		for _, form := range s.all("form") {
			if got := value(form, "action"); value(form, "method") != "post" || !strings.HasPrefix(got, "/oauth/") && got != "/account/apps" {
				t.Errorf("%s: a form %v", name, form.Attr)
			}
		}
		checkFields(t, name, s)
	}
}

func checkFields(t *testing.T, name string, s shown) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range s.elements {
		if id, ok := attribute(e, "id"); ok {
			if ids[id] {
				t.Errorf("%s: two elements with id %s", name, id)
			}
			ids[id] = true
		}
	}
	var labels []string
	for _, l := range s.all("label") {
		labels = append(labels, value(l, "for"))
	}
	for _, in := range s.all("input") {
		if value(in, "type") == "hidden" {
			continue
		}
		if !slices.Contains(labels, value(in, "id")) || value(in, "autocomplete") == "" {
			t.Errorf("%s: no label or no autocomplete: %v", name, in.Attr)
		}
		for id := range strings.FieldsSeq(value(in, "aria-describedby")) {
			if !ids[id] {
				t.Errorf("%s: nothing describes a field as %s", name, id)
			}
		}
	}
	for _, b := range s.all("button") {
		if _, ok := attribute(b, "type"); ok { // the default is submit
			t.Errorf("%s: a button %v", name, b.Attr)
		}
	}
}

func TestAutocomplete(t *testing.T) {
	pages := everyPage()
	for name, want := range map[string][2]string{
		"consent": {"username", "current-password"}, "sign-in": {"username", "current-password"},
		"join": {"username", "new-password"}, "join of the owner": {"username", "new-password"}, "password": {"username", "new-password"},
	} {
		s := show(t, pages[name])
		for i, field := range []string{"email", "password"} {
			if got := value(s.find(t, field, ""), "autocomplete"); got != want[i] {
				t.Errorf("%s: %s has autocomplete %q, want %q", name, field, got, want[i])
			}
		}
	}
}

// TestCase15ConsentShows who asks, what describes it, where the answer goes
// and what is granted.
func TestCase15ConsentShows(t *testing.T) {
	p := consentPage{
		Client: "Claude Code", ClientID: "claude.ai", Target: "this computer", Grants: scopes{"mcp:use", "offline_access", "new:scope"},
		Request: "q", signInForm: signInForm{Token: "t", Password: true},
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
		if s := show(t, write); !strings.Contains(s.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	const warning = "go on only if you have just started this from <bdi>Claude Code</bdi>"
	if s := show(t, write); strings.Contains(s.body, warning) || strings.Contains(s.body, "nobody has checked") {
		t.Error("warns of a client that needs no warning")
	}
	p.Local, p.ClientID = true, ""
	if s := show(t, write); !strings.Contains(s.body, warning) || !strings.Contains(s.body, "itself: nobody has checked who is behind it") {
		t.Error("does not warn of a client on this computer that registered itself")
	}
}

// TestConsentDecisions: what a person can decide, in each state. Who cancels
// need not fill any field, and the first button, which the Enter key presses,
// is never that one.
func TestConsentDecisions(t *testing.T) {
	for name, test := range map[string]struct {
		form signInForm
		want []string
	}{
		"password": {signInForm{Password: true}, []string{"allow", "deny"}},
		"provider": {signInForm{Provider: "id.example.org"}, []string{"provider", "deny"}},
		"both":     {signInForm{Password: true, Provider: "id.example.org"}, []string{"allow", "provider", "deny"}},
		"person":   {signInForm{Person: "ann@example.org", Password: true, Provider: "id.example.org"}, []string{"allow", "deny"}},
	} {
		s := show(t, func(w http.ResponseWriter) {
			consentView.Write(w, 200, consentPage{Request: "the request", signInForm: test.form})
		})
		var got []string
		for _, b := range s.all("button") {
			decision, ok := attribute(b, "value")
			if !ok {
				continue // signs out
			}
			got = append(got, decision)
			if _, skips := attribute(b, "formnovalidate"); skips == (decision == "allow") {
				t.Errorf("%s: %s goes without fields: %v", name, decision, skips)
			}
		}
		if !slices.Equal(got, test.want) || !s.has("request", "the request") {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if signedIn := test.form.Person != ""; s.has("email", "") == (signedIn || !test.form.Password) || s.has("next", "") != signedIn {
			t.Errorf("%s: fields %v, signing out %v", name, s.has("email", ""), s.has("next", ""))
		}
	}
}

// TestConsentSignsOut, and comes back to the same request.
func TestConsentSignsOut(t *testing.T) {
	const back = "/oauth/authorize?client_id=c&state=%22x%22&scope=a+b"
	s := show(t, func(w http.ResponseWriter) {
		consentView.Write(w, 200, consentPage{SignOut: signOut{"leave", back}, signInForm: signInForm{Token: "stay", Person: "ann@example.org"}})
	})
	if got := value(s.find(t, "next", ""), "value"); got != back || !s.has("token", "leave") || !s.has("token", "stay") {
		t.Errorf("comes back to %q, want %q", got, back)
	}
	if !strings.Contains(s.body, "Signed in as <bdi>ann@example.org</bdi>") {
		t.Error("does not say who is signed in")
	}
}

// TestCase18ConsentMayLeadToTargets that its writer names.
func TestCase18ConsentMayLeadToTargets(t *testing.T) {
	s := show(t, func(w http.ResponseWriter) {
		consentView.Write(w, 200, consentPage{}, "http://127.0.0.1:7777/callback", "https://id.example.org/authorize")
	})
	if got := s.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' http://127.0.0.1:7777 https://id.example.org;") {
		t.Errorf("the policy is %s", got)
	}
}

// TestFault: what went wrong is said first, to those who listen as well, and
// what was typed stays, but for the password.
func TestFault(t *testing.T) {
	s := show(t, func(w http.ResponseWriter) {
		signInView.Write(w, 401, signInPage{"/", signInForm{Email: "ann@example.org", Fault: "It is wrong.", Password: true}})
	})
	for _, want := range []string{"<title>Error: Sign in", `<p class="notice fault" id="fault" role="alert">It is wrong.</p>`} {
		if !strings.Contains(s.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if _, kept := attribute(s.find(t, "password", ""), "value"); kept || value(s.find(t, "email", ""), "value") != "ann@example.org" {
		t.Error("what was typed did not stay, or the password did")
	}
}

func TestJoinPage(t *testing.T) {
	p := joinPage{Ticket: "ldt_x", Owner: true, Least: 12, signInForm: signInForm{Password: true}}
	write := func(w http.ResponseWriter) { joinView.Write(w, 200, p) }
	s := show(t, write)
	if !strings.Contains(s.body, "Whoever has this page open owns the server") || !s.has("ticket", "ldt_x") {
		t.Errorf("the owner is not told: %s", s.body)
	}
	if got := value(s.find(t, "password", ""), "minlength"); got != "12" || !strings.Contains(s.body, "12 characters or more") {
		t.Errorf("minlength %q, want 12, and said", got)
	}
	p.Owner, p.Fixed, p.Email = false, true, "bob@example.org"
	s = show(t, write)
	if _, fixed := attribute(s.find(t, "email", "bob@example.org"), "readonly"); !fixed || strings.Contains(s.body, "owns the server") {
		t.Errorf("the invited address is not fixed, or the page is the owner's: %s", s.body)
	}
}

// TestAppsPage: each app has a button of its own, that says what it parts from;
// where there is none the page says how to get one.
func TestAppsPage(t *testing.T) {
	p := appsPage{Token: "t", Person: "ann@example.org", Endpoint: "https://leadline.example.org/pro/mcp", Apps: []app{
		{"grant-1", "Claude", "claude.ai", scopes{"mcp:use"}, "3 November 2026", "today"},
		{"grant-2", "Cursor", "this computer", scopes{"mcp:use"}, "2 November 2026", "never"},
	}}
	write := func(w http.ResponseWriter) { appsView.Write(w, 200, p) }
	s := show(t, write)
	for _, want := range []string{
		`Disconnect<span class="unseen"> Claude</span>`, `Disconnect<span class="unseen"> Cursor</span>`,
		"Connected 3 November 2026 through <bdi>claude.ai</bdi>. Last used today.",
	} {
		if !strings.Contains(s.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	s.find(t, "decision", "revoke")
	if !s.has("grant", "grant-1") || !s.has("grant", "grant-2") || strings.Contains(s.body, p.Endpoint) {
		t.Errorf("two apps make %s", s.body)
	}
	p.Apps = nil
	if s = show(t, write); !strings.Contains(s.body, p.Endpoint) || s.has("decision", "revoke") {
		t.Errorf("no app makes %s", s.body)
	}
}
