package sky

import (
	"math"
	"time"

	"github.com/soniakeys/meeus/v3/apsis"
	"github.com/soniakeys/meeus/v3/moonphase"
	"github.com/soniakeys/unit"
)

// MoonEvent is a principal phase or an apsis.
type MoonEvent struct {
	Name     string    // new_moon, first_quarter, full_moon, last_quarter, perigee, apogee
	Time     time.Time // UTC
	Distance float64   // km, apsides only
}

// The mean months in days, and a mean new moon and perigee as Julian ephemeris days:
// Meeus, 2nd ed., (49.1) and (50.1).
const (
	synodicMonth     = 29.530588861
	anomalisticMonth = 27.55454989
	meanNewMoon      = 2451550.09766
	meanPerigee      = 2451534.6698
)

// quarters lists the principal phases in order, each with the function that finds its
// Julian ephemeris day near a decimal year. Meeus, 2nd ed., chapter 49: 17 s at worst
// against the full theory between 1980 and 2020.
var quarters = [4]struct {
	name string
	near func(year float64) float64
}{
	{"new_moon", moonphase.New},
	{"first_quarter", moonphase.First},
	{"full_moon", moonphase.Full},
	{"last_quarter", moonphase.Last},
}

// quarter returns the nth principal phase, counted from the new moon of 2000-01-06. The
// year is the one from which (49.2) computes n/4.
func quarter(n int) MoonEvent {
	q := quarters[n&3]
	return MoonEvent{Name: q.name, Time: ofJDE(q.near(2000 + float64(n)/4/12.3685)).time()}
}

// quarterAt returns the number of the last quarter whose mean time is before t. Its true
// time may be after t, but the true time of the quarter before it cannot be: true times
// differ from mean times by less than a day.
func quarterAt(t time.Time) int {
	return int(math.Floor((instantOf(t).jde() - meanNewMoon) / synodicMonth * 4))
}

// NextPhases returns the four principal phases after t, in order of time, within half a
// minute from 1900 to 2050. After 2050 delta-T is uncertain by minutes, and so are these
// times.
func NextPhases(t time.Time) []MoonEvent {
	return after(t, 4, quarterAt(t), quarter)
}

// after returns count events later than t, from the nth of a sequence on.
func after(t time.Time, count, n int, event func(int) MoonEvent) []MoonEvent {
	list := make([]MoonEvent, 0, count)
	for ; len(list) < count; n++ {
		if e := event(n); e.Time.After(t) {
			list = append(list, e)
		}
	}
	return list
}

// newMoonBefore returns the last new moon at or before t.
func newMoonBefore(t time.Time) time.Time {
	n := quarterAt(t)&^3 + 4
	for quarter(n).Time.After(t) {
		n -= 4
	}
	return quarter(n).Time
}

// NextApsides returns the next perigee and apogee after t, in order of time. Times are
// within half an hour, because the distance changes slowly there; distances are within 20
// km. Meeus, 2nd ed., chapter 50. True apsides differ from the mean ones by a few days,
// less than the interval between two.
func NextApsides(t time.Time) []MoonEvent {
	n := int(math.Floor((instantOf(t).jde() - meanPerigee) / anomalisticMonth * 2))
	return after(t, 2, n, apsisAt)
}

// apsisAt returns the nth apsis from the perigee of 1999-12-22; even ones are perigees.
// The year is the one from which (50.2) computes n/2.
func apsisAt(n int) MoonEvent {
	year := 1999.97 + float64(n)/2/13.2555
	if n%2 == 0 {
		return apsisEvent("perigee", apsis.Perigee(year), apsis.PerigeeParallax(year))
	}
	return apsisEvent("apogee", apsis.Apogee(year), apsis.ApogeeParallax(year))
}

// apsisEvent returns an apsis with its distance from the equatorial horizontal parallax,
// Meeus, 2nd ed., page 337.
func apsisEvent(name string, jde float64, parallax unit.Angle) MoonEvent {
	return MoonEvent{Name: name, Time: ofJDE(jde).time(), Distance: 6378.14 / parallax.Sin()}
}
