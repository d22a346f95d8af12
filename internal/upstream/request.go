package upstream

import (
	"net/http"
	"time"
)

// Response is a provider response: a body of at most Config.MaxBody bytes with any status but 429
// and 5xx. Those are failures, as are web pages (text/html) and redirects to other hosts.
type Response struct {
	Status       int
	Type         string    // media type in lower case, without parameters; may be empty
	Body         []byte    // shared with the cache: read it only
	Date         time.Time // of the Date header, else of reception (UTC)
	LastModified time.Time // of the header; zero without one (UTC)
}

// Class holds the ages that decide how a cache entry is used.
type Class struct {
	Fresh    time.Duration // up to this age it is served without a request
	Expiry   time.Duration // up to this age it is served if the provider fails; at least Fresh
	Negative time.Duration // validity of "no data" (a coast.Error of the reader); 0: 5 minutes
}

// Request is a request to a provider.
type Request struct {
	URL    string // with the query; equal requests have equal URLs
	Accept string // requested media type; empty for any
	Class  Class
}

// Value is a parsed response.
type Value[T any] struct {
	Data       T         // shared by all callers: do not change it
	Date       time.Time // of the response, by the provider's clock (UTC)
	ReceivedAt time.Time // of the response, or of the last 304 Not Modified (UTC)
	Stale      bool      // older than Fresh: the refresh failed, or has not finished
}

// Reader parses a response. A *coast.Error is the statement of the provider that there is no such
// data: it is returned unchanged, and cached for Negative. Any other error, and
// coast.ProviderUnavailable, is an unknown format: a failure of the provider. A Reader is called
// from a goroutine of the client and must be deterministic: its result is cached with the
// response.
type Reader[T any] func(Response) (T, error)

// key identifies a request in the cache.
type key struct{ url, accept string }

func (r Request) key() key { return key{r.URL, r.Accept} }

func (c Class) expiry() time.Duration { return max(c.Expiry, c.Fresh) }

func (c Class) negative() time.Duration {
	if c.Negative == 0 {
		return defaultNegative
	}
	return c.Negative
}

// date returns the time of the Date header, or at if there is none.
func date(h http.Header, at time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t.UTC()
	}
	return at
}

// maxPause limits the pause that a provider may request: a wrong header must not stop requests
// for days.
const maxPause = time.Hour

// defaultNegative estimates how soon a failed gauge reports again (ours).
const defaultNegative = 5 * time.Minute
