package decide

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Standing is the state of a watch between two evaluations: what was announced last, and whether
// the last evaluation differed from it. It encodes to at most LongestStanding bytes of JSON and
// survives the encoding unchanged. Its times are UTC and whole seconds.
type Standing struct {
	Summary  Summary          `json:"summary"`  // of the decision that was announced last
	Carried  []BaselineReason `json:"carried"`  // announced with it: of missing facts
	Known    []BaselineReason `json:"known"`    // at the last evaluation, the worst
	Present  []string         `json:"present"`  // facts with values when nothing differed last
	Lost     []string         `json:"lost"`     // missing facts whose loss was announced
	Differed bool             `json:"differed"` // whether the last evaluation found a change
	Steps    []PastStep       `json:"steps"`    // the newest, in order
}

// LongestStanding limits the length of a Standing as JSON, in bytes (events: ours).
const LongestStanding = 18 << 10

// PastStep is a step as a Standing stores it. Event is empty unless WithEvent has set it.
type PastStep struct {
	Number    int       `json:"step" doc:"Number of the step, from 1."`
	At        time.Time `json:"at" doc:"When the change was found."`
	Direction Direction `json:"direction" doc:"What kind of change it was."`
	Event     string    `json:"event,omitempty" doc:"Id of the event; left out if none was sent."`
}

// Begin returns the Standing of a new watch. The decision is its baseline.
func Begin(d *Decision) Standing {
	return Standing{
		Summary: Summarize(d),
		Carried: []BaselineReason{},
		Known:   worstOf(Summarize(d).Reasons),
		Present: presentIn(d),
		Lost:    []string{},
		Steps:   []PastStep{},
	}
}

// BeginFrom returns the Standing of a new watch with a given baseline, and the first step if the
// decision differs materially from the baseline. That step needs no second evaluation. Reasons of
// the baseline whose facts are missing are carried if the baseline names their sources.
func BeginFrom(b Baseline, d *Decision, now time.Time) (Standing, *Step) {
	e := newEvaluation(announcedBy(b), d)
	s := Begin(d)
	s.Carried, s.Known = e.carried, worstOf(e.reasons)
	if !e.change.Material {
		return s, nil
	}
	return s.announce(e, d, now)
}

// WithEvent returns the Standing with the id of the event that reports the last step. The id
// must have at most 64 bytes.
func (s Standing) WithEvent(id string) Standing {
	s.Steps = slices.Clone(s.Steps)
	s.Steps[len(s.Steps)-1].Event = id
	return s
}

// last returns the last step, or the zero value if there is no step.
func (s Standing) last() PastStep {
	if len(s.Steps) == 0 {
		return PastStep{}
	}
	return s.Steps[len(s.Steps)-1]
}

// announced is an announced result, and what has been seen since.
type announced struct {
	Baseline
	known   []BaselineReason // to carry if their facts are missing
	present []string
	lost    []string
}

// announced returns the last announced result, with the carried reasons.
func (s Standing) announced() announced {
	reasons, confidence := merged(s.Summary.Reasons, s.Carried), s.Summary.Confidence
	if len(s.Carried) > 0 {
		confidence = Low
	}
	state, known := worst(s.Summary.State, s.Carried), s.Known
	if known == nil { // an earlier version has stored what was announced only
		known = reasons
	}
	return announced{Baseline{
		State:      &state,
		Confidence: &confidence,
		Reasons:    &reasons,
		Missing:    &s.Summary.MissingInputs,
		Sources:    &s.Summary.Sources,
	}, known, s.Present, s.Lost}
}

// announcedBy returns a given baseline as an announced result. Reasons that decisions do not have
// are not carried, because a Standing has a limited length.
func announcedBy(b Baseline) announced {
	a := announced{Baseline: b}
	if b.Reasons != nil {
		a.known = slices.DeleteFunc(slices.Clone(*b.Reasons),
			func(r BaselineReason) bool { return !r.regular() })
	}
	if b.Sources != nil {
		for _, s := range *b.Sources {
			if s.Freshness != coast.Unknown {
				a.present = append(a.present, s.ID)
			}
		}
	}
	return a
}

// presentIn returns the facts that have values.
func presentIn(d *Decision) []string {
	ids := []string{}
	for _, s := range d.Sources {
		if s.Available && inputOf(s.ID).id != "" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// outlook returns the outlook of a baseline. Parts that the baseline does not have are those of
// the decision. If it has no reasons, its state implies one.
func (b Baseline) outlook(d *Decision) outlook {
	state, reasons := d.State, Summarize(d).Reasons
	if b.State != nil {
		state = *b.State
		reasons = map[State][]BaselineReason{
			WatchState: {{Severity: Watch}}, ActionNeeded: {{Severity: Action}},
		}[state]
	}
	if b.Reasons != nil {
		reasons = slices.Clone(*b.Reasons)
		for i := range reasons { // without a severity it may have been any
			reasons[i].Severity = cmp.Or(reasons[i].Severity, Action)
		}
	}
	return newOutlook(state, reasons, b.missing(d))
}

// regular reports whether decisions have such a reason.
func (r BaselineReason) regular() bool {
	code := line(r.Code) >= 0 || r.Code == alerts ||
		r.Code == alertCode(strings.TrimPrefix(r.Code, alertPrefix))
	return code && (inputOf(r.SourceID).id != "" || r.SourceID == residualSource)
}

// missing returns the facts that were missing according to a baseline. Facts of which it says
// nothing count as they are now.
func (b Baseline) missing(d *Decision) []string {
	ids, c := []string{}, comparison{now: d, then: b}
	for _, s := range d.Sources {
		now := slices.Contains(d.MissingInputs, s.ID)
		was, _, given := c.wasMissing(s.ID)
		if applies := now || s.Available; applies && given && was || !given && now {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// instant returns a time as a Standing stores it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
