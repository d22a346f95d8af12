package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	ownerEmail    = "owner@example.org"
	ownerPassword = "a lead and a long line"
)

// owner starts the program, and returns a browser in which its first account is signed in.
func owner(t *testing.T, folder string) (*running, *visitor) {
	t.Helper()
	server := serveOn(t, folder, "--base-url", stated)
	v := newVisitor(t, server.base)
	_, page, _ := v.ask(joinLink.FindString(server.log.String()), nil)
	status, page, _ := v.ask("/oauth/join",
		v.form(page, "/oauth/join", "email", ownerEmail, "password", ownerPassword))
	if status != http.StatusSeeOther {
		t.Fatalf("joining: %d\n%s", status, page)
	}
	return server, v
}

// signInAgain signs the owner in with another browser, and returns the status.
func (v *visitor) signInAgain(password string) int {
	v.Helper()
	_, page, _ := v.ask("/oauth/login", nil)
	status, _, _ := v.ask("/oauth/login",
		v.form(page, "/oauth/login", "email", ownerEmail, "password", password))
	return status
}

// isSignedIn reports whether somebody is signed in with a browser.
func (v *visitor) isSignedIn() bool {
	v.Helper()
	status, _, _ := v.ask("/account/security", nil)
	return status == http.StatusOK
}

// secure sends a form of the page for security.
func (v *visitor) secure(others ...string) (status int, text string, to *url.URL) {
	v.Helper()
	_, page, _ := v.ask("/account/security", nil)
	return v.ask("/account/security", v.form(page, "/account/security", others...))
}

// TestCase76ExportOfTheProgram checks that an export counts the units of the month exactly, and has
// no credential.
func TestCase76ExportOfTheProgram(t *testing.T) {
	folder := t.TempDir()
	_, v := owner(t, folder)
	_, p := v.connect("Sounder")
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", ownerEmail))
	for range 2 {
		v.is("a key", "/pro/mcp", key, "API key")
		v.is("an app", "/pro/mcp", p.Access, "Sounder")
	}
	status, text, _ := v.ask("/account/export.json", nil)
	var out struct {
		Account struct{ Email string }
		Keys    []struct{ ID string }
		Apps    []struct{ Name string }
		Months  []struct{ Units int }
	}
	err := json.Unmarshal([]byte(text), &out)
	if status != http.StatusOK || err != nil || out.Account.Email != ownerEmail ||
		len(out.Keys) != 1 || len(out.Apps) != 1 || out.Apps[0].Name != "Sounder" ||
		len(out.Months) != 1 || out.Months[0].Units != 4 {
		t.Errorf("got %d, %v, want a key, an app and 4 units:\n%s", status, err, text)
	}
	base, err := url.Parse(v.base)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{key, p.Access, p.Refresh[strings.IndexByte(p.Refresh, '.'):], ownerPassword}
	for _, c := range v.Jar.Cookies(base) {
		secrets = append(secrets, c.Value)
	}
	for _, secret := range secrets {
		wantAbsent(t, secret, map[string]string{"the export": text})
	}
}

// TestCase77AccountIsDeleted checks that after a person has deleted the account, its keys, tokens
// and sessions, which were accepted before, are refused with the next request, and that no secret
// was logged.
func TestCase77AccountIsDeleted(t *testing.T) {
	folder := t.TempDir()
	server, v := owner(t, folder)
	client, p := v.connect("Sounder")
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", ownerEmail))
	v.is("a key", "/mcp", key, "API key")
	v.is("an app", "/pro/mcp", p.Access, "Sounder")
	other := newVisitor(t, server.base)
	if status := other.signInAgain(ownerPassword); status != http.StatusSeeOther {
		t.Fatalf("another browser: %d, want 303", status)
	}
	status, text, _ := v.secure("decision", "delete", "email", ownerEmail, "current", "a wrong lead")
	if status != http.StatusUnprocessableEntity || !other.isSignedIn() {
		t.Fatalf("with a wrong password: %d\n%s", status, text)
	}
	status, text, to := v.secure(
		"decision", "delete", "email", ownerEmail, "current", ownerPassword)
	if status != http.StatusSeeOther || to.Path != "/account/security" {
		t.Fatalf("deleting: %d to %s\n%s", status, to, text)
	}
	for what, credential := range map[string]string{"the key": key, "the token": p.Access} {
		for _, endpoint := range []string{"/mcp", "/pro/mcp"} {
			if status, _, text := v.whoami(endpoint, credential); status != http.StatusUnauthorized {
				t.Errorf("%s at %s: %d %s, want 401", what, endpoint, status, text)
			}
		}
	}
	if v.statusWith(key) != http.StatusUnauthorized {
		t.Error("the key works over REST")
	}
	if other.isSignedIn() {
		t.Error("another browser is still signed in")
	}
	status, text, _ = v.ask("/oauth/token", url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {p.Refresh}, "client_id": {client},
	})
	if status != http.StatusBadRequest {
		t.Errorf("refreshing: %d %s, want 400", status, text)
	}
	if status, text, _ := v.ask("/account/security", nil); status != http.StatusOK ||
		!strings.Contains(text, "Your account is deleted") {
		t.Errorf("the page afterwards: %d\n%s", status, text)
	}
	if status := other.signInAgain(ownerPassword); status != http.StatusUnprocessableEntity {
		t.Errorf("signing in: %d, want 422", status)
	}
	server.stop()
	refresh := p.Refresh[strings.IndexByte(p.Refresh, '.'):] // the grant's id before it is not secret
	for _, secret := range []string{key, p.Access, refresh, ownerPassword, "a wrong lead"} {
		wantAbsent(t, secret, map[string]string{"the log": server.log.String()})
	}
}

// TestPasswordIsChanged checks that a new password ends the other sessions and the connected apps
// of a running program, and that keys and the browser stay.
func TestPasswordIsChanged(t *testing.T) {
	folder := t.TempDir()
	server, v := owner(t, folder)
	_, p := v.connect("Sounder")
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", ownerEmail))
	v.is("an app", "/pro/mcp", p.Access, "Sounder")
	other := newVisitor(t, server.base)
	other.signInAgain(ownerPassword)
	const next = "a line and a long lead"
	status, text, _ := v.secure("decision", "password", "current", ownerPassword, "password", next)
	if status != http.StatusSeeOther {
		t.Fatalf("changing: %d\n%s", status, text)
	}
	if !v.isSignedIn() || other.isSignedIn() {
		t.Error("want this browser signed in, and the other signed out")
	}
	if status, _, _ := v.whoami("/pro/mcp", p.Access); status != http.StatusUnauthorized {
		t.Errorf("the app: %d, want 401", status)
	}
	v.is("a key", "/pro/mcp", key, "API key")
	if got := other.signInAgain(next); got != http.StatusSeeOther {
		t.Errorf("with the new password: %d, want 303", got)
	}
}
