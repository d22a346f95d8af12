package tide

import (
	"math"
	"slices"
)

// apart is NOAA's least time between two neighbouring high or low waters, in
// seconds. Pairs 97 to 112 minutes apart are missing from the published
// tables, pairs 121 minutes apart are there; what happens to gaps of 113 to
// 120 minutes has not been seen.
const apart = 7200

// settle drops from turns in order of time every pair of neighbours less than
// two hours apart, the closest pair first and the earlier of two equal ones,
// until no such pair is left. It works in the turns' own memory.
//
// That the closest pair goes first is our reading of NOAA's rule for the rare
// chains of three and more turns that stand so close; no published example of
// one is known to us. The rule asks for no types: at a subordinate station
// whose offsets put two high waters side by side, these too are dropped if
// they are closer than two hours.
//
// A pair that is closer than its neighbours on both sides goes before them
// wherever else pairs are dropped, and leaves a gap wider than its own. So one
// pass over the list with a stack does it. Turns on the two sides of a gap of
// two hours or more do not influence each other.
func settle(list []turn) []turn {
	kept := list[:0]
	for _, t := range list {
		for n := len(kept); n >= 2 && closer(kept, t.at); n = len(kept) {
			kept = kept[:n-2]
		}
		kept = append(kept, t)
	}
	for closer(kept, math.Inf(1)) {
		kept = kept[:len(kept)-2]
	}
	return kept
}

// closer reports whether the last two of the turns are less than two hours
// apart and not further from each other than the later one from next. The gap
// before them is wider, for settle would have dropped it else.
func closer(kept []turn, next float64) bool {
	n := len(kept)
	if n < 2 {
		return false
	}
	gap := kept[n-1].at - kept[n-2].at
	return gap < apart && gap <= next-kept[n-1].at
}

// complete reports whether the turns found between two instants tell
// everything about those within a span: whether a gap of two hours or more, in
// which nothing was overlooked, stands before the first and after the last
// turn of the span.
func complete(list []turn, from, to float64, s span) bool {
	return clearBefore(list, from, s) && clearAfter(list, to, s)
}

func clearBefore(list []turn, edge float64, s span) bool {
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

func clearAfter(list []turn, edge float64, s span) bool {
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
