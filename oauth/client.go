package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// How clients authenticate at the token endpoint.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// The grant types that exist.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
)

// oauthClient is an OAuth client.
type oauthClient struct {
	ID           string
	Name         string // cleaned, to be shown
	Described    bool   // it publishes metadata under its own address, which is its ID
	RedirectURIs []string
	Method       string        // weakest way in which it may authenticate
	Secret       [32]byte      // SHA-256 of its secret; zero for a public client
	Signs        assertionKeys // how a described client signs assertions
}

// host returns the host that describes the client, "" for a registered one.
func (c oauthClient) host() string {
	if !c.Described {
		return ""
	}
	u, _ := url.Parse(c.ID) // it was fetched from there
	return strings.ToLower(u.Host)
}

const (
	maxName = 100 // characters of a client's name
	unnamed = "An app without a name"
)

// cleanName returns a client's name as it can be shown: one line of at most 100
// visible characters in the order in which they are read.
func cleanName(name string) string {
	if name = printable(name, maxName); name != "" {
		return name
	}
	return unnamed
}

// clientGrants and clientResponses are what every client gets.
var (
	clientGrants    = []string{grantCode, grantRefresh}
	clientResponses = []string{"code"}
)

// clientMetadata is the part of a client's metadata that is read: RFC 7591,
// section 2. Software statements are not: there is no issuer whose statements
// about a client would be trusted.
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

// fault returns why the client cannot be used here, "" if it can.
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

// page returns the address of the client's page, "" if it cannot be opened.
func (m clientMetadata) page() string {
	u, fault := readAddress(m.URI)
	if fault != "" || u.Scheme != "https" || hostFault(u) != "" {
		return ""
	}
	return m.URI
}

// scope returns the known scopes among those that the client will request, all
// if there are none.
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

// application returns the client's application type, "" if it is unknown.
func (m clientMetadata) application() string {
	if m.Application == "native" || m.Application == "web" {
		return m.Application
	}
	return ""
}

// assertionAlgorithms are the algorithms that clients may sign with. Each takes a
// public key of a kind of its own; "none" and algorithms that would use the key
// as a shared secret are not among them.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256}

// assertionKeys are the keys and algorithms with which a client signs assertions.
type assertionKeys struct {
	at         string // address of the keys, "" if they are in keys
	keys       []clientKey
	algorithms []jose.SignatureAlgorithm // none if the client does not sign
}

// clientKey is a public key of a client.
type clientKey struct {
	id        string // "" for none
	algorithm jose.SignatureAlgorithm
	public    any
}
