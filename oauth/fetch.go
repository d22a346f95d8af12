package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"leadline/internal/session"
)

// Limits of fetching what clients publish. Anybody who opens the consent page or
// sends an assertion chooses the address.
const (
	maxDocument = 64 << 10 // bytes
	maxCached   = 512      // documents of each kind, so at most 32 MiB of metadata and of keys
	maxOfHost   = 4        // fetches from one host at a time
	maxFetches  = 32       // fetches at a time
	fetchWithin = 5 * time.Second

	leastKept  = 5 * time.Minute
	longestAge = 24 * time.Hour
	faultKept  = time.Minute
	renewAfter = time.Minute // if a cached document does not fit any more
)

// fetcher fetches JSON from addresses that strangers choose. It is safe for
// concurrent use.
type fetcher struct {
	http   *http.Client
	now    func() time.Time
	within time.Duration // for one fetch

	mu      sync.Mutex
	running map[string]int // fetches, by host; no zeros
	all     int
}

// documents fetches and caches what clients publish, by address, for as long as
// the headers say, within limits. Logos are never fetched. It is safe for
// concurrent use.
type documents[T any] struct {
	*fetcher
	what    string                                        // names them, at the start of a sentence
	accept  string                                        // media types
	read    func(address string, body []byte) (T, string) // or what is wrong
	flights singleflight.Group

	caching sync.Mutex
	found   map[string]fetched[T]
}

// fetched is a cache entry: a document, or the error of fetching it.
type fetched[T any] struct {
	value     T
	err       error
	at, until time.Time
}

// newFetcher returns a fetcher that fetches with c. nil is a client that connects
// only to public addresses, at port 443.
func newFetcher(c *http.Client, now func() time.Time) *fetcher {
	if c == nil {
		c = &http.Client{Transport: publicTransport(publicDialer())}
	}
	own := *c
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &fetcher{http: &own, now: now, within: fetchWithin, running: map[string]int{}}
}

// cached returns the cache entry of an address, and false if it has expired.
func (d *documents[T]) cached(address string) (f fetched[T], ok bool) {
	d.caching.Lock()
	defer d.caching.Unlock()
	f, ok = d.found[address]
	return f, ok && d.now().Before(f.until)
}

// of returns the document at an address, whose form was checked, as it was
// fetched after a time. If a new fetch fails, the cached document stays and
// counts as fetched. Fetches are limited by the caller's network. Errors are
// errUnknownClient or the context's.
func (d *documents[T]) of(
	ctx context.Context, fetches *session.Throttle, network, address string, after time.Time,
) (none T, err error) {
	if f, ok := d.cached(address); ok && f.at.After(after) {
		return f.value, f.err
	}
	if wait, ok := fetches.Take(network); !ok {
		return none, notNow(
			"Too many apps were looked up from your network. Try again in %d seconds.",
			session.Seconds(wait))
	}
	return d.share(ctx, address, after)
}

// share returns the document at an address, fetched after a time. Callers at the
// same time share one fetch, which does not end when one of them goes away.
func (d *documents[T]) share(
	ctx context.Context, address string, after time.Time,
) (none T, err error) {
	flight := d.flights.DoChan(address, func() (any, error) {
		if f, ok := d.cached(address); ok && f.at.After(after) {
			return f.value, f.err
		}
		return d.fetch(context.WithoutCancel(ctx), address)
	})
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case r := <-flight:
		value, _ := r.Val.(T)
		return value, r.Err
	}
}

// fetch fetches a document and caches it, or the error, unless too much is being
// fetched.
func (d *documents[T]) fetch(ctx context.Context, address string) (none T, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return none, err
	}
	host := strings.ToLower(u.Host)
	if !d.begin(host) {
		return none, notNow("Too much is being looked up at %s. Try again in a moment.", host)
	}
	defer d.end(host)
	ctx, cancel := context.WithTimeout(ctx, d.within)
	defer cancel()
	value, age, err := d.get(ctx, address, host)
	now := d.now()
	f := fetched[T]{value, err, now, now.Add(faultKept)}
	if err == nil {
		f.until = now.Add(min(max(age, leastKept), longestAge))
	} else if old, ok := d.cached(address); ok {
		f = fetched[T]{old.value, old.err, now, old.until}
	}
	d.cache(address, f)
	return value, err
}

