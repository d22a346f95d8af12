package status

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/coast"
	"leadline/store"
	"leadline/store/bolt"
)

// lab is a store with monitors, and the components that they observe. It lives in a bubble, whose
// clock begins at midnight.
type lab struct {
	*bolt.Store
	t      *testing.T
	text   bytes.Buffer // of the log
	log    *slog.Logger
	clock  func() time.Time
	ahead  time.Duration // by which the wall clock is ahead
	failed bool          // the store
	lost   bool          // replies of SwapMeta
	before func()        // called before the next SwapMeta
	events int           // made
	broken bool          // events cannot be made

	mu         sync.Mutex
	components map[string]Component
}

func newLab(t *testing.T, clock func() time.Time) *lab {
	l := &lab{Store: openStore(t), t: t, clock: clock, components: map[string]Component{}}
	l.log = slog.New(slog.NewTextHandler(&l.text, nil))
	t.Cleanup(func() { l.Close() })
	return l
}

// inBubble runs a test in a bubble with a lab.
func inBubble(t *testing.T, test func(t *testing.T, l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newLab(t, time.Now)) })
}

func (l *lab) now() time.Time { return l.clock().Add(l.ahead) }

// monitor returns a new monitor, as after a restart.
func (l *lab) monitor() *Monitor {
	return NewMonitor(MonitorConfig{
		Store: l, Components: l.list, Event: l.event, Now: l.now, Log: l.log,
	})
}

var errStore = errors.New("connection refused")

// Meta is that of the store, unless it has failed.
func (l *lab) Meta(ctx context.Context, name string) ([]byte, error) {
	if l.failed {
		return nil, errStore
	}
	return l.Store.Meta(ctx, name)
}

// SwapMeta is that of the store, unless it has failed.
func (l *lab) SwapMeta(
	ctx context.Context, name string, old, new []byte, events ...store.Event,
) error {
	if l.failed {
		return errStore
	}
	if before := l.before; before != nil {
		l.before = nil
		before()
	}
	err := l.Store.SwapMeta(ctx, name, old, new, events...)
	if l.lost {
		return errStore
	}
	return err
}

