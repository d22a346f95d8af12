package dispatch

import (
	"reflect"
	"testing"
	"time"

	"leadline/internal/events/sender"
	"leadline/store"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// reported returns the report of an attempt at a time, with a status or, for 0, a timeout.
func reported(at time.Time, status int) sender.Report {
	report := sender.Report{
		Attempt: store.Attempt{At: at, Status: status, Error: sender.StatusError}, Outcome: sender.Failed,
	}
	switch status {
	case 0:
		report.Attempt.Error = sender.TimeoutError
	case 200, 204:
		report.Attempt.Error, report.Outcome = "", sender.Delivered
	case 410:
		report.Outcome = sender.Gone
	case 429, 502, 503, 504:
		report.Outcome = sender.Paused
	}
	return report
}

// TestResult checks what follows from the first attempt of a delivery.
func TestResult(t *testing.T) {
	const gone = store.ReasonGone
	for _, test := range []struct {
		state    string // of the endpoint
		status   int
		delivery string
		endpoint string
		reason   string
		paused   bool
	}{
		{store.EndpointEnabled, 200, store.DeliveryDelivered, "", "", false},
		{store.EndpointEnabled, 204, store.DeliveryDelivered, "", "", false},
		{store.EndpointPending, 204, store.DeliveryDelivered, store.EndpointEnabled, "", false},
		{store.EndpointPending, 500, store.DeliveryPending, "", "", false},
		{store.EndpointPending, 410, store.DeliveryFailed, store.EndpointSuspended, gone, false},
		{store.EndpointEnabled, 0, store.DeliveryPending, "", "", false},
		{store.EndpointEnabled, 301, store.DeliveryPending, "", "", false},
		{store.EndpointEnabled, 400, store.DeliveryPending, "", "", false},
		{store.EndpointEnabled, 404, store.DeliveryPending, "", "", false},
		{store.EndpointEnabled, 410, store.DeliveryFailed, store.EndpointSuspended, gone, false},
		{store.EndpointEnabled, 429, store.DeliveryPending, "", "", true},
		{store.EndpointEnabled, 500, store.DeliveryPending, "", "", false},
		{store.EndpointEnabled, 502, store.DeliveryPending, "", "", true},
		{store.EndpointEnabled, 503, store.DeliveryPending, "", "", true},
		{store.EndpointEnabled, 504, store.DeliveryPending, "", "", true},
	} {
		e := store.Endpoint{ID: "we_1", URL: "https://a.example", State: test.state}
		r := newSchedule(1).result(e, store.Delivery{Event: "msg_1"}, reported(noon, test.status), noon)
		if r.State != test.delivery || r.EndpointState != test.endpoint || r.Reason != test.reason ||
			r.Health.PauseUntil.After(noon) != test.paused || r.Tries != 1 || r.URL != e.URL {
			t.Errorf("result of %d for %s endpoint = %+v", test.status, test.state, r)
		}
		if due := r.State == store.DeliveryPending; due != r.Due.After(noon) {
			t.Errorf("result of %d: state %s, due %v", test.status, r.State, r.Due)
		}
	}
}

// TestPauseOf checks that a receiver decides how long it gets nothing.
func TestPauseOf(t *testing.T) {
	e := store.Endpoint{State: store.EndpointEnabled}
	report := reported(noon, 503)
	report.Until = noon.Add(time.Hour + time.Millisecond)
	r := newSchedule(1).result(e, store.Delivery{}, report, noon)
	if want := noon.Add(time.Hour + time.Second); !r.Health.PauseUntil.Equal(want) {
		t.Errorf("paused until %v, want %v", r.Health.PauseUntil, want)
	}
	report.Until = time.Time{}
	r = newSchedule(1).result(e, store.Delivery{Tries: 2}, report, noon)
	if !r.Health.PauseUntil.Equal(r.Due) || !within(noon, r.Due, 30*time.Minute) {
		t.Errorf("paused until %v, want %v, 30 min later", r.Health.PauseUntil, r.Due)
	}
}

// TestDifferentDeliveries checks that repeated failures of one delivery count once, and that a
// success ends the count.
func TestDifferentDeliveries(t *testing.T) {
	s := newSchedule(1)
	e := store.Endpoint{State: store.EndpointEnabled}
	now := noon
	attempts := map[string][]store.Attempt{}
	for i, test := range []struct {
		event                string
		status               int
		failures, deliveries int
		paused               bool
	}{
		{"a", 500, 1, 1, false},
		{"a", 500, 2, 1, false},
		{"b", 500, 3, 2, false},
		{"a", 500, 4, 2, false},
		{"c", 200, 0, 0, false},
		{"a", 500, 1, 1, false},
		{"b", 500, 2, 2, false},
		{"d", 500, 3, 3, true},
		{"a", 500, 4, 3, true},
		{"e", 500, 5, 4, true},
		{"a", 200, 0, 0, false},
	} {
		now = now.Add(time.Hour)
		d := store.Delivery{Event: test.event, Attempts: attempts[test.event]}
		r := s.result(e, d, reported(now, test.status), now)
		attempts[test.event] = append(attempts[test.event], r.Attempt)
		e.Health = r.Health
		h := r.Health
		if h.Failures != test.failures || h.Deliveries != test.deliveries ||
			h.PauseUntil.After(now) != test.paused {
			t.Errorf("%d: health %+v, want %+v", i, h, test)
		}
	}
}

// TestConcurrentFailure checks that an attempt that began before a pause does not prolong it.
func TestConcurrentFailure(t *testing.T) {
	s := newSchedule(1)
	e := store.Endpoint{State: store.EndpointEnabled}
	e.Health = store.Health{Failures: 2, Deliveries: 2, FailingSince: noon}
	e.Health = s.result(e, store.Delivery{Event: "c"}, reported(noon, 500), noon).Health
	first := e.Health.PauseUntil
	e.Health = s.result(e, store.Delivery{Event: "d"}, reported(noon, 500), noon).Health
	if !first.After(noon) || !e.Health.PauseUntil.Equal(first) {
		t.Errorf("paused until %v, then %v, want no change", first, e.Health.PauseUntil)
	}
}

// TestPauseOutlives checks that a success does not end a pause that was asked for after the
// attempt had begun, and ends an earlier one.
func TestPauseOutlives(t *testing.T) {
	s := newSchedule(1)
	until := noon.Add(time.Hour)
	e := store.Endpoint{State: store.EndpointEnabled, Health: store.Health{
		Failures: 1, PauseUntil: until,
		Last: store.Attempt{At: noon, Status: 429, Error: sender.StatusError, Millis: 100},
	}}
	for began, want := range map[time.Time]time.Time{
		noon.Add(50 * time.Millisecond): until, noon.Add(time.Minute): {},
	} {
		r := s.result(e, store.Delivery{}, reported(began, 200), began.Add(time.Second))
		if got := r.Health.PauseUntil; !got.Equal(want) {
			t.Errorf("a success that began at %v leaves the pause until %v, want %v", began, got, want)
		}
	}
}

// TestOwnFault checks that a fault of this server does not count against an endpoint.
func TestOwnFault(t *testing.T) {
	before := store.Health{Failures: 3, Deliveries: 2, FailingSince: noon.Add(-time.Hour)}
	a := store.Attempt{At: noon, Error: sender.InternalError}
	want := before
	want.Last = a
	if got := afterFailure(before, store.Delivery{}, a); !reflect.DeepEqual(got, want) {
		t.Errorf("afterFailure(%+v) = %+v, want %+v", before, got, want)
	}
}

// TestSuspension checks both conditions: days and the number of failures.
func TestSuspension(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		failures int // before this one
		since    time.Duration
		want     string
	}{
		{11, 5 * day, store.ReasonFailing},
		{11, 5*day - time.Second, ""},
		{10, 5 * day, ""},
		{10, 50 * day, ""},
		{500, 6 * day, store.ReasonFailing},
	} {
		e := store.Endpoint{State: store.EndpointEnabled}
		e.Health = store.Health{Failures: test.failures, FailingSince: noon.Add(-test.since)}
		r := newSchedule(1).result(e, store.Delivery{}, reported(noon, 500), noon)
		if r.Reason != test.want || (r.EndpointState == store.EndpointSuspended) != (test.want != "") {
			t.Errorf("failure %d after %v: %q, want %q", test.failures+1, test.since, r.Reason, test.want)
		}
	}
}
