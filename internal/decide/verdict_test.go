package decide

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVerdict checks that a normal state below moderate confidence says in every sentence that
// nothing is known against the plan yet, and that no other state does.
func TestVerdict(t *testing.T) {
	const words = "nothing known against it yet"
	for ahead, unsure := range map[time.Duration]bool{
		time.Hour: false, farAhead: false, farAhead + time.Minute: true,
		7*24*time.Hour - 5*time.Hour: true,
	} {
		for _, a := range Activities() {
			r := asked(a)
			r.Now = noon.Add(-ahead)
			f := quiet()
			d := Decide(r, f)
			for _, text := range []string{d.Headline, d.Summary} {
				if d.State != Normal || strings.Contains(text, words) != unsure {
					t.Errorf("%s, %s ahead: %s, %q", a, ahead, d.State, text)
				}
			}
			f.during().Gust = pointer(60)
			if d := Decide(r, f); strings.Contains(d.Headline+d.Summary, words) {
				t.Errorf("%s, %s ahead: %s, %q", a, ahead, d.State, d.Headline)
			}
		}
	}
}

// TestRankUnsure checks that an hour of low confidence comes after those that are known, is never
// recommended, and that its state still counts among others of low confidence.
func TestRankUnsure(t *testing.T) {
	candidate := func(s State, c Confidence, score float64) Candidate {
		return Candidate{Score: score, Decision: Decision{State: s, Confidence: c}}
	}
	list := []Candidate{
		candidate(Normal, Low, 99), candidate(ActionNeeded, High, 80), candidate(WatchState, Low, 90),
		candidate(WatchState, Moderate, 1), candidate(Unknown, Low, 70), candidate(Normal, Moderate, 0),
	}
	if got := Rank(list); got == nil || *got != 1 {
		t.Errorf("recommended %v, want 1", got)
	}
	want := []State{Normal, WatchState, Normal, WatchState, ActionNeeded, Unknown}
	var got []State
	for _, c := range list {
		got = append(got, c.Decision.State)
	}
	if !slices.Equal(got, want) {
		t.Errorf("ranked %q, want %q", got, want)
	}
	if got := Rank(list[2:]); got != nil {
		t.Errorf("recommended %d of %q, none of which is known", *got, want[2:])
	}
}
