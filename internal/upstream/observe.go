package upstream

import (
	"context"
	"errors"
	"time"
)

// The outcomes that Config.Observe receives. A call of Get has one of the first six; a request to
// the provider, of which a lookup may take several or none, has one of the last two. Peek is not
// observed.
const (
	lookupHit      = "hit"     // a fresh entry; the time is 0
	lookupStale    = "stale"   // a stale entry, perhaps after a failed fetch
	lookupFetched  = "fetched" // a new response
	lookupFailed   = "failed"  // the provider failed, or was too slow
	lookupRefused  = "refused" // no request: breaker, pause, limits, offline, shutdown
	lookupCanceled = "left"    // the caller canceled

	requestOK    = "ok"    // the provider sent data, or that there is none
	requestError = "error" // it failed, or its response was not usable
)

// lookupOutcome returns the outcome of a lookup that ended with an error.
func lookupOutcome(err error) string {
	f, ok := errors.AsType[*failure](err)
	switch {
	case ok && f.local:
		return lookupRefused
	case errors.Is(err, context.Canceled) && !ok:
		return lookupCanceled
	}
	return lookupFailed
}

// ignore is the default of Config.Observe.
func ignore(string, time.Duration) {}
