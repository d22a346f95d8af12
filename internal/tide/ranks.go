package tide

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Highest returns the high waters of events from the highest on, equal ones in order of
// time.
func Highest(events []Extreme) []Extreme { return ranked(events, true, -1) }

// Lowest returns the low waters of events from the lowest on, equal ones in order of time.
func Lowest(events []Extreme) []Extreme { return ranked(events, false, 1) }

// ranked returns the high or the low waters by sign·height.
func ranked(events []Extreme, high bool, sign float64) []Extreme {
	list := []Extreme{}
	for _, e := range events {
		if e.High == high {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Extreme) int {
		return cmp.Or(cmp.Compare(sign*a.Height, sign*b.Height), a.Time.Compare(b.Time))
	})
	return list
}

// Percentile returns the percentage of the high waters in events that are lower than
// height, 0 if there are none.
func Percentile(events []Extreme, height float64) float64 {
	highs, lower := 0, 0
	for _, e := range events {
		if e.High {
			highs++
			if e.Height < height {
				lower++
			}
		}
	}
	return 100 * float64(lower) / float64(max(highs, 1))
}

// KingTide is a group of the highest high waters of a year.
type KingTide struct {
	Highs   []Extreme // in order of time
	Highest Extreme
	Rank    int // by Highest among the king tides of the year, from 1
}

// kingShare and kingGap define king tides, for which there is no official definition: the
// highest 2 % of the high waters of a calendar year (from the 98th percentile on), in groups
// that are more than 5 days apart. Both are ours. A fixed height would leave whole years
// without king tides in the moon's cycle of 18.6 years.
const (
	kingShare = 0.98
	kingGap   = 5 * 24 * time.Hour
)

// KingTides returns the king tides of a calendar year, given its high and low waters in
// order of time: about 16 high waters in 4 to 6 groups where the tide is semidiurnal.
func KingTides(year []Extreme) []KingTide {
	highs := Highest(year)
	if len(highs) == 0 {
		return []KingTide{}
	}
	least := highs[len(highs)-1-int(kingShare*float64(len(highs)-1))].Height
	kings := []KingTide{}
	for _, e := range year {
		if !e.High || e.Height < least {
			continue
		}
		n := len(kings) - 1
		if n < 0 || e.Time.Sub(kings[n].Highs[len(kings[n].Highs)-1].Time) > kingGap {
			kings = append(kings, KingTide{Highest: e})
			n++
		}
		k := &kings[n]
		k.Highs = append(k.Highs, e)
		if e.Height > k.Highest.Height {
			k.Highest = e
		}
	}
	for i := range kings {
		kings[i].Rank = 1
		for j := range kings {
			if c := cmp.Compare(kings[j].Highest.Height, kings[i].Highest.Height); c > 0 || c == 0 && j < i {
				kings[i].Rank++
			}
		}
	}
	return kings
}

// MoonPhase is a time of the moon's motion that brings great or small ranges of the tide:
// at semidiurnal stations new and full moon (Spring) and the quarters, at diurnal ones the
// greatest declination (Spring) and the passage of the equator.
type MoonPhase struct {
	Time   time.Time
	Spring bool
}

// SpringTide is the greatest range of the tide near a MoonPhase that brings great ones, or
// the least near another (a neap tide).
type SpringTide struct {
	Moon      MoonPhase
	High, Low Extreme // the highest high and the lowest low water of 25 hours
}

// Range returns the difference of the two heights in meters.
func (s SpringTide) Range() float64 { return s.High.Height - s.Low.Height }

// Lag returns the time from the moon's phase to the middle of the two waters, negative if
// the tide comes first.
func (s SpringTide) Lag() time.Duration {
	return s.High.Time.Add(s.Low.Time.Sub(s.High.Time) / 2).Sub(s.Moon.Time)
}

// The range of a tide is taken over a lunar day, 25 hours, that begins within some days
// of the phase. Measured lags of spring tides are -0.5 days (Honolulu) to 1.5 days
// (Seattle, Anchorage); the bounds, which leave room for a bad year, are ours.
const (
	lunarDay   = 25 * time.Hour
	springFrom = -3 * 24 * time.Hour
	springTo   = 5 * 24 * time.Hour
)

// SpringTides returns the spring or neap tide of each phase, in the order of phases. The
// high and low waters in events must be in order of time, from 3 days before the first
// phase to 5 days after the last: a phase without events is omitted.
func SpringTides(events []Extreme, phases []MoonPhase) []SpringTide {
	tides := []SpringTide{}
	for _, p := range phases {
		if s, ok := springTide(events, p); ok {
			tides = append(tides, s)
		}
	}
	return tides
}

// springTide compares the ranges of 25 hours in steps of an hour.
func springTide(events []Extreme, p MoonPhase) (best SpringTide, found bool) {
	from, last := p.Time.Add(springFrom), p.Time.Add(springTo-lunarDay)
	for ; !from.After(last); from = from.Add(time.Hour) {
		s := SpringTide{Moon: p}
		var ok bool
		s.High, s.Low, ok = extent(eventsIn(events, from, from.Add(lunarDay)))
		more := s.Range() - best.Range()
		if ok && (!found || p.Spring && more > 0 || !p.Spring && more < 0) {
			best, found = s, true
		}
	}
	return best, found
}

// eventsIn returns the events in [from, to).
func eventsIn(events []Extreme, from, to time.Time) []Extreme {
	at := func(t time.Time) int {
		i, _ := slices.BinarySearchFunc(events, t, func(e Extreme, t time.Time) int {
			return e.Time.Compare(t)
		})
		return i
	}
	return events[at(from):max(at(from), at(to))]
}

// extent returns the highest high and the lowest low water, the first of equal ones.
func extent(events []Extreme) (high, low Extreme, ok bool) {
	high.Height, low.Height = math.Inf(-1), math.Inf(1)
	for _, e := range events {
		if e.High && e.Height > high.Height {
			high = e
		}
		if !e.High && e.Height < low.Height {
			low = e
		}
	}
	return high, low, !high.Time.IsZero() && !low.Time.IsZero()
}
