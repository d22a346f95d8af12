package main

import (
	"math"
	"testing"
)

// TestRefills compares accounts whose leases can be counted by hand: a lease is refilled when a
// quarter of it remains, so three quarters are spent between two refills.
func TestRefills(t *testing.T) {
	for _, test := range []struct {
		size, instances int
		want            float64
	}{
		{16, 1, 1.0 / 12}, {64, 1, 1.0 / 48}, {256, 1, 1.0 / 192}, {256, 20, 1.0 / 192},
	} {
		got := refills(2, test.size, test.instances, 500_000)
		if math.Abs(got/test.want-1) > 0.02 {
			t.Errorf("refills of %d units on %d instances = %.5f, want %.5f", test.size,
				test.instances, got, test.want)
		}
	}
}

// TestMisses checks the loads whose share is known: everything is cached, and nothing can be.
func TestMisses(t *testing.T) {
	all := keyLoad{keys: 100, exponent: 1.2, instances: 2, cached: 100}
	if got := misses(all, 100_000); got != 0 {
		t.Errorf("with room for all keys, %v of the requests miss, want none", got)
	}
	affine, none := all, all
	affine.affine, affine.cached, none.cached = true, 20, 20
	if a, n := misses(affine, 100_000), misses(none, 100_000); a >= n {
		t.Errorf("with affinity %v of the requests miss, without %v, want fewer", a, n)
	}
}
