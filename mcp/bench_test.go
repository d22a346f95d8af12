//go:build linux

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
	"leadline/internal/edge"
)

// hello serves the example tool of mcp-go with mcp-go alone.
func hello() http.Handler {
	s := server.NewMCPServer("hello", "1", server.WithToolCapabilities(false))
	tool := protocol.NewTool("hello_world", protocol.WithDescription("Say hello to someone"),
		protocol.WithString("name", protocol.Required(),
			protocol.Description("Name of the person to greet")))
	s.AddTool(tool, func(
		_ context.Context, r protocol.CallToolRequest,
	) (*protocol.CallToolResult, error) {
		name, err := r.RequireString("name")
		if err != nil {
			return protocol.NewToolResultError(err.Error()), nil
		}
		return protocol.NewToolResultText(fmt.Sprintf("Hello, %s!", name)), nil
	})
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
}

var (
	helloCall = []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
		`"params":{"name":"hello_world","arguments":{"name":"World"}}}`)
	tideCall = []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
		`"params":{"name":"noaa_get_tide_predictions","arguments":` +
		`{"station":"8443970","begin_date":"2026-11-20","range":48}}}`)
	toolsList = []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
)

// spent returns the CPU time of the process or, with thread, of the calling thread.
func spent(b *testing.B, thread bool) time.Duration {
	who := syscall.RUSAGE_SELF
	if thread {
		who = syscall.RUSAGE_THREAD
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// discard is a ResponseWriter that discards the body.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// direct returns the CPU time of n requests to h without a network, with pairs of headers.
func direct(
	b *testing.B, h http.Handler, key string, body []byte, n int, header ...string,
) time.Duration {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/mcp", nil)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.ContentLength = int64(len(body))
	reader := bytes.NewReader(body)
	w := &discard{}
	start := spent(b, false)
	for range n {
		reader.Reset(body)
		r.Body = io.NopCloser(reader)
		w.header, w.status = http.Header{}, http.StatusOK
		h.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatalf("status %d", w.status)
		}
	}
	return spent(b, false) - start
}

// wire is a keep-alive connection to a server. One thread uses it with plain system
// calls, so that the CPU time of the client can be subtracted.
type wire struct {
	fd   int
	read *bufio.Reader
}

func (w wire) Read(b []byte) (int, error) { return syscall.Read(w.fd, b) }

func dial(b *testing.B, address string) wire {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close(); f.Close() })
	if err := syscall.SetNonblock(int(f.Fd()), false); err != nil {
		b.Fatal(err)
	}
	w := wire{fd: int(f.Fd())}
	w.read = bufio.NewReader(w)
	return w
}

// overTheWire returns the CPU time that the server at address uses for n requests with pairs
// of headers.
func overTheWire(
	b *testing.B, address, key string, body []byte, n int, header ...string,
) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w := dial(b, address)
	credential := ""
	if key != "" {
		credential = "Authorization: Bearer " + key + "\r\n"
	}
	for i := 0; i < len(header); i += 2 {
		credential += header[i] + ": " + header[i+1] + "\r\n"
	}
	request := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\n%s"+
		"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Content-Length: %d\r\n\r\n%s", address, credential, len(body), body)
	start, own := spent(b, false), spent(b, true)
	for range n {
		if _, err := syscall.Write(w.fd, request); err != nil {
			b.Fatal(err)
		}
		r, err := http.ReadResponse(w.read, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
			b.Fatal(r.Status, err)
		}
	}
	return spent(b, false) - start - (spent(b, true) - own)
}

