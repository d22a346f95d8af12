package decide

import (
	"cmp"
	"slices"
)

// This file keeps reasons whose facts are missing. Losing a fact must not end its reasons.

// mostCarried limits the reasons that are carried or known, and so the length of a Standing
// (ours). The table has fewer reasons for an activity; only alerts can come in any number.
const mostCarried = 28

// carry returns the last known reasons whose facts are now missing or stale, unless the
// decision itself has them with the same or a higher severity. The worst come first.
func carry(known []BaselineReason, d *Decision) []BaselineReason {
	list := []BaselineReason{}
	for _, r := range known {
		r.Severity = cmp.Or(r.Severity, Watch) // a baseline may leave it out
		if !leansOnMissing(r, d.MissingInputs) ||
			severityIn(Summarize(d).Reasons, r.Code).rank() >= r.Severity.rank() ||
			severityIn(list, r.Code).rank() >= r.Severity.rank() {
			continue
		}
		list = append(slices.DeleteFunc(list,
			func(have BaselineReason) bool { return have.Code == r.Code }), r)
	}
	return worstOf(list)
}

// worstOf returns the worst of the reasons that can be carried, the worst first.
func worstOf(reasons []BaselineReason) []BaselineReason {
	list := []BaselineReason{}
	for _, r := range reasons {
		if !absence(r.Code) {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list,
		func(a, b BaselineReason) int { return cmp.Compare(b.Severity.rank(), a.Severity.rank()) })
	return list[:min(len(list), mostCarried)]
}

// severityIn returns the severity of the reason with the code, or "" without one.
func severityIn(list []BaselineReason, code string) Severity {
	i := slices.IndexFunc(list, func(r BaselineReason) bool { return r.Code == code })
	if i < 0 {
		return ""
	}
	return list[i].Severity
}

// further lists the facts that a reason depends on apart from its source: see the functions
// that measure it.
var further = map[string][]string{
	"wind_against_current": {WindForecast, MarineText},
	"seas_against_current": {WindForecast, MarineText},
	"flooding_predicted":   {FloodThresholds},
	"flooding_observed":    {FloodThresholds},
	"flooding_residual":    {FloodThresholds, ObservedLevel, TidePrediction},
	lowWaterObserved:       {ObservedLevel, TidePrediction},
}

// leansOnMissing reports whether any of the facts that a reason depends on is missing.
func leansOnMissing(r BaselineReason, missing []string) bool {
	facts := append([]string{r.SourceID}, further[r.Code]...)
	if r.SourceID == SeaState {
		facts = append(facts, WindForecast) // the waves of the grid
	}
	return len(both(facts, missing)) > 0
}

// merged returns the reasons together with the carried ones. A carried reason replaces one
// that is less severe.
func merged(reasons, carried []BaselineReason) []BaselineReason {
	list := slices.Clone(reasons)
	for _, r := range carried {
		i := slices.IndexFunc(list, func(have BaselineReason) bool { return have.Code == r.Code })
		if i < 0 {
			list = append(list, r)
		} else {
			list[i] = r
		}
	}
	return list
}

// effective returns the decision with the carried reasons: the state is the worse of both,
// and the confidence is low.
func effective(d *Decision, carried []BaselineReason) *Decision {
	e := *d
	if len(carried) == 0 {
		return &e
	}
	e.State, e.Confidence, e.Reasons = worst(d.State, carried), Low, nil
	for _, r := range merged(Summarize(d).Reasons, carried) {
		e.Reasons = append(e.Reasons, Reason{Code: r.Code, Severity: r.Severity, SourceID: r.SourceID})
	}
	return &e
}

// worst returns the worse of a state and the state that reasons imply. A reason at action
// decides over an unknown state, as in a decision.
func worst(s State, reasons []BaselineReason) State {
	for _, r := range reasons {
		switch {
		case r.Severity == Action:
			return ActionNeeded
		case r.Severity == Watch && s == Normal:
			s = WatchState
		}
	}
	return s
}
