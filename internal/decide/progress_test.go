package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// worlds lists facts of boating by name: the quiet day with a few changes.
var worlds = map[string]func() *Facts{
	"calm":        quiet,
	"windy":       func() *Facts { return blown(quiet()) },
	"icy":         func() *Facts { return chilled(quiet()) },
	"fog":         func() *Facts { return warned(quiet(), "Dense Fog Advisory") },
	"fog+wind":    func() *Facts { return warned(blown(quiet()), "Dense Fog Advisory") },
	"gale":        func() *Facts { return warned(quiet(), "Gale Warning") },
	"aging":       func() *Facts { return withAge(*quiet(), WindForecast, coast.Aging) },
	"stale":       func() *Facts { return withAge(*quiet(), WindForecast, coast.Stale) },
	"-wind":       func() *Facts { return without(*quiet(), WindForecast) },
	"-wind,gale":  func() *Facts { return without(*warned(quiet(), "Gale Warning"), WindForecast) },
	"-wind,icy":   func() *Facts { return without(*chilled(quiet()), WindForecast) },
	"-water":      func() *Facts { return without(*quiet(), WaterTemperature) },
	"-alerts":     func() *Facts { return without(*quiet(), MarineAlerts) },
	"-both":       func() *Facts { return without(*without(*quiet(), WindForecast), MarineAlerts) },
	"4 alerts":    func() *Facts { return warned(quiet(), longAlerts[2:6]...) },
	"5 alerts":    func() *Facts { return warned(quiet(), longAlerts[2:7]...) },
	"-water,wind": func() *Facts { return without(*blown(quiet()), WaterTemperature) },
	"-wind,fog": func() *Facts {
		return without(*warned(quiet(), "Dense Fog Advisory"), WindForecast)
	},
	"-wind,fog,icy": func() *Facts {
		return without(*warned(chilled(quiet()), "Dense Fog Advisory"), WindForecast)
	},
	"fog,icy":       func() *Facts { return warned(chilled(quiet()), "Dense Fog Advisory") },
	"~alerts":       func() *Facts { return unoffered(quiet()) },
	"~alerts,-wind": func() *Facts { return without(*unoffered(quiet()), WindForecast) },
}

// blown returns facts with a wind that is a reason at watch.
func blown(f *Facts) *Facts {
	blow(f, 16)
	return f
}

// unoffered returns facts of which no provider has alerts, so that the state is watch.
func unoffered(f *Facts) *Facts {
	f.Alerts.None = "there are no alerts yet"
	return f
}

// chilled returns facts with a water temperature that is a reason at watch.
func chilled(f *Facts) *Facts {
	f.Water.Temperature = pointer(50)
	return f
}

// warned returns facts with alerts in force.
func warned(f *Facts, names ...string) *Facts {
	for _, name := range names {
		f.Alerts.List = append(f.Alerts.List, Alert{Event: name})
	}
	return f
}

