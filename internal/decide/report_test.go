package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReport checks the report of a step during an outage.
func TestReport(t *testing.T) {
	s, _, now := begun(t, "calm", "gale", "-alerts")
	d := sight(now, "-wind,gale")
	s, _ = Progress(s, d, now)
	_, step := Progress(s, d, now.Add(2*time.Hour))
	if step == nil {
		t.Fatal("no step")
	}
	got, want := step.Report(d, 16<<10), Report{
		Direction: Lost,
		Change:    step.Change,
		Decision:  d.excerpt(16 << 10),
		Carried:   []BaselineReason{},
		Summary:   Summarize(d),
	}
	if string(encode(got)) != string(encode(want)) {
		t.Errorf("report %s, want %s", encode(got), encode(want))
	}
}

// TestReportSince checks the directions of the material-change operation.
func TestReportSince(t *testing.T) {
	now := noon.Add(-20 * time.Hour)
	for _, test := range []struct {
		baseline, world string
		want            Direction
		carried         int
	}{
		{"calm", "gale", Worse, 0},
		{"gale", "calm", Better, 0},
		{"gale", "-alerts", Lost, 1},
		{"fog+wind", "fog", Changed, 0},
		{"-wind", "calm", Known, 0},
		{"calm", "aging", Changed, 0},
	} {
		d, b := sight(now, test.world), baselineOf(Summarize(sight(now, test.baseline)))
		r := ReportSince(b, d, d, 16<<10)
		if r.Direction != test.want || len(r.Carried) != test.carried {
			t.Errorf("%s since %s: %s, carried %v, want %s, %d", test.world, test.baseline, r.Direction,
				r.Carried, test.want, test.carried)
		}
		if got, want := encode(r.Change), encode(Compare(d, b)); !slices.Equal(got, want) {
			t.Errorf("%s since %s: %s, want %s", test.world, test.baseline, got, want)
		}
	}
}

// TestReportSize fits the largest reports: everything bad after a quiet day, and everything
// bad with other alerts while the former ones are carried.
func TestReportSize(t *testing.T) {
	for _, a := range Activities() {
		r := asked(a)
		calm, bad, other := Decide(r, quiet()), Decide(r, worstOfAll("")), Decide(r, worstOfAll("other "))
		s, steps := Begin(&calm), 0
		for i, d := range []*Decision{&bad, &bad, &other, &other} {
			var step *Step
			if s, step = Progress(s, d, noon.Add(time.Duration(i)*2*time.Hour)); step == nil {
				continue
			}
			steps++
			whole := step.Report(d, 1<<20)
			for most := len(encode(whole)); most >= LeastReport; most -= 500 {
				got := step.Report(d, most)
				if n := len(encode(got)); n > most {
					t.Errorf("%s: a report of %d bytes, want %d at most", a, n, most)
				}
				first := whole.Change.Changes[0]
				if len(got.Change.Changes) == 0 || got.Change.Changes[0].Field != first.Field {
					t.Errorf("%s: changes %s, want %s first", a, encode(got.Change), first.Field)
				}
			}
		}
		if steps == 0 {
			t.Errorf("%s: no step", a)
		}
	}
}

// TestReportSinceShown compares a decision that the response shortens with its own summaries,
// whole and shortened: neither is a change. Nor does another confidence make it worse.
func TestReportSinceShown(t *testing.T) {
	for _, a := range Activities() {
		d := Decide(asked(a), worstOfAll(""))
		shown := d
		shown.Fit(largest)
		before := string(encode(shown))
		for i, b := range []Baseline{baselineOf(Summarize(&d)), baselineOf(Summarize(&shown))} {
			if r := ReportSince(b, &d, &shown, 1<<20); r.Change.Material || len(r.Carried) > 0 {
				t.Errorf("%s, baseline %d: %s since the same decision", a, i, encode(r.Change))
			}
			b.Confidence = new(High)
			r := ReportSince(b, &d, &shown, 1<<20)
			if len(r.Change.Changes) != 1 || r.Direction != Changed {
				t.Errorf("%s, baseline %d: %s, %s, want the confidence", a, i, r.Direction,
					encode(r.Change))
			}
			if got, want := encode(r.Summary), encode(Summarize(&d)); !slices.Equal(got, want) {
				t.Errorf("%s, baseline %d: summary %s, want %s", a, i, got, want)
			}
		}
		if string(encode(shown)) != before || len(d.Reasons) == len(shown.Reasons) {
			t.Errorf("%s: the report has changed the response, or nothing was left out", a)
		}
	}
}

// TestReportSinceSize reports the largest decision since baselines that a caller may send: with
// more reasons than a decision has, carried or not, and with a code that is too long.
func TestReportSinceSize(t *testing.T) {
	many := []BaselineReason{{Code: strings.Repeat("<", 5000), Severity: Watch}}
	for i := range 500 {
		code := alertCode(fmt.Sprintf("%s %d", strings.Repeat("long ", 40), i))
		many = append(many, BaselineReason{code, Action, MarineAlerts})
	}
	for _, a := range Activities() {
		for _, without := range []bool{false, true} {
			f := worstOfAll("")
			if without {
				f.Alerts.Source.Available = false
			}
			d := Decide(asked(a), f)
			for _, b := range []Baseline{
				{Reasons: &many}, {State: new(Normal), Reasons: &many}, {Reasons: new(many[:1])},
			} {
				r := ReportSince(b, &d, &d, LeastReport)
				if n := len(encode(r)); n > LeastReport || n < 4000 {
					t.Errorf("%s: a report of %d bytes, want 4000 to %d", a, n, LeastReport)
				}
			}
		}
	}
}

// TestFitComparison removes what matters least first.
func TestFitComparison(t *testing.T) {
	text := "normal"
	c := Comparison{true, []Change{
		{"state", &text, &text, true, "first"},
		{"reasons.wind", &text, &text, true, "second"},
		{"sources.moon.freshness", &text, &text, false, "third"},
	}}
	for _, test := range []struct {
		fewer int
		want  []string
	}{
		{0, []string{"state first", "reasons.wind second", "sources.moon.freshness third"}},
		{1, []string{"state first", "reasons.wind second"}},
		{105, []string{"state first", "reasons.wind "}},
		{110, []string{"state ", "reasons.wind "}},
		{170, []string{"state "}},
		{1000, nil},
	} {
		var got []string
		for _, c := range c.fit(len(encode(c)) - test.fewer).Changes {
			got = append(got, c.Field+" "+c.Message)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%d bytes fewer: %q, want %q", test.fewer, got, test.want)
		}
	}
}
