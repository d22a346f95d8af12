package upstream

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkHit measures what a kept answer costs.
func BenchmarkHit(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Hour})
	if _, err := Get(b.Context(), c, r, readNumber); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Get(b.Context(), c, r, readNumber); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHitParallel measures it with all processors asking.
func BenchmarkHitParallel(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Hour})
	if _, err := Get(b.Context(), c, r, readNumber); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Get(b.Context(), c, r, readNumber)
		}
	})
}

// BenchmarkStale measures a stale answer of a provider that is down.
func BenchmarkStale(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
	if _, err := Get(b.Context(), c, r, readNumber); err != nil {
		b.Fatal(err)
	}
	p.set(with("Retry-After", "3600", status(503)))
	b.ReportAllocs()
	for b.Loop() {
		if v, err := Get(b.Context(), c, r, readNumber); err != nil || !v.Stale {
			b.Fatal(v, err)
		}
	}
}

// BenchmarkMiss measures a question to a server beside us.
func BenchmarkMiss(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{Rate: 1e9, Burst: 1e9})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if _, err := Get(b.Context(), c, p.request(fmt.Sprint("/", n), Class{Fresh: time.Hour}), readNumber); err != nil {
			b.Fatal(err)
		}
	}
}
