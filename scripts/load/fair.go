package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

const (
	// slowness delays each response of the provider.
	slowness = 500 * time.Millisecond

	// mostDelay limits how much longer another caller waits for an uncached request.
	mostDelay = 2 * time.Second

	// flooders is the number of concurrent requests of the key.
	flooders = 64
)

// gauges are stations of the simulator with observed water levels. Each with each
// number of hours is a request of its own.
var gauges = []string{
	"8443970", "8518750", "8454000", "8410140", "8461490", "8510560", "8531680", "9447130",
}

// fairness sends as many uncached requests as possible with one pro key to a slow
// provider, and checks how much longer another caller waits for one.
func fairness(ctx context.Context, b *bench) error {
	providers, err := b.start(ctx, b.simulator)
	if err != nil {
		return err
	}
	defer providers.stop()
	root := "http://" + providers.address
	plans, err := b.roomy()
	if err != nil {
		return err
	}
	s, err := b.serve(ctx, "--plans", plans, "--contact", "load@example.org", "--coops-url",
		root, "--nws-url", root)
	if err != nil {
		return err
	}
	defer s.stop()
	slow := fmt.Sprintf(`{"kind": "slow", "delay": "%v"}`, slowness)
	if _, err := http.Post(root+"/-/fail", "application/json", strings.NewReader(slow)); err != nil {
		return err
	}
	key, err := b.key(ctx, s, "load@example.org", "pro")
	if err != nil {
		return err
	}
	alone, err := cold(ctx, s, "8638610")
	if err != nil {
		return err
	}
	during, end := context.WithCancel(ctx)
	for i := range flooders {
		go flood(during, s, key, i)
	}
	sleep(ctx, 2*time.Second)
	flooded, err := cold(ctx, s, "9414290")
	end()
	if err != nil {
		return err
	}
	fmt.Printf("  an uncached request: %d ms alone, %d ms during the flood\n",
		alone.Milliseconds(), flooded.Milliseconds())
	if flooded-alone > mostDelay {
		return fmt.Errorf("the flood delayed another caller by %v, want at most %v",
			flooded-alone, mostDelay)
	}
	return nil
}

// key creates a key of an account on a plan.
func (b *bench) key(ctx context.Context, s *server, account, plan string) (string, error) {
	out, err := exec.CommandContext(ctx, b.leadline, "keys", "create", "--account", account,
		"--plan", plan, "--data", s.data).Output()
	if err != nil {
		return "", fmt.Errorf("create a key: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// cold sends an uncached request, and returns how long it took.
func cold(ctx context.Context, s *server, station string) (time.Duration, error) {
	began := time.Now()
	status, _, err := get(ctx, caller(bystander),
		"http://"+s.address+"/api/v1/stations/"+station+"/water-levels?hours=6", "")
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("an uncached request: status %d, error %v, want 200; log: %s",
			status, err, s.log)
	}
	return time.Since(began), nil
}

// flood sends uncached requests with a key, one after the other.
func flood(ctx context.Context, s *server, key string, i int) {
	c := caller(attacker(0))
	for n := 0; ctx.Err() == nil; n++ {
		question := fmt.Sprintf("http://%s/api/v1/stations/%s/water-levels?hours=%d",
			s.address, gauges[i%len(gauges)], 1+(i/len(gauges)*97+n*7)%720)
		get(ctx, c, question, key) // any status: the limit refuses some
	}
}
