package oauth

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestMetadata checks that metadata is available at the paths where clients
// look for it, which contain the path of the resource. It also checks the
// members that clients require.
func TestMetadata(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{serverMetadata, openidMetadata, openidAppended} {
		var m map[string]any
		got := b.browser().Get(path)
		if err := json.Unmarshal([]byte(got.Text), &m); err != nil || got.StatusCode != http.StatusOK ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %d %s", path, got.StatusCode, got.Text)
		}
		for name, want := range map[string]any{
			"issuer": b.Site.Base + "/pro/mcp", "authorization_endpoint": b.Site.Base + "/oauth/authorize",
			"token_endpoint":        b.Site.Base + "/oauth/token",
			"registration_endpoint": b.Site.Base + "/oauth/register",
			"revocation_endpoint":   b.Site.Base + "/oauth/revoke", "jwks_uri": b.Site.Base + "/oauth/jwks",
			"authorization_response_iss_parameter_supported": true,
			"client_id_metadata_document_supported":          true,
		} {
			if m[name] != want {
				t.Errorf("%s: %s is %v, want %v", path, name, m[name], want)
			}
		}
		for name, want := range map[string]string{
			"code_challenge_methods_supported": "S256",
			"grant_types_supported":            "authorization_code refresh_token",
			"response_types_supported":         "code",
			"token_endpoint_auth_methods_supported": "none client_secret_basic " +
				"client_secret_post private_key_jwt",
			"token_endpoint_auth_signing_alg_values_supported": "RS256 ES256",
			"revocation_endpoint_auth_methods_supported": "none client_secret_basic " +
				"client_secret_post private_key_jwt",
			"revocation_endpoint_auth_signing_alg_values_supported": "RS256 ES256",
			"scopes_supported":         "mcp:use offline_access",
			"response_modes_supported": "query",
		} {
			if have := words(m[name]); have != want {
				t.Errorf("%s: %s is %q, want %q", path, name, have, want)
			}
		}
	}
	var m map[string]any
	got := b.browser().Get(resourceMetadata)
	if err := json.Unmarshal([]byte(got.Text), &m); err != nil {
		t.Fatal(err)
	}
	if m["resource"] != b.Site.Base+"/pro/mcp" ||
		words(m["authorization_servers"]) != b.Site.Base+"/pro/mcp" ||
		words(m["scopes_supported"]) != "mcp:use" {
		t.Errorf("the resource says %v", m)
	}
}

// words joins the members of a list with blanks.
func words(list any) string {
	var out []string
	members, _ := list.([]any)
	for _, member := range members {
		text, _ := member.(string)
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// TestNothingAtTheRoot checks that metadata of other resources is not found,
// and that the response is JSON.
func TestNothingAtTheRoot(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
		"/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/mcp",
		"/.well-known/openid-configuration/mcp",
		"/.well-known/oauth-protected-resource/pro", "/.well-known/oauth-protected-resource/pro/mcp/",
	} {
		r := b.browser().Request(http.MethodGet, path, "")
		r.Header.Set("Authorization", "Bearer nonsense")
		if got := b.browser().Do(r); got.StatusCode != http.StatusNotFound ||
			got.Header.Get("Content-Type") != "application/json" || !json.Valid([]byte(got.Text)) {
			t.Errorf("%s: got %d %s %s, want 404 as JSON", path, got.StatusCode,
				got.Header.Get("Content-Type"), got.Text)
		}
	}
}

// TestProgramsOfAnyOrigin checks that pages of any origin can call the
// endpoints for programs and read their errors, and cannot request the pages
// for people.
func TestProgramsOfAnyOrigin(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{serverMetadata, resourceMetadata, keysPath, tokenPath, registerPath,
		revokePath, authorizePath, consentPath, appsPath} {
		public := !slices.Contains([]string{authorizePath, consentPath, appsPath}, path)
		for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost} {
			r := b.browser().Request(method, path, "")
			r.Header.Set("Origin", "https://anywhere.example")
			r.Header.Set("Access-Control-Request-Method", http.MethodPost)
			got := b.browser().Do(r)
			if allowed := got.Header.Get("Access-Control-Allow-Origin"); public != (allowed == "*") ||
				got.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s %s: Access-Control-Allow-Origin %q", method, path, allowed)
			}
			if method == http.MethodOptions && public && got.StatusCode != http.StatusNoContent {
				t.Errorf("OPTIONS %s: got %d, want 204", path, got.StatusCode)
			}
		}
	}
}
