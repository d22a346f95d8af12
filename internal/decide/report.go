package decide

import "slices"

// Report holds what an event reports about a decision and its change. The summary is a valid
// baseline of the next comparison.
type Report struct {
	Direction Direction        `json:"direction" doc:"Kind of the change. Lost: facts became unavailable, and nothing else became worse; known: a fact is available for the first time; restored: lost facts are back, and nothing else changed."`
	Change    Comparison       `json:"change" doc:"What differs from the baseline. If the event would be too long, messages are empty and the least important changes are left out."`
	Decision  Excerpt          `json:"decision" doc:"The new decision."`
	Carried   []BaselineReason `json:"carried" doc:"Reasons whose facts are missing, as last known. They still count."`
	Summary   Summary          `json:"summary" doc:"The new decision in short, which can be the next baseline."`
}

// LeastReport is a length in bytes of JSON to which every report can be shortened (ours).
const LeastReport = 13_000

// Report returns the report of a step, in at most a given number of bytes of JSON, which must
// not be less than LeastReport. The decision is the one that made the step.
func (s *Step) Report(d *Decision, most int) Report {
	return newReport(Report{
		Direction: s.Direction,
		Change:    s.Change,
		Carried:   s.Carried,
		Summary:   s.Summary,
	}, d, most)
}

// ReportSince returns the report of a comparison with a baseline, like Step.Report, without
// any confirmation. The decision must be whole; shown is the same one as Fit has shortened it
// for the caller. The change is that of Compare, which carries nothing.
func ReportSince(b Baseline, d, shown *Decision, most int) Report {
	like := nearer(b, d, shown)
	e := newEvaluation(announcedBy(b), like)
	r := Report{
		Direction: e.direction(),
		Change:    Compare(like, b),
		Carried:   e.carried,
		Summary:   Summarize(d),
	}
	return newReport(r, d, most)
}

// nearer returns the form of a decision, whole or shown, that has fewer material changes since a
// baseline. A baseline does not say whether Fit has shortened it. If it has, the reasons that
// were left out then would be new in the whole decision. If not, those that are left out now
// would be missing in the shown one.
func nearer(b Baseline, d, shown *Decision) *Decision {
	if Compare(shown, b).countMaterial() < Compare(d, b).countMaterial() {
		return shown
	}
	return d
}

// countMaterial returns the number of material changes.
func (c Comparison) countMaterial() (n int) {
	for _, change := range c.Changes {
		if change.Material {
			n++
		}
	}
	return n
}

// newReport adds the decision. The decision is shortened first, then the change.
func newReport(r Report, d *Decision, most int) Report {
	r.Decision = d.excerpt(max(leastExcerpt, most-size(r)+size(r.Decision)))
	r.Change = r.Change.fit(most - size(r) + size(r.Change))
	return r
}

// fit shortens a comparison to at most a given number of bytes of JSON. It removes the changes
// that are not material, which are the last ones, then the messages, and at last changes, in each
// case the last first. The first change remains, unless its field is too long: codes of a
// baseline have any length. The time is linear, because a baseline may have thousands of reasons.
func (c Comparison) fit(most int) Comparison {
	list, length := slices.Clone(c.Changes), size(c)
	removeLast := func() {
		last := len(list) - 1
		length -= size(list[last]) + len(",")
		list = list[:last]
	}
	for len(list) > 0 && length > most && !list[len(list)-1].Material {
		removeLast()
	}
	for i := len(list) - 1; i >= 0 && length > most; i-- {
		length -= size(list[i].Message) - size("")
		list[i].Message = ""
	}
	for len(list) > 0 && length > most {
		removeLast()
	}
	c.Changes = list
	return c
}
