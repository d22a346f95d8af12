package oauth

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/session"
	"leadline/store"
)

const (
	maxRegistration  = 16 << 10       // bytes
	maxRedirects     = 10             // redirect URIs per client
	maxRedirectBytes = 4 << 10        // total length of a client's redirect URIs
	maxClients       = 20_000         // maximum number of registered clients, in about 100 MB
	unusedFor        = 24 * time.Hour // age at which a client without a grant is removed
)

// How often clients may register from one network and from all networks
// together. Both are our choice. A network is an IPv4 /24 or an IPv6 /48, which
// usually has one owner. Until a new client can be evicted (store.ClientYouth),
// fewer clients can register than there is room for.
const (
	registerEvery, registerBurst       = time.Minute, 20
	registerAllEvery, registerAllBurst = 100 * time.Millisecond, 1_000
)

// registrationResponse is the response to a successful registration (RFC 7591,
// section 3.2.1).
type registrationResponse struct {
	ID            string   `json:"client_id"`
	Issued        int64    `json:"client_id_issued_at"`
	Secret        string   `json:"client_secret,omitempty"`
	SecretExpires *int     `json:"client_secret_expires_at,omitempty"` // 0: it does not expire
	RedirectURIs  []string `json:"redirect_uris"`
	Method        string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	Name          string   `json:"client_name"`
	URI           string   `json:"client_uri,omitempty"`
	Scope         string   `json:"scope"`
	Application   string   `json:"application_type,omitempty"`
}

// registrations is the registration endpoint.
type registrations struct {
	*site
	networks *session.Throttle // by network
	all      *session.Throttle // for all networks together
}

// register serves POST /oauth/register: a client sends its metadata and gets an
// id. The response has the metadata that this server uses. It may omit some of
// the submitted values, but never a redirect URI.
func (s *registrations) register(w http.ResponseWriter, r *http.Request) {
	from := session.Network(session.Address(r.Context()))
	if wait, ok := s.networks.Take(from); !ok {
		refuseRegistration(w, http.StatusTooManyRequests, wait,
			"too many clients were registered from this network")
		return
	}
	if wait, ok := s.all.Take(""); !ok {
		s.networks.Return(from)
		refuseRegistration(w, http.StatusServiceUnavailable, wait,
			"too many clients were registered")
		return
	}
	m, refused := readRegistration(w, r)
	if refused != nil {
		writeOAuthError(w, refused)
		return
	}
	made, secret := s.newClient(m)
	err := s.c.Store.AddClient(r.Context(), made, maxClients)
	if errors.Is(err, store.ErrTooMany) {
		refuseRegistration(w, http.StatusServiceUnavailable, roomAfter,
			"there is no room for one more client")
		return
	}
	if err != nil {
		s.failClient(w, r, fmt.Errorf("registering a client: %w", err))
		return
	}
	writeOAuth(w, http.StatusCreated, registrationOf(m, made, secret))
}

// roomAfter is the Retry-After for a client when there is no room for it. After
// that time some of the other clients can be evicted. It is our choice.
const roomAfter = time.Minute

// refuseRegistration responds to a client that may register again after a
// delay.
func refuseRegistration(
	w http.ResponseWriter, status int, wait time.Duration, why string,
) {
	w.Header().Set("Retry-After", strconv.Itoa(session.Seconds(wait)))
	writeOAuthError(w, &oauthError{status, "temporarily_unavailable", why})
}

// newClient returns a new client and, unless it is public, its secret, which is
// shown only once.
func (s *registrations) newClient(m clientMetadata) (c store.Client, secret string) {
	now := s.c.Now()
	c = store.Client{
		ID: rand.Text(), Method: m.Method, Name: cleanName(m.Name), RedirectURIs: m.RedirectURIs,
		Created: now, Expires: now.Add(unusedFor),
	}
	if c.Method == methodNone {
		return c, ""
	}
	secret = credential.NewSecret(secretPrefix)
	c.Secret = credential.HashSecret(secret)
	return c, secret
}

// registrationOf returns the response for a newly created client.
func registrationOf(m clientMetadata, c store.Client, secret string) registrationResponse {
	r := registrationResponse{
		ID: c.ID, Issued: c.Created.Unix(), Secret: secret,
		RedirectURIs: c.RedirectURIs, Method: c.Method,
		GrantTypes: clientGrants, ResponseTypes: clientResponses,
		Name: c.Name, URI: m.page(), Scope: m.scope(), Application: m.application(),
	}
	if secret != "" {
		r.SecretExpires = new(int)
	}
	return r
}

// readRegistration reads and checks the metadata of a client.
func readRegistration(
	w http.ResponseWriter, r *http.Request,
) (m clientMetadata, refused *oauthError) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return m, badMetadata(http.StatusUnsupportedMediaType,
			"a client registers with application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return m, badMetadata(http.StatusRequestEntityTooLarge, "the body is longer than 16 KiB")
	}
	if full := overloaded(w, err); full != nil {
		return m, full
	}
	if err != nil {
		return m, badMetadata(http.StatusBadRequest, "the body cannot be read")
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, badMetadata(http.StatusBadRequest, unreadable(err))
	}
	refused = m.check() // check also completes m
	return m, refused
}

// unreadable describes what is wrong with JSON that is not the metadata of a
// client.
func unreadable(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return wrong.Field + " must not be a " + wrong.Value
	}
	return "the body is not a JSON object"
}

// check returns an error for metadata that cannot be registered. If the
// metadata does not name an authentication method, check sets it to none: a
// secret shared by many installations is not secret. RFC 7591 would default to
// client_secret_basic. private_key_jwt is refused. The URL of a described
// client proves the origin of its keys, but nothing does so for a registered
// client, which can get a secret instead.
func (m *clientMetadata) check() *oauthError {
	if m.Method == "" {
		m.Method = methodNone
	}
	if !slices.Contains([]string{methodNone, methodBasic, methodPost}, m.Method) {
		return badMetadata(http.StatusBadRequest, "token_endpoint_auth_method is not none, "+
			"client_secret_basic or client_secret_post")
	}
	if fault := m.fault(); fault != "" {
		return badMetadata(http.StatusBadRequest, fault)
	}
	if n := len(m.RedirectURIs); n == 0 || n > maxRedirects {
		return badRedirect(fmt.Sprintf("%d redirect_uris: must be 1 to %d", n, maxRedirects))
	}
	if len(strings.Join(m.RedirectURIs, "")) > maxRedirectBytes {
		return badRedirect("redirect_uris are longer than 4 KiB together")
	}
	for _, uri := range m.RedirectURIs {
		if fault := redirectFault(uri); fault != "" {
			return badRedirect(fmt.Sprintf("%s: %s", printable(uri, maxName), fault))
		}
	}
	return nil
}

func badMetadata(status int, description string) *oauthError {
	return &oauthError{status, "invalid_client_metadata", description}
}

func badRedirect(description string) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_redirect_uri", description}
}
