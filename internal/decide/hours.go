package decide

import (
	"cmp"
	"slices"
	"time"

	"leadline/internal/coast"
)

// LongestHours is the longest span whose hours are evaluated.
const LongestHours = 7 * 24 * time.Hour

// HoursRequest asks for the hours of the span [From, To), which begin at the minute of From. The
// last one is shorter if the span does not last whole hours.
type HoursRequest struct {
	Activity Activity
	From, To time.Time
	Now      time.Time
}

// Hours is the evaluation of a span hour by hour: a decision for each hour, [h, h+1h), from facts
// that were gathered once.
type Hours struct {
	Sentence   string     // at most LongestSentence characters, for people
	State      State      // the worst of the hours
	Confidence Confidence // the lowest of the hours
	Sure       string     // the reason of the confidence, in a few words
	Runs       []Run
	Best       *Best    // the first of the windows; nil without any
	Windows    []Window // the best runs, at most mostWindows
	// Unranked has the hours whose state is unknown or too little supported to be ranked.
	Unranked   []coast.Span
	Reasons    []HoursReason
	Highlights []string // of the best run; empty without one
	Missing    []coast.Missing
	Sources    []coast.Source
	Notes      []string
}

// Run is a span of hours of one state. Low confidence divides the runs of the state normal: nothing
// is known against these hours yet, which is less than nothing against them.
type Run struct {
	From       time.Time  `json:"from" doc:"When it begins."`
	To         time.Time  `json:"to" doc:"When it ends; the next run begins then."`
	State      State      `json:"state" doc:"State of each of its hours."`
	Confidence Confidence `json:"confidence" doc:"The lowest of its hours. Normal with low confidence: nothing is known against it yet."`
}

// HoursReason is a reason in a run of hours.
type HoursReason struct {
	Reason
	Text string    `json:"text" doc:"The reason in a short sentence for people, with number and limit."`
	From time.Time `json:"from" doc:"Begin of the first hour that has the reason with this severity."`
	To   time.Time `json:"to" doc:"End of the last of these hours, which follow one another."`
}

// hour is an evaluated hour.
type hour struct {
	from, to   time.Time
	state      State
	confidence Confidence
	sure       string // the reason of the confidence
}

// EvaluateHours evaluates the hours of a span, at most LongestHours, from the facts. The worst of
// the hours in a decision's assessed span is the state of the decision. Texts are written once for
// each reason, not for each hour.
func EvaluateHours(r HoursRequest, f *Facts) Hours {
	all := &check{facts: f, activity: r.Activity, from: r.From, to: r.To, now: r.Now, asked: r.From}
	list, spells := evaluate(all)
	out := Hours{Confidence: High, Runs: runsOf(list, f.Zone)}
	for _, h := range list {
		if worse := (State).severity; worse(h.state) > worse(out.State) {
			out.State = h.state
		}
		if out.Sure == "" || h.confidence.rank() > out.Confidence.rank() {
			out.Confidence, out.Sure = h.confidence, h.sure
		}
	}
	w := writer{all}
	out.Unranked = unranked(list, f.Zone)
	out.Reasons, out.Missing = w.spelled(spells)
	out.Highlights = []string{}
	for _, b := range r.ranked(list, f) {
		within := &check{facts: f, activity: r.Activity, from: b.From, to: b.To, now: r.Now,
			asked: r.From}
		out.Windows = append(out.Windows, Window{b, out.during(b),
			writer{within.read()}.highlights()})
	}
	if len(out.Windows) > 0 {
		out.Best, out.Highlights = &out.Windows[0].Best, out.Windows[0].Highlights
	}
	out.Sources, out.Notes = all.sources(), w.notes()
	out.Sentence = sentence{out.Runs, out.Best, r.people(f.Zone), f.Sun.Light,
		w.decisive(spells)}.text()
	return out
}

