package oauth

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/internal/login/logintest"
	"leadline/internal/session"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	paperID   = "https://app.example.com/client.json"
	paperBack = "https://app.example.com/back"
)

// papers is a host that serves client metadata to servers that are configured
// to reach it.
type papers struct {
	*clientDirectory
	now   time.Time
	asked atomic.Int64 // requests received
	serve http.HandlerFunc
}

func newPapers(t *testing.T) *papers {
	t.Helper()
	p := &papers{now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), serve: paper(paperID, "")}
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		p.serve(w, r)
	}))
	t.Cleanup(host.Close)
	clock := func() time.Time { return p.now }
	p.clientDirectory = &clientDirectory{
		now: clock, documents: newDescriptions(newFetcher(host.Client(), clock)),
		fetches: session.NewThrottle(time.Hour, 1_000_000, clock),
	}
	p.documents.within = time.Minute // a busy machine needs far less
	return p
}

// paper serves metadata with additional members, such as `,"a":1`.
func paper(id, more string, headers ...string) http.HandlerFunc {
	return paperText(fmt.Sprintf(`{"client_id":%q,"client_name":"An app","redirect_uris":[%q]%s}`, id,
		paperBack, more), headers...)
}

func paperText(text string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		io.WriteString(w, text)
	}
}

// ask looks up a client on behalf of one network.
func (p *papers) ask(t *testing.T, id string) (oauthClient, error) {
	t.Helper()
	return p.clientDirectory.get(t.Context(), "192.0.2.1", id)
}

// wantAsked checks the number of requests so far.
func (p *papers) wantAsked(t *testing.T, what string, want int64) {
	t.Helper()
	if got := p.asked.Load(); got != want {
		t.Errorf("%s: %d requests, want %d", what, got, want)
	}
}

func TestDescribedClient(t *testing.T) {
	p := newPapers(t)
	p.serve = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" ||
			r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the request has headers %v", r.Header)
		}
		paperText(`{"client_id":"`+paperID+`","client_name":" An\tapp\u202e ","client_uri":"https://app.example.com/","logo_uri":"https://app.example.com/logo.png",
			"redirect_uris":["`+paperBack+`","javascript:alert(1)","http://localhost/back"],"token_endpoint_auth_method":"none","grant_types":["authorization_code"],
			"response_types":["code"],"scope":"everything","x":{"y":[1]}}`, "Content-Type", "application/cimd+json; charset=utf-8")(w, r)
	}
	c, err := p.ask(t, paperID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c.ID, c.Name, c.Described, c.Method, c.host(), c.RedirectURIs),
		fmt.Sprint(paperID, "An app", true, "none", "app.example.com",
			[]string{paperBack, "http://localhost/back"}); got != want {
		t.Errorf("the client is %s, want %s", got, want)
	}
	p.wantAsked(t, "one client", 1) // the logo was not fetched
}

// TestCase49AddressesOfDescriptions checks that nothing is fetched from URLs
// that are not on the public internet or that have another spelling.
func TestCase49AddressesOfDescriptions(t *testing.T) {
	p := newPapers(t)
	for _, id := range []string{
		"http://app.example.com/client.json", "HTTPS://app.example.com/client.json",
		"ftp://app.example.com/x", "javascript:alert(1)", "file:///etc/passwd",
		"https:app.example.com/x",
		"https://app.example.com", "https://app.example.com/", "https://app.example.com/c?x=1",
		"https://app.example.com/c?", "https://app.example.com/c#a", "https://app.example.com/c#",
		"https://app.example.com:443/c", "https://app.example.com:8443/c", "https://app.example.com:22/c",
		"https://app.example.com:/c",
		"https://u:p@app.example.com/c", "https://u@app.example.com/c", "https://@app.example.com/c",
		"https://app.example.com/a/../c", "https://app.example.com/./c",
		"https://app.example.com/a/%2e%2e/c", "https://app.example.com/a%2f..%2fc",
		"https://app.example.com/a%5c..%5cc", "https://app.example.com/..",
		"https://localhost/c", "https://127.0.0.1/c", "https://127.1/c", "https://0/c",
		"https://0.0.0.0/c", "https://2130706433/c", "https://0x7f000001/c", "https://0x7f.0.0.1/c",
		"https://0177.0.0.1/c",
		"https://017700000001/c", "https://[::]/c", "https://[::1]/c", "https://[::ffff:127.0.0.1]/c",
		"https://[::ffff:7f00:1]/c", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/c",
		"https://8.8.8.8/c",
		"https://[fd00::1]/c", "https://[fe80::1%25eth0]/c", "https://①②⑦.⓪.⓪.①/c",
		"https://app.example.com./c", "https://app.example.com\\@localhost/c",
		"https://app.example.com/c\n", "https://app.example.com/é",
		"https://app.example.com/" + strings.Repeat("a", maxAddress),
	} {
		if _, err := p.ask(t, id); !errors.Is(err, errUnknownClient) {
			t.Errorf("client(%q) = %v, want errUnknownClient", id, err)
		}
	}
	p.wantAsked(t, "bad addresses", 0)
}

