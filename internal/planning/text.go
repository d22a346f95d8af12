package planning

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/operation"
	"leadline/internal/render"
)

// Describe writes the state at the requested time, the reasons for it, and what is missing.
func (t TripHealth) Describe(text *render.Answer) {
	d := t.Decision
	text.Line("%s%s, %s at %s: %s", operation.StationName(&d.Station), t.place.Away(), d.Activity,
		render.Clock(d.RequestedFor, d.EvaluatedAt), render.Escape(d.Headline))
	text.Line("State %s, confidence %s. %s", decide.Verdict(d.State, d.Confidence), d.Confidence,
		operation.LocalTimes(render.Escape(d.Summary)))
	text.Gap()
	for _, r := range d.Reasons {
		text.Line("- %s: %s", r.Severity, operation.LocalTimes(render.Escape(r.Message)))
	}
	for _, h := range d.Highlights {
		text.Line("- highlight: %s", operation.LocalTimes(render.Escape(h)))
	}
	if w := d.Window; w != nil {
		text.Line("The state is the same from %s to %s.", render.Clock(w.From, d.EvaluatedAt),
			render.Clock(w.To, d.EvaluatedAt))
	}
	var f coast.Frame
	f.Sources, f.Notes, f.DatumEpoch, f.TimeZone = d.Sources, d.Notes, d.DatumEpoch, d.TimeZone
	if len(d.MissingInputs) > 0 {
		f.Missing = []coast.Missing{{
			Input: strings.Join(d.MissingInputs, ", "), Reason: "not available or stale",
		}}
	}
	f.Notes = append(slices.Clip(f.Notes), d.Disclaimer)
	operation.Footer(text, f)
}

// Describe writes the ranks of the times, each with its state and the parts of its score.
func (b BestWindow) Describe(text *render.Answer) {
	best := "No time is recommended."
	if b.Recommended != nil {
		best = fmt.Sprintf("Recommended: rank %d.", *b.Recommended)
	}
	if len(b.Candidates) > 0 {
		d := b.Candidates[0].Decision
		text.Line("%s, %s: %s", operation.StationName(&d.Station), d.Activity, best)
	}
	text.Gap()
	for _, c := range b.Candidates {
		d := c.Decision
		text.Line("%d. %s %s: %s, confidence %s, score %s. %s", c.Rank, c.LocalDate, c.LocalTime,
			decide.Verdict(d.State, d.Confidence), d.Confidence, render.Short(c.Score, 1),
			operation.LocalTimes(render.Escape(d.Headline)))
		if len(d.MissingInputs) > 0 {
			text.Line("- missing: %s", strings.Join(d.MissingInputs, ", "))
		}
	}
	text.Gap()
	text.Line("Note: %s", b.Disclaimer)
}

// Describe writes the results of the rules, then the decision.
func (e EvaluateRules) Describe(text *render.Answer) {
	passed := "Not all rules pass."
	if e.Evaluation.Passed {
		passed = "All rules pass."
	}
	text.Line("%s", passed)
	for _, r := range e.Evaluation.Results {
		text.Line("- %s: %s", r.Kind, operation.LocalTimes(render.Escape(r.Message)))
	}
	TripHealth{Decision: e.Decision}.Describe(text)
}

// Describe writes what has changed, then the decision.
func (m MaterialChange) Describe(text *render.Answer) {
	changed := "Nothing has materially changed."
	if m.Change.Material {
		changed = "The decision has materially changed."
	}
	text.Line("%s", changed)
	for _, c := range m.Change.Changes {
		text.Line("- %s", operation.LocalTimes(render.Escape(c.Message)))
	}
	TripHealth{Decision: m.Decision}.Describe(text)
}
