package bolt

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/store"
)

// aKey returns key n, which belongs to account n.
func aKey(n int) store.Key {
	return store.Key{
		ID:      fmt.Sprintf("%07d", n),
		Hash:    keyHash(n),
		Account: accountID(n),
		Name:    "laptop",
		Scopes:  []string{"raw:read", "mcp:use", "decision:read"},
		Created: noon,
		Expires: noon.AddDate(1, 0, 0),
	}
}

func keyHash(n int) [32]byte { return sha256.Sum256(strconv.AppendInt(nil, int64(n), 10)) }

func accountID(n int) string { return fmt.Sprintf("0195c0de-0000-7000-8000-%012x", n) }

func anAccount(n int) store.Account {
	return store.Account{
		ID:      accountID(n),
		Email:   fmt.Sprintf("person%d@example.org", n),
		Plan:    "free",
		Created: noon,
	}
}

func endpointID(n int) string { return fmt.Sprintf("we_%014d", n) }

// anEndpoint returns the endpoint of account n, which receives everything.
func anEndpoint(n int) store.Endpoint {
	return store.Endpoint{
		ID:      endpointID(n),
		Account: accountID(n),
		URL:     "https://hooks.example.org/",
		Kinds:   []string{"*"},
		State:   store.EndpointEnabled,
		Secret:  make([]byte, 61),
		Created: noon,
		Enabled: noon,
	}
}

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// fill adds n accounts with one key each, concurrently.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	var all sync.WaitGroup
	for part := range groupSize {
		all.Go(func() {
			for i := part; i < n; i += groupSize {
				if err := s.AddAccount(t.Context(), anAccount(i)); err != nil {
					t.Error(err)
					return
				}
				if err := s.AddKey(t.Context(), aKey(i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// many is the number of accounts in the benchmarks, each with one key.
const many = 100_000

func BenchmarkKeyByHash(b *testing.B) {
	s := openSynced(b, filepath.Join(b.TempDir(), "leadline.db"))
	fill(b, s, many)
	for _, g := range []int{1, 64} {
		b.Run(fmt.Sprint(g, "-callers"), func(b *testing.B) {
			var n atomic.Int64
			b.ReportAllocs()
			callers(b, g, func(int) error {
				_, _, err := s.KeyByHash(b.Context(), keyHash(int(n.Add(7919)%many)))
				return err
			})
		})
	}
}

// callers runs b.N calls from g goroutines.
func callers(b *testing.B, g int, call func(i int) error) {
	var all sync.WaitGroup
	var n atomic.Int64
	for range g {
		all.Go(func() {
			for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
				if err := call(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkReserve(b *testing.B) {
	s := openSynced(b, filepath.Join(b.TempDir(), "leadline.db"))
	fill(b, s, many)
	for _, g := range []int{1, 64, 256} {
		b.Run(fmt.Sprint(g, "-callers"), func(b *testing.B) {
			b.ReportAllocs()
			callers(b, g, func(i int) error {
				_, _, err := s.Reserve(b.Context(), accountID(i*7919%many), 202611, 1, 1<<62)
				return err
			})
		})
	}
}

// BenchmarkTogether measures the calls that write many rows at once. Other writes wait for them.
func BenchmarkTogether(b *testing.B) {
	s := openSynced(b, filepath.Join(b.TempDir(), "leadline.db"))
	fill(b, s, many)
	const rows = 500
	b.Run("AddUses", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			list := make([]store.Use, rows)
			for n := range list {
				id := accountID((i*rows + n) * 7919 % many)
				list[n] = store.Use{Account: id, Day: 20261121, Surface: "mcp", Served: 1}
			}
			if err := s.AddUses(b.Context(), list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("TouchKeys", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			list := make([]store.Touch, rows)
			for n := range list {
				id := aKey((i*rows + n) * 7919 % many).ID
				list[n] = store.Touch{Key: id, Day: noon.AddDate(0, 0, i), Address: "192.0.2.0/24"}
			}
			if err := s.TouchKeys(b.Context(), list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Sweep", func(b *testing.B) {
		for more := true; b.Loop() && more; {
			var err error
			if more, err = s.Sweep(b.Context(), noon.AddDate(20, 0, 0), 500); err != nil {
				b.Fatal(err)
			}
		}
	})
}
