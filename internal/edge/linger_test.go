package edge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"leadline/internal/coast"
)

// refusing refuses every request without reading its body.
func refusing(w http.ResponseWriter, r *http.Request) {
	coast.WriteError(w, coast.Errorf(coast.PayloadTooLarge, "too long"))
}

// TestLinger checks that clients that write a whole body before they read get
// the refusal, both with a Content-Length and with chunks.
func TestLinger(t *testing.T) {
	server := served(t, Linger(http.HandlerFunc(refusing)))
	body := bytes.Repeat([]byte("x"), 6<<20)
	var clients sync.WaitGroup
	for i := range 36 {
		clients.Go(func() {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			if i%2 == 0 {
				fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(body))
				_, err = conn.Write(body)
			} else {
				fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
					"%x\r\n", len(body))
				conn.Write(body)
				_, err = io.WriteString(conn, "\r\n0\r\n\r\n")
			}
			if err != nil {
				t.Errorf("client %d: %v", i, err)
				return
			}
			got, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || got.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("client %d: got %v, %v, want 413", i, got, err)
			}
		})
	}
	clients.Wait()
}

// TestLingerHoldsNothing checks that a connection that lingers does not take a
// place among the requests in flight.
func TestLingerHoldsNothing(t *testing.T) {
	load := NewLoad(LoadConfig{InFlight: 1, Bodies: BodyBudget}, new(clock).now)
	server := served(t, Linger(load.Limit(http.HandlerFunc(refusing))))
	for range 3 {
		conn := announce(t, server, "/", 1<<20, "x") // the rest of the body is never sent
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || got.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("got %v, %v, want 413", got, err)
		}
	}
}

// TestLingerIsBounded checks that a connection is closed right after the
// response if the maximum number of connections already linger.
func TestLingerIsBounded(t *testing.T) {
	server := served(t, Linger(http.HandlerFunc(refusing)))
	waiting := make([]net.Conn, lingerAtOnce)
	for i := range waiting {
		waiting[i] = announce(t, server, "/", 1<<20, "x")
		if _, err := http.ReadResponse(bufio.NewReader(waiting[i]), nil); err != nil {
			t.Error(err)
		}
	}
	beyond := announce(t, server, "/", 1<<20, "x")
	if got := all(t, beyond); !strings.HasPrefix(got, "HTTP/1.1 413") ||
		!strings.Contains(got, "Connection: close") {
		t.Errorf("beyond the bound: got %q, want 413 and the connection closed", got)
	}
}

// TestLingerKeepsConnections checks that a refusal with a short body leaves the
// connection open for the next request.
func TestLingerKeepsConnections(t *testing.T) {
	server := served(t, Linger(http.HandlerFunc(refusing)))
	conn := announce(t, server, "/", 5, "12345")
	read := bufio.NewReader(conn)
	for range 2 {
		got, err := http.ReadResponse(read, nil)
		if err != nil || got.StatusCode != http.StatusRequestEntityTooLarge || got.Close {
			t.Fatalf("got %v, %v, want 413 on an open connection", got, err)
		}
		io.Copy(io.Discard, got.Body)
		io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
	}
}
