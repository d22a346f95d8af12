package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leadline/internal/coast"
	"leadline/store"
)

// StoreTimeout is the usual limit of the time that a request waits for a credential that is not
// cached, and for a quota lease or a share from a store that does not respond: see patientFor.
const StoreTimeout = 250 * time.Millisecond

// StoreRetry is the Retry-After, in seconds, of a request that failed because of the store.
const StoreRetry = 5

// errStore reports an unavailable store.
var errStore = errors.New("store unavailable")

// down returns the error for requests with a credential while the store is unavailable. It wraps
// errStore and its cause.
func down(cause error) error {
	e := coast.Errorf(coast.StoreUnavailable,
		"The store is unavailable, so requests with a credential fail at the moment. "+
			"/mcp and all data need no credential.")
	e.RetryAfterSeconds = StoreRetry
	return fmt.Errorf("%w (%w: %w)", e, errStore, cause)
}

// StoreFailure, deferred, turns the error of a call of the store into the error for callers. If the
// store is unavailable or did not respond in time, that is StoreUnavailable. If it has no row that
// the operation has read before, that is NotFound. Errors for callers and other errors remain.
func StoreFailure(err *error) {
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
		e.RetryAfterSeconds = StoreRetry
		*err = fmt.Errorf("%w (%w)", e, *err)
	}
}
