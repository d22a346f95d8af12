package decide

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const galeReason = `{"code":"alert_gale_warning","severity":"action","sourceId":"marine-alerts"}`

// TestBeginFrom begins watches of boating with given baselines. Where the first event follows
// at once, it has the direction.
func TestBeginFrom(t *testing.T) {
	begins := noon.Add(-20 * time.Hour)
	gale := string(encode(Summarize(sight(begins, "gale"))))
	for _, test := range []struct {
		baseline, world string
		want            Direction
	}{
		{`{"state":"normal"}`, "calm", ""},
		{`{"state":"normal","confidence":"low"}`, "calm", Changed},
		{`{"state":"normal"}`, "windy", Worse},
		{`{"state":"normal"}`, "-wind", Lost},
		{`{"state":"watch"}`, "windy", ""},
		{`{"state":"watch"}`, "calm", Better},
		{`{"state":"watch"}`, "gale", Worse},
		{`{"state":"action-needed"}`, "windy", Better},
		{`{"state":"action-needed"}`, "-wind", Changed},
		{`{"state":"unknown"}`, "calm", Changed},
		{`{"state":"unknown"}`, "gale", Worse},
		{`{"state":"unknown","missingInputs":["wind-forecast"]}`, "calm", Known},
		{`{"state":"unknown","missingInputs":["wind-forecast"]}`, "-wind", ""},
		{`{"missingInputs":[]}`, "-wind", Lost},
		{`{"missingInputs":["wind-forecast"]}`, "calm", Known},
		{`{"sources":[{"id":"wind-forecast","freshness":"stale"}]}`, "calm", Known},
		{`{"sources":[{"id":"wind-forecast","freshness":"fresh"}]}`, "-wind", Lost},
		{`{"reasons":[]}`, "windy", Worse},
		{`{"reasons":[` + galeReason + `]}`, "calm", Changed},
		{`{"reasons":[` + galeReason + `]}`, "gale", ""},
		{`{"reasons":[{"code":"alert_gale_warning"}]}`, "gale", ""},
		{`{"state":"action-needed","reasons":[` + galeReason + `]}`, "calm", Better},
		{gale, "gale", ""},
		{gale, "calm", Better},
		{gale, "-alerts", Lost},
		{gale, "-wind,gale", Lost},
	} {
		b, err := ReadBaseline([]byte(test.baseline))
		if err != nil {
			t.Fatal(err)
		}
		d := sight(begins, test.world)
		s, step := BeginFrom(b, d, begins)
		if got := directionOf(step); got != test.want {
			t.Errorf("%s since %s: %q, want %q", test.world, test.baseline, got, test.want)
		}
		if got := string(encode(s.Summary)); got != string(encode(Summarize(d))) {
			t.Errorf("%s since %s: announced %s", test.world, test.baseline, got)
		}
		for range 3 {
			begins := begins.Add(2 * time.Hour)
			if s, step = Progress(s, d, begins); step != nil {
				t.Errorf("%s since %s: a second step %s", test.world, test.baseline, step.Direction)
			}
		}
	}
}

func directionOf(step *Step) Direction {
	if step == nil {
		return ""
	}
	return step.Direction
}