// paperStuck sends a text, then nothing until the client gives up.
func paperStuck(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if text != "" {
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}
}

// paperEndless sends an endless body.
func paperEndless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for block := bytes.Repeat([]byte(" "), 1<<16); r.Context().Err() == nil; {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// paperPacked serves a compressed body: valid metadata of the allowed length,
// followed by 10 MB of blanks.
func paperPacked() string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, `{"client_id":%q,"redirect_uris":[%q]}`, paperID, paperBack)
	z.Write(bytes.Repeat([]byte(" "), 10<<20))
	z.Close()
	return b.String()
}

// TestCase49AnswersThatAreNoDescription checks that the only accepted response
// is one short JSON document about the requested URL.
func TestCase49AnswersThatAreNoDescription(t *testing.T) {
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			paper(paperID, "")(w, r)
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		said  string
	}{
		"redirect to private": {redirect("https://127.0.0.1/client.json"), "redirects elsewhere"},
		"redirect to itself":  {redirect(paperID), "redirects elsewhere"},
		"redirect to good":    {redirect("https://other.example.com/client.json"), "redirects elsewhere"},
		"not found":           {status(404), "404"},
		"created":             {status(201), "201"},
		"error":               {status(500), "500"},
		"slow head":           {paperStuck(""), "could not be fetched"},
		"slow body":           {paperStuck(`{"client_id":`), "could not be fetched"},
		"endless":             {paperEndless, "longer than 64 KiB"},
		"64 KiB and one": {paperText(
			`{"client_id":"` + paperID + `","redirect_uris":["` + paperBack + `"]` + strings.Repeat(" ",
				64<<10) + "}"), "longer than 64 KiB"},
		"gzip bomb":             {paperText(paperPacked(), "Content-Encoding", "gzip"), "compressed"},
		"gzip that is not said": {paperText(paperPacked()), "not JSON"},
		"page": {paper(paperID, "", "Content-Type", "text/html"),
			"not application/json"},
		"text": {paper(paperID, "", "Content-Type", "text/plain"),
			"not application/json"},
		"javascript": {paper(paperID, "", "Content-Type", "application/javascript"),
			"not application/json"},
		"image": {paper(paperID, "", "Content-Type", "image/svg+json"),
			"not application/json"},
		"no type": {paper(paperID, "", "Content-Type", ""), "not application/json"},
		"garbage": {paperText("<html>"), "not JSON"},
		"empty":   {paperText(""), "not JSON"},
		"list":    {paperText("[]"), "not JSON"},
		"two":     {paperText(`{}{}`), "not JSON"},
		"null":    {paperText("null"), "client_id"},
		"wrong form": {paperText(`{"client_id":"` + paperID + `","redirect_uris":"x"}`),
			"not JSON"},
		"another id":            {paper("https://app.example.com/other.json", ""), "client_id"},
		"id in another case":    {paper(strings.ToUpper(paperID), ""), "client_id"},
		"id with port":          {paper("https://app.example.com:443/client.json", ""), "client_id"},
		"no id":                 {paperText(`{"redirect_uris":["` + paperBack + `"]}`), "client_id"},
		"a secret":              {paper(paperID, `,"client_secret":"s"`), "client_secret"},
		"a secret that expires": {paper(paperID, `,"client_secret_expires_at":0`), "client_secret"},
		"client_secret_basic": {paper(paperID, `,"token_endpoint_auth_method":"client_secret_basic"`),
			"token_endpoint_auth_method"},
		"client_secret_post": {paper(paperID, `,"token_endpoint_auth_method":"client_secret_post"`),
			"token_endpoint_auth_method"},
		"client_secret_jwt": {paper(paperID, `,"token_endpoint_auth_method":"client_secret_jwt"`),
			"token_endpoint_auth_method"},
		"client_secret and none": {paper(paperID,
			`,"token_endpoint_auth_method":"client_secret_basic","token_endpoint_auth_methods_supported":["none"]`), "token_endpoint_auth_method"},
		"other methods": {paper(paperID,
			`,"token_endpoint_auth_methods_supported":["tls_client_auth"]`), "token_endpoint_auth_method"},
		"no keys": {paper(paperID, `,"token_endpoint_auth_method":"private_key_jwt"`),
			"jwks"},
		"other grants": {paper(paperID, `,"grant_types":["client_credentials"]`),
			"grant_types"},
		"other responses":  {paper(paperID, `,"response_types":["token"]`), "response_types"},
		"no redirect URIs": {paperText(`{"client_id":"` + paperID + `"}`), "redirect_uris"},
		"redirect URIs all bad": {paperText(
			`{"client_id":"` + paperID + `","redirect_uris":["javascript:alert(1)","data:text/html,x","file:///x","http://example.com/"]}`), "redirect_uris"},
		"nested without an end": {paperText(strings.Repeat("[", 60_000)), "not JSON"},
		"connection broken off": {func(http.ResponseWriter,
			*http.Request) {
			panic(http.ErrAbortHandler)
		}, "could not be fetched"},
		"less than was promised": {paper(paperID, "", "Content-Length", "5000"), "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPapers(t)
			p.serve = c.serve
			slow := strings.HasPrefix(name, "slow")
			if slow {
				p.documents.within = 300 * time.Millisecond
			}
			_, err := p.ask(t, paperID)
			if !errors.Is(err, errUnknownClient) || !strings.Contains(err.Error(), c.said) {
				t.Errorf("client() = %v, want errUnknownClient that says %q", err, c.said)
			}
			if !slow { // on a slow machine the request may not have been sent
				p.wantAsked(t, "one fetch", 1)
			}
		})
	}
}

