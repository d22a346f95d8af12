package oauth

import (
	"encoding/json"
	"net/http"

	"github.com/go-jose/go-jose/v4"

	"leadline/internal/access/credential"
	"leadline/internal/edge"
	"leadline/internal/page"
)

// The paths of the metadata. All contain the path of the resource, and none is
// at the root of the host. Otherwise clients would require sign-in at the
// public endpoint too.
const (
	serverMetadata   = "/.well-known/oauth-authorization-server" + Path // RFC 8414, section 3.1
	openidMetadata   = "/.well-known/openid-configuration" + Path       // RFC 8414, section 5
	openidAppended   = Path + "/.well-known/openid-configuration"       // OpenID Connect Discovery
	resourceMetadata = "/.well-known/oauth-protected-resource" + Path   // RFC 9728, section 3.1
)

// Paths of the endpoints and pages.
const (
	authorizePath = "/oauth/authorize"
	consentPath   = "/oauth/consent"
	tokenPath     = "/oauth/token"
	registerPath  = "/oauth/register"
	revokePath    = "/oauth/revoke"
	keysPath      = "/oauth/jwks"
	appsPath      = page.AccountPath + "/apps"
)

// resourceDocument returns the metadata of the resource (RFC 9728, section 2).
func (s *site) resourceDocument() []byte {
	return mustJSON(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{s.resource, []string{s.issuer}, []string{credential.MCPUse}, []string{"header"}, "Leadline"})
}

// serverDocument returns the metadata of the authorization server (RFC 8414,
// section 2). The two OpenID members are for clients that read only OpenID
// metadata and require them; the server does not issue ID tokens.
func (s *site) serverDocument() []byte {
	methods := []string{methodNone, methodBasic, methodPost, methodKey} // Claude looks for "none"
	return mustJSON(struct {
		Issuer               string                    `json:"issuer"`
		Authorization        string                    `json:"authorization_endpoint"`
		Token                string                    `json:"token_endpoint"`
		Registration         string                    `json:"registration_endpoint"`
		Revocation           string                    `json:"revocation_endpoint"`
		JWKS                 string                    `json:"jwks_uri"`
		ResponseTypes        []string                  `json:"response_types_supported"`
		ResponseModes        []string                  `json:"response_modes_supported"`
		GrantTypes           []string                  `json:"grant_types_supported"`
		Challenges           []string                  `json:"code_challenge_methods_supported"`
		TokenMethods         []string                  `json:"token_endpoint_auth_methods_supported"`
		TokenAlgorithms      []jose.SignatureAlgorithm `json:"token_endpoint_auth_signing_alg_values_supported"`
		RevocationMethods    []string                  `json:"revocation_endpoint_auth_methods_supported"`
		RevocationAlgorithms []jose.SignatureAlgorithm `json:"revocation_endpoint_auth_signing_alg_values_supported"`
		Scopes               []string                  `json:"scopes_supported"`
		Iss                  bool                      `json:"authorization_response_iss_parameter_supported"`
		Described            bool                      `json:"client_id_metadata_document_supported"`
		SubjectTypes         []string                  `json:"subject_types_supported"`
		IDTokenAlgorithms    []string                  `json:"id_token_signing_alg_values_supported"`
	}{
		s.issuer, s.c.Base + authorizePath, s.c.Base + tokenPath, s.c.Base + registerPath,
		s.c.Base + revokePath, s.c.Base + keysPath,
		[]string{"code"}, []string{"query"}, []string{grantCode, grantRefresh}, []string{"S256"},
		methods, assertionAlgorithms, methods, assertionAlgorithms,
		scopesKnown, true, true, []string{"public"}, []string{"ES256"},
	})
}

func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and lists of strings can always be encoded
	}
	return text
}

// serveDocument serves a constant document.
func serveDocument(text []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { edge.WriteJSON(w, r, http.StatusOK, text) }
}
