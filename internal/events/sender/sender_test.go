package sender

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"leadline/internal/events"
	"leadline/internal/events/signature"
)

// now is the time on the clock of senders in tests.
var now = time.Date(2026, 11, 27, 15, 2, 10, 0, time.UTC)

// anEvent is the id of the event in tests.
const anEvent = "msg_019a8f3c7b1e7c3a9d5e2f4061728394"

// loopback is the private network of senders in tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// brief are limits of attempts that are expected to reach them.
var brief = limits{dial: 5 * time.Second, handshake: 300 * time.Millisecond,
	total: 300 * time.Millisecond}

// ample are limits for attempts that are not about limits. A busy machine needs far less.
var ample = limits{dial: time.Minute, handshake: time.Minute, total: time.Minute}

// TestMain names proxies in the environment, which no test may reach. Package net/http reads the
// environment once.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if err := os.Setenv(name, "http://127.0.0.1:1"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// newSender returns a sender that trusts the certificate of package httptest.
func newSender(t *testing.T, c Config) *Sender {
	t.Helper()
	if c.Roots == nil {
		server := httptest.NewTLSServer(nil)
		c.Roots = pemOf(server.Certificate().Raw)
		server.Close()
	}
	c.Version, c.Now = "1.2.3", func() time.Time { return now }
	c.limits = cmp.Or(c.limits, ample)
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func pemOf(certificate []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
}

// request returns the first attempt of an event.
func request(url string) Request {
	return Request{
		Endpoint: "we_4fT9kQ2mZx7LbN", URL: url, Event: anEvent, Body: []byte(`{"type":"webhook.test"}`),
		Secrets: []signature.Secret{signature.NewSecret()}, Attempt: 1,
	}
}

// silent returns the log of servers whose clients disconnect.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// receive starts a receiver with a certificate that senders trust.
func receive(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = silent()
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

// raw writes text in place of a response, then resets or closes the connection.
func raw(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		if tcp, ok := conn.(*tls.Conn).NetConn().(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
			_ = tcp.Close()
		}
		conn.Close()
	}
}

// hang waits for the client to disconnect.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// endless writes a body until the client disconnects.
func endless(w http.ResponseWriter, _ *http.Request) {
	for {
		if _, err := w.Write(make([]byte, 32<<10)); err != nil {
			return
		}
	}
}

// upgrade switches to another protocol and waits for the client to speak it.
func upgrade(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
	_, _ = io.WriteString(conn, switching)
	_, _ = io.Copy(io.Discard, conn)
}

// long writes a header of 80 kB.
func long(w http.ResponseWriter, _ *http.Request) {
	for range 1000 {
		w.Header().Add("X", strings.Repeat("x", 80))
	}
}

// TestSend checks the outcomes of responses.
func TestSend(t *testing.T) {
	later := func(d time.Duration) time.Time { return now.Add(d) }
	cutBody := "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"
	inAMinute := now.Add(time.Minute).Format(http.TimeFormat)
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		outcome Outcome
		status  int
		word    string
		until   time.Time
	}{
		{"200", status(200), Delivered, 200, "", time.Time{}},
		{"204", status(204), Delivered, 204, "", time.Time{}},
		{"299", status(299), Delivered, 299, "", time.Time{}},
		{"300", status(300), Failed, 300, "redirect", time.Time{}},
		{"304", status(304), Failed, 304, "redirect", time.Time{}},
		{"400", status(400), Failed, 400, "status", time.Time{}},
		{"404 later", status(404, "Retry-After", "9"), Failed, 404, "status", time.Time{}},
		{"410", status(410), Gone, 410, "status", time.Time{}},
		{"429", status(429), Paused, 429, "status", time.Time{}},
		{"429 seconds", status(429, "Retry-After", "90"), Paused, 429, "status", later(90 * time.Second)},
		{"429 date", status(429, "Retry-After", inAMinute), Paused, 429, "status", later(time.Minute)},
		{"429 absurd", status(429, "Retry-After", "1e9"), Paused, 429, "status", time.Time{}},
		{"429 years", status(429, "Retry-After", "999999999"), Paused, 429, "status", later(maxPause)},
		{"500", status(500), Failed, 500, "status", time.Time{}},
		{"502", status(502), Paused, 502, "status", time.Time{}},
		{"503", status(503, "Retry-After", "1"), Paused, 503, "status", later(time.Second)},
		{"504", status(504), Paused, 504, "status", time.Time{}},
		{"599", status(599), Failed, 599, "status", time.Time{}},
		{"endless body", endless, Delivered, 200, "", time.Time{}},
		{"early hints", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
		}, Delivered, 200, "", time.Time{}},
		{"101", upgrade, Failed, 101, "status", time.Time{}},
		{"cut body", raw(cutBody, false), Delivered, 200, "", time.Time{}},
		{"no response", raw("", false), Failed, 0, "reset", time.Time{}},
		{"reset", raw("", true), Failed, 0, "reset", time.Time{}},
		{"cut header", raw("HTTP/1.1 200 OK\r\nDate: ", false), Failed, 0, "reset", time.Time{}},
		{"not HTTP", raw("SSH-2.0-OpenSSH_9.9\r\n", false), Failed, 0, "reset", time.Time{}},
		{"long header", long, Failed, 0, "too_large", time.Time{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSender(t, Config{Private: loopback})
			got := s.Send(t.Context(), request(receive(t, test.handler).URL))
			a := got.Attempt
			if got.Outcome != test.outcome || a.Status != test.status || a.Error != test.word ||
				!got.Until.Equal(test.until) {
				t.Errorf("%+v, want %+v", got, test)
			}
			if a.At != now || got.Took <= 0 || a.Millis != int(got.Took.Milliseconds()) || a.Reply != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestTimeouts checks receivers that do not finish in time.
func TestTimeouts(t *testing.T) {
	drip := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		for _, c := range "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1000) {
			time.Sleep(20 * time.Millisecond)
			if _, err := conn.Write([]byte(string(c))); err != nil {
				return
			}
		}
	}
	headed := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			next(w, r)
		}
	}
	dripBody := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			time.Sleep(20 * time.Millisecond)
			_, _ = w.Write([]byte("."))
			http.NewResponseController(w).Flush()
		}
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		total   time.Duration
		outcome Outcome
		status  int
		word    string
	}{
		{"hang before the header", hang, brief.total, Failed, 0, "timeout"},
		{"slow header", drip, brief.total, Failed, 0, "timeout"},
		{"hang in the body", headed(hang), 3 * time.Second, Delivered, 200, ""},
		{"slow body", headed(dripBody), 3 * time.Second, Delivered, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := serve(t, nil, test.handler)
				s.limits.total = test.total
				got := s.Send(t.Context(), request("http://127.0.0.1/"))
				a := got.Attempt
				if got.Outcome != test.outcome || a.Status != test.status || a.Error != test.word {
					t.Errorf("%+v, want %s %d %q", got, test.outcome, test.status, test.word)
				}
				time.Sleep(time.Second) // the receiver ends
			})
		})
	}
}

