package events

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"leadline/internal/decide"
	"leadline/store"
	"leadline/store/bolt"
)

// fixture is an Outbox on a real store. The account "pro" has an endpoint that receives
// everything.
type fixture struct {
	*Outbox
	t     *testing.T
	store *bolt.Store
	now   time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "store"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	f := &fixture{t: t, store: engine, now: happened}
	f.ok(engine.AddAccount(t.Context(), store.Account{
		ID: "pro", Email: "pro@example.org", Plan: "pro", Created: happened,
	}))
	f.ok(engine.AddEndpoint(t.Context(), store.Endpoint{
		ID: "we_1", Account: "pro", URL: "https://hooks.example.com/", Kinds: []string{store.AllKinds},
		State: store.EndpointEnabled, Created: happened,
	}, 1))
	f.Outbox = NewOutbox(OutboxConfig{Store: engine, Now: func() time.Time { return f.now }})
	return f
}

// ok ends the test if a call failed.
func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatalf("got error %v, want none", err)
	}
}

// TestMaterialChangeSince checks the events of the material-change operation: their directions,
// that one baseline and result make one event, and that what only the response lacks is none.
func TestMaterialChangeSince(t *testing.T) {
	f := newFixture(t)
	calm := decision()
	calm.State, calm.Reasons = decide.Normal, []decide.Reason{}
	bad, shown := decision(), decision()
	shown.Reasons = shown.Reasons[:1] // as Fit may shorten it
	request := TripRequest{"8443970", decide.Boating, "2026-11-28", "09:00"}
	for _, test := range []struct {
		name      string
		then      *decide.Decision
		now, show *decide.Decision
		want      decide.Direction // of a new event, "" for none
	}{
		{"a gale", calm, bad, bad, decide.Worse},
		{"the same again", calm, bad, bad, ""},
		{"the end of the gale", bad, calm, calm, decide.Better},
		{"reasons left out of the response", bad, bad, shown, ""},
		{"reasons left out of the baseline", shown, bad, shown, ""},
	} {
		f.now = f.now.Add(time.Minute)
		before := f.changes()
		f.MaterialChange(t.Context(), "pro", request, baselineOf(t, test.then), test.now,
			test.show, time.Minute)
		after := f.changes()
		switch {
		case test.want == "" && len(after) > len(before):
			t.Errorf("%s: an event %s, want none", test.name, after[0].Direction)
		case test.want != "" && len(after) != len(before)+1:
			t.Errorf("%s: %d new events, want 1", test.name, len(after)-len(before))
		case test.want != "" && (after[0].Direction != test.want || after[0].Cause != "operation" ||
			after[0].Watch != nil || after[0].Request != request):
			t.Errorf("%s: event %+v, want %s", test.name, after[0], test.want)
		}
	}
	f.now = f.now.Add(onceOperation)
	f.MaterialChange(t.Context(), "pro", request, baselineOf(t, calm), bad, bad, time.Minute)
	if got := len(f.changes()); got != 3 {
		t.Errorf("after a day the same change has made %d events, want 3", got)
	}
}

// baselineOf returns the summary of a decision as a baseline.
func baselineOf(t *testing.T, d *decide.Decision) decide.Baseline {
	t.Helper()
	text, err := json.Marshal(decide.Summarize(d))
	if err != nil {
		t.Fatal(err)
	}
	b, err := decide.ReadBaseline(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changes returns the material changes of the account "pro", the newest first.
func (f *fixture) changes() (list []MaterialChangeData) {
	f.t.Helper()
	events, err := f.store.EventsOf(f.t.Context(), "pro", string(MaterialChange), "", 100)
	f.ok(err)
	for _, e := range events {
		var body struct{ Data MaterialChangeData }
		f.ok(json.Unmarshal(e.Body, &body))
		list = append(list, body.Data)
	}
	return list
}
