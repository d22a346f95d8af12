package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"
)

// Bounds of fetching descriptions. Whoever opens the consent page chooses what
// is fetched.
const (
	mostDescription = 64 << 10 // bytes
	mostKept        = 512      // descriptions, so at worst 32 MiB
	mostOfHost      = 4        // fetches at a time from one host
	mostFetches     = 32       // fetches at a time
	fetchWithin     = 5 * time.Second

	leastKept  = 5 * time.Minute
	longestAge = 24 * time.Hour
	faultKept  = time.Minute
)

// documents fetches what clients publish of themselves under the address that
// is their id (OAuth Client ID Metadata Documents), and keeps it as long as its
// headers say, within bounds. A logo is never fetched.
type documents struct {
	http    *http.Client
	now     func() time.Time
	within  time.Duration // for one fetch
	flights singleflight.Group

	mu      sync.Mutex
	found   map[string]described
	running map[string]int // fetches, by host; no zeros
	all     int
}

// described is what came of a fetch: a client or why there is none.
type described struct {
	client client
	err    error
	until  time.Time
}

// newDocuments returns documents that are fetched with c. nil is a client that
// connects to public addresses alone, at port 443.
func newDocuments(c *http.Client, now func() time.Time) *documents {
	if c == nil {
		c = &http.Client{Transport: publicTransport(publicDialer())}
	}
	own := *c
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &documents{http: &own, now: now, within: fetchWithin, found: map[string]described{}, running: map[string]int{}}
}

// describedFault says why an id is not the address of a description: "" where
// it is. It is an address that is written in one way alone, or one client
// would have many names.
func describedFault(id string) string {
	u, fault := readAddress(id)
	switch {
	case fault != "":
		return fault
	case u.Scheme != "https":
		return "it is not https"
	case !domainName(u.Host) || !strings.Contains(u.Host, "."):
		return "its host is no name on the internet, or it has a port"
	case strings.Contains(id, "?"):
		return "it has a query"
	case len(u.Path) < 2:
		return "it has no path"
	case dotted(u.Path):
		return "it has . or .. in its path"
	}
	return ""
}

// dotted reports whether a path, decoded, has segments that lead elsewhere.
func dotted(decoded string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(decoded, func(r rune) bool { return r == '/' || r == '\\' }),
		func(segment string) bool { return segment == "." || segment == ".." })
}

// kept returns what is known of an id without fetching.
func (d *documents) kept(id string) (f described, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok = d.found[id]
	return f, ok && d.now().Before(f.until)
}

// client returns the client that an address describes, whose form was checked.
// All who ask at the same time share one fetch, which none of them ends by
// going away.
func (d *documents) client(ctx context.Context, id string) (client, error) {
	flight := d.flights.DoChan(id, func() (any, error) {
		if f, ok := d.kept(id); ok {
			return f.client, f.err
		}
		return d.fetch(context.WithoutCancel(ctx), id)
	})
	select {
	case <-ctx.Done():
		return client{}, ctx.Err()
	case r := <-flight:
		c, _ := r.Val.(client)
		return c, r.Err
	}
}

// fetch fetches a description and keeps what came of it, unless too much is
// being fetched.
func (d *documents) fetch(ctx context.Context, id string) (client, error) {
	u, err := url.Parse(id)
	if err != nil {
		return client{}, err
	}
	host := strings.ToLower(u.Host)
	if !d.begin(host) {
		return client{}, unknownf("Too much is being looked up at %s. Try again in a moment.", host)
	}
	defer d.end(host)
	ctx, cancel := context.WithTimeout(ctx, d.within)
	defer cancel()
	c, age, err := d.get(ctx, id, host)
	f := described{c, err, d.now().Add(faultKept)}
	if err == nil {
		f.until = d.now().Add(min(max(age, leastKept), longestAge))
	}
	d.keep(id, f)
	return c, err
}

func (d *documents) begin(host string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all >= mostFetches || d.running[host] >= mostOfHost {
		return false
	}
	d.all++
	d.running[host]++
	return true
}

func (d *documents) end(host string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all--
	if d.running[host]--; d.running[host] == 0 {
		delete(d.running, host)
	}
}

// keep keeps what came of a fetch. Where there is no room, what would be
// forgotten first makes it: failures before descriptions.
func (d *documents) keep(id string, f described) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.found[id]; !there && len(d.found) >= mostKept {
		first := id
		until := f.until.Add(longestAge)
		for other, kept := range d.found {
			if kept.until.Before(until) {
				first, until = other, kept.until
			}
		}
		delete(d.found, first)
	}
	d.found[id] = f
}

