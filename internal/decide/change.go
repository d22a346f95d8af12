package decide

import (
	"fmt"
	"slices"

	"leadline/internal/coast"
)

// Comparison is what has changed since an earlier decision.
type Comparison struct {
	Material bool     `json:"material" doc:"Whether a change is."`
	Changes  []Change `json:"changes" doc:"Each field that differs, those that are material first."`
}

// Change is one field that differs. From or To is null where there was
// nothing, or is nothing now.
type Change struct {
	Field    string  `json:"field" doc:"state, confidence, reasons.CODE, missingInputs.ID, sources.ID.freshness, activity or station."`
	From     *string `json:"from"`
	To       *string `json:"to"`
	Material bool    `json:"material"`
	Message  string  `json:"message"`
}

// Compare compares a decision with an earlier one. Material are a change of
// state or confidence, a reason at watch or action gained or lost, and a fact
// that the activity cannot do without lost or regained. What the baseline does
// not hold is not compared.
func Compare(d *Decision, b Baseline) Comparison {
	c := comparison{now: d, then: b}
	c.outcome()
	c.reasons()
	c.inputs()
	c.ages()
	slices.SortStableFunc(c.changes, func(a, b Change) int {
		switch {
		case a.Material == b.Material:
			return 0
		case a.Material:
			return -1
		}
		return 1
	})
	material := slices.ContainsFunc(c.changes, func(c Change) bool { return c.Material })
	return Comparison{material, c.changes}
}

// comparison gathers changes.
type comparison struct {
	now     *Decision
	then    Baseline
	changes []Change
}

// add adds a change; empty texts stand for nothing.
func (c *comparison) add(field, from, to string, material bool, format string, args ...any) {
	change := Change{Field: field, Material: material, Message: fmt.Sprintf(format, args...)}
	if from != "" {
		change.From = &from
	}
	if to != "" {
		change.To = &to
	}
	c.changes = append(c.changes, change)
}

func (c *comparison) outcome() {
	c.changes = []Change{}
	if a := c.then.Activity; a != nil && *a != c.now.Activity {
		c.add("activity", string(*a), string(c.now.Activity), false, "The baseline is of %s: what differs may come of that.", *a)
	}
	if s := c.then.Station; s != nil && s.ID != c.now.Station.ID {
		c.add("station", s.ID, c.now.Station.ID, false, "The baseline is of station %s: what differs may come of that.", s.ID)
	}
	if s := c.then.State; s != nil && *s != c.now.State {
		c.add("state", string(*s), string(c.now.State), true, "The state was %s and is %s.", *s, c.now.State)
	}
	if s := c.then.Confidence; s != nil && *s != c.now.Confidence {
		c.add("confidence", string(*s), string(c.now.Confidence), true, "The confidence was %s and is %s.", *s, c.now.Confidence)
	}
}

// reasons compares them by code; those that tell of a missing fact by the
// fact too, where the baseline says which.
func (c *comparison) reasons() {
	if c.then.Reasons == nil {
		return
	}
	then := *c.then.Reasons
	byFact := !slices.ContainsFunc(then, func(r BaselineReason) bool { return absence(r.Code) && r.SourceID == "" })
	now := Summarize(c.now).Reasons
	for _, r := range now {
		was := find(then, r, byFact)
		switch {
		case was == nil:
			c.add("reasons."+r.Code, "", string(r.Severity), r.Severity.weighs(), "%s is a reason now, at %s.", r.label(), r.Severity)
		case was.Severity != "" && was.Severity != r.Severity:
			c.add("reasons."+r.Code, string(was.Severity), string(r.Severity), true, "%s was a reason at %s and is one at %s.", r.label(), was.Severity, r.Severity)
		}
	}
	for _, was := range then {
		if find(now, was, byFact) == nil {
			// Of a severity that was not given nobody knows that it did not count.
			c.add("reasons."+was.Code, string(was.Severity), "", was.Severity != Info, "%s is no reason any more.", was.label())
		}
	}
}

// weighs reports whether a reason of the severity counts in the state.
func (s Severity) weighs() bool { return s == Watch || s == Action }

func absence(code string) bool { return code == "input_missing" || code == WeatherNotOffered }

func (r BaselineReason) label() string {
	if absence(r.Code) && r.SourceID != "" {
		return r.Code + " (" + r.SourceID + ")"
	}
	return r.Code
}

func find(list []BaselineReason, r BaselineReason, byFact bool) *BaselineReason {
	i := slices.IndexFunc(list, func(have BaselineReason) bool {
		return have.Code == r.Code && (!byFact || !absence(r.Code) || have.SourceID == r.SourceID)
	})
	if i < 0 {
		return nil
	}
	return &list[i]
}

// inputs compares which facts are missing. One that the activity cannot do
// without is material.
func (c *comparison) inputs() {
	for _, s := range c.now.Sources {
		missing := slices.Contains(c.now.MissingInputs, s.ID)
		if !missing && !s.Available {
			continue // it does not apply
		}
		was, byAge, known := c.wasMissing(s.ID)
		if byAge {
			missing = spent(s.Freshness)
		}
		switch {
		case !known || was == missing:
		case missing:
			c.add("missingInputs."+s.ID, "", "missing", s.Required, "%s is missing now.", s.ID)
		default:
			c.add("missingInputs."+s.ID, "missing", "", s.Required, "%s is there again.", s.ID)
		}
	}
}

// wasMissing reports whether a fact was missing: by the list of those that
// were, else by its freshness.
func (c *comparison) wasMissing(id string) (missing, byAge, known bool) {
	if c.then.Missing != nil {
		return slices.Contains(*c.then.Missing, id), false, true
	}
	if c.then.Sources != nil {
		for _, was := range *c.then.Sources {
			if was.ID == id {
				return spent(was.Freshness), true, true
			}
		}
	}
	return false, false, false
}

// spent reports whether facts of a freshness count as missing.
func spent(f coast.Freshness) bool { return f == coast.Stale || f == coast.Unknown }

// ages tells which sources are of another freshness: never material by
// itself.
func (c *comparison) ages() {
	if c.then.Sources == nil {
		return
	}
	for _, s := range c.now.Sources {
		for _, was := range *c.then.Sources {
			if was.ID == s.ID && was.Freshness != s.Freshness {
				c.add("sources."+s.ID+".freshness", string(was.Freshness), string(s.Freshness), false, "%s was %s and is %s.", s.ID, was.Freshness, s.Freshness)
			}
		}
	}
}
