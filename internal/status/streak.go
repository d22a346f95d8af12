package status

import (
	"slices"
	"time"
)

// A component that was operational is announced when it has not been operational for
// announceAfter evaluations, two minutes; a change between degraded and down too. It has recovered
// when it has been operational for recoverAfter of them, five minutes. The times are ours.
const (
	announceAfter = 8
	recoverAfter  = 20
)

// mostPending limits the transitions of a component that wait for the store.
const mostPending = 8

// streak is a series of observations that agree.
type streak struct {
	since time.Time     // the first observation; zero before it
	held  time.Duration // observed time since then
}

// observe adds an observation, an observed time after the previous one.
func (s *streak) observe(agrees bool, now time.Time, elapsed time.Duration) {
	switch {
	case !agrees:
		*s = streak{}
	case s.since.IsZero():
		s.since = now
	default:
		s.held += elapsed
	}
}

// pause keeps the observed time until the next observation, from which the streak dates then.
func (s *streak) pause() { s.since = time.Time{} }

// standing is the last announced state of a component, as the store has it.
type standing struct {
	State    string    `json:"state"`
	Since    time.Time `json:"since"`    // when it began
	Impaired int       `json:"impaired"` // seconds in which the component was seen not operational
}

// watched is a component with what was observed and what is announced.
type watched struct {
	name  string
	every time.Duration // between two observations

	state   string // at the last observation; "" if it is unknown
	message string // what was measured then

	ok, bad       streak // operational, and not
	down, notDown streak

	announced string        // the state that is announced, or pending
	since     time.Time     // when it began
	impaired  time.Duration // observed time not operational, since the component was operational
	pending   []Transition  // wait for the store
}

// follow adopts a state that was announced by another instance or before a restart. What was
// observed before counts no more, because the announcement is later.
func (w *watched) follow(s standing) {
	*w = watched{name: w.name, every: w.every}
	w.announced, w.since = s.State, s.Since
	w.impaired = time.Duration(s.Impaired) * time.Second
}

// restart discards what was observed so far, because nothing was observed for a while.
func (w *watched) restart() {
	w.state = ""
	w.ok, w.bad, w.down, w.notDown = streak{}, streak{}, streak{}, streak{}
}

// observe adds an observation, an observed time after the previous one. An unknown state, "", is
// neither good nor bad. It ends the streaks of a bad state, because a later one must not include
// time in which nobody knows. It pauses the streak of a good state: with a request every few
// minutes a component would never recover otherwise.
func (w *watched) observe(state, message string, now time.Time, elapsed time.Duration) {
	if w.state == Degraded || w.state == Down {
		w.impaired += elapsed
		w.extend(elapsed)
	}
	w.state, w.message = state, message
	if state == "" {
		w.ok.pause()
		w.bad, w.down, w.notDown = streak{}, streak{}, streak{}
		return
	}
	w.ok.observe(state == Operational, now, elapsed)
	w.bad.observe(state != Operational, now, elapsed)
	w.down.observe(state == Down, now, elapsed)
	w.notDown.observe(state != Down, now, elapsed)
}

// extend adds observed time to a pending transition, while the component is still in its state.
func (w *watched) extend(elapsed time.Duration) {
	if n := len(w.pending); n > 0 && w.pending[n-1].To == w.state {
		w.pending[n-1].Duration += elapsed
	}
}

// decide adds the transition that the observations justify, if any, to those that are pending.
// A component that changes between degraded and down within announceAfter is announced as
// degraded, which is the least that can be said of it.
func (w *watched) decide() {
	switch {
	case w.announced != Operational && w.ok.held >= recoverAfter*w.every:
		w.move(Operational, w.ok)
	case w.announced != Down && w.down.held >= announceAfter*w.every:
		w.move(Down, w.down)
	case w.announced == Operational && w.bad.held >= announceAfter*w.every:
		w.move(Degraded, w.bad)
	case w.announced == Down && w.state == Degraded && w.notDown.held >= announceAfter*w.every:
		w.move(Degraded, later(w.notDown, w.bad)) // both agree since it is degraded
	}
}

// later returns the streak that began later.
func later(a, b streak) streak {
	if b.since.After(a.since) {
		return b
	}
	return a
}

// move adds a transition to the pending ones.
func (w *watched) move(to string, s streak) {
	if w.announced == Operational {
		w.impaired = w.bad.held
	}
	t := Transition{
		Component: w.name, From: w.announced, To: to, Since: s.since, Duration: s.held,
		Message: sentence(w.name, w.message),
	}
	if to == Operational {
		t.Duration = w.impaired
	}
	w.announced, w.since = to, s.since
	w.pending = compact(append(w.pending, t))
}

// compact limits the pending transitions of a component, which grow only while the store fails.
// It removes the oldest transitions that together changed nothing. Of four states in a row at
// least two are the same, because there are three.
func compact(list []Transition) []Transition {
	switch {
	case len(list) <= mostPending:
		return list
	case list[0].From == list[1].To:
		return slices.Delete(list, 0, 2)
	case list[1].From == list[2].To:
		return slices.Delete(list, 1, 3)
	}
	return slices.Delete(list, 0, 3)
}

// standing returns the announced state for the store.
func (w *watched) standing() standing {
	return standing{State: w.announced, Since: w.since, Impaired: int(w.impaired.Seconds())}
}