// TestDefaultLimits checks the limits of attempts: the resolver and the receivers never respond.
func TestDefaultLimits(t *testing.T) {
	// The first lookup makes a channel for the process, which may not belong to a bubble.
	_, _ = new(net.Resolver).LookupHost(t.Context(), "localhost")
	lookUp := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	connect := func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, there) }()
		return here, nil
	}
	for _, test := range []struct {
		url, word string
		connects  bool
		want      time.Duration
	}{
		{"https://hooks.example.com/", "dns", false, 5 * time.Second},
		{"https://127.0.0.1/", "timeout", true, 5 * time.Second},
		{"http://127.0.0.1/", "timeout", true, 15 * time.Second},
	} {
		t.Run(test.url, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSender(t, Config{
					Private: loopback, Roots: selfSigned(t, now).pem, limits: defaultLimits(),
					resolver: &net.Resolver{PreferGo: true, Dial: lookUp},
				})
				if test.connects {
					s.plain.DialContext, s.encrypted.DialContext = connect, connect
				}
				got := s.Send(t.Context(), request(test.url))
				if got.Attempt.Error != test.word || got.Took != test.want {
					t.Errorf("%+v, want %s after %s", got, test.word, test.want)
				}
				s.Close()
			})
		})
	}
}

// TestInterrupted checks that a canceled attempt does not count.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSender(t, Config{Private: loopback})
	server := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		hang(nil, r)
	})
	if got := s.Send(ctx, request(server.URL)); got.Outcome != Interrupted {
		t.Errorf("%+v, want interrupted", got)
	}
}

