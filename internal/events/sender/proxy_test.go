package sender

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// connectProxy is a proxy that connects to one receiver, for every host that it is asked for.
type connectProxy struct {
	receiver string
	status   int      // the refusal; 0: none
	asked    []string // requests, with their credentials
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{
		"Authorization": r.Header["Proxy-Authorization"],
	}}).BasicAuth()
	p.asked = append(p.asked, fmt.Sprintf("%s %s %s %s", r.Method, r.Host, user, password))
	if p.status != 0 {
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, "inside")
		return
	}
	there, err := net.Dial("tcp", p.receiver)
	if err != nil {
		panic(err)
	}
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		defer there.Close()
		_, _ = io.Copy(there, here)
	}()
	go func() {
		defer here.Close()
		_, _ = io.Copy(here, there)
	}()
}

// through returns a sender that uses a proxy with credentials. Names are not resolved here.
func through(t *testing.T, p *connectProxy, private ...netip.Prefix) *Sender {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	proxy, err := ParseProxy(strings.Replace(server.URL, "//", "//user:password@", 1))
	if err != nil {
		t.Fatal(err)
	}
	names := resolver(t, func(name string) []string {
		t.Errorf("%s is resolved here", name)
		return nil
	})
	return newSender(t, Config{Proxy: proxy, resolver: names, Private: private})
}

// TestProxy checks that requests go through the proxy, and that replies from outside of private
// networks are kept.
func TestProxy(t *testing.T) {
	server := receive(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no\x1b "+aKey, http.StatusTeapot)
	})
	p := &connectProxy{receiver: server.Listener.Addr().String()}
	s := through(t, p)
	got := s.Send(t.Context(), request("https://example.com/hook"))
	if got.Attempt.Status != 418 || got.Attempt.Reply != "no ldl_live_AbCdEfG… " {
		t.Errorf("%+v", got)
	}
	if asked := fmt.Sprint(p.asked); asked != "[CONNECT example.com:443 user password]" {
		t.Errorf("the proxy is asked for %s", asked)
	}
	for _, url := range []string{
		"https://127.0.0.1/", "https://1.1.1.1/", "https://[::1]/", "http://example.com/",
		"https://example.com:22/", "https://localhost/",
	} {
		if got := s.Send(t.Context(), request(url)); got.Attempt.Error != BlockedAddress {
			t.Errorf("%s: %+v, want blocked_address", url, got)
		}
	}
	if len(p.asked) != 1 {
		t.Errorf("the proxy is asked for %v, want one request", p.asked)
	}
}

// TestPrivateProxy checks that requests to private networks do not go through the proxy: it would
// get requests with http in plain text, and decides about addresses itself.
func TestPrivateProxy(t *testing.T) {
	p := &connectProxy{status: http.StatusAccepted}
	s := through(t, p, loopback...)
	for _, url := range []string{
		"http://127.0.0.1:9/", "https://127.0.0.1/", "http://example.com/", "http://example.com:443/",
	} {
		if got := s.Send(t.Context(), request(url)); got.Attempt.Error != BlockedAddress {
			t.Errorf("%s: %+v, want blocked_address", url, got)
		}
	}
	if len(p.asked) > 0 {
		t.Errorf("the proxy is asked for %v, want nothing", p.asked)
	}
}

// TestProxyFailures checks proxies that refuse, and a proxy that is down.
func TestProxyFailures(t *testing.T) {
	for status, want := range map[int]string{
		403: "blocked_address", 407: "blocked_address", 502: "refused", 504: "timeout",
	} {
		s := through(t, &connectProxy{status: status})
		got := s.Send(t.Context(), request("https://example.com/"))
		if got.Outcome != Failed || got.Attempt.Error != want || got.Attempt.Status != 0 {
			t.Errorf("%d: %+v, want %s", status, got, want)
		}
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	proxy, err := ParseProxy(closed.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := newSender(t, Config{Proxy: proxy})
	got := s.Send(t.Context(), request("https://example.com/"))
	if got.Attempt.Error != "refused" {
		t.Errorf("closed proxy: %+v, want refused", got)
	}
}

func TestParseProxy(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"http://proxy.example.org:3128", "http://proxy.example.org:3128"},
		{"https://127.0.0.1/", "https://127.0.0.1/"},
		{"http://user:password@proxy:3128", "http://…@proxy:3128"},
		{"http://token@proxy", "http://…@proxy"},
	} {
		p, err := ParseProxy(test.text)
		if got := p.String(); err != nil || got != test.want {
			t.Errorf("ParseProxy(%q) = %s, %v, want %s", test.text, got, err, test.want)
		}
		var out strings.Builder
		c := Config{Proxy: p}
		fmt.Fprintf(&out, "%v %+v %#v %s %q %v %+v", p, p, p, p, p, c, &c)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("proxy", "proxy", p, "config", c)
		slog.New(slog.NewTextHandler(&out, nil)).Info("proxy", "proxy", p, "config", c)
		if text := out.String(); strings.Contains(text, "password") || strings.Contains(text, "token") {
			t.Errorf("credentials are printed: %s", text)
		}
	}
	for _, text := range []string{
		"proxy:3128", "password", "socks5://user:password@proxy", "http://", "http://:3128",
		"http://user:password@proxy/path", "http://proxy?password", "http://user:pass word@proxy",
	} {
		if _, err := ParseProxy(text); err == nil || strings.Contains(err.Error(), "pass") {
			t.Errorf("ParseProxy(%q): %v, want an error without the text", text, err)
		}
	}
}