// TestCase49FetchesNoPrivateAddress dials private addresses with the client
// that fetches metadata.
func TestCase49FetchesNoPrivateAddress(t *testing.T) {
	now := func() time.Time { return logintest.Start }
	transport := newFetcher(nil, now).http.Transport.(*http.Transport)
	if transport.Proxy != nil {
		t.Error("a proxy would resolve names itself")
	}
	for _, address := range []string{
		"127.0.0.1", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
		"100.127.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
		"198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
		"255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8",
		"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "100::1", "2001::1",
		"2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff::1",
		"2001:db8::1", "2002:7f00:1::1", "2002:a00:1::", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1",
		"fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "ff0e::1", "4000::1",
	} {
		if publicAddress(netip.MustParseAddr(address)) {
			t.Errorf("publicAddress(%s) = true", address)
		}
		if netip.MustParseAddr(address).Is4In6() {
			address = netip.MustParseAddr(address).Unmap().String()
			if publicAddress(netip.MustParseAddr(address)) {
				continue // dialed as IPv4, which is public
			}
		}
		conn, err := transport.DialContext(t.Context(), "tcp", net.JoinHostPort(address, "443"))
		if err == nil {
			conn.Close()
		}
		if !errors.Is(err, errNotPublic) {
			t.Errorf("connecting to %s: %v, want errNotPublic", address, err)
		}
	}
	for _, address := range []string{"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1",
		"172.15.0.1", "172.32.0.1", "192.0.1.1", "192.167.1.1", "198.17.0.1", "198.20.0.1",
		"223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "2003::1"} {
		if !publicAddress(netip.MustParseAddr(address)) {
			t.Errorf("publicAddress(%s) = false", address)
		}
	}
}

// TestCase49OtherPorts checks that connections are made to port 443 only.
func TestCase49OtherPorts(t *testing.T) {
	control := publicDialer().Control
	for _, address := range []string{"8.8.8.8:80", "8.8.8.8:22", "8.8.8.8:8443",
		"[2606:4700::1111]:6443", "8.8.8.8", "x:443"} {
		if err := control("tcp", address, nil); !errors.Is(err, errNotPublic) {
			t.Errorf("connecting to %s: %v, want errNotPublic", address, err)
		}
	}
	if err := control("tcp", "8.8.8.8:443", nil); err != nil {
		t.Errorf("connecting to 8.8.8.8:443: %v", err)
	}
}