// TestBeginFromCarries checks that the reasons of a baseline are carried if they are such as
// decisions have.
func TestBeginFromCarries(t *testing.T) {
	begins := noon.Add(-20 * time.Hour)
	long := strings.Repeat("x", 1000)
	for _, test := range []struct {
		reason string
		want   []BaselineReason
	}{
		{galeReason, []BaselineReason{{"alert_gale_warning", Action, MarineAlerts}}},
		{`{"code":"alert_gale_warning","sourceId":"marine-alerts"}`,
			[]BaselineReason{{"alert_gale_warning", Watch, MarineAlerts}}},
		{`{"code":"alert_gale_warning","severity":"action"}`, []BaselineReason{}},
		{`{"code":"alert_gale_warning","severity":"action","sourceId":"wind-forecast"}`, []BaselineReason{}},
		{`{"code":"Gale","severity":"action","sourceId":"marine-alerts"}`, []BaselineReason{}},
		{`{"code":"alert_` + long + `","severity":"action","sourceId":"marine-alerts"}`, []BaselineReason{}},
		{`{"code":"input_missing","severity":"watch","sourceId":"marine-alerts"}`, []BaselineReason{}},
	} {
		b, err := ReadBaseline([]byte(`{"reasons":[` + test.reason + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := BeginFrom(b, sight(begins, "-alerts"), begins)
		if !slices.Equal(s.Carried, test.want) {
			t.Errorf("baseline with %.100s: carried %v, want %v", test.reason, s.Carried, test.want)
		}
	}
}

// TestStandingSize fills every list to its limit, and a watch with every reason, stale facts
// and alerts that change at each evaluation.
func TestStandingSize(t *testing.T) {
	if got := len(encode(fullStanding())); got > LongestStanding {
		t.Errorf("the longest standing has %d bytes, want %d at most", got, LongestStanding)
	}
	for _, a := range Activities() {
		r := asked(a)
		s, longest := Begin(decided(r, quiet())), 0
		for i := range 60 {
			f := everythingBad()
			for j := range f.Alerts.List { // four of each severity, so that none are merged
				name := fmt.Sprint("Évacuation <&> ", strings.Repeat("long ", 20), i, j, " ")
				f.Alerts.List[j] = Alert{Event: name + []string{"Warning", "Watch", "Outlook"}[j/4]}
			}
			s, _ = Progress(s, decided(r, f), r.Now.Add(time.Duration(i)*37*time.Minute))
			longest = max(longest, len(encode(s)))
		}
		if longest > LongestStanding || longest < 4000 {
			t.Errorf("%s: a standing of %d bytes, want 4000 to %d", a, longest, LongestStanding)
		}
	}
}

// fullStanding returns a Standing with the longest lists that there can be.
func fullStanding() Standing {
	s := Begin(decided(asked(Boating), quiet()))
	alert := func(i int) BaselineReason {
		return BaselineReason{alertCode(strings.Repeat("x", 100) + fmt.Sprint(i)), Action, ObservedLevel}
	}
	s.Summary = Summary{State: ActionNeeded, Confidence: Moderate}
	for _, row := range thresholds {
		s.Summary.Reasons = append(s.Summary.Reasons, BaselineReason{row.Code, Action, residualSource})
	}
	for i := range 3 * mostAlerts {
		s.Summary.Reasons = append(s.Summary.Reasons, alert(i))
	}
	for _, in := range inputs {
		s.Summary.Reasons = append(s.Summary.Reasons, BaselineReason{WeatherNotOffered, Watch, in.id})
		s.Summary.MissingInputs = append(s.Summary.MissingInputs, in.id)
		s.Summary.Sources = append(s.Summary.Sources, BaselineSource{in.id, "unknown"})
		s.Lost, s.Present = append(s.Lost, in.id), append(s.Present, in.id)
	}
	for i := range mostCarried {
		s.Carried, s.Known = append(s.Carried, alert(i)), append(s.Known, alert(i))
	}
	s.Differed = true
	for i := range mostListed {
		s.Steps = append(s.Steps, PastStep{1000 + i, noon, Restored, strings.Repeat("e", 64)})
	}
	return s
}

// TestStandingStored stores a full Standing and one without anything.
func TestStandingStored(t *testing.T) {
	for _, want := range []Standing{fullStanding(), Begin(sight(noon, "calm"))} {
		var got Standing
		if err := json.Unmarshal(encode(want), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("stored %v: %s, want %s", err, encode(got), encode(want))
		}
	}
}

// TestSteps checks the stored steps and their events: the newest remain.
func TestSteps(t *testing.T) {
	s := fullStanding()
	now := noon.Add(-20 * time.Hour)
	next, step := Progress(s, sight(now, "calm"), now)
	if step == nil || step.Number != 1020 || len(next.Steps) != 20 || next.Steps[0].Number != 1001 {
		t.Errorf("step %s, stored %s, want 1020 after 19 others", encode(step), encode(next.Steps))
	}
	if got := s.WithEvent("msg_1").last(); got.Event != "msg_1" || s.last().Event == "msg_1" {
		t.Errorf("event %s, before %s, want msg_1 in the new standing only", got.Event, s.last().Event)
	}
}

// TestStandingOfBefore reads a Standing as it was stored while changes were confirmed by time. It
// goes on from what was announced, also in an outage.
func TestStandingOfBefore(t *testing.T) {
	now := noon.Add(-20 * time.Hour)
	before := `{"summary":` + string(encode(Summarize(sight(now, "-alerts")))) + `,
		"carried":[` + galeReason + `],"seen":[],
		"missing":[{"id":"marine-alerts","since":"2026-11-22T12:00:00Z"}],"awaited":[],
		"present":["wind-forecast"],"losses":[{"state":"action-needed","facts":["marine-alerts"]}],
		"unconfirmed":{"direction":"worse","since":"2026-11-22T12:00:00Z","result":"0",
		"at":"2026-11-22T12:10:00Z"},
		"steps":[{"step":1,"at":"2026-11-22T12:00:00Z","direction":"lost","event":"msg_1"}]}`
	var s Standing
	if err := json.Unmarshal([]byte(before), &s); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split("-alerts; -alerts; calm ?; calm known; gale worse", "; ") {
		_, world, want := scene(t, line)
		var step *Step
		if s, step = Progress(s, sight(now, world), now); came(s, step) != want {
			t.Errorf("%s: %q", line, came(s, step))
		}
	}
	if last := s.last(); last.Number != 3 || len(s.Steps) != 3 {
		t.Errorf("steps %s, want three", encode(s.Steps))
	}
}

// TestLongAlertCode checks that codes have a limited length and remain different.
func TestLongAlertCode(t *testing.T) {
	for _, test := range []struct{ event, want string }{
		{"Gale Warning", "alert_gale_warning"},
		{"Small Craft Advisory For Hazardous Seas", "alert_small_craft_advisory_for_hazardous_seas"},
		{strings.Repeat("x", 58), "alert_" + strings.Repeat("x", 58)},
	} {
		if got := alertCode(test.event); got != test.want {
			t.Errorf("alertCode(%q) = %q, want %q", test.event, got, test.want)
		}
	}
	one, other := alertCode(strings.Repeat("x ", 40)+"1"), alertCode(strings.Repeat("x ", 40)+"2")
	if len(one) > 64 || len(other) > 64 || one == other || !strings.HasPrefix(one, "alert_x_x_") {
		t.Errorf("codes %q and %q, want two different ones of 64 bytes at most", one, other)
	}
	if again := alertCode(strings.TrimPrefix(one, "alert_")); again != one {
		t.Errorf("the code of %q is %q", one, again)
	}
}
