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
// requested time. Each evaluation has its time since then, its facts, and either the direction
// of the step, or the time of the next confirmation after @, or neither.
var stories = []struct {
	name  string
	ahead time.Duration
	first string
	then  string
}{
	{"worse after 5 min", 20 * time.Hour, "calm",
		"10m windy @15m; 14m59s windy @15m; 15m windy worse; 16m windy; 5h windy"},
	{"worse need not be the same", 20 * time.Hour, "calm", "10m windy @15m; 15m icy worse"},
	{"worse for a moment", 20 * time.Hour, "calm", "10m windy @15m; 15m calm; 20m windy @25m"},
	{"a second reason", 20 * time.Hour, "fog", "10m fog+wind @15m; 15m fog+wind worse"},
	{"a reason in place of another", 20 * time.Hour, "fog", "10m windy @15m; 15m windy worse"},
	{"action at once", 20 * time.Hour, "calm", "10m gale worse; 10m gale; 20m gale"},
	{"action while unconfirmed", 20 * time.Hour, "calm", "10m windy @15m; 12m gale worse"},
	{"worse soon after worse", 20 * time.Hour, "calm",
		"10m windy @15m; 15m windy worse; 16m gale worse"},
	{"better after 10 min", 20 * time.Hour, "gale",
		"10m calm @20m; 19m59s calm @20m; 20m calm better; 21m calm"},
	{"better must be the same", 20 * time.Hour, "gale",
		"10m calm @20m; 15m windy @25m; 25m windy better"},
	{"better for a moment", 20 * time.Hour, "gale", "10m calm @20m; 19m gale; 25m calm @35m"},
	{"better at a late evaluation", 20 * time.Hour, "gale", "10m calm @20m; 6h calm better"},
	{"better not soon after a step", 20 * time.Hour, "calm",
		"10m gale worse; 11m calm @21m; 21m calm better"},
	{"changed after 10 min", 20 * time.Hour, "fog+wind",
		"10m fog @20m; 19m59s fog @20m; 20m fog changed"},
	{"lost after 60 min", 20 * time.Hour, "calm",
		"10m -wind @70m; 69m59s -wind @70m; 70m -wind lost; 80m -wind; 3h -wind"},
	{"lost after 15 min if near", 6 * time.Hour, "calm",
		"10m -wind @25m; 24m59s -wind @25m; 25m -wind lost"},
	{"lost as the time becomes near", 390 * time.Minute, "calm",
		"10m -wind @30m; 29m59s -wind @30m; 30m -wind lost"},
	{"lost not before 15 min", 380 * time.Minute, "calm",
		"10m -wind @25m; 20m -wind @25m; 25m -wind lost"},
	{"lost after two evaluations", 20 * time.Hour, "calm", "10m calm; 5h -wind @6h; 9h -wind lost"},
	{"lost is when first missing", 20 * time.Hour, "calm",
		"10m -wind @70m; 60m -wind,icy @65m; 61m -wind @70m; 70m -wind lost"},
	{"stale is lost", 20 * time.Hour, "calm", "10m stale @70m; 70m stale lost; 2h calm restored"},
	{"a precautionary fact is lost", 20 * time.Hour, "calm",
		"10m -water @70m; 70m -water lost; 2h calm restored"},
	{"an outage", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 80m calm restored; 2h calm"},
	{"an outage with a reason", 20 * time.Hour, "gale",
		"10m -alerts @70m; 70m -alerts lost; 80m gale restored; 2h gale"},
	{"an outage that ends soon", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 75m calm @80m; 80m calm restored"},
	{"a short outage", 20 * time.Hour, "calm", "10m -wind @70m; 69m -wind @70m; 70m calm; 3h calm"},
	{"two outages in one", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 2h -both @3h; 3h -both lost; 4h -wind restored; " +
			"5h calm restored"},
	{"the first of two outages ends first", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 2h -both @3h; 3h -both lost; 4h -alerts @250m; " +
			"250m -alerts changed; 5h calm restored"},
	{"an outage that ends in parts", 20 * time.Hour, "calm",
		"10m -both @70m; 70m -both lost; 2h -wind @130m; 130m -wind changed; 3h calm restored"},
	{"worse under outage", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 72m -wind,gale worse; 90m gale @100m; 100m gale changed; " +
			"2h calm @130m; 130m calm better"},
	{"worse after an outage", 20 * time.Hour, "calm",
		"10m -wind @70m; 70m -wind lost; 2h windy @130m; 130m windy changed"},
	{"a reason ends in an outage", 20 * time.Hour, "gale",
		"10m -alerts @70m; 70m -alerts lost; 2h calm @130m; 130m calm better"},
	{"a reason ends with an outage elsewhere", 20 * time.Hour, "gale",
		"10m -wind @70m; 70m -wind lost; 2h calm @130m; 130m calm changed"},
	{"a reason ends while its fact is lost", 20 * time.Hour, "fog+wind",
		"10m -wind,fog @70m; 70m -wind,fog lost; 2h fog @130m; 130m fog better"},
	{"a reason is gained during an outage", 20 * time.Hour, "fog",
		"10m -wind,fog @70m; 70m -wind,fog lost; 80m -wind,fog,icy @85m; 85m -wind,fog,icy worse; " +
			"2h fog,icy @130m; 130m fog,icy changed"},
	{"a reason is gained as a fact is lost", 20 * time.Hour, "gale",
		"10m -water,wind @20m; 20m -water,wind changed"},
	{"a provider fails that had no value", 20 * time.Hour, "~alerts",
		"10m -alerts @70m; 70m -alerts lost; 2h ~alerts restored"},
	{"a provider fails as another is back", 20 * time.Hour, "~alerts",
		"10m ~alerts,-wind @70m; 70m ~alerts,-wind lost; 2h -alerts @130m; 130m -alerts changed"},
	{"a reason is not confirmed before an outage", 20 * time.Hour, "calm",
		"10m windy @15m; 12m -wind @15m; 15m -wind worse"},
	{"a forecast comes into reach", 169 * time.Hour, "calm",
		"10m calm; 1h calm @70m; 69m calm @70m; 70m calm known; 3h calm"},
	{"a forecast brings a reason", 169 * time.Hour, "calm",
		"10m calm; 1h windy @70m; 70m windy known"},
	{"a forecast brings an action", 169 * time.Hour, "calm", "10m calm; 1h gale worse"},
	{"a sensor works for the first time", 20 * time.Hour, "-water",
		"10m calm @20m; 15m -water; 20m calm @30m; 30m calm known"},
	{"known only once", 20 * time.Hour, "-water",
		"10m calm @20m; 20m calm known; 1h -water @2h; 2h -water lost; 130m -water,wind @135m; " +
			"135m -water,wind worse; 3h windy @190m; 190m windy changed"},
	{"confidence alone", 20 * time.Hour, "calm", "10m aging; 1h aging; 2h calm"},
	{"confidence rises with time", 73 * time.Hour, "calm", "10m calm; 2h calm; 50h calm"},
	{"a fifth alert", 20 * time.Hour, "4 alerts", "10m 5 alerts worse"},
	{"four alerts of five remain", 20 * time.Hour, "5 alerts",
		"10m 4 alerts @20m; 20m 4 alerts changed"},
}

func TestStories(t *testing.T) {
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			begins := noon.Add(-story.ahead)
			s := Begin(sight(begins, story.first), begins)
			for _, line := range strings.Split(story.then, "; ") {
				at, world, want := scene(t, line)
				var step *Step
				s, step = Progress(s, sight(begins.Add(at), world), begins.Add(at))
				if got := came(s, step, begins); got != want {
					t.Fatalf("%s: %q, want %q", line, got, want)
				}
			}
		})
	}
}

