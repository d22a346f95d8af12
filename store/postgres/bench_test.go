package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/store"
	"leadline/store/postgres/postgrestest"
)

// The records of the benchmarks, by number. Key n belongs to account n.

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func accountID(n int) string { return fmt.Sprintf("0195c0de-0000-7000-8000-%012x", n) }

func anAccount(n int) store.Account {
	return store.Account{
		ID:      accountID(n),
		Email:   fmt.Sprintf("person%d@example.org", n),
		Plan:    "free",
		Created: noon,
	}
}

func keyHash(n int) [32]byte { return sha256.Sum256(strconv.AppendInt(nil, int64(n), 10)) }

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
		Version: 1,
	}
}

func anEvent(n, account int) store.Event {
	return store.Event{
		ID:      fmt.Sprintf("msg_%032x", n),
		Type:    "quota.warning",
		Account: accountID(account),
		Body:    make([]byte, 600),
		Created: noon,
		Expires: noon.AddDate(0, 0, 30),
	}
}

// benchStore opens a store in a durable cluster, as in operation, with n accounts of one key, one
// endpoint and units of a month each.
func benchStore(b *testing.B, n int) *Store {
	b.Helper()
	c := postgrestest.Own(b, append(postgrestest.Durable(), "shared_buffers=256MB")...)
	s, err := Open(b.Context(), Options{URL: c.URL(), Migrate: true, Timeout: 10 * time.Second})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for part := range slices.Chunk(numbers(n), 500) {
		var list []store.Record
		for _, i := range part {
			month := store.MonthRow{Account: accountID(i), Used: store.Used{Month: 202611}}
			for _, row := range []any{anAccount(i), aKey(i), anEndpoint(i), month} {
				r, err := store.NewRecord(row)
				if err != nil {
					b.Fatal(err)
				}
				list = append(list, r)
			}
		}
		if err := s.Import(b.Context(), list); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.work.Exec(b.Context(), "vacuum analyze"); err != nil {
		b.Fatal(err)
	}
	return s
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// callers makes b.N calls by n callers and reports them a second, and the 99th percentile.
func callers(b *testing.B, n int, call func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	took := make([][]time.Duration, n)
	b.ResetTimer()
	for c := range n {
		all.Go(func() {
			for {
				i := int(next.Add(1))
				if i > b.N {
					return
				}
				watch := trials.Start()
				if err := call(i); err != nil {
					b.Error(err)
					return
				}
				took[c] = append(took[c], watch.Elapsed())
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	times := slices.Concat(took...)
	slices.Sort(times)
	if len(times) > 0 {
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	}
}

// each runs a benchmark for numbers of callers.
func each(b *testing.B, list []int, call func(i int) error) {
	for _, n := range list {
		b.Run(fmt.Sprint(n), func(b *testing.B) { callers(b, n, call) })
	}
}

const benchAccounts = 20_000

// BenchmarkKeyByHash looks up keys at random.
func BenchmarkKeyByHash(b *testing.B) {
	s := benchStore(b, benchAccounts)
	each(b, []int{1, 16}, func(int) error {
		_, _, err := s.KeyByHash(b.Context(), keyHash(rand.IntN(benchAccounts)))
		return err
	})
}

// BenchmarkReserve reserves units of accounts at random.
func BenchmarkReserve(b *testing.B) {
	s := benchStore(b, benchAccounts)
	each(b, []int{1, 16, 64, 256}, func(int) error {
		_, _, err := s.Reserve(b.Context(), accountID(rand.IntN(benchAccounts)), 202611, 64, 1<<40)
		return err
	})
}

// BenchmarkReserveOne reserves units of one account.
func BenchmarkReserveOne(b *testing.B) {
	s := benchStore(b, 10)
	each(b, []int{64}, func(int) error {
		_, _, err := s.Reserve(b.Context(), accountID(1), 202611, 64, 1<<40)
		return err
	})
}

// BenchmarkReserveEvent makes reservations that post an event for one endpoint.
func BenchmarkReserveEvent(b *testing.B) {
	s := benchStore(b, benchAccounts)
	var number atomic.Int64
	each(b, []int{16, 64}, func(int) error {
		account := rand.IntN(benchAccounts)
		n := int(number.Add(1))
		_, _, err := s.Reserve(b.Context(), accountID(account), store.Month(200001+n%50_000), 1, 1<<40,
			store.Notice{At: 1, Event: func() (store.Event, error) { return anEvent(n, account), nil }})
		return err
	})
}

// BenchmarkRotate refreshes tokens of grants.
func BenchmarkRotate(b *testing.B) {
	s := benchStore(b, benchAccounts)
	const grants = 2000
	token := func(n, generation int) [32]byte { return keyHash(1_000_000*n + generation) }
	var list []store.Record
	for n := range grants {
		r, err := store.NewRecord(store.GrantRow{Grant: store.Grant{
			ID: fmt.Sprint("grant ", n), Account: accountID(n), Client: "client", Created: noon,
			Scopes: []string{"mcp:use"}, Expires: noon.AddDate(1, 0, 0),
		}, Token: token(n, 0)})
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, r)
	}
	if err := s.Import(b.Context(), list); err != nil {
		b.Fatal(err)
	}
	var locks [grants]sync.Mutex
	var generations [grants]int
	each(b, []int{16}, func(i int) error {
		n := i % grants
		locks[n].Lock()
		defer locks[n].Unlock()
		g := generations[n]
		generations[n]++
		sealed, err := s.Rotate(b.Context(), store.Rotation{
			Grant: fmt.Sprint("grant ", n), From: token(n, g), To: token(n, g+1),
			Sealed: make([]byte, 400), At: noon.Add(time.Duration(g) * time.Minute),
			Grace: time.Minute, Expires: noon.AddDate(1, 0, 0),
		})
		if err == nil && sealed == nil {
			err = fmt.Errorf("token %d of grant %d was refused", g, n)
		}
		return err
	})
}

// BenchmarkShares sets shares of 32 and of 256 subjects in a call, by three instances.
func BenchmarkShares(b *testing.B) {
	s := benchStore(b, 1)
	for n := range 3 {
		if _, err := s.Enroll(b.Context(), store.Instance{ID: fmt.Sprint(n)}); err != nil {
			b.Fatal(err)
		}
	}
	for _, subjects := range []int{32, 256} {
		b.Run(fmt.Sprint(subjects), func(b *testing.B) {
			callers(b, 3, func(i int) error {
				var list []store.ShareRequest
				first := rand.IntN(20_000)
				for k := range subjects {
					list = append(list, store.ShareRequest{
						Subject: keyHash(first + k), Share: rand.IntN(300), Limit: 300,
					})
				}
				_, err := s.Shares(b.Context(), fmt.Sprint(i%3), list)
				return err
			})
			b.ReportMetric(float64(b.N*subjects)/b.Elapsed().Seconds(), "shares/s")
		})
	}
}

// BenchmarkDeliver claims 64 endpoints with 8 deliveries each, reads them, stores their results and
// releases the endpoints, by three dispatchers.
func BenchmarkDeliver(b *testing.B) {
	const endpoints, deliveries = 64, 8
	s := benchStore(b, 2000)
	number := 0
	post := func() {
		for part := range slices.Chunk(numbers(2000), 250) {
			var list []store.Event
			for _, account := range part {
				for range deliveries {
					number++
					list = append(list, anEvent(number, account))
				}
			}
			if _, err := s.Post(b.Context(), list...); err != nil {
				b.Fatal(err)
			}
		}
	}
	var delivered atomic.Int64
	var left atomic.Int64
	var mu sync.Mutex
	callers(b, 3, func(i int) error {
		mu.Lock()
		if left.Add(-endpoints) < 3*endpoints {
			b.StopTimer()
			post()
			left.Store(2000)
			b.StartTimer()
		}
		mu.Unlock()
		n, err := deliver(b.Context(), s, fmt.Sprint(i%3), endpoints, deliveries)
		delivered.Add(int64(n))
		return err
	})
	b.ReportMetric(float64(delivered.Load())/b.Elapsed().Seconds(), "deliveries/s")
}

// deliver makes one round of a dispatcher and returns the number of its deliveries.
func deliver(ctx context.Context, s *Store, owner string, endpoints, deliveries int) (int, error) {
	list, err := s.ClaimEndpoints(ctx, owner, noon, noon.Add(time.Minute), endpoints)
	if err != nil {
		return 0, err
	}
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	jobs, err := s.Due(ctx, ids, noon, deliveries)
	if err != nil {
		return 0, err
	}
	var results []store.Result
	for _, j := range jobs {
		a := store.Attempt{At: noon, Status: 200, Millis: 12}
		results = append(results, store.Result{
			Endpoint: j.Delivery.Endpoint, Event: j.Event.ID, URL: "https://hooks.example.org/",
			Attempt: a, State: store.DeliveryDelivered, Tries: 1, Health: store.Health{Last: a},
		})
	}
	for part := range slices.Chunk(results, 64) {
		if err := s.Finish(ctx, part); err != nil {
			return 0, err
		}
	}
	return len(results), s.ReleaseEndpoints(ctx, owner, ids)
}

// BenchmarkRevocation measures the time from a revocation until another instance reports it.
func BenchmarkRevocation(b *testing.B) {
	c := postgrestest.Own(b, postgrestest.Durable()...)
	var stores [2]*Store
	for i := range stores {
		s, err := Open(b.Context(), Options{URL: c.URL(), Migrate: true})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		stores[i] = s
	}
	if err := stores[0].AddAccount(b.Context(), anAccount(0)); err != nil {
		b.Fatal(err)
	}
	arrived := make(chan struct{}, 1000)
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		_ = stores[1].Changes(b.Context(), func(list []store.Change) {
			begin()
			for _, c := range list {
				if c.Account != "" {
					arrived <- struct{}{}
				}
			}
		})
	}()
	<-begun
	callers(b, 1, func(i int) error {
		if err := stores[0].SetPlan(b.Context(), accountID(0), fmt.Sprint(i)); err != nil {
			return err
		}
		<-arrived
		return nil
	})
}
