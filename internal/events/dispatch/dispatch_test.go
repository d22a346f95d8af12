package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/events"
	"leadline/internal/events/sender"
	"leadline/internal/events/signature"
	"leadline/store"
)

const day = 24 * time.Hour

// TestTenAttempts checks the whole schedule of a delivery that always fails.
func TestTenAttempts(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.config.Poll = 30 * time.Second // the test covers days
		r.config.Store = &hourly{Store: r.store}
		r.respond(responding(500))
		e := r.endpoint(1, store.EndpointEnabled)
		event := r.post()
		r.start()
		time.Sleep(5 * day)
		list := r.attempts(event)
		want := []int{5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400}
		if len(list) != len(want)+1 {
			t.Fatalf("%d attempts, want %d", len(list), len(want)+1)
		}
		for i, seconds := range want {
			gap, interval := list[i+1].at.Sub(list[i].at), time.Duration(seconds)*time.Second
			if gap < interval*85/100 || gap > interval*115/100+time.Second+r.config.Poll {
				t.Errorf("attempt %d began %v after the one before, want %v", i+2, gap, interval)
			}
			if list[i].Attempt != i+1 {
				t.Errorf("attempt %d has number %d", i+1, list[i].Attempt)
			}
		}
		if d := r.delivery(e, event); d.State != store.DeliveryFailed || len(d.Attempts) != 10 {
			t.Errorf("delivery %s with %d attempts, want failed with 10", d.State, len(d.Attempts))
		}
	})
}

// TestDelivered checks a delivery that succeeds at its third attempt.
func TestDelivered(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		r.respond(responding(500))
		event := r.post()
		d, _ := r.start()
		time.Sleep(time.Minute)
		r.respond(responding(204))
		time.Sleep(time.Hour)
		got := r.delivery(e, event)
		if got.State != store.DeliveryDelivered || len(got.Attempts) != 3 ||
			got.Attempts[2].Status != 204 {
			t.Errorf("delivery %+v, want delivered at the third attempt", got)
		}
		if h := r.stored(e).Health; h.Failures != 0 || h.Deliveries != 0 || h.Last.Status != 204 {
			t.Errorf("health %+v, want no failures", h)
		}
		if fast, slow, all := d.Slots(); fast+slow+all != 0 {
			t.Errorf("slots in use: %d, %d, %d, want none", fast, slow, all)
		}
	})
}

// TestWake checks that an event is attempted at once after Wake, and after a second without.
func TestWake(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.endpoint(1, store.EndpointEnabled)
		d, _ := r.start()
		time.Sleep(5500 * time.Millisecond)
		posted := time.Now()
		woken := r.post()
		d.Wake()
		time.Sleep(10 * time.Second)
		if got := r.attempts(woken); len(got) != 1 || got[0].at.Sub(posted) > 100*time.Millisecond {
			t.Errorf("attempts %v, want one at once", got)
		}
		posted = time.Now()
		found := r.post()
		time.Sleep(10 * time.Second)
		if got := r.attempts(found); len(got) != 1 || got[0].at.Sub(posted) > time.Second {
			t.Errorf("attempts %v, want one within a second", got)
		}
	})
}

// TestPause checks that an endpoint that asks for a pause gets nothing during it, and everything
// afterwards.
func TestPause(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.endpoint(1, store.EndpointEnabled)
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			report := responding(429)(ctx, q)
			report.Until = time.Now().Add(time.Hour)
			return report
		})
		r.post()
		r.start()
		time.Sleep(time.Minute)
		r.respond(responding(200))
		for range 20 {
			r.post()
			time.Sleep(time.Second)
		}
		time.Sleep(50 * time.Minute)
		if got := len(r.attempts("")); got != 1 {
			t.Fatalf("%d attempts within the pause, want 1", got)
		}
		time.Sleep(10 * time.Minute)
		if got := len(r.attempts("")); got != 22 {
			t.Errorf("%d attempts after the pause, want 22", got)
		}
	})
}

