package upstream

import (
	"net/http"
	"time"
)

// Response is what a provider answered: a body of at most Config.MaxBody
// bytes, with any status but 429 and 5xx, which are failures, as are web pages
// (text/html) and redirects elsewhere.
type Response struct {
	Status       int
	Type         string    // media type in lower case, without parameters; empty where none was given
	Body         []byte    // shared with the cache: read it only
	Date         time.Time // of the Date header; when it was obtained where there is none (UTC)
	LastModified time.Time // zero where the provider does not say (UTC)
}

// Class is how long an answer keeps.
type Class struct {
	Fresh    time.Duration // younger than this it is answered without asking; older it is refreshed
	Expiry   time.Duration // while the provider fails it is answered up to this age; at least Fresh
	Negative time.Duration // how long an answer that there is nothing keeps (a coast.Error of the reader); 5 minutes where 0
}

// Request is one question to a provider.
type Request struct {
	URL    string // whole; equal questions have equal addresses
	Accept string // media type to ask for; empty for any
	Class  Class
}

// Value is what was read from an answer.
type Value[T any] struct {
	Data       T         // shared by all who asked: do not change it
	Date       time.Time // what the provider's clock said when it answered (UTC)
	ReceivedAt time.Time // when it was obtained, or last found unchanged (UTC)
	Stale      bool      // older than its class's Fresh: the refresh failed, or has not come back
}

// Reader makes a value of a response. A *coast.Error is the provider's word
// that there is no such thing: it is answered as it stands, and kept for the
// class's Negative. Any other error, and a coast.ProviderUnavailable, means a
// form that is not known: a failure of the provider. A reader is called from a
// goroutine of the client's, and must do the same with the same response: what
// it makes of one is kept for as long as the response.
type Reader[T any] func(Response) (T, error)

// key is what makes two questions equal.
type key struct{ url, accept string }

func (r Request) key() key { return key{r.URL, r.Accept} }

func (c Class) expiry() time.Duration { return max(c.Expiry, c.Fresh) }

func (c Class) negative() time.Duration {
	if c.Negative == 0 {
		return defaultNegative
	}
	return c.Negative
}

// date returns the time of the Date header, at if there is none.
func date(h http.Header, at time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t.UTC()
	}
	return at
}

// longestPause is how long a provider may ask to be left alone: a header
// gone wrong must not silence it for days.
const maxPause = time.Hour

// usualNegative is a guess at how fast a gauge comes back.
const defaultNegative = 5 * time.Minute
