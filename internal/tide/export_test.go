package tide

import (
	"slices"
	"time"
)

// Turn is a turn for the tests outside the package.
type Turn struct {
	At     float64 // Unix seconds
	Height float64
	High   bool
}

// Turns returns the turns of the curve between two instants, as Extremes finds them
// before offsets and rules.
func (c *Curve) Turns(from, to time.Time) []Turn {
	return c.turnsOn(c.grid, from, to)
}

// CurrentTurns returns the turns as Events finds them.
func (c *Curve) CurrentTurns(from, to time.Time) []Turn {
	return c.turnsOn(min(currentGrid, c.grid), from, to)
}

func (c *Curve) turnsOn(grid time.Duration, from, to time.Time) (list []Turn) {
	for _, t := range newSurvey(unix(from), unix(to), grid, c.used).search(c, nil) {
		list = append(list, Turn{t.at, t.height, t.high})
	}
	return list
}

// Grid returns the step of the grid on which the curve is sampled.
func (c *Curve) Grid() time.Duration { return c.grid }

// Unfiltered returns the station's high and low waters between two instants,
// close pairs included.
func (t Tides) Unfiltered(from, to time.Time) []Extreme {
	s := requestOf(from, to)
	return s.publish(t.turns(s.first(), s.last()), nil)
}

// Listed is an event of the reference's curve.
type Listed struct {
	CurrentEvent
	Origin time.Time // of the event of the reference, not rounded
	Alone  bool      // an event of its phase within the hour after it is not listed
}

// Listed returns the events that derive from the turns between two instants, in the order of the
// curve.
func (c Currents) Listed(from, to time.Time) (list []Listed) {
	all := c.events(c.withoutRipples(c.turns(unix(from), unix(to), nil)), nil)
	for _, d := range single(slices.Clone(all)) {
		alone := slices.ContainsFunc(all, func(o drift) bool {
			return o.phase == d.phase && o.origin > d.origin && o.origin < d.origin+together
		})
		origin := time.Unix(0, int64(d.origin*1e9)).UTC()
		list = append(list, Listed{c.publish(d, toMinute(d.at)), origin, alone})
	}
	return list
}
