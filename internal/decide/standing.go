package decide

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Standing is the state of a watch between two evaluations: what was announced last, and what
// has been seen since. It encodes to at most LongestStanding bytes of JSON and survives the
// encoding unchanged. Its times are UTC and whole seconds.
type Standing struct {
	Summary     Summary          `json:"summary"`     // of the decision that was announced last
	Carried     []BaselineReason `json:"carried"`     // announced with it: of missing facts
	Seen        []BaselineReason `json:"seen"`        // of the last evaluation, not announced
	Missing     []MissingFact    `json:"missing"`     // at the last evaluation
	Awaited     []string         `json:"awaited"`     // facts that no announced result has had
	Present     []string         `json:"present"`     // sources with values in the announced result
	Losses      []Loss           `json:"losses"`      // announced, and not restored yet, in order
	Unconfirmed *Unconfirmed     `json:"unconfirmed"` // the change that awaits confirmation, if any
	Steps       []PastStep       `json:"steps"`       // the newest, in order
}

// LongestStanding limits the length of a Standing as JSON, in bytes (events: ours).
const LongestStanding = 18 << 10

// MissingFact is a fact that is missing, and the first evaluation without it.
type MissingFact struct {
	ID    string    `json:"id"`
	Since time.Time `json:"since"`
}

// Loss is an announced loss that can be restored, because no reason was gained or has ended
// since: the state before it and the facts that are still lost.
type Loss struct {
	State State    `json:"state"`
	Facts []string `json:"facts"`
}

// Unconfirmed is a material change that is not announced yet.
type Unconfirmed struct {
	Direction Direction `json:"direction"`
	Since     time.Time `json:"since"`  // of the first evaluation that agrees
	Result    string    `json:"result"` // fingerprint of the result
	At        time.Time `json:"at"`     // from then on, an evaluation that agrees announces it
}

// PastStep is a step as a Standing stores it. Event is empty unless WithEvent has set it.
type PastStep struct {
	Number    int       `json:"step" doc:"Number of the step, from 1."`
	At        time.Time `json:"at" doc:"When the change was found."`
	Direction Direction `json:"direction" doc:"What kind of change it was."`
	Event     string    `json:"event,omitempty" doc:"Id of the event; left out if none was sent."`
}

// Begin returns the Standing of a new watch. The decision is its baseline.
func Begin(d *Decision, now time.Time) Standing {
	return Standing{
		Summary: Summarize(d),
		Carried: []BaselineReason{},
		Seen:    []BaselineReason{},
		Missing: missingSince(nil, d.MissingInputs, instant(now)),
		Awaited: slices.Clone(d.MissingInputs),
		Present: presentIn(d),
		Losses:  []Loss{},
		Steps:   []PastStep{},
	}
}

// BeginFrom returns the Standing of a new watch with a given baseline, and the first step if the
// decision differs materially from the baseline. That step needs no confirmation. Reasons of
// the baseline whose facts are missing are carried if the baseline names their sources.
func BeginFrom(b Baseline, d *Decision, now time.Time) (Standing, *Step) {
	now = instant(now)
	e := newEvaluation(announcedBy(b, d), d)
	s := Begin(d, now)
	s.Awaited, s.Carried = both(d.MissingInputs, e.then.missing), e.carried
	direction := e.direction()
	if direction == "" {
		return s, nil
	}
	return s.announce(e, d, direction, now)
}

// ConfirmAt returns when the next evaluation is wanted to confirm a change, or the zero time
// if none is.
func (s Standing) ConfirmAt() time.Time {
	if s.Unconfirmed == nil {
		return time.Time{}
	}
	return s.Unconfirmed.At
}

// Latest returns the last steps, at most 20, in order.
func (s Standing) Latest() []PastStep { return s.Steps[max(0, len(s.Steps)-mostListed):] }

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

// announced holds the last announced result.
type announced struct {
	baseline Baseline
	outlook
	known   []BaselineReason // reasons to carry if their facts are missing
	awaited []string
	present []string
	losses  []Loss
}

// announced returns the last announced result, with the carried reasons. Reasons that were seen
// and not announced are known too.
func (s Standing) announced() announced {
	reasons, confidence := merged(s.Summary.Reasons, s.Carried), s.Summary.Confidence
	if len(s.Carried) > 0 {
		confidence = Low
	}
	state := worst(s.Summary.State, s.Carried)
	return announced{
		baseline: Baseline{
			State:      &state,
			Confidence: &confidence,
			Reasons:    &reasons,
			Missing:    &s.Summary.MissingInputs,
			Sources:    &s.Summary.Sources,
		},
		outlook: newOutlook(state, reasons, s.Summary.MissingInputs),
		known:   slices.Concat(reasons, s.Seen),
		awaited: s.Awaited,
		present: s.Present,
		losses:  s.Losses,
	}
}

// announcedBy returns a given baseline as an announced result. Parts that the baseline does
// not have are those of the decision. If it has no reasons, its state implies one.
func announcedBy(b Baseline, d *Decision) announced {
	a := announced{baseline: b}
	state, reasons := d.State, Summarize(d).Reasons
	if b.State != nil {
		state = *b.State
		reasons = map[State][]BaselineReason{
			WatchState: {{Severity: Watch}}, ActionNeeded: {{Severity: Action}},
		}[state]
	}
	if b.Reasons != nil {
		reasons = slices.Clone(*b.Reasons)
		a.known = slices.DeleteFunc(slices.Clone(reasons),
			func(r BaselineReason) bool { return !r.regular() })
		for i := range reasons { // without a severity it may have been any
			reasons[i].Severity = cmp.Or(reasons[i].Severity, Action)
		}
	}
	a.outlook = newOutlook(state, reasons, missingThen(b, d))
	a.awaited = a.outlook.missing
	if b.Sources != nil {
		for _, s := range *b.Sources {
			if s.Freshness != coast.Unknown {
				a.present = append(a.present, s.ID)
			}
		}
	}
	return a
}

// presentIn returns the sources that have values.
func presentIn(d *Decision) []string {
	ids := []string{}
	for _, s := range d.Sources {
		if s.Available {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// regular reports whether decisions have such a reason. Others are not carried, because a
// Standing has a limited length.
func (r BaselineReason) regular() bool {
	code := line(r.Code) >= 0 || r.Code == alerts ||
		r.Code == alertCode(strings.TrimPrefix(r.Code, alertPrefix))
	return code && (inputOf(r.SourceID).id != "" || r.SourceID == residualSource)
}

// missingThen returns the facts that were missing according to a baseline. Facts of which it
// says nothing count as they are now.
func missingThen(b Baseline, d *Decision) []string {
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

// missingSince returns the missing facts. One that was missing before keeps its time, unless
// that lies ahead because the clock was wrong.
func missingSince(before []MissingFact, ids []string, now time.Time) []MissingFact {
	list := []MissingFact{}
	for _, id := range ids {
		f := MissingFact{id, now}
		i := slices.IndexFunc(before, func(m MissingFact) bool { return m.ID == id })
		if i >= 0 {
			f.Since = earlier(now, before[i].Since)
		}
		list = append(list, f)
	}
	return list
}

// instant returns a time as a Standing stores it.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// digest returns a short hash of a text.
func digest(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%016x", h.Sum64())
}