func (f *fetcher) begin(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all >= maxFetches || f.running[host] >= maxOfHost {
		return false
	}
	f.all++
	f.running[host]++
	return true
}

func (f *fetcher) end(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all--
	if f.running[host]--; f.running[host] == 0 {
		delete(f.running, host)
	}
}

// cache adds a cache entry. A full cache drops the entry that would expire first:
// failures before documents.
func (d *documents[T]) cache(address string, f fetched[T]) {
	d.caching.Lock()
	defer d.caching.Unlock()
	if _, there := d.found[address]; !there && len(d.found) >= maxCached {
		first := address
		until := f.until.Add(longestAge)
		for other, entry := range d.found {
			if entry.until.Before(until) {
				first, until = other, entry.until
			}
		}
		delete(d.found, first)
	}
	d.found[address] = f
}

// get fetches a document and returns it with the time that it may be cached.
// Errors are terse: the caller chose the address, and must not learn what
// responds there.
func (d *documents[T]) get(
	ctx context.Context, address, host string,
) (none T, age time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return none, 0, unknownf("The id of the app is an address that cannot be used.")
	}
	request.Header.Set("Accept", d.accept)
	request.Header.Set("Accept-Encoding", "identity") // a compressed document could grow
	request.Header.Set("User-Agent", "Leadline")
	answer, err := d.http.Do(request)
	if errors.Is(err, errNotPublic) {
		return none, 0, unknownf("%s cannot be fetched: %s is not on the public internet.", d.what, host)
	}
	if err != nil {
		return none, 0, notNow("%s could not be fetched from %s. Try again in a minute.", d.what, host)
	}
	defer answer.Body.Close()
	status := answer.StatusCode
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return none, 0, notNow(
			"%s could not be fetched from %s: the status is %d. Try again in a minute.",
			d.what, host, status)
	}
	if fault := answerFault(answer); fault != "" {
		return none, 0, unknownf("%s at %s cannot be used: %s.", d.what, host, fault)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument+1))
	if err != nil || ctx.Err() != nil { // a closed connection can look like the end
		return none, 0, notNow("%s could not be fetched from %s. Try again in a minute.", d.what, host)
	}
	value, fault := d.readBounded(address, body)
	if fault != "" {
		return none, 0, unknownf("%s at %s cannot be used: %s.", d.what, host, fault)
	}
	return value, maxAge(answer.Header), nil
}

func (d *documents[T]) readBounded(address string, body []byte) (none T, fault string) {
	if len(body) > maxDocument {
		return none, "it is longer than 64 KiB"
	}
	return d.read(address, body)
}

// answerFault returns what is wrong with a response before its body is read, ""
// if nothing is.
func answerFault(answer *http.Response) string {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	packed := answer.Header.Get("Content-Encoding")
	isJSON := kind == "application/json" ||
		strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
	switch {
	case answer.StatusCode/100 == 3:
		return "it redirects elsewhere"
	case answer.StatusCode != http.StatusOK:
		return fmt.Sprintf("the status is %d", answer.StatusCode)
	case err != nil || !isJSON:
		return "it is not application/json"
	case packed != "" && !strings.EqualFold(packed, "identity"):
		return "it is compressed, which was not asked for"
	}
	return ""
}

// maxAge returns how long a response may be cached by its headers, 0 if they do
// not say.
func maxAge(h http.Header) time.Duration {
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			// Out of range it is the largest number: RFC 9111, section 1.2.2.
			if err == nil || errors.Is(err, strconv.ErrRange) {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}
