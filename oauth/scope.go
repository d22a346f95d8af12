package oauth

import (
	"slices"
	"strings"

	"leadline/internal/access"
)

// offline is the scope by which clients ask to stay connected. All of them do,
// so it is accepted and changes nothing.
const offline = "offline_access"

// scopesKnown are the scopes that a client can request.
var scopesKnown = []string{access.MCPUse, offline}

// parseScopes returns the known scopes of a request. Clients request more than
// they need: unknown scopes are left out, and the response names those that are
// granted (RFC 6749, section 3.3). It returns false unless access.MCPUse is among
// them, because a token could not be used without it.
func parseScopes(text string) (scopes []string, ok bool) {
	if strings.TrimSpace(text) == "" {
		return []string{access.MCPUse}, true
	}

	asked := strings.Fields(text)
	for _, s := range scopesKnown {
		if slices.Contains(asked, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes, slices.Contains(scopes, access.MCPUse)
}

// scopes are the scopes of a grant.
type scopes []string

// allowed returns granted scopes as people see them: all clients stay connected,
// whether they have requested it or not.
func allowed(granted []string) scopes {
	if slices.Contains(granted, offline) {
		return granted
	}
	return append(slices.Clone(granted), offline)
}

// Words describes each scope in plain words. An unknown scope is shown as it is,
// so that nothing is granted unseen.
func (s scopes) Words() []string {
	words := make([]string, len(s))
	for i, scope := range s {
		switch scope {
		case access.MCPUse:
			words[i] = "Ask tides, currents, weather, sun and moon, with your account’s allowance"
		case offline:
			words[i] = "Stay connected until you disconnect it"
		default:
			words[i] = scope
		}
	}
	return words
}
