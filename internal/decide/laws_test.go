package decide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// A law holds for every decision, for all facts.
type law struct {
	name  string
	holds func(c *judged, fails func(format string, args ...any))
}

// judged is a generated case with its decision, the input of all laws.
type judged struct {
	*sample
	candidate Candidate
	decision  *Decision
	json      []byte
	fields    map[string]any // of json
}

var laws = []law{
	{"to lose a fact improves nothing", losingImprovesNothing},
	{"to lose a fact adds no highlight", losingPraisesNothing},
	{"to age improves nothing", ageingImprovesNothing},
	{"a number that is not said improves nothing", silenceImprovesNothing},
	{"normal lacks nothing", normalLacksNothing},
	{"a worse number improves nothing", worseningImprovesNothing},
	{"a later hour is no better", laterIsNoBetter},
	{"the worst hour decides", worstHourDecides},
	{"later hours are no better", laterHoursAreNoBetter},
	{"to lose a fact makes no window better", losingRanksNothing},
	{"the same facts decide the same", sameFactsDecideTheSame},
	{"rank does not depend on order", rankIgnoresOrder},
	{"rules read the decision alone", rulesReadTheDecision},
	{"nothing has changed since itself", unchangedSinceItself},
	{"what matters is material", whatMattersIsMaterial},
	{"the words of currents need a current", currentWordsNeedACurrent},
	{"no text grants anything", noTextGrants},
	{"a reason is raised by its numbers", numbersRaiseReasons},
	{"a reason has its source", reasonsHaveSources},
	{"what is required and not there is missing", unavailableIsMissing},
	{"the state holds through the window", windowHolds},
	{"scores lie between 0 and 100", scoresLieWithin},
}

// TestMain lets the heap grow: decisions are small and make much garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// TestLaws checks every law on each generated case. They run together, because generating
// and deciding a case takes the most time.
func TestLaws(t *testing.T) {
	count := trials.Cases()
	failures := make([]failure, len(laws))
	var next, met = make(chan int), newMeter()
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for number := range next {
				c := judgedCase(number)
				met.count(c)
				for i, l := range laws {
					l.holds(c, func(format string, args ...any) { failures[i].add(c, format, args...) })
				}
			}
		})
	}
	for number := range count {
		next <- number
	}
	close(next)
	group.Wait()
	for i, l := range laws {
		t.Run(l.name, func(t *testing.T) { failures[i].tell(t, count) })
	}
	t.Run("cases are of all kinds", func(t *testing.T) { met.tell(t, count) })
}

func judgedCase(number int) *judged {
	s := generate(number)
	c := &judged{sample: s, candidate: Weigh(s.request, s.facts)}
	c.decision = &c.candidate.Decision
	c.json = encode(c.decision)
	if err := json.Unmarshal(c.json, &c.fields); err != nil {
		panic(err) // encode wrote it
	}
	return c
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // results always encode
	}
	return b
}

// failure counts the cases that break one law and stores the first few.
type failure struct {
	sync.Mutex
	count int
	first []string
}

func (f *failure) add(c *judged, format string, args ...any) {
	f.Lock()
	defer f.Unlock()
	f.count++
	if len(f.first) < 4 {
		f.first = append(f.first, fmt.Sprintf(format, args...)+"\n\t"+c.String())
	}
}

func (f *failure) tell(t *testing.T, of int) {
	if f.count > 0 {
		t.Errorf("%d failures in %d cases:\n%s", f.count, of, strings.Join(f.first, "\n"))
	}
}

// meter counts the states and confidences of the cases, because a law without cases would
// hold trivially.
type meter struct {
	sync.Mutex
	met map[string]int
}

func newMeter() *meter { return &meter{met: map[string]int{}} }

func (m *meter) count(c *judged) {
	m.Lock()
	defer m.Unlock()
	m.met[fmt.Sprint(c.request.Activity, c.decision.State)]++
	m.met[fmt.Sprint(c.request.Activity, c.decision.Confidence)]++
}

