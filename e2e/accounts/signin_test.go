package accounts

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestSignIn performs the whole flow: the owner's link, an app, its current tier at
// each request, a restart, and the disconnection.
func TestSignIn(t *testing.T) {
	folder := t.TempDir()
	server := product.ServeOn(t, folder, "--base-url", product.Stated)
	v := product.NewVisitor(t, server.Base)
	link := product.JoinLink.FindString(server.Log.String())
	_, page, _ := v.Ask(link, nil)
	status, page, to := v.Ask(
		"/oauth/join",
		v.Form(
			page,
			"/oauth/join",
			"email",
			"owner@example.org",
			"password",
			"a lead and a long line",
		),
	)
	if status != http.StatusSeeOther || to.Path != "/account" {
		t.Fatalf("joining: %d to %s\n%s", status, to, page)
	}
	client, p := v.Connect("Sounder")
	v.Is("the owner", "/pro/mcp", p.Access, "tier pro",
		"the app Sounder, connected to the account owner@example.org")
	product.At(t, folder, "accounts", "plan", "owner@example.org", "free")
	v.Is("on another plan", "/pro/mcp", p.Access, "tier free")
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", "owner@example.org"),
	)
	v.Is("a key", "/pro/mcp", key, "tier free", "API key")
	if status, challenge, text := v.Whoami("/mcp", p.Access); status != http.StatusUnauthorized ||
		strings.Contains(challenge, "resource_metadata") {
		t.Errorf(
			"a token at /mcp: got %d, %q, %s, want 401 without metadata",
			status,
			challenge,
			text,
		)
	}

	server.Stop()
	server = product.ServeOn(t, folder, "--base-url", product.Stated)
	if strings.Contains(server.Log.String(), "/oauth/join") {
		t.Error("a start with accounts prints a link for the first one")
	}
	v.Base = server.Base
	v.Is("after another start", "/pro/mcp", p.Access, "tier free")
	p = v.Tokens(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {p.Refresh}, "client_id": {client},
	})
	v.Is("refreshed", "/pro/mcp", p.Access, "tier free")
	status, page, _ = v.Ask("/account/apps", nil)
	if status != http.StatusOK || !strings.Contains(page, "Sounder") {
		t.Fatalf("the apps: %d\n%s", status, page)
	}
	v.Ask("/account/apps", v.Form(page, "/account/apps", "decision", "revoke"))
	if status, challenge, text := v.Whoami("/pro/mcp", p.Access); status != http.StatusUnauthorized ||
		!strings.Contains(challenge,
			`resource_metadata="`+product.Stated+`/.well-known/oauth-protected-resource/pro/mcp"`) {
		t.Errorf("a token of a disconnected app: got %d, %q, %s, want 401", status, challenge, text)
	}
	if said := server.Log.String(); strings.Contains(said, p.Access) ||
		strings.Contains(said, p.Refresh) {
		t.Error("the log holds a token")
	}
}

// TestCase44NothingOfASignInIsLogged checks that the log at debug level, with a
// line for each request, has no secret that a browser or an app sent or received in
// addresses, forms, headers or cookies.
func TestCase44NothingOfASignInIsLogged(t *testing.T) {
	folder := t.TempDir()
	server := product.ServeOn(t, folder)
	v, stranger := product.NewVisitor(t, server.Base), product.NewVisitor(t, server.Base)
	const password, wrong = "a lead and a long line", "a line and a long lead"
	link, err := url.Parse(
		strings.TrimSpace(product.At(t, folder, "accounts", "invite", "mate@example.org")),
	)
	if err != nil || link.Query().Get("ticket") == "" {
		t.Fatalf("the invitation is %s, %v", link, err)
	}
	_, page, _ := v.Ask(link.RequestURI(), nil)
	v.Ask("/oauth/join", v.Form(page, "/oauth/join", "password", password))
	v.Ask(link.RequestURI(), nil) // again
	_, page, _ = stranger.Ask("/oauth/login", nil)
	stranger.Ask("/oauth/login",
		stranger.Form(page, "/oauth/login", "email", "mate@example.org", "password", wrong))
	secrets := append(v.ConnectSecretly(), password, wrong, link.Query().Get("ticket"))
	base, _ := url.Parse(server.Base)
	cookies := v.Jar.Cookies(base)
	if len(cookies) < 3 {
		t.Errorf(
			"the browser has the cookies %v, want the session, the browser and its mark",
			cookies,
		)
	}
	for _, c := range cookies {
		secrets = append(secrets, c.Value)
	}
	server.Stop()
	for _, secret := range secrets {
		product.WantAbsent(t, secret, map[string]string{"the log": server.Log.String()})
	}
	for _, path := range []string{
		"/oauth/join", "/oauth/authorize", "/oauth/consent", "/oauth/token", "/oauth/callback",
		"/oauth/revoke", "/oauth/login", "/pro/mcp",
	} {
		if !strings.Contains(server.Log.String(), path) {
			t.Errorf("the log has no line of %s", path)
		}
	}
}

// TestSessionMakesKeys checks that a person signed in with a browser can create a
// key.
func TestSessionMakesKeys(t *testing.T) {
	server := product.ServeOn(t, t.TempDir())
	v := product.NewVisitor(t, server.Base)
	_, page, _ := v.Ask(
		strings.TrimPrefix(product.JoinLink.FindString(server.Log.String()), server.Base),
		nil,
	)
	v.Ask(
		"/oauth/join",
		v.Form(
			page,
			"/oauth/join",
			"email",
			"owner@example.org",
			"password",
			"a lead and a long line",
		),
	)
	answer, err := v.Post(v.Base+"/api/developer/keys", "application/json",
		strings.NewReader(`{"name":"script","scopes":["raw:read"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK ||
		!strings.Contains(string(text), "ldl_live_") {
		t.Errorf("got %s %s, want a key", answer.Status, text)
	}
}

// TestNoSignIn checks that sign-in is off where passwords would be sent over a
// network without TLS, and that keys work.
func TestNoSignIn(t *testing.T) {
	folder := t.TempDir()
	server := product.ServeOn(t, folder, "--base-url", "http://tides.example.org",
		"--allow-hosts", "127.0.0.1")
	v := product.NewVisitor(t, server.Base)
	if said := server.Log.String(); strings.Contains(said, "/oauth/join") ||
		!strings.Contains(said, "nobody can sign in") {
		t.Errorf("the start prints\n%s", said)
	}
	for _, path := range []string{
		"/oauth/login", "/account/apps", "/.well-known/oauth-protected-resource/pro/mcp",
	} {
		if status, text, _ := v.Ask(path, nil); status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", path, status, text)
		}
	}
	if status, challenge, text := v.Whoami("/pro/mcp", "x"); status != http.StatusUnauthorized ||
		strings.Contains(challenge, "resource_metadata") {
		t.Errorf("/pro/mcp: got %d, %q, %s", status, challenge, text)
	}
	key := strings.TrimSpace(
		product.At(t, folder, "keys", "create", "--account", "owner@example.org"),
	)
	v.Is("a key", "/pro/mcp", key, "API key")
}