// zone resolves every name to IPv4 addresses: one set per query, then the last
// set again.
func zone(t *testing.T, answers ...[]string) *net.Resolver {
	var mu sync.Mutex
	next := func() []string {
		mu.Lock()
		defer mu.Unlock()
		now := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return now
	}
	return &net.Resolver{PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				defer there.Close()
				var length uint16
				for binary.Read(there, binary.BigEndian, &length) == nil {
					question := make([]byte, length)
					if _, err := io.ReadFull(there, question); err != nil {
						return
					}
					answer := zoneAnswer(t, question, next)
					there.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
				}
			}()
			return here, nil
		}}
}

func zoneAnswer(t *testing.T, question []byte, next func() []string) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		t.Error(err)
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		for _, a := range next() {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
			})
		}
	}
	text, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return text
}

// TestCase49NamesOfPrivateAddresses checks that a name that resolves to a
// private address is refused.
func TestCase49NamesOfPrivateAddresses(t *testing.T) {
	dialer := publicDialer()
	dialer.Resolver = zone(t, []string{"127.0.0.1", "10.0.0.1"})
	p := newPapers(t)
	p.documents = newDescriptions(newFetcher(&http.Client{Transport: publicTransport(dialer)},
		p.clientDirectory.now))
	_, err := p.ask(t, "https://inside.example.com/client.json")
	if !errors.Is(err, errUnknownClient) ||
		!strings.Contains(err.Error(), "not on the public internet") ||
		strings.Contains(err.Error(), "127") {
		t.Errorf("client() = %v, want one that is not on the public internet", err)
	}
}

// TestCase49Rebinding resolves a name first to a public address and then to a
// private one. The checked address is the one that is dialed: the name is not
// resolved again in between.
func TestCase49Rebinding(t *testing.T) {
	dialer := publicDialer()
	dialer.Resolver = zone(t, []string{"8.8.8.8"}, []string{"127.0.0.1"})
	judge, passed := dialer.Control, []string(nil)
	dialer.Control = func(network, address string, c syscall.RawConn) error {
		if err := judge(network, address, c); err != nil {
			return err
		}
		passed = append(passed, address)
		return io.EOF // public addresses are not dialed
	}
	if _, err := dialer.DialContext(t.Context(), "tcp", "turning.example.com.:443"); !errors.Is(err,
		io.EOF) || errors.Is(err, errNotPublic) {
		t.Errorf("at first: %v, want the public address to pass", err)
	}
	if _, err := dialer.DialContext(t.Context(), "tcp", "turning.example.com.:443"); !errors.Is(err,
		errNotPublic) {
		t.Errorf("then: %v, want errNotPublic", err)
	}
	if got, want := strings.Join(passed, " "), "8.8.8.8:443"; got != want {
		t.Errorf("allowed: %s, want %s", got, want)
	}
}

// TestCase50Cache checks that metadata is cached for as long as its headers
// allow, within limits.
func TestCase50Cache(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                                     5 * time.Minute,
		"no-store":                             5 * time.Minute,
		"max-age=0":                            5 * time.Minute,
		"max-age=60":                           5 * time.Minute,
		"max-age=-1":                           5 * time.Minute,
		"max-age=x":                            5 * time.Minute,
		"max-age=3600, no-cache":               time.Hour,
		"no-store, max-age=3600":               5 * time.Minute,
		"public, Max-Age=3600":                 time.Hour,
		`max-age="3600"`:                       time.Hour,
		"public,max-age=7200,s-maxage=1":       2 * time.Hour,
		"max-age=86400":                        24 * time.Hour,
		"max-age=31536000, immutable":          24 * time.Hour,
		"max-age=99999999999999999999999999":   24 * time.Hour,
		"stale-while-revalidate=1,max-age=600": 10 * time.Minute,
	} {
		t.Run(header, func(t *testing.T) {
			p := newPapers(t)
			p.serve = paper(paperID, "", "Cache-Control", header)
			for _, c := range []struct {
				pass time.Duration
				want int64
			}{{0, 1}, {want - time.Second, 1}, {time.Second, 2}} {
				p.now = p.now.Add(c.pass)
				if _, err := p.ask(t, paperID); err != nil {
					t.Fatal(err)
				}
				p.wantAsked(t, c.pass.String()+" later", c.want)
			}
		})
	}
}