func (m *meter) tell(t *testing.T, of int) {
	for _, a := range Activities() {
		for _, kind := range []any{Normal, WatchState, ActionNeeded, Unknown, High, Moderate, Low} {
			if got, want := m.met[fmt.Sprint(a, kind)], of/200; got < want {
				t.Errorf("%d of %d cases are %s and %s, want %d at least", got, of, a, kind, want)
			}
		}
	}
}

// outcome holds the values that laws compare.
type outcome struct {
	state      State
	confidence Confidence
}

func outcomeOf(r Request, f *Facts) outcome {
	c := newCheck(r, f).read()
	return outcome{c.state(), c.confidence()}
}

// badness and doubt follow the document: action needed and unknown are equally bad.
var (
	badness = map[State]int{Normal: 0, WatchState: 1, ActionNeeded: 2, Unknown: 2}
	doubt   = map[Confidence]int{High: 0, Moderate: 1, Low: 2}
)

// better reports whether any part of an outcome is better than the same part of another.
func (o outcome) better(than outcome) bool {
	return badness[o.state] < badness[than.state] || doubt[o.confidence] < doubt[than.confidence]
}

// factIDs lists the facts that can be lost.
var factIDs = []string{
	TidePrediction,
	Daylight,
	MarineAlerts,
	WindForecast,
	MarineText,
	CurrentPrediction,
	FloodThresholds,
	ObservedLevel,
	WaterTemperature,
	SurfForecast,
	MoonPhase,
}

// heading returns the fact with the id, so that a test can change it.
func (f *Facts) heading(id string) *Fact {
	return map[string]*Fact{
		TidePrediction: &f.Tide.Fact, Daylight: &f.Sun.Fact, MarineAlerts: &f.Alerts.Fact,
		WindForecast: &f.Grid.Fact, MarineText: &f.Text.Fact,
		CurrentPrediction: &f.Current.Fact, FloodThresholds: &f.Flood.Fact,
		ObservedLevel: &f.Level.Fact, WaterTemperature: &f.Water.Fact,
		SurfForecast: &f.Surf.Fact, MoonPhase: &f.Moon.Fact,
	}[id]
}

// without returns the facts with one of them lost: it is absent and has no numbers.
func without(f Facts, id string) *Facts {
	lost := Fact{Source: f.heading(id).Source, Absent: "the provider did not answer"}
	switch id {
	case TidePrediction:
		f.Tide = Tide{Fact: lost, Datum: f.Tide.Datum}
	case Daylight:
		f.Sun = Sun{Fact: lost}
	case MarineAlerts:
		f.Alerts = Alerts{Fact: lost}
	case WindForecast:
		f.Grid = Grid{Fact: lost}
	case MarineText:
		f.Text = Text{Fact: lost}
	case CurrentPrediction:
		f.Current = Current{Fact: lost}
	case FloodThresholds:
		f.Flood = Flood{Fact: lost}
	case ObservedLevel:
		f.Level = Level{Fact: lost}
	case WaterTemperature:
		f.Water = Water{Fact: lost}
	case SurfForecast:
		f.Surf = Surf{Fact: lost}
	case MoonPhase:
		f.Moon = Moon{Fact: lost}
	}
	return &f
}

// withAge returns the facts with the freshness of one of them changed.
func withAge(f Facts, id string, freshness coast.Freshness) *Facts {
	f.heading(id).Source.Freshness = freshness
	return &f
}

func losingImprovesNothing(c *judged, fails func(string, ...any)) {
	before := outcome{c.decision.State, c.decision.Confidence}
	for _, id := range factIDs {
		if after := outcomeOf(c.request, without(*c.facts, id)); after.better(before) {
			fails("without %s %v, with it %v", id, after, before)
		}
	}
}

func losingPraisesNothing(c *judged, fails func(string, ...any)) {
	for _, id := range factIDs {
		for _, h := range Decide(c.request, without(*c.facts, id)).Highlights {
			sky := strings.HasPrefix(h, "Sun") || strings.HasPrefix(h, "Moon")
			if !sky && !slices.Contains(c.decision.Highlights, h) {
				fails("without %s the highlight %q", id, h)
			}
		}
	}
}