// severity orders states as the worst of several is taken: unknown is worse than watch, and
// action-needed decides over unknown. It returns -1 for the empty state.
func (s State) severity() int {
	return slices.Index([]State{Normal, WatchState, Unknown, ActionNeeded}, s)
}

// spell is a finding or a missing fact in hours that follow one another, with one severity.
type spell struct {
	finding
	lack     *lack // nil for a finding
	from, to time.Time
}

// evaluate evaluates the hours of a check one by one. It returns them with the spells of their
// reasons, and leaves the worst findings and the missing facts of all hours in the check.
func evaluate(all *check) (list []hour, spells []spell) {
	for from := all.from; from.Before(all.to); from = from.Add(time.Hour) {
		c := all.hour(from).read()
		confidence, sure := c.sure()
		list = append(list, hour{c.from, c.to, c.state(), confidence, sure})
		for _, f := range c.findings {
			all.keep(f)
			if f.severity != "" {
				spells = prolong(spells, spell{finding: f, from: c.from, to: c.to})
			}
		}
		for _, l := range c.lacking {
			if !slices.ContainsFunc(all.lacking, func(have lack) bool { return have.id == l.id }) {
				all.lacking = append(all.lacking, l)
			}
			spells = prolong(spells, spell{lack: &l, from: c.from, to: c.to})
		}
	}
	return list, spells
}

// prolong adds the spell of an hour to those before it.
func prolong(spells []spell, s spell) []spell {
	for i := range slices.Backward(spells) {
		have := &spells[i]
		if !have.to.Equal(s.from) || !have.same(s) {
			continue
		}
		if s.lack == nil && s.worse(have.finding) {
			have.finding = s.finding
		}
		if s.until == nil || have.until != nil && s.until.After(*have.until) {
			have.until = s.until // of an alert
		}
		have.to = s.to
		return spells
	}
	return append(spells, s)
}

// same reports whether two spells are of one reason.
func (s *spell) same(as spell) bool {
	if s.lack != nil && as.lack != nil {
		return s.lack.id == as.lack.id && s.lack.need == as.lack.need && s.lack.how == as.lack.how
	}
	return s.lack == nil && as.lack == nil && s.code == as.code && s.severity == as.severity
}

// weight orders spells as they decide: action, facts that make the state unknown, watch, facts that
// make it watch, information.
func (s *spell) weight() int {
	switch {
	case s.lack == nil:
		return []int{0, 1, 3, 5}[s.severity.rank()]
	case s.lack.need == acts:
		return 4
	}
	return 2
}

// spelled returns the reasons of the spells, worst first and each severity in order of time, and
// the missing facts.
func (c writer) spelled(spells []spell) ([]HoursReason, []coast.Missing) {
	slices.SortStableFunc(spells, func(a, b spell) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), a.from.Compare(b.from))
	})
	reasons, missing := []HoursReason{}, []coast.Missing{}
	for _, s := range spells {
		r := HoursReason{From: s.from.In(c.facts.Zone), To: s.to.In(c.facts.Zone), Text: c.phrase(s)}
		if s.lack == nil {
			r.Reason = c.reason(s.finding)
		} else {
			r.Reason = c.absent(*s.lack)
			r.At = &r.From
			if !slices.ContainsFunc(missing, func(m coast.Missing) bool { return m.Input == s.lack.id }) {
				missing = append(missing, coast.Missing{Input: s.lack.id, Reason: s.lack.why})
			}
		}
		reasons = append(reasons, r)
	}
	if g := c.gauge(); g != nil {
		r := HoursReason{Reason: c.nearby(*g), From: c.from.In(c.facts.Zone),
			To: c.to.In(c.facts.Zone)}
		r.Text = r.Message
		reasons = append(reasons, r)
	}
	return reasons, missing
}

