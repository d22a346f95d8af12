package bolt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
)

const (
	workers  = 8
	allowed  = 1 << 40 // units a month: more than the workers reserve
	inCrash  = store.Month(202611)
	leaseMax = 64
)

// work runs in the process that will be killed: several goroutines, in pairs that share an account
// and its endpoints, change leases and keys, post events and deliver them. It prints a line for
// each completed call, in one write each: a pipe keeps such lines intact.
func work(path, seed string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, workers)
	for g := range workers {
		all.Go(func() { errs[g] = workOne(s, seed, g) })
	}
	all.Wait()
	return fmt.Errorf("the workers ended: %v", errs)
}

// workOne adds, replaces and revokes keys, reserves units and delivers events until a call fails.
func workOne(s *Store, seed string, g int) error {
	ctx := context.Background()
	account := accountID(g / 2)
	for n := 0; ; n++ {
		k, next := crashKey(seed, g, n, account), crashKey(seed, g, -1-n, account)
		if err := s.AddKey(ctx, k); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "key %s %d %d\n", seed, g, n)
		granted, _, err := s.Reserve(ctx, account, inCrash, uint64(1+n%leaseMax), allowed)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "reserved %s %d\n", account, granted)
		if err := s.ReplaceKey(ctx, k.ID, noon, next); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "replaced %s %d %d\n", seed, g, n)
		if err := s.RevokeKey(ctx, next.ID, noon); err != nil {
			return err
		}
		fmt.Fprintf(os.Stdout, "revoked %s %d %d\n", seed, g, n)
		if err := deliverOne(ctx, s, seed, g, n); err != nil {
			return err
		}
	}
}

// deliverOne posts an event and delivers it.
func deliverOne(ctx context.Context, s *Store, seed string, g, n int) error {
	e := crashEvent(seed, g, n)
	if _, err := s.Post(ctx, e); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "posted %s %d %d\n", seed, g, n)
	if err := s.Finish(ctx, []store.Result{{
		Endpoint: endpointID(g / 2),
		Event:    e.ID,
		URL:      anEndpoint(g / 2).URL,
		Attempt:  store.Attempt{At: noon, Status: 200},
		State:    store.DeliveryDelivered,
		Tries:    1,
	}}); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "finished %s %d %d\n", seed, g, n)
	return nil
}

func crashEvent(seed string, g, n int) store.Event {
	id := fmt.Sprintf("msg_%s-%d-%d", seed, g, n)
	return store.Event{
		ID:      id,
		Type:    "quota.warning",
		Account: accountID(g / 2),
		Body:    bytes.Repeat([]byte(id), 50),
		Created: noon,
		Expires: noon.AddDate(0, 0, 30),
	}
}

// disabledEndpoint returns the second endpoint of account n. All its deliveries are skipped.
func disabledEndpoint(n int) store.Endpoint {
	e := anEndpoint(n)
	e.ID, e.State = endpointID(workers+n), store.EndpointDisabled
	return e
}

func crashKey(seed string, g, n int, account string) store.Key {
	id := fmt.Sprintf("%s-%d-%d", seed, g, n)
	// The keys of one round have expired in the next, or the account would have too many keys.
	round, _ := strconv.Atoi(seed)
	created := noon.Add(time.Duration(round) * time.Hour)
	return store.Key{
		ID:      id,
		Hash:    sha256.Sum256([]byte(id)),
		Account: account,
		Name:    "crash",
		Scopes:  []string{"mcp:use"},
		Created: created,
		Expires: created.Add(time.Hour),
	}
}

