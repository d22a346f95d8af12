package access

import (
	"net/http"
	"strings"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
)

// By is a set of ways in which callers of an operation may authenticate.
type By uint8

// The ways to authenticate. A session cookie is ignored if the operation does not accept
// sessions. Keys and tokens in headers are always checked, and refused if the operation does
// not accept them.
const (
	Nobody   By = 1 << iota // no credential
	Key                     // an API key
	Session                 // a browser session
	SignedIn                // an access token of a connected app
)

// Need describes what an operation requires of its caller.
type Need struct {
	By       By
	Scopes   []string // the credential must have one of them; empty: any credential
	Feature  string   // required feature of the plan, or ""
	Metadata string   // URL of the protected resource metadata (RFC 9728), or ""
}

// These are the needs of the planning decisions, on REST and MCP.
var (
	// PublicDecision is no credential, or a key with the scope for data or for decisions.
	PublicDecision = Need{
		By: Nobody | Key, Scopes: []string{credential.RawRead, credential.DecisionRead},
	}
	// KeyedDecision is a credential with the scope for decisions, on a plan with the decision API.
	KeyedDecision = Need{By: Key, Scopes: []string{credential.DecisionRead}, Feature: DecisionAPI}
)

// presented returns the key or access token of the headers. Credentials are not accepted in
// URLs, which end up in logs and histories.
func presented(h http.Header) (secret string, is By, err error) {
	is = Nobody
	for _, value := range h["Authorization"] {
		scheme, token, _ := strings.Cut(value, " ")
		if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", is, invalid("The Authorization header must be: Bearer, a space, and the credential.")
		}
		if is != Nobody && token != secret {
			return "", is, twoCredentials()
		}
		secret, is = token, SignedIn
	}
	if strings.HasPrefix(secret, credential.Prefix) {
		is = Key
	}
	for _, value := range h["X-Api-Key"] {
		if is != Nobody && value != secret {
			return "", is, twoCredentials()
		}
		secret, is = value, Key
	}
	return secret, is, nil
}

func twoCredentials() error {
	return coast.Errorf(coast.InvalidRequest,
		"The request has two different credentials: send one, as Authorization: Bearer KEY "+
			"or as x-api-key: KEY.")
}

func invalid(why string) error {
	return coast.Errorf(coast.InvalidCredential,
		"%s Correct the credential, or leave it out if the operation needs none.", why)
}

// unknown returns the error for an invalid credential.
func unknown() error {
	return invalid("The credential is not valid: it is misspelled, was revoked, or has expired. " +
		"Refresh an expired access token; connect a disconnected app again.")
}

func required(need Need) error {
	if need.By == Session {
		return coast.Errorf(coast.CredentialRequired,
			"This operation needs a browser session: sign in at /oauth/login, or use the command line, "+
				"leadline keys.")
	}
	if need.By&SignedIn != 0 && need.Metadata == "" {
		return coast.Errorf(coast.CredentialRequired,
			"This endpoint needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY: "+
				"nobody can sign in to this server. /mcp needs no credential.")
	}
	if need.Metadata != "" {
		return coast.Errorf(coast.CredentialRequired,
			"This endpoint needs an access token: clients with OAuth support obtain one themselves. "+
				"An API key is accepted, too, sent as Authorization: Bearer KEY. "+
				"/mcp needs no credential.")
	}
	return coast.Errorf(coast.CredentialRequired,
		"This operation needs an API key, sent as Authorization: Bearer KEY or as x-api-key: KEY. "+
			"The decision trip-health and all data need none.")
}

// shown returns the name of a caller's credential for errors. Sessions have all scopes, so they
// do not need a name.
func (c Caller) shown() string {
	if c.Grant != "" {
		return "access token"
	}
	return "key " + credential.Shown(c.Key)
}
