package events

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/store"
	"leadline/store/bolt"
)

// lookout is a Watches with its Scheduler on a real store, whose clock is that of a synctest
// bubble. The pro account has an endpoint that receives everything.
type lookout struct {
	*Watches
	*testing.T
	scheduler *Scheduler
	store     *bolt.Store
	at        time.Time // that the requests ask about

	// What the scheduler's dependencies return. The tests change them between evaluations.
	state   decide.State
	reasons []decide.Reason
	down    string
	refusal error

	judged, charged int
	outcomes        []string
}

func newLookout(t *testing.T, ahead time.Duration) *lookout {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lookout{T: t, store: engine, at: time.Now().Add(ahead), state: decide.Normal}
	l.ok(engine.AddAccount(t.Context(), store.Account{ID: "pro", Email: "p@example.org", Plan: "pro"}))
	l.ok(engine.AddEndpoint(t.Context(), store.Endpoint{
		ID: "we_1", Account: "pro", URL: hook, Kinds: []string{AllKinds}, State: store.EndpointEnabled,
	}, 5))
	l.Watches = NewWatches(WatchConfig{
		Store: engine, Plans: access.BuiltIn(), Now: time.Now, Down: func() string { return l.down },
		Outbox: NewOutbox(OutboxConfig{Store: engine, Now: time.Now}),
	})
	l.scheduler = NewScheduler(SchedulerConfig{
		Watches: l.Watches, Judge: l.judge, Owner: "test", Log: slog.New(slog.DiscardHandler),
		Charge: func(context.Context, string) (func(), error) {
			if l.refusal != nil {
				return nil, l.refusal
			}
			l.charged++
			return func() { l.charged-- }, nil
		},
		Observe: func(outcome string, _ time.Duration, direction string) {
			l.outcomes = append(l.outcomes, strings.TrimSpace(outcome+" "+direction))
		},
	})
	return l
}

func (l *lookout) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("got error %v, want none", err)
	}
}

// judge returns a decision with the present state and reasons.
func (l *lookout) judge(context.Context, TripRequest) (decide.Decision, error) {
	l.judged++
	return decide.Decision{
		RequestedFor: l.at, Activity: "boating", State: l.state, Confidence: decide.High,
		Reasons: l.reasons, MissingInputs: []string{},
		Sources: []coast.Source{{ID: "wind", Available: true, Required: true, Freshness: coast.Fresh}},
	}, nil
}

// gale makes the decision worse.
func (l *lookout) gale() {
	l.state = decide.ActionNeeded
	l.reasons = []decide.Reason{{Code: "wind_gust", Severity: decide.Action, SourceID: "wind"}}
}

// calm makes the decision as it was at first.
func (l *lookout) calm() { l.state, l.reasons = decide.Normal, nil }

// create creates a watch.
func (l *lookout) create() Watch {
	l.Helper()
	w, _, err := l.Create(l.Context(), "pro", NewWatch{
		Name: "trip", Request: TripRequest{StationID: "8443970", Activity: "boating"},
	}, l.judge)
	l.ok(err)
	return w
}

// run runs the scheduler for a time.
func (l *lookout) run(d time.Duration) {
	ctx, cancel := context.WithTimeout(l.Context(), d)
	defer cancel()
	l.scheduler.Run(ctx)
}

// evaluated runs the scheduler until there were n evaluations more.
func (l *lookout) evaluated(n int) {
	l.Helper()
	for want, end := len(l.outcomes)+n, time.Now().Add(24*time.Hour); len(l.outcomes) < want; {
		if time.Now().After(end) {
			l.Fatalf("no evaluation in a day")
		}
		l.run(2 * time.Second)
	}
}

// events returns the number of events that were posted.
func (l *lookout) events() int {
	l.Helper()
	list, err := l.store.EventsOf(l.Context(), "pro", "", "", 100)
	l.ok(err)
	return len(list)
}

// TestWatchBaseline checks that a watch whose first decision differs from the given baseline
// announces it at once, in the transaction that stores the watch.
func TestWatchBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 30*time.Hour)
		defer l.store.Close()
		l.gale()
		then, err := decide.ReadBaseline([]byte(`{"state": "normal", "reasons": []}`))
		l.ok(err)
		w, _, err := l.Create(t.Context(), "pro", NewWatch{
			Request: TripRequest{StationID: "8443970"}, Baseline: &then,
		}, l.judge)
		l.ok(err)
		if n := l.events(); n != 1 || len(w.Steps) != 1 || w.Steps[0].Direction != decide.Worse {
			t.Fatalf("%d events, steps %+v; want one, worse", n, w.Steps)
		}
		l.run(13 * time.Hour)
		if n := l.events(); n != 1 {
			t.Errorf("the same decision has posted again: %d events", n)
		}
	})
}

