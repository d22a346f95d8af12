package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/planning"
	"leadline/internal/simulator/provider"
	"leadline/internal/trials"
)

// read is the response to a request for a decision.
type read struct {
	decide.Decision
	size int
	err  error
}

// send posts a body and returns errors: requests are sent concurrently.
func send(url, body string) (status int, answer []byte, err error) {
	return product.SendAs("", url, body)
}

func ask(base, body string) (r read) {
	status, answer, err := send(base+"/api/v1/decisions/trip-health", body)
	r.size, r.err = len(answer), err
	if err == nil && status != http.StatusOK {
		r.err = fmt.Errorf("status %d: %.300s", status, answer)
	}
	var out planning.TripHealth
	if r.err == nil {
		r.err = json.Unmarshal(answer, &out)
	}
	r.Decision = out.Decision
	return r
}

// askActivities requests decisions for all activities concurrently.
func askActivities(base string) []read {
	reads := make([]read, len(decide.Activities()))
	var all sync.WaitGroup
	for i, a := range decide.Activities() {
		all.Go(func() { reads[i] = ask(base, product.Soon(a)) })
	}
	all.Wait()
	return reads
}

// storm sets weather at Boston in which every fact adds a reason.
func storm(t *testing.T, p *provider.Provider) {
	t.Helper()
	number := func(v float64) *float64 { return &v }
	err := p.SetGrid("42.3539,-71.0503", provider.Grid{Hour: func(h provider.Hour) provider.Hour {
		h.Wind, h.Gust, h.Seas, h.Period, h.Visibility = number(50), number(70), number(20),
			number(7), number(900)
		h.Weather = []provider.Condition{
			{Coverage: "numerous", Weather: "thunderstorms"}, {Coverage: "areas", Weather: "fog"},
		}
		return h
	}})
	if err == nil {
		err = p.SetWater("8443970",
			provider.Water{Residual: provider.Steady(4), Temperature: provider.Steady(3)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// required returns the facts of Boston from a service that an activity uses.
func required(service string, a decide.Activity) (ids []string) {
	of := map[string][]string{
		provider.Data:     {decide.ObservedLevel, decide.WaterTemperature},
		provider.Metadata: {decide.FloodThresholds},
		provider.Weather: {
			decide.MarineAlerts, decide.WindForecast, decide.MarineText, decide.SeaState,
			decide.SurfForecast,
		},
		"": {
			decide.MarineAlerts, decide.WindForecast, decide.MarineText, decide.SeaState,
			decide.SurfForecast, decide.FloodThresholds, decide.ObservedLevel, decide.WaterTemperature,
		},
	}
	for _, id := range of[service] {
		if decide.Uses(a, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// lacking checks that facts are reported as missing, and their sources as not
// available.
func (r read) lacking(ids ...string) error {
	if r.err != nil {
		return r.err
	}
	for _, id := range ids {
		known := slices.ContainsFunc(r.Sources, func(s coast.Source) bool {
			return s.ID == id && !s.Available && s.Freshness == coast.Unknown && s.AgeMinutes == nil
		})
		if !slices.Contains(r.MissingInputs, id) || !known {
			return fmt.Errorf("%s is not listed as missing: %q, %+v", id, r.MissingInputs, r.Sources)
		}
	}
	return nil
}

// worse returns the rank of a state by its restriction.
func worse(s decide.State) int {
	return map[decide.State]int{
		decide.Normal: 0, decide.WatchState: 1, decide.ActionNeeded: 2, decide.Unknown: 2,
	}[s]
}

// decisionWays are failures of every kind: immediate, without a response, by
// status, by body, late.
var decisionWays = []provider.Fault{
	{Kind: provider.Refuse}, {Kind: provider.Hang}, {Kind: provider.Unavailable, RetryAfter: 3},
	{Kind: provider.Garbage}, {Kind: provider.Slow, Delay: time.Minute}, {Kind: provider.Drip},
}

// TestDecisionsOutage makes each service, and all of them, fail in each way, with an empty cache,
// or each way for one of them. Every activity gets a decision that names missing facts, and does
// not improve its state. Without a deadline, requests would not end.
func TestDecisionsOutage(t *testing.T) {
	const deadline = 400 * time.Millisecond
	services := []string{provider.Data, provider.Metadata, provider.Derived, provider.Weather, ""}
	simulator, root := product.Simulate(t, product.Noon)
	storm(t, simulator)
	up := askActivities(product.Setup{
		Root: root, Now: product.Noon, Log: alarm{t}, With: errorsOnly, Deadline: longFetch,
	}.Start(t).URL)
	var all sync.WaitGroup
	for i, fault := range decisionWays {
		for j, service := range services {
			if !trials.Thorough() && j != i%len(services) {
				continue
			}
			simulator, root := product.Simulate(t, product.Noon)
			storm(t, simulator)
			simulator.Fail(service, fault)
			p := product.Setup{
				Root: root, Now: product.Noon, Deadline: deadline, Log: alarm{t}, With: errorsOnly,
			}.Start(t)
			all.Go(func() { checkOutage(t, service, fault, askActivities(p.URL), up) })
		}
	}
	all.Wait()
}

// checkOutage checks the decisions on all activities while a service fails against those without a
// failure.
func checkOutage(t *testing.T, service string, fault provider.Fault, reads, up []read) {
	for at, r := range reads {
		a := decide.Activities()[at]
		if err := r.lacking(required(service, a)...); err != nil {
			t.Errorf("%q %s, %s: %v", service, fault.Kind, a, err)
			continue
		}
		if worse(r.State) < worse(up[at].State) {
			t.Errorf("%q %s, %s: the state is %s, and %s when it responds", service, fault.Kind, a,
				r.State, up[at].State)
		}
		if service == "" && (r.State != decide.Unknown && r.State != decide.ActionNeeded ||
			len(r.Highlights) == 0) {
			t.Errorf("all %s, %s: %s, highlights %q, want an unknown state and some", fault.Kind, a,
				r.State, r.Highlights)
		}
	}
}

// TestDecisionsAllDown checks that without providers every activity is unknown, and
// that times are still scored.
func TestDecisionsAllDown(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	p.Fail("", provider.Fault{Kind: provider.Garbage})
	served := product.Setup{Root: root, Now: product.Noon, Deadline: time.Second}.Start(t)
	for i, r := range askActivities(served.URL) {
		if r.err != nil || r.State != decide.Unknown || r.Confidence != decide.Low ||
			r.Window != nil || len(r.Highlights) == 0 {
			t.Errorf("%s: %v %s %s %v %q, want unknown, low, no window and highlights",
				decide.Activities()[i], r.err, r.State, r.Confidence, r.Window, r.Highlights)
		}
	}
	for _, a := range decide.Activities() {
		var out planning.BestWindow
		body := product.Windows(string(a), 2)
		product.Decode(t, string(served.Pro(t).Want(t, http.StatusOK, "best-window", body)), &out)
		if out.Recommended != nil || len(out.Candidates) != 2 || len(out.Candidates[0].Parts) < 2 ||
			out.Candidates[0].Parts[0].Score == nil {
			t.Errorf("%s: %+v, want two scored candidates and none recommended", a, out)
		}
	}
}

// TestDecisionsWarm checks that fresh cache entries are used while providers fail in
// any way.
func TestDecisionsWarm(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	storm(t, p)
	served := product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t)
	up := askActivities(served.URL)
	for _, fault := range decisionWays {
		p.Heal()
		p.Fail("", fault)
		for i, r := range askActivities(served.URL) {
			if r.err != nil || len(r.MissingInputs) != 0 || r.State != up[i].State ||
				r.Confidence != up[i].Confidence {
				t.Errorf("%s, %s: %v, missing %q, %s %s, want %s %s", fault.Kind, decide.Activities()[i],
					r.err, r.MissingInputs, r.State, r.Confidence, up[i].State, up[i].Confidence)
			}
		}
	}
}

// TestDecisionsHeld checks that cached facts count until they are stale, and that
// stale facts still add reasons.
func TestDecisionsHeld(t *testing.T) {
	var late atomic.Int64
	now := func() time.Time { return product.Noon().Add(time.Duration(late.Load())) }
	p, root := product.Simulate(t, now)
	storm(t, p)
	served := product.Setup{Root: root, Now: now, Deadline: longFetch}.Start(t)
	later := func(d time.Duration) read {
		late.Store(int64(d))
		at := now().Add(time.Hour).In(served.ZoneOf(t, "8443970"))
		return ask(served.URL, fmt.Sprintf(
			`{"stationId":"8443970","activity":"photography","localDate":%q,"localTime":%q}`,
			at.Format(time.DateOnly), at.Format("15:04")))
	}
	if first := later(0); first.err != nil || len(first.MissingInputs) != 0 {
		t.Fatalf("with all at hand: %v, missing %q", first.err, first.MissingInputs)
	}
	p.Fail(provider.Weather, provider.Fault{Kind: provider.Refuse})
	for _, test := range []struct {
		after   time.Duration
		missing []string
		state   decide.State
	}{
		{4 * time.Minute, []string{}, decide.ActionNeeded},
		{14 * time.Minute, []string{}, decide.ActionNeeded},
		{16 * time.Minute, []string{decide.MarineAlerts}, decide.ActionNeeded},
		{
			14 * time.Hour, []string{
				decide.MarineAlerts, decide.WindForecast, decide.MarineText, decide.SeaState,
			}, decide.ActionNeeded,
		},
	} {
		got := later(test.after)
		if got.err != nil || !slices.Equal(got.MissingInputs, test.missing) ||
			got.State != test.state {
			t.Errorf("after %v: %v, missing %q, %s, want %q, %s",
				test.after, got.err, got.MissingInputs, got.State, test.missing, test.state)
		}
		if !slices.ContainsFunc(got.Reasons,
			func(r decide.Reason) bool { return r.Code == "gust" && r.Severity == decide.Watch }) {
			t.Errorf("after %v: no gust among the reasons %+v", test.after, got.Reasons)
		}
	}
}

// TestDecisionsAtOnce checks that 50 concurrent callers with an empty cache each get
// their own decision, and together cause the provider requests of only one.
func TestDecisionsAtOnce(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	served := product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t)
	alone := ask(served.URL, product.Soon(decide.Fishing))
	cost := p.Requests("")
	served = product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t)
	reads, ids := make([]read, 50), map[string]bool{}
	var all sync.WaitGroup
	for i := range reads {
		all.Go(func() { reads[i] = ask(served.URL, product.Soon(decide.Fishing)) })
	}
	all.Wait()
	for _, r := range reads {
		ids[r.DecisionID] = true
		if r.err != nil || r.State != alone.State || len(r.Reasons) != len(alone.Reasons) ||
			len(r.MissingInputs) != 0 {
			t.Errorf("%v, %s %q, want %s", r.err, r.State, r.MissingInputs, alone.State)
		}
	}
	if got := p.Requests("") - cost; len(ids) != len(reads) || got > cost {
		t.Errorf("%d decisions, %d requests, want %d, and at most %d", len(ids), got, len(reads), cost)
	}
}

// TestLongestAnswer checks the size of the largest possible response, which names
// each of twelve concurrent alerts.
func TestLongestAnswer(t *testing.T) {
	h := newTheater(t)
	p, base := h.simulator, h.product.URL
	storm(t, p)
	var alerts []provider.Alert
	for _, event := range []string{
		"Hurricane Force Wind Warning", "Small Craft Advisory For Hazardous Seas",
		"Severe Thunderstorm Warning", "Special Marine Warning", "Heavy Freezing Spray Warning",
		"Coastal Flood Warning",
		"Rip Current Statement", "Beach Hazards Statement", "Dense Fog Advisory",
		"Tropical Storm Warning", "Storm Surge Warning", "Extreme Wind Warning",
	} {
		alerts = append(alerts, provider.Alert{
			Event: event, Description: strings.Repeat(event+". ", 50), Sent: product.Noon(),
			Onset: product.Noon(), Expires: product.Noon().Add(12 * time.Hour),
			Ends: product.Noon().Add(12 * time.Hour),
		})
	}
	p.SetAlerts("ANZ230", alerts[:3]...)
	for i, r := range askActivities(base) {
		if r.err != nil || r.size > mostAnswer {
			t.Errorf("%s in a storm with three alerts: %v, %d bytes, want at most %d",
				decide.Activities()[i], r.err, r.size, mostAnswer)
		}
	}
	p.SetAlerts("ANZ230", alerts...)
	h.played.Add(1)
	for i, r := range askActivities(base) {
		if r.err != nil || r.State != decide.ActionNeeded || r.size > mostAnswer {
			t.Errorf("%s: %v, %s, %d bytes, want action-needed in at most %d",
				decide.Activities()[i], r.err, r.State, r.size, mostAnswer)
		}
		for _, alert := range alerts {
			if !slices.ContainsFunc(
				r.Reasons,
				func(reason decide.Reason) bool { return strings.Contains(reason.Message, alert.Event) },
			) {
				t.Errorf("%s: no reason names the %s", decide.Activities()[i], alert.Event)
			}
		}
	}
	p.Fail(provider.Weather, provider.Fault{Kind: provider.Garbage})
	p.Fail(provider.Data, provider.Fault{Kind: provider.Garbage})
	h.played.Add(1)
	for i, r := range askActivities(base) {
		if r.err != nil || r.size > mostAnswer {
			t.Errorf("%s with nothing at hand: %v, %d bytes, want at most %d",
				decide.Activities()[i], r.err, r.size, mostAnswer)
		}
	}
}

// TestRepeatedTime checks that a local time that occurs twice is the first one, or
// the second once the first is past.
func TestRepeatedTime(t *testing.T) {
	const body = `{"stationId":"8443970","activity":"photography","localDate":"2026-11-01",` +
		`"localTime":"01:30"}`
	h := newTheater(t)
	for _, test := range []struct{ now, want string }{
		{"2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z"}, // 01:00 in summer time
		{"2026-11-01T05:45:00Z", "2026-11-01T05:30:00Z"},
		{"2026-11-01T05:46:00Z", "2026-11-01T06:30:00Z"},
		{"2026-11-01T06:45:00Z", "2026-11-01T06:30:00Z"}, // 01:45 in winter time
		{"2026-11-01T06:46:00Z", ""},
	} {
		now, err := time.Parse(time.RFC3339, test.now)
		if err != nil {
			t.Fatal(err)
		}
		h.now.Store(&now)
		h.played.Add(1)
		r := ask(h.product.URL, body)
		if test.want == "" {
			if r.err == nil || !strings.Contains(r.err.Error(), `"past"`) {
				t.Errorf("at %s: %v, %v, want a time past", now, r.RequestedFor, r.err)
			}
			continue
		}
		noted := slices.ContainsFunc(r.Notes, func(note string) bool {
			return strings.Contains(note, "comes twice") &&
				strings.Contains(note, r.RequestedFor.Format(time.RFC3339))
		})
		if got := r.RequestedFor.UTC().Format(time.RFC3339); r.err != nil || got != test.want ||
			!noted {
			t.Errorf("at %s: %s, %q, %v, want %s and a note", now, got, r.Notes, r.err, test.want)
		}
	}
}
