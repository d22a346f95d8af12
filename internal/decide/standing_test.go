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
		{`{"state":"normal","confidence":"low"}`, "calm", ""},
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
		s, longest := Begin(decided(r, quiet()), r.Now), 0
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
	s := Begin(decided(asked(Boating), quiet()), noon)
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
	for i, in := range inputs {
		s.Summary.Reasons = append(s.Summary.Reasons, BaselineReason{WeatherNotOffered, Watch, in.id})
		s.Summary.MissingInputs = append(s.Summary.MissingInputs, in.id)
		s.Summary.Sources = append(s.Summary.Sources, BaselineSource{in.id, "unknown"})
		s.Missing = append(s.Missing, MissingFact{in.id, noon})
		s.Awaited = append(s.Awaited, in.id)
		s.Present = append(s.Present, in.id)
		if i < mostLosses {
			s.Losses = append(s.Losses, Loss{ActionNeeded, []string{in.id}})
		}
	}
	for i := range mostCarried {
		s.Carried = append(s.Carried, alert(i))
	}
	for i := range mostSeen {
		s.Seen = append(s.Seen, alert(i))
	}
	s.Unconfirmed = &Unconfirmed{Restored, noon, digest(""), noon}
	for i := range mostSteps {
		s.Steps = append(s.Steps, PastStep{1000 + i, noon, Restored, strings.Repeat("e", 64)})
	}
	return s
}

// TestStandingStored stores a full Standing and one without anything.
func TestStandingStored(t *testing.T) {
	for _, want := range []Standing{fullStanding(), Begin(sight(noon, "calm"), noon.In(zones[1]))} {
		var got Standing
		if err := json.Unmarshal(encode(want), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("stored %v: %s, want %s", err, encode(got), encode(want))
		}
	}
}

// TestSteps checks the stored steps and their events.
func TestSteps(t *testing.T) {
	s := fullStanding()
	if got := s.Latest(); len(got) != 20 || got[19].Number != 1023 {
		t.Errorf("%d steps, the last is %d, want 20, 1023", len(got), got[19].Number)
	}
	if got := s.WithEvent("msg_1").last(); got.Event != "msg_1" || s.last().Event == "msg_1" {
		t.Errorf("event %s, before %s, want msg_1 in the new standing only", got.Event, s.last().Event)
	}
}

// TestStepsInDay evaluates a gale that comes and goes all day. Better is announced as long as
// 20 steps were, worse as long as 24 were.
func TestStepsInDay(t *testing.T) {
	begins := noon.Add(-20 * time.Hour)
	s, now := Begin(sight(begins, "calm"), begins), begins
	var steps []*Step
	next := func(world string) (step *Step) {
		now = now.Add(10 * time.Minute)
		if s, step = Progress(s, sight(begins, world), now); step != nil {
			steps = append(steps, step)
		}
		return step
	}
	for range 30 {
		next("gale")
		next("calm")
		next("calm")
	}
	if len(steps) != 21 || steps[20].Direction != Worse {
		t.Fatalf("%d steps, the last %s, want 21, worse", len(steps), directionOf(steps[len(steps)-1]))
	}
	if got, want := s.ConfirmAt(), steps[1].At.Add(24*time.Hour); !got.Equal(want) {
		t.Errorf("the next step at %s, want %s", got, want)
	}
	for _, test := range []struct {
		event string
		want  Direction
	}{
		{"Tsunami Warning", Worse},
		{"High Surf Warning", Worse},
		{"Storm Warning", Worse},
		{"Typhoon Warning", ""},
	} {
		var step *Step
		now = now.Add(time.Minute)
		s, step = Progress(s, decided(asked(Boating), warned(quiet(), test.event)), now)
		if directionOf(step) != test.want {
			t.Errorf("%s: %q, want %q", test.event, directionOf(step), test.want)
		}
	}
	if got, want := s.ConfirmAt(), steps[0].At.Add(24*time.Hour); !got.Equal(want) {
		t.Errorf("the next worse step at %s, want %s", got, want)
	}
	now = steps[0].At.Add(25 * time.Hour)
	next("calm")
	if got := directionOf(next("calm")); got != Better {
		t.Errorf("the next day: %q, want better", got)
	}
}

// TestWrongClock checks that times ahead, from a clock that was wrong, delay nothing.
func TestWrongClock(t *testing.T) {
	begins := noon.Add(-20 * time.Hour)
	wrong := begins.Add(1000 * time.Hour)
	for _, test := range []struct {
		wrongly, first, second string
		want                   Direction
	}{
		{"gale", "calm", "calm", Better},
		{"-wind", "-wind", "-wind", Lost},
		{"windy", "windy", "windy", Worse},
	} {
		s, _ := Progress(Begin(sight(begins, "calm"), begins), sight(begins, test.wrongly), wrong)
		s, _ = Progress(s, sight(begins, test.first), begins)
		at := s.ConfirmAt()
		if at.Sub(begins) > time.Hour {
			t.Errorf("%s: the next step at %s, %s later", test.wrongly, at, at.Sub(begins))
		}
		if _, step := Progress(s, sight(begins, test.second), at); directionOf(step) != test.want {
			t.Errorf("%s: %q, want %q", test.wrongly, directionOf(step), test.want)
		}
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
