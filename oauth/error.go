package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"leadline/internal/coast"
)

// oauthError is an error response of RFC 6749, section 5.2, or RFC 7591,
// section 3.2.2.
type oauthError struct {
	Status      int
	Code        string
	Description string // for the developer of the client
}

// Error returns the code with the description.
func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

// badRequest returns the error for a request that violates the protocol.
func badRequest(format string, args ...any) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

func invalidClient(description string) *oauthError {
	return &oauthError{http.StatusUnauthorized, "invalid_client", description}
}

// overloaded returns the error for a body that the server has no memory for, or
// nil for all other errors.
func overloaded(w http.ResponseWriter, err error) *oauthError {
	e, known := coast.AsError(err)
	if err == nil || !known || e.Code != coast.Overloaded {
		return nil
	}
	e.SetHeaders(w.Header())
	return &oauthError{e.Status(), "temporarily_unavailable", e.Message}
}

// values returns the error as an authorization response (RFC 6749, section
// 4.1.2.1).
func (e *oauthError) values() url.Values {
	return url.Values{"error": {e.Code}, "error_description": {asciiOnly(e.Description)}}
}

// maxDescription is the maximum number of characters in a description.
const maxDescription = 300

// writeOAuthError responds with an error as JSON.
func writeOAuthError(w http.ResponseWriter, e *oauthError) {
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="oauth", charset="UTF-8"`)
	}
	writeOAuth(w, e.Status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{e.Code, asciiOnly(coast.Redact(printable(e.Description, maxDescription)))})
}

// writeOAuth responds with JSON that must not be cached. body consists of
// strings, numbers and lists of them, or is already JSON.
func writeOAuth(w http.ResponseWriter, status int, body any) {
	text, _ := json.Marshal(body) // such a body can always be encoded as JSON
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

// asciiOnly replaces the characters that RFC 6749, section 5.2, does not allow
// in descriptions.
func asciiOnly(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '\\', r < ' ', r > '~':
			return '?'
		}
		return r
	}, text)
}

// printable returns text without characters that are invisible or change text
// direction. It replaces each run of white space with one space and truncates
// the result to most characters.
func printable(text string, most int) string {
	invisible := []*unicode.RangeTable{
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == unicode.ReplacementChar, unicode.In(r, invisible...):
			return -1
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), most)]))
}

// errUnknownClient is wrapped by the error for a client that does not exist,
// has expired, or has unusable metadata. The text is for a person.
var errUnknownClient = errors.New("unknown client")

// unknownClient is an errUnknownClient with its reason, a sentence.
type unknownClient struct {
	why       string
	temporary bool // a retry may soon succeed
}

// Error returns the reason.
func (u unknownClient) Error() string { return u.why }

// Unwrap returns errUnknownClient.
func (u unknownClient) Unwrap() error { return errUnknownClient }

func unknownf(format string, args ...any) error {
	return unknownClient{why: fmt.Sprintf(format, args...)}
}

// notNow is like unknownf, for temporary reasons.
func notNow(format string, args ...any) error {
	return unknownClient{fmt.Sprintf(format, args...), true}
}
