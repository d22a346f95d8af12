package main

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

// newTLS is how the server proves who it is: by the certificate of two files,
// or by one that Let's Encrypt issues for a domain, kept in folder; config is
// nil where none of it is set. reload, which is never nil, reads the files
// again; where they are no good, the certificate in use stays. What is issued
// renews itself.
func newTLS(cert, key, domain, folder string) (config *tls.Config, reload func() error, err error) {
	nothing := func() error { return nil }
	switch {
	case domain != "" && cert+key != "":
		return nil, nothing, errors.New("-acme-domain stands without -tls-cert and -tls-key: the certificate comes from the one or from the others")
	case domain != "":
		issuer, err := newIssuer(domain, folder)
		if err != nil {
			return nil, nothing, err
		}
		return modern(issuer.TLSConfig()), nothing, nil
	case cert == "" && key == "":
		return nil, nothing, nil
	case cert == "" || key == "":
		return nil, nothing, errors.New("-tls-cert and -tls-key stand together")
	}
	p := &pair{cert: cert, key: key}
	if err := p.load(); err != nil {
		return nil, nothing, err
	}
	return modern(&tls.Config{GetCertificate: p.get}), p.reload, nil
}

// modern asks for TLS 1.2 and offers HTTP/2, beside what a config offers.
func modern(config *tls.Config) *tls.Config {
	config.MinVersion = tls.VersionTLS12
	if config.NextProtos == nil {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return config
}

// pair is a certificate that lies in two files.
type pair struct {
	cert, key string
	inUse     atomic.Pointer[tls.Certificate]
}

func (p *pair) load() error {
	c, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return fmt.Errorf("reading the certificate: %w", err)
	}
	if end := c.Leaf.NotAfter; time.Now().After(end) {
		return fmt.Errorf("the certificate %s ended at %s", p.cert, end.UTC().Format(time.RFC3339))
	}
	p.inUse.Store(&c)
	return nil
}

func (p *pair) reload() error {
	if err := p.load(); err != nil {
		return fmt.Errorf("%w; the one in use stays", err)
	}
	return nil
}

func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.inUse.Load(), nil }

// newIssuer has certificates of one domain issued, when the first client asks
// for them, and keeps them and the account's key in folder. The authority
// checks the domain by a connection to port 443 (RFC 8737), which must lead
// here.
func newIssuer(domain, folder string) (*autocert.Manager, error) {
	if net.ParseIP(domain) != nil || !strings.Contains(strings.Trim(domain, "."), ".") || strings.ContainsAny(domain, "/:@* ") {
		return nil, fmt.Errorf("-acme-domain must be a name such as tides.example.org, not %q", domain)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of certificates: %w", err)
	}
	return &autocert.Manager{Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(folder), HostPolicy: autocert.HostWhitelist(domain)}, nil
}

// guarded puts TLS around a listener; config is nil for plain HTTP. TLS lies
// over the limits of connections: net/http speaks HTTP/2 only to what it can
// see is TLS.
func guarded(l *edge.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return l
	}
	return tls.NewListener(l, config)
}
