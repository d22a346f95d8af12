package pages

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/access/credential"
)

// offline starts a server without providers, whose clock runs. Tests share it, each with accounts
// of its own.
var offline = product.Share(func(t testing.TB) *product.Product {
	return product.Setup{Offline: true}.Start(t)
})

// TestAccountKeys creates, replaces and revokes keys with the forms of the pages.
func TestAccountKeys(t *testing.T) {
	p := offline(t)
	v := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	secret, id := v.NewKeyOf("boat display")
	if got := v.StatusWith(secret); got != http.StatusOK {
		t.Errorf("a request with the new key: %d, want 200", got)
	}
	replace := "/account/keys/" + id + "/replace"
	_, page, _ := v.Ask(replace, nil)
	form := v.Form(page, replace, "grace", "0s")
	status, page, _ := v.Ask(replace, form)
	second := product.SecretKey.FindStringSubmatch(page)
	if status != http.StatusOK || second == nil {
		t.Fatalf("replacing a key: %d\n%s", status, page)
	}
	product.Eventually(t, "the old key is refused", func() bool {
		return v.StatusWith(secret) == http.StatusUnauthorized
	})
	if v.StatusWith(second[1]) != http.StatusOK {
		t.Errorf("after a replacement the new key is refused")
	}
	if status, page, _ = v.Ask(replace, form); status != http.StatusConflict ||
		product.SecretKey.MatchString(page) {
		t.Errorf("the form sent again: %d, want 409 without a key", status)
	}
	newID, _ := credential.KeyID(second[1])
	revoke := "/account/keys/" + newID + "/revoke"
	_, page, _ = v.Ask(revoke, nil)
	if status, _, to := v.Ask(revoke, v.Form(page, revoke)); status != http.StatusSeeOther ||
		to.Path != "/account/keys" {
		t.Errorf("revoking: %d to %s, want 303 to /account/keys", status, to)
	}
	product.Eventually(t, "a revoked key is refused", func() bool {
		return v.StatusWith(second[1]) == http.StatusUnauthorized
	})
	if status, _, _ := v.Ask(revoke, nil); status != http.StatusNotFound {
		t.Errorf("the page of a revoked key: %d, want 404", status)
	}
	_, page, _ = v.Ask("/account/keys", nil)
	if strings.Contains(page, secret) || strings.Contains(page, second[1]) ||
		!strings.Contains(page, "revoked") {
		t.Errorf("the list shows a secret, or not the state of the key:\n%s", page)
	}
}

// TestAccountKeyForms checks that a refused form comes back with what was typed and the reason.
func TestAccountKeyForms(t *testing.T) {
	p := offline(t)
	v := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	for _, test := range []struct {
		what   string
		fields []string
		status int
		want   string
	}{
		{"no scope", []string{"name", "boat", "days", "0"}, 400, "scopes"},
		{"unknown scope", []string{"name", "boat", "scopes", "sail:far", "days", "0"}, 400, "sail:far"},
		{"long name", []string{"name", strings.Repeat("b", 65), "scopes", credential.RawRead}, 400, "64"},
		{"bad lifetime", []string{"name", "boat", "scopes", credential.RawRead, "days", "-1"}, 400,
			"days"},
		{"no form id", []string{"name", "boat", "scopes", credential.RawRead, "form", ""}, 409,
			"too old"},
		{"old form", []string{"name", "boat", "scopes", credential.RawRead, "form", "1.x"}, 409,
			"too old"},
	} {
		_, page, _ := v.Ask("/account/keys", nil)
		status, page, _ := v.Ask("/account/keys", v.Form(page, "/account/keys", test.fields...))
		if status != test.status || !strings.Contains(page, test.want) ||
			product.SecretKey.MatchString(page) || !strings.Contains(page, `role="alert"`) ||
			!strings.Contains(page, `value="`+test.fields[1]) {
			t.Errorf(
				"%s: got %d, want %d, %q and the name\n%s",
				test.what,
				status,
				test.status,
				test.want,
				page,
			)
		}
	}
}

