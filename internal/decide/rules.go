package decide

import (
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
)

// RuleKind names what a rule checks.
type RuleKind string

// The kinds of rules.
const (
	StateAllowed         RuleKind = "state_allowed"
	MinimumConfidence    RuleKind = "minimum_confidence"
	MaximumMissingInputs RuleKind = "maximum_missing_inputs"
	RequiredFreshSources RuleKind = "required_fresh_sources"
)

// Values returns all kinds.
func (RuleKind) Values() []string {
	return coast.Strings(
		StateAllowed, MinimumConfidence, MaximumMissingInputs, RequiredFreshSources,
	)
}

// Rule is a condition on a decision. Of the fields after Kind, only the one for its kind is
// set.
type Rule struct {
	ID        string     `json:"id" doc:"Names the rule in the results." example:"no-action"`
	Kind      RuleKind   `json:"kind" doc:"What the rule checks." example:"state_allowed"`
	Allowed   []State    `json:"allowed" when:"state_allowed" doc:"States that pass." example:"normal"`
	Minimum   Confidence `json:"minimum" when:"minimum_confidence" doc:"The least confidence that passes." example:"moderate"`
	Maximum   int        `json:"maximum" when:"maximum_missing_inputs" min:"0" doc:"How many missing inputs pass." example:"0"`
	SourceIDs []string   `json:"sourceIds" when:"required_fresh_sources" doc:"Sources that must be there and fresh." example:"tide-prediction"`
}

// Evaluation holds the results of the rules for a decision.
type Evaluation struct {
	Passed  bool         `json:"passed" doc:"Whether all rules pass."`
	Results []RuleResult `json:"results" doc:"Results of the rules, in the order of the request."`
}

// RuleResult is the result of one rule.
type RuleResult struct {
	ID       string   `json:"id" doc:"Id of the rule."`
	Kind     RuleKind `json:"kind" doc:"What the rule checks."`
	Passed   bool     `json:"passed" doc:"Whether the rule passes."`
	Expected any      `json:"expected" doc:"What the rule requires, as the request states it."`
	Actual   any      `json:"actual" doc:"What the decision has: a state, a confidence, a number, or a freshness by source."`
	Message  string   `json:"message" doc:"The result as a sentence, for a person."`
}

// Evaluate applies rules to a decision. It uses only the decision.
func Evaluate(d *Decision, rules []Rule) Evaluation {
	out := Evaluation{Passed: true, Results: []RuleResult{}}
	for _, r := range rules {
		result := r.judge(d)
		result.ID, result.Kind = r.ID, r.Kind
		out.Passed = out.Passed && result.Passed
		out.Results = append(out.Results, result)
	}
	return out
}

func (r Rule) judge(d *Decision) RuleResult {
	switch r.Kind {
	case StateAllowed:
		return RuleResult{
			Passed:   slices.Contains(r.Allowed, d.State),
			Expected: r.Allowed,
			Actual:   string(d.State),
			Message: fmt.Sprintf("The state is %s; allowed: %s.", d.State,
				listed(coast.Strings(r.Allowed...))),
		}
	case MinimumConfidence:
		return RuleResult{
			Passed:   d.Confidence.rank() <= r.Minimum.rank(),
			Expected: r.Minimum,
			Actual:   string(d.Confidence),
			Message: fmt.Sprintf("The confidence is %s; at least %s is required.", d.Confidence,
				r.Minimum),
		}
	case MaximumMissingInputs:
		return RuleResult{
			Passed:   len(d.MissingInputs) <= r.Maximum,
			Expected: r.Maximum,
			Actual:   len(d.MissingInputs),
			Message: fmt.Sprintf("Missing inputs: %d (%s); allowed: %d.", len(d.MissingInputs),
				listed(d.MissingInputs), r.Maximum),
		}
	}
	return r.fresh(d)
}

// fresh checks the sources that must be available and fresh.
func (r Rule) fresh(d *Decision) RuleResult {
	actual, failing := map[string]string{}, []string{}
	for _, id := range r.SourceIDs {
		actual[id] = d.condition(id)
		if actual[id] != string(coast.Fresh) {
			failing = append(failing, id+" is "+actual[id])
		}
	}
	out := RuleResult{
		Passed:   len(failing) == 0,
		Expected: r.SourceIDs,
		Actual:   actual,
		Message:  "All of the sources are available and fresh.",
	}
	if !out.Passed {
		out.Message = "Of the sources, " + strings.Join(failing, "; ") + "."
	}
	return out
}

// condition returns the freshness of a source, or the reason why it does not have one.
func (d *Decision) condition(id string) string {
	i := slices.IndexFunc(d.Sources, func(s coast.Source) bool { return s.ID == id })
	switch {
	case i < 0:
		return "no source of this decision"
	case d.Sources[i].Freshness == coast.Stale:
		return string(coast.Stale)
	case slices.Contains(d.MissingInputs, id):
		return "missing"
	case !d.Sources[i].Available:
		return "not applicable"
	}
	return string(d.Sources[i].Freshness)
}
