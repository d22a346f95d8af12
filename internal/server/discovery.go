package server

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/mcp"
)

// Paths at which directories and clients look for descriptions of a server.
const (
	cardPath      = mcpPath + "/server-card"
	catalogPath   = "/.well-known/ai-catalog.json"
	challengePath = "/.well-known/openai-apps-challenge"

	wellKnownCardPath = "/.well-known/mcp/server-card.json" // of an earlier draft, leads to cardPath
)

// Media types of the descriptions.
const (
	cardType    = "application/mcp-server-card+json"
	catalogType = "application/ai-catalog+json"
)

// serverCard is an MCP Server Card (SEP-2127): who the server at /mcp is, and where. It lists no
// tools, and says nothing of /pro/mcp, so that no client asks people at /mcp to sign in.
type serverCard struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"` // reversed host and name
	Version     string   `json:"version"`
	Title       string   `json:"title"`
	Description string   `json:"description"` // at most 100 characters
	Website     string   `json:"websiteUrl"`
	Remotes     []remote `json:"remotes"`
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions"`
}

// aiCatalog is an AI Catalog 1.0 with the server card as its only entry.
type aiCatalog struct {
	Spec    string         `json:"specVersion"`
	Entries []catalogEntry `json:"entries"`
}

type catalogEntry struct {
	Identifier string `json:"identifier"`
	Name       string `json:"displayName"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

// newCard returns the card of the server at a base URL.
func newCard(base, version string) serverCard {
	labels := strings.Split(host(base), ".")
	slices.Reverse(labels)
	return serverCard{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   strings.Join(labels, ".") + "/leadline", Version: version, Title: "Leadline",
		Description: "Tides, tidal currents, water levels, coastal weather, sun and moon, with sources.",
		Website:     base + "/",
		Remotes: []remote{{
			Type: "streamable-http", URL: base + mcpPath, Versions: mcp.ProtocolVersions(),
		}},
	}
}

// newCatalog returns the catalog of the server at a base URL.
func newCatalog(base string) aiCatalog {
	return aiCatalog{Spec: "1.0", Entries: []catalogEntry{{
		Identifier: "urn:air:" + host(base) + ":mcp:leadline", Name: "Leadline", Type: cardType,
		URL: base + cardPath,
	}}}
}

// host returns the host of a base URL, or localhost if that is an IP address, which the names of
// cards and catalogs cannot have.
func host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "localhost"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return "localhost"
	}
	return u.Hostname()
}

// description returns a handler that serves a value as JSON, and lets caches keep it for an hour.
func description(media string, value any) http.Handler {
	body, err := json.Marshal(value)
	if err != nil {
		panic("server: encode a description: " + err.Error())
	}
	encoded := edge.NewEncoded(body)
	return readOnly(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		encoded.Serve(w, r)
	})
}

// text returns a handler that serves plain text.
func text(body string) http.Handler {
	return readOnly(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Write([]byte(body)) // an error means that the client is gone
	})
}

// readOnly refuses methods other than GET and HEAD.
func readOnly(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed,
				"%s does not accept %s; use GET.", r.URL.Path, coast.Clip(r.Method)))
			return
		}
		next(w, r)
	})
}
