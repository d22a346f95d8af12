package sender

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Outcome says what follows from an attempt.
type Outcome string

// The outcomes. After all but Delivered and Gone the delivery is attempted again.
const (
	Delivered   Outcome = "delivered"   // the receiver has the event
	Failed      Outcome = "failed"      // this delivery is due again by its schedule
	Paused      Outcome = "paused"      // failed, and the whole endpoint gets nothing for a time
	Gone        Outcome = "gone"        // failed, and the endpoint asks for no more events (410)
	Interrupted Outcome = "interrupted" // the caller's context was canceled: not an attempt
)

// Error words of attempts.
const (
	DNSError       = "dns"
	BlockedAddress = "blocked_address"
	RefusedError   = "refused"
	TimeoutError   = "timeout"
	TLSError       = "tls"
	ResetError     = "reset"
	RedirectError  = "redirect"
	TooLargeError  = "too_large"
	StatusError    = "status"
	InternalError  = "internal" // a defect or a shortage of this server
)

// ErrorWord is the error word of an attempt, for documents.
type ErrorWord string

// SchemaName returns the name of the error words in OpenAPI documents.
func (ErrorWord) SchemaName() string { return "AttemptError" }

// Values returns all error words.
func (ErrorWord) Values() []string {
	return []string{
		DNSError, BlockedAddress, RefusedError, TimeoutError, TLSError, ResetError, RedirectError,
		TooLargeError, StatusError, InternalError,
	}
}

// maxPause limits the pause that a receiver can ask for.
const maxPause = 24 * time.Hour

// outcomeOf returns what follows from a status, with the error word.
func outcomeOf(status int) (Outcome, string) {
	switch {
	case 200 <= status && status <= 299:
		return Delivered, ""
	case 300 <= status && status <= 399:
		return Failed, RedirectError
	case status == http.StatusGone:
		return Gone, StatusError
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return Paused, StatusError
	}
	return Failed, StatusError
}

// retryAfter returns the time in a Retry-After header (RFC 9110, section 10.2.3): seconds or a
// date, at most maxPause from now. The zero time means that the header names no later time.
func retryAfter(header string, now time.Time) time.Time {
	var until time.Time
	if header != "" && strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(maxPause/time.Second) {
			seconds = int64(maxPause / time.Second)
		}
		until = now.Add(time.Duration(seconds) * time.Second)
	} else if date, err := http.ParseTime(header); err == nil {
		until = date.UTC()
	}
	if !until.After(now) {
		return time.Time{}
	}
	if latest := now.Add(maxPause); until.After(latest) {
		return latest
	}
	return until
}

// wordOf returns the word for a failure without a response. A connection that ended, and bytes
// that are not HTTP, are a reset.
func wordOf(err error, c *connection) string {
	_, isBlocked := errors.AsType[*blockedError](err)
	_, isDNS := errors.AsType[*net.DNSError](err)
	proxy, isProxy := errors.AsType[*proxyError](err)
	switch {
	case isBlocked:
		return BlockedAddress
	case isDNS:
		return DNSError
	case isProxy:
		return proxy.word()
	case isTimeout(err):
		return TimeoutError
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return InternalError
	case isRefused(err):
		return RefusedError
	case isReset(err):
		return ResetError
	case c.badTLS.Load() || isAlert(err):
		return TLSError
	case isTooLarge(err):
		return TooLargeError
	}
	return ResetError
}

// word returns the word for a refusal. Smokescreen refuses addresses with 407.
func (e *proxyError) word() string {
	switch e.status {
	case http.StatusForbidden, http.StatusProxyAuthRequired:
		return BlockedAddress
	case http.StatusGatewayTimeout:
		return TimeoutError
	}
	return RefusedError
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, os.ErrDeadlineExceeded)
}

// isRefused reports whether no connection was made: the port is closed, or there is no route.
func isRefused(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isAlert reports whether one side ended TLS with an alert, which is possible after the
// handshake too.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "remote error" || op.Op == "local error")
}

// isTooLarge reports whether the header of the response was too long. Package net/http has
// no type for these two errors, of HTTP/1.1 and of HTTP/2.
func isTooLarge(err error) bool {
	text := err.Error()
	return strings.Contains(text, "response headers exceeded") ||
		strings.Contains(text, "header list larger")
}