// TestPauseWithoutHeader checks that an overloaded endpoint gets nothing until the next scheduled
// attempt.
func TestPauseWithoutHeader(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.endpoint(1, store.EndpointEnabled)
		r.respond(responding(503))
		first := r.post()
		r.start()
		time.Sleep(time.Minute) // two attempts; the third follows after five minutes
		r.respond(responding(200))
		second := r.post()
		time.Sleep(2 * time.Minute)
		if got := len(r.attempts(first)) + len(r.attempts(second)); got != 2 {
			t.Errorf("%d attempts within three minutes, want 2", got)
		}
		time.Sleep(4 * time.Minute)
		if a, b := len(r.attempts(first)), len(r.attempts(second)); a != 3 || b != 1 {
			t.Errorf("%d and %d attempts after the pause, want 3 and 1", a, b)
		}
	})
}

// TestProbes checks that an endpoint that is down with a backlog gets one attempt per probe, and
// that a success releases everything.
func TestProbes(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.config.Poll = 5 * time.Second
		r.config.Store = &hourly{Store: r.store}
		r.respond(slowly(0, 15*time.Second))
		e := r.endpoint(1, store.EndpointEnabled)
		r.posts(200, nil)
		r.start()
		time.Sleep(day)
		list := r.attempts("")
		const direct = 3 // failures before the endpoint as a whole is probed
		pauses := []int{5, 30, 120, 600, 1800, 3600, 3600, 3600, 3600, 3600, 3600, 3600}
		for i, seconds := range pauses {
			ended := list[direct-1+i].at.Add(15 * time.Second)
			gap, interval := list[direct+i].at.Sub(ended), time.Duration(seconds)*time.Second
			if gap < interval*85/100 || gap > interval*115/100+time.Second+r.config.Poll {
				t.Errorf("probe %d began %v after the attempt before, want %v", i+1, gap, interval)
			}
		}
		if len(list) < 24 || len(list) > 34 {
			t.Errorf("%d attempts in a day, want about 30", len(list))
		}
		h := r.stored(e).Health
		if h.Failures != len(list) || h.Deliveries < probedFrom {
			t.Errorf("health %+v after %d attempts", h, len(list))
		}
		r.respond(responding(200))
		time.Sleep(70 * time.Minute)
		if e := r.stored(e); e.Pending != 0 || e.Health.Failures != 0 || !e.Health.PauseUntil.IsZero() {
			t.Errorf("%d deliveries pending, health %+v, want none", e.Pending, e.Health)
		}
		if got := len(r.attempts("")) - len(list); got != 200 {
			t.Errorf("%d attempts after the recovery, want 200", got)
		}
	})
}

// TestSuspended checks that an endpoint that has failed for five days is suspended with its
// backlog, and that both are logged without its path.
func TestSuspended(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.config.Poll = time.Minute
		r.config.Store = &hourly{Store: r.store}
		r.respond(responding(500))
		e := r.endpoint(1, store.EndpointEnabled)
		events := r.posts(50, nil)
		r.start()
		began := time.Now()
		time.Sleep(5*day - time.Hour)
		if got := r.stored(e).State; got != store.EndpointEnabled {
			t.Errorf("state %s after less than five days, want enabled", got)
		}
		time.Sleep(4 * time.Hour)
		got := r.stored(e)
		if got.State != store.EndpointSuspended || got.Reason != store.ReasonFailing || got.Pending != 0 {
			t.Errorf("%s, %s, %d pending after %v, want suspended, failing, 0", got.State, got.Reason,
				got.Pending, time.Since(began))
		}
		if d := r.delivery(e, events[len(events)-1]); d.State != store.DeliverySkipped {
			t.Errorf("pending delivery became %s, want skipped", d.State)
		}
		before := len(r.attempts(""))
		time.Sleep(day)
		if after := len(r.attempts("")); after != before {
			t.Errorf("%d attempts at a suspended endpoint", after-before)
		}
		log := r.log.String()
		if !strings.Contains(log, e.ID) || !strings.Contains(log, "host-1.example") ||
			strings.Contains(log, "hook") || strings.Contains(log, "confidential") {
			t.Errorf("log:\n%s", log)
		}
	})
}

