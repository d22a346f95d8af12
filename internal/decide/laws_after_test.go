package decide

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// This file holds the laws about ranks, rules and changes, which follow from a decision.

// rankIgnoresOrder ranks candidates of few states, scores and times, so that many are tied,
// in two orders.
func rankIgnoresOrder(c *judged, fails func(string, ...any)) {
	list := make([]Candidate, 2+c.dice.IntN(11))
	for i := range list {
		list[i] = c.rival()
	}
	shuffled := slices.Clone(list)
	c.dice.Shuffle(len(shuffled),
		func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	recommended, again := Rank(list), Rank(shuffled)
	for i := range list {
		if got, want := keyOf(shuffled[i]), keyOf(list[i]); got.compare(want) != 0 {
			fails("rank %d is %v in one order, %v in another", i+1, got, want)
		}
		if list[i].Rank != i+1 || i > 0 && keyOf(list[i]).compare(keyOf(list[i-1])) < 0 {
			fails("rank %d: %v after %v", list[i].Rank, keyOf(list[i]), keyOf(list[max(0, i-1)]))
		}
	}
	hopeless := !slices.ContainsFunc(list, func(r Candidate) bool {
		return badness[r.Decision.State] < 2 && r.Decision.Confidence != Low
	})
	if (recommended == nil) != hopeless || (again == nil) != hopeless ||
		recommended != nil && *recommended != 1 {
		fails("recommended %v, hopeless %v", recommended, hopeless)
	}
}

// rival returns a candidate to compare with the case itself.
func (c *judged) rival() Candidate {
	r := c.candidate
	if c.dice.one(0.8) {
		r.Decision.State = []State{Normal, WatchState, ActionNeeded, Unknown}[c.dice.IntN(4)]
		r.Decision.Confidence = []Confidence{High, Moderate, Low}[c.dice.IntN(3)]
		r.Score = float64(c.dice.IntN(3))
		r.Decision.RequestedFor = c.request.At.Add(time.Duration(c.dice.IntN(3)) * time.Hour)
	}
	return r
}

// key holds the values that determine a rank.
type key struct {
	standing, doubt, badness int
	score                    float64
	at                       time.Time
}

func keyOf(c Candidate) key {
	standing := badness[c.Decision.State]
	if c.Decision.Confidence == Low {
		standing = max(1, standing)
	}
	return key{
		standing,
		doubt[c.Decision.Confidence],
		badness[c.Decision.State],
		c.Score,
		c.Decision.RequestedFor,
	}
}

func (k key) compare(with key) int {
	return cmp.Or(cmp.Compare(k.standing, with.standing), cmp.Compare(k.doubt, with.doubt),
		cmp.Compare(k.badness, with.badness),
		cmp.Compare(with.score, k.score), k.at.Compare(with.at))
}

// rulesReadTheDecision evaluates rules on the JSON of the decision and expects the same
// results.
func rulesReadTheDecision(c *judged, fails func(string, ...any)) {
	rules := []Rule{
		c.rule(string(StateAllowed)),
		c.rule(string(MinimumConfidence)),
		c.rule(string(MaximumMissingInputs)),
		c.rule(string(RequiredFreshSources)),
	}
	got, all := Evaluate(c.decision, rules), true
	for i, r := range rules {
		want := c.passes(r)
		all = all && want
		if got.Results[i].Passed != want || got.Results[i].ID != r.ID || got.Results[i].Kind != r.Kind {
			fails("rule %s: %s, want passed %v", encode(r), encode(got.Results[i]), want)
		}
	}
	if got.Passed != all {
		fails("passed %v, want %v", got.Passed, all)
	}
}

func (c *judged) rule(kind string) Rule {
	r := Rule{
		ID:      "my " + kind,
		Kind:    RuleKind(kind),
		Maximum: c.dice.IntN(4),
		Minimum: Confidence(c.dice.pick([]string{"low", "moderate", "high"})),
	}
	for _, state := range []string{"normal", "watch", "action-needed", "unknown"} {
		if c.dice.one(0.5) {
			r.Allowed = append(r.Allowed, State(state))
		}
	}
	ids := slices.Concat(factIDs, []string{SeaState, residualSource, "nearby-water-level", "weather"})
	for range c.dice.IntN(4) {
		r.SourceIDs = append(r.SourceIDs, c.dice.pick(ids))
	}
	return r
}

// passes evaluates each rule on the JSON of the decision, by the rule's own definition.
func (c *judged) passes(r Rule) bool {
	d := c.fields
	missing := d["missingInputs"].([]any)
	switch r.Kind {
	case "state_allowed":
		return slices.Contains(r.Allowed, State(d["state"].(string)))
	case "minimum_confidence":
		order := []string{"low", "moderate", "high"}
		return slices.Index(order, d["confidence"].(string)) >= slices.Index(order, string(r.Minimum))
	case "maximum_missing_inputs":
		return len(missing) <= r.Maximum
	}
	fresh := map[string]bool{}
	for _, s := range d["sources"].([]any) {
		source := s.(map[string]any)
		fresh[source["id"].(string)] = source["available"] == true && source["freshness"] == "fresh" &&
			!slices.Contains(missing, source["id"])
	}
	return !slices.ContainsFunc(r.SourceIDs, func(id string) bool { return !fresh[id] })
}

var compared = []string{"state", "confidence", "reasons", "missingInputs", "sources"}

// unchangedSinceItself compares a decision with itself: whole, wrapped in a result, as its
// summary, and with only some of its fields.
func unchangedSinceItself(c *judged, fails func(string, ...any)) {
	summary := encode(Summarize(c.decision))
	wrapped := slices.Concat([]byte(`{"decision":`), c.json, []byte(`,"change":{"material":true}}`))
	for _, baseline := range [][]byte{c.json, wrapped, summary, c.some(summary)} {
		got, err := compareWith(c.decision, baseline)
		if err != nil || got.Material || len(got.Changes) > 0 {
			fails("compared with itself as %s: %v, %s", baseline, err, encode(got))
		}
	}
}

func compareWith(d *Decision, baseline []byte) (Comparison, error) {
	b, err := ReadBaseline(baseline)
	return Compare(d, b), err
}

// some returns an object with some of its compared fields, at least one.
func (c *judged) some(object []byte) []byte {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		panic(err) // encode wrote it
	}
	subset := 1 + c.number%31
	for i, name := range compared {
		if subset&(1<<i) == 0 {
			delete(fields, name)
		}
	}
	return encode(fields)
}

