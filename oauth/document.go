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

	"leadline/internal/session"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
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

// newDocuments returns what clients say of themselves under the address that is
// their id (OAuth Client ID Metadata Documents).
func newDocuments(f *fetcher) *documents[client] {
	return &documents[client]{fetcher: f, what: "What the app says of itself", accept: "application/json", read: readDescription, found: map[string]fetched[client]{}}
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

// description is what is read of a client ID metadata document beside what
// clients that register say too.
type description struct {
	ID            string          `json:"client_id"`
	Secret        json.RawMessage `json:"client_secret"`
	SecretExpires json.RawMessage `json:"client_secret_expires_at"`
	Methods       []string        `json:"token_endpoint_auth_methods_supported"`
	Algorithm     string          `json:"token_endpoint_auth_signing_alg"`
	KeysAt        string          `json:"jwks_uri"`
	Keys          json.RawMessage `json:"jwks"`
	clientMetadata
}

// can reports whether the client can authenticate in a way. token_endpoint_auth_method
// is the one that it likes best, and the list has others that will do. Where
// neither stands it is public: what is published holds no secret.
func (d description) can(method string) bool {
	if d.Method == "" && d.Methods == nil {
		return method == methodNone
	}
	return d.Method == method || slices.Contains(d.Methods, method)
}

// method is how the client must authenticate at least, "" where it can in no
// way that there is here.
func (d description) method() string {
	for _, method := range []string{methodNone, methodKey} {
		if d.can(method) {
			return method
		}
	}
	return ""
}

// signs is what the client signs assertions with, where it does.
func (d description) signs() (s signer, fault string) {
	inline := len(d.Keys) > 0 && string(d.Keys) != "null"
	switch {
	case !d.can(methodKey):
		return s, ""
	case inline == (d.KeysAt != ""):
		return s, "it must have either jwks_uri or jwks, for it says private_key_jwt"
	case d.Algorithm != "" && !slices.Contains(assertionAlgorithms, jose.SignatureAlgorithm(d.Algorithm)):
		return s, "its token_endpoint_auth_signing_alg is not RS256 or ES256"
	}
	s = signer{at: d.KeysAt, algorithms: assertionAlgorithms}
	if d.Algorithm != "" {
		s.algorithms = []jose.SignatureAlgorithm{jose.SignatureAlgorithm(d.Algorithm)}
	}
	if inline {
		s.keys, fault = readKeys("", d.Keys)
		return s, prefixed("its jwks cannot be used: ", fault)
	}
	return s, prefixed("its jwks_uri cannot be used: ", describedFault(d.KeysAt))
}

func prefixed(prefix, fault string) string {
	if fault == "" {
		return ""
	}
	return prefix + fault
}

// symmetric are ways to authenticate with a secret that both sides have.
var symmetric = []string{methodBasic, methodPost, "client_secret_jwt"}

// readDescription reads a description. Redirect URIs that none of our answers
// may go to are left out: they may be good elsewhere.
func readDescription(id string, body []byte) (c client, fault string) {
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
	case text.method() == "", slices.Contains(symmetric, text.Method):
		return client{}, "its token_endpoint_auth_method is not none or private_key_jwt, the only ones that this server has for clients like it"
	case len(uris) == 0:
		return client{}, "it has no redirect_uris that an answer can be sent to"
	}
	if fault := text.fault(); fault != "" {
		return client{}, fault
	}
	signs, fault := text.signs()
	if fault != "" && text.method() == methodKey {
		return client{}, fault
	}
	if fault != "" {
		signs = signer{} // it need not sign, and cannot
	}
	return client{ID: id, Name: cleanName(text.Name), Described: true, RedirectURIs: uris, Method: text.method(), Signs: signs}, ""
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