// TestGone checks that 410 suspends at once.
func TestGone(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.respond(responding(410))
		e := r.endpoint(1, store.EndpointEnabled)
		for range 5 {
			r.post()
		}
		r.start()
		time.Sleep(time.Hour)
		if got := r.stored(e); got.State != store.EndpointSuspended || got.Reason != store.ReasonGone {
			t.Errorf("%s, %s, want suspended, gone", got.State, got.Reason)
		}
		if got := len(r.attempts("")); got != 1 {
			t.Errorf("%d attempts, want 1", got)
		}
	})
}

// TestUnopenedSecret checks that an endpoint whose secret cannot be opened is suspended without
// an attempt.
func TestUnopenedSecret(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		other := r.endpoint(2, store.EndpointEnabled)
		e.Version, e.Secret = 1, other.Secret // sealed for the other endpoint
		if err := r.store.PutEndpoint(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		r.post()
		r.start()
		time.Sleep(time.Minute)
		if got := r.stored(e); got.State != store.EndpointSuspended || got.Reason != store.ReasonSecret {
			t.Errorf("%s, %s, want suspended, secret", got.State, got.Reason)
		}
		for _, a := range r.attempts("") {
			if a.Endpoint == e.ID {
				t.Error("an attempt without a signature")
			}
		}
		if got := len(r.attempts("")); got != 1 {
			t.Errorf("%d attempts at the other endpoint, want 1", got)
		}
	})
}

// TestPending checks that a pending endpoint receives its test alone, that a success enables it,
// and that it then receives what had waited.
func TestPending(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		waiting := r.posts(20, nil)
		e.Version, e.State, e.URL = 1, store.EndpointPending, "https://elsewhere.example/"
		if err := r.store.PutEndpoint(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		r.respond(responding(500))
		r.start()
		time.Sleep(time.Minute)
		if got := len(r.attempts("")); got != 0 {
			t.Fatalf("%d attempts at a pending endpoint, want none", got)
		}
		test := r.postTo(e.ID)
		time.Sleep(time.Minute)
		if a, b := len(r.attempts(test)), len(r.attempts("")); a != 2 || b != 2 {
			t.Errorf("%d attempts of the test and %d in all, want 2 and 2", a, b)
		}
		r.respond(responding(200))
		time.Sleep(10 * time.Minute)
		if got := r.stored(e); got.State != store.EndpointEnabled || got.Pending != 0 {
			t.Errorf("%s, %d pending, want enabled, 0", got.State, got.Pending)
		}
		for _, event := range waiting {
			if got := len(r.attempts(event)); got != 1 {
				t.Fatalf("%d attempts of an event that waited, want 1", got)
			}
		}
	})
}

// TestSkipped checks that nothing is sent to endpoints that are not enabled. Once they are, a
// replay sends the events that happened meanwhile.
func TestSkipped(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.respond(responding(200))
		r.endpoint(0, store.EndpointEnabled)
		off := []store.Endpoint{
			r.endpoint(1, store.EndpointPending),
			r.endpoint(2, store.EndpointDisabled),
			r.endpoint(3, store.EndpointSuspended),
		}
		var events []string
		for range 9 {
			events = append(events, r.post())
		}
		events = append(events, r.postNews())
		r.start()
		time.Sleep(time.Minute)
		for _, e := range off {
			e.Version, e.State = 1, store.EndpointEnabled
			if err := r.store.PutEndpoint(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if got := len(r.attempts("")); got != len(events) {
			t.Fatalf("%d attempts, want %d, all at the enabled endpoint", got, len(events))
		}
		for _, e := range off {
			n, err := r.store.Replay(t.Context(), e.ID, events, time.Now())
			if err != nil || n != len(events) {
				t.Errorf("Replay(%s) = %d, %v, want %d", e.ID, n, err, len(events))
			}
		}
		time.Sleep(time.Minute)
		for _, event := range events {
			list := r.attempts(event)
			if len(list) != 1+len(off) {
				t.Fatalf("%d attempts of an event, want %d", len(list), 1+len(off))
			}
			for _, a := range list[1:] {
				if !a.Replay || a.Attempt != 1 {
					t.Errorf("attempt %d, replay %v, want 1, true", a.Attempt, a.Replay)
				}
			}
		}
	})
}

