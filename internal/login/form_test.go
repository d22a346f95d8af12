package login

import (
	"net/http"
	"strings"
	"testing"

	"leadline/internal/login/logintest"
	"leadline/internal/page"
)

// everyPage returns each page in each of its states, with an attack string in
// every text that comes from outside.
func everyPage() map[string]func(http.ResponseWriter) {
	const attack = logintest.Attack
	form := Form{
		Token: "ours", Email: attack, Fault: attack, Provider: attack, Password: true, SignUp: true,
	}
	return map[string]func(http.ResponseWriter){
		"sign-in": func(w http.ResponseWriter) { signInView.Write(w, 200, signInPage{attack, form}) },
		"join": func(w http.ResponseWriter) {
			joinView.Write(w, 200, joinPage{Ticket: attack, Least: 12, Form: form})
		},
		"join of the owner": func(w http.ResponseWriter) {
			joinView.Write(w, 200, joinPage{
				Ticket: attack, Owner: true, Fixed: true, Least: 12, Form: form,
			})
		},
		"password": func(w http.ResponseWriter) {
			passwordView.Write(w, 200, passwordPage{attack, 12, form})
		},
		"security": func(w http.ResponseWriter) { securityView.Write(w, 200, attacked()) },
		"security without a password": func(w http.ResponseWriter) {
			p := attacked()
			p.Password, p.Refused = false, decidePassword
			securityView.Write(w, 200, p)
		},
		"security without a proof": func(w http.ResponseWriter) {
			p := attacked()
			p.Password, p.Recent, p.Refused = false, false, decideDelete
			securityView.Write(w, 200, p)
		},
	}
}

// attacked returns the page for security with everything that it can show, and an
// attack string in every text.
func attacked() securityPage {
	const attack = logintest.Attack
	return securityPage{
		AccountFrame: page.Site{}.Account(SecurityPath, attack, "ours"), Done: attack,
		Refused: decideDelete, Fault: attack, Email: attack, Password: true, Recent: true,
		Provider: attack, Linkable: true,
		Linked: []linkedProvider{
			{attack, attack, false, false}, {attack, attack, true, false}, {attack, attack, false, true},
		},
		Sessions: []openSession{
			{attack, attack, attack, attack, true}, {attack, attack, attack, "", false},
		},
	}
}

// TestCase19NothingFromOutsideIsMarkup checks that user input is rendered as
// text on every page.
func TestCase19NothingFromOutsideIsMarkup(t *testing.T) { logintest.CheckText(t, everyPage()) }

// TestCase13And17PagesOfTheSignIn checks the headers of every page.
func TestCase13And17PagesOfTheSignIn(t *testing.T) { logintest.CheckHeaders(t, everyPage()) }

func TestForms(t *testing.T) { logintest.CheckForms(t, everyPage()) }

func TestAutocomplete(t *testing.T) {
	pages := everyPage()
	for name, password := range map[string]string{
		"sign-in": "current-password", "join": "new-password",
		"join of the owner": "new-password", "password": "new-password",
	} {
		s := logintest.Show(t, pages[name])
		logintest.CheckAutocomplete(t, name, s, "username", password)
	}
}

// TestFault checks that the error message comes first, also for screen readers,
// and that user input is kept, except for the password.
func TestFault(t *testing.T) {
	form := Form{Email: "ann@example.org", Fault: "It is wrong.", Password: true}
	s := logintest.Show(t, func(w http.ResponseWriter) {
		signInView.Write(w, 401, signInPage{"/", form})
	})
	for _, want := range []string{
		"<title>Error: Sign in",
		`<p class="notice fault" id="fault" role="alert">It is wrong.</p>`,
	} {
		if !strings.Contains(s.Body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	_, kept := logintest.Attribute(s.Find(t, "password", ""), "value")
	email := logintest.Value(s.Find(t, "email", ""), "value")
	if kept || email != "ann@example.org" {
		t.Errorf("the address is %q, and a password is shown: %v", email, kept)
	}
}

func TestJoinPage(t *testing.T) {
	p := joinPage{Ticket: "ldt_x", Owner: true, Least: 12, Form: Form{Password: true}}
	write := func(w http.ResponseWriter) { joinView.Write(w, 200, p) }
	s := logintest.Show(t, write)
	const warning = "owns the server"
	if !strings.Contains(s.Body, warning) || !s.Has("ticket", "ldt_x") {
		t.Errorf("the warning for the owner is missing: %s", s.Body)
	}
	least := logintest.Value(s.Find(t, "password", ""), "minlength")
	if least != "12" || !strings.Contains(s.Body, "12 characters or more") {
		t.Errorf("minlength %q, want 12, and said", least)
	}
	p.Owner, p.Fixed, p.Email = false, true, "bob@example.org"
	s = logintest.Show(t, write)
	_, fixed := logintest.Attribute(s.Find(t, "email", "bob@example.org"), "readonly")
	if !fixed || strings.Contains(s.Body, warning) {
		t.Errorf("the invited address is not fixed, or the page is the owner's: %s", s.Body)
	}
}
