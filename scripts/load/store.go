package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"leadline/store/postgres/postgrestest"
)

const (
	// oneWay is the delay of each packet to and from the database.
	oneWay = 100 * time.Millisecond

	// Accounts send bursts: 200 requests at a time, fewer than are handled at a time, and 1,000 in
	// all. Each account sends more than its first leases have.
	farAccounts = 10
	farEach     = 20 // requests of an account in a burst
	farBursts   = 5
)

// farStore sends bursts of accounts that the server knows, while its database is far away. None
// may get 503.
func farStore(ctx context.Context, b *bench) error {
	database, err := postgrestest.Start()
	if err != nil {
		return err
	}
	defer postgrestest.RemoveTemplate()
	defer database.Stop()
	proxy, err := postgrestest.StartProxy(database.Address())
	if err != nil {
		return err
	}
	defer proxy.Close()
	s, err := b.serve(ctx, "--offline", "--store",
		"postgres://leadline@"+proxy.Address()+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer s.stop()
	keys, err := b.knownKeys(ctx, s)
	if err != nil {
		return err
	}
	proxy.Delay(oneWay)
	var c counts
	for range farBursts {
		if err := c.burst(ctx, s, keys); err != nil {
			return err
		}
	}
	fmt.Printf("  %d of %d requests got 503; the slowest took %d ms\n",
		c.statuses[http.StatusServiceUnavailable], farBursts*farEach*farAccounts,
		c.slowest.Milliseconds())
	if c.statuses[http.StatusOK] != farBursts*farEach*farAccounts {
		return fmt.Errorf("statuses %v, want 200 only; log: %s", c.statuses, s.log)
	}
	return nil
}

// knownKeys creates accounts and sends a request with the key of each.
func (b *bench) knownKeys(ctx context.Context, s *server) (keys []string, err error) {
	var c counts
	for i := range farAccounts {
		key, err := b.key(ctx, s, fmt.Sprintf("load%d@example.org", i), "free")
		if err != nil {
			return nil, err
		}
		if err := c.send(ctx, s, attacker(0), key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if c.statuses[http.StatusOK] != farAccounts {
		return nil, fmt.Errorf("first requests: statuses %v, want 200 only; log: %s", c.statuses, s.log)
	}
	return keys, nil
}

// counts counts responses by status.
type counts struct {
	mu       sync.Mutex
	statuses map[int]int
	slowest  time.Duration
}

// burst sends requests with all keys at once, from two addresses.
func (c *counts) burst(ctx context.Context, s *server, keys []string) error {
	var group errgroup.Group
	for i, key := range keys {
		for range farEach {
			group.Go(func() error { return c.send(ctx, s, attacker(i%2), key) })
		}
	}
	return group.Wait()
}

// send sends a request with a key and counts its response.
func (c *counts) send(ctx context.Context, s *server, from, key string) error {
	began := time.Now()
	status, _, err := get(ctx, caller(from), "http://"+s.address+"/api/v1/stations/8443970", key)
	if err != nil {
		return err
	}
	c.add(status, time.Since(began))
	return nil
}

// add counts a response.
func (c *counts) add(status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.statuses == nil {
		c.statuses = map[int]int{}
	}
	c.statuses[status]++
	c.slowest = max(c.slowest, took)
}
