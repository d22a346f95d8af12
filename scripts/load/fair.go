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
	mostDelay = time.Second

	// flooders is the number of concurrent requests of the key, addresses that of the callers
	// without a key, each with four concurrent requests.
	flooders, addresses = 64, 60
)

// gauges are stations of the simulator with observed water levels. Each with each
// number of hours is a request of its own.
var gauges = []string{
	"8443970", "8518750", "8454000", "8410140", "8461490", "8510560", "8531680", "9447130",
}

// fairness sends as many uncached requests as possible to a slow provider, first with one pro key,
// then from addresses without a key. It checks how much longer others wait for one: another
// address, then another key.
func fairness(ctx context.Context, b *bench) error {
	s, stop, err := b.serveSlowly(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var keys [2]string // the flood's, and another one
	for i := range keys {
		if keys[i], err = b.key(ctx, s, fmt.Sprintf("load%d@example.org", i), "pro"); err != nil {
			return err
		}
	}
	alone, err := cold(ctx, s, "8638610", "")
	if err != nil {
		return err
	}
	fmt.Printf("  an uncached request: %d ms alone\n", alone.Milliseconds())
	byKey, err := flooded(ctx, flooders, func(ctx context.Context, i int) {
		flood(ctx, s, attacker(0), keys[0], i)
	}, func() (time.Duration, error) { return cold(ctx, s, "9414290", "") })
	if err != nil {
		return err
	}
	fmt.Printf("  during the flood of a key: %d ms\n", byKey.Milliseconds())
	byMany, err := flooded(ctx, 4*addresses, func(ctx context.Context, i int) {
		flood(ctx, s, attacker(i%addresses), "", i)
	}, func() (time.Duration, error) { return cold(ctx, s, "9449880", keys[1]) })
	if err != nil {
		return err
	}
	fmt.Printf("  of another key, during a flood from %d addresses: %d ms\n", addresses,
		byMany.Milliseconds())
	if delay := max(byKey, byMany) - alone; delay > mostDelay {
		return fmt.Errorf("a flood delayed another caller by %v, want at most %v", delay, mostDelay)
	}
	return nil
}

// serveSlowly starts a server whose providers are slow.
func (b *bench) serveSlowly(ctx context.Context) (s *server, stop func(), err error) {
	providers, err := b.start(ctx, b.simulator)
	if err != nil {
		return nil, nil, err
	}
	root := "http://" + providers.address
	plans, err := b.roomy()
	if err != nil {
		providers.stop()
		return nil, nil, err
	}
	s, err = b.serve(ctx, "--plans", plans, "--contact", "load@example.org", "--coops-url",
		root, "--nws-url", root)
	if err != nil {
		providers.stop()
		return nil, nil, err
	}
	stop = func() {
		s.stop()
		providers.stop()
	}
	slow := fmt.Sprintf(`{"kind": "slow", "delay": "%v"}`, slowness)
	if _, err = http.Post(root+"/-/fail", "application/json", strings.NewReader(slow)); err != nil {
		stop()
		return nil, nil, err
	}
	return s, stop, nil
}

// flooded runs n callers for two seconds, and then asks something meanwhile.
func flooded(ctx context.Context, n int, call func(context.Context, int),
	ask func() (time.Duration, error)) (time.Duration, error) {
	during, end := context.WithCancel(ctx)
	defer end()
	for i := range n {
		go call(during, i)
	}
	sleep(ctx, 2*time.Second)
	return ask()
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
func cold(ctx context.Context, s *server, station, key string) (time.Duration, error) {
	began := time.Now()
	status, _, err := get(ctx, caller(bystander),
		"http://"+s.address+"/api/v1/stations/"+station+"/water-levels?hours=6", key)
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("an uncached request: status %d, error %v, want 200; log: %s",
			status, err, s.log)
	}
	return time.Since(began), nil
}

// flood sends uncached requests from an address, one after the other.
func flood(ctx context.Context, s *server, from, key string, i int) {
	c := caller(from)
	for n := 0; ctx.Err() == nil; n++ {
		question := fmt.Sprintf("http://%s/api/v1/stations/%s/water-levels?hours=%d",
			s.address, gauges[i%len(gauges)], 1+(i/len(gauges)*97+n*7)%720)
		get(ctx, c, question, key) // any status: the limit refuses some
	}
}
