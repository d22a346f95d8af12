package watches

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
	"leadline/internal/events"
	"leadline/store"
	"leadline/store/bolt"
)

// fixture is a Service with its Scheduler on a real store, whose clock is that of a synctest
// bubble. The pro account has an endpoint that receives everything.
type fixture struct {
	*Service
	*testing.T
	scheduler *Scheduler
	store     *bolt.Store
	now       func() time.Time
	at        time.Time // that the requests ask about

	// What the scheduler's dependencies return. The tests change them between evaluations.
	state   decide.State
	reasons []decide.Reason
	down    string
	refusal error

	judged, charged int
	request         events.TripRequest // the last one that was judged
	outcomes        []string
}

// noon is a time in tests of schedules.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func newFixture(t *testing.T, now func() time.Time, ahead time.Duration) *fixture {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &fixture{T: t, store: engine, now: now, at: now().Add(ahead), state: decide.Normal}
	l.ok(engine.AddAccount(t.Context(), store.Account{ID: "pro", Email: "p@example.org", Plan: "pro"}))
	l.ok(engine.AddEndpoint(t.Context(), store.Endpoint{
		ID: "we_1", Account: "pro", URL: "https://hooks.example.com/leadline",
		Kinds: []string{store.AllKinds}, State: store.EndpointEnabled,
	}, 5))
	l.Service = New(Config{
		Store: engine, Plans: access.BuiltIn(), Now: now, Down: func() string { return l.down },
		Outbox: events.NewOutbox(events.OutboxConfig{Store: engine, Now: now}), Zone: l.zone,
	})
	l.scheduler = NewScheduler(SchedulerConfig{
		Watches: l.Service, Judge: l.judge, Owner: "test", Log: slog.New(slog.DiscardHandler),
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

func (l *fixture) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("got error %v, want none", err)
	}
}

// refused checks the code of an error and a part of its message or of its issues.
func (l *fixture) refused(what string, err error, code coast.Code, part string) {
	l.Helper()
	e, known := coast.AsError(err)
	if !known || e.Code != code || !strings.Contains(e.Message, part) {
		l.Errorf("%s: got error %v, want code %s and %q", what, err, code, part)
	}
}

// zone returns the zone of the only station that is known.
func (l *fixture) zone(station string) *time.Location {
	if station != "8728669" {
		return nil
	}
	zone, err := time.LoadLocation("America/New_York")
	l.ok(err)
	return zone
}

// judge returns a decision with the present state and reasons.
func (l *fixture) judge(_ context.Context, r events.TripRequest) (decide.Decision, error) {
	l.judged++
	l.request = r
	return decide.Decision{
		RequestedFor: l.at, Activity: "boating", State: l.state, Confidence: decide.High,
		Reasons: l.reasons, MissingInputs: []string{},
		Sources: []coast.Source{{ID: "wind", Available: true, Required: true, Freshness: coast.Fresh}},
	}, nil
}

// gale makes the decision worse, by an alert.
func (l *fixture) gale() {
	l.state = decide.ActionNeeded
	l.reasons = []decide.Reason{
		{Code: "alert_gale_warning", Severity: decide.Action, SourceID: "marine-alerts"},
	}
}

// calm makes the decision as it was at first.
func (l *fixture) calm() { l.state, l.reasons = decide.Normal, nil }

// create creates a watch.
func (l *fixture) create() Watch {
	l.Helper()
	w, _, err := l.Create(l.Context(), "pro", Draft{
		Name: "trip", Request: events.TripRequest{StationID: "8443970", Activity: "boating"},
	}, l.judge)
	l.ok(err)
	return w
}

// run runs the scheduler for a time.
func (l *fixture) run(d time.Duration) {
	ctx, cancel := context.WithTimeout(l.Context(), d)
	defer cancel()
	l.scheduler.Run(ctx)
}

// evaluated runs the scheduler until there were n evaluations more.
func (l *fixture) evaluated(n int) {
	l.Helper()
	for want, end := len(l.outcomes)+n, l.now().Add(24*time.Hour); len(l.outcomes) < want; {
		if l.now().After(end) {
			l.Fatalf("no evaluation in a day")
		}
		l.run(2 * time.Second)
	}
}

