package watches

import (
	"fmt"
	"hash/fnv"
	"time"
)

// tiers says how often a watch is evaluated while its time is more than ahead away (ours: facts
// change faster the nearer they are, and forecasts begin to cover the time).
var tiers = []struct{ ahead, every time.Duration }{
	{72 * time.Hour, 6 * time.Hour},
	{24 * time.Hour, 2 * time.Hour},
	{6 * time.Hour, 30 * time.Minute},
	{0, 10 * time.Minute},
}

// grace is the time after the time of a watch until it ends. It is that for which a decision can be
// requested.
const grace = 15 * time.Minute

// interval returns how often a watch is evaluated whose time is ahead, at least least apart.
func interval(ahead, least time.Duration) time.Duration {
	for _, t := range tiers {
		if ahead > t.ahead {
			return max(t.every, least)
		}
	}
	return max(tiers[len(tiers)-1].every, least)
}

// jitter is the longest delay of an evaluation after its regular time.
const jitter = 10 * time.Second

// nextEvaluation returns when a watch is evaluated after now. All watches of a station fall on the
// same instants, so that they share the responses of providers. The stations are spread evenly, and
// the delay of a station differs from time to time. The last evaluation is at the end of the watch.
func nextEvaluation(now, at time.Time, station string, least time.Duration) time.Time {
	every := interval(at.Sub(now), least)
	regular := now.Truncate(every).Add(spread(station, every) - every)
	next := regular
	for !next.After(now) {
		regular = regular.Add(every)
		next = regular.Add(spread(fmt.Sprint(station, regular.Unix()), jitter))
	}
	if end := at.Add(grace); next.After(end) {
		return end
	}
	return next
}

// spread returns whole seconds, as stored, below a limit that follow from a text.
func spread(text string, limit time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(text))
	return time.Duration(h.Sum64()%uint64(limit/time.Second)) * time.Second
}

// evaluations returns how many evaluations of a watch are scheduled from now to its end.
func evaluations(now, at time.Time, least time.Duration) (n int) {
	ahead := at.Sub(now)
	for _, t := range tiers {
		if ahead > t.ahead {
			every := max(t.every, least)
			n += int((ahead - t.ahead + every - 1) / every)
			ahead = t.ahead
		}
	}
	return n + 1 // once more after its time
}

// mostUnits returns how many units a watch costs at most that is created now: one for its first
// decision, one for each evaluation, and an eighth more after changes.
func mostUnits(now, at time.Time, least time.Duration) int {
	n := evaluations(now, at, least)
	return 1 + n + (n+7)/8
}
