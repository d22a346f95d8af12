// Package passage finds when a vessel can go through passes with tidal currents.
//
// Predicted currents at consecutive minutes and the limits of a vessel go in. Out come the
// departures at which every limit is kept, joined to windows, each with its best trip. The
// package does not predict currents, and does not know places, directions or clocks: minutes are
// counted from the first departure.
//
// In a pass, the vessel's speed over ground is its speed through the water plus the current along
// its course, integrated over minutes. Between passes it has its speed through the water: the
// currents act in the passes only, and the vessel never waits.
package passage

import (
	"math"
	"slices"
)

// Slowest is the speed over ground in knots that a vessel must exceed in a pass (ours): slower
// passages depend on small errors of the prediction.
const Slowest = 0.5

// Gate is a pass, and the way to it.
type Gate struct {
	Leg      float64 // nautical miles from the departure or from the end of the gate before
	Distance float64 // nautical miles through the pass
	Current  float64 // highest speed of the current, knots
	Against  float64 // highest speed of the current against the course, knots
	Stream
}

// Stream holds the current in a pass at consecutive minutes from the first departure on. Both
// lists have the same length.
type Stream struct {
	Along  []float64 // along the course, knots; negative against it
	Speeds []float64 // in any direction, knots
}

// Passing is the way of a trip through a gate.
type Passing struct {
	Enter, Leave float64 // minutes after the first departure
	Current      float64 // highest speed of the current
	With         float64 // highest speed of the current along the course, at least 0
	Against      float64 // highest speed against it, at least 0
	Across       float64 // highest speed across it, which is not subtracted from the way
	Turns        int     // how often the current along the course changes its direction
}

// Trip is a departure that keeps every limit.
type Trip struct {
	Depart, Arrive int // minutes after the first departure; Arrive is rounded up
	Gates          []Passing
}

// Minutes returns the length of the trip.
func (t Trip) Minutes() int { return t.Arrive - t.Depart }

// Window is a series of consecutive minutes at which the vessel can depart.
type Window struct {
	First, Last int   // the first and the last departure
	Best        Trip  // the shortest; of equal ones, the one with the least current that opposes it
	Met         []Met // at each gate
}

// Met is the current that the trips of a window meet at a gate, at each minute from the first
// entry to the last exit.
type Met struct {
	First, Last     int     // minutes after the first departure, both included
	Lowest, Highest float64 // along the course; negative against it
	Most            float64 // highest speed
}

// Range is a series of minutes, both ends included.
type Range struct{ First, Last int }

// Windows returns the departures within some ranges at which a vessel with a speed through the
// water (knots, positive) keeps the limits of all gates, in order of time. The ranges are disjoint,
// in order and not negative. A departure whose trip continues after the end of a stream does not
// count.
func Windows(speed float64, gates []Gate, departures []Range) []Window {
	s := newSearch(speed, gates)
	var list []Window
	for _, r := range departures {
		var best trip // of the open window
		var met []Met
		open := false
		for at := r.First; at <= r.Last; at++ {
			arrive, ok := s.arrival(at)
			if ok {
				if !open {
					list = append(list, Window{First: at})
					best, open = trip{depart: at, arrive: math.MaxInt}, true
					met = make([]Met, len(gates))
				}
				s.meet(met, at == list[len(list)-1].First)
				best = s.better(trip{depart: at, arrive: arrive}, best)
			}
			if open && (!ok || at == r.Last) {
				w := &list[len(list)-1]
				w.Best, w.Met, open = s.detailed(best), met, false
				s.measure(met)
				if w.Last = at; !ok {
					w.Last = at - 1
				}
			}
		}
	}
	return list
}

// trip is the summary of a trip.
type trip struct {
	depart, arrive int
	against        float64
}

// search holds what the departures have in common. Later departures enter each gate later, so that
// each gate is walked once.
type search struct {
	gates []walk
}

func newSearch(speed float64, gates []Gate) *search {
	s := &search{gates: make([]walk, len(gates))}
	for i := range gates {
		s.gates[i] = newWalk(speed, &gates[i])
	}
	return s
}

// epsilon absorbs rounding errors of times in minutes.
const epsilon = 1e-6

// arrival returns the minute of arrival of a departure, rounded up. ok is false if the trip breaks
// a limit.
func (s *search) arrival(depart int) (arrive int, ok bool) {
	at := float64(depart)
	for i := range s.gates {
		g := &s.gates[i]
		g.enter = at + g.approach
		if g.left, ok = g.leave(g.enter); !ok {
			return 0, false
		}
		at = g.left
	}
	return int(math.Ceil(at - epsilon)), true
}

// better returns the better one of the trip whose arrival was computed last and another. The
// current against the course is computed only if the lengths do not decide.
func (s *search) better(t, than trip) trip {
	d, e := t.arrive-t.depart, than.arrive-than.depart
	if d > e {
		return than
	}
	for i := range s.gates {
		t.against = max(t.against, s.gates[i].opposed())
	}
	if d < e || t.against < than.against {
		return t
	}
	return than
}

// meet extends the minutes at each gate by those of the trip whose arrival was computed last.
func (s *search) meet(met []Met, first bool) {
	for i := range s.gates {
		enter, leave := minutesOf(s.gates[i].enter, s.gates[i].left)
		if first {
			met[i].First = enter
		}
		met[i].Last = leave
	}
}