// events returns the number of events that were posted.
func (l *fixture) events() int {
	l.Helper()
	list, err := l.store.EventsOf(l.Context(), "pro", "", "", 100)
	l.ok(err)
	return len(list)
}

// TestWatchBaseline checks that a watch whose first decision differs from the given baseline
// announces it at once, in the transaction that stores the watch.
func TestWatchBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 30*time.Hour)
		defer l.store.Close()
		l.gale()
		then, err := decide.ReadBaseline([]byte(`{"state": "normal", "reasons": []}`))
		l.ok(err)
		w, _, err := l.Create(t.Context(), "pro", Draft{
			Request: events.TripRequest{StationID: "8443970"}, Baseline: &then,
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

// TestWatchKeepsItsInstant checks a watch that was stored before the clock of its station was
// corrected, from Central to Eastern time: it asks about the same instant.
func TestWatchKeepsItsInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 30*time.Hour)
		defer l.store.Close()
		row := store.Watch{
			ID: "wt_1", Account: "pro", Station: "8728669", State: store.WatchActive,
			Request: []byte(`{"request": {"stationId": "8728669", "activity": "boating",` +
				` "localDate": "2000-01-02", "localTime": "00:00"}, "max": 9}`),
			Standing: encode(decide.Standing{}), At: l.at, Ends: l.at.Add(grace),
			Created: time.Now(), Due: time.Now().Add(time.Minute),
		}
		l.ok(l.store.AddWatch(t.Context(), row, 5))
		l.evaluated(1)
		list, err := l.List(t.Context(), "pro")
		l.ok(err)
		for _, r := range []events.TripRequest{l.request, list[0].Request} {
			if r.LocalDate != "2000-01-02" || r.LocalTime != "01:00" {
				t.Errorf("the request is about %s %s, want 01:00 at the station", r.LocalDate, r.LocalTime)
			}
		}
		if !list[0].RequestedFor.Equal(l.at) {
			t.Errorf("the watch is about %v, want %v", list[0].RequestedFor, l.at)
		}
	})
}

// TestWatchFails checks that a watch whose evaluation fails or panics is due again later, costs
// nothing, and does not stop others.
func TestWatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 5*time.Hour)
		defer l.store.Close()
		w, other := l.create(), l.create()
		judge, calls := l.scheduler.c.Judge, 0
		l.scheduler.c.Judge = func(ctx context.Context, r events.TripRequest) (decide.Decision, error) {
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
		l := newFixture(t, time.Now, 30*time.Hour)
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

// TestWatchChanges checks that an alert is announced at once, and its end at the second
// evaluation.
func TestWatchChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 5*time.Hour)
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
		l.evaluated(1)
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if len(w.Steps) != 2 || w.Steps[0].Direction != decide.Worse ||
			w.Steps[1].Direction != decide.Better {
			t.Errorf("steps are %+v, want worse and better", w.Steps)
		}
		event, err := l.store.Event(t.Context(), w.Steps[1].Event)
		l.ok(err)
		var body struct{ Data events.MaterialChangeData }
		l.ok(json.Unmarshal(event.Body, &body))
		got := body.Data
		second := events.WatchStep{ID: w.ID, Name: "trip", Step: 2}
		if got.Cause != "watch" || got.Watch == nil || *got.Watch != second ||
			got.Direction != decide.Better || got.Decision.State != decide.Normal ||
			got.Change.Changes[0].Field != "state" {
			t.Errorf("the event of the second step is %s", event.Body)
		}
	})
}

// TestWatchEvaluatesAgain checks that a watch is evaluated again soon after a decision that
// differs, and that it then goes on as before.
func TestWatchEvaluatesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 100*time.Hour)
		defer l.store.Close()
		w := l.create()
		l.evaluated(1)
		l.state = decide.WatchState
		l.evaluated(1)
		begin := time.Now()
		l.evaluated(1)
		if got := time.Since(begin); got < 10*time.Minute || got > 11*time.Minute || l.events() != 1 {
			t.Errorf("evaluated again after %v, %d events, want 10 min and 1", got, l.events())
		}
		w, err := l.Watch(t.Context(), "pro", w.ID)
		l.ok(err)
		if next := time.Until(*w.NextAt); next < 5*time.Hour {
			t.Errorf("after the change the next evaluation is in %v, want about 6 hours", next)
		}
	})
}

