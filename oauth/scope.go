package oauth

import (
	"slices"
	"strings"

	"leadline/internal/access/credential"
)

// offline is the scope with which clients request to stay connected. All
// clients stay connected anyway, so the scope is accepted without effect.
const offline = "offline_access"

// scopesKnown lists the scopes that a client can request.
var scopesKnown = []string{credential.MCPUse, offline}

// parseScopes returns the known scopes of a request. Clients request more
// scopes than they need. Unknown scopes are ignored, and the response lists the
// granted ones (RFC 6749, section 3.3). It returns false unless they include
// access.MCPUse, because a token without that scope could not be used.
func parseScopes(text string) (scopes []string, ok bool) {
	if strings.TrimSpace(text) == "" {
		return []string{credential.MCPUse}, true
	}

	asked := strings.Fields(text)
	for _, s := range scopesKnown {
		if slices.Contains(asked, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes, slices.Contains(scopes, credential.MCPUse)
}

// scopes are the scopes of a grant.
type scopes []string

// allowed returns granted scopes as they are shown to people. It includes
// staying connected, which all clients do whether they request it or not.
func allowed(granted []string) scopes {
	if slices.Contains(granted, offline) {
		return granted
	}
	return append(slices.Clone(granted), offline)
}

// Words describes each scope in plain words. An unknown scope is shown
// verbatim, so that nothing is granted unseen.
func (s scopes) Words() []string {
	words := make([]string, len(s))
	for i, scope := range s {
		switch scope {
		case credential.MCPUse:
			words[i] = "Ask tides, currents, weather, sun and moon, with your account’s allowance"
		case offline:
			words[i] = "Stay connected until you disconnect it"
		default:
			words[i] = scope
		}
	}
	return words
}
