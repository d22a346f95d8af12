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

// Contract is the version of what is answered, of decisions as of all else.
const Contract = "2026-07-09"

// Disclaimer stands in every decision.
const Disclaimer = "A planning aid from public data. It is not a navigation or safety clearance: look at the water, and ask those who know it."

// Activity is what is planned.
type Activity string

// The activities.
const (
	Fishing       Activity = "fishing"
	Boating       Activity = "boating"
	SurfPaddle    Activity = "surf-paddle"
	Beachcombing  Activity = "beachcombing"
	Photography   Activity = "photography"
	CoastalLiving Activity = "coastal-living"
)

// Activities are all of them, in the order of tables.
func Activities() []Activity {
	return []Activity{Fishing, Boating, SurfPaddle, Beachcombing, Photography, CoastalLiving}
}

// Values returns the names of all activities.
func (Activity) Values() []string { return names(Activities()) }

// Span is how long a time is assessed for an activity.
func (a Activity) Span() time.Duration {
	switch a {
	case Photography:
		return time.Hour
	case SurfPaddle, Beachcombing:
		return 2 * time.Hour
	case CoastalLiving:
		return 6 * time.Hour
	}
	return 4 * time.Hour
}

// State is the whole of a reading.
type State string

// The states.
const (
	Normal       State = "normal"
	WatchState   State = "watch"
	ActionNeeded State = "action-needed"
	Unknown      State = "unknown"
)

// Values returns all states.
func (State) Values() []string { return names([]State{Normal, WatchState, ActionNeeded, Unknown}) }

// rank orders states: what is not known is no better than what needs action.
func (s State) rank() int {
	switch s {
	case Normal:
		return 0
	case WatchState:
		return 1
	}
	return 2
}

// Confidence is how much the facts bear.
type Confidence string

// The confidences.
const (
	High     Confidence = "high"
	Moderate Confidence = "moderate"
	Low      Confidence = "low"
)

// Values returns all confidences.
func (Confidence) Values() []string { return names([]Confidence{High, Moderate, Low}) }

// rank orders confidences, the highest first.
func (c Confidence) rank() int {
	return slices.Index([]Confidence{High, Moderate, Low}, c)
}

// Severity is what a reason does to the state.
type Severity string

// The severities.
const (
	Info   Severity = "info"
	Watch  Severity = "watch"
	Action Severity = "action"
)

// Values returns all severities.
func (Severity) Values() []string { return names([]Severity{Info, Watch, Action}) }

// rank orders severities, none being 0.
func (s Severity) rank() int {
	return slices.Index([]Severity{"", Info, Watch, Action}, s)
}

func names[S ~string](values []S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// Reason is why a state is what it is. Numbers are null where there is none to
// tell, as in an alert.
type Reason struct {
	Code       string     `json:"code" doc:"What it is about, for a program."`
	Severity   Severity   `json:"severity" doc:"What it does to the state."`
	Message    string     `json:"message" doc:"The same for a person."`
	SourceID   string     `json:"sourceId" doc:"The source of the value."`
	StationID  string     `json:"stationId" doc:"The station that the value is of."`
	Datum      string     `json:"datum,omitempty" doc:"Level that a height is measured from."`
	DatumEpoch string     `json:"datumEpoch,omitempty" doc:"Epoch of that level, as in the decision."`
	Value      *float64   `json:"value" doc:"The worst value of the assessed span."`
	Unit       *string    `json:"unit" doc:"Of value, threshold and margin."`
	Threshold  *float64   `json:"threshold" doc:"The limit that the value has reached."`
	Margin     *float64   `json:"margin" doc:"How far beyond the threshold the value lies, 0 at it."`
	At         *time.Time `json:"at" doc:"When the value holds, or was observed."`
}

// Stretch is a stretch of time.
type Stretch struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Decision is a planning read. Its sources are the facts in order, each as far
// as it was had; those that do not apply are named in the notes.
type Decision struct {
	ContractVersion string         `json:"contractVersion" doc:"Version of this form."`
	Kind            string         `json:"kind" enum:"trip-health"`
	DecisionID      string         `json:"decisionId" format:"uuid" doc:"Of this answer alone."`
	EvaluatedAt     time.Time      `json:"evaluatedAt" doc:"The clock that all ages count to."`
	RequestedFor    time.Time      `json:"requestedFor" doc:"The time asked for."`
	Activity        Activity       `json:"activity"`
	Station         coast.Station  `json:"station" doc:"The station asked about."`
	TimeZone        string         `json:"timeZone" doc:"Zone that times are written in; every time carries its offset."`
	DatumEpoch      string         `json:"datumEpoch,omitempty" doc:"Epoch of the tidal datums that heights here rest on, such as 1983-2001; unknown where NOAA names none."`
	State           State          `json:"state" doc:"Normal says that nothing of the table was reached, no more."`
	Confidence      Confidence     `json:"confidence" doc:"How much the facts bear."`
	Headline        string         `json:"headline" doc:"The state and what decided it."`
	Summary         string         `json:"summary" doc:"The reading in a few sentences."`
	Assessed        Stretch        `json:"assessed" doc:"The span whose worst values count."`
	Window          *Stretch       `json:"window" doc:"Times asked for, around this one, that would have the same state; looked for 24 hours to both sides. Null where the state is unknown."`
	Reasons         []Reason       `json:"reasons" doc:"What decided the state, worst first, and what is good to know."`
	Highlights      []string       `json:"highlights" doc:"What is good, apart from the reasons."`
	MissingInputs   []string       `json:"missingInputs" doc:"Ids of the facts that apply and could not be had, are stale, or do not say all of the span."`
	Sources         []coast.Source `json:"sources" doc:"The facts, and where they come from."`
	Notes           []string       `json:"notes" doc:"What a reader must know, such as which facts do not apply here."`
	Disclaimer      string         `json:"disclaimer"`
}

// Request is what is asked, and the clock.
type Request struct {
	ID       string // of the decision
	Activity Activity
	At       time.Time // the time asked for
	Now      time.Time
}

// How far ahead a decision can be of high confidence, and from when on it is
// of low; beyond the last, forecasts are missing by nature.
const (
	nearAhead     = 24 * time.Hour
	farAhead      = 72 * time.Hour
	forecastReach = 7 * 24 * time.Hour
	gaugeReach    = 6 * time.Hour // an observed level says something so long
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