// compare measures the CPU time of requests to ours and theirs in turns, so that other load on
// the machine affects both. It reports the medians of a request, and the median of the ratios.
// A turn is long enough for several garbage collections: with shorter ones, they would fall into
// the turns of one of them again and again. Run it for at least 20,000 requests.
func compare(b *testing.B, name, other string, ours, theirs func(n int) time.Duration) {
	const turn = 1000
	var us, them, ratios []float64
	for n := b.N; n > 0; n -= turn {
		m := min(n, turn)
		a, b := float64(ours(m)), float64(theirs(m))
		us, them = append(us, a/float64(m)/1000), append(them, b/float64(m)/1000)
		ratios = append(ratios, a/b)
	}
	b.ReportMetric(median(us), name)
	b.ReportMetric(median(them), other)
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(0, "ns/op") // the default ns/op would include both
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// served returns the endpoint as the program serves it, with middleware and behind
// a gate that counts. Its caller has a key with a quota lease in memory. The gate's
// clock advances by a minute every thousand readings, so that no limit is reached.
func served(b *testing.B) (h http.Handler, key string) {
	var readings atomic.Int64
	now := func() time.Time { return time.Unix(1_800_000_000+readings.Add(60)/1000, 0) }
	gate := accesstest.New(b, accesstest.Roomy(b), now)
	s := newProductBehind(b, gate.Gate)
	logged := edge.Config{Log: slog.New(slog.DiscardHandler), ID: access.RequestID}
	h = gate.Wrap(limit.MCP, edge.AccessLog(logged, s))
	return h, gate.Key(b, gate.Account(b, accesstest.Bench))
}

func benchmarkDirect(b *testing.B, body []byte) {
	s, key := served(b)
	h := hello()
	b.ResetTimer()
	compare(b, "cpu-µs/op", "hello-cpu-µs/op",
		func(n int) time.Duration { return direct(b, s, key, body, n) },
		func(n int) time.Duration { return direct(b, h, "", helloCall, n) })
}

func benchmarkWire(b *testing.B, body []byte) {
	endpoint, key := served(b)
	s, h := httptest.NewServer(endpoint), httptest.NewServer(hello())
	defer s.Close()
	defer h.Close()
	us, them := s.Listener.Addr().String(), h.Listener.Addr().String()
	b.ResetTimer()
	compare(b, "cpu-µs/op", "hello-cpu-µs/op",
		func(n int) time.Duration { return overTheWire(b, us, key, body, n) },
		func(n int) time.Duration { return overTheWire(b, them, "", helloCall, n) })
}

// BenchmarkCall requests two days of high and low water at Boston. Its ratio must be at most
// 1.5.
func BenchmarkCall(b *testing.B)     { benchmarkDirect(b, tideCall) }
func BenchmarkCallHTTP(b *testing.B) { benchmarkWire(b, tideCall) }

// BenchmarkList requests tools/list. It must use at most 80 µs of CPU.
func BenchmarkList(b *testing.B)     { benchmarkDirect(b, toolsList) }
func BenchmarkListHTTP(b *testing.B) { benchmarkWire(b, toolsList) }

// modernCall is tideCall in revision 2026-07-28, with the required headers.
func modernCall(b *testing.B) (body []byte, header []string) {
	text, header := modernize(b, string(tideCall))
	return []byte(text), header
}

// BenchmarkEras requests the same two days in both eras of the protocol. The ratio, modern to
// legacy, is meant to be between 0.95 and 1.05.
func BenchmarkEras(b *testing.B) {
	s, key := served(b)
	body, header := modernCall(b)
	b.ResetTimer()
	compare(b, "modern-cpu-µs/op", "legacy-cpu-µs/op",
		func(n int) time.Duration { return direct(b, s, key, body, n, header...) },
		func(n int) time.Duration { return direct(b, s, key, tideCall, n) })
}

// BenchmarkErasHTTP measures the same calls over HTTP, to which the limit on the ratio
// applies.
func BenchmarkErasHTTP(b *testing.B) {
	endpoint, key := served(b)
	s := httptest.NewServer(endpoint)
	defer s.Close()
	address := s.Listener.Addr().String()
	body, header := modernCall(b)
	b.ResetTimer()
	compare(b, "modern-cpu-µs/op", "legacy-cpu-µs/op",
		func(n int) time.Duration { return overTheWire(b, address, key, body, n, header...) },
		func(n int) time.Duration { return overTheWire(b, address, key, tideCall, n) })
}
