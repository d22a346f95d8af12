package tide

import (
	"math"
	"sync/atomic"
	"time"
)

// The instants that can be predicted, Unix seconds: the years 1 to 9999.
const (
	earliest = -62135596800.0
	latest   = 253402300800.0
)

// year is a UTC calendar year, for which node factors and arguments are constant.
type year struct {
	number     int
	start, end float64        // Unix seconds
	factor     [count]float64 // f
	argument   [count]float64 // V0+u at start, radians
}

// years caches recent years: each number has one slot.
var years [64]atomic.Pointer[year]

// yearOf returns the year that contains a Unix time, which must lie between earliest and
// latest.
func yearOf(unix float64) *year {
	number := time.Unix(int64(math.Floor(unix)), 0).UTC().Year()
	place := &years[uint(number)%uint(len(years))]
	if y := place.Load(); y != nil && y.number == number {
		return y
	}
	y := newYear(number)
	place.Store(y)
	return y
}

// newYear computes arguments at the beginning and node factors at the middle
// of a year: July 2 12:00, or 00:00 in leap years.
func newYear(number int) *year {
	y := &year{number: number, start: newYearsDay(number), end: newYearsDay(number + 1)}
	l := longitudesAt(y.start)
	n := nodeAt(longitudesAt((y.start + y.end) / 2))
	f := n.factors()
	for i, d := range definitions() {
		y.argument[i] = wrap(d.equilibrium(l)*degree + n.correction(d.nodal))
		y.factor[i] = 1
		for _, k := range d.factors {
			y.factor[i] *= f[k]
		}
	}
	return y
}

func newYearsDay(number int) float64 {
	return float64(time.Date(number, time.January, 1, 0, 0, 0, 0, time.UTC).Unix())
}

// equilibrium returns V in degrees at a midnight with longitudes l. The hour angle of the
// mean sun, T, is 180° then.
func (d *definition) equilibrium(l longitudes) float64 {
	return 180*float64(d.T) + float64(d.s)*l.s + float64(d.h)*l.h +
		float64(d.p)*l.p + float64(d.p1)*l.p1 + float64(d.c)
}

// unix returns t in Unix seconds, limited to the supported range, accurate to a
// microsecond.
func unix(t time.Time) float64 {
	return clamp(float64(t.Unix())+float64(t.Nanosecond())/1e9, earliest, latest-1)
}
