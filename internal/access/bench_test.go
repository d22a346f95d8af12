package access_test

import (
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
)

// fast is a clock that advances a minute for every thousand readings, so that no limit is
// reached.
func fast() func() time.Time {
	var readings atomic.Int64
	return func() time.Time { return time.Unix(1_800_000_000+readings.Add(60)/1000, 0) }
}

var answered = []string{"application/json"}

// ok writes the shortest response.
func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = answered
	w.WriteHeader(http.StatusOK)
}

// accounts is the number of accounts that take turns. A single account would send requests so
// fast that it would wait for the disk, because at most one lease is reserved at a time.
const accounts = 100

// benchmarkGate serves requests with cached keys and leases.
func benchmarkGate(b *testing.B, wear func(*accesstest.Gate) http.Handler) {
	g := accesstest.New(b, accesstest.Roomy(b), fast())
	h := wear(g)
	var requests [accounts]*http.Request
	for i := range requests {
		requests[i] = request("192.0.2.1:4711", "Authorization", "Bearer "+
			g.Key(b, g.Account(b, accesstest.Bench)))
		h.ServeHTTP(&discard{header: http.Header{}}, requests[i])
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in the server
	b.ReportAllocs()
	b.ResetTimer()
	start := spent(b)
	b.RunParallel(func(p *testing.PB) {
		for i := 0; p.Next(); i++ {
			h.ServeHTTP(&discard{header: http.Header{}}, requests[i%accounts])
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64((spent(b)-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// spent returns the processor time that the process has used so far, which excludes other
// processes on the machine.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBare measures the handler without a gate. The difference from BenchmarkGate is the
// cost of the gate, including the request id and headers.
func BenchmarkBare(b *testing.B) {
	benchmarkGate(b, func(*accesstest.Gate) http.Handler { return http.HandlerFunc(ok) })
}

// BenchmarkGate measures the handler with a gate. It may take 3 µs and 6 allocations more than
// BenchmarkBare.
func BenchmarkGate(b *testing.B) {
	benchmarkGate(b, func(g *accesstest.Gate) http.Handler {
		gated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			err := g.Admit(r, data)
			if err == nil {
				err = g.Spend(r.Context())
			}
			if err != nil {
				b.Error(err)
			}
			ok(w, r)
		})
		return g.Wrap(limit.REST, gated)
	})
}