// TestTestDuringPause checks that a test passes a pause, and that its success ends it.
func TestTestDuringPause(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.respond(responding(500))
		r.config.Poll = 5 * time.Second // waking is part of the test
		r.config.Store = &hourly{Store: r.store}
		e := r.endpoint(1, store.EndpointEnabled)
		r.posts(10, nil)
		d, _ := r.start()
		time.Sleep(12 * time.Hour)
		r.respond(responding(200))
		before := len(r.attempts(""))
		test := r.postTo(e.ID)
		d.Wake()
		time.Sleep(time.Second)
		if got := r.attempts(test); len(got) != 1 {
			t.Errorf("%d attempts of the test within a second, want 1", len(got))
		}
		time.Sleep(time.Minute)
		if got := len(r.attempts("")) - before; got != 11 {
			t.Errorf("%d attempts after the test, want 11", got)
		}
	})
}

// TestTestAskedToWait checks that a test, which passes pauses, is not repeated before the time that
// its receiver has asked for.
func TestTestAskedToWait(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			report := responding(429)(ctx, q)
			report.Until = time.Now().Add(time.Hour)
			return report
		})
		e := r.endpoint(1, store.EndpointEnabled)
		test := r.postTo(e.ID)
		r.start()
		time.Sleep(59 * time.Minute)
		if got := len(r.attempts(test)); got != 1 {
			t.Errorf("%d attempts within the hour that was asked for, want 1", got)
		}
		time.Sleep(2 * time.Minute)
		if got := len(r.attempts(test)); got != 2 {
			t.Errorf("%d attempts after the hour, want 2", got)
		}
	})
}

// TestRotation checks that both secrets sign until the old one ends.
func TestRotation(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		e := r.endpoint(1, store.EndpointEnabled)
		old, next := signature.NewSecret(), signature.NewSecret()
		e.Version, e.Secret, e.OldSecret = 1, r.sealer.Seal(e.ID, next), r.sealer.Seal(e.ID, old)
		e.OldUntil = time.Now().Add(time.Hour)
		if err := r.store.PutEndpoint(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		r.start()
		during := r.post()
		time.Sleep(time.Hour)
		after := r.post()
		time.Sleep(time.Minute)
		for _, test := range []struct {
			event string
			want  []signature.Secret
		}{{during, []signature.Secret{next, old}}, {after, []signature.Secret{next}}} {
			list := r.attempts(test.event)
			if len(list) != 1 || fmt.Sprint(texts(list[0].Secrets)) != fmt.Sprint(texts(test.want)) {
				t.Errorf("attempts %v, want one signed with %d secrets", list, len(test.want))
			}
		}
	})
}

func texts(list []signature.Secret) []string {
	var texts []string
	for _, s := range list {
		texts = append(texts, s.Text())
	}
	return texts
}

