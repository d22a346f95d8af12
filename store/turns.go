package store

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// DueWatch is a watch that is due.
type DueWatch struct {
	At      time.Time // that it asks about
	Station string
	ID      string
	Account string
}

// nearest orders watches by the time that they ask about.
func nearest(a, b DueWatch) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Station, b.Station),
		strings.Compare(a.ID, b.ID))
}

// Turns remembers in memory when accounts had watches claimed, so that they take turns. It is for
// engines, and safe for concurrent use.
type Turns struct {
	mu   sync.Mutex
	now  uint64            // number of the last claim; guarded by mu
	last map[string]uint64 // by account: the number of its last claim; guarded by mu
}

// NewTurns returns turns in which all accounts are equal.
func NewTurns() *Turns { return &Turns{last: map[string]uint64{}} }

// mostTurns bounds the memory of turns. Beyond it all accounts are equal again.
const mostTurns = 100_000

// Choose returns the watches to claim among those that are due, of at most n stations and at most
// MostClaimed of each, in the order of their turns. It reorders due.
func (t *Turns) Choose(due []DueWatch, n int) (chosen []DueWatch) {
	slices.SortFunc(due, nearest)
	for range n {
		var station []DueWatch
		station, due = t.next(due)
		if chosen = append(chosen, station...); len(due) == 0 {
			break
		}
	}
	return chosen
}

// next chooses a station among due watches, which are in order of nearest. It returns the watches
// of the station to claim, in the order of their turns, and those of the other stations.
func (t *Turns) next(due []DueWatch) (chosen, others []DueWatch) {
	if len(due) == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first := slices.MinFunc(due, func(a, b DueWatch) int {
		return cmp.Compare(t.last[a.Account], t.last[b.Account])
	})
	for _, d := range due {
		if d.Station == first.Station {
			chosen = append(chosen, d)
		} else {
			others = append(others, d)
		}
	}
	chosen = t.byTurns(chosen)
	chosen = chosen[:min(len(chosen), MostClaimed)]
	if t.now++; len(t.last) > mostTurns {
		clear(t.last)
	}
	for _, d := range chosen {
		t.last[d.Account] = t.now
	}
	return chosen, others
}

// byTurns orders watches so that each account has one before any has a second. The account whose
// last claim is the oldest begins.
func (t *Turns) byTurns(list []DueWatch) []DueWatch {
	had := map[string]int{}
	turn := make(map[string]int, len(list))
	for _, d := range list {
		turn[d.ID] = had[d.Account]
		had[d.Account]++
	}
	slices.SortStableFunc(list, func(a, b DueWatch) int {
		return cmp.Or(cmp.Compare(turn[a.ID], turn[b.ID]),
			cmp.Compare(t.last[a.Account], t.last[b.Account]))
	})
	return list
}
