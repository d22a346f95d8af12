package access

import (
	"context"
	"errors"
	"fmt"

	"leadline/internal/coast"
	"leadline/store"
)

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
