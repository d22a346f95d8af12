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
	toldHit     = "hit"     // what is kept is fresh; it took no time worth measuring
	toldStale   = "stale"   // what is kept is older, and was answered, perhaps after waiting in vain
	toldFetched = "fetched" // waited for the provider, which answered
	toldFailed  = "failed"  // waited for the provider, which failed, or was too slow
	toldRefused = "refused" // the provider was not asked: breaker, pause, crowd, offline, shutting down
	toldLeft    = "left"    // whoever asked went away

	toldOK    = "ok"    // the provider answered, be it that there is nothing
	toldError = "error" // it failed, or answered what is of no use
)

// missed is how a look-up without an answer ended.
func missed(err error) string {
	f, ok := errors.AsType[*failure](err)
	switch {
	case ok && f.ours:
		return toldRefused
	case errors.Is(err, context.Canceled) && !ok:
		return toldLeft
	}
	return toldFailed
}

// unobserved is Config.Observe where nobody wants to know.
func unobserved(string, time.Duration) {}