// TestWatchWaits checks that a watch is neither evaluated nor charged while a provider is down.
func TestWatchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 5*time.Hour)
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
		l := newFixture(t, time.Now, 5*time.Hour)
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
		l := newFixture(t, time.Now, 5*time.Hour)
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
		l := newFixture(t, time.Now, 5*time.Hour)
		defer l.store.Close()
		free := store.Account{ID: "free", Email: "f@example.org", Plan: "free"}
		l.ok(l.store.AddAccount(t.Context(), free))
		_, _, err := l.Create(t.Context(), "free", Draft{}, l.judge)
		l.refused("a watch of a free account", err, coast.PlanRequired, "no watches")
		_, _, err = l.Create(t.Context(), "pro", Draft{Name: strings.Repeat("x", 65)}, l.judge)
		l.refused("a long name", err, coast.InvalidRequest, "64")
		for range 100 {
			l.create()
		}
		_, _, err = l.Create(t.Context(), "pro", Draft{
			Request: events.TripRequest{StationID: "8443970"},
		}, l.judge)
		l.refused("a watch more than the plan has", err, coast.PlanRequired, "plan pro allows, 100")
		l.Service = New(Config{Off: true})
		_, _, err = l.Create(t.Context(), "pro", Draft{}, l.judge)
		l.refused("a watch without a scheduler", err, coast.ProviderUnavailable, "--offline")
	})
}

// TestStoreFailure checks the errors of all operations while the store is down.
func TestStoreFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx := newFixture(t, time.Now, 5*time.Hour), t.Context()
		w := l.create()
		l.ok(l.store.Close())
		_, _, create := l.Create(ctx, "pro", Draft{Request: w.Request}, l.judge)
		_, list := l.List(ctx, "pro")
		_, watch := l.Watch(ctx, "pro", w.ID)
		_, remove := l.Remove(ctx, "pro", w.ID)
		for name, err := range map[string]error{
			"Create": create, "List": list, "Watch": watch, "Remove": remove,
		} {
			l.refused(name, err, coast.StoreUnavailable, "unavailable")
		}
	})
}

// hangingStore is a store whose claims get no response.
type hangingStore struct {
	Store
	now    func() time.Time
	claims []time.Time // when they began
}

func (s *hangingStore) ClaimWatches(
	ctx context.Context, _ string, _, _ time.Time, _ int,
) ([]store.Watch, error) {
	s.claims = append(s.claims, s.now())
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestStoreHangs checks that calls of a store that does not respond end, and are repeated less and
// less often.
func TestStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 5*time.Hour)
		defer l.store.Close()
		hanging := &hangingStore{Store: l.store, now: l.now}
		l.scheduler.w.Store = hanging
		l.run(3 * time.Minute)
		var got []time.Duration
		for i := 1; i < len(hanging.claims); i++ {
			got = append(got, hanging.claims[i].Sub(hanging.claims[i-1])-storeTimeout)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 30}
		for i, w := range want {
			if i >= len(got) || got[i] < w*time.Second || got[i] > w*time.Second+pace {
				t.Fatalf("times between claims are %v, want %v seconds", got, want)
			}
		}
	})
}

// TestStationTogether checks that the watches of a station are evaluated at the same instants
// after they were created at different times.
func TestStationTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFixture(t, time.Now, 30*time.Hour)
		defer l.store.Close()
		ids := map[string]bool{}
		for range 5 {
			ids[l.create().ID] = true
			l.run(7 * time.Minute)
		}
		l.run(time.Hour)
		due := map[time.Time]int{}
		for id := range ids {
			row, err := l.store.Watch(t.Context(), id)
			l.ok(err)
			due[row.Due]++
		}
		if len(due) != 1 {
			t.Errorf("the watches of one station are due at %d times, want 1: %v", len(due), due)
		}
	})
}