// TestNoConnection checks failures before there is a connection.
func TestNoConnection(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	hasty, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close()
	go func() {
		for conn, err := hasty.Accept(); err == nil; conn, err = hasty.Accept() {
			conn.Close()
		}
	}()
	names := resolver(t, func(string) []string { return nil })
	s := newSender(t, Config{Private: loopback, resolver: names})
	hurried := newSender(t, Config{Private: loopback, limits: brief})
	got := hurried.Send(t.Context(), request("https://"+silent.Addr().String()))
	if got.Outcome != Failed || got.Attempt.Error != "timeout" {
		t.Errorf("silence in the handshake: %+v, want timeout", got)
	}
	for _, test := range []struct{ name, url, want string }{
		{"closed port", closed.URL, "refused"},
		{"end in the handshake", "https://" + hasty.Addr().String(), "reset"},
		{"unknown name", "https://unknown.example.com/", "dns"},
		{"another network", "https://10.0.0.1/", "blocked_address"},
		{"not a URL", "https://a b/", "blocked_address"},
	} {
		got := s.Send(t.Context(), request(test.url))
		if got.Outcome != Failed || got.Attempt.Error != test.want || got.Attempt.Status != 0 {
			t.Errorf("%s: %+v, want %s", test.name, got, test.want)
		}
	}
}

// certified is a certificate with its key.
type certified struct {
	tls tls.Certificate
	pem []byte
}

// selfSigned returns a certificate for receiver.example.com that expires at a time.
func selfSigned(t *testing.T, expires time.Time) certified {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver.example.com"},
		DNSNames: []string{"receiver.example.com"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: expires,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return certified{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pemOf(der)}
}

// TestTLS checks which receivers are trusted.
func TestTLS(t *testing.T) {
	distant := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	valid, unknown := selfSigned(t, distant), selfSigned(t, distant)
	expired := selfSigned(t, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
	old := &tls.Config{Certificates: []tls.Certificate{valid.tls}, MaxVersion: tls.VersionTLS11,
		MinVersion: tls.VersionTLS10}
	mutual := &tls.Config{
		Certificates: []tls.Certificate{valid.tls}, ClientAuth: tls.RequireAnyClientCert,
	}
	with := func(c certified) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{c.tls}}
	}
	names := resolver(t, func(string) []string { return []string{"127.0.0.1"} })
	s := newSender(t, Config{
		Private: loopback, Roots: append(expired.pem, valid.pem...), resolver: names,
	})
	for _, test := range []struct {
		name, host, want string
		config           *tls.Config
	}{
		{"valid", "receiver.example.com", "", with(valid)},
		{"other name", "other.example.com", "tls", with(valid)},
		{"address", "127.0.0.1", "tls", with(valid)},
		{"expired", "receiver.example.com", "tls", with(expired)},
		{"self-signed", "receiver.example.com", "tls", with(unknown)},
		{"TLS 1.1", "receiver.example.com", "tls", old},
		{"client certificate", "receiver.example.com", "tls", mutual},
		{"no TLS", "receiver.example.com", "tls", nil},
	} {
		server := httptest.NewUnstartedServer(status(204))
		server.TLS, server.Config.ErrorLog = test.config, silent()
		if test.config != nil {
			server.StartTLS()
		} else {
			server.Start()
		}
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		got := s.Send(t.Context(), request("https://"+test.host+":"+port))
		if got.Attempt.Error != test.want {
			t.Errorf("%s: %+v, want %q", test.name, got, test.want)
		}
		server.Close()
	}
}

