package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"leadline/internal/config"
)

// TestCase56NobodyIsAwaitedForLong checks the timeouts of clients that send slowly,
// read slowly, or do nothing.
func TestCase56NobodyIsAwaitedForLong(t *testing.T) {
	s := newHTTPServer(http.NotFoundHandler(), nil, slog.New(slog.DiscardHandler))
	if s.IdleTimeout > 30*time.Second {
		t.Errorf("a connection may be idle for %v, want 30 s at most", s.IdleTimeout)
	}
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout < s.ReadHeaderTimeout ||
		s.WriteTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Errorf("headers %v, body %v, response %v, between requests %v, %d bytes of headers",
			s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.MaxHeaderBytes)
	}
	if s.WriteTimeout > drainTimeout {
		t.Errorf("a response may take %v, a running request has %v to finish",
			s.WriteTimeout, drainTimeout)
	}
}

// TestCase56SlowConnectionsAreCut checks that the server, with short timeouts, closes
// connections that stall within the headers, within a body, or after a response.
func TestCase56SlowConnectionsAreCut(t *testing.T) {
	t.Parallel()
	s := newHTTPServer(buildOffline(t, nil).Handler(), nil, slog.New(slog.DiscardHandler))
	// A busy machine must be able to send and to serve a request in this time.
	for _, timeout := range []*time.Duration{&s.ReadHeaderTimeout, &s.ReadTimeout, &s.IdleTimeout} {
		*timeout = min(*timeout, 3*time.Second)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	const body = "Host: localhost\r\nContent-Type: application/json\r\n" +
		"Content-Length: 900\r\n\r\n{\"jsonrpc\":"
	var all sync.WaitGroup
	for name, sent := range map[string]string{
		"nothing":                "",
		"half a line":            "GET /liv",
		"half the headers":       "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A",
		"half a body over MCP":   "POST /mcp HTTP/1.1\r\n" + body,
		"half a body over REST":  "POST /api/v1/decisions/trip-health HTTP/1.1\r\n" + body,
		"half a body to sign in": "POST /oauth/token HTTP/1.1\r\n" + body,
		"one request":            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		all.Go(func() {
			got, err := cut(l.Addr().String(), sent)
			if err != nil || strings.HasPrefix(got, "HTTP/1.1 200") != (name == "one request") {
				t.Errorf("%s: got %.100q, %v, want the connection closed", name, got, err)
			}
		})
	}
	all.Wait()
}

// cut sends something to a server and returns the data received until the server closes the
// connection. If that takes a minute, it returns an error.
func cut(address, said string) (got string, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer time.AfterFunc(time.Minute, func() { conn.Close() }).Stop()
	if _, err := io.WriteString(conn, said); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	if errors.Is(err, syscall.ECONNRESET) {
		err = nil
	}
	return string(text), err
}

// buildOffline builds a server without providers, which is closed when the test ends.
func buildOffline(t *testing.T, set func(*config.Config)) *Server {
	t.Helper()
	c := config.New()
	c.Listen, c.Data, c.Offline = "127.0.0.1:0", t.TempDir(), true
	if set != nil {
		set(c)
	}
	s, err := Build(t.Context(), Config{Settings: c, Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