// event makes the event of a transition.
func (l *lab) event(t Transition) (store.Event, error) {
	if l.broken {
		return store.Event{}, errors.New("event is too long")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	body, err := json.Marshal(t)
	l.events++
	return store.Event{
		ID: fmt.Sprintf("msg_%032d", l.events), Type: "api.degraded", Body: body,
		Created: l.now(), Expires: l.now().Add(time.Hour),
	}, err
}

// list returns the components. All have just been checked, except those that are unknown.
func (l *lab) list(context.Context) []Component {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []Component
	for _, c := range l.components {
		at := l.now()
		c.CheckedAt = &at
		list = append(list, c)
	}
	return list
}

// set sets the state of a component. The state unknown makes it an operational component that
// nobody uses.
func (l *lab) set(name, state string) {
	c := Component{Name: coast.ComponentName(name), Status: coast.ServiceStatus(state),
		Message: "is " + state}
	if state == "unknown" {
		c.Status, c.unknown = Operational, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.components[name] = c
}

// play lets time pass for a monitor with the states of a script, such as
// "nws degraded 2m; nws operational 5m; 10m". An evaluation begins each interval.
func (l *lab) play(m *Monitor, script string) {
	l.t.Helper()
	for step := range strings.SplitSeq(strings.TrimSuffix(script, "; "), "; ") {
		words := strings.Fields(step)
		if len(words) == 3 {
			l.set(words[0], words[1])
		}
		lasts, err := time.ParseDuration(words[len(words)-1])
		if err != nil {
			l.t.Fatal(err)
		}
		for ; lasts > 0; lasts -= monitorEvery {
			m.evaluate(l.t.Context())
			time.Sleep(monitorEvery)
		}
	}
}

// transitions returns the announced transitions, oldest first.
func (l *lab) transitions() []Transition {
	l.t.Helper()
	list, err := l.EventsOf(l.t.Context(), "", "", "", 1000)
	if err != nil {
		l.t.Fatal(err)
	}
	var out []Transition
	for _, e := range slices.Backward(list) {
		var t Transition
		if err := json.Unmarshal(e.Body, &t); err != nil {
			l.t.Fatal(err)
		}
		out = append(out, t)
	}
	return out
}

// want compares the announced transitions with a list such as
// "nws operational>degraded 00:00:00 2m0s", separated by semicolons: component, states, since and
// duration.
func (l *lab) want(step, want string) {
	l.t.Helper()
	var list []string
	for _, t := range l.transitions() {
		list = append(list, fmt.Sprintf("%s %s>%s %s %s", t.Component, t.From, t.To,
			t.Since.Format(time.TimeOnly), t.Duration))
	}
	if got := strings.Join(list, "; "); got != want {
		l.t.Errorf("%s:\n got %s\nwant %s", step, got, want)
	}
}

// TestMonitor checks which transitions are announced.
func TestMonitor(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"works":       {"nws operational 30m", ""},
		"short fault": {"nws degraded 2m; nws operational 10m", ""},
		"fault":       {"nws degraded 2m15s", "nws operational>degraded 00:00:00 2m0s"},
		"two faults":  {"nws down 1m; nws operational 15s; nws down 2m; nws operational 9m", ""},
		"recovery": {
			"nws degraded 3m; nws operational 5m15s; nws operational 1h",
			"nws operational>degraded 00:00:00 2m0s; nws degraded>operational 00:03:00 3m0s",
		},
		"recovery is short": {"nws degraded 3m; nws operational 5m; nws degraded 1h",
			"nws operational>degraded 00:00:00 2m0s"},
		"recovery is interrupted": {
			"mcp down 3m; mcp operational 4m; mcp down 30s; mcp operational 5m15s",
			"mcp operational>down 00:00:00 2m0s; mcp down>operational 00:07:30 3m30s",
		},
		"change": {
			"api degraded 3m; api down 2m15s; api degraded 2m15s; api operational 5m15s",
			"api operational>degraded 00:00:00 2m0s; api degraded>down 00:03:00 2m0s; " +
				"api down>degraded 00:05:15 2m0s; api degraded>operational 00:07:30 7m30s",
		},
		"change is short": {
			"api degraded 3m; api down 2m; api degraded 10m",
			"api operational>degraded 00:00:00 2m0s",
		},
		"worse before the announcement": {
			"api degraded 1m; api down 2m15s",
			"api operational>degraded 00:00:00 2m0s; api degraded>down 00:01:00 2m0s",
		},
		"changes all the time": {
			strings.Repeat("api degraded 1m; api down 1m; ", 4) + "api operational 5m15s",
			"api operational>degraded 00:00:00 2m0s; api degraded>operational 00:08:00 8m0s",
		},
		"better, but not good": {
			"api down 2m15s; api operational 4m; api degraded 15s; api operational 5m15s",
			"api operational>down 00:00:00 2m0s; api down>degraded 00:06:15 0s; " +
				"api degraded>operational 00:06:30 2m30s",
		},
		"unknown in between": {"nws degraded 2m; nws unknown 1m; nws degraded 2m", ""},
		"unknown before a recovery": {
			"nws degraded 3m; nws unknown 20m; nws operational 5m15s",
			"nws operational>degraded 00:00:00 2m0s; nws degraded>operational 00:23:00 3m0s",
		},
		"unknown for good": {"nws degraded 3m; nws unknown 24h",
			"nws operational>degraded 00:00:00 2m0s"},
		"used now and then": { // 45 s are observed each time
			"api down 3m; " + strings.Repeat("api operational 1m; api unknown 10m; ", 7),
			"api operational>down 00:00:00 2m0s; api down>operational 01:09:00 3m0s",
		},
		"two components": {
			"nws degraded 1m; store down 2m15s",
			"nws operational>degraded 00:00:00 2m0s; store operational>down 00:01:00 2m0s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, l *lab) {
				l.play(l.monitor(), test.script)
				l.want(test.script, test.want)
			})
		})
	}
}

// TestTransition checks what a transition says besides its states.
func TestTransition(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		l.play(l.monitor(), "nws degraded 15s; store down 2m15s; store operational 6m")
		want := []string{
			"NWS is degraded. down", "The store is down. down", "The store is operational. degraded",
		}
		var got []string
		for _, t := range l.transitions() {
			got = append(got, t.Message+" "+t.Service)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestSentence(t *testing.T) {
	for _, test := range []struct{ name, message, want string }{
		{APIName, "4 of 40 requests failed in the last minute",
			"4 of 40 requests failed in the last minute."},
		{MCPName, "none of 9 requests failed in the last minute",
			"None of 9 requests failed in the last minute."},
		{StoreName, "cannot be written", "The store cannot be written."},
		{COOPSName, "answers", "NOAA CO-OPS answers."},
		{NWSName, "NWS did not answer in time", "NWS did not answer in time."},
	} {
		if got := sentence(test.name, test.message); got != test.want {
			t.Errorf("%s %q: got %q, want %q", test.name, test.message, got, test.want)
		}
	}
}

// TestKnown checks that a component without a recent check is unknown.
func TestKnown(t *testing.T) {
	for age, want := range map[time.Duration]string{
		0: Degraded, checkCounts: Degraded, checkCounts + time.Second: "",
		-time.Minute: Degraded, -time.Hour: "",
	} {
		at := noon().Add(-age)
		if got := known(Component{Status: Degraded, CheckedAt: &at}, noon()); got != want {
			t.Errorf("checked %v ago: got %q, want %q", age, got, want)
		}
	}
	if got := known(Component{Status: Degraded}, noon()); got != "" {
		t.Errorf("never checked, as with --offline: got %q, want none", got)
	}
}

// TestRestart checks that a restart repeats no announcement, and that the time impaired before it
// counts, except the minutes since it was stored last. The hour without a monitor does not count.
func TestRestart(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		l.play(l.monitor(), "nws degraded 12m") // stored after 7 minutes
		first := "nws operational>degraded 00:00:00 2m0s"
		time.Sleep(time.Hour)
		m := l.monitor()
		l.play(m, "nws degraded 5m")
		l.want("after the first restart", first)
		l.play(m, "nws operational 5m15s")
		l.want("after the recovery", first+"; nws degraded>operational 01:17:00 12m0s")
		l.play(l.monitor(), "nws operational 1h")
		l.want("after the second restart", first+"; nws degraded>operational 01:17:00 12m0s")
	})
}

