package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	// calculations is the number of long calculations that a key requests at a time.
	calculations = 40

	// Phases without and with these calculations alternate, so that other work of the machine
	// slows both.
	phases    = 6
	phaseTime = 2 * time.Second

	// The median of another key's requests during the calculations is at most mostSlower times the
	// one without them and a slice: if the machine has other work or one processor, a request waits
	// until Go gives it a processor that calculates (forcePreemptNS in runtime/proc.go). Ours.
	mostSlower = 2
	slice      = 10 * time.Millisecond
)

// heavyKey requests the dearest calculation with a free key, and compares how long the short
// requests of another key take with and without that.
func heavyKey(ctx context.Context, b *bench) error {
	plans := filepath.Join(b.folder, "free.json")
	free := []byte(`{"free": {"perMinute": 65535, "perMonth": 1000000}}`)
	if err := os.WriteFile(plans, free, 0o600); err != nil {
		return err
	}
	s, err := b.serve(ctx, "--offline", "--plans", plans)
	if err != nil {
		return err
	}
	defer s.stop()
	flooder, err := b.key(ctx, s, "flooder@example.org", "free")
	if err != nil {
		return err
	}
	other, err := b.key(ctx, s, "other@example.org", "free")
	if err != nil {
		return err
	}
	var alone, flooded waits
	var c counts
	for range phases / 2 {
		err := errors.Join(alone.measure(ctx, s, other), flooded.underFlood(ctx, s, other, flooder, &c))
		if err != nil {
			return err
		}
	}
	fmt.Printf("  attack: %d calculations returned, %d refused\n", c.statuses[http.StatusOK],
		c.statuses[http.StatusServiceUnavailable])
	alone.report("alone")
	flooded.report("under the flood")
	if c.statuses[http.StatusOK] == 0 || c.statuses[http.StatusTooManyRequests] > 0 {
		return fmt.Errorf("calculations: statuses %v, want 200 and 503", c.statuses)
	}
	limit := mostSlower * (median(alone.short) + slice)
	if got := median(flooded.short); got > limit {
		return fmt.Errorf("the median of another key was %v, want at most %v", got, limit)
	}
	return nil
}

// waits has how long the requests of a caller took.
type waits struct{ short, livez []time.Duration }

// measure sends short requests with a key for the time of a phase, one after the other.
func (w *waits) measure(ctx context.Context, s *server, key string) error {
	c := caller(bystander)
	during, end := context.WithTimeout(ctx, phaseTime)
	defer end()
	for ; during.Err() == nil; sleep(during, 10*time.Millisecond) {
		short, err := timed(ctx, c, "http://"+s.address+"/api/v1/stations/8443970/predictions", key)
		if err != nil {
			return err
		}
		livez, err := timed(ctx, c, "http://"+s.address+"/livez", "")
		if err != nil {
			return err
		}
		w.short, w.livez = append(w.short, short), append(w.livez, livez)
	}
	return ctx.Err()
}

// underFlood measures while another key floods the server with calculations, and counts these.
func (w *waits) underFlood(ctx context.Context, s *server, key, flooder string, c *counts) error {
	during, end := context.WithCancel(ctx)
	var flood sync.WaitGroup
	for i := range calculations {
		flood.Go(func() { c.calculate(during, s, flooder, 2000+i) })
	}
	sleep(ctx, 500*time.Millisecond) // until as many as may wait for their turns
	err := w.measure(ctx, s, key)
	end()
	flood.Wait()
	sleep(ctx, 500*time.Millisecond) // until those that have begun end
	return err
}

// calculate requests long calculations until ctx ends, and pauses after one that is refused: else
// these requests would take more processor time than the calculations.
func (c *counts) calculate(ctx context.Context, s *server, key string, year int) {
	own := caller(attacker(0))
	for ; ctx.Err() == nil; year++ {
		began := time.Now()
		status, _, err := get(ctx, own, "http://"+s.address+moonlit(2000+year%100), key)
		if err == nil {
			c.add(status, time.Since(began))
		}
		if status != http.StatusOK {
			sleep(ctx, 100*time.Millisecond)
		}
	}
}

// report prints the median of the short requests and the longest of those for /livez.
func (w *waits) report(when string) {
	fmt.Printf("  another key, %s: median %.1f ms of %d requests, /livez %.1f ms at most\n", when,
		1000*median(w.short).Seconds(), len(w.short), 1000*slices.Max(w.livez).Seconds())
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
