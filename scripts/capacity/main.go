// Command capacity simulates what many instances cost their database: how often an API key is not
// in the cache of the instance that gets the request, and how often an instance leases units of a
// monthly quota. docs/scaling.md has the results and what follows from them.
//
//	go run ./scripts/capacity
//
// Requests are drawn from Zipf distributions with fixed seeds. Two runs differ by less than 1 %, as
// full caches drop entries at random. Nothing is sent anywhere.
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// rate is the number of requests a second of all instances together.
const rate = 100_000

func main() {
	keys(os.Stdout, 6_000_000)
	fmt.Println()
	leases(os.Stdout, 3_000_000)
}

// keys prints the share of requests whose key is not cached, and the lookups a second. The first
// half of n requests fills the caches and is not counted.
func keys(w io.Writer, n int) {
	fmt.Fprintln(w, "keys     exponent  cached    balancer     not cached  lookups a second")
	for _, exponent := range []float64{1.01, 1.2} {
		for _, cached := range []int{50_000, 250_000} {
			for _, affine := range []bool{false, true} {
				share := misses(keyLoad{1_000_000, exponent, 20, cached, affine}, n)
				fmt.Fprintf(w, "1000000  %-8.2f  %-8d  %-11s  %9.1f%%  %8.0f\n", exponent, cached,
					balancer(affine), 100*share, rate*share)
			}
		}
	}
}

// keyLoad describes requests with keys.
type keyLoad struct {
	keys      uint64
	exponent  float64 // of the Zipf distribution of keys
	instances int
	cached    int  // most keys that an instance caches
	affine    bool // the balancer sends the requests of a key to one instance
}

// misses returns the share of the second half of n requests whose key is not cached. Like the
// cache of package access, a full one drops any entry.
func misses(l keyLoad, n int) float64 {
	random := rand.New(rand.NewPCG(1, 2))
	draw := rand.NewZipf(random, l.exponent, 50, l.keys-1)
	caches := make([]map[uint64]bool, l.instances)
	for i := range caches {
		caches[i] = map[uint64]bool{}
	}
	missed := 0
	for i := range n {
		key := draw.Uint64()
		at := random.IntN(l.instances)
		if l.affine {
			at = int(key * 2654435761 >> 7 % uint64(l.instances)) // Knuth's multiplicative hash
		}
		cache := caches[at]
		if cache[key] {
			continue
		}
		if i >= n/2 {
			missed++
		}
		if len(cache) >= l.cached {
			for any := range cache {
				delete(cache, any)
				break
			}
		}
		cache[key] = true
	}
	return float64(missed) / float64(n-n/2)
}

// leases prints how often instances lease units in the first n requests, a second.
func leases(w io.Writer, n int) {
	fmt.Fprintln(w, "accounts  lease  balancer     leases a second")
	for _, accounts := range []uint64{1_000, 20_000, 200_000} {
		for _, size := range []int{16, 64, 256} {
			for _, affine := range []bool{true, false} {
				instances := 20
				if affine {
					instances = 1
				}
				share := refills(accounts, size, instances, n)
				fmt.Fprintf(w, "%-8d  %-5d  %-11s  %8.0f\n", accounts, size, balancer(affine), rate*share)
			}
		}
	}
}

// refills returns the share of n requests that begin a refill. A lease is refilled when a quarter
// of it remains. With affinity one instance has the lease of an account, otherwise all have one.
func refills(accounts uint64, size, instances, n int) float64 {
	random := rand.New(rand.NewPCG(3, 4))
	draw := rand.NewZipf(random, 1.1, 10, accounts-1)
	leased := map[uint64]int{}
	count := 0
	for range n {
		lease := draw.Uint64()*uint64(instances) + uint64(random.IntN(instances))
		units, ok := leased[lease]
		if !ok {
			count++
			units = size
		}
		if units--; units == size/4 {
			count++
			units = size
		}
		leased[lease] = units
	}
	return float64(count) / float64(n)
}

func balancer(affine bool) string {
	if affine {
		return "by key"
	}
	return "any"
}
