package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
)

// Comparison lists the changes since an earlier decision.
type Comparison struct {
	Material bool     `json:"material" doc:"Whether any of the changes is material."`
	Changes  []Change `json:"changes" doc:"Each field that differs, those that are material first."`
}

// Change is one field that differs. From is null if the field had no value before; To is
// null if it has no value now.
type Change struct {
	Field    string  `json:"field" doc:"What has changed: state, confidence, reasons.CODE, missingInputs.ID, sources.ID.freshness, activity or station."`
	From     *string `json:"from" doc:"Value in the baseline; null if it did not have one."`
	To       *string `json:"to" doc:"Value in the new decision; null if it does not have one."`
	Material bool    `json:"material" doc:"Whether the change matters for the plan: material changes are announced."`
	Message  string  `json:"message" doc:"The change as a sentence, for a person."`
}

// Compare compares a decision with an earlier one. Three kinds of change are material: a
// change of state or confidence, a reason at watch or action gained or lost, and a required
// fact lost or regained. Fields that the baseline does not hold are not compared.
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

// comparison collects the changes.
type comparison struct {
	now     *Decision
	then    Baseline
	changes []Change
}

// add adds a change; an empty from or to becomes null.
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
		c.add("activity", string(*a), string(c.now.Activity), false,
			"The baseline is for %s, which may cause the differences.", *a)
	}
	if s := c.then.Station; s != nil && s.ID != c.now.Station.ID {
		c.add("station", s.ID, c.now.Station.ID, false,
			"The baseline is for station %s, which may cause the differences.", s.ID)
	}
	if s := c.then.State; s != nil && *s != c.now.State {
		c.add("state", string(*s), string(c.now.State), true, "The state was %s and is %s.", *s,
			c.now.State)
	}
	if s := c.then.Confidence; s != nil && *s != c.now.Confidence {
		c.add("confidence", string(*s), string(c.now.Confidence), true,
			"The confidence was %s and is %s.", *s, c.now.Confidence)
	}
}

// reasons compares the reasons by code. Reasons about a missing fact are also compared by
// the fact if the baseline names it.
func (c *comparison) reasons() {
	if c.then.Reasons == nil {
		return
	}
	then := *c.then.Reasons
	byFact := !slices.ContainsFunc(then,
		func(r BaselineReason) bool { return absence(r.Code) && r.SourceID == "" })
	now := Summarize(c.now).Reasons
	for _, r := range now {
		was := find(then, r, byFact)
		switch {
		case was == nil:
			c.add("reasons."+r.Code, "", string(r.Severity), r.Severity.weighs(),
				"%s is a reason now, at %s.", r.label(), r.Severity)
		case was.Severity != "" && was.Severity != r.Severity:
			c.add("reasons."+r.Code, string(was.Severity), string(r.Severity), true,
				"%s was a reason at %s and is one at %s.", r.label(), was.Severity, r.Severity)
		}
	}
	for _, was := range then {
		if find(now, was, byFact) == nil {
			// The reason may have counted if its severity was not given.
			c.add("reasons."+was.Code, string(was.Severity), "", was.Severity != Info,
				"%s is no longer a reason.", was.label())
		}
	}
}

// weighs reports whether a reason of the severity counts in the state.
func (s Severity) weighs() bool { return s == Watch || s == Action }

// Missing reports whether the reason is that a fact is missing, not what a fact says.
func (r Reason) Missing() bool { return r.Value == nil && absence(r.Code) }

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

// inputs compares which facts are missing. A change of a required fact is material.
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

// wasMissing reports whether a fact was missing, by the list of missing facts or else by its
// freshness.
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

// spent reports whether facts of this freshness count as missing.
func spent(f coast.Freshness) bool { return f == coast.Stale || f == coast.Unknown }

// ages adds the sources whose freshness differs. This is never material by itself.
func (c *comparison) ages() {
	if c.then.Sources == nil {
		return
	}
	for _, s := range c.now.Sources {
		for _, was := range *c.then.Sources {
			if was.ID == s.ID && was.Freshness != s.Freshness {
				c.add("sources."+s.ID+".freshness", string(was.Freshness), string(s.Freshness),
					false, "%s was %s and is %s.", s.ID, was.Freshness, s.Freshness)
			}
		}
	}
}

// Baseline holds the comparable parts of an earlier decision. A part that was not given is
// nil.
type Baseline struct {
	Activity   *Activity
	Station    *BaselineStation
	State      *State
	Confidence *Confidence
	Reasons    *[]BaselineReason
	Missing    *[]string
	Sources    *[]BaselineSource
}

// BaselineStation is the station of a decision.
type BaselineStation struct {
	ID string `json:"id"`
}

// BaselineReason is a reason of a summary. In a baseline, Severity and SourceID are empty if they
// were not given.
type BaselineReason struct {
	Code     string   `json:"code" doc:"Code of the reason, such as wind. New codes may appear."`
	Severity Severity `json:"severity" doc:"Effect of the reason on the state; watch if the baseline did not name it."`
	SourceID string   `json:"sourceId" doc:"Id of the source of the value; empty if the baseline did not name it."`
}

// BaselineSource is a source of a summary.
type BaselineSource struct {
	ID        string          `json:"id" doc:"Id of the source."`
	Freshness coast.Freshness `json:"freshness" doc:"Freshness of the facts from the source."`
}

// PriorDecision describes what a request may have as its baseline: a decision, or its summary.
// At least one of the fields is required, further ones are ignored.
type PriorDecision struct {
	State         State            `json:"state,omitempty" doc:"State of the earlier decision."`
	Confidence    Confidence       `json:"confidence,omitempty" doc:"Confidence of the earlier decision."`
	Reasons       []PriorReason    `json:"reasons,omitempty" doc:"Reasons of the earlier decision."`
	MissingInputs []string         `json:"missingInputs,omitempty" doc:"Ids of the missing facts of the earlier decision."`
	Sources       []BaselineSource `json:"sources,omitempty" doc:"Sources of the earlier decision."`
}