// measure fills in the current of the minutes at each gate.
func (s *search) measure(met []Met) {
	for i := range met {
		m, g := &met[i], s.gates[i].Gate
		along := g.Along[m.First : m.Last+1]
		m.Lowest, m.Highest = slices.Min(along), slices.Max(along)
		m.Most = slices.Max(g.Speeds[m.First : m.Last+1])
	}
}

// opposed returns the current against the course during the last passing. At a gate without length,
// which takes no time, it is the current in any direction: the best minute is that of slack.
func (w *walk) opposed() float64 {
	first, last := minutesOf(w.enter, w.left)
	if w.Distance == 0 {
		return slices.Max(w.Speeds[first : last+1])
	}
	return w.against.over(first, last)
}

// detailed returns a trip with its passings.
func (s *search) detailed(t trip) Trip {
	out := Trip{Depart: t.depart, Arrive: t.arrive, Gates: make([]Passing, len(s.gates))}
	at := float64(t.depart)
	for i := range s.gates {
		g := &s.gates[i]
		p := Passing{Enter: at + g.approach}
		p.Leave, _ = g.leave(p.Enter)
		at = p.Leave
		first, last := minutesOf(p.Enter, p.Leave)
		before := 0.0
		for i := first; i <= last; i++ {
			v := g.Along[i]
			p.Current, p.With, p.Against = max(p.Current, g.Speeds[i]), max(p.With, v), max(p.Against, -v)
			p.Across = max(p.Across, math.Sqrt(max(0, g.Speeds[i]*g.Speeds[i]-v*v)))
			if v*before < 0 {
				p.Turns++
			}
			if v != 0 {
				before = v
			}
		}
		out.Gates[i] = p
	}
	return out
}

// minutesOf returns the first and the last whole minute that a passing touches.
func minutesOf(enter, leave float64) (first, last int) {
	return int(enter + epsilon), int(math.Ceil(leave - epsilon))
}

// walk finds the ends of passings through one gate.
type walk struct {
	*Gate
	approach    float64   // minutes of the leg before
	way         []float64 // nautical miles over ground from minute 0 to each minute
	broken      []int32   // the first minute from each one on at which a limit is broken
	against     slider
	at          int     // where the last passing ended
	enter, left float64 // the ends of the last passing of a search
}

func newWalk(speed float64, g *Gate) walk {
	n := len(g.Along)
	w := walk{
		Gate: g, approach: 60 * g.Leg / speed,
		way: make([]float64, n), broken: make([]int32, n+1), against: slider{values: g.Along},
	}
	for i := 1; i < n; i++ {
		w.way[i] = w.way[i-1] + (2*speed+g.Along[i-1]+g.Along[i])*(1.0/120)
	}
	next := int32(n)
	w.broken[n] = next
	for i := n - 1; i >= 0; i-- {
		if g.breaks(speed, i) {
			next = int32(i)
		}
		w.broken[i] = next
	}
	return w
}

// breaks reports whether a limit is broken at a minute. At a gate without length only the speed of
// the current counts.
func (g *Gate) breaks(speed float64, i int) bool {
	if g.Speeds[i] > g.Current {
		return true
	}
	return g.Distance > 0 && (-g.Along[i] > g.Against || speed+g.Along[i] <= Slowest)
}

// leave returns the end of the passing that begins at a minute. ok is false if a limit is broken
// or the stream ends before.
func (w *walk) leave(enter float64) (at float64, ok bool) {
	first := int(enter + epsilon)
	last := len(w.way) - 1
	if first > last || math.Ceil(enter-epsilon) > float64(last) {
		return 0, false
	}
	limit := int(w.broken[first])
	if limit == first {
		return 0, false
	}
	if w.Distance == 0 {
		return enter, limit > int(math.Ceil(enter-epsilon))
	}
	goal := w.position(enter) + w.Distance
	// Between broken minutes the way grows, so that later passings end later.
	i := max(w.at, first)
	if i > last || w.way[i] >= goal { // after a passing that a limit has ended
		i = first
	}
	for w.way[i] < goal-epsilon*epsilon {
		if i++; i > last || i >= limit {
			return 0, false
		}
	}
	w.at = max(i-1, 0)
	step := w.way[i] - w.way[i-1]
	return float64(i) - (w.way[i]-goal)/step, true
}

// position returns the nautical miles over ground from minute 0.
func (w *walk) position(at float64) float64 {
	i := int(at + epsilon)
	part := at - float64(i)
	if part <= epsilon || i+1 >= len(w.way) {
		return w.way[i]
	}
	return w.way[i] + part*(w.way[i+1]-w.way[i])
}

// slider returns the highest current against the course in ranges whose ends do not decrease.
type slider struct {
	values []float64 // negative against the course
	queue  []int     // candidates in order of time, each more against the course than the next
	next   int       // the first value that was not queued
}

// over returns the highest current against the course from a minute to another, at least 0.
func (s *slider) over(first, last int) float64 {
	if first >= s.next {
		s.queue, s.next = s.queue[:0], first
	}
	for ; s.next <= last; s.next++ {
		for n := len(s.queue); n > 0 && s.values[s.queue[n-1]] >= s.values[s.next]; n-- {
			s.queue = s.queue[:n-1]
		}
		s.queue = append(s.queue, s.next)
	}
	for s.queue[0] < first {
		s.queue = s.queue[1:]
	}
	return max(0, -s.values[s.queue[0]])
}