// TestCrash kills a process repeatedly during its work. Everything that it acknowledged must be
// stored. More units than acknowledged may be reserved, but never fewer.
func TestCrash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := openStore(t, path)
	for n := range workers / 2 {
		if err := s.AddAccount(t.Context(), anAccount(n)); err != nil {
			t.Fatal(err)
		}
		for _, e := range []store.Endpoint{anEndpoint(n), disabledEndpoint(n)} {
			if err := s.AddEndpoint(t.Context(), e, 2); err != nil {
				t.Fatal(err)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	reserved := map[string]uint64{} // acknowledged or found, by account
	acknowledged := 0
	crashes := trials.Kills()
	for round := range crashes {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		c := startChild(t, path, round)
		var lines []string
		for range random.IntN(200) {
			if !c.output.Scan() {
				t.Fatalf("round %d: the process ended by itself after %d lines", round, len(lines))
			}
			lines = append(lines, c.output.Text())
		}
		lines = append(lines, c.kill()...)
		acknowledged += len(lines)
		s = openStore(t, path)
		for _, line := range lines {
			checkStored(t, s, line, reserved)
		}
		checkUnits(t, s, reserved)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(path)
	if err != nil {
		t.Errorf("Verify() after %d crashes: %v", crashes, err)
	}
	t.Logf("%d crashes, %d calls acknowledged, %+v", crashes, acknowledged, report)
}

// checkStored checks that the store has the result of an acknowledged call.
func checkStored(t *testing.T, s *Store, line string, reserved map[string]uint64) {
	t.Helper()
	what, rest, _ := strings.Cut(line, " ")
	if what == "reserved" {
		var account string
		var units uint64
		if _, err := fmt.Sscan(rest, &account, &units); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		reserved[account] += units
		return
	}
	var seed string
	var g, n int
	if _, err := fmt.Sscan(rest, &seed, &g, &n); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if what == "posted" || what == "finished" {
		e := crashEvent(seed, g, n)
		checkEvent(t, s, line, e, g/2, what == "finished")
		return
	}
	k := crashKey(seed, g, n, accountID(g/2))
	next := crashKey(seed, g, -1-n, k.Account)
	got, _, err := s.KeyByHash(t.Context(), k.Hash)
	ok := err == nil && got.ID == k.ID && got.Account == k.Account
	if what != "key" {
		ok = ok && got.Expires.Equal(noon)
		got, _, err = s.KeyByHash(t.Context(), next.Hash)
		ok = ok && err == nil && got.ID == next.ID && (what == "replaced" || got.Revoked.Equal(noon))
	}
	if !ok {
		t.Errorf("%q was acknowledged, but the key is %+v, %v", line, got, err)
	}
}

// checkEvent checks that the store has an acknowledged event of account n with its deliveries.
func checkEvent(t *testing.T, s *Store, line string, want store.Event, n int, finished bool) {
	t.Helper()
	got, err := s.Event(t.Context(), want.ID)
	if err != nil || !bytes.Equal(got.Body, want.Body) {
		t.Errorf("%q was acknowledged, but the event is %+v, %v", line, got, err)
	}
	d, err := s.Delivery(t.Context(), disabledEndpoint(n).ID, want.ID)
	if err != nil || d.State != store.DeliverySkipped {
		t.Errorf("%q was acknowledged, but the skipped delivery is %+v, %v", line, d, err)
	}
	d, err = s.Delivery(t.Context(), endpointID(n), want.ID)
	if err != nil || finished && (d.State != store.DeliveryDelivered || len(d.Attempts) != 1) {
		t.Errorf("%q was acknowledged, but the delivery is %+v, %v", line, d, err)
	}
}

// checkUnits checks that no fewer units are reserved than were acknowledged, and at most one lease
// more for each worker, which may have been killed before it received the result.
func checkUnits(t *testing.T, s *Store, reserved map[string]uint64) {
	t.Helper()
	for n := range workers / 2 {
		got, err := s.Usage(t.Context(), accountID(n), inCrash)
		least := reserved[accountID(n)]
		most := least + 2*leaseMax
		if err != nil || got < least || got > most {
			t.Errorf("Usage(%s) = %d, %v, want %d to %d", accountID(n), got, err, least, most)
		}
		reserved[accountID(n)] = got
	}
}
