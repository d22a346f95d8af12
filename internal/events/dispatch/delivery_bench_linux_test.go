package dispatch

import (
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"leadline/internal/events/sender"
)

// BenchmarkDeliveries measures deliveries of a backlog: over connections that are used again, to
// few and to many endpoints, and with a new TLS connection for each.
func BenchmarkDeliveries(b *testing.B) {
	for _, bench := range []struct {
		name      string
		endpoints int
		newTLS    bool
	}{
		{"endpoints=10", 10, false},
		{"endpoints=1000", 1000, false},
		{"new-tls/endpoints=1000", 1000, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			in := newReceiver()
			server := httptest.NewUnstartedServer(in)
			server.Config.ErrorLog = silent()
			var roots []byte
			if bench.newTLS {
				server.Config.SetKeepAlivesEnabled(false)
				server.StartTLS()
				roots = pem.EncodeToMemory(&pem.Block{
					Type: "CERTIFICATE", Bytes: server.Certificate().Raw,
				})
			} else {
				server.Start()
			}
			defer server.Close()
			w := newSetup(b, in, bench.endpoints, roots, func(int) string { return server.URL })
			w.backlog(b.N, bench.endpoints)
			w.deliverAll(b)
		})
	}
}

// deliverAll starts the dispatcher and measures until its backlog is delivered. The processor time
// includes the receivers, which are in this process.
func (w *setup) deliverAll(b *testing.B) {
	used := processorTime()
	b.ResetTimer()
	w.run()
	w.receiver.take(b, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64((processorTime()-used).Microseconds())/float64(b.N), "cpu-µs/op")
	b.StopTimer()
	w.stop()
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// backlog posts n events before the dispatcher runs.
func (w *setup) backlog(n, endpoints int) {
	w.t.Helper()
	const posters = 256 // their writes share transactions
	var all sync.WaitGroup
	for g := range posters {
		all.Go(func() {
			for i := g; i < n; i += posters {
				if err := w.cause(i % endpoints); err != nil {
					w.t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkFirstAttempt measures the time from the cause of an event to its arrival, at 200
// events a second.
func BenchmarkFirstAttempt(b *testing.B) {
	in := newReceiver()
	url := listen(b, in)
	w := newSetup(b, in, 1000, nil, func(int) string { return url })
	w.run()
	to := func(i int) (int, bool) { return i % 1000, true }
	w.load(200, 5*time.Millisecond, to) // opens connections
	b.ResetTimer()
	delays := w.load(b.N, 5*time.Millisecond, to)
	b.ReportMetric(float64(quantile(delays, 0.50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(quantile(delays, 0.99).Microseconds())/1000, "p99-ms")
	b.StopTimer()
	w.stop()
}

// BenchmarkIdle measures the memory that 10,000 endpoints need after each has received an event,
// and a search for endpoints while nothing is due.
func BenchmarkIdle(b *testing.B) {
	const endpoints = 10_000
	in := newReceiver()
	url := listen(b, in)
	w := newSetup(b, in, endpoints, nil, func(int) string { return url })
	before := heap()
	w.run()
	w.backlog(endpoints, endpoints)
	in.take(b, endpoints)
	time.Sleep(2 * time.Second) // claims are released
	after := heap()
	for b.Loop() {
		if _, err := w.store.ClaimEndpoints(
			context.Background(), "other", w.now(), w.now(), claimSize,
		); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(after-before)/(1<<20), "MiB")
	w.stop()
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkDispatch measures what the dispatcher and the store need for a delivery, without a
// network.
func BenchmarkDispatch(b *testing.B) {
	in := newReceiver()
	w := newSetup(b, in, 1000, nil, func(int) string { return "https://a.example/" })
	w.dispatcher.c.Send = func(_ context.Context, r sender.Request) sender.Report {
		q := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		q.Header.Set("webhook-id", r.Event)
		in.ServeHTTP(discarding{}, q)
		return reported(w.now(), 200)
	}
	w.backlog(b.N, 1000)
	w.deliverAll(b)
}

// discarding is a response that nobody reads.
type discarding struct{}

func (discarding) Header() http.Header         { return http.Header{} }
func (discarding) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (discarding) WriteHeader(int)             {}
