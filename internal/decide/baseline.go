package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
)

// Baseline is what of an earlier decision can be compared. A part that was not
// given is nil.
type Baseline struct {
	Activity   *Activity
	Station    *BaselineStation
	State      *State
	Confidence *Confidence
	Reasons    *[]BaselineReason
	Missing    *[]string
	Sources    *[]BaselineSource
}

// BaselineStation is a station as a decision has it.
type BaselineStation struct {
	ID string `json:"id"`
}

// BaselineReason is a reason as a summary has it; Severity and SourceID are
// empty where they were not given.
type BaselineReason struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	SourceID string   `json:"sourceId"`
}

// BaselineSource is a source as a summary has it.
type BaselineSource struct {
	ID        string          `json:"id"`
	Freshness coast.Freshness `json:"freshness"`
}

// Summary is what of a decision is worth keeping as the next baseline.
type Summary struct {
	State         State            `json:"state"`
	Confidence    Confidence       `json:"confidence"`
	Reasons       []BaselineReason `json:"reasons"`
	MissingInputs []string         `json:"missingInputs"`
	Sources       []BaselineSource `json:"sources"`
}

// Summarize makes the summary of a decision.
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

// ReadBaseline reads a decision, its summary, or an answer that holds one
// under decision. Fields that are not compared are left unread. An error is
// InvalidRequest: a field of another form, or none that can be compared.
func ReadBaseline(raw []byte) (Baseline, error) {
	path := "/baseline"
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Baseline{}, faulty([]coast.Issue{{Path: path, Code: "type", Message: "baseline must be an object. " + baselineExample}})
	}
	if inner := map[string]json.RawMessage{}; !hasCompared(fields) && json.Unmarshal(fields["decision"], &inner) == nil {
		path, fields = path+"/decision", inner
	}
	if !hasCompared(fields) {
		return Baseline{}, faulty([]coast.Issue{{Path: path, Code: "required",
			Message: "baseline holds none of the fields that are compared: " + strings.Join(comparedFields, ", ") + ". Give an earlier decision, or the summary of an earlier comparison. " + baselineExample}})
	}
	r := baselineReader{path: path, fields: fields}
	b := Baseline{
		Activity:   field(&r, "activity", func(a Activity) bool { return slices.Contains(Activities(), a) }, "an activity"),
		Station:    field(&r, "station", func(s BaselineStation) bool { return s.ID != "" }, "an object with an id"),
		State:      field(&r, "state", func(s State) bool { return slices.Contains([]State{Normal, WatchState, ActionNeeded, Unknown}, s) }, "one of normal, watch, action-needed, unknown"),
		Confidence: field(&r, "confidence", func(c Confidence) bool { return c.rank() >= 0 }, "one of high, moderate, low"),
		Reasons:    field(&r, "reasons", reasonsHold, "a list of objects with a code, and perhaps a severity (info, watch, action) and a sourceId"),
		Missing:    field(&r, "missingInputs", func([]string) bool { return true }, "a list of ids of facts"),
		Sources:    field(&r, "sources", sourcesHold, "a list of objects with an id and a freshness (fresh, aging, stale, unknown)"),
	}
	return b, faulty(r.issues)
}

const baselineExample = `Example: "baseline": {"state": "normal", "confidence": "high"}.`

// comparedFields are those of which one must be there.
var comparedFields = []string{"state", "confidence", "reasons", "missingInputs", "sources"}

func hasCompared(fields map[string]json.RawMessage) bool {
	return slices.ContainsFunc(comparedFields, func(name string) bool { return fields[name] != nil })
}

func reasonsHold(list []BaselineReason) bool {
	return !slices.ContainsFunc(list, func(r BaselineReason) bool { return r.Code == "" || r.Severity.rank() < 0 })
}

func sourcesHold(list []BaselineSource) bool {
	return !slices.ContainsFunc(list, func(s BaselineSource) bool {
		return s.ID == "" || !slices.Contains([]coast.Freshness{coast.Fresh, coast.Aging, coast.Stale, coast.Unknown}, s.Freshness)
	})
}

// baselineReader reads the fields of a baseline, and tells every fault.
type baselineReader struct {
	path   string
	fields map[string]json.RawMessage
	issues []coast.Issue
}

// field reads one field, nil where it was not given.
func field[T any](r *baselineReader, name string, holds func(T) bool, rule string) *T {
	raw, ok := r.fields[name]
	if !ok {
		return nil
	}
	var v T
	if string(raw) == "null" || json.Unmarshal(raw, &v) != nil || !holds(v) {
		r.issues = append(r.issues, coast.Issue{Path: r.path + "/" + name, Code: "type", Message: fmt.Sprintf("%s of the baseline must be %s. %s", name, rule, baselineExample)})
		return nil
	}
	return &v
}

// faulty is the error of the issues, nil where there are none.
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
