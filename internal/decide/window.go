package decide

import "time"

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
