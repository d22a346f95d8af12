package tide

import "math"

// NOAA reads maximum and slack currents off a series of a reference station, before offsets, with a
// value at each hour and half hour (GMT), rounded to hundredths of a knot: two neighboring extrema
// of one phase that this series does not show are both missing. This follows from the lists; NOAA
// does not publish the method. It is the simplest rule found that explains each of these rows (NOAA
// CO-OPS, maximum and slack currents, 2027, GMT; minutes and knots are of the reference's unrounded
// curve, PUG1708 for PCT2301):
//
//	             minutes  knots          NOAA lists
//	PUG1725  03-01  54.0  -0.201 -0.194  neither
//	PUG1725  03-02  38.6  -0.192 -0.190  neither
//	PUG1725  03-03  51.2  -0.181 -0.174  the first
//	PUG1725  03-04  69.4  -0.176 -0.158  both
//	PUG1725  03-06  70.4  -0.163 -0.173  both
//	PUG1725  03-28  29.5  -0.145 -0.144  neither
//	PUG1725  03-29  25.0  -0.157 -0.156  neither
//	PUG1725  06-16  38.6  -0.315 -0.318  neither
//	PCT2301  03-02  46.7  -0.528 -0.524  the first
//	PCT2301  03-04  41.7  -0.330 -0.326  neither
//	PCT2301  03-30  79.6  -0.308 -0.269  both
//	PCT2301  03-31  53.6  -0.312 -0.301  the first
//
// A limit of minutes alone contradicts the first and the third row, and one of knots alone the
// first and the ninth; no series of unrounded values, or of thousandths, explains all of them. That
// the same series decides at the other stations is our conclusion.
const (
	seriesStep = 1800 // seconds
	perKnot    = 100  // the steps of the values of the series
)

// together is the time in seconds within which NOAA lists only the first of two events of one phase
// of a reference station: of extrema see the table, of slacks the second is missing on 2027-06-07
// (28 min after the first), 06-10 (47) and 06-30 (43) at PUG1725; both of 06-09 are listed, 127
// minutes apart. At other stations, too, the second of pairs of slacks of 26 to 58 minutes is
// missing, and both of 79 and 81 minutes are listed. The limit between 58 and 69 is ours.
//
// Between the slacks of each of these pairs the current stays weak. If it does not, both
// are listed; otherwise a flood would follow an ebb without a slack. An event is listed if
// it comes less than 60 minutes after an omitted one, but more after the last listed one.
// These two interpretations are ours, without a published example. So is the third: the
// second event is also missing at subordinate stations, which NOAA predicts from the
// reference's events; of extrema PCT2301 shows it.
const together = 3600

// withoutRipples removes from turns the pairs of neighbors of one phase that the series does not
// show.
func (c Currents) withoutRipples(turns []turn) []turn {
	kept := turns[:0]
	for i := 0; i < len(turns); i++ {
		if i+1 < len(turns) && !opposite(turns[i], turns[i+1]) && !c.shows(turns[i], turns[i+1]) {
			i++
			continue
		}
		kept = append(kept, turns[i])
	}
	return kept
}

// shows reports whether the series falls from a high to the low after it, or rises to the high.
func (c Currents) shows(a, b turn) bool {
	at := math.Floor(a.at/seriesStep) * seriesStep
	for before := c.rounded(at); at < b.at; {
		at += seriesStep
		v := c.rounded(at)
		if v != before && (v < before) == a.high {
			return true
		}
		before = v
	}
	return false
}

// rounded returns the value of the series at a Unix time.
func (c Currents) rounded(at float64) float64 { return math.Round(c.at(at) * perKnot) }

// covered reports whether turns, and the events derived from them, decide which events
// between two instants are listed. That requires a turn before and after, and before the
// first event an hour without another or a change of phase.
func covered(turns []turn, list []drift, from, to float64) bool {
	if len(turns) == 0 || turns[0].at >= from || turns[len(turns)-1].at <= to {
		return false
	}
	before := drift{origin: turns[0].at}
	for _, d := range list {
		if before.phase != "" && d.phase != before.phase || d.origin-before.origin >= together {
			return true
		}
		if d.origin >= from {
			return false
		}
		before = d
	}
	return true
}

// single removes the events that follow a listed one of their phase within the hour. A listed slack
// gets the next phase of the last removed one.
func single(list []drift) []drift {
	kept := list[:0]
	for _, d := range list {
		n := len(kept) - 1
		if n >= 0 && d.phase == kept[n].phase && d.origin-kept[n].origin < together {
			kept[n].next = d.next
			continue
		}
		kept = append(kept, d)
	}
	return kept
}