// TestAccountsApart checks that the pages of an account show and change nothing of another one.
func TestAccountsApart(t *testing.T) {
	p := offline(t)
	ann := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	bob := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	secret, id := ann.NewKeyOf("of Ann")
	_, page, _ := bob.Ask("/account/keys", nil)
	if strings.Contains(page, id) || strings.Contains(page, "of Ann") {
		t.Error("the keys of Ann are on the page of Bob")
	}
	own := bob.Form(page, "/account/keys")
	for _, action := range []string{"replace", "revoke"} {
		path := "/account/keys/" + id + "/" + action
		if status, _, _ := bob.Ask(path, nil); status != http.StatusNotFound {
			t.Errorf("GET %s of another account: %d, want 404", path, status)
		}
		own.Set("grace", "0s")
		own.Del("name")
		if action == "revoke" {
			own.Del("grace")
		}
		if status, text, _ := bob.Ask(path, own); status != http.StatusNotFound {
			t.Errorf("POST %s of another account: %d, want 404\n%s", path, status, text)
		}
	}
	if got := ann.StatusWith(secret); got != http.StatusOK {
		t.Errorf("the key of Ann: %d after the forms of Bob, want 200", got)
	}
}

// TestAccountForms checks who may send the forms of accounts.
func TestAccountForms(t *testing.T) {
	p := offline(t)
	account := product.NewAccount(t, p.Storage(), access.Free)
	v := p.SignIn(t, account)
	_, page, _ := v.Ask("/account/keys", nil)
	good := v.Form(page, "/account/keys", "name", "boat", "scopes", credential.RawRead)
	stranger := product.NewVisitor(t, p.URL)
	if status, _, to := stranger.Ask("/account/keys?x=1", nil); status != http.StatusSeeOther ||
		to.String() != p.URL+"/oauth/login?next=%2Faccount%2Fkeys%3Fx%3D1" {
		t.Errorf("a page without a session: %d to %s, want 303 to sign in and back", status, to)
	}
	if status, _, to := stranger.Ask("/account/keys", good); status != http.StatusSeeOther ||
		to.Path != "/oauth/login" {
		t.Errorf("a form without a session: %d to %s, want 303 to sign in", status, to)
	}
	other := p.SignIn(t, account)
	if status, _, _ := other.Ask("/account/keys", good); status != http.StatusForbidden {
		t.Errorf("a form of another browser: %d, want 403", status)
	}
	for header, value := range map[string]string{
		"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/account/keys",
			strings.NewReader(good.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(header, value)
		answer, err := v.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden || product.SecretKey.Match(body) {
			t.Errorf("a form with %s: %s: %d, want 403", header, value, answer.StatusCode)
		}
	}
	list, err := p.Storage().Store.KeysOf(t.Context(), account)
	if err != nil || len(list) != 0 {
		t.Errorf("keys after refused forms: %v, %v, want none", list, err)
	}
}

// TestAccountPagesAreNotStored checks the headers of pages of accounts, and that a page says when
// the store is down.
func TestAccountPagesAreNotStored(t *testing.T) {
	p := product.Setup{Offline: true, Broken: true}.Start(t)
	v := p.SignIn(t, product.NewAccount(t, p.Storage(), access.Free))
	v.NewKeyOf("boat")
	_, page, _ := v.Ask("/account/keys", nil)
	revoke := product.RevokeURL.FindString(page)
	replace := strings.Replace(revoke, "revoke", "replace", 1)
	paths := []string{"/account", "/account/keys", revoke, replace}
	get := func(path string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "gzip, br, zstd")
		answer, err := v.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	for _, path := range paths {
		answer := get(path)
		for header, want := range map[string]string{
			"Cache-Control": "no-store", "Content-Encoding": "", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Etag": "",
		} {
			if got := answer.Header.Get(header); answer.StatusCode != http.StatusOK || got != want {
				t.Errorf("%s: %d, %s is %q, want %q", path, answer.StatusCode, header, got, want)
			}
		}
	}
	p.Storage().Store.Close()
	for _, path := range paths {
		answer := get(path)
		body, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != http.StatusServiceUnavailable ||
			answer.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(body), "The accounts cannot be read at the moment") {
			t.Errorf("%s without the store: %d, Retry-After %q", path, answer.StatusCode,
				answer.Header.Get("Retry-After"))
		}
	}
}
