package upstream

import (
	"context"
	"errors"
	"time"
)

// What Config.Observe is told, and nothing else. A call of Get ends in one of
// the first six; a request to the provider, of which one answer may take
// several or none, in one of the last two. Peek is not told of.
const (
	lookupHit      = "hit"     // what is kept is fresh; it took no time worth measuring
	lookupStale    = "stale"   // what is kept is older, and was answered, perhaps after waiting in vain
	lookupFetched  = "fetched" // waited for the provider, which answered
	lookupFailed   = "failed"  // waited for the provider, which failed, or was too slow
	lookupRefused  = "refused" // the provider was not asked: breaker, pause, crowd, offline, shutting down
	lookupCanceled = "left"    // whoever asked went away

	requestOK    = "ok"    // the provider answered, be it that there is nothing
	requestError = "error" // it failed, or answered what is of no use
)

// missed is how a look-up without an answer ended.
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

// unobserved is Config.Observe where nobody wants to know.
func ignore(string, time.Duration) {}