// scene parses an evaluation of a story.
func scene(t *testing.T, line string) (at time.Duration, world, want string) {
	t.Helper()
	clock, rest, _ := strings.Cut(line, " ")
	at, err := time.ParseDuration(clock)
	for name := range worlds {
		after, ok := strings.CutPrefix(rest+" ", name+" ")
		if ok && err == nil {
			return at, name, strings.TrimSpace(after)
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
func came(s Standing, step *Step, begins time.Time) string {
	switch at := s.ConfirmAt(); {
	case step != nil:
		return string(step.Direction)
	case !at.IsZero():
		return "@" + short(at.Sub(begins))
	}
	return ""
}

// short formats a time as stories do: in minutes, or in hours if there are whole ones and the
// time is not 1 h.
func short(d time.Duration) string {
	if d%time.Hour == 0 && d > time.Hour {
		return number(d.Hours()) + "h"
	}
	return number(d.Minutes()) + "m"
}

// begun returns the Standing after some facts, each settled.
func begun(t *testing.T, names ...string) (Standing, []*Step, time.Time) {
	t.Helper()
	now := noon.Add(-20 * time.Hour)
	s, steps := Begin(sight(now, names[0]), now), []*Step(nil)
	for _, name := range names[1:] {
		for range 3 {
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
		At:        now.Add(-80 * time.Minute),
		Direction: Worse,
		Change:    Compare(d, baselineOf(Summarize(sight(now, "calm")))),
		Carried:   []BaselineReason{},
		Summary:   Summarize(d),
	}
	if string(encode(got)) != string(encode(want)) {
		t.Errorf("step %s, want %s", encode(got), encode(want))
	}
	past := []PastStep{{1, want.At, Worse, ""}}
	if got := s.Latest(); !slices.Equal(got, past) {
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
	if s.announced().state != ActionNeeded || *s.announced().baseline.Confidence != Low {
		t.Errorf("announced %s, %s, want action-needed, low", s.announced().state,
			*s.announced().baseline.Confidence)
	}
}
