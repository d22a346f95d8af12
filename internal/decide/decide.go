// Package decide turns facts about a stretch of coast into a planning read: a
// state, a confidence, and reasons with their numbers.
//
// In go Facts, which somebody else has gathered, and a Request with the clock
// in it; out comes a Decision. The package asks nobody, reads no clock and
// keeps nothing, so that the same facts give the same decision.
//
// How a state comes about. Each activity has a span from the time asked for on
// (assessed). Within it the worst value of every quantity is held against the
// table of thresholds; what reaches its limit is a reason. Beside the numbers
// stand the facts themselves: one that the activity cannot do without (R) and
// that is missing or stale makes the state unknown, one that it can do
// without (P) makes it watch, and so does an R fact of which nobody has a value.
// A stale fact can raise a reason and never clears one. So nothing that is lost
// makes a state better.
//
// The rest follows from a reading: the window in which the state holds, scores
// that rank candidate times (Rank), rules that are judged on a decision
// (Evaluate), and what has changed since an earlier one (Compare).
//
// What it does not do: it gives no clearance. Normal says that nothing of the
// table was reached, no more.
package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Decide makes the decision.
func Decide(r Request, f *Facts) Decision {
	return newCheck(r, f).read().decide(r)
}

// decide writes what was read.
func (c *check) decide(r Request) Decision {
	f := c.facts
	d := Decision{
		ContractVersion: Contract, Kind: "trip-health", DecisionID: r.ID, EvaluatedAt: r.Now.In(f.Zone), RequestedFor: r.At.In(f.Zone),
		Activity: r.Activity, Station: f.Station, TimeZone: f.Station.TimeZone, DatumEpoch: f.Tide.DatumEpoch,
		State: c.state(), Confidence: c.confidence(), Assessed: Stretch{c.from.In(f.Zone), c.to.In(f.Zone)},
		Reasons: c.reasons(), Highlights: c.highlights(), MissingInputs: c.missing(), Sources: c.sources(), Notes: c.notes(), Disclaimer: Disclaimer,
	}
	d.Window = c.window(d.State)
	d.Headline, d.Summary = c.headline(d), c.summary(d)
	return d
}

// state is what the findings and the missing facts come to.
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

// lacks reports whether a fact of so much need is missing.
func (c *check) lacks(n need) bool {
	return slices.ContainsFunc(c.lacking, func(l lack) bool { return l.need == n })
}

// confidence is high when every fact that applies is there and none is aging,
// for the next day; low when one that the activity cannot do without is
// missing, or for times far ahead.
func (c *check) confidence() Confidence {
	ahead := c.from.Sub(c.now)
	switch {
	case c.lacks(acts) || ahead > farAhead:
		return Low
	case len(c.lacking) > 0 || c.aging() || ahead > nearAhead || c.unpublished():
		return Moderate
	}
	return High
}

// unpublished reports whether a flood level matters that no agency publishes.
func (c *check) unpublished() bool {
	flood := c.facts.Flood
	return c.activity == CoastalLiving && (flood.Waived != "" || flood.Derived)
}

// aging reports whether a fact that applies is.
func (c *check) aging() bool {
	return slices.ContainsFunc(inputs, func(in input) bool {
		if in.needs[c.activity] < watches {
			return false
		}
		f := c.fact(in.id)
		return f.Waived == "" && f.Absent == "" && f.Source.Freshness == coast.Aging
	})
}

// missing are the ids of the facts that are missing or stale.
func (c *check) missing() []string {
	ids := []string{}
	for _, l := range c.lacking {
		ids = append(ids, l.id)
	}
	return ids
}

// sources are the facts that the activity uses, each as far as it was had.
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

// further are the sources of what is no fact of its own.
func (c *check) further() []coast.Source {
	var list []coast.Source
	if c.has("flooding_residual") {
		s := c.facts.Level.Source
		s.ID, s.Label, s.Kind, s.Provider, s.Required = residualSource, "Observed less predicted level, computed here", coast.Calculation, coast.Leadline, false
		list = append(list, s)
	}
	if g := c.gauge(); g != nil {
		s := g.Source
		s.Required = false
		list = append(list, s)
	}
	return list
}

// The window is looked for in steps, up to a reach on both sides (ours).
const (
	windowStep  = 15 * time.Minute
	windowReach = 24 * time.Hour
)

// Reach is how far before and after a time asked for facts are used: the
// window's, the longest span, and half a day to see the run of a current and
// the tide on both sides.
const Reach = windowReach + 6*time.Hour + 12*time.Hour

// window is the times around the one asked for that would have the same state.
// It ends where the state changes, and where the data of a fact end that the
// activity cannot do without. An unknown state holds for no time.
func (c *check) window(s State) *Stretch {
	if s == Unknown {
		return nil
	}
	earliest := c.from.Add(-windowReach)
	if earliest.Before(c.now) {
		earliest = c.now
	}
	w := &Stretch{c.from, c.from}
	for t := c.from.Add(-windowStep); !t.Before(earliest) && c.holdsAt(t, s); t = t.Add(-windowStep) {
		w.From = t
	}
	for t := c.from.Add(windowStep); t.Sub(c.from) <= windowReach && c.holdsAt(t, s); t = t.Add(windowStep) {
		w.To = t
	}
	w.From, w.To = w.From.In(c.facts.Zone), w.To.In(c.facts.Zone)
	return w
}

// holdsAt reports whether another time has the state, with all that it needs.
func (c *check) holdsAt(at time.Time, s State) bool {
	other := newCheck(Request{Activity: c.activity, At: at, Now: c.now}, c.facts).read()
	return !other.lacks(acts) && other.state() == s
}

// Fit brings a decision to a length in bytes of JSON: the highlights are left
// out, then the alerts of each severity become one reason, and where that is not
// enough the least severe reasons are left out, alerts last of all, of which the
// summary still names those at action and watch.
func (d *Decision) Fit(most int) {
	if d.size() > most {
		d.Highlights = []string{}
	}
	if d.size() > most {
		d.Reasons = gathered(d.Reasons, 1)
	}
	for cut := 1; d.size() > most && len(d.Reasons) > 1; cut++ {
		if cut == 1 {
			d.Notes = append(slices.Clone(d.Notes), "")
		}
		i := d.expendable()
		d.Reasons = slices.Concat(d.Reasons[:i], d.Reasons[i+1:])
		d.Notes[len(d.Notes)-1] = fmt.Sprintf("Reasons left out for length, the least severe: %d. The summary names those at action and watch.", cut)
	}
}

// expendable is the index of the least severe reason that is not an alert, else
// of the last. The first reason is the headline's.
func (d *Decision) expendable() int {
	for i := len(d.Reasons) - 1; i > 0; i-- {
		if code := d.Reasons[i].Code; code != alerts && !strings.HasPrefix(code, alertPrefix) {
			return i
		}
	}
	return len(d.Reasons) - 1
}

func (d *Decision) size() int {
	b, _ := json.Marshal(d) // plain values: cannot fail
	return len(b)
}