// TestRedirect checks that a redirect to this machine is not followed.
func TestRedirect(t *testing.T) {
	var followed atomic.Int64
	target := receive(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	_, port, _ := net.SplitHostPort(target.Listener.Addr().String())
	s := newSender(t, Config{Private: loopback})
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := receive(t, status(code, "Location", "https://localhost:"+port+"/"))
		got := s.Send(t.Context(), request(server.URL))
		if got.Outcome != Failed || got.Attempt.Status != code || got.Attempt.Error != "redirect" {
			t.Errorf("%d: %+v", code, got)
		}
	}
	if followed.Load() > 0 {
		t.Errorf("%d redirects were followed", followed.Load())
	}
}

// verify checks a signature as a receiver does, apart from the age of the event.
func verify(t *testing.T, s signature.Secret, body []byte, h http.Header) error {
	t.Helper()
	receiver, err := webhooks.NewWebhook(s.Text())
	if err != nil {
		t.Fatal(err)
	}
	return receiver.VerifyIgnoringTimestamp(body, h)
}

// TestHeaders checks a whole request, as the receiver sees it.
func TestHeaders(t *testing.T) {
	var got *http.Request
	var body []byte
	server := receive(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
	})
	names := resolver(t, func(string) []string { return []string{"127.0.0.1"} })
	s := newSender(t, Config{Private: loopback, resolver: names})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	r := request("https://example.com:" + port + "/hook?key=b%20c")
	r.Secrets = append(r.Secrets, signature.NewSecret())
	for attempt := range 2 {
		r.Attempt, r.Replay = attempt+1, attempt > 0
		if report := s.Send(t.Context(), r); report.Outcome != Delivered {
			t.Fatalf("%+v", report)
		}
		for _, secret := range r.Secrets {
			if err := verify(t, secret, body, got.Header); err != nil {
				t.Error(err)
			}
		}
	}
	want := http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"Leadline/1.2.3"},
		"Webhook-Id": {anEvent}, "Webhook-Timestamp": {"1795791730"}, // now
		"Webhook-Signature": {signature.Sign(anEvent, now, r.Body, r.Secrets...)},
		"Leadline-Attempt":  {"2"}, "Leadline-Replay": {"true"}, "Content-Length": {"23"},
	}
	for name := range want {
		if got.Header.Get(name) != want.Get(name) {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want.Get(name))
		}
		got.Header.Del(name)
	}
	if len(got.Header) > 0 || !bytes.Equal(body, r.Body) || got.Method != "POST" ||
		got.RequestURI != "/hook?key=b%20c" || got.Host != "example.com:"+port {
		t.Errorf("%s %s of %s with %q, other headers %v", got.Method, got.RequestURI, got.Host,
			body, got.Header)
	}
}

// TestHTTP2 checks HTTP/2: one connection for several requests, and the limits of responses.
func TestHTTP2(t *testing.T) {
	var connections atomic.Int64
	protocol := ""
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			protocol = r.Proto
			switch r.URL.Path {
			case "/long":
				long(w, r)
			case "/endless":
				endless(w, r)
			case "/reset":
				panic(http.ErrAbortHandler)
			case "/hang":
				hang(w, r)
			}
		}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = silent()
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	s := newSender(t, Config{Private: loopback})
	for _, test := range []struct{ path, want string }{
		{"/", ""}, {"/endless", ""}, {"/reset", "reset"}, {"/", ""}, {"/long", "too_large"}, {"/", ""},
	} {
		got := s.Send(t.Context(), request(server.URL+test.path))
		if got.Attempt.Error != test.want || protocol != "HTTP/2.0" {
			t.Errorf("%s over %s: %+v, want %q", test.path, protocol, got, test.want)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	s = newSender(t, Config{Private: loopback, limits: brief})
	if got := s.Send(t.Context(), request(server.URL+"/hang")); got.Attempt.Error != "timeout" {
		t.Errorf("/hang: %+v, want timeout", got)
	}
}

// TestClosedKeepAlive checks that an attempt succeeds if the receiver closes an idle connection
// just when it is used again.
func TestClosedKeepAlive(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var connections atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer conn.Close()
				buffer := make([]byte, 8<<10)
				_, _ = conn.Read(buffer)
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
				_, _ = conn.Read(buffer[:1]) // the second request
			}()
		}
	}()
	s := newSender(t, Config{Private: loopback})
	for i := range 4 {
		got := s.Send(t.Context(), request("http://"+l.Addr().String()))
		if got.Outcome != Delivered {
			t.Errorf("attempt %d: %+v", i, got)
		}
	}
	if n := connections.Load(); n != 4 {
		t.Errorf("%d connections, want 4", n)
	}
}

