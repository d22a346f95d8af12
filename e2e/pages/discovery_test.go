package pages

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/config"
)

// discovered returns the response of a server for example.org to a GET.
func discovered(h http.Handler, path, credential string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if credential != "" {
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestDiscovery follows the catalog to the card and the card to the server, as a client does that
// knows only the host.
func TestDiscovery(t *testing.T) {
	h := product.Setup{
		Now:     product.Noon,
		Offline: true,
		Base:    "https://tides.example.org",
	}.Start(t).
		Handler()
	var catalog struct {
		SpecVersion string
		Entries     []struct{ Identifier, DisplayName, Type, URL string }
	}
	w := discovered(h, "/.well-known/ai-catalog.json", "")
	if err := json.Unmarshal(w.Body.Bytes(), &catalog); err != nil || len(catalog.Entries) != 1 ||
		catalog.SpecVersion != "1.0" ||
		w.Header().Get("Content-Type") != "application/ai-catalog+json" {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	entry := catalog.Entries[0]
	if entry.Identifier != "urn:air:tides.example.org:mcp:leadline" ||
		entry.Type != "application/mcp-server-card+json" {
		t.Errorf("%+v", entry)
	}
	path, ok := strings.CutPrefix(entry.URL, "https://tides.example.org")
	if !ok {
		t.Fatalf("the catalog leads to %s", entry.URL)
	}
	w = discovered(h, path, "")
	var card struct {
		Schema                            string `json:"$schema"`
		Name, Version, Title, Description string
		Remotes                           []struct {
			Type, URL                 string
			Headers                   []any
			SupportedProtocolVersions []string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &card); err != nil || len(card.Remotes) != 1 {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	moved := discovered(h, "/.well-known/mcp/server-card.json", "")
	if to := moved.Header().Get("Location"); moved.Code != http.StatusMovedPermanently ||
		to != "/mcp/server-card" {
		t.Errorf("the path of an earlier draft: %d to %q", moved.Code, to)
	}
	remote := card.Remotes[0]
	if card.Name != "org.example.tides/leadline" || card.Version != "0.1.0" ||
		card.Title != "Leadline" || len(card.Description) > 100 ||
		remote.URL != "https://tides.example.org/mcp" || remote.Type != "streamable-http" ||
		len(
			remote.Headers,
		) > 0 || !slices.Contains(remote.SupportedProtocolVersions, "2026-07-28") {
		t.Errorf("%+v", card)
	}
	for name, want := range map[string]string{
		"Content-Type":                "application/mcp-server-card+json",
		"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=3600",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s of the card is %q, want %q", name, got, want)
		}
	}
	if w.Header().Get("ETag") == "" {
		t.Error("the card has no ETag")
	}
}

// TestDiscoveryWithoutSignIn checks that no description makes a client sign in at /mcp: nothing
// names /pro/mcp or OAuth, and no response is a challenge, with any credential.
func TestDiscoveryWithoutSignIn(t *testing.T) {
	h := product.Setup{
		Now:     product.Noon,
		Offline: true,
		Base:    "https://tides.example.org",
	}.Start(t).
		Handler()
	for _, path := range []string{"/.well-known/ai-catalog.json", "/mcp/server-card"} {
		for _, credential := range []string{"", "nonsense"} {
			w := discovered(h, path, credential)
			text := strings.ToLower(w.Body.String())
			if w.Code != http.StatusOK || w.Header().Get("WWW-Authenticate") != "" {
				t.Errorf("%s: %d %v", path, w.Code, w.Header())
			}
			for _, word := range []string{"/pro", "oauth", "auth", "key"} {
				if strings.Contains(text, word) {
					t.Errorf("%s has %q: %s", path, word, text)
				}
			}
		}
	}
	for _, path := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/mcp.json", "/.well-known/mcp/catalog.json",
		"/.well-known/openai-apps-challenge", "/mcp/server-card/", "/pro/mcp/server-card",
	} {
		if w := discovered(h, path, ""); w.Code != http.StatusNotFound ||
			w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d, want 404 as JSON", path, w.Code)
		}
	}
}

// TestDiscoveryOfAddresses checks names for a host that is an IP address.
func TestDiscoveryOfAddresses(t *testing.T) {
	for _, base := range []string{"http://127.0.0.1:8080", "http://[::1]:8080", ""} {
		h := product.Setup{Now: product.Noon, Offline: true, Base: base}.Start(t).Handler()
		card := discovered(h, "/mcp/server-card", "").Body.String()
		catalog := discovered(h, "/.well-known/ai-catalog.json", "").Body.String()
		if !strings.Contains(card, `"name":"localhost/leadline"`) ||
			!strings.Contains(catalog, "urn:air:localhost:mcp:leadline") {
			t.Errorf("%q: %s %s", base, card, catalog)
		}
	}
}

func TestOpenAIChallenge(t *testing.T) {
	const token = "b7a2<script>"
	h := product.Setup{Now: product.Noon, Offline: true, With: func(c *config.Config) {
		c.OpenAIChallenge = token
	}}.Start(t).Handler()
	w := discovered(h, "/.well-known/openai-apps-challenge", "")
	if w.Code != http.StatusOK || w.Body.String() != token ||
		w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %v %q, want exactly %q", w.Code, w.Header(), w.Body, token)
	}
	r := httptest.NewRequest(http.MethodPost, "/.well-known/openai-apps-challenge", nil)
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}
