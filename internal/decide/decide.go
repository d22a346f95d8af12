// Package decide turns facts about a stretch of coast into a planning decision: a state, a
// confidence, and reasons with their numbers.
//
// Decide takes Facts, which the caller has gathered, and a Request, which holds the
// current time. It returns a Decision. The package calls no provider, reads no clock and
// stores nothing, so the same facts always give the same decision.
//
// The state is computed as follows. Each activity has an assessed span that begins at the
// requested time. The worst value of every quantity within the span is compared with the
// table of thresholds; a value that reaches its limit is a reason. Missing facts count too:
//
//   - A required fact (R) that is missing or stale makes the state unknown.
//   - A precautionary fact (P) that is missing or stale makes the state at least watch,
//     and so does an R fact for which no provider has a value.
//   - A stale fact can raise a reason but never clears one.
//
// Losing data therefore never improves a state.
//
// The package also computes the window in which the state holds and the scores that rank
// candidate times (Rank). It evaluates rules on a decision (Evaluate) and reports changes
// since an earlier decision (Compare). For a watch, which evaluates a request again and
// again, Progress finds the changes that must be announced.
//
// A decision is not a clearance. Normal means only that no limit of the table was reached.
package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Decide returns the decision for the request from the facts.
func Decide(r Request, f *Facts) Decision {
	return newCheck(r, f).read().decide(r)
}

// decide builds the decision from the findings of the check.
func (c *check) decide(r Request) Decision {
	f, w := c.facts, writer{c}
	d := Decision{
		ContractVersion: Contract,
		Kind:            "trip-health",
		DecisionID:      r.ID,
		EvaluatedAt:     r.Now.In(f.Zone),
		RequestedFor:    r.At.In(f.Zone),
		Activity:        r.Activity,
		Station:         f.Station,
		TimeZone:        f.Station.TimeZone,
		DatumEpoch:      f.Tide.DatumEpoch,
		State:           c.state(),
		Confidence:      c.confidence(),
		Assessed:        coast.Span{From: c.from.In(f.Zone), To: c.to.In(f.Zone)},
		Reasons:         w.reasons(),
		Highlights:      w.highlights(),
		MissingInputs:   c.missing(),
		Sources:         c.sources(),
		Notes:           w.notes(),
		Disclaimer:      Disclaimer,
	}
	d.Window = c.window(d.State)
	d.Headline, d.Summary = w.headline(d), w.summary(d)
	return d
}

// state returns the state that follows from the findings and the missing facts.
func (c *check) state() State {
	worst := Severity("")
	for i := range c.findings {
		if s := c.findings[i].severity; s.rank() > worst.rank() {
			worst = s
		}
	}
	switch {
	case worst == Action:
		return ActionNeeded
	case c.lacks(acts):
		return Unknown
	case worst == Watch || c.lacks(watches):
		return WatchState
	}
	return Normal
}

// lacks reports whether a fact with exactly the need n is missing.
func (c *check) lacks(n need) bool {
	return slices.ContainsFunc(c.lacking, func(l lack) bool { return l.need == n })
}

// confidence returns High if every applicable fact is available and read, none is aging, and the
// time is within the next day. It returns Low if a required fact is missing or the time is
// far ahead, and Moderate otherwise.
func (c *check) confidence() Confidence {
	confidence, _ := c.sure()
	return confidence
}

// sure returns the confidence, and its reason in a few words for people.
func (c *check) sure() (Confidence, string) {
	ahead := c.from.Sub(c.now)
	switch {
	case c.lacks(acts):
		return Low, "facts that decide are missing"
	case ahead > farAhead:
		return Low, "it is more than 3 days ahead"
	case len(c.lacking) > 0:
		return Moderate, "some facts are missing"
	case c.has(unreadText):
		return Moderate, "the coastal text says more than was read"
	case c.aging():
		return Moderate, "some facts are aging"
	case ahead > nearAhead:
		return Moderate, "it is more than a day ahead"
	case c.unpublished():
		return Moderate, "no agency publishes a flood level here"
	}
	return High, "all facts are there, and it is within a day"
}

// unpublished reports whether the activity needs a flood level that no agency publishes.
func (c *check) unpublished() bool {
	flood := c.facts.Flood
	return c.activity == CoastalLiving && (flood.Waived != "" || flood.Derived)
}

// aging reports whether an applicable fact is aging.
func (c *check) aging() bool {
	return slices.ContainsFunc(inputs, func(in input) bool {
		if in.needs[c.activity] < watches {
			return false
		}
		f := c.fact(in.id)
		return f.Waived == "" && f.Absent == "" && f.Source.Freshness == coast.Aging
	})
}

