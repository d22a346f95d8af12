package decide

import "slices"

// Report holds what an event reports about a decision and its change. The summary is a valid
// baseline of the next comparison.
type Report struct {
	Direction Direction        `json:"direction" doc:"What kind of change it is."`
	Change    Comparison       `json:"change"`
	Decision  Excerpt          `json:"decision"`
	Carried   []BaselineReason `json:"carried" doc:"Reasons whose facts are missing, as last known."`
	Summary   Summary          `json:"summary" doc:"Of the decision, fit to be the next baseline."`
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
// any confirmation. The change is that of Compare, which carries nothing. The direction is
// changed if only the confidence is another.
func ReportSince(b Baseline, d *Decision, most int) Report {
	e := newEvaluation(announcedBy(b, d), d)
	r := Report{
		Direction: e.direction(),
		Change:    Compare(d, b),
		Carried:   e.carried,
		Summary:   Summarize(d),
	}
	if r.Direction == "" {
		r.Direction = Changed
	}
	return newReport(r, d, most)
}

// newReport adds the decision. The decision is shortened first, then the change.
func newReport(r Report, d *Decision, most int) Report {
	r.Decision = d.excerpt(max(leastExcerpt, most-size(r)+size(r.Decision)))
	r.Change = r.Change.fit(most - size(r) + size(r.Change))
	return r
}

// fit shortens a comparison to at most a given number of bytes of JSON. It removes the changes
// that are not material, then the messages, and at last changes, in each case the last first.
// The first change remains.
func (c Comparison) fit(most int) Comparison {
	c.Changes = slices.Clone(c.Changes)
	remove := func(from int, removable func(Change) bool) {
		for i := len(c.Changes) - 1; i >= from && size(c) > most; i-- {
			if removable(c.Changes[i]) {
				c.Changes = slices.Delete(c.Changes, i, i+1)
			}
		}
	}
	remove(0, func(c Change) bool { return !c.Material })
	for i := len(c.Changes) - 1; i >= 0 && size(c) > most; i-- {
		c.Changes[i].Message = ""
	}
	remove(1, func(Change) bool { return true })
	return c
}
