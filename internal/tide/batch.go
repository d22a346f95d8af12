package tide

import "time"

// batch predicts the events of many stations over one span.
type batch struct {
	span
	stations []Tides
	// Stations of one curve are chained: next holds for each station the
	// following one or −1, leads tells the first.
	next    []int
	leads   []bool
	surveys map[area]*survey
	used    int // constituents below this index occur
	// Memory that serves one station after the other.
	turns, shifted []turn
	// events of all stations; those of station i are between bounds[i].
	events []Extreme
	bounds [][2]int
}

// area is what a survey depends on within a batch.
type area struct {
	from, to float64
	grid     time.Duration
}

func newBatch(stations []Tides, s span) *batch {
	b := &batch{
		span: s, stations: stations,
		next: make([]int, len(stations)), leads: make([]bool, len(stations)),
		surveys: make(map[area]*survey), bounds: make([][2]int, len(stations)),
		turns: make([]turn, 0, min(s.usual()+16, 1<<14)), shifted: make([]turn, 0, min(s.usual()+16, 1<<14)),
		events: make([]Extreme, 0, min(len(stations)*s.usual(), 1<<16)),
	}
	last := make(map[*Curve]int, len(stations))
	for i, t := range stations {
		b.next[i] = -1
		b.used = max(b.used, t.Curve.used)
		before, seen := last[t.Curve]
		if seen {
			b.next[before] = i
		}
		b.leads[i] = !seen
		last[t.Curve] = i
	}
	return b
}

// predict finds the events of station i and of all others of its curve.
func (b *batch) predict(i int) {
	var back, on float64
	for j := i; j >= 0; j = b.next[j] {
		back, on = min(back, b.stations[j].reachBack()), max(on, b.stations[j].reachOn())
	}
	curve := b.stations[i].Curve
	b.turns = b.survey(back, on, curve).search(curve, b.turns[:0])
	for j := i; j >= 0; j = b.next[j] {
		start := len(b.events)
		b.events = b.publish(b.settle(b.stations[j]), b.events)
		b.bounds[j] = [2]int{start, len(b.events)}
	}
}

// survey covers the span, the narrowest margin and offsets between back and
// on seconds. Offsets are taken in steps of half a day, so that few surveys do.
func (b *batch) survey(back, on float64, c *Curve) *survey {
	const step = 12 * 3600
	for bound := 0.0; ; bound += step {
		if -back <= bound && on <= bound {
			back, on = -bound, bound
			break
		}
	}
	a := area{b.first() - margins[0] - on, b.last() + margins[0] - back, c.grid}
	v := b.surveys[a]
	if v == nil {
		v = newSurvey(a.from, a.to, a.grid, b.used)
		b.surveys[a] = v
	}
	return v
}

// settle are the turns of a station that remain.
func (b *batch) settle(t Tides) []turn {
	from, to := b.first()-margins[0], b.last()+margins[0]
	b.shifted = t.shift(b.turns, from, to, b.shifted[:0])
	if complete(b.shifted, from, to, b.span) {
		return settle(b.shifted)
	}
	return t.settled(b.span)
}

// results are the events of each station. Their memory is shared, but none
// can be appended into another's.
func (b *batch) results() [][]Extreme {
	lists := make([][]Extreme, len(b.stations))
	for i, at := range b.bounds {
		lists[i] = b.events[at[0]:at[1]:at[1]]
	}
	return lists
}