// stories are watches of boating. A watch begins with the first facts, some time ahead of the
// requested time, and is evaluated every ten minutes, or after the given time. Each evaluation has
// its facts and either the direction of the step, or ? if it differs, or neither.
var stories = []struct {
	name  string
	ahead time.Duration
	first string
	then  string
}{
	{"two evaluations", 20 * time.Hour, "calm", "windy ?; windy worse; windy; windy"},
	{"they need not be the same", 20 * time.Hour, "calm", "windy ?; icy worse; icy"},
	{"any time may be between them", 20 * time.Hour, "calm", "windy ?; 5h windy worse"},
	{"worse for a moment", 20 * time.Hour, "calm", "windy ?; calm; windy ?; calm"},
	{"a second reason in the same state", 20 * time.Hour, "fog", "fog+wind; fog+wind; fog"},
	{"a reason in place of another", 20 * time.Hour, "fog", "windy; windy"},
	{"an alert at once", 20 * time.Hour, "calm", "gale worse; gale; gale"},
	{"an alert in the same state", 20 * time.Hour, "windy", "fog+wind worse; fog+wind"},
	{"an alert while another change waits", 20 * time.Hour, "calm", "windy ?; gale worse; gale"},
	{"an alert soon after a step", 20 * time.Hour, "calm", "windy ?; windy worse; 1m gale worse"},
	{"an alert with an outage", 20 * time.Hour, "calm", "-wind,gale worse; -wind,gale"},
	{"the end of an alert", 20 * time.Hour, "gale", "calm ?; calm better; calm"},
	{"an alert ends for a moment", 20 * time.Hour, "gale", "calm ?; gale; calm ?; calm better"},
	{"an alert ends in the same state", 20 * time.Hour, "fog+wind", "windy; windy"},
	{"better in part", 20 * time.Hour, "gale", "calm ?; windy better"},
	{"lost", 20 * time.Hour, "calm", "-wind ?; -wind lost; -wind; 3h -wind"},
	{"stale is lost", 20 * time.Hour, "calm", "stale ?; stale lost; calm ?; calm restored"},
	{"a precautionary fact is lost", 20 * time.Hour, "calm",
		"-water ?; -water lost; calm ?; calm restored"},
	{"a precautionary fact is lost in the same state", 20 * time.Hour, "windy",
		"-water,wind ?; -water,wind lost"},
	{"an outage", 20 * time.Hour, "calm", "-wind ?; -wind lost; calm ?; calm restored; calm"},
	{"an outage with a reason", 20 * time.Hour, "gale",
		"-alerts ?; -alerts lost; gale ?; gale restored; gale"},
	{"a short outage", 20 * time.Hour, "calm", "-wind ?; calm; -wind ?; calm"},
	{"two outages in one", 20 * time.Hour, "calm",
		"-wind ?; -wind lost; -both ?; -both lost; -wind ?; -wind restored; calm ?; calm restored"},
	{"the first of two outages ends first", 20 * time.Hour, "calm",
		"-wind ?; -wind lost; -both ?; -both lost; -alerts ?; -alerts restored; calm ?; calm restored"},
	{"an outage in place of another", 20 * time.Hour, "calm",
		"-wind ?; -wind lost; -alerts ?; -alerts lost; calm ?; calm restored"},
	{"worse under outage", 20 * time.Hour, "calm",
		"-wind ?; -wind lost; -wind,gale worse; gale ?; gale restored; calm ?; calm better"},
	{"worse after an outage", 20 * time.Hour, "calm",
		"-wind ?; -wind lost; windy ?; windy changed"},
	{"a reason ends in an outage", 20 * time.Hour, "gale",
		"-alerts ?; -alerts lost; calm ?; calm better"},
	{"a reason ends with an outage elsewhere", 20 * time.Hour, "gale",
		"-wind ?; -wind lost; calm ?; calm restored"},
	{"a reason is gained as a fact is lost", 20 * time.Hour, "gale",
		"-water,wind ?; -water,wind changed"},
	{"a provider fails that had no value", 20 * time.Hour, "~alerts",
		"-alerts ?; -alerts lost; ~alerts ?; ~alerts changed"},
	{"a provider fails as another is back", 20 * time.Hour, "~alerts",
		"~alerts,-wind ?; ~alerts,-wind lost; -alerts ?; -alerts changed"},
	{"a reason is seen once before an outage", 20 * time.Hour, "calm", "windy ?; -wind worse"},
	{"a reason that was not announced before an outage", 20 * time.Hour, "fog",
		"fog+wind; -wind,fog ?; -wind,fog worse; fog+wind ?; fog+wind restored"},
	{"a forecast comes into reach", 166 * time.Hour, "calm", "calm; 1h calm ?; calm known; 3h calm"},
	{"a forecast brings a reason", 166 * time.Hour, "calm", "calm; 1h windy ?; windy known"},
	{"a forecast brings an alert", 166 * time.Hour, "calm", "calm; 1h gale worse"},
	{"a sensor works for the first time", 20 * time.Hour, "-water",
		"calm ?; -water; calm ?; calm known"},
	{"known only once", 20 * time.Hour, "-water",
		"calm ?; calm known; -water ?; -water lost; calm ?; calm restored"},
	{"confidence alone", 20 * time.Hour, "calm", "aging ?; aging changed; calm ?; calm changed"},
	{"confidence rises with time", 73 * time.Hour, "calm",
		"calm; 2h calm ?; calm changed; 50h calm ?; calm changed; calm"},
	{"a fifth alert", 20 * time.Hour, "4 alerts", "5 alerts worse; 5 alerts"},
	{"four alerts of five remain", 20 * time.Hour, "5 alerts", "4 alerts; 4 alerts"},
}

