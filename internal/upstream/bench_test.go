package upstream

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkHit measures a lookup of a fresh entry.
func BenchmarkHit(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Hour})
	if _, err := getNumber(b.Context(), c, r); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := getNumber(b.Context(), c, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHitParallel measures lookups of a fresh entry on all processors.
func BenchmarkHitParallel(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Hour})
	if _, err := getNumber(b.Context(), c, r); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			getNumber(b.Context(), c, r)
		}
	})
}

// BenchmarkStale measures a lookup of a stale entry while the provider is down.
func BenchmarkStale(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{})
	r := p.request("/n", Class{Fresh: time.Nanosecond, Expiry: time.Hour})
	if _, err := getNumber(b.Context(), c, r); err != nil {
		b.Fatal(err)
	}
	p.set(with("Retry-After", "3600", status(503)))
	b.ReportAllocs()
	for b.Loop() {
		if v, err := getNumber(b.Context(), c, r); err != nil || !v.Stale {
			b.Fatal(v, err)
		}
	}
}

// BenchmarkMiss measures a request to a server on the loopback interface.
func BenchmarkMiss(b *testing.B) {
	p, _ := loopback(b)
	c := newClient(b, Config{Rate: 1e9, Burst: 1e9})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		r := p.request(fmt.Sprint("/", n), Class{Fresh: time.Hour})
		if _, err := getNumber(b.Context(), c, r); err != nil {
			b.Fatal(err)
		}
	}
}