// TestWatchFails checks that a watch whose evaluation fails or panics is due again later, costs
// nothing, and does not stop others.
func TestWatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		w, other := l.create(), l.create()
		judge, calls := l.scheduler.c.Judge, 0
		l.scheduler.c.Judge = func(ctx context.Context, r TripRequest) (decide.Decision, error) {
			if calls++; calls == 1 {
				panic("a defect")
			}
			return judge(ctx, r)
		}
		l.run(11 * time.Minute)
		used := 0
		for _, id := range []string{w.ID, other.ID} {
			got, err := l.Watch(t.Context(), "pro", id)
			l.ok(err)
			used += got.Units.Used - 2 // of its creation
			if got.State != store.WatchActive {
				t.Errorf("after a panic the watch is %s", got.State)
			}
		}
		if used+2 != l.charged {
			t.Errorf("%d units were charged, the watches say %d", l.charged, used+2)
		}
		if l.outcomes[0] != "failed" || !slices.Contains(l.outcomes, "same") {
			t.Errorf("outcomes are %q, want failed and then same", l.outcomes)
		}
	})
}

// TestWatchEnds runs a watch until its end. It must not cost more than it said.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 30*time.Hour)
		defer l.store.Close()
		w := l.create()
		if want := (WatchUnits{1, 1 + 76 + 10}); w.Units != want {
			t.Errorf("units of a watch 30 hours ahead are %+v, want %+v", w.Units, want)
		}
		l.run(31 * time.Hour)
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if w.State != store.WatchEnded || w.NextAt != nil {
			t.Errorf("after its time the watch is %s, next at %v; want ended", w.State, w.NextAt)
		}
		if w.Units.Used > w.Units.Max || w.Units.Used < 70 {
			t.Errorf("the watch has cost %d units, want about 77, at most %d", w.Units.Used, w.Units.Max)
		}
		if l.charged != w.Units.Used-1 {
			t.Errorf("%d units were charged, the watch says %d and one at its creation",
				l.charged, w.Units.Used)
		}
		if n := l.events(); n != 0 {
			t.Errorf("a watch without a change has posted %d events", n)
		}
	})
}

// TestWatchChanges checks that a worse decision is announced at once, and a better one when it is
// confirmed.
func TestWatchChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		w := l.create()
		l.evaluated(1)
		l.gale()
		l.evaluated(1)
		if n := l.events(); n != 1 {
			t.Fatalf("after a gale there are %d events, want 1", n)
		}
		l.calm()
		l.evaluated(1)
		if n := l.events(); n != 1 {
			t.Errorf("one calm decision has posted an event: there are %d, want 1", n)
		}
		l.evaluated(2)
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if len(w.Steps) != 2 || w.Steps[0].Direction != decide.Worse ||
			w.Steps[1].Direction != decide.Better {
			t.Errorf("steps are %+v, want worse and better", w.Steps)
		}
		event, err := l.store.Event(t.Context(), w.Steps[1].Event)
		l.ok(err)
		var body struct{ Data MaterialChangeData }
		l.ok(json.Unmarshal(event.Body, &body))
		got := body.Data
		if got.Cause != "watch" || got.Watch == nil || *got.Watch != (WatchStep{w.ID, "trip", 2}) ||
			got.Direction != decide.Better || got.Decision.State != decide.Normal ||
			got.Change.Changes[0].Field != "state" {
			t.Errorf("the event of the second step is %s", event.Body)
		}
	})
}

// TestWatchWaits checks that a watch is neither evaluated nor charged while a provider is down.
func TestWatchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		w := l.create()
		l.down, l.judged = coast.NWS, 0
		l.run(3 * time.Hour)
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if l.judged != 0 || l.charged != 0 || w.State != "waiting" || *w.WaitingFor != coast.NWS {
			t.Errorf("while NWS is down: %d decisions, %d units, watch is %s", l.judged, l.charged, w.State)
		}
		l.down = ""
		l.run(time.Minute)
		if l.judged != 1 {
			t.Errorf("after the outage %d decisions, want 1", l.judged)
		}
	})
}

// TestWatchPaused checks that a watch without quota pauses and resumes.
func TestWatchPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		w := l.create()
		l.refusal = coast.Errorf(coast.QuotaExceeded, "used up")
		l.run(time.Hour)
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if w.State != store.WatchPaused || l.judged != 1 {
			t.Errorf("without quota the watch is %s after %d decisions, want paused after 1",
				w.State, l.judged)
		}
		l.refusal = nil
		l.run(2 * time.Hour)
		w, err = l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if w.State != store.WatchActive || l.judged < 2 {
			t.Errorf("with quota again the watch is %s after %d decisions", w.State, l.judged)
		}
	})
}

