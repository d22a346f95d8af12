package sender

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Proxy is the URL of an HTTP proxy that connects to receivers with CONNECT. The zero Proxy is
// none. Printing it shows no credentials.
type Proxy struct{ url *url.URL }

// errProxy does not quote the text, which may contain credentials.
var errProxy = errors.New("invalid proxy: must be http:// or https:// and a host, optionally with " +
	`credentials and a port, such as "http://proxy.example.org:3128"`)

// ParseProxy parses the URL of a proxy. An empty text is the zero Proxy.
func ParseProxy(text string) (Proxy, error) {
	if text == "" {
		return Proxy{}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return Proxy{}, errProxy
	}
	return Proxy{u}, nil
}

// String returns the URL with masked credentials, or "" for the zero Proxy.
func (p Proxy) String() string {
	switch {
	case p.url == nil:
		return ""
	case p.url.User == nil:
		return p.url.String()
	}
	return fmt.Sprintf("%s://…@%s", p.url.Scheme, p.url.Host)
}

// proxyError is the refusal of a proxy to connect to a receiver.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	text := http.StatusText(e.status)
	return fmt.Sprintf("the proxy responded to CONNECT with %d %s", e.status, text)
}
