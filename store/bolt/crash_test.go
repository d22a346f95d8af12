package bolt

import (
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
	allowed  = 1 << 40 // units a month: more than is asked for
	inCrash  = store.Month(202611)
	leaseMax = 64
)

// work is what the process that will be killed does: leases and keys in several
// goroutines, one of which shares its account with another. It tells of each
// call that came back, in one write a line: a pipe keeps such lines whole.
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

// workOne adds, replaces and revokes keys and reserves and returns units,
// without an end.
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
	}
}

func crashKey(seed string, g, n int, account string) store.Key {
	id := fmt.Sprintf("%s-%d-%d", seed, g, n)
	// What one round leaves has expired in the next one, or the account would have too many keys.
	round, _ := strconv.Atoi(seed)
	created := noon.Add(time.Duration(round) * time.Hour)
	return store.Key{
		ID: id, Hash: sha256.Sum256([]byte(id)), Account: account, Name: "crash", Scopes: []string{"mcp:use"},
		Created: created, Expires: created.Add(time.Hour),
	}
}

// TestCrash kills a process amid its work, again and again. Whatever it said
// that it had done is there; units may be reserved that it had not heard of
// yet, but never fewer.
func TestCrash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leadline.db")
	s := openStore(t, path)
	for n := range workers / 2 {
		if err := s.AddAccount(t.Context(), anAccount(n)); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	reserved := map[string]uint64{} // acknowledged or found, by account
	said := 0
	crashes := trials.Kills()
	for round := range crashes {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		c := startChild(t, path, round)
		var lines []string
		for range random.IntN(200) {
			if !c.said.Scan() {
				t.Fatalf("round %d: the process ended by itself after %d lines", round, len(lines))
			}
			lines = append(lines, c.said.Text())
		}
		lines = append(lines, c.kill()...)
		said += len(lines)
		s = openStore(t, path)
		for _, line := range lines {
			kept(t, s, line, reserved)
		}
		settleUnits(t, s, reserved)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(path)
	if err != nil {
		t.Errorf("Verify() after %d crashes: %v", crashes, err)
	}
	t.Logf("%d crashes, %d calls acknowledged, %+v", crashes, said, report)
}

// kept holds that what a line says is in the store.
func kept(t *testing.T, s *Store, line string, reserved map[string]uint64) {
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
		t.Errorf("%q was said, and the key is %+v, %v", line, got, err)
	}
}

// settleUnits holds that no fewer units are reserved than were acknowledged,
// and at most a lease more for each worker that was killed before it heard.
func settleUnits(t *testing.T, s *Store, reserved map[string]uint64) {
	t.Helper()
	for n := range workers / 2 {
		got, err := s.Usage(t.Context(), accountID(n), inCrash)
		if want := reserved[accountID(n)]; err != nil || got < want || got > want+2*leaseMax {
			t.Errorf("Usage(%s) = %d, %v, want from %d to %d", accountID(n), got, err, want, want+2*leaseMax)
		}
		reserved[accountID(n)] = got
	}
}
