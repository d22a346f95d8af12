package logintest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/access/credential"
)

// The client credentials at the provider, and the person whom the provider
// describes.
const (
	ClientID     = "leadline at the provider"
	ClientSecret = "a secret: of/both?"
	AccessToken  = "an access token of the provider"
	Stranger     = "stranger@example.org"
)

// Provider is an OpenID provider at which every browser is already signed in.
// It follows the protocol and requires clients to do so, unless a test sets one
// of its functions. While the provider is in use, tests modify it with Change.
type Provider struct {
	*httptest.Server
	Key *ecdsa.PrivateKey

	mu          sync.Mutex
	codes       map[string]url.Values // authorization requests
	Discoveries int
	Exchanges   int  // requests to the token endpoint
	Gone        bool // every response has status 502

	Says      map[string]any       // claims of the ID token
	Elsewhere map[string]any       // claims of the UserInfo endpoint
	Describe  func(map[string]any) // changes the metadata
	Respond   func(url.Values)     // changes an authorization response
	Forge     func(map[string]any) // changes the claims of an ID token
	Sign      func(claims []byte) (jws string)
	Heard     func(url.Values) // receives forms and responses of the token endpoint
}

// NewProvider starts a provider.
func NewProvider(t *testing.T) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{
		Key: key, codes: map[string]url.Values{},
		Says:     map[string]any{"sub": "4711", "email": Stranger, "email_verified": true},
		Describe: func(map[string]any) {}, Respond: func(url.Values) {},
		Forge: func(map[string]any) {}, Heard: func(url.Values) {},
	}
	p.Sign = func(claims []byte) string { return SignES256(t, key, claims) }
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("/userinfo", p.userInfo)
	mux.HandleFunc("/keys", p.keys)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.Gone {
			http.Error(w, "", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// Change modifies the provider while it is in use.
func (p *Provider) Change(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// SignES256 signs claims as a JWT with the key id 1.
func SignES256(t testing.TB, key *ecdsa.PrivateKey, claims []byte) string {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"ES256","kid":"1","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encode(signature)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.Discoveries++
	about := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
		"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint":                              p.URL + "/userinfo",
		"response_types_supported":                       []string{"code"},
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"ES256", "HS256", "none"},
		"authorization_response_iss_parameter_supported": true,
	}
	p.Describe(about)
	json.NewEncoder(w).Encode(about)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point, err := p.Key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
		"kty": "EC", "crv": "P-256", "kid": "1", "alg": "ES256", "use": "sig",
		"x": encode(point[1:33]), "y": encode(point[33:]),
	}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != ClientID ||
		!strings.Contains(q.Get("scope"), "openid") || q.Get("code_challenge_method") != "S256" ||
		len(q.Get("state")) < 43 || len(q.Get("nonce")) < 43 {
		http.Error(w, "a bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := credential.NewSecret("")
	p.codes[code] = q
	response := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	p.Respond(response)
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+response.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.Exchanges++
	r.ParseForm()
	p.Heard(r.PostForm)
	id, secret, _ := r.BasicAuth()
	asked := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if id != url.QueryEscape(ClientID) || secret != url.QueryEscape(ClientSecret) || asked == nil ||
		asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") ||
		asked.Get("code_challenge") != challenge {
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{
			"error": "invalid_grant", "error_description": "of the form " + r.PostForm.Encode(),
		})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "nonce": asked.Get("nonce"),
		"iat": Start.Unix(), "exp": Start.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, p.Says)
	p.Forge(claims)
	text, _ := json.Marshal(claims)
	token := p.Sign(text)
	p.Heard(url.Values{"id_token": {token}, "access_token": {AccessToken}})
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"access_token": AccessToken, "token_type": "Bearer", "expires_in": 60, "id_token": token,
	})
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+AccessToken {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	json.NewEncoder(w).Encode(p.Elsewhere)
}