// get fetches a description, with how long it says that it holds. What went
// wrong on the way is told in few words: who asks chose the address, and is
// not to learn what answers there.
func (d *documents) get(ctx context.Context, id, host string) (client, time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return client{}, 0, unknownf("The app goes by an address that cannot be used.")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity") // nothing is unpacked that could grow
	request.Header.Set("User-Agent", "Leadline")
	answer, err := d.http.Do(request)
	if errors.Is(err, errNotPublic) {
		return client{}, 0, unknownf("What the app says of itself cannot be fetched: %s is not on the public internet.", host)
	}
	if err != nil {
		return client{}, 0, unknownf("What the app says of itself could not be fetched from %s. Try again in a minute.", host)
	}
	defer answer.Body.Close()
	if fault := answerFault(answer); fault != "" {
		return client{}, 0, unknownf("What the app says of itself at %s cannot be used: %s.", host, fault)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostDescription+1))
	if err != nil || ctx.Err() != nil { // hanging up can look like an end
		return client{}, 0, unknownf("What the app says of itself could not be fetched from %s. Try again in a minute.", host)
	}
	c, fault := readDescription(id, body)
	if fault != "" {
		return client{}, 0, unknownf("What the app says of itself at %s cannot be used: %s.", host, fault)
	}
	return c, maxAge(answer.Header), nil
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

// description is what is read of a client ID metadata document beside what
// clients that register say too.
type description struct {
	ID            string          `json:"client_id"`
	Secret        json.RawMessage `json:"client_secret"`
	SecretExpires json.RawMessage `json:"client_secret_expires_at"`
	clientMetadata
}

// readDescription reads a description. Redirect URIs that none of our answers
// may go to are left out: they may be good elsewhere.
func readDescription(id string, body []byte) (c client, fault string) {
	if len(body) > mostDescription {
		return client{}, "it is longer than 64 KiB"
	}
	var text description
	if err := json.Unmarshal(body, &text); err != nil {
		return client{}, "it is no JSON of the right form"
	}
	uris := slices.DeleteFunc(text.RedirectURIs, func(uri string) bool { return redirectFault(uri) != "" })
	switch {
	case text.ID != id:
		return client{}, "its client_id is not its own address"
	case text.Secret != nil, text.SecretExpires != nil:
		return client{}, "it has a client_secret, which nothing public can keep"
	case text.Method != "" && text.Method != methodNone:
		return client{}, "its token_endpoint_auth_method is not none, the only one that this server has for clients like it"
	case len(uris) == 0:
		return client{}, "it has no redirect_uris that an answer can be sent to"
	}
	if fault := text.fault(); fault != "" {
		return client{}, fault
	}
	return client{ID: id, Name: cleanName(text.Name), URI: text.page(), Described: true, RedirectURIs: uris, Method: methodNone}, ""
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

// errNotPublic is within the error of a connection that is not made, because
// of its address.
var errNotPublic = errors.New("not a public address")

// publicDialer connects to port 443 of public addresses. It judges the address
// that the connection is about to be made to, after the name was resolved: a
// name that changes its address in between gains nothing.
func publicDialer() *net.Dialer {
	return &net.Dialer{
		Timeout: 3 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || to.Port() != 443 || !publicAddress(to.Addr()) {
				return fmt.Errorf("connecting to %s: %w", address, errNotPublic)
			}
			return nil
		},
	}
}

// publicTransport knows no proxy, which would resolve names itself, and keeps
// no connection.
func publicTransport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    3 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
}

// Networks that are not of the public internet, from IANA's special-purpose
// address registries of IPv4 (RFC 6890) and IPv6, multicast and what is
// reserved. What leads to IPv4 inside IPv6 is among it: it would lead around
// the rest of the table.
var (
	notPublic4 = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4")
	global6    = netip.MustParsePrefix("2000::/3") // all of IPv6 that is handed out
	notPublic6 = prefixes(
		"2001::/23",     // protocols: Teredo, benchmarking, ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20")     // documentation
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// publicAddress reports whether an address is of the public internet.
func publicAddress(a netip.Addr) bool {
	within := func(p netip.Prefix) bool { return p.Contains(a) }
	if a.Is4() {
		return !slices.ContainsFunc(notPublic4, within)
	}
	return a.Zone() == "" && global6.Contains(a) && !slices.ContainsFunc(notPublic6, within)
}