// TestCase50NegativeCache checks that after an unusable response a host is not
// contacted again for a minute.
func TestCase50NegativeCache(t *testing.T) {
	p := newPapers(t)
	p.serve = paper("https://app.example.com/other.json", "", "Cache-Control", "max-age=3600")
	for range 3 {
		if _, err := p.ask(t, paperID); !errors.Is(err, errUnknownClient) {
			t.Errorf("client() = %v, want errUnknownClient", err)
		}
	}
	p.wantAsked(t, "at once", 1)
	p.now = p.now.Add(time.Minute)
	p.serve = paper(paperID, "")
	if _, err := p.ask(t, paperID); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	p.wantAsked(t, "a minute later", 2)
}

// TestCase50CacheIsBounded floods the cache and checks that failures are
// evicted before metadata.
func TestCase50CacheIsBounded(t *testing.T) {
	p := newPapers(t)
	d := p.documents
	d.cache(paperID, fetched[oauthClient]{oauthClient{ID: paperID}, nil, p.now, p.now.Add(leastKept)})
	for i := range 3 * maxCached {
		d.cache(fmt.Sprint(i),
			fetched[oauthClient]{oauthClient{}, errUnknownClient, p.now, p.now.Add(faultKept)})
	}
	if got := len(d.found); got != maxCached {
		t.Errorf("%d cache entries, want %d", got, maxCached)
	}
	if f, ok := d.cached(paperID); !ok || f.err != nil {
		t.Errorf("the metadata was evicted, want failures evicted first: %v, %v", f.err, ok)
	}
	if _, ok := d.cached(fmt.Sprint(3*maxCached - 1)); !ok {
		t.Error("the newest failure is not cached")
	}
}

// TestCase51RedirectURIIsWithdrawn removes a redirect URI from metadata.
func TestCase51RedirectURIIsWithdrawn(t *testing.T) {
	const gone = "https://app.example.com/gone"
	p := newPapers(t)
	serve := func(uris string) {
		p.serve = paperText(`{"client_id":"` + paperID + `","redirect_uris":[` + uris + `]}`)
	}
	allowed := func() string {
		t.Helper()
		c, err := p.ask(t, paperID)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(c.RedirectURIs, " ")
	}
	serve(`"` + paperBack + `","` + gone + `"`)
	if got, want := allowed(), paperBack+" "+gone; got != want {
		t.Errorf("redirect URIs are %s, want %s", got, want)
	}
	serve(`"` + paperBack + `"`)
	p.now = p.now.Add(leastKept)
	if got := allowed(); got != paperBack {
		t.Errorf("redirect URIs are %s after the change, want %s", got, paperBack)
	}
	serve("")
	p.now = p.now.Add(leastKept)
	if _, err := p.ask(t, paperID); !errors.Is(err, errUnknownClient) {
		t.Errorf("client() = %v without redirect URIs, want errUnknownClient", err)
	}
}

// TestFetchesAreShared looks up a client many times during one fetch. The
// caller that started the fetch leaves, and the others still get the result.
func TestFetchesAreShared(t *testing.T) {
	p := newPapers(t)
	good, begun, release := p.serve, make(chan struct{}), make(chan struct{})
	p.serve = func(w http.ResponseWriter, r *http.Request) {
		close(begun) // a second fetch would panic
		<-release
		good(w, r)
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := p.get(ctx, "192.0.2.1", paperID)
		left <- err
	}()
	<-begun
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v, want context.Canceled", err)
	}
	var others sync.WaitGroup
	for range 10 {
		others.Go(func() {
			if c, err := p.clientDirectory.get(t.Context(), "192.0.2.1", paperID); err != nil ||
				c.ID != paperID {
				t.Errorf("client() = %v, %v", c, err)
			}
		})
	}
	close(release)
	others.Wait()
	p.wantAsked(t, "eleven who ask", 1)
}