// TestWatchRemoved checks that a removed watch posts nothing, even while it is evaluated.
func TestWatchRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		w := l.create()
		remove := l.scheduler.c.Charge
		l.scheduler.c.Charge = func(ctx context.Context, account string) (func(), error) {
			_, err := l.Remove(ctx, "pro", w.ID)
			l.ok(err)
			return remove(ctx, account)
		}
		l.gale()
		l.run(time.Hour)
		if n := l.events(); n != 0 {
			t.Errorf("a removed watch has posted %d events", n)
		}
		if l.charged != 0 {
			t.Errorf("%d units were not returned", l.charged)
		}
	})
}

// TestWatchRefused checks who may not create a watch, and with which names.
func TestWatchRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLookout(t, 5*time.Hour)
		defer l.store.Close()
		d := &desk{t: t}
		free := store.Account{ID: "free", Email: "f@example.org", Plan: "free"}
		l.ok(l.store.AddAccount(t.Context(), free))
		_, _, err := l.Create(t.Context(), "free", NewWatch{}, l.judge)
		d.refused("a watch of a free account", err, coast.PlanRequired, "no watches")
		_, _, err = l.Create(t.Context(), "pro", NewWatch{Name: strings.Repeat("x", 65)}, l.judge)
		d.refused("a long name", err, coast.InvalidRequest, "64")
		for range 100 {
			l.create()
		}
		_, _, err = l.Create(t.Context(), "pro", NewWatch{
			Request: TripRequest{StationID: "8443970"},
		}, l.judge)
		d.refused("a watch more than the plan has", err, coast.PlanRequired, "plan pro allows, 100")
		l.Watches = NewWatches(WatchConfig{Off: true})
		_, _, err = l.Create(t.Context(), "pro", NewWatch{}, l.judge)
		d.refused("a watch without a scheduler", err, coast.ProviderUnavailable, "--offline")
	})
}

// TestCadence checks how often watches are evaluated, and that all watches of a station are
// evaluated at the same instants.
func TestCadence(t *testing.T) {
	for _, test := range []struct{ ahead, least, want time.Duration }{
		{100 * time.Hour, 0, 6 * time.Hour},
		{72*time.Hour + time.Second, 0, 6 * time.Hour},
		{72 * time.Hour, 0, 2 * time.Hour},
		{24 * time.Hour, 0, 30 * time.Minute},
		{6 * time.Hour, 0, 10 * time.Minute},
		{-time.Minute, 0, 10 * time.Minute},
		{time.Hour, time.Hour, time.Hour},
		{100 * time.Hour, time.Hour, 6 * time.Hour},
	} {
		if got := interval(test.ahead, test.least); got != test.want {
			t.Errorf("interval(%v, %v) = %v, want %v", test.ahead, test.least, got, test.want)
		}
	}
	for ahead, want := range map[time.Duration]int{
		7 * 24 * time.Hour: 129, 24 * time.Hour: 84, 6 * time.Hour: 43, 0: 3,
	} {
		if got := mostUnits(noon, noon.Add(ahead), 0); got != want {
			t.Errorf("mostUnits(%v ahead) = %d, want %d", ahead, got, want)
		}
	}
	at := noon.AddDate(0, 0, 5)
	first := nextEvaluation(noon, at, "8443970", 0)
	again := nextEvaluation(noon.Add(time.Minute), at.Add(time.Hour), "8443970", 0)
	if first != again {
		t.Errorf("two watches of a station are evaluated at %v and %v", first, again)
	}
	if d := first.Sub(noon); d <= 0 || d > 6*time.Hour {
		t.Errorf("the next evaluation is in %v, want within 6 h", d)
	}
	if other := nextEvaluation(noon, at, "9414290", 0); other == first {
		t.Errorf("two stations are evaluated at the same time %v", first)
	}
	if first != first.Truncate(time.Second) {
		t.Errorf("an evaluation is at %v, between two seconds: the store would evaluate it twice", first)
	}
	end := nextEvaluation(at.Add(14*time.Minute), at, "8443970", 0)
	if want := at.Add(grace); !end.Equal(want) && end.After(want) {
		t.Errorf("the last evaluation is at %v, after the end %v", end, want)
	}
}

// TestByTurns checks that accounts take turns, each with its nearest time first.
func TestByTurns(t *testing.T) {
	row := func(id, account string, hours int) store.Watch {
		return store.Watch{ID: id, Account: account, At: noon.Add(time.Duration(hours) * time.Hour)}
	}
	got := ""
	for _, w := range byTurns([]store.Watch{
		row("a3", "a", 3), row("a1", "a", 1), row("a2", "a", 2), row("b9", "b", 9), row("c5", "c", 5),
	}) {
		got += w.ID + " "
	}
	if want := "a1 c5 b9 a2 a3 "; got != want {
		t.Errorf("byTurns = %s, want %s", got, want)
	}
}
