package tide

import (
	"math"
	"slices"
	"time"
)

// Tides predicts the tide at one station. For a reference station, Curve is its own and
// Level the height of mean sea level above the requested datum. For a subordinate one,
// Curve is the reference's, Level the reference's MSL above its MLLW, and Offsets is set;
// heights then are above the subordinate's MLLW.
type Tides struct {
	Curve   *Curve
	Level   float64 // meters
	Offsets *Offsets

	Almanac *Almanac // keeps the results of Extremes; nil to compute all
}

// Extremes returns the high and low waters whose published minute lies in [from, to], in
// order of time. They agree with NOAA's to NOAA's own rounding: half a minute and half a
// millimeter. A high and a low water that follow each other in less than two hours and
// differ by less than 0.1 ft are both omitted. At a few subordinate stations the offsets
// change the order of events, so that two highs or two lows may follow each other.
func (t Tides) Extremes(from, to time.Time) []Extreme {
	s := requestOf(from, to)
	if t.Almanac != nil {
		if events, ok := t.Almanac.extremes(t.predictor(), s, t.settled); ok {
			return events
		}
	}
	events := make([]Extreme, 0, min(s.usual(), 1<<14))
	return s.publish(t.settled(s), events)
}

// predictor returns the values that determine the events.
func (t Tides) predictor() predictor {
	p := predictor{curve: t.Curve, level: t.Level}
	if t.Offsets != nil {
		p.subordinate, p.offsets = true, *t.Offsets
	}
	return p
}

// shift appends the station's turns that lie between two instants to list, in
// order of time, given those of its curve.
func (t Tides) shift(turns []turn, from, to float64, list []turn) []turn {
	start := len(list)
	for _, u := range turns {
		u.at = t.Offsets.time(u.at, u.high)
		if u.at < from || u.at >= to {
			continue
		}
		u.height = t.Offsets.height(t.Level+u.base, u.high)
		list = append(list, u)
		for i := len(list) - 1; i > start && list[i].at < list[i-1].at; i-- {
			list[i], list[i-1] = list[i-1], list[i]
		}
	}
	return list
}

// turns returns the station's turns between two instants, close pairs included.
func (t Tides) turns(from, to float64) []turn {
	v := newSurvey(from-t.Offsets.reachOn(), to-t.Offsets.reachBack(), t.Curve.grid, t.Curve.used)
	usual := int(clamp((to-from)/21600+8, 0, 1<<14)) // four a day at most stations
	turns := v.search(t.Curve, make([]turn, 0, usual))
	return t.shift(turns, from, to, turns[:0])
}

// margins lists the seconds by which the search for turns extends beyond a span. A wider
// margin is used if a chain of close turns extends beyond the narrower one. The last is
// used in any case; no station has a chain of that length.
var margins = [...]float64{3 * 3600, 12 * 3600, 2 * 86400, 8 * 86400, 30 * 86400}

// settled returns the turns of the span without close pairs.
func (t Tides) settled(s request) []turn {
	for i, margin := range margins {
		from, to := s.first()-margin, s.last()+margin
		list := t.turns(from, to)
		if i == len(margins)-1 || complete(list, from, to, s) {
			return slices.DeleteFunc(settle(list), func(u turn) bool {
				return u.at < s.first() || u.at > s.last()
			})
		}
	}
	return nil
}

// undisturbed returns the height of a subordinate station whose reference has no tides.
func (t Tides) undisturbed() float64 {
	return (t.Offsets.height(t.Level, true) + t.Offsets.height(t.Level, false)) / 2
}

// around returns the listed turns from the last before start to the first after end.
// Curves without tides of a day or less may have no turns.
func (t Tides) around(start, end float64) []turn {
	var list []turn
	for margin := 86400.0; margin < 1000*86400; margin *= 4 {
		list = t.settled(request{int64(math.Floor(start - margin)), int64(math.Ceil(end + margin))})
		if n := len(list); n > 0 && list[0].at <= start && list[n-1].at > end {
			break
		}
	}
	return list
}

// shaped reports whether the heights between two events of a subordinate station have the
// shape of the reference's curve between the two source turns. A half cosine replaces the
// shape if the two turns differ by less than a millimetre, are of one kind, or are in
// reverse order.
func shaped(a, b turn) bool {
	return a.high != b.high && b.at > a.at && b.origin > a.origin && math.Abs(b.base-a.base) >= 0.001
}