// TestRepeatedOnce checks that a request is sent twice at most, even if the receiver closes more
// idle connections when it has read a request.
func TestRepeatedOnce(t *testing.T) {
	const connections = 5
	var all sync.WaitGroup
	all.Add(connections)
	var closing atomic.Bool
	var requests atomic.Int64
	server := receive(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if !closing.Load() {
			all.Done()
			all.Wait() // so that each request needs a connection of its own
			w.WriteHeader(http.StatusNoContent)
			return
		}
		requests.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	})
	s := newSender(t, Config{Private: loopback})
	url := server.URL
	var sent sync.WaitGroup
	for range connections {
		sent.Go(func() {
			if got := s.Send(t.Context(), request(url)); got.Outcome != Delivered {
				t.Errorf("%+v, want delivered", got)
			}
		})
	}
	sent.Wait()
	closing.Store(true)
	got := s.Send(t.Context(), request(url))
	if got.Outcome != Failed || got.Attempt.Error != ResetError || requests.Load() != 2 {
		t.Errorf("%+v after %d requests, want reset after 2", got, requests.Load())
	}
}

// TestEarlyResponse checks receivers that respond before they read the body.
func TestEarlyResponse(t *testing.T) {
	for _, test := range []struct {
		text   string
		status int
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200},
		{"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 413},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = conn.Read(make([]byte, 1))
			_, _ = io.WriteString(conn, test.text)
			_, _ = io.Copy(io.Discard, conn)
		}()
		s := newSender(t, Config{Private: loopback})
		r := request("http://" + l.Addr().String())
		r.Body = make([]byte, events.MaxBody)
		if got := s.Send(t.Context(), r); got.Attempt.Status != test.status {
			t.Errorf("%+v, want %d", got, test.status)
		}
		s.Close()
		l.Close()
	}
}

// TestPanic checks that a panic becomes a failed attempt, and that the log has no part of the
// request that only the receiver may see.
func TestPanic(t *testing.T) {
	var out bytes.Buffer
	s := newSender(t, Config{Private: loopback, Log: slog.New(slog.NewTextHandler(&out, nil))})
	r := request("https://127.0.0.1/path?query")
	r.Secrets = []signature.Secret{signature.NewSecret(), {}} // the second one is not valid
	got := s.Send(t.Context(), r)
	if got.Outcome != Failed || got.Attempt.Error != InternalError || got.Attempt.At != now {
		t.Errorf("%+v, want internal", got)
	}
	text := out.String()
	for _, private := range []string{"path?", "query", r.Secrets[0].Text()[6:16]} {
		if strings.Contains(text, private) {
			t.Errorf("the log has %q: %s", private, text)
		}
	}
	if !strings.Contains(text, r.Endpoint) || !strings.Contains(text, "signature.go") {
		t.Errorf("the log does not locate the panic: %s", text)
	}
}

func TestNew(t *testing.T) {
	if _, err := New(Config{Roots: []byte("no certificate")}); err == nil {
		t.Error("a file without a certificate is accepted")
	}
	s, err := New(Config{Hosts: []string{"Leadline.Example.org."}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CheckURL("https://leadline.example.org/"); len(got) != 1 || got[0].Code != "self" {
		t.Errorf("own host: %v, want one issue", got)
	}
	if got := s.CheckURL("https://hooks.example.com/"); got != nil {
		t.Errorf("a valid URL: %v", got)
	}
}

// BenchmarkSend sends attempts of 900 bytes one after the other over one connection. The receiver
// runs in the same process.
func BenchmarkSend(b *testing.B) {
	server := httptest.NewServer(status(204))
	defer server.Close()
	s, err := New(Config{Private: loopback, Version: "1.2.3"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r := request(server.URL)
	r.Body = make([]byte, 900)
	b.ReportAllocs()
	for b.Loop() {
		if got := s.Send(b.Context(), r); got.Outcome != Delivered {
			b.Fatalf("%+v", got)
		}
	}
}
