package sender

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"
)

// limits are the timeouts of an attempt.
type limits struct{ dial, handshake, total time.Duration }

func defaultLimits() limits {
	return limits{dial: 5 * time.Second, handshake: 5 * time.Second, total: 15 * time.Second}
}

// The limits of connections. The connections in use are not limited: there are as many as attempts,
// and an attempt that waited for a connection would spend its own time on the attempts of others.
const (
	maxIdlePerHost = 20 // as many attempts as the dispatcher makes at a host at a time
	maxIdleConns   = 1024
	idleTimeout    = 30 * time.Second
	maxHeader      = 64 << 10 // bytes of a response's header
)

// network configures the connections of a sender.
type network struct {
	limits       limits
	resolver     *net.Resolver // nil: net.DefaultResolver
	proxy        Proxy
	roots        *x509.CertPool // nil: those of the system
	destinations *destinations
}

// transport returns a transport that reaches the destinations only, with TLS or without. It
// follows no redirects and stores no cookies, because requests use it without an http.Client.
func (n network) transport(encrypted bool) *http.Transport {
	dialer := &net.Dialer{Timeout: n.limits.dial, Resolver: n.resolver}
	t := &http.Transport{
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: n.roots},
		TLSHandshakeTimeout:    n.limits.handshake,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		MaxIdleConns:           maxIdleConns,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		HTTP2:                  newHTTP2(),
	}
	if n.proxy.url != nil {
		t.Proxy = http.ProxyURL(n.proxy.url)
		t.OnProxyConnectResponse = checkConnect
	} else {
		dialer.ControlContext = n.destinations.guard(encrypted)
	}
	t.DialContext = dialer.DialContext
	return t
}

// newHTTP2 returns settings of HTTP/2. Without pings, requests would use a dead connection for
// minutes. By default, a receiver may send 4 MiB that nobody reads.
func newHTTP2() *http.HTTP2Config {
	return &http.HTTP2Config{
		SendPingTimeout:               10 * time.Second,
		PingTimeout:                   5 * time.Second,
		MaxReceiveBufferPerStream:     maxRead,
		MaxReceiveBufferPerConnection: maxIdlePerHost * maxRead,
	}
}

func checkConnect(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode != http.StatusOK {
		return &proxyError{r.StatusCode}
	}
	return nil
}

// trustedRoots returns the roots of the system and those in a PEM file, or nil for those of the
// system alone.
func trustedRoots(file []byte) (*x509.CertPool, error) {
	if len(file) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the roots of the system: %w", err)
	}
	if !pool.AppendCertsFromPEM(file) {
		return nil, errors.New("the file of additional roots has no certificate in PEM form")
	}
	return pool, nil
}

// connection observes the connection of one request.
type connection struct {
	remote atomic.Pointer[netip.Addr]
	badTLS atomic.Bool // the TLS handshake failed
}

// observe returns a context with which a transport reports to c.
func (c *connection) observe(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { c.badTLS.Store(err != nil) },
		GotConn: func(i httptrace.GotConnInfo) {
			if to, err := netip.ParseAddrPort(i.Conn.RemoteAddr().String()); err == nil {
				a := to.Addr()
				c.remote.Store(&a)
			}
		},
	})
}
