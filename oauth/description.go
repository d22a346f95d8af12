package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// newDescriptions returns what clients say of themselves under the address that is
// their id (OAuth Client ID Metadata Documents).
func newDescriptions(f *fetcher) *documents[oauthClient] {
	return &documents[oauthClient]{fetcher: f, what: "What the app says of itself", accept: "application/json", read: readDescription, found: map[string]fetched[oauthClient]{}}
}

// describedFault says why an id is not the address of a description: "" where
// it is. It is an address that is written in one way alone, or one client
// would have many names.
func describedFault(id string) string {
	u, fault := readAddress(id)
	switch {
	case fault != "":
		return fault
	case u.Scheme != "https":
		return "it is not https"
	case !domainName(u.Host) || !strings.Contains(u.Host, "."):
		return "its host is no name on the internet, or it has a port"
	case strings.Contains(id, "?"):
		return "it has a query"
	case len(u.Path) < 2:
		return "it has no path"
	case dotted(u.Path):
		return "it has . or .. in its path"
	}
	return ""
}

// dotted reports whether a path, decoded, has segments that lead elsewhere.
func dotted(decoded string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(decoded, func(r rune) bool { return r == '/' || r == '\\' }),
		func(segment string) bool { return segment == "." || segment == ".." })
}

// description is what is read of a client ID metadata document beside what
// clients that register say too.
type metadataDocument struct {
	ID            string          `json:"client_id"`
	Secret        json.RawMessage `json:"client_secret"`
	SecretExpires json.RawMessage `json:"client_secret_expires_at"`
	Methods       []string        `json:"token_endpoint_auth_methods_supported"`
	Algorithm     string          `json:"token_endpoint_auth_signing_alg"`
	KeysAt        string          `json:"jwks_uri"`
	Keys          json.RawMessage `json:"jwks"`
	clientMetadata
}

// can reports whether the client can authenticate in a way. token_endpoint_auth_method
// is the one that it likes best, and the list has others that will do. Where
// neither stands it is public: what is published holds no secret.
func (d metadataDocument) can(method string) bool {
	if d.Method == "" && d.Methods == nil {
		return method == methodNone
	}
	return d.Method == method || slices.Contains(d.Methods, method)
}

// method is how the client must authenticate at least, "" where it can in no
// way that there is here.
func (d metadataDocument) method() string {
	for _, method := range []string{methodNone, methodKey} {
		if d.can(method) {
			return method
		}
	}
	return ""
}

// signs is what the client signs assertions with, where it does.
func (d metadataDocument) signs() (s assertionKeys, fault string) {
	inline := len(d.Keys) > 0 && string(d.Keys) != "null"
	switch {
	case !d.can(methodKey):
		return s, ""
	case inline == (d.KeysAt != ""):
		return s, "it must have either jwks_uri or jwks, for it says private_key_jwt"
	case d.Algorithm != "" && !slices.Contains(assertionAlgorithms, jose.SignatureAlgorithm(d.Algorithm)):
		return s, "its token_endpoint_auth_signing_alg is not RS256 or ES256"
	}
	s = assertionKeys{at: d.KeysAt, algorithms: assertionAlgorithms}
	if d.Algorithm != "" {
		s.algorithms = []jose.SignatureAlgorithm{jose.SignatureAlgorithm(d.Algorithm)}
	}
	if inline {
		s.keys, fault = readKeys("", d.Keys)
		return s, prefixed("its jwks cannot be used: ", fault)
	}
	return s, prefixed("its jwks_uri cannot be used: ", describedFault(d.KeysAt))
}

func prefixed(prefix, fault string) string {
	if fault == "" {
		return ""
	}
	return prefix + fault
}

// symmetric are ways to authenticate with a secret that both sides have.
var symmetric = []string{methodBasic, methodPost, "client_secret_jwt"}

// readDescription reads a description. Redirect URIs that none of our answers
// may go to are left out: they may be good elsewhere.
func readDescription(id string, body []byte) (c oauthClient, fault string) {
	var text metadataDocument
	if err := json.Unmarshal(body, &text); err != nil {
		return oauthClient{}, "it is no JSON of the right form"
	}
	uris := slices.DeleteFunc(text.RedirectURIs, func(uri string) bool { return redirectFault(uri) != "" })
	switch {
	case text.ID != id:
		return oauthClient{}, "its client_id is not its own address"
	case text.Secret != nil, text.SecretExpires != nil:
		return oauthClient{}, "it has a client_secret, which nothing public can keep"
	case text.method() == "", slices.Contains(symmetric, text.Method):
		return oauthClient{}, "its token_endpoint_auth_method is not none or private_key_jwt, the only ones that this server has for clients like it"
	case len(uris) == 0:
		return oauthClient{}, "it has no redirect_uris that an answer can be sent to"
	}
	if fault := text.fault(); fault != "" {
		return oauthClient{}, fault
	}
	signs, fault := text.signs()
	if fault != "" && text.method() == methodKey {
		return oauthClient{}, fault
	}
	if fault != "" {
		signs = assertionKeys{} // it need not sign, and cannot
	}
	return oauthClient{ID: id, Name: cleanName(text.Name), Described: true, RedirectURIs: uris, Method: text.method(), Signs: signs}, ""
}

const (
	maxKeys    = 50   // of a client
	minModulus = 2048 // bits: RFC 7518, section 3.3
)

// newKeys returns the keys that clients publish beside what they say of
// themselves.
func newKeys(f *fetcher) *documents[[]clientKey] {
	return &documents[[]clientKey]{fetcher: f, what: "The list of the app's keys", accept: "application/json, application/jwk-set+json", read: readKeys, found: map[string]fetched[[]clientKey]{}}
}

// readKeys reads a list of keys (RFC 7517, section 5). Keys for other uses are
// left out; one that should be secret spoils the list, for everybody has read
// it.
func readKeys(_ string, text []byte) (keys []clientKey, fault string) {
	var list struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, "it is no JSON of the right form"
	}
	if len(list.Keys) > maxKeys {
		return nil, "it has more than 50 keys"
	}
	for _, text := range list.Keys {
		if isSecret(text) {
			return nil, "it has a key that is not public"
		}
		if key, ok := readKey(text); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, "it has no key for RS256 or ES256"
	}
	return keys, ""
}

// isSecret reports whether a key has members that no public key has (RFC 7518,
// section 6).
func isSecret(text []byte) bool {
	var members map[string]json.RawMessage
	json.Unmarshal(text, &members) // what has no members has no such one
	return slices.ContainsFunc([]string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"}, func(name string) bool {
		_, there := members[name]
		return there
	})
}

// readKey reads a public key, where it is one to verify with.
func readKey(text []byte) (k clientKey, ok bool) {
	var key jose.JSONWebKey
	if key.UnmarshalJSON(text) != nil || key.Use != "" && key.Use != "sig" {
		return k, false
	}
	k = clientKey{id: key.KeyID, public: key.Key}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		k.algorithm, ok = jose.RS256, public.N.BitLen() >= minModulus // and at most 4096, or it was not read
	case *ecdsa.PublicKey:
		k.algorithm, ok = jose.ES256, public.Curve == elliptic.P256()
	}
	return k, ok && (key.Algorithm == "" || key.Algorithm == string(k.algorithm))
}
