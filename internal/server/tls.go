package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"leadline/internal/edge"
)

// newTLS returns the TLS configuration of the server: with the certificate of two files, or
// with one that Let's Encrypt issues for a domain, stored in folder. It is nil if neither
// is set. reload, which is never nil, reads the files again; if they are invalid, the
// certificate in use remains. Issued certificates are renewed automatically.
func newTLS(cert, key, domain, folder string) (config *tls.Config, reload func() error, err error) {
	nothing := func() error { return nil }
	switch {
	case domain != "" && cert+key != "":
		return nil, nothing, errors.New("--acme-domain excludes --tls-cert and --tls-key: " +
			"the certificate comes from one or the others")
	case domain != "":
		issuer, err := newIssuer(domain, folder)
		if err != nil {
			return nil, nothing, err
		}
		return modern(issuer.TLSConfig()), nothing, nil
	case cert == "" && key == "":
		return nil, nothing, nil
	case cert == "" || key == "":
		return nil, nothing, errors.New("--tls-cert and --tls-key must be set together")
	}
	p := &pair{cert: cert, key: key}
	if err := p.load(); err != nil {
		return nil, nothing, err
	}
	return modern(&tls.Config{GetCertificate: p.get}), p.reload, nil
}

// modern requires TLS 1.2 and adds HTTP/2 to a configuration.
func modern(config *tls.Config) *tls.Config {
	config.MinVersion = tls.VersionTLS12
	if config.NextProtos == nil {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return config
}

// pair is a certificate and its key in two files.
type pair struct {
	cert, key string
	inUse     atomic.Pointer[tls.Certificate]
}

func (p *pair) load() error {
	c, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	if end := c.Leaf.NotAfter; time.Now().After(end) {
		return fmt.Errorf("the certificate %s expired at %s", p.cert, end.UTC().Format(time.RFC3339))
	}
	p.inUse.Store(&c)
	return nil
}

func (p *pair) reload() error {
	if err := p.load(); err != nil {
		return fmt.Errorf("%w; the one in use remains", err)
	}
	return nil
}

func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.inUse.Load(), nil }

// newIssuer returns a manager that has certificates of one domain issued when the first
// client asks for them, and stores them and the account's key in folder. The authority
// checks the domain by a connection to port 443 (RFC 8737), which must lead here.
func newIssuer(domain, folder string) (*autocert.Manager, error) {
	if net.ParseIP(domain) != nil || !strings.Contains(strings.Trim(domain, "."), ".") ||
		strings.ContainsAny(domain, "/:@* ") {
		return nil, fmt.Errorf("invalid --acme-domain %q: must be a name such as tides.example.org",
			domain)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of certificates: %w", err)
	}
	return &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(folder),
		HostPolicy: autocert.HostWhitelist(domain),
	}, nil
}

// withTLS adds TLS to a listener; config is nil for plain HTTP. TLS is above the limits of
// connections: net/http speaks HTTP/2 only on connections that it sees are TLS.
func withTLS(l *edge.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return l
	}
	return tls.NewListener(l, config)
}
