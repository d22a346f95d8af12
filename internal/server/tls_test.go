package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"leadline/internal/config"
	"leadline/internal/edge"
	"leadline/internal/trials"
)

// newCertificate returns a self-signed certificate of a domain and its key, as PEM.
func newCertificate(t *testing.T, serial int64, domain string, end time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: domain}, DNSNames: []string{domain},
		NotBefore: ended.Add(-time.Hour), NotAfter: end,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return cert, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
}

// pairFiles names the files of a certificate and its key.
type pairFiles struct{ cert, key string }

func (f pairFiles) write(t *testing.T, cert, key []byte) {
	t.Helper()
	for name, data := range map[string][]byte{f.cert: cert, f.key: key} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// newPair writes a certificate with a serial number.
func newPair(t *testing.T, serial int64) pairFiles {
	t.Helper()
	folder := t.TempDir()
	f := pairFiles{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	cert, key := newCertificate(t, serial, domain, valid)
	f.write(t, cert, key)
	return f
}

const domain = "tides.example.org"

// The ends of certificates: package crypto/tls compares them with the clock of the machine.
var (
	ended = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	valid = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// onLoopback listens on a port of this machine.
func onLoopback(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// limitedTo limits the connections of a listener.
func limitedTo(l net.Listener, most int) *edge.Listener {
	return edge.NewListener(l, edge.ListenerConfig{Most: most, PerAddress: most})
}

// serveTLS serves the HTTP version of each request on the listener, within the same layers as
// the server, with at most most connections. It returns the address.
func serveTLS(t *testing.T, listener net.Listener, config *tls.Config, most int) (address string) {
	t.Helper()
	server := &http.Server{
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.Proto)
		}),
	}
	limited := limitedTo(listener, most)
	server.ConnState = limited.State
	go server.Serve(withTLS(limited, config))
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String()
}

// askTLS opens a new connection and returns its HTTP version and the serial number of its
// certificate.
func askTLS(
	t *testing.T, address string, config *tls.Config,
) (proto string, serial int64, err error) {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: config.NextProtos == nil, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get("https://" + domain)
	if err != nil {
		return "", 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), res.TLS.PeerCertificates[0].SerialNumber.Int64(), err
}

// stranger returns a configuration that accepts any certificate.
func stranger() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// TestTLSFiles checks that a new certificate is served while a connection is open.
func TestTLSFiles(t *testing.T) {
	files := newPair(t, 1)
	config, reload, err := newTLS(files.cert, files.key, "", "")
	if err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, onLoopback(t), config, 100)
	expect := func(step string, want int64) {
		t.Helper()
		proto, serial, err := askTLS(t, address, stranger())
		if err != nil || serial != want || proto != "HTTP/2.0" {
			t.Errorf("%s: %s with certificate %d, %v, want HTTP/2.0 with %d",
				step, proto, serial, err, want)
		}
	}
	expect("first", 1)
	open, err := tls.Dial("tcp", address, stranger())
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()

	cert, key := newCertificate(t, 2, domain, valid)
	files.write(t, cert, key)
	expect("not reloaded", 1)
	if err := reload(); err != nil {
		t.Errorf("reload() = %v", err)
	}
	expect("reloaded", 2)
	fmt.Fprintf(open, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", domain)
	if got, err := io.ReadAll(open); err != nil || !strings.Contains(string(got), "HTTP/1.1 200 OK") {
		t.Errorf("the open connection returned %v %s", err, got)
	}

	old, itsKey := newCertificate(t, 3, domain, ended)
	for name, broken := range map[string][2][]byte{
		"key of another": {cert, itsKey},
		"no certificate": {[]byte("nonsense"), key},
		"no key":         {cert, nil},
		"expired":        {old, itsKey},
	} {
		files.write(t, broken[0], broken[1])
		if err := reload(); err == nil || !strings.Contains(err.Error(), "the one in use remains") {
			t.Errorf("%s: reload() = %v, want an error, with the old one in use", name, err)
		}
		expect(name, 2)
	}
	if err := os.Remove(files.cert); err != nil {
		t.Fatal(err)
	}
	if err := reload(); err == nil || !strings.Contains(err.Error(), files.cert) {
		t.Errorf("without a file: reload() = %v, want its name", err)
	}
	expect("without a file", 2)
}

// TestTLSVersions checks that TLS before 1.2 is refused, and HTTP/1.1 is accepted.
func TestTLSVersions(t *testing.T) {
	files := newPair(t, 1)
	config, _, err := newTLS(files.cert, files.key, "", "")
	if err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, onLoopback(t), config, 100)
	for version, want := range map[uint16]bool{
		tls.VersionTLS10: false,
		tls.VersionTLS11: false,
		tls.VersionTLS12: true,
		tls.VersionTLS13: true,
	} {
		config := &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version}
		conn, err := tls.Dial("tcp", address, config)
		if got := err == nil; got != want {
			t.Errorf("%s: %v, want a connection: %v", tls.VersionName(version), err, want)
		}
		if err == nil {
			conn.Close()
		}
	}
	old := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
	if proto, _, err := askTLS(t, address, old); proto != "HTTP/1.1" {
		t.Errorf("a client of HTTP/1.1 got %s, %v", proto, err)
	}
}

