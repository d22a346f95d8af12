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

// Bounds of fetching what clients publish. Whoever opens the consent page, or
// sends an assertion, chooses what is fetched.
const (
	mostDocument = 64 << 10 // bytes
	mostKept     = 512      // descriptions, so at worst 32 MiB, and as many lists of keys
	mostOfHost   = 4        // fetches at a time from one host
	mostFetches  = 32       // fetches at a time
	fetchWithin  = 5 * time.Second

	leastKept  = 5 * time.Minute
	longestAge = 24 * time.Hour
	faultKept  = time.Minute
	renewAfter = time.Minute // where it does not fit any more
)

// fetcher fetches JSON from addresses that strangers have chosen.
type fetcher struct {
	http   *http.Client
	now    func() time.Time
	within time.Duration // for one fetch

	mu      sync.Mutex
	running map[string]int // fetches, by host; no zeros
	all     int
}

// documents are what clients publish, each at an address, and are kept as long
// as their headers say, within bounds. A logo is never fetched.
type documents[T any] struct {
	*fetcher
	what    string                                        // they are, to begin a sentence with
	accept  string                                        // media types
	read    func(address string, body []byte) (T, string) // or what is wrong
	flights singleflight.Group

	keeping sync.Mutex
	found   map[string]fetched[T]
}

// fetched is what came of a fetch: a document or why there is none.
type fetched[T any] struct {
	value     T
	err       error
	at, until time.Time
}

// newFetcher returns a fetcher that fetches with c. nil is a client that
// connects to public addresses alone, at port 443.
func newFetcher(c *http.Client, now func() time.Time) *fetcher {
	if c == nil {
		c = &http.Client{Transport: publicTransport(publicDialer())}
	}
	own := *c
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &fetcher{http: &own, now: now, within: fetchWithin, running: map[string]int{}}
}

// kept returns what is known of an address without fetching.
func (d *documents[T]) kept(address string) (f fetched[T], ok bool) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	f, ok = d.found[address]
	return f, ok && d.now().Before(f.until)
}

// of returns what is at an address, whose form was checked, as it was fetched
// after a time. Where a new fetch comes to nothing, what is kept stays so, and
// counts as fetched. The network of who asks may have addresses looked up now
// and then only. Errors are errUnknownClient or the context's.
func (d *documents[T]) of(ctx context.Context, fetches *session.Throttle, network, address string, after time.Time) (none T, err error) {
	if f, ok := d.kept(address); ok && f.at.After(after) {
		return f.value, f.err
	}
	if wait, ok := fetches.Take(network); !ok {
		return none, notNow("Too many apps were looked up from your network. Try again in %d seconds.", session.Seconds(wait))
	}
	return d.share(ctx, address, after)
}

// share returns what is at an address, fetched after a time. All who ask at
// the same time share one fetch, which none of them ends by going away.
func (d *documents[T]) share(ctx context.Context, address string, after time.Time) (none T, err error) {
	flight := d.flights.DoChan(address, func() (any, error) {
		if f, ok := d.kept(address); ok && f.at.After(after) {
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

// fetch fetches a document and keeps what came of it, unless too much is being
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
	} else if old, ok := d.kept(address); ok {
		f = fetched[T]{old.value, old.err, now, old.until}
	}
	d.keep(address, f)
	return value, err
}

func (f *fetcher) begin(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all >= mostFetches || f.running[host] >= mostOfHost {
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

// keep keeps what came of a fetch. Where there is no room, what would be
// forgotten first makes it: failures before documents.
func (d *documents[T]) keep(address string, f fetched[T]) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	if _, there := d.found[address]; !there && len(d.found) >= mostKept {
		first := address
		until := f.until.Add(longestAge)
		for other, kept := range d.found {
			if kept.until.Before(until) {
				first, until = other, kept.until
			}
		}
		delete(d.found, first)
	}
	d.found[address] = f
}

// get fetches a document, with how long it says that it holds. What went wrong
// on the way is told in few words: who asks chose the address, and is not to
// learn what answers there.
func (d *documents[T]) get(ctx context.Context, address, host string) (none T, age time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return none, 0, unknownf("The app goes by an address that cannot be used.")
	}
	request.Header.Set("Accept", d.accept)
	request.Header.Set("Accept-Encoding", "identity") // nothing is unpacked that could grow
	request.Header.Set("User-Agent", "Leadline")
	answer, err := d.http.Do(request)
	if errors.Is(err, errNotPublic) {
		return none, 0, unknownf("%s cannot be fetched: %s is not on the public internet.", d.what, host)
	}
	if err != nil {
		return none, 0, notNow("%s could not be fetched from %s. Try again in a minute.", d.what, host)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= http.StatusInternalServerError {
		return none, 0, notNow("%s could not be fetched from %s: the answer is %d. Try again in a minute.", d.what, host, answer.StatusCode)
	}
	if fault := answerFault(answer); fault != "" {
		return none, 0, unknownf("%s at %s cannot be used: %s.", d.what, host, fault)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostDocument+1))
	if err != nil || ctx.Err() != nil { // hanging up can look like an end
		return none, 0, notNow("%s could not be fetched from %s. Try again in a minute.", d.what, host)
	}
	value, fault := d.readBounded(address, body)
	if fault != "" {
		return none, 0, unknownf("%s at %s cannot be used: %s.", d.what, host, fault)
	}
	return value, maxAge(answer.Header), nil
}

func (d *documents[T]) readBounded(address string, body []byte) (none T, fault string) {
	if len(body) > mostDocument {
		return none, "it is longer than 64 KiB"
	}
	return d.read(address, body)
}

// answerFault says what is wrong with an answer before its body is read.
func answerFault(answer *http.Response) string {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	packed := answer.Header.Get("Content-Encoding")
	isJSON := kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
	switch {
	case answer.StatusCode/100 == 3:
		return "it is somewhere else"
	case answer.StatusCode != http.StatusOK:
		return fmt.Sprintf("the answer is %d", answer.StatusCode)
	case err != nil || !isJSON:
		return "it is not application/json"
	case packed != "" && !strings.EqualFold(packed, "identity"):
		return "it is compressed, which was not asked for"
	}
	return ""
}

// maxAge is for how long an answer says that it holds, 0 where it does not.
func maxAge(h http.Header) time.Duration {
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err == nil || errors.Is(err, strconv.ErrRange) { // then it is the most that there is: RFC 9111, section 1.2.2
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}
