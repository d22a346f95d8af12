package tide

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// stream returns a current of S2 alone, which turns at the same minutes each day, with a
// mean flow.
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
	c.Offsets = &CurrentOffsets{SlackBeforeFlood: 10, SlackBeforeEbb: -20, Flood: 30, Ebb: -5,
		FloodRatio: 2, EbbRatio: 0.5}
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
		if !e.Time.Equal(w.Time) || e.Phase != w.Phase || e.Next != w.Next ||
			math.Abs(e.Velocity-w.Velocity) > 1e-6 {
			t.Errorf("%+v, want %+v", e, w)
		}
		if c.Velocities(e.Time, time.Minute, out); math.Abs(out[0]-w.Velocity) > 1e-3 {
			t.Errorf("velocity %v at %+v", out[0], w)
		}
	}
}

// TestSlacksExactly checks that slacks are where the exact velocity changes its sign,
// across a New Year. The exception is a second slack within the hour with a weak current
// in between.
func TestSlacksExactly(t *testing.T) {
	c := Currents{Curve: curveOf(barbara), Mean: -0.2}
	from, to := date(2026, 12, 25, 0, 0), date(2027, 1, 8, 0, 0)
	velocity := func(at time.Time) float64 { return c.Mean + c.Curve.At(at) }
	var want []time.Time
	pairs, next := 0, []bool{} // whether a flood follows
	for at := from.Add(-30 * time.Second); at.Before(to); at = at.Add(time.Minute) {
		after := velocity(at.Add(time.Minute)) > 0
		if (velocity(at) > 0) == after {
			continue
		}
		if n := len(want); n > 0 && at.Sub(want[n-1]) < time.Hour {
			next[n-1] = after
			pairs++
			continue
		}
		want, next = append(want, at.Add(30*time.Second)), append(next, after)
	}
	if pairs != 1 {
		t.Fatalf("%d pairs of slacks within the hour, want 1", pairs)
	}
	k := 0
	for _, e := range c.Events(from, to) {
		if e.Phase != Slack {
			continue
		}
		before, after := velocity(e.Time.Add(-31*time.Second)), velocity(e.Time.Add(31*time.Second))
		if (before > 0) == (after > 0) { // it touches zero
			if (e.Next == Flood) != (after > 0) {
				t.Errorf("%v follows the touching slack %+v", after, e)
			}
			continue
		}
		if k < len(want) && (!e.Time.Equal(want[k]) || (e.Next == Flood) != next[k]) {
			t.Errorf("slack %+v, want one at %v, flood follows = %v", e, want[k], next[k])
		}
		k++
	}
	if k != len(want) {
		t.Errorf("%d slacks, want %d", k, len(want))
	}
}

// TestSlackPairs checks that of two slacks less than an hour apart the second is omitted
// if the current stays below 0.1 kn between them.
func TestSlackPairs(t *testing.T) {
	tests := []struct {
		name            string
		amplitude, mean float64 // the ebb at 6 h is mean − amplitude
		want            []string
	}{
		{"92 minutes apart", 1, 0.92,
			[]string{"05:14 slack ebb", "06:46 slack flood", "12:00 flood "}},
		{"61 minutes apart", 1, 0.9648,
			[]string{"05:30 slack ebb", "06:30 slack flood", "12:00 flood "}},
		{"59 minutes apart", 1, 0.967, []string{"05:30 slack flood", "12:00 flood "}},
		{"37 minutes apart, an ebb of 0.13 kn between them", 10, 9.87,
			[]string{"05:42 slack ebb", "06:00 ebb ", "06:18 slack flood", "12:00 flood "}},
		{"31 minutes apart, an ebb of 0.09 kn between them", 10, 9.91,
			[]string{"05:45 slack flood", "12:00 flood "}},
	}
	for _, test := range tests {
		c := stream(test.amplitude, test.mean)
		if got := rows(c); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// rows returns the events of half a day: time, phase and the phase after a slack.
func rows(c Currents) (list []string) {
	for _, e := range c.Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59)) {
		list = append(list, fmt.Sprintf("%s %s %s", e.Time.Format("15:04"), e.Phase, e.Next))
	}
	return list
}

// TestWeakAtTheSubordinate checks that the speed after the ratio decides whether an
// extremum is weak, and that a weak one has the offset of its flood or ebb. The
// reference's relaxation or ebb is at 6 h, its flood at 12 h.
func TestWeakAtTheSubordinate(t *testing.T) {
	tests := []struct {
		name                  string
		mean                  float64
		floodRatio, ebbRatio  float64
		slackToEbb, flood, eb int
		want                  []string
	}{
		{"a relaxation becomes weak", 1.15, 0.5, 1, 45, 30, 0,
			[]string{"06:30 slack flood", "12:30 flood "}},
		{"a weak relaxation becomes strong", 1.06, 2, 1, 45, 30, 0,
			[]string{"06:30 flood ", "12:30 flood "}},
		{"an ebb becomes weak", 0.85, 1, 0.5, 0, 0, 30,
			[]string{"04:56 slack ebb", "07:04 slack flood", "12:00 flood "}},
		{"a weak ebb becomes strong", 0.92, 1, 2, 0, 0, 30,
			[]string{"05:14 slack ebb", "06:30 ebb ", "06:46 slack flood", "12:00 flood "}},
		{"an ebb that becomes strong keeps its two slacks", 0.97, 1, 4, 0, 0, 0,
			[]string{"05:32 slack ebb", "06:00 ebb ", "06:28 slack flood", "12:00 flood "}},
		{"the second slack within the hour", 0.97, 1, 1, 0, 0, 0,
			[]string{"05:32 slack flood", "12:00 flood "}},
		{"a ratio of 0", 0.85, 0, 1, 0, 0, 0,
			[]string{"04:56 slack ebb", "06:00 ebb ", "07:04 slack flood", "12:00 flood "}},
	}
	for _, test := range tests {
		c := stream(1, test.mean)
		c.Offsets = &CurrentOffsets{
			SlackBeforeEbb: test.slackToEbb, Flood: test.flood, Ebb: test.eb,
			FloodRatio: test.floodRatio, EbbRatio: test.ebbRatio,
		}
		if got := rows(c); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		for _, e := range c.Events(date(2026, 5, 1, 1, 0), date(2026, 5, 1, 12, 59)) {
			if e.Phase == Slack && e.Velocity != 0 {
				t.Errorf("%s: slack %+v, want 0 kn", test.name, e)
			}
		}
	}
}
