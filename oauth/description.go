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

// newDescriptions returns the metadata that clients publish at the URL that is
// their id (OAuth Client ID Metadata Documents).
func newDescriptions(f *fetcher) *documents[oauthClient] {
	return &documents[oauthClient]{
		fetcher: f, what: "What the app says of itself", accept: "application/json",
		read: readDescription, found: map[string]fetched[oauthClient]{},
	}
}

// describedFault returns why an id cannot be the URL of a metadata document, or
// "" if it can. Each such URL must have exactly one spelling; otherwise a
// client would have many ids.
func describedFault(id string) string {
	u, fault := readAddress(id)
	switch {
	case fault != "":
		return fault
	case u.Scheme != "https":
		return "it is not https"
	case !domainName(u.Host) || !strings.Contains(u.Host, "."):
		return "its host is not a public host name, or it has a port"
	case strings.Contains(id, "?"):
		return "it has a query"
	case len(u.Path) < 2:
		return "it has no path"
	case dotted(u.Path):
		return "it has . or .. in its path"
	}
	return ""
}

// dotted reports whether a decoded path contains dot segments.
func dotted(decoded string) bool {
	slash := func(r rune) bool { return r == '/' || r == '\\' }
	return slices.ContainsFunc(strings.FieldsFunc(decoded, slash), func(segment string) bool {
		return segment == "." || segment == ".."
	})
}

// metadataDocument has the members of a client ID metadata document that this
// server reads.
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

// can reports whether the client can authenticate with a method.
// token_endpoint_auth_method is the preferred method, and the list may contain
// others. A client with neither is public, because published metadata cannot
// contain a secret.
func (d metadataDocument) can(method string) bool {
	if d.Method == "" && d.Methods == nil {
		return method == methodNone
	}
	return d.Method == method || slices.Contains(d.Methods, method)
}

// method returns the weakest method with which the client may authenticate, or
// "" if this server supports none of the client's methods.
func (d metadataDocument) method() string {
	for _, method := range []string{methodNone, methodKey} {
		if d.can(method) {
			return method
		}
	}
	return ""
}

// signs returns the keys with which the client signs assertions. The result is
// empty if the client does not sign.
func (d metadataDocument) signs() (s assertionKeys, fault string) {
	inline := len(d.Keys) > 0 && string(d.Keys) != "null"
	switch {
	case !d.can(methodKey):
		return s, ""
	case inline == (d.KeysAt != ""):
		return s, "it must have either jwks_uri or jwks, for it says private_key_jwt"
	case d.Algorithm != "" &&
		!slices.Contains(assertionAlgorithms, jose.SignatureAlgorithm(d.Algorithm)):
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

// symmetric lists the authentication methods that use a shared secret.
var symmetric = []string{methodBasic, methodPost, "client_secret_jwt"}

// readDescription parses a metadata document. Redirect URIs that this server
// does not accept are ignored, because other servers may accept them.
func readDescription(id string, body []byte) (c oauthClient, fault string) {
	var text metadataDocument
	if err := json.Unmarshal(body, &text); err != nil {
		return oauthClient{}, "it is not JSON of the right format"
	}
	uris := slices.DeleteFunc(text.RedirectURIs, func(uri string) bool {
		return redirectFault(uri) != ""
	})
	switch {
	case text.ID != id:
		return oauthClient{}, "its client_id is not its own address"
	case text.Secret != nil, text.SecretExpires != nil:
		return oauthClient{}, "it has a client_secret, which would be public"
	case text.method() == "", slices.Contains(symmetric, text.Method):
		return oauthClient{}, "its token_endpoint_auth_method is not none or private_key_jwt, " +
			"the only ones that this server has for clients like it"
	case len(uris) == 0:
		return oauthClient{}, "it has no redirect_uris that a response can be sent to"
	}
	if fault := text.fault(); fault != "" {
		return oauthClient{}, fault
	}
	signs, fault := text.signs()
	if fault != "" && text.method() == methodKey {
		return oauthClient{}, fault
	}
	if fault != "" {
		signs = assertionKeys{} // it cannot sign and does not have to
	}
	return oauthClient{
		ID: id, Name: cleanName(text.Name), Described: true, RedirectURIs: uris,
		Method: text.method(), Signs: signs,
	}, ""
}

const (
	maxKeys    = 50   // maximum per client
	minModulus = 2048 // bits: RFC 7518, section 3.3
)

// newKeys returns the key lists that clients publish outside their metadata.
func newKeys(f *fetcher) *documents[[]clientKey] {
	return &documents[[]clientKey]{
		fetcher: f, what: "The list of the app's keys",
		accept: "application/json, application/jwk-set+json",
		read:   readKeys, found: map[string]fetched[[]clientKey]{},
	}
}

// readKeys parses a list of keys (RFC 7517, section 5). Keys for other uses are
// ignored. A list that contains a secret key is refused, because anybody could
// have read it.
func readKeys(_ string, text []byte) (keys []clientKey, fault string) {
	var list struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, "it is not JSON of the right format"
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

// isSecret reports whether a key has members that public keys never have (RFC
// 7518, section 6).
func isSecret(text []byte) bool {
	var members map[string]json.RawMessage
	json.Unmarshal(text, &members) // only an object has members
	for _, name := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"} {
		if _, there := members[name]; there {
			return true
		}
	}
	return false
}

// readKey parses a public key. It returns false if the key cannot verify
// signatures.
func readKey(text []byte) (k clientKey, ok bool) {
	var key jose.JSONWebKey
	if key.UnmarshalJSON(text) != nil || key.Use != "" && key.Use != "sig" {
		return k, false
	}
	k = clientKey{id: key.KeyID, public: key.Key}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		// Parsing has already rejected moduli of more than 4096 bits.
		k.algorithm, ok = jose.RS256, public.N.BitLen() >= minModulus
	case *ecdsa.PublicKey:
		k.algorithm, ok = jose.ES256, public.Curve == elliptic.P256()
	}
	return k, ok && (key.Algorithm == "" || key.Algorithm == string(k.algorithm))
}