// TestChangedEndpoint checks that changes of an endpoint apply to its backlog within seconds.
func TestChangedEndpoint(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		r.respond(slowly(200, 500*time.Millisecond))
		e := r.endpoint(1, store.EndpointEnabled)
		r.posts(200, nil)
		r.start()
		time.Sleep(11 * time.Second)
		next := signature.NewSecret()
		e.Version, e.Secret = 1, r.sealer.Seal(e.ID, next)
		if err := r.store.PutEndpoint(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		changed := time.Now()
		time.Sleep(13 * time.Second)
		e.Version, e.State = 2, store.EndpointDisabled
		if err := r.store.PutEndpoint(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		disabled := time.Now()
		time.Sleep(time.Minute)
		list := r.attempts("")
		const mostJobsTake = mostJobs / 2 * 500 * time.Millisecond
		for _, a := range list {
			late := a.at.Sub(changed) > freshFor+mostJobsTake
			if late && a.Secrets[0].Text() != next.Text() {
				t.Fatalf("an attempt with the old secret after %v", a.at.Sub(changed))
			}
		}
		if len(list) > 150 {
			t.Errorf("%d attempts of 200, the last %v after the endpoint was disabled", len(list),
				list[len(list)-1].at.Sub(disabled))
		}
	})
}

// TestConcurrency checks that an endpoint has one attempt at a time, and two once one succeeded.
func TestConcurrency(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		running, most := 0, 0
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			r.mu.Lock()
			running++
			most = max(most, running)
			r.mu.Unlock()
			report := slowly(200, 100*time.Millisecond)(ctx, q)
			r.mu.Lock()
			running--
			r.mu.Unlock()
			return report
		})
		r.endpoint(1, store.EndpointEnabled)
		r.posts(40, nil)
		began := time.Now()
		r.start()
		time.Sleep(10 * time.Second)
		list := r.attempts("")
		if len(list) != 40 || most != 2 || !list[1].at.After(began.Add(100*time.Millisecond-1)) {
			t.Errorf("%d attempts, %d at a time, the second after %v, want 40, 2, 100ms", len(list), most,
				list[1].at.Sub(began))
		}
		if took := list[39].at.Sub(began); took > 3*time.Second {
			t.Errorf("40 attempts began within %v, want about 2 s", took)
		}
	})
}

// TestRoundRobin checks that endpoints take turns: one with many events does not delay another.
func TestRoundRobin(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const endpoints = fastSlots + 100
		r.respond(slowly(200, 10*time.Millisecond))
		var to []string
		for n, e := range r.endpoints(endpoints, nil) {
			to = append(to, slices.Repeat([]string{e.ID}, 1+n%2*6)...)
		}
		r.posts(len(to), func(i int) string { return to[i] })
		r.start()
		time.Sleep(time.Minute)
		turns := map[string]int{}
		first := map[string]bool{}
		for _, a := range r.attempts("") {
			turns[a.Endpoint]++
			if turns[a.Endpoint] > 3 && len(first) < endpoints {
				t.Fatalf("a fourth attempt at %s before the first one at %d others", a.Endpoint,
					endpoints-len(first))
			}
			first[a.Endpoint] = true
		}
		if len(first) != endpoints {
			t.Errorf("attempts at %d endpoints, want %d", len(first), endpoints)
		}
	})
}

// TestSlowLane checks that receivers which never respond hold no fast slot for more than a
// second, even if there are more of them than slots.
func TestSlowLane(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const dead = 2 * fastSlots
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			if q.Endpoint >= "we_00000000001000" {
				return responding(200)(ctx, q)
			}
			return slowly(0, 15*time.Second)(ctx, q)
		})
		r.endpoints(dead, nil)
		r.post()
		healthy := r.endpoint(1000, store.EndpointEnabled)
		d, _ := r.start()
		time.Sleep(2500 * time.Millisecond)
		if fast, slow, all := d.Slots(); fast != 0 || slow != 0 || all != dead {
			t.Errorf("slots %d, %d, attempts %d, want 0, 0, %d", fast, slow, all, dead)
		}
		for range 40 {
			event := r.postTo(healthy.ID)
			posted := time.Now()
			d.Wake()
			time.Sleep(time.Second)
			if got := r.attempts(event); len(got) != 1 || got[0].at.Sub(posted) > 200*time.Millisecond {
				t.Fatalf("attempts %v, want one at once", got)
			}
			if fast, slow, _ := d.Slots(); fast > 0 || slow > slowSlots {
				t.Fatalf("slots %d and %d, want none and at most %d", fast, slow, slowSlots)
			}
		}
	})
}

