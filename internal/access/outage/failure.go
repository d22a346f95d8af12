package outage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// Timeout is the usual limit of the time that a request waits for a credential that is not
// cached, and for a quota lease or a share from a store that does not respond: see
// Patience.
const Timeout = 250 * time.Millisecond

// Retry is the Retry-After, in seconds, of a request that failed because of the store.
const Retry = 5

// ErrDown reports an unavailable store.
var ErrDown = errors.New("store unavailable")

// Down returns the error for requests with a credential while the store is unavailable. It wraps
// ErrDown and its cause.
func Down(cause error) error {
	e := coast.Errorf(coast.StoreUnavailable,
		"The store is unavailable, so requests with a credential fail at the moment. "+
			"/mcp and all data need no credential.")
	e.RetryAfterSeconds = Retry
	return fmt.Errorf("%w (%w: %w)", e, ErrDown, cause)
}

// Failure, deferred, turns the error of a call of the store into the error for callers. If the
// store is unavailable or did not respond in time, that is StoreUnavailable. If it has no row that
// the operation has read before, that is NotFound. Errors for callers and other errors remain.
func Failure(err *error) {
	if _, known := coast.AsError(*err); known {
		return
	}
	switch {
	case errors.Is(*err, store.ErrNotFound):
		e := coast.Errorf(coast.NotFound, "It was removed by another request at the same time.")
		*err = fmt.Errorf("%w (%w)", e, *err)
	case errors.Is(*err, store.ErrUnavailable), errors.Is(*err, context.DeadlineExceeded):
		e := coast.Errorf(coast.StoreUnavailable,
			"The store is unavailable: send the request again later.")
		e.RetryAfterSeconds = Retry
		*err = fmt.Errorf("%w (%w)", e, *err)
	}
}