// TestConflict checks that two monitors that decide at the same time announce once: the one that is
// late follows the other.
func TestConflict(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		first, second := l.monitor(), l.monitor()
		conflicts := 0
		play := func(state string, evaluations int) {
			l.set(NWSName, state)
			for range evaluations {
				evaluated := false
				l.before = func() { // the second swaps the fact that the first has read
					second.evaluate(t.Context())
					evaluated = true
					conflicts++
				}
				first.evaluate(t.Context())
				if l.before = nil; !evaluated {
					second.evaluate(t.Context())
				}
				time.Sleep(monitorEvery)
			}
		}
		play(Degraded, 12)
		play(Operational, 21)
		l.want("two monitors", "nws operational>degraded 00:00:00 2m0s; "+
			"nws degraded>operational 00:03:00 3m0s")
		if conflicts != 2 {
			t.Errorf("got %d conflicts, want 2", conflicts)
		}
	})
}

// TestInstances checks that two monitors that run at the same time announce each transition once.
func TestInstances(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if err := l.monitor().Run(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("Run() = %v", err)
				}
			})
		}
		l.set(NWSName, Degraded)
		time.Sleep(10*time.Minute + time.Second)
		l.set(NWSName, Operational)
		time.Sleep(10 * time.Minute)
		cancel()
		all.Wait()
		got := l.transitions()
		if len(got) != 2 || got[0].To != Degraded || got[1].To != Operational {
			t.Errorf("got %+v, want one fault and one recovery", got)
		}
	})
}

// TestDisagreement checks that monitors that measure different states do not announce them more
// often than the limits allow.
func TestDisagreement(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		bad, good := l.monitor(), l.monitor()
		for range 4 * 14 { // 14 minutes
			l.set(APIName, Degraded)
			bad.evaluate(t.Context())
			l.set(APIName, Operational)
			good.evaluate(t.Context())
			time.Sleep(monitorEvery)
		}
		l.want("two views", "api operational>degraded 00:00:00 2m0s; "+
			"api degraded>operational 00:02:00 7m0s; api operational>degraded 00:07:15 2m0s")
	})
}

// TestStoreOutage checks that what happens while the store fails is announced afterwards, with the
// times at which it happened, and that the log has the outage once.
func TestStoreOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		m := l.monitor()
		l.play(m, "store operational 10m; nws operational 10m; api operational 10m")
		l.failed = true
		l.play(m, "store down 1m; nws degraded 4m; nws operational 6m; api down 5m")
		l.want("during the outage", "")
		l.failed = false
		l.play(m, "store operational 15s")
		want := "api operational>down 00:41:00 5m0s; nws operational>degraded 00:31:00 4m0s; " +
			"nws degraded>operational 00:35:00 4m0s; store operational>down 00:30:00 16m0s"
		l.want("after the outage", want)
		l.play(m, "5m")
		l.want("after the recovery", want+"; store down>operational 00:46:00 16m0s")
		for _, line := range []string{"cannot be announced", "can be announced again"} {
			if got := strings.Count(l.text.String(), line); got != 1 {
				t.Errorf("the log has %q %d times, want 1:\n%s", line, got, l.text.String())
			}
		}
	})
}

// TestLostReply checks that an announcement is not repeated if the store has stored it and the
// reply was lost.
func TestLostReply(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		m := l.monitor()
		l.play(m, "nws degraded 2m")
		l.lost = true
		l.play(m, "15s")
		l.lost = false
		l.play(m, "5m; nws operational 5m15s")
		l.want("after a lost reply", "nws operational>degraded 00:00:00 2m0s; "+
			"nws degraded>operational 00:07:15 7m0s") // without the interval after the loss
	})
}