// TestFetchesOfOneHost checks that few fetches from one host run at a time,
// that fetches from other hosts do not wait, and that the counters return to
// zero.
func TestFetchesOfOneHost(t *testing.T) {
	p := newPapers(t)
	release, arrived := make(chan struct{}), make(chan struct{})
	p.serve = func(w http.ResponseWriter, r *http.Request) {
		id := "https://" + r.Host + r.URL.Path
		if strings.HasPrefix(r.URL.Path, "/slow") {
			arrived <- struct{}{}
			<-release
		}
		paper(id, "")(w, r)
	}
	var slow sync.WaitGroup
	for i := range maxOfHost {
		slow.Go(func() {
			if _, err := p.clientDirectory.get(t.Context(), "192.0.2.1",
				fmt.Sprintf("https://app.example.com/slow%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	for range maxOfHost {
		<-arrived
	}
	if _, err := p.ask(t, "https://APP.example.com/one-more"); !errors.Is(err, errUnknownClient) ||
		!strings.Contains(err.Error(), "Too much") {
		t.Errorf("one more: %v, want too much", err)
	}
	if _, err := p.ask(t, "https://other.example.com/client.json"); err != nil {
		t.Errorf("another host: %v", err)
	}
	close(release)
	slow.Wait()
	if _, err := p.ask(t, "https://app.example.com/one-more"); err != nil {
		t.Errorf("one more, later: %v", err)
	}
	if d := p.documents; d.all != 0 || len(d.running) != 0 {
		t.Errorf("%d fetches are counted, %v, want none", d.all, d.running)
	}
}

// TestFetchesAreFewAtATime checks the limit on concurrent fetches from all
// hosts together.
func TestFetchesAreFewAtATime(t *testing.T) {
	d := newPapers(t).documents
	for i := range maxFetches {
		if !d.begin(fmt.Sprint(i)) {
			t.Fatalf("fetch %d is refused", i)
		}
	}
	if d.begin("one more") {
		t.Error("one more is started")
	}
	d.end("0")
	if !d.begin("one more") {
		t.Error("one more is refused after another has ended")
	}
}

// TestFetchesOfOneNetwork checks the limit on fetches caused by one network.
// Lookups of cached metadata do not count.
func TestFetchesOfOneNetwork(t *testing.T) {
	p := newPapers(t)
	p.fetches = session.NewThrottle(10*time.Second, 2, p.clientDirectory.now)
	p.serve = func(w http.ResponseWriter,
		r *http.Request) {
		paper("https://"+r.Host+r.URL.Path, "")(w, r)
	}
	ask := func(network, id, said string) {
		t.Helper()
		_, err := p.clientDirectory.get(t.Context(), network, id)
		if said == "" && err != nil || said != "" &&
			(!errors.Is(err, errUnknownClient) || !strings.Contains(err.Error(), said)) {
			t.Errorf("client(%s, %s) = %v, want %q", network, id, err, said)
		}
	}
	ask("192.0.2.1", "https://app.example.com/1", "")
	ask("192.0.2.1", "https://app.example.com/2", "")
	ask("192.0.2.1", "https://app.example.com/3", "in 10 seconds")
	ask("192.0.2.1", "https://app.example.com/1", "")
	ask("192.0.2.2", "https://app.example.com/3", "")
	ask("192.0.2.1", "https://app.example.com/3", "")
	p.now = p.now.Add(10 * time.Second)
	ask("192.0.2.1", "https://app.example.com/4", "")
	p.wantAsked(t, "in all", 4)
}

func FuzzReadDescription(f *testing.F) {
	f.Add(`{"client_id":"` + paperID + `","client_name":"x","redirect_uris":["` + paperBack + `","javascript:alert(1)"]}`)
	f.Add(`{"client_id":"` + paperID + `","redirect_uris":["http://localhost/"],"client_uri":"javascript:alert(1)","grant_types":["authorization_code"]}`)
	f.Add(`{"client_id":"` + paperID + `","redirect_uris":["cursor://x"],"client_secret":null,"token_endpoint_auth_method":"none"}`)
	f.Add(`{"client_id":"` + paperID + `","redirect_uris":["cursor://x"],"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example.com/keys"}`)
	f.Add(`{"client_id":"` + paperID + `","redirect_uris":["cursor://x"],"token_endpoint_auth_methods_supported":["none","private_key_jwt"],"jwks":{"keys":[{"kty":"OKP"}]}}`)
	f.Fuzz(func(t *testing.T, body string) {
		c, fault := readDescription(paperID, []byte(body))
		if fault != "" {
			if !reflect.DeepEqual(c, oauthClient{}) {
				t.Errorf("%q is refused, for %s, with the client %+v", body, fault, c)
			}
			return
		}
		if c.ID != paperID || !c.Described || c.Method != methodNone &&
			(c.Method != methodKey || c.Signs.algorithms == nil) || c.Secret != [32]byte{} || c.Name == "" ||
			c.Name != cleanName(c.Name) || len(c.RedirectURIs) == 0 {
			t.Errorf("%q describes %+v", body, c)
		}
		for _, uri := range c.RedirectURIs {
			if !matches(uri, uri) {
				t.Errorf("%q has the redirect URI %q, which matches nothing", body, uri)
			}
		}
	})
}
