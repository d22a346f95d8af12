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
// It ends where the state changes, as it does where the data of a fact that
// the activity cannot do without ends. An unknown state holds for no time.
func (c *check) window(s State) *Stretch {
	if s == Unknown {
		return nil
	}
	earliest := c.from.Add(-windowReach)
	if earliest.Before(c.now) {
		earliest = c.now
	}
	w := &Stretch{c.from, c.from}
	for t := c.from.Add(-windowStep); !t.Before(earliest) && c.elsewhere(t) == s; t = t.Add(-windowStep) {
		w.From = t
	}
	for t := c.from.Add(windowStep); t.Sub(c.from) <= windowReach && c.elsewhere(t) == s; t = t.Add(windowStep) {
		w.To = t
	}
	w.From, w.To = w.From.In(c.facts.Zone), w.To.In(c.facts.Zone)
	return w
}

// elsewhere is the state of another time.
func (c *check) elsewhere(at time.Time) State {
	return newCheck(Request{Activity: c.activity, At: at, Now: c.now}, c.facts).read().state()
}