// missing returns the ids of the facts that are missing or stale.
func (c *check) missing() []string {
	ids := []string{}
	for _, l := range c.lacking {
		ids = append(ids, l.id)
	}
	return ids
}

// sources returns the sources of the facts that the activity uses, and whether each is
// available.
func (c *check) sources() []coast.Source {
	list := []coast.Source{}
	for _, in := range inputs {
		n := in.needs[c.activity]
		if n == unused {
			continue
		}
		f := c.fact(in.id)
		s := f.Source
		s.Required = n == acts && f.Waived == ""
		if f.Waived != "" || f.Absent != "" {
			s.Available, s.Freshness, s.SourceAt, s.AgeMinutes = false, coast.Unknown, nil, nil
		}
		list = append(list, s)
	}
	return append(list, c.further()...)
}

// further returns the sources of values that are not themselves facts: the residual and the
// nearest gauge.
func (c *check) further() []coast.Source {
	var list []coast.Source
	if c.has("flooding_residual") || c.has(lowWaterObserved) {
		s := c.facts.Level.Source
		s.ID, s.Label = residualSource, "Observed less predicted level, computed here"
		s.Kind, s.Provider, s.Required = coast.Calculation, coast.Leadline, false
		list = append(list, s)
	}
	if g := c.gauge(); g != nil {
		s := g.Source
		s.Required = false
		list = append(list, s)
	}
	return list
}

// The window search moves in steps of windowStep, up to windowReach on both sides (ours).
const (
	windowStep  = 15 * time.Minute
	windowReach = 24 * time.Hour
)

// Reach limits how far before and after the requested time facts are used. It adds up the
// window's reach, the longest span, and half a day for the run of a current and the tide on
// both sides.
const Reach = windowReach + 6*time.Hour + 12*time.Hour

// window returns the times around the requested one that would have the same state. It ends
// where the state changes or where the data of a required fact end. It returns nil for an
// unknown state.
func (c *check) window(s State) *coast.Span {
	if s == Unknown {
		return nil
	}
	earliest := c.from.Add(-windowReach)
	if earliest.Before(c.now) {
		earliest = c.now
	}
	w := &coast.Span{From: c.from, To: c.from}
	t := c.from.Add(-windowStep)
	for ; !t.Before(earliest) && c.holdsAt(t, s); t = t.Add(-windowStep) {
		w.From = t
	}
	t = c.from.Add(windowStep)
	for ; t.Sub(c.from) <= windowReach && c.holdsAt(t, s); t = t.Add(windowStep) {
		w.To = t
	}
	w.From, w.To = w.From.In(c.facts.Zone), w.To.In(c.facts.Zone)
	return w
}

// holdsAt reports whether another time has the state and every required fact.
func (c *check) holdsAt(at time.Time, s State) bool {
	other := newCheck(Request{Activity: c.activity, At: at, Now: c.now}, c.facts).read()
	return !other.lacks(acts) && other.state() == s
}

// Fit shortens a decision to at most a given number of bytes of JSON, in three steps:
//
//  1. It removes the highlights.
//  2. It merges the alerts of each severity into one reason.
//  3. It removes the least severe reasons, alerts last. The summary still names those at
//     action and watch.
func (d *Decision) Fit(most int) {
	if d.size() > most {
		d.Highlights = []string{}
	}
	if d.size() > most {
		d.Reasons = gathered(d.Reasons, 1)
	}
	for removed := 1; d.size() > most && len(d.Reasons) > 1; removed++ {
		if removed == 1 {
			d.Notes = append(slices.Clone(d.Notes), "")
		}
		i := d.expendable()
		d.Reasons = slices.Concat(d.Reasons[:i], d.Reasons[i+1:])
		d.Notes[len(d.Notes)-1] = fmt.Sprintf("Reasons left out for length, the least severe: %d. "+
			"The summary names those at action and watch.", removed)
	}
}

// expendable returns the index of the least severe reason that is not an alert, or of the
// last reason if all are alerts. It never returns 0: the headline uses the first reason.
func (d *Decision) expendable() int {
	for i := len(d.Reasons) - 1; i > 0; i-- {
		if code := d.Reasons[i].Code; code != alerts && !strings.HasPrefix(code, alertPrefix) {
			return i
		}
	}
	return len(d.Reasons) - 1
}

func (d *Decision) size() int { return size(d) }