func TestStories(t *testing.T) {
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			now := noon.Add(-story.ahead)
			s := Begin(sight(now, story.first))
			for _, line := range strings.Split(story.then, "; ") {
				after, world, want := scene(t, line)
				now = now.Add(after)
				var step *Step
				s, step = Progress(s, sight(now, world), now)
				if got := came(s, step); got != want {
					t.Fatalf("%s: %q, want %q", line, got, want)
				}
			}
		})
	}
}

// scene parses an evaluation of a story.
func scene(t *testing.T, line string) (after time.Duration, world, want string) {
	t.Helper()
	clock, rest, _ := strings.Cut(line, " ")
	after, err := time.ParseDuration(clock)
	if err != nil {
		after, rest = 10*time.Minute, line
	}
	for name := range worlds {
		if want, ok := strings.CutPrefix(rest+" ", name+" "); ok {
			return after, name, strings.TrimSpace(want)
		}
	}
	t.Fatalf("invalid line %q", line)
	return 0, "", ""
}

// sight returns the decision about boating from the facts of a world.
func sight(now time.Time, world string) *Decision {
	r := asked(Boating)
	r.Now = now
	d := Decide(r, worlds[world]())
	return &d
}

// came describes the result of an evaluation.
func came(s Standing, step *Step) string {
	switch {
	case step != nil:
		return string(step.Direction)
	case s.Differed:
		return "?"
	}
	return ""
}

// begun returns the Standing after some facts, each settled.
func begun(t *testing.T, names ...string) (Standing, []*Step, time.Time) {
	t.Helper()
	now := noon.Add(-20 * time.Hour)
	s, steps := Begin(sight(now, names[0])), []*Step(nil)
	for _, name := range names[1:] {
		for range 2 {
			now = now.Add(40 * time.Minute)
			var step *Step
			if s, step = Progress(s, sight(now, name), now); step != nil {
				steps = append(steps, step)
			}
		}
	}
	return s, steps, now
}

// TestStep checks all fields of a step.
func TestStep(t *testing.T) {
	s, steps, now := begun(t, "calm", "gale")
	if len(steps) != 1 {
		t.Fatalf("%d steps, want 1", len(steps))
	}
	d := sight(now, "gale")
	got, want := steps[0], Step{
		Number:    1,
		At:        now.Add(-40 * time.Minute),
		Direction: Worse,
		Change:    Compare(d, baselineOf(Summarize(sight(now, "calm")))),
		Carried:   []BaselineReason{},
		Summary:   Summarize(d),
	}
	if string(encode(got)) != string(encode(want)) {
		t.Errorf("step %s, want %s", encode(got), encode(want))
	}
	past := []PastStep{{1, want.At, Worse, ""}}
	if got := s.Steps; !slices.Equal(got, past) {
		t.Errorf("stored %s, want %s", encode(got), encode(past))
	}
}

// TestCarried checks the effective result while the alerts are missing: the warning counts, and
// the summary is that of the decision.
func TestCarried(t *testing.T) {
	s, steps, _ := begun(t, "calm", "gale", "-alerts")
	if len(steps) != 2 {
		t.Fatalf("%d steps, want 2", len(steps))
	}
	step := steps[1]
	want := []BaselineReason{{"alert_gale_warning", Action, MarineAlerts}}
	if got := step.Carried; step.Direction != Lost || !slices.Equal(got, want) {
		t.Errorf("%s with %v, want lost with %v", step.Direction, got, want)
	}
	if !slices.Equal(s.Carried, want) {
		t.Errorf("stored %v, want %v", s.Carried, want)
	}
	if step.Summary.State != Unknown {
		t.Errorf("the summary is %s, want that of the decision, unknown", step.Summary.State)
	}
	fields := []string{}
	for _, c := range step.Change.Changes {
		if c.Material {
			fields = append(fields, c.Field)
		}
	}
	material := []string{"confidence", "reasons.input_missing", "missingInputs.marine-alerts"}
	if !slices.Equal(fields, material) {
		t.Errorf("material changes %v, want %v", fields, material)
	}
	if b := s.announced(); *b.State != ActionNeeded || *b.Confidence != Low {
		t.Errorf("announced %s, %s, want action-needed, low", *b.State, *b.Confidence)
	}
}