// TestHangingEndpoint checks that an endpoint uses the slow lane while one of its attempts hangs,
// although others succeed.
func TestHangingEndpoint(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		var hangs string
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			if q.Event == hangs {
				return slowly(200, 10*time.Second)(ctx, q)
			}
			return slowly(200, 400*time.Millisecond)(ctx, q)
		})
		e := r.endpoint(1, store.EndpointEnabled)
		r.post()
		d, _ := r.start()
		time.Sleep(2500 * time.Millisecond) // not at a tick, which could read some of the events
		hangs = r.postTo(e.ID)
		for range 7 {
			r.post()
		}
		d.Wake()
		time.Sleep(900 * time.Millisecond)
		if fast, slow, all := d.Slots(); fast != 2 || slow != 0 || all != 2 {
			t.Errorf("slots %d and %d, attempts %d, want 2, 0 and 2", fast, slow, all)
		}
		time.Sleep(500 * time.Millisecond) // in the middle of an attempt
		if fast, slow, all := d.Slots(); fast != 0 || slow != 1 || all != 2 {
			t.Errorf("slots %d and %d, attempts %d, want 0, 1 and 2", fast, slow, all)
		}
	})
}

// TestHostLimit checks that endpoints which fail share a limit by host, and that others do not.
func TestHostLimit(t *testing.T) {
	for _, test := range []struct{ status, least, most int }{
		{500, 30, 60},
		{200, 400, 400},
	} {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			inBubble(t, func(t *testing.T, r *fixture) {
				r.respond(responding(test.status))
				list := r.endpoints(200, func(n int, e *store.Endpoint) {
					e.URL = fmt.Sprintf("https://one.example:443/%d", n)
					if test.status != 200 { // as after a failure
						e.State = store.EndpointPending
					}
				})
				r.posts(2*len(list), func(i int) string { return list[i/2].ID })
				r.start()
				time.Sleep(time.Minute)
				if got := len(r.attempts("")); got < test.least || got > test.most {
					t.Errorf("%d attempts in a minute with status %d, want %d to %d", got, test.status,
						test.least, test.most)
				}
			})
		})
	}
}

// TestForEveryone checks that events for all accounts reach all endpoints, behind those of
// accounts.
func TestForEveryone(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const endpoints = 1200
		r.respond(slowly(200, 50*time.Millisecond))
		r.endpoints(endpoints, nil)
		now := time.Now()
		all := store.Event{
			ID: r.ids.New(now), Type: string(events.APIDegraded), Body: []byte("{}"), Created: now,
			Expires: now.Add(day),
		}
		if _, err := r.store.Post(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		d, _ := r.start()
		time.Sleep(100 * time.Millisecond)
		ready := r.endpoint(endpoints, store.EndpointEnabled)
		own := r.postTo(ready.ID)
		posted := time.Now()
		d.Wake()
		time.Sleep(5 * time.Second)
		if got := r.attempts(own); len(got) != 1 || got[0].at.Sub(posted) > 300*time.Millisecond {
			t.Errorf("attempts of an account's event %v, want one soon after %v", got, posted)
		}
		if got := len(r.attempts(all.ID)); got < endpoints || got > endpoints+1 {
			t.Errorf("%d attempts, want one for each of %d endpoints", got, endpoints)
		}
	})
}