func ageingImprovesNothing(c *judged, fails func(string, ...any)) {
	for _, id := range factIDs {
		if !had(*c.facts.heading(id)) {
			continue
		}
		fresh := outcomeOf(c.request, withAge(*c.facts, id, coast.Fresh))
		younger := fresh
		for _, freshness := range []coast.Freshness{coast.Aging, coast.Stale} {
			older := outcomeOf(c.request, withAge(*c.facts, id, freshness))
			if older.better(younger) {
				fails("%s %s: %v, younger: %v", id, freshness, older, younger)
			}
			younger = older
		}
		if unknown := outcomeOf(c.request, withAge(*c.facts, id, coast.Unknown)); unknown.better(fresh) {
			fails("%s of unknown age: %v, fresh: %v", id, unknown, fresh)
		}
	}
}

// needed lists the needs of each activity, in the order of Activities: R or P as in the
// document, the text like the grid.
var needed = map[string]string{
	TidePrediction: "RRRRRR", Daylight: "RRRRRR", MarineAlerts: "RRRRRR", WindForecast: "RRRRRP",
	MarineText: "RRRRRP", SeaState: "RRRRRP",
	CurrentPrediction: "RRR---", FloodThresholds: "-----R", ObservedLevel: "RR---R",
	WaterTemperature: "PPR---", SurfForecast: "--RR--", MoonPhase: "------",
}

// needOf returns R, P or - for an activity.
func needOf(id string, a Activity) byte { return needed[id][slices.Index(Activities(), a)] }

// normalLacksNothing checks the facts themselves: a normal state needs each applicable R
// and P, neither stale nor of unknown age.
func normalLacksNothing(c *judged, fails func(string, ...any)) {
	if c.decision.State != Normal {
		return
	}
	for _, id := range factIDs {
		f := c.facts.heading(id)
		switch need := needOf(id, c.request.Activity); {
		case need == '-' || f.Waived != "":
		case f.Absent != "" || f.None != "":
			fails("normal without %s (%c)", id, need)
		case f.Source.Freshness == coast.Stale || f.Source.Freshness == coast.Unknown:
			fails("normal with %s (%c) %s", id, need, f.Source.Freshness)
		case f.Source.Kind == coast.Forecast && id != MarineText && id != SurfForecast &&
			c.request.At.Sub(c.request.Now) > 7*24*time.Hour:
			fails("normal by the forecast %s of more than 7 days ahead", id)
		}
	}
}

func sameFactsDecideTheSame(c *judged, fails func(string, ...any)) {
	again := c.request
	again.ID = "018f0000-0000-7000-8000-000000000001"
	d := Decide(again, c.facts)
	d.DecisionID = c.decision.DecisionID
	if got := encode(d); !bytes.Equal(got, c.json) {
		fails("decided again: %s, at first %s", got, c.json)
	}
	if fresh := generate(c.number).facts; !bytes.Equal(encode(plain(fresh)), encode(plain(c.facts))) {
		fails("the facts have changed")
	}
}

// plain returns facts without the zone, which has no JSON form.
func plain(f *Facts) Facts {
	g := *f
	g.Zone = nil
	return g
}

var currentWords = regexp.MustCompile(`(?i)\b(flood|ebb|slack)\b`)

func currentWordsNeedACurrent(c *judged, fails func(string, ...any)) {
	if had(c.facts.Current.Fact) {
		return
	}
	for _, text := range c.texts() {
		if word := currentWords.FindString(c.unnamed(text)); word != "" {
			fails("%q without a current: %s", word, text)
		}
	}
}

// unnamed returns a text without names: the names of alerts, as written and in codes, and the ids
// of facts.
func (c *judged) unnamed(text string) string {
	text = strings.ToLower(text)
	for _, a := range c.facts.Alerts.List {
		text = strings.ReplaceAll(text, strings.ToLower(a.Event), "")
	}
	for _, id := range append(factIDs, SeaState) {
		text = strings.ReplaceAll(text, id, "")
	}
	return text
}

