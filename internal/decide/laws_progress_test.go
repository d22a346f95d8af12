package decide

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"leadline/internal/trials"
)

// This file holds the laws of watches. Each begins with a watch that has wandered over
// generated facts and stored its Standing after each evaluation.

// watchLaw holds for every watch.
type watchLaw struct {
	name  string
	holds func(w *walk)
}

var watchLaws = []watchLaw{
	{"every step is sound", func(w *walk) { w.wander(12) }},
	{"to lose facts announces nothing good", losingAnnouncesNothingGood},
	{"to lose facts ends no reason", losingEndsNoReason},
	{"an outage is lost and restored", outageIsLostAndRestored},
	{"an outage at one evaluation is nothing", shortOutageIsNothing},
	{"a decision repeated is one step at most", repeatedIsOneStep},
	{"after a step the same decision is none", sameAfterStepIsNone},
	{"a new alert is a step at once", newAlertIsStep},
}

// TestWatchLaws checks every law on each generated case.
func TestWatchLaws(t *testing.T) {
	count := trials.Cases()
	failures, met := make([]failure, len(watchLaws)), newMeter()
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for number := range next {
				for i, l := range watchLaws {
					w := newWalk(number, failures[i].add)
					l.holds(w)
					met.steps(w)
				}
			}
		})
	}
	for number := range count {
		next <- number
	}
	close(next)
	group.Wait()
	for i, l := range watchLaws {
		t.Run(l.name, func(t *testing.T) { failures[i].tell(t, count) })
	}
	t.Run("steps are of all directions", func(t *testing.T) {
		for _, d := range Direction("").Values() {
			if got, want := met.met[d], count/10; got < want {
				t.Errorf("%d steps are %s, want %d at least", got, d, want)
			}
		}
	})
}

// steps counts the directions of a walk.
func (m *meter) steps(w *walk) {
	m.Lock()
	defer m.Unlock()
	for _, s := range w.steps {
		m.met[string(s.Direction)]++
	}
}

// good lists the directions that announce an improvement.
var good = []Direction{Better, Known, Restored}

// somewhere wanders, settles on facts, and returns them.
func (w *walk) somewhere() *Facts {
	w.wander(w.dice.IntN(4))
	f := w.variant()
	w.settle(w.decide(f))
	return f
}

func losingAnnouncesNothingGood(w *walk) {
	f := w.somewhere()
	settled := len(w.steps)
	for range 6 {
		f = w.fewer(f)
		d := w.decide(f)
		for range 3 {
			w.evaluate(d, w.pause())
		}
	}
	for _, direction := range w.directions(settled) {
		if slices.Contains(good, direction) {
			w.fails("facts were lost, and the steps are %v", w.directions(settled))
		}
	}
}

func losingEndsNoReason(w *walk) {
	f := w.somewhere()
	known := w.standing.Known
	for range 3 {
		f = w.fewer(f)
		w.evaluate(w.decide(f), w.pause())
	}
	for _, r := range known {
		now := severityIn(w.standing.Known, r.Code)
		if r.Severity.weighs() && now.rank() < r.Severity.rank() {
			w.fails("facts were lost: %s was a reason at %s and is one at %q", r.Code, r.Severity, now)
		}
	}
}

// outage evaluates facts without some of those that are there, a number of times. It returns the
// facts that are then missing, and those that are not missing any more because a gap needs a value
// that is lost too.
func (w *walk) outage(f *Facts, count int) (lost, completed []string) {
	whole, fewer := w.decide(f), f
	for range 1 + w.dice.IntN(3) {
		id := factIDs[w.dice.IntN(len(factIDs))]
		if had(*f.heading(id)) && !slices.Contains(whole.MissingInputs, id) {
			fewer = without(*fewer, id)
		}
	}
	d := w.decide(fewer)
	for range count {
		w.evaluate(d, w.pause())
	}
	return less(d.MissingInputs, whole.MissingInputs), less(whole.MissingInputs, d.MissingInputs)
}

func outageIsLostAndRestored(w *walk) {
	f, want := w.variant(), []Direction{}
	w.restart(w.decide(f))
	_, completed := w.outage(f, 2)
	if len(completed) > 0 {
		return
	}
	if len(w.steps) > 0 { // an outage of precautionary facts may change nothing
		want = []Direction{Lost, Restored}
	}
	w.settle(w.decide(f))
	if got := w.directions(0); !slices.Equal(got, want) {
		w.fails("outage: %v, want %v", got, want)
	}
}

func shortOutageIsNothing(w *walk) {
	f := w.somewhere()
	settled := len(w.steps)
	w.outage(f, 1)
	w.settle(w.decide(f))
	if got := w.directions(settled); len(got) > 0 {
		w.fails("outage at one evaluation: %v, want no step", got)
	}
}

func repeatedIsOneStep(w *walk) {
	w.wander(w.dice.IntN(6))
	d, before := w.decide(w.variant()), len(w.steps)
	for range 8 {
		w.evaluate(d, w.pause())
	}
	if got := w.directions(before); len(got) > 1 {
		w.fails("one decision: %v", got)
	}
}

func sameAfterStepIsNone(w *walk) {
	for range 6 {
		d := w.decide(w.variant())
		if w.evaluate(d, w.pause()) == nil {
			continue
		}
		for _, after := range []time.Duration{0, time.Minute, 10 * time.Minute, 2 * time.Hour} {
			if step := w.evaluate(d, after); step != nil || w.standing.Differed {
				w.fails("%s after a step, the same decision: %s", after, encode(w.standing))
			}
		}
	}
}

// newAlertIsStep adds an alert that is an action for all activities. Beyond four alerts of a
// severity a reason merges all of them, so another one cannot be distinguished.
func newAlertIsStep(w *walk) {
	w.wander(w.dice.IntN(4))
	f := w.variant()
	if !had(f.Alerts.Fact) {
		return
	}
	more := *f
	more.Alerts.List = append(slices.Clone(f.Alerts.List), Alert{Event: "Tsunami Warning"})
	code, d := alertCode("Tsunami Warning"), w.decide(&more)
	w.evaluate(w.decide(f), w.pause())
	raised := severityIn(Summarize(d).Reasons, code) == Action
	if !raised || w.standing.announced().outlook(d).covers(code, Action) {
		return
	}
	if step := w.evaluate(d, time.Minute); step == nil || step.Direction != Worse {
		w.fails("a new action: %s", encode(step))
	}
}
