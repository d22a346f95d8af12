package almanac

import (
	"fmt"
	"math"
	"time"

	"leadline/internal/facts"
)

// first returns the first of an event's times, to the second, or nil if there is none.
func first(times []time.Time, z facts.Zone) *time.Time {
	if len(times) == 0 {
		return nil
	}
	return &inZone(times[:1], z)[0]
}

// inZone returns times to the second in a zone.
func inZone(times []time.Time, z facts.Zone) []time.Time {
	out := make([]time.Time, len(times))
	for i, t := range times {
		out[i] = t.Round(time.Second).In(z.Location)
	}
	return out
}

// listOf returns all times of an event on a day, of which the field for days with several may be
// empty.
func listOf(one *time.Time, several []time.Time) []time.Time {
	if len(several) == 0 && one != nil {
		return []time.Time{*one}
	}
	return several
}

// twice returns a note if an event occurs twice on a day. This can happen when the midnight
// sun begins or ends, or when the clocks go back an hour.
func twice(d facts.Interval, z facts.Zone, what string, times []time.Time) []string {
	if len(times) < 2 {
		return nil
	}
	return []string{fmt.Sprintf(
		"%s comes twice on %s: also at %s.", what, d.From.Format(time.DateOnly),
		first(times[1:], z).Format(time.RFC3339),
	)}
}

func thousandths(v float64) float64 { return math.Round(v*1000)/1000 + 0 }