// whatMattersIsMaterial changes one value in the summary of a decision and expects a
// material change.
func whatMattersIsMaterial(c *judged, fails func(string, ...any)) {
	for _, alter := range []func(s *Summary) (alters, material bool){
		c.otherState, c.otherConfidence, c.reasonMore, c.reasonLess, c.otherSeverity, c.otherMissing,
	} {
		s := Summarize(c.decision)
		s.Reasons, s.MissingInputs = slices.Clone(s.Reasons), slices.Clone(s.MissingInputs)
		alters, material := alter(&s)
		if !alters {
			continue
		}
		if got, err := compareWith(c.decision, encode(s)); err != nil || got.Material != material ||
			len(got.Changes) == 0 {
			fails("since %s: %v, %s, want material %v", encode(s), err, encode(got), material)
		}
	}
}

func (c *judged) otherState(s *Summary) (alters, material bool) {
	was := s.State
	s.State = []State{Normal, WatchState, ActionNeeded, Unknown}[c.dice.IntN(4)]
	return s.State != was, true
}

func (c *judged) otherConfidence(s *Summary) (alters, material bool) {
	was := s.Confidence
	s.Confidence = []Confidence{High, Moderate, Low}[c.dice.IntN(3)]
	return s.Confidence != was, true
}

var severities = []Severity{Info, Watch, Action}

func (c *judged) reasonMore(s *Summary) (alters, material bool) {
	more := BaselineReason{"alert_of_old", severities[c.dice.IntN(3)], MarineAlerts}
	s.Reasons = append(s.Reasons, more)
	return true, more.Severity != Info
}

func (c *judged) reasonLess(s *Summary) (alters, material bool) {
	if len(s.Reasons) == 0 {
		return false, false
	}
	i := c.dice.IntN(len(s.Reasons))
	material = s.Reasons[i].Severity != Info
	s.Reasons = slices.Delete(s.Reasons, i, i+1)
	return true, material
}

func (c *judged) otherSeverity(s *Summary) (alters, material bool) {
	if len(s.Reasons) == 0 {
		return false, false
	}
	r := &s.Reasons[c.dice.IntN(len(s.Reasons))]
	was := r.Severity
	r.Severity = severities[c.dice.IntN(3)]
	return r.Severity != was, true
}

// otherMissing toggles whether an applicable fact is missing.
func (c *judged) otherMissing(s *Summary) (alters, material bool) {
	source := c.decision.Sources[c.dice.IntN(len(c.decision.Sources))]
	i := slices.Index(s.MissingInputs, source.ID)
	switch {
	case i >= 0:
		s.MissingInputs = slices.Delete(s.MissingInputs, i, i+1)
	case source.Available:
		s.MissingInputs = append(s.MissingInputs, source.ID)
	default:
		return false, false // it does not apply
	}
	return true, needed[source.ID] != "" && needOf(source.ID, c.request.Activity) == 'R'
}
