package decide

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// hoursFrom returns a request of hours.
func hoursFrom(c *judged, from time.Time, length time.Duration) HoursRequest {
	return HoursRequest{Activity: c.request.Activity, From: from, To: from.Add(length),
		Now: c.request.Now}
}

// order of states, worst last, as the state of a window is the worst of its hours.
var order = []State{Normal, WatchState, Unknown, ActionNeeded}

// worstHourDecides compares the hours of a decision's assessed span with the decision.
func worstHourDecides(c *judged, fails func(string, ...any)) {
	got := EvaluateHours(hoursFrom(c, c.request.At, c.request.Activity.Span()), c.facts)
	if got.State != c.decision.State {
		fails("hours %s %v, decision %s %v", got.State, got.Runs, c.decision.State,
			c.decision.Assessed)
	}
	worst := -1
	for _, r := range got.Runs {
		worst = max(worst, slices.Index(order, r.State))
	}
	if worst < 0 || order[worst] != got.State {
		fails("runs %v, state %s", got.Runs, got.State)
	}
	if n := len([]rune(got.Sentence)); n > LongestSentence || n == 0 {
		fails("sentence %q", got.Sentence)
	}
	if b := got.Best; b != nil && (b.State == Unknown || b.State == ActionNeeded) {
		fails("best %v", b)
	}
}

// laterHoursAreNoBetter evaluates hours whose facts are the same.
func laterHoursAreNoBetter(c *judged, fails func(string, ...any)) {
	f := c.lasting()
	runs := EvaluateHours(hoursFrom(c, c.request.At, LongestHours), f).Runs
	for i := range runs {
		if i == 0 {
			continue
		}
		before, after := runs[i-1], runs[i]
		if (outcome{after.State, after.Confidence}).better(outcome{before.State, before.Confidence}) {
			fails("%v after %v", after, before)
		}
	}
}

// losingRanksNothing compares the best windows without a fact with the hours that have it: each
// hour of a window had a state that is as good, and was known as well.
func losingRanksNothing(c *judged, fails func(string, ...any)) {
	r := hoursFrom(c, c.request.At, 2*c.request.Activity.Span())
	full := EvaluateHours(r, c.facts)
	for _, id := range factIDs {
		for _, w := range EvaluateHours(r, without(*c.facts, id)).Windows {
			for _, run := range full.Runs {
				if run.From.Before(w.To) && w.From.Before(run.To) &&
					(run.State.rank() > w.State.rank() || run.looks() != string(run.State)) {
					fails("without %s %v, with it %v", id, w, run)
				}
			}
		}
	}
}

// lightOf returns daylight from 5:00 to 21:00 of the quiet day and the days around it.
func lightOf() []coast.Span {
	var list []coast.Span
	for day := -1; day < 9; day++ {
		from := noon.AddDate(0, 0, day).Add(-7 * time.Hour)
		list = append(list, coast.Span{From: from, To: from.Add(16 * time.Hour)})
	}
	return list
}

// patterned returns the hours of a span with given states and high confidence.
func patterned(from time.Time, step time.Duration, states []State) ([]hour, HoursRequest) {
	var list []hour
	r := HoursRequest{Activity: SurfPaddle, From: from, Now: from}
	for i, s := range states {
		at := from.Add(time.Duration(i) * step)
		r.To = at.Add(step)
		list = append(list, hour{from: at, to: r.To, state: s, confidence: High})
	}
	return list, r
}

// sentenceOf returns the sentence about a pattern.
func sentenceOf(from time.Time, step time.Duration, why []string, states ...State) string {
	list, r := patterned(from, step, states)
	f := &Facts{Zone: time.UTC, Sun: Sun{Light: lightOf()}}
	var best *Best
	if ranked := r.ranked(list, f); len(ranked) > 0 {
		best = &ranked[0]
	}
	return sentence{runsOf(list, f.Zone), best, r.people(f.Zone), f.Sun.Light, why}.text()
}

var forbidden = regexp.MustCompile(`(?i)\b(good|safe|safely|fine|clear|go)\b`)

// TestSentencePatterns writes the sentence of every pattern of four states up to length 6, in a
// day, over two days and over a week.
func TestSentencePatterns(t *testing.T) {
	why := []string{strings.Repeat("a long reason ", 9), "wind 15 kn"}
	var patterns [][]State
	for last := [][]State{nil}; len(last[0]) < 6; {
		var next [][]State
		for _, p := range last {
			for _, s := range order {
				next = append(next, append(slices.Clone(p), s))
			}
		}
		patterns, last = append(patterns, next...), next
	}
	if len(patterns) != 4+16+64+256+1024+4096 {
		t.Fatal(len(patterns))
	}
	from := noon.Add(-4*time.Hour + 30*time.Minute)
	for _, step := range []time.Duration{time.Hour, 8 * time.Hour, 27*time.Hour + 50*time.Minute} {
		for _, p := range patterns {
			text := sentenceOf(from, step, why, p...)
			if len([]rune(text)) > LongestSentence || forbidden.MatchString(text) ||
				!strings.HasSuffix(text, ".") {
				t.Fatalf("%s, %v: %q", step, p, text)
			}
			var counted int
			for i := range p[1:] {
				if p[i] != p[i+1] {
					counted++
				}
			}
			if n := strings.Count(text, ";"); n > 1 || n == 1 && counted != 1 && counted != 2 ||
				strings.Contains(text, "hanges") == (counted == 0 || n == 1) {
				t.Fatalf("%s, %v: %q", step, p, text)
			}
		}
	}
}

