package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// The methods of client authentication at the token endpoint.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// The supported grant types.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// oauthClient is an OAuth client.
type oauthClient struct {
	ID           string
	Name         string // cleaned for display
	Described    bool   // it publishes metadata under its own address, which is its ID
	RedirectURIs []string
	Method       string        // weakest authentication method that it may use
	Secret       [32]byte      // SHA-256 of its secret; zero for a public client
	Signs        assertionKeys // how a described client signs assertions
}

// host returns the host that publishes the client's metadata, or "" for a
// registered client.
func (c oauthClient) host() string {
	if !c.Described {
		return ""
	}
	u, _ := url.Parse(c.ID) // parsed before the metadata was fetched
	return strings.ToLower(u.Host)
}

const (
	maxName = 100 // characters in a client's name
	unnamed = "An app without a name"
)

// cleanName returns a client's name in a form that is safe to display: one line
// of at most 100 visible characters, in reading order.
func cleanName(name string) string {
	if name = printable(name, maxName); name != "" {
		return name
	}
	return unnamed
}

// clientGrants and clientResponses are the grant types and response types of
// every client.
var (
	clientGrants    = []string{grantCode, grantRefresh}
	clientResponses = []string{"code"}
)

// clientMetadata has the members of a client's metadata that this server reads
// (RFC 7591, section 2). Software statements are ignored: there is no issuer
// that we would trust to describe a client.
type clientMetadata struct {
	RedirectURIs  []string `json:"redirect_uris"`
	Method        string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	Name          string   `json:"client_name"`
	URI           string   `json:"client_uri"`
	Scope         string   `json:"scope"`
	Application   string   `json:"application_type"`
}

// fault returns why the client cannot be used here, or "" if it can.
func (m clientMetadata) fault() string {
	ours := func(grant string) bool { return slices.Contains(clientGrants, grant) }
	switch {
	case m.GrantTypes != nil && !slices.ContainsFunc(m.GrantTypes, ours):
		return "its grant_types have neither authorization_code nor refresh_token"
	case m.ResponseTypes != nil && !slices.Contains(m.ResponseTypes, "code"):
		return "its response_types lack code"
	}
	return ""
}

// page returns the address of the client's home page, or "" if it cannot be
// opened.
func (m clientMetadata) page() string {
	u, fault := readAddress(m.URI)
	if fault != "" || u.Scheme != "https" || hostFault(u) != "" {
		return ""
	}
	return m.URI
}

// scope returns the known scopes that the client will request, or all scopes if
// it does not list any.
func (m clientMetadata) scope() string {
	named := strings.Fields(m.Scope)
	granted := slices.DeleteFunc(slices.Clone(scopesKnown), func(scope string) bool {
		return !slices.Contains(named, scope)
	})
	if len(granted) == 0 {
		granted = scopesKnown
	}
	return strings.Join(granted, " ")
}

// application returns the client's application type, or "" if it is unknown.
func (m clientMetadata) application() string {
	if m.Application == "native" || m.Application == "web" {
		return m.Application
	}
	return ""
}

// assertionAlgorithms are the algorithms that clients may sign with. Each
// requires a different kind of public key. "none" and algorithms that would
// treat the key as a shared secret are excluded.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256}

// assertionKeys are the keys and algorithms with which a client signs assertions.
type assertionKeys struct {
	at         string // URL of the keys, "" if they are in keys
	keys       []clientKey
	algorithms []jose.SignatureAlgorithm // empty if the client does not sign
}

// clientKey is a public key of a client.
type clientKey struct {
	id        string // "" if the key does not have one
	algorithm jose.SignatureAlgorithm
	public    any
}
