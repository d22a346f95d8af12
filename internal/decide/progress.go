package decide

import (
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Step is a change that a watch announces.
type Step struct {
	Number    int // from 1
	At        time.Time
	Direction Direction
	Change    Comparison       // since the last announced result, both with their carried reasons
	Carried   []BaselineReason // of missing facts, as last known
	Summary   Summary          // of the decision, fit to be the next baseline of Compare
}

// Progress takes an evaluation of a watch into account. It returns the new Standing, and the
// step that must be announced, or nil. The decision must be whole: Fit removes reasons.
//
// The decision is compared with the last announced result. A change is announced if this
// evaluation and the one before differ in state, confidence or required facts. A new alert is
// announced at once. A missing fact is never announced as an improvement: its reasons remain as
// last known. No time needs to pass between two evaluations, and any time may.
func Progress(s Standing, d *Decision, now time.Time) (Standing, *Step) {
	e := newEvaluation(s.announced(), d)
	differs := e.differs()
	if e.newAlert() || differs && s.Differed {
		return s.announce(e, d, now)
	}
	s.Known, s.Differed = worstOf(e.reasons), differs
	if !differs {
		s.Present = presentIn(d)
	}
	return s, nil
}

// evaluation compares a decision with the last announced result.
type evaluation struct {
	announced
	then          outlook // announced
	here          outlook // of the decision with the carried reasons
	carried       []BaselineReason
	reasons       []BaselineReason // of here
	change        Comparison
	lacksRequired bool
	emptied       []string // facts that have lost their values
}

func newEvaluation(a announced, d *Decision) *evaluation {
	carried := carry(a.known, d)
	now := effective(d, carried)
	reasons := Summarize(now).Reasons
	return &evaluation{
		announced: a,
		then:      a.outlook(d),
		here:      newOutlook(now.State, reasons, d.MissingInputs),
		carried:   carried,
		reasons:   reasons,
		change:    Compare(now, a.Baseline),
		lacksRequired: slices.ContainsFunc(d.Sources, func(s coast.Source) bool {
			return s.Required && slices.Contains(d.MissingInputs, s.ID)
		}),
		emptied: less(a.present, presentIn(d)),
	}
}

// differs reports whether the state, the confidence or a required fact differs from the announced
// result.
func (e *evaluation) differs() bool {
	return slices.ContainsFunc(e.change.Changes, func(c Change) bool {
		return c.Material && !strings.HasPrefix(c.Field, "reasons.")
	})
}

// newAlert reports whether an alert was gained or became more severe.
func (e *evaluation) newAlert() bool {
	return slices.ContainsFunc(e.here.beyond(e.then), func(code string) bool {
		return code == alerts || strings.HasPrefix(code, alertPrefix)
	})
}

// mostListed limits the steps that a Standing has, and so those that a watch shows.
const mostListed = 20

// announce returns the Standing after a step, and the step.
func (s Standing) announce(e *evaluation, d *Decision, now time.Time) (Standing, *Step) {
	step := Step{
		s.last().Number + 1, instant(now), e.direction(), e.change, e.carried, Summarize(d),
	}
	s.Summary, s.Carried, s.Known = step.Summary, step.Carried, worstOf(e.reasons)
	s.Present, s.Differed = presentIn(d), false
	s.Lost = both(d.MissingInputs, slices.Concat(s.Lost, e.here.lacks(e.then)))
	past := PastStep{Number: step.Number, At: step.At, Direction: step.Direction}
	s.Steps = append(slices.Clone(s.Steps), past)
	s.Steps = s.Steps[max(0, len(s.Steps)-mostListed):]
	return s, &step
}
