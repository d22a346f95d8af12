package pages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// owner starts the program, and returns a browser in which its first account is signed in.
func owner(t *testing.T, folder string) (*product.Running, *product.Visitor) {
	t.Helper()
	server := product.ServeOn(t, folder, "--base-url", product.Stated)
	v := product.NewVisitor(t, server.Base)
	_, page, _ := v.Ask(product.JoinLink.FindString(server.Log.String()), nil)
	status, page, _ := v.Ask("/oauth/join",
		v.Form(page, "/oauth/join", "email", product.OwnerEmail, "password", product.OwnerPassword))
	if status != http.StatusSeeOther {
		t.Fatalf("joining: %d\n%s", status, page)
	}
	return server, v
}

// TestCase76ExportOfTheProgram checks that an export counts the units of the month exactly, and has
// no credential.
func TestCase76ExportOfTheProgram(t *testing.T) {
	folder := t.TempDir()
	_, v := owner(t, folder)
	_, p := v.Connect("Sounder")
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", product.OwnerEmail),
	)
	for range 2 {
		v.Is("a key", "/pro/mcp", key, "API key")
		v.Is("an app", "/pro/mcp", p.Access, "Sounder")
	}
	status, text, _ := v.Ask("/account/export.json", nil)
	var out struct {
		Account struct{ Email string }
		Keys    []struct{ ID string }
		Apps    []struct{ Name string }
		Months  []struct{ Units int }
	}
	err := json.Unmarshal([]byte(text), &out)
	if status != http.StatusOK || err != nil || out.Account.Email != product.OwnerEmail ||
		len(out.Keys) != 1 || len(out.Apps) != 1 || out.Apps[0].Name != "Sounder" ||
		len(out.Months) != 1 || out.Months[0].Units != 4 {
		t.Errorf("got %d, %v, want a key, an app and 4 units:\n%s", status, err, text)
	}
	base, err := url.Parse(v.Base)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{
		key,
		p.Access,
		p.Refresh[strings.IndexByte(p.Refresh, '.'):],
		product.OwnerPassword,
	}
	for _, c := range v.Jar.Cookies(base) {
		secrets = append(secrets, c.Value)
	}
	for _, secret := range secrets {
		product.WantAbsent(t, secret, map[string]string{"the export": text})
	}
}

// TestCase77AccountIsDeleted checks that after a person has deleted the account, its keys, tokens
// and sessions, which were accepted before, are refused with the next request, and that no secret
// was logged.
func TestCase77AccountIsDeleted(t *testing.T) {
	folder := t.TempDir()
	server, v := owner(t, folder)
	client, p := v.Connect("Sounder")
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", product.OwnerEmail),
	)
	v.Is("a key", "/mcp", key, "API key")
	v.Is("an app", "/pro/mcp", p.Access, "Sounder")
	other := product.NewVisitor(t, server.Base)
	if status := other.SignInAgain(product.OwnerPassword); status != http.StatusSeeOther {
		t.Fatalf("another browser: %d, want 303", status)
	}
	status, text, _ := v.Secure(
		"decision",
		"delete",
		"email",
		product.OwnerEmail,
		"current",
		"a wrong lead",
	)
	if status != http.StatusUnprocessableEntity || !other.IsSignedIn() {
		t.Fatalf("with a wrong password: %d\n%s", status, text)
	}
	status, text, to := v.Secure(
		"decision", "delete", "email", product.OwnerEmail, "current", product.OwnerPassword)
	if status != http.StatusSeeOther || to.Path != "/account/security" {
		t.Fatalf("deleting: %d to %s\n%s", status, to, text)
	}
	for what, credential := range map[string]string{"the key": key, "the token": p.Access} {
		for _, endpoint := range []string{"/mcp", "/pro/mcp"} {
			if status, _, text := v.Whoami(endpoint, credential); status != http.StatusUnauthorized {
				t.Errorf("%s at %s: %d %s, want 401", what, endpoint, status, text)
			}
		}
	}
	if v.StatusWith(key) != http.StatusUnauthorized {
		t.Error("the key works over REST")
	}
	if other.IsSignedIn() {
		t.Error("another browser is still signed in")
	}
	status, text, _ = v.Ask("/oauth/token", url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {p.Refresh}, "client_id": {client},
	})
	if status != http.StatusBadRequest {
		t.Errorf("refreshing: %d %s, want 400", status, text)
	}
	if status, text, _ := v.Ask("/account/security", nil); status != http.StatusOK ||
		!strings.Contains(text, "Your account is deleted") {
		t.Errorf("the page afterwards: %d\n%s", status, text)
	}
	if status := other.SignInAgain(product.OwnerPassword); status != http.StatusUnprocessableEntity {
		t.Errorf("signing in: %d, want 422", status)
	}
	server.Stop()
	refresh := p.Refresh[strings.IndexByte(p.Refresh, '.'):] // the grant's id before it is not secret
	for _, secret := range []string{key, p.Access, refresh, product.OwnerPassword, "a wrong lead"} {
		product.WantAbsent(t, secret, map[string]string{"the log": server.Log.String()})
	}
}

// TestPasswordIsChanged checks that a new password ends the other sessions and the connected apps
// of a running program, and that keys and the browser stay.
func TestPasswordIsChanged(t *testing.T) {
	folder := t.TempDir()
	server, v := owner(t, folder)
	_, p := v.Connect("Sounder")
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", product.OwnerEmail),
	)
	v.Is("an app", "/pro/mcp", p.Access, "Sounder")
	other := product.NewVisitor(t, server.Base)
	other.SignInAgain(product.OwnerPassword)
	const next = "a line and a long lead"
	status, text, _ := v.Secure(
		"decision",
		"password",
		"current",
		product.OwnerPassword,
		"password",
		next,
	)
	if status != http.StatusSeeOther {
		t.Fatalf("changing: %d\n%s", status, text)
	}
	if !v.IsSignedIn() || other.IsSignedIn() {
		t.Error("want this browser signed in, and the other signed out")
	}
	if status, _, _ := v.Whoami("/pro/mcp", p.Access); status != http.StatusUnauthorized {
		t.Errorf("the app: %d, want 401", status)
	}
	v.Is("a key", "/pro/mcp", key, "API key")
	if got := other.SignInAgain(next); got != http.StatusSeeOther {
		t.Errorf("with the new password: %d, want 303", got)
	}
}
