package oauth

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/go-jose/go-jose/v4"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
)

// offline is the scope by which clients ask to stay connected. All do, so it
// is taken and changes nothing.
const offline = "offline_access"

// scopesKnown are what a client can ask for.
var scopesKnown = []string{access.MCPUse, offline}

// allowed are scopes as people are told of them: all clients stay connected,
// whether they have asked for it or not.
func allowed(granted []string) []string {
	if slices.Contains(granted, offline) {
		return granted
	}
	return append(slices.Clone(granted), offline)
}

// The places of the metadata. All have the resource's path in them, and none
// is at the root of the host, or clients would want people to sign in at the
// resource beside this one that is open to all.
const (
	serverMetadata   = "/.well-known/oauth-authorization-server" + Path // RFC 8414, section 3.1
	openidMetadata   = "/.well-known/openid-configuration" + Path       // as RFC 8414, section 5, has it
	openidAppended   = Path + "/.well-known/openid-configuration"       // as OpenID Connect Discovery has it
	resourceMetadata = "/.well-known/oauth-protected-resource" + Path   // RFC 9728, section 3.1
)

// Metadata is the address of the protected resource's metadata, which a
// challenge names.
func (s *Server) Metadata() string { return s.c.Base + resourceMetadata }

// resourceDocument tells what the resource is (RFC 9728, section 2).
func (s *Server) resourceDocument() []byte {
	return document(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{s.resource, []string{s.issuer}, []string{access.MCPUse}, []string{"header"}, "Leadline"})
}

// serverDocument tells what the authorization server can do (RFC 8414, section
// 2). The two members of OpenID stand in it for clients that read nothing else
// and insist on them; ID tokens there are none.
func (s *Server) serverDocument() []byte {
	methods := []string{methodNone, methodBasic, methodPost, methodKey} // Claude looks for none
	return document(struct {
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
		s.issuer, s.c.Base + authorizePath, s.c.Base + tokenPath, s.c.Base + registerPath, s.c.Base + revokePath, s.c.Base + keysPath,
		[]string{"code"}, []string{"query"}, []string{grantCode, grantRefresh}, []string{"S256"},
		methods, assertionAlgorithms, methods, assertionAlgorithms,
		scopesKnown, true, true, []string{"public"}, []string{"ES256"},
	})
}

func document(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of texts and lists of them
	}
	return text
}

// serveDocument serves what never changes.
func serveDocument(text []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { edge.WriteJSON(w, r, http.StatusOK, text) }
}

// serveKeys publishes the signing keys.
func (s *Server) serveKeys(w http.ResponseWriter, r *http.Request) {
	edge.WriteJSON(w, r, http.StatusOK, document(s.signing.public()))
}

// notPublished answers where metadata of another resource would be.
func notPublished(w http.ResponseWriter, r *http.Request) {
	if edge.Public(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	coast.WriteError(w, coast.Errorf(coast.NotFound, "nothing is published here: sign-in is for %s alone, and its metadata is at %s. /mcp needs no sign-in.", Path, resourceMetadata))
}