// TestLongOutage checks that a component that changes all day while the store fails does not fill
// the memory, and that what is announced of it afterwards is without a contradiction.
func TestLongOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		m := l.monitor()
		l.failed = true
		scripts := []string{
			"api degraded 3m; api operational 6m", "api down 3m; api degraded 3m",
			"api degraded 3m; api down 3m; api operational 6m",
		}
		for i := range 100 {
			l.play(m, scripts[i%len(scripts)])
			if got := len(m.components[APIName].pending); got > mostPending {
				t.Fatalf("%d transitions are pending, want at most %d", got, mostPending)
			}
		}
		l.failed = false
		l.play(m, "15s")
		list := l.transitions()
		state, since := Operational, time.Time{}
		for _, got := range list {
			if got.From != state || got.To == state || !got.Since.After(since) {
				t.Errorf("got %+v after %s since %v", got, state, since)
			}
			state, since = got.To, got.Since
		}
		if len(list) < mostPending-2 || state != m.components[APIName].announced {
			t.Errorf("%d transitions were announced, the last to %s", len(list), state)
		}
	})
}

// TestCompact checks that what compact leaves of transitions leads from the first state to the
// last.
func TestCompact(t *testing.T) {
	states := []string{Operational, Degraded, Down}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var list []Transition
		first, now := Operational, Operational
		for range 40 {
			next := states[r.IntN(3)]
			if next == now {
				continue
			}
			list = compact(append(list, Transition{From: now, To: next}))
			now = next
			state := first
			for _, step := range list {
				if step.From != state {
					t.Fatalf("seed %d: %s>%s follows %s", seed, step.From, step.To, state)
				}
				state = step.To
			}
			if state != now || len(list) > mostPending {
				t.Fatalf("seed %d: %d transitions to %s, want to %s", seed, len(list), state, now)
			}
		}
	}
}

// TestSleep checks that time in which the process slept is neither counted nor announced, nor is
// what a clock that was set seems to say.
func TestSleep(t *testing.T) {
	for name, test := range map[string]struct {
		sleep   func(*lab)
		counted bool
		later   time.Duration // by how much the clock is then later than without the sleep
	}{
		"none":                 {func(*lab) {}, true, 0},
		"stopped process":      {func(*lab) { time.Sleep(time.Hour) }, false, time.Hour},
		"suspended computer":   {func(l *lab) { l.ahead = time.Hour }, false, time.Hour},
		"clock set back":       {func(l *lab) { l.ahead = -time.Hour }, false, -time.Hour},
		"clock set forward":    {func(l *lab) { l.ahead = 20 * time.Second }, false, 20 * time.Second},
		"clock set by seconds": {func(l *lab) { l.ahead = 5 * time.Second }, true, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, l *lab) {
				time.Sleep(12 * time.Hour)
				m := l.monitor()
				l.play(m, "nws degraded 1m30s")
				test.sleep(l)
				l.play(m, "nws degraded 1m30s")
				if got := len(l.transitions()) == 1; got != test.counted {
					t.Errorf("the fault is announced: got %t, want %t", got, test.counted)
				}
				l.play(m, "nws degraded 1m")
				began, impaired := noonClock(0), "3m45s"
				if !test.counted {
					began, impaired = noonClock(90*time.Second+test.later), "2m15s"
				}
				want := "nws operational>degraded " + began + " 2m0s"
				l.want("awake", want)
				l.ahead += 2 * time.Hour // once more, after the last observation of the fault
				l.play(m, "nws operational 5m15s")
				want += "; nws degraded>operational " + noonClock(4*time.Minute+test.later+2*time.Hour) +
					" " + impaired
				l.want("recovered", want)
			})
		})
	}
}

// noonClock returns the time of day so long after noon.
func noonClock(after time.Duration) string { return noon().Add(after).Format(time.TimeOnly) }

// TestUnpostable checks that an event that cannot be made leaves the fact as it is, and is posted
// when it can.
func TestUnpostable(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		m := l.monitor()
		l.broken = true
		l.play(m, "nws degraded 5m")
		if fact, err := l.Meta(t.Context(), monitorFact); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the fact is %s, %v, want none", fact, err)
		}
		l.broken = false
		l.play(m, "15s")
		l.want("afterwards", "nws operational>degraded 00:00:00 5m0s")
	})
}

// TestDamagedFact checks that a fact that cannot be read is not overwritten.
func TestDamagedFact(t *testing.T) {
	inBubble(t, func(t *testing.T, l *lab) {
		if err := l.SwapMeta(t.Context(), monitorFact, nil, []byte("{")); err != nil {
			t.Fatal(err)
		}
		l.play(l.monitor(), "nws degraded 5m")
		if fact, err := l.Meta(t.Context(), monitorFact); err != nil || string(fact) != "{" {
			t.Errorf("the fact is %q, %v", fact, err)
		}
		if !strings.Contains(l.text.String(), "read the fact monitor") {
			t.Errorf("the log does not say it:\n%s", l.text.String())
		}
	})
}
