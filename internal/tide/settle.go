package tide

import (
	"math"
	"slices"
)

// apart and alike bound the pairs of neighboring high and low waters that NOAA omits.
// NOAA lists neither if they are less than two hours (in seconds) and less than 0.1 ft
// (in meters) apart. Source: NOAA CO-OPS, predictions of high and low water above MLLW,
// GMT, computed turns compared with listed rows. NOAA omits the pair of 2026-12-20 11:13
// at 9449988 (104 min, 0.096 ft) and the pair of 2027-11-05 02:33 at TWC1189 (28 min,
// 0.08 ft). It lists the pairs at TWC1189 of 2027-11-06 03:23 (58 min, 0.12 ft) and
// 2027-11-04 00:18 (114 min, 0.15 ft), at 9449292 of 2027-11-05 02:36 (28 min, 0.14 ft),
// and at 9449988 of 2026-12-19 09:55 (120 min, 0.14 ft).
const (
	apart = 7200
	alike = 0.1 * 0.3048
)

// settle removes every close pair from turns in order of time, the pair with the smallest
// gap first and the earlier of equal ones, until none remains. It reuses the memory of
// turns.
//
// Removing the smallest gap first is our interpretation of NOAA's rule for chains of
// close turns; we know of no published example of such a chain. Turns on the two sides
// of a gap of two hours or more do not influence each other.
func settle(list []turn) []turn {
	kept := list[:0]
	for len(list) > 0 {
		n := chain(list)
		kept = append(kept, thin(list[:n])...)
		list = list[n:]
	}
	return kept
}

// longestChain bounds the work of thin, which grows with the square of the length; longer
// chains are split. Chains at NOAA's stations have at most seven turns (all stations,
// 2027).
const longestChain = 64

// chain returns the length of the first chain of list, at least one turn. Each turn of a
// chain is less than two hours from the next.
func chain(list []turn) int {
	n := 1
	for n < min(len(list), longestChain) && list[n].at-list[n-1].at < apart {
		n++
	}
	return n
}

// thin implements settle for one chain.
func thin(chain []turn) []turn {
	for {
		best, least := 0, math.Inf(1)
		for i := 1; i < len(chain); i++ {
			if gap := chain[i].at - chain[i-1].at; gap < least && closePair(chain[i-1], chain[i]) {
				best, least = i, gap
			}
		}
		if best == 0 {
			return chain
		}
		chain = slices.Delete(chain, best-1, best+1)
	}
}

// closePair reports whether two neighbors are omitted. Two high or two low waters, which
// the offsets of a subordinate station can bring together, are listed; otherwise the rows
// would no longer alternate where they did before.
func closePair(a, b turn) bool {
	return b.at-a.at < apart && math.Abs(b.height-a.height) < alike && a.high != b.high
}

// complete reports whether the turns found between two instants decide which turns of a
// span are listed. That requires a gap of two hours or more, completely searched, before
// the first and after the last turn of the span.
func complete(list []turn, from, to float64, s request) bool {
	return clearBefore(list, from, s) && clearAfter(list, to, s)
}

func clearBefore(list []turn, edge float64, s request) bool {
	for _, t := range list {
		if t.at-edge >= apart {
			return true
		}
		if t.at >= s.first() {
			return false
		}
		edge = t.at
	}
	return true
}

func clearAfter(list []turn, edge float64, s request) bool {
	for _, t := range slices.Backward(list) {
		if edge-t.at >= apart {
			return true
		}
		if t.at <= s.last() {
			return false
		}
		edge = t.at
	}
	return true
}

// publish appends the turns whose minute lies in the span to events.
func (s request) publish(turns []turn, events []Extreme) []Extreme {
	for _, t := range turns {
		if minute := toMinute(t.at); s.holds(minute) {
			events = append(events, Extreme{Time: instant(minute), Height: t.height, High: t.high})
		}
	}
	return events
}
