package access_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/accesstest"
)

// fast is a clock that runs a minute for every thousand readings, so that no
// limit is met.
func fast() func() time.Time {
	var readings atomic.Int64
	return func() time.Time { return time.Unix(1_800_000_000+readings.Add(60)/1000, 0) }
}

var answered = []string{"application/json"}

// ok answers as short as can be.
func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = answered
	w.WriteHeader(http.StatusOK)
}

// benchmarkGate serves requests by h, with a key whose lease is warm.
func benchmarkGate(b *testing.B, wear func(*accesstest.Gate) http.Handler) {
	g := accesstest.New(b, accesstest.Roomy(b), fast())
	key := g.Key(b, g.Account(b, accesstest.Bench))
	h := wear(g)
	h.ServeHTTP(&discard{http.Header{}}, request("192.0.2.1:4711", "Authorization", "Bearer "+key))
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		r := request("192.0.2.1:4711", "Authorization", "Bearer "+key)
		for p.Next() {
			h.ServeHTTP(&discard{http.Header{}}, r)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkBare is the handler without a gate; what BenchmarkGate has beyond it
// is what the gate adds, request id and headers included.
func BenchmarkBare(b *testing.B) {
	benchmarkGate(b, func(*accesstest.Gate) http.Handler { return http.HandlerFunc(ok) })
}

// BenchmarkGate may be 3 µs and 6 allocations more than BenchmarkBare.
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
		return g.Wear(access.REST, gated)
	})
}
