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

// Limits on fetching what clients publish. Anybody who opens the consent page
// or sends an assertion can choose the URL.
const (
	maxDocument = 64 << 10 // bytes
	maxCached   = 512      // documents of each kind: at most 32 MiB of metadata and 32 MiB of keys
	maxOfHost   = 4        // concurrent fetches from one host
	maxFetches  = 32       // concurrent fetches in total
	fetchWithin = 5 * time.Second

	leastKept  = 5 * time.Minute
	longestAge = 24 * time.Hour
	faultKept  = time.Minute
	renewAfter = time.Minute // age at which a document that no longer matches is fetched again
)

// fetcher fetches JSON from URLs chosen by strangers. It is safe for concurrent
// use.
type fetcher struct {
	http   *http.Client
	now    func() time.Time
	within time.Duration // timeout of one fetch

	mu      sync.Mutex
	running map[string]int // number of running fetches by host; entries are never zero
	all     int
}

// documents fetches what clients publish and caches it by URL, for as long as
// the headers allow, within limits. Logos are never fetched. It is safe for
// concurrent use.
type documents[T any] struct {
	*fetcher
	what    string                                        // their name, at the start of a sentence
	accept  string                                        // accepted media types
	read    func(address string, body []byte) (T, string) // parses a document, or returns its fault
	flights singleflight.Group

	caching sync.Mutex
	found   map[string]fetched[T]
}

// fetched is a cache entry: a document, or the error from fetching it.
type fetched[T any] struct {
	value     T
	err       error
	at, until time.Time
}

// newFetcher returns a fetcher that uses the client c. If c is nil, it uses a
// client that connects only to port 443 of public addresses.
func newFetcher(c *http.Client, now func() time.Time) *fetcher {
	if c == nil {
		c = &http.Client{Transport: publicTransport(publicDialer())}
	}
	own := *c
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &fetcher{http: &own, now: now, within: fetchWithin, running: map[string]int{}}
}

// cached returns the cache entry for a URL, and false if the entry is missing
// or has expired.
func (d *documents[T]) cached(address string) (f fetched[T], ok bool) {
	d.caching.Lock()
	defer d.caching.Unlock()
	f, ok = d.found[address]
	return f, ok && d.now().Before(f.until)
}

// of returns the document at a URL, whose syntax must have been checked. The
// document was fetched after the given time. If a new fetch fails, the cached
// document remains and counts as fetched. The caller's network limits the
// number of fetches. The error is errUnknownClient or the context's error.
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

// share returns the document at a URL, fetched after the given time. Concurrent
// callers share one fetch, which continues if one of them leaves.
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

// fetch fetches a document and caches it or the error. It does neither if too
// many fetches are running.
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

// cache adds a cache entry. A full cache evicts the entry that would expire
// first, failures before documents.
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

// get fetches a document and returns it with its cache lifetime. Errors are
// terse: the caller chose the URL, and must not learn what responds there.
func (d *documents[T]) get(
	ctx context.Context, address, host string,
) (none T, age time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return none, 0, unknownf("The id of the app is an address that cannot be used.")
	}
	request.Header.Set("Accept", d.accept)
	request.Header.Set("Accept-Encoding", "identity") // a compressed document could expand
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
	if err != nil || ctx.Err() != nil { // a closed connection can look like the end of the body
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

// answerFault checks the header of a response before its body is read. It
// returns the fault, or "" if there is none.
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

// maxAge returns how long a response may be cached according to its headers, or
// 0 if they do not specify it.
func maxAge(h http.Header) time.Duration {
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			// An overflow means the largest number (RFC 9111, section 1.2.2).
			if err == nil || errors.Is(err, strconv.ErrRange) {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}
