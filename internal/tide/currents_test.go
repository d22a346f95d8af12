package tide

import (
	"math"
	"slices"
	"testing"
	"time"
)

// stream is a current of S2 alone, which turns at the same minutes each day,
// with a mean flow.
func stream(amplitude, mean float64) Currents {
	s2, _ := Lookup("S2")
	return Currents{Curve: NewCurve([]Harmonic{{s2, amplitude, 0}}), Mean: mean}
}

func phases(c Currents) []Phase {
	var list []Phase
	for _, e := range c.Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59)) {
		list = append(list, e.Phase)
	}
	return list
}

// v = mean + amplitude·cos: a flood at 0 and 12 h, an ebb at 6 h.
func TestPhases(t *testing.T) {
	tests := []struct {
		name            string
		amplitude, mean float64
		want            []Phase
	}{
		{"both ways", 1, 0, []Phase{Slack, Ebb, Slack, Flood}},
		{"flood only", 1, 1.5, []Phase{Flood, Flood}},
		{"a weak ebb between two slacks is left out", 1, 0.92, []Phase{Slack, Slack, Flood}},
		{"a relaxation near zero is a slack", 1, 1.05, []Phase{Slack, Flood}},
		{"all weak: slacks alone", 0.05, 0, []Phase{Slack, Slack}},
		{"weak and one way: every extremum is a slack", 0.02, 0.05, []Phase{Slack, Slack}},
	}
	for _, test := range tests {
		if got := phases(stream(test.amplitude, test.mean)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestEvents(t *testing.T) {
	events := stream(1, 1.5).Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59))
	if !events[0].Min || events[1].Min || math.Abs(events[0].Velocity-0.5) > 1e-6 {
		t.Errorf("a relaxation to 0.5 kn and a flood: %+v", events)
	}
	events = stream(1, 0).Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59))
	want := []CurrentEvent{
		{Time: date(2026, 5, 1, 3, 0), Phase: Slack, Next: Ebb},
		{Time: date(2026, 5, 1, 6, 0), Phase: Ebb, Velocity: -1},
		{Time: date(2026, 5, 1, 9, 0), Phase: Slack, Next: Flood},
		{Time: date(2026, 5, 1, 12, 0), Phase: Flood, Velocity: 1},
	}
	for i, e := range events {
		if math.Abs(e.Velocity-want[i].Velocity) > 1e-4 {
			t.Errorf("velocity %v, want %v", e.Velocity, want[i].Velocity)
		}
		e.Velocity = want[i].Velocity
		if e != want[i] {
			t.Errorf("%+v, want %+v", e, want[i])
		}
	}
	events = stream(1, 1.05).Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 7, 0))
	if e := events[0]; e.Next != Flood || math.Abs(e.Velocity-0.05) > 1e-3 {
		t.Errorf("the slack of a relaxation: %+v", e)
	}
}

func TestSubordinateEvents(t *testing.T) {
	c := stream(1, 0)
	c.Offsets = &CurrentOffsets{SlackBeforeFlood: 10, SlackBeforeEbb: -20, Flood: 30, Ebb: -5, FloodRatio: 2, EbbRatio: 0.5}
	want := []CurrentEvent{
		{Time: date(2026, 5, 1, 2, 40), Phase: Slack, Next: Ebb},
		{Time: date(2026, 5, 1, 5, 55), Phase: Ebb, Velocity: -0.5},
		{Time: date(2026, 5, 1, 9, 10), Phase: Slack, Next: Flood},
		{Time: date(2026, 5, 1, 12, 30), Phase: Flood, Velocity: 2},
	}
	events := c.Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59))
	if len(events) != len(want) {
		t.Fatalf("%d events, want %d", len(events), len(want))
	}
	out := make([]float64, 1)
	for i, e := range events {
		w := want[i]
		if !e.Time.Equal(w.Time) || e.Phase != w.Phase || e.Next != w.Next || math.Abs(e.Velocity-w.Velocity) > 1e-6 {
			t.Errorf("%+v, want %+v", e, w)
		}
		if c.Velocities(e.Time, time.Minute, out); math.Abs(out[0]-w.Velocity) > 1e-3 {
			t.Errorf("velocity %v at %+v", out[0], w)
		}
	}
}

// Slacks stand where the exact velocity changes its sign, across a New Year.
func TestSlacksExactly(t *testing.T) {
	c := Currents{Curve: curveOf(barbara), Mean: -0.2}
	from, to := date(2026, 12, 25, 0, 0), date(2027, 1, 8, 0, 0)
	velocity := func(at time.Time) float64 { return c.Mean + c.Curve.At(at) }
	var got, want []time.Time
	for _, e := range c.Events(from, to) {
		before, after := velocity(e.Time.Add(-31*time.Second)), velocity(e.Time.Add(31*time.Second))
		if e.Phase == Slack && (before > 0) != (after > 0) {
			got = append(got, e.Time)
			if (after > 0) != (e.Next == Flood) {
				t.Errorf("%v follows %+v", after, e)
			}
		} else if e.Phase == Slack && (e.Next == Flood) != (after > 0) {
			t.Errorf("%v follows the touching slack %+v", after, e)
		}
	}
	for at := from.Add(-30 * time.Second); at.Before(to); at = at.Add(time.Minute) {
		if (velocity(at) > 0) != (velocity(at.Add(time.Minute)) > 0) {
			want = append(want, at.Add(30*time.Second))
		}
	}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("slacks at %v, want %v", got, want)
	}
}