// TestTLSSettings checks which settings exclude or need each other.
func TestTLSSettings(t *testing.T) {
	files := newPair(t, 1)
	cert, key := newCertificate(t, 1, domain, ended)
	expired := pairFiles{files.cert + ".old", files.key + ".old"}
	expired.write(t, cert, key)
	for _, test := range []struct{ cert, key, domain, says string }{
		{"", "", "", ""},
		{files.cert, files.key, "", ""},
		{"", "", domain, ""},
		{files.cert, "", "", "must be set together"},
		{"", files.key, "", "must be set together"},
		{files.cert, files.key, domain, "excludes"},
		{files.cert, files.cert, "", "read the certificate"},
		{"nowhere.pem", files.key, "", "nowhere.pem"},
		{expired.cert, expired.key, "", "expired at"},
		{"", "", "https://" + domain, "must be a name"},
		{"", "", domain + ":443", "must be a name"},
		{"", "", "*.example.org", "must be a name"},
		{"", "", "localhost", "must be a name"},
		{"", "", "192.0.2.1", "must be a name"},
	} {
		config, reload, err := newTLS(test.cert, test.key, test.domain, t.TempDir())
		if (test.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("newTLS(%q, %q, %q): %v, want %q", test.cert, test.key, test.domain, err, test.says)
		}
		if plain := test.cert+test.key+test.domain == ""; err == nil && (config == nil) != plain {
			t.Errorf("newTLS(%q, %q, %q) has a config: %v", test.cert, test.key, test.domain, config != nil)
		}
		if reload() != nil {
			t.Errorf("newTLS(%q, %q, %q): reload() = %v", test.cert, test.key, test.domain, reload())
		}
	}
}

// TestCapTLS checks that clients can connect with HTTP/2 one after another if only one
// connection is allowed.
func TestCapTLS(t *testing.T) {
	files := newPair(t, 1)
	config, _, err := newTLS(files.cert, files.key, "", "")
	if err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, onLoopback(t), config, 1)
	for range 3 {
		if proto, _, err := askTLS(t, address, stranger()); err != nil || proto != "HTTP/2.0" {
			t.Errorf("%s, %v, want HTTP/2.0", proto, err)
		}
	}
}

// TestIssuerKeeps checks that a stored certificate is served after a restart, and that
// no certificate is requested for another domain.
func TestIssuerKeeps(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "certificates")
	config, _, err := newTLS("", "", domain, folder)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v, want mode 0700", info, err)
	}
	cert, key := newCertificate(t, 7, domain, valid)
	both := bytes.Join([][]byte{key, cert}, nil)
	if err := os.WriteFile(filepath.Join(folder, domain), both, 0o600); err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, onLoopback(t), config, 100)
	proto, serial, err := askTLS(t, address, stranger())
	if err != nil || serial != 7 || proto != "HTTP/2.0" {
		t.Errorf("%s with certificate %d, %v, want HTTP/2.0 with 7", proto, serial, err)
	}
	for _, name := range []string{"elsewhere.example.org", ""} {
		if _, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: name}); err == nil {
			t.Errorf("a certificate for %q", name)
		}
	}
}

// TestServeTLS checks that a server with a certificate serves https, uses https in its links,
// and reads the certificate again on SIGHUP.
func TestServeTLS(t *testing.T) {
	pair := newPair(t, 1)
	s := buildOffline(t, func(c *config.Config) { c.TLSCert, c.TLSKey = pair.cert, pair.key })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	_, port, _ := net.SplitHostPort(s.Addr().String())
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: stranger(), ForceAttemptHTTP2: true},
	}
	answer, err := client.Get("https://127.0.0.1:" + port + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	servers := `"servers":[{"url":"https://127.0.0.1:` + port + `"}]`
	if answer.Proto != "HTTP/2.0" || !strings.Contains(string(body), servers) {
		t.Errorf("%s %.300s", answer.Proto, body)
	}
	wantNow := func(serial int64) {
		t.Helper()
		trials.WaitFor(t, fmt.Sprintf("certificate %d", serial), func() bool {
			_, got, err := askTLS(t, "127.0.0.1:"+port, &tls.Config{InsecureSkipVerify: true})
			return err == nil && got == serial
		})
	}
	wantNow(1)
	cert, key := newCertificate(t, 2, domain, valid)
	pair.write(t, cert, key)
	syscall.Kill(os.Getpid(), syscall.SIGHUP)
	wantNow(2)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
