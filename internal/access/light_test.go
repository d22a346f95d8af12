//go:build !race

package access_test

import (
	"math"
	"net/http"
	"testing"

	"leadline/internal/access/accesstest"
	"leadline/internal/access/limit"
)

// TestGateIsLight checks that the gate adds at most six allocations to a request with a cached
// lease, including the request id and headers. It is skipped under the race detector, which
// allocates memory itself. Other goroutines of the process add to single counts.
func TestGateIsLight(t *testing.T) {
	c := newClock(noon)
	d := endpoint{accesstest.New(t, accesstest.Roomy(t), c.now), limit.REST, data, http.StatusOK}
	gated := d.Wrap(d.on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Admit(r, d.need) == nil && d.Spend(r.Context()) == nil {
			ok(w, r)
		}
	}))
	r := request("192.0.2.1:1", "x-api-key", d.Key(t, d.Account(t, accesstest.Bench)))
	for range 300 { // the first leases are small
		gated.ServeHTTP(&discard{header: http.Header{}}, r)
	}
	allocations := func(h http.Handler) float64 {
		least := math.Inf(1)
		for range 5 {
			n := testing.AllocsPerRun(100, func() { h.ServeHTTP(&discard{header: http.Header{}}, r) })
			least = min(least, n)
		}
		return least
	}
	if bare, with := allocations(http.HandlerFunc(ok)), allocations(gated); with > bare+6 {
		t.Errorf("%v allocations, without the gate %v: want at most 6 more", with, bare)
	}
}
