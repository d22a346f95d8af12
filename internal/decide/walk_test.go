package decide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// A walk is a watch over generated facts. Each evaluation also checks what holds for all
// evaluations.
type walk struct {
	*judged
	standing Standing
	json     []byte // of standing
	now      time.Time
	steps    []Step
	fails    func(format string, args ...any)
}

// newWalk begins a watch with the generated facts of a case, or with some of them.
func newWalk(number int, fails func(c *judged, format string, args ...any)) *walk {
	s := generate(number)
	c := &judged{sample: s, decision: decided(s.request, s.facts)}
	w := &walk{judged: c, now: s.request.Now}
	w.fails = func(format string, args ...any) { fails(c, format, args...) }
	first := c.decision
	if w.dice.one(0.3) {
		first = w.decide(w.fewer(s.facts))
	}
	w.standing = Begin(first)
	w.stored()
	return w
}

// decided returns a decision without its texts and its window. Progress does not use them, and
// the window takes most of the time.
func decided(r Request, f *Facts) *Decision {
	c := newCheck(r, f).read()
	return &Decision{
		RequestedFor:  r.At,
		Activity:      r.Activity,
		Station:       f.Station,
		State:         c.state(),
		Confidence:    c.confidence(),
		Assessed:      coast.Span{From: c.from, To: c.to},
		Reasons:       writer{c}.reasons(),
		MissingInputs: c.missing(),
		Sources:       c.sources(),
	}
}

// decide returns the decision from the facts. It is made at the time of the first one, because
// forecasts come into reach as time passes.
func (w *walk) decide(f *Facts) *Decision { return decided(w.request, f) }

// evaluate takes a decision into account after some time.
func (w *walk) evaluate(d *Decision, after time.Duration) *Step {
	w.now = w.now.Add(after)
	standing, step := Progress(w.standing, d, w.now)
	if after := encode(w.standing); !bytes.Equal(after, w.json) {
		w.fails("Progress changes its argument %s to %s", w.json, after)
	}
	w.expect(d, standing, step)
	w.standing = standing
	w.stored()
	if step != nil {
		w.check(*step, d)
		w.steps = append(w.steps, *step)
	}
	return step
}

// expect checks whether an evaluation announces its change, by the definition: if it is the second
// one in a row that differs in state, confidence or required facts, or if there is a new alert.
func (w *walk) expect(d *Decision, after Standing, step *Step) {
	b, carried := w.standing.announced(), carry(w.standing.announced().known, d)
	confidence := d.Confidence
	if len(carried) > 0 {
		confidence = Low
	}
	differs := worst(d.State, carried) != *b.State || confidence != *b.Confidence
	for _, s := range d.Sources {
		missing := slices.Contains(d.MissingInputs, s.ID)
		differs = differs || s.Required && (missing || s.Available) &&
			missing != slices.Contains(w.standing.Summary.MissingInputs, s.ID)
	}
	alert := false
	for _, r := range merged(Summarize(d).Reasons, carried) {
		known := max(severityIn(*b.Reasons, r.Code).rank(), severityIn(*b.Reasons, alerts).rank())
		alert = alert || strings.HasPrefix(r.Code, "alert") && r.Severity != Info &&
			r.Severity.rank() > known
	}
	want := alert || differs && w.standing.Differed
	if (step != nil) != want || after.Differed != (differs && !want) {
		w.fails("announced %v, differed %v; want %v, a change %v, a new alert %v", step != nil,
			after.Differed, want, differs, alert)
	}
}

// stored encodes and decodes the Standing.
func (w *walk) stored() {
	b, stored := encode(w.standing), Standing{}
	if len(b) > LongestStanding {
		w.fails("a standing of %d bytes", len(b))
	}
	if err := json.Unmarshal(b, &stored); err != nil || !reflect.DeepEqual(stored, w.standing) {
		w.fails("stored as %s: %v, %s", b, err, encode(stored))
	}
	w.standing, w.json = stored, b
}

// check checks what holds for every step.
func (w *walk) check(step Step, d *Decision) {
	if step.Number != len(w.steps)+1 || !step.At.Equal(w.now.Truncate(time.Second)) {
		w.fails("step %d at %s, want %d at %s", step.Number, step.At, len(w.steps)+1, w.now)
	}
	if !step.Change.Material {
		w.fails("step without a material change: %s", encode(step.Change))
	}
	if step.Direction == Better && (len(step.Carried) > 0 || lacksRequired(d)) {
		w.fails("better, missing %v, carried %s", d.MissingInputs, encode(step.Carried))
	}
	if slices.ContainsFunc(step.Carried, func(r BaselineReason) bool { return absence(r.Code) }) {
		w.fails("carried %s", encode(step.Carried))
	}
	if got := Compare(d, baselineOf(step.Summary)); got.Material {
		w.fails("the summary is not the next baseline: %s", encode(got))
	}
}

func lacksRequired(d *Decision) bool {
	for _, s := range d.Sources {
		if s.Required && slices.Contains(d.MissingInputs, s.ID) {
			return true
		}
	}
	return false
}

func baselineOf(s Summary) Baseline {
	b, err := ReadBaseline(encode(s))
	if err != nil {
		panic(err) // a summary is a baseline
	}
	return b
}

// settle evaluates a decision until it is announced.
func (w *walk) settle(d *Decision) {
	for range 2 {
		w.evaluate(d, time.Hour)
	}
	if w.standing.Differed {
		w.fails("two evaluations are not announced: %s", encode(w.standing))
	}
}

// restart begins another watch with a decision.
func (w *walk) restart(d *Decision) {
	w.standing, w.steps = Begin(d), nil
	w.stored()
}

// wander evaluates random variants of the facts.
func (w *walk) wander(count int) {
	for range count {
		d := w.decide(w.variant())
		for range 1 + w.dice.IntN(4) {
			w.evaluate(d, w.pause())
		}
	}
}

// pause returns a time between evaluations.
func (w *walk) pause() time.Duration {
	list := []time.Duration{0, time.Minute, 10 * time.Minute, 2 * time.Hour, 6 * time.Hour}
	return list[w.dice.IntN(len(list))]
}

// variant returns the facts with some numbers worse, and some facts missing or old.
func (w *walk) variant() *Facts {
	f := *w.facts
	for range w.dice.IntN(3) {
		worse[w.dice.IntN(len(worse))].alter(w.judged, &f)
	}
	if w.dice.one(0.5) {
		return w.fewer(&f)
	}
	return &f
}

// fewer returns facts of which some are missing and some may be old.
func (w *walk) fewer(f *Facts) *Facts {
	for range 1 + w.dice.IntN(3) {
		id := factIDs[w.dice.IntN(len(factIDs))]
		if w.dice.one(0.8) || !had(*f.heading(id)) {
			f = without(*f, id)
			if w.dice.one(0.3) {
				f.heading(id).Code = WeatherNotOffered
			}
		} else {
			f = withAge(*f, id, "stale")
		}
	}
	return f
}

// directions returns the directions of the steps after the first ones.
func (w *walk) directions(after int) []Direction {
	list := []Direction{}
	for _, s := range w.steps[after:] {
		list = append(list, s.Direction)
	}
	return list
}

func (w *walk) String() string { return fmt.Sprint(w.directions(0)) }
