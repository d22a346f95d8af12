package coast

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Code classifies errors. The list is closed within a version of the contract, because clients
// switch on it.
type Code string

// These are the error codes. status maps each to its HTTP status.
const (
	InvalidRequest       Code = "invalid_request"
	InvalidCredential    Code = "invalid_credential"
	CredentialRequired   Code = "credential_required"
	InsufficientScope    Code = "insufficient_scope"
	PlanRequired         Code = "plan_required"
	NotFound             Code = "not_found"
	StationNotFound      Code = "station_not_found"
	ProductUnavailable   Code = "product_unavailable"
	DatumUnavailable     Code = "datum_unavailable"
	RangeTooLong         Code = "range_too_long"
	RateLimited          Code = "rate_limited"
	QuotaExceeded        Code = "quota_exceeded"
	ProviderUnavailable  Code = "provider_unavailable"
	StoreUnavailable     Code = "store_unavailable"
	Overloaded           Code = "overloaded"
	MethodNotAllowed     Code = "method_not_allowed"
	PayloadTooLarge      Code = "payload_too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	Internal             Code = "internal"
)

var status = map[Code]int{
	InvalidRequest:       http.StatusBadRequest,
	InvalidCredential:    http.StatusUnauthorized,
	CredentialRequired:   http.StatusUnauthorized,
	InsufficientScope:    http.StatusForbidden,
	PlanRequired:         http.StatusForbidden,
	NotFound:             http.StatusNotFound,
	StationNotFound:      http.StatusNotFound,
	ProductUnavailable:   http.StatusNotFound,
	DatumUnavailable:     http.StatusBadRequest,
	RangeTooLong:         http.StatusBadRequest,
	RateLimited:          http.StatusTooManyRequests,
	QuotaExceeded:        http.StatusTooManyRequests,
	ProviderUnavailable:  http.StatusServiceUnavailable,
	StoreUnavailable:     http.StatusServiceUnavailable,
	Overloaded:           http.StatusServiceUnavailable,
	MethodNotAllowed:     http.StatusMethodNotAllowed,
	PayloadTooLarge:      http.StatusRequestEntityTooLarge,
	UnsupportedMediaType: http.StatusUnsupportedMediaType,
	Internal:             http.StatusInternalServerError,
}

// SchemaName returns the name of the codes in OpenAPI documents.
func (Code) SchemaName() string { return "ErrorCode" }

// Values returns all codes.
func (Code) Values() []string {
	return Strings(
		InvalidRequest, InvalidCredential, CredentialRequired, InsufficientScope, PlanRequired,
		NotFound, StationNotFound, ProductUnavailable, DatumUnavailable, RangeTooLong, RateLimited,
		QuotaExceeded, ProviderUnavailable, StoreUnavailable, Overloaded, MethodNotAllowed,
		PayloadTooLarge, UnsupportedMediaType, Internal,
	)
}

// Issue describes one fault in a request: its location, the rule, and how to fix it.
type Issue struct {
	Path    string `json:"path" doc:"A parameter's name, or a JSON pointer into the body."`
	Code    string `json:"code" doc:"Rule that the request breaks, such as required, type, enum, pattern or minimum. New rules may appear."`
	Message string `json:"message" doc:"What is wrong and how to correct it."`
}

// Error describes why there is no result, in words that a caller can act on.
type Error struct {
	Code              Code     `json:"code" doc:"What went wrong, for a program. The list is closed within a version of the contract."`
	Message           string   `json:"message" doc:"What went wrong and how to correct it, for a person."`
	Issues            []Issue  `json:"issues,omitempty" doc:"Every fault of the request; left out of errors that are not about its parameters or body."`
	RetryAfterSeconds int      `json:"retryAfterSeconds,omitempty" doc:"Seconds after which another attempt can succeed; left out if waiting does not help or the time is not known."`
	choices           []string // places among which a caller must choose
	hints             []Hint   // sentences that a front end adds to the message; see Explain
}

// SchemaName returns the name of errors in OpenAPI documents. Languages have an Error of their own.
func (Error) SchemaName() string { return "ErrorDetail" }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Choose returns e with the places that a shared name may mean, for pages that link to each.
func (e *Error) Choose(places []string) *Error {
	e.choices = places
	return e
}

// Choices returns the places that a shared name may mean; nil for other errors.
func (e *Error) Choices() []string { return e.choices }

// Status returns the HTTP status of the error's code.
func (e *Error) Status() int { return status[e.Code] }

// Transient reports whether the same request can succeed later: a provider or the server failed,
// not the request.
func (e *Error) Transient() bool {
	switch e.Code {
	case ProviderUnavailable, StoreUnavailable, Overloaded, RateLimited, Internal:
		return true
	}
	return false
}

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid returns an Error with code invalid_request that lists the issues, or nil
// if there are none.
func Invalid(issues []Issue) error {
	if len(issues) == 0 {
		return nil
	}
	messages := make([]string, len(issues))
	for i, issue := range issues {
		messages[i] = issue.Message
	}
	return &Error{Code: InvalidRequest, Message: strings.Join(messages, " "), Issues: issues}
}

// AsError returns the Error inside err. For another error it returns one with
// code Internal and a message without details; known is then false and the caller
// must log err.
func AsError(err error) (e *Error, known bool) {
	if errors.As(err, &e) {
		return e, true
	}
	return Errorf(Internal, "internal error; the response's X-Request-Id finds it in the log"), false
}

// SetHeaders sets the headers of a response with the error.
func (e *Error) SetHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	if e.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfterSeconds))
	}
	if e.Status() == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", "Bearer") // required with a 401: RFC 9110, section 11.6.1
	}
}

// WriteError responds to a request with err as JSON. Only WriteError maps codes to statuses.
// An error that is not an Error becomes internal, without its text. Messages quote client
// input, so secrets are redacted (see Redact).
func WriteError(w http.ResponseWriter, err error) {
	e, _ := AsError(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	e.SetHeaders(h)
	body, _ := json.Marshal(struct {
		Error *Error `json:"error"`
	}{e}) // only strings and ints: cannot fail
	w.WriteHeader(e.Status())
	io.WriteString(w, Redact(string(body))+"\n")
}
