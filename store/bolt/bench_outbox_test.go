//go:build unix

package bolt

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leadline/store"
)

// receivers is the number of accounts with one endpoint each in the benchmarks of events.
const receivers = 10_000

func benchEvent(n, account int) store.Event {
	return store.Event{
		ID:      fmt.Sprintf("msg_%032x", n),
		Type:    "quota.warning",
		Account: accountID(account),
		Body:    bytes.Repeat([]byte("x"), 900),
		Created: noon,
		Expires: noon.AddDate(0, 0, 30),
	}
}

// outbox opens a store with n accounts, each with an endpoint.
func outbox(b *testing.B, n int) *Store {
	b.Helper()
	s := openSynced(b, filepath.Join(b.TempDir(), "leadline.db"))
	var all sync.WaitGroup
	for part := range groupSize {
		all.Go(func() {
			for i := part; i < n; i += groupSize {
				err := s.AddAccount(b.Context(), anAccount(i))
				if err == nil {
					err = s.AddEndpoint(b.Context(), anEndpoint(i), 1)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return s
}

// postAll posts an event to each of n endpoints, times each, in groups.
func postAll(b *testing.B, s *Store, n, times int) {
	b.Helper()
	var all sync.WaitGroup
	for part := range 64 {
		all.Go(func() {
			var list []store.Event
			for i := part; i < n*times; i += 64 {
				list = append(list, benchEvent(i, i%n))
			}
			if _, err := s.Post(b.Context(), list...); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
}

// cpu returns the CPU time that the process has used. Times of the clock mean little on a machine
// that does other work.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perOp reports the CPU time of n operations since began, and their number in a second.
func perOp(b *testing.B, what string, n int, began time.Duration) {
	b.ReportMetric(float64((cpu()-began).Microseconds())/float64(n), "cpu-µs/"+what)
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), what+"/s")
}

// BenchmarkReserveNotices compares reservations that are given two notices, none of them due, with
// those that are given none. The two alternate; x is the ratio of the medians of their CPU times.
func BenchmarkReserveNotices(b *testing.B) {
	s := outbox(b, receivers)
	notices := []store.Notice{
		notice(1<<40, benchEvent(1, 1)),
		notice(1<<41, benchEvent(2, 1)),
	}
	const calls = 4096
	round := func(list ...store.Notice) time.Duration {
		began := cpu()
		var all sync.WaitGroup
		for g := range 64 {
			all.Go(func() {
				for i := range calls / 64 {
					account := accountID((g*7919 + i*104_729) % receivers)
					_, _, err := s.Reserve(b.Context(), account, 202611, 1, 1<<50, list...)
					if err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		return cpu() - began
	}
	var without, with []time.Duration
	for b.Loop() {
		without = append(without, round())
		with = append(with, round(notices...), round(notices...))
		without = append(without, round())
	}
	slices.Sort(without)
	slices.Sort(with)
	b.ReportMetric(float64(without[len(without)/2])/float64(with[len(with)/2]), "x")
	b.ReportMetric(float64(with[len(with)/2].Microseconds())/calls, "cpu-µs/reservation")
}

// BenchmarkReserveEvent makes reservations that each post an event for one endpoint.
func BenchmarkReserveEvent(b *testing.B) {
	const g, each = 64, receivers / 64
	s := outbox(b, g*each)
	var units [g * each]uint64
	var next atomic.Int64
	began := cpu()
	b.ResetTimer()
	var all sync.WaitGroup
	for caller := range g {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				n := caller*each + int(i)%each
				units[n]++
				due := notice(units[n], benchEvent(int(i), n))
				_, _, err := s.Reserve(b.Context(), accountID(n), 202611, 1, 1<<50, due)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	perOp(b, "event", b.N, began)
}

func BenchmarkPost(b *testing.B) {
	for _, g := range []int{1, 64} {
		b.Run(fmt.Sprint(g, "-callers"), func(b *testing.B) {
			s := outbox(b, receivers)
			began := cpu()
			b.ResetTimer()
			callers(b, g, func(i int) error {
				_, err := s.Post(b.Context(), benchEvent(i, i%receivers))
				return err
			})
			perOp(b, "event", b.N, began)
		})
	}
}

// BenchmarkDeliver claims endpoints, reads what is due and finishes it, as a dispatcher does, in
// one goroutine. An operation is a round of 256 endpoints; run it at most 90 times.
func BenchmarkDeliver(b *testing.B) {
	const each = 20
	s := outbox(b, receivers)
	postAll(b, s, receivers, each)
	now := noon.Add(time.Hour)
	done := 0
	began := cpu()
	for b.Loop() {
		done += deliverSome(b, s, now)
	}
	perOp(b, "delivery", done, began)
	if done == 0 || done >= receivers*each {
		b.Fatalf("%d deliveries, want less than %d", done, receivers*each)
	}
}

// deliverSome delivers what is due for up to 256 endpoints and returns the number of deliveries.
func deliverSome(b *testing.B, s *Store, now time.Time) int {
	claimed, err := s.ClaimEndpoints(b.Context(), "me", now, now.Add(time.Minute), 256)
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, e := range claimed {
		ids = append(ids, e.ID)
	}
	jobs, err := s.Due(b.Context(), ids, now, 8)
	if err != nil {
		b.Fatal(err)
	}
	var results []store.Result
	for _, j := range jobs {
		a := store.Attempt{At: now, Status: 200, Millis: 3, Reply: "ok"}
		results = append(results, store.Result{
			Endpoint: j.Delivery.Endpoint, Event: j.Event.ID, URL: anEndpoint(0).URL,
			Attempt: a, State: store.DeliveryDelivered, Tries: 1, Health: store.Health{Last: a},
		})
	}
	if err := s.Finish(b.Context(), results); err != nil {
		b.Fatal(err)
	}
	if err := s.ReleaseEndpoints(b.Context(), "me", ids); err != nil {
		b.Fatal(err)
	}
	return len(jobs)
}

func BenchmarkBacklog(b *testing.B) {
	for _, pending := range []int{0, 1, 10} {
		b.Run(fmt.Sprint(pending, "-pending"), func(b *testing.B) {
			s := outbox(b, receivers)
			postAll(b, s, receivers, pending)
			b.ResetTimer()
			for b.Loop() {
				got, err := s.Backlog(b.Context())
				if err != nil || got.Pending != receivers*pending {
					b.Fatal(got, err)
				}
			}
		})
	}
}

// BenchmarkClampDue finds nothing to move, as nearly always.
func BenchmarkClampDue(b *testing.B) {
	s := outbox(b, receivers)
	postAll(b, s, receivers, 1)
	began := cpu()
	calls := 0
	for b.Loop() {
		if n, err := s.ClampDue(b.Context(), noon.AddDate(0, 0, 1), noon); n != 0 || err != nil {
			b.Fatal(n, err)
		}
		calls++
	}
	perOp(b, "call", calls, began)
}

// BenchmarkFullEndpoint skips and replays a full backlog, and removes it with its account: the
// longest transactions of the outbox.
func BenchmarkFullEndpoint(b *testing.B) {
	s := outbox(b, 1)
	var all []string
	var list []store.Event
	for i := range store.MostPending {
		e := benchEvent(i, 0)
		all, list = append(all, e.ID), append(list, e)
	}
	steps := map[string]func() error{
		"post": func() error {
			_, err := s.Post(b.Context(), list...)
			return err
		},
		"skip": func() error {
			e := anEndpoint(0)
			e.State, e.Version = store.EndpointDisabled, 1
			return s.PutEndpoint(b.Context(), e)
		},
		"enable": func() error {
			e := anEndpoint(0)
			e.Version = 2
			return s.PutEndpoint(b.Context(), e)
		},
		"replay": func() error {
			_, err := s.Replay(b.Context(), endpointID(0), all, noon)
			return err
		},
		"remove": func() error { return s.RemoveAccount(b.Context(), accountID(0)) },
	}
	for b.Loop() {
		for _, name := range []string{"post", "skip", "enable", "replay", "remove"} {
			began := cpu()
			if err := steps[name](); err != nil {
				b.Fatal(name, err)
			}
			b.ReportMetric(float64((cpu() - began).Milliseconds()), "cpu-ms/"+name)
		}
		if err := s.AddAccount(b.Context(), anAccount(0)); err != nil {
			b.Fatal(err)
		}
		if err := s.AddEndpoint(b.Context(), anEndpoint(0), 1); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPostSkipped compares posts to an account with a disabled endpoint, which has skipped
// thousands of events, with those to an account with an enabled one, where as many wait. The two
// alternate; x is the ratio of the medians of their CPU times. Run it at most 35 times: then the
// enabled endpoint has store.MostPending deliveries.
func BenchmarkPostSkipped(b *testing.B) {
	const accounts, disabled, enabled, calls = 2, 0, 1, 64
	s := outbox(b, accounts)
	postAll(b, s, accounts, store.MostPending/2)
	off := anEndpoint(disabled)
	off.State, off.Version = store.EndpointDisabled, 1
	if err := s.PutEndpoint(b.Context(), off); err != nil {
		b.Fatal(err)
	}
	next := accounts * store.MostPending
	round := func(account int) time.Duration {
		began := cpu()
		for range calls {
			next++
			if _, err := s.Post(b.Context(), benchEvent(next, account)); err != nil {
				b.Fatal(err)
			}
		}
		return cpu() - began
	}
	var of [accounts][]time.Duration
	for b.Loop() {
		for _, account := range []int{enabled, disabled, disabled, enabled} {
			of[account] = append(of[account], round(account))
		}
	}
	median := func(account int) float64 {
		slices.Sort(of[account])
		return float64(of[account][len(of[account])/2].Microseconds()) / calls
	}
	b.ReportMetric(median(disabled)/median(enabled), "x")
	b.ReportMetric(median(disabled), "cpu-µs/skipped-event")
}

// BenchmarkRemoval measures changes of an endpoint with a full backlog, and the removal of its
// account: the time for which the writer is blocked.
func BenchmarkRemoval(b *testing.B) {
	for name, change := range map[string]func(*Store, store.Endpoint) error{
		"disable": func(s *Store, e store.Endpoint) error {
			e.State = store.EndpointDisabled
			return s.PutEndpoint(b.Context(), e)
		},
		"remove endpoint": func(s *Store, e store.Endpoint) error {
			return s.RemoveEndpoint(b.Context(), e.ID)
		},
		"remove account": func(s *Store, e store.Endpoint) error {
			return s.RemoveAccount(b.Context(), e.Account)
		},
	} {
		b.Run(name, func(b *testing.B) {
			var used time.Duration
			for range b.N {
				b.StopTimer()
				s := outbox(b, 1)
				postAll(b, s, 1, store.MostPending)
				e, err := s.Endpoint(b.Context(), anEndpoint(0).ID)
				if err != nil {
					b.Fatal(err)
				}
				before := cpu()
				b.StartTimer()
				if err := change(s, e); err != nil {
					b.Fatal(err)
				}
				used += cpu() - before
			}
			b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
