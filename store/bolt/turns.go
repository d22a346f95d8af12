package bolt

import (
	"cmp"
	"slices"
	"sync"

	"leadline/store"
)

// turns remembers in memory when accounts had watches claimed, so that they take turns.
type turns struct {
	mu   sync.Mutex
	now  uint64            // number of the last claim; guarded by mu
	last map[string]uint64 // by account: the number of its last claim; guarded by mu
}

func newTurns() *turns { return &turns{last: map[string]uint64{}} }

// mostTurns bounds the memory of turns. Beyond it all accounts are equal again.
const mostTurns = 100_000

// next chooses a station among due watches, which are in order of nearest. It returns the watches
// of the station to claim, in the order of their turns, and those of the other stations.
func (t *turns) next(due []dueAt) (chosen, others []dueAt) {
	if len(due) == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first := slices.MinFunc(due, func(a, b dueAt) int {
		return cmp.Compare(t.last[a.account], t.last[b.account])
	})
	for _, d := range due {
		if d.station == first.station {
			chosen = append(chosen, d)
		} else {
			others = append(others, d)
		}
	}
	chosen = t.byTurns(chosen)
	chosen = chosen[:min(len(chosen), store.MostClaimed)]
	if t.now++; len(t.last) > mostTurns {
		clear(t.last)
	}
	for _, d := range chosen {
		t.last[d.account] = t.now
	}
	return chosen, others
}

// byTurns orders watches so that each account has one before any has a second. The account whose
// last claim is the oldest begins.
func (t *turns) byTurns(list []dueAt) []dueAt {
	had := map[string]int{}
	turn := make(map[string]int, len(list))
	for _, d := range list {
		turn[d.id] = had[d.account]
		had[d.account]++
	}
	slices.SortStableFunc(list, func(a, b dueAt) int {
		return cmp.Or(cmp.Compare(turn[a.id], turn[b.id]),
			cmp.Compare(t.last[a.account], t.last[b.account]))
	})
	return list
}