// TestSentences has the sentence of examples that people read.
func TestSentences(t *testing.T) {
	at := func(hour int) time.Time { return noon.Add(time.Duration(hour-12) * time.Hour) }
	const n, w, a, u = Normal, WatchState, ActionNeeded, Unknown
	wind, gale := []string{"wind 15 kn"}, []string{"Gale Warning"}
	silent := []string{"the weather service did not answer"}
	for _, c := range []struct {
		from   int
		step   time.Duration
		why    []string
		states []State
		want   string
	}{
		{9, 8 * time.Hour, nil, []State{n}, "Nothing found against it from 9 AM to 5 PM."},
		{9, 2 * time.Hour, wind, []State{w}, "Take care from 9 to 11 AM: wind 15 kn."},
		{5, 16 * time.Hour, gale, []State{a}, "Reasons against all day: Gale Warning."},
		{9, time.Hour, silent, []State{u, u}, "Cannot tell: the weather service did not answer."},
		{5, 8 * time.Hour, nil, []State{a, w},
			"Reasons against until 1 PM; after that take care until dark (9 PM)."},
		{9, time.Hour, nil, []State{a, a, a, n},
			"Reasons against until noon; after that nothing found against it until 1 PM."},
		{9, time.Hour, nil, []State{n, w, n},
			"Nothing found against it until 10 AM and from 11 AM; in between take care."},
		{10, 2 * time.Hour, nil, []State{a, u, w, a, u},
			"Changes 4 times: best from 2 to 4 PM, with care."},
		{10, time.Hour, nil, []State{a, u, a, u}, "Changes 3 times: no best run in daylight."},
		{20, 8 * time.Hour, nil, []State{n, a},
			"Nothing found against it until Fri 4 AM; after that reasons against until Fri noon."},
		{9, 72 * time.Hour, nil, []State{a, n},
			"Reasons against until Sun 9 AM; after that nothing found against it until Wed 9 AM."},
		{0, 24 * time.Hour, nil, []State{n}, "Nothing found against it all day."},
		{22, 2 * time.Hour, nil, []State{w}, "Take care from 10 PM to midnight."},
	} {
		if got := sentenceOf(at(c.from), c.step, c.why, c.states...); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestRanks has the rule of the best runs: the best state first, then the longest, then the
// earliest, in daylight, of hours that are known well enough; at most five.
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		from  int
		hours string // n, w, a, u; N and W with low confidence
		want  string
	}{
		{9, "nnnn", "9 AM to 1 PM"},
		{9, "wnnw", "10 AM to noon; 9 to 10 AM, 1 h only; noon to 1 PM, 1 h only"},
		{9, "nwww", "9 to 10 AM, 1 h only; 10 AM to 1 PM"},
		{9, "nanna", "11 AM to 1 PM; 9 to 10 AM, 1 h only"},
		{9, "nanaw", "9 to 10 AM, 1 h only; 11 AM to noon, 1 h only; 1 to 2 PM, 1 h only"},
		{9, "aaww", "11 AM to 1 PM"},
		{9, "aauu", ""},
		{9, "NNNN", ""},
		{9, "NNww", "11 AM to 1 PM"},
		{9, "WWaa", ""},
		{9, "nnuun", "9 to 11 AM; 1 to 2 PM, 1 h only"},
		{19, "nnnn", "7 to 9 PM"},
		{22, "nn", ""},
		{18, "aann", "8 to 9 PM, 1 h only"},
		{8, "nanananananan", "8 to 9 AM, 1 h only; 10 to 11 AM, 1 h only; noon to 1 PM, 1 h only; " +
			"2 to 3 PM, 1 h only; 4 to 5 PM, 1 h only"},
	} {
		var states []State
		for _, letter := range strings.ToLower(c.hours) {
			states = append(states, map[rune]State{'n': Normal, 'w': WatchState, 'a': ActionNeeded,
				'u': Unknown}[letter])
		}
		list, r := patterned(noon.Add(time.Duration(c.from-12)*time.Hour), time.Hour, states)
		for i, letter := range c.hours {
			if letter < 'a' {
				list[i].confidence = Low
			}
		}
		var got []string
		for _, b := range r.ranked(list, &Facts{Zone: time.UTC, Sun: Sun{Light: lightOf()}}) {
			got = append(got, b.Text)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s from %d: %q, want %q", c.hours, c.from, text, c.want)
		}
	}
}