// runsOf joins hours that follow one another and look the same.
func runsOf(list []hour, zone *time.Location) []Run {
	runs := []Run{}
	for _, h := range list {
		next := Run{h.from.In(zone), h.to.In(zone), h.state, h.confidence}
		if n := len(runs); n > 0 && runs[n-1].looks() == next.looks() {
			runs[n-1].To = next.To
			if h.confidence.rank() > runs[n-1].Confidence.rank() {
				runs[n-1].Confidence = h.confidence
			}
			continue
		}
		runs = append(runs, next)
	}
	return runs
}

// looks returns what people see of a run: its state, and whether nothing is known against it yet.
func (r Run) looks() string { return Verdict(r.State, r.Confidence) }

// Best is the longest run of the best state within daylight. Hours of low confidence are never the
// best, nor those whose state is action-needed or unknown.
type Best struct {
	coast.Span
	State   State  `json:"state" doc:"State of its hours: normal, or watch."`
	Minutes int    `json:"minutes" doc:"How long it lasts."`
	Short   bool   `json:"short" doc:"Whether it is shorter than the activity usually takes: 1, 2, 4 or 6 h."`
	Text    string `json:"text" doc:"The run in words, such as 1 to 4:44 PM, 3 h 44 min only."`
}

// Lasts returns how long it lasts, such as 2 h 44 min.
func (b Best) Lasts() string { return lasts(b.To.Sub(b.From)) }

// Window is one of the best runs with what there is to say about it.
type Window struct {
	Best
	Care       []string // reasons for care in its hours, as sentences
	Highlights []string
}

// mostWindows limits the best runs that are described. Ours.
const mostWindows = 5

// ranked returns the best runs of the hours: the best state first, then the longest, then the
// earliest.
func (r HoursRequest) ranked(list []hour, f *Facts) []Best {
	runs := lit(list, f.Sun.Light)
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.State.rank(), b.State.rank()),
			cmp.Compare(b.To.Sub(b.From), a.To.Sub(a.From)))
	})
	best := []Best{}
	for _, run := range runs[:min(len(runs), mostWindows)] {
		long := run.To.Sub(run.From)
		b := Best{Span: coast.Span{From: run.From.In(f.Zone), To: run.To.In(f.Zone)}, State: run.State,
			Minutes: int(long.Minutes()), Short: long < r.Activity.Span()}
		b.Text = r.people(f.Zone).span(b.From, b.To)
		if b.Short {
			b.Text += ", " + lasts(long) + " only"
		}
		best = append(best, b)
	}
	return best
}

// unranked joins the hours whose state is unknown, or is not action-needed and of low confidence.
func unranked(list []hour, zone *time.Location) []coast.Span {
	spans := []coast.Span{}
	for _, h := range list {
		if h.state != Unknown && (h.confidence != Low || h.state == ActionNeeded) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].To.Equal(h.from) {
			spans[n-1].To = h.to.In(zone)
			continue
		}
		spans = append(spans, coast.Span{From: h.from.In(zone), To: h.to.In(zone)})
	}
	return spans
}

// during returns the reasons for care in the hours of a run, which has daylight.
func (h Hours) during(b Best) []string {
	care := []string{}
	for _, r := range h.Reasons {
		if r.Severity == Watch && r.Code != "darkness" && r.From.Before(b.To) && b.From.Before(r.To) {
			care = append(care, r.Text)
		}
	}
	return care
}

// lit returns the runs of one state, normal or watch, that lie in daylight and whose hours are
// known well enough.
func lit(list []hour, daylight []coast.Span) []Run {
	var runs []Run
	for _, light := range daylight {
		for _, h := range list {
			from, to := later(h.from, light.From), earlier(h.to, light.To)
			if h.state.rank() > WatchState.rank() || h.confidence == Low || !from.Before(to) {
				continue
			}
			if n := len(runs); n > 0 && runs[n-1].To.Equal(from) && runs[n-1].State == h.state {
				runs[n-1].To = to
				continue
			}
			runs = append(runs, Run{From: from, To: to, State: h.state})
		}
	}
	return runs
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