// SchemaName returns the name in OpenAPI documents.
func (PriorDecision) SchemaName() string { return "Baseline" }

// PriorReason describes a reason of a baseline.
type PriorReason struct {
	Code     string   `json:"code" doc:"Code of the reason, such as wind. New codes may appear."`
	Severity Severity `json:"severity,omitempty" doc:"Effect of the reason on the state."`
	SourceID string   `json:"sourceId,omitempty" doc:"Id of the source of its value."`
}

// Summary holds the parts of a decision that a caller should store as the next baseline.
type Summary struct {
	State         State            `json:"state" doc:"State of the decision."`
	Confidence    Confidence       `json:"confidence" doc:"Confidence of the decision."`
	Reasons       []BaselineReason `json:"reasons" doc:"Reasons of the decision, worst first."`
	MissingInputs []string         `json:"missingInputs" doc:"Ids of the missing facts of the decision."`
	Sources       []BaselineSource `json:"sources" doc:"Sources of the decision."`
}

// Summarize returns the summary of a decision.
func Summarize(d *Decision) Summary {
	s := Summary{d.State, d.Confidence, []BaselineReason{}, d.MissingInputs, []BaselineSource{}}
	for _, r := range d.Reasons {
		s.Reasons = append(s.Reasons, BaselineReason{r.Code, r.Severity, r.SourceID})
	}
	for _, source := range d.Sources {
		s.Sources = append(s.Sources, BaselineSource{source.ID, source.Freshness})
	}
	return s
}

// ReadBaseline parses a decision, its summary, or a result that holds one under "decision".
// It ignores fields that are not compared. It returns InvalidRequest if a field has the
// wrong type or if there is no comparable field.
func ReadBaseline(raw []byte) (Baseline, error) {
	path := "/baseline"
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Baseline{}, faulty([]coast.Issue{{Path: path, Code: "type",
			Message: "baseline must be an object. " + baselineExample}})
	}
	if inner := map[string]json.RawMessage{}; !hasCompared(fields) &&
		json.Unmarshal(fields["decision"], &inner) == nil {
		path, fields = path+"/decision", inner
	}
	if !hasCompared(fields) {
		return Baseline{}, faulty([]coast.Issue{{Path: path, Code: "required",
			Message: "baseline holds none of the fields that are compared: " +
				strings.Join(comparedFields, ", ") + ". Give an earlier decision, " +
				"or the summary of an earlier comparison. " + baselineExample}})
	}
	r := baselineReader{path: path, fields: fields}
	b := Baseline{
		Activity: field(&r, "activity",
			func(a Activity) bool { return slices.Contains(Activities(), a) }, "an activity"),
		Station: field(&r, "station", func(s BaselineStation) bool { return s.ID != "" },
			"an object with an id"),
		State: field(&r, "state",
			func(s State) bool { return slices.Contains(s.Values(), string(s)) },
			"one of normal, watch, action-needed, unknown"),
		Confidence: field(&r, "confidence", func(c Confidence) bool { return c.rank() >= 0 },
			"one of high, moderate, low"),
		Reasons: field(&r, "reasons", reasonsHold,
			"a list of objects with a code, and optionally a severity (info, watch, action) and a sourceId"),
		Missing: field(&r, "missingInputs", func([]string) bool { return true },
			"a list of ids of facts"),
		Sources: field(&r, "sources", sourcesHold,
			"a list of objects with an id and a freshness (fresh, aging, stale, unknown)"),
	}
	return b, faulty(r.issues)
}

const baselineExample = `Example: "baseline": {"state": "normal", "confidence": "high"}.`

// comparedFields lists the fields of which a baseline must have at least one.
var comparedFields = []string{"state", "confidence", "reasons", "missingInputs", "sources"}

func hasCompared(fields map[string]json.RawMessage) bool {
	return slices.ContainsFunc(comparedFields, func(name string) bool { return fields[name] != nil })
}

func reasonsHold(list []BaselineReason) bool {
	return !slices.ContainsFunc(list,
		func(r BaselineReason) bool { return r.Code == "" || r.Severity.rank() < 0 })
}

func sourcesHold(list []BaselineSource) bool {
	return !slices.ContainsFunc(list, func(s BaselineSource) bool {
		known := []coast.Freshness{coast.Fresh, coast.Aging, coast.Stale, coast.Unknown}
		return s.ID == "" || !slices.Contains(known, s.Freshness)
	})
}

// baselineReader parses the fields of a baseline and collects all issues.
type baselineReader struct {
	path   string
	fields map[string]json.RawMessage
	issues []coast.Issue
}

// field parses one field. It returns nil if the field was not given.
func field[T any](r *baselineReader, name string, holds func(T) bool, rule string) *T {
	raw, ok := r.fields[name]
	if !ok {
		return nil
	}
	var v T
	if string(raw) == "null" || json.Unmarshal(raw, &v) != nil || !holds(v) {
		r.issues = append(r.issues, coast.Issue{Path: r.path + "/" + name, Code: "type",
			Message: fmt.Sprintf("%s of the baseline must be %s. %s", name, rule, baselineExample)})
		return nil
	}
	return &v
}

// faulty returns the error that reports the issues, or nil if there are none.
func faulty(issues []coast.Issue) error {
	if len(issues) == 0 {
		return nil
	}
	var messages []string
	for _, i := range issues {
		messages = append(messages, i.Message)
	}
	e := coast.Errorf(coast.InvalidRequest, "%s", strings.Join(messages, " "))
	e.Issues = issues
	return e
}