// TestHalfOpen has alerts that end as the trip begins, or begin as it ends: they do not meet it. A
// minute more and they do. Levels, light and currents are continuous: their value at the end
// counts.
func TestHalfOpen(t *testing.T) {
	end := noon.Add(Boating.Span())
	alert := func(from, to time.Time) func(*Facts) {
		return func(f *Facts) {
			f.Alerts.List = []Alert{{Event: "Small Craft Advisory", From: &from, To: &to}}
		}
	}
	low := func(at time.Time) func(*Facts) {
		return func(f *Facts) { f.Tide.Turns[1] = Turn{at, false, -2} }
	}
	sample := func(series func(*Facts) Series, at time.Time, v float64) func(*Facts) {
		return func(f *Facts) {
			s := series(f)
			s.Values[int(at.Sub(s.Start)/s.Step)] = v
		}
	}
	heights := func(f *Facts) Series { return f.Tide.Heights }
	sun := func(f *Facts) Series { return f.Sun.Altitudes }
	flow := func(f *Facts) Series { return f.Current.Velocities }
	for _, c := range []struct {
		name  string
		alter func(*Facts)
		want  State
	}{
		{"alert until the beginning", alert(noon.Add(-time.Hour), noon), Normal},
		{"alert beyond the beginning", alert(noon.Add(-time.Hour), noon.Add(time.Minute)), ActionNeeded},
		{"alert from the end", alert(end, end.Add(time.Hour)), Normal},
		{"alert before the end", alert(end.Add(-time.Minute), end.Add(time.Hour)), ActionNeeded},
		{"low at the end", low(end), WatchState},
		{"low after the end", low(end.Add(time.Minute)), Normal},
		{"low at the beginning", low(noon), WatchState},
		{"level at the end", sample(heights, end, -2), WatchState},
		{"level after the end", sample(heights, end.Add(15*time.Minute), -2), Normal},
		{"dark at the end", sample(sun, end, -10), WatchState},
		{"dark after the end", sample(sun, end.Add(15*time.Minute), -10), Normal},
		{"dark at the beginning", sample(sun, noon, -10), WatchState},
		{"current at the end", sample(flow, end, 6), ActionNeeded},
		{"current after the end", sample(flow, end.Add(15*time.Minute), 6), Normal},
	} {
		f := quiet()
		c.alter(f)
		if got := Decide(asked(Boating), f).State; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestHours evaluates the hours of the quiet day with an advisory until 13:00 and dark from 20:10.
func TestHours(t *testing.T) {
	f := quiet()
	until := noon.Add(time.Hour)
	f.Alerts.List = []Alert{{Event: "Small Craft Advisory", To: &until}}
	dusk := noon.Add(8*time.Hour + 10*time.Minute)
	for i := range f.Sun.Altitudes.Values {
		if at := f.Sun.Altitudes.Start.Add(time.Duration(i) * f.Sun.Altitudes.Step); at.After(dusk) {
			f.Sun.Altitudes.Values[i] = -19.22
		}
	}
	f.Sun.Light = []coast.Span{{From: noon.Add(-7 * time.Hour), To: dusk}}
	got := EvaluateHours(HoursRequest{Activity: Boating, From: noon, To: noon.Add(10 * time.Hour),
		Now: noon.Add(-time.Hour)}, f)
	if want := "Changes 2 times: best from 1 to 8 PM."; got.Sentence != want {
		t.Errorf("%q, want %q", got.Sentence, want)
	}
	var states, texts []string
	for _, r := range got.Runs {
		states = append(states, string(r.State)+" "+r.From.Format("15:04")+" "+r.To.Format("15:04"))
	}
	for _, r := range got.Reasons {
		texts = append(texts, r.Text+" "+r.From.Format("15:04")+" "+r.To.Format("15:04"))
	}
	wantStates := "action-needed 12:00 13:00, normal 13:00 20:00, watch 20:00 22:00"
	if g := strings.Join(states, ", "); g != wantStates {
		t.Errorf("%s, want %s", g, wantStates)
	}
	wantTexts := "Small Craft Advisory, until 1 PM. 12:00 13:00 | Dark from 8:10 PM. 20:00 22:00"
	if g := strings.Join(texts, " | "); g != wantTexts {
		t.Errorf("%s, want %s", g, wantTexts)
	}
	if got.State != ActionNeeded || got.Best == nil || got.Best.Minutes != 7*60 || got.Best.Short {
		t.Errorf("%s, best %+v", got.State, got.Best)
	}
}

// TestPhrases finds a code without a sentence for people: all codes of the table, the missing
// facts, and alerts.
func TestPhrases(t *testing.T) {
	f := quiet()
	c := writer{newCheck(asked(CoastalLiving), f)}
	var spells []spell
	for _, row := range thresholds {
		spells = append(spells, spell{finding: finding{code: row.Code, value: 12.5, threshold: 10,
			unit: row.Unit, at: noon, quote: "Ice in harbors.", risk: RipHigh}})
	}
	for _, in := range inputs {
		for _, how := range []string{"missing", "stale", "undated", "incomplete"} {
			spells = append(spells, spell{lack: &lack{in, "input_missing", how, "it is not there", acts}})
		}
		spells = append(spells, spell{lack: &lack{in, WeatherNotOffered, "missing", "why", acts}})
	}
	spells = append(spells, spell{finding: finding{event: "Gale Warning", until: &noon}},
		spell{finding: finding{event: "Gale Warning"}})
	for _, s := range spells {
		s.from, s.to = noon, noon.Add(2*time.Hour)
		about := s.code + s.event
		if s.lack != nil {
			about = s.lack.id + " " + s.lack.how
		}
		text := c.phrase(s)
		texts := append([]string{text}, c.decisive([]spell{s})...)
		for _, text := range texts {
			if text == "" || strings.ContainsAny(text, "{}") || forbidden.MatchString(text) {
				t.Errorf("%s: %q", about, text)
			}
		}
		if !strings.HasSuffix(text, ".") || len(text) > 120 || strings.Contains(text, "_") {
			t.Errorf("%s: %q", about, text)
		}
	}
	for code := range phrases {
		if line(code) < 0 {
			t.Errorf("%s: a sentence without a row", code)
		}
	}
}

// BenchmarkHours evaluates the longest span: a week from facts of a rough sea.
func BenchmarkHours(b *testing.B) {
	f := weekly()
	r := HoursRequest{Activity: Boating, From: noon, To: noon.Add(LongestHours), Now: noon}
	b.ReportAllocs()
	for b.Loop() {
		EvaluateHours(r, f)
	}
}

// weekly returns facts whose series, grid, text, turns and alerts last for a week.
func weekly() *Facts {
	f := quiet()
	for _, s := range []*Series{&f.Tide.Heights, &f.Sun.Altitudes, &f.Current.Velocities} {
		s.Values, s.Step = make([]float64, 12*24*9), 5*time.Minute
		for i := range s.Values {
			s.Values[i] = float64(i%150) / 50
		}
	}
	for i := range 9 * 4 {
		at := noon.Add(time.Duration(6*i-24) * time.Hour)
		f.Tide.Turns = append(f.Tide.Turns, Turn{at, i%2 == 0, float64(i % 2)})
		f.Text.Periods = append(f.Text.Periods, Period{From: at, To: at.Add(6 * time.Hour),
			Wind: pointer(float64(i % 20)), Gust: pointer(12), Seas: pointer(3)})
	}
	one := *f.during()
	for i := range 9 * 24 {
		one.From = noon.Add(time.Duration(i-24) * time.Hour)
		one.To, one.Wind = one.From.Add(time.Hour), pointer(float64(i%25))
		f.Grid.Hours = append(f.Grid.Hours, one)
	}
	f.Grid.Hours = f.Grid.Hours[36:]
	for _, name := range longAlerts {
		f.Alerts.List = append(f.Alerts.List, Alert{Event: name})
	}
	f.Sun.Light = lightOf()
	return f
}

// TestSure checks the reason of a confidence, which is that of the hours with the lowest.
func TestSure(t *testing.T) {
	aging := quiet()
	aging.Grid.Source.Freshness = coast.Aging
	for _, test := range []struct {
		name  string
		facts *Facts
		now   time.Time
		want  Confidence
		sure  string
	}{
		{"all there", quiet(), noon, High, "all facts are there, and it is within a day"},
		{"required", without(*quiet(), MarineAlerts), noon, Low, "facts that decide are missing"},
		{"precautionary", without(*quiet(), WaterTemperature), noon, Moderate, "some facts are missing"},
		{"aging", aging, noon, Moderate, "some facts are aging"},
		{"two hours beyond a day", quiet(), noon.Add(-22*time.Hour - time.Minute), Moderate,
			"it is more than a day ahead"},
		{"the last hour beyond three days", quiet(), noon.Add(-69*time.Hour - time.Minute), Low,
			"it is more than 3 days ahead"},
	} {
		h := EvaluateHours(HoursRequest{Activity: Boating, From: noon, To: noon.Add(4 * time.Hour),
			Now: test.now}, test.facts)
		if h.Confidence != test.want || h.Sure != test.sure {
			t.Errorf("%s: %s, %q, want %s, %q", test.name, h.Confidence, h.Sure, test.want, test.sure)
		}
	}
}
