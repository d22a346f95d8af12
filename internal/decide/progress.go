package decide

import (
	"slices"
	"time"
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
// The decision is compared with the last announced result, so changes that are not announced
// yet become part of a later step. A missing fact is never announced as an improvement: its
// reasons remain as last known. Only a change that lasts is announced: see confirmed. No
// time needs to pass between two evaluations, and any time may.
func Progress(s Standing, d *Decision, now time.Time) (Standing, *Step) {
	now = instant(now)
	e := newEvaluation(s.announced(), d)
	s.Missing = missingSince(s.Missing, d.MissingInputs, now)
	s.Seen = e.unannounced()
	direction := e.direction()
	if direction == "" {
		s.Unconfirmed = nil
		return s, nil
	}
	u := s.unconfirmed(e, d, direction, now)
	if u.At.After(now) {
		s.Unconfirmed = &u
		return s, nil
	}
	return s.announce(e, d, direction, now)
}

// evaluation compares a decision with the last announced result.
type evaluation struct {
	then          outlook // announced
	here          outlook // of the decision with the carried reasons
	carried       []BaselineReason
	reasons       []BaselineReason // of here
	change        Comparison
	lacksRequired bool
	awaited       []string
	losses        []Loss
}

func newEvaluation(a announced, d *Decision) *evaluation {
	carried := carry(a.known, d)
	now := effective(d, carried)
	reasons := Summarize(now).Reasons
	e := &evaluation{
		then:    a.outlook,
		here:    newOutlook(now.State, reasons, a.stillMissing(d)),
		carried: carried,
		reasons: reasons,
		change:  Compare(now, a.baseline),
		awaited: a.awaited,
		losses:  a.losses,
	}
	for _, s := range d.Sources {
		if s.Required && slices.Contains(d.MissingInputs, s.ID) {
			e.lacksRequired = true
		}
	}
	return e
}

// mostSeen limits the reasons that were seen and not announced (ours).
const mostSeen = 16

// unannounced returns the worst of the reasons that are not announced.
func (e *evaluation) unannounced() []BaselineReason {
	list := []BaselineReason{}
	for _, severity := range []Severity{Action, Watch} {
		for _, r := range e.reasons {
			if r.Severity == severity && !absence(r.Code) && !e.then.covers(r.Code, severity) {
				list = append(list, r)
			}
		}
	}
	return list[:min(len(list), mostSeen)]
}

// The number of steps is limited (events: ours). The last ones of a day are reserved for what
// is worse, so that a watch that has changed all day still announces a new danger.
const (
	mostSteps  = 24 // in a day; a Standing stores as many
	mostMilder = 20 // in a day, if not worse
	mostListed = 20
	day        = 24 * time.Hour
)

// announce returns the Standing after a step, and the step.
func (s Standing) announce(
	e *evaluation, d *Decision, direction Direction, now time.Time,
) (Standing, *Step) {
	step := Step{s.last().Number + 1, now, direction, e.change, e.carried, Summarize(d)}
	s.Summary, s.Carried = step.Summary, step.Carried
	s.Seen, s.Unconfirmed = []BaselineReason{}, nil
	s.Awaited, s.Present = both(s.Awaited, d.MissingInputs), presentIn(d)
	s.Losses = e.lossesAfter(direction)
	past := PastStep{Number: step.Number, At: now, Direction: direction}
	s.Steps = append(slices.Clone(s.Steps), past)
	s.Steps = s.Steps[max(0, len(s.Steps)-mostSteps):]
	return s, &step
}