// TestSharedHost checks that endpoints of one host which hang do not delay others of that host.
func TestSharedHost(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const hanging = 100
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			if strings.Contains(q.URL, "/hang") {
				return slowly(0, 15*time.Second)(ctx, q)
			}
			return slowly(200, 10*time.Millisecond)(ctx, q)
		})
		r.endpoints(hanging+1, func(n int, e *store.Endpoint) {
			e.URL = "https://one.example/hang"
			if n == hanging {
				e.URL = "https://one.example/works"
			}
		})
		d, _ := r.start()
		// Each hanging endpoint has a quick slot once, for a second.
		most := (hanging/hostQuick + 1) * time.Second
		for range 30 {
			event := r.post()
			posted := time.Now()
			d.Wake()
			time.Sleep(10 * time.Second)
			delay := time.Hour
			for _, a := range r.attempts(event) {
				if strings.HasSuffix(a.URL, "/works") {
					delay = a.at.Sub(posted)
				}
			}
			if delay > most {
				t.Fatalf("attempted after %v, want at most %v", delay, most)
			}
			most = 100 * time.Millisecond
		}
	})
}

// TestFailingBesideHanging checks that endpoints of a host which fail at once are repeated in time,
// even if many other endpoints of the host hang.
func TestFailingBesideHanging(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		const hanging = 100
		r.respond(func(ctx context.Context, q sender.Request) sender.Report {
			if strings.Contains(q.URL, "/hang") {
				return slowly(0, 15*time.Second)(ctx, q)
			}
			return slowly(500, 10*time.Millisecond)(ctx, q)
		})
		r.endpoints(hanging+1, func(n int, e *store.Endpoint) {
			e.URL = "https://one.example/hang"
			if n == hanging {
				e.URL = "https://one.example/fails"
			}
		})
		r.post()
		r.start()
		time.Sleep(8 * time.Minute)
		var times []time.Duration
		for _, a := range r.attempts("") {
			if strings.HasSuffix(a.URL, "/fails") {
				times = append(times, time.Since(a.at))
			}
		}
		if len(times) != 3 || times[0]-times[1] > 7*time.Second {
			t.Errorf("attempts at the failing endpoint were %v ago, want 3, the second after 5 s", times)
		}
	})
}

// TestObserve checks what metrics and the log at debug receive: each attempt with its outcome, how
// long it took and how late it began, and nothing that is confidential.
func TestObserve(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		type observed struct {
			outcome   sender.Outcome
			took, lag time.Duration
		}
		var mu sync.Mutex
		var list []observed
		r.config.Observe = func(outcome sender.Outcome, took, lag time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, observed{outcome, took, lag.Round(10 * time.Millisecond)})
		}
		r.config.Log = slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		r.endpoint(1, store.EndpointEnabled)
		r.respond(slowly(500, 20*time.Millisecond))
		time.Sleep(250 * time.Millisecond) // due times are whole seconds
		r.post()
		time.Sleep(100 * time.Millisecond)
		_, stop := r.start()
		time.Sleep(3 * time.Second)
		r.respond(slowly(200, 30*time.Millisecond))
		time.Sleep(time.Minute)
		stop()
		want := []observed{
			{sender.Failed, 20 * time.Millisecond, 100 * time.Millisecond},
			{sender.Delivered, 30 * time.Millisecond, 0},
		}
		if !slices.Equal(list, want) {
			t.Errorf("observed %v, want %v", list, want)
		}
		log := r.log.String()
		if strings.Count(log, "msg=attempt") != 2 || strings.Contains(log, "confidential") ||
			strings.Contains(log, "/hook") {
			t.Errorf("log:\n%s", log)
		}
	})
}

// TestClockOfReceivers checks that Date headers of five receivers cast doubt on our clock.
func TestClockOfReceivers(t *testing.T) {
	inBubble(t, func(t *testing.T, r *fixture) {
		for n := range 5 {
			r.endpoint(n, store.EndpointEnabled)
		}
		d, _ := r.start()
		for _, test := range []struct {
			ahead time.Duration
			want  bool
		}{{time.Minute, false}, {3 * time.Minute, true}, {0, false}} {
			r.mu.Lock()
			r.date = time.Now().Add(test.ahead)
			r.mu.Unlock()
			r.post()
			time.Sleep(2 * time.Second)
			if got := d.ClockDoubted(); got != test.want {
				t.Errorf("%v ahead: doubted %v, want %v", test.ahead, got, test.want)
			}
		}
	})
}