// texts returns all texts for people.
func (c *judged) texts() []string {
	d := c.decision
	list := slices.Concat([]string{d.Headline, d.Summary, d.Disclaimer}, d.Highlights, d.Notes)
	for _, r := range d.Reasons {
		list = append(list, r.Message)
	}
	for _, p := range c.candidate.Parts {
		list = append(list, p.Message)
	}
	return list
}

var grants = regexp.MustCompile(`(?i)\b(safe|guaranteed|all clear)\b`)

func noTextGrants(c *judged, fails func(string, ...any)) {
	for _, text := range c.texts() {
		if word := grants.FindString(text); word != "" {
			fails("%q: %s", word, text)
		}
	}
}

// Lower values of these are worse; a value at the limit of the second list does not count.
var (
	lessIsWorse = []string{"visibility", "darkness", "low_water", lowWaterObserved, "cold_water"}
	onlyBeyond  = []string{"darkness", "cold_water", "rising_tide", "fast_rise"}
)

func numbersRaiseReasons(c *judged, fails func(string, ...any)) {
	for _, r := range c.decision.Reasons {
		if r.Value == nil || r.Code == "nearby_gauge" {
			continue
		}
		if r.Unit == nil || r.Threshold == nil || r.Margin == nil || r.At == nil {
			fails("%s has a value and not all of unit, threshold, margin and time", r.Code)
			continue
		}
		beyond := *r.Value - *r.Threshold
		if slices.Contains(lessIsWorse, r.Code) {
			beyond = -beyond
		}
		if beyond < 0 || *r.Margin < 0 || beyond == 0 && slices.Contains(onlyBeyond, r.Code) {
			fails("%s at %s: value %v, threshold %v, margin %v", r.Code, r.Severity, *r.Value,
				*r.Threshold, *r.Margin)
		}
		if off := *r.Margin - beyond; off > 0.00051 || off < -0.00051 {
			fails("%s: margin %v, value less threshold %v", r.Code, *r.Margin, beyond)
		}
	}
}

func reasonsHaveSources(c *judged, fails func(string, ...any)) {
	for _, r := range c.decision.Reasons {
		if !slices.ContainsFunc(c.decision.Sources,
			func(s coast.Source) bool { return s.ID == r.SourceID }) {
			fails("%s is of %q, which is not a source", r.Code, r.SourceID)
		}
	}
}

func unavailableIsMissing(c *judged, fails func(string, ...any)) {
	for _, s := range c.decision.Sources {
		if s.Required && !s.Available && !slices.Contains(c.decision.MissingInputs, s.ID) {
			fails("%s is required, not available, and not missing", s.ID)
		}
	}
}

func windowHolds(c *judged, fails func(string, ...any)) {
	w, at, now := c.decision.Window, c.request.At, c.request.Now
	if (w == nil) != (c.decision.State == Unknown) {
		fails("window %v of state %s", w, c.decision.State)
	}
	if w == nil {
		return
	}
	if w.From.After(at) || w.To.Before(at) || w.From.Before(now) && w.From.Before(at) {
		fails("window %v", w)
	}
	for _, t := range []time.Time{w.From, w.To, c.within(w.From, at), c.within(at, w.To)} {
		r := Request{Activity: c.request.Activity, At: t, Now: now}
		if got := outcomeOf(r, c.facts).state; got != c.decision.State {
			fails("at %s, in the window %v, the state is %s", t, w, got)
		}
	}
}

// within returns a time between two that is on a step of the window.
func (c *judged) within(from, to time.Time) time.Time {
	return from.Add(time.Duration(c.dice.IntN(1+int(to.Sub(from)/windowStep))) * windowStep)
}

func scoresLieWithin(c *judged, fails func(string, ...any)) {
	if s := c.candidate.Score; s < 0 || s > 100 {
		fails("score %v", s)
	}
	for _, p := range c.candidate.Parts {
		if p.Applies != (p.Score != nil) || p.Score != nil && (*p.Score < 0 || *p.Score > 1) ||
			p.Message == "" {
			fails("part %s", encode(p))
		}
	}
}
